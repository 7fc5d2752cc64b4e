"""Ray with several nodes on this machine, and Daft: `make test-cluster`."""

import hashlib
import os
import pathlib

import manylane
import pyarrow
import pyarrow.parquet
import pytest
from manylane import manifest

os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
ray = pytest.importorskip("ray")
daft = pytest.importorskip("daft")
from ray.cluster_utils import Cluster  # noqa: E402

import manylane.daft  # noqa: E402
import manylane.ray  # noqa: E402


@pytest.fixture
def cluster():
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    nodes = [cluster.add_node(num_cpus=1) for _ in range(2)]
    cluster.wait_for_nodes()
    ray.init(address=cluster.address, log_to_driver=False)
    yield cluster, nodes
    ray.shutdown()
    cluster.shutdown()


@pytest.fixture
def data(tmp_path):
    folder = tmp_path / "data"
    folder.mkdir()
    expected = {}
    for i in range(40):
        content = bytes([i]) * (2 << 20)
        (folder / f"{i:02}").write_bytes(content)
        expected[f"{i:02}"] = hashlib.sha256(content).digest()
    return folder, expected


@pytest.fixture
def paths(tmp_path):
    found = []
    for part in range(3):
        table = pyarrow.table({"c": [f"{part} {i}" if i % 5 else None for i in range(1000)]})
        found.append(str(tmp_path / f"{part}.parquet"))
        pyarrow.parquet.write_table(table, found[-1])
    return found


def digests(folder):
    table = manifest.read(str(folder)).to_pydict()
    return dict(zip(table["path"], table["digest"]))


def of(value):
    return value and hashlib.sha256(value.encode()).digest()


def test_a_node_is_killed_in_the_middle(cluster, data, tmp_path):
    cluster, nodes = cluster
    folder, expected = data
    killed = []

    def progress(done, parts, size):
        if done == 3:
            cluster.remove_node(nodes[0], allow_graceful=False)
            killed.append(done)

    said = manifest.build(
        str(folder), str(tmp_path / "m"), engine="ray", part_bytes=2 << 20, progress=progress
    )
    assert killed == [3] and len(said["parts"]) == 40
    assert digests(tmp_path / "m") == expected
    assert manifest.verify(str(folder), str(tmp_path / "m")) == []
    with pytest.raises(ValueError, match="no Parquet files"):
        manifest.build(str(folder), str(tmp_path / "n"), engine="ray", column="c")
    with pytest.raises(ValueError, match="threads=0"):
        manifest.build(str(folder), str(tmp_path / "n"), engine="ray", threads=0)
    # An error in a task is the error here.
    pyarrow.parquet.write_table(pyarrow.table({"c": [1]}), folder / "x.parquet")
    with pytest.raises(TypeError, match="x.parquet: .*Int64"):
        manifest.build(str(folder), str(tmp_path / "o"), engine="ray", column="c")


def test_more_threads_than_a_node_has(cluster, data, paths, tmp_path):
    """Three nodes have a CPU each, so that a task of two threads would wait for ever."""
    text = "threads=2: the largest node has 1 CPU; give fewer threads, at most 1"
    with pytest.raises(ValueError, match=f"^{text}$"):
        manifest.build(data[0], tmp_path / "m", engine="ray", threads=2)
    with pytest.raises(ValueError, match=f"^{text}$"):
        manylane.ray.hash_dataset(paths, "c", "sha256", threads=2)
    cluster[0].add_node(num_cpus=2)
    cluster[0].wait_for_nodes()
    assert manifest.build(data[0], tmp_path / "m", engine="ray", threads=2)["rows"] == 40


def test_datasets_of_ray(cluster, paths):
    hashed = manylane.ray.hash_dataset(paths, "c", "sha256")
    rows = hashed.take_all()
    assert len(rows) == 3000
    assert all(row["sha256"] == of(row["c"]) for row in rows)
    with pytest.raises(ValueError, match="given twice"):
        manylane.ray.hash_dataset([paths[0], paths[1], paths[0]], "c", "sha256")
    folder, name = os.path.split(paths[0])
    for again in [
        f"{folder}/./{name}",
        f"{folder}/../{os.path.basename(folder)}/{name}",
        os.path.relpath(paths[0]),
        f"file://{paths[0]}",
        pathlib.Path(paths[0]),
        folder,
    ]:
        with pytest.raises(ValueError, match="given twice"):
            manylane.ray.hash_dataset([paths[0], paths[1], again], "c", "sha256")
    with pytest.raises(KeyError, match="no column 'd'"):
        manylane.ray.hash_dataset(paths, "d", "sha256")
    with pytest.raises(ValueError, match="threads=0"):
        manylane.ray.hash_dataset(paths, "c", "sha256", threads=0)
    # Paths as objects, a folder, names in capitals, and the default of threads.
    os.rename(paths[2], f"{folder}/_2.PARQUET")
    for given in [pathlib.Path(folder), folder + "/", [pathlib.Path(paths[0]), paths[1]]]:
        rows = manylane.ray.hash_dataset(given, "c", "sha256", threads=None).take_all()
        assert len(rows) == (2000 if isinstance(given, list) else 3000)
        assert all(row["sha256"] == of(row["c"]) for row in rows)
    dataset = ray.data.from_arrow(pyarrow.table({"c": ["a", None]}))
    assert (
        manylane.ray.hash_dataset(dataset, "c", "md5", into="h").take_all()[0]["h"]
        == hashlib.md5(b"a").digest()
    )
    with pytest.raises(ValueError, match="there is a column 'c'"):
        manylane.ray.hash_dataset(dataset, "c", "md5", into="c")


def test_sweeps(cluster, monkeypatch):
    from manylane import sweep

    monkeypatch.setattr(sweep, "TASK_SECONDS", 0.001)
    asked = [(name, {"hardware": True, "merge": k}) for name in ["md5", "sha1"] for k in [1, 2, 4]]
    found = sweep.plans(asked, engine="ray")
    assert found == sweep.plans(asked)
    with pytest.raises(ValueError, match="zx81"):
        sweep.plans([*asked, ("md5", {"on": "zx81"})], engine="ray")


def test_sweeps_by_daft(monkeypatch):
    from manylane import sweep

    monkeypatch.setattr(sweep, "TASK_SECONDS", 0.001)
    asked = [(name, {"hardware": True, "merge": k}) for name in ["md5", "sha1"] for k in [1, 2, 4]]
    assert sweep.plans(asked, engine="daft") == sweep.plans(asked)
    assert sweep.plans([], engine="daft") == []
    with pytest.raises(ValueError, match="^md5, .'on': 'zx81'.: .*zx81"):
        sweep.plans([*asked, ("md5", {"on": "zx81"})], engine="daft")


PROGRAM = """#!/bin/sh
for last; do :; done
[ "$last" != sha1 ] || { echo 'manylane: yosys is not there' >&2; exit 1; }
echo '{"arguments": "'"$*"'"}'
"""


@pytest.mark.parametrize("engine", ["ray", "daft"])
def test_explorations(tmp_path, monkeypatch, request, engine):
    """By a program that stands in for `manylane`."""
    from manylane import sweep

    (tmp_path / "manylane").write_text(PROGRAM)
    (tmp_path / "manylane").chmod(0o755)
    monkeypatch.setenv("MANYLANE_PROGRAM", str(tmp_path / "manylane"))
    if engine == "ray":
        request.getfixturevalue("cluster")
    asked = [("md5", {"stages": [k]}) for k in [1, 2, 4]] + [("sha256", {"jobs": 3})]
    assert sweep.explores(asked, engine=engine) == [
        {"arguments": "explore --json --jobs 1 --stages 1 -- md5"},
        {"arguments": "explore --json --jobs 1 --stages 2 -- md5"},
        {"arguments": "explore --json --jobs 1 --stages 4 -- md5"},
        {"arguments": "explore --json --jobs 3 -- sha256"},
    ]
    with pytest.raises(ValueError, match="^sha1, .'jobs': 1.: yosys is not there$"):
        sweep.explores([("sha1", {})], engine=engine)


def test_examples(cluster):
    import doctest

    for module in [manylane.ray, manylane.daft]:
        result = doctest.testmod(module)
        assert result.failed == 0 and result.attempted > 2


def test_frames_of_daft(paths):
    frame = daft.read_parquet(paths)
    found = manylane.daft.hash_column(frame, "c", "sha256").to_pydict()
    assert len(found["c"]) == 3000
    assert found["sha256"] == [of(value) for value in found["c"]]
    with pytest.raises(KeyError, match="no column 'd'"):
        manylane.daft.hash_column(frame, "d", "sha256")
    with pytest.raises(ValueError, match="unsupported hash"):
        manylane.daft.hash_column(frame, "c", "sha257")
    with pytest.raises(ValueError, match="threads=0"):
        manylane.daft.hash_column(frame, "c", "sha256", threads=0)
    found = manylane.daft.hash_column(frame, "c", "sha256", threads=None).to_pydict()
    assert found["sha256"] == [of(value) for value in found["c"]]


def test_manifests_by_daft(data, tmp_path):
    folder, expected = data
    said = manifest.build(str(folder), str(tmp_path / "m"), engine="daft", part_bytes=8 << 20)
    assert len(said["parts"]) == 10 and digests(tmp_path / "m") == expected
    with pytest.raises(ValueError, match="threads=0"):
        manifest.build(str(folder), str(tmp_path / "m"), engine="daft", threads=0)
    # An error in a task is the error here, with its type and the file's name.
    (folder / "x.parquet").write_bytes(b"no table")
    with pytest.raises(ValueError, match="x.parquet: "):
        manifest.build(str(folder), str(tmp_path / "o"), engine="daft", column="c")
