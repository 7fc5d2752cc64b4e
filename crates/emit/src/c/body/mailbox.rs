//! The memory through which two cores hand values to each other, and the numbers of their
//! hand-overs.
//!
//! Each core counts what it has sent; the other waits until that counter has reached the number of
//! the transfer. The numbers are known when the code is written: those of a loop grow with its
//! iterations.
//!
//! Where values go both ways outside of loops, each hand-over has a flag of its own in the slot
//! instead, which is set to the number of the call among those of the pair. This number stays in a
//! register: neither core computes the number of a hand-over. Each call sets all flags, so that
//! before a call no flag holds the call's number.

use super::super::expr::integer;
use super::places::Places;
use manylane_plan::program::{Action, MAIN, Program, TransferId, When};

/// Fields, places and counters of a program's transfers.
pub(super) struct Mailbox {
    /// The slot of each transfer.
    transfers: Vec<TransferPlace>,
    /// Declarations in C of the words that several transfers use one after another, see [`Places`],
    /// and of the flags.
    pub reused_fields: Vec<String>,
    /// Declarations in C of the other transfers' places.
    pub fields: Vec<String>,
    /// Bytes of the fields.
    pub bytes: usize,
    /// The number by which the numbers of hand-overs grow with a call.
    pub numbers_per_call: usize,
    /// Whether the second core may be a block ahead of the main one.
    is_ahead: bool,
    /// Whether each hand-over has a flag of its own.
    pub has_flags: bool,
}

/// Bytes of a flag.
const FLAG_BYTES: usize = 4;

/// The variable in which the main core keeps by how much the second core's counter was beyond
/// `base` when it last read the counter. It exists where the second core may be a block ahead.
const THERE: &str = "there";

/// The field of all words of a width that a core hands over, see [`Places`].
fn shared(from: usize, width: u8) -> String {
    let core = if from == MAIN { "main" } else { "second" };
    format!("from_{core}{width}")
}

struct TransferPlace {
    /// The field, with the index that chooses an iteration's place if the field has several.
    field: String,
    /// For each value the number of its word in the field; empty if each value has the word of its
    /// own number.
    words: Vec<usize>,
    /// The number of transfers that the sender has made up to and including this one: a constant,
    /// and the growth with each iteration.
    number: usize,
    growth: usize,
}

impl Mailbox {
    /// Lays out the memory for all transfers of a program.
    pub fn of(program: &Program) -> Self {
        let count = program.transfers.len();
        let mut transfers: Vec<TransferPlace> = Vec::with_capacity(count);
        let (mut reused_fields, mut fields, mut bytes) = (Vec::new(), Vec::new(), 0);
        let places = Places::of(program);
        for (&(from, width), &count) in &places.fields {
            reused_fields.push(format!("{} {}[{count}];", integer(width), shared(from, width)));
            bytes += usize::from(width / 8) * count;
        }
        for (id, transfer) in program.transfers.iter().enumerate() {
            let region = &program.rolled.regions[transfer.region];
            let width = transfer.values.iter().map(|&v| region.body.width(v)).max().unwrap_or(8);
            let words = places.words[id].clone();
            if !words.is_empty() {
                let field = shared(transfer.from, width);
                transfers.push(TransferPlace { field, words, number: 0, growth: 0 });
                continue;
            }
            let both = (0..program.processors).all(|from| {
                let mut here = program.transfers.iter().filter(|t| t.region == transfer.region);
                here.any(|t| t.from == from && t.when == When::Each)
            });
            let iterations = match transfer.when {
                When::After => 1,
                // Where values go both ways no core is ahead by more than an iteration.
                When::Each if both => region.times.min(2),
                When::Each => region.times,
            };
            let index = match iterations {
                1 => String::new(),
                _ if iterations < region.times => "[i & 1u]".to_owned(),
                _ => "[i]".to_owned(),
            };
            let count = transfer.values.len();
            let shape = if iterations > 1 { format!("[{iterations}]") } else { String::new() };
            fields.push(format!("{} x{id}{shape}[{count}];", integer(width)));
            bytes += usize::from(width / 8) * count * iterations;
            let field = format!("x{id}{index}");
            transfers.push(TransferPlace { field, words, number: 0, growth: 0 });
        }
        let has_flags = program.has_flags();
        let mut numbers_per_call = 0;
        for processor in 0..program.processors {
            // The main core's first hand-over is that of the block's words.
            let words = usize::from(processor == MAIN);
            let mut sent = words;
            for (region, parts) in program.rolled.regions.iter().zip(&program.parts) {
                let part = &parts[processor];
                let sends = |list: &[Action]| -> Vec<TransferId> {
                    let sends = list.iter().filter_map(|action| match action {
                        Action::Send(id) => Some(*id),
                        Action::Compute(_) | Action::Receive(_) => None,
                    });
                    sends.collect()
                };
                let each = sends(&part.each);
                for (rank, id) in each.iter().enumerate() {
                    let slot = &mut transfers[id.index()];
                    (slot.number, slot.growth) = (sent + rank + 1, each.len());
                    if region.times == 1 {
                        slot.growth = 0;
                    }
                }
                sent += each.len() * region.times;
                for id in sends(&part.after) {
                    sent += 1;
                    transfers[id.index()].number = sent;
                }
            }
            if has_flags {
                let count = sent - words;
                let field = Self::counter(processor);
                reused_fields.push(format!("manylane_flag {field}[{count}];"));
                bytes += FLAG_BYTES * count;
            }
            // Another core's last hand-over says that it no longer needs the slot.
            numbers_per_call = numbers_per_call.max(sent + usize::from(processor != MAIN));
        }
        let is_ahead = program.runs_ahead();
        Self { transfers, reused_fields, fields, bytes, numbers_per_call, is_ahead, has_flags }
    }

    /// The place of a value of a transfer.
    pub fn place(&self, id: TransferId, value: usize) -> String {
        let TransferPlace { field, words, .. } = &self.transfers[id.index()];
        format!("slot->{field}[{}]", words.get(value).unwrap_or(&value))
    }

    /// The expression for the number of a transfer, relative to the call's `base`.
    fn number(&self, id: TransferId) -> String {
        let TransferPlace { number, growth, .. } = self.transfers[id.index()];
        match growth {
            0 => format!("{number}u"),
            1 => format!("{number}u + i"),
            _ => format!("{number}u + {growth}u * i"),
        }
    }

    /// The name of the field with the counter of a core's transfers, or with their flags.
    fn counter(from: usize) -> &'static str {
        if from == MAIN { "given" } else { "posted" }
    }

    /// The parameter of a share from which the numbers of its hand-overs follow.
    pub fn parameter(&self) -> &'static str {
        if self.has_flags { "call" } else { "base" }
    }

    /// The flag of a transfer, where each has its own.
    fn flag(&self, from: usize, id: TransferId) -> String {
        let before = 1 + usize::from(from == MAIN);
        let number = self.transfers[id.index()].number - before;
        format!("&slot->{}[{number}]", Self::counter(from))
    }

    /// The statement that tells the other core that a transfer is there.
    pub fn post(&self, processor: usize, id: TransferId) -> String {
        let counter = Self::counter(processor);
        match self.has_flags {
            true => format!("MANYLANE_POST({}, call);", self.flag(processor, id)),
            false => format!("MANYLANE_POST(&second->{counter}, base + {});", self.number(id)),
        }
    }

    /// The first statements of a processor's share of a call.
    pub fn opening(&self, processor: usize) -> String {
        let counter = Self::counter(1 - processor);
        match self.keeps_count(processor) {
            true => format!("    int32_t {THERE} = MANYLANE_THERE(&second->{counter}, base);\n"),
            false => String::new(),
        }
    }

    /// Whether a processor usually finds that more hand-overs have arrived than it needs. It then
    /// keeps the counter that it has read, and reads it again only when that is not enough.
    fn keeps_count(&self, processor: usize) -> bool {
        processor == MAIN && self.is_ahead
    }

    /// The statement that waits for a transfer, and gives up when the other core does not answer.
    pub fn wait(&self, processor: usize, id: TransferId) -> String {
        let other = 1 - processor;
        let (counter, number) = (format!("&second->{}", Self::counter(other)), self.number(id));
        let wait = match (self.has_flags, self.keeps_count(processor)) {
            (true, _) => format!("MANYLANE_MEET({}, call)", self.flag(other, id)),
            (_, true) => format!("MANYLANE_REACH({THERE}, {counter}, base, {number})"),
            (_, false) => format!("MANYLANE_WAIT({counter}, base + {number})"),
        };
        format!("if (!{wait}) {{\n    return 0;\n}}")
    }
}
