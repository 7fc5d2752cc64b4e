#!/usr/bin/env bash
# Hashes real files of this system with manylane and with coreutils: the digests must be the same,
# and the times are shown side by side.
#
# COREUTILS names a folder with sha256sum and md5sum of another coreutils, a newer one for example;
# without it those on the path are the peers.
set -euo pipefail
export LC_ALL=C
cd "$(dirname "${BASH_SOURCE[0]}")/.."
PATH="${COREUTILS:+$(cd "$COREUTILS" && pwd):}$PATH:$HOME/.cargo/bin"

readonly MAX_FILES=4000 MAX_BYTES=100000000 RUNS=5

tools/setup.sh
echo 'Building. The first time this takes some minutes: every hash for every instruction set.'
cargo build --release --locked --package manylane-cli
manylane=${CARGO_TARGET_DIR:-target}/release/manylane

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Copies of regular files with printable names: nothing changes between the runs, links play no
# part, and the lists of both programs need no escapes.
mkdir "$work/files"
{ find /usr/include /usr/share /usr/lib -xdev -type f -readable -size -2048k \
    ! -name '*[^ -~]*' ! -name '*\\*' -printf '%s %p\0' 2>/dev/null || true; } |
    tr '\0\n' '\n\0' |
    awk -v max_files=$MAX_FILES -v max_bytes=$MAX_BYTES '
        files < max_files && bytes + $1 <= max_bytes {
            bytes += $1
            files++
            print substr($0, index($0, " ") + 1)
        }' |
    tr '\n\0' '\0\n' >"$work/found"
xargs -0 cp --parents -t "$work/files" <"$work/found"
(cd "$work/files" && find . -type f -print0) >"$work/list"
files=$(tr -cd '\0' <"$work/list" | wc -c)
bytes=$(cd "$work/files" && xargs -0 stat -c %s <"$work/list" | awk '{ sum += $1 } END { print sum }')
[ "$files" -ge 100 ] || {
    echo "demo: only $files readable files below /usr; there is nothing to show" >&2
    exit 1
}
printf '\n%d files, %d MB, copied from /usr\n' "$files" $((bytes / 1000000))
lscpu 2>/dev/null | sed -n 's/^Model name: */CPU: /p'

ours() { "$manylane" sum -r -a "$1" "$work/files"; }
ours_on_one_thread() { "$manylane" sum -r -j 1 -a "$1" "$work/files"; }
theirs() { (cd "$work/files" && xargs -0 "${1}sum" <"$work/list"); }

# Microseconds that a command takes.
time_of() {
    local start=$EPOCHREALTIME
    "$@" >"$work/output"
    echo $((${EPOCHREALTIME/./} - ${start/./}))
}

median() { sort -n "$1" | sed -n "$((RUNS / 2 + 1))p"; }

for algorithm in sha256 md5; do
    printf '\n%s\n' "$algorithm"
    ours $algorithm >"$work/sums"
    "${algorithm}sum" -c --quiet "$work/sums"
    count=$(wc -l <"$work/sums")
    if [ "$count" -ne "$files" ]; then
        echo "demo: manylane hashed $count files of $files" >&2
        exit 1
    fi
    echo "  ${algorithm}sum -c agrees with all $count digests"
    rm -f "$work"/time.*
    # The programs take turns: what slows the machine down for a while slows all of them down.
    for _ in $(seq $RUNS); do
        for program in theirs ours_on_one_thread ours; do
            time_of $program $algorithm >>"$work/time.$program"
        done
    done
    peer=$(median "$work/time.theirs")
    show() {
        awk -v name="$1" -v time="$2" -v peer="$peer" -v bytes="$bytes" 'BEGIN {
            printf "  %-28s %7.0f MB/s %7.2f ×\n", name, bytes / time, peer / time
        }'
    }
    show "${algorithm}sum" "$peer"
    show 'manylane sum -j 1' "$(median "$work/time.ours_on_one_thread")"
    show "manylane sum ($(nproc) CPUs)" "$(median "$work/time.ours")"
done
# A coreutils that was built with OpenSSL hashes by it, several times faster than by its own code.
hashes_by=$(ldd "$(command -v sha256sum)" 2>/dev/null | grep -o 'libcrypto[^ ]*' | head -n 1 || true)
printf '\nFiles in the page cache; median of %d runs, taken in turns; %s%s.\n' \
    $RUNS "$(sha256sum --version | head -n 1)" "${hashes_by:+, which hashes by $hashes_by}"
