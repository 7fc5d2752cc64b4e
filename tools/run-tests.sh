#!/usr/bin/env bash
# Runs every test of the workspace, several test programs at a time: `cargo test` runs one after the
# other, and most of them keep one processor busy and the others idle.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
PATH="$PATH:$HOME/.cargo/bin"

logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT

# One line of JSON for each artifact; a test program has a profile for tests and an executable.
cargo test --workspace --locked --no-run --message-format json-render-diagnostics |
    sed -n '/"test":true},"features"/s/.*"manifest_path":"\([^"]*\)\/Cargo\.toml".*"executable":"\([^"]*\)".*/\1\t\2/p' \
        >"$logs/programs"
[ -s "$logs/programs" ] || {
    echo 'run-tests: cargo named no test program' >&2
    exit 1
}

# Prints what a program said only when it is done, so that no two mix. Its folder is that of its
# crate, as under `cargo test`.
run() {
    local folder=$1 program=$2 logs=$3 status=0
    local log=$logs/${program##*/}
    (cd "$folder" && "$program") >"$log" 2>&1 || status=$?
    {
        flock 9
        printf '\n== %s %s\n' "${folder##*/}" "${program##*/}"
        cat "$log"
        [ "$status" -eq 0 ] || printf '%s of %s\n' "${program##*/}" "${folder##*/}" >>"$logs/failed"
    } 9>"$logs/lock"
}
export -f run

# The simulations of cores take longest: begun last they would run alone. One program more than
# there are processors, since some wait for others to end.
{ grep '/cores-' "$logs/programs"; grep -v '/cores-' "$logs/programs"; } |
    tr '\t\n' '\0\0' |
    xargs -0 -n 2 -P "$(($(nproc) + 1))" bash -c 'run "$1" "$2" "$0"' "$logs"

cargo test --workspace --locked --doc || echo 'examples in the documentation' >>"$logs/failed"

if [ -s "$logs/failed" ]; then
    printf '\nrun-tests: failed:\n' >&2
    cat "$logs/failed" >&2
    exit 1
fi
printf '\nrun-tests: all %d test programs passed\n' "$(wc -l <"$logs/programs")"
