//! The header, and programs in C and C++ that use the library as people would: installed, found by
//! pkg-config or CMake, compiled without a warning.

use std::env;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

fn here() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn header() -> String {
    fs::read_to_string(here().join("include/manylane.h")).unwrap()
}

/// The functions that C can call, each with the names of its arguments.
fn functions(text: &str, open: &str, name_of: fn(&str) -> &str) -> Vec<(String, Vec<String>)> {
    let mut functions = Vec::new();
    for (at, _) in text.match_indices(open) {
        let name: String =
            text[at..].chars().skip(open.len() - "manylane_".len()).take_while(is_word).collect();
        let after = at + open.len() - "manylane_".len() + name.len();
        if let Some(arguments) = text[after..].strip_prefix('(') {
            let arguments = arguments.split(')').next().unwrap().split(',');
            let names = arguments.map(|argument| name_of(argument.trim()).to_owned());
            functions.push((name, names.filter(|name| !name.is_empty()).collect()));
        }
    }
    functions.sort();
    functions
}

fn is_word(character: &char) -> bool {
    character.is_ascii_alphanumeric() || *character == '_'
}

/// Every function stands in the header with the arguments that it has. `make test-c` holds the
/// whole text, types and all, to what cbindgen makes.
#[test]
fn the_header_declares_every_function() {
    let mut defined = Vec::new();
    for file in fs::read_dir(here().join("src")).unwrap() {
        let source = fs::read_to_string(file.unwrap().path()).unwrap();
        defined.extend(functions(&source, "extern \"C\" fn manylane_", |argument| {
            argument.split(':').next().unwrap().trim()
        }));
    }
    defined.sort();
    let code: String = header().lines().filter(|line| !line.trim().starts_with('*')).collect();
    let declared = functions(&code, "manylane_", |argument| {
        match argument.rsplit(|c| !is_word(&c)).next().unwrap() {
            "void" => "",
            name => name,
        }
    });
    assert!(defined.len() > 30, "{} functions found: the search is broken", defined.len());
    assert_eq!(defined, declared);
}

/// The header is what cbindgen makes of the sources.
#[test]
#[ignore = "make test-c"]
fn the_header_is_that_of_the_source() {
    let made = run(Command::new("cbindgen").current_dir(here()).arg("--config=cbindgen.toml"));
    if env::var_os("MANYLANE_BLESS").is_some() {
        fs::write(here().join("include/manylane.h"), made.clone() + "\n").unwrap();
    }
    assert!(header().trim() == made, "MANYLANE_BLESS=1 make test-c writes the header anew");
}

/// Whether a tool is there. On CI it must be.
fn has(tool: &str) -> bool {
    let found = Command::new(tool).arg("--version").output().is_ok_and(|out| out.status.success());
    assert!(found || env::var_os("CI").is_none(), "{tool} is missing");
    if !found {
        eprintln!("skipped: there is no {tool}");
    }
    found
}

/// The output of a command, which must succeed.
fn run(command: &mut Command) -> String {
    let Output { status, stdout, stderr } = command.output().unwrap();
    let (out, error) = (String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr));
    assert!(status.success(), "{command:?}: {status}\n{out}{error}");
    out.trim().to_owned()
}

/// Installs the library, as cargo made it for this test, in a folder.
fn install(prefix: &Path) {
    let test = env::current_exe().unwrap();
    run(Command::new(here().join("../../tools/install-c.sh"))
        .env_remove("DESTDIR")
        .arg("--prefix")
        .arg(prefix)
        .arg("--from")
        .arg(test.parent().unwrap()));
}

/// The folder that the library is installed in.
fn installed() -> &'static Path {
    static PREFIX: OnceLock<PathBuf> = OnceLock::new();
    PREFIX.get_or_init(|| {
        let prefix = Path::new(env!("CARGO_TARGET_TMPDIR")).join("installed");
        install(&prefix);
        prefix
    })
}

/// What pkg-config says of the library.
fn flags(options: &[&str]) -> Vec<String> {
    let flags = run(Command::new("pkg-config")
        .env("PKG_CONFIG_PATH", installed().join("lib/pkgconfig"))
        .args(options)
        .arg("manylane"));
    flags.split_whitespace().map(str::to_owned).collect()
}

/// Compiles a program against the installed library, into a folder of the test's own.
fn compiled(test: &str, compiler: &str, standard: &str, source: impl AsRef<Path>) -> PathBuf {
    let source = here().join(source);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    fs::create_dir_all(&folder).unwrap();
    let program = folder.join(source.file_stem().unwrap());
    run(Command::new(compiler)
        .args([standard, "-Wall", "-Wextra", "-pedantic", "-Werror", "-O1", "-g"])
        // The names of isa-l_crypto before version 2.25 are deprecated, as they are there.
        .args(["-Wno-deprecated-declarations", "-o"])
        .arg(&program)
        .arg(source)
        .args(flags(&["--cflags", "--libs"]))
        .arg(format!("-Wl,-rpath,{}", installed().join("lib").display())));
    program
}

/// The output of a program that gets `input` as its standard input.
fn said(command: &mut Command, input: &str) -> Output {
    let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = piped.spawn().unwrap();
    // A program that ends before it reads closes the pipe.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

fn hex(digest: &[u8]) -> String {
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn lines<'l>(lines: impl Iterator<Item = &'l str>, algorithm: &str) -> String {
    let algorithm: manylane::Algorithm = algorithm.parse().unwrap();
    lines.map(|line| hex(&manylane::hash(algorithm, line.as_bytes())) + "\n").collect()
}

/// The folder's name has letters that are special to sed, the shell or pkg-config.
#[test]
fn the_library_is_found_below_any_folder() {
    if !has("cc") || !has("pkg-config") {
        return;
    }
    let prefix = Path::new(env!("CARGO_TARGET_TMPDIR")).join(r"a&b|c\d e");
    install(&prefix);
    let flags = r#"eval "set -- $(pkg-config --cflags --libs manylane)"; printf '%s\n' "$@""#;
    let found = run(Command::new("sh")
        .env("PKG_CONFIG_PATH", prefix.join("lib/pkgconfig"))
        .args(["-c", flags]));
    let expected = format!("-I{0}/include\n-L{0}/lib\n-lmanylane", prefix.display());
    assert_eq!(found, expected);
}

#[test]
fn the_interface_holds_in_c() {
    if !has("cc") || !has("pkg-config") {
        return;
    }
    for standard in ["-std=c99", "-std=c11"] {
        let output =
            said(&mut Command::new(compiled("in-c", "cc", standard, "tests/interface.c")), "");
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && text.is_empty(), "{standard}: {text}");
    }
}

/// Programs for isa-l_crypto, with managers of the usual and of other capacities, in C and in C++.
#[test]
fn programs_for_isa_l_crypto_do_the_same() {
    if !has("cc") || !has("c++") || !has("pkg-config") {
        return;
    }
    let source = fs::read_to_string(here().join("tests/isal.c")).unwrap();
    for (name, defined) in [
        ("isal", ""),
        ("isal-few", "#define MANYLANE_ISAL_QUEUE 3\n"),
        ("isal-many", "#define MANYLANE_ISAL_QUEUE 100\n"),
        ("isal-new", "#define NO_COMPAT_ISAL_CRYPTO_API_2_24 1\n"),
    ] {
        for (compiler, standard, ending) in [("cc", "-std=c99", "c"), ("c++", "-std=c++14", "cpp")]
        {
            let written = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.{ending}"));
            fs::write(&written, format!("{defined}{source}")).unwrap();
            let program = compiled(&format!("{name}-{ending}"), compiler, standard, &written);
            let output = said(&mut Command::new(program), "");
            let text = String::from_utf8_lossy(&output.stdout);
            assert!(output.status.success() && text.is_empty(), "{name} {compiler}: {text}");
        }
    }
}

#[test]
fn the_examples_do_what_they_say() {
    if !has("cc") || !has("pkg-config") {
        return;
    }
    let program = compiled("examples", "cc", "-std=c99", "examples/lines.c");
    let text = "abc\n\nthe last line has no end";
    for arguments in [&[][..], &["md5"], &["sha3-512", "3"]] {
        let output = said(Command::new(&program).args(arguments), text);
        assert!(output.status.success());
        let expected = lines(text.lines(), arguments.first().unwrap_or(&"sha256"));
        assert_eq!(String::from_utf8_lossy(&output.stdout), expected);
    }
    assert!(said(&mut Command::new(&program), "").stdout.is_empty());
    let output = said(Command::new(&program).arg("md6"), text);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("md6"));

    let output =
        said(&mut Command::new(compiled("examples", "cc", "-std=c99", "examples/jobs.c")), "");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let jobs: Vec<String> =
        (0..100).map(|job| char::from(job as u8).to_string().repeat(250 * job)).collect();
    let expected = lines(jobs.iter().map(String::as_str), "sha256");
    assert_eq!(String::from_utf8_lossy(&output.stdout), expected);
}

/// On a device that is always full, buffered output fails only when it is flushed.
#[test]
#[cfg(target_os = "linux")]
fn the_examples_notice_that_nothing_was_written() {
    if !has("cc") || !has("c++") || !has("pkg-config") {
        return;
    }
    for (source, compiler, standard, argument) in [
        ("examples/lines.c", "cc", "-std=c99", "md5"),
        ("examples/jobs.c", "cc", "-std=c99", ""),
        ("examples/stream.cpp", "c++", "-std=c++14", "md5"),
    ] {
        let full = fs::File::options().write(true).open("/dev/full").unwrap();
        let mut program = Command::new(compiled("full", compiler, standard, source));
        program.args(Some(argument).filter(|argument| !argument.is_empty()));
        let mut child =
            program.stdin(Stdio::piped()).stdout(full).stderr(Stdio::piped()).spawn().unwrap();
        let _ = child.stdin.take().unwrap().write_all(b"abc\n");
        let output = child.wait_with_output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{source}: {error}");
        let name = Path::new(source).file_stem().unwrap().to_str().unwrap();
        assert!(error.starts_with(&format!("{name}: ")), "{source}: {error}");
    }
}

#[test]
fn the_library_serves_cpp() {
    if !has("c++") || !has("pkg-config") {
        return;
    }
    let program = compiled("cpp", "c++", "-std=c++14", "examples/stream.cpp");
    let text = "from C++".repeat(20_000);
    let output = said(Command::new(&program).arg("sha512-256"), &text);
    let expected = lines([text.as_str()].into_iter(), "sha512-256");
    assert_eq!(String::from_utf8_lossy(&output.stdout), expected);
    let output = said(Command::new(&program).args(["sha256", "key"]), &text);
    let mut hmac = manylane::Hmac::new(manylane::HashId::Sha256, b"key").unwrap();
    hmac.update(text.as_bytes());
    assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), hex(&hmac.finalize()));
    let output = said(Command::new(&program).arg("sha257"), &text);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("`sha257`"));
}

/// Programs bind to the functions of this interface, and not to those of another version.
#[test]
#[cfg(target_os = "linux")]
fn symbols_have_versions() {
    if !has("nm") {
        return;
    }
    let library = installed().join("lib/libmanylane.so");
    let symbols = run(Command::new("nm").args(["-D", "--defined-only"]).arg(library));
    let version = env!("CARGO_PKG_VERSION").rsplit_once('.').unwrap().0;
    let (node, suffix) = (format!("MANYLANE_{version}"), format!("@@MANYLANE_{version}"));
    for symbol in symbols.lines().map(|line| line.rsplit(' ').next().unwrap()) {
        let is_function = symbol.starts_with("manylane_") && symbol.ends_with(&suffix);
        assert!(is_function || symbol == node, "{symbol}");
    }
    assert!(symbols.contains(&format!("manylane_hash_many{suffix}")));
}

/// Linked with the static library, the program needs no other file.
#[test]
#[ignore = "make test-c"]
fn the_static_library_serves_too() {
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join("interface-static");
    let private = flags(&["--libs", "--static"]);
    run(Command::new("cc")
        .args(["-std=c99", "-o"])
        .arg(&program)
        .arg(here().join("tests/interface.c"))
        .args(flags(&["--cflags"]))
        .arg(installed().join("lib/libmanylane.a"))
        .args(private.iter().filter(|flag| *flag != "-lmanylane")));
    run(&mut Command::new(program));
}

#[test]
#[ignore = "make test-c"]
fn valgrind_finds_nothing() {
    for (source, compiler, standard) in [
        ("tests/interface.c", "cc", "-std=c99"),
        ("tests/isal.c", "cc", "-std=c99"),
        ("examples/jobs.c", "cc", "-std=c99"),
        ("examples/lines.c", "cc", "-std=c99"),
        ("examples/stream.cpp", "c++", "-std=c++14"),
    ] {
        let program = compiled("valgrind", compiler, standard, source);
        let mut command = Command::new("valgrind");
        // Valgrind has no AVX-512.
        command.env("MANYLANE_MAX_ISA", "avx2");
        // What the main thread keeps of itself until the process ends is "possibly lost".
        command.args(["--quiet", "--leak-check=full", "--error-exitcode=9"]);
        command.args(["--show-leak-kinds=definite", "--errors-for-leak-kinds=definite"]);
        command.arg(program);
        let output = said(command.arg("sha256"), "some input");
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && error.is_empty(), "{source}: {error}");
    }
}

#[test]
#[ignore = "make test-c"]
fn cmake_finds_the_library() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cmake");
    fs::create_dir_all(&folder).unwrap();
    let project = format!(
        "cmake_minimum_required(VERSION 3.13)\nproject(example C)\n\
         find_package(manylane {} REQUIRED)\n\
         add_executable(jobs {jobs})\ntarget_link_libraries(jobs manylane::manylane)\n\
         add_executable(jobs-static {jobs})\ntarget_link_libraries(jobs-static manylane::static)\n",
        env!("CARGO_PKG_VERSION"),
        jobs = here().join("examples/jobs.c").display()
    );
    fs::write(folder.join("CMakeLists.txt"), project).unwrap();
    let build = folder.join("build");
    run(Command::new("cmake")
        .arg(format!("-DCMAKE_PREFIX_PATH={}", installed().display()))
        .arg("-S")
        .arg(&folder)
        .arg("-B")
        .arg(&build));
    run(Command::new("cmake").arg("--build").arg(&build));
    let shared = run(&mut Command::new(build.join("jobs")));
    assert_eq!(run(&mut Command::new(build.join("jobs-static"))), shared);
    assert_eq!(shared.lines().count(), 100);
}
