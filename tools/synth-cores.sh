#!/usr/bin/env bash
# Builds cores for a chip, and compares area and clock with the record.
#
#   tools/synth-cores.sh ice40            every compression on an iCE40 HX8K: 20 minutes
#   tools/synth-cores.sh ecp5             the shapes of docs/hardware.md on an ECP5: 90 minutes
#   tools/synth-cores.sh TARGET --record  writes the record and its tables in docs/hardware.md anew
#
# Fails where a figure is worse by more than 10 %, by which a median of three seeds of place and
# route may vary. Cores that do not fit the chip are named. Times are those of one processor; an
# interrupted run continues where it stopped.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export PATH="$PATH:$HOME/.cargo/bin"

# A core in each line: its folder, and what it is.
case "${1:-}" in
ice40)
    chip=ice40-hx8k
    record=benches/record/2026-11-22-ice40.json
    # The router does not come to an end with a core that nearly fills the chip.
    limit=240
    # One hash of each compression, one step per clock, as the planner would have it on this chip.
    cores=$(for primitive in md5 sha1 sha256 sha512 ripemd128 ripemd160 ripemd256 ripemd320 blake256 \
        blake512 groestl256 groestl512 jh256 keccak256 skein256 skein512 skein1024; do
        echo "$primitive $primitive --merge 1"
    done)
    ;;
ecp5)
    chip=ecp5-85k
    record=benches/record/2026-11-22-ecp5.json
    limit=3600
    cores='sha256 sha256
sha256-x4 sha256 --stages 4
sha256-axis sha256 --interface axis --width 64
sha256-axilite sha256 --interface axilite
sha1 sha1
md5 md5
sha512 sha512
sha256-conventional sha256 --preset conventional --stages 1
sha256-merged sha256 --preset conventional --stages 1 --merge 2
sha1-conventional sha1 --preset conventional --stages 1
sha1-merged sha1 --preset conventional --stages 1 --merge 2
sha256-conventional-x4 sha256 --preset conventional
sha256-paper sha256 --preset paper
sha1-conventional-x4 sha1 --preset conventional
sha1-paper sha1 --preset paper
sha256-conventional-kw sha256 --preset conventional --stages 1 --precompute kw
sha256-merged-kw sha256 --preset conventional --stages 1 --precompute kw --merge 2
sha256-merged-tree sha256 --adders tree --precompute kw --merge 2 --stages 1
sha1-conventional-kw sha1 --preset conventional --stages 1 --precompute kw
sha1-merged-kw sha1 --preset conventional --stages 1 --precompute kw --merge 2'
    ;;
*)
    echo "synth-cores: ${1:-nothing} is no target; there are ice40 and ecp5" >&2
    exit 1
    ;;
esac
case "${2:-}" in
'' | --record) ;;
*)
    echo "synth-cores: $2 is no option; there is --record" >&2
    exit 1
    ;;
esac

cargo build --quiet --release --locked -p manylane-cli
manylane=$PWD/target/release/manylane
folder=target/synth-cores/$1
rm -rf "$folder"
mkdir -p "$folder"
while read -r name core; do
    # shellcheck disable=SC2086 # words of a command
    (cd "$folder" && "$manylane" emit rtl $core --target "$1" -o "$name")
done <<<"$cores" >/dev/null
# In the order above.
folders=$(while read -r name core; do echo "$folder/$name"; done <<<"$cores")

if [ "${2:-}" = --record ]; then
    # Status 1 is for the cores that do not fit.
    "$manylane" synth $folders --target $chip --time-limit $limit --json >"$record.new" || [ $? -eq 1 ]
    mv "$record.new" "$record"
    MANYLANE_BLESS=1 cargo test --quiet --locked -p manylane-cli --test docs chips
elif ! [ -e "$record" ]; then
    echo "synth-cores: there is no $record: make it with tools/synth-cores.sh $1 --record" >&2
    exit 1
else
    "$manylane" synth $folders --target $chip --time-limit $limit --check "$record" --tolerance 10
fi
