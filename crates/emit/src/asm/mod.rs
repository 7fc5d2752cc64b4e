//! Assembly for the S12X, a microcontroller with two unlike cores, CPU12X and XGATE: complete programs.
//!
//! ```text
//!  Hash ── compression ──► cpu12x: P_compress ─────────────────┐
//!       ── framing ──────► cpu12x: P_init, P_update, P_final ──┼──► files of a folder
//!       ── definition ───► known answers: P_self_test ─────────┘
//! ```
//!
//! The text is GNU as's. Who assembles it adds the bytes: this crate knows no encodings.

mod folder;
mod selftest;

pub use crate::cpu12x::IMAGE;
pub use folder::Figure;

use crate::backend::{self, Backend, Line};
use crate::c::check_prefix;
use crate::cpu12x::{self, Handover};
use crate::xgate::{self, Thread};
use manylane_graph::framing::Stream;
use manylane_plan::program::Program;
use manylane_plan::program::verify::verify;
use std::fmt;
use std::ops::Range;

/// Which cores compute.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Cores {
    /// The CPU alone.
    #[default]
    Cpu,
    /// XGATE computes, the CPU waits; it computes what XGATE does not finish in time.
    Xgate,
    /// XGATE computes; meanwhile the CPU copies and pads, and the application goes on.
    Both,
}

impl Cores {
    /// All of them.
    pub const ALL: &'static [Self] = &[Self::Cpu, Self::Xgate, Self::Both];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::Xgate => "xgate",
            Self::Both => "both",
        }
    }
}

impl fmt::Display for Cores {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A hash function, as what is to be known of it.
#[derive(Clone, Copy)]
pub struct Hash<'s> {
    /// Its surroundings and its output.
    pub stream: &'s Stream,
    /// One call of the compression on the CPU, in words as wide as the definition's.
    pub cpu: &'s Program,
    /// The same on XGATE, if it is to compute.
    pub xgate: Option<&'s Program>,
    /// The digest by the definition, for known answers.
    pub digest: &'s dyn Fn(&[u8]) -> Vec<u8>,
}

/// What is written beside the code.
#[derive(Clone, Copy, Debug)]
pub struct About<'a> {
    /// The primitive's title: `SHA-256`.
    pub title: &'a str,
    /// The document that defines it.
    pub standard: &'a str,
    /// A warning about its security, if it needs one.
    pub warning: Option<&'a str>,
    /// The command line that makes the folder.
    pub command: &'a str,
    /// What labels and names in C begin with; see [`check_prefix`].
    pub prefix: &'a str,
    /// Bytes of code and constants, if they are known.
    pub code_bytes: Option<usize>,
    /// What runs took.
    pub figures: &'a [Figure],
}

/// Where the program lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The first address of code and constants.
    pub code: u16,
    /// The first address of the work area, in RAM that needs no page; behind XGATE's code, if that
    /// reaches further.
    pub work: u16,
    /// The stack's first address, one behind its last byte.
    pub stack: u16,
}

/// The memory map of an MC9S12XDT512 after a reset: code in flash from 0x4000 on, the work area in RAM that
/// both cores see at one address.
impl Default for Layout {
    fn default() -> Self {
        Self { code: 0x4000, work: 0x2000, stack: 0x4000 }
    }
}

/// The first address of the CPU's RAM, with RPAGE as after a reset.
const RAM: u16 = 0x1000;

/// From an address of the CPU in that RAM to XGATE's.
const TO_XGATE: usize = 0xc000;

/// Bytes of XGATE's part: what stands before the compression, and the thread.
fn image_bytes(thread: &xgate::Written) -> usize {
    Handover::BEGIN_BYTES + thread.code + thread.constants + thread.memory
}

/// Bytes that stay free for the stack.
const STACK_BYTES: usize = 256;

/// The longest digest in bytes for which a program is written.
pub const MOST_DIGEST_BYTES: usize = 1024;

/// A program of a hash.
#[derive(Clone, Copy, Debug)]
pub struct Assembly<'a> {
    /// What the files say beside the code.
    pub about: &'a About<'a>,
    /// Where it lies.
    pub layout: Layout,
    /// Which cores compute.
    pub cores: Cores,
    /// Whether the CPU's code is to be small rather than fast.
    pub is_small: bool,
    /// The bytes of XGATE's text, once it is assembled at [`IMAGE`].
    pub image: &'a [u8],
}

/// The texts of a program, and what there is to know of it.
#[derive(Clone, Debug)]
pub struct Made {
    /// The CPU's part: what an application needs.
    pub cpu: String,
    /// XGATE's part, if it computes.
    pub xgate: Option<String>,
    /// The self-test, and a start that runs it.
    pub selftest: String,
    /// The declarations for C.
    pub header: String,
    /// Bytes of XGATE's part in RAM, 0 if it does not compute.
    pub image_bytes: usize,
    /// Where the program lies.
    pub layout: Layout,
    /// RAM that is left to an application, the CPU's addresses.
    pub ram: Range<u16>,
    /// Bytes of a context.
    pub context_bytes: usize,
    /// Bytes of the work area, without the self-test's.
    pub work_bytes: usize,
    /// Bytes of RAM that the self-test needs behind the work area.
    pub test_bytes: usize,
    /// How many known answers it computes.
    pub answers: usize,
}

impl Made {
    /// All of the CPU's text: one file to assemble.
    pub fn whole(&self) -> String {
        format!("{}\n{}", self.cpu, self.selftest)
    }
}

impl<'a> Assembly<'a> {
    /// Verifies the program and writes its texts.
    ///
    /// # Errors
    /// A program that is wrong, and what no assembly is written for.
    pub fn make(&self, hash: &Hash<'_>) -> Result<Made, backend::Error> {
        let About { prefix: p, .. } = *self.about;
        check_prefix(p)?;
        verified(hash.cpu)?;
        let function = &hash.cpu.rolled.name;
        let form = |what| Error::Form { function: function.clone(), what };
        if hash.stream.digest_bytes > MOST_DIGEST_BYTES {
            return Err(form("its digest is longer than 1024 bytes").into());
        }
        let order = hash.stream.framing.order;
        let compression = cpu12x::compression(hash.cpu, order, p, self.is_small)?;
        let thread = self.thread(hash)?;
        let image_bytes = thread.as_ref().map_or(0, image_bytes);
        let mut layout = self.layout;
        // Where the CPU sees the end of XGATE's code.
        let image_end = (usize::from(IMAGE) + image_bytes).saturating_sub(TO_XGATE);
        if thread.is_some() {
            layout.work = layout.work.max(image_end.next_multiple_of(2) as u16);
        }
        let work = usize::from(layout.work);
        let handover = thread
            .as_ref()
            .map(|of| Handover { clocks: of.clocks, is_beside: self.cores == Cores::Both });
        let text = cpu12x::hash(hash.stream, &compression, function, p, work, handover.as_ref())?;
        let test = selftest::selftest(hash, p, &text, layout, thread.is_some());
        let work_end = work + text.work_bytes;
        let stack = usize::from(layout.stack) - STACK_BYTES;
        if work_end + test.ram_bytes > stack {
            return Err(form("its work area and XGATE's code do not fit into the RAM").into());
        }
        // In front of the work area, or behind it.
        let front = usize::from(RAM).max(image_end)..usize::from(self.layout.work);
        let ram = if front.len() >= stack - work_end { front } else { work_end..stack };
        let ram = ram.start as u16..ram.end as u16;
        let mut cpu = format!("{}{}", folder::head(self.about, "the CPU's part"), text.text);
        if thread.is_some() {
            cpu += &folder::image(p, self.image);
        }
        let xgate = thread.map(|of| {
            let head = folder::head(self.about, "XGATE's part");
            head.replace("-mm9s12x", "-mm9s12xg") + &Handover::begin(p, layout.work) + &of.text
        });
        let selftest = format!("{}{}", folder::head(self.about, "the self-test"), test.text);
        let header = folder::header(self.about, hash.stream.digest_bytes, text.context.bytes());
        Ok(Made {
            cpu,
            xgate,
            selftest,
            header,
            image_bytes,
            layout,
            ram,
            context_bytes: text.context.bytes(),
            work_bytes: text.work_bytes,
            test_bytes: test.ram_bytes,
            answers: test.answers,
        })
    }
}

impl Assembly<'_> {
    /// XGATE's thread, if it computes.
    fn thread(&self, hash: &Hash<'_>) -> Result<Option<xgate::Written>, backend::Error> {
        match (self.cores, hash.xgate) {
            (Cores::Cpu, _) | (_, None) => Ok(None),
            (Cores::Xgate | Cores::Both, Some(program)) => {
                verified(program)?;
                let thread = Thread { prefix: self.about.prefix, framing: &hash.stream.framing };
                thread.write(program).map(Some)
            }
        }
    }
}

impl<'a> Backend for Assembly<'a> {
    type Program = Hash<'a>;

    fn line(&self) -> &'static Line {
        &backend::ASM
    }

    fn check(&self, hash: &Hash<'a>) -> Result<(), backend::Error> {
        self.make(hash).map(drop)
    }

    fn emit(&self, hash: &Hash<'a>, out: &mut backend::Folder) -> Result<(), backend::Error> {
        let made = self.make(hash)?;
        Ok(out.add_all(folder::files(self, &made))?)
    }
}

fn verified(program: &Program) -> Result<(), backend::Error> {
    verify(program).map_err(|wrong| backend::Error::Program {
        backend: backend::ASM.name,
        place: program.rolled.name.clone(),
        problem: wrong.to_string(),
        remedy: "give the program as the planner made it".to_owned(),
    })
}

/// Why there is no program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// A node without instructions.
    #[error("asm: {function}: the node {node} {problem}; `manylane emit c` has C for it")]
    Node {
        /// The function.
        function: String,
        /// The node.
        node: String,
        /// What of it.
        problem: String,
    },
    /// Something of a hash that the program around a compression cannot do.
    #[error(
        "asm: {function}: {what}, for which no assembly is written; `manylane emit c` has C for it"
    )]
    Form {
        /// The function.
        function: String,
        /// What of it.
        what: &'static str,
    },
}
