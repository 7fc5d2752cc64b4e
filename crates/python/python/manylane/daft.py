"""Digests in Daft.

``hash_column`` adds a column of digests to a DataFrame; ``python -m manylane.manifest build`` with
``--engine daft`` hashes a data set where Daft runs: here, or on a Ray cluster.

>>> import daft, manylane.daft
>>> frame = daft.from_pydict({"name": ["abc", None]})
>>> found = manylane.daft.hash_column(frame, "name", "md5").to_pydict()["md5"]
>>> found[0].hex(), found[1]
('900150983cd24fb0d6963f7d28e17f72', None)
"""

import pickle
from typing import TYPE_CHECKING

from . import _manylane, _parts
from ._needs import needs

with needs("daft"):
    import daft
    import pyarrow

if TYPE_CHECKING:
    from . import _Buffer


def hash_column(
    frame: "daft.DataFrame",
    column: str,
    algorithm: str,
    *,
    into: str | None = None,
    threads: int | None = 1,
    key: "_Buffer | None" = None,
    prefix: "_Buffer | None" = None,
) -> "daft.DataFrame":
    """The DataFrame with the digests of a column in another, `into`, named after the algorithm.

    Daft hashes batch by batch when the frame is collected; null rows stay null. `threads` are those
    of one batch; None for 1, because Daft hashes several batches at the same time.
    """
    size = _manylane.hash_many([], algorithm).digest_size
    threads = _parts.thread_count(threads, 1)
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
def _done(work: bytes):
    """The result or the error of a task, pickled: Daft would hide the type of an error raised."""
    function, item, arguments = pickle.loads(work)
    try:
        return pickle.dumps((function(item, *arguments), None))
    except Exception as error:
        return pickle.dumps((None, error))


def tables(parts, threads):
    """The table of each part, as Daft gives them."""
    return tasks(_parts.compute, parts, _parts.thread_count(threads, 1))


def tasks(function, items, *arguments):
    """Pairs of an item and what `function` makes of it and the arguments, in any order."""
    items = list(items)
    if not items:
        return
    frame = daft.from_pydict(
        {
            "number": list(range(len(items))),
            "work": [pickle.dumps((function, item, arguments)) for item in items],
        }
    )
    frame = frame.into_batches(1).select("number", _done(daft.col("work")).alias("done"))
    for row in frame.iter_rows():
        found, error = pickle.loads(row["done"])
        if error is not None:
            raise error
        yield items[row["number"]], found
