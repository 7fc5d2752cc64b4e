# Two commands for everyone:
#
#   make demo    hashes files of this system, checks the digests against coreutils, shows the speed
#   make test    everything that must hold before a change goes in
#
# and for developers, beyond the everyday tests:
#
#   make check-asm    holds every kernel's machine code to the rules (also part of make test)
#   make test-long    messages past 2^32 bits and bytes, Keccak's 1 GiB vectors; minutes
#   make test-laws    a hash that is added to a copy of the workspace is computed and emitted there; minutes
#   make test-ct      the pairing's arithmetic, chains, PBKDF2, HKDF, HOTP, keys and signatures of SLH-DSA and
#                     emitted C in constant time, by valgrind; the pairing by statistics too; half an hour
#   make test-rtl     every kind of core in every language, simulated and linted; half an hour, resumes;
#                     with MANYLANE_SWEEP='--clear on-done' in the environment those that are called so
#   make test-streams every hash on every stream and behind registers, simulated; an hour, resumes
#   make test-simulators
#                     C on simulated microcontrollers; folders for two cores of every hash, HMAC and RC5 at
#                     all lengths there and on threads, under sanitizers, with random delays: an hour of one
#                     processor; fails where a simulator is missing
#   make test-lengths every hash on one simulated Ibex core, every length up to three blocks and a byte: an
#                     hour of one processor
#   make test-asm     assembly of every hash for the S12X on all choices of cores, ten thousand runs with
#                     random stalls on each: half an hour
#   make test-coreutils
#                     GNU's own tests of checksums, from Debian's source package, which it fetches: a minute
#   make test-lists   24,000 spoiled lists of checksums judged as by the sha256sum that is installed; minutes
#   make test-memory  memory of `manylane sum`, `audit` and `dedupe` over ten million lines and a million names
#   make test-faults  a thousand runs of `manylane sum` and `audit` killed at random moments: minutes
#   make test-asan    every engine under AddressSanitizer; needs a nightly toolchain
#   make test-miri    the engines without intrinsics under Miri; needs a nightly toolchain; minutes
#   make test-unoptimised
#                     the library as a program in development has it, on the stack of a thread; minutes
#   make test-cross   aarch64's engines, big-endian s390x, bare metal, the vectors of WebAssembly;
#                     installs Debian packages
#   make test-c       the C library under valgrind, its header by cbindgen, found by CMake; minutes
#   make test-python  the Python module: its own tests, in an environment below target/; minutes
#   make test-wheels  its wheels of aarch64 and of musl, imported under qemu and by a Python with musl;
#                     minutes; OPT_LEVEL=3 builds them as they are published
#   make test-cluster the same on Ray and Daft: several nodes on this machine, one killed; minutes
#   make test-compat  the types in rsa, p256, ed25519-dalek, hkdf, pbkdf2; minutes
#   make test-web     the npm package in Node and the explorer's page in Chromium; what that needs comes
#                     below target/; minutes
#   make test-features
#                     the library with each feature alone, and how small a program with SHA-2 alone is;
#                     ten minutes; make check-features compiles only: a minute
#   make test-msrv    everything by the oldest Rust that it promises, which rustup installs; minutes
#   make fuzz         30 s of each fuzz target; SECONDS_EACH=600 for more; needs nightly
#
#   make npm          the npm package, in target/npm
#   make site         the explorer's page, in target/web/site: static files
#
#   make setup-simulators
#                     installs what emitted C is compiled and run with: cross compilers, Verilator and
#                     Ibex, rp2040js, QEMU
#
# to install, and to publish (docs/release.md):
#
#   make package      the packages of all crates, each built from its own contents; minutes
#   make deb          a Debian package of the program, in target/debian
#   make static       the program without shared libraries, in target/x86_64-unknown-linux-musl/release
#   make install-c PREFIX=/usr/local
#                     the C library: header, libraries, pkg-config and CMake files (docs/c-library.md)
#   make wheel        the Python module as a wheel and a source package, in target/python/wheels
#   make wheels       wheels of x86-64 and aarch64 for glibc and musl, and the source package
#
# and for figures:
#
#   make measure-platforms        what operations and programs take on the simulated machines, into platforms/:
#                                 half an hour; MISSING=1 for new programs alone: minutes
#   make record-simulators RECORD=DATE
#                                 predictions beside runs of every primitive there, the tables of
#                                 docs/platforms.md, and what record-c writes: half an hour;
#                                 ONLY='sha256 hmac-sha256' where no other C has changed: minutes
#   make record-s12x RECORD=DATE  the tables of docs/s12x.md: a paper's hashes on the S12X
#   make bench-python             the Python module beside hashlib, polars-hash, DataFusion and DuckDB, in
#                                 Daft and Ray: ten minutes; RECORD=DATE-MACHINE keeps the figures
#   make bench-c                  a batch of the C library beside Rust's, over the same memory; RECORD= too
#   make bench-web                the npm package beside hash-wasm in Node and Chromium; RECORD=DATE-MACHINE
#   make bench-peers              beside libipsec-mb, RustCrypto and OpenSSL; installs libipsec-mb-dev
#   make bench-files              `manylane sum` on files beside coreutils 9.10, hashdeep, b3sum: six minutes;
#                                 fails where a goal is missed; CPU=1 where the machine is busy
#   make bench-few                few and short messages beside RustCrypto, ring, AWS-LC and OpenSSL
#   make synth-ice40              every core on an iCE40 HX8K, beside the record: fails where one is worse;
#                                 20 minutes of one processor; installs yosys and nextpnr-ice40
#   make synth-ecp5               the same for the cores of docs/hardware.md on an ECP5: an hour and a half;
#                                 installs YoWASP's tools
#   make record-c     what emitted C takes on simulated machines, for its READMEs; a quarter of an hour
#   make peers-c      hashes of C libraries beside it on the same simulated cores; minutes
#   make records RECORD=2026-11-22-epyc-zen5
#                                 every record of benches/record under that name, and what is made of
#                                 them; on a machine with nothing else to do, half an hour

SHELL := /bin/bash
export PATH := $(PATH):$(HOME)/.cargo/bin
.PHONY: demo test setup check-asm test-coreutils test-lists test-faults test-memory test-long test-laws test-ct \
	test-rtl test-streams test-asan test-miri test-unoptimised test-cross fuzz setup-simulators test-simulators bench-peers bench-few bench-files \
	synth-ice40 synth-ecp5 records record-c peers-c measure-platforms record-simulators test-lengths test-asm record-s12x \
	test-c bench-c install-c test-python test-wheels test-cluster test-compat wheel wheels bench-python \
	test-web npm site bench-web test-features check-features test-msrv package deb static

demo:
	@tools/demo.sh

test: setup
	cargo fmt --check
	bash -n tools/*.sh .ci/run
	cargo clippy --workspace --all-targets --locked -- -D warnings
	tools/run-tests.sh
	RUSTDOCFLAGS=-Dwarnings cargo doc --workspace --no-deps --locked
	tools/check-asm.sh --self-test
	tools/check-asm.sh --faults

setup:
	@tools/setup.sh test

check-asm:
	@tools/setup.sh
	@tools/check-asm.sh

test-long:
	cargo test --locked -p manylane-kat --test long --test oracles --test short -- \
	    --ignored --nocapture --test-threads 1

test-laws:
	cargo test --locked --workspace --test laws -- --ignored --test-threads 1

test-ct:
	@tools/test-ct.sh

# Icarus Verilog, Verilator, GHDL, yosys. What has passed is not run again.
test-rtl:
	cargo test --locked -p manylane-emit --test cores -- --ignored --nocapture every_core

# Icarus Verilog.
test-streams:
	cargo test --locked -p manylane-emit --test cores -- --ignored --nocapture every_hash_in_every_surrounding

setup-simulators:
	@tools/setup.sh simulators

test-asm:
	cargo test --locked -p manylane-emit --test asm --test xgate -- --include-ignored
	cargo test --locked -p manylane-cli --test s12x -- --ignored

bench-files:
	cargo build --release --locked --package manylane-cli
	MANYLANE_TUNING=off benches/files.py --coreutils "$$(tools/debian-coreutils.sh)" $(if $(CPU),--cpu)

test-coreutils:
	cargo build --locked --package manylane-cli
	@tools/test-coreutils.sh
	@tools/test-uutils.sh

test-lists:
	cargo test --locked --workspace --test check -- --include-ignored

test-memory:
	cargo build --release --locked --package manylane-cli
	tools/test-memory.py

test-faults:
	cargo test --locked --workspace --test faults -- --include-ignored

test-simulators:
	MANYLANE_REQUIRE_SIMULATORS=1 cargo test --locked -p manylane-simulate -- --include-ignored
	MANYLANE_REQUIRE_SIMULATORS=1 cargo test --locked -p manylane-cli --test run -- --include-ignored
	MANYLANE_REQUIRE_SIMULATORS=1 cargo test --locked -p manylane-emit --test c -- --ignored \
	    --skip every_length_of_every_hash

test-lengths:
	MANYLANE_REQUIRE_SIMULATORS=1 cargo test --locked -p manylane-emit --test c -- --ignored --nocapture \
	    every_length_of_every_hash

# The interfaces' tests, which reach every kernel with every kind of tail. With a target given, the
# sanitizer does not reach what runs in the compiler. Chains of a hundred thousand links stay out.
ASAN_TARGET := $(shell rustc -vV | sed -n 's/^host: //p')
test-asan:
	RUSTFLAGS=-Zsanitizer=address cargo +nightly test --locked --target-dir target/asan \
	    --target $(ASAN_TARGET) -p manylane-kat --test conformance --test oracles --test property \
	    --test limits --test hash_vectors --test hmac_vectors --test rc5_vectors \
	    --test rc5_engines --test pairing_engines --test short --test kernels -- --skip chains

test-miri:
	@tools/test-miri.sh

# Elsewhere in this workspace development is optimised too.
test-unoptimised:
	CARGO_PROFILE_DEV_OPT_LEVEL=0 cargo test --locked --target-dir target/unoptimised -p manylane

test-cross:
	@tools/test-cross.sh

test-features:
	@tools/test-features.sh

check-features:
	@tools/test-features.sh check

test-msrv:
	@tools/test-msrv.sh

# In a folder of its own: what was packaged is built without the workspace's profiles.
package:
	cargo package --locked --workspace --exclude manylane-kat --target-dir target/packages

deb:
	@tools/deb.sh

# musl's C compiler builds SQLite and blst.
MUSL := x86_64-unknown-linux-musl
static:
	@tools/setup.sh static
	cargo build --release --locked --package manylane-cli --target $(MUSL)
	@! ldd target/$(MUSL)/release/manylane 2>/dev/null | grep -q '=>' || { echo 'static: it is not'; exit 1; }
	target/$(MUSL)/release/manylane --version

test-web:
	@tools/web.sh test

npm site:
	@tools/web.sh $@

bench-web:
	@$(if $(RECORD),OUT=benches/record/$(RECORD)-web.json )tools/web.sh bench

# A C compiler, pkg-config, CMake, valgrind; cbindgen, which is compiled into target/.
test-c:
	@tools/setup.sh c
	PATH="$(CURDIR)/target/tools/bin:$$PATH" CI=1 cargo test --locked --workspace --test capi -- --include-ignored

# One process with both, so that they see the same memory; the record is written if it is asked for.
bench-c:
	@tools/setup.sh
	cargo build --release --locked --package manylane-capi --lib --example direct
	tools/install-c.sh --prefix '$(CURDIR)/target/bench-c' --from target/release
	cc -std=c99 -O2 -Wall -Wextra -pedantic -Itarget/bench-c/include benches/batch.c -o target/batch \
	    -Ltarget/bench-c/lib -lmanylane -Ltarget/release/examples -ldirect \
	    -Wl,-rpath,'$(CURDIR)/target/bench-c/lib:$(CURDIR)/target/release/examples'
	MANYLANE_TUNING=off target/batch >target/batch.json; status=$$?; cat target/batch.json; exit $$status
	$(if $(RECORD),mv target/batch.json benches/record/$(RECORD)-c.json)

# Python 3.11 or newer; what else it needs is installed into an environment below target/.
test-python:
	@tools/python.sh test

# Debian on x86-64; qemu-user and musl-tools are installed, the rest comes below target/.
test-wheels:
	@tools/test-wheels.sh

# Ray and Daft besides.
test-cluster:
	@tools/python.sh cluster

# Not part of the workspace, so that nobody else compiles elliptic curves.
test-compat:
	cargo test --locked --manifest-path compat/Cargo.toml --target-dir target/compat

# Beside hashlib and data engines, on a machine with nothing else to do.
bench-python:
	@tools/python.sh bench $(if $(RECORD),--json benches/record/$(RECORD)-python.json)

# This machine's, or all that are published. For others: tools/python.sh wheel TARGET...
wheel wheels:
	@tools/python.sh $@

PREFIX ?= /usr/local
install-c:
	@tools/install-c.sh --prefix '$(PREFIX)'

SECONDS_EACH ?= 30
fuzz:
	@cargo fuzz --version >/dev/null 2>&1 || cargo install cargo-fuzz --locked
	@for target in $$(cargo fuzz list); do \
	    cargo +nightly fuzz run "$$target" -- -max_total_time=$(SECONDS_EACH) || exit 1; \
	done

# Not part of the workspace, so that nothing else needs libipsec-mb.
PEERS_RUN := cargo run --release --manifest-path benches/peers/Cargo.toml --target-dir target
PEERS := $(PEERS_RUN) --
bench-peers:
	@tools/setup.sh peers
	$(PEERS) $(if $(RECORD),--json benches/record/$(RECORD)-peers.json)

bench-few:
	@tools/setup.sh peers
	$(PEERS_RUN) --bin few -- $(CELLS) $(if $(RECORD),--json benches/record/$(RECORD)-few.json)

synth-ice40:
	@tools/setup.sh ice40
	@tools/synth-cores.sh ice40

synth-ecp5:
	@tools/setup.sh hardware
	@tools/synth-cores.sh ecp5

record-c:
	@tools/record-c.sh

peers-c:
	@benches/peers_c.py $(if $(RECORD),--json benches/record/$(RECORD)-peers-c.json)

records:
	@test -n '$(RECORD)' || { echo 'records: say RECORD=DATE-MACHINE, the name of the records'; exit 1; }
	@tools/setup.sh peers
	cargo build --release --locked --package manylane-cli --package manylane-engine
	MANYLANE_TUNING=off target/release/manylane bench --runs 9 --json >target/bench.json
	mv target/bench.json benches/record/$(RECORD)-bench.json
	MANYLANE_TUNING=off target/release/manylane bench pairing --runs 9 --json >target/bench.json
	mv target/bench.json benches/record/$(RECORD)-pairing.json
	MANYLANE_TUNING=off benches/sum.py --json benches/record/$(RECORD)-sum.json
	$(PEERS) --runs 9 --json benches/record/$(RECORD)-peers.json
	MANYLANE_BLESS=1 cargo test --locked -p manylane-cli --test docs

# What the simulated machines' platform files say of them, measured anew; then predictions beside runs.
SIMULATED := ibex-duo rp2040
measure-platforms:
	@tools/setup.sh simulators
	cargo build --locked --package manylane-cli
	@all=; failed=; for machine in $(SIMULATED); do \
	    file=platforms/$$machine.toml; \
	    target/debug/manylane platforms measure $$machine $(if $(MISSING),--missing) \
	        --platform $$file -o $$file & all="$$all $$!"; \
	done; \
	for one in $$all; do wait $$one || failed=1; done; test -z "$$failed"

record-s12x:
	@test -n '$(RECORD)' || { echo 'record-s12x: say RECORD=DATE, the name of the record'; exit 1; }
	cargo build --locked --package manylane-cli
	target/debug/manylane run --paper s12x --json >target/s12x.json
	mv target/s12x.json benches/record/$(RECORD)-s12x.json

record-simulators:
	@test -n '$(RECORD)' || { echo 'record-simulators: say RECORD=DATE, the name of the record'; exit 1; }
	@tools/record-simulators.sh '$(RECORD)' $(ONLY)
