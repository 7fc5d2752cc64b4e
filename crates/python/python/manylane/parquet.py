"""Digests of columns of Parquet files.

``hash_column`` reads the row groups of a file on several threads, each in batches that stay in its
processor's cache until they are hashed.
"""

import concurrent.futures
import os
from typing import TYPE_CHECKING, Literal

from . import _manylane
from ._needs import needs

with needs("manifest"):
    import pyarrow
    import pyarrow.parquet

if TYPE_CHECKING:
    from . import _Buffer

#: Bytes of a batch, about, and the most rows: what a second-level cache holds.
BATCH_BYTES = 1 << 20
BATCH_ROWS = 1 << 16


def hash_column(
    path: str | os.PathLike[str],
    column: str,
    algorithm: str,
    *,
    threads: int | None = 1,
    prefix: "_Buffer | None" = None,
    key: "_Buffer | None" = None,
    encoding: Literal["hex", "base64"] | None = None,
    engine: str | None = None,
    memory_map: bool = False,
) -> "pyarrow.ChunkedArray":
    """The digests of a column of a Parquet file, in the order of its rows: a ChunkedArray.

    A row group is read and hashed by one thread, so that at most as many threads work as there are
    row groups; `threads` of None starts one for each CPU. With `memory_map` the file is not copied
    when it is read; it must not become shorter meanwhile. The other arguments are those of
    `hash_array`.

    >>> import manylane.parquet, pyarrow, pyarrow.parquet, tempfile
    >>> path = tempfile.mkdtemp() + "/names.parquet"
    >>> pyarrow.parquet.write_table(pyarrow.table({"name": ["one", None]}), path)
    >>> digests = manylane.parquet.hash_column(path, "name", "md5", encoding="hex")
    >>> digests.to_pylist()
    ['f97c5d29941bfb1b2fdab0874906ab82', None]
    """

    options = {"prefix": prefix, "key": key, "encoding": encoding, "engine": engine}

    def digests(values, threads=1):
        return pyarrow.array(_manylane.hash_array(values, algorithm, threads=threads, **options))

    # Wrong arguments are refused before a file is opened.
    kind = digests(pyarrow.array([], pyarrow.binary()), threads).type
    metadata = pyarrow.parquet.read_metadata(path)
    names = metadata.schema.to_arrow_schema().names
    if names.count(column) != 1:
        there = f"no column '{column}'" if column not in names else f"two columns '{column}'"
        raise KeyError(f"{there}; there are: {', '.join(names)}")

    def of_group(group):
        with pyarrow.parquet.ParquetFile(path, metadata=metadata, memory_map=memory_map) as file:
            batches = file.iter_batches(
                _batch_rows(metadata.row_group(group), column),
                row_groups=[group],
                columns=[column],
                use_threads=False,
            )
            # A column `a.b` is read together with what a struct `a` has of that name.
            return [digests(batch.column(column)) for batch in batches]

    groups = range(metadata.num_row_groups)
    workers = min(os.cpu_count() or 1 if threads is None else threads, len(groups))
    if workers > 1:
        with concurrent.futures.ThreadPoolExecutor(workers) as pool:
            chunks = list(pool.map(of_group, groups))
    else:
        chunks = [of_group(group) for group in groups]
    return pyarrow.chunked_array([chunk for group in chunks for chunk in group], kind)


def _batch_rows(group, column):
    """How many rows of a group are a batch."""
    chunks = (group.column(i) for i in range(group.num_columns))
    size = sum(c.total_uncompressed_size for c in chunks if c.path_in_schema == column)
    return max(1, min(BATCH_ROWS, BATCH_BYTES * group.num_rows // max(1, size)))
