#!/usr/bin/env bash
# Imports the Python module's wheels for other systems and holds them to hashlib and to the published
# vectors: that of aarch64 under qemu-user, those of musl in a Python that is compiled with musl.
#
#   tools/test-wheels.sh                               all three
#   tools/test-wheels.sh x86_64-unknown-linux-musl     some
#
# Needs Debian or a descendant on x86-64. Nobody publishes a Python with musl as a package, so that
# Debian's source of one is compiled, without what needs other libraries. All of it lies below
# target/wheels. Minutes the first time, seconds afterwards.
#
# The wheels are not optimised, which takes a fifth of the time: a test of what is loaded and linked,
# not of the compiler. OPT_LEVEL=3 builds them as they are published.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source tools/debian-lists.sh
bin=$PWD/target/python-venv/bin
wheels=$PWD/target/wheels
vectors=${MANYLANE_VECTORS:-$PWD/../shared/vectors}
jobs=$(nproc)
level=${OPT_LEVEL:-0}
export PYTHON_TARGET_DIR=$wheels/build CARGO_PROFILE_RELEASE_OPT_LEVEL=$level

fail() {
    printf 'test-wheels: %s\n' "$@" >&2
    exit 1
}

# Unpacks packages of Debian, with what they depend on, into the root of a system of their own.
# unpack_system ARCHITECTURE PACKAGE...
unpack_system() {
    local folder=$wheels/$1 package
    [ -d "$folder/root" ] && return
    debian_lists deb trixie "$folder" "$1"
    apt-get "${apt[@]}" -y --no-install-recommends --download-only install "${@:2}" >/dev/null ||
        fail "Debian's packages of $1 cannot be had"
    for package in "$folder"/cache/archives/*.deb; do
        dpkg-deb -x "$package" "$folder/unpacked"
    done
    # Debian's installer makes the link; all its packages are in /usr.
    ln -s usr/lib "$folder/unpacked/lib"
    mv "$folder/unpacked" "$folder/root"
}

# Debian's Python and the loaders of both libcs.
aarch64_system() {
    command -v qemu-aarch64 >/dev/null || tools/setup.sh wheels
    unpack_system arm64 python3 libstdc++6 musl
}

# The source of the Python that is compiled with musl.
python_source() {
    local folder=$wheels/source
    [ -e "$folder/python/configure" ] && return
    debian_lists deb-src trixie "$folder"
    (cd "$folder" && apt-get "${apt[@]}" source --download-only python3.13 >/dev/null 2>&1) ||
        fail "Debian's source of python3.13 cannot be had"
    mkdir -p "$folder/python"
    tar -xf "$folder"/python3.13_*.orig.tar.xz -C "$folder/python" --strip-components 1
}

# Compiles it in a folder with the compiler `cc` there; modules that need other libraries stay out.
# compile_python FOLDER [OPTION OF CONFIGURE...]
compile_python() {
    [ -e "$1/done" ] && return
    echo "test-wheels: compiling Python into $1"
    (
        cd "$1" &&
            ../source/python/configure CC="$1/cc" PKG_CONFIG=false OPT='-O1 -DNDEBUG' \
                MODULE_BUILDTYPE=static --without-ensurepip --disable-test-modules "${@:2}" &&
            make -j "$jobs" python pybuilddir.txt &&
            touch done
    ) >"$1.log" 2>&1 || fail "it failed: $1.log says why"
}

python_x86_64_musl() {
    local folder=$wheels/x86_64-musl
    mkdir -p "$folder"
    python_source
    tools/setup.sh static
    # musl 1.2.5: wheels of pyarrow have relocations that 1.2.3 does not know.
    unpack_system amd64 musl
    # The compiler behind musl-gcc names the system's folders for libraries, which are not musl's.
    printf '#!/bin/sh\n[ "$1" = --print-multiarch ] || exec musl-gcc "$@"\n' >"$folder/cc"
    chmod +x "$folder/cc"
    compile_python "$folder"
}

# By zig, which is there to link the wheels, and by the Python of x86-64 for what the build runs.
python_aarch64_musl() {
    local folder=$wheels/aarch64-musl
    mkdir -p "$folder"
    aarch64_system
    python_x86_64_musl
    printf '#!/bin/sh\n[ "$1" = --print-multiarch ] && exec echo aarch64-linux-musl
        exec %q -m ziglang cc -target aarch64-linux-musl -dynamic -Wno-date-time "$@"\n' \
        "$bin/python" >"$folder/cc"
    chmod +x "$folder/cc"
    compile_python "$folder" --build=x86_64-linux-musl --host=aarch64-linux-musl \
        --with-build-python="$wheels/x86_64-musl/python" \
        AR="$bin/python -m ziglang ar" \
        ac_cv_file__dev_ptmx=yes ac_cv_file__dev_ptc=no ac_cv_buggy_getaddrinfo=no
}

# Unpacks a wheel, and pyarrow for the same system where there is one.
# unpack SYSTEM PLATFORM_OF_WHEEL PLATFORM_OF_PYARROW
unpack() {
    local site=$wheels/$1-site wheel
    mkdir -p "$site"
    wheel=$(ls -t "$PYTHON_TARGET_DIR"/wheels/manylane-*"$2"*.whl | head -n 1)
    rm -rf "$site/manylane"
    "$bin/python" -m zipfile -e "$wheel" "$site"
    [ -d "$site/pyarrow" ] ||
        "$bin/pip" install --quiet --disable-pip-version-check --no-deps --only-binary :all: \
            --python-version 3.13 --platform "$3" --target "$site" pyarrow ||
        echo "test-wheels: going on without pyarrow for $1" >&2
}

# Kernels that are not optimised take more stack than a thread has: Skein's of AVX-512 more than
# 8 MiB.
# run SYSTEM ARCHITECTURE PYTHON...
run() (
    if [ "$level" = 0 ]; then
        ulimit -s 1048576 || fail 'the stack may not be larger here: OPT_LEVEL=3 needs less'
        export RUST_MIN_STACK=$((64 << 20))
    fi
    PYTHONPATH=$wheels/$1-site "${@:3}" crates/python/tests/installed.py "$vectors" "$2"
)

[ "$(uname -sm)" = 'Linux x86_64' ] || fail 'this needs Linux on x86-64'
command -v apt-get >/dev/null || fail 'there is no apt-get here, which Python is fetched by'
[ $# -gt 0 ] || set -- aarch64-unknown-linux-gnu x86_64-unknown-linux-musl aarch64-unknown-linux-musl
tools/python.sh wheel "$@"
mkdir -p "$wheels"
root=$wheels/arm64/root
for target in "$@"; do
    echo "test-wheels: $target"
    start=$SECONDS
    case $target in
    aarch64-unknown-linux-gnu)
        aarch64_system
        unpack aarch64 manylinux_2_17_aarch64 manylinux_2_28_aarch64
        # Every extension, and none.
        for cpu in max cortex-a53; do
            run aarch64 aarch64 qemu-aarch64 -cpu $cpu -L "$root" "$root/usr/bin/python3"
        done
        ;;
    x86_64-unknown-linux-musl)
        python_x86_64_musl
        unpack x86_64-musl musllinux_1_2_x86_64 musllinux_1_2_x86_64
        run x86_64-musl x86_64 "$wheels"/amd64/root/usr/lib/ld-musl-x86_64.so.1 \
            "$wheels/x86_64-musl/python"
        ;;
    aarch64-unknown-linux-musl)
        python_aarch64_musl
        unpack aarch64-musl musllinux_1_2_aarch64 musllinux_1_2_aarch64
        run aarch64-musl aarch64 qemu-aarch64 -cpu max -L "$root" "$wheels/aarch64-musl/python"
        ;;
    *) fail "no wheel is tested for $target" ;;
    esac
    echo "test-wheels: $target passed in $((SECONDS - start)) s"
done
