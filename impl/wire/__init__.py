"""Bytes, and what is in them: frames, tables, methods, contents, and the events of the machines.

Nothing here knows of connections or queues.
"""
