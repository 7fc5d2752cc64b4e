//! The C functions of a program of two processors.
//!
//! ```text
//!  main core                                   second core
//!  job of n blocks ── base, n ───────────────► worker: for each of n blocks
//!  for each block                                wait for the block's words
//!    give: words (h, t) into a slot ── +1 ────►  its share, with hand-overs both ways
//!    its share, with hand-overs both ways        say that the slot is free
//! ```
//!
//! The numbers of a block's hand-overs follow on those of the block before. Where the second core needs
//! nothing but the words there are two slots, so that it may be a block ahead.

use super::super::straight::Signature;
use super::super::{Body, Error, Programs, Shared};
use super::mailbox::Mailbox;
use super::sequential;
use super::writer::Writer;
use manylane_graph::Role;
use manylane_plan::program::{MAIN, Program};

/// The second core's share, and the main core's, which returns 0 and leaves the chaining value as it is
/// if the second core does not answer; and the same function on one core.
///
/// # Errors
/// If a node has no C, or nothing is gained by a second core.
pub(super) fn two_core(
    programs: &Programs<'_>,
    signature: &Signature<'_>,
    load: &dyn Fn(&str) -> String,
) -> Result<Body, Error> {
    let program = programs.two.unwrap_or(programs.one);
    let alone = sequential(programs.one, signature)?;
    if program.processors < 2 {
        return Err(Error::Cores {
            function: program.rolled.name.clone(),
            why: "no split over two cores is faster than one core",
        });
    }
    let mailbox = Mailbox::of(program);
    let words = Words::of(program);
    // Both cores read the block's words from the slot, where the main core puts them: what the caller has
    // may be gone before a worker that is late has read it.
    let input = |name: &str| match name.strip_prefix('m') {
        Some(number) if words.raw => load(&format!("(const uint8_t *)&slot->block[{number}]")),
        Some(number) => format!("slot->block[{number}]"),
        None => (signature.input)(name),
    };
    let signature_of_words = Signature { input: &input, ..*signature };
    let pair_name = format!("{}_pair", signature.name);
    let main = Signature { name: &pair_name, ..signature_of_words };
    let main = Writer::new(program, MAIN, &main, Some(&mailbox)).run()?;
    let worker_name = format!("{}_worker", signature.name);
    let share_name = format!("{}_share", signature.name);
    let share = Signature { name: &share_name, ..signature_of_words };
    let share = Writer::new(program, 1, &share, Some(&mailbox)).run()?;
    let Signature { prefix, about, .. } = signature;
    let mut fields = mailbox.fields.clone();
    let mut bytes = mailbox.bytes;
    let (mut give, mut take) = (Vec::new(), String::new());
    for i in 0..words.count {
        let place = format!("block + {}", i * words.bytes);
        let word = match words.raw {
            true => format!("{prefix}_load{}({place})", 8 * words.bytes),
            false => load(&place),
        };
        give.push(format!("slot->block[{i}] = {word};"));
    }
    let (mut parameters, mut unused) = (String::new(), String::new());
    for (name, role) in [("h", Role::Chaining), ("t0", Role::Counter), ("t1", Role::Counter)] {
        let Some((count, bits)) = words_of(program, role) else { continue };
        let integer = format!("uint{bits}_t");
        parameters += &match role {
            Role::Chaining => format!(", {integer} *h"),
            _ => format!(", {integer} {name}"),
        };
        if !uses(&main.lines, name) {
            unused += &format!("    (void){name};\n");
        }
        if !uses(&share.lines, name) {
            continue;
        }
        match role {
            Role::Chaining => {
                fields.push(format!("{integer} h[{count}];"));
                bytes += count * bits as usize / 8;
                give.extend((0..count).map(|i| format!("slot->h[{i}] = h[{i}];")));
                take += &format!("    const {integer} *const h = slot->h;\n");
            }
            _ => {
                fields.push(format!("{integer} {name};"));
                bytes += bits as usize / 8;
                give.push(format!("slot->{name} = {name};"));
                take += &format!("    const {integer} {name} = slot->{name};\n");
            }
        }
    }
    let slots = if program.runs_ahead() { 2 } else { 1 };
    let next_slot = match slots {
        1 => "&pair->slots[0]".to_owned(),
        _ => format!("&pair->slots[i % {slots}u]"),
    };
    let most = mailbox.most;
    let text = format!(
        "{}\n{}\
         /* The second core's share of one call. Returns 0 if the main core does not answer. */\n\
         static int MANYLANE_CODE({share_name})(manylane_second *second, {prefix}_slot *slot, uint32_t base)\n{{\n\
         {take}{}    return 1;\n}}\n\n\
         /* The second core's share of a job: of every block whose words the main core gives. */\n\
         static void MANYLANE_CODE({worker_name})(void *argument)\n{{\n\
         \x20   {prefix}_pair *const pair = ({prefix}_pair *)argument;\n\
         \x20   manylane_second *const second = pair->second;\n\
         \x20   const uint32_t blocks = pair->blocks;\n\
         \x20   uint32_t base = pair->base;\n\
         \x20   uint32_t i;\n\
         \x20   for (i = 0; i < blocks; i++) {{\n\
         \x20       if (!MANYLANE_WAIT(&second->given, base + 1u)\n\
         \x20           || !{share_name}(second, {next_slot}, base)) {{\n\
         \x20           return;\n        }}\n\
         \x20       base += {most}u;\n\
         \x20       MANYLANE_POST(&second->posted, base);\n    }}\n}}\n\n{}\
         /* {about} The second core computes its share meanwhile. Returns 0, with h unchanged, if that\n\
         \x20  core does not answer. */\n\
         static int MANYLANE_CODE({pair_name})(manylane_second *second, {prefix}_slot *slot, uint32_t base{parameters})\n{{\n\
         {unused}{}    return 1;\n}}\n",
        alone.text, share.tables, share.lines, main.tables, main.lines,
    );
    let shared = Shared {
        fields,
        bytes: bytes * slots,
        handshakes: program.handshakes(),
        slots,
        most,
        give,
    };
    Ok(Body { text, shared: Some(shared) })
}

/// How the words of a block are handed over.
struct Words {
    count: usize,
    /// Bytes of a word.
    bytes: usize,
    /// Whether as they lie in the message.
    raw: bool,
}

impl Words {
    fn of(program: &Program) -> Self {
        let (count, bits) = words_of(program, Role::Message).unwrap_or((0, 32));
        Self { count, bytes: bits as usize / 8, raw: program.gives_raw_words() }
    }
}

/// How many words the inputs of a role are, and the bits of each; limbs make a word together.
fn words_of(program: &Program, role: Role) -> Option<(usize, u32)> {
    let inputs = || program.rolled.inputs.iter().filter(|input| input.role == role);
    let bits = inputs().map(|i| u32::from(program.rolled.definition(i.value).width)).sum::<u32>();
    let count =
        inputs().filter(|i| i.name.split('.').nth(1).is_none_or(|limb| limb == "0")).count();
    (count > 0).then(|| (count, bits / count as u32))
}

/// Whether a text has a name as a whole word.
fn uses(text: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.match_indices(name).any(|(at, _)| {
        !text[at + name.len()..].starts_with(is_part) && !text[..at].ends_with(is_part)
    })
}
