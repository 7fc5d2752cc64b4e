//! Files by their paths, hashed as `manylane sum` hashes them.

use crate::digests::Digests;
use crate::message::message;
use crate::names::{batch_algorithm, engine, thread_count, threads};
use crate::output::Output;
use crate::refused::refused;
use crate::text::Text;
use manylane_files::hashing::{
    Function, Functions, Hashing, Input, Job, Key, Next, Options, Source,
};
use pyo3::exceptions::{PyOSError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long signals may wait for Python to see to them.
const PATIENCE: Duration = Duration::from_millis(50);

struct Paths {
    paths: std::vec::IntoIter<PathBuf>,
    functions: Functions,
}

impl Source for Paths {
    type Note = ();

    fn next(&mut self) -> Option<Job<()>> {
        let path = self.paths.next()?;
        Some(Job { input: Input::Path(path), functions: self.functions.clone(), note: () })
    }
}

/// The digests of files, in the order of their paths.
///
/// Short files are hashed side by side and long ones in pieces, in bounded memory. `threads` may
/// read and hash; `key` asks for HMAC under it. An error of a file is an OSError that names it, of
/// the first such file; a file that changes while it is read is such an error too. `manylane sum`
/// of the command line goes on instead and reports each.
///
/// >>> import manylane, pathlib, tempfile
/// >>> with tempfile.TemporaryDirectory() as folder:
/// ...     path = pathlib.Path(folder, "a")
/// ...     _ = path.write_bytes(b"abc")
/// ...     manylane.hash_files([path], "md5")[0].hex()
/// '900150983cd24fb0d6963f7d28e17f72'
#[pyfunction]
#[pyo3(signature = (paths, algorithm, *, threads = 1, key = None, encoding = None, engine = None))]
pub(crate) fn hash_files(
    py: Python<'_>,
    paths: &Bound<'_, PyAny>,
    algorithm: &str,
    #[pyo3(from_py_with = thread_count)] threads: Option<usize>,
    key: Option<&Bound<'_, PyAny>>,
    encoding: Option<&str>,
    engine: Option<&str>,
) -> PyResult<Digests> {
    let algorithm = batch_algorithm(algorithm)?;
    let encoding = Text::named(encoding)?;
    let key = key.map(|key| Ok::<_, PyErr>(Key::from(message(key)?.to_vec()))).transpose()?;
    let functions = Functions::from(Function::new(algorithm, key.as_ref()));
    let (threads, engine) = (self::threads(threads)?, self::engine(engine)?);
    let options = Options { engine, threads, ..Options::default() };
    options.check(&functions).map_err(refused)?;
    let one = paths.is_instance_of::<PyString>() || paths.is_instance_of::<PyBytes>();
    if one || paths.hasattr("__fspath__")? {
        return Err(PyTypeError::new_err("paths must be a sequence of paths: give [path]"));
    }
    // Paths are strings, bytes, or objects that know theirs.
    let decode = py.import("os")?.getattr("fsdecode")?;
    let paths = paths.try_iter()?.map(|path| decode.call1((path?,))?.extract::<PathBuf>());
    let paths = paths.collect::<PyResult<Vec<_>>>()?;
    let count = paths.len();
    let digest = algorithm.digest_bytes();
    let mut digests = Output::with_all(count.saturating_mul(digest))?;
    let mut hashing = Hashing::start(Paths { paths: paths.into_iter(), functions }, &options);
    loop {
        py.check_signals()?;
        match py.detach(|| hashing.next(PATIENCE)) {
            Next::Waiting => {}
            Next::End => break,
            Next::Done(done) => match (done.has_changed(), done.digests, &done.job.input) {
                (true, _, Input::Path(path)) => return Err(changed(path)),
                (_, Ok(found), _) => digests.next(digest)?.copy_from_slice(&found.concat()),
                (_, Err(error), Input::Path(path)) => return Err(of_file(error, path)),
                (_, Err(error), _) => return Err(error.into()),
            },
        }
    }
    Digests::new(py, algorithm, digests.into_bytes(), None, encoding)
}

fn changed(path: &Path) -> PyErr {
    PyOSError::new_err(format!(
        "{}: changed while it was read: hash it again when nothing writes to it",
        path.display()
    ))
}

/// An error as Python raises it, with the file's name.
fn of_file(error: io::Error, path: &Path) -> PyErr {
    match error.raw_os_error() {
        // `OSError` makes its own subclass of the number: FileNotFoundError and the like.
        Some(number) => {
            let text = error.to_string();
            let text = text.split(" (os error").next().unwrap_or_default().to_owned();
            PyOSError::new_err((number, text, path.as_os_str().to_owned()))
        }
        None => PyOSError::new_err(format!("{}: {error}", path.display())),
    }
}
