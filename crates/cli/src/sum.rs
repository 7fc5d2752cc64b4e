//! `manylane sum`: checksums as coreutils prints them.

use crate::check;
use crate::environment::with_environment;
use crate::files::{Functions, Input, Options, for_each_done};
use crate::lines::{self, Digits, Object, Style};
use crate::listing::{Listing, Note};
use crate::named_files::Names;
use crate::output::{Output, reason};
use crate::program;
use crate::progress::Progress;
use crate::quote::quote;
use crate::tuning;
use crate::walk;
use crate::wanted::{Asked, Wanted};
use anyhow::bail;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use manylane_engine::Engine;
use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

/// Print or check checksums of files, many at a time
///
/// The output is that of coreutils' sha256sum and its like, and so are the check files. Without
/// FILE, or when FILE is -, standard input is read.
#[derive(Debug, clap::Args)]
#[command(args_override_self = true, after_long_help = with_environment(AFTER_HELP))]
pub struct Args {
    /// The files, or with --check the lists of checksums
    #[arg(value_name = "FILE")]
    files: Vec<OsString>,

    /// What to compute: see `manylane list` [default: sha256]. Several names, with commas between
    /// them or each with its -a, are computed in one pass and print lines that name them. With
    /// --check, refuse the lines of all other algorithms than this one
    #[arg(short, long, value_name = "NAME")]
    algorithm: Vec<String>,
    /// Bits of the digest, for hashes of any length (SHAKE, Skein) and families (sha2, sha3); with
    /// --check, refuse digests of other lengths [default there: any of at least 128]
    #[arg(short, long, value_name = "BITS")]
    length: Option<usize>,
    /// The key of an hmac- algorithm: the bytes of this file
    #[arg(long, value_name = "FILE")]
    key_file: Option<PathBuf>,

    /// Read checksums from the FILEs and check them
    #[arg(short, long)]
    pub check: bool,
    /// Hash every regular file below each directory, in the order of their names; symbolic links
    /// to directories are not followed, and the file that the output goes to is skipped
    #[arg(short, long)]
    recursive: bool,
    /// Mark the names with *
    #[arg(short, long, overrides_with = "text")]
    binary: bool,
    /// Do not mark the names (the default); the files are read alike
    #[arg(short, long, overrides_with = "binary")]
    text: bool,
    /// Print BSD-style lines, which name the algorithm
    #[arg(long, overrides_with = "untagged")]
    tag: bool,
    /// Print lines that do not name the algorithm (the default for one algorithm)
    #[arg(long, overrides_with = "tag")]
    untagged: bool,
    /// Print digests in base64, not in hexadecimal digits
    #[arg(long, conflicts_with = "raw")]
    base64: bool,
    /// Print the digest's bytes alone, of one file and one algorithm
    #[arg(long)]
    raw: bool,
    /// Print a line of JSON for each file: its digests, or with --check its status
    #[arg(long)]
    #[arg(conflicts_with_all = ["tag", "untagged", "base64", "raw", "binary", "text", "zero"])]
    json: bool,
    /// End lines with NUL, not line feed, and escape no names
    #[arg(short, long)]
    zero: bool,

    /// Hash the files that this FILE names, a name in each line; - is standard input
    #[arg(long, value_name = "FILE", conflicts_with_all = ["files", "check"])]
    files_from: Option<OsString>,
    /// Names in the file of --files-from end with NUL, as find -print0 writes them
    #[arg(short = '0', long)]
    null: bool,

    #[command(flatten)]
    walking: walk::Rules,

    #[command(flatten)]
    checking: check::Rules,

    /// Use this engine only
    #[arg(long, value_name = "NAME", help_heading = RUNNING, value_parser = engine_parser())]
    engine: Option<Engine>,
    /// Use so many threads, or fewer where limits on memory, threads or open files ask for it
    /// [default: one for each core]
    #[arg(short = 'j', long, value_name = "N", help_heading = RUNNING)]
    threads: Option<std::num::NonZeroUsize>,
    /// Read one file after the other, each from its beginning to its end: for disks that turn.
    /// With -j2 or more a second thread hashes long files meanwhile
    #[arg(long, help_heading = RUNNING)]
    sequential: bool,
}

const RUNNING: &str = "Speed";

const AFTER_HELP: &str = "\
Examples:
  manylane sum *.iso > SHA256SUMS     the same lines as sha256sum
  manylane sum -c SHA256SUMS          check them; sha256sum -c would too
  manylane sum -a md5 -c MD5SUMS      lists of md5sum
  manylane sum -a sha256,md5 *        both, reading every file once
  manylane sum --tag -a sha3-256 *    lines that name their algorithm...
  manylane sum -c CHECKSUMS           ...need no -a to be checked
  manylane sum -a sha512 -c CHECKSUMS ...and with -a none but its lines are taken
  manylane sum -a skein512 -l 256 *   a digest of 256 bits of a hash of any length
  manylane sum -r DIR                 every file below a directory
  manylane sum -r --exclude '*.o' --gitignore .   all but these
  find . -name '*.c' -print0 | manylane sum --files-from - -0
  manylane sum -r --sequential DIR    the same on a disk that turns: one file at a time
  manylane sum -a hmac-sha256 --key-file KEY *    tags that only the holder of KEY can make
  manylane sum --json * | jq .        a line of JSON for each file
  producer | manylane sum             standard input

Other names:
  Started as md5sum, sha256sum or any algorithm's name and \"sum\", by a link for example, this is
  `manylane sum` with that algorithm; as cksum, it is `manylane sum` with lines that name theirs.

Checking:
  Status lines quote names as coreutils 9.11 does, for a shell to read. Lines of broken hashes (MD5,
  SHA-1, RIPEMD) are checked with a warning, which -a NAME and --status omit. Digests of fewer than
  128 bits are refused unless --length asks for them. Refused lines count as improperly formatted.
  A list may be of ASCII, UTF-8 with or without a byte order mark, and have lines that end with \
  CRLF.

Exit status:
  0  all went well
  1  bad usage, a file that could not be read, a checksum that did not match, output that failed";

fn engine_parser() -> impl TypedValueParser<Value = Engine> {
    PossibleValuesParser::new(Engine::ALL.map(Engine::name)).try_map(|name| name.parse::<Engine>())
}

pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    args.validate()?;
    if program::is_cksum() && args.algorithm.is_empty() && !args.check {
        bail!("cksum's own CRC is not computed here; name a hash: cksum -a sha256");
    }
    tuning::load();
    let wanted = args.wanted()?;
    let functions: Functions = wanted.iter().map(Wanted::function).collect();
    let threads = args.threads.map_or(Options::default().threads, usize::from);
    let options = Options {
        engine: args.engine,
        threads,
        sequential: args.sequential,
        sizes: Progress::is_shown(),
    };
    options.check(&functions)?;
    let mut output = Output::stdout()?;
    let good = if args.check {
        check::run(&args.lists(), args.checking, &wanted[0], &options, args.json, &mut output)?
    } else {
        print(args, &wanted, functions, &options, &mut output)?
    };
    output.finish()?;
    Ok(if good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

impl Args {
    /// Refuses what coreutils refuses, in its words.
    fn validate(&self) -> anyhow::Result<()> {
        let checking = [
            ("ignore-missing", self.checking.ignore_missing),
            ("status", self.checking.status),
            ("warn", self.checking.warn),
            ("quiet", self.checking.quiet),
            ("strict", self.checking.strict),
        ];
        let complaint = if self.raw
            && (self.files.len() > 1 || self.recursive || self.files_from.is_some())
        {
            "the --raw option is not supported with multiple files".into()
        } else if self.tag && self.text {
            "--tag does not support --text mode".into()
        } else if self.zero && self.check {
            "the --zero option is not supported when verifying checksums".into()
        } else if self.tag && self.check {
            "the --tag option is meaningless when verifying checksums".into()
        } else if (self.base64 || self.raw || self.untagged) && self.check {
            "the --base64, --raw and --untagged options are meaningless when verifying checksums"
                .into()
        } else if (self.binary || self.text) && self.check {
            "the --binary and --text options are meaningless when verifying checksums".into()
        } else if self.recursive && self.check {
            "the --recursive option is meaningless when verifying checksums".into()
        } else if self.null && self.files_from.is_none() {
            "the --null option is meaningful only with --files-from".into()
        } else if let Some(name) = self.walking.given().filter(|_| !self.recursive) {
            format!("the --{name} option is meaningful only with --recursive")
        } else if let Some((name, _)) = checking.iter().find(|(_, given)| *given && !self.check) {
            format!("the --{name} option is meaningful only when verifying checksums")
        } else {
            return Ok(());
        };
        bail!("{complaint}\nTry '{}' for more information.", program::help_of_sum())
    }

    /// What is to be computed.
    fn wanted(&self) -> anyhow::Result<Vec<Wanted>> {
        Wanted::all(&Asked {
            algorithms: &self.algorithm,
            length: self.length,
            key_file: self.key_file.as_deref(),
            check: self.check,
        })
    }

    /// The lists to check.
    fn lists(&self) -> Vec<OsString> {
        if self.files.is_empty() { vec!["-".into()] } else { self.files.clone() }
    }
}

/// Prints the checksums of the files; `false` if some could not be read.
fn print(
    args: Args,
    wanted: &[Wanted],
    functions: Functions,
    options: &Options,
    output: &mut Output,
) -> anyhow::Result<bool> {
    let tagged = !args.untagged && (args.tag || wanted.len() > 1 || program::is_cksum());
    if tagged && args.text {
        bail!("lines that name their algorithms do not support --text mode; give --untagged");
    }
    let digits = match (args.base64, args.raw) {
        (_, true) if wanted.len() > 1 => {
            bail!("the --raw option is not supported with multiple algorithms")
        }
        (_, true) => Digits::None,
        (true, _) => Digits::Base64,
        (false, _) => Digits::Hex,
    };
    let style = |one: &Wanted| Style {
        tag: tagged.then(|| one.tag()),
        digits,
        marker: if args.binary { b'*' } else { b' ' },
        end: if args.zero { 0 } else { b'\n' },
    };
    let styles: Vec<Style> = wanted.iter().map(style).collect();
    let names = match (&args.files_from, args.files.is_empty()) {
        (Some(file), _) => Names::listed(file, if args.null { 0 } else { b'\n' })?,
        (None, true) if args.recursive => Names::Arguments(vec![".".into()].into_iter()),
        (None, true) => Names::Arguments(vec!["-".into()].into_iter()),
        (None, false) => Names::Arguments(args.files.into_iter()),
    };
    let rules = args.recursive.then_some(args.walking);
    let source = Listing::new(names, rules, functions)?;
    let mut good = true;
    let mut line = Vec::new();
    let keys: Vec<String> = wanted.iter().map(Wanted::name).collect();
    for_each_done(source, options, output, |done, progress, output| {
        let name = match &done.job.input {
            Input::Path(path) | Input::Link(path) => path.as_os_str().as_encoded_bytes(),
            Input::Stdin => b"-",
            Input::Nothing => b"",
        };
        match (done.digests, done.job.note) {
            (_, Note::Later) => Ok(()),
            (_, Note::Remark(remark)) => progress.complain(output, &remark),
            (_, Note::Complaint(complaint)) => {
                good = false;
                progress.complain(output, &complaint)
            }
            (Err(error), _) => {
                good = false;
                let remedy = match (error.kind(), &done.job.input) {
                    (io::ErrorKind::IsADirectory, Input::Path(_)) => {
                        "; -r hashes the files below it"
                    }
                    _ => "",
                };
                let reason = reason(&error);
                if args.json {
                    let error = [("error", reason.clone().into())];
                    output.write(&lines::json(&[("file", name)], error))?;
                }
                progress.complain(output, &format!("{}: {reason}{remedy}", quote(name)))
            }
            (Ok(digests), note) => {
                line.clear();
                if args.json {
                    let digests = digests.iter().map(|digest| lines::hex(digest).into());
                    let digests: Object = keys.iter().cloned().zip(digests).collect();
                    line = lines::json(&[("file", name)], [("digests", digests.into())]);
                } else {
                    for (style, digest) in styles.iter().zip(digests) {
                        style.line(&digest, name, &mut line);
                    }
                }
                output.write(&line)?;
                match note {
                    Note::Output => progress.complain(output, &is_output(name)),
                    _ => Ok(()),
                }
            }
        }
    })?;
    Ok(good)
}

/// What is said of a file that is hashed, as coreutils does, and written at the same time.
fn is_output(name: &[u8]) -> String {
    format!("{}: the output goes there, so this checksum will not be its own", quote(name))
}
