"""What is needed to read packed states without the specification that they are of.

A search may be looked at long after it ended, on a machine that has another version of the
specification.  So its folder says how its states are to be read: `describe` writes that down as
plain JSON, and `Schema.of` reads it.  The bits mean what `ackproof.model.lower.codec` says.

A variable is named by its path, as counterexamples name it, and has one value in a state.  One
that lies in families of processes is a map from their elements, as it is in the interchange format
(`ackproof.model.itf`): what a trace calls `replicas[r1].store.level[2]` is `replicas.store.level`,
a map from replicas to maps from messages to levels.  What is left of the budget of a fault is a
variable too, `budget.` and the fault.

Constants are there as well, for a question about states may need them: of which queue a process is,
say.  They are fixed.

A variable has one *leaf* for each combination of the keys of its maps, outermost first, the last
one fastest; or just one, if it is no map.  A leaf lies in some bits of one word, or, where it is
wider, of several; or it is fixed and lies nowhere, and the document has the bits it would have.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from ackproof.lang.data import Elements
from ackproof.lang.types import IntT, MapT, SortT, Type
from ackproof.model.lower.codec import Codec
from ackproof.model.lower.layout import Layout, Piece
from ackproof.model.lower.leaves import Leaf
from ackproof.model.lower.ops import WORD_BITS, Emitter
from ackproof.pipeline.types import type_from_json, type_to_json

__all__ = ["BUDGET", "Pieces", "Schema", "SchemaError", "StateVariable", "describe"]

#: What the names of variables begin with that hold what is left of the budget of a fault.
BUDGET = "budget."


class SchemaError(ValueError):
    """A description of packed states that this version cannot read."""


#: Where a leaf lies, from its lowest bits on.
Pieces = tuple[Piece, ...]


@dataclass(frozen=True)
class StateVariable:
    """A variable of the state, families included in its type.

    Args:
        name: its dotted path, without elements of families.
        type: of its value; a map for each family it lies in, outermost first.
        ghost: whether it is history, which behaviour does not depend on.
        leaves: where each leaf lies, or the bits of one that is fixed.
    """

    name: str
    type: Type
    ghost: bool
    leaves: tuple[Pieces | int, ...]

    @property
    def keys(self) -> tuple[Type, ...]:
        """The types of the keys of its maps, outermost first."""
        found, t = [], self.type
        while isinstance(t, MapT):
            found.append(t.key)
            t = t.value
        return tuple(found)

    @property
    def leaf(self) -> Type:
        """The type of each leaf."""
        t = self.type
        while isinstance(t, MapT):
            t = t.value
        return t


@dataclass(frozen=True)
class Schema:
    """How packed states are to be read.

    Args:
        words: 64-bit words of a state.
        elements: the elements of each sort, by the sort's name.
        variables: what a state consists of, in the order of the specification.
    """

    words: int
    elements: Elements
    variables: tuple[StateVariable, ...]

    @staticmethod
    def of(document: Mapping[str, Any]) -> Schema:
        """Return the schema that `describe` wrote.

        Raises:
            SchemaError: the document is not what `describe` writes.
        """
        try:
            elements = {name: tuple(found) for name, found in document["elements"].items()}
            variables = tuple(map(_variable, document["variables"]))
            schema = Schema(int(document["words"]), elements, variables)
            misfits = [v.name for v in variables if not schema._fits(v)]
        except (AttributeError, KeyError, TypeError, ValueError, AssertionError) as e:
            raise SchemaError(
                f"the description of the states is not of a form known here ({e!r})\n"
                "  instead: read them with the version of ackproof that wrote them"
            ) from e
        if misfits:
            raise SchemaError(
                f"the description of the states contradicts itself at {misfits[0]}\n"
                "  instead: restore the file search.json, or search again"
            )
        return schema

    def _fits(self, variable: StateVariable) -> bool:
        """Tell whether a variable has all its leaves, each within the words of a state."""
        codec = Codec(self.elements, Emitter())
        expected = math.prod(codec.cardinality(key) for key in variable.keys)
        width = codec.bits(variable.leaf)
        return len(variable.leaves) == expected and all(
            0 <= x < 2**width if isinstance(x, int) else self._inside(x, width)
            for x in variable.leaves
        )

    def _inside(self, pieces: Pieces, width: int) -> bool:
        """Tell whether pieces are in words of a state, and all but the last fill one."""
        whole = [WORD_BITS] * (width // WORD_BITS) + [width % WORD_BITS] * (width % WORD_BITS > 0)
        return [p.width for p in pieces] == whole and all(
            p.shift >= 0 and p.shift + p.width <= WORD_BITS and 0 <= p.word < self.words
            for p in pieces
        )


def describe(layout: Layout) -> dict[str, Any]:
    """Return, as plain JSON, all that is needed to read the states of a layout."""
    bound = layout.bound
    places: dict[str, list[dict[str, Any]]] = {v.name: [] for v in bound.program.variables}
    for leaf in layout.types:
        if leaf.location >= 0:
            name = bound.locations[leaf.location].variable.name
            places[name].append(_place(layout, leaf))
    types = {v.name: v.type for v in bound.program.variables}
    for (name, _), value in bound.constants.items():
        places[name].append({"fixed": _bits(layout, types[name], value)})
    variables = [
        {
            "name": v.name,
            "type": type_to_json(_in_families(v.type, v.families)),
            "ghost": v.ghost,
            "leaves": places[v.name],
        }
        for v in bound.program.variables
    ]
    budgets = [
        {
            "name": f"{BUDGET}{fault}",
            "type": type_to_json(IntT(0, budget)),
            "ghost": False,
            "leaves": [_place(layout, layout.leaves.budget(fault))],
        }
        for fault, budget in bound.budgets.items()
    ]
    elements = {name: list(found) for name, found in bound.elements.items()}
    return {"words": layout.words, "elements": elements, "variables": variables + budgets}


def _bits(layout: Layout, t: Type, value: Any) -> int:
    """Return the bits that some data would be stored as."""
    return int(layout.codec.store(t, layout.codec.from_data(t, value)))


def _in_families(t: Type, families: tuple[SortT, ...]) -> Type:
    for sort in reversed(families):
        t = MapT(sort, t)
    return t


def _place(layout: Layout, leaf: Leaf) -> dict[str, Any]:
    if leaf in layout.fixed:
        bits = layout.codec.store(layout.types[leaf], layout.fixed[leaf])
        return {"fixed": int(bits)}
    return {"pieces": [asdict(piece) for piece in layout.slots[leaf].pieces]}


def _variable(document: Mapping[str, Any]) -> StateVariable:
    return StateVariable(
        name=str(document["name"]),
        type=type_from_json(document["type"]),
        ghost=bool(document["ghost"]),
        leaves=tuple(
            x["fixed"] if "fixed" in x else tuple(Piece(**piece) for piece in x["pieces"])
            for x in document["leaves"]
        ),
    )
