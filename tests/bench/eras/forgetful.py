"""What G-D1 is."""

from ackproof.lang import Design

design = Design(claim="A duplicate needs no confirm.", constants={"Mirror.forgets": True})
