#!/usr/bin/env bash
# Runs the engines without intrinsics under Miri, which interprets the program and stops at the
# first access out of bounds, read of uninitialised memory, race or other undefined behaviour.
#
#   tools/test-miri.sh              crates/kat/tests/interpreted.rs
#   tools/test-miri.sh hashers      its tests whose names contain `hashers`
#
# Needs a nightly toolchain with the components miri and rust-src, and installs them where rustup
# can. It runs for minutes: a block of a hash takes some hundredths of a second. Miri takes neither
# vector instructions nor assembly, so the other engines are not here; AddressSanitizer (make
# test-asan) runs them.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
PATH="$PATH:$HOME/.cargo/bin"

fail() {
    printf 'test-miri: %s\n' "$@" >&2
    exit 1
}

if ! cargo +nightly miri --version >/dev/null 2>&1; then
    command -v rustup >/dev/null || fail 'Miri is a component of rustup: install it from https://rustup.rs'
    rustup +nightly component add miri rust-src || fail \
        'this nightly toolchain has no Miri; not every night has one' \
        'install one that has: rustup toolchain install nightly --component miri,rust-src'
fi
cargo +nightly miri --version

cargo +nightly miri test --locked --target-dir target/miri -p manylane-kat --test interpreted -- "$@"
