"""Digests on a Ray cluster.

``hash_dataset`` adds a column of digests to a Ray Dataset; ``python -m manylane.manifest build
--engine ray`` hashes a data set in tasks. Every node needs this package and sees the data set.
"""

import collections

import pyarrow

import ray

from . import _manylane, _parts


def hash_dataset(dataset, column, algorithm, *, into=None, threads=1, key=None, prefix=None):
    """A Ray Dataset with the digests of a column in another, `into`, named after the algorithm.

    dataset: a Ray Dataset, or the path or paths of Parquet files. Ray drops a path that is given
    twice without a word, so that is refused here; and paths are read at once, and counted: an error
    if there are not as many digests as rows. A Dataset is hashed when it is read, as all of Ray's.
    `threads` are those of one task, which asks Ray for as many CPUs.
    """
    _manylane.hash_many([], algorithm)
    into = into or _manylane.Hash(algorithm).name
    rows = None
    if not isinstance(dataset, ray.data.Dataset):
        paths = [dataset] if isinstance(dataset, str) else [str(path) for path in dataset]
        _refuse_repeated(paths)
        rows = sum(pyarrow.parquet.read_metadata(path).num_rows for path in _files(paths))
        dataset = ray.data.read_parquet(paths)
    names = dataset.schema().names
    if column not in names:
        raise KeyError(f"no column '{column}'; there are: {', '.join(names)}")
    if into in names:
        raise ValueError(f"there is a column '{into}': name another by into=")

    def hash_batch(table):
        digests = _manylane.hash_array(
            table[column], algorithm, threads=threads, key=key, prefix=prefix
        )
        return table.append_column(into, pyarrow.array(digests))

    hashed = dataset.map_batches(
        hash_batch, batch_format="pyarrow", batch_size=None, zero_copy_batch=True, num_cpus=threads
    )
    if rows is not None:
        hashed = hashed.materialize()
        if hashed.count() != rows:
            raise RuntimeError(f"{hashed.count()} digests of {rows} rows")
    return hashed


def _refuse_repeated(paths):
    repeated = [path for path, count in collections.Counter(paths).items() if count > 1]
    if repeated:
        raise ValueError(f"{repeated[0]}: is given twice")


def _files(paths):
    for path in paths:
        job = _parts.Job(path, "sha256", "rows")
        root = path if not path.endswith((".parquet", ".parq", ".pq")) else None
        for file in _parts.listing(job):
            yield path if root is None else f"{root}/{file.path}"


def tables(parts, threads):
    """The table of each part, as tasks give them."""
    threads = threads or 1
    return tasks(_parts.compute, parts, threads, cpus=threads)


def tasks(function, items, *arguments, cpus=1):
    """Pairs of an item and what `function` makes of it and the arguments, in any order.

    Each item is a task, which runs again if its node is lost.
    """
    if not ray.is_initialized():
        ray.init(log_to_driver=False)
    task = ray.remote(num_cpus=cpus, max_retries=-1)(function)
    # As many tasks are asked for as keep every CPU busy, so that results do not pile up.
    most = 2 * max(1, int(ray.cluster_resources().get("CPU", 1)) // cpus)
    items, running = iter(items), {}
    while True:
        while len(running) < most and (item := next(items, None)) is not None:
            running[task.remote(item, *arguments)] = item
        if not running:
            return
        [done], _ = ray.wait(list(running))
        try:
            found = ray.get(done)
        except ray.exceptions.RayTaskError as error:
            # What went wrong in the task, as it would here.
            raise error.cause from None
        yield running.pop(done), found
