#!/usr/bin/env bash
# Runs uutils' own tests of checksums, from the crate `coreutils`, on `manylane` started by the
# programs' names, and holds what passes to tools/test-uutils.known. The crate comes from the
# registry that cargo uses; nothing of it is kept outside target/.
#
#   tools/test-uutils.sh [PROGRAM]    PROGRAM is target/debug/manylane unless it is given
#   ALL=1 tools/test-uutils.sh        prints each known test and why it does not pass
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
version=0.12.0
program=$(readlink -f "${1:-target/debug/manylane}")
known=$PWD/tools/test-uutils.known
folder=$PWD/target/uutils
programs=(md5sum sha1sum sha224sum sha256sum sha384sum sha512sum cksum)

fail() {
    printf 'test-uutils: %s\n' "$@" >&2
    exit 1
}

[ -x "$program" ] || fail "$program is missing: cargo build --package manylane-cli"
mkdir -p "$folder/bin" "$folder/tests"

# The crate itself is a dependency that no target has: cargo fetches it and compiles nothing of it.
cat >"$folder/Cargo.toml" <<TOML
[package]
name = "uutils-tests"
version = "0.0.0"
edition = "2024"
publish = false
[workspace]
[lib]
path = "lib.rs"
[dev-dependencies]
rstest = "0.27"
rstest_reuse = "0.7"
uutests = "=$version"
[target.'cfg(any())'.dependencies]
coreutils = { version = "=$version", default-features = false }
TOML
: >"$folder/lib.rs"
cd "$folder"
crate=$(cargo metadata --format-version 1 |
    perl -ne 'print $1 if m{"manifest_path":"([^"]*/coreutils-\d[^/"]*)/Cargo.toml"}')
[ -d "$crate/tests/by-util" ] || fail "the crate coreutils $version has no tests, or cannot be had"
ln -sfn "$crate/tests/fixtures" tests/fixtures
for name in "${programs[@]}"; do
    ln -sfn "$program" "bin/$name"
    printf '#[path = "%s"]\nmod test_%s;\n' "$crate/tests/by-util/test_$name.rs" "$name"
done >tests/checksums.rs

# The tests start one program for all, with the name as its first argument.
printf '#!/bin/bash\nname=$1\nshift\nMANYLANE_TUNING=off exec "%s/bin/$name" "$@"\n' "$folder" >start
chmod +x start
# Only the table says which tests may fail.
UUTESTS_BINARY_PATH=$folder/start CARGO_TARGET_DIR=$folder/target \
    cargo test --quiet --no-run --test checksums
status=0
UUTESTS_BINARY_PATH=$folder/start CARGO_TARGET_DIR=$folder/target \
    cargo test --test checksums >log 2>errors || status=$?
grep -q '^test result:' log || fail "the tests did not run: see $folder/errors"

# Of each test that does not pass: the reason above the first expression that fits its name.
awk -v all="${ALL:-}" '
    FILENAME ~ /known$/ && /^= / { reason = substr($0, 3); next }
    FILENAME ~ /known$/ && !/^#/ && NF { pattern[++lines] = $0; why[lines] = reason; next }
    /^test .* \.\.\. / {
        name = $2
        for (i = 1; i <= lines && name !~ "^(" pattern[i] ")$"; i++) ;
        if ($0 ~ /\.\.\. ignored/) ignored++
        else if ($NF == "ok") passed++
        else if (i > lines) { failed++; print name " fails" }
        else {
            fits[i]++; known++; of[why[i]]++
            if (all) print name " fails: " why[i]
        }
    }
    END {
        for (i = 1; i <= lines; i++) {
            if (!fits[i]) { stale++; print "no test that fails fits " pattern[i] }
            if (of[why[i]]) printf "%4d do not pass: %s\n", of[why[i]], why[i]
            delete of[why[i]]
        }
        printf "%d pass, %d stand in the table, %d fail that must pass, %d are ignored by uutils\n", \
            passed, known, failed, ignored
        exit failed > 0 || stale > 0 || passed == 0
    }' "$known" log || fail "details are in $folder/log"
