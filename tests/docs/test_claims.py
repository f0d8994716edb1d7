"""The page of a property tells what the history in its formula is, in the source's words."""

from __future__ import annotations

import pytest
from ackproof.lang.process import System
from ackproof.spec.channel import Channel
from ackproof.spec.system import Confirms
from specdoc.claims import ghosts_in
from specdoc.library import library
from specdoc.source import note_of


@pytest.mark.parametrize(
    ("name", "ghosts"),
    [
        ("NackOnlyWithCause", ["Confirms.excused", "Publisher.nacked"]),
        (
            "MultipleIsExact",
            ["Publisher.confirmed", "Publisher.nacked", "Channel.acked", "Channel.nacked"],
        ),
        ("NeverBothAckAndNack", ["Publisher.confirmed", "Publisher.nacked"]),
        ("AwaitedIsUnderWay", []),
    ],
)
def test_ghosts_of_a_formula_are_those_it_reads_and_not_their_namesakes(
    name: str, ghosts: list[str]
) -> None:
    claim = library().claim(name)
    assert claim is not None
    assert [f"{m.name}.{v.name}" for m, v in ghosts_in(claim, library())] == ghosts


def test_every_ghost_has_a_meaning_in_the_source() -> None:
    silent = [
        f"{machine.name}.{variable.name}"
        for machine in library().machines
        for variable in machine.decl.variables
        if variable.ghost and not note_of(machine.cls, variable.name)
    ]
    assert silent == []


@pytest.mark.parametrize(
    ("cls", "variable", "note"),
    [
        (Channel, "acked", "those that the channel meant to ack, so far"),
        (Confirms, "unroutable", "the messages routed nowhere (A6.2)"),
        (Channel, "open", ""),
        (System, "unroutable", ""),
    ],
)
def test_a_note_is_a_comment_or_an_item_of_the_chapter(cls: type, variable: str, note: str) -> None:
    assert note_of(cls, variable) == note


def test_an_item_of_the_chapter_may_be_of_several_variables() -> None:
    (note,) = {note_of(Confirms, name) for name in ("owing", "vouchers")}
    assert note.startswith("the processes of mirrored queues")
