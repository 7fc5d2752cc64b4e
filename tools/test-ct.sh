#!/usr/bin/env bash
# Checks that what is said to be constant-time is so, in five ways, each of which must also find a
# planted leak:
#
#   addresses   the pairing under valgrind: every instruction and every data address, in order,
#               must be the same for all secrets (zeros, ones, two random ones). The result is
#               certain for the secrets tried. Valgrind knows no AVX-512: engines portable and
#               pclmul.
#   chains      the same comparison for chains, PBKDF2, HKDF, one-time passwords and the keys of
#               SLH-DSA, on the engines that valgrind knows.
#   signing     a signature of SLH-DSA from the seeds on, on the same engines. The seeds and the
#               randomness are undefined to valgrind's memcheck, which finds every branch and every
#               address that depends on them, whatever their values. The digits that a signature
#               goes by depend on the key and are public: what the signature gives away is defined
#               from the moment that it has been computed.
#   times       the pairing by Welch's t on all engines: see crates/kat/examples/constant_time.rs.
#               This test sees what addresses do not, such as instructions whose time depends on
#               operands.
#   emitted     the C of every hash, HMAC and RC5, on one core and two, compiled: messages and keys
#               are undefined to valgrind's memcheck, which finds every branch and every address
#               that depends on them, whatever their values. The padding of RC5 is left out: its
#               answer is not secret.
#
#   tools/test-ct.sh             all
#   tools/test-ct.sh emitted     one
#   tools/test-ct.sh emitted sha256 rc5-32/12/16
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
PATH="$PATH:$HOME/.cargo/bin"

program=${CARGO_TARGET_DIR:-target}/release/examples/constant_time
build_pairing() {
    cargo build --quiet --release --locked --package manylane-kat --example constant_time
}

need_valgrind() {
    command -v valgrind >/dev/null || {
        echo 'test-ct: valgrind is missing: apt-get install valgrind' >&2
        exit 1
    }
}

# All addresses of a run, as one checksum, but for the loader's own, which read random bytes of the
# kernel's. Names of equal length keep the stack where it is.
addresses() {
    env -i ${MAX_ISA:+MANYLANE_MAX_ISA="$MAX_ISA"} "$(command -v valgrind)" --tool=lackey \
        --trace-mem=yes --log-fd=9 "$program" "$@" 9>&1 |
        awk '/^==/ { next } /^I/ { loader = $2 ~ /^040[0-3]/ } !loader' | cksum
}

# The addresses of a command with each secret: their checksum if they are the same, `differ`, or
# `broken` if a run did not come to its end, which is no finding.
compare() {
    local first='' one secret
    for secret in 0 1 2 3; do
        one=$(addresses "$@" "$secret") || { echo broken; return; }
        [ "$one" = "${first:=$one}" ] || { echo differ; return; }
    done
    echo "$first"
}

# Says what came of comparing the addresses of an operation, and whether it is as it must be.
#   verdict ENGINE OPERATION RESULT
verdict() {
    case $2/$3 in
    */broken) echo "$1 $2 DID NOT RUN to its end: try again"; return 1 ;;
    leak*/differ) echo "$1 $2 addresses differ, as they must" ;;
    leak*) echo "$1 $2 NOT FOUND"; return 1 ;;
    */differ) echo "$1 $2 LEAKS: addresses depend on the secret"; return 1 ;;
    *) echo "$1 $2 the same addresses: $(cut -d' ' -f2 <<<"$3") bytes of trace" ;;
    esac
}

check_addresses() {
    need_valgrind
    local engine operation failed=0
    for engine in portable 'pclmul  '; do
        for operation in multiply 'root    ' 'inverse ' 'scalar  ' 'pairing ' 'leak    '; do
            [[ $operation == scalar* && $engine != portable ]] && continue
            [[ $operation == pairing* && $engine == portable ]] && continue
            verdict "$engine" "$operation" "$(compare trace "$engine" "$operation")" || failed=1
        done
    done
    return $failed
}

check_chains() {
    need_valgrind
    cargo build --quiet --release --locked --package manylane-kat --example constant_time_chains
    local engine operation failed=0 pairing=$program
    program=${CARGO_TARGET_DIR:-target}/release/examples/constant_time_chains
    for engine in scalar avx2; do
        for operation in chains sponge pbkdf2 'hkdf  ' 'hotp  ' slhdsa 'leak  '; do
            verdict "$engine" "$operation" "$(MAX_ISA=$engine compare "$operation")" || failed=1
        done
    done
    program=$pairing
    return $failed
}

# Whether memcheck finds something in a program: `found`, `nothing`, or what else went wrong.
#   found_by_memcheck LOG COMMAND...
found_by_memcheck() {
    local log=$1 status=0
    shift
    valgrind --quiet --error-exitcode=99 --log-file="$log" "$@" >/dev/null || status=$?
    case $status in
    0) echo nothing ;;
    99) echo found ;;
    *) echo "ends with status $status" ;;
    esac
}

# A folder that is removed at the end.
need_scratch() {
    if [[ -z ${scratch:-} ]]; then
        scratch=$(mktemp -d)
        trap 'rm -r "$scratch"' EXIT
    fi
}

# Signatures of the fast sets with SHA-256, SHAKE, and SHA-512.
check_signing() {
    need_valgrind
    need_scratch
    cargo build --quiet --release --locked --package manylane-kat --example constant_time_signing
    cc -O2 -shared -fPIC tools/published.c -o "$scratch/published.so"
    local signing=${CARGO_TARGET_DIR:-target}/release/examples/constant_time_signing
    local engine set operation expected said failed=0
    head -c 96 /dev/urandom >"$scratch/secrets"
    for engine in scalar avx2; do
        for set in SLH-DSA-SHA2-128f SLH-DSA-SHAKE-128f SLH-DSA-SHA2-192f; do
            for operation in sign leak; do
                expected=nothing
                [[ $operation == leak ]] && expected=found
                said=$(MANYLANE_MAX_ISA=$engine LD_PRELOAD="$scratch/published.so" \
                    found_by_memcheck "$scratch/memcheck" "$signing" "$set" "$operation" \
                    <"$scratch/secrets")
                if [ "$said" = "$expected" ]; then
                    echo "$engine $set $operation: $said, as it must be"
                else
                    echo "$engine $set $operation: $said INSTEAD OF $expected"
                    head -20 "$scratch/memcheck" || true
                    failed=1
                fi
            done
        done
    done
    return $failed
}

# What memcheck finds in a library's C.
#   memcheck COMPILER FOLDER [FLAG]...
memcheck() {
    local compiler=$1 folder=$2
    shift 2
    "$compiler" -std=gnu99 -O2 -gdwarf-4 -DMANYLANE_PORT_PTHREADS -pthread -I"$folder/include" "$@" \
        "$folder"/src/*.c tools/secrets.c -o "$folder/secrets" || { echo 'does not compile'; return; }
    found_by_memcheck "$folder/memcheck" "$folder/secrets"
}

# The C of primitives, all of them if none is named.
check_emitted() {
    need_valgrind
    cargo build --quiet --locked --package manylane-cli
    local manylane=${CARGO_TARGET_DIR:-target}/debug/manylane folder primitive compiler said failed=0
    local -a primitives=("$@") compilers=() flags
    local compiler_name
    for compiler_name in gcc clang; do
        if command -v "$compiler_name" >/dev/null; then compilers+=("$compiler_name"); fi
    done
    ((${#compilers[@]})) || { echo 'test-ct: neither gcc nor clang is there' >&2; exit 1; }
    if ((${#primitives[@]} == 0)); then
        mapfile -t primitives < <("$manylane" list | awk '$4 ~ /^[A-Z]/ && $2 ~ /^[0-9]+$/ && $3 ~ /^[0-9]/ { print $1 }')
        primitives+=(rc5-32/12/16 rc5-64/24/24 rc5-16/16/8 rc5-8/12/4)
    fi
    need_scratch
    # One line for each: primitive, options of emit, flag of the compiler, what memcheck must say.
    local -a cases=()
    for primitive in "${primitives[@]}"; do cases+=("$primitive||nothing"); done
    cases+=('groestl256|--tables lookup|found' 'sha256|-DLEAK|found')
    local options expected name
    for case in "${cases[@]}"; do
        IFS='|' read -r primitive options expected <<<"$case"
        flags=()
        [[ $options == -D* ]] && { flags=("$options"); options=; }
        folder=$scratch/${primitive//\//-}$expected
        name=${primitive//[-\/]/_}
        case $primitive in
        rc5*) flags+=("-DCIPHER=$name") ;;
        *) flags+=("-DMAC=hmac_$name" "-DHASH=$name"); primitive=hmac-$primitive ;;
        esac
        # shellcheck disable=SC2086  # options are words
        "$manylane" emit c "$primitive" --cores 2 $options --packaging cmake -o "$folder" >/dev/null
        for compiler in "${compilers[@]}"; do
            said=$(memcheck "$compiler" "$folder" "${flags[@]}")
            if [ "$said" = "$expected" ]; then
                echo "$primitive $options ${flags[*]} $compiler: $said, as it must be"
            else
                echo "$primitive $options ${flags[*]} $compiler: $said INSTEAD OF $expected"
                head -20 "$folder/memcheck" 2>/dev/null || true
                failed=1
            fi
        done
    done
    return $failed
}

case ${1:-all} in
addresses) build_pairing; check_addresses ;;
times) build_pairing; "$program" timing ;;
chains) check_chains ;;
signing) check_signing ;;
emitted) shift; check_emitted "$@" ;;
all)
    build_pairing
    check_addresses
    check_chains
    check_signing
    "$program" timing
    check_emitted
    ;;
*)
    echo "test-ct: \`$1\` is none of addresses, chains, signing, times, emitted and all" >&2
    exit 1
    ;;
esac
