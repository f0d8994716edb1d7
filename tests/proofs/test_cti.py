"""Counterexamples to induction are small, are reproduced, and say what to do."""

from __future__ import annotations

import re

import pytest
from ackproof.lang.binding import Bound
from ackproof.lang.frontend import compile_model
from ackproof.lang.lemmas import Library
from ackproof.lang.program import Program
from ackproof.model.kernel.engine import explore
from ackproof.model.outcome import Outcome
from ackproof.model.trace import ReplayError
from ackproof.proofs import cti
from ackproof.proofs.cti import Counterexample, Reachability, counterexample
from ackproof.proofs.cti_text import show
from ackproof.proofs.library import with_lemmas
from ackproof.proofs.obligation import Obligation
from ackproof.spec.lemmas import LIBRARY
from ackproof.spec.model import MODEL as CONFIRMS

from tests.proofs import loops
from tests.proofs.office import MODEL, RUDE, Person


def sought(goal: str, kind: str, action: str = "", *hypotheses: str) -> Counterexample:
    """Return the counterexample to an obligation about the office; there is one."""
    found = counterexample(MODEL, None, Library(), Obligation(goal, kind, action, hypotheses))
    assert found is not None
    return found


def test_an_invariant_that_is_too_weak_has_a_state_that_nobody_reaches() -> None:
    found = sought("NobodyComesBack", "consecution", "leave", "NobodyComesBack")
    assert dict(found.bound.sizes) == {Person: 1}
    assert found.before == (frozenset({"p1"}), "p1", frozenset())
    assert [step.text for step in found.trace.steps] == ["leave()"]
    assert found.reached.answer is Reachability.UNREACHABLE
    assert "the invariant is too weak" in show(found)


def test_with_the_lemma_that_was_missing_there_is_none() -> None:
    hypotheses = ("NobodyComesBack", "ServedIsNotWaiting")
    obligation = Obligation("NobodyComesBack", "consecution", "leave", hypotheses)
    assert counterexample(MODEL, None, Library(), obligation) is None


def test_a_wrong_property_has_a_state_that_is_reached_and_the_run_is_shown() -> None:
    found = sought("NobodyIsServed", "consecution", "leave", "NobodyIsServed")
    assert found.reached.answer is Reachability.REACHABLE
    assert found.reached.trace is not None
    run = [step.text for step in found.reached.trace.steps]
    assert run == ["enter(person=p1)", "call(person=p1)", "leave()"]
    assert "Reachable: the property is wrong, or the specification." in show(found)


def test_a_property_that_is_false_at_first_has_no_step() -> None:
    found = sought("DeskStandsAlone", "initiation")
    assert found.trace.steps == ()
    assert found.reached.answer is Reachability.REACHABLE
    assert "it is false in the initial state" in show(found)


def test_a_property_of_steps_has_the_step_that_breaks_it() -> None:
    found = sought("DeskIsNeverLeft", "safety", "leave")
    assert found.before == (frozenset(), "p1", frozenset())
    assert found.reached.answer is Reachability.REACHABLE


def test_what_does_not_follow_has_a_state_and_no_step() -> None:
    found = sought("ServedIsNotWaiting", "safety", "", "NobodyComesBack")
    assert found.trace.steps == ()
    assert found.before == (frozenset({"p1"}), "p1", frozenset())
    assert "it does not follow" in show(found)


def test_a_fault_is_a_step_like_any_other() -> None:
    found = sought("DeskIsNeverLeft", "safety", "alarm")
    assert [step.text for step in found.trace.steps] == ["alarm()"]
    assert found.reached.answer is Reachability.REACHABLE


def test_a_design_is_taken_at_its_word() -> None:
    hypotheses = ("NobodyComesBack", "ServedIsNotWaiting")
    obligation = Obligation("ServedIsNotWaiting", "consecution", "call", hypotheses)
    assert counterexample(MODEL, None, Library(), obligation) is None
    found = counterexample(MODEL, RUDE, Library(), obligation)
    assert found is not None
    assert found.reached.answer is Reachability.REACHABLE


def test_cardinalities_and_constants_are_what_they_are() -> None:
    obligation = Obligation("SeatsAreEnough", "consecution", "enter", ("SeatsAreEnough",))
    assert counterexample(MODEL, None, Library(), obligation) is None
    found = sought("DoneIsFew", "consecution", "leave", "DoneIsFew")
    assert dict(found.bound.sizes) == {Person: 1}
    assert found.bound.instance.constants == {"Office.seats": 0}
    assert "Office.seats = 0" in show(found)


def test_a_checker_that_gives_up_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def short(bound: Bound, progress: object) -> Outcome:
        return explore(bound, max_depth=1)

    monkeypatch.setattr("ackproof.model.kernel.engine.explore", short)
    found = sought("NobodyComesBack", "consecution", "leave", "NobodyComesBack")
    assert found.reached.answer is Reachability.UNDECIDED
    assert "Whether a run comes to this state is not decided within 1 states." in show(found)


def test_sizes_are_as_small_as_can_be() -> None:
    obligation = Obligation("FewAreWanted", "consecution", "strike", ())
    found = counterexample(loops.MODEL, None, Library(), obligation)
    assert found is not None
    assert dict(found.bound.sizes) == {loops.Item: 1, loops.Shelf: 0}


def test_what_plain_python_does_not_reproduce_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "ackproof.proofs.instance_query._false_after", lambda finite, goal, step: True
    )
    obligation = Obligation("NobodyComesBack", "consecution", "alarm", ("NobodyComesBack",))
    with pytest.raises(ReplayError, match="not reproduced by plain Python"):
        counterexample(MODEL, None, Library(), obligation)


def test_a_wrong_hypothesis_is_not_shown_either(monkeypatch: pytest.MonkeyPatch) -> None:
    found = sought("NobodyComesBack", "consecution", "leave", "NobodyComesBack")
    wrong = Obligation("NobodyComesBack", "consecution", "leave", ("ServedIsNotWaiting",))
    with pytest.raises(ReplayError, match="in the state before, ServedIsNotWaiting is false"):
        cti._replayed(found.bound, wrong, found.before, found.trace.path[0])


@pytest.fixture(scope="module")
def program() -> Program:
    """The specification of publisher confirms with its lemmas."""
    return compile_model(with_lemmas(CONFIRMS, LIBRARY))


def test_a_property_without_its_lemmas_is_shown_as_the_checker_shows_runs(program: Program) -> None:
    obligation = Obligation("SettledOnce", "safety", "flush", ("ToldWasSent",))
    found = counterexample(CONFIRMS, None, LIBRARY, obligation, program=program)
    assert found is not None
    assert re.sub(r"[\d,]+(\s+)states", r"so many\1states", show(found)) == _SETTLED_TWICE


_SETTLED_TWICE = """\
SettledOnce/flush: a step that breaks it
  sizes: Node 0, Replica 1, Msg 1, ChannelId 1, Queue 1, Tag 0, Consumer 0; QueueProcess.of = q1

  in a state like the initial one, but for:
    publishers[ch1].sent = {1}
    publishers[ch1].nacked = {1}
    channels[ch1].confirmed = {1}
  where these hold: ToldWasSent

     publishers[ch1]  channels[ch1]  wire
            │               │         │
  1         ○───────────────●         │    flush(channel=ch1)
            │               ├────────▶│      Ack(channel=ch1, tag=1, multiple=False)
            │               │         │      channels[ch1].confirmed  −1
            │               │         │      publishers[ch1].confirmed  +1
            │               │         │      channels[ch1].acked  +1
  (● the process that acts; ○ another that changes; ▶ what a client sees; +1 a set gets the element
    1, −1 it loses it)

  SettledOnce: An ack names a message that was not settled before (INV-A4, INV-A7). A client frees
    what it kept for a number when the number is settled.
  ack.tag in before.publishers[ack.channel].sent - before.publishers[ack.channel].confirmed -
    before.publishers[ack.channel].nacked   is False
    for    ack = Ack(channel=ch1, tag=1, multiple=False)
    given  ack.tag in before.publishers[ack.channel].sent
    where  before.publishers[ack.channel].sent - before.publishers[ack.channel].confirmed -
      before.publishers[ack.channel].nacked = {}
           before.publishers[ack.channel].sent - before.publishers[ack.channel].confirmed = {1}
           before.publishers[ack.channel].sent = {1}
           before.publishers[ack.channel].confirmed = {}
           before.publishers[ack.channel].nacked = {1}

  Unreachable within Replica 1, Msg 1, ChannelId 1, Queue 1 (every fault at most once, so many
    states): the invariant is too weak.  Say in a lemma why no run comes to this state."""
