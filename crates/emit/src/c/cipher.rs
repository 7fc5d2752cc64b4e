//! The values that the templates of a block cipher take.

use super::body::body;
use super::expr::integer;
use super::helpers::helpers;
use super::signature::Signature;
use super::templates::Templates;
use super::{About, Body, Cipher, Cores, Error, Options, Programs, text};
use manylane_graph::Role;
use manylane_graph::roll::Rolled;
use manylane_plan::program::Program;
use minijinja::{Value, context};

/// The largest number of blocks that the second core takes in a job.
pub const SHARE: usize = 16;

/// The values that templates are given, and the bodies of the functions.
///
/// # Errors
/// If a function has no body.
pub(super) fn values(
    cipher: &Cipher<'_>,
    about: &About<'_>,
    options: &Options,
) -> Result<Value, Error> {
    let p = about.prefix;
    let width = cipher.word_bits;
    let (word, word_bytes) = (integer(width), usize::from(width / 8));
    let key_words = cipher.key_bytes.div_ceil(word_bytes).max(1);
    let alone = |program, name: &str, parameters: &str, about: &str, places: Places<'_>| {
        let signature = Signature {
            prefix: p,
            name: &format!("{p}_{name}"),
            parameters,
            optional: &[],
            about,
            input: places.input,
            output: places.output,
        };
        body(&Programs { one: program, two: None }, Cores::One, &signature).map(|body| body.text)
    };
    // The table before the key is mixed in is constant.
    let of_table = |input: &str| match input.strip_prefix('s') {
        Some(number) => format!("{p}_table[{number}]"),
        None => element(input),
    };
    let of_block = |name: &str| format!("p[{}]", &name[1..]);
    let expansion = alone(
        cipher.expansion,
        "expand",
        &format!("{word} *s, const {word} *l"),
        "The table s, with the key's words l mixed in.",
        Places { input: &of_table, output: &element },
    )?;
    let parameters = format!("{word} *p, const {word} *s");
    let of_words = Places { input: &element, output: &of_block };
    let encryption = alone(
        cipher.encryption,
        "encrypt_words",
        &parameters,
        "Encrypts the block p under the table s.",
        of_words,
    )?;
    let decryption = alone(
        cipher.decryption,
        "decrypt_words",
        &parameters,
        "Decrypts the block p under the table s.",
        of_words,
    )?;
    let duo = options.cores == Cores::Two;
    let shared = cipher.beside.filter(|programs| duo && is_shared(programs));
    let beside = shared.map(|programs| beside(&programs, p, &word)).transpose()?;
    let block_bytes = 2 * word_bytes;
    // Words may be limbs in this program, as many as fill the blocks.
    let bits = |rolled: &Rolled| -> usize {
        let of_blocks = rolled.inputs.iter().filter(|input| input.role == Role::Message);
        of_blocks.map(|input| usize::from(rolled.definition(input.value).width)).sum()
    };
    let blocks = cipher.beside.map_or(0, |of| bits(&of.one.rolled) / (8 * block_bytes));
    // The number of the last block before the counter repeats; empty where no length reaches it.
    let last_number = match block_bytes {
        2 => "65535",
        4 => "4294967295",
        _ => "",
    };
    // The context has a pointer for two cores, and a size that is the same on every machine.
    let table_bytes = cipher.table.len() * word_bytes;
    let room_words =
        if duo { table_bytes.next_multiple_of(8) - table_bytes } else { 0 } / word_bytes;
    let pointer_bytes = if duo { 8 } else { 0 };
    let bodies = [expansion, encryption, decryption].into_iter();
    let bodies: Vec<String> = bodies.chain(beside.iter().map(|body| body.text.clone())).collect();
    let pair = beside.and_then(|body| body.shared).map(|shared| {
        let fields = [shared.reused_fields, shared.fields].concat();
        context! { fields, handshakes => shared.handshakes, has_flags => shared.has_flags, blocks }
    });
    Ok(context! {
        p, P => p.to_uppercase(), title => about.title, standard => about.standard,
        warning => about.warning, command => about.command,
        word, word_bytes, bits => width, block_bytes, key_words, last_number,
        key_bytes => cipher.key_bytes, table_words => cipher.table.len(), room_words,
        context_bytes => table_bytes + room_words * word_bytes + pointer_bytes,
        table => text::words(cipher.table, width),
        body => bodies.join("\n"),
        duo, beside => pair, pair => (), share => SHARE,
    })
}

/// The C expressions of a function's inputs and outputs, by their names.
#[derive(Clone, Copy)]
struct Places<'p> {
    input: &'p dyn Fn(&str) -> String,
    output: &'p dyn Fn(&str) -> String,
}

/// An element of an array in C, by the name of an input or an output.
fn element(name: &str) -> String {
    format!("{}[{}]", &name[..1], &name[1..])
}

/// Whether a second core has a share.
fn is_shared(programs: &Programs<'_>) -> bool {
    programs.two.is_some_and(|two| two.processors > 1)
}

/// Key expansion beside the encryption of blocks, for two cores and for one.
fn beside(programs: &Programs<'_>, p: &str, word: &str) -> Result<Body, Error> {
    let one = with_names_of_compression(programs.one);
    let two = programs.two.map(with_names_of_compression);
    let name = format!("{p}_beside");
    let signature = Signature {
        prefix: p,
        name: &name,
        parameters: &format!("{word} *h, {word} *s, const {word} *l"),
        optional: &[],
        about: "Mixes the key's words l into the table s, and encrypts the blocks h under it.",
        input: &|name| match name.split_at(1) {
            ("m", number) => format!("l[{number}]"),
            _ => element(name),
        },
        output: &|name| match name.split_at(1) {
            ("c", number) => format!("h[{number}]"),
            _ => element(name),
        },
    };
    body(&Programs { one: &one, two: two.as_ref() }, Cores::Two, &signature)
}

/// The same program with the names of a compression's inputs, which bodies for two cores expect:
/// the key's words become the words `m` of a message, and the blocks become the chaining value `h`.
fn with_names_of_compression(program: &Program) -> Program {
    let mut program = program.clone();
    for input in &mut program.rolled.inputs {
        let (name, role) = match input.role {
            Role::Message => ("h", Role::Chaining),
            _ => ("m", Role::Message),
        };
        input.name.replace_range(..1, name);
        input.role = role;
    }
    program
}

/// The source of a cipher.
pub(super) fn source(
    templates: &Templates,
    values: &Value,
    about: &About<'_>,
    options: &Options,
) -> String {
    let clear = templates.render("clear", values);
    let with = |helpers: &str, preamble: &str| {
        context! { clear => &clear, helpers, preamble, ..values.clone() }
    };
    let around = templates.render("cipher.c", &with("", ""));
    let helpers = helpers(&around, about.prefix, options.tables);
    let preamble = templates.render("preamble", &with(&helpers, ""));
    templates.render("cipher.c", &with(&helpers, &preamble))
}
