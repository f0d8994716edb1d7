"""Programs are performed without waiting, and books are kept on what is known."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from math import inf

import pytest
from ackproof.conform.events import Event, Kind
from ackproof.conform.judgement import Judgement
from ackproof.conform.kit.clients import Clients
from ackproof.conform.kit.operations import FAULTS, Do, Operation, Overflow
from ackproof.conform.kit.performing import Performer
from ackproof.conform.kit.trace import Trace
from ackproof.conform.violations import Violation

from tests.conform.kit.planted import serving

DECLARE = Operation(Do.DECLARE, queue="q1", nowait=True)
DELETE = Operation(Do.DELETE, queue="q1", nowait=True)
CONFIRM = Operation(Do.CONFIRM, nowait=True)
PUBLISH = Operation(Do.PUBLISH, queue="q1", persistent=True)
WAIT, SEND, SETTLE = Operation(Do.WAIT), Operation(Do.SEND), Operation(Do.SETTLE)
ELSEWHERE = Operation(Do.PUBLISH, 2, 1, queue="q1")


class Watched:
    """Clients and a performer, and what passes between them and the broker."""

    def __init__(self, clients: Clients, performer: Performer, events: list[Event]) -> None:
        self.clients, self.events = clients, events
        self.perform = performer.perform
        self.trace = clients.trace

    def kinds(self) -> list[str]:
        """Return what was said and heard after the channel was open, by its kind or method."""
        return [e.text or e.kind for e in self.events if e.kind not in (Kind.OPEN, Kind.OPEN_OK)]


class Listening(Judgement):
    """Judges, and keeps what it has judged."""

    def __init__(self, events: list[Event]) -> None:
        super().__init__()
        self._events = events

    def take(self, event: Event) -> Violation | None:
        """Take the next event."""
        self._events.append(event)
        return super().take(event)


@contextmanager
def performing(struck: bool = False) -> Iterator[Watched]:
    """Give a performer at the reference broker."""
    events: list[Event] = []
    with serving(struck=struck) as setting:
        clients = Clients(setting.address, Trace(), b"key", setting.patience)
        clients.judgement = Listening(events)
        yield Watched(clients, Performer(clients, "t", setting.control), events)
        clients.abandon()


def test_what_wants_no_answer_is_said_without_waiting() -> None:
    with performing() as watched:
        watched.perform([DECLARE, CONFIRM, PUBLISH, DELETE, DECLARE, PUBLISH])
        said = ["Queue.Declare", "Select", "Publish", "Queue.Delete", "Queue.Declare", "Publish"]
        assert watched.kinds() == said
        first, second = watched.trace.queue("q1").lives
        assert first.declared.known == first.deleted.known == inf  # type: ignore[union-attr]
        watched.perform([WAIT])
        assert second.declared.known < inf


def test_a_channel_that_waits_for_an_answer_says_nothing_meanwhile() -> None:
    with performing() as watched:
        watched.perform([DECLARE, Operation(Do.GET, queue="q1"), PUBLISH])
        assert watched.kinds() == ["Queue.Declare", "Get", "GetEmpty", "Publish"]


def test_other_channels_go_on_meanwhile() -> None:
    with performing() as watched:
        watched.perform([ELSEWHERE, WAIT, Operation(Do.QOS, prefetch=1), ELSEWHERE])
        assert watched.kinds()[-2:] == ["Qos", "Publish"]


def test_an_alternate_exchange_leads_to_the_queues_of_the_fanout() -> None:
    around = Operation(Do.PUBLISH, fanout=True, alternate=True)
    with performing() as watched:
        watched.perform([DECLARE, Operation(Do.BIND, queue="q1"), CONFIRM, around, SETTLE])
        watched.perform([Operation(Do.GET, queue="q1", no_ack=True), WAIT])
        (published,) = (e for e in watched.events if e.kind == Kind.PUBLISH)
        (got,) = (e for e in watched.events if e.kind == Kind.GET_OK)
        assert published.exchange == got.exchange == "t-direct"


def test_queues_and_messages_have_their_times() -> None:
    with performing() as watched:
        brief = Operation(Do.DECLARE, queue="q1", ttl=0)
        long = Operation(Do.DECLARE, queue="q2", ttl=7_200_000)
        publishes = [
            PUBLISH,
            Operation(Do.PUBLISH, queue="q2"),
            Operation(Do.PUBLISH, queue="q2", expires=0),
        ]
        gets = [Operation(Do.GET, queue=queue, no_ack=True) for queue in ("q1", "q2", "q2")]
        watched.perform([brief, long, CONFIRM, *publishes, SETTLE, *gets, WAIT])
        assert [g.answer for g in watched.trace.gets] == ["empty", "ok", "empty"]
        assert [d.number for d in watched.trace.deliveries] == [2]


OWN = Operation(Do.DECLARE, queue="q1", exclusive=True)


def test_a_queue_of_another_connection_is_left_alone() -> None:
    with performing() as watched:
        others = [
            Operation(Do.GET, 2, queue="q1"),
            Operation(Do.CONSUME, 2, queue="q1", consumer="a"),
            Operation(Do.BIND, 2, queue="q1"),
            Operation(Do.DELETE, 2, queue="q1"),
        ]
        watched.perform([OWN, WAIT, *others, ELSEWHERE, WAIT, Operation(Do.GET, 1, 2, queue="q1")])
        watched.perform([WAIT])
        assert [g.answer for g in watched.trace.gets] == ["ok"]
        assert watched.trace.closes == []


@pytest.mark.parametrize("exclusive", [False, True])
def test_nobody_knows_when_a_queue_ends_whose_connection_was_dropped(exclusive: bool) -> None:
    with performing() as watched:
        declare = Operation(Do.DECLARE, queue="q1", exclusive=exclusive)
        watched.perform([declare, Operation(Do.DECLARE, 2, queue="q2", exclusive=True), WAIT])
        watched.perform([Operation(Do.DROP)])
        assert watched.trace.queue("q1").blurred is exclusive
        assert not watched.trace.queue("q2").blurred


def test_what_makes_no_sense_is_passed_over() -> None:
    senseless = [
        DELETE,
        Operation(Do.GET, queue="q1"),
        Operation(Do.CONSUME, queue="q1", consumer="a"),
        Operation(Do.CANCEL, consumer="a"),
        Operation(Do.ACK),
        Operation(Do.COMMIT),
        Operation(Do.FAULT, fault="restart_node"),
    ]
    with performing() as watched:
        watched.perform([*senseless, DECLARE, DECLARE])
        assert watched.kinds() == ["Queue.Declare"]


def test_acks_are_known_by_their_messages() -> None:
    full = Operation(Do.DECLARE, queue="q2", limit=0, overflow=Overflow.REJECT_PUBLISH)
    refused = Operation(Do.PUBLISH, queue="q2")
    lost = Operation(Do.PUBLISH, mandatory=True)
    with performing() as watched:
        watched.perform([DECLARE, full, CONFIRM, PUBLISH, refused, lost, PUBLISH, SETTLE])
        publishes = watched.trace.publishes
        assert [one.fate for one in publishes] == ["acked", "nacked", "acked", "acked"]
        assert [one.returned for one in publishes] == [False, False, True, False]
        assert all(one.said.known <= one.settled for one in publishes)


def test_a_commit_settles_what_was_published_and_consumed() -> None:
    transact, commit = Operation(Do.TRANSACT), Operation(Do.COMMIT)
    rollback, get, ack = Operation(Do.ROLLBACK), Operation(Do.GET, queue="q1"), Operation(Do.ACK)
    program = [DECLARE, transact, PUBLISH, commit, get, ack, PUBLISH, rollback, ack, commit, WAIT]
    with performing() as watched:
        watched.perform(program)
        kept, gone = watched.trace.publishes
        assert (kept.fate, gone.fate, gone.commit) == ("acked", "", None)
        (delivery,) = watched.trace.deliveries
        assert delivery.surely_consumed()


@pytest.mark.parametrize(("program", "blurred"), [([SEND], True), ([WAIT], False)])
def test_of_a_queue_that_was_declared_when_the_connection_broke_nothing_is_known(
    program: list[Operation], blurred: bool
) -> None:
    with performing() as watched:
        watched.perform([DECLARE, *program, Operation(Do.DROP)])
        assert watched.trace.queue("q1").blurred is blurred


def test_who_goes_on_with_a_queue_on_another_channel_waits_for_the_first() -> None:
    with performing() as watched:
        watched.perform([DECLARE, Operation(Do.DELETE, 2, 1, queue="q1", nowait=True)])
        (life,) = watched.trace.queue("q1").lives
        assert life.deleted is not None
        assert life.declared.before(life.deleted)


def test_a_restart_costs_what_is_transient_and_no_more() -> None:
    passing = Operation(Do.DECLARE, queue="q2", durable=False)
    restart = Operation(Do.FAULT, fault="restart_node")
    with performing(struck=True) as watched:
        watched.perform([DECLARE, passing, WAIT, restart, Operation(Do.GET, queue="q1"), WAIT])
        queues = watched.trace.queues
        assert {name: queues[name].blurred for name in ("q1", "q2")} == {"q1": False, "q2": True}
        assert [get.answer for get in watched.trace.gets] == ["empty"]


def test_who_waits_releases_what_a_fault_holds_back() -> None:
    held = Operation(Do.FAULT, fault="hold_fsync")
    with performing(struck=True) as watched:
        watched.perform([DECLARE, CONFIRM, WAIT, held, PUBLISH, SETTLE])
        assert [one.fate for one in watched.trace.publishes] == ["acked"]


class Reaching:
    """Control of a broker that is not there: keeps what it was asked for."""

    faults: Sequence[str] = FAULTS

    def __init__(self) -> None:
        self.struck: list[str] = []

    def strike(self, fault: str, queue: str) -> None:
        """Keep a fault."""
        self.struck.append(f"{fault} {queue}".strip())


@contextmanager
def reaching() -> Iterator[tuple[Watched, Reaching]]:
    """Give a performer whose faults go nowhere."""
    control = Reaching()
    with performing() as watched:
        performer = Performer(watched.clients, "t", control)
        watched.perform = performer.perform
        yield watched, control


def fault(name: str, queue: str = "") -> Operation:
    """Return the operation that causes a fault."""
    return Operation(Do.FAULT, fault=name, queue=queue)


def test_a_node_that_is_suspended_goes_on_before_its_queue_does() -> None:
    with reaching() as (watched, control):
        held = [fault("suspend_queue", "q1"), fault("suspend_node")]
        watched.perform([DECLARE, *held, fault("resume_queue", "q1")])
        names = [said.split()[0] for said in control.struck]
        assert names == ["suspend_queue", "suspend_node", "resume_node", "resume_queue"]


def test_a_queue_is_not_reached_while_its_node_is_suspended() -> None:
    with reaching() as (watched, control):
        watched.perform([DECLARE, fault("suspend_node"), fault("crash_queue", "q1")])
        names = [said.split()[0] for said in control.struck]
        assert names == ["suspend_node", "resume_node", "crash_queue"]


def test_a_node_that_is_suspended_goes_on_when_somebody_logs_in() -> None:
    with reaching() as (watched, control):
        watched.perform([DECLARE, fault("suspend_node"), ELSEWHERE])
        assert [said.split()[0] for said in control.struck] == ["suspend_node", "resume_node"]


def test_what_was_suspended_excuses_nothing() -> None:
    with reaching() as (watched, _):
        watched.perform([DECLARE, fault("suspend_queue", "q1"), fault("suspend_node"), WAIT])
        queue = watched.trace.queue("q1")
        assert not queue.crashed
        assert not queue.blurred
