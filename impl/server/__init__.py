"""Sockets, timers, TLS and the thread of the disk: they perform, and do not decide."""
