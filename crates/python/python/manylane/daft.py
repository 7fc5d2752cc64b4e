"""Digests in Daft.

``hash_column`` adds a column of digests to a DataFrame; ``python -m manylane.manifest build`` with
``--engine daft`` hashes a data set where Daft runs: here, or on a Ray cluster.
"""

import pickle

import pyarrow

import daft

from . import _manylane, _parts


def hash_column(frame, column, algorithm, *, into=None, threads=1, key=None, prefix=None):
    """The DataFrame with the digests of a column in another, `into`, named after the algorithm.

    Daft hashes batch by batch when the frame is collected; null rows stay null.
    """
    size = _manylane.hash_many([], algorithm).digest_size
    into = into or _manylane.Hash(algorithm).name
    if column not in frame.column_names:
        raise KeyError(f"no column '{column}'; there are: {', '.join(frame.column_names)}")
    if into in frame.column_names:
        raise ValueError(f"there is a column '{into}': name another by into=")

    @daft.func.batch(return_dtype=daft.DataType.fixed_size_binary(size))
    def digests(values: daft.Series):
        found = _manylane.hash_array(
            values.to_arrow(), algorithm, threads=threads, key=key, prefix=prefix
        )
        return daft.Series.from_arrow(pyarrow.array(found))

    return frame.with_column(into, digests(daft.col(column)))


@daft.func(return_dtype=daft.DataType.binary())
def _table(part: bytes, threads: int):
    table = _parts.compute(pickle.loads(part), threads)
    sink = pyarrow.BufferOutputStream()
    with pyarrow.ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table)
    return sink.getvalue().to_pybytes()


def tables(parts, threads):
    """The table of each part, as Daft gives them."""
    parts = list(parts)
    if not parts:
        return
    frame = daft.from_pydict(
        {
            "number": list(range(len(parts))),
            "part": [pickle.dumps(part) for part in parts],
        }
    )
    frame = frame.into_batches(1).select(
        "number", _table(daft.col("part"), threads or 1).alias("table")
    )
    for row in frame.iter_rows():
        yield parts[row["number"]], pyarrow.ipc.open_stream(row["table"]).read_all()
