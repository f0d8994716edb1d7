"""A counterexample as a Mermaid diagram says what the listing on a terminal says."""

from __future__ import annotations

import re

import pytest
from ackproof.export.mermaid import mermaid
from ackproof.export.sequence import Diagram, Row, diagram
from ackproof.model.trace import Trace

from tests.export.traces import breaking, counterexamples, for_ever, staying

TOLD_IS_KEPT = """\
sequenceDiagram
  %% ToldIsKept, this on pair
  participant p0 as MailRoom
  participant p1 as clerk
  participant p2 as boxes[box1]
  actor p3 as client
  p1->>p2: 1. hand_in(letter=1, targets={box1})
  Note over p1: clerk.following  1 → 2<br/>clerk.stamps[1].ink  BLUE → RED\
<br/>clerk.stamps[1].express  False → True<br/>clerk.boxes[1]  +box1<br/>clerk.handled  0 → 1
  Note over p2: boxes[box1].held  +1
  p0->>p0: 2. confirm(letter=1, box=box1)
  p0-->>p3: Receipt(letter=1, safe=False)
  Note over p0: told  +1
  p0-xp2: 3. burn(box=box1)
  Note over p2: boxes[box1].held  −1
"""

#: What a line may be, in the part of the language that is used here.
LINES = (
    r"sequenceDiagram",
    r"  %% .+",
    r"  (participant|actor) p\d+ as [^;#]+",
    r"  p\d+(->>|-x|-->>)p\d+: [^;#]+",
    r"  Note over p\d+(,p\d+)?: [^;#]+",
    r"  loop for ever",
    r"  end",
)


def drawn(trace: Trace) -> str:
    return mermaid(diagram(trace, "this"))


def test_steps_are_arrows_faults_end_in_a_cross_and_frames_go_to_the_client() -> None:
    assert drawn(breaking("ToldIsKept")) == TOLD_IS_KEPT


def test_what_goes_on_for_ever_is_a_loop() -> None:
    lines = drawn(for_ever()).splitlines()
    assert lines[3] == "  loop for ever"
    assert lines[-1] == "  end"
    assert sum("->>" in line for line in lines[4:-1]) == len(for_ever().cycle or ())


def test_where_a_run_stays_for_ever_a_note_says_so() -> None:
    assert "  Note over p0: and there it stays" in drawn(staying()).splitlines()[-1]


@pytest.mark.parametrize(
    "trace", [*counterexamples(), for_ever(), staying()], ids=lambda trace: trace.property
)
def test_every_line_is_one_that_mermaid_reads(trace: Trace) -> None:
    for line in drawn(trace).splitlines():
        assert any(re.fullmatch(pattern, line) for pattern in LINES), line


def test_what_mermaid_would_read_as_its_own_is_written_as_entities() -> None:
    row = Row(1, "say(text=a;b#c<d>)", 0, (), False, True, (), ())
    lines = mermaid(Diagram("a title", ("one",), None, "", (row,), (), "")).splitlines()
    assert lines[-1] == "  p0->>p0: 1. say(text=a#59;b#35;c#lt;d#gt;) and fails"
