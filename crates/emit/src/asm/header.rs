//! The header of a hash, or of HMAC with it.

use super::{About, Cores, Hash, folder};

/// The header of a hash, or of HMAC with it.
pub(super) fn header(
    about: &About<'_>,
    cores: Cores,
    hash: &Hash<'_>,
    context_bytes: usize,
) -> String {
    let p = about.prefix;
    let upper = p.to_uppercase();
    let contents = format!(
        "#define {upper}_DIGEST_BYTES {}
#define {upper}_CONTEXT_BYTES {context_bytes}

/* A message under way. Its bytes are not to be used; a context may be copied. */",
        hash.stream.digest_bytes
    );
    let settle = match cores {
        Cores::Cpu | Cores::Xgate => String::new(),
        Cores::Both => format!(
            r#"
/* Waits until XGATE is done with what {p}_update gave it. The data of an update must stay as it is,
 * and its context must not be copied, until this or another call of these functions returns. */
void {p}_settle(void);
"#
        ),
    };
    let (init, end) = match hash.mac {
        Some(_) => (
            format!(
                "\n/* Begins a message under a key of any length. */\n\
                 void {p}_init({p}_ctx *c, const void *key, uint16_t length);"
            ),
            format!(
                "/* Ends the message, writes its MAC and overwrites the context. */\n\
                 void {p}_final({p}_ctx *c, uint8_t mac[{upper}_DIGEST_BYTES]);"
            ),
        ),
        None => (
            format!("void {p}_init({p}_ctx *c);"),
            format!("void {p}_final({p}_ctx *c, uint8_t digest[{upper}_DIGEST_BYTES]);"),
        ),
    };
    let functions = format!(
        r#"
/* The functions share a work area: an interrupt must not call them while one of them runs. They use
 * D, X and Y, as gcc for the 68HC12 lets them; its int must have 16 bits (-mshort). */
{init}
void {p}_update({p}_ctx *c, const void *data, uint16_t length);
{end}
{settle}"#
    );
    folder::header(about, cores, &contents, &functions)
}
