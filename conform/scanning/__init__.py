"""Scanning: bytes of connections to columns of events, by compiled code."""
