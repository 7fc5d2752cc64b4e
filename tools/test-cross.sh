#!/usr/bin/env bash
# Tests the other machines: NEON and portable lanes on aarch64, big-endian s390x, bare metal.
#
#   tools/test-cross.sh                      all three
#   tools/test-cross.sh aarch64 thumbv6m     some
#
# Needs Debian 12 or a descendant: its own compiler (rustc-web) has other targets and the sources of
# std; the tests run under qemu-user. Minutes: qemu and `-Zbuild-std` are slow.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

fail() {
    printf 'test-cross: %s\n' "$@" >&2
    exit 1
}

# Installs what is missing of the Debian packages named.
need() {
    local missing=() package
    for package in "$@"; do
        dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null |
            grep -qx installed || missing+=("$package")
    done
    [ ${#missing[@]} -eq 0 ] && return
    local by_hand="install by hand: ${missing[*]}"
    command -v apt-get >/dev/null || fail "this is no Debian; $by_hand"
    local as_root=()
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null || fail "this is not root and there is no sudo; $by_hand"
        as_root=(sudo)
    fi
    echo "test-cross: installing ${missing[*]}"
    "${as_root[@]}" dpkg --add-architecture arm64
    "${as_root[@]}" apt-get update -qq ||
        echo 'test-cross: apt-get update failed; trying with the lists that are there' >&2
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get install -qq -y --no-install-recommends "${missing[@]}" || fail "$by_hand"
}

export RUSTC=/usr/bin/rustc
export CARGO_TARGET_DIR=$PWD/target/cross
# The optimiser's last tenth costs more here than it gives.
export CARGO_PROFILE_DEV_OPT_LEVEL=1 CARGO_PROFILE_DEV_DEBUG=0

# The definitions' own tests, then every engine of the machine against them and against independent
# implementations. The Monte Carlo chains and what needs child processes stay out.
run_tests() {
    cargo test --locked -p manylane-primitives --lib "$@"
    cargo test --locked -p manylane-kat "$@" \
        --test conformance --test oracles --test hash_vectors --test hmac_vectors --test rc5_vectors \
        --test rc5_engines -- --skip chains
}

# The standard library's package brings arm64's own libc, newer than the cross compiler's: without
# LD_LIBRARY_PATH the loader of the one meets the libc of the other, and threads hang.
aarch64_runner='qemu-aarch64 -L /usr/aarch64-linux-gnu -E LD_LIBRARY_PATH=/usr/aarch64-linux-gnu/lib'

aarch64() {
    need rustc-web libstd-rust-web-dev:arm64 gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user
    CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc \
        CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER="$aarch64_runner" \
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

command -v cargo >/dev/null || fail 'there is no cargo: install Rust from https://rustup.rs'
[ $# -gt 0 ] || set -- thumbv6m aarch64 s390x
for target in "$@"; do
    case $target in
        aarch64 | s390x | thumbv6m) ;;
        *) fail "no target is named $target; there are: aarch64, s390x, thumbv6m" ;;
    esac
    echo "test-cross: $target"
    start=$SECONDS
    "$target"
    echo "test-cross: $target passed in $((SECONDS - start)) s"
done
