"""Access: variables and parts of processes, entries of maps, fields of records, enum members."""

from __future__ import annotations

import ast
import enum
import inspect

from ackproof.spec.lang import ir
from ackproof.spec.lang.declare import hint_of, to_type, type_of_class
from ackproof.spec.lang.errors import SpecError
from ackproof.spec.lang.ir import Expr
from ackproof.spec.lang.process import Process, split_marks
from ackproof.spec.lang.reader import Reader, is_zero
from ackproof.spec.lang.scope import UNKNOWN
from ackproof.spec.lang.types import (
    EnumT,
    FamilyT,
    MapT,
    OptionT,
    ProcT,
    RecordT,
    SeqT,
    SortT,
    Type,
    written,
)
from ackproof.spec.lang.values import CONST, GHOST, Each

__all__ = ["Access"]


class Access(Reader):
    """Reads what a dot or brackets lead to."""

    def _attribute(self, node: ast.Attribute, expected: Type | None) -> Expr:
        outer = self.scope.static(node.value)
        if isinstance(outer, type) and issubclass(outer, enum.Enum):
            return self._member(node, outer)
        if inspect.ismodule(outer):
            found = getattr(outer, node.attr, UNKNOWN)
            if found is UNKNOWN:
                raise self.error(
                    node,
                    f"the module {outer.__name__} has no `{node.attr}`",
                    "define it there, or correct the name",
                )
            return self.constant(node, node.attr, found)
        return self.narrowed(self.field(node, self.expr(node.value), node.attr))

    def _member(self, node: ast.Attribute, cls: type[enum.Enum]) -> Expr:
        t = type_of_class(cls)
        if not isinstance(t, EnumT) or node.attr not in t.members:
            raise self.error(
                node,
                f"{cls.__name__} has no member `{node.attr}`",
                f"use one of {', '.join(cls.__members__)}",
            )
        return ir.Lit(node.attr, type=t, span=self.scope.span(node))

    def field(self, node: ast.AST, obj: Expr, name: str) -> Expr:
        """Return the field `name` of a process or record."""
        span = self.scope.span(node)
        if isinstance(obj.type, RecordT):
            t = obj.type.field(name)
            if t is None:
                have = ", ".join(n for n, _ in obj.type.fields) or "none"
                raise self.error(
                    node, f"{written(obj.type)} has no field `{name}`", f"its fields are: {have}"
                )
            return ir.Field(obj, name, type=t, span=span)
        if isinstance(obj.type, ProcT):
            t = self._declared(obj.type, name)
            if t is None:
                raise self._unknown_field(node, obj.type, name)
            return ir.Field(obj, name, type=t, span=span)
        if isinstance(obj.type, OptionT) and isinstance(obj.type.inner, RecordT):
            raise self.error(
                node,
                f"this may be None, and None has no field `{name}`",
                "test it first: `x is not None and …`",
            )
        raise self.error(
            node,
            f"a value of type {written(obj.type)} has no field `{name}`",
            "only processes and records have fields",
        )

    def _declared(self, t: ProcT, name: str) -> Type | None:
        """Return the type of a variable or part of a process, or None if there is none."""
        hint = hint_of(self.scope.registry.classes[t.name], name)
        if hint is None:
            return None
        inner, marks = split_marks(hint)
        if isinstance(inner, type) and issubclass(inner, Process):
            return ProcT(inner.__name__)
        if getattr(inner, "__origin__", None) is Each:
            sort, proc = inner.__args__
            key = type_of_class(sort)
            assert isinstance(key, SortT)
            return FamilyT(key, ProcT(proc.__name__))
        return to_type(hint, ir.NOWHERE, const=CONST in marks)

    def is_ghost(self, place: Expr) -> bool:
        """Tell whether an expression is a variable that is declared Ghost."""
        if not (isinstance(place, ir.Field) and isinstance(place.obj.type, ProcT)):
            return False
        hint = hint_of(self.scope.registry.classes[place.obj.type.name], place.name)
        return GHOST in split_marks(hint)[1]

    def _unknown_field(self, node: ast.AST, t: ProcT, name: str) -> SpecError:
        if hasattr(self.scope.registry.classes[t.name], name):
            return self.error(
                node,
                f"`{name}` is a method of {t.name}, not a value",
                "call a @helper for its value; other steps are called as statements",
            )
        return self.error(
            node,
            f"{t.name} declares no variable `{name}`",
            f"declare it in class {t.name} with its type, or correct the name",
        )

    def _subscript(self, node: ast.Subscript, expected: Type | None) -> Expr:
        obj = self.expr(node.value)
        span = self.scope.span(node)
        if isinstance(obj.type, MapT):
            key = self.expr(node.slice, obj.type.key)
            return self.narrowed(ir.Index(obj, key, type=obj.type.value, span=span))
        if isinstance(obj.type, FamilyT):
            key = self.expr(node.slice, obj.type.key)
            return ir.Index(obj, key, type=obj.type.proc, span=span)
        if isinstance(obj.type, SeqT):
            if is_zero(node.slice):
                return ir.Head(obj, type=obj.type.elem, span=span)
            raise self.error(
                node,
                "only the head of a sequence can be read by position",
                "read s[0] and take it with s.pop(0)",
            )
        raise self.error(
            node,
            f"a value of type {written(obj.type)} cannot be indexed",
            "index a Map by its key, or a family by an element of its sort",
        )
