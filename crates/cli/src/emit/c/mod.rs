//! `manylane emit c`.

use crate::emit::command::recorded;
use crate::emit::comment::in_comment;
use crate::synth::INTERRUPTED;
use crate::terminal::bar::Bar;
use crate::terminal::output::{Output, complain};
use anyhow::bail;
use manylane_answers::choices::one_of;
use manylane_answers::named;
use manylane_build::Primitive;
use manylane_build::c::{Planner, is_recorded, measured};
use manylane_build::options::{MACHINES, estimated, faster, with_option};
use manylane_build::predicted::is_assembly;
use manylane_build::run::Planned;
use manylane_emit::c::{About, Cores, Folder, Options, Packaging, Tables, check_prefix};
use manylane_files::quote::quote;
use manylane_files::system::staged::OutputFolder;
use manylane_pages::explain::text::wrapped;
use manylane_plan::Platform;
use manylane_plan::program::shape::{Shape, Worth};
use manylane_simulate::Machine;
use std::path::PathBuf;
use std::process::ExitCode;

/// Write a C99 library of a primitive, for microcontrollers and any other machine
///
/// The library is freestanding: no heap, no operating system, no variables of its own. It has a
/// context, init, update and final, functions for whole messages, a self-test with known answers,
/// and files for the build systems of microcontrollers.
#[derive(Debug, clap::Args)]
#[command(after_long_help = AFTER_HELP)]
pub struct Args {
    /// A hash function of `manylane list`, hmac- and one, or rc5-WORD/ROUNDS/KEY (rc5 is
    /// rc5-32/12/16)
    #[arg(value_name = "PRIMITIVE")]
    primitive: String,
    /// Cores that compute one block: with 2, a second core takes what does not wait for the
    /// chaining value, if it is free
    #[arg(
        long,
        value_name = "N",
        default_value = "1",
        value_parser = clap::value_parser!(u8).range(1..=2),
    )]
    cores: u8,
    /// The platform that a split over two cores is planned for, a name of `manylane platforms` or a
    /// file [default: rp2040]. C for one core differs in its words only, where --word is not given
    /// and they were measured there; without --on it is the same for every machine
    #[arg(long, value_name = "PLATFORM")]
    on: Option<String>,
    /// Rounds in an iteration, or the next larger number with which iterations are alike; if not
    /// given, as many as --size or --speed allow, or a measure between them
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    unroll: Option<u16>,
    /// Small code: a round in an iteration
    #[arg(long, conflicts_with_all = ["unroll", "speed"])]
    size: bool,
    /// Fast code: rounds are written out up to some thousand operations
    #[arg(long, conflicts_with = "unroll")]
    speed: bool,
    /// Cut longer words into limbs of so many bits: 32, 16 or 8; 64 leaves them to the compiler. If
    /// not given, words of 64 bits become their bits at even and at odd places where that is
    /// faster on words of 32 bits (SHA-3); elsewhere they are what was measured to be faster on
    /// the platform, or are left to the compiler
    #[arg(long, value_name = "BITS", value_parser = ["8", "16", "32", "64"])]
    word: Option<String>,
    /// How an S-box is computed: by a circuit, in constant time, or by a table, which is faster and
    /// has addresses that depend on the data
    #[arg(long, value_name = "HOW", default_value = "bitwise", value_parser = one_of(&Tables::ALL))]
    tables: Tables,
    /// The build systems to write files for; all of them if not given
    #[arg(
        long,
        value_name = "SYSTEM",
        value_delimiter = ',',
        value_parser = one_of(&Packaging::ALL),
    )]
    packaging: Vec<Packaging>,
    /// What names in C and of files begin with; if not given, the primitive's name: `sha256`,
    /// `hmac_sha256`, `rc5_32_12_16`
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
The folder gets include/ and src/ (all that a project needs), a self-test in src/ with known \
answers that the definition computed, a program for the PC in examples/pc/, a README with sizes, \
what is constant in time and how to wire a second core, and files for CMake, pico-sdk, Zephyr, \
ESP-IDF and PlatformIO, and the whole library as one header in amalgamated/. The folder appears \
when all of it is written, or not at all.

Examples:
  manylane emit c sha256 -o sha256
  cmake -S sha256 -B build && cmake --build build && ctest --test-dir build
  manylane emit c hmac-sha256 -o hmac-sha256          HMAC in files beside those of the hash
  manylane emit c shake128 -o shake128                output of any length: shake128_squeeze
  manylane emit c rc5-32/12/16 -o rc5                 key expansion, ECB, CBC, CTR
  manylane emit c groestl256 --tables lookup -o fast  not constant in time
  manylane emit c sha256 --cores 2 -o sha256-duo      for RP2040, ESP32 and whatever shares memory
  manylane emit c md5 --name fast_md5 --packaging amalgamated -o md5";

/// The platform of a split if no other is asked for.
const PLATFORM: &str = "rp2040";

/// Plans the program and writes its folder of C.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let primitive = named::emitted(&args.primitive)?;
    if args.tables != Tables::default() && !primitive.has_s_box() {
        bail!("--tables is for an S-box, such as Grøstl's; {} has none", primitive.name());
    }
    if let Some(name) = &args.name {
        check_prefix(name)?;
    }
    let place = OutputFolder::new(&args.output, args.force)?;
    let (title, standard) = primitive.title();
    let warning = primitive.warning();
    let (prefix, hash_prefix) = primitive.prefixes(args.name.as_deref());
    let options = Options { tables: args.tables, cores: args.cores(), packaging: args.packaging() };
    let platform = args.load()?;
    if options.cores == Cores::Two && platform.cores.len() == 1 {
        bail!("{} has one core: leave out --cores 2, or name a machine of two", platform.name);
    }
    let estimate = (options.cores == Cores::Two && platform.basis.is_estimate()).then(|| {
        format!(
            "the split over two cores rests on an estimate: nobody has measured the costs of {}",
            platform.name
        )
    });
    let bar = Bar::new(1);
    bar.say(&format!("{} is planned", primitive.name()));
    let planned =
        Planned::new(primitive, options.cores, &mut Planner::new(args.shape(), &platform));
    let words = args.word.is_none().then(|| primitive.words(options.cores, &platform)).flatten();
    let told = planned.and_then(|planned| {
        let told = args.measured(primitive, &platform, estimate.as_deref(), &planned)?;
        Ok((planned, told))
    });
    bar.clear();
    let (planned, measured) = told?;
    let about = About {
        title: &title,
        standard: &standard,
        warning: warning.as_deref(),
        command: &args.command(primitive),
        prefix: &prefix,
        hash_prefix: &hash_prefix,
        measured: Some(&measured),
    };
    let folder = planned.subject().library(&about, &options)?;
    let mut staged = place.stage()?;
    staged.write(folder.files.iter().map(|(path, text)| (path.as_str(), text.as_bytes())))?;
    if staged.is_interrupted() {
        complain("interrupted; nothing was written");
        return Ok(ExitCode::from(INTERRUPTED));
    }
    staged.publish()?;
    let mut output = Output::stdout()?;
    output.write(args.summary(&folder, &title, &prefix).as_bytes())?;
    let is_usual = args.is_as_measured() && args.on.is_some();
    let faster = is_usual.then(|| faster(&primitive.name(), options.cores, Some(&platform.name)));
    for note in estimate.into_iter().chain(words).chain(faster.flatten()) {
        output.write(wrapped(&note, 2).as_bytes())?;
    }
    output.finish()?;
    Ok(ExitCode::SUCCESS)
}

/// A statement as a sentence.
fn sentence(told: &str) -> String {
    let (first, rest) = told.split_at(1);
    format!("{}{rest}.", first.to_uppercase())
}

/// A statement as a paragraph of Markdown.
fn paragraph(told: &str) -> String {
    wrapped(&sentence(told), 0).replace("\n  ", "\n")
}

impl Args {
    /// The platform that a split over two cores is planned for.
    fn platform(&self) -> &str {
        self.on.as_deref().unwrap_or(PLATFORM)
    }

    /// Reads the platform's file.
    fn load(&self) -> anyhow::Result<Platform> {
        let name = self.platform();
        let platform = Platform::load(name).or_else(|error| {
            let Ok(machine) = Machine::named(name) else { return Err(error.into()) };
            bail!(
                "--on {name}: a machine of `manylane run`, of which no platform's file has costs; \
                 {error}. `manylane run PRIMITIVE --on {machine}` runs C whose split is planned \
                 for {PLATFORM}, or for the one that its --platform names"
            )
        })?;
        if is_assembly(&platform) {
            bail!(
                "--on {name}: its costs are those of assembly, and no C runs on its second core \
                 here: take `manylane emit asm`, or another platform of `manylane platforms`"
            );
        }
        // C for one core of no named platform is for any machine.
        let is_for_any = self.on.is_none() && self.cores == 1;
        Ok(if is_for_any { platform.without_words() } else { platform })
    }

    fn cores(&self) -> Cores {
        if self.cores == 2 { Cores::Two } else { Cores::One }
    }

    fn shape(&self) -> Shape {
        Shape {
            unroll: self.unroll.map(usize::from),
            worth: match (self.size, self.speed) {
                (true, _) => Worth::Size,
                (_, true) => Worth::Speed,
                (false, false) => Worth::Both,
            },
            word: self.word.as_ref().and_then(|bits| bits.parse().ok()),
        }
    }

    /// Whether the options make the C whose measurements are recorded.
    fn is_as_measured(&self) -> bool {
        self.shape() == Shape::default() && self.tables == Tables::default()
    }

    /// The only option that makes this C differ from the C without options; nothing if there is no
    /// such option or more than one.
    fn only_option(&self) -> Option<String> {
        let word = self.word.as_ref().map(|bits| format!("--word {bits}"));
        let unroll = self.unroll.map(|rounds| format!("--unroll {rounds}"));
        let is_given = [(self.size, "--size"), (self.speed, "--speed")];
        let worth = is_given.into_iter().find_map(|(is, name)| is.then(|| name.to_owned()));
        let mut given = [word, unroll, worth].into_iter().flatten();
        given.next().filter(|_| given.next().is_none() && self.tables == Tables::default())
    }

    /// Returns what the README says of measurements: the recorded figures, the words that they
    /// decide, what was not measured, and estimates of it.
    ///
    /// # Errors
    /// If a platform lacks a cost.
    fn measured(
        &self,
        primitive: Primitive,
        platform: &Platform,
        estimate: Option<&str>,
        planned: &Planned,
    ) -> Result<String, manylane_build::Error> {
        let (name, cores) = (&primitive.name(), self.cores());
        let word = primitive.word(cores, platform);
        let has_words = |machine: &Platform| primitive.word(Cores::One, machine) == word;
        let machines: Vec<Platform> =
            MACHINES.iter().filter_map(|name| Platform::load(name).ok()).collect();
        let has_words_of =
            |name: &str| machines.iter().any(|machine| machine.name == name && has_words(machine));
        let known = self
            .is_as_measured()
            .then(|| measured(name, cores, self.platform(), has_words_of))
            .flatten();
        let option = self.only_option();
        let timed = option.as_deref().and_then(|option| with_option(name, cores, option));
        let mut parts = Vec::new();
        match (known, self.is_as_measured()) {
            (Some(known), _) => parts.push(known + "\n"),
            (None, true) => parts.push(format!("Nothing was measured of {name}.\n")),
            (None, false) => {
                let what = if timed.is_some() { "Little of this" } else { "This" };
                parts.push(format!(
                    "{what} code was {}measured: figures are kept of code that is made without\n\
                     --size, --speed, --unroll, --word and --tables. `manylane run` has options\n\
                     --worth, --unroll and --word, and measures it on simulated machines.\n",
                    if timed.is_some() { "" } else { "not " }
                ));
            }
        }
        if self.word.is_none() {
            parts.extend(primitive.words(cores, platform).map(|told| paragraph(&told)));
            let others = machines.iter().filter(|machine| !has_words(machine));
            parts.extend(others.filter_map(|machine| {
                let told = primitive.words(Cores::One, machine)?;
                Some(paragraph(&format!(
                    "one core of {} was measured with other C, which `--cores 1 --on {0}` writes: \
                     {told}",
                    machine.name
                )))
            }));
        }
        let faster = self.is_as_measured().then(|| faster(name, cores, None)).flatten();
        let told = timed.or(faster.map(|told| told + "."));
        parts.extend(told.map(|told| wrapped(&told, 0).replace("\n  ", "\n")));
        if self.tables == Tables::default() {
            parts.push(estimated(planned, primitive, cores, self.platform(), option.as_deref())?);
        }
        if cores == Cores::Two && self.is_as_measured() && !is_recorded(name, self.platform()) {
            let on = in_comment(&quote(self.platform().as_bytes()));
            parts.push(format!("Two cores were not measured with a split planned for {on}.\n"));
        }
        if let Some(estimate) = estimate {
            parts.push(sentence(estimate) + "\n");
        }
        parts.retain(|part| !part.is_empty());
        Ok(parts.join("\n").trim_end().to_owned())
    }

    fn packaging(&self) -> Vec<Packaging> {
        match self.packaging.is_empty() {
            true => Packaging::ALL.to_vec(),
            false => self.packaging.clone(),
        }
    }

    /// The command that makes the same folder.
    fn command(&self, primitive: Primitive) -> String {
        let Self { cores, tables, packaging, name, .. } = self;
        let mut line = format!("manylane emit c {}", primitive.name());
        if *cores != 1 {
            line.push_str(&format!(" --cores {cores}"));
        }
        // The default platform is recorded too: with `--on` C for one core has the words that were
        // measured there, and without it the words of no platform.
        if let Some(on) = &self.on {
            // A name that begins with a dash is an argument behind `=` only.
            let join = if on.starts_with('-') { '=' } else { ' ' };
            line.push_str(&format!(" --on{join}{}", in_comment(&quote(on.as_bytes()))));
        }
        if let Some(rounds) = self.unroll {
            line.push_str(&format!(" --unroll {rounds}"));
        }
        for (is_given, option) in [(self.size, " --size"), (self.speed, " --speed")] {
            line.push_str(if is_given { option } else { "" });
        }
        if let Some(bits) = &self.word {
            line.push_str(&format!(" --word {bits}"));
        }
        if *tables != Tables::default() {
            line.push_str(&format!(" --tables {}", tables.name()));
        }
        if !packaging.is_empty() {
            let names: Vec<&str> = packaging.iter().map(|system| system.name()).collect();
            line.push_str(&format!(" --packaging {}", names.join(",")));
        }
        if let Some(name) = name {
            line.push_str(&format!(" --name {name}"));
        }
        format!("{line} -o {}", in_comment(&recorded(&self.output)))
    }

    /// The files that were made, in a few lines, of which the first has the answer.
    fn summary(&self, folder: &Folder, title: &str, prefix: &str) -> String {
        let named = quote(self.output.as_os_str().as_encoded_bytes());
        let sources = folder.library.join(", ");
        let build = match self.packaging().contains(&Packaging::Cmake) {
            true => format!(
                "  cmake -S {named} -B build && cmake --build build && ctest --test-dir build\n\
                 \x20   computes {} known answers; README.md says the rest\n",
                folder.answers
            ),
            false => format!(
                "  {prefix}_self_test() computes {} known answers; README.md says the rest\n",
                folder.answers
            ),
        };
        format!(
            "{named}: {title}, {sources}; a context has {} bytes\n{build}",
            folder.context_bytes
        )
    }
}
