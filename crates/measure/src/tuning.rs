//! The table of times that `manylane tune` measures: where it is, and its use.

use crate::cpu;
use crate::timing::Paired;
use anyhow::{Context, bail};
use etcetera::BaseStrategy;
use manylane_engine::tuning::{self, KernelName, Probe, Tuning, probes};
use manylane_engine::{Engine, HashId};
use manylane_files::quote::quote;
use manylane_files::system::atomic;
use manylane_files::system::os::{self, Opened};
use manylane_files::system::reason;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The environment variable that names the file or is `off`.
pub const VARIABLE: &str = "MANYLANE_TUNING";

/// The most bytes of a table's file, more than any table has.
const MOST_BYTES: u64 = 1 << 20;

/// The place of the table, which need not exist.
pub enum TablePlace {
    /// No table is to be used.
    Off,
    /// The user's choice.
    Named(PathBuf),
    /// In the user's cache, under a name that tells machine and version.
    Cache(PathBuf),
}

impl TablePlace {
    /// The place that the environment names, otherwise the one in the user's cache.
    ///
    /// # Errors
    /// If there is no home directory, or `MANYLANE_MAX_ISA` names no engine.
    pub fn find() -> anyhow::Result<Self> {
        let named = std::env::var_os(VARIABLE).unwrap_or_default();
        if named == "off" {
            return Ok(Self::Off);
        }
        if !named.is_empty() {
            return Ok(Self::Named(named.into()));
        }
        let folders = etcetera::base_strategy::choose_native_strategy().with_context(|| {
            format!("no folder for caches; set {VARIABLE} to a file, or to off")
        })?;
        let best = Engine::available()?.last().map_or("", |engine| engine.name());
        let version = env!("CARGO_PKG_VERSION");
        let file = format!("tuning-{}-{best}-{version}.txt", slug(&cpu::identity()));
        Ok(Self::Cache(folders.cache_dir().join("manylane").join(file)))
    }

    /// The file.
    ///
    /// # Errors
    /// If the environment forbids one.
    pub fn file(&self) -> anyhow::Result<&Path> {
        match self {
            Self::Off => bail!("{VARIABLE} is off: unset it, or set it to the file to be used"),
            Self::Named(file) | Self::Cache(file) => Ok(file),
        }
    }

    /// The table, if there is one.
    ///
    /// # Errors
    /// If it cannot be read, is damaged, or was made elsewhere: the error names the file.
    pub fn read(&self) -> anyhow::Result<Option<Tuning>> {
        let file = match self {
            Self::Off => return Ok(None),
            Self::Named(file) | Self::Cache(file) => file,
        };
        let mut text = String::new();
        let read = os::open(file).and_then(|opened| match opened {
            Opened::Regular(file, _) => file.take(MOST_BYTES).read_to_string(&mut text),
            Opened::Special(_) => Err(io::Error::other("is no regular file")),
        });
        match read {
            Err(error) if is_gone(&error) => Ok(None),
            // The cache may be in a folder of another user, where no table was ever kept.
            Err(error)
                if matches!(self, Self::Cache(_))
                    && error.kind() == io::ErrorKind::PermissionDenied =>
            {
                Ok(None)
            }
            Err(error) => bail!("{}: {}", name(file), reason(&error)),
            Ok(_) => Ok(Some(Tuning::read(&text, &cpu::identity()).with_context(|| name(file))?)),
        }
    }

    /// Writes the table, whole or not at all.
    ///
    /// # Errors
    /// If it cannot be written: the error names the file.
    pub fn write(&self, table: &Tuning) -> anyhow::Result<()> {
        let file = self.in_folder()?;
        atomic::replace(file, |writer| Ok(writer.write_all(table.to_string().as_bytes())?))
    }

    /// Checks that the file which the user named may be replaced or removed: there is none, it is
    /// empty, or it begins as tables do, even if the rest is damaged.
    ///
    /// # Errors
    /// If something else is in the file, or it cannot be read: the error names the file.
    pub fn check_is_table(&self) -> anyhow::Result<()> {
        let Self::Named(file) = self else { return Ok(()) };
        let table = Tuning::new(&cpu::identity()).to_string();
        let program = table.split_inclusive(' ').next().unwrap_or_default();
        let mut begin = Vec::new();
        let read = os::open(file).and_then(|opened| match opened {
            Opened::Regular(file, _) => file.take(program.len() as u64).read_to_end(&mut begin),
            Opened::Special(_) => Err(io::Error::other("is no regular file")),
        });
        match read {
            Err(error) if is_gone(&error) => Ok(()),
            Err(error) => bail!("{}: {}", name(file), reason(&error)),
            Ok(_) if begin.is_empty() || begin == program.as_bytes() => Ok(()),
            Ok(_) => bail!(
                "{}: is no table of `manylane tune`, and stays; {VARIABLE} names it: let it name \
                 another file",
                name(file)
            ),
        }
    }

    /// Checks everything that [`TablePlace::write`] needs before it writes.
    ///
    /// # Errors
    /// If it would fail: the error names the file.
    pub fn probe(&self) -> anyhow::Result<()> {
        atomic::probe(self.in_folder()?)
    }

    /// The file, in a folder that is made if there is none.
    fn in_folder(&self) -> anyhow::Result<&Path> {
        let file = self.file()?;
        let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
        let made = folder.map_or(Ok(()), fs::create_dir_all);
        made.map_err(|error| anyhow::anyhow!("{}: {}", name(file), reason(&error)))?;
        Ok(file)
    }
}

/// The place in the cache at which [`load`] found no table; not set in any other case.
static LACKING: OnceLock<TablePlace> = OnceLock::new();

/// Where a table would be kept in the cache, if [`load`] found none there.
pub fn lacking() -> Option<&'static TablePlace> {
    LACKING.get()
}

/// Hands the table to the engine. Without a good one the engine goes by the times that are built
/// in.
///
/// # Errors
/// If there is a table that cannot be used, or none where the environment names one: says why.
pub fn load() -> Result<(), String> {
    let place = TablePlace::find();
    let table = place.as_ref().map_or(Ok(None), TablePlace::read);
    let complaint = match (table, place) {
        (Ok(Some(table)), _) => match tuning::install(&table) {
            Ok(()) => return Ok(()),
            Err(error) => error.to_string(),
        },
        (Ok(None), Ok(TablePlace::Named(file))) => {
            format!("{}: there is no such file ({VARIABLE} names it)", name(&file))
        }
        (Ok(None), Ok(place @ TablePlace::Cache(_))) => {
            let _ = LACKING.set(place);
            return Ok(());
        }
        // A bad MANYLANE_MAX_ISA is reported by the first call that asks for an engine.
        (Ok(None), _) => return Ok(()),
        (Err(error), _) => format!("{error:#}"),
    };
    Err(format!("{complaint}\nthe built-in table is used; `manylane tune` makes a new one"))
}

/// Adds the times of a hash's kernels to the table. `seconds` returns the seconds that one run of
/// each kernel takes.
///
/// # Errors
/// If `MANYLANE_MAX_ISA` names no engine.
pub fn measure(
    table: &mut Tuning,
    hash: HashId,
    seconds: impl FnOnce(Paired) -> Vec<f64>,
) -> Result<(), manylane_engine::Error> {
    let mut probes = probes(hash)?;
    let kernels: Vec<KernelName> = probes.iter().map(Probe::kernel).collect();
    let probes = probes.iter_mut();
    let contestants = probes.map(|probe| -> Box<dyn FnMut()> { Box::new(|| probe.run()) });
    let seconds = seconds(Paired::new(contestants.collect()));
    for (kernel, seconds) in kernels.into_iter().zip(seconds) {
        table.set(hash, kernel, seconds * 1e9 / Probe::BLOCKS as f64);
    }
    Ok(())
}

/// Whether there is no file: not in its folder, or no folder for it.
fn is_gone(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// A file's name in messages.
pub fn name(file: &Path) -> String {
    quote(file.as_os_str().as_encoded_bytes())
}

/// Letters and digits, with a dash for anything between.
fn slug(text: &str) -> String {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("-").to_lowercase()
}
