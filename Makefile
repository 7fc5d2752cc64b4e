# Two commands for everyone:
#
#   make demo    hashes files of this system, checks the digests against coreutils, shows the speed
#   make test    everything that must hold before a change goes in
#
# and for developers:
#
#   make check-asm    holds every kernel's machine code to the rules (also part of make test)

SHELL := /bin/bash
export PATH := $(PATH):$(HOME)/.cargo/bin
.PHONY: demo test setup check-asm

demo:
	@tools/demo.sh

test: setup
	cargo fmt --check
	bash -n tools/*.sh .ci/run
	cargo clippy --workspace --all-targets --locked -- -D warnings
	cargo test --workspace --locked
	RUSTDOCFLAGS=-Dwarnings cargo doc --workspace --no-deps --locked
	tools/check-asm.sh --faults

setup:
	@tools/setup.sh test

check-asm:
	@tools/setup.sh
	@tools/check-asm.sh
