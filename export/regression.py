"""A run that was a counterexample, taken again: what the tests ask that `--export` writes.

The run is written as the texts of its steps, which stay what they are when a design is changed;
the numbers that an engine has for them do not.  A step that is not possible any more ends it: the
run is no run of the mended design.  A text that names no step at all is another matter: then the
test would pass for ever, whatever the design does, and so it is an error.
"""

from __future__ import annotations

from collections.abc import Sequence

from ackproof.lang.binding import Bound
from ackproof.lang.model import Design, Instance, Model
from ackproof.lang.properties import stated_by
from ackproof.model.beginnings import initial_states
from ackproof.model.cache import default_cache
from ackproof.model.check import check, chosen
from ackproof.model.lanes import Lanes
from ackproof.model.listing import listing, plain
from ackproof.model.plain import State
from ackproof.model.show import show_step
from ackproof.model.trace import ReplayError, Trace, beginning, replay

__all__ = ["UnknownStep", "search", "take_again"]

#: Columns of a run in the message of a test.
_WIDTH = 100


class UnknownStep(LookupError):
    """A test's run has a step that the specification does not have at this size."""


def take_again(
    model: Model,
    design: Design | None,
    instance: str,
    name: str,
    steps: Sequence[str],
    cycle: Sequence[str] = (),
    beginning: Sequence[str] = (),
) -> str:
    """Take a run again; return how it breaks a property, or "" if it does not any more.

    Args:
        model: the system and its properties.
        design: the change to it, if any.
        instance: the name of the instance.
        name: the property.
        steps: the run, as texts.
        cycle: what happens over and over after it.
        beginning: what is chosen in the state that it begins in; empty if there is no choice.

    Raises:
        UnknownStep: the specification has no such step, or no such choice at first.
        LookupError: the model has no such instance.
    """
    bound = chosen(
        model, _instance(model, instance), design, [stated_by(name)], cache=default_cache()
    )
    numbers = _numbers(bound)
    unknown = [text for text in (*steps, *cycle) if text not in numbers]
    if unknown:
        raise UnknownStep(
            f"there is no step {unknown[0]} on {instance} any more; export the counterexample "
            "again, or if there is none, delete this test"
        )
    start = _beginning(bound, beginning)
    if start is None:
        return ""
    path = [numbers[text] for text in steps]
    try:
        found = replay(bound, name, path, [numbers[text] for text in cycle], start=start)
    except ReplayError:
        return ""
    return _told(found)


def _beginning(bound: Bound, chosen: Sequence[str]) -> State | None:
    """Return the initial state in which so is chosen; None if a run cannot begin so any more.

    Raises:
        UnknownStep: it is about places that have one value at first, or that are not there.
    """
    lanes, states = Lanes(bound), initial_states(bound)
    texts = [tuple(map(str, beginning(lanes, state))) for state in states]
    places, known = ({text.partition(" = ")[0] for text in said} for said in (chosen, texts[0]))
    if places != known:
        raise UnknownStep(
            f"a run begins with a choice of {_listed(known)} now, and not of {_listed(places)}; "
            "export the counterexample again, or if there is none, delete this test"
        )
    return states[texts.index(tuple(chosen))] if tuple(chosen) in texts else None


def _listed(names: set[str]) -> str:
    return ", ".join(sorted(names)) or "nothing"


def search(model: Model, design: Design | None, instance: str, name: str) -> str:
    """Search for any run that breaks a property; return the shortest, or "" if there is none.

    Raises:
        LookupError: the model has no such instance.
    """
    report = check(
        model,
        _instance(model, instance),
        design,
        properties=[stated_by(name)],
        compare=False,
        cache=default_cache(),
    )
    if report.traces:
        return _told(min(report.traces, key=lambda trace: len(trace.steps)))
    if report.outcome.limit is not None:
        return f"{name} is undecided: the search was ended by {report.outcome.limit.value}"
    return ""


def _instance(model: Model, name: str) -> Instance:
    found = next((one for one in model.instances if one.name == name), None)
    if found is None:
        raise LookupError(f"{model.name} has no instance {name!r}; export the counterexample again")
    return found


def _numbers(bound: Bound) -> dict[str, int]:
    """Return the number of each step by its text."""
    return {show_step(instance): number for number, instance in enumerate(bound.instances())}


def _told(trace: Trace) -> str:
    """Return a counterexample as the message of a test."""
    lines = plain(listing(trace, _WIDTH))
    return "\n".join([f"{trace.property} is false after this run:", trace.doc, "", *lines])
