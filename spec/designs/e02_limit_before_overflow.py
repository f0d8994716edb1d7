"""A queue that begins learns of its limit before it learns what is to be done about it (G-E2).

A queue that refuses what is too much may have more than its limit all the same: what a consumer had
comes back (B5.7).  Here a process that starts again, or takes over, drops what is over the limit,
as queues do unless they were told otherwise, and only then hears that it was.  Nobody has consumed
that, and it may have been acked.
"""

from __future__ import annotations

from ackproof.lang import Breaks, Design
from ackproof.spec.eras.rabbitmq_4_3 import LimitBeforeOverflow

design = Design(
    claim="A limit is a limit, whatever else there is to know.",
    source="G-E2: RabbitMQ 3.7 and later",
    replace=(LimitBeforeOverflow,),
    expect=(
        Breaks("OnlyWhoDropsMakesRoom", "overfull", 11),
        Breaks("ConfirmedSurvives", "overfull", 14),
        Breaks("NoAckBeforeDurable", "overfull", 14),
    ),
)
