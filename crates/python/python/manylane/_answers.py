"""Explanations and plans as dictionaries that show themselves as pages."""

import html
import json
import os
import tempfile
from typing import Any

from ._manylane import printed


class Answer(dict[str, Any]):
    """What `manylane explain` or `manylane plan` answers, by the names of its JSON.

    In a notebook it shows the page that the program writes with `--html`; where there is no page,
    the text that it prints.

    >>> import manylane
    >>> found = manylane.explain("md5", part="round")
    >>> found["work"] > found["span"]
    True
    >>> found.text().splitlines()[0][:4]
    'md5:'
    >>> found.html()[:15].lower()
    '<!doctype html>'
    """

    def __init__(self, command: str, primitive: str, options: list[str]) -> None:
        self._asked = [command, *options], ["--", primitive]
        super().__init__(json.loads(self._printed("--json")))

    def _printed(self, *options):
        before, after = self._asked
        return printed([*before, *options, *after])

    def text(self) -> str:
        """What the program prints for people."""
        return self._printed()

    def html(self) -> str:
        """The page, one file that needs no network. A ValueError where there is none."""
        with tempfile.TemporaryDirectory(prefix="manylane-") as folder:
            path = os.path.join(folder, "page.html")
            self._printed("--html", path)
            with open(path, encoding="utf-8") as file:
                return file.read()

    def _repr_html_(self) -> str:
        try:
            page = self.html()
        except ValueError:
            return f"<pre>{html.escape(self.text())}</pre>"
        # A frame keeps the styles of the page and of the notebook apart.
        return (
            '<iframe style="width: 100%; height: 40em; border: 0" '
            f'srcdoc="{html.escape(page)}"></iframe>'
        )


def _options(options):
    """Keyword arguments as options of the command line: `fixed_length=True` is `--fixed-length`."""
    line = []
    for name, value in options.items():
        if value is None or value is False:
            continue
        option = "--" + name.replace("_", "-")
        if value is True:
            line.append(option)
            continue
        if isinstance(value, (list, tuple)):
            value = ",".join(map(str, value))
        elif isinstance(value, os.PathLike):
            value = os.fspath(value)
        line.append(f"{option}={value}")
    return line


def explain(primitive, *, part=None, length=None, fixed_length=False):
    """How much of a primitive can run at the same time, and what limits it: a dict.

    part: "compression" (the default), "round", "schedule" or "message", the last one with its
    length in bytes.

    >>> import manylane
    >>> found = manylane.explain("sha256", part="round")
    >>> found["work"] > found["span"] > 0
    True
    """
    options = {"part": part, "length": length, "fixed_length": fixed_length}
    return Answer("explain", primitive, _options(options))


def plan(primitive, **options):
    """The best split of a primitive, with the gain that is predicted and the limit: a dict.

    Options are those of `manylane plan --help`: `on="rp2040"` for two cores, `hardware=True`,
    `merge=2`, `threads=[2, 4]`, `messages=100`. docs/plan-json.md names the fields.

    >>> import manylane
    >>> manylane.plan("blake256", on="rp2040")["worth_it"]
    True
    """
    if not options:
        raise TypeError("say for what: on=PLATFORM, hardware=True or threads=[2, 4]")
    for name in options:
        if name in {"json", "html", "program"}:
            raise TypeError(
                f"{name} is no option here: the answer is a dict, with text() and html()"
            )
    return Answer("plan", primitive, _options(options))
