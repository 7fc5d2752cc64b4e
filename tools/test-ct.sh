#!/usr/bin/env bash
# Holds the pairing's arithmetic to constant time, in two ways, each of which must also find a leak that
# is planted:
#
#   addresses   under valgrind: every instruction and every data address, in order, must be the same
#               for all secrets (zeros, ones, two random ones). Certain for the secrets tried. Valgrind
#               knows no AVX-512: engines portable and pclmul.
#   times       by Welch's t on all engines: see crates/kat/examples/constant_time.rs. Sees what
#               addresses do not, such as instructions whose time depends on operands.
#
#   tools/test-ct.sh             both
#   tools/test-ct.sh addresses   one
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
PATH="$PATH:$HOME/.cargo/bin"

cargo build --quiet --release --locked --package manylane-kat --example constant_time
program=${CARGO_TARGET_DIR:-target}/release/examples/constant_time

# All addresses of a run, as one checksum, but for the loader's own, which read random bytes of the
# kernel's. Names of equal length keep the stack where it is.
addresses() {
    env -i "$(command -v valgrind)" --tool=lackey --trace-mem=yes --log-fd=9 \
        "$program" trace "$1" "$2" "$3" 9>&1 |
        awk '/^==/ { next } /^I/ { loader = $2 ~ /^040[0-3]/ } !loader' | cksum
}

check_addresses() {
    command -v valgrind >/dev/null || {
        echo 'test-ct: valgrind is missing: apt-get install valgrind' >&2
        exit 1
    }
    local engine operation secret first same failed=0
    for engine in portable 'pclmul  '; do
        for operation in multiply 'root    ' 'inverse ' 'scalar  ' 'pairing ' 'leak    '; do
            [[ $operation == scalar* && $engine != portable ]] && continue
            [[ $operation == pairing* && $engine == portable ]] && continue
            first=$(addresses "$engine" "$operation" 0)
            same=yes
            for secret in 1 2 3; do
                [ "$(addresses "$engine" "$operation" "$secret")" = "$first" ] || same=no
            done
            case $operation$same in
            leak*no) echo "$engine $operation addresses differ, as they must" ;;
            leak*) echo "$engine $operation NOT FOUND"; failed=1 ;;
            *yes) echo "$engine $operation the same addresses: $(cut -d' ' -f2 <<<"$first") bytes of trace" ;;
            *) echo "$engine $operation LEAKS: addresses depend on the secret"; failed=1 ;;
            esac
        done
    done
    return $failed
}

case ${1:-both} in
addresses) check_addresses ;;
times) "$program" timing ;;
both)
    check_addresses
    "$program" timing
    ;;
*)
    echo "test-ct: \`$1\` is neither addresses nor times" >&2
    exit 1
    ;;
esac
