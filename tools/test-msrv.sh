#!/usr/bin/env bash
# Tries the least Rust that Cargo.toml promises: everything compiles by that toolchain, and the
# definitions and the types of the library pass their tests.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
PATH="$PATH:$HOME/.cargo/bin"

least=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)
command -v rustup >/dev/null || {
    echo "test-msrv: rustup is missing, which installs Rust $least: https://rustup.rs" >&2
    exit 1
}
rustup run "$least" rustc --version 2>/dev/null ||
    rustup toolchain install "$least" --profile minimal
# The folder is a separate one, because another version of Rust would rebuild everything in the
# usual one.
export CARGO_TARGET_DIR=$PWD/target/msrv
cargo "+$least" check --locked --workspace --all-targets
cargo "+$least" test --locked --package manylane-primitives
cargo "+$least" test --locked --package manylane --no-default-features --features sha2,md5 \
    --test families
