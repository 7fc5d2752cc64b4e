"""Explanations and plans, and the documentation's examples."""

import json
import pathlib
import pickle
import re

import manylane
import pytest

DOCS = pathlib.Path(__file__).parents[3] / "docs/python.md"


def test_explanations():
    found = manylane.explain("sha256")
    assert isinstance(found, dict) and found["work"] / found["span"] > 2
    assert json.loads(json.dumps(found)) == found
    assert manylane.explain("md5", part="message", length=3)["work"] != found["work"]
    assert "sha256" in found.text().lower() or "SHA-256" in found.text()
    page = found.html()
    assert page.lower().startswith("<!doctype html") and "SHA-256" in page
    shown = found._repr_html_()
    assert shown.startswith("<iframe") and "<!doctype" not in shown.lower()


def test_plans():
    two = manylane.plan("blake256", on="rp2040")
    assert two["worth_it"] is True and two._repr_html_().startswith("<iframe")
    several = manylane.plan("sha256", threads=[2, 4], messages=100, length=4096)
    assert several and several._repr_html_().startswith("<pre>")
    assert manylane.plan("sha1", hardware=True, merge=2, stages=4, adders="csa")


@pytest.mark.parametrize(
    ("ask", "error", "text"),
    [
        (lambda: manylane.explain("sha257"), ValueError, "sha257"),
        (lambda: manylane.explain("--help"), ValueError, "--help"),
        (lambda: manylane.explain("sha256", part="half"), ValueError, "'half'.*\n.*compression"),
        (lambda: manylane.explain("sha256", length=5), ValueError, "--part message"),
        (lambda: manylane.explain("sha256", part="message", length=-1), ValueError, "--length"),
        (lambda: manylane.plan("sha256"), TypeError, "on=PLATFORM"),
        (lambda: manylane.plan("sha256", on="zx81"), ValueError, "zx81"),
        (lambda: manylane.plan("sha256", hardware=True, html="x"), TypeError, "html"),
        (lambda: manylane.plan("sha256", hardware=True, speed=3), ValueError, "--speed"),
    ],
)
def test_what_has_no_answer(ask, error, text):
    with pytest.raises(error, match=text):
        ask()


def test_sweeps():
    from manylane.sweep import plans

    asked = [(name, {"on": "rp2040"}) for name in ["md5", "sha256"]] + [("md5", {"hardware": True})]
    assert plans(iter(asked)) == [manylane.plan(name, **options) for name, options in asked]
    assert plans([]) == []
    with pytest.raises(ValueError, match="md5, .'on': 'zx81'.: .*zx81"):
        plans([("md5", {"on": "rp2040"}), ("md5", {"on": "zx81"})])
    with pytest.raises(ValueError, match="local, ray and daft"):
        plans([], engine="spark")


PROGRAM = """#!/bin/sh
[ "$1" = explore ] || exit 2
for last; do :; done
case $last in
md5) echo '{"primitive": "md5", "arguments": "'"$*"'"}'; exit 1 ;;
sha1) printf 'built 1 of 2\nmanylane: yosys is not there\nremedy\n' >&2; exit 1 ;;
*) printf "error: invalid value '%s'\n\nFor more information\n" "$last" >&2; exit 1 ;;
esac
"""


def test_explorations(tmp_path, monkeypatch):
    """The program's answers, by one that stands in for it."""
    from manylane.sweep import explores

    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.delenv("MANYLANE_PROGRAM", raising=False)
    with pytest.raises(FileNotFoundError, match="cargo install .*MANYLANE_PROGRAM"):
        explores([("md5", {})])
    (tmp_path / "manylane").write_text(PROGRAM)
    (tmp_path / "manylane").chmod(0o755)
    options = {"stages": [1, 2], "dry_run": True, "budget": None}
    assert explores([("md5", options), ("md5", {"jobs": 2})]) == [
        {"primitive": "md5", "arguments": "explore --json --stages=1,2 --dry-run -- md5"},
        {"primitive": "md5", "arguments": "explore --json --jobs=2 -- md5"},
    ]
    assert explores([]) == []
    for asked, text in [
        (("sha1", {"seeds": 1}), "^sha1, .'seeds': 1.: yosys is not there\nremedy$"),
        (("sha257", {}), "^sha257, {}: invalid value 'sha257'$"),
    ]:
        with pytest.raises(ValueError, match=text):
            explores([("md5", {}), asked])
    with pytest.raises(TypeError, match="json is no option"):
        explores([("md5", {"json": True})])
    with pytest.raises(ValueError, match="local, ray and daft"):
        explores([], engine="spark")


def test_explorations_by_the_program(monkeypatch):
    """What would be built: that needs no tools."""
    from manylane.sweep import explores

    built = [DOCS.parents[1] / "target" / kind / "manylane" for kind in ["debug", "release"]]
    program = next((path for path in built if path.exists()), None)
    if program is None:
        pytest.skip("the program is not built: cargo build")
    monkeypatch.setenv("MANYLANE_PROGRAM", str(program))
    options = {"merge": [1], "stages": [1], "adders": ["csa"], "dry_run": True}
    [found] = explores([("sha1", options)])
    assert found["shapes"] and all("--stages 1" in s["command"] for s in found["shapes"])
    with pytest.raises(ValueError, match="^sha257, .*sha257"):
        explores([("sha257", options)])


def test_answers_can_be_sent_to_other_processes():
    found = pickle.loads(pickle.dumps(manylane.explain("md5")))
    assert found == manylane.explain("md5") and found.text()


def test_the_documentation(tmp_path, monkeypatch):
    """Its examples of Python run one after the other, in a folder of their own."""
    for package in ["polars", "duckdb", "datafusion"]:
        pytest.importorskip(package)
    monkeypatch.chdir(tmp_path)
    examples = re.findall(r"^```python\n(.*?)^```", DOCS.read_text(), re.M | re.S)
    assert len(examples) > 8
    names = {}
    try:
        for example in examples:
            exec(compile(example, str(DOCS), "exec"), names)
    finally:
        # A function that DuckDB holds holds these names, and they its connection.
        names.clear()
