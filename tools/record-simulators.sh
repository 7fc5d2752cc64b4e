#!/usr/bin/env bash
# Predictions beside runs of every primitive on the simulated machines that count cycles, for one core and
# two: a record of benches/record, the tables of docs/platforms.md, and what tools/record-c.sh makes of it.
#
#   tools/record-simulators.sh DATE                     everything: half an hour of two processors
#   tools/record-simulators.sh DATE sha256 hmac-sha256  these alone, where no others' C has changed: other rows are
#                                                       those of the newest record, made by the same compilers
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
PATH="$PATH:$HOME/.cargo/bin"

command -v jq >/dev/null || {
    echo 'record-simulators: jq is missing: apt-get install jq' >&2
    exit 1
}
date=${1:?record-simulators: say DATE, the name of the record}
shift
machines=(ibex-duo rp2040)
lengths=0,1,55,64,200,1024
records=benches/record
new=$records/$date-simulators.json
old=$(find "$records" -name '*-simulators.json' | sort | tail -n 1)
if (($#)) && [ -z "$old" ]; then
    echo 'record-simulators: there is no record to take other rows from: name no primitives' >&2
    exit 1
fi

tools/setup.sh simulators
cargo build --locked --package manylane-cli
manylane=${CARGO_TARGET_DIR:-target}/debug/manylane
scratch=$(mktemp -d)
trap 'rm -r "$scratch"' EXIT

# The reports of a machine, a file for each primitive that is named.
run() {
    local machine=$1 primitive
    shift
    if ((!$#)); then
        "$manylane" run --all --on "$machine" --length "$lengths" --json >"$scratch/$machine.json"
    fi
    for primitive in "$@"; do
        "$manylane" run "$primitive" --on "$machine" --length "$lengths" --json \
            >"$scratch/$machine-${primitive//\//-}.json"
    done
}

all=()
for machine in "${machines[@]}"; do
    run "$machine" "$@" &
    all+=($!)
done
failed=
for one in "${all[@]}"; do wait "$one" || failed=1; done
test -z "$failed"

joined='{machines: (map(.machines[]) | unique), whole: all(.whole), rows: map(.rows[])}'
if ((!$#)); then
    (cd "$scratch" && jq -s "$joined" "${machines[@]/%/.json}") >"$scratch/joined"
else
    jq -s "$joined" "$scratch"/*.json >"$scratch/part"
    if [ "$(jq -c .machines "$scratch/part")" != "$(jq -c '.machines | unique' "$old")" ]; then
        echo "record-simulators: $old is of other compilers: name no primitives, so that all are run" >&2
        exit 1
    fi
    # Rows stay in their order: those of a primitive on a machine where the first of them was, or behind all
    # others if the old record has none.
    jq --slurpfile part "$scratch/part" '
        def key: [.platform, .primitive];
        ($part[0].rows | group_by(key) | map({key: (.[0] | key | join(" ")), value: .}) | from_entries) as $anew
        | [.rows[] | key | join(" ")] as $known
        | .rows |= (group_by(key) | map((.[0] | key | join(" ")) as $key | $anew[$key] // .))
        | .rows += [$anew | to_entries[] | select(.key | IN($known[]) | not) | .value]
        | .whole = (.whole and $part[0].whole)' "$old" >"$scratch/merged"
    jq --slurpfile old "$old" '
        def key: [.platform, .primitive];
        (reduce ($old[0].rows | to_entries[]) as $row ({}; ($row.value | key | join(" ")) as $key
            | .[$key] //= $row.key)) as $places
        | .rows |= (sort_by(.[0] | $places[key | join(" ")] // infinite) | map(.[]))' \
        "$scratch/merged" >"$scratch/joined"
fi
# Each row has a line of its own.
jq -r '"{\"machines\": \(.machines | tojson),\n\"whole\": \(.whole),\n\"rows\": [\n"
    + (.rows | map(tojson) | join(",\n")) + "\n]}"' "$scratch/joined" >"$scratch/lines"
mv "$scratch/lines" "$new"
tools/record-c.sh --record "$new"
MANYLANE_BLESS=1 cargo test --locked -p manylane-cli --test docs predictions
