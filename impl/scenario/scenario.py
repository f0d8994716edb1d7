"""A scenario as a document: the options of a broker, and its faults, each with its moment.

    {"scenario": 1, "options": {"seed": 7}, "faults": [
      {"fault": "nack_next", "arguments": {"routing_key": "orders"}},
      {"after": {"1": {"sent": {"basic.publish": 3}, "heard": {"confirms": 2}}},
       "fault": "cut_connection", "arguments": {"connection": 1}}
    ]}

A fault is asked for *after* its moment: when each of the connections that are named has sent, and
heard, at least so much as is said (`ackproof.impl.scenario.progress`), and not before the fault
that stands before it.  Without one it is asked for at once.

What is wrong with a document is said with the number of the fault, from 1, or with its line where
it is no JSON.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ackproof.impl.faults.calling import check_arguments
from ackproof.impl.scenario.progress import HEARD, SENT, Progress
from ackproof.impl.wire.json_text import parse_json

__all__ = ["FORMAT", "Fault", "Moment", "Scenario", "ScenarioError", "read_scenario"]

#: Of the documents that are written here, and the only one there is.
FORMAT = 1
_COUNT_MAX = 2**63


class ScenarioError(ValueError):
    """A document is no scenario, or cannot be played; the text says where and why."""


@dataclass(frozen=True)
class Moment:
    """What one connection has done when a fault is asked for: methods by name, and how many.

    Attributes:
        connection: its number.
        sent: what its client has sent.
        heard: what its client has heard.
    """

    connection: int
    sent: Mapping[str, int] = field(default_factory=dict)
    heard: Mapping[str, int] = field(default_factory=dict)

    def missing(self, progress: Progress) -> list[str]:
        """Return what has not come yet, in words; nothing when the moment has come."""
        counts = progress.of(self.connection)
        pairs = (("sent", self.sent, counts.sent), ("heard", self.heard, counts.heard))
        return [
            f"connection {self.connection} has {verb} {name} {there[name]} of {count} times"
            for verb, wanted, there in pairs
            for name, count in wanted.items()
            if there[name] < count
        ]

    def as_json(self) -> dict[str, Any]:
        """Return what a document says of it."""
        both = {"sent": dict(self.sent), "heard": dict(self.heard)}
        return {name: counts for name, counts in both.items() if counts}


@dataclass(frozen=True)
class Fault:
    """A fault of a scenario.

    Attributes:
        name: of the fault, as in the control API.
        arguments: by name.
        after: the moments of connections at which it is asked for.
    """

    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    after: tuple[Moment, ...] = ()

    def missing(self, progress: Progress) -> list[str]:
        """Return what has not come yet, in words; nothing when its moment has come."""
        return [said for moment in self.after for said in moment.missing(progress)]

    def as_json(self) -> dict[str, Any]:
        """Return what a document says of it."""
        after = {str(moment.connection): moment.as_json() for moment in self.after}
        document: dict[str, Any] = {"after": after} if after else {}
        document["fault"] = self.name
        if self.arguments:
            document["arguments"] = dict(self.arguments)
        return document

    def __str__(self) -> str:
        return f"{self.name}({', '.join(f'{k}={v!r}' for k, v in self.arguments.items())})"


@dataclass(frozen=True)
class Scenario:
    """Faults in their order, and what broker they are for.

    Attributes:
        options: of the broker, by name; what is not said is as it is without a scenario.
        faults: in the order in which they are asked for.
    """

    options: Mapping[str, Any] = field(default_factory=dict)
    faults: tuple[Fault, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Return the document."""
        faults = [one.as_json() for one in self.faults]
        return {"scenario": FORMAT, "options": dict(self.options), "faults": faults}

    @classmethod
    def from_json(cls, document: Any, known: Mapping[str, Callable[..., Any]]) -> Scenario:
        """Return what a document says.

        Args:
            document: as JSON has it.
            known: the faults that can be asked for, by name.

        Raises:
            ScenarioError: it is no scenario.
        """
        said = _fields(document, "the document", {"scenario": int, "options": dict, "faults": list})
        if said.get("scenario") != FORMAT or isinstance(said["scenario"], bool):
            raise ScenarioError(
                f'the document says "scenario": {json.dumps(said.get("scenario"))}; '
                f"it must be {FORMAT}"
            )
        faults = (_fault(one, f"fault {n}", known) for n, one in enumerate(said["faults"], 1))
        return cls(said.get("options", {}), tuple(faults))


def read_scenario(file: Path, known: Mapping[str, Callable[..., Any]]) -> Scenario:
    """Return the scenario that a file has.

    Args:
        file: JSON.
        known: the faults that can be asked for, by name.

    Raises:
        ScenarioError: it cannot be read, or has none; the text begins with the file.
    """
    try:
        return Scenario.from_json(parse_json(file.read_bytes()), known)
    except ScenarioError as error:
        raise ScenarioError(f"{file}: {error}") from None
    except OSError as error:
        raise ScenarioError(f"cannot read the scenario {file}: {error.strerror}") from None
    except json.JSONDecodeError as error:
        raise ScenarioError(f"{file}, line {error.lineno}: no JSON, {error.msg}") from None
    except (ValueError, RecursionError) as error:
        raise ScenarioError(f"{file} is no JSON: {error}") from None


def _fault(document: Any, where: str, known: Mapping[str, Callable[..., Any]]) -> Fault:
    said = _fields(document, where, {"fault": str, "arguments": dict, "after": dict})
    name, arguments = said.get("fault", ""), said.get("arguments", {})
    if name not in known:
        close = difflib.get_close_matches(name, known, n=1)
        hint = f"did you mean {close[0]}?" if close else f"there are {', '.join(sorted(known))}"
        raise ScenarioError(f"{where}: there is no fault {json.dumps(name)}; {hint}")
    try:
        check_arguments(known[name], arguments)
    except TypeError as error:
        raise ScenarioError(f"{where}: {name}: {error}") from None
    after = [_moment(number, one, where) for number, one in said.get("after", {}).items()]
    return Fault(name, arguments, tuple(after))


def _moment(number: str, document: Any, where: str) -> Moment:
    if not (number.isascii() and number.isdigit() and len(number) < 19 and int(number)):
        raise ScenarioError(
            f"{where}: after names the connection {json.dumps(number)}; give its number, from 1"
        )
    where = f"{where}, connection {number}"
    said = _fields(document, where, {"sent": dict, "heard": dict})
    _check_counts(said.get("sent", {}), SENT, f"{where}, sent")
    _check_counts(said.get("heard", {}), HEARD, f"{where}, heard")
    return Moment(int(number), said.get("sent", {}), said.get("heard", {}))


def _check_counts(counts: dict[str, Any], known: Iterable[str], where: str) -> None:
    for name, count in counts.items():
        if name not in known:
            close = difflib.get_close_matches(name, known, n=1)
            hint = f"did you mean {close[0]}?" if close else "name a method, as queue.declare"
            raise ScenarioError(f"{where}: there is no {json.dumps(name)} to count; {hint}")
        if type(count) is not int or not 1 <= count < _COUNT_MAX:
            raise ScenarioError(
                f"{where}: {name} is {json.dumps(count)}; give how often, a number from 1"
            )


def _fields(document: Any, where: str, kinds: dict[str, type]) -> dict[str, Any]:
    """Check that a part of a document is an object with these fields, if it has them."""
    if not isinstance(document, dict):
        raise ScenarioError(f"{where} is no object; it may have {', '.join(kinds)}")
    for name, value in document.items():
        if name not in kinds:
            raise ScenarioError(
                f"{where}: there is no field {json.dumps(name)}; there are {', '.join(kinds)}"
            )
        if not isinstance(value, kinds[name]):
            raise ScenarioError(f"{where}: {name} must be {_KINDS[kinds[name]]}")
    return {"faults": [], **document} if "faults" in kinds else document


_KINDS = {int: "a number", str: "a text", dict: "an object", list: "a list"}
