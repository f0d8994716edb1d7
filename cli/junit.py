"""What checks found as JUnit's XML, for whatever collects results of tests.

A check is a suite.  Where a design says what is expected of it, that is its one test case: to break
a property is no failure if it was to break.  Elsewhere each property is a test case, and what was
left undecided, or has no part in an instance, is skipped.  One more case stands for the search: it
is an error if the search was not whole, or if its verdict counts and is no good news; its output
says within which constraints the verdict holds, if states were cut.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ackproof.cli.exit_codes import counting
from ackproof.cli.output import Result, finding, within
from ackproof.model.listing import listing, plain
from ackproof.model.museum import describe, steps
from ackproof.model.verdict import Verdict

if TYPE_CHECKING:
    from ackproof.model.trace import Trace

__all__ = ["junit"]

#: Columns of a counterexample.
_WIDTH = 100

#: Why a test case is skipped, for each result that decides nothing.
_SKIPPED = {
    "open": "undecided: the search ended before",
    "off": "off: it cannot come up on this instance",
    "lacking": "out of this instance's reach",
    "vacuous": "vacuous: nothing could make it false on this instance",
}


#: Verdicts that the cases of properties and actions say.
_SAID_ABOVE = (Verdict.VERIFIED, Verdict.VIOLATED, Verdict.UNWITNESSED)


@dataclass(frozen=True)
class _Case:
    """A test case: its name, and what is to be said of it if it did not pass.

    Args:
        kind: `failure`, `error` or `skipped`; empty if it passed.
        out: what is to be said of it whether it passed or not.
    """

    name: str
    kind: str = ""
    message: str = ""
    text: str = ""
    out: str = ""


def junit(results: Sequence[Result]) -> bytes:
    """Return what checks found, as the text of a file."""
    counted = counting(results)
    root = ET.Element("testsuites", name="ackproof check")
    for result in results:
        cases = list(_cases(result, any(result is one for one in counted)))
        suite = ET.SubElement(
            root,
            "testsuite",
            name=result.job.label,
            tests=str(len(cases)),
            failures=_count(cases, "failure"),
            errors=_count(cases, "error"),
            skipped=_count(cases, "skipped"),
            time=f"{result.report.seconds:.3f}",
        )
        for case in cases:
            element = ET.SubElement(suite, "testcase", classname=result.job.label, name=case.name)
            if case.kind:
                ET.SubElement(element, case.kind, message=case.message).text = case.text
            if case.out:
                ET.SubElement(element, "system-out").text = case.out
    written: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return written


def _count(cases: Sequence[_Case], kind: str) -> str:
    return str(sum(case.kind == kind for case in cases))


def _cases(result: Result, counts: bool) -> Iterator[_Case]:
    if result.judgement is not None:
        yield _expected(result)
        return
    report = result.report
    runs = {trace.property: trace for trace in report.traces}
    for name, found in report.results().items():
        if name in runs:
            yield _Case(
                name, "failure", f"false after {steps(len(runs[name].path))}", _run(runs[name])
            )
        elif found == "unwitnessed":
            yield _Case(name, "failure", "never reached")
        elif found in _SKIPPED:
            yield _Case(name, "skipped", _skipped(found, report.outcome.exhausted))
        else:
            yield _Case(name)
    for name in report.dead:
        yield _Case(name, "failure", "never enabled")
    if not counts or report.verdict in _SAID_ABOVE:
        yield _Case("search", out=_within(result))
    else:
        said = f"{report.verdict.value}: {finding(report)}"
        yield _Case("search", "error", said, out=_within(result))


def _skipped(found: str, exhausted: bool) -> str:
    if found == "open" and exhausted:
        return "undecided: every state was seen, and its runs were not judged"
    return _SKIPPED[found]


def _within(result: Result) -> str:
    """Return within which constraints a verdict holds; empty if nothing was cut."""
    return f"within {within(result.report)}" if result.report.outcome.cut else ""


def _expected(result: Result) -> _Case:
    judgement = result.judgement
    assert judgement is not None
    name = describe(judgement.expectation)
    if judgement.came_true:
        return _Case(name, out=_within(result))
    kind = "failure" if result.report.outcome.limit is None else "error"
    text = _run(result.traces[0]) if result.traces else ""
    return _Case(name, kind, f"but {judgement.found}", text, _within(result))


def _run(trace: Trace) -> str:
    lines = [trace.doc, "", *plain(listing(trace, _WIDTH))]
    if trace.explanation is not None:
        truth = "is True and must not be" if trace.explanation.truth else "is False"
        lines += ["", f"{trace.explanation.text}   {truth}"]
        lines += [f"  {name} = {value}" for name, value in trace.explanation.where]
    return "\n".join([*lines, *([f"because {trace.reason}"] if trace.reason else [])])
