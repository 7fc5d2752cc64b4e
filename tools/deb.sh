#!/usr/bin/env bash
# Makes the Debian package of the program: the program, its manual pages, completions of shells.
#
#   tools/deb.sh [--from FOLDER]
#
# --from takes the program that cargo left in a folder, for example the static one of `make static`;
# without it a release build is made. The package is target/debian/manylane_*.deb.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
PATH="$PWD/target/tools/bin:$PATH:$HOME/.cargo/bin"

fail() {
    printf 'deb: %s\n' "$@" >&2
    exit 1
}

from=
case ${1:-} in
'') ;;
--from) from=${2:-} && [ -n "$from" ] || fail '--from needs a folder' ;;
*) fail "unknown: $1; usage: deb.sh [--from FOLDER]" ;;
esac

if ! cargo deb --version >/dev/null 2>&1; then
    echo 'deb: compiling cargo-deb into target/tools'
    cargo install --quiet --locked --root target/tools cargo-deb
fi
command -v dpkg-shlibdeps >/dev/null ||
    fail 'dpkg-shlibdeps is missing, which finds what to depend on: apt-get install dpkg-dev'
if [ -z "$from" ]; then
    cargo build --release --locked --package manylane-cli
    from=target/release
fi
[ -x "$from/manylane" ] || fail "$from has no program manylane"

# What cargo-deb reads, by the paths in crates/cli/Cargo.toml.
staged=target/deb
mkdir -p "$staged"/bin "$staged"/man "$staged"/completions
install -m 755 "$from/manylane" "$staged/bin/manylane"
strip "$staged/bin/manylane"
"$staged/bin/manylane" man "$staged/man"
"$staged/bin/manylane" completions bash >"$staged/completions/manylane"
"$staged/bin/manylane" completions zsh >"$staged/completions/_manylane"
"$staged/bin/manylane" completions fish >"$staged/completions/manylane.fish"
cargo deb --no-build --no-strip --package manylane-cli
