"""A counterexample as a pytest, which fails until the design is mended.

It has two tests.  The first takes the run again, in plain Python and at once: it is what a mended
design must not do any more.  The second searches for any other run that does the same, so that
nobody mends the one run only.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Sequence

from ackproof.export.mark import WRITTEN
from ackproof.lang.properties import stated_by
from ackproof.model.trace import Trace, TraceStep

__all__ = ["pytest_file"]

_FILE = '''\
"""{title}

{doc}

{written}  It fails until the design is mended: then the run is not
possible any more, or breaks nothing, and no other run does either.
"""

{imports}

{constants}


def test_the_run_does_not_break_{test}() -> None:
    target = {target}
    broken = take_again(target.model, target.design, INSTANCE, PROPERTY, STEPS{more})
    if broken:
        pytest.fail(broken, pytrace=False)


def test_no_run_breaks_{test}() -> None:
    target = {target}
    broken = search(target.model, target.design, INSTANCE, PROPERTY)
    if broken:
        pytest.fail(broken, pytrace=False)
'''


def pytest_file(trace: Trace, name: str, design: str, *, file: bool) -> str:
    """Return a counterexample as the text of a pytest.

    Args:
        trace: the counterexample.
        name: what the design or the model is called.
        design: as the command line names it; for a file, its path from where the test will be;
            "" for the base.
        file: whether it is a file.
    """
    property_, instance = trace.property, trace.bound.instance.name
    constants = [f"INSTANCE = {_quoted(instance)}", f"PROPERTY = {_quoted(property_)}"]
    constants.append(f"STEPS = {_texts(trace.steps)}")
    if trace.cycle is not None:
        constants.append(f"CYCLE = {_texts(trace.cycle)}")
    if trace.beginning:
        constants.append(f"BEGINNING = {_lines(map(str, trace.beginning))}")
    if file:
        constants.insert(0, f"DESIGN = Path(__file__).parent / {_quoted(design)}")
    return _FILE.format(
        title=f"{property_} is false in {name} on {instance}, after {len(trace.steps)} steps.",
        doc=textwrap.fill(" ".join(trace.doc.split()).replace("\\", "\\\\"), 100),
        imports=_imports(base=not design, file=file),
        constants="\n".join(constants),
        test=_snake(stated_by(property_)),
        target=_target(design, file=file),
        written=WRITTEN,
        more=f"{', CYCLE' if trace.cycle is not None else ''}"
        f"{', beginning=BEGINNING' if trace.beginning else ''}",
    )


def _imports(*, base: bool, file: bool) -> str:
    loader = "base_target" if base else "load"
    ours = [
        "import pytest",
        f"from ackproof.cli.targets import {loader}",
        "from ackproof.export.regression import search, take_again",
    ]
    return "\n".join([*(["from pathlib import Path", ""] if file else []), *ours])


def _target(design: str, *, file: bool) -> str:
    if not design:
        return "base_target()"
    return "load(str(DESIGN))" if file else f"load({_quoted(design)})"


def _texts(steps: Sequence[TraceStep]) -> str:
    return _lines(step.text for step in steps)


def _lines(texts: Iterable[str]) -> str:
    """Return texts as a tuple, one a line."""
    inner = "".join(f"    {_quoted(text)},\n" for text in texts)
    return f"(\n{inner})" if inner else "()"


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _snake(name: str) -> str:
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name)
    return re.sub(r"\W+", "_", words).strip("_").lower()
