"""What came of an experiment: frames, counts, and what the log of the surviving node tells."""

from __future__ import annotations

import re
from dataclasses import dataclass

from bench.rabbitmq.frames import Frame

__all__ = ["Observation", "Step", "crash_reason", "promoted"]


@dataclass(frozen=True)
class Step:
    """Something that was done, or seen.

    Args:
        seconds: since the publisher connected.
        text: what.
        done: by us; otherwise it was seen.
    """

    seconds: float
    text: str
    done: bool


@dataclass(frozen=True)
class Observation:
    """What came of an experiment.

    Args:
        experiment: its name.
        published: messages of the burst; their delivery tags are 1 to that.
        frames: everything that the broker sent, in order, once the channel was in confirm mode.
        later: what settled the message after the burst; None if none was published.
        queue_length: messages in the queue at the end, the later one included.
        unconfirmed: messages that the broker's channel still waits for at the end.
        promoted: whether the mirror became master.
        crash: why the queue's process crashed on the second node; None if it did not.
        steps: what was done and seen, in order.
    """

    experiment: str
    published: int
    frames: tuple[Frame, ...]
    later: Frame | None
    queue_length: int
    unconfirmed: int
    promoted: bool
    crash: str | None
    steps: tuple[Step, ...]


def promoted(log: str) -> bool:
    """Say whether a mirror became master, by its own announcement."""
    return "Promoting mirror" in log


def crash_reason(log: str) -> str | None:
    """Return why a queue's process crashed, in one line, by the report of its supervisor.

    That is the exception, and the function that raised it: `{badmatch,true} in
    rabbit_mirror_queue_master:discard/4`.
    """
    text = "\n".join(line.partition("> ")[2] for line in log.splitlines())
    found = re.search(
        r"errorContext: child_terminated\s+reason: \{(?P<what>.*?),\s*"
        r"\[\{(?P<module>\w+),\s*(?P<function>\w+),\s*(?P<arity>\d+),",
        text,
        re.DOTALL,
    )
    if found is None:
        return None
    return "{what} in {module}:{function}/{arity}".format(**found.groupdict())
