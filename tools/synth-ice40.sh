#!/usr/bin/env bash
# Builds the core of every compression for a small chip, and compares area and clock with the record.
#
#   tools/synth-ice40.sh            prints both; fails where a figure is worse by more than 10 %
#   tools/synth-ice40.sh --record   writes the record anew, and what docs/hardware.md says of it
#
# 10 % is what the seeds of place and route make of a median of three. Cores that the chip has no
# place for are named. Some 20 minutes of one processor; what was interrupted goes on.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export PATH="$PATH:$HOME/.cargo/bin"

record=benches/record/2026-11-22-ice40.json
case "${1:-}" in
'' | --record) ;;
*)
    echo "synth-ice40: $1 is no option; there is --record" >&2
    exit 1
    ;;
esac
cargo build --quiet --release --locked -p manylane-cli
manylane=$PWD/target/release/manylane
folder=target/synth-ice40
rm -rf "$folder"
mkdir -p "$folder"
# One hash of each compression, one step per clock, as the planner would have it on this chip.
for primitive in md5 sha1 sha256 sha512 ripemd128 ripemd160 ripemd256 ripemd320 blake256 blake512 \
    groestl256 groestl512 jh256 keccak256 skein256 skein512 skein1024; do
    (cd "$folder" && "$manylane" emit rtl "$primitive" --target ice40 --merge 1 -o "cores/$primitive")
done >/dev/null
if [ "${1:-}" = --record ]; then
    # Status 1 is for the cores that do not fit.
    "$manylane" synth "$folder"/cores/* --json >"$record.new" || [ $? -eq 1 ]
    mv "$record.new" "$record"
    MANYLANE_BLESS=1 cargo test --quiet --locked -p manylane-cli --test docs small_chip
elif ! [ -e "$record" ]; then
    echo "synth-ice40: there is no $record: make it with tools/synth-ice40.sh --record" >&2
    exit 1
else
    "$manylane" synth "$folder"/cores/* --check "$record" --tolerance 10
fi
