"""Running: one program against a broker, from its first connection to its verdict.

What is wrong is found in two places.  The judge of each channel takes every event as it comes, and
names the first that no behaviour of the specification explains.  The ledger takes the whole run
when its queues are empty.  A run that could not be brought to its end is incomplete; what does not
depend on the end counts all the same.
"""

from __future__ import annotations

import contextlib
import secrets
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from ackproof.conform.kit.clients import Clients
from ackproof.conform.kit.control import ControlError
from ackproof.conform.kit.draining import Drain
from ackproof.conform.kit.ledger import Finding, findings
from ackproof.conform.kit.operations import Operation
from ackproof.conform.kit.performing import Control, Performer
from ackproof.conform.kit.stalled import Stalled
from ackproof.conform.kit.trace import Trace
from ackproof.conform.kit.url import Address
from ackproof.conform.proxy import told

__all__ = ["Result", "Setting", "reach", "run"]

_TOKEN_BYTES = 4


@dataclass(frozen=True)
class Setting:
    """What all runs have in common.

    Attributes:
        address: the broker.
        control: what can make it fail.
        patience: seconds to wait for what must come.
        late: seconds that messages may take to come back from a connection that was dropped.
    """

    address: Address
    control: Control | None = None
    patience: float = 20.0
    late: float = 5.0


@dataclass
class Result:
    """What became of a run.

    Attributes:
        findings: what is wrong.
        incomplete: why it was not brought to its end, or nothing.
        counts: how often what has happened.
    """

    findings: list[Finding] = field(default_factory=list)
    incomplete: str = ""
    counts: Counter[str] = field(default_factory=Counter)

    @property
    def names(self) -> set[str]:
        """Return the rules that are broken."""
        return {finding.name for finding in self.findings}


def reach(setting: Setting) -> None:
    """Connect to the broker, and do nothing else.

    Raises:
        Stalled: that is not possible.
    """
    clients = Clients(setting.address, Trace(), b"", setting.patience)
    clients.session(1, 1)
    clients.close()


def run(program: Sequence[Operation], setting: Setting) -> Result:
    """Run a program once; it leaves nothing behind at the broker, if the broker allows it."""
    token = f"ackproof-{secrets.token_hex(_TOKEN_BYTES)}"
    clients = Clients(setting.address, Trace(), secrets.token_bytes(), setting.patience)
    performer = Performer(clients, token, setting.control)
    drain = Drain(clients, performer.name, setting.late)
    result = Result()
    try:
        performer.perform(program)
        drain.settle()
        performer.release()
        drain.empty()
    except Stalled as stalled:
        result.incomplete = str(stalled)
    except ControlError as error:
        result.incomplete = str(error)
    finally:
        _clean_up(clients, drain, performer)
    result.findings = _found(clients, complete=not result.incomplete)
    result.counts = _counts(clients)
    return result


def _clean_up(clients: Clients, drain: Drain, performer: Performer) -> None:
    """Leave nothing behind at the broker, as far as it allows that."""
    with contextlib.suppress(ControlError):
        performer.release()
    clients.abandon()
    with contextlib.suppress(Stalled):
        drain.remove([performer.alternate_name, performer.fanout_name])
    clients.abandon()


def _found(clients: Clients, *, complete: bool) -> list[Finding]:
    judged = [Finding(v.name, told(v)) for v in clients.judgement.violations]
    trace = clients.trace
    return judged + findings(trace, complete=complete)


def _counts(clients: Clients) -> Counter[str]:
    trace = clients.trace
    counts = Counter(
        "plain" if message.mode == "none" else message.fate or "unsettled"
        for message in trace.publishes
    )
    counts["published"] = len(trace.publishes)
    counts["returned"] = sum(message.returned for message in trace.publishes)
    counts["delivered"] = len(trace.deliveries)
    counts["redelivered"] = sum(d.content.redelivered for d in trace.deliveries)
    counts["queues"] = sum(len(queue.lives) for queue in trace.queues.values())
    counts["events"] = clients.judgement.events
    counts["channels"] = clients.judgement.channels
    return counts
