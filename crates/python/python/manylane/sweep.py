"""Plans of many configurations, here or on a Ray cluster.

>>> from manylane.sweep import plans
>>> found = plans(("blake256", {"on": board}) for board in ["rp2040", "ibex-duo"])
>>> len(found)
2
"""

import math
import time

from ._answers import plan

#: Seconds that a task on another machine should take: to start one takes milliseconds.
TASK_SECONDS = 0.25


def _each(asked):
    found = []
    for primitive, options in asked:
        try:
            found.append(plan(primitive, **options))
        except ValueError as error:
            raise ValueError(f"{primitive}, {options}: {error}") from None
    return found


def _numbered(item):
    return _each(item[1])


def plans(asked, *, engine="local"):
    """What `manylane.plan(primitive, **options)` answers for each pair, in their order.

    asked: pairs of a primitive and a dict of options. engine: "local" or "ray". A ValueError names
    the first configuration that has no plan.
    """
    asked = [(primitive, dict(options)) for primitive, options in asked]
    if engine not in {"local", "ray"}:
        raise ValueError(f"engine '{engine}': there are local and ray")
    if engine == "local" or not asked:
        return _each(asked)
    from .ray import tasks

    # The first one tells how many make a task that is worth being sent.
    begin = time.perf_counter()
    first = _each(asked[:1])
    size = max(1, math.ceil(TASK_SECONDS / (time.perf_counter() - begin)))
    rest = asked[1:]
    groups = [rest[start : start + size] for start in range(0, len(rest), size)]
    found = {}
    for (number, _), answers in tasks(_numbered, enumerate(groups)):
        found[number] = answers
    return first + [answer for number in sorted(found) for answer in found[number]]
