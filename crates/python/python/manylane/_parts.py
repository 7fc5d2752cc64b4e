"""A data set in parts: which files there are, and the digests of a part.

A part is what one task hashes and what becomes one file of a manifest. Everything here can be
pickled, so that a task may run on another machine.
"""

import contextlib
import dataclasses
import datetime
import errno
import hashlib
import json
import operator
import posixpath

from . import _manylane
from ._needs import needs

with needs("manifest"):
    import fsspec
    import pyarrow
    import pyarrow.parquet
    from fsspec.asyn import AsyncFileSystem
    from fsspec.spec import AbstractFileSystem

#: Files in a part at most; and bytes, unless one file has more.
PART_FILES = 10_000
PART_BYTES = 256 << 20
#: Objects up to so many bytes are fetched whole and hashed side by side.
SMALL = 4 << 20
#: How names of Parquet files end, in letters of either case.
PARQUET = (".parquet", ".parq", ".pq")


def canonical(algorithm):
    """The one name of an algorithm in manifests, however it was spelled."""
    # A digest that is too long for a table is refused here, before anything is read.
    _digest_size(algorithm)
    return _manylane.Hash(algorithm).name


def thread_count(threads, default):
    """The threads asked for, or the default for None."""
    if threads is None:
        return default
    if whole(threads, "threads") < 1:
        raise ValueError(f"threads={threads}: give 1 or more, or None for the default")
    return operator.index(threads)


def whole(number, name):
    """An argument that is a whole number, and no text that looks like one."""
    try:
        return operator.index(number)
    except TypeError:
        kind = type(number).__name__
        raise TypeError(f"{name}={number!r}: give a whole number, not a {kind}") from None


def is_parquet(path):
    """Whether a file counts as a Parquet file; that is said by its name alone."""
    return path.lower().endswith(PARQUET)


@dataclasses.dataclass(frozen=True)
class Job:
    """What is computed over a data set.

    kind: "files", a digest of the bytes of each file; "column", one of each value of the column
    that `columns` names in Parquet files; "rows", one of each of their rows, by `hash_rows`, over
    `columns` or, if that is None, over all of them.
    """

    source: str
    algorithm: str
    kind: str = "files"
    columns: tuple[str, ...] | None = None

    def as_json(self):
        return {**dataclasses.asdict(self), "columns": self.columns and list(self.columns)}


@dataclasses.dataclass(frozen=True)
class File:
    """A file: its path from the source, its size in bytes, and a mark of its version."""

    path: str
    size: int
    version: str


@dataclasses.dataclass(frozen=True)
class Part:
    """Files that are hashed together."""

    job: Job
    number: int
    files: tuple[File, ...]

    def fingerprint(self):
        """A digest by which a part that was written before is recognised as this one."""
        files = [dataclasses.astuple(file) for file in self.files]
        text = json.dumps([self.job.as_json(), self.number, files])
        return hashlib.sha256(text.encode()).hexdigest()


def _version(info):
    """A mark of a file's version that the file system has without reading the file."""
    names = ["ETag", "etag", "generation", "mtime", "LastModified", "last_modified", "created"]
    for name in [*names, "Last-Modified"]:
        if (value := info.get(name)) is not None:
            # A listing may give seconds where the file itself gives a date.
            return str(value.timestamp() if isinstance(value, datetime.datetime) else value)
    return ""


@contextlib.contextmanager
def _by_back_ends(source):
    """Makes errors of the packages behind fsspec, which have classes of their own, an OSError.

    What Python raises where a program is wrong stays as it is, with its traceback.
    """
    try:
        yield
    except Exception as error:
        if not _is_foreign(error):
            raise
        said, kind = " ".join(str(error).split()), type(error).__name__
        raise OSError(f"{source}: {said} ({kind})" if said else f"{source}: {kind}") from error


def _is_foreign(error):
    """Whether an error is another package's, and of no class that callers expect here."""
    if isinstance(error, OSError) and error.filename is not None:
        return False
    expected = (ValueError, TypeError, LookupError, ArithmeticError, ImportError, RuntimeError)
    if isinstance(error, (*expected, pyarrow.ArrowException)):
        return False
    # An archive that was cut is an EOFError of Python's own.
    return isinstance(error, EOFError) or type(error).__module__ != "builtins"


def listing(job):
    """The files of the source, in the order of their paths."""
    _refuse_pages(job.source)
    with _by_back_ends(job.source):
        return _listing(job)


def _listing(job):
    system, root = fsspec.url_to_fs(job.source)
    if system.isfile(root):
        infos = {root: system.info(root)}
        # Behind a redirection there may be a folder's page, too.
        _refuse_pages(infos[root].get("url") or "")
        root = posixpath.dirname(root)
    else:
        infos = _found(system, root)
    files = []
    for name, info in infos.items():
        path = posixpath.relpath(name, root) if root else name
        wanted = job.kind == "files" or is_parquet(path)
        if info.get("islink") or info["type"] == "link":
            info = _followed(system, name, path, wanted)
        if not wanted:
            continue
        try:
            path.encode()
        except UnicodeEncodeError:
            raise ValueError(
                f"{path!a}: its name is no UTF-8, which Parquet requires: rename it"
            ) from None
        if info["type"] not in {"file", "link"}:
            raise ValueError(f"{path}: is no regular file")
        if info.get("size") is None:
            raise ValueError(
                f"{path}: how long it is cannot be learnt from where it lies, so that it might be "
                "cut; copy it, and build the manifest of the copy"
            )
        files.append(File(path, info["size"], _version(info)))
    if job.kind != "files" and not files:
        raise ValueError(f"{job.source}: there are no Parquet files in it")
    return sorted(files, key=lambda file: file.path)


def _refuse_pages(source):
    """Refuses a folder on an HTTP server, which answers with a page that lists it and no file."""
    # Of a chain of file systems, the last one has the files that the others see.
    scheme, _, place = source.rpartition("::")[2].partition("://")
    name = posixpath.basename(place.partition("#")[0].partition("/")[2])
    if scheme in {"http", "https"} and name in {"", ".", ".."}:
        raise ValueError(
            f"{source}: is a folder, of which an HTTP server gives no list, but a page: name a file"
        )


def _found(system, root):
    """The files below a folder, by their names. A folder that cannot be listed is an error."""
    find = getattr(system, "_find", None) or system.find
    # Object stores find all files by one request. Others leave out folders that they cannot list.
    if getattr(find, "__func__", None) not in {AbstractFileSystem.find, AsyncFileSystem._find}:
        _entries(system, root)
        return system.find(root, detail=True)
    infos, folders = {}, [root]
    while folders:
        folder = folders.pop()
        for info in _entries(system, folder):
            name = info["name"].rstrip("/")
            if info["type"] != "directory":
                infos[info["name"]] = info
            elif name != folder:
                folders.append(name)
    return infos


def _entries(system, folder):
    try:
        return system.ls(folder, detail=True)
    except FileNotFoundError as error:
        raise FileNotFoundError(errno.ENOENT, "there is no such file or folder", folder) from error
    except OSError as error:
        if _is_foreign(error):
            raise
        reason = error.strerror or error
        text = f"the folder cannot be listed ({reason}): make it readable, or move it elsewhere"
        # `OSError` makes its own subclass of the number: PermissionError and the like.
        raise OSError(error.errno or errno.EIO, text, folder) from error


def _followed(system, name, path, wanted):
    """What a symbolic link leads to. A link to a file counts as that file."""
    try:
        info = system.info(name)
    except OSError as error:
        if not wanted:
            return None
        reason = error.strerror or error
        raise ValueError(
            f"{path}: is a symbolic link that leads to no file ({reason}); mend it or remove it"
        ) from None
    if info["type"] == "directory":
        raise ValueError(
            f"{path}: is a symbolic link to a folder, which is not followed; put the folder in "
            "its place, or remove it and build another manifest of the folder"
        )
    return info


def parts(job, files, part_bytes=PART_BYTES):
    """The files in parts of like size."""
    found, taken, size = [], [], 0
    for file in files:
        if taken and (size + file.size > part_bytes or len(taken) == PART_FILES):
            found.append(taken)
            taken, size = [], 0
        taken.append(file)
        size += file.size
    if taken:
        found.append(taken)
    return [Part(job, number, tuple(files)) for number, files in enumerate(found)]


def schema(job, digest_size):
    """The columns of a manifest."""
    digest = pyarrow.field("digest", pyarrow.binary(digest_size))
    if job.kind == "files":
        return pyarrow.schema([("path", pyarrow.string()), ("size", pyarrow.int64()), digest])
    return pyarrow.schema([("path", pyarrow.string()), ("row", pyarrow.int64()), digest])


def compute(part, threads=None):
    """The digests of a part as a table, on `threads` threads or one for each CPU.

    An error if a file changes while it is read, or gives another number of rows than it has.
    """
    with _by_back_ends(part.job.source):
        return _computed(part, threads)


def _computed(part, threads):
    job = part.job
    system, root = fsspec.url_to_fs(job.source)
    if system.isfile(root):
        root = posixpath.dirname(root)
    names = [posixpath.join(root, file.path) for file in part.files]
    of = _of_files if job.kind == "files" else _of_rows
    table = of(system, names, part, threads)
    system.invalidate_cache()
    for name, file in zip(names, part.files):
        info = system.info(name)
        if (info["size"], _version(info)) != (file.size, file.version):
            raise ValueError(f"{file.path}: changed while it was read; build again")
    return table


def _of_files(system, names, part, threads):
    algorithm = part.job.algorithm
    if isinstance(system, fsspec.get_filesystem_class("file")):
        digests = pyarrow.array(_manylane.hash_files(names, algorithm, threads=threads))
    else:
        digests = pyarrow.array(_of_objects(system, names, part.files, algorithm, threads))
    paths = pyarrow.array([file.path for file in part.files])
    sizes = pyarrow.array([file.size for file in part.files], pyarrow.int64())
    digests = digests.cast(pyarrow.binary(_digest_size(algorithm)))
    return pyarrow.table([paths, sizes, digests], schema(part.job, _digest_size(algorithm)))


def _digest_size(algorithm):
    return _manylane.hash_many([], algorithm).digest_size


def _of_objects(system, names, files, algorithm, threads):
    """The digests of files: small ones are hashed side by side, large ones in pieces."""
    small = [place for place, file in enumerate(files) if file.size <= SMALL]
    fetched = (system.cat_file(names[place]) for place in small)
    digests = dict(zip(small, _manylane.hash_many(fetched, algorithm, threads=threads)))
    for place, name in enumerate(names):
        if place not in digests:
            hasher = _manylane.Hash(algorithm)
            with system.open(name, "rb") as stream:
                while piece := stream.read(SMALL):
                    hasher.update(piece)
            # SHAKE without a length in its name gets the same one as in `hash_many`.
            digests[place] = hasher.digest(*_length(hasher, algorithm))
    return [digests[place] for place in range(len(files))]


def _length(hasher, algorithm):
    return () if hasher.digest_size else (_digest_size(algorithm),)


@contextlib.contextmanager
def _named(path):
    """Errors while a file is read name the file."""
    try:
        yield
    except OSError as error:
        if error.filename is not None:
            raise
        raise OSError(f"{path}: {error}") from error
    except KeyError as error:
        raise KeyError(f"{path}: {error.args[0] if error.args else error}") from error
    except (TypeError, ValueError, NotImplementedError, pyarrow.ArrowException) as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"{path}: {error}") from error


def _of_rows(system, names, part, threads):
    job = part.job
    columns = None if job.columns is None else list(job.columns)
    tables = []
    for name, file in zip(names, part.files):
        with _named(file.path), system.open(name, "rb") as stream:
            parquet = pyarrow.parquet.ParquetFile(stream)
            there = parquet.schema_arrow.names
            for column in columns or []:
                if there.count(column) != 1:
                    count = "two columns" if column in there else "no column"
                    raise KeyError(f"{count} '{column}'; there are: {', '.join(there)}")
            row = 0
            for batch in parquet.iter_batches(1 << 17, columns=columns):
                if job.kind == "column":
                    # A column `a.b` is read together with what a struct `a` has of that name.
                    values = batch.column(columns[0])
                    digests = _manylane.hash_array(values, job.algorithm, threads=threads)
                else:
                    digests = _manylane.hash_rows(batch, columns, job.algorithm, threads=threads)
                digests = pyarrow.array(digests)
                rows = pyarrow.array(range(row, row + len(digests)), pyarrow.int64())
                paths = pyarrow.repeat(pyarrow.scalar(file.path), len(digests))
                tables.append(
                    pyarrow.record_batch([paths, rows, digests], ["path", "row", "digest"])
                )
                row += len(digests)
            if row != parquet.metadata.num_rows:
                raise ValueError(f"has {parquet.metadata.num_rows} rows, {row} were read")
    return pyarrow.Table.from_batches(tables, schema(job, _digest_size(job.algorithm)))
