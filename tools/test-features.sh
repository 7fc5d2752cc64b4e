#!/usr/bin/env bash
# Tries each feature of the library alone, as programs ask for it with `default-features = false`.
#
#   tools/test-features.sh check       each one compiles without warnings: a minute
#   tools/test-features.sh [FEATURE…]  the same, its tests, and how large a program with SHA-2 alone
#                                      is; ten minutes
#
# What is compiled stays in target/features.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
PATH="$PATH:$HOME/.cargo/bin"
target=$PWD/target/features

# A program that hashes many messages by SHA-256 has less than this, stripped, in bytes.
LARGEST=800000

only_check=
[ "${1:-}" != check ] || { only_check=1; shift; }
if [ $# -gt 0 ]; then
    features=("$@")
else
    # Those that are on by default, those that are not, and none at all.
    table=$(sed -n '/^\[features\]/,/^\[dependencies\]/p' crates/manylane/Cargo.toml)
    mapfile -t features < <(sed -n 's/^\([a-z0-9]*\) = \[.*/\1/p' <<<"$table" | grep -v '^default$')
    [ ${#features[@]} -gt 12 ] || { echo 'test-features: no features found' >&2; exit 1; }
    features+=('')
fi

alone=(--locked --target-dir "$target" -p manylane --no-default-features)
for feature in "${features[@]}"; do
    echo "test-features: ${feature:-no feature}" >&2
    # Clippy hands on what makes warnings of the compiler errors; its own are those of `make test`.
    cargo clippy --quiet "${alone[@]}" --features "$feature" -- -D warnings -A clippy::all
    [ -n "$only_check" ] ||
        cargo test --quiet "${alone[@]}" --features "$feature" --test families
done
[ -z "$only_check" ] || exit 0

# A program of its own, since no workspace of ours may choose the features.
program=$target/program
mkdir -p "$program/src"
cat >"$program/Cargo.toml" <<EOF
[package]
name = "program"
version = "0.0.0"
edition = "2024"
[workspace]
[dependencies]
manylane = { path = "$PWD/crates/manylane", default-features = false, features = ["sha2"] }
[profile.release]
strip = true
EOF
cat >"$program/src/main.rs" <<'EOF'
fn main() {
    let messages: Vec<String> = std::env::args().skip(1).collect();
    let mut digests = vec![[0; 32]; messages.len()];
    manylane::hash_many(manylane::HashId::Sha256, &messages, digests.as_flattened_mut()).unwrap();
    for digest in digests {
        println!("{}", digest.map(|byte| format!("{byte:02x}")).concat());
    }
}
EOF
cp Cargo.lock "$program"
rm -rf "$target/program-target"
TIMEFORMAT='test-features: compiled in %R s, %U s of processor time'
time cargo build --quiet --release --manifest-path "$program/Cargo.toml" \
    --target-dir "$target/program-target"
binary=$target/program-target/release/program
expected=ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad
[ "$("$binary" abc)" = "$expected" ] || { echo 'test-features: a wrong digest' >&2; exit 1; }
bytes=$(stat -c %s "$binary")
echo "test-features: SHA-2 alone is $bytes bytes of program" >&2
[ "$bytes" -lt $LARGEST ] || { echo "test-features: more than $LARGEST" >&2; exit 1; }
