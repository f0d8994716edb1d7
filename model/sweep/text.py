"""Instances of a sweep, as people read them and as Python takes them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ackproof.lang.data import show
from ackproof.lang.model import Instance
from ackproof.lang.types import EnumT, OptionT, Type
from ackproof.model.sweep.growth import Growth
from ackproof.model.sweep.looking import Candidate

__all__ = ["as_python", "differences"]


def differences(candidate: Candidate, faults: tuple[str, ...]) -> str:
    """Return what is not as in the smallest instance without faults."""
    parts = [f"{n} {sort}" for sort, n in candidate.shape.sizes if n != 1]
    for (name, keys), value in candidate.shape.values:
        member = f"[{', '.join(map(show, keys))}]" if keys else ""
        parts.append(f"{name}{member} = {show(value)}")
    if candidate.faults == faults and len(faults) > 1:
        parts.append("all faults")
    else:
        parts += candidate.faults
    return ", ".join(parts) or "the smallest"


def as_python(growth: Growth, instance: Instance) -> str:
    """Return an instance as a file with a design or a model may have it among its `instances`."""
    sizes = ", ".join(f"{sort.__name__}: {n}" for sort, n in instance.sizes.items())
    faults = ", ".join(f'"{name}": {n}' for name, n in instance.faults.items())
    types = {f"{v.owner}.{v.path[-1]}": v.type for v in growth.program.variables if v.const}
    lines = [
        "Instance(",
        f'    name="{instance.name}",',
        f'    purpose="{instance.purpose}",',
        f"    sizes={{{sizes}}},",
        f"    faults={{{faults}}},",
        "    constants={",
        *(f'        "{n}": {_constant(types[n], v)},' for n, v in instance.constants.items()),
        "    },",
        ")",
    ]
    return "\n".join(lines)


def _constant(t: Type, value: Any) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_quoted(k)}: {_written(t, v)}" for k, v in value.items()) + "}"
    return _written(t, value)


def _quoted(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)


def _written(t: Type, value: Any) -> str:
    """Return a value as Python."""
    inner = t.inner if isinstance(t, OptionT) else t
    if isinstance(inner, EnumT) and value is not None:
        return f"{inner.name}.{value}"
    if isinstance(value, frozenset):
        return "{" + ", ".join(map(_quoted, sorted(value, key=repr))) + "}" if value else "set()"
    return _quoted(value)
