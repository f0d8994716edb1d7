"""The JSON document of `--json`: what a check looked at and what it found, for people's programs.

The types below are the format, versioned by `SCHEMA`.  They make the document from `Report`s, and
its JSON Schema too, which so describes it field by field.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import astuple
from typing import Annotated, Any

import msgspec
from ackproof.lang.binding import Bound
from ackproof.lang.properties import BUILT_IN, CLAIMS
from ackproof.model.explain import Explanation
from ackproof.model.outcome import Limit
from ackproof.model.report import Report
from ackproof.model.show import json_value
from ackproof.model.trace import Trace, TraceStep
from ackproof.model.verdict import Verdict, worst
from msgspec import Meta, Struct, field

__all__ = [
    "SCHEMA",
    "Beginning",
    "Document",
    "Expectation",
    "Result",
    "beginning",
    "document",
    "document_results",
    "explained",
    "schema",
    "schema_of",
    "steps",
]

SCHEMA = "ackproof/report/11"

Value = Annotated[
    bool | int | str | list[Any] | dict[str, Any] | None,
    Meta(
        description="a value of the specification: a set is an array in order, a map an array of "
        "[key, value] for keys that do not have the default, a record an object, an element of a "
        "sort or member of an enum its name (ordered sorts: its number)"
    ),
]
Count = Annotated[int, Meta(ge=0)]
Seconds = Annotated[float, Meta(ge=0)]


def one_of(*values: str | int, description: str | None = None) -> Meta:
    """Return what says of a field that it has one of these values."""
    return Meta(description=description, extra_json_schema={"enum": list(values)})


class Change(Struct, frozen=True, forbid_unknown_fields=True):
    """A place of the state that differs after a step."""

    place: Annotated[str, Meta(description="where, as a path from the root: queues[q1].ready")]
    ghost: Annotated[bool, Meta(description="history that behaviour does not depend on")]
    before: Value
    after: Value


class Step(Struct, frozen=True, forbid_unknown_fields=True):
    """A step of a run."""

    step: Annotated[int, Meta(ge=1, description="counted from 1")]
    action: Annotated[
        str, Meta(description="the action's name; a step of a part carries the part's path")
    ]
    kind: Annotated[str, one_of("action", "fault")]
    args: Annotated[dict[str, Value], Meta(description="arguments by name")]
    fails: Annotated[
        bool,
        Meta(
            description="the step has no successor: an assertion failed or a value left its range"
        ),
    ]
    events: Annotated[
        list[dict[str, Value]],
        Meta(
            description="what a client saw, in order: under `event` the class of the event, and "
            "the event's fields"
        ),
    ]
    changes: Annotated[
        list[Change], Meta(description="the places of the state that differ after the step")
    ]


class Explained(Struct, frozen=True, forbid_unknown_fields=True):
    """Why a property is false."""

    part: Annotated[
        str, Meta(description="the smallest part of the property that is wrong, as Python")
    ]
    truth: Annotated[
        bool, Meta(description="the value that the part has; the property needs the other one")
    ] = field(name="is")
    where: Annotated[dict[str, str], Meta(description="what names in the part stand for")]
    given: Annotated[
        list[str], Meta(description="what is true beside it, so that the part matters")
    ]
    values: Annotated[dict[str, str], Meta(description="what the part is made of")]
    cases: Annotated[
        list[Explained],
        Meta(description="if the part says that something exists: why each candidate fails"),
    ]


class Beginning(Struct, frozen=True, forbid_unknown_fields=True):
    """What a place has at first that may start with anything."""

    place: str
    value: Value


class Violation(Struct, frozen=True, forbid_unknown_fields=True):
    """A shortest counterexample to a property."""

    property: Annotated[str, Meta(description="the name of the property")]
    doc: Annotated[str, Meta(description="what it claims")]
    file: Annotated[str | None, Meta(description="where it is written; null if built in")]
    line: Annotated[Annotated[int, Meta(ge=1)] | None, Meta(description="line in that file")]
    steps: Annotated[int, Meta(ge=0, description="length of the trace; none is shorter")]
    reason: Annotated[str | None, Meta(description="for a built-in property: what failed")]
    explanation: Explained | None
    beginning: Annotated[
        list[Beginning],
        Meta(description="which initial state the run begins in: what may start with anything"),
    ]
    trace: Annotated[list[Step], Meta(description="the steps from the initial state")]
    cycle: Annotated[
        list[Step] | None,
        Meta(
            description="for a property of runs: what happens over and over after the trace, back "
            "to the state at its end; empty where the run stays there; null for other properties"
        ),
    ]


class CheckedDesign(Struct, frozen=True, forbid_unknown_fields=True):
    """The design that was checked."""

    name: Annotated[str | None, Meta(description="what it is called: its file's name")]
    claim: Annotated[str, Meta(description="the idea in one line")]
    source: Annotated[str, Meta(description="where it comes from")]


class Constant(Struct, frozen=True, forbid_unknown_fields=True):
    """The value of a constant."""

    name: Annotated[str, Meta(description="Class.constant")]
    of: Annotated[list[Value], Meta(description="the family members it belongs to")]
    value: Value


class CheckedInstance(Struct, frozen=True, forbid_unknown_fields=True):
    """The instance that was checked."""

    name: Annotated[str, Meta(description="how the command line calls it")]
    purpose: Annotated[str, Meta(description="what it is for")]
    sizes: Annotated[
        dict[str, Count],
        Meta(description="elements of each sort; with 0, whatever is done for its elements is off"),
    ]
    faults: Annotated[
        dict[str, Annotated[int, Meta(ge=1)]], Meta(description="how often each fault may happen")
    ]
    constants: Annotated[list[Constant], Meta(description="the values of all constants")]


class ActionCount(Struct, frozen=True, forbid_unknown_fields=True):
    """An action of the instance."""

    name: Annotated[str, Meta(description="the action")]
    kind: Annotated[str, one_of("action", "fault")]
    enabled: Annotated[int, Meta(ge=0, description="in how many steps it was taken")]


class PropertyResult(Struct, frozen=True, forbid_unknown_fields=True):
    """What is known of a property."""

    name: Annotated[str, Meta(description="the property")]
    result: Annotated[
        str,
        one_of(
            *("holds", "violated", "witnessed", "unwitnessed"),
            *("lacking", "off", "vacuous", "open"),
            description="open: the search stopped before this was decided; lacking: never reached, "
            "and the instance says that it is too small for it; off: a situation that the sizes, "
            "constants and faults of the instance rule out; vacuous: a property that for the same "
            "reason cannot be false",
        ),
    ]
    kind: Annotated[str, one_of(*CLAIMS, "built-in")]
    doc: Annotated[str, Meta(description="what it claims")]


class Timing(Struct, frozen=True, forbid_unknown_fields=True):
    """How long it took."""

    total_seconds: Annotated[Seconds, Meta(description="everything")]
    search_seconds: Annotated[Seconds, Meta(description="the search alone")]
    compile_seconds: Annotated[Seconds, Meta(description="compiling the kernel")]


class Memory(Struct, frozen=True, forbid_unknown_fields=True):
    """What it took of the memory."""

    held: Annotated[
        Count,
        Meta(
            description="held by the search at its peak; on a cluster, what the properties of "
            "runs took of the memory of the process that drives it"
        ),
    ] = field(name="bytes")
    limit: Annotated[Count, Meta(description="at which it would have stopped")]
    needed: Annotated[
        Count,
        Meta(
            description="what the properties of runs would take, if they are not judged since that "
            "is more than was allowed; 0 if that is not so, or not known"
        ),
    ]


class KeptSearch(Struct, frozen=True, forbid_unknown_fields=True):
    """What a search keeps in files, so that it can be resumed."""

    master: Annotated[
        str | None,
        Meta(
            description="address of the cluster that the engine spark searched on; local[2] if all "
            "of it was one machine; null if threads of this process searched"
        ),
    ]
    partitions: Annotated[int, Meta(ge=1, description="parts that the states are in")]
    folder: Annotated[str, Meta(description="the directory that the search keeps everything in")]
    stored_bytes: Annotated[Count, Meta(description="held in that directory")]
    resumed_levels: Annotated[
        Count,
        Meta(description="levels that an earlier run had finished; 0 if this one began anew"),
    ]


class Expectation(Struct, frozen=True, forbid_unknown_fields=True):
    """What a design says a check must find."""

    text: Annotated[str, Meta(description="what the design says a check must find")]
    came_true: Annotated[bool, Meta(description="whether it did")]
    found: Annotated[str, Meta(description="what was found")]


class Result(Struct, frozen=True, forbid_unknown_fields=True):
    """One check."""

    model: Annotated[str, Meta(description="the name of the model")]
    design: CheckedDesign | None
    instance: CheckedInstance
    note: Annotated[
        str,
        Meta(
            description="why it is this instance, where another would be the default, and which "
            "others were not looked at; else empty"
        ),
    ]
    digest: Annotated[str, Meta(description="hash of everything that the state space depends on")]
    engine: Annotated[str, one_of("kernel", "collapsed", "plain", "spark")]
    cached: Annotated[
        str | None,
        Meta(
            description="when the search was made, in UTC, if its outcome was taken from the "
            "cache; timing and memory are then of that search; else null",
        ),
    ]
    workers: Annotated[
        int, Meta(ge=1, description="threads; on a cluster, tasks that could run at once")
    ]
    verdict: Verdict
    limit: Annotated[Limit | None, Meta(description="why the search stopped early")]
    states: Annotated[Count, Meta(description="distinct states")]
    cut: Annotated[
        Count,
        Meta(
            description="how many of them were not expanded since a constraint is false there; "
            "what lies behind them was not looked at"
        ),
    ]
    constraints: Annotated[list[str], Meta(description="the constraints of the model")]
    folded: Annotated[
        list[str],
        Meta(
            description="sorts whose names do not count: states that differ in the names of their "
            "elements only were searched as one"
        ),
    ]
    generated: Annotated[
        Count,
        Meta(description="the initial states and every step taken, also to a known state"),
    ]
    transitions: Annotated[
        Count, Meta(description="steps taken: what was generated, without the initial states")
    ]
    levels: Annotated[
        Count,
        Meta(description="levels of the breadth-first search, that of the initial states included"),
    ]
    level_sizes: Annotated[
        list[Count], Meta(description="new states of each level; the first has the initial ones")
    ]
    actions: Annotated[list[ActionCount], Meta(description="every action of the instance")]
    properties: Annotated[list[PropertyResult], Meta(description="every property that was checked")]
    unwitnessed: Annotated[
        list[str],
        Meta(description="@reachable properties that were never reached, in a whole state space"),
    ]
    dead: Annotated[
        list[str],
        Meta(description="actions that were never enabled, in a whole state space"),
    ]
    lost: Annotated[
        list[str],
        Meta(
            description="actions and situations that come up on this instance without the design, "
            "and never with it; looked for where nothing is violated and the search was whole"
        ),
    ]
    off: Annotated[
        list[str],
        Meta(
            description="actions, faults and situations that the sizes, constants and faults of "
            "the instance rule out"
        ),
    ]
    violations: Annotated[
        list[Violation], Meta(description="a shortest counterexample for each property violated")
    ]
    timing: Timing
    memory: Memory
    kept: Annotated[
        KeptSearch | None,
        Meta(description="what the search keeps in files; null if it keeps nothing"),
    ]
    expectation: Expectation | None


class Document(Struct, frozen=True, forbid_unknown_fields=True):
    """What `ackproof check --json` prints: one result for each check, in the order they ran."""

    schema: Annotated[str, one_of(SCHEMA, description="the version of this format")]
    exit_code: Annotated[
        int,
        one_of(
            *(0, 1, 3),
            description="of all results together: 1 if any is violated, else 3 if any is "
            "incomplete, else 0; for a museum: 0 if every expectation came true, else 1",
        ),
    ]
    results: Annotated[list[Result], Meta(description="one for each check")]


def document(
    reports: Iterable[Report],
    expectations: Iterable[Mapping[str, Any] | None] = (),
    notes: Iterable[str] = (),
) -> dict[str, Any]:
    """Return reports as the JSON document of a run.

    `expectations` says for each report what was expected and whether it came true, or None, and
    `notes` why it was checked on its instance, if anybody has to be told.
    """
    entries = list(reports)
    expected = list(expectations) or [None] * len(entries)
    told = list(notes) or [""] * len(entries)
    found = Document(
        SCHEMA,
        worst([r.verdict.exit_code for r in entries]),
        [_result(r, e, n) for r, e, n in zip(entries, expected, told, strict=True)],
    )
    plain: dict[str, Any] = msgspec.to_builtins(found)
    return plain


def document_results(reports: Iterable[Report]) -> list[Result]:
    """Return reports as the results in a document of another format."""
    return [_result(report, None, "") for report in reports]


def schema() -> dict[str, Any]:
    """Return the JSON Schema of a document."""
    return schema_of(Document, SCHEMA)


def schema_of(document: type[Struct], title: str) -> dict[str, Any]:
    """Return the JSON Schema of a document, under the name of its version."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": title,
        **msgspec.json.schema(document),
    }


def _result(report: Report, expectation: Mapping[str, Any] | None, note: str) -> Result:
    outcome, bound = report.outcome, report.bound
    return Result(
        model=bound.program.name,
        design=None
        if bound.design is None
        else CheckedDesign(report.design, bound.design.claim, bound.design.source),
        instance=_instance(bound),
        note=note,
        digest=bound.digest(),
        engine=outcome.engine,
        cached=report.searched,
        workers=outcome.workers,
        verdict=report.verdict,
        limit=outcome.limit,
        states=outcome.states,
        cut=outcome.cut,
        constraints=[p.name for p in bound.constraints],
        folded=list(bound.folded),
        generated=outcome.generated,
        transitions=report.transitions,
        levels=outcome.levels,
        level_sizes=list(outcome.level_sizes),
        actions=[
            ActionCount(a.name, a.kind, outcome.per_action.get(a.name, 0)) for a in bound.actions
        ],
        properties=_properties(report),
        unwitnessed=list(report.unwitnessed),
        dead=list(report.dead),
        lost=list(report.lost),
        off=list(report.off),
        violations=[_violation(t) for t in report.traces],
        timing=Timing(report.seconds, outcome.seconds, outcome.compile_seconds),
        memory=Memory(outcome.memory, report.memory_limit, outcome.needed),
        kept=None if outcome.kept is None else KeptSearch(*astuple(outcome.kept)),
        expectation=None if expectation is None else Expectation(**expectation),
    )


def _properties(report: Report) -> list[PropertyResult]:
    bound = report.bound
    declared = {p.name: p for p in (*bound.program.properties, *bound.properties)}
    return [
        PropertyResult(name, result, declared[name].kind, declared[name].doc)
        if name in declared
        else PropertyResult(name, result, "built-in", BUILT_IN[name])
        for name, result in report.results().items()
    ]


def _instance(bound: Bound) -> CheckedInstance:
    return CheckedInstance(
        bound.instance.name,
        bound.instance.purpose,
        {sort.__name__: size for sort, size in bound.sizes.items()},
        dict(bound.budgets),
        [
            Constant(f"{v.owner}.{v.path[-1]}", list(keys), json_value(value, v.type))
            for v in bound.program.variables
            if v.const
            for (name, keys), value in bound.constants.items()
            if name == v.name
        ],
    )


def _violation(trace: Trace) -> Violation:
    span = trace.decl.span if trace.decl else None
    return Violation(
        property=trace.property,
        doc=trace.doc,
        file=span.file if span else None,
        line=span.line if span else None,
        steps=len(trace.steps),
        reason=trace.reason or None,
        explanation=explained(trace.explanation) if trace.explanation else None,
        beginning=beginning(trace),
        trace=steps(trace.steps, 1),
        cycle=None if trace.cycle is None else steps(trace.cycle, len(trace.steps) + 1),
    )


def beginning(trace: Trace) -> list[Beginning]:
    """Return which initial state a run begins in."""
    return [
        Beginning(b.name, json_value(b.value, b.location.variable.type)) for b in trace.beginning
    ]


def explained(found: Explanation) -> Explained:
    """Return why a property is false."""
    return Explained(
        part=found.text,
        truth=found.truth,
        where=dict(found.where),
        given=list(found.given),
        values=dict(found.parts),
        cases=[explained(case) for case in found.cases],
    )


def steps(taken: Iterable[TraceStep], first: int = 1) -> list[Step]:
    """Return the steps of a run; `first` is the number of the first of them."""
    return [_step(number, step) for number, step in enumerate(taken, first)]


def _step(number: int, step: TraceStep) -> Step:
    action = step.instance.action
    given = zip(action.params, step.instance.args, strict=True)
    return Step(
        step=number,
        action=action.name,
        kind=action.kind,
        args={p.name: json_value(v, p.type) for p, v in given},
        fails=step.after is None,
        events=[
            {"event": e.type.name}
            | {n: json_value(v, t) for (n, t), v in zip(e.type.fields, e.values, strict=True)}
            for e in step.events
        ],
        changes=[
            Change(
                c.name,
                c.ghost,
                json_value(c.before, c.location.variable.type),
                json_value(c.after, c.location.variable.type),
            )
            for c in step.changes
        ],
    )
