"""Bytes, and what is in them: frames, tables, methods and contents.

Nothing here knows of connections or queues.
"""
