#!/usr/bin/env bash
# Counts the instructions that the kernels of aarch64 execute per byte of message, under qemu, and
# prints the table of docs/aarch64.md.
#
#   tools/count-aarch64.sh               a hash of each family
#   tools/count-aarch64.sh sha256 md5    these hashes
#
# qemu runs one instruction at a time and logs each with the function that it is in. What counts is
# in a compression kernel: reading and transposing messages too, but neither padding nor driver.
# Each figure is the difference between messages of two lengths, so that no start and no end is in
# it:
#
#   (count(2 · LENGTH) − count(LENGTH)) / (messages · LENGTH)
#
# Needs Debian 12 or a descendant, as tools/test-cross.sh does.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/cross.sh"
need_aarch64

# Bytes; a whole number of blocks of 64, 128 and, for SHA3-256, 136.
LENGTH=2176

target=aarch64-unknown-linux-gnu
# The log names functions by the program's symbols.
CARGO_PROFILE_RELEASE_STRIP=false \
    cargo build --quiet --release --locked --package manylane-cli --target $target
program=$CARGO_TARGET_DIR/$target/release/manylane
# The option changed its name in qemu 8.1.
one_by_one=-singlestep
[[ $(qemu-aarch64 -help) != *one-insn-per-tb* ]] || one_by_one=-one-insn-per-tb
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT

# Instructions in kernels: hash, engine, messages, bytes of each.
count() {
    local files=() i
    for ((i = 0; i < $3; i++)); do
        head --bytes "$4" /dev/zero >"$folder/$i"
        files+=("$folder/$i")
    done
    # The log is on standard error, the function the last field of a line.
    $run_aarch64 $one_by_one -d exec,nochain "$program" sum -j 1 -a "$1" --engine "$2" "${files[@]}" \
        2>&1 >/dev/null |
        awk '$NF ~ /15manylane_engine7kernels.*compress/ { n++ } END { print n + 0 }'
}

# A cell of the table: hash, engine, messages at a time. Empty if the engine lacks the hash.
cell() {
    local once twice
    once=$(count "$1" "$2" "$3" "$LENGTH")
    [ "$once" -gt 0 ] || return 0
    twice=$(count "$1" "$2" "$3" $((2 * LENGTH)))
    awk "BEGIN { printf \"%.2f\", ($twice - $once) / ($3 * $LENGTH) }"
}

[ $# -gt 0 ] || set -- md5 sha1 sha256 sha512 sha3-256 ripemd160 blake256 blake512 groestl256 \
    groestl512 jh256 skein256 skein512 skein1024
echo '| hash | scalar | neon | neon-sha3 | neon-aes | rounds, 1 message | 2 | 4 |'
echo '|---|--:|--:|--:|--:|--:|--:|--:|'
for hash in "$@"; do
    case $hash in
        sha384 | sha512*) rounds=sha512-ce ;;
        *) rounds=sha-ce ;;
    esac
    row="| $hash | $(cell "$hash" scalar 1)"
    # Eight messages fill every kernel of lanes.
    for engine in neon neon-sha3 neon-aes; do row+=" | $(cell "$hash" $engine 8)"; done
    for messages in 1 2 4; do
        # Four messages of SHA-512 are twice two.
        [ $rounds$messages = sha512-ce4 ] && row+=' |' && continue
        row+=" | $(cell "$hash" $rounds $messages)"
    done
    echo "$row |"
done
