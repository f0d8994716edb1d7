"""ackproof: publisher confirms, said once and precisely, and everything that is done with that.

The layers are packages of their own; see `ackproof.spec`, `ackproof.model`, `ackproof.impl` and
`ackproof.cli`.
"""
