//! What the templates of a block cipher are given.

use super::expr::integer;
use super::helpers::helpers;
use super::straight::{Signature, straight};
use super::templates::Templates;
use super::{About, Cipher, Cores, Error, Options, text};
use minijinja::{Value, context};

/// The values, and the bodies of the three functions.
///
/// # Errors
/// If one has no body.
pub(super) fn values(
    cipher: &Cipher<'_>,
    about: &About<'_>,
    options: &Options,
) -> Result<Value, Error> {
    let p = about.prefix;
    if options.cores == Cores::Two {
        return Err(Error::Cores {
            function: cipher.expansion.name.clone(),
            why: "key expansion and encryption have no body for two cores",
        });
    }
    let of = |role: &str| {
        let inputs = cipher.expansion.inputs().iter();
        inputs.filter(|input| input.name.starts_with(role)).count()
    };
    let key_words = of("l");
    let width = cipher.expansion.width(cipher.expansion.inputs()[0].node);
    let (word, word_bytes) = (integer(width), usize::from(width / 8));
    let element = |name: &str| format!("{}[{}]", &name[..1], &name[1..]);
    let of_block = |name: &str| format!("p[{}]", &name[1..]);
    let make =
        |function, name: &str, parameters: &str, about: &str, output: &dyn Fn(&str) -> String| {
            let name = format!("{p}_{name}");
            let signature = Signature {
                prefix: p,
                name: &name,
                parameters,
                optional: &[],
                about,
                input: &element,
                output,
            };
            straight(function, &signature).map(|body| body.text)
        };
    let expansion = make(
        cipher.expansion,
        "expand",
        &format!("{word} *s, const {word} *l"),
        "Mixes the key's words l into the table s.",
        &element,
    )?;
    let parameters = format!("{word} *p, const {word} *s");
    let encryption = make(
        cipher.encryption,
        "encrypt_words",
        &parameters,
        "Encrypts the block p under the table s.",
        &of_block,
    )?;
    let decryption = make(
        cipher.decryption,
        "decrypt_words",
        &parameters,
        "Decrypts the block p under the table s.",
        &of_block,
    )?;
    let block_bytes = 2 * word_bytes;
    // The number of the last block before the counter repeats, where a length can be greater.
    let last_number = match block_bytes {
        2 => "65535",
        4 => "4294967295",
        _ => "",
    };
    Ok(context! {
        p, P => p.to_uppercase(), title => about.title, standard => about.standard,
        warning => about.warning, command => about.command,
        word, word_bytes, bits => width, block_bytes, key_words, last_number,
        key_bytes => cipher.key_bytes, table_words => cipher.table.len(),
        context_bytes => cipher.table.len() * word_bytes,
        table => text::words(cipher.table, width),
        body => [expansion, encryption, decryption].join("\n"),
    })
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
