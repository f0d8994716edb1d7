"""Confirms with one message more than `core`: ninety million states of three words.

It is no instance of the specification's own, for all of it in memory takes five gigabytes, and what
is made on every instance would be made on this one, too.
"""

from __future__ import annotations

from dataclasses import replace

from ackproof.spec.instances_queueing import CORE
from ackproof.spec.model import MODEL as CONFIRMS
from ackproof.spec.sorts import Msg

__all__ = ["MODEL"]

MODEL = replace(
    CONFIRMS,
    instances=(
        replace(
            CORE,
            name="three",
            purpose="as core, with three messages, and without a close",
            sizes={**CORE.sizes, Msg: 3},
            faults={"crash_queue": 1, "delete_queue": 1},
            states=88_206_658,
            table=False,
        ),
    ),
)
