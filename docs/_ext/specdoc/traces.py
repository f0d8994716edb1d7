"""Counterexamples as tables: a row for each step, what the wire saw, a column for each process.

A cell says what the step changed in that process, and only that; `●` marks the process that the
step belongs to.  History that only properties read is set apart.  Below stands the smallest part
of the property that is false, with values.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ackproof.model.changes import Change
from ackproof.model.explain import Explanation
from ackproof.model.lanes import Lane, Lanes
from ackproof.model.trace import Trace, TraceStep
from docutils import nodes

from specdoc.domain import known, link
from specdoc.markup import paragraph, table

__all__ = ["explanation_nodes", "legend", "run_nodes", "step_node", "trace_table"]


#: What the marks in a table mean.
_MARKS = (
    ("●", "the process that the step belongs to"),
    ("✗", "the same, if the step is a fault: a crash, a loss of power"),
    ("▸", "what the step puts on the wire, for the client to see"),
    ("+1", "element 1 came into that set; \N{MINUS SIGN}1, it left"),
    ("a → b", "the value was a and is b"),
)


def legend() -> nodes.paragraph:
    """Return what the marks in a run mean."""
    shown = paragraph("How to read a run: a row is a step, a column is a process.")
    for mark, meaning in _MARKS:
        shown += [nodes.Text("  "), nodes.literal("", mark), nodes.Text(f" {meaning};")]
    shown += nodes.Text(" what stands in another column is changed too, and the rest stays.")
    return shown


def trace_table(trace: Trace) -> nodes.Node:
    """Return the steps of a trace as a table."""
    lanes = _touched(trace)
    root = trace.bound.program.root
    wire = any(step.events for step in trace.steps)
    header = ["", "Step", *(["wire"] if wire else []), *(lane.title(root) for lane in lanes)]
    rows = [
        [
            str(number),
            _action(trace, step),
            *([_wire(step)] if wire else []),
            *([*_cell(step, lane, root)] or "" for lane in lanes),
        ]
        for number, step in enumerate(trace.steps, start=1)
    ]
    frame = nodes.container("", classes=["spec-scroll"])
    frame += table(header, rows, "spec-trace")
    return frame


def run_nodes(trace: Trace) -> list[nodes.Node]:
    """Return the steps of a trace, and what happens for ever after them."""
    found = [trace_table(trace)] if trace.steps else []
    if trace.cycle is None:
        return found
    if not trace.cycle:
        return [*found, paragraph("And there it stays: nothing is enabled that must happen.")]
    return [
        *found,
        paragraph("And from there for ever:"),
        trace_table(replace(trace, steps=trace.cycle)),
    ]


def _touched(trace: Trace) -> list[Lane]:
    """Return the lanes that some step belongs to or changes: parts in order, the system last."""
    used = {step.home for step in trace.steps}
    used |= {change.lane for step in trace.steps for change in step.changes}
    root, *parts = Lanes(trace.bound).all
    return [lane for lane in (*parts, root) if lane in used]


def _action(trace: Trace, step: TraceStep) -> list[nodes.Node]:
    action = step.instance.action
    name, _, rest = step.text.partition("(")
    rest = rest.replace("=", "=\N{WORD JOINER}")  # a line breaks between arguments only
    classes = ["spec-fault"] if action.kind == "fault" else []
    shown = step_node(action.owner, trace.bound.program.processes[0].name, action.method, name)
    return [nodes.inline("", "", shown, nodes.Text(f"({rest}"), classes=classes)]


def step_node(owner: str, root: str, method: str, name: str) -> nodes.Node:
    """Return a link to a step; one of a design leads to what it overrides, or is no link."""
    for place in (f"{owner}.{method}", f"{root}.{method}"):
        if known("step", place):
            return link("step", place, name)
    return nodes.literal(name, name)


def _cell(step: TraceStep, lane: Lane, root: str) -> Iterator[nodes.Node]:
    title = lane.title(root)
    lines = [
        (change, f"{change.name.removeprefix(f'{title}.')}{place}", text)
        for change in step.changes
        if change.lane == lane
        for place, text in change.details
    ]
    mark = [_home(step)] if step.home == lane else []
    for change, name, text in lines:
        yield _line(change, name, text, mark)
        mark = []
    if mark:
        yield paragraph(*mark)


def _home(step: TraceStep) -> nodes.inline:
    text = "✗ " if step.instance.action.kind == "fault" else "● "
    return nodes.inline(text, text, classes=["spec-home"])


def _line(change: Change, name: str, text: str, mark: Sequence[nodes.Node]) -> nodes.paragraph:
    classes = ["spec-change", *(["spec-ghost-change"] if change.ghost else [])]
    return paragraph(*mark, nodes.literal("", name), f" {text}", classes=classes)


def _wire(step: TraceStep) -> Sequence[nodes.Node] | str:
    shown: list[nodes.Node] = [
        paragraph("▸ ", link("event", e.type.name, str(e)), classes=["spec-change"])
        for e in step.events
    ]
    return shown or ""


def explanation_nodes(trace: Trace) -> list[nodes.Node]:
    """Return why the property is false at the end of a trace."""
    if trace.explanation is None:
        return [paragraph(f"{trace.property} is broken: {trace.reason}.")]
    body: list[nodes.Node] = [
        paragraph(link("property", trace.property), " is false, since this part of it is:")
    ]
    body.append(
        nodes.literal_block("", _text(trace.explanation), language="text", classes=["spec-false"])
    )
    return body


def _text(found: Explanation, indent: str = "") -> str:
    verb = "false" if not found.truth else "true, and should not be"
    lines = [f"{indent}{found.text}   is {verb}"]
    pairs = [
        ("for", ", ".join(f"{n} = {v}" for n, v in found.where)),
        ("given", "\n".join(found.given)),
        ("where", "\n".join(f"{n} = {v}" for n, v in found.parts)),
    ]
    for label, text in pairs:
        for number, line in enumerate(text.splitlines()):
            lines.append(f"{indent}  {label if not number else '':<6}{line}")
    for case in found.cases:
        lines.append(_text(case, f"{indent}  "))
    return "\n".join(lines)
