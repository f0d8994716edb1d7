"""What G-D5 is."""

from ackproof.lang import Design

design = Design(claim="There are no duplicates.", constants={"Mirror.asserts": True})
