//! `manylane sum`: checksums as coreutils prints them.

use crate::environment::with_environment;
use crate::files::check;
use crate::files::ended::Ended;
use crate::files::print::{Form, Printing};
use crate::files::recall::{self, for_each_recalled};
use crate::files::running::{OnChange, Running};
use crate::files::summary::Summary;
use crate::files::tree;
use crate::files::update::{self, Updating};
use crate::files::walk;
use crate::files::wanted::{self, Asked, By, Wanted};
use crate::measure::tuning;
use crate::program;
use crate::terminal::output::Output;
use crate::terminal::progress;
use anyhow::bail;
use clap::parser::ValueSource;
use clap::{ArgMatches, Command, FromArgMatches};
use manylane_engine::Algorithm;
use manylane_files::hashing::{Functions, Options};
use manylane_files::known::{Memory, computed};
use manylane_files::listing::{Listing, Names};
use manylane_files::lists::lines::{self, Digits, Object, Style};
use manylane_files::lists::manifest::{ListFormat, Writer};
use manylane_files::quote::quote;
use manylane_files::tree::TreeOptions;
use manylane_files::walk::{Own, Symlinks};
use std::ffi::OsString;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Print or check checksums of files, many at a time
///
/// The output is that of coreutils' sha256sum and its like, and so are the check files. Without
/// FILE, or when FILE is -, standard input is read.
#[derive(Debug, clap::Args)]
#[command(args_override_self = true, after_long_help = with_environment(AFTER_HELP))]
pub struct Args {
    // This field comes before those of --tag and --text, which take these options out of clap's
    // matches.
    #[command(flatten)]
    text_behind_tag: TextBehindTag,

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
    /// Print one digest for each directory with all below it: of names, kinds, contents, and where
    /// links lead. docs/sum.md defines it; it is the same on every file system. The file that the
    /// output goes to is skipped, and so are those of --cache and --checkpoint
    #[arg(long, conflicts_with_all = ["check", "update", "format", "recursive", "files_from"])]
    tree: bool,
    /// Let permission bits count too
    #[arg(long, requires = "tree")]
    modes: bool,
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
    walking: walk::Walking,

    #[command(flatten)]
    checking: check::Rules,

    /// Bring this LIST up to date: hash what is new in the FILEs or has another size or other times
    /// than LIST says, take out what is gone from them, keep the rest. Without a LIST, make it
    #[arg(long, value_name = "LIST", help_heading = UPDATING)]
    #[arg(conflicts_with_all = ["check", "base64", "raw", "zero", "binary", "text"])]
    update: Option<PathBuf>,
    /// Hash the files that seem unchanged too. Other content under the same size and time of
    /// modification is BITROT: LIST keeps the digest that it has, and the exit status is 2
    #[arg(long, help_heading = UPDATING, requires = "update")]
    rehash: bool,
    /// Leave files in LIST that are gone
    #[arg(long, help_heading = UPDATING, requires = "update")]
    keep_missing: bool,
    /// The form of the list [default: that of LIST with --update, else gnu for one algorithm, bsd
    /// for several]
    #[arg(long, value_enum, value_name = "FORM")]
    #[arg(conflicts_with_all = ["check", "base64", "raw", "zero", "binary", "text"])]
    #[arg(conflicts_with_all = ["tag", "untagged"])]
    format: Option<ListFormat>,

    #[command(flatten)]
    keeping: recall::Rules,

    #[command(flatten)]
    running: Running,
}

/// Whether the last --text comes after the last --tag. clap has no attribute for this.
#[derive(Debug)]
struct TextBehindTag(bool);

impl FromArgMatches for TextBehindTag {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let last = |name| {
            let given = matches.value_source(name) == Some(ValueSource::CommandLine);
            matches.indices_of(name).filter(|_| given).and_then(Iterator::last)
        };
        Ok(Self(last("text") > last("tag")))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl clap::Args for TextBehindTag {
    fn augment_args(command: Command) -> Command {
        command
    }

    fn augment_args_for_update(command: Command) -> Command {
        command
    }
}

const UPDATING: &str = "With --update";

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
  manylane sum --update LIST -r DIR   make a list of DIR, and later hash what is new or changed
  manylane sum --cache -r DIR         keep digests, and read only what changed next time
  manylane sum --checkpoint RUN -r DIR > LIST    can be interrupted and started again
  manylane sum --tree DIR             one digest for a directory
  producer | manylane sum             standard input

Other names:
  Started as md5sum, sha256sum or any algorithm's name and \"sum\", by a link for example, this is
  `manylane sum` with that algorithm; as cksum, it is `manylane sum` with lines that name theirs.

Checking:
  Status lines quote names as coreutils 9.11 does, for a shell to read. Lines of broken hashes (MD5,
  SHA-1, RIPEMD) are checked with a warning, which -a NAME and --status omit. Digests of fewer than
  128 bits are refused unless --length asks for them. Refused lines count as improperly formatted.
  A list is of ASCII or UTF-8, with or without a byte order mark; lines may end with CRLF.

Exit status:
  0  all went well
  1  bad usage, a file that could not be read or was CHANGED while it was read, a checksum that did
     not match, output that failed
  2  BITROT: other content than --update or --cache knows, under the same size and times";

/// Prints checksums, or checks or updates a list of them, as the arguments say.
pub fn run(mut args: Args) -> anyhow::Result<ExitCode> {
    // As in coreutils, --tag cancels a --text before it: BSD's lines have a mode of their own.
    args.text &= !args.tag || args.text_behind_tag.0;
    args.validate()?;
    if args.checking.status {
        progress::hide();
    }
    if args.files.is_empty() && args.files_from.is_none() && (args.recursive || args.tree) {
        args.files.push(".".into());
    }
    if program::is_cksum() && args.algorithm.is_empty() && !args.check {
        bail!("cksum's own CRC is not computed here; name a hash: cksum -a sha256");
    }
    tuning::load();
    let wanted = args.wanted()?;
    let functions: Functions = wanted.iter().map(Wanted::function).collect();
    // With --check the storage that counts is that of the listed files, not that of the list.
    let read = if args.check { &[] } else { &args.files[..] };
    let options = args.running.options(read.iter().map(Path::new));
    options.check(&functions)?;
    let mut output = Output::stdout()?;
    let ended = if args.check {
        let ignored = args.running.on_change() == OnChange::Ignore;
        let checks = check::CheckOptions { rules: args.checking, json: args.json, ignored };
        let mut summary = Summary::new(&args.running);
        let lists = args.lists();
        let good = check::run(&lists, checks, &wanted[0], &options, &mut summary, &mut output)?;
        summary.say();
        good.into()
    } else if args.update.is_some() {
        update::run(args.updating(), &wanted, &options, &mut output)?
    } else {
        print(args, &wanted, functions, &options, &mut output)?
    };
    output.finish()?;
    Ok(ended.into())
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
        } else if let Some(name) = self.keeping.given().filter(|_| self.check) {
            format!(
                "the --{name} option is meaningless when verifying checksums; `manylane audit \
                 LIST DIR` compares a folder with a list and takes it"
            )
        } else if self.json && self.format.is_some_and(|form| form != ListFormat::Json) {
            "--json prints lines of JSON; leave --format out".into()
        } else if self.update.is_some() && self.files.is_empty() && self.reads_stdin() {
            "--update needs names of files; give -r for the current folder".into()
        } else if self.update.as_deref().is_some_and(|list| list == "-") {
            "--update -: LIST is read and replaced, and standard output cannot be; name a file, \
             ./- for one of that name"
                .into()
        } else if self.update.is_some() && self.files.iter().any(|file| file == "-") {
            "--update keeps lists of files, and - is standard input; ./- is a file of that name"
                .into()
        } else if let (Some(cache), true) =
            (self.keeping.cache_file(), self.files.is_empty() && self.reads_stdin() && !self.tree)
        {
            let cache = quote(cache.as_os_str().as_encoded_bytes());
            format!(
                "--cache keeps digests of files, and there is no FILE: it takes the argument that \
                 follows, here {cache}, for the cache; --cache=FILE names one, and --cache at the \
                 end is the user's own"
            )
        } else if let Some(name) = self.walking.given().filter(|_| !self.recursive && !self.tree) {
            format!("the --{name} option is meaningful only with --recursive")
        } else if let Some((name, _)) = checking.iter().find(|(name, given)| {
            *given && !self.check && !(*name == "quiet" && self.update.is_some())
        }) {
            format!("the --{name} option is meaningful only when verifying checksums")
        } else {
            return Ok(());
        };
        bail!("{complaint}\nTry '{}' for more information.", program::help_of_sum())
    }

    /// Returns the algorithms to compute.
    fn wanted(&self) -> anyhow::Result<Vec<Wanted>> {
        Wanted::all(&Asked {
            algorithms: &self.algorithm,
            length: self.length,
            key_file: self.key_file.as_deref(),
            by: if self.check { By::Check } else { By::Sum },
        })
    }

    /// Whether nothing says what to read but standard input.
    fn reads_stdin(&self) -> bool {
        !self.recursive && self.files_from.is_none()
    }

    /// The names of the files.
    fn names(&mut self) -> anyhow::Result<Names> {
        let files = std::mem::take(&mut self.files);
        Ok(match (&self.files_from, files.is_empty()) {
            (Some(file), _) => Names::listed(file, if self.null { 0 } else { b'\n' })?,
            (None, true) => Names::Arguments(vec!["-".into()].into_iter()),
            (None, false) => Names::Arguments(files.into_iter()),
        })
    }

    /// Returns the options of --update.
    fn updating(self) -> Updating {
        Updating {
            list: self.update.unwrap_or_default(),
            rehash: self.rehash,
            keep_missing: self.keep_missing,
            form: self.format.or(self.tag.then_some(ListFormat::Bsd)),
            named: !self.algorithm.is_empty(),
            files: self.files,
            files_from: self.files_from.map(|file| (file, if self.null { 0 } else { b'\n' })),
            walking: self.recursive.then(|| self.walking.rules(Symlinks::Files)),
            keeping: if self.rehash { self.keeping.reading_all() } else { self.keeping },
            running: self.running,
            json: self.json,
            quiet: self.checking.quiet,
        }
    }

    /// The lists to check.
    fn lists(&self) -> Vec<OsString> {
        if self.files.is_empty() { vec!["-".into()] } else { self.files.clone() }
    }
}

/// The styles of the lines, one for each digest of a file. Refuses what lines cannot say.
fn styles(args: &Args, wanted: &[Wanted]) -> anyhow::Result<Vec<Style>> {
    if args.format.is_some_and(|form| form == ListFormat::Gnu) && wanted.len() > 1 {
        bail!("lines of coreutils hold one digest: leave --format out for those of BSD");
    }
    if args.format.is_some() && wanted.iter().any(|one| one.key.is_some()) {
        bail!("--format is for hashes, not for HMAC: leave it out");
    }
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
    Ok(wanted.iter().map(style).collect())
}

/// Prints the checksums of the files.
fn print(
    mut args: Args,
    wanted: &[Wanted],
    functions: Functions,
    options: &Options,
    output: &mut Output,
) -> anyhow::Result<Ended> {
    let styles = styles(&args, wanted)?;
    let memory = args.keeping.open(
        &functions,
        &computed(
            &wanted::all_names(wanted),
            args.files.iter().chain(&args.files_from).map(OsString::as_os_str),
        ),
    )?;
    if args.tree {
        return print_trees(&args, wanted, &functions, &styles, &memory, options, output);
    }
    let names = args.names()?;
    let rules = args.recursive.then(|| args.walking.rules(Symlinks::Files));
    let source = Listing::new(names, rules, functions)?.without(args.keeping.files());
    let form = match args.format {
        Some(form) => {
            let hashes: Vec<Algorithm> = wanted.iter().map(|one| one.hash).collect();
            Form::List(Writer::new(form, &hashes), hashes)
        }
        None if args.json => Form::Json(wanted.iter().map(Wanted::name).collect()),
        None => Form::Lines(&styles),
    };
    let mut printing = Printing::new(form, args.json, &args.running, options);
    printing.begin(output)?;
    for_each_recalled(source, &memory, options, output, |answer, progress, output| {
        printing.answer(answer, progress, output)?;
        Ok(ControlFlow::Continue(()))
    })?;
    output.flush()?;
    let ended = printing.end();
    Ok(if memory.finish(true) { ended } else { ended.worse(Ended::Bad) })
}

/// Prints one digest for each directory.
fn print_trees(
    args: &Args,
    wanted: &[Wanted],
    functions: &Functions,
    styles: &[Style],
    memory: &Memory,
    options: &Options,
    output: &mut Output,
) -> anyhow::Result<Ended> {
    if wanted.iter().any(|one| one.key.is_some()) {
        bail!("--tree is for hashes, not for HMAC: leave it out");
    }
    let trees = TreeOptions {
        rules: args.walking.rules(Symlinks::Hash),
        modes: args.modes,
        own: Own::new(args.keeping.files()),
    };
    let ignored = args.running.on_change() == OnChange::Ignore;
    let mut summary = Summary::new(&args.running);
    let mut ended = Ended::Good;
    for folder in &args.files {
        let name = folder.as_encoded_bytes();
        let (means, said) = ((memory, options), (&mut summary, &mut *output));
        let (one, digests) =
            tree::digests(Path::new(folder), functions, &trees, ignored, means, said)?;
        ended = ended.worse(one);
        let mut line = Vec::new();
        match digests {
            Ok(digests) if args.json => {
                let named = wanted.iter().map(Wanted::name);
                let digests = digests.iter().map(|digest| lines::hex(digest).into());
                let digests: Object = named.zip(digests).collect();
                line = lines::json(&[("file", name)], [("digests", digests.into())]);
            }
            Err(error) if args.json => {
                line = lines::json(&[("file", name)], [("error", error.into())]);
            }
            Ok(digests) => {
                for (style, digest) in styles.iter().zip(digests) {
                    style.line(&digest, name, &mut line);
                }
            }
            Err(_) => {}
        }
        output.write(&line)?;
    }
    output.flush()?;
    summary.say();
    Ok(if memory.clone().finish(true) { ended } else { ended.worse(Ended::Bad) })
}
