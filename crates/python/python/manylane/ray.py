"""Digests on a Ray cluster.

``hash_dataset`` adds a column of digests to a Ray Dataset; ``python -m manylane.manifest build
--engine ray`` hashes a data set in tasks. Every node needs this package and sees the data set.

>>> import manylane.ray, pyarrow, ray
>>> dataset = ray.data.from_arrow(pyarrow.table({"name": ["abc"]}))
>>> manylane.ray.hash_dataset(dataset, "name", "md5").take_all()[0]["md5"].hex()
'900150983cd24fb0d6963f7d28e17f72'
"""

import os
import posixpath
from collections.abc import Iterable
from typing import TYPE_CHECKING

from . import _manylane, _parts
from ._needs import needs

with needs("ray"):
    import fsspec
    import pyarrow

    import ray
    import ray.data

if TYPE_CHECKING:
    from . import _Buffer


def hash_dataset(
    dataset: "ray.data.Dataset | str | os.PathLike[str] | Iterable[str | os.PathLike[str]]",
    column: str,
    algorithm: str,
    *,
    into: str | None = None,
    threads: int | None = 1,
    key: "_Buffer | None" = None,
    prefix: "_Buffer | None" = None,
) -> "ray.data.Dataset":
    """A Ray Dataset with the digests of a column in another, `into`, named after the algorithm.

    dataset: a Ray Dataset, or the path or paths of Parquet files or of folders of them. Ray
    silently drops a file that is given twice, so files that are given twice are refused here,
    however their paths are spelled. Paths are read at once, and it is an error if there are not as
    many digests as rows. A Dataset is hashed when it is read, as is usual with Ray. `threads` are
    those of one task, which asks Ray for as many CPUs, at most those of the largest node that is
    there; None for 1.
    """
    _manylane.hash_many([], algorithm)
    threads = _parts.thread_count(threads, 1)
    into = into or _manylane.Hash(algorithm).name
    rows = None
    if not isinstance(dataset, ray.data.Dataset):
        files = _files([dataset] if isinstance(dataset, (str, os.PathLike)) else dataset)
        rows = sum(_rows(system, name) for system, name in files.values())
        dataset = ray.data.read_parquet(list(files), file_extensions=None)
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

    _some_node_has(threads)
    hashed = dataset.map_batches(
        hash_batch, batch_format="pyarrow", batch_size=None, zero_copy_batch=True, num_cpus=threads
    )
    if rows is not None:
        hashed = hashed.materialize()
        if hashed.count() != rows:
            raise RuntimeError(f"{hashed.count()} digests of {rows} rows")
    return hashed


def _files(paths):
    """The files below paths, as Ray is to be given them: each with its file system and its name.

    Two spellings of one path are the same file, so it is their names there that are compared.
    """
    found, seen = {}, set()
    for path in map(os.fspath, paths):
        if "://" not in path and "::" not in path:
            path = os.path.abspath(path)
        system, root = fsspec.url_to_fs(path)
        alone = system.isfile(root)
        for file in _parts.listing(_parts.Job(path, "sha256", "rows")):
            name = root if alone else posixpath.join(root, file.path)
            if (system.protocol, posixpath.normpath(name)) in seen:
                raise ValueError(f"{name}: is given twice")
            seen.add((system.protocol, posixpath.normpath(name)))
            found[path if alone else posixpath.join(path, file.path)] = system, name
    return found


def _rows(system, name):
    with system.open(name, "rb") as file:
        return pyarrow.parquet.read_metadata(file).num_rows


def _some_node_has(threads):
    """Refuses more threads in a task than a node has CPUs: Ray would wait for such a node for ever.

    One thread is never refused, as a cluster may begin without a CPU and add nodes for its tasks.
    """
    cpus = [node["Resources"].get("CPU", 0) for node in ray.nodes() if node["Alive"]]
    largest = int(max(cpus, default=0))
    if 1 < threads > largest:
        unit = "CPU" if largest == 1 else "CPUs"
        raise ValueError(
            f"threads={threads}: the largest node has {largest} {unit}; give fewer threads, at "
            f"most {max(1, largest)}"
        )


def tables(parts, threads):
    """The table of each part, as tasks give them."""
    threads = _parts.thread_count(threads, 1)
    return tasks(_parts.compute, parts, threads, cpus=threads)


def tasks(function, items, *arguments, cpus=1):
    """Pairs of an item and what `function` makes of it and the arguments, in any order.

    Each item is a task, which runs again if its node is lost.
    """
    if not ray.is_initialized():
        ray.init(log_to_driver=False)
    _some_node_has(cpus)
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
            # The error of the task is raised as if it had happened here.
            raise error.cause from None
        yield running.pop(done), found
