"""Plans and explorations of many configurations, here, on a Ray cluster or by Daft.

>>> from manylane.sweep import plans
>>> found = plans(("blake256", {"on": board}) for board in ["rp2040", "ibex-duo"])
>>> len(found)
2
"""

import json
import math
import os
import shutil
import subprocess
import time
from collections.abc import Iterable, Mapping
from typing import Any

from ._answers import Answer, _options, plan

#: Seconds that a task on another machine should take: to start one takes milliseconds.
TASK_SECONDS = 0.25


def _plan(primitive, options):
    return plan(primitive, **options)


def _explore(primitive, options):
    """What the program `manylane explore --json` prints: it runs other programs in its turn."""
    if "json" in options:
        raise TypeError("json is no option here: the answer is a dict")
    program = os.environ.get("MANYLANE_PROGRAM") or shutil.which("manylane")
    if program is None:
        raise FileNotFoundError(
            "the program manylane is not on the path: install it by `cargo install --path "
            "crates/cli`, or name it by MANYLANE_PROGRAM"
        )
    line = [program, "explore", "--json", *_options(options), "--", primitive]
    done = subprocess.run(line, capture_output=True, encoding="utf-8", errors="replace")
    try:
        # Where no shape is recommended the status is 1, and there is an answer all the same.
        return json.loads(done.stdout)
    except ValueError:
        said = done.stderr.rpartition("manylane: ")[2].split("\n\n")[0].removeprefix("error: ")
        raise ValueError(said.strip() or f"{program} ended with {done.returncode}") from None


def _each(answer, asked):
    found = []
    for primitive, options in asked:
        try:
            found.append(answer(primitive, options))
        except ValueError as error:
            raise ValueError(f"{primitive}, {options}: {error}") from None
    return found


def _numbered(item, answer):
    return _each(answer, item[1])


def _tasks(engine):
    """The function that runs tasks elsewhere; None for this machine."""
    if engine == "local":
        return None
    if engine == "ray":
        from .ray import tasks
    elif engine == "daft":
        from .daft import tasks
    else:
        raise ValueError(f"engine '{engine}': there are local, ray and daft")
    return tasks


def _in_groups(tasks, answer, asked, size):
    groups = [asked[start : start + size] for start in range(0, len(asked), size)]
    found = {}
    for (number, _), answers in tasks(_numbered, enumerate(groups), answer):
        found[number] = answers
    return [answer for number in sorted(found) for answer in found[number]]


def plans(
    asked: Iterable[tuple[str, Mapping[str, Any]]], *, engine: str = "local"
) -> list[Answer]:
    """What `manylane.plan(primitive, **options)` answers for each pair, in their order.

    asked: pairs of a primitive and a dict of options. engine: "local", "ray" or "daft". A
    ValueError names the first configuration that has no plan.
    """
    asked = [(primitive, dict(options)) for primitive, options in asked]
    tasks = _tasks(engine)
    if tasks is None or not asked:
        return _each(_plan, asked)
    # The time of the first plan decides how many plans make a task that is worth sending.
    begin = time.perf_counter()
    first = _each(_plan, asked[:1])
    size = max(1, math.ceil(TASK_SECONDS / (time.perf_counter() - begin)))
    return first + _in_groups(tasks, _plan, asked[1:], size)


def explores(
    asked: Iterable[tuple[str, Mapping[str, Any]]], *, engine: str = "local"
) -> list[dict[str, Any]]:
    """What `manylane explore --json` answers for each pair, in their order.

    asked: pairs of a primitive and a dict of options, those of `manylane explore --help`:
    `{"target": "ice40-hx8k", "stages": [1, 2], "dry_run": True}`. engine: "local", where an
    exploration uses all processors; "ray" or "daft", where each is a task and, unless `jobs` says
    otherwise, uses one. Each machine needs the program `manylane`, on its path or named by
    MANYLANE_PROGRAM, and the tools for the target. A ValueError names a configuration that has no
    answer.
    """
    asked = [(primitive, dict(options)) for primitive, options in asked]
    tasks = _tasks(engine)
    if tasks is None or not asked:
        return _each(_explore, asked)
    asked = [(primitive, {"jobs": 1, **options}) for primitive, options in asked]
    return _in_groups(tasks, _explore, asked, 1)
