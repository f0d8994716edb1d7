"""x."""

from ackproof.spec.lang import Instance
from ackproof.spec.sorts import Msg, Queue

INSTANCES = (Instance("tiny", "x", {Msg: 1, Queue: 1}),)
