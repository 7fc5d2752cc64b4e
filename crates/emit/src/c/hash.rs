//! The values for the templates of a hash: sizes, padding, counters and the digest's bytes, from
//! the framing.

use super::body::{Calls, body_of_calls};
use super::expr::{constant, integer};
use super::helpers::helpers;
use super::signature::Signature;
use super::templates::Templates;
use super::{About, Body, Error, Hash, Options, Shared, text};
use manylane_graph::framing::{
    ByteOrder, COUNTER_NAMES, Counter, Counting, Framing, Length, More, Unit,
};
use manylane_graph::passes::halves;
use minijinja::{Value, context};

/// The values, and the body that `{p}_compress` is in.
pub(super) struct Parts {
    /// What the templates are given.
    pub(super) values: Value,
    pub(super) body: Body,
    /// Bytes of the context of a message.
    pub(super) context_bytes: usize,
}

/// The most 32-bit words of a chaining value that stays in registers from block to block: the state
/// needs as many, and RISC-V has 31 registers. A larger chaining value would be spilled, and a loop
/// over the blocks would gain little.
const MOST_KEPT: usize = 6;

/// The fewest bytes of a cut MAC that are accepted. A whole MAC may be shorter.
const LEAST_CUT_MAC: usize = 4;

/// Whether the statements that give a block's words also write the slot's field of this name.
fn gives(shared: &Shared, name: &str) -> bool {
    let place = format!("slot->{name}");
    shared.give.iter().any(|line| text::uses(line, &place))
}

/// The parts of a hash's library.
///
/// # Errors
/// If the compression has no body, or the framing a form that the templates lack.
pub(super) fn parts(
    hash: &Hash<'_>,
    about: &About<'_>,
    options: &Options,
    has_mac: bool,
) -> Result<Parts, Error> {
    let (framing, p) = (&hash.stream.framing, about.hash_prefix);
    let form = |what| Error::Form { function: hash.compression.one.rolled.name.clone(), what };
    let width = framing.word_bits as u8;
    let (word, word_bytes) = (integer(width), usize::from(width / 8));
    let (state_words, block_words) = (framing.initial.len(), framing.block_bytes / word_bytes);
    let order = match framing.order {
        ByteOrder::Little => "le",
        ByteOrder::Big => "be",
    };
    let output_bytes = framing.digest.len();
    let first_word = first_word(framing, word_bytes);
    // Otherwise the place of each byte of the digest: eight times the number of its word, plus the
    // number of the byte in the word.
    let places: Vec<u8> = match first_word {
        Some(_) => Vec::new(),
        None => framing.digest.iter().map(|place| (8 * place.word + place.byte) as u8).collect(),
    };
    if state_words > 32 {
        return Err(form("its chaining value has more than 32 words"));
    }
    if output_bytes.next_multiple_of(word_bytes) > framing.block_bytes {
        return Err(form("its output block is longer than its block"));
    }
    let more = match (hash.stream.more, hash.stream.is_xof) {
        (None, _) => "",
        (Some(More::Chained), true) => "chained",
        (Some(More::Counted), false) => "counted",
        (Some(_), _) => return Err(form("its output goes on in another way")),
    };

    let counters = &COUNTER_NAMES[..framing.counter_words()];
    let of_counters = |text: &dyn Fn(&str) -> String| -> String {
        counters.iter().map(|name| format!(", {}", text(name))).collect()
    };
    let counter_parameters = of_counters(&|name| format!("{word} {name}"));
    let parameters = format!("{word} *h, const uint8_t *block{counter_parameters}");
    // Words lie in the context as they are computed with: parted into the bits at even and at odd
    // places, if that is how the compression is written.
    let is_interleaved = hash.compression.one.rolled.is_interleaved();
    let parted = |word: String| match is_interleaved {
        true => format!("{p}_part{width}({word})"),
        false => word,
    };
    let joined = |word: &str| match is_interleaved {
        true => format!("{p}_join{width}({word})"),
        false => word.to_owned(),
    };
    let stored = |words: &[u64]| -> Vec<u64> {
        let packed = |&word: &u64| {
            let [even, odd] = halves(word);
            odd << 32 | even
        };
        match is_interleaved {
            true => words.iter().map(packed).collect(),
            false => words.to_vec(),
        }
    };
    let load = |address: &str| parted(format!("{p}_load{width}{order}({address})"));
    let input = |name: &str| {
        let (role, number) = name.split_at(1);
        match role {
            "m" => {
                let at = number.parse::<usize>().unwrap_or_default() * word_bytes;
                load(&format!("block + {at}"))
            }
            _ if counters.contains(&name) => name.to_owned(),
            _ => format!("{role}[{number}]"),
        }
    };
    let output = |name: &str| format!("h[{}]", &name[1..]);
    let name = format!("{p}_compress");
    let signature = Signature {
        prefix: p,
        name: &name,
        parameters: &parameters,
        optional: counters,
        about: "One call of the compression: the next chaining value in h.",
        input: &input,
        output: &output,
    };
    let calls = Calls::Blocks(&load);
    let body = body_of_calls(&hash.compression, options.cores, &signature, &calls)?;

    let closing = framing.closing.as_ref().map(|closing| -> String {
        let words = closing.counter.words().into_iter().take(counters.len());
        words.map(|word| format!(", {}", constant(word, width))).collect()
    });
    let has_closing = closing.is_some();
    let xor = framing.closing.iter().flat_map(|closing| &closing.xor);
    let xor: Vec<u64> = xor.copied().collect();
    let padding = &framing.padding;
    let length_bytes = padding.length.map_or(0, |length| length.bytes);
    let pointer_bytes = if body.shared.is_some() { 8 } else { 0 };
    let words_bytes = (state_words + block_words) * word_bytes;
    let context_bytes = 16 + words_bytes.next_multiple_of(8) + pointer_bytes;

    let pair = body.shared.as_ref().map(|shared| {
        context! {
            reused_fields => &shared.reused_fields, fields => &shared.fields, bytes => shared.bytes,
            handshakes => shared.handshakes, slots => shared.slots,
            numbers_per_call => shared.numbers_per_call,
            most_blocks => (1 << 30) / shared.numbers_per_call, has_flags => shared.has_flags,
            keeps_words => shared.keeps_words,
            give => &shared.give, give_late => &shared.give_late,
            by_pointers => shared.by_pointers, ends_in_post => shared.ends_in_post,
            is_looped => shared.slots > 1
                && counters.is_empty()
                && width <= 32
                && state_words <= MOST_KEPT,
            has_h => gives(shared, "h")
                || shared.give.iter().any(|line| text::uses(line, "chaining")),
            has_t => counters.iter().any(|name| gives(shared, name)),
        }
    });
    let store = format!("{p}_store{width}{order}");
    let values = context! {
        p, P => p.to_uppercase(), title => about.title, standard => about.standard,
        warning => about.warning, command => about.command,
        what_header => "the header.", has_mac,
        word => &word, word_bytes, bits => width, state_words, block_words,
        block_bytes => framing.block_bytes,
        digest_bytes => hash.stream.digest_bytes, context_bytes,
        least_mac => hash.stream.digest_bytes.min(LEAST_CUT_MAC),
        pad_words => words_bytes % 8 / 4,
        is_xof => hash.stream.is_xof, more, holds_last => padding.holds_last,
        pair,
        initial => text::words(&stored(&framing.initial), width), is_interleaved,
        closing, has_closing,
        closing_xor => xor.iter().any(|&word| word != 0).then(|| text::words(&stored(&xor), width)),
        first => padding.first, last => padding.last, room => padding.room,
        last_at => framing.block_bytes - length_bytes - 1,
        can_take_two => padding.room < framing.block_bytes - usize::from(!padding.holds_last),
        length => padding.length.map(|length| length_values(length, framing, p)),
        counter => framing.counter.map(|counting| counter_values(&counting, width)),
        counters => counters.to_vec(), counter_parameters,
        counter_arguments => of_counters(&str::to_owned),
        zero_counter => of_counters(&|_| "0".to_owned()),
        output_bytes, output_words => output_bytes.div_ceil(word_bytes),
        // C expressions for a word of the output: word `i`, and the one with the byte at `place`.
        output_word => joined(&format!("c->h[{}i]", match first_word {
            Some(0) | None => String::new(),
            Some(first) => format!("{first} + "),
        })),
        place_word => joined("c->h[place / 8]"),
        places => (!places.is_empty()).then(|| text::bytes(&places, "    ")),
        store,
    };
    Ok(Parts { values, body, context_bytes })
}

/// The source of a hash.
pub(super) fn source(templates: &Templates, parts: &Parts, options: &Options) -> String {
    let clear = templates.render("clear", &parts.values);
    let values = |helpers: &str, preamble: &str| {
        let body = &parts.body.text;
        context! { clear => &clear, helpers, preamble, body, ..parts.values.clone() }
    };
    let around = templates.render("hash.c", &values("", ""));
    let prefix = parts.values.get_attr("p").expect("the values have a prefix").to_string();
    let helpers = helpers(&around, &prefix, options.tables);
    let preamble = templates.render("preamble", &values(&helpers, ""));
    templates.render("hash.c", &values(&helpers, &preamble))
}

/// The word of the last chaining value that the digest begins with, if its bytes follow each other
/// as a message's do.
fn first_word(framing: &Framing, word_bytes: usize) -> Option<usize> {
    let first = framing.digest.first()?.word;
    let follow = framing.digest.iter().enumerate().all(|(i, place)| {
        let at = i % word_bytes;
        let byte = match framing.order {
            ByteOrder::Little => at,
            ByteOrder::Big => word_bytes - 1 - at,
        };
        place.word == first + i / word_bytes && place.byte == byte
    });
    follow.then_some(first)
}

/// How the length field is written.
fn length_values(length: Length, framing: &Framing, p: &str) -> Value {
    let block = framing.block_bytes;
    let (low, high, unit) = match length.unit {
        Unit::Bits => ("total << 3", Some("total >> 61"), "bits"),
        Unit::Bytes => ("total", None, "bytes"),
        Unit::Blocks => ("blocks", None, "blocks"),
    };
    // The number of whole blocks; by a shift where possible, because small machines divide 64-bit
    // numbers in a subroutine.
    let before = match block.is_power_of_two() {
        true => format!("(c->bytes >> {})", block.trailing_zeros()),
        false => format!("c->bytes / {block}"),
    };
    let (order, low_at, high_at) = match length.order {
        ByteOrder::Little => ("le", block - length.bytes, block - 8),
        ByteOrder::Big => ("be", block - 8, block - length.bytes),
    };
    let mut stores = vec![format!("{p}_store64{order}(block + {low_at}, {low});")];
    if let Some(high) = high.filter(|_| length.bytes > 8) {
        stores.push(format!("{p}_store64{order}(block + {high_at}, {high});"));
    }
    context! { unit, before, stores }
}

/// The expressions of a counter's words: for a whole block, for one before the last, for the
/// last.
fn counter_values(counting: &Counting, width: u8) -> Value {
    let word = integer(width);
    let of = |count: &str, is_last: bool| -> Vec<String> {
        let words = (0..counting.words).map(|i| {
            let part = |flags: Counter<u64>| flags.words()[i];
            let mut terms = Vec::new();
            match (counting.unit, width, i) {
                (_, _, 2..) => {}
                (Unit::Bits, _, 0) => terms.push(format!("({word})({count} << 3)")),
                (Unit::Bits, 64, _) => terms.push(format!("({count} >> 61)")),
                (Unit::Bits, _, _) => terms.push(format!("({word})({count} >> {})", width - 3)),
                (Unit::Bytes | Unit::Blocks, _, 0) => terms.push(format!("({word}){count}")),
                (Unit::Bytes | Unit::Blocks, 64, _) => {}
                (Unit::Bytes | Unit::Blocks, _, _) => {
                    terms.push(format!("({word})({count} >> {width})"));
                }
            }
            let always = part(counting.flags(is_last));
            if always != 0 {
                terms.push(constant(always, width));
            }
            if part(counting.first) != 0 {
                let (first, none) = (constant(part(counting.first), width), constant(0, width));
                terms.push(format!("(is_first ? {first} : {none})"));
            }
            match terms.is_empty() {
                true => constant(0, width),
                false => terms.join(" | "),
            }
        });
        words.collect()
    };
    let none = constant(0, width);
    let end = |is_last| {
        let words =
            of("total", is_last).into_iter().map(|word| match counting.zero_without_message {
                true => format!("has_message ? {word} : {none}"),
                false => word,
            });
        words.collect::<Vec<_>>().join(", ")
    };
    context! {
        has_first => counting.first != Counter::default(), zero => counting.zero_without_message,
        whole => of("end", false),
        before_end => end(false),
        end => end(true),
    }
}
