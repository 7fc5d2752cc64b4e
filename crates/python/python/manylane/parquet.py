"""Digests of columns of Parquet files.

``hash_column`` reads the row groups of a file on several threads, each in batches that stay in its
processor's cache until they are hashed.
"""

import concurrent.futures
import os

import pyarrow
import pyarrow.parquet

from . import _manylane

#: Bytes of a batch, about, and the most rows: what a second-level cache holds.
BATCH_BYTES = 1 << 20
BATCH_ROWS = 1 << 16


def hash_column(
    path,
    column,
    algorithm,
    *,
    threads=1,
    prefix=None,
    key=None,
    encoding=None,
    engine=None,
    memory_map=False,
):
    """The digests of a column of a Parquet file, in the order of its rows: a ChunkedArray.

    A row group is read and hashed by one thread, so that at most as many threads work as there are
    row groups; None for one for each CPU. With `memory_map` the file is not copied when it is read;
    it must not become shorter meanwhile. The other arguments are those of `hash_array`.

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
            return [digests(batch.column(0)) for batch in batches]

    groups = range(metadata.num_row_groups)
    threads = min(os.cpu_count() if threads is None else threads, len(groups))
    if threads > 1:
        with concurrent.futures.ThreadPoolExecutor(threads) as pool:
            chunks = list(pool.map(of_group, groups))
    else:
        chunks = [of_group(group) for group in groups]
    return pyarrow.chunked_array([chunk for group in chunks for chunk in group], kind)


def _batch_rows(group, column):
    """How many rows of a group are a batch."""
    chunks = (group.column(i) for i in range(group.num_columns))
    size = sum(c.total_uncompressed_size for c in chunks if c.path_in_schema == column)
    return max(1, min(BATCH_ROWS, BATCH_BYTES * group.num_rows // max(1, size)))
