"""What some queues have not taken is sent again to those, if there are any (G-E3).

A queue that was deleted has not taken its copy, so the copy counts as refused.  Here the courier
knows which queues have confirmed, and spares them a duplicate.  If these are all that are left,
there is nobody to send to, no answer to come, and nothing that lets go of the original.
"""

from __future__ import annotations

from ackproof.lang import Breaks, Design
from ackproof.spec.eras.rabbitmq_4_3 import SentToTheRest, ThriftyCourier

design = Design(
    claim="Who has confirmed a copy need not be sent another.",
    source="G-E3: RabbitMQ 3.10 and later",
    replace=(ThriftyCourier, SentToTheRest),
    expect=(Breaks("DeadArePassedOn", "dead_letters_split", 13),),
)
