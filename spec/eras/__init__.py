"""Eras: what RabbitMQ really does, by version, as changes to what it documents.

The base specification is what a publisher may rely on.  An era is a design that behaves as a line
of releases did, faults included, and says which promises it breaks.  The latest era extends the
base; each earlier one extends the one after it: it is what the next release repaired.  But mirrors
ended with 3.13, and queues went by names from 4.0 on, so of 4.0 the eras before it have only the
guard.
"""

__all__ = ["ORDER"]

#: The modules in the order of the table.
ORDER = (
    "rabbitmq_3_6",
    "rabbitmq_3_7",
    "rabbitmq_3_8",
    "rabbitmq_3_9",
    "rabbitmq_3_10",
    "rabbitmq_3_11",
    "classic_queue_v2",
    "rabbitmq_4_0",
    "rabbitmq_4_3",
)
