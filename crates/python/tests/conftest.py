"""Data sets of which manifests are made."""

import hashlib

import pyarrow
import pyarrow.parquet
import pytest


@pytest.fixture
def files(tmp_path):
    """A folder with files of many lengths, and what their digests are."""
    folder = tmp_path / "data"
    contents = {f"sub {i % 3}/file {i:03} ß": bytes([i]) * (i * 997 % 9000) for i in range(60)}
    contents["top"] = b""
    for name, content in contents.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return folder, {name: hashlib.sha256(content).digest() for name, content in contents.items()}


@pytest.fixture
def tables(tmp_path):
    """Parquet files, one with several row groups, one without rows."""
    folder = tmp_path / "tables"
    folder.mkdir()
    values = [[f"{part}-{i}" if i % 7 else None for i in range(part * 1000)] for part in range(4)]
    for part, column in enumerate(values):
        table = pyarrow.table({"url": pyarrow.array(column, "string"), "n": range(len(column))})
        pyarrow.parquet.write_table(table, folder / f"{part}.parquet", row_group_size=300)
    (folder / "notes.txt").write_text("no table")
    return folder, values
