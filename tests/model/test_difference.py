"""A design is looked at where it makes a difference, and what comes to nothing new is unchanged."""

from __future__ import annotations

from dataclasses import replace

import pytest
from ackproof.lang import Design, Instance, Set, action, fault, handler, require
from ackproof.model.check import check
from ackproof.model.difference import Affected, affected, within
from ackproof.model.verdict import Verdict
from ackproof.spec.channel import Channel
from ackproof.spec.model import MODEL
from ackproof.spec.sorts import Level, Msg, Queue, Replica
from ackproof.spec.store import Store
from ackproof.spec.system import Confirms


class FirstDecides(Channel):
    """A channel acks what any process of a queue has confirmed."""

    @handler
    def settle(self, seq: Msg, replica: Replica, siblings: Set[Replica]) -> None:
        """One is enough."""
        if replica in self.unconfirmed[seq]:
            self.release(seq, siblings)


class Timid(Store):
    """A store that looks once more, where it cannot be otherwise."""

    @handler
    def write(self, msg: Msg) -> None:
        """What is written was buffered, so this changes nothing."""
        super().write(msg)
        if self.level[msg] == Level.ABSENT:
            self.confirm(msg)


class AlwaysWritten(Store):
    """A store in which a message is written as it is put."""

    @handler
    def put(self, msg: Msg, confirming: bool) -> None:
        """It is written at once."""
        super().put(msg, confirming)
        self.level[msg] = Level.WRITTEN


FIRST_DECIDES = Design(claim="One process is enough.", replace=(FirstDecides,))
TIMID = Design(claim="It is safer to look twice.", replace=(Timid,))
WRITTEN = Design(claim="A store need not buffer.", replace=(AlwaysWritten,))
TINY, LIMITS = (next(i for i in MODEL.instances if i.name == n) for n in ("tiny", "limits"))


def test_a_design_for_mirrors_makes_no_difference_without_them() -> None:
    two = replace(MODEL, instances=(LIMITS, TINY))
    assert list(affected(two, FIRST_DECIDES, 100_000)) == [LIMITS]


def test_states_are_spent_only_where_a_design_makes_a_difference() -> None:
    two, budget = replace(MODEL, instances=(TINY, LIMITS)), LIMITS.states or 0
    assert within(two, budget) == (TINY,), "together they have too many"
    assert list(affected(two, FIRST_DECIDES, budget)) == [LIMITS], "one without mirrors costs none"


def test_what_there_were_no_states_for_is_told() -> None:
    three = [Instance(name, "some", {}, states=n) for name, n in (("a", 5), ("b", 7), ("c", 9))]
    where = Affected(three, 12, lambda i: i.name != "a")
    assert (list(where), where.beyond) == ([three[1]], (three[2],))
    few = Affected(three, 1, lambda _: True)
    assert (list(few), few.beyond) == ([three[0]], (three[1], three[2])), "the smallest at least"
    all_ = Affected(three, 12, lambda i: i.name == "c")
    assert (list(all_), all_.beyond) == ([three[2]], ())


def test_where_it_makes_one_it_is_found_out() -> None:
    report = check(MODEL, LIMITS, FIRST_DECIDES)
    assert report.verdict is Verdict.VIOLATED
    assert "AckMeansEveryMirror" in report.outcome.violations


@pytest.mark.parametrize("engine", ["kernel", "plain"])
@pytest.mark.parametrize("design", [FIRST_DECIDES, TIMID], ids=["FirstDecides", "Timid"])
def test_a_design_that_comes_to_nothing_new_is_unchanged_and_not_verified(
    design: Design, engine: str
) -> None:
    report = check(MODEL, TINY, design, engine=engine)  # type: ignore[arg-type]
    assert (report.verdict, report.verdict.exit_code) == (Verdict.UNCHANGED, 3)


def test_a_design_that_comes_to_something_else_and_breaks_nothing_is_verified() -> None:
    report = check(MODEL, TINY, WRITTEN)
    assert report.verdict in (Verdict.VERIFIED, Verdict.UNWITNESSED)
    assert report.outcome.states != TINY.states


def test_instances_are_taken_by_size_while_there_are_states_to_spend() -> None:
    some = within(MODEL, 10_000)
    sizes = [i.states or 0 for i in some]
    assert sizes == sorted(sizes)
    assert sum(sizes) <= 10_000
    assert sum(sizes) + min(i.states or 0 for i in MODEL.instances if i not in some) > 10_000


def test_one_instance_is_always_looked_at() -> None:
    assert within(MODEL, 1) == (TINY,)


class NeverWritten(Confirms):
    """A queue that leaves all writing to the fsync."""

    @action
    def write(self, msg: Msg, replica: Replica) -> None:
        """Nothing is written before."""
        require(False)


class NeverDeleted(Confirms):
    """Queues that are never deleted."""

    @fault
    def delete_queue(self, queue: Queue) -> None:
        """It is not."""
        require(False)


NEVER_WRITTEN = Design(claim="An fsync writes, too.", replace=(NeverWritten,))
NEVER_DELETED = Design(claim="Nobody deletes.", replace=(NeverDeleted,))


@pytest.mark.parametrize("engine", ["kernel", "plain"])
def test_a_design_that_never_takes_a_step_of_the_base_is_narrowed_and_not_verified(
    engine: str,
) -> None:
    report = check(MODEL, TINY, NEVER_WRITTEN, engine=engine)  # type: ignore[arg-type]
    assert (report.verdict, report.verdict.exit_code) == (Verdict.NARROWED, 3)
    assert report.lost == ("write",)
    assert "write" not in report.off


def test_what_never_comes_up_is_told_where_a_situation_is_missed_too() -> None:
    report = check(MODEL, TINY, NEVER_DELETED)
    assert report.verdict is Verdict.UNWITNESSED
    assert report.unwitnessed == ("DeletionConfirms",)
    assert report.lost == ("delete_queue",)
    assert not set(report.lost) & {*report.unwitnessed, *report.off}


def test_a_design_that_takes_all_steps_of_the_base_has_lost_none() -> None:
    assert check(MODEL, TINY, TIMID).lost == ()


def test_what_the_base_does_not_do_there_either_is_not_lost() -> None:
    report = check(MODEL, TINY, NEVER_WRITTEN)
    assert "promote" in report.off
