"""The contests of benches/python.py on columns: beside pyarrow with hashlib, Polars, DuckDB,
DataFusion; and in Daft and Ray beside it alone.

Columns are text, which every contestant hashes. A file has row groups of 25,000 rows, and so every
engine that reads with two threads does. The module and all peers but hashlib use two threads.
"""

import concurrent.futures
import hashlib
import logging
import os

import manylane
import manylane.parquet
import numpy
import pyarrow
import pyarrow.compute
import pyarrow.parquet

ROWS, SHORT_ROWS = 200_000, 10_000_000
GROUP = 25_000
# Lengths whose logarithms are spread evenly from 16 bytes to 16 KiB, and how many bytes they are.
SKEWED = 70_000
SKEWED_BYTES = int(SKEWED * (16384 - 16) / numpy.log(1024))


def text(lengths, seed):
    """A column of text of these lengths, in chunks."""
    random = numpy.random.default_rng(seed)
    offsets = numpy.concatenate([[0], numpy.cumsum(lengths)]).astype("int64")
    data = random.integers(0, 64, int(offsets[-1]), "uint8") + ord(" ")
    whole = pyarrow.LargeStringArray.from_buffers(
        len(lengths), pyarrow.py_buffer(offsets), pyarrow.py_buffer(data)
    )
    parts = range(0, len(lengths), GROUP)
    return pyarrow.chunked_array(
        [whole.slice(start, GROUP).cast(pyarrow.string()) for start in parts]
    )


def hashed(column, name):
    return pyarrow.array(manylane.hash_array(column, name, threads=2))


def with_hashlib(column, name):
    new = getattr(hashlib, name)
    digests = [new(value.as_buffer()).digest() for value in column]
    return pyarrow.array(digests, pyarrow.binary(new().digest_size))


def polars_hash(name):
    import polars_hash

    column = polars_hash.col("c")
    return column.nchash.md5() if name == "md5" else column.chash.sha2_256()


def session():
    import datafusion

    return datafusion.SessionContext(datafusion.SessionConfig().with_target_partitions(2))


def duckdb_connection():
    import duckdb

    connection = duckdb.connect(config={"threads": 2})
    connection.execute("SET preserve_insertion_order = true")
    return connection


def ends(digests):
    """The least and the greatest digest as bytes: DataFusion's rows come in any order."""
    if pyarrow.types.is_fixed_size_binary(digests.type):
        digests = digests.cast(pyarrow.binary())
    elif pyarrow.types.is_string_view(digests.type):
        digests = digests.cast(pyarrow.string())
    found = pyarrow.compute.min_max(digests).as_py().values()
    return [bytes.fromhex(end) if isinstance(end, str) else end for end in found]


def agree(works, rows):
    """The contestants, once their digests have the same number and the same ends."""
    first = None
    for who, work in works.items():
        digests = work()
        first = first or ends(digests)
        assert len(digests) == rows and ends(digests) == first, who
    return works


def batches_alone(path):
    """Reads a column as `manylane.parquet` does and does nothing with it."""
    metadata = pyarrow.parquet.read_metadata(path)

    def of_group(group):
        with pyarrow.parquet.ParquetFile(path, metadata=metadata, memory_map=True) as file:
            options = {"row_groups": [group], "columns": ["c"], "use_threads": False}
            return sum(len(batch) for batch in file.iter_batches(1000, **options))

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        assert sum(pool.map(of_group, range(metadata.num_row_groups))) == ROWS


def blocks_alone(name, count):
    """The compression function on so many blocks, in long rows that lie in the cache: what short
    rows of a block each take at least. (A row of 16,375 bytes is padded to 256 blocks.)"""
    data = numpy.random.default_rng(8).integers(0, 256, 1 << 18, "uint8")
    views = numpy.zeros((count // 256, 4), "int32")
    offsets = numpy.arange(len(views)) % 14 * 16384
    views[:, 0], views[:, 3] = 16375, offsets
    views[:, 1] = data[offsets[:, None] + numpy.arange(4)].view("int32")[:, 0]
    buffers = [None, pyarrow.py_buffer(views), pyarrow.py_buffer(data)]
    rows = pyarrow.Array.from_buffers(pyarrow.binary_view(), len(views), buffers)
    rows.validate(full=True)
    return lambda: hashed(rows, name)


def from_file(name, path):
    """A column of a Parquet file, read and hashed."""
    import polars

    context, connection = session(), duckdb_connection()
    context.register_parquet("t", path)
    query = f"SELECT {name}(c) AS c FROM t"

    def read():
        return pyarrow.parquet.read_table(path, memory_map=True)["c"]

    def by_polars():
        frame = polars.scan_parquet(path).select(polars_hash(name)).collect(engine="streaming")
        return frame.to_arrow()["c"]

    def by_duckdb():
        found = connection.sql(f"SELECT {name}(c) AS c FROM read_parquet('{path}')")
        return found.to_arrow_table()["c"]

    def ours():
        return manylane.parquet.hash_column(path, "c", name, threads=2, memory_map=True)

    works = agree(
        {
            "manylane": ours,
            "manylane, after all is read": lambda: hashed(read(), name),
            "pyarrow, hashlib": lambda: with_hashlib(read(), name),
            "polars-hash": by_polars,
            "DataFusion": lambda: context.sql(query).to_arrow_table()["c"],
            "DuckDB": by_duckdb,
        },
        ROWS,
    )
    return works | {"reading alone": lambda: batches_alone(path)}


def in_memory(name, column):
    """A column that lies in memory; DataFusion has half of its chunks in each partition."""
    context, batches = session(), pyarrow.table({"c": column}).to_batches(8192)
    half = len(batches) // 2
    context.register_record_batches("t", [batches[:half], batches[half:]])
    query = f"SELECT {name}(c) AS c FROM t"

    def digests(kind):
        return lambda: pyarrow.array(manylane.hash_array(column, name, threads=2, encoding=kind))

    works = agree(
        {
            "manylane": digests(None),
            "manylane, in hexadecimal digits": digests("hex"),
            "DataFusion": lambda: context.sql(query).to_arrow_table()["c"],
        },
        len(column),
    )
    return works | {"as many blocks alone": blocks_alone(name, len(column))}


def skewed(name):
    """Lengths from 16 bytes to 16 KiB, beside as many rows and bytes of one length."""
    random = numpy.random.default_rng(5)
    lengths = numpy.exp(random.uniform(numpy.log(16), numpy.log(16384), SKEWED)).astype(int)
    equal = numpy.full(SKEWED, int(lengths.sum()) // SKEWED)
    columns = text(lengths, 6), text(equal, 7)
    return {
        "lengths from 16 B to 16 KiB": lambda: hashed(columns[0], name),
        "one length": lambda: hashed(columns[1], name),
    }


def in_daft(name, path):
    import daft
    import manylane.daft

    def ours():
        frame = manylane.daft.hash_column(daft.read_parquet(path), "c", name)
        return frame.select(name).to_arrow()[name]

    works = agree(
        {"in Daft": ours, "alone": lambda: hashed(pyarrow.parquet.read_table(path)["c"], name)},
        ROWS,
    )
    return works | {"Daft, reading alone": lambda: daft.read_parquet(path).to_arrow()}


def in_ray(name, path):
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    import ray

    import manylane.ray

    logging.disable(logging.WARNING)
    ray.init(num_cpus=2, log_to_driver=False, include_dashboard=False, logging_level="ERROR")
    ray.data.DataContext.get_current().enable_progress_bars = False

    def ours():
        dataset = manylane.ray.hash_dataset(path, "c", name).select_columns([name])
        return pyarrow.concat_tables(ray.get(dataset.to_arrow_refs()))[name]

    return agree(
        {"in Ray": ours, "alone": lambda: hashed(pyarrow.parquet.read_table(path)["c"], name)},
        ROWS,
    )


def contests(folder):
    """(what, rows, bytes, goals by peer, contestants), as benches/python.py takes them."""
    path = os.path.join(folder, "column.parquet")
    table = pyarrow.table({"c": text(numpy.full(ROWS, 1024), 2)})
    pyarrow.parquet.write_table(
        table, path, compression="none", use_dictionary=False, row_group_size=GROUP
    )
    size = ROWS * 1024
    what = f"file of {ROWS:,} rows of 1 KiB"
    goals = {
        "sha256": {"pyarrow, hashlib": 4.0, "polars-hash": 5.0, "DataFusion": 5.0},
        "md5": {"DuckDB": 8.0},
    }
    for name in ["sha256", "md5"]:
        yield f"{what}, {name}", ROWS, size, goals[name], lambda: from_file(name, path)
    yield f"{what}, sha256, Daft", ROWS, size, {"alone": 0.9}, lambda: in_daft("sha256", path)

    lengths = numpy.random.default_rng(3).integers(8, 41, SHORT_ROWS)
    short = text(lengths, 4)
    for name in ["sha256", "md5"]:
        few = f"{SHORT_ROWS:,} rows of 8 to 40 B in memory, {name}"
        goal = {"DataFusion": 6.0}
        yield few, SHORT_ROWS, int(lengths.sum()), goal, lambda: in_memory(name, short)
    for name in ["sha256", "md5"]:
        skew = f"{SKEWED:,} rows in memory, skewed, {name}"
        yield skew, SKEWED, SKEWED_BYTES, {"one length": 0.9}, lambda: skewed(name)
    # The last, since its processes stay.
    yield f"{what}, sha256, Ray", ROWS, size, {}, lambda: in_ray("sha256", path)
