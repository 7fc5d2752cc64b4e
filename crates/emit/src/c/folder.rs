//! The files of a library's folder.

use super::templates::Templates;
use super::{
    About, Cores, Error, Options, Packaging, Subject, cipher, hash, names, packaging, readme, text,
};
use minijinja::{Value, context};

/// What was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Folder {
    /// Path inside the folder and text.
    pub files: Vec<(String, String)>,
    /// The sources of the library, without self-tests.
    pub library: Vec<String>,
    /// The sources of the self-tests.
    pub self_tests: Vec<String>,
    /// Bytes of a context.
    pub context_bytes: usize,
    /// Known answers that the self-test computes.
    pub answers: usize,
}

/// A library, its headers before what includes them.
struct Library {
    headers: Vec<(String, String)>,
    library: Vec<(String, String)>,
    self_tests: Vec<(String, String)>,
    /// The values for the templates of the folder.
    values: Value,
    kind: &'static str,
    sizes: Vec<(String, usize)>,
    answers: usize,
}

/// The folder of a library.
///
/// # Errors
/// If the primitive has a part that C has no text for, or a prefix is the name of a variable.
pub(super) fn folder(
    subject: &Subject<'_>,
    about: &About<'_>,
    options: &Options,
) -> Result<Folder, Error> {
    let templates = Templates::new();
    let library = match subject {
        Subject::Hash { .. } => of_hash(&templates, subject, about, options)?,
        Subject::Cipher(_) => of_cipher(&templates, subject, about, options)?,
    };
    let paths = |files: &[(String, String)]| -> Vec<String> {
        files.iter().map(|(path, _)| path.clone()).collect()
    };
    let (sources, self_tests) = (paths(&library.library), paths(&library.self_tests));
    let packaging: Vec<&str> = options.packaging.iter().map(|system| system.name()).collect();
    let description = serde_json::to_string(&format!("{} ({})", about.title, about.standard));
    let values = context! {
        kind => library.kind,
        is_hash => library.kind != "cipher",
        all_answers => library.answers,
        sources => [&sources[..], &self_tests].concat(),
        library => &sources, self_tests => &self_tests, packaging,
        version => env!("CARGO_PKG_VERSION"),
        description => description.expect("a text is JSON"),
        constant_time => readme::constant_time(subject, options),
        sizes => &library.sizes,
        measured => about.measured,
        ..library.values.clone()
    };
    let mut files = vec![("README.md".to_owned(), templates.render("README.md", &values))];
    files.extend(packaging::files(&templates, &options.packaging, &values));
    if options.packaging.contains(&Packaging::Amalgamated) {
        // In the amalgamated file of an HMAC the hash gets a prefix of its own: a program may also
        // include the amalgamated file of the hash, made with other options and implemented in
        // another source file.
        let own = format!("{}_hash", about.prefix);
        let renamed = match about.prefix == about.hash_prefix {
            true => None,
            false => {
                let about = About { hash_prefix: &own, ..about.clone() };
                Some(of_hash(&templates, subject, &about, options)?)
            }
        };
        let one = renamed.as_ref().unwrap_or(&library);
        let sources = [&one.library[..], &one.self_tests].concat();
        let values = context! {
            headers => joined(&one.headers), sources_text => guarded(&sources), ..values.clone()
        };
        let name = format!("amalgamated/{}.h", about.prefix);
        files.push((name, templates.render("amalgamated", &values)));
    }
    files.push(("examples/pc/main.c".to_owned(), templates.render("main", &values)));
    let Library { headers, library, self_tests: tests, sizes, answers, .. } = library;
    files.extend(headers.into_iter().chain(library).chain(tests));
    for prefix in [about.prefix, about.hash_prefix] {
        let is_c = |path: &str| path.ends_with(".c") || path.ends_with(".h");
        let texts = files.iter().filter(|(path, _)| is_c(path));
        names::hides_no_variable(prefix, texts.map(|(_, text)| text.as_str()))?;
    }
    let context_bytes = sizes[0].1;
    Ok(Folder { files, library: sources, self_tests, context_bytes, answers })
}

/// Texts one after the other, without the lines by which they include each other.
fn joined(files: &[(String, String)]) -> String {
    files.iter().map(|(_, text)| within(text, files)).collect()
}

/// A text that stands in one file with others.
fn within(text: &str, files: &[(String, String)]) -> String {
    // Each source includes the headers of the system again, which does no harm.
    let kept = text.lines().filter(|line| !is_own_include(line, files) && *line != PORT);
    kept.map(|line| format!("{line}\n")).collect()
}

/// The sources joined as by [`joined`], each with an include guard, because a program may include
/// the file twice.
fn guarded(sources: &[(String, String)]) -> String {
    let of = |source: &(String, String)| {
        let name = source.0.trim_start_matches("src/").to_uppercase().replace('.', "_");
        let text = within(&source.1, sources);
        format!("#ifndef {name}\n#define {name}\n{text}#endif\n")
    };
    sources.iter().map(of).collect()
}

/// How the port is included.
const PORT: &str = "#include \"manylane_port.h\"";

/// Whether a line includes one of the library's headers, whose names are those of its sources.
fn is_own_include(line: &str, files: &[(String, String)]) -> bool {
    let name = line.strip_prefix("#include \"").and_then(|rest| rest.strip_suffix(".h\""));
    name.is_some_and(|name| {
        files.iter().any(|(path, _)| {
            let file = path.rsplit('/').next().unwrap_or_default();
            file.split('.').next() == Some(name)
        })
    })
}

/// Lengths of messages with known answers: around whole blocks, and 3, for which the message is
/// "abc".
fn lengths(block: usize) -> Vec<usize> {
    let mut lengths = vec![0, 3, block - 1, block, block + 1, 2 * block];
    lengths.sort_unstable();
    lengths.dedup();
    lengths
}

/// The bytes of messages and keys in self-tests.
fn bytes(length: usize) -> Vec<u8> {
    (0..length).map(|i| (131 * i + i / 256 + 1) as u8).collect()
}

fn of_hash(
    templates: &Templates,
    subject: &Subject<'_>,
    about: &About<'_>,
    options: &Options,
) -> Result<Library, Error> {
    let Subject::Hash { hash, mac } = subject else { unreachable!("the subject is a hash") };
    // HMAC has work for a second core whatever the hash is: the two blocks of the key.
    let is_duo = mac.is_some() && options.cores == Cores::Two;
    let has_share = hash.compression.two.is_some_and(|two| two.processors > 1);
    let cores = if is_duo && !has_share { Cores::One } else { options.cores };
    let options = &Options { cores, ..options.clone() };
    let parts = hash::parts(hash, about, options, mac.is_some())?;
    let (p, m, block) = (about.hash_prefix, about.prefix, hash.stream.framing.block_bytes);
    let answers: Vec<Value> = lengths(block)
        .into_iter()
        .map(|length| {
            let message = if length == 3 { b"abc".to_vec() } else { bytes(length) };
            context! { length, bytes => text::bytes(&(hash.digest)(&message), "        ") }
        })
        .collect();
    let macs: Vec<Value> = mac
        .iter()
        .flat_map(|mac| {
            let cases = [(0, 0), (20, 3), (block, block - 1), (block + 1, block), (3, block + 1)];
            cases.map(|(key, length)| {
                let code = mac(&bytes(key), &bytes(length));
                context! { key, length, bytes => text::bytes(&code, "        ") }
            })
        })
        .collect();
    let values = context! {
        m, M => m.to_uppercase(), longest => 2 * block,
        duo => is_duo || parts.body.shared.is_some(),
        second => if parts.body.shared.is_some() { "hash.second" } else { "second" },
        ..parts.values.clone()
    };
    let hash_answers = lengths(block).len();
    let with = |answers: &[Value]| context! { answers, hash_answers, ..values.clone() };
    let mut headers = Vec::new();
    if is_duo || parts.body.shared.is_some() {
        headers.push(("include/manylane_port.h".to_owned(), templates.render("port", &values)));
    }
    headers.push((format!("include/{p}.h"), templates.render("hash.h", &values)));
    let mut library = vec![(format!("src/{p}.c"), hash::source(templates, &parts, options))];
    let hash_test = templates.render("hash_selftest", &with(&answers));
    let mut self_tests = vec![(format!("src/{p}_selftest.c"), hash_test)];
    let mut sizes = vec![(format!("a context, `{p}_ctx`"), parts.context_bytes)];
    let state = hash.stream.framing.initial.len() * hash.stream.framing.word_bits as usize / 8;
    if mac.is_some() {
        headers.push((format!("include/{m}.h"), templates.render("hmac.h", &values)));
        let clear = templates.render("clear", &context! { p => m });
        let source = templates.render("hmac.c", &context! { clear, ..values.clone() });
        library.push((format!("src/{m}.c"), source));
        let test = templates.render("hmac_selftest", &with(&macs));
        self_tests.push((format!("src/{m}_selftest.c"), test));
        let held = if hash.stream.framing.padding.holds_last { block } else { 0 };
        sizes.push((format!("HMAC under way, `{m}_ctx`"), parts.context_bytes + state + held));
        sizes.push((format!("a prepared key, `{m}_key`"), 2 * state + held));
    }
    if let Some(shared) = &parts.body.shared {
        sizes.push((format!("what both cores see of a block, in `{p}_pair`"), shared.bytes));
    }
    if is_duo {
        sizes.push((format!("what both cores see of a key, in `{m}_pair`"), block + state));
    }
    let kind = if mac.is_some() { "hmac" } else { "hash" };
    let answers = answers.len() + macs.len();
    Ok(Library { headers, library, self_tests, values, kind, sizes, answers })
}

/// Keys with known answers, and blocks under each.
const KEYS: usize = 3;
const ANSWER_BLOCKS: usize = 4;

fn of_cipher(
    templates: &Templates,
    subject: &Subject<'_>,
    about: &About<'_>,
    options: &Options,
) -> Result<Library, Error> {
    let Subject::Cipher(cipher) = subject else { unreachable!("the subject is a cipher") };
    let values = cipher::values(cipher, about, options)?;
    let p = about.prefix;
    let number = |name: &str| {
        let value = values.get_attr(name).ok().and_then(|value| usize::try_from(value).ok());
        value.expect("the values have this size")
    };
    let (block, size) = (number("block_bytes"), number("context_bytes"));
    let plain: Vec<u8> = (0..ANSWER_BLOCKS * block).map(|i| (131 * i + 1) as u8).collect();
    let answers: Vec<String> = (0..KEYS)
        .map(|n| {
            let key: Vec<u8> = (0..cipher.key_bytes).map(|i| (29 * i + n) as u8).collect();
            text::bytes(&(cipher.encrypt)(&key, &plain), "        ")
        })
        .collect();
    let values = context! {
        m => p, M => p.to_uppercase(), answers, answer_blocks => ANSWER_BLOCKS,
        is_xof => false, ..values
    };
    let mut headers = Vec::new();
    if options.cores == Cores::Two {
        headers.push(("include/manylane_port.h".to_owned(), templates.render("port", &values)));
    }
    headers.push((format!("include/{p}.h"), templates.render("cipher.h", &values)));
    let source = cipher::source(templates, &values, about, options);
    let library = vec![(format!("src/{p}.c"), source)];
    let test = templates.render("cipher_selftest", &values);
    let self_tests = vec![(format!("src/{p}_selftest.c"), test)];
    let sizes = vec![(format!("an expanded key, `{p}_ctx`"), size)];
    Ok(Library { headers, library, self_tests, values, kind: "cipher", sizes, answers: KEYS })
}
