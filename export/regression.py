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
from ackproof.model.cache import default_cache
from ackproof.model.check import check, chosen
from ackproof.model.listing import listing, plain
from ackproof.model.show import show_step
from ackproof.model.trace import ReplayError, Trace, replay

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
) -> str:
    """Take a run again; return how it breaks a property, or "" if it does not any more.

    Raises:
        UnknownStep: the specification has no such step.
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
    path = [numbers[text] for text in steps]
    try:
        found = replay(bound, name, path, [numbers[text] for text in cycle])
    except ReplayError:
        return ""
    return _told(found)


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
