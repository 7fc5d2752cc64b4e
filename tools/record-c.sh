#!/usr/bin/env bash
# Measures the C of every primitive on the simulated machines that count cycles, on one core and
# two: what emitted folders tell of it in crates/build/src/c/measured.tsv.
#
#   tools/record-c.sh                   everything, a quarter of an hour
#   tools/record-c.sh --record FILE     everything, from a report of `manylane run --all --json` that has
#                                       messages of 64 and 1024 bytes: seconds
#   tools/record-c.sh sha256 rc5        these alone, printed and kept nowhere
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
PATH="$PATH:$HOME/.cargo/bin"

command -v jq >/dev/null || {
    echo 'record-c: jq is missing: apt-get install jq' >&2
    exit 1
}
manylane=${CARGO_TARGET_DIR:-target}/debug/manylane
machines=ibex-duo,rp2040

# The rows of a report as lines of the record.
lines() {
    jq -r '[.rows[] | select(.length == 64 or .length == 1024)]
        | group_by([.platform, .primitive, .cores])[] | sort_by(.length)
        | if length == 2 then . else error("\(.[0].primitive): not both of 64 and 1024 bytes") end
        | [.[0].primitive, .[0].platform, .[0].cores, .[0].code_bytes, .[0].constant_bytes, .[0].stack_bytes,
           .[0].blocks, .[1].blocks, .[0].cycles, .[1].cycles] | @tsv' "$1"
}

scratch=$(mktemp -d)
trap 'rm -r "$scratch"' EXIT
report=$scratch/report
if [ "${1-}" = --record ]; then
    report=${2:?record-c: --record needs a file}
else
    cargo build --quiet --locked --package manylane-cli
    if (($#)); then
        for primitive in "$@"; do
            "$manylane" run "$primitive" --on "$machines" --length 64,1024 --json >"$report"
            lines "$report"
        done
        exit
    fi
    "$manylane" run --all --on "$machines" --length 64,1024 --json >"$report"
fi
if [ "$(jq .whole "$report")" = false ]; then
    echo "record-c: $report is of a run that was interrupted" >&2
    exit 1
fi
date=$(date +%F)
jq -r --arg date "$date" '.machines[] | "# \(.name): \(.title); \(.compiler) -O2, \($date)"' \
    "$report" >"$scratch/heads"
lines "$report" >"$scratch/lines"
cat "$scratch/heads" "$scratch/lines" >crates/build/src/c/measured.tsv
