#!/usr/bin/env bash
# Unpacks the programs of Debian's coreutils of another release than the one that runs here, and
# prints the folder that they are in. What was unpacked before is taken again.
#
#   tools/debian-coreutils.sh            of sid
#   RELEASE=trixie tools/debian-coreutils.sh
#   MIRROR=URL tools/debian-coreutils.sh from another mirror than the one that apt uses here
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
release=${RELEASE:-sid}
folder=$PWD/target/coreutils/$release-programs

fail() {
    printf 'debian-coreutils: %s\n' "$@" >&2
    exit 1
}

if [ ! -x "$folder/usr/bin/sha256sum" ]; then
    command -v apt-get >/dev/null || fail 'there is no apt-get here: unpack coreutils into' "$folder"
    mkdir -p "$folder/lists/partial" "$folder/cache/archives/partial"
    # Lists of packages of their own, so that the system's stay as they are.
    mirror=${MIRROR:-$(apt-get indextargets --format '$(RELEASE) $(COMPONENT) $(REPO_URI)' 'Created-By: Packages' |
        sed -n '/^[^ ]*-security /d; s/^[^ ]* main //p' | head -n 1)}
    [ -n "$mirror" ] || fail 'apt names no mirror of Debian: MIRROR=URL does'
    printf 'Types: deb\nURIs: %s\nSuites: %s\nComponents: main\n%s\n' "$mirror" \
        "$release" 'Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg' \
        >"$folder/debian.sources"
    apt=(-q -o "Dir::Etc::SourceList=$folder/debian.sources" -o Dir::Etc::SourceParts=-
        -o "Dir::State::Lists=$folder/lists" -o "Dir::Cache=$folder/cache")
    apt-get "${apt[@]}" update >/dev/null || fail 'the lists of Debian packages cannot be had'
    (cd "$folder" && apt-get "${apt[@]}" download coreutils >/dev/null 2>&1) ||
        fail 'the package of coreutils cannot be had'
    dpkg-deb -x "$folder"/coreutils_*.deb "$folder"
fi
"$folder/usr/bin/sha256sum" --version >/dev/null ||
    fail "the programs of $release do not run here: take another RELEASE, whose libc is not newer"
echo "$folder/usr/bin"
