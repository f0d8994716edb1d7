"""Where a message is routed: exchanges, and bindings to queues and other exchanges (A5).

A *topology* is what one virtual host has of these.  It knows queues by name only, it has no I/O,
and it knows nothing of messages but what routing looks at: routing keys and headers.  To route is
one walk over the graph of bindings, breadth first, that visits every exchange at most once; what
leaves an exchange for a given message, its type decides, one module for each.

Every change of a topology says what it added and what it took away (`Change`), since one request
may do much: the deletion of a queue removes its bindings, the last of them takes an exchange that
deletes itself, and that one the next.  The durable part of a change is what the disk is told.

What queues are declared with is checked beside it (`queue_arguments`, `queue_types`).
"""
