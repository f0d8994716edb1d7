"""What the model says of an experiment: a shortest counterexample, or that there is none.

The model is asked as a user would ask it, with `ackproof check FILE --json`, where the file takes
an era from the specification, and an instance, with its faults for an accident and without them for
a control.  What comes back is read by the schema of reports and by nothing else: actions, their
arguments, the frames that a client sees, and which places of the state change.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from bench.process import Failed, run
from bench.rabbitmq.frames import Frame, Settled, settled

__all__ = [
    "QUESTIONS",
    "ModelStep",
    "ModelTrace",
    "Question",
    "ask",
    "era_of",
    "model_trace",
    "read_trace",
]


@dataclass(frozen=True)
class Question:
    """What to ask the model.

    Args:
        design: the module of the design that stands for the version of RabbitMQ.
        instance: the sizes and faults.
        claim: the property.
        model: the module of the model.
    """

    design: str
    instance: str
    claim: str
    model: str = "ackproof.spec.model"

    @property
    def era(self) -> str:
        """What reports call the design."""
        return self.design.rpartition(".")[2]


_ERAS = "ackproof.spec.eras."
_ERA = _ERAS + "rabbitmq_3_10"

#: By the first version that an era is of, the newest first.
_ERA_OF = {(4, 3): "rabbitmq_4_3", (4, 0): "rabbitmq_4_0", (3, 10): "rabbitmq_3_10"}

#: By the bug's number.  All names are the specification's own.
QUESTIONS = {
    "G-D1": Question(_ERA, "mirrors", "EveryPublishSettles"),
    "G-D5": Question(_ERA, "limits", "NoAssertionFails"),
}

#: The action that publishes, and the argument that is the message.
_PUBLISH, _MESSAGE = "publish", "msg"

#: Where a process keeps its messages, and where it says that it was promoted.
_READY = re.compile(r"(?P<process>.*)\.ready")
_PROMOTED = "{process}.promoted"

#: The project's directory; the command runs there.
_ROOT = Path(__file__).resolve().parents[2]

#: Exit codes of an answer: verified, violated, and whole but unwitnessed.
_ANSWERS = (0, 1, 3)

_FILE = """
from dataclasses import replace
from {model} import MODEL
from {design} import design

_given = MODEL.instance({instance!r})
assert _given is not None, "the model has no instance {instance}"
instances = (replace(_given, name="asked", states=None{faults}),)
"""


@dataclass(frozen=True)
class ModelStep:
    """A step of the counterexample.

    Args:
        action: its name.
        args: its arguments.
        fault: whether it is an accident.
        fails: whether an assertion fails in it.
        frames: what the client sees.
        changes: the places that change, with their new values.
    """

    action: str
    args: Mapping[str, Any]
    fault: bool
    fails: bool
    frames: tuple[Frame, ...]
    changes: Mapping[str, Any]

    def __str__(self) -> str:
        said = ", ".join(_argument(name, value) for name, value in self.args.items())
        return f"{self.action.replace('_', ' ')}{': ' if said else ''}{said}"


def _argument(name: str, value: Any) -> str:
    if isinstance(value, bool):
        return name if value else f"not {name}"
    if isinstance(value, list):
        return f"{name} {{{', '.join(map(str, value))}}}"
    return f"{name} {value}"


@dataclass(frozen=True)
class ModelTrace:
    """What a check found.

    Args:
        question: what was asked.
        accidents: whether the instance's faults were allowed.
        states: how many states the answer rests on.
        steps: the counterexample; empty if the property holds.
        lasting: after so many steps nothing ever changes, but for the steps from there on, which
            repeat; None for a property of single steps or states.
        reason: for a failing assertion, what failed.
    """

    question: Question
    accidents: bool
    states: int
    steps: tuple[ModelStep, ...]
    lasting: int | None
    reason: str | None

    @property
    def violated(self) -> bool:
        """Whether there is a counterexample."""
        return bool(self.steps)

    @property
    def fails(self) -> bool:
        """Whether an assertion fails in it."""
        return any(step.fails for step in self.steps)

    def published(self) -> frozenset[int]:
        """Return the delivery tags of what is published in it."""
        return frozenset(s.args[_MESSAGE] for s in self.steps if s.action == _PUBLISH)

    def settled(self) -> dict[int, Settled]:
        """Return what became of each tag, as far as it goes."""
        frames = [frame for step in self.steps for frame in step.frames]
        return settled(frames, max(self.published(), default=0))

    def held_by_promoted(self) -> frozenset[int]:
        """Return the messages that are in the queue of a promoted process at the end."""
        last: dict[str, Any] = {}
        for step in self.steps:
            last |= step.changes
        found: set[int] = set()
        for place, value in last.items():
            match = _READY.fullmatch(place)
            if match and last.get(_PROMOTED.format(process=match["process"])) is True:
                found |= set(value)
        return frozenset(found)


def era_of(version: str) -> str:
    """Return the module of the era of a version of RabbitMQ.

    Raises:
        Failed: there is none.
    """
    number = tuple(int(part) for part in version.split(".") if part.isdigit())
    era = next((era for first, era in _ERA_OF.items() if number >= first), None)
    if era is None or (3, 11) <= number < (4,):
        raise Failed(f"there is no era of RabbitMQ {version} to compare it with")
    return _ERAS + era


@cache
def model_trace(bug: str, *, accidents: bool) -> ModelTrace:
    """Ask the model about a bug, once.

    Args:
        bug: its number, a key of `QUESTIONS`.
        accidents: whether anything may go wrong.

    Raises:
        Failed: the specification has no such era, instance or property, or it leaves the
            question open.
    """
    return ask(QUESTIONS[bug], accidents=accidents)


def ask(question: Question, *, accidents: bool) -> ModelTrace:
    """Ask the model a question; arguments and errors as of `model_trace`."""
    faults = "" if accidents else ", faults={}"
    with tempfile.TemporaryDirectory(prefix="ackproof-") as folder:
        file = Path(folder) / "asked.py"
        file.write_text(_FILE.format(**vars(question), faults=faults))
        options = ["--instance", "asked", "--property", question.claim, "--json"]
        command = [sys.executable, "-m", "ackproof.cli", "check", str(file), *options]
        text = run(command, _ROOT, accepted=_ANSWERS).text
    return read_trace(json.loads(text[text.index("{") :]), question, accidents=accidents)


def read_trace(document: dict[str, Any], question: Question, *, accidents: bool) -> ModelTrace:
    """Read the one result of a report.

    Raises:
        Failed: it leaves the question open.
    """
    (result,) = document["results"]
    name = question.claim
    answer = next((p["result"] for p in result["properties"] if p["name"] == name), None)
    if answer not in ("holds", "vacuous", "violated"):
        raise Failed(f"the model leaves {name} on {question.instance} open: {answer}")
    violation = next((v for v in result["violations"] if v["property"] == name), None)
    trace = violation["trace"] if violation else []
    cycle = violation.get("cycle") if violation else None
    return ModelTrace(
        question=question,
        accidents=accidents,
        states=result["states"],
        steps=tuple(_step(step) for step in [*trace, *(cycle or [])]),
        lasting=None if cycle is None else len(trace),
        reason=violation["reason"] if violation else None,
    )


def _step(step: dict[str, Any]) -> ModelStep:
    return ModelStep(
        action=step["action"],
        args=step["args"],
        fault=step["kind"] == "fault",
        fails=step["fails"],
        frames=tuple(_frame(event) for event in step["events"]),
        changes={change["place"]: change["after"] for change in step["changes"]},
    )


def _frame(event: dict[str, Any]) -> Frame:
    if event["event"] in ("Ack", "Nack"):
        return Frame(event["event"].lower(), event["tag"], event["multiple"])
    return Frame(event["event"])
