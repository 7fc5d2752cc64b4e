//! `manylane emit asm`.

use crate::emit::command::recorded;
use crate::emit::comment::in_comment;
use crate::synth::INTERRUPTED;
use crate::terminal::bar::Bar;
use crate::terminal::output::{Output, complain};
use anyhow::bail;
use manylane_answers::choices::one_of;
use manylane_answers::named;
use manylane_build::Primitive;
use manylane_build::asm::{EFFORT, MACHINE, Search, assembled};
use manylane_emit::asm::{About, Cores, Modes, check_prefix};
use manylane_emit::backend::Folder;
use manylane_files::quote::quote;
use manylane_files::system::staged::OutputFolder;
use manylane_plan::program::shape::Worth;
use std::path::PathBuf;
use std::process::ExitCode;

/// Write assembly of a hash for the S12X, a microcontroller with two unlike cores
///
/// The program has init, update and final, which C on the CPU calls, and a self-test. It is
/// assembled and run here on the simulated chip before it is written; every digest is compared with
/// the definition's.
#[derive(Debug, clap::Args)]
#[command(after_long_help = AFTER_HELP)]
pub struct Args {
    /// A hash function of `manylane list`, hmac- and one, or rc5-WORD/ROUNDS/KEY (rc5 is
    /// rc5-32/12/16)
    #[arg(value_name = "PRIMITIVE")]
    primitive: String,
    /// The machine: s12x-xgate
    #[arg(long, value_name = "MACHINE", default_value = MACHINE)]
    on: String,
    /// Which cores compute
    #[arg(long, value_name = "CORES", default_value = "cpu", value_parser = one_of(&Cores::ALL))]
    cores: Cores,
    /// Small code: one round in an iteration; of the programs tried, the smallest. With --cores
    /// xgate, XGATE gets one block at a time if that takes at most twice as long as a fast program
    #[arg(long, conflicts_with_all = ["unroll", "speed"])]
    size: bool,
    /// Fast code, however large: on the CPU, rounds are unrolled up to some hundred operations; of
    /// XGATE's programs, the fastest that fits
    #[arg(long, conflicts_with = "unroll")]
    speed: bool,
    /// Rounds in an iteration, or the next larger number with which iterations are alike
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    unroll: Option<u16>,
    /// Orders of XGATE's instructions that are tried for one shape, at most: fewer take less time
    #[arg(long, value_name = "N", default_value_t = EFFORT)]
    effort: u16,
    /// With --cores both: the CPU computes nothing of XGATE's blocks, and returns to the
    /// application while XGATE computes
    #[arg(long)]
    no_share: bool,
    /// With --cores xgate or both: the CPU has no code for a block, so that the program is smaller.
    /// What XGATE does not finish in time is lost, and `final` returns 1 instead of 0
    #[arg(long)]
    no_fallback: bool,
    /// The modes of RC5 that have functions beside single blocks: ECB, CBC and CTR, ECB alone, or
    /// none, with which the program is smallest [default: all]
    #[arg(long, value_name = "MODES", value_parser = one_of(&Modes::ALL))]
    modes: Option<Modes>,
    /// The most bytes of code and constants; of the programs that fit, the fastest is taken
    #[arg(long, value_name = "BYTES", value_parser = clap::value_parser!(u16).range(1..))]
    within: Option<u16>,
    /// What labels, names in C and files begin with; if not given, the primitive's name: `sha256`
    #[arg(long, value_name = "PREFIX")]
    name: Option<String>,
    /// The folder to write, which must not exist or be empty
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
    /// Write into a folder that has files, over those of the same names; others stay
    #[arg(long)]
    force: bool,
}

const AFTER_HELP: &str = "\
The folder gets src/ (what an application needs, XGATE's part, a self-test), include/ for C, the \
S-records and the linker's map of all, a linker script, and a README with sizes and the cycles \
that runs took. The text is that of GNU as (m68hc11-as -mm9s12x), which makes the same bytes. The \
folder is there when all of it is written, or not at all.

Of --cores, `cpu` needs no coprocessor. With `xgate` the coprocessor computes and the CPU waits, \
a bounded time: what is late the CPU computes. With --no-fallback it does not: init, update and \
final take some 1,000 bytes, and final (of RC5 every function) returns a status. With `both` the \
CPU computes what a block has before its chaining value while XGATE computes the block before, if \
runs here say that it is faster; else, and with --no-share, it returns to the application while \
XGATE computes an update's whole blocks.

For XGATE several numbers of rounds in an iteration are written, and of the best ones several \
orders of their instructions, for up to a minute, with a share of the CPU for three; the fastest \
is taken that fits into the RAM, or a smaller one that takes 2 % longer at most. --size, --speed, \
--unroll and --within ask for another choice. The same command always gives the same code.

Examples:
  manylane emit asm sha256 --on s12x-xgate -o sha256
  manylane emit asm sha256 --cores xgate -o sha256-xgate
  manylane emit asm md5 --size -o md5                a round in an iteration
  manylane emit asm sha1 --cores xgate --no-fallback --within 5000 -o sha1
  manylane emit asm rc5 --cores xgate --no-fallback --modes block --size -o rc5
  manylane emit asm keccak256 --name hash -o hash    hash_init, hash_update, hash_final
  manylane run sha256 --on s12x-xgate                how long it takes";

/// Lengths whose cycles the README lists.
const LENGTHS: [usize; 6] = [0, 55, 56, 64, 119, 1024];

/// Plans, assembles and runs the program, then writes its folder.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    if args.on != MACHINE {
        bail!(
            "{}: assembly is written for {MACHINE}; `manylane emit c` has C for any machine",
            args.on
        );
    }
    if args.no_fallback && args.cores == Cores::Cpu {
        bail!("--no-fallback leaves XGATE alone to compute: take --cores xgate or both with it");
    }
    if args.no_share && args.cores != Cores::Both {
        bail!("--no-share leaves XGATE's blocks to XGATE alone: take --cores both with it");
    }
    let primitive = named::emitted(&args.primitive)?;
    if args.modes.is_some() && !matches!(primitive, Primitive::Rc5(_)) {
        bail!("--modes is for a cipher, rc5; {} has none", primitive.name());
    }
    if let Some(name) = &args.name {
        check_prefix(name)?;
    }
    let place = OutputFolder::new(&args.output, args.force)?;
    let (title, standard) = primitive.title();
    let warning = primitive.warning();
    let (prefix, _) = primitive.prefixes(args.name.as_deref());
    let bar = Bar::new(1);
    bar.say(&format!("{} on {}: shapes and orders are tried", primitive.name(), args.cores));
    let assembled = assembled(primitive, args.cores, &args.search(), &prefix);
    bar.clear();
    let assembled = assembled?;
    let figures = assembled.figures(&LENGTHS)?;
    let about = About {
        title: &title,
        standard: &standard,
        warning: warning.as_deref(),
        command: &args.command(&primitive.name()),
        prefix: &prefix,
        code_bytes: Some(assembled.built().code_bytes),
        block_cycles: assembled.block_cycles()?,
        figures: &figures,
    };
    let mut folder = Folder::new();
    assembled.write(&about, &mut folder)?;
    assembled.write_linked(&prefix, &mut folder)?;
    let mut staged = place.stage()?;
    staged.write(folder.files())?;
    if staged.is_interrupted() {
        complain("interrupted; nothing was written");
        return Ok(ExitCode::from(INTERRUPTED));
    }
    staged.publish()?;
    let named = quote(args.output.as_os_str().as_encoded_bytes());
    let long = figures.last().map_or(0, |of| of.cycles / of.blocks.max(1) as u64);
    let mut output = Output::stdout()?;
    let summary = format!(
        "{named}: {title} on the S12X's {}, {} bytes of code, {long} bus cycles a block\n  \
         {prefix}_self_test computes {} known answers; README.md says the rest\n",
        match args.cores {
            Cores::Cpu => "CPU",
            Cores::Xgate => "XGATE",
            Cores::Both => "CPU and XGATE",
        },
        assembled.built().code_bytes,
        assembled.built().made.answers
    );
    output.write(summary.as_bytes())?;
    output.finish()?;
    Ok(ExitCode::SUCCESS)
}

impl Args {
    fn search(&self) -> Search {
        let worth = match (self.size, self.speed) {
            (true, _) => Worth::Size,
            (_, true) => Worth::Speed,
            (false, false) => Worth::Both,
        };
        let unroll = self.unroll.map(usize::from);
        let (shares, falls_back) = (!self.no_share, !self.no_fallback);
        let (modes, within) = (self.modes.unwrap_or_default(), self.within);
        Search { worth, unroll, effort: self.effort, shares, falls_back, modes, within }
    }

    /// The command that makes the same folder.
    fn command(&self, primitive: &str) -> String {
        let mut line =
            format!("manylane emit asm {primitive} --on {MACHINE} --cores {}", self.cores);
        if let Some(rounds) = self.unroll {
            line.push_str(&format!(" --unroll {rounds}"));
        }
        for (is_given, option) in [
            (self.size, " --size"),
            (self.speed, " --speed"),
            (self.no_share, " --no-share"),
            (self.no_fallback, " --no-fallback"),
        ] {
            line.push_str(if is_given { option } else { "" });
        }
        if let Some(modes) = self.modes {
            line.push_str(&format!(" --modes {modes}"));
        }
        if let Some(bytes) = self.within {
            line.push_str(&format!(" --within {bytes}"));
        }
        if self.effort != EFFORT {
            line.push_str(&format!(" --effort {}", self.effort));
        }
        if let Some(name) = &self.name {
            line.push_str(&format!(" --name {name}"));
        }
        format!("{line} -o {}", in_comment(&recorded(&self.output)))
    }
}
