"""Alarming: while the cluster is short of memory or disk, nothing is read from who publishes.

An alarm is cluster-wide (E4.4), and stops every connection that publishes (E4.1).  What a blocked
connection has sent is in its socket.  What was read before is dealt with as ever, and confirmed to
the blocked client; no alarm nacks anything (E4.2, E4.5).
"""

from __future__ import annotations

from ackproof.spec.consuming import Consuming
from ackproof.spec.lang import Set, action, fault, helper, require
from ackproof.spec.reader import Reader
from ackproof.spec.sorts import Msg, Queue

__all__ = ["Alarming"]


class Alarming(Consuming):
    """The reader of the publisher's connection, and alarms (E4)."""

    reader: Reader

    # -- what has to be read --------------------------------------------------------------------

    @action
    def select(self) -> None:
        """The publisher asks for confirm mode, which somebody has to read (A1.1, E4.2)."""
        require(self.reader.reads())
        super().select()

    @action
    def publish_unroutable(self, mandatory: bool) -> None:
        """A message that no queue matches is read, too, before anybody knows that (A4.2, E4.1)."""
        require(self.reader.reads_content())
        super().publish_unroutable(mandatory)

    @action
    def publish_plain(self, msg: Msg, targets: Set[Queue], persistent: bool) -> None:
        """And one that nobody will confirm (A7.1, E4.1)."""
        require(self.reader.reads_content())
        super().publish_plain(msg, targets, persistent)

    @action
    def publish(self, msg: Msg, targets: Set[Queue], mandatory: bool, persistent: bool) -> None:
        """A message is published, and the reader reads it (A6.1, E4.1)."""
        require(self.reader.reads_content())
        super().publish(msg, targets, mandatory, persistent)

    @action
    def publish_in_tx(
        self, msg: Msg, targets: Set[Queue], mandatory: bool, persistent: bool
    ) -> None:
        """And one of a transaction (A13.1, E4.1)."""
        require(self.reader.reads_content())
        super().publish_in_tx(msg, targets, mandatory, persistent)

    @action
    def tx_select(self) -> None:
        """The publisher asks for transactions (A1.3, E4.2)."""
        require(self.reader.reads())
        super().tx_select()

    @action
    def tx_commit(self) -> None:
        """The publisher commits (A13.3, E4.2)."""
        require(self.reader.reads())
        super().tx_commit()

    @action
    def tx_rollback(self) -> None:
        """The publisher takes it all back (A13.6, E4.2)."""
        require(self.reader.reads())
        super().tx_rollback()

    @helper
    def heeds(self) -> bool:
        """Tell whether consumers are heard: on the publisher's channel, if that is read (E4.2)."""
        return super().heeds() and (self.reader.reads() or not self.shared)

    # -- alarms ---------------------------------------------------------------------------------

    @helper
    def starved(self) -> bool:
        """Tell whether the reader has another reason to stop (E4.1)."""
        return False

    @fault
    def alarm(self) -> None:
        """The cluster is short of memory or disk (E4.4)."""
        require(self.channel.open)
        self.reader.sets_alarm()

    @action
    def publish_waits(self) -> None:
        """The client publishes although there is an alarm, and is blocked (E4.1)."""
        require(self.channel.open and self.publisher.next_tag is not None)
        self.reader.meets_content()

    @action(fair="weak")
    def alarm_clears(self) -> None:
        """All alarms are over (E4.3)."""
        self.reader.clears_alarm(self.starved())
