#!/usr/bin/env bash
# Unpacks the programs of Debian's coreutils of another release than the one that runs here, and
# prints the folder that they are in. What was unpacked before is taken again.
#
#   tools/debian-coreutils.sh            of sid
#   RELEASE=trixie tools/debian-coreutils.sh
#   MIRROR=URL tools/debian-coreutils.sh from another mirror than the one that apt uses here
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source tools/debian-lists.sh
release=${RELEASE:-sid}
folder=$PWD/target/coreutils/$release-programs

fail() {
    printf 'debian-coreutils: %s\n' "$@" >&2
    exit 1
}

if [ ! -x "$folder/usr/bin/sha256sum" ]; then
    command -v apt-get >/dev/null || fail 'there is no apt-get here: unpack coreutils into' "$folder"
    debian_lists deb "$release" "$folder"
    (cd "$folder" && apt-get "${apt[@]}" download coreutils >/dev/null 2>&1) ||
        fail 'the package of coreutils cannot be had'
    dpkg-deb -x "$folder"/coreutils_*.deb "$folder"
fi
"$folder/usr/bin/sha256sum" --version >/dev/null ||
    fail "the programs of $release do not run here: take another RELEASE, whose libc is not newer"
echo "$folder/usr/bin"
