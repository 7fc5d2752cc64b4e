//! A block cipher in assembly: its functions as compressions, their texts, and its files.

use super::backend::{image_bytes, texts, verified};
use super::{
    About, Cipher, Cores, Error, IMAGE, Layout, Made, Shared, Usage, check_prefix, folder, selftest,
};
use crate::backend::{self, Folder};
use crate::cpu12x::{self, Compression, FUNCTIONS, Handover, LATE, Modes, PATIENCE, Side, Steps};
use crate::xgate::{Ahead, Thread, Walks, Written};
use manylane_graph::Role;
use manylane_graph::framing::{ByteOrder, Framing, Padding};
use manylane_plan::program::Program;

/// Turns a cipher's program into that of a compression: the words that it changes are the chaining
/// value `h`, those that it only reads are the message `m`. The expansion changes the table, the
/// others change a block.
pub fn as_compression(program: &Program) -> Program {
    let mut program = program.clone();
    let rolled = &mut program.rolled;
    let has_block = rolled.inputs.iter().any(|input| input.role == Role::Message);
    for input in &mut rolled.inputs {
        let changes = match has_block {
            true => input.role == Role::Message,
            false => input.role == Role::Constant,
        };
        let (name, role) = if changes { ("h", Role::Chaining) } else { ("m", Role::Message) };
        input.name.replace_range(..1, name);
        input.role = role;
    }
    for (name, _) in &mut rolled.outputs {
        name.replace_range(..1, "h");
    }
    program
}

/// The framing of a program from [`as_compression`], as far as a thread needs it.
fn framing(program: &Program, order: ByteOrder) -> Framing {
    let rolled = &program.rolled;
    let width = rolled.inputs.first().map_or(0, |of| rolled.definition(of.value).width);
    let words = rolled.inputs.iter().filter(|of| of.role == Role::Message).count();
    Framing {
        word_bits: width.into(),
        order,
        block_bytes: words * usize::from(width / 8),
        initial: Vec::new(),
        padding: Padding { first: 0, last: 0, length: None, room: 0, holds_last: false },
        counter: None,
        closing: None,
        digest: Vec::new(),
    }
}

/// The byte order of the words that each function reads: a key is bytes, a table is words of the
/// CPU.
const ORDERS: [ByteOrder; 3] = [ByteOrder::Little, ByteOrder::Big, ByteOrder::Big];

/// XGATE's threads of a cipher: key expansion, encryption and decryption, from programs that
/// [`as_compression`] has made. `effort` is how many orders of their instructions are tried.
///
/// # Errors
/// If a program is wrong, or XGATE has no code for an operation.
pub fn cipher_threads(
    prefix: &str,
    programs: [&Program; 3],
    effort: usize,
) -> Result<[Written; 3], backend::Error> {
    let walks = [Walks::Blocks, Walks::ChainingValues, Walks::ChainingValues];
    threads(prefix, programs, effort, walks, false)
}

/// XGATE's threads of a cipher as [`cipher_threads`] makes them, but small rather than fast.
/// `has_one` says that each job is one block: the library has no modes, and the CPU does not fall
/// back.
///
/// # Errors
/// As [`cipher_threads`].
pub fn lean_cipher_threads(
    prefix: &str,
    programs: [&Program; 3],
    effort: usize,
    has_one: bool,
) -> Result<[Written; 3], backend::Error> {
    let one = |is_large| Walks::One { is_large };
    let walks = match has_one {
        true => [one(true), one(false), one(false)],
        false => [Walks::Blocks, Walks::ChainingValues, Walks::ChainingValues],
    };
    threads(prefix, programs, effort, walks, true)
}

fn threads(
    prefix: &str,
    programs: [&Program; 3],
    effort: usize,
    walks: [Walks; 3],
    is_lean: bool,
) -> Result<[Written; 3], backend::Error> {
    let thread = |i: usize| -> Result<Written, backend::Error> {
        verified(programs[i])?;
        let framing = framing(programs[i], ORDERS[i]);
        let prefix = format!("{prefix}_{}", FUNCTIONS[i]);
        Thread {
            prefix: &prefix,
            framing: &framing,
            walks: walks[i],
            effort,
            ahead: Ahead::None,
            is_lean,
        }
        .write(programs[i])
    };
    Ok([thread(0)?, thread(1)?, thread(2)?])
}

/// A program of a cipher.
#[derive(Clone, Copy, Debug)]
pub struct CipherAssembly<'a> {
    /// The texts of the files beside the code.
    pub about: &'a About<'a>,
    /// The addresses of the program's parts.
    pub layout: Layout,
    /// The cores that compute.
    pub cores: Cores,
    /// The modes that have functions, beside single blocks.
    pub modes: Modes,
    /// Whether the CPU's code is to be small rather than fast.
    pub is_small: bool,
    /// Whether the CPU computes what XGATE does not finish in time. Else all functions return
    /// whether XGATE was in time.
    pub falls_back: bool,
    /// The bytes of XGATE's text, once it is assembled at [`IMAGE`].
    pub image: &'a [u8],
}

/// Bytes of the code by which XGATE's thread chooses a function by its number, see [`choice`].
const CHOICE_BYTES: usize = 16;
/// Bytes of the code by which XGATE's thread jumps to a function's address, see [`CALL`].
const CALL_BYTES: usize = 4;

impl CipherAssembly<'_> {
    /// Verifies the programs and writes their texts.
    ///
    /// # Errors
    /// If a program is wrong, or no assembly is written for it.
    pub fn make(&self, cipher: &Cipher<'_>) -> Result<Made, backend::Error> {
        let p = self.about.prefix;
        check_prefix(p)?;
        let expansion = framing(cipher.cpu[0], ORDERS[0]);
        let form = |what| Error::Form { function: cipher.name.to_owned(), what };
        if !matches!(expansion.word_bits, 16 | 32 | 64) {
            return Err(form("its words are not of 16, 32 or 64 bits").into());
        }
        let falls_back = self.falls_back || self.cores == Cores::Cpu;
        // A single block is XGATE's alone.
        let is_beside = self.cores == Cores::Both && self.modes != Modes::Block;
        let compressions: Vec<Option<Compression>> = (0..3)
            .map(|i| {
                if !falls_back && (i == 0 || !is_beside) {
                    return Ok(None);
                }
                verified(cipher.cpu[i])?;
                let prefix = format!("{p}_{}", FUNCTIONS[i]);
                let (order, is_small) = (ORDERS[i], self.is_small);
                Ok(Some(cpu12x::compression(cipher.cpu[i], order, &prefix, is_small, true)?))
            })
            .collect::<Result<_, backend::Error>>()?;
        let threads = cipher.xgate.filter(|_| self.cores != Cores::Cpu);
        let has_one = threads.is_some_and(|all| all.iter().all(|of| of.has_one));
        let choice_bytes = if has_one { CALL_BYTES } else { CHOICE_BYTES };
        let before = Handover::begin_bytes(false) + choice_bytes;
        // The functions lie one behind the other, each with its constants.
        let single = threads.filter(|_| has_one).map(|all| {
            let sizes = all.each_ref().map(|of| (of.code + of.constants) as u16);
            let first = IMAGE + before as u16;
            [first, first + sizes[0], first + sizes[0] + sizes[1]]
        });
        let [constants, memory_bytes] =
            threads.map_or([0; 2], |all| image_bytes(before, &all.each_ref()));
        let image_bytes = constants + memory_bytes;
        let no_room = || form("its work area and XGATE's code do not fit into the RAM");
        let mut layout = self.layout;
        if threads.is_some() {
            layout = layout.behind(image_bytes).ok_or_else(no_room)?;
        }
        let word = expansion.word_bits as usize / 8;
        let table = Steps::of(cipher.table, expansion.word_bits).ok_or_else(|| {
            form("the words of its first table do not follow each other at one distance")
        })?;
        let clocks = threads.map(|all| all.iter().map(|of| of.clocks).max().unwrap_or(0));
        let text = cpu12x::Cipher {
            prefix: p,
            word,
            table,
            key_bytes: [cipher.key_bytes, expansion.block_bytes],
            functions: [0, 1, 2].map(|i| compressions[i].as_ref()),
            modes: self.modes,
            image_bytes: constants,
            handover: clocks.map(|of| Side { cycles: of / 2 * PATIENCE, is_beside, single }),
        };
        let work = usize::from(layout.work);
        let work_end = work + text.work_bytes();
        let place = selftest::TestAddresses { test: work_end, stack: layout.stack };
        let context_bytes = cipher.table.len() * word;
        let block = 2 * word;
        let test_text = selftest::of_cipher(
            cipher,
            p,
            block,
            context_bytes,
            place,
            threads.is_some(),
            self.modes,
        );
        let ram = self.layout.free_ram(image_bytes, work_end, test_text.ram_bytes);
        let no_room = || form("its work area and that of its self-test do not fit into the RAM");
        let ram = ram.ok_or_else(no_room)?;
        let mut cpu = format!("{}{}", folder::head(self.about, "the CPU's part"), text.write(work));
        if threads.is_some() {
            cpu += &folder::image(p, p, self.image.get(..constants).unwrap_or_default());
        }
        let xgate = threads.map(|all| {
            let head = folder::head(self.about, "XGATE's part");
            let mut out = head.replace("-mm9s12x", "-mm9s12xg");
            out += &cpu12x::begin(p, layout.work + text.job() as u16);
            out += &if has_one { CALL.to_owned() } else { choice(p) };
            out + &texts(&all.each_ref())
        });
        Ok(Made {
            is_by_block: false,
            cpu,
            xgate,
            falls_back,
            selftest: folder::head(self.about, "the self-test") + &test_text.text,
            header: self.header(falls_back, [cipher.key_bytes, block, context_bytes]),
            shared: Shared::default(),
            image_bytes,
            clocks: threads.map_or(0, |all| all[1].clocks.max(all[2].clocks)),
            layout,
            ram,
            usage: Usage::Cipher { key_bytes: cipher.key_bytes, modes: self.modes },
            context_bytes,
            work_bytes: text.work_bytes(),
            test_bytes: test_text.ram_bytes,
            answers: test_text.answers,
        })
    }

    /// Adds the files of a program to a folder.
    ///
    /// # Errors
    /// As [`CipherAssembly::make`], and a path that the folder does not take.
    pub fn emit(&self, cipher: &Cipher<'_>, out: &mut Folder) -> Result<(), backend::Error> {
        let made = self.make(cipher)?;
        Ok(out.add_all(folder::files(self.about, self.cores, &made))?)
    }

    /// The header for C.
    fn header(&self, falls_back: bool, [key_bytes, block, context]: [usize; 3]) -> String {
        let p = self.about.prefix;
        let upper = p.to_uppercase();
        let of_block = format!("[{upper}_BLOCK_BYTES]");
        // C has no arrays of 0 elements.
        let key =
            if key_bytes == 0 { "*key".to_owned() } else { format!("key[{upper}_KEY_BYTES]") };
        // Where there are modes, `ecb` defines this status beside the other ones.
        let ok = match self.modes {
            Modes::All | Modes::Ecb => String::new(),
            Modes::Block => format!("#define {upper}_OK 0\n"),
        };
        let (status, late, or) = match falls_back {
            true => ("void", String::new(), String::new()),
            false => (
                "uint16_t",
                format!(
                    "
/* What all functions return if XGATE did not finish in time. After {p}_init the context is then not
 * to be used; blocks and data from the first one that was late are as they were. */
{ok}#define {upper}_LATE {LATE}
"
                ),
                format!(", or {upper}_LATE"),
            ),
        };
        let mut functions = format!(
            r#"
/* The functions share a work area: an interrupt must not call them while one of them runs. They use
 * D, X and Y, as gcc for the 68HC12 lets them; its int must have 16 bits (-mshort). */
{late}
/* Expands a key. */
{status} {p}_init({p}_ctx *c, const uint8_t {key});

/* Encrypts or decrypts one block; `in` and `out` may be the same. */
{status} {p}_encrypt_block(const {p}_ctx *c, const uint8_t in{of_block}, uint8_t out{of_block});
{status} {p}_decrypt_block(const {p}_ctx *c, const uint8_t in{of_block}, uint8_t out{of_block});
"#
        );
        functions += &match self.modes {
            Modes::All => ecb(p, &or) + &modes_with_vectors(p),
            Modes::Ecb => ecb(p, &or),
            Modes::Block => String::new(),
        };
        let contents = format!(
            "/* Bytes of a key, of a block, and of an expanded key. */
#define {upper}_KEY_BYTES {key_bytes}
#define {upper}_BLOCK_BYTES {block}
#define {upper}_CONTEXT_BYTES {context}

/* An expanded key, to be kept as secret as the key. Its bytes are not to be used; it may be
 * copied. */"
        );
        super::header::header(self.about, self.cores, &contents, &functions)
    }
}

/// The code that jumps to the function whose address is in the job.
const CALL: &str = "        ldw     r2,(r1,#8)\n        jal     r2\n";

/// The code that jumps to the function that a job asks for.
fn choice(p: &str) -> String {
    let labels = FUNCTIONS.map(|of| format!("{p}_{of}_xgate_compress"));
    format!(
        "        ldw     r3,#{p}_xgate_functions
        ldw     r2,(r1,#8)
        ldw     r2,(r3,r2)
        jal     r2
{p}_xgate_functions:
        .word   {}
",
        labels.join(", ")
    )
}

/// The declarations of mode ECB. `or` is empty, or adds the status for a late XGATE to a list.
fn ecb(p: &str, or: &str) -> String {
    let upper = p.to_uppercase();
    format!(
        r#"
/* The modes work in place. They return {upper}_OK{or}, or {upper}_NOT_WHOLE_BLOCKS, and leave the
 * data as they were, if the length is no number of whole blocks. */
#define {upper}_OK 0
#define {upper}_NOT_WHOLE_BLOCKS 1

/* ECB: each block by itself. Equal blocks stay equal: a building block, not for messages. */
uint16_t {p}_ecb_encrypt(const {p}_ctx *c, void *data, uint16_t length);
uint16_t {p}_ecb_decrypt(const {p}_ctx *c, void *data, uint16_t length);
"#
    )
}

/// The declarations of the modes that have an initialization vector or a counter.
fn modes_with_vectors(p: &str) -> String {
    let of_block = format!("[{}_BLOCK_BYTES]", p.to_uppercase());
    format!(
        r#"
/* CBC. `iv` must not be predictable; afterwards it is the one to go on with. */
uint16_t {p}_cbc_encrypt(const {p}_ctx *c, uint8_t iv{of_block}, void *data, uint16_t length);
uint16_t {p}_cbc_decrypt(const {p}_ctx *c, uint8_t iv{of_block}, void *data, uint16_t length);

/* CTR, any length; encrypts as it decrypts. `counter` is a number, its low byte first, that is
 * never used twice under a key; afterwards it is the next one. To go on, only whole blocks go
 * before. */
uint16_t {p}_ctr(const {p}_ctx *c, uint8_t counter{of_block}, void *data, uint16_t length);
"#
    )
}
