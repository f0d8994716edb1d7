"""The specification language: a subset of Python that means what Python means.

Everything a specification needs is imported from here:

    from ackproof.lang import Map, OrderedSort, Process, Set, handler, require

The classes run as plain Python.  The front end (`ackproof.lang.frontend`) reads the same
source and produces the typed IR that the checker, the proofs and the documentation work from.
"""

from ackproof.lang.model import Breaks, Design, Holds, Instance, Model
from ackproof.lang.ordered import OrderedSet, least
from ackproof.lang.process import (
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
from ackproof.lang.properties import (
    assumption,
    constraint,
    eventually,
    initially,
    invariant,
    leads_to,
    lemma,
    properties_in,
    reachable,
    restriction,
    step_property,
)
from ackproof.lang.rankings import Ranking, helpful, measure
from ackproof.lang.sorts import OrderedSort, Owned, OwnedSort, Sort, bound
from ackproof.lang.values import (
    Const,
    Each,
    Event,
    Ghost,
    Key,
    Map,
    Option,
    Range,
    Record,
    Seq,
    Set,
    anything,
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
    "Key",
    "Map",
    "Model",
    "NotEnabled",
    "Option",
    "OrderedSet",
    "OrderedSort",
    "Owned",
    "OwnedSort",
    "Process",
    "Range",
    "Ranking",
    "Record",
    "Seq",
    "Set",
    "Sort",
    "System",
    "action",
    "anything",
    "assumption",
    "bound",
    "constraint",
    "eventually",
    "fault",
    "handler",
    "helper",
    "helpful",
    "initially",
    "invariant",
    "leads_to",
    "least",
    "lemma",
    "measure",
    "on",
    "properties_in",
    "reachable",
    "require",
    "restriction",
    "step_property",
]
