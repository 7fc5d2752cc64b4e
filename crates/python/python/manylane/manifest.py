"""Digests of a data set in a folder of Parquet files, on one machine or on many.

::

    python -m manylane.manifest build SRC MANIFEST [--engine local|ray|daft]
    python -m manylane.manifest verify SRC MANIFEST
    python -m manylane.manifest diff OLD NEW

``build`` can be stopped at any moment and run again: parts that were written are kept.
"""

import argparse
import contextlib
import json
import os
import re
import sys
import tempfile
import time

import pyarrow
import pyarrow.parquet

from . import _manylane, _parts

VERSION = 1
PART = re.compile(r"part-\d{5,}\.parquet")


class Incomplete(ValueError):
    """A manifest whose build did not end."""


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


def build(
    source,
    manifest,
    algorithm="sha256",
    *,
    column=None,
    rows=None,
    engine="local",
    threads=None,
    part_bytes=_parts.PART_BYTES,
    progress=None,
):
    """Writes the manifest of a data set into the folder `manifest`; returns what its JSON says.

    source: a folder or a file, local or a URL that fsspec opens. Without `column` and `rows` each
    file has a digest; with `column` each value of that column of Parquet files; with `rows`, a list
    of columns or True for all, each row. `threads` are those of one task. `progress` is called
    with the parts done, all parts and the bytes done.
    """
    _manylane.hash_many([], algorithm)
    if column is not None and rows:
        raise ValueError("column and rows exclude each other")
    if "://" not in source and "::" not in source:
        source = os.path.abspath(source)
        if os.path.commonpath([source, os.path.abspath(manifest)]) == source:
            raise ValueError(f"{manifest}: lies in the data set; name a folder elsewhere")
    kind = "column" if column is not None else "rows" if rows else "files"
    columns = (column,) if column is not None else None if rows in (None, True) else tuple(rows)
    job = _parts.Job(source, algorithm, kind, columns)
    compute = _engine(engine)
    files = _parts.listing(job)
    parts = _parts.parts(job, files, part_bytes)
    with _locked(manifest, job):
        missing = [part for part in parts if not _is_written(manifest, part)]
        size = {part.number: sum(file.size for file in part.files) for part in parts}
        done, written = len(parts) - len(missing), 0
        if missing:
            _say(manifest, job, complete=False)
        waiting = {part.number for part in missing}
        for part, table in compute(missing, threads):
            if part.number not in waiting:
                raise RuntimeError(f"part {part.number} came twice from {engine}")
            _write_part(manifest, part, table)
            waiting.remove(part.number)
            done, written = done + 1, written + size[part.number]
            if progress:
                progress(done, len(parts), written)
        return _finish(manifest, job, parts, len(files))


def _finish(manifest, job, parts, files):
    """Counts what there is, removes parts of earlier builds, and calls the manifest complete."""
    names = [_name(part) for part in parts]
    counts = []
    for part, name in zip(parts, names):
        if not _is_written(manifest, part):
            raise RuntimeError(f"{name} is missing from {manifest}; build again")
        counts.append(pyarrow.parquet.read_metadata(os.path.join(manifest, name)).num_rows)
        if job.kind == "files" and counts[-1] != len(part.files):
            raise RuntimeError(f"{name} has {counts[-1]} digests of {len(part.files)} files")
    for name in os.listdir(manifest):
        if PART.fullmatch(name) and name not in names:
            os.remove(os.path.join(manifest, name))
    found = [{"file": name, "rows": count} for name, count in zip(names, counts)]
    return _say(manifest, job, complete=True, files=files, rows=sum(counts), parts=found)


def _name(part):
    return f"part-{part.number:05}.parquet"


def _write(folder, name, write):
    """Writes a file that is there whole or not at all."""
    handle, temporary = tempfile.mkstemp(prefix=f".{name}-", dir=folder)
    try:
        with os.fdopen(handle, "wb") as file:
            write(file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, os.path.join(folder, name))
    except BaseException:
        with contextlib.suppress(OSError):
            os.remove(temporary)
        raise


def _write_part(manifest, part, table):
    table = table.replace_schema_metadata({"manylane": part.fingerprint()})
    _write(manifest, _name(part), lambda file: pyarrow.parquet.write_table(table, file))


def _is_written(manifest, part):
    try:
        found = pyarrow.parquet.read_metadata(os.path.join(manifest, _name(part))).metadata or {}
    except (FileNotFoundError, pyarrow.ArrowInvalid):
        return False
    return found.get(b"manylane") == part.fingerprint().encode()


def _say(manifest, job, **more):
    said = {"version": VERSION, "manylane": _manylane.__version__, **job.as_json(), **more}
    text = json.dumps(said, indent=1) + "\n"
    _write(manifest, "manifest.json", lambda file: file.write(text.encode()))
    return said


@contextlib.contextmanager
def _locked(manifest, job):
    """The folder, which no other build may use meanwhile."""
    try:
        os.makedirs(manifest, exist_ok=True)
    except FileExistsError:
        raise ValueError(f"{manifest}: is a file; name a folder") from None
    names = [name for name in os.listdir(manifest) if not name.startswith(".")]
    if "manifest.json" in names:
        there = _read(manifest)
        used = there.get("complete") or any(PART.fullmatch(name) for name in names)
        for field, value in job.as_json().items():
            if used and there.get(field) != value:
                raise ValueError(
                    f"{manifest}: has a manifest with {field} {there.get(field)}, not {value}; "
                    "name another folder, or remove it"
                )
    elif names:
        raise ValueError(f"{manifest}: has other files; name a new folder")
    with open(os.path.join(manifest, ".lock"), "ab") as lock:
        try:
            import fcntl

            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except ImportError:  # Windows
            pass
        except BlockingIOError:
            raise ValueError(f"{manifest}: another build is at work there") from None
        # What builds that were killed left.
        for name in os.listdir(manifest):
            if name.startswith((".part-", ".manifest.json-")):
                os.remove(os.path.join(manifest, name))
        yield


def _read(manifest):
    path = os.path.join(manifest, "manifest.json")
    try:
        with open(path, encoding="utf-8") as file:
            found = json.load(file)
        version = found["version"]
    except (FileNotFoundError, NotADirectoryError):
        raise FileNotFoundError(f"{manifest}: is no manifest: it has no manifest.json") from None
    except (ValueError, KeyError, TypeError):
        raise ValueError(f"{path}: is no manifest's") from None
    if version != VERSION:
        raise ValueError(f"{path}: is of version {version}, this reads version {VERSION}")
    return found


def read(manifest):
    """A complete manifest as a pyarrow Table: path, size or row, digest."""
    said = _read(manifest)
    if not said.get("complete"):
        raise Incomplete(f"{manifest}: is not complete; run build again")
    tables = []
    for part in said["parts"]:
        table = pyarrow.parquet.read_table(os.path.join(manifest, part["file"]))
        if table.num_rows != part["rows"]:
            raise ValueError(f"{part['file']} has {table.num_rows} rows, not {part['rows']}")
        tables.append(table)
    if tables:
        return pyarrow.concat_tables(tables)
    job = _parts.Job(said["source"], said["algorithm"], said["kind"])
    return _parts.schema(job, 1).empty_table()


def diff(old, new):
    """What differs between two manifests: a list of (what, path, row or None).

    what: "added", "removed" or "changed".
    """
    first, second = _read(old), _read(new)
    for field in ["algorithm", "kind", "columns"]:
        if first[field] != second[field]:
            raise ValueError(
                f"manifests of different {field} are not compared: {first[field]}, {second[field]}"
            )
    keys = ["path"] if first["kind"] == "files" else ["path", "row"]
    tables = []
    for manifest, suffix in [(old, " old"), (new, " new")]:
        table = read(manifest).select([*keys, "digest"])
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


def verify(source, manifest, *, engine="local", threads=None, progress=None):
    """Hashes the data set anew; what differs from the manifest, as `diff` says it."""
    said = _read(manifest)
    if not said.get("complete"):
        raise Incomplete(f"{manifest}: is not complete; run build again")
    columns = said["columns"]
    with tempfile.TemporaryDirectory(prefix="manylane-manifest-") as folder:
        new = os.path.join(folder, "new")
        build(
            source,
            new,
            said["algorithm"],
            column=columns[0] if said["kind"] == "column" else None,
            rows=(columns or True) if said["kind"] == "rows" else None,
            engine=engine,
            threads=threads,
            progress=progress,
        )
        return diff(manifest, new)


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
        "--column", metavar="NAME", help="hash each value of a column of Parquet files"
    )
    what.add_argument(
        "--rows",
        metavar="NAME,...",
        help="hash each row of Parquet files over these columns, or * for all",
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
            print(json.dumps(said))
        else:
            rows, parts = said["rows"], len(said["parts"])
            print(f"{args.manifest}: {rows} digests of {said['files']} files, in {parts} parts")
        return 0
    if args.command == "verify":
        progress = _progress(args.quiet)
        found = verify(
            args.source, args.manifest, engine=args.engine, threads=args.threads, progress=progress
        )
    else:
        found = diff(args.old, args.new)
    if args.json:
        print(json.dumps([dict(zip(["what", "path", "row"], item)) for item in found]))
    else:
        for what, path, row in found:
            print(f"{what:8} {_printable(path)}" + ("" if row is None else f" row {row}"))
    return 1 if found else 0


def main(arguments=None):
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
