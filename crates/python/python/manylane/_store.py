"""The folder of a manifest: its JSON, the files of its parts, the journal and the lock of a build.

::

    manifest.json          what was hashed, how, and the digest of each part once it is complete
    part-00000.parquet     path, size or row, digest: written whole or not at all
    .digests.jsonl         the digests of the parts that a build has written until then
    .lock                  held by the build that is at work
"""

import contextlib
import errno
import hashlib
import json
import os
import re
import secrets

import pyarrow
import pyarrow.parquet

from . import _manylane, _parts

VERSION = 1
#: What manifest.json always says.
FIELDS = {"source", "algorithm", "kind", "columns"}
#: The digests of the parts that a build has written, a line of JSON for each, until it is complete.
JOURNAL = ".digests.jsonl"
ANEW = (
    "restore it from a copy, or build again with the same arguments, which hashes its files anew"
)
#: A damaged manifest.json also stops builds that would go on in its folder.
RESTORE = "restore manifest.json from a copy, or remove the folder and build again"
PART = re.compile(r"part-\d{5,}\.parquet")


class Incomplete(ValueError):
    """A manifest whose build did not end."""


def path_text(path, what):
    """A path or a URL as text. An empty one is refused: it would mean the current folder."""
    text = os.fspath(path)
    if not isinstance(text, str):
        raise TypeError(f"{what} must be a path of str, not of bytes: give os.fsdecode({text!r})")
    if text in {"", "file://", "local://"}:
        raise ValueError(f"{what} is empty: name a folder, '.' for the current one")
    return text


def folder(manifest):
    """The path of a manifest, which is a local folder."""
    path = path_text(manifest, "the manifest")
    if "://" in path or "::" in path:
        raise ValueError(
            f"{path}: is a URL, and a manifest is a local folder; name one, and copy it there or "
            "from there"
        )
    return path


def part_name(part):
    return _numbered(part.number)


def _numbered(number):
    return f"part-{number:05}.parquet"


def read(manifest):
    """What manifest.json says, complete or not."""
    path = os.path.join(folder(manifest), "manifest.json")
    try:
        with open(path, encoding="utf-8") as file:
            found = json.load(file)
        version = found["version"]
        fields = FIELDS | ({"parts"} if found.get("complete") else set())
        if version == VERSION and not fields <= found.keys():
            raise ValueError("fields are missing")
    except (FileNotFoundError, NotADirectoryError):
        raise FileNotFoundError(f"{manifest}: is no manifest: it has no manifest.json") from None
    except (ValueError, KeyError, TypeError, RecursionError):
        raise ValueError(f"{path}: is no manifest's; {RESTORE}") from None
    if version != VERSION:
        raise ValueError(f"{path}: is of version {version}, this reads version {VERSION}")
    if damage := _damage(found):
        raise ValueError(f"{path}: the manifest is damaged: {damage}; {RESTORE}")
    # Earlier versions wrote the name as it was spelled.
    try:
        return {**found, "algorithm": _parts.canonical(found["algorithm"])}
    except ValueError as error:
        raise ValueError(f"{path}: the manifest is damaged: {error}; {RESTORE}") from None


def _damage(found):
    """What is wrong in the JSON of a manifest; None if nothing is."""
    for field in ["source", "algorithm"]:
        if not isinstance(found[field], str):
            return f"{field} is no text"
    kind, columns = found["kind"], found["columns"]
    names = isinstance(columns, list) and all(isinstance(name, str) for name in columns)
    if kind not in ["files", "column", "rows"]:
        return f"kind is {kind!r}"
    if not (
        (columns is None and kind != "column")
        or (names and kind == "column" and len(columns) == 1)
        or (names and kind == "rows" and columns)
    ):
        return f"columns is {columns!r} where kind is {kind}"
    if found.get("complete", False) not in [True, False]:
        return f"complete is {found['complete']!r}"
    if not found.get("complete") and "parts" not in found:
        return None
    parts = found["parts"]
    if not isinstance(parts, list) or not all(isinstance(part, dict) for part in parts):
        return "parts is no list of parts"
    # A name with a folder in it would lead out of the manifest.
    for number, part in enumerate(parts):
        if part.get("file") != _numbered(number):
            return f"part {number} is {part.get('file')!r}, not {_numbered(number)!r}"
        if not _is_count(part.get("rows")):
            return f"rows of part {number} is {part.get('rows')!r}"
        if not isinstance(part.get("sha256", ""), str):
            return f"sha256 of part {number} is no text"
    for field in ["rows", "files"]:
        if not _is_count(found.get(field)):
            return f"{field} is {found.get(field)!r}"
    rows = sum(part["rows"] for part in parts)
    if found["rows"] != rows:
        return f"its parts have {rows} rows, not {found['rows']}"
    if kind == "files" and found["files"] != rows:
        return f"it has {rows} digests of {found['files']} files"
    return None


def _is_count(value):
    return type(value) is int and value >= 0


def complete(manifest):
    """What the JSON of a complete manifest says."""
    said = read(manifest)
    if not said.get("complete"):
        raise Incomplete(f"{manifest}: is not complete; run build again")
    return said


def _refuse_others(manifest, job):
    """Refuses a folder that has another job's manifest, or other files."""
    names = [name for name in os.listdir(manifest) if not name.startswith(".")]
    if "manifest.json" in names:
        there = read(manifest)
        used = there.get("complete") or any(PART.fullmatch(name) for name in names)
        for field, value in job.as_json().items():
            if used and there.get(field) != value:
                raise ValueError(
                    f"{manifest}: has a manifest with {field} {there.get(field)}, not {value}; "
                    "name another folder, or remove it"
                )
    elif names:
        raise ValueError(f"{manifest}: has other files; name a new folder")


@contextlib.contextmanager
def locked(manifest, job):
    """The folder, which no other build may use meanwhile."""
    try:
        os.makedirs(manifest, exist_ok=True)
    except FileExistsError:
        raise ValueError(f"{manifest}: is a file; name a folder") from None
    # A folder that is refused stays as it is, without a lock.
    _refuse_others(manifest, job)
    with open(os.path.join(manifest, ".lock"), "ab") as lock:
        try:
            import fcntl

            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except ImportError:  # Windows
            pass
        except BlockingIOError:
            raise ValueError(f"{manifest}: another build is at work there") from None
        # Another build may have ended since the folder was examined without the lock.
        _refuse_others(manifest, job)
        # What builds that were killed left.
        for name in os.listdir(manifest):
            if name.startswith((".part-", ".manifest.json-", f".{JOURNAL}-")):
                os.remove(os.path.join(manifest, name))
        yield


def say(manifest, job, **more):
    """Writes manifest.json; returns what it says."""
    said = {"version": VERSION, "manylane": _manylane.__version__, **job.as_json(), **more}
    text = json.dumps(said, indent=1) + "\n"
    _write(manifest, "manifest.json", text.encode())
    return said


def begin(manifest, job, digests):
    """Marks the manifest as incomplete; the journal begins with the digests of parts there are."""
    _write(manifest, JOURNAL, "".join(map(_line, digests, digests.values())).encode())
    say(manifest, job, complete=False)


def written_digests(manifest):
    """The digests of parts, by their names. Manifests of earlier versions have none."""
    found = {}
    with contextlib.suppress(FileNotFoundError):
        for part in read(manifest).get("parts", []):
            if "sha256" in part:
                found[part["file"]] = part["sha256"]
    with (
        contextlib.suppress(FileNotFoundError),
        open(os.path.join(manifest, JOURNAL), "rb") as lines,
    ):
        for line in lines:
            # A line that was cut belongs to a part that was not written yet. Of a damaged line
            # nothing is taken, and its part is hashed anew.
            with contextlib.suppress(ValueError, KeyError, TypeError, RecursionError):
                said = json.loads(line)
                if isinstance(said["file"], str) and isinstance(said["sha256"], str):
                    found[said["file"]] = said["sha256"]
    return found


def is_written(manifest, part, digests):
    """Whether a part is there, of these files as they are, and has the digest that is noted."""
    path, noted = os.path.join(manifest, part_name(part)), digests.get(part_name(part))
    if not os.path.exists(path) or noted not in {None, _sha256(path)}:
        return False
    try:
        found = pyarrow.parquet.read_metadata(path).metadata or {}
    except (OSError, pyarrow.ArrowException):
        return False
    return found.get(b"manylane") == part.fingerprint().encode()


def write_part(manifest, part, table):
    """Writes a part; returns its digest, which the journal has before the part is there."""
    sink = pyarrow.BufferOutputStream()
    table = table.replace_schema_metadata({"manylane": part.fingerprint()})
    pyarrow.parquet.write_table(table, sink)
    content = sink.getvalue()
    digest = hashlib.sha256(content).hexdigest()
    journal = os.path.join(manifest, JOURNAL)
    with _named(journal), open(journal, "ab") as file:
        file.write(_line(part_name(part), digest).encode())
        file.flush()
        os.fsync(file.fileno())
    _write(manifest, part_name(part), content)
    return digest


def finish(manifest, job, parts, files, digests):
    """Counts what there is, removes parts of earlier builds, and calls the manifest complete."""
    names = [part_name(part) for part in parts]
    counts = []
    for part, name in zip(parts, names):
        # Digests were compared when the build began, or computed since.
        if not is_written(manifest, part, {}):
            raise RuntimeError(f"{name} is missing from {manifest}; build again")
        if name not in digests:
            digests[name] = _sha256(os.path.join(manifest, name))
        counts.append(pyarrow.parquet.read_metadata(os.path.join(manifest, name)).num_rows)
        if job.kind == "files" and counts[-1] != len(part.files):
            raise RuntimeError(f"{name} has {counts[-1]} digests of {len(part.files)} files")
    for name in os.listdir(manifest):
        if PART.fullmatch(name) and name not in names:
            os.remove(os.path.join(manifest, name))
    found = [
        {"file": name, "rows": count, "sha256": digests[name]} for name, count in zip(names, counts)
    ]
    said = say(manifest, job, complete=True, files=files, rows=sum(counts), parts=found)
    with contextlib.suppress(FileNotFoundError):
        os.remove(os.path.join(manifest, JOURNAL))
    return said


def content(manifest, part):
    """The bytes of a part, held to the digest in the manifest's JSON."""
    path = os.path.join(manifest, part["file"])
    try:
        with open(path, "rb") as file:
            content = file.read()
    except FileNotFoundError:
        raise FileNotFoundError(f"{path}: this part of the manifest is missing; {ANEW}") from None
    if part.get("sha256") not in {None, hashlib.sha256(content).hexdigest()}:
        raise ValueError(
            f"{path}: this part of the manifest is damaged: its SHA-256 is not that in "
            f"manifest.json; {ANEW}"
        )
    return content


def _sha256(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _line(name, digest):
    return json.dumps({"file": name, "sha256": digest}) + "\n"


@contextlib.contextmanager
def _named(path):
    """Makes errors of writing a file, such as a full disk, name the file and say what to do."""
    try:
        yield
    except OSError as error:
        if error.filename is not None:
            raise
        # `OSError` chooses its subclass by the error's number.
        text = f"{error.strerror or error}; once that is mended, run it again to go on"
        raise OSError(error.errno or errno.EIO, text, path) from error


def _write(folder, name, content):
    """Writes a file that is there whole or not at all, with the rights of any new file."""
    path = os.path.join(folder, name)
    temporary = os.path.join(folder, f".{name}-{secrets.token_hex(8)}")
    try:
        with _named(path), open(temporary, "xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.remove(temporary)
        raise
