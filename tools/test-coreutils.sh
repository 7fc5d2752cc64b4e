#!/usr/bin/env bash
# Runs GNU's own tests of checksums, from the source package of Debian's coreutils, on `manylane`
# started by the programs' names, and holds what passes to the table below. Without a network, the
# package's coreutils_*.orig.tar.xz may lie in target/coreutils/RELEASE already.
#
#   tools/test-coreutils.sh [PROGRAM]    PROGRAM is target/debug/manylane unless it is given
#   RELEASE=sid tools/test-coreutils.sh  of another release of Debian than the one that runs here
#   MIRROR=URL tools/test-coreutils.sh   from another mirror than the one that apt uses here
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source tools/debian-lists.sh
program=$(readlink -f "${1:-target/debug/manylane}")
release=${RELEASE:-$(. /etc/os-release 2>/dev/null && echo "${VERSION_CODENAME:-stable}")}
folder=$PWD/target/coreutils/${release:=stable}

fail() {
    printf 'test-coreutils: %s\n' "$@" >&2
    exit 1
}

[ -x "$program" ] || fail "$program is missing: cargo build --package manylane-cli"
command -v perl >/dev/null || fail 'perl is missing: apt-get install perl'

# Tests that do not pass, and why. What is not named here must pass.
known() {
    case ${1##*/} in
    b2sum.sh) echo 'BLAKE2b is not in the catalogue' ;;
    sm3sum.pl) echo 'SM3 is not in the catalogue' ;;
    sum.pl | sum-sysv.sh) echo 'the sums of BSD and System V are no hashes' ;;
    cksum-base64-untagged.sh) echo 'it needs BLAKE2b, and --length for families (sha2, sha3)' ;;
    cksum-sha3.sh) echo "it needs coreutils' own program getlimits, and wants its words for lengths" ;;
    md5sum-bsd.sh)
        # Status lines quote names since 9.11, and so do these; 9.1 has no such names in its test.
        [ "$version" = 9.1 ] || echo 'status lines quote names as coreutils 9.11 does' ;;
    cksum.sh | cksum-c.sh | cksum-a.sh | cksum-base64.pl | cksum-raw.sh)
        echo "it needs cksum's CRC, the sums of BSD and System V, BLAKE2b or SM3" ;;
    esac
}

# Single cases of tests of Perl, and why.
known_case() {
    case ${1##*/}:$2 in
    md5sum.pl:nul-in-cksum) echo 'a line more on standard error says what is wrong' ;;
    esac
}

if ! ls "$folder"/coreutils_*.orig.tar.xz >/dev/null 2>&1; then
    command -v apt-get >/dev/null || fail 'there is no apt-get here: put coreutils_*.orig.tar.xz' \
        "into $folder"
    debian_lists deb-src "$release" "$folder"
    (cd "$folder" && apt-get "${apt[@]}" source --download-only coreutils >/dev/null) ||
        fail 'the source package of coreutils cannot be had'
fi
archive=$(ls "$folder"/coreutils_*.orig.tar.xz | head -n 1)
source=$folder/source
rm -rf "$source" "$folder/build"
mkdir -p "$source" "$folder/build/src"
tar -xf "$archive" -C "$source" --strip-components 1
version=$(basename "$archive" .orig.tar.xz)
version=${version#coreutils_}

# What a build of coreutils would have in src/.
programs=(md5sum sha1sum sha224sum sha256sum sha384sum sha512sum cksum)
for name in "${programs[@]}"; do
    ln -s "$program" "$folder/build/src/$name"
done
: >"$folder/build/config.h"

# As coreutils' Makefile sets them.
export srcdir=$source top_srcdir=$source abs_srcdir=$source abs_top_srcdir=$source
export abs_top_builddir=$folder/build CONFIG_HEADER=$folder/build/config.h
export VERSION=$version PACKAGE_VERSION=$version built_programs="${programs[*]}"
export host_os=linux-gnu host_triplet=x86_64-pc-linux-gnu PERL=perl SHELL=/bin/sh AWK=awk EGREP='grep -E'
export EXEEXT='' CC=cc MAKE=make LOCALE_FR=none LOCALE_FR_UTF8=none fail=0
export PATH=$folder/build/src:$PATH LC_ALL=C MANYLANE_TUNING=off
cd "$folder/build"

run() {
    local test=$1
    local name=${test//\//-}
    export CU_TEST_NAME=coreutils,$name
    case $test in
    *.pl) perl -w -I"$source/tests" -MCuSkip -MCoreutils -M"CuTmpdir qw($name)" \
        "$source/$test" ;;
    *.sh) sh "$source/$test" ;;
    esac
}

passed=0 failed=0
printf '%-34s %s\n' 'test' "coreutils $version"
for test in "$source"/tests/misc/*sum*.{pl,sh} "$source"/tests/cksum/*.{pl,sh}; do
    [ -e "$test" ] || continue
    name=${test#"$source/"}
    status=0
    run "$name" >"$folder/log" 2>&1 9>&2 || status=$?
    why=$(known "$name")
    # A test of Perl names every case that fails; all of them must be known.
    if [ "$status" -ne 0 ] && [ -z "$why" ]; then
        cases=$(sed -n 's/^[a-z0-9]*: test \([^:]*\): .*/\1/p' "$folder/log" | sort -u)
        for case in $cases; do
            reason=$(known_case "$name" "$case")
            why=${reason:+${why:+$why; }case $case: $reason}
            [ -n "$why" ] || break
        done
    fi
    case $status in
    0) result=passes ;;
    77) result="is skipped${why:+: $why}" ;;
    *) result="fails${why:+: $why}" ;;
    esac
    printf '%-34s %s\n' "$name" "$result"
    if [ "$status" -eq 0 ]; then
        passed=$((passed + 1))
    elif [ -z "$why" ]; then
        failed=$((failed + 1))
        cat "$folder/log" >&2
    fi
done
echo "$passed pass, $failed fail that must pass"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
