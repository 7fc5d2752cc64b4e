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
//! The numbers of a block's hand-overs continue those of the block before. Where the second core
//! needs nothing but the words there are two slots, so that it may be a block ahead.

use super::super::helpers::AT_ONCE;
use super::super::signature::Signature;
use super::super::text::uses;
use super::super::{Body, Error, Programs, Shared};
use super::later;
use super::mailbox::Mailbox;
use super::one_core::sequential;
use super::tables::Literals;
use super::writer::Writer;
use manylane_graph::Role;
use manylane_graph::framing::COUNTER_NAMES;
use manylane_plan::program::{MAIN, Program};
use std::ops::Range;

/// The way in which calls of a function follow each other on two cores.
pub(in crate::c) enum Calls<'c> {
    /// Each call is a job of its own.
    Single,
    /// The calls for blocks in a row are one job. The parameter `block` points to the first byte of
    /// a block. If the main core needs few of the words itself, it hands them over as they lie in
    /// memory; the function returns the expression for the word at an address.
    Blocks(&'c dyn Fn(&str) -> String),
}

/// The declaration of functions that are not to be inlined into their one caller, where both would
/// share the registers.
const APART: &str = "static MANYLANE_APART";

/// The declaration of the shares of a call. Where words take two registers of 32 bits each, a share
/// that is inlined into a loop would leave no register for the loop.
fn share_of(program: &Program) -> &'static str {
    let bodies = || program.rolled.regions.iter().map(|region| &region.body);
    let is_wide = bodies().any(|body| body.nodes().any(|node| body.width(node) > 32));
    if is_wide { APART } else { "static MANYLANE_SHARE" }
}

/// Writes the second core's share; the main core's, which returns 0 and leaves the chaining value
/// unchanged if the second core does not answer; and the same function on one core.
///
/// # Errors
/// If a node has no C, or nothing is gained by a second core.
pub(super) fn two_core(
    programs: &Programs<'_>,
    signature: &Signature<'_>,
    calls: &Calls<'_>,
) -> Result<Body, Error> {
    let program = programs.two.unwrap_or(programs.one);
    let alone = sequential(programs.one, signature, APART)?;
    if program.processors < 2 {
        return Err(Error::Cores {
            function: program.rolled.name.clone(),
            why: "no split over two cores is faster than one core",
        });
    }
    let mailbox = Mailbox::of(program);
    let mut words = Words::of(program, calls);
    // With at least as many hand-overs as words, the cores wait for each other all the time, and a
    // call begins sooner if the main core gives first the words that the second core reads first.
    // With fewer, one core is mostly ahead, and nothing is gained. A job of one call gives all its
    // inputs before it asks the second core.
    let of_main = program.transfers.iter().filter(|transfer| transfer.from == MAIN).count();
    let is_close = mailbox.has_flags && of_main >= words.count && matches!(calls, Calls::Blocks(_));
    // The slot's many flags lie in front of its words, so that short offsets from the slot do not
    // reach the words. Helpers that copy several words at once take a pointer anyway.
    words.by_pointers = is_close && words.raw.is_none();
    // Both cores read the block's words from the slot, into which the main core copies them: the
    // caller's buffer may be gone before a late worker has read it.
    let input = |name: &str| match (name.strip_prefix('m'), words.raw) {
        (Some(number), Some(load)) => load(&format!("(const uint8_t *)&{BLOCK}[{number}]")),
        (Some(number), None) => format!("{BLOCK}[{number}]"),
        (None, _) => (signature.input)(name),
    };
    let literals = Literals::of(program, signature.name);
    let write = |processor, name: &str| {
        let of_words = Signature { input: &input, name, ..*signature };
        let mut writer = Writer::new(program, processor, &of_words, Some(&mailbox));
        writer.literals = Some(&literals);
        writer.run()
    };
    let Signature { prefix: p, name, about, .. } = signature;
    let main = write(MAIN, &format!("{name}_main"))?;
    let share = write(1, &format!("{name}_share"))?;
    let [main_literals, share_literals] =
        [&main, &share].map(|written| literals.opening(&written.lines));
    let [main_later, share_later] =
        [&main, &share].map(|written| later::declaration(written.later));
    let is_read = !main_literals.is_empty() || !share_literals.is_empty();
    let table = if is_read { literals.table() } else { String::new() };
    let soon = is_close.then(|| before_waits(&share.lines));
    let mut given = words.given(signature, soon);
    let mut take = String::new();
    let counters = COUNTER_NAMES.map(|name| (name, Role::Counter));
    for (name, role) in [("h", Role::Chaining)].into_iter().chain(counters) {
        let Some((count, bits)) = words_of(program, role).filter(|_| uses(&share.lines, name))
        else {
            continue;
        };
        given.add(name, role, count, bits, is_close.then_some(&share.lines));
        let pointer = if role == Role::Chaining { "*const " } else { "" };
        take += &format!("    const uint{bits}_t {pointer}{name} = slot->{name};\n");
    }
    given.pass_over(COUNTER_NAMES, signature.parameters);
    let (slots, slot) = match calls {
        Calls::Blocks(_) => (if program.runs_ahead() { 2 } else { 1 }, "slot"),
        Calls::Single => (1, "pair"),
    };
    // The main core's share reads the block's words from the slot.
    let is_needed =
        |parameter: &&str| matches!(calls, Calls::Single) || parameter_name(parameter) != "block";
    let parameters: Vec<&str> = signature.parameters.split(", ").filter(is_needed).collect();
    let unused = parameters.iter().map(|parameter| parameter_name(parameter));
    let unused = unused.filter(|name| !uses(&main.lines, name));
    let unused: String = unused.map(|name| format!("    (void){name};\n")).collect();
    let unused_by_share = if mailbox.has_flags { "    (void)second;\n" } else { "" };
    let unused = format!("{unused_by_share}{unused}");
    let parameters = parameters.join(", ");
    let (numbers_per_call, has_flags, number) =
        (mailbox.numbers_per_call, mailbox.has_flags, mailbox.parameter());
    let declared = share_of(program);
    let jobs = match calls {
        Calls::Blocks(_) => job_of_blocks(signature, slots, &mailbox),
        Calls::Single => job_of_one(signature, &mailbox, &given.lines),
    };
    let text = format!(
        "{}\n{table}{}\
         /* The second core's share of one call. Returns 0 if the main core does not answer. */\n\
         {declared} int MANYLANE_CODE({name}_share)(manylane_second *second, {p}_{slot} *slot, \
         uint32_t {number})\n{{\n\
         {unused_by_share}{share_later}{take}{share_literals}{}    return 1;\n}}\n\n{}\
         /* {about} The second core computes its share meanwhile. Returns 0, with h unchanged, if \
         that\n\
         \x20  core does not answer. */\n\
         {declared} int MANYLANE_CODE({name}_main)(manylane_second *second, {p}_{slot} *slot, \
         uint32_t {number},\n\
         \x20   {parameters})\n{{\n{unused}{main_later}{main_literals}{}{}    return 1;\n}}\n\n\
         {jobs}",
        alone.text,
        share.tables,
        share.lines,
        main.tables,
        mailbox.opening(MAIN),
        main.lines,
    );
    let JobInputs { lines: give, late: give_late, fields, bytes, by_pointers } = given;
    let fields = [mailbox.fields, fields].concat();
    let bytes = (mailbox.bytes + bytes) * slots;
    let handshakes = program.handshakes();
    let reused_fields = mailbox.reused_fields;
    let keeps_words = main.keeps_words || share.keeps_words;
    let shared = Shared {
        reused_fields,
        fields,
        bytes,
        handshakes,
        slots,
        numbers_per_call,
        has_flags,
        keeps_words,
        give,
        give_late,
        by_pointers,
        ends_in_post: ends_in_post(&share.lines),
    };
    Ok(Body { text, shared: Some(shared) })
}

/// The second core's loop over the blocks of a job. The main core's loop is in a template.
fn job_of_blocks(signature: &Signature<'_>, slots: usize, mailbox: &Mailbox) -> String {
    let Signature { prefix: p, name, .. } = signature;
    let numbers_per_call = mailbox.numbers_per_call;
    let (call, number, end) = match mailbox.has_flags {
        true => (
            "    const uint32_t call = pair->call + 1u;\n",
            "call + i",
            " || MANYLANE_LOAD(&pair->abandoned)",
        ),
        false => ("", "base", ""),
    };
    let slot = match slots {
        1 => "&pair->slots[0]".to_owned(),
        _ => format!("&pair->slots[i % {slots}u]"),
    };
    format!(
        "/* The second core's share of a job: of every block whose words the main core gives. */\n\
         static void MANYLANE_CODE({name}_worker)(void *argument)\n{{\n\
         \x20   {p}_pair *const pair = ({p}_pair *)argument;\n\
         \x20   manylane_second *const second = pair->second;\n\
         \x20   const uint32_t blocks = pair->blocks;\n\
         \x20   uint32_t base = pair->base;\n{call}\
         \x20   uint32_t i;\n\
         \x20   for (i = 0; i < blocks; i++) {{\n\
         \x20       if (!MANYLANE_WAIT(&second->given, base + 1u){end}\n\
         \x20           || !{name}_share(second, {slot}, {number})) {{\n\
         \x20           return;\n        }}\n\
         \x20       base += {numbers_per_call}u;\n\
         \x20       MANYLANE_POST(&second->posted, base);\n    }}\n}}\n"
    )
}

/// The text of both cores for a job of one call.
fn job_of_one(signature: &Signature<'_>, mailbox: &Mailbox, give: &[String]) -> String {
    let Signature { prefix: p, name, parameters, .. } = signature;
    let (numbers_per_call, number) = (mailbox.numbers_per_call, mailbox.parameter());
    let (call, abandon) = match mailbox.has_flags {
        true => (
            "    slot->call++;\n",
            "        manylane_abandon(slot->given, sizeof slot->given / sizeof slot->given[0], \
             slot->call);\n",
        ),
        false => ("", ""),
    };
    let give: String = give.iter().map(|line| format!("    {line}\n")).collect();
    let arguments = parameters.split(", ").map(parameter_name).collect::<Vec<_>>().join(", ");
    format!(
        "static void MANYLANE_CODE({name}_worker)(void *argument)\n{{\n\
         \x20   {p}_pair *const pair = ({p}_pair *)argument;\n\
         \x20   (void){name}_share(pair->second, pair, pair->{number});\n}}\n\n\
         /* The call on both cores. Returns 0, with h unchanged, if the second core is busy or \
         does not\n\
         \x20  answer. */\n\
         static int {name}_pair({p}_pair *slot, {parameters})\n{{\n\
         \x20   manylane_second *const second = slot->second;\n\
         \x20   if (!manylane_is_free(second)) {{\n        return 0;\n    }}\n\
         \x20   slot->base = manylane_claim(second, {numbers_per_call}u);\n{call}{give}\
         \x20   if (!MANYLANE_START(second, {name}_worker, slot)) {{\n        return 0;\n    }}\n\
         \x20   if (!{name}_main(second, slot, slot->{number}, {arguments})) {{\n\
         \x20       /* The second core waits for nothing more, and runs to its end. */\n\
         \x20       MANYLANE_POST(&second->given, slot->base + {numbers_per_call}u);\n{abandon}\
         \x20       return 0;\n    }}\n\
         \x20   manylane_settle(second);\n    return 1;\n}}\n"
    )
}

/// The statements of a share before its first wait.
fn before_waits(lines: &str) -> &str {
    let waits = ["MANYLANE_MEET(", "MANYLANE_WAIT(", "MANYLANE_REACH("];
    let first = waits.iter().filter_map(|wait| lines.find(wait)).min();
    &lines[..first.unwrap_or(lines.len())]
}

/// Whether a share does nothing after its last hand-over. The main core, once it has received that
/// hand-over, may then overwrite the slot.
fn ends_in_post(lines: &str) -> bool {
    lines.lines().last().is_some_and(|line| line.starts_with("    MANYLANE_POST("))
}

/// Whether some lines read this element of an array, or one whose index is not a literal.
fn reads(lines: &str, array: &str, element: usize) -> bool {
    let start = format!("{array}[");
    let mut numbers = lines.match_indices(&start).map(|(at, start)| {
        let number = lines[at + start.len()..].split(']').next().unwrap_or_default();
        number.parse::<usize>().ok()
    });
    numbers.any(|number| number.is_none_or(|number| number == element))
}

/// The values that the main core gives before a call: statements, and the slot's fields that they
/// fill beside the words.
struct JobInputs {
    lines: Vec<String>,
    /// Statements that give the words which the share does not read before its first wait. The main
    /// core runs them after it has posted the other words, and before its first hand-over, for
    /// which the share waits.
    late: Vec<String>,
    fields: Vec<String>,
    bytes: usize,
    /// Whether the statements write the words and the chaining value by [`WORDS`] and [`CHAINING`].
    by_pointers: bool,
}

impl JobInputs {
    /// Adds an input that the second core's share reads. `lines` are the share's statements: only
    /// the words of the chaining value that they read are given; with `None` all words are.
    fn add(&mut self, name: &str, role: Role, count: usize, bits: u32, lines: Option<&String>) {
        let (integer, bytes) = (format!("uint{bits}_t"), bits as usize / 8);
        if role == Role::Chaining {
            self.fields.push(format!("{integer} {name}[{count}];"));
            let to = if self.by_pointers { CHAINING.to_owned() } else { format!("slot->{name}") };
            let element = |i: usize| (format!("{to}[{i}]"), format!("{name}[{i}]"));
            match lines {
                Some(lines) => {
                    let read = (0..count).filter(|&i| reads(lines, name, i)).map(element);
                    self.lines.extend(in_pairs(&integer, read.collect()));
                }
                None => {
                    let all = (0..count).map(element).map(|(to, value)| format!("{to} = {value};"));
                    self.lines.extend(all);
                }
            }
            self.bytes += count * bytes;
        } else {
            self.fields.push(format!("{integer} {name};"));
            self.lines.push(format!("slot->{name} = {name};"));
            self.bytes += bytes;
        }
    }

    /// If some of these parameters are given, marks the others as unused.
    fn pass_over(&mut self, names: [&str; COUNTER_NAMES.len()], parameters: &str) {
        let is_given = |name: &str| self.lines.contains(&format!("slot->{name} = {name};"));
        if !names.iter().any(|name| is_given(name)) {
            return;
        }
        let unused = names.iter().filter(|name| uses(parameters, name) && !is_given(name));
        let unused: Vec<String> = unused.map(|name| format!("(void){name};")).collect();
        self.lines.splice(0..0, unused);
    }
}

/// Statements that store pairs (place, value), two at a time.
fn in_pairs(integer: &str, given: Vec<(String, String)>) -> Vec<String> {
    let statement = |values: &[(String, String)]| match values {
        [(to, value), (other_to, other)] => {
            format!("MANYLANE_GIVE({integer}, {to}, {value}, {other_to}, {other});")
        }
        _ => values.iter().map(|(to, value)| format!("{to} = {value};")).collect(),
    };
    given.chunks(2).map(statement).collect()
}

/// The array of a block's words in a slot.
const BLOCK: &str = "slot->block";

/// Pointers to a slot's arrays of words and of the chaining value. The main core writes through
/// them where these arrays lie behind the words of hand-overs: short instructions of some
/// processors do not reach so far from the slot's beginning.
const WORDS: &str = "words";
const CHAINING: &str = "chaining";

/// The way in which the words of a block are handed over.
struct Words<'c> {
    count: usize,
    /// Bytes of a word.
    bytes: usize,
    /// The helper that reads a word that was handed over as it lies in the message; `None` if the
    /// main core converts the words to the machine's byte order.
    raw: Option<&'c dyn Fn(&str) -> String>,
    /// Whether the words are given through a pointer to their array.
    by_pointers: bool,
}

impl<'c> Words<'c> {
    fn of(program: &Program, calls: &Calls<'c>) -> Self {
        let (count, bits) = words_of(program, Role::Message).unwrap_or((0, 32));
        let raw = match calls {
            Calls::Blocks(load) if program.gives_raw_words() => Some(*load),
            Calls::Blocks(_) | Calls::Single => None,
        };
        Self { count, bytes: bits as usize / 8, raw, by_pointers: false }
    }

    /// The statements that give the words. `soon` are the share's lines before its first wait:
    /// words that it reads there come first, and the others late. If `soon` is `None`, no word is
    /// late.
    fn given(&self, signature: &Signature<'_>, soon: Option<&str>) -> JobInputs {
        let is_soon = |words: Range<usize>| {
            soon.is_none_or(|lines| words.into_iter().any(|i| reads(lines, BLOCK, i)))
        };
        let [lines, late] = match self.raw {
            Some(_) => self.copied(signature.prefix, is_soon),
            None => self.converted(signature, is_soon),
        };
        JobInputs { lines, late, fields: Vec::new(), bytes: 0, by_pointers: self.by_pointers }
    }

    /// Statements that give the words in the machine's byte order: those that are needed soon, and
    /// the others.
    fn converted(
        &self,
        signature: &Signature<'_>,
        is_soon: impl Fn(Range<usize>) -> bool,
    ) -> [Vec<String>; 2] {
        let integer = format!("uint{}_t", 8 * self.bytes);
        let to = if self.by_pointers { WORDS } else { BLOCK };
        let (soon, late): (Vec<usize>, Vec<usize>) =
            (0..self.count).partition(|&i| is_soon(i..i + 1));
        [soon, late].map(|words| {
            let given = words
                .into_iter()
                .map(|i| (format!("{to}[{i}]"), (signature.input)(&format!("m{i}"))));
            in_pairs(&integer, given.collect())
        })
    }

    /// Statements that copy the words as they lie in the message: those that are needed soon, and
    /// the others.
    fn copied(&self, prefix: &str, is_soon: impl Fn(Range<usize>) -> bool) -> [Vec<String>; 2] {
        let bits = 8 * self.bytes;
        let many = self.count / AT_ONCE * AT_ONCE;
        let copies = (0..many).step_by(AT_ONCE).map(|i| {
            let copy = format!("{prefix}_copy{bits}(&{BLOCK}[{i}], block + {});", i * self.bytes);
            (i..i + AT_ONCE, copy)
        });
        let rest = (many..self.count).map(|i| {
            let copy = format!("{BLOCK}[{i}] = {prefix}_load{bits}(block + {});", i * self.bytes);
            (i..i + 1, copy)
        });
        let (soon, late): (Vec<_>, Vec<_>) =
            copies.chain(rest).partition(|(words, _)| is_soon(words.clone()));
        [soon, late].map(|copies| copies.into_iter().map(|(_, copy)| copy).collect())
    }
}

/// The number of words and the width in bits of the inputs of a role; limbs count as the word that
/// they are parts of.
fn words_of(program: &Program, role: Role) -> Option<(usize, u32)> {
    let inputs = || program.rolled.inputs.iter().filter(|input| input.role == role);
    let bits = inputs().map(|i| u32::from(program.rolled.definition(i.value).width)).sum::<u32>();
    let count = inputs()
        .filter(|i| i.name.split('.').nth(1).is_none_or(|part| part == "0" || part == "even"))
        .count();
    (count > 0).then(|| (count, bits / count as u32))
}

/// The name of a parameter in C: `h` of `uint32_t *h`.
fn parameter_name(parameter: &str) -> &str {
    parameter.rsplit([' ', '*']).next().unwrap_or(parameter)
}
