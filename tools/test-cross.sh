#!/usr/bin/env bash
# Tests the other machines: every engine of aarch64, big-endian s390x, bare metal, the vectors of
# WebAssembly.
#
#   tools/test-cross.sh                      all four
#   tools/test-cross.sh aarch64 thumbv6m     some
#
# The vectors of WebAssembly need rustup and Node 18 or newer. The others need Debian 12 or a
# descendant: its own compiler (rustc-web) has other targets and the sources of
# std; the tests run under qemu-user. Minutes: qemu and `-Zbuild-std` are slow.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/cross.sh"

# Full optimisation costs more time here than it saves.
export CARGO_PROFILE_DEV_OPT_LEVEL=1 CARGO_PROFILE_DEV_DEBUG=0

# The definitions' own tests, then every engine of the machine against them and against independent
# implementations. The Monte Carlo chains and what needs child processes stay out.
run_tests() {
    cargo test --locked -p manylane-primitives --lib "$@"
    cargo test --locked -p manylane-kat "$@" \
        --test conformance --test oracles --test hash_vectors --test hmac_vectors --test rc5_vectors \
        --test rc5_engines --test kernels -- --skip chains
}

aarch64() {
    need_aarch64
    CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER="$run_aarch64" \
        run_tests --target aarch64-unknown-linux-gnu
}

s390x() {
    need rustc-web rust-web-src gcc-s390x-linux-gnu libc6-dev-s390x-cross qemu-user
    RUSTC_BOOTSTRAP=1 \
        CARGO_TARGET_S390X_UNKNOWN_LINUX_GNU_LINKER=s390x-linux-gnu-gcc \
        CARGO_TARGET_S390X_UNKNOWN_LINUX_GNU_RUNNER='qemu-s390x -L /usr/s390x-linux-gnu' \
        run_tests -Zbuild-std=std,panic_unwind --target s390x-unknown-linux-gnu
}

# A Cortex-M0+ has no operating system and no std: building is the test.
thumbv6m() {
    need rustc-web rust-web-src
    RUSTC_BOOTSTRAP=1 cargo build --locked -p manylane-primitives \
        -Zbuild-std=core --target thumbv6m-none-eabi
}

# In Node, as a module of WASI: a process with files and without threads.
wasm() (
    unset RUSTC
    command -v node >/dev/null || fail 'node is missing: install Node 18 or newer'
    rustup target add wasm32-wasip1
    CARGO_TARGET_WASM32_WASIP1_RUNNER="node --no-warnings $PWD/tools/wasi.mjs" \
        CARGO_TARGET_WASM32_WASIP1_RUSTFLAGS=-Ctarget-feature=+simd128 \
        run_tests --target wasm32-wasip1
)

[ $# -gt 0 ] || set -- thumbv6m aarch64 s390x wasm
for target in "$@"; do
    case $target in
        aarch64 | s390x | thumbv6m | wasm) ;;
        *) fail "no target is named $target; there are: aarch64, s390x, thumbv6m, wasm" ;;
    esac
    echo "test-cross: $target"
    start=$SECONDS
    "$target"
    echo "test-cross: $target passed in $((SECONDS - start)) s"
done
