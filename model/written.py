"""Code that was written before, for this design or another of its base: it is not written again.

What an action or a property becomes at the sizes of an instance hangs on little besides itself (see
`ackproof.model.lower.sizes`).  Whoever edits a design changes an action or two.  So all that was
found out and written for a program is kept in the cache, by the base and the instance, and whoever
writes the code of a design of that base begins with it.  What is taken from there was asked the
same questions, and got the same answers, as it would be now.

There is one such record for a base at the sizes of an instance: that of the first program there
was, or of the base itself.
"""

from __future__ import annotations

import pickle
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ackproof.lang.binding import Bound
from ackproof.lang.collection import without_collection
from ackproof.lang.kept import Use, given, used
from ackproof.model.cache import Cache, digest
from ackproof.model.programs import origin

if TYPE_CHECKING:
    from ackproof.model.lower.compile import Generated
    from ackproof.model.lower.held import Held

__all__ = ["generated"]

#: What entries are called in the cache.
_KIND = "written"


@dataclass(frozen=True)
class _Record:
    """What was used to write the code of a program.

    Args:
        held: what the base holds, for its designs.
        executed: what the analysis found out; see `ackproof.model.lower.fixed`.
        written: the code of actions and properties; see `ackproof.model.lower.generate`.
    """

    held: Held | None
    executed: list[Use]
    written: list[Use]


#: What the base holds, by the names of the records that are known here.
_KNOWN: dict[str, Held | None] = {}


def generated(bound: Bound, cache: Cache | None, version: str) -> Generated:
    """Return the code of a bound program, of which some may have been written before.

    Args:
        bound: the program at the sizes of an instance.
        cache: where records are kept.
        version: a digest of what writes code.

    Raises:
        BindError: a state of this instance does not fit.
    """
    from ackproof.model.lower.fixed import EXECUTED
    from ackproof.model.lower.generate import WRITTEN, generate
    from ackproof.model.lower.held import held_by, holding

    name = _name(bound, version) if cache else None
    if cache is None or name is None:
        return generate(bound)
    _load(name, cache)
    known = name in _KNOWN
    with used(EXECUTED) as executed, used(WRITTEN) as written:
        held = _KNOWN[name] if known and bound.design else held_by(bound)
        found = generate(bound, held)
        if known and bound.design:
            return found
        held = held if bound.design else holding(bound)
    _KNOWN[name] = held
    # What a specification of one's own computes with need not be made of bytes.
    with suppress(pickle.PicklingError, TypeError, AttributeError):
        record = _Record(held, executed, written)
        cache.put(_KIND, name, pickle.dumps(record, pickle.HIGHEST_PROTOCOL))
    return found


def _load(name: str, cache: Cache) -> None:
    """Take what a record has for known, if there is one and it is not known yet."""
    from ackproof.model.lower.fixed import EXECUTED
    from ackproof.model.lower.generate import WRITTEN

    data = None if name in _KNOWN else cache.get(_KIND, name)
    if data is not None:
        with without_collection():
            # It is the user's own, and whole.
            record: _Record = pickle.loads(data)
        given(record.executed, EXECUTED)
        given(record.written, WRITTEN)
        _KNOWN[name] = record.held


def _name(bound: Bound, version: str) -> str | None:
    """Return the name of the record of a base at the sizes of an instance, if that can be told."""
    whence = None if bound.folded else origin(bound.model)
    if whence is None:
        return None
    instance, chosen = bound.instance, [p.name for p in bound.properties]
    sizes = [(sort.__module__, sort.__name__, n) for sort, n in instance.sizes.items()]
    constants = [(name, repr(value)) for name, value in instance.constants.items()]
    said = (sizes, constants, dict(instance.faults), chosen, bound.program.deadlock_free)
    return digest(whence, version, repr(said))
