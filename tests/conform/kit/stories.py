"""Short ways to write the trace of a run by hand."""

from __future__ import annotations

from ackproof.conform.events import Event, Kind
from ackproof.conform.kit.ledger import findings
from ackproof.conform.kit.operations import Do, Operation, Overflow
from ackproof.conform.kit.trace import Delivery, Get, Life, Publish, Said, Subscription, Trace

__all__ = ["Story"]


class Story:
    """A trace, as it is told."""

    def __init__(self) -> None:
        self.trace = Trace()

    def say(self, operation: Operation, session: int = 1, known: bool = True) -> Said:
        """A client says something, and knows at once that it is processed, or never."""
        said = Said(operation, session, self.trace.tick())
        if known:
            said.known = self.trace.tick()
        return said

    def declare(
        self,
        queue: str = "q",
        limit: int | None = None,
        overflow: str = "drop-head",
        durable: bool = True,
        known: bool = True,
        session: int = 1,
        ttl: int | None = None,
    ) -> Life:
        """A queue is declared."""
        operation = Operation(
            *(Do.DECLARE, 1, 1, queue, False, durable, limit), overflow=Overflow(overflow), ttl=ttl
        )
        life = Life(self.say(operation, session, known))
        self.trace.queue(queue).lives.append(life)
        return life

    def delete(self, queue: str = "q", known: bool = True, session: int = 1) -> None:
        """It is deleted."""
        life = self.trace.queue(queue).lives[-1]
        life.deleted = self.say(Operation(Do.DELETE, queue=queue), session, known)

    def bind(self, queue: str = "q", known: bool = True) -> None:
        """It is bound to the fanout exchange."""
        life = self.trace.queue(queue).lives[-1]
        life.binds.append(self.say(Operation(Do.BIND, queue=queue), known=known))

    def publish(
        self,
        queue: str = "q",
        fate: str = "acked",
        mode: str = "confirm",
        fanout: bool = False,
        mandatory: bool = False,
        persistent: bool = False,
        session: int = 1,
        known: bool = True,
        alternate: bool = False,
        expires: int | None = None,
    ) -> Publish:
        """A message is published, and something is told of it."""
        number = len(self.trace.publishes) + 1
        operation = Operation(
            Do.PUBLISH,
            queue=queue,
            fanout=fanout,
            alternate=alternate,
            expires=expires,
            mandatory=mandatory,
            persistent=persistent,
        )
        said = self.say(operation, session, known)
        content = Event(Kind.PUBLISH, message=f"m-{number}", persistent=persistent)
        message = Publish(number, said, content, mode, fate=fate)
        if fate:
            message.settled = self.trace.tick()
        self.trace.publishes.append(message)
        return message

    def commit(self, *messages: Publish, answered: bool = True) -> None:
        """Messages of a transaction are committed."""
        said = self.say(Operation(Do.COMMIT), messages[0].said.session, answered)
        for message in messages:
            message.commit = said
            message.fate = "acked" if answered else ""

    def consume(self, queue: str = "q", session: int = 2, no_ack: bool = False) -> Said:
        """A consumer is started."""
        said = self.say(Operation(Do.CONSUME, queue=queue), session)
        self.trace.subscriptions.append(Subscription(queue, said, no_ack))
        return said

    def deliver(
        self,
        message: Publish,
        queue: str = "q",
        source: Said | None = None,
        marked: bool = False,
        no_ack: bool = False,
        consumed: bool = False,
        **changed: object,
    ) -> Delivery:
        """A message is handed out, to a consumer or to somebody who has asked for it."""
        if source is None:
            source = self.say(Operation(Do.GET, queue=queue, no_ack=no_ack), 2)
            get = Get(queue, source, no_ack, "ok")
            self.trace.gets.append(get)
        fields = {"message": message.content.message, "persistent": message.content.persistent}
        content = Event(Kind.DELIVER, redelivered=marked, **{**fields, **changed})  # type: ignore[arg-type]
        delivery = Delivery(*(content, message.number, queue, source, self.trace.tick(), 1, no_ack))
        if consumed:
            delivery.settled = delivery.effective = self.say(Operation(Do.ACK), source.session)
            delivery.final = True
        self.trace.deliveries.append(delivery)
        return delivery

    def find_nothing(self, queue: str = "q") -> None:
        """Somebody asks for a message, and there is none."""
        said = self.say(Operation(Do.GET, queue=queue), 2)
        self.trace.gets.append(Get(queue, said, False, "empty", self.trace.tick()))

    def drain(self, *messages: Publish, queue: str = "q", marked: bool = False) -> None:
        """In the end, a queue had these."""
        for message in messages:
            self.deliver(message, queue, marked=marked, no_ack=True)
        self.trace.queue(queue).left = len(messages)

    def names(self, complete: bool = True) -> list[str]:
        """Return the rules that are broken."""
        return [finding.name for finding in findings(self.trace, complete=complete)]
