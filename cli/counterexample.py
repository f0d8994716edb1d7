"""Counterexamples for people: the steps of a run, and why each property that it breaks is false.

One run often breaks several properties at once.  Its steps are then shown once, and the properties
one after the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ackproof.cli.page import STYLES, Page
from ackproof.model.explain import Explanation
from ackproof.model.listing import ending, legend, listing, opening
from ackproof.model.museum import steps
from ackproof.model.trace import Trace

__all__ = ["show_broken", "show_counterexamples", "show_others"]

_NARROWEST = 80


def show_counterexamples(page: Page, traces: Sequence[Trace], *, shortest: bool = True) -> None:
    """Write counterexamples, those of one run together; `shortest`: of each there is no shorter."""
    further = "no shorter run does it" if shortest else "a shorter run may do it, too"
    runs: dict[object, list[Trace]] = {}
    for trace in traces:
        runs.setdefault(trace.run, []).append(trace)
    for first, *others in runs.values():
        _claim(page, first, f" {_false(first)} {_where(first)}; {further}")
        page.line()
        if first.steps or first.cycle:
            lines = listing(first, max(page.out.width, _NARROWEST))
            page.drawn(lines)
            page.line()
            if not page.explained:
                page.explained = True
                page.wrapped(f"({legend(lines)})", "  ", STYLES["head"])
                page.line()
        else:
            for said in (opening(first), "" if first.cycle is None else ending(first)):
                if said:
                    page.wrapped(said, "  ")
                    page.line()
        _reason(page, first)
        for trace in others:
            _claim(page, trace, f" {_false(trace)} there, too")
            page.line()
            _reason(page, trace)


def show_broken(page: Page, trace: Trace) -> None:
    """Write why a property is false at the end of a run, and not the run."""
    _claim(page, trace, f" {_false(trace)} here")
    page.line()
    _reason(page, trace)


def show_others(page: Page, traces: Sequence[Trace]) -> None:
    """Write a line for each of the counterexamples that are not shown."""
    if not traces:
        return
    page.line("also false, by other runs, which ", ("--verbose", "bold"), " shows:")
    width = max(len(trace.property) for trace in traces)
    for trace in traces:
        ever = "" if trace.cycle is None else ", and for ever"
        page.line("  ", (f"{trace.property:<{width}}", STYLES["wrong"]), f"  {_where(trace)}{ever}")
    page.line()


def _false(trace: Trace) -> str:
    return "is false" if trace.cycle is None else "stays false for ever"


def _where(trace: Trace) -> str:
    if not trace.steps:
        state = f"{'an' if trace.beginning else 'the'} initial state"
        return f"in {state}" if trace.cycle is None else f"from {state} on"
    return f"after {steps(len(trace.steps))}"


def _claim(page: Page, trace: Trace, what: str) -> None:
    page.line((trace.property, STYLES["wrong"]), what)
    span = trace.decl.span if trace.decl else None
    doc = " ".join(trace.doc.split())
    page.wrapped(f"{doc}  [{span.file}:{span.line}]" if span else doc, "  ")


def _reason(page: Page, trace: Trace) -> None:
    if trace.reason:
        page.line("  because ", (trace.reason, STYLES["wrong"]))
    if trace.explanation is not None:
        _explanation(page, trace.explanation, "  ")
    page.line()


def _explanation(page: Page, found: Explanation, indent: str) -> None:
    must = "is True and must not be" if found.truth else "is False"
    page.hanging(indent, found.text, STYLES["wrong"], f"   {must}")
    rows = [("for", f"{name} = {value}") for name, value in found.where]
    rows += [("given", text) for text in found.given]
    rows += [("where", f"{text} = {value}") for text, value in found.parts]
    said = ""
    for word, text in rows:
        page.hanging(f"{indent}  {word if word != said else '':<6} ", text)
        said = word
    for case in found.cases:
        page.line(f"{indent}  not for {', '.join(f'{n} = {v}' for n, v in case.where)}:")
        _explanation(page, replace(case, where=()), indent + "    ")
