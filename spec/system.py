"""The system: all chapters together.

Each chapter says what happens in some of the steps; it extends the chapters whose steps it calls,
and changes none of theirs.  Together they are what is checked, proved and run.

=================  ==========================================================  ==================
chapter            what it says                                                switched on by
=================  ==========================================================  ==================
`Parts`            the machines, and who is who among them                     always there
`Flow`             alarms, and credit from the disk to the socket              `alarm`, `credit`
`Queueing`         messages arrive at queues, reach the disk, leave            always there
`Mirroring`        mirrors follow, join, catch up, are promoted                `QueueProcess.born`
`Consuming`        consumers by name: tags, prefetch, acks, redelivery         `tagged`
`Closing`          channels end                                                `close`, …
`Publishing`       publishes, routing, transactions                            `transactional`
`Retrying`         what may be lost is published again                         `retrying`
`DeadLettering`    the dead are kept until other queues have them              `carries_for`
`Confirming`       the way back to the publisher                               always there
`Failing`          crashes, deletion, restart                                  the faults
`Renewing`         queues declared again                                       `QueueProcess.after`
`Partitioning`     partitions, and their modes                                 `Node`, `partition`
=================  ==========================================================  ==================
"""

from __future__ import annotations

from ackproof.spec.confirming import Confirming
from ackproof.spec.dead_lettering import DeadLettering
from ackproof.spec.mirroring import Mirroring
from ackproof.spec.partitioning import Partitioning
from ackproof.spec.renewing import Renewing
from ackproof.spec.retrying import Retrying

__all__ = ["Confirms"]


class Confirms(Partitioning, Renewing, Mirroring, Confirming, Retrying, DeadLettering):
    """Publisher confirms, from the publishers to the disk and back, on any number of channels."""
