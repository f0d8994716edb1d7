"""Drawing: a random program, by its seed.

Each program has preferences of its own: it leaves out some kinds of operations and does others
more often, waits hardly ever or often, and stays with the same channel and queue for a while, since
a mixture of everything seldom comes to anything.  Publishes come in bursts, many queues have hardly
any room, and one that is deleted is often declared again at once, as another one.

The same seed draws the same program, on every machine.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

import msgspec
from ackproof.conform.kit.operations import FAILING, HELD, OF_QUEUES, Do, Operation, Overflow

__all__ = ["draw"]

_QUEUES = ("q1", "q2", "q3")
_CONSUMERS = ("a", "b", "c")
_LIMITS = (None, None, 0, 1, 2, 5)
_BURST = 6
#: Milliseconds that messages are kept: for ever, for longer than a run takes, for hardly any time.
_QUEUE_TIMES = (None, None, None, None, 7_200_000, 7_200_000, 20, 0)
_MESSAGE_TIMES = (None,) * 9 + (7_200_000, 20, 0)
_SIZES = (0, 0, 0, 100, 5000)
#: Operations of a program, about: from the shortest to the longest.
_SHORT, _LONG = 8, 60

#: How often a fault is drawn, beside others; a node takes seconds to come back.
_USUAL = {"restart_node": 0.25, "restart_peer": 0.25}

_Draw = Callable[[], list[Operation]]


class _Artist:
    """Draws the parts of one program."""

    def __init__(self, chance: random.Random, faults: Sequence[str]) -> None:
        self._chance = chance
        self._faults = faults
        self._holding = [fault for fault in faults if fault in HELD]
        self._failing = [fault for fault in faults if fault in FAILING]
        self._connections = chance.choice((1, 1, 2, 3))
        self._channels = chance.choice((1, 1, 2))
        self._queues = _QUEUES[: chance.choice((1, 1, 2, 3))]
        self._eager = chance.choice((0.0, 0.5, 0.9, 1.0))  # how often nobody waits
        self._staying = chance.choice((0.0, 0.5, 0.8))
        self._place = (1, 1)
        self._latest = self._queues[0]
        self._fanout = chance.choice((0.0, 0.1, 0.6))
        self._persistent = chance.choice((0.0, 0.5, 1.0))
        self._modes = {place: chance.random() for place in self._places()}

    def _places(self) -> list[tuple[int, int]]:
        return [
            (connection, channel)
            for connection in range(1, self._connections + 1)
            for channel in range(1, self._channels + 1)
        ]

    def _odds(self, chance: float) -> bool:
        return self._chance.random() < chance

    def _on(self, do: Do, place: tuple[int, int] | None = None, **fields: object) -> Operation:
        connection, channel = place or self._somewhere()
        return Operation(do, connection, channel, **fields)  # type: ignore[arg-type]

    def _somewhere(self) -> tuple[int, int]:
        if not self._odds(self._staying):
            self._place = self._chance.choice(self._places())
        return self._place

    def _queue(self) -> str:
        if not self._odds(self._staying):
            self._latest = self._chance.choice(self._queues)
        return self._latest

    def _nowait(self) -> bool:
        return self._odds(self._eager)

    # -- the beginning ------------------------------------------------------------------------

    def beginning(self) -> list[Operation]:
        """Return how most programs begin: with queues, and with channels in their modes."""
        program = [self._declare(queue) for queue in self._queues if self._odds(0.9)]
        if self._odds(self._fanout):
            program += [self._on(Do.BIND, queue=queue, nowait=True) for queue in self._queues]
        for place, mode in self._modes.items():
            if mode < 0.7:
                program.append(self._on(Do.CONFIRM, place, nowait=self._nowait()))
            elif mode < 0.9:
                program.append(self._on(Do.TRANSACT, place))
        return program

    def _declare(self, queue: str, place: tuple[int, int] | None = None) -> Operation:
        return self._on(
            Do.DECLARE,
            place,
            queue=queue,
            nowait=self._nowait(),
            durable=self._odds(0.8),
            limit=self._chance.choice(_LIMITS),
            overflow=self._chance.choice(list(Overflow)),
        )

    # -- the parts ----------------------------------------------------------------------------

    def parts(self) -> dict[str, tuple[_Draw, float]]:
        """Return what there is to do, with how often it is usual."""
        parts: dict[str, tuple[_Draw, float]] = {
            "publish": (self._publishes, 10),
            "redeclare": (self._redeclare, 3),
            "declare": (lambda: [self._declare(self._queue())], 1),
            "delete": (self._delete, 1),
            "bind": (self._bind, 2),
            "mode": (self.beginning, 0.5),
            "commit": (self._commit, 4),
            "consume": (self._consume, 2),
            "cancel": (self._cancel, 1),
            "get": (self._get, 2),
            "settle": (self._settle_deliveries, 5),
            "serve": (self._serve, 1),
            "recover": (lambda: [self._on(Do.RECOVER)], 0.5),
            "qos": (self._qos, 1),
            "close": (lambda: [self._on(Do.CLOSE)], 0.5),
            "wrong": (lambda: [self._on(Do.WRONG)], 0.2),
            "drop": (lambda: [self._on(Do.DROP)], 0.3),
            "send": (lambda: [self._on(Do.SEND)], 2),
            "wait": (lambda: [self._on(Do.WAIT)], 1.5),
            "confirms": (lambda: [self._on(Do.SETTLE)], 1),
        }
        if self._faults:
            parts["fault"] = (self._fault, 3)
        if self._failing:
            parts["strike"] = (self._strike, 2)
        return parts

    def _publishes(self) -> list[Operation]:
        place = self._somewhere()
        fanout = self._odds(self._fanout)
        to = "" if fanout or self._odds(0.08) else self._queue()
        return self._burst(place, to, fanout)

    def _burst(self, place: tuple[int, int], queue: str, fanout: bool = False) -> list[Operation]:
        return [
            self._on(
                Do.PUBLISH,
                place,
                queue=queue,
                fanout=fanout,
                mandatory=self._odds(0.4),
                persistent=self._odds(self._persistent),
                size=self._chance.choice(_SIZES),
            )
            for _ in range(self._chance.randint(1, _BURST))
        ]

    def _redeclare(self) -> list[Operation]:
        place, queue, nowait = self._somewhere(), self._queue(), self._nowait()
        delete = self._on(Do.DELETE, place, queue=queue, nowait=nowait)
        again = msgspec.structs.replace(self._declare(queue, place), nowait=nowait)
        return [delete, again]

    def _delete(self) -> list[Operation]:
        return [self._on(Do.DELETE, queue=self._queue(), nowait=self._nowait())]

    def _bind(self) -> list[Operation]:
        return [self._on(Do.BIND, queue=self._queue(), nowait=self._nowait())]

    def _commit(self) -> list[Operation]:
        return [self._on(Do.COMMIT if self._odds(0.7) else Do.ROLLBACK)]

    def _consume(self) -> list[Operation]:
        return [
            self._on(
                Do.CONSUME,
                queue=self._queue(),
                consumer=self._chance.choice(_CONSUMERS),
                no_ack=self._odds(0.1),
                nowait=self._nowait(),
            )
        ]

    def _cancel(self) -> list[Operation]:
        consumer = self._chance.choice(_CONSUMERS)
        return [self._on(Do.CANCEL, consumer=consumer, nowait=self._nowait())]

    def _get(self) -> list[Operation]:
        return [self._on(Do.GET, queue=self._queue(), no_ack=self._odds(0.3))]

    def _settle_deliveries(self) -> list[Operation]:
        return [self._settle_one(self._somewhere())]

    def _settle_one(self, place: tuple[int, int]) -> Operation:
        do = self._chance.choice((Do.ACK, Do.ACK, Do.NACK, Do.REJECT))
        return self._on(
            do,
            place,
            which=self._chance.randrange(4),
            multiple=self._odds(0.3),
            requeue=do != Do.ACK and self._odds(0.7),
        )

    def _serve(self) -> list[Operation]:
        """A channel has several deliveries of a queue, settles some, and asks for more."""
        place, queue = self._somewhere(), self._queue()
        take = self._on(Do.GET, place, queue=queue)
        if self._odds(0.4):
            consumer = self._chance.choice(_CONSUMERS)
            took = [self._on(Do.CONSUME, place, queue=queue, consumer=consumer), self._on(Do.WAIT)]
        else:
            took = [take] * self._chance.randint(2, 4)
        settled = [self._settle_one(place) for _ in range(self._chance.randint(1, 3))]
        return [*self._burst(place, queue), self._on(Do.SETTLE, place), *took, *settled, take]

    def _qos(self) -> list[Operation]:
        return [self._on(Do.QOS, prefetch=self._chance.randrange(4), shared=self._odds(0.3))]

    def _fault(self) -> list[Operation]:
        return [self._fails(self._one_of(self._faults), self._queue())]

    def _strike(self) -> list[Operation]:
        """Something fails that was held up while messages came: acks may have come too early."""
        queue = self._queue()
        held = [self._fails(self._one_of(self._holding), queue)] if self._holding else []
        return [*held, *self._publishes(), self._fails(self._one_of(self._failing), queue)]

    def _one_of(self, faults: Sequence[str]) -> str:
        usual = [_USUAL.get(fault, 1.0) for fault in faults]
        return self._chance.choices(faults, usual)[0]

    def _fails(self, fault: str, queue: str) -> Operation:
        return self._on(Do.FAULT, fault=fault, queue=queue if fault in OF_QUEUES else "")


def draw(seed: int, faults: Sequence[str] = ()) -> list[Operation]:
    """Return the program of a seed.

    Args:
        seed: any number.
        faults: what the broker can be made to do.
    """
    chance = random.Random(f"ackproof {seed} {' '.join(faults)}")
    artist = _Artist(chance, faults)
    parts = artist.parts()
    weights = {name: usual * chance.choice((0, 0.3, 1, 1, 3)) for name, (_, usual) in parts.items()}
    weights["publish"] = weights["publish"] or 1.0
    program = artist.beginning()
    for _ in range(chance.randint(_SHORT, _LONG)):
        (name,) = chance.choices(list(weights), list(weights.values()))
        program += parts[name][0]()
    return _varied(program, random.Random(f"ackproof {seed} varied"))


def _varied(program: list[Operation], chance: random.Random) -> list[Operation]:
    """Return a program with times and ways for its messages, or as it is.

    Half of all programs have neither, since what may expire shows less.
    """
    if chance.random() < 0.5:
        return program
    return [_variation(operation, chance) for operation in program]


def _variation(operation: Operation, chance: random.Random) -> Operation:
    fields: dict[str, object] = {}
    if operation.do == Do.DECLARE:
        fields["ttl"] = chance.choice(_QUEUE_TIMES)
        fields["exclusive"] = chance.random() < 0.15
    elif operation.do == Do.PUBLISH:
        fields["expires"] = chance.choice(_MESSAGE_TIMES)
        fields["alternate"] = operation.fanout and chance.random() < 0.5
    return msgspec.structs.replace(operation, **fields)
