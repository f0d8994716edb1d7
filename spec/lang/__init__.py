"""The specification language: a subset of Python that means what Python means.

Everything a specification needs is imported from here:

    from ackproof.spec.lang import Map, OrderedSort, Process, Set, handler, require

The classes run as plain Python.  The front end (`ackproof.spec.lang.frontend`) reads the same
source and produces the typed IR that the checker, the proofs and the documentation work from.
"""

from ackproof.spec.lang.model import Breaks, Design, Holds, Instance, Model
from ackproof.spec.lang.ordered import OrderedSet, least
from ackproof.spec.lang.process import (
    NotEnabled,
    Process,
    System,
    action,
    fault,
    handler,
    helper,
    on,
    require,
)
from ackproof.spec.lang.properties import (
    assumption,
    eventually,
    invariant,
    lemma,
    properties_in,
    reachable,
    restriction,
    step_property,
)
from ackproof.spec.lang.sorts import OrderedSort, Sort, bound
from ackproof.spec.lang.values import (
    Const,
    Each,
    Event,
    Ghost,
    Map,
    Option,
    Range,
    Record,
    Seq,
    Set,
)

__all__ = [
    "Breaks",
    "Const",
    "Design",
    "Each",
    "Event",
    "Ghost",
    "Holds",
    "Instance",
    "Map",
    "Model",
    "NotEnabled",
    "Option",
    "OrderedSet",
    "OrderedSort",
    "Process",
    "Range",
    "Record",
    "Seq",
    "Set",
    "Sort",
    "System",
    "action",
    "assumption",
    "bound",
    "eventually",
    "fault",
    "handler",
    "helper",
    "invariant",
    "least",
    "lemma",
    "on",
    "properties_in",
    "reachable",
    "require",
    "restriction",
    "step_property",
]
