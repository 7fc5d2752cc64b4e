"""Digests of a data set in a folder of Parquet files, on one machine or on many.

::

    python -m manylane.manifest build SRC MANIFEST [--engine local|ray|daft]
    python -m manylane.manifest verify SRC MANIFEST
    python -m manylane.manifest diff OLD NEW

``build`` can be stopped at any moment and run again: parts that were written are kept.

>>> import pathlib, tempfile
>>> from manylane import manifest
>>> folder = pathlib.Path(tempfile.mkdtemp())
>>> (folder / "data").mkdir()
>>> (folder / "data" / "a.txt").write_bytes(b"abc")
3
>>> manifest.build(folder / "data", folder / "m", "md5")["rows"]
1
>>> manifest.read(folder / "m")["digest"][0].as_py().hex()
'900150983cd24fb0d6963f7d28e17f72'
>>> (folder / "data" / "a.txt").write_bytes(b"abd")
3
>>> manifest.verify(folder / "data", folder / "m")
[('changed', 'a.txt', None)]
"""

import argparse
import contextlib
import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

from ._needs import needs

try:
    with needs("manifest"):
        import pyarrow
        import pyarrow.parquet
    from . import _parts, _store
    from ._store import Incomplete as Incomplete
except ImportError as _absent:
    if __name__ == "__main__":
        sys.exit(f"manifest: {_absent}")
    raise


def _local(parts, threads):
    for part in parts:
        yield part, _parts.compute(part, threads)


def _engine(name):
    """A function that gives (part, table) for each part, in any order."""
    if name == "local":
        return _local
    if name == "ray":
        from .ray import tables
    elif name == "daft":
        from .daft import tables
    else:
        raise ValueError(f"engine '{name}': there are local, ray and daft")
    return tables


def _contains(source, manifest):
    """Whether a manifest would lie in its own data set."""
    # Of a chain of file systems, the last one has the files that the others see.
    scheme, separator, path = source.rpartition("::")[2].rpartition("://")
    if separator and scheme not in {"file", "local"}:
        return False
    source = os.path.realpath(path)
    return os.path.commonpath([source, os.path.realpath(manifest)]) == source


def build(
    source: str | os.PathLike[str],
    manifest: str | os.PathLike[str],
    algorithm: str = "sha256",
    *,
    column: str | None = None,
    rows: Sequence[str] | bool | None = None,
    engine: str = "local",
    threads: int | None = None,
    part_bytes: int = _parts.PART_BYTES,
    progress: Callable[[int, int, int], object] | None = None,
) -> dict[str, Any]:
    """Writes the manifest of a data set into the folder `manifest`; returns what its JSON says.

    source: a folder or a file, local or a URL that fsspec opens. Without `column` and `rows` each
    file has a digest; with `column` each value of that column of Parquet files; with `rows`, a list
    of columns or True for all, each row. Parquet files are those named `.parquet`, `.parq` or
    `.pq`. `threads` are those of one task: None for one for each CPU, and on Ray and Daft for one.
    `progress` is called with the parts done, all parts and the bytes done.
    """
    manifest, source = _store.folder(manifest), _store.path_text(source, "the source")
    if _parts.whole(part_bytes, "part_bytes") < 1:
        raise ValueError(f"part_bytes={part_bytes}: give 1 or more")
    job = _job(source, algorithm, column, rows)
    _parts.thread_count(threads, None)
    if _contains(source, manifest):
        raise ValueError(f"{manifest}: lies in the data set; name a folder elsewhere")
    compute = _engine(engine)
    files = _parts.listing(job)
    parts = _parts.parts(job, files, part_bytes)
    with _store.locked(manifest, job):
        digests = _store.written_digests(manifest)
        missing = [part for part in parts if not _store.is_written(manifest, part, digests)]
        size = {part.number: sum(file.size for file in part.files) for part in parts}
        done, written = len(parts) - len(missing), 0
        if missing:
            kept = digests.keys() - {_store.part_name(part) for part in missing}
            digests = {name: digests[name] for name in sorted(kept)}
            _store.begin(manifest, job, digests)
        for part, table in _once(compute(missing, threads), missing, engine):
            digests[_store.part_name(part)] = _store.write_part(manifest, part, table)
            done, written = done + 1, written + size[part.number]
            if progress:
                progress(done, len(parts), written)
        return _store.finish(manifest, job, parts, len(files), digests)


def _job(source, algorithm, column, rows):
    """The job that the arguments of `build` ask for."""
    algorithm = _parts.canonical(algorithm)
    if "::" in source and os.path.exists(source):
        raise ValueError(
            f"{source}: its name has '::', which joins the file systems of a URL; rename it, or "
            "name a link to it"
        )
    if "://" not in source and "::" not in source:
        source = os.path.abspath(source)
    if column is not None and rows not in [None, False]:
        raise ValueError("column and rows exclude each other")
    if column is not None:
        return _parts.Job(source, algorithm, "column", (column,))
    if rows is None or rows is False:
        return _parts.Job(source, algorithm)
    if rows is True:
        return _parts.Job(source, algorithm, "rows")
    if isinstance(rows, (str, bytes)):
        raise TypeError(f"rows must be a sequence of names: give [{rows!r}], or True for all")
    columns = tuple(rows)
    if not columns:
        raise ValueError("rows names no column: name one or more, or give True for all")
    return _parts.Job(source, algorithm, "rows", columns)


def _once(found, parts, engine):
    """The pairs of an engine, which gives every part once."""
    waiting = {part.number for part in parts}
    for part, table in found:
        if part.number not in waiting:
            raise RuntimeError(f"part {part.number} came twice from {engine}")
        waiting.remove(part.number)
        yield part, table
    if waiting:
        raise RuntimeError(f"part {min(waiting)} did not come from {engine}; run it again")


def read(manifest: str | os.PathLike[str]) -> pyarrow.Table:
    """A complete manifest as a pyarrow Table: path, size or row, digest."""
    said = _store.complete(manifest)
    tables = []
    for part in said["parts"]:
        content = pyarrow.BufferReader(_store.content(manifest, part))
        try:
            table = pyarrow.parquet.read_table(content)
        except (OSError, pyarrow.ArrowException) as error:
            path = os.path.join(manifest, part["file"])
            text = f"{path}: this part of the manifest is damaged: {error}; {_store.ANEW}"
            raise ValueError(text) from None
        if table.num_rows != part["rows"]:
            raise ValueError(f"{part['file']} has {table.num_rows} rows, not {part['rows']}")
        tables.append(table)
    return _table(_parts.Job(said["source"], said["algorithm"], said["kind"]), tables)


def _table(job, tables):
    """The tables of all parts as one."""
    if tables:
        return pyarrow.concat_tables(tables)
    return _parts.schema(job, 1).empty_table()


def diff(
    old: str | os.PathLike[str], new: str | os.PathLike[str]
) -> list[tuple[str, str, int | None]]:
    """What differs between two manifests: a list of (what, path, row or None).

    what: "added", "removed" or "changed".
    """
    first, second = _store.read(old), _store.read(new)
    for field in ["algorithm", "kind", "columns"]:
        if first[field] != second[field]:
            raise ValueError(
                f"manifests of different {field} are not compared: {first[field]}, {second[field]}"
            )
    return _diff(first["kind"], read(old), read(new))


def _diff(kind, old, new):
    keys = ["path"] if kind == "files" else ["path", "row"]
    tables = []
    for table, suffix in [(old, " old"), (new, " new")]:
        table = table.select([*keys, "digest"])
        # A null digest is a value here: of a row that is there.
        present = pyarrow.repeat(pyarrow.scalar(True), table.num_rows)
        digest = table["digest"].cast(pyarrow.binary())
        table = table.set_column(len(keys), "digest" + suffix, digest)
        tables.append(table.append_column("there" + suffix, present))
    joined = (
        tables[0]
        .join(tables[1], keys, join_type="full outer")
        .sort_by([(key, "ascending") for key in keys])
    )
    found = []
    for batch in joined.to_batches(1 << 16):
        columns = batch.to_pydict()
        for i, path in enumerate(columns["path"]):
            was, is_now = columns["there old"][i], columns["there new"][i]
            row = columns["row"][i] if len(keys) > 1 else None
            if not was:
                found.append(("added", path, row))
            elif not is_now:
                found.append(("removed", path, row))
            elif columns["digest old"][i] != columns["digest new"][i]:
                found.append(("changed", path, row))
    return found


def verify(
    source: str | os.PathLike[str],
    manifest: str | os.PathLike[str],
    *,
    engine: str = "local",
    threads: int | None = None,
    progress: Callable[[int, int, int], object] | None = None,
) -> list[tuple[str, str, int | None]]:
    """Hashes the data set anew; returns what differs from the manifest, in the form of `diff`."""
    said = _store.complete(manifest)
    # A damaged manifest is reported before the data set is read.
    old = read(manifest)
    columns = said["columns"]
    job = _job(
        _store.path_text(source, "the source"),
        said["algorithm"],
        columns[0] if said["kind"] == "column" else None,
        (columns or True) if said["kind"] == "rows" else None,
    )
    _parts.thread_count(threads, None)
    compute = _engine(engine)
    parts = _parts.parts(job, _parts.listing(job))
    # Nothing is written: a temporary folder might lie in the data set.
    tables, size = {}, 0
    for part, table in _once(compute(parts, threads), parts, engine):
        tables[part.number] = table
        size += sum(file.size for file in part.files)
        if progress:
            progress(len(tables), len(parts), size)
    return _diff(job.kind, old, _table(job, [tables[part.number] for part in parts]))


class _Parser(argparse.ArgumentParser):
    def error(self, message):
        self.exit(1, f"manifest: {message}\nTry: python -m manylane.manifest --help\n")


def _arguments():
    parser = _Parser(
        prog="python -m manylane.manifest",
        description="Digests of a data set in a folder of Parquet files.",
        epilog="Exit status: 0 done, and no differences; 1 differences, or an error.",
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    work = _Parser(add_help=False)
    work.add_argument(
        "--engine",
        default="local",
        metavar="ENGINE",
        help="local (the default), ray or daft: where parts are hashed; they need the packages",
    )
    work.add_argument(
        "--threads",
        type=int,
        metavar="N",
        help="threads of one task [default: locally one for each CPU, else 1]",
    )
    work.add_argument("--quiet", action="store_true", help="show no progress on the terminal")
    output = _Parser(add_help=False)
    output.add_argument("--json", action="store_true", help="print JSON")
    source = "a folder or a file: local, or a URL that fsspec opens"
    one = commands.add_parser("build", parents=[work, output], help="write a manifest, or go on")
    one.add_argument("source", metavar="SRC", help=source)
    one.add_argument(
        "manifest", metavar="MANIFEST", help="a local folder, new or of a build before"
    )
    one.add_argument("-a", "--algorithm", default="sha256", help="[default: sha256]")
    what = one.add_mutually_exclusive_group()
    what.add_argument(
        "--column",
        metavar="NAME",
        help="hash each value of a column of the files named .parquet, .parq or .pq",
    )
    what.add_argument(
        "--rows",
        metavar="NAME,...",
        help="hash each row of such files over these columns, or * for all",
    )
    one.add_argument(
        "--part-bytes",
        type=int,
        default=_parts.PART_BYTES,
        metavar="N",
        help="bytes of the data set in one part [default: 256 MiB]",
    )
    one = commands.add_parser("verify", parents=[work, output], help="hash anew and compare")
    one.add_argument("source", metavar="SRC", help=source)
    one.add_argument("manifest", metavar="MANIFEST")
    one = commands.add_parser("diff", parents=[output], help="compare two manifests")
    one.add_argument("old", metavar="OLD")
    one.add_argument("new", metavar="NEW")
    return parser


def _progress(quiet):
    """A function that shows how far the work is, if somebody watches."""
    if quiet or not sys.stderr.isatty():
        return None
    begin = time.monotonic()

    def show(done, parts, size):
        rate = size / 1e6 / max(time.monotonic() - begin, 1e-3)
        end = "\n" if done == parts else ""
        print(
            f"\r{done} of {parts} parts, {size / 1e6:.0f} MB, {rate:.0f} MB/s ",
            end=end,
            file=sys.stderr,
            flush=True,
        )

    return show


def _output(lines):
    """Prints lines, and raises an error of standard output at once, with its name."""
    try:
        for line in lines:
            print(line)
        # Nothing is printed to a standard output that was closed.
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError as error:
        # What waits to be written would fail again, with a status of its own, when Python ends.
        with contextlib.suppress(OSError, ValueError):
            sys.stdout.close()
        reason = error.strerror or error
        raise OSError(f"standard output: {reason}") from None


def _count(number, thing):
    return f"{number} {thing}" + ("" if number == 1 else "s")


def _printable(path):
    return path if path.isprintable() else json.dumps(path)


def _run(args):
    if args.command == "build":
        rows = {None: None, "*": True}.get(args.rows, (args.rows or "").split(","))
        if args.part_bytes < 1:
            raise ValueError("--part-bytes must be 1 or more")
        said = build(
            args.source,
            args.manifest,
            args.algorithm,
            column=args.column,
            rows=rows,
            engine=args.engine,
            threads=args.threads,
            part_bytes=args.part_bytes,
            progress=_progress(args.quiet),
        )
        if args.json:
            _output([json.dumps(said)])
        else:
            rows, files = _count(said["rows"], "digest"), _count(said["files"], "file")
            parts = _count(len(said["parts"]), "part")
            _output([f"{args.manifest}: {rows} of {files}, in {parts}"])
        return 0
    if args.command == "verify":
        progress = _progress(args.quiet)
        found = verify(
            args.source, args.manifest, engine=args.engine, threads=args.threads, progress=progress
        )
    else:
        found = diff(args.old, args.new)
    if args.json:
        _output([json.dumps([dict(zip(["what", "path", "row"], item)) for item in found])])
    else:
        _output(
            f"{what:8} {_printable(path)}" + ("" if row is None else f" row {row}")
            for what, path, row in found
        )
    return 1 if found else 0


def main(arguments: Sequence[str] | None = None) -> int:
    """The program; returns its exit status."""
    args = _arguments().parse_args(arguments)
    try:
        return _run(args)
    except KeyboardInterrupt:
        print("manifest: interrupted; run it again to go on", file=sys.stderr)
        return 130
    except (
        OSError,
        ValueError,
        OverflowError,
        TypeError,
        KeyError,
        ImportError,
        RuntimeError,
        pyarrow.ArrowException,
    ) as error:
        text = error.args[0] if isinstance(error, KeyError) and error.args else error
        print(f"manifest: {text}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
