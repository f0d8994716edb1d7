"""A publish costs the same towards a mirror as towards a master (G-D7).

A mirror gets each message twice, from the channel and from its master, and gives credit for both.
So a publish used to cost two towards a mirror.  Since 3.10.10 and 3.11.2 it costs one, and the
mirror still gives two (E3.2): with each message the channel has one credit more than before.  The
release note calls that the removal of excess credit.  But now the credit grows without bound, and a
mirror that has long kept up will not block anybody for as long, when one day it is slow.
"""

from __future__ import annotations

from ackproof.lang import Breaks, Design, Holds

design = Design(
    claim="What is sent to a mirror once costs one credit.",
    source="G-D7: RabbitMQ 3.10.10, 3.11.2 and later, PR #6110",
    constants={"Confirms.mirror_cost": 1},
    expect=(
        Holds("credit"),
        Breaks("CreditIsConserved", "mirror_scarce", 4),
        Breaks("NoExcessCredit", "mirror_scarce", 7),
    ),
)
