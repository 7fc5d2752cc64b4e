//! Other compilers, languages and machines; build systems; one file.

use crate::compile::{STRICT, Written, compilers, driver, has};
use crate::subject::{of_hash, of_rc5};
use crate::{for_each, sources};
use manylane_emit::c::{Cores, Folder, Options, Packaging, Tables, check_prefix};
use manylane_graph::Op;
use manylane_graph::interpret::evaluate;
use std::process::Command;

pub fn hmac(name: &str, options: &Options) -> Folder {
    of_hash(name.parse().unwrap(), true, options).unwrap()
}

/// One hash of each kind: order, width, counter, closing call, output of any length, held block.
const KINDS: [&str; 6] = ["md5", "sha512", "blake256", "groestl256", "shake256", "skein512"];

/// Reads out of bounds, unaligned accesses and overflows are found by the sanitizers, optimised.
#[test]
fn sanitizers_find_nothing() {
    if !has("gcc") {
        return;
    }
    for_each(&["blake256", "skein256"], |name| {
        let folder = hmac(name, &Options::default());
        let written = Written::new(&folder);
        let p = name.replace('-', "_");
        written.add("driver.c", &driver("hash_driver.c", &p, &format!("hmac_{p}")));
        let flags = [
            &STRICT[..],
            &["-O1", "-DNEAR=6u", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"],
        ];
        let sources = [sources(&folder), vec!["driver.c".to_owned()]].concat();
        written.build_and_run("gcc", &flags.concat(), &sources);
    });
}

/// A one-shot function has its prefix's name: no function or type is a prefix that the headers of
/// this machine's C library declare.
#[test]
fn names_of_the_c_library_are_refused() {
    if !has("gcc") {
        return;
    }
    let headers = "assert complex ctype errno fenv float inttypes iso646 limits locale math \
                   setjmp signal stdarg stdbool stddef stdint stdio stdlib string tgmath time \
                   wchar wctype";
    let included = headers.split_whitespace().map(|header| format!("{header}.h"));
    let included = included.flat_map(|header| ["-include".to_owned(), header]);
    let mut gcc = Command::new("gcc");
    gcc.args(["-std=c99", "-E", "-P", "-x", "c", "/dev/null"]).args(included);
    let declared = String::from_utf8(gcc.output().unwrap().stdout).unwrap();
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let (mut rest, mut count) = (&declared[..], 0);
    while let Some(begin) = rest.find(is_part) {
        let end = rest[begin..].find(|c| !is_part(c)).map_or(rest.len(), |length| begin + length);
        let (name, after) = (&rest[begin..end], &rest[end..]);
        // Names that begin with an underscore or have two are no prefixes anyway.
        let is_plain = name.starts_with(|c: char| c.is_ascii_alphabetic()) && !name.contains("__");
        if is_plain && (after.trim_start().starts_with('(') || name.ends_with("_t")) {
            assert!(check_prefix(name).is_err(), "{name}");
            count += 1;
        }
        rest = after;
    }
    assert!(count > 400, "{count} names in\n{declared}");
}

/// Each compiler takes everything, optimised, with more warnings than are asked for; headers and
/// sources are C++ too.
#[test]
fn compilers_have_no_complaint() {
    let compilers = compilers();
    for_each(&KINDS, |name| {
        let folder = hmac(name, &Options::default());
        let written = Written::new(&folder);
        let p = name.replace('-', "_");
        let all = [sources(&folder), vec!["examples/pc/main.c".to_owned()]].concat();
        for compiler in &compilers {
            let more = [
                "-O1",
                "-Wstrict-prototypes",
                "-Wmissing-prototypes",
                "-Wcast-qual",
                "-Wpointer-arith",
            ];
            let said = written.build_and_run(compiler, &[&STRICT[..], &more].concat(), &all);
            assert!(said.contains("11 known answers, all right"), "{said}");
        }
        if has("g++") {
            let text = format!(
                "#include \"hmac_{p}.h\"\n#include \"hmac_{p}.h\"\n\
                 int main() {{ {p}_ctx c; {p}_init(&c); {p}_wipe(&c); return hmac_{p}_self_test(); \
                 }}\n"
            );
            written.add("main.cpp", &text);
            for source in sources(&folder) {
                written.run("gcc", &["-c", "-Iinclude", &source]);
            }
            let objects: Vec<String> = sources(&folder)
                .iter()
                .map(|source| source.replace("src/", "").replace(".c", ".o"))
                .collect();
            let objects = objects.iter().map(|object| &object[..]);
            let flags = [
                "-std=c++98",
                "-pedantic",
                "-Wall",
                "-Wextra",
                "-Werror",
                "-Wno-long-long",
                "-Iinclude",
                "main.cpp",
                "-o",
                "in-cpp",
            ];
            written.run("g++", &flags.into_iter().chain(objects).collect::<Vec<_>>());
            written.run("./in-cpp", &[]);
        }
    });
}

/// What freestanding objects call: memory functions that every C compiler needs, and nothing else.
#[test]
fn freestanding_objects_need_memory_functions_alone() {
    if !has("gcc") || !has("nm") {
        return;
    }
    let duo = Options { cores: Cores::Two, ..Options::default() };
    let folders = [
        hmac("groestl256", &Options::default()),
        hmac("skein512", &Options::default()),
        hmac("ripemd160", &duo),
        of_rc5("rc5-32/12/16", &Options::default()).unwrap(),
    ];
    for_each(&folders, |folder| {
        let written = Written::new(folder);
        for source in &folder.library {
            let flags = [
                "-std=c99",
                "-ffreestanding",
                "-O1",
                "-fno-stack-protector",
                "-fno-pic",
                "-c",
                "-Iinclude",
                "-DMANYLANE_PORT_BARE",
                source,
                "-o",
                "object.o",
            ];
            written.run("gcc", &flags);
            let own = |symbol: &str| {
                folder.library.iter().any(|source| {
                    symbol.starts_with(source.trim_start_matches("src/").trim_end_matches(".c"))
                })
            };
            for line in written.run("nm", &["-u", "object.o"]).lines() {
                let symbol = line.trim().trim_start_matches("U ");
                let is_known = ["memcpy", "memset", "memcmp", "memmove"].contains(&symbol);
                assert!(is_known || own(symbol), "{source} needs {symbol}");
            }
            // Variables would be in .data or .bss.
            let variables = written.run("nm", &["object.o"]);
            let variables = variables
                .lines()
                .filter(|line| [" d ", " D ", " b ", " B "].iter().any(|kind| line.contains(kind)));
            assert_eq!(variables.count(), 0, "{source} has variables");
        }
    });
}

/// The compilers of microcontrollers, little-endian and big-endian, take the strict flags. clang
/// has no instructions for atomic updates on the first and third of its machines, and warns where
/// it would call a library for them.
#[test]
#[ignore = "most of a minute, and other compilers: `make test-simulators`"]
fn microcontrollers_compilers_have_no_complaint() {
    let targets: [(&str, &[&str]); 7] = [
        ("arm-none-eabi-gcc", &["-mcpu=cortex-m0plus", "-mthumb"]),
        ("arm-none-eabi-gcc", &["-mcpu=cortex-m3", "-mthumb", "-mbig-endian"]),
        ("riscv64-unknown-elf-gcc", &["-march=rv32imc", "-mabi=ilp32"]),
        ("clang", &["--target=thumbv6m-none-eabi", "-mcpu=cortex-m0plus"]),
        ("clang", &["--target=thumbv6m-none-eabi", "-DMANYLANE_IN_ORDER=1"]),
        ("clang", &["--target=riscv32-unknown-elf", "-march=rv32imc", "-mabi=ilp32"]),
        ("clang", &["--target=thumbv7m-none-eabi", "-mcpu=cortex-m3"]),
    ];
    let targets = targets.into_iter().filter(|(compiler, _)| is_there(compiler));
    let duo = Options { cores: Cores::Two, ..Options::default() };
    let folders = [
        hmac("sha256", &duo),
        hmac("groestl256", &duo),
        hmac("sha3-256", &duo),
        hmac("blake512", &Options::default()),
        of_rc5("rc5-32/12/16", &duo).unwrap(),
        of_rc5("rc5-16/16/8", &Options::default()).unwrap(),
    ];
    for (compiler, machine) in targets {
        for_each(&folders, |folder| {
            let written = Written::new(folder);
            written.add("libc/string.h", STRING_H);
            for source in sources(folder) {
                let flags = [
                    "-O1",
                    "-ffreestanding",
                    "-Iinclude",
                    "-Ilibc",
                    "-c",
                    &source,
                    "-o",
                    "object.o",
                ];
                written.run(compiler, &[&STRICT[..], machine, &flags].concat());
            }
        });
    }
}

/// What is included of the C library, which the compilers of microcontrollers lack here.
pub const STRING_H: &str = "#include <stddef.h>
void *memcpy(void *, const void *, size_t);
void *memset(void *, int, size_t);
int memcmp(const void *, const void *, size_t);
";

/// These compilers belong to the setup of other tests and may be missing here.
pub fn is_there(compiler: &str) -> bool {
    std::process::Command::new(compiler).arg("--version").output().is_ok()
}

/// Every byte through the S-box, by circuit and by table, in words of every width, and
/// multiplication by x, as the interpreter has them; Grøstl has the same digests with either.
#[test]
fn bytes_are_substituted_alike_by_circuit_and_table() {
    if !has("gcc") {
        return;
    }
    let folders = [Tables::Bitwise, Tables::Lookup]
        .map(|tables| hmac("groestl224", &Options { tables, ..Options::default() }));
    let table: Vec<String> =
        (0..256).map(|byte| evaluate(Op::SubBytes, 8, &[byte]).to_string()).collect();
    let xtime: Vec<String> =
        (0..256).map(|byte| evaluate(Op::Xtime, 8, &[byte]).to_string()).collect();
    for (folder, has_table) in folders.iter().zip([false, true]) {
        let written = Written::new(folder);
        let source = folder.files.iter().find(|(path, _)| path == "src/groestl224.c").unwrap();
        assert_eq!(source.1.contains("s_box)[256]"), has_table);
        let readme = &folder.files.iter().find(|(path, _)| path == "README.md").unwrap().1;
        assert_eq!(readme.contains("**Not constant in time:**"), has_table, "{readme}");
        written.add(
            "driver.c",
            &format!(
                "#include \"src/groestl224.c\"\n\
             static const uint8_t s[256] = {{ {} }};\nstatic const uint8_t x[256] = {{ {} }};\n\
             int main(void)\n{{\n    unsigned i, k;\n    for (i = 0; i < 256; i++) {{\n\
             \x20       uint64_t word = 0, substituted = 0, doubled = 0;\n\
             \x20       for (k = 0; k < 8; k++) {{\n\
             \x20           const unsigned byte = (i + 37 * k) % 256;\n\
             \x20           word |= (uint64_t)byte << 8 * k;\n\
             \x20           substituted |= (uint64_t)s[byte] << 8 * k;\n\
             \x20           doubled |= (uint64_t)x[byte] << 8 * k;\n        }}\n\
             \x20       if (groestl224_sub_bytes64(word) != substituted) return 1;\n\
             \x20       if (groestl224_xtime64(word) != doubled) return 2;\n    }}\n\
             \x20   return groestl224_self_test() != 0;\n}}\n",
                table.join(", "),
                xtime.join(", "),
            ),
        );
        let sources = ["driver.c".to_owned(), "src/groestl224_selftest.c".to_owned()];
        written.build_and_run("gcc", &["-I.", "-O1"], &sources);
    }
}

/// Everything in one header; libraries fit into one source, a hash beside its HMAC too.
#[test]
fn amalgamated_headers_fit_into_one_source() {
    if !has("gcc") {
        return;
    }
    let options = Options { packaging: vec![Packaging::Amalgamated], ..Options::default() };
    let duo = Options { cores: Cores::Two, ..options.clone() };
    let folders = [
        hmac("sha256", &options),
        of_hash("sha256".parse().unwrap(), false, &options).unwrap(),
        hmac("ripemd160", &duo),
        of_rc5("rc5-32/12/16", &options).unwrap(),
    ];
    let written = Written::new(&folders[0]);
    for folder in &folders {
        for (path, text) in &folder.files {
            if path.starts_with("amalgamated/") {
                written.add(path, text);
            }
            assert_ne!(path, "CMakeLists.txt");
        }
    }
    let names = ["hmac_sha256", "sha256", "hmac_ripemd160", "rc5_32_12_16"];
    let define = |name: &str| format!("#define {}_IMPLEMENTATION\n", name.to_uppercase());
    let include = |name: &str| format!("#include \"amalgamated/{name}.h\"\n");
    let test = |name: &str| format!("{name}_self_test() != 0");
    let all = |what: &dyn Fn(&str) -> String, by: &str| names.map(what).join(by);
    written.add("one.c", &format!("{}{}", all(&define, ""), all(&include, "")));
    written.add(
        "main.c",
        &format!("{}int main(void) {{ return {}; }}\n", all(&include, ""), all(&test, " || ")),
    );
    let flags = [&STRICT[..], &["-pthread"]].concat();
    written.build_and_run("gcc", &flags, &["one.c".to_owned(), "main.c".to_owned()]);
}

/// A hash and its HMAC, one file each, implemented in two sources of one program, the one for two
/// cores.
#[test]
fn amalgamated_headers_fit_into_two_sources() {
    if !has("gcc") {
        return;
    }
    let one = Options { packaging: vec![Packaging::Amalgamated], ..Options::default() };
    let duo = Options { cores: Cores::Two, ..one.clone() };
    for (of_mac, of_alone) in [(&one, &one), (&duo, &one), (&one, &duo)] {
        let mac = hmac("sha256", of_mac);
        let alone = of_hash("sha256".parse().unwrap(), false, of_alone).unwrap();
        let written = Written::new(&mac);
        for (path, text) in mac.files.iter().chain(&alone.files) {
            if path.starts_with("amalgamated/") {
                written.add(path, text);
            }
        }
        for (name, other) in [("hmac_sha256", "sha256"), ("sha256", "hmac_sha256")] {
            let define = format!("#define {}_IMPLEMENTATION\n", name.to_uppercase());
            let include = |name: &str| format!("#include \"amalgamated/{name}.h\"\n");
            let text = define + &include(name) + &include(other);
            written.add(&format!("{name}.c"), &text);
        }
        written.add(
            "main.c",
            "#include \"amalgamated/sha256.h\"\n#include \"amalgamated/hmac_sha256.h\"\n\
             int main(void)\n{\n    \
             return sha256_self_test() != 0 || hmac_sha256_self_test() != 0;\n}\n",
        );
        let flags = [&STRICT[..], &["-pthread"]].concat();
        let sources = ["hmac_sha256.c", "sha256.c", "main.c"].map(str::to_owned);
        written.build_and_run("gcc", &flags, &sources);
    }
}

/// CMake builds and tests the folder, gives it to a project of pico-sdk as an INTERFACE target, and
/// registers it with ESP-IDF; JSON is JSON.
#[test]
fn build_systems_find_the_library() {
    let options =
        Options { packaging: Packaging::ALL.to_vec(), cores: Cores::Two, ..Options::default() };
    let folder = hmac("ripemd160", &options);
    let written = Written::new(&folder);
    let text = |path: &str| &folder.files.iter().find(|(name, _)| name == path).unwrap().1;
    let library: serde_json::Value = serde_json::from_str(text("library.json")).unwrap();
    assert_eq!(library["name"], "hmac_ripemd160");
    assert!(text("zephyr/module.yml").contains("name: hmac_ripemd160\n"));
    assert!(text("zephyr/Kconfig").contains("config HMAC_RIPEMD160\n\tbool "));
    for source in sources(&folder) {
        assert!(text("zephyr/CMakeLists.txt").contains(&format!("../{source}")));
        assert!(text("CMakeLists.txt").contains(&source));
    }
    if !has("cmake") || !has("gcc") {
        return;
    }
    written.run("cmake", &["-S", ".", "-B", "build"]);
    written.run("cmake", &["--build", "build"]);
    let said = written.run("./build/hmac_ripemd160_pc", &[]);
    assert_eq!(said, "hmac_ripemd160: 11 known answers, all right on one core and on two\n");
    written.add(
        "pico/CMakeLists.txt",
        "cmake_minimum_required(VERSION 3.13)\nproject(pico C)\n\
        set(PICO_SDK_VERSION_MAJOR 2)\nadd_library(pico_multicore INTERFACE)\n\
        add_library(hardware_sync INTERFACE)\n\
        add_subdirectory(.. library)\nget_target_property(kind hmac_ripemd160 TYPE)\n\
        get_target_property(sources hmac_ripemd160 INTERFACE_SOURCES)\nmessage(STATUS \"${kind} \
        ${sources}\")\n",
    );
    let said = written.run("cmake", &["-S", "pico", "-B", "pico-build"]);
    assert!(said.contains("INTERFACE_LIBRARY") && said.contains("/src/hmac_ripemd160.c"), "{said}");
    written.add(
        "esp/CMakeLists.txt",
        "cmake_minimum_required(VERSION 3.13)\nproject(esp C)\nset(ESP_PLATFORM 1)\n\
        function(idf_component_register)\nmessage(STATUS \"registered ${ARGN}\")\nendfunction()\n\
        add_subdirectory(.. library)\n",
    );
    let said = written.run("cmake", &["-S", "esp", "-B", "esp-build"]);
    assert!(said.contains("registered SRCS;src/ripemd160.c;src/hmac_ripemd160.c"), "{said}");
}

/// The example prints what other programs print.
#[test]
fn the_program_for_the_pc_hashes_files() {
    if !has("gcc") {
        return;
    }
    let folder = of_hash("sha256".parse().unwrap(), false, &Options::default()).unwrap();
    let written = Written::new(&folder);
    written.add("abc", "abc");
    let sources = [sources(&folder), vec!["examples/pc/main.c".to_owned()]].concat();
    written.build_and_run("gcc", &STRICT, &sources);
    let said = written.run("./program", &["abc", "abc"]);
    let line = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  abc\n";
    assert_eq!(said, line.repeat(2));
}
