#!/usr/bin/env python3
"""Compares hashes of C libraries that microcontrollers use today with the C that `manylane emit c`
writes: the same simulated core, compiler and flags (-O2), one core, whole messages.

    benches/peers_c.py                       a table
    benches/peers_c.py --json FILE           and the record

The sources are fetched by the clients of their registries (apt-get source, npm) into a folder of
the user's cache, and nothing of them is kept here. Cycles are exact. Those of a message begin
before its context is initialised and end after its digest is written; they are taken the second
time that the message is hashed.
"""

import argparse
import datetime
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
CACHE = (
    pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache"))
    / "manylane"
    / "peers-c"
)
MACHINES = ["ibex-duo", "rp2040"]
LENGTHS = [64, 1024]
# Name and version, of Debian 12 and of npm: a registry's other version would be another record.
DEBS = {"mbedtls": "2.28.3-1", "wolfssl": "5.5.4-2+deb12u2"}
NPMS = {"keccak": "3.0.4", "multi-hashing": "1.0.2"}


def run(command, **options):
    done = subprocess.run(command, text=True, capture_output=True, **options)
    if done.returncode:
        sys.exit(
            f"peers_c: {' '.join(map(str, command))}: {done.stdout[-2000:]}{done.stderr[-2000:]}"
        )
    return done.stdout


def source_packages(folder):
    """Writes this machine's lists of apt's sources into a folder, each for source packages.

    The machine's own lists need not name source packages, and stay as they are."""
    apt = pathlib.Path("/etc/apt")
    lists = [apt / "sources.list", *(apt / "sources.list.d").glob("*.list")]
    stanzas = (apt / "sources.list.d").glob("*.sources")
    forms = [(lists, r"^deb\b(?!-)", "deb-src"), (stanzas, r"^(Types:).*$", r"\1 deb-src")]
    count = 0
    for files, packages, sources in forms:
        for file in filter(pathlib.Path.is_file, files):
            text, found = re.subn(packages, sources, file.read_text(), flags=re.MULTILINE)
            (folder / file.name).write_text(text)
            count += found
    if not count:
        sys.exit("peers_c: apt has no sources of packages: add Debian's to /etc/apt/sources.list.d")


def fetched(name):
    """The folder of a package's sources."""
    version = DEBS.get(name) or NPMS[name]
    folder = CACHE / f"{name}-{version}"
    if folder.is_dir():
        return folder
    with tempfile.TemporaryDirectory(dir=CACHE) as scratch:
        scratch = pathlib.Path(scratch)
        if name in DEBS:
            (scratch / "lists" / "partial").mkdir(parents=True)
            (scratch / "sources").mkdir()
            source_packages(scratch / "sources")
            options = [
                "-oDir::Etc::sourcelist=-", f"-oDir::Etc::sourceparts={scratch}/sources",
                f"-oDir::State::lists={scratch}/lists", f"-oDir::Cache={scratch}",
            ]
            run(["apt-get", *options, "update"])
            found = run(["apt-cache", *options, "showsrc", "--only-source", name])
            if f"Version: {version}\n" not in found:
                sys.exit(
                    f"peers_c: apt's sources have no {name} {version}, which the record is of: it "
                    "is in "
                    "Debian 12 (bookworm); add its main to /etc/apt/sources.list.d"
                )
            run(
                ["apt-get", *options, "source", "--download-only", f"{name}={version}"], cwd=scratch
            )
            archive = next(scratch.glob("*.orig.tar.gz"))
        else:
            run(["npm", "pack", f"{name}@{version}"], cwd=scratch)
            archive = next(scratch.glob("*.tgz"))
        out = scratch / "out"
        out.mkdir()
        run(["tar", "xf", archive, "-C", out, "--strip-components=1"])
        out.rename(folder)
    return folder


MAIN = """#include "board.h"
{headers}
static union {{ uint64_t aligned; uint8_t bytes[1024]; }} message;
static {context} c;
int main(void)
{{
    static const uint32_t lengths[2] = {{ 64, 1024 }};
    uint8_t digest[64];
    uint32_t i, turn, from, took = 0;
    (void)c;
    for (i = 0; i < sizeof message.bytes; i++) {{
        message.bytes[i] = (uint8_t)(131u * i + i / 256u + 1u);
    }}
    for (i = 0; i < 2; i++) {{
        const uint32_t n = lengths[i];
        const uint8_t *const data = message.bytes;
        for (turn = 0; turn < 2; turn++) {{
            from = board_cycles();
            {calls}
            took = board_cycles() - from;
        }}
        board_report("cycles", took);
        board_report_bytes("digest", digest, {bytes});
    }}
    return 0;
}}
"""


def mbedtls(name, begin, bytes_):
    source = fetched("mbedtls")
    files = {f"mbedtls/{file.name}": file for file in (source / "include/mbedtls").glob("*.h")}
    for file in ["common.h", f"{name}.c", "platform_util.c"]:
        files[file] = source / "library" / file
    calls = (
        f"mbedtls_{name}_init(&c); mbedtls_{name}_{begin}; mbedtls_{name}_update_ret(&c, data, n); "
        f"mbedtls_{name}_finish_ret(&c, digest); mbedtls_{name}_free(&c);"
    )
    config = f"#define MBEDTLS_{name.upper()}_C\n"
    main = MAIN.format(
        headers=f'#include "mbedtls/{name}.h"',
        context=f"mbedtls_{name}_context",
        calls=calls,
        bytes=bytes_,
    )
    return files, {"tiny.h": config, "main.c": main}, ['-DMBEDTLS_CONFIG_FILE="tiny.h"']


def wolfssl(file, kind, bytes_, init="wc_Init{kind}(&c)"):
    source = fetched("wolfssl")
    files = {
        f"wolfssl/wolfcrypt/{path.name}": path
        for path in (source / "wolfssl/wolfcrypt").glob("*.h")
    }
    files |= {f"wolfssl/{path.name}": path for path in (source / "wolfssl").glob("*.h")}
    files[f"{file}.c"] = source / f"wolfcrypt/src/{file}.c"
    files["wolfcrypt/src/misc.h"] = source / "wolfcrypt/src/misc.c"
    settings = (
        "#define WOLFCRYPT_ONLY\n#define SINGLE_THREADED\n#define NO_FILESYSTEM\n#define "
        "WC_NO_RNG\n"
        "#define NO_ERROR_STRINGS\n#define WOLFSSL_SHA3\n#define NO_WOLFSSL_MEMORY\n#define "
        "WOLFSSL_USER_IO\n"
        "#define SIZEOF_LONG 4\n#define SIZEOF_LONG_LONG 8\n#define WOLFSSL_IGNORE_FILE_WARN\n"
        "#define NO_ASN_TIME\n#define NO_RSA\n#define NO_DH\n#define NO_DSA\n#define "
        "WOLFSSL_NO_MALLOC\n"
    )
    head = file.replace("sha3", "sha3")
    if kind == "Sha3":
        context, calls = (
            "wc_Sha3",
            "wc_InitSha3_256(&c, 0, -2); wc_Sha3_256_Update(&c, data, n); wc_Sha3_256_Final(&c, "
            "digest);",
        )
    else:
        context = "wc_Md5" if kind == "Md5" else f"wc_{kind}"
        calls = f"wc_Init{kind}(&c); wc_{kind}Update(&c, data, n); wc_{kind}Final(&c, digest);"
    main = MAIN.format(
        headers=f"#include <wolfssl/wolfcrypt/{head}.h>", context=context, calls=calls, bytes=bytes_
    )
    return files, {"user_settings.h": settings, "main.c": main}, ["-DWOLFSSL_USER_SETTINGS", "-w"]


def keccak():
    source = fetched("keccak") / "src/libkeccak-32"
    names = ["KeccakP-1600-inplace32BI.c", "KeccakSpongeWidth1600.c"]
    files = {
        file.name: file
        for file in source.iterdir()
        if file.suffix in (".h", ".inc", ".macros") or file.name in names
    }
    calls = (
        "KeccakWidth1600_SpongeInitialize(&c, 1088, 512); KeccakWidth1600_SpongeAbsorb(&c, data, "
        "n); "
        "KeccakWidth1600_SpongeAbsorbLastFewBits(&c, 6); KeccakWidth1600_SpongeSqueeze(&c, "
        "digest, 32);"
    )
    main = MAIN.format(
        headers='#include "KeccakSpongeWidth1600.h"',
        context="KeccakWidth1600_SpongeInstance",
        calls=calls,
        bytes=32,
    )
    return files, {"main.c": main}, ["-w"]


def sphlib():
    source = fetched("multi-hashing") / "src/sha3"
    files = {name: source / name for name in ["sph_blake.c", "sph_blake.h", "sph_types.h"]}
    calls = "sph_blake256_init(&c); sph_blake256(&c, data, n); sph_blake256_close(&c, digest);"
    main = MAIN.format(
        headers='#include "sph_blake.h"', context="sph_blake256_context", calls=calls, bytes=32
    )
    return files, {"main.c": main}, ["-w"]


PEERS = [
    ("sha256", "mbedTLS", lambda: mbedtls("sha256", "starts_ret(&c, 0)", 32)),
    ("sha256", "wolfSSL", lambda: wolfssl("sha256", "Sha256", 32)),
    ("sha1", "mbedTLS", lambda: mbedtls("sha1", "starts_ret(&c)", 20)),
    ("sha1", "wolfSSL", lambda: wolfssl("sha", "Sha", 20)),
    ("md5", "mbedTLS", lambda: mbedtls("md5", "starts_ret(&c)", 16)),
    ("md5", "wolfSSL", lambda: wolfssl("md5", "Md5", 16)),
    ("sha3-256", "XKCP, 32 bits, in place", keccak),
    ("sha3-256", "wolfSSL", lambda: wolfssl("sha3", "Sha3", 32)),
    ("blake256", "sphlib", sphlib),
]
VERSIONS = {
    "mbedTLS": "mbedtls",
    "wolfSSL": "wolfssl",
    "XKCP, 32 bits, in place": "keccak",
    "sphlib": "multi-hashing",
}


def measured(machine, make):
    """Cycles by length, and digests."""
    files, texts, flags = make()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for name, path in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            text = path.read_text(errors="replace").replace(
                "<wolfcrypt/src/misc.c>", "<wolfcrypt/src/misc.h>"
            )
            (folder / name).write_text(text)
        for name, text in texts.items():
            (folder / name).write_text(text)
        example = ["-p", "manylane-simulate", "--example", "run", "--", machine, folder, *flags]
        said = run(["cargo", "run", "-q", "--locked", *example], cwd=ROOT)
    lines = [line.split() for line in said.splitlines()]
    cycles = [int(line[1]) for line in lines if line[0] == "cycles"]
    code = sum(int(line[2]) for line in lines if line[0] == "size")
    return dict(zip(LENGTHS, cycles)), [line[1] for line in lines if line[0] == "digest"], code


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--json", metavar="FILE", help="write the record there")
    parser.add_argument("--only", metavar="HASH", help="one hash")
    args = parser.parse_args()
    for tool in ["apt-get", "npm", "cargo"]:
        if not shutil.which(tool):
            sys.exit(f"peers_c: {tool} is missing")
    CACHE.mkdir(parents=True, exist_ok=True)
    run(["cargo", "build", "-q", "--locked", "-p", "manylane-cli"], cwd=ROOT)
    manylane = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "debug/manylane"
    rows, compilers = [], {}
    print("| hash | peer | machine | its cycles a byte | ours | ratio |\n|---|---|---|--:|--:|--:|")
    for name, peer, make in PEERS:
        if args.only not in (None, name):
            continue
        for machine in MACHINES:
            lengths = ",".join(map(str, LENGTHS))
            options = ["--on", machine, "--cores", "1", "--length", lengths, "--json"]
            report = json.loads(run([manylane, "run", name, *options], cwd=ROOT))
            compilers[machine] = report["machines"][0]["compiler"]
            ours = {row["length"]: row["cycles"] for row in report["rows"]}
            if not all(row["digest_ok"] for row in report["rows"]):
                sys.exit(f"peers_c: {name} on {machine}: our digests are wrong")
            theirs, digests, code = measured(machine, make)
            if len(theirs) != len(LENGTHS):
                sys.exit(f"peers_c: {peer}'s {name} on {machine} prints something else")
            for length, digest in zip(LENGTHS, digests):
                with tempfile.NamedTemporaryFile() as file:
                    file.write(bytes((131 * i + i // 256 + 1) % 256 for i in range(length)))
                    file.flush()
                    right = run([manylane, "sum", "-a", name, file.name]).split()[0]
                if digest != right:
                    sys.exit(f"peers_c: {peer}'s {name} on {machine}: {digest} is not {right}")
            row = {
                "hash": name,
                "peer": peer,
                "package": VERSIONS[peer],
                "version": DEBS.get(VERSIONS[peer]) or NPMS[VERSIONS[peer]],
                "machine": machine,
                "cycles": {str(n): theirs[n] for n in LENGTHS},
                "our_cycles": {str(n): ours[n] for n in LENGTHS},
                "ratio": {str(n): round(theirs[n] / ours[n], 3) for n in LENGTHS},
                "code_bytes": code,
                "our_code_bytes": report["rows"][0].get("code_bytes"),
            }
            rows.append(row)
            long = LENGTHS[-1]
            print(
                f"| {name} | {peer} | {machine} | {theirs[long] / long:.1f} | "
                f"{ours[long] / long:.1f} | {theirs[long] / ours[long]:.2f} |",
                flush=True,
            )
    if args.json:
        record = {
            "date": datetime.date.today().isoformat(),
            "compilers": compilers,
            "flags": "-O2",
            "rows": rows,
        }
        pathlib.Path(args.json).write_text(json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    main()
