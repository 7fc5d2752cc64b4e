//! A hash behind registers of 32 bits: AXI4-Lite (AMBA AXI, ARM IHI 0022).
//!
//! ```text
//!  writes ──► a word of message ──► context and core ──► digest ──► reads
//!         └─► control, chaining value, count ◄────────────────────┘
//! ```
//!
//! A write waits on the bus until its word is taken: at most as long as a call of the compression.
//! A write that its address or strobes do not allow has no effect and is answered by an error at
//! once.

use super::frame::{FrameBuilder, Lane, Restore, Shape};
use super::logic::Logic;
use crate::rtl::modes;
use crate::rtl::netlist::{Expr, Netlist, SignalId, Value};
use manylane_graph::Op;
use manylane_graph::framing::{ByteOrder, Framing, StateByte};

/// A register on the bus. [`Register::ALL`] has all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Register {
    /// Its name.
    pub name: &'static str,
    /// Its address in bytes.
    pub address: u32,
    /// Its purpose.
    pub what: &'static str,
}

/// Bits of an address.
const ADDRESS_BITS: u32 = 10;
/// The version of the register map. Since version 2, CHAIN begins with the first word.
pub(super) const VERSION: u32 = 0x0002_0000;

const fn register(name: &'static str, address: u32, what: &'static str) -> Register {
    Register { name, address, what }
}

impl Register {
    /// The version of the register map.
    pub(super) const VERSION: Self =
        register("VERSION", 0x000, "read: 0x00020000, the version of this map");
    /// The sizes of a block and of the digest.
    pub(super) const SHAPE: Self =
        register("SHAPE", 0x004, "read: bytes of a block in bits 15:0, of the digest in 31:16");
    /// What the module is ready for, and the interrupt.
    pub(super) const STATUS: Self = register(
        "STATUS",
        0x008,
        "read: bit 0, a word can be written without waiting; bit 1, a digest is there (also the \
         output `irq`); bit 2, nothing is being computed. A write clears bit 1",
    );
    /// Begins a message anew, or goes on from a saved one.
    pub(super) const CONTROL: Self = register(
        "CONTROL",
        0x00c,
        "write: bit 0 forgets the message under way; bit 1 goes on with the CHAIN and COUNT that \
         were written",
    );
    /// Takes four bytes of message.
    pub(super) const DATA: Self =
        register("DATA", 0x010, "write: four bytes of message, the first in 7:0");
    /// Takes the last bytes of a message; the address says how many.
    pub(super) const END: Self = register(
        "END0 … END4",
        0x020,
        "write, at 0x020 + 4n: the last n bytes of message, 0 to 4, the first in 7:0",
    );
    /// The number of bytes that went into the chaining value.
    pub(super) const COUNT: Self = register(
        "COUNT",
        0x040,
        "low, then high word; read and write. Bytes of message in CHAIN; 0 before the first block \
         is \
         done",
    );
    /// The digest.
    pub(super) const DIGEST: Self =
        register("DIGEST", 0x100, "read: the digest, byte 0 in 7:0 of the first");
    /// The chaining value, by which a message is saved and restored.
    pub(super) const CHAIN: Self = register(
        "CHAIN",
        0x200,
        "read and write: the chaining value after COUNT bytes, the standard's first word at the \
         lowest \
         address, each word as a number",
    );
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::VERSION,
        Self::SHAPE,
        Self::STATUS,
        Self::CONTROL,
        Self::DATA,
        Self::END,
        Self::COUNT,
        Self::DIGEST,
        Self::CHAIN,
    ];

    /// Its number.
    fn word(self) -> u32 {
        self.address / 4
    }
}

/// The response of AXI to an access that was made.
pub(super) const OKAY: u64 = 0;
/// The response for a register that exists, but does not do what is asked.
pub(super) const SLVERR: u64 = 2;
/// The response for an address without a register.
pub(super) const DECERR: u64 = 3;

/// The number of registers of 32 bits of the digest and of the chaining value.
pub(super) fn sizes(framing: &Framing) -> [u32; 2] {
    let chain = framing.word_bits * framing.initial.len() as u32 / 32;
    [framing.digest.len().div_ceil(4) as u32, chain]
}

/// The number of the register of CHAIN that has the 32 bits from bit 32`n` of the chaining value
/// on, whose first word is in the highest bits. The function is its own inverse: of a register's
/// number it gives `n`. The first word comes first. Of a word of 64 bits, the half whose bytes come
/// first in the digest comes first.
pub(super) fn chain_place(framing: &Framing, n: u32) -> u32 {
    let halves = framing.word_bits / 32;
    let word = framing.initial.len() as u32 - 1 - n / halves;
    let half = match framing.order {
        ByteOrder::Big => halves - 1 - n % halves,
        ByteOrder::Little => n % halves,
    };
    halves * word + half
}

/// The register of CHAIN that has a byte.
fn register_of(framing: &Framing, place: &StateByte) -> u32 {
    let halves = framing.word_bits / 32;
    let below = (framing.initial.len() - 1 - place.word) as u32;
    chain_place(framing, halves * below + place.byte as u32 / 4)
}

/// Whether the bytes of the digest follow each other in CHAIN as they do in DIGEST.
pub(super) fn has_order_of_digest(framing: &Framing) -> bool {
    let first = register_of(framing, &framing.digest[0]);
    let mut registers = framing.digest.iter().map(|place| register_of(framing, place)).zip(0..);
    registers.all(|(register, i)| register == first + i / 4)
}

/// The values of the registers of CHAIN for a chaining value.
pub(super) fn chain_registers(framing: &Framing, chain: &[u64]) -> Vec<u32> {
    let halves = framing.word_bits / 32;
    let register = |r| {
        let n = chain_place(framing, r);
        let word = chain[framing.initial.len() - 1 - (n / halves) as usize];
        (word >> (32 * (n % halves))) as u32
    };
    (0..halves * framing.initial.len() as u32).map(register).collect()
}

/// Makes the wrapper.
pub(super) fn axilite(name: &str, shape: &Shape<'_>) -> Netlist {
    let mut logic = Logic::new(name);
    let l = &mut logic;
    if shape.core.clears {
        l.clears();
    }
    let write = Write::new(l, shape);
    let lane = write.lane;
    let framed = FrameBuilder { shape, logic: l }.make(lane, None, Some(write.restore));
    l.drive(write.taken, framed.taken);
    l.drive(write.busy, framed.busy);

    l.begin("Digest");
    let done = l.state("done", 1);
    let unset = l.or("unset_done", &[write.restore.clear, write.acknowledged]);
    l.flags(done, &[framed.done], &[unset]);
    l.net.output("irq", done);
    let [words, _] = sizes(shape.framing);
    let digest = l.resize("digest_words", framed.digest, 32 * words);
    // A digest is cleared when software says that it has read it.
    let gone = shape.core.clears.then_some(unset);
    let digest = l.passing("digest_out", digest, framed.done, gone);

    let working = l.or("working", &[framed.busy, framed.blocked, lane.valid]);
    let idle = l.not("idle", working);
    let flags = [idle, done, write.ready];
    let status = match framed.mode {
        None => {
            let zeros = l.constant("zeros", 29, 0);
            l.concat("status", &[&[zeros], &flags[..]].concat())
        }
        Some(mode) => {
            let mode = l.reset_register("digest_mode", mode, framed.done);
            let (high, low) = (24 - l.width(mode), 5);
            let [high, low] = [high, low].map(|bits| l.constant("zeros", bits, 0));
            l.concat("status", &[&[high, mode, low], &flags[..]].concat())
        }
    };
    let [chain, count] = framed.state.expect("one context has a state");
    let bytes = (shape.framing.digest.len() << 16 | shape.framing.block_bytes) as u64;
    let mut registers = vec![
        (Register::VERSION.word(), Value::Const(VERSION.into())),
        (Register::SHAPE.word(), Value::Const(bytes)),
        (Register::STATUS.word(), Value::Signal(status)),
    ];
    for (register, value) in
        [(Register::COUNT, count), (Register::DIGEST, digest), (Register::CHAIN, chain)]
    {
        let words = (0..l.width(value) / 32).map(|i| {
            let name = format!("{}{i}", register.name.to_lowercase());
            let n = if register == Register::CHAIN { chain_place(shape.framing, i) } else { i };
            (register.word() + i, Value::Signal(l.slice(&name, value, 32 * n, 32)))
        });
        registers.extend(words);
    }
    reads(l, shape, registers);
    logic.net
}

/// The signals of writes on the bus.
struct Write {
    /// The word of message.
    lane: Lane,
    /// Driven later: the word was taken.
    taken: SignalId,
    /// Driven later: a call is under way.
    busy: SignalId,
    ready: SignalId,
    restore: Restore,
    acknowledged: SignalId,
}

impl Write {
    fn new(l: &mut Logic, shape: &Shape<'_>) -> Self {
        l.begin("Writes");
        let address_valid = l.input("s_axil_awvalid", 1);
        let address = l.input("s_axil_awaddr", ADDRESS_BITS);
        let data_valid = l.input("s_axil_wvalid", 1);
        let data = l.input("s_axil_wdata", 32);
        let strobes = l.input("s_axil_wstrb", 4);
        let answer_ready = l.input("s_axil_bready", 1);
        let (taken, busy) = (l.later("word_taken", 1), l.later("is_busy", 1));

        // Decodes the register.
        let word = l.slice("write_word", address, 2, ADDRESS_BITS - 2);
        let odd = l.slice("write_offset", address, 0, 2);
        let aligned = l.equals("write_aligned", odd, 0);
        let whole = l.equals("write_whole", strobes, 15);
        let good = l.and("write_good", &[aligned, whole]);
        let [digest_words, chain_words] = sizes(shape.framing);
        let mut writable = Vec::new();
        let mut is = |register: Register, count: u32| {
            let within = within(l, "write", word, register, count);
            writable.push(within);
            l.and(&format!("is_{}", l.net.signal(within).name.clone()), &[within, good])
        };
        let (is_data, is_end) = (is(Register::DATA, 1), is(Register::END, 5));
        let (is_control, is_status) = (is(Register::CONTROL, 1), is(Register::STATUS, 1));
        let (is_count, is_chain) = (is(Register::COUNT, 2), is(Register::CHAIN, chain_words));
        let writable = l.or("writable", &writable);
        let read_only =
            [(Register::VERSION, 1), (Register::SHAPE, 1), (Register::DIGEST, digest_words)]
                .map(|(register, count)| within(l, "write", word, register, count));
        let known = l.or("write_known", &[&[writable], &read_only[..]].concat());
        let allowed = l.and("write_allowed", &[writable, good]);

        // When it is done.
        let valid = l.state("word_valid", 1);
        let kept = l.but("word_kept", valid, taken);
        let ready = l.not("word_free", kept);
        let is_message = l.or("is_message", &[is_data, is_end]);
        let is_state = l.or("is_state", &[is_control, is_count, is_chain]);
        let no_room = l.and("no_room", &[is_message, kept]);
        let computes = l.and("computes", &[is_state, busy]);
        let answered = l.state("answer_valid", 1);
        let unread = l.but("answer_unread", answered, answer_ready);
        let waits = l.or("write_waits", &[no_room, computes, unread]);
        let offered = l.and("write_offered", &[address_valid, data_valid]);
        let goes = l.but("write_goes", offered, waits);
        for port in ["awready", "wready"] {
            l.net.output(&format!("s_axil_{port}"), goes);
        }
        let next = l.or("next_answer_valid", &[goes, unread]);
        l.connect(answered, next);
        l.net.output("s_axil_bvalid", answered);
        response(l, "s_axil_bresp", [allowed, known], goes);

        // The effects of the write.
        let mut event = |name: &str, which: SignalId| l.and(name, &[goes, which]);
        let message = event("message_written", is_message);
        let control = event("control_written", is_control);
        let acknowledged = event("status_written", is_status);
        let (count, chain) = (event("count_written", is_count), event("chain_written", is_chain));
        let hold = l.and("state_offered", &[offered, is_state]);
        let [clear, resume] = [("clear", 0), ("resume", 1)].map(|(name, bit)| {
            let bit = l.slice(&format!("{name}_bit"), data, bit, 1);
            l.and(name, &[control, bit])
        });
        let still = l.but("word_stays", kept, clear);
        let next = l.or("next_word_valid", &[message, still]);
        l.connect(valid, next);
        let bits = (u32::BITS - (chain_words - 1).leading_zeros()).max(1);
        let place = l.slice("chain_place", word, 0, bits);
        let one = l.wire("chain_word", chain_words, Expr::OneHot(place));
        let chain = l.gate("chain_write", chain, one);
        let place = l.slice("count_place", word, 0, 1);
        let one = l.wire("count_word", 2, Expr::OneHot(place));
        let count = l.gate("count_write", count, one);
        let restore = Restore { hold, clear, resume, chain, count, data };
        let bus = data;

        // The low bits of the number of an END register are the number of bytes.
        let bytes = l.slice("end_bytes", word, 0, 3);
        let one = l.wire("end_hot", 4, Expr::OneHot(bytes));
        let kept = l.plus("end_keep", one, 15);
        let keep = l.choose("word_keep", is_end, kept, 15, 4);
        let gone = shape.core.clears.then(|| l.or("word_gone", &[taken, clear]));
        let data = l.passing("word", data, message, gone);
        let keep = l.register("keep", keep, message);
        let last = l.register("last", is_end, message);
        // One context needs no number.
        let mode = (!shape.core.modes.is_empty()).then(|| {
            let bits = modes::bits(shape.core.modes.len());
            let mode = l.slice("mode_bits", bus, 8, bits);
            let mode = l.reset_register("control_mode", mode, control);
            l.register("word_mode", mode, message)
        });
        let lane = Lane { valid, id: valid, data, keep, last, wrong: None, mode };
        Self { lane, taken, busy, ready, restore, acknowledged }
    }
}

/// Whether a word number is that of `register`, of which there are `count`.
fn within(l: &mut Logic, way: &str, word: SignalId, register: Register, count: u32) -> SignalId {
    let name = register.name.split(' ').next().unwrap_or_default().to_lowercase();
    let inside = format!("{way}_in_{name}");
    let high = l.at_least(&format!("{way}_past_{name}"), word, register.word() + count);
    if register.word() == 0 {
        return l.not(&inside, high);
    }
    let low = l.at_least(&format!("{way}_from_{name}"), word, register.word());
    l.but(&inside, low, high)
}

/// OKAY for what is allowed, SLVERR for a known register, else DECERR.
fn response(l: &mut Logic, name: &str, [allowed, known]: [SignalId; 2], load: SignalId) {
    let error = l.choose("response_error", known, SLVERR, DECERR, 2);
    let response = l.choose("response", allowed, OKAY, error, 2);
    let response = l.register("response_kept", response, load);
    l.net.output(name, response);
}

/// Answers reads from a register. What is not allowed reads as 0.
fn reads(l: &mut Logic, shape: &Shape<'_>, registers: Vec<(u32, Value)>) {
    l.begin("Reads");
    let offered = l.input("s_axil_arvalid", 1);
    let address = l.input("s_axil_araddr", ADDRESS_BITS);
    let ready = l.input("s_axil_rready", 1);
    let word = l.slice("read_word", address, 2, ADDRESS_BITS - 2);
    let odd = l.slice("read_offset", address, 0, 2);
    let aligned = l.equals("read_aligned", odd, 0);
    let [digest_words, chain_words] = sizes(shape.framing);
    let readable = [
        (Register::VERSION, 1),
        (Register::SHAPE, 1),
        (Register::STATUS, 1),
        (Register::COUNT, 2),
        (Register::DIGEST, digest_words),
        (Register::CHAIN, chain_words),
    ]
    .map(|(register, count)| within(l, "read", word, register, count));
    let readable = l.or("readable", &readable);
    let write_only = [(Register::CONTROL, 1), (Register::DATA, 1), (Register::END, 5)]
        .map(|(register, count)| within(l, "read", word, register, count));
    let known = l.or("read_known", &[&[readable], &write_only[..]].concat());
    let allowed = l.and("read_allowed", &[readable, aligned]);
    let valid = l.state("read_valid", 1);
    let unread = l.but("read_unread", valid, ready);
    let free = l.not("read_free", unread);
    l.net.output("s_axil_arready", free);
    let goes = l.op("read_goes", Op::And, &[offered, free]);
    let next = l.or("next_read_valid", &[goes, unread]);
    l.connect(valid, next);
    let nothing = (1 << (ADDRESS_BITS - 2)) - 1;
    let arms = registers.into_iter().map(|(word, value)| (vec![word], value));
    let arms = arms.chain([(vec![nothing], Value::Const(0))]).collect();
    let value = l.wire("register_value", 32, Expr::Select { selector: word, arms });
    let value = l.gate("read_value", allowed, value);
    // A word that was read is cleared as soon as the next one may come.
    let value = l.passing("read_data", value, goes, shape.core.clears.then_some(free));
    l.net.output("s_axil_rvalid", valid);
    l.net.output("s_axil_rdata", value);
    response(l, "s_axil_rresp", [allowed, known], goes);
}

#[cfg(test)]
mod tests {
    use super::*;
    use manylane_graph::framing::framing;
    use manylane_primitives::catalog::{Algorithm, HashId};

    /// The digest's bytes lie in CHAIN's registers in the order of DIGEST's, but for Grøstl, whose
    /// words are the rows of a matrix of 8 columns, or of two of them, and whose bytes go by
    /// columns.
    #[test]
    fn chaining_values_have_the_digests_order() {
        for id in HashId::ALL {
            let name = Algorithm::from(*id).to_string();
            let framing = framing(Algorithm::from(*id)).unwrap();
            let [_, places] = sizes(&framing);
            // Reading a place and writing the result back restores the chaining value.
            let there_and_back = |n| chain_place(&framing, chain_place(&framing, n));
            assert!((0..places).all(|n| there_and_back(n) == n), "{name}");
            if !name.starts_with("groestl") {
                assert!(has_order_of_digest(&framing), "{name}");
                continue;
            }
            let before = 4 * places - framing.digest.len() as u32;
            for (place, i) in framing.digest.iter().zip(before..) {
                let (row, column) = (i % 8, i / 8);
                let word = row + 8 * (column / 8);
                assert_eq!(register_of(&framing, place), 2 * word + column % 8 / 4, "{name}");
            }
        }
    }

    /// FIPS 180-4 §5.3.3 and §5.3.5, RFC 1321 §3.3.
    #[test]
    fn the_first_word_is_at_the_lowest_address() {
        for (name, begin) in [
            ("sha256", [0x6a09_e667, 0xbb67_ae85]),
            ("sha512", [0x6a09_e667, 0xf3bc_c908]),
            ("md5", [0x6745_2301, 0xefcd_ab89]),
        ] {
            let framing = framing(name.parse().unwrap()).unwrap();
            assert_eq!(chain_registers(&framing, &framing.initial)[..2], begin, "{name}");
        }
    }
}
