//! `manylane verity`: the trees of Linux' fs-verity and dm-verity.

mod answer;

use crate::environment::with_environment;
use crate::measure::tuning;
use crate::terminal::output::{Output, complain};
use answer::{fs_line, of_dm};
use anyhow::{anyhow, bail};
use manylane_answers::choices::at_least_one;
use manylane_files::lists::lines::{self, from_hex};
use manylane_files::quote::quote;
use manylane_files::system::atomic::check_outputs;
use manylane_files::verity::{Format, Target, TreeParameters, dm, fs};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Print digests of fs-verity, or write the tree of dm-verity
///
/// For each FILE, the digest that `fsverity digest` prints and that the kernel has of the file when
/// fs-verity is enabled on it. With --dm, the tree of blocks that `veritysetup format` writes, for
/// one FILE that is an image of a file system. Files are read once, in pieces.
#[derive(Debug, clap::Args)]
#[command(args_override_self = true)]
#[command(group = clap::ArgGroup::new("written").multiple(true)
    .args(["dm", "out_merkle_tree", "out_descriptor"]))]
#[command(after_long_help = with_environment(AFTER_HELP))]
pub struct Args {
    /// The files; - is standard input
    #[arg(value_name = "FILE", required = true)]
    files: Vec<OsString>,

    /// The hash: sha256 or sha512; with --dm also sha1, sha224, sha384, sha3-224, sha3-256,
    /// sha3-384 and sha3-512
    #[arg(long, value_name = "NAME", default_value = "sha256")]
    hash_alg: String,
    /// Bytes of a block, of data and of the tree: a power of two, with --dm from 512 to 524288
    #[arg(long, value_name = "BYTES", default_value_t = 4096)]
    block_size: usize,
    /// The salt in hexadecimal digits [default: none; with --dm 32 random bytes, and - is none]
    #[arg(long, value_name = "HEX")]
    salt: Option<String>,

    /// Print the digest alone, without the hash and the file's name
    #[arg(long, conflicts_with = "dm")]
    compact: bool,
    /// Write dm-verity's header and tree to this file
    #[arg(long, value_name = "TREE")]
    dm: Option<PathBuf>,
    /// The UUID in dm-verity's header [default: a random one]
    // Conflicts that --dm has are repeated here: if one of these options is given, clap does not
    // demand --dm, and the UUID would be ignored.
    #[arg(
        long,
        value_name = "UUID",
        requires = "dm",
        conflicts_with_all = ["compact", "out_merkle_tree", "out_descriptor"],
    )]
    uuid: Option<String>,
    /// Write the tree of fs-verity, without a header, to this file
    #[arg(long, value_name = "TREE", conflicts_with = "dm")]
    out_merkle_tree: Option<PathBuf>,
    /// Write the descriptor, of which fs-verity's digest is taken, to this file
    #[arg(long, value_name = "FILE", conflicts_with = "dm")]
    out_descriptor: Option<PathBuf>,
    /// Write over files that exist
    #[arg(long, requires = "written")]
    force: bool,
    /// Print a line of JSON for each file, with `error` in place of the digest for one that could
    /// not be read
    #[arg(long, conflicts_with = "compact")]
    json: bool,

    /// Use so many threads [default: one for each core]
    #[arg(short = 'j', long, value_name = "N", value_parser = at_least_one)]
    threads: Option<std::num::NonZeroUsize>,
}

const AFTER_HELP: &str = "\
Examples:
  manylane verity FILE                      sha256:DIGEST FILE, as fsverity digest has it
  manylane verity --compact FILE            the digest alone
  manylane verity --hash-alg sha512 --salt 5a5a FILE
  manylane verity --dm root.verity root.img the tree for a block device, and its root hash
  veritysetup open root.img root root.verity ROOTHASH
  manylane verity --out-merkle-tree file.tree FILE

The tree of dm-verity is of format 1, begins with its header, and lies in a file of its own. FILE \
is then a whole number of blocks long.

Exit status:
  0  all went well
  1  bad usage, a file that could not be read, output that failed";

/// Computes the trees of the files, writes what is asked for, and prints the measurements.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    tuning::load();
    let threads = args
        .threads
        .map_or_else(|| std::thread::available_parallelism().map_or(1, usize::from), usize::from);
    let is_dm = args.dm.is_some();
    let format = if is_dm { Format::Dm } else { Format::Fs };
    let form = TreeParameters::new(format, &args.hash_alg, args.block_size, threads)?;
    let [dm, tree, descriptor] =
        [&args.dm, &args.out_merkle_tree, &args.out_descriptor].map(Option::as_deref);
    check_outputs([("--dm", dm), ("--out-merkle-tree", tree), ("--out-descriptor", descriptor)])?;
    let mut output = Output::stdout()?;
    let salt = args.salt.as_deref().map(|salt| parse_salt(salt, is_dm)).transpose()?;
    if let Some(tree) = &args.dm {
        let [data] = &args.files[..] else {
            bail!("--dm takes one FILE, not {}", args.files.len())
        };
        let header = dm::Header::new(&form, salt, args.uuid.as_deref())?;
        let tree = Target { path: tree, force: args.force };
        let data = Path::new(data);
        let made = dm::format(&form, &header, data, &tree)?;
        output.write(&of_dm(&form, &header, &made, [data, tree.path], args.json))?;
        output.finish()?;
        return Ok(ExitCode::SUCCESS);
    }
    let salt = salt.unwrap_or_default();
    if salt.len() > fs::MAX_SALT {
        bail!("a salt of {} bytes: fs-verity takes at most {}", salt.len(), fs::MAX_SALT);
    }
    let [tree, descriptor] = [tree, descriptor].map(|path| Target::of(path, args.force));
    if args.files.len() > 1 && (tree.is_some() || descriptor.is_some()) {
        bail!("one FILE is needed for a tree or a descriptor, not {}", args.files.len());
    }
    let mut good = true;
    for name in &args.files {
        match fs::digest(&form, &salt, name, tree.as_ref(), descriptor.as_ref()) {
            Ok(digest) => {
                output.write(&fs_line(&form, &digest, name, args.compact, args.json))?;
            }
            Err(error) => {
                if args.json {
                    let reason = [("error", error.root_cause().to_string().into())];
                    output.write(&lines::json(&[("file", name.as_encoded_bytes())], reason))?;
                }
                output.flush()?;
                complain(&format!("{error:#}"));
                good = false;
            }
        }
    }
    output.finish()?;
    Ok(if good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The bytes of a salt.
fn parse_salt(salt: &str, is_dm: bool) -> anyhow::Result<Vec<u8>> {
    if is_dm && salt == "-" {
        return Ok(Vec::new());
    }
    from_hex(salt.as_bytes()).ok_or_else(|| {
        anyhow!("salt {}: an even number of hexadecimal digits is needed", quote(salt.as_bytes()))
    })
}
