"""The system: all chapters together.

Each of the chapters before is a part of the system, and extends the one before it; the last one is
what is checked.  An instance switches parts on, by the sizes of sorts, by constants, and by the
faults it allows; a part that is off costs nothing.

===============  =================================================  ============================
chapter          what it adds                                       switched on by
===============  =================================================  ============================
`Publishing`     publisher, channel, masters, stores                always there
`Serving`        unnamed consumers, expiry, purges                  `Confirms.consumers`, `drop`
`Mirroring`      mirrors, synchronisation, promotion                `QueueProcess.born`
`Failing`        crashes, deletion, close                           the faults of the instance
`Partitioning`   partitions, guard, pause_minority                  `Node`, `partition`
`Transacting`    transactions instead of confirms                   `Confirms.transactions`
`Delivering`,    consumers by name, with delivery tags, prefetch,   `Confirms.tagged`, `Consumer`
`Settling`,      acks, nacks, redelivery, cancellation
`Consuming`
`Alarming`       alarms that stop the reader                        `alarm`
`Crediting`      credit flow                                        `Confirms.credit`
===============  =================================================  ============================
"""

from __future__ import annotations

from ackproof.spec.crediting import Crediting

__all__ = ["Confirms"]


class Confirms(Crediting):
    """Publisher confirms, from the publisher to the disk and back."""
