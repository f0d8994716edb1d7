"""The system: each step is written once, in the chapter that it belongs to."""

from __future__ import annotations

from collections import defaultdict
from inspect import isfunction

from ackproof.lang import Process, System, handler
from ackproof.spec.closing import Closing
from ackproof.spec.system import Confirms


def chapters(system: type[Process]) -> list[type[Process]]:
    """Return the classes that a system is put together from."""
    return [c for c in system.__mro__ if issubclass(c, Process) and c not in (Process, System)]


def told_twice(system: type[Process]) -> dict[str, list[str]]:
    """Return the steps that several chapters of a system define, with their names."""
    found = defaultdict(list)
    for chapter in chapters(system):
        for name, value in vars(chapter).items():
            if isfunction(value) and not name.startswith("__"):
                found[name].append(chapter.__name__)
    return {name: names for name, names in found.items() if len(names) > 1}


def test_no_chapter_changes_what_another_one_says() -> None:
    assert told_twice(Confirms) == {}


def test_a_step_that_two_chapters_define_would_be_seen() -> None:
    class Louder(Closing):
        """A chapter that changes another one's step."""

        @handler
        def shut_down(self, channel: object) -> None:  # type: ignore[override]
            """Do nothing."""

    assert told_twice(Louder) == {"shut_down": ["Louder", "Closing"]}
