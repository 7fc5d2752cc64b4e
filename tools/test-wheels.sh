#!/usr/bin/env bash
# Imports the Python module's wheels for other systems and holds them to hashlib and to the published
# vectors: that of aarch64 under qemu-user, those of musl in a Python that is compiled with musl.
#
#   tools/test-wheels.sh                               all three
#   tools/test-wheels.sh x86_64-unknown-linux-musl     some
#
# Needs Debian or a descendant on x86-64. Nobody publishes a Python with musl as a package, so that
# Debian's source of one is compiled, without what needs other libraries. All of it lies below
# target/wheels. Ten minutes the first time, most of them for the wheels; seconds afterwards.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source tools/debian-lists.sh
bin=$PWD/target/python-venv/bin
wheels=$PWD/target/wheels
vectors=${MANYLANE_VECTORS:-$PWD/../shared/vectors}
jobs=$(nproc)

fail() {
    printf 'test-wheels: %s\n' "$@" >&2
    exit 1
}

# The root of an aarch64 system with Debian's Python and the loaders of both libcs.
aarch64_root() {
    local folder=$wheels/aarch64 package
    command -v qemu-aarch64 >/dev/null || tools/setup.sh wheels
    [ -e "$folder/root/usr/bin/python3" ] && return
    debian_lists deb "${RELEASE:-bookworm}" "$folder" arm64
    apt-get "${apt[@]}" -y --no-install-recommends --download-only install \
        python3 libstdc++6 musl >/dev/null || fail "Debian's packages of arm64 cannot be had"
    for package in "$folder"/cache/archives/*.deb; do
        dpkg-deb -x "$package" "$folder/root"
    done
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
    # The compiler behind musl-gcc names the system's folders for libraries, which are not musl's.
    printf '#!/bin/sh\n[ "$1" = --print-multiarch ] || exec musl-gcc "$@"\n' >"$folder/cc"
    chmod +x "$folder/cc"
    compile_python "$folder"
}

# By zig, which is there to link the wheels, and by the Python of x86-64 for what the build runs.
python_aarch64_musl() {
    local folder=$wheels/aarch64-musl
    mkdir -p "$folder"
    aarch64_root
    python_x86_64_musl
    printf '#!/bin/sh\n[ "$1" = --print-multiarch ] ||
        exec %q -m ziglang cc -target aarch64-linux-musl -dynamic "$@"\n' "$bin/python" >"$folder/cc"
    chmod +x "$folder/cc"
    compile_python "$folder" --build=x86_64-linux-musl --host=aarch64-linux-musl \
        --with-build-python="$wheels/x86_64-musl/python" \
        AR="$bin/python -m ziglang ar" \
        ac_cv_file__dev_ptmx=yes ac_cv_file__dev_ptc=no ac_cv_buggy_getaddrinfo=no
}

# Unpacks a wheel, and pyarrow for the same system where there is one.
# unpack SYSTEM VERSION_OF_PYTHON PLATFORM_OF_WHEEL PLATFORM_OF_PYARROW
unpack() {
    local site=$wheels/$1-site wheel
    mkdir -p "$site"
    wheel=$(ls -t target/python/wheels/manylane-*-"$3"*.whl | head -n 1)
    rm -rf "$site/manylane"
    "$bin/python" -m zipfile -e "$wheel" "$site"
    [ -d "$site/pyarrow" ] ||
        "$bin/pip" install --quiet --disable-pip-version-check --no-deps --only-binary :all: \
            --python-version "$2" --platform "$4" --target "$site" pyarrow ||
        echo "test-wheels: going on without pyarrow for $1" >&2
}

# run SYSTEM ARCHITECTURE PYTHON...
run() {
    PYTHONPATH=$wheels/$1-site "${@:3}" crates/python/tests/installed.py "$vectors" "$2"
}

[ "$(uname -sm)" = 'Linux x86_64' ] || fail 'this needs Linux on x86-64'
command -v apt-get >/dev/null || fail 'there is no apt-get here, which Python is fetched by'
[ $# -gt 0 ] || set -- aarch64-unknown-linux-gnu x86_64-unknown-linux-musl aarch64-unknown-linux-musl
tools/python.sh wheel "$@"
mkdir -p "$wheels"
root=$wheels/aarch64/root
for target in "$@"; do
    echo "test-wheels: $target"
    start=$SECONDS
    case $target in
    aarch64-unknown-linux-gnu)
        aarch64_root
        version=$(basename "$(readlink "$root/usr/bin/python3")")
        unpack aarch64 "${version#python}" manylinux_2_17_aarch64 manylinux_2_28_aarch64
        # Every extension, and none.
        for cpu in max cortex-a53; do
            run aarch64 aarch64 qemu-aarch64 -cpu $cpu -L "$root" "$root/usr/bin/python3"
        done
        ;;
    x86_64-unknown-linux-musl)
        python_x86_64_musl
        unpack x86_64-musl 3.13 musllinux_1_2_x86_64 musllinux_1_2_x86_64
        run x86_64-musl x86_64 "$wheels/x86_64-musl/python"
        ;;
    aarch64-unknown-linux-musl)
        python_aarch64_musl
        unpack aarch64-musl 3.13 musllinux_1_2_aarch64 musllinux_1_2_aarch64
        run aarch64-musl aarch64 qemu-aarch64 -cpu max -L "$root" "$wheels/aarch64-musl/python"
        ;;
    *) fail "no wheel is tested for $target" ;;
    esac
    echo "test-wheels: $target passed in $((SECONDS - start)) s"
done
