#!/usr/bin/env bash
# Installs the C library: header, shared and static library, pkg-config and CMake files.
#
#   tools/install-c.sh [--prefix /usr/local] [--libdir lib] [--from FOLDER]
#
# --libdir is below the prefix (Debian: lib/x86_64-linux-gnu). --from takes the libraries that
# cargo left in a folder; without it a release build is made. DESTDIR, if it is set, goes before
# every path, as packagers want it. On Linux the symbols of the shared library have versions. Where
# cargo-c is there, `cargo cinstall --package manylane-capi` does the same, without the versions and
# the files for CMake.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
PATH="$PATH:$HOME/.cargo/bin"

fail() {
    printf 'install-c: %s\n' "$@" >&2
    exit 1
}

prefix=/usr/local libdir=lib from=
while [ $# -gt 0 ]; do
    case $1 in
    --prefix | --libdir | --from)
        [ $# -ge 2 ] || fail "$1 needs a folder"
        declare "${1#--}=$2"
        shift 2
        ;;
    *) fail "unknown: $1; usage: install-c.sh [--prefix DIR] [--libdir NAME] [--from FOLDER]" ;;
    esac
done
case $prefix in /*) ;; *) fail "--prefix must be a path from the root, not $prefix" ;; esac

if [ -z "$from" ]; then
    cargo build --release --locked --package manylane-capi
    from=target/release
fi
version=$(sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"/\1/p' Cargo.toml)
# Before version 1 a minor version may break what the one before it had.
case $version in 0.*) interface=${version%.*} ;; *) interface=${version%%.*} ;; esac
case $(uname -s) in
Darwin)
    built=libmanylane_capi.dylib shared=libmanylane.$interface.dylib plain=libmanylane.dylib
    private='-framework CoreFoundation -liconv -lSystem -lc -lm'
    ;;
*)
    built=libmanylane_capi.so shared=libmanylane.so.$interface plain=libmanylane.so
    # What `rustc --print native-static-libs` says.
    private='-lgcc_s -lutil -lrt -lpthread -lm -ldl -lc'
    ;;
esac
for library in "$built" libmanylane_capi.a; do
    [ -f "$from/$library" ] || fail "$from has no $library: cargo build --package manylane-capi"
done

root=${DESTDIR:-}$prefix
install -d "$root/include" "$root/$libdir/pkgconfig" "$root/$libdir/cmake/manylane"
install -m 644 crates/capi/include/*.h "$root/include/"
if [ "$(uname -s)" = Linux ]; then
    # rustc gives the symbols of a shared library no versions, so the static one is linked anew.
    versions=$(mktemp)
    trap 'rm -f "$versions"' EXIT
    echo "MANYLANE_$interface { global: manylane_*; local: *; };" >"$versions"
    # shellcheck disable=SC2086
    "${CC:-cc}" -shared -o "$root/$libdir/$shared" -Wl,--whole-archive "$from/libmanylane_capi.a" \
        -Wl,--no-whole-archive -Wl,--version-script="$versions" -Wl,-soname,"$shared" \
        -Wl,--gc-sections -Wl,-z,relro,-z,now $private ||
        fail "the shared library was not linked: \`${CC:-cc}\` is to be a C compiler with a linker"
    chmod 755 "$root/$libdir/$shared"
else
    install -m 755 "$from/$built" "$root/$libdir/$shared"
fi
ln -sf "$shared" "$root/$libdir/$plain"
install -m 644 "$from/libmanylane_capi.a" "$root/$libdir/libmanylane.a"

# From the folder of the CMake files up to the prefix.
up=../../$(sed 's|[^/][^/]*|..|g' <<<"$libdir")
# In what sed puts in the place of a word, these letters have a meaning.
plain() {
    sed 's/[\\&|]/\\&/g' <<<"$1"
}
below=$(plain "$libdir")
fill() {
    sed -e "s|@prefix@|$(plain "$prefix")|g" -e "s|@libdir@|\${prefix}/$below|g" \
        -e 's|@includedir@|${prefix}/include|g' -e "s|@version@|$version|g" \
        -e "s|@lib@|$below|g" -e "s|@shared@|$shared|g" -e "s|@up@|$up|g" \
        -e "s|@private@|$private|g" "$1"
}
fill crates/capi/pkgconfig/manylane.pc.in >"$root/$libdir/pkgconfig/manylane.pc"
fill crates/capi/cmake/manylane-config.cmake.in \
    >"$root/$libdir/cmake/manylane/manylane-config.cmake"
cat >"$root/$libdir/cmake/manylane/manylane-config-version.cmake" <<END
set(PACKAGE_VERSION "$version")
if("\${PACKAGE_FIND_VERSION}" VERSION_LESS_EQUAL "$version"
    AND "\${PACKAGE_FIND_VERSION}" VERSION_GREATER_EQUAL "$interface")
  set(PACKAGE_VERSION_COMPATIBLE TRUE)
  if("\${PACKAGE_FIND_VERSION}" VERSION_EQUAL "$version")
    set(PACKAGE_VERSION_EXACT TRUE)
  endif()
endif()
END
echo "install-c: manylane $version is in $root"
