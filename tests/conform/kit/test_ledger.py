"""The ledger names what no broker that keeps its promises can have done, and nothing else."""

from __future__ import annotations

import pytest
from ackproof.conform.kit.ledger import delayed, missing
from ackproof.conform.kit.operations import Do, Operation
from ackproof.conform.kit.trace import Close, Get

from tests.conform.kit.stories import Story


def story() -> Story:
    """A run that has declared a queue."""
    told = Story()
    told.declare()
    return told


# -- what is in the queues ------------------------------------------------------------------------


def test_an_acked_message_is_in_its_queue() -> None:
    told = story()
    told.drain(told.publish())
    assert told.names() == []


def test_an_acked_message_that_is_nowhere_is_lost() -> None:
    told = story()
    told.publish()
    assert told.names() == ["AckMeansAccepted"]


def test_of_a_run_that_was_broken_off_nothing_is_lost() -> None:
    told = story()
    told.publish()
    assert told.names(complete=False) == []


def test_what_nobody_has_acked_may_be_anywhere() -> None:
    told = story()
    told.publish(fate="")
    told.drain(told.publish(fate=""))
    assert told.names() == []


def test_a_committed_message_that_is_nowhere_is_lost() -> None:
    told = story()
    told.commit(told.publish(mode="tx", fate=""))
    assert told.names() == ["CommitMeansAccepted"]


def test_a_commit_without_an_answer_promises_nothing() -> None:
    told = story()
    told.commit(told.publish(mode="tx", fate=""), answered=False)
    assert told.names() == []


def test_what_was_consumed_need_not_be_there() -> None:
    told = story()
    told.deliver(told.publish(), consumed=True)
    told.deliver(told.publish(), no_ack=True)
    assert told.names() == []


def test_what_was_handed_out_and_not_settled_has_to_come_back() -> None:
    told = story()
    told.deliver(told.publish())
    assert told.names() == ["AckMeansAccepted"]


def test_what_was_settled_in_a_transaction_that_never_came_has_to_come_back() -> None:
    told = story()
    delivery = told.deliver(told.publish(), consumed=True)
    delivery.effective = None
    assert told.names() == ["AckMeansAccepted"]


def test_a_consumer_without_acks_may_have_got_it_and_nobody_saw() -> None:
    told = story()
    told.publish()
    told.consume(no_ack=True)
    assert told.names() == []


def test_who_asked_and_heard_nothing_may_have_got_it() -> None:
    told = story()
    told.publish()
    said = told.say(Operation(Do.GET, queue="q", no_ack=True), 2, known=False)
    told.trace.gets.append(Get("q", said, True))
    assert told.names() == []


def test_what_somebody_got_who_heard_nothing_is_not_ready() -> None:
    told = story()
    message = told.publish()
    said = told.say(Operation(Do.GET, queue="q"), 3, known=False)
    told.trace.gets.append(Get("q", said, False))
    told.find_nothing()
    told.drain(message, marked=True)
    assert told.names() == []


def test_a_deleted_queue_owes_nothing() -> None:
    told = story()
    told.publish()
    told.delete()
    assert told.names() == []


def test_an_ack_of_what_the_second_queue_refuses_is_false() -> None:
    told = story()
    told.publish()
    told.delete(known=False)
    told.declare(limit=0, overflow="reject-publish", known=False)
    told.publish()
    assert told.names() == ["AckMeansAccepted"]


def test_it_is_open_which_of_two_queues_has_got_what_another_channel_published() -> None:
    told = story()
    told.delete(known=False)
    told.declare(limit=0, overflow="reject-publish", known=False)
    told.publish(session=2)
    assert told.names() == []


def test_of_a_queue_of_which_nobody_knows_when_it_was_there_nothing_is_concluded() -> None:
    told = story()
    told.publish(mandatory=True)
    told.trace.queue("q").blurred = True
    told.publish(fate="nacked")
    assert told.names() == []


def test_a_crash_costs_what_is_transient() -> None:
    told = story()
    told.trace.queue("q").crashed = True
    told.publish(persistent=False)
    assert told.names() == []
    told.publish(persistent=True)
    assert told.names() == ["ConfirmedSurvives"]


def test_a_fanout_reaches_each_queue_that_was_bound_before() -> None:
    told = story()
    told.declare("other")
    told.bind("q")
    message = told.publish(fanout=True)
    told.bind("other")
    told.drain(message)
    assert told.names() == []
    told.drain(told.publish(fanout=True))
    assert told.names() == ["AckMeansAccepted"]


def test_an_alternate_exchange_gets_what_finds_no_queue() -> None:
    story = Story()
    story.declare()
    story.bind()
    story.publish(queue="", alternate=True)
    assert story.names() == ["AckMeansAccepted"]
    story.drain(story.trace.publishes[0])
    assert story.names() == []
    story.publish(queue="", alternate=True, mandatory=True).returned = True
    assert "ReturnedIsUnroutable" in story.names()


@pytest.mark.parametrize(("of_queue", "of_message"), [(20, None), (None, 0), (7_200_000, 20)])
def test_what_need_not_be_kept_for_long_may_be_gone(
    of_queue: int | None, of_message: int | None
) -> None:
    story = Story()
    story.declare(ttl=of_queue)
    story.publish(expires=of_message)
    story.find_nothing()
    assert story.names() == []


def test_what_is_kept_for_longer_than_the_run_is_there() -> None:
    story = Story()
    story.declare(ttl=7_200_000)
    story.publish(expires=3_600_000)
    assert story.names() == ["AckMeansAccepted"]
    story.find_nothing()
    assert story.names() == ["AckMeansAccepted", "AckMeansAccepted"]


@pytest.mark.parametrize(("of_queue", "of_message"), [(0, None), (None, 0), (0, 20)])
def test_what_expires_at_once_waits_for_nobody(
    of_queue: int | None, of_message: int | None
) -> None:
    story = Story()
    story.declare(ttl=of_queue)
    message = story.publish(expires=of_message)
    story.deliver(message, source=story.consume())
    assert story.names() == []
    story.drain(message, marked=True)
    assert story.names() == ["B4.1"]


def test_a_queue_that_was_declared_again_may_keep_what_the_first_would_not() -> None:
    story = Story()
    story.declare(ttl=0)
    story.delete(known=False)
    story.declare(session=2)
    message = story.publish(session=3)
    story.drain(message)
    assert "B4.1" not in story.names()


def test_a_full_queue_may_drop_the_oldest_and_no_other() -> None:
    told = Story()
    told.declare(limit=2)
    told.publish()
    second, third = told.publish(), told.publish()
    told.drain(second, third)
    assert told.names() == []
    told.trace.deliveries.pop(0)
    assert told.names() == ["AckMeansAccepted"]


def test_a_queue_has_no_more_than_it_has_room_for() -> None:
    for overflow, rule in (("drop-head", "B5.2"), ("reject-publish", "B5.4")):
        told = Story()
        told.declare(limit=1, overflow=overflow)
        told.drain(told.publish(), told.publish())
        assert told.names() == [rule]


def test_what_came_back_may_be_too_much() -> None:
    told = Story()
    told.declare(limit=1, overflow="reject-publish")
    first = told.publish()
    told.deliver(first)
    told.drain(told.publish())
    told.drain(first, marked=True)
    told.trace.queue("q").left = 2
    assert told.names() == []


def test_what_was_acked_before_somebody_asks_is_there() -> None:
    told = story()
    message = told.publish()
    told.find_nothing()
    told.drain(message)
    assert told.names() == ["AckMeansAccepted"]


def test_what_is_on_its_way_to_somebody_else_is_not_there() -> None:
    told = story()
    message = told.publish()
    asked = told.say(Operation(Do.GET, queue="q"), 3, known=False)
    told.trace.gets.append(Get("q", asked, False, "ok"))
    told.find_nothing()
    told.deliver(message, source=asked)
    told.drain(message, marked=True)
    assert told.names() == []


def test_a_queue_that_was_declared_is_there() -> None:
    told = story()
    told.trace.queue("q").missing = "404 NOT_FOUND"
    assert told.names() == ["DeclaredIsThere"]


# -- what is handed out ---------------------------------------------------------------------------


def test_a_queue_that_belongs_to_a_connection_refuses_others_and_ends_with_it() -> None:
    story = Story()
    story.declare()
    story.trace.queue("q").shared = True
    assert story.names() == ["B8.1"]
    story.trace.queue("q").outlived = True
    assert story.names() == ["B8.1", "EndsWithItsConnection"]
    assert story.names(complete=False) == []


def test_what_nobody_published_is_strange() -> None:
    told = story()
    message = told.publish()
    told.deliver(message, consumed=True)
    told.trace.deliveries[-1].number = 7
    assert "OnlyThePublished" in told.names()


def test_a_message_of_another_run_is_strange() -> None:
    told = story()
    message = told.publish()
    told.drain(message)
    told.deliver(message, marked=True, consumed=True).content.message = "another-1"
    assert told.names() == ["OnlyThePublished"]


def test_a_message_that_is_changed_is_strange() -> None:
    for changed in ({"digest": "x"}, {"persistent": True}, {"size": 9}, {"key": "other"}):
        told = story()
        told.deliver(told.publish(), consumed=True, **changed)
        assert told.names() == ["OnlyThePublished"]


def test_a_message_comes_from_a_queue_that_it_went_to() -> None:
    told = story()
    told.declare("other")
    told.drain(told.publish("other"), queue="q")
    assert told.names() == ["AckMeansAccepted", "OnlyThePublished"]


def test_a_message_does_not_survive_its_queue() -> None:
    told = story()
    message = told.publish()
    told.delete()
    told.declare()
    told.drain(message)
    assert told.names() == ["OnlyThePublished"]


def test_a_consumer_ends_with_its_queue() -> None:
    told = story()
    consumer = told.consume()
    told.delete()
    told.declare()
    told.deliver(told.publish(), source=consumer, consumed=True)
    assert told.names() == ["F3.3"]


def test_what_was_never_committed_is_not_there() -> None:
    told = story()
    told.drain(told.publish(mode="tx", fate=""))
    assert told.names() == ["RollbackLeavesNoTrace"]


def test_the_second_time_is_marked() -> None:
    told = story()
    message = told.publish()
    told.deliver(message)
    told.drain(message)
    assert told.names() == ["RedeliveredIsMarked"]


def test_what_was_consumed_does_not_come_again() -> None:
    told = story()
    message = told.publish()
    told.deliver(message, consumed=True)
    told.drain(message, marked=True)
    assert told.names() == ["NoSecondCopy"]


def test_an_ack_of_which_it_is_unknown_whether_it_arrived_consumes_nothing() -> None:
    told = story()
    message = told.publish()
    delivery = told.deliver(message, consumed=True)
    assert delivery.effective is not None
    delivery.effective.known = float("inf")
    told.drain(message, marked=True)
    assert told.names() == []


def test_messages_of_one_channel_come_in_their_order() -> None:
    told = story()
    first, second = told.publish(), told.publish()
    told.drain(second, first)
    assert told.names() == ["DeliveredInOrder"]


def test_messages_of_two_channels_have_no_order() -> None:
    told = story()
    first, second = told.publish(session=1), told.publish(session=3)
    told.drain(second, first)
    assert told.names() == []


def test_messages_that_went_different_ways_have_no_order() -> None:
    told = story()
    told.bind()
    first, second = told.publish(), told.publish(fanout=True)
    told.drain(second, first)
    assert told.names() == []


def test_what_was_fetched_may_pass_what_is_on_its_way_to_a_consumer() -> None:
    told = story()
    first, second = told.publish(), told.publish()
    consumer = told.consume()
    told.deliver(second, consumed=True)
    told.deliver(first, source=consumer, consumed=True)
    assert told.names() == []


def test_after_a_crash_marks_and_acks_may_be_forgotten() -> None:
    told = story()
    message = told.publish(persistent=True)
    told.trace.queue("q").crashed = True
    told.deliver(message, consumed=True)
    told.drain(message)
    assert told.names() == []


def test_what_comes_back_may_come_late() -> None:
    told = story()
    first, second = told.publish(), told.publish()
    told.deliver(first)
    told.drain(second)
    told.drain(first, marked=True)
    assert told.names() == []


# -- what publishers are told ---------------------------------------------------------------------


def test_a_mandatory_message_for_nobody_comes_back() -> None:
    told = Story()
    message = told.publish("none", mandatory=True)
    assert told.names() == ["MandatoryIsReturned"]
    message.returned = True
    assert told.names() == []


def test_a_message_for_somebody_does_not_come_back() -> None:
    told = story()
    message = told.publish(mandatory=True)
    message.returned = True
    told.drain(message)
    assert told.names() == ["ReturnedIsUnroutable"]


def test_where_a_queue_comes_and_goes_a_message_may_come_back_or_not() -> None:
    for returned in (False, True):
        told = story()
        told.delete(known=False)
        told.publish(mandatory=True, session=2).returned = returned
        assert told.names() == []


def test_a_nack_has_a_cause() -> None:
    told = story()
    told.publish(fate="nacked")
    assert told.names() == ["NackOnlyWithCause"]


def test_a_limit_a_crash_and_a_deletion_are_causes() -> None:
    full = Story()
    full.declare(limit=1, overflow="reject-publish")
    full.drain(full.publish())
    full.publish(fate="nacked")
    crashed = story()
    crashed.publish(fate="nacked")
    crashed.trace.queue("q").crashed = True
    deleted = story()
    message = deleted.publish(fate="")
    deleted.delete()
    message.fate, message.settled = "nacked", deleted.trace.tick()
    assert [told.names() for told in (full, crashed, deleted)] == [[], [], []]


def test_a_deletion_after_the_nack_is_no_cause() -> None:
    told = story()
    told.publish(fate="nacked")
    told.delete()
    assert told.names() == ["NackOnlyWithCause"]


def test_a_publish_of_which_nothing_is_heard_is_named() -> None:
    told = story()
    told.publish(fate="").overdue = True
    assert told.names() == ["EveryPublishSettles"]


def test_a_channel_is_closed_for_a_cause() -> None:
    told = story()
    told.trace.closes += [Close("c1", 404, "gone", True), Close("c1", 541, "INTERNAL", False)]
    assert told.names() == ["ClosedWithCause"]


# -- what may still come --------------------------------------------------------------------------


def test_what_a_broken_connection_had_may_be_on_its_way_back() -> None:
    told = story()
    told.deliver(told.publish())
    assert missing(told.trace)
    assert not delayed(told.trace)
    told.trace.broken.add(2)
    assert delayed(told.trace)


def test_what_nobody_had_is_not_on_its_way() -> None:
    told = story()
    told.publish()
    told.trace.broken.add(2)
    assert missing(told.trace)
    assert not delayed(told.trace)


def test_a_queue_that_crashed_takes_its_time() -> None:
    told = story()
    told.publish(persistent=True)
    told.trace.queue("q").crashed = True
    assert delayed(told.trace)


def test_where_nothing_is_missing_nothing_is_late() -> None:
    told = story()
    told.drain(told.publish())
    told.trace.queue("q").crashed = True
    assert not missing(told.trace)
    assert not delayed(told.trace)


# -- what was given back, or is committed ----------------------------------------------------------


def given_back(told: Story) -> None:
    """The first of two messages was fetched, and given back by who asks again."""
    first = told.publish()
    delivery = told.deliver(first)
    delivery.settled = delivery.effective = told.say(Operation(Do.NACK, requeue=True), 2)
    second = told.publish()
    told.deliver(second, consumed=True)
    told.trace.gets[-1].at = told.trace.tick()
    told.drain(first, marked=True)


def test_what_was_given_back_comes_before_what_was_published_later() -> None:
    told = story()
    given_back(told)
    assert told.names() == ["ServedInOrderOfArrival"]


def test_what_another_channel_has_given_back_may_come_later() -> None:
    told = story()
    given_back(told)
    told.trace.deliveries[0].effective.session = 7  # type: ignore[union-attr]
    assert told.names() == []


def test_a_transaction_hands_out_nothing_before_its_commit() -> None:
    told = story()
    message = told.publish(mode="tx", fate="")
    told.deliver(message, consumed=True)
    told.commit(message)
    assert told.names() == ["NothingBeforeCommit"]


def test_a_queue_with_room_refuses_nothing() -> None:
    told = Story()
    told.declare(limit=2, overflow="reject-publish")
    told.drain(told.publish())
    told.publish(fate="nacked")
    assert told.names() == ["NackOnlyWithCause"]


@pytest.mark.parametrize(("limit", "names"), [(None, ["CommitFailsOnlyWithCause"]), (0, [])])
def test_a_commit_fails_for_a_cause(limit: int | None, names: list[str]) -> None:
    told = Story()
    told.declare(limit=limit, overflow="reject-publish")
    message = told.publish(mode="tx", fate="")
    told.commit(message, answered=False)
    told.trace.closes.append(Close("c1", 406, "PRECONDITION_FAILED", False, message.commit))
    assert told.names() == names


@pytest.mark.parametrize("known", [True, False])
def test_an_ack_of_what_was_never_delivered_is_the_last_of_its_channel(known: bool) -> None:
    told = story()
    told.trace.offences.append(told.say(Operation(Do.WRONG), known=known))
    assert told.names() == ["UnknownTagClosesChannel"] * known
