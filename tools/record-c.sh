#!/usr/bin/env bash
# Measures the C of every primitive on the simulated machines that count cycles, on one core and
# two: whole reports in benches/record, and what emitted folders tell of it in
# crates/cli/src/emit/measured.tsv.
#
#   tools/record-c.sh                   everything, a quarter of an hour
#   tools/record-c.sh sha256 rc5        these alone, printed and kept nowhere
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
PATH="$PATH:$HOME/.cargo/bin"

command -v jq >/dev/null || {
    echo 'record-c: jq is missing: apt-get install jq' >&2
    exit 1
}
cargo build --quiet --locked --package manylane-cli
manylane=${CARGO_TARGET_DIR:-target}/debug/manylane
machines=(ibex-duo rp2040)

# The rows of a report as lines of the record.
lines() {
    jq -r '.machine as $machine | .rows | group_by([.primitive, .cores])[] | sort_by(.length)
        | [.[0].primitive, $machine, .[0].cores, .[0].code_bytes, .[0].constant_bytes, .[0].stack_bytes,
           .[0].blocks, .[1].blocks, .[0].cycles, .[1].cycles] | @tsv' "$1"
}

scratch=$(mktemp -d)
trap 'rm -r "$scratch"' EXIT
if (($#)); then
    for primitive in "$@"; do
        for machine in "${machines[@]}"; do
            "$manylane" run "$primitive" --on "$machine" --length 64,1024 --json >"$scratch/report"
            lines "$scratch/report"
        done
    done
    exit
fi
date=$(date +%F)
for machine in "${machines[@]}"; do
    "$manylane" run --all --on "$machine" --length 64,1024 --json >"$scratch/$machine"
    printf '# %s: %s, %s\n' "$machine" "$(jq -r '"\(.title); \(.compiler) -O2"' "$scratch/$machine")" "$date"
done >"$scratch/heads"
for machine in "${machines[@]}"; do lines "$scratch/$machine"; done >"$scratch/lines"
for machine in "${machines[@]}"; do mv "$scratch/$machine" "benches/record/$date-c-$machine.json"; done
cat "$scratch/heads" "$scratch/lines" >crates/cli/src/emit/measured.tsv
