//! Assembly as a backend: the texts of a program, and its files.

use super::name::hash_prefix;
use super::{About, Ahead, Cores, Error, Hash, IMAGE, Layout, MOST_DIGEST_BYTES, Made};
use super::{Share, Shared, Usage};
use super::{check_prefix, folder, selftest, usage};
use crate::backend::{self, Backend, Description};
use crate::cpu12x::{self, Compression, Handover, Mac};
use crate::xgate::{self, Thread, Walks};
use manylane_graph::framing::Framing;
use manylane_plan::program::Program;
use manylane_plan::program::verify::verify;

/// The size in bytes of two pieces of XGATE's part: what has an initial value (`before` bytes of
/// code, the threads, and their tables from a multiple of 256 bytes on), and the threads' memory,
/// which has none.
pub(super) fn image_bytes(before: usize, threads: &[&xgate::Written]) -> [usize; 2] {
    let text = before + threads.iter().map(|of| of.code + of.constants).sum::<usize>();
    let valued = match xgate::Written::tables(threads.iter().copied()) {
        (_, 0) => text,
        (_, bytes) => text.next_multiple_of(256) + bytes,
    };
    [valued, threads.iter().map(|of| of.memory).sum()]
}

/// The texts of threads, then their tables, then the memory that has no initial value.
pub(super) fn texts(threads: &[&xgate::Written]) -> String {
    let mut text: String = threads.iter().map(|of| &of.text[..]).collect();
    text += &xgate::Written::tables(threads.iter().copied()).0;
    text.extend(threads.iter().map(|of| &of.space[..]));
    text
}

// XGATE's part begins at a multiple of 256 bytes, so that its tables are at such addresses too.
const _: () = assert!(IMAGE.is_multiple_of(256));

/// A program of a hash.
#[derive(Clone, Copy, Debug)]
pub struct Assembly<'a> {
    /// The texts of the files beside the code.
    pub about: &'a About<'a>,
    /// The addresses of the program's parts.
    pub layout: Layout,
    /// The cores that compute.
    pub cores: Cores,
    /// Whether the CPU's code is to be small rather than fast.
    pub is_small: bool,
    /// Whether the CPU computes what XGATE does not finish in time. Else `final` returns whether
    /// all was in time, and the CPU has no compression.
    pub falls_back: bool,
    /// Whether XGATE gets one block at a time, if it computes alone. This makes the least code.
    pub is_by_block: bool,
    /// The bytes of XGATE's text, once it is assembled at [`IMAGE`].
    pub image: &'a [u8],
}

impl<'a> Assembly<'a> {
    /// Verifies the program and writes its texts.
    ///
    /// # Errors
    /// If the program is wrong, or no assembly is written for it.
    pub fn make(&self, hash: &Hash<'_>) -> Result<Made, backend::Error> {
        let About { prefix, .. } = *self.about;
        check_prefix(prefix)?;
        let inner = hash_prefix(prefix);
        let p = if hash.mac.is_some() { &inner[..] } else { prefix };
        verified(hash.cpu)?;
        let function = &hash.cpu.rolled.name;
        let form = |what| Error::Form { function: function.clone(), what };
        if hash.stream.digest_bytes > MOST_DIGEST_BYTES {
            return Err(form("its digest is longer than 1024 bytes").into());
        }
        if hash.cpu.rolled.is_interleaved() {
            return Err(form("its words are their bits at even and at odd places").into());
        }
        let order = hash.stream.framing.order;
        let word_bytes = hash.stream.framing.word_bits as usize / 8;
        let falls_back = self.falls_back || self.cores == Cores::Cpu;
        let compression = match falls_back {
            true => cpu12x::compression(hash.cpu, order, p, self.is_small, false)?,
            false => Compression::elsewhere(hash.stream.framing.counter_words() * word_bytes),
        };
        let share = hash.ahead.filter(|_| self.cores == Cores::Both);
        // The thread that a job begins with, and the one that it may continue with.
        let [thread, next] = match share {
            Some(Share { whole: Some(whole), rest, .. }) => [Some(whole), Some(rest)],
            Some(Share { whole: None, rest, .. }) => [Some(rest), None],
            None => [hash.xgate.filter(|_| self.cores != Cores::Cpu), None],
        };
        let is_each = share.is_some() && next.is_none();
        let ahead = match share {
            Some(share) => {
                verified(&share.cpu)?;
                let looped = if is_each { cpu12x::window(&share.cpu, order, p)? } else { None };
                let masked = || cpu12x::masked(&share.cpu, order, p, share.is_small);
                Some(match looped.or_else(|| if is_each { masked() } else { None }) {
                    Some(short) => short,
                    None => cpu12x::ahead(&share.cpu, order, p, share.is_small)?,
                })
            }
            None => None,
        };
        // The memory of the threads, behind all constants, needs no initial value.
        let threads: Vec<&xgate::Written> = thread.into_iter().chain(next).collect();
        let begin_bytes = Handover::begin_bytes(threads.len() > 1);
        let [valued_bytes, memory_bytes] =
            if threads.is_empty() { [0; 2] } else { image_bytes(begin_bytes, &threads) };
        let image_bytes = valued_bytes + memory_bytes;
        let mut layout = self.layout;
        let no_room = || form("its work area and XGATE's code do not fit into the RAM");
        if thread.is_some() {
            layout = layout.behind(image_bytes).ok_or_else(no_room)?;
        }
        let work = usize::from(layout.work);
        let is_by_block = self.is_by_block && self.cores == Cores::Xgate;
        let handover = thread.as_ref().map(|of| Handover {
            clocks: of.clocks,
            is_beside: self.cores == Cores::Both,
            is_by_block,
            falls_back,
            ahead_bytes: share.map_or(0, |of| of.cpu.rolled.outputs.len() * word_bytes),
            every: share.map_or(1, |of| of.every),
            is_each,
        });
        let is_lean = match share {
            Some(share) => share.rest.is_lean,
            None => hash.xgate.is_some_and(|of| of.is_lean),
        };
        let around = cpu12x::Surroundings { function, prefix: p, address: work, is_lean };
        let mut text =
            cpu12x::hash(hash.stream, &compression, ahead.as_ref(), &around, handover.as_ref())?;
        let mut context_bytes = text.context.bytes();
        if hash.mac.is_some() {
            let handover = handover.as_ref().map(|of| of.is_beside);
            let mac = Mac { prefix, hash: p, handover };
            let (keyed, bytes) = mac.write(&text, &hash.stream.framing, work + text.work_bytes);
            text.text.push_str(&keyed);
            text.work_bytes += bytes;
            context_bytes += text.context.chain_bytes;
        }
        let work_end = work + text.work_bytes;
        let place = selftest::TestAddresses { test: work_end, stack: layout.stack };
        let test =
            selftest::selftest(hash, prefix, context_bytes, place, thread.is_some(), falls_back);
        let ram = self.layout.free_ram(image_bytes, work_end, test.ram_bytes);
        let no_room = || form("its work area and that of its self-test do not fit into the RAM");
        let ram = ram.ok_or_else(no_room)?;
        let mut cpu = format!("{}{}", folder::head(self.about, "the CPU's part"), text.text);
        if thread.is_some() {
            let image = self.image.get(..valued_bytes).unwrap_or_default();
            cpu += &folder::image(p, prefix, image);
        }
        let xgate = thread.map(|_| {
            let head = folder::head(self.about, "XGATE's part");
            let begin = Handover::begin(p, layout.work, next.is_some());
            head.replace("-mm9s12x", "-mm9s12xg") + &begin + &texts(&threads)
        });
        let selftest = format!("{}{}", folder::head(self.about, "the self-test"), test.text);
        let header = usage::header(self.about, self.cores, falls_back, hash, context_bytes);
        Ok(Made {
            cpu,
            xgate,
            falls_back,
            selftest,
            header,
            shared: share.map_or_else(Shared::default, |of| {
                let words = of.cpu.rolled.outputs.len();
                Shared { words, every: of.every, is_each }
            }),
            is_by_block,
            image_bytes,
            clocks: thread.map_or(0, |of| of.clocks),
            layout,
            ram,
            context_bytes,
            usage: if hash.mac.is_some() { Usage::Mac } else { Usage::Hash },
            work_bytes: text.work_bytes,
            test_bytes: test.ram_bytes,
            answers: test.answers,
        })
    }
}

/// The trade between the clocks and the bytes of XGATE's thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ThreadSize {
    /// Fast rather than small.
    Fast,
    /// Small rather than fast.
    Lean,
    /// The fewest bytes, and slower: operations that rounds repeat on several groups of limbs have
    /// their code once.
    Smallest,
}

/// XGATE's thread of a compression. `effort` is how many orders of its instructions are tried;
/// `ahead` says how it takes part in handing over words that the CPU computes ahead.
///
/// # Errors
/// If the program is wrong, or XGATE has no code for an operation.
pub fn thread(
    prefix: &str,
    framing: &Framing,
    program: &Program,
    effort: usize,
    ahead: Ahead<'_>,
    size: ThreadSize,
) -> Result<xgate::Written, backend::Error> {
    verified(program)?;
    let is_lean = size != ThreadSize::Fast;
    let thread = Thread { prefix, framing, walks: Walks::Blocks, effort, ahead, is_lean };
    match size {
        ThreadSize::Smallest => thread.write_in_columns(program),
        ThreadSize::Fast | ThreadSize::Lean => thread.write(program),
    }
}

impl<'a> Backend for Assembly<'a> {
    type Program = Hash<'a>;

    fn description(&self) -> &'static Description {
        &backend::ASM
    }

    fn check(&self, hash: &Hash<'a>) -> Result<(), backend::Error> {
        self.make(hash).map(drop)
    }

    fn emit(&self, hash: &Hash<'a>, out: &mut backend::Folder) -> Result<(), backend::Error> {
        let made = self.make(hash)?;
        Ok(out.add_all(folder::files(self.about, self.cores, &made))?)
    }
}

/// Runs the program's verifier, and makes what it finds an error of this backend.
pub(super) fn verified(program: &Program) -> Result<(), backend::Error> {
    verify(program).map_err(|wrong| backend::Error::Program {
        backend: backend::ASM.name,
        place: program.rolled.name.clone(),
        problem: wrong.to_string(),
        remedy: "give the program as the planner made it".to_owned(),
    })
}
