#!/usr/bin/env bash
# Builds the core of every compression for a small chip, and compares area and clock with the record.
#
#   tools/synth-ice40.sh            fails where a figure differs from the record by more than 10 %
#   tools/synth-ice40.sh --record   writes the record anew
#
# 10 % is what the seeds of place and route make of a median of three. Cores that the chip has no
# place for are named.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export PATH="$PATH:$HOME/.cargo/bin"

record=benches/record/2026-11-20-ice40.json
cargo build --quiet --release --locked -p manylane-cli
folder=target/synth-ice40
rm -rf "$folder"
# One hash of each compression.
for primitive in md5 sha1 sha256 sha512 ripemd128 ripemd160 ripemd256 ripemd320 blake256 blake512 \
    groestl256 groestl512 jh256 keccak256 skein256 skein512 skein1024; do
    target/release/manylane emit rtl "$primitive" -o "$folder/$primitive" >/dev/null
done
if [ "${1:-}" = --record ]; then
    target/release/manylane synth "$folder"/* --json >"$record.new" || true
    mv "$record.new" "$record"
elif ! [ -e "$record" ]; then
    echo "synth-ice40: there is no $record yet: make it with tools/synth-ice40.sh --record" >&2
    exit 1
else
    target/release/manylane synth "$folder"/* --check "$record" --tolerance 10
fi
