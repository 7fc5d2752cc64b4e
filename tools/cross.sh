# Sourced by the scripts that build for other machines: Debian's own compiler (rustc-web), which has
# targets that rustup's needs a download for, and qemu-user.

cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Ends with messages that name the script that sources this one.
fail() {
    printf "$(basename "$0" .sh): %s\n" "$@" >&2
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
    echo "installing ${missing[*]}" >&2
    "${as_root[@]}" dpkg --add-architecture arm64
    "${as_root[@]}" apt-get update -qq ||
        echo 'apt-get update failed; trying with the lists that are there' >&2
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get install -qq -y --no-install-recommends "${missing[@]}" >&2 || fail "$by_hand"
}

need_aarch64() {
    need rustc-web libstd-rust-web-dev:arm64 gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user
}

export RUSTC=/usr/bin/rustc
export CARGO_TARGET_DIR=$PWD/target/cross
export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc
# A CPU with every extension. The standard library's package brings arm64's own libc, newer than the
# cross compiler's: without LD_LIBRARY_PATH the loader of the one meets the libc of the other, and
# threads hang.
run_aarch64='qemu-aarch64 -cpu max -L /usr/aarch64-linux-gnu -E LD_LIBRARY_PATH=/usr/aarch64-linux-gnu/lib'

command -v cargo >/dev/null || fail 'there is no cargo: install Rust from https://rustup.rs'
