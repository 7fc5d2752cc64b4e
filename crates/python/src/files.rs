//! Files by their paths.

use crate::digests::{Digests, Encoding};
use crate::names::{algorithm, engine, threads};
use crate::refused;
use manylane::{Algorithm, Batch, Engine, Hasher};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// Files that one thread takes at a time, whose short ones are hashed side by side.
const GROUP: usize = 32;
/// Files up to this many bytes are read whole.
const SHORT: usize = 256 << 10;

/// The digests of files, in the order of their paths.
///
/// Short files are hashed side by side, long ones in pieces. An error of a file is an OSError that
/// names it, of the first such file; `manylane sum` of the command line goes on instead and reports
/// each.
///
/// >>> import manylane, pathlib, tempfile
/// >>> with tempfile.TemporaryDirectory() as folder:
/// ...     path = pathlib.Path(folder, "a")
/// ...     _ = path.write_bytes(b"abc")
/// ...     manylane.hash_files([path], "md5")[0].hex()
/// '900150983cd24fb0d6963f7d28e17f72'
#[pyfunction]
#[pyo3(signature = (paths, algorithm, *, threads = 1, encoding = None, engine = None))]
pub(crate) fn hash_files(
    py: Python<'_>,
    paths: &Bound<'_, PyAny>,
    algorithm: &str,
    threads: Option<usize>,
    encoding: Option<&str>,
    engine: Option<&str>,
) -> PyResult<Digests> {
    let algorithm = self::algorithm(algorithm)?;
    let encoding = Encoding::of(encoding)?;
    let (threads, engine) = (self::threads(threads)?, self::engine(engine)?);
    if paths.is_instance_of::<pyo3::types::PyString>() {
        return Err(PyTypeError::new_err("paths must be a sequence of paths: give [path]"));
    }
    let paths = paths.try_iter()?.map(|path| path?.extract::<PathBuf>());
    let paths = paths.collect::<PyResult<Vec<_>>>()?;
    let digest = algorithm.digest_bytes();
    let mut digests = vec![0; paths.len() * digest];
    py.detach(|| hash_all(algorithm, engine, threads, &paths, &mut digests))?;
    Digests::new(algorithm, digests, paths.len(), None, encoding)
}

/// The first error by the order of the paths, whichever thread meets it first.
fn hash_all(
    algorithm: Algorithm,
    engine: Option<Engine>,
    threads: usize,
    paths: &[PathBuf],
    digests: &mut [u8],
) -> PyResult<()> {
    Hasher::on(algorithm, engine).map_err(refused)?;
    let groups = paths.chunks(GROUP).zip(digests.chunks_mut(GROUP * algorithm.digest_bytes()));
    let queue = Mutex::new(groups.enumerate());
    let failed: Mutex<Option<(usize, PyErr)>> = Mutex::new(None);
    let work = || loop {
        let next = queue.lock().ok().and_then(|mut queue| queue.next());
        let Some((place, (paths, digests))) = next else { return };
        let Ok(before) = failed.lock().map(|failed| failed.is_some()) else { return };
        if before {
            return;
        }
        if let Err(error) = hash_group(algorithm, engine, paths, digests) {
            if let Ok(mut failed) = failed.lock() {
                if failed.as_ref().is_none_or(|(other, _)| place < *other) {
                    *failed = Some((place, error));
                }
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads.min(paths.len().div_ceil(GROUP)) {
            // With fewer threads than asked for it only takes longer.
            let _ = std::thread::Builder::new().spawn_scoped(scope, work);
        }
        work();
    });
    match failed.into_inner() {
        Ok(Some((_, error))) => Err(error),
        _ => Ok(()),
    }
}

fn hash_group(
    algorithm: Algorithm,
    engine: Option<Engine>,
    paths: &[PathBuf],
    digests: &mut [u8],
) -> PyResult<()> {
    let digest = algorithm.digest_bytes();
    let (mut short, mut places) = (Vec::new(), Vec::new());
    for (place, path) in paths.iter().enumerate() {
        let named = |error| of_file(error, path);
        let mut file = File::open(path).map_err(named)?;
        let mut bytes = Vec::new();
        (&mut file).take(SHORT as u64 + 1).read_to_end(&mut bytes).map_err(named)?;
        if bytes.len() <= SHORT {
            short.push(bytes);
            places.push(place);
            continue;
        }
        let mut hasher = Hasher::on(algorithm, engine).map_err(refused)?;
        hasher.update(&bytes);
        bytes.resize(1 << 20, 0);
        loop {
            match file.read(&mut bytes) {
                Ok(0) => break,
                Ok(read) => hasher.update(&bytes[..read]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(named(error)),
            }
        }
        hasher.finalize_into(&mut digests[place * digest..][..digest]);
    }
    let mut out = vec![0; short.len() * digest];
    Batch::new(algorithm).engine(engine).run(&short, &mut out).map_err(refused)?;
    for (&place, found) in places.iter().zip(out.chunks_exact(digest)) {
        digests[place * digest..][..digest].copy_from_slice(found);
    }
    Ok(())
}

/// An error as Python raises it, with the file's name.
fn of_file(error: io::Error, path: &Path) -> PyErr {
    match error.raw_os_error() {
        // `OSError` makes its own subclass of the number: FileNotFoundError and the like.
        Some(number) => {
            let text = error.to_string();
            let text = text.split(" (os error").next().unwrap_or_default().to_owned();
            pyo3::exceptions::PyOSError::new_err((number, text, path.to_path_buf()))
        }
        None => PyErr::from(error),
    }
}
