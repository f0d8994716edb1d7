"""Translation: the classes of a specification, written anew for a program.

For each class of a system there is one that extends it.  It has the same variables, and the steps
and helpers that the system's actions come to, each as folding leaves it.  What every class inherits
is written into it, so that a reader sees a step in one place.

Folding goes round until it finds nothing new: a step in which nothing is left makes calls of it go,
and that may leave nothing of another one.  What is left is put together (`inlining`), and says
nothing twice (`requirements`, `hoisting`).

A process class may be *replaced*: a program brings another one, which does the same by other means
(the order in a queue by numbers instead of by sets).  Its methods are called and not looked into,
but for one thing: an argument that it does not look at is not computed.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from types import CodeType, FunctionType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from ackproof.lang.binding import Bound
from ackproof.lang.collection import without_collection
from ackproof.lang.data import from_data
from ackproof.lang.process import NotEnabled, Process, System, constants_of, mark_of
from ackproof.lang.sorts import OwnedSort, Sort
from ackproof.lang.source import function_ast, names_of
from ackproof.lang.values import Event, Map
from ackproof.model.native.classes import (
    CHANGES,
    Layout,
    Variable,
    declarations,
    method_chain,
    steps_of,
    uses,
)
from ackproof.model.native.entries import with_plain_entries
from ackproof.model.native.families import having
from ackproof.model.native.folding import Facts, folded, is_impossible, is_literal, sort_of
from ackproof.model.native.hoisting import hoisted
from ackproof.model.native.inlining import Method, MethodKey, inline
from ackproof.model.native.kept import loaded
from ackproof.model.native.normal import in_normal_form
from ackproof.model.native.packing import packed
from ackproof.model.native.requirements import raising, without_known
from ackproof.model.native.sharing import sharing
from ackproof.model.native.trees import Transformer, copied, walk
from ackproof.model.native.triggers import Waking
from ackproof.model.native.waking import add_waking

__all__ = ["Translation", "translate", "translate_instance"]

#: What of a process class is a step by itself.
_ACTIONS = {"action", "fault"}


@dataclass(frozen=True)
class Translation:
    """A system for a program.

    Attributes:
        text: of the module, as Python.
        classes: those of the module, by those that they extend.
        impossible: the actions and faults that nothing enables, by name.
        code: of the module, compiled.
        names: what the names in it mean.
    """

    text: str
    classes: Mapping[type[Process], type[Process]]
    impossible: frozenset[str]
    code: CodeType
    names: Mapping[str, Any]


@without_collection()
def translate(
    system: type[System],
    *,
    players: Mapping[str, type[Process]] | None = None,
    constants: Mapping[str, Any] | None = None,
    empty: Iterable[type[Sort]] = (),
    without: Iterable[str] = (),
    bounded: bool = False,
    growing: bool = False,
    replaced: Mapping[type[Process], type[Process]] | None = None,
    besides: Collection[str] = (),
    unheard: Collection[type[Event]] = (),
    waking: Waking | None = None,
) -> Translation:
    """Translate the classes of a system.

    Args:
        system: the class of the whole, as a design has it.
        players: the classes that a design has put in the place of others, by the names of those.
        constants: values of constants that are the same for all processes of a class, by the name
            of the class and that of the constant: `{"Confirms.credit": False}`.
        empty: sorts that have no elements.
        without: names of actions and faults that never happen.
        bounded: sorts have elements where it runs, as in an instance.
        growing: its families grow, elements of ordered sorts are integers without end, and those of
            owned sorts say their owners.
        replaced: classes of which the program brings other ones, and those.
        besides: methods that the program calls besides actions: names of those of the system, and
            of those of other classes with the name of the class, `Casts.monitor`.
        unheard: events that nobody is told of.
        waking: the actions of which the program has to learn when they may be possible.

    Raises:
        LookupError: there is no such constant; or a step ranges over a sort that no family has
            members for.
    """
    layout = Layout(system, players or {})
    others = replaced or {}
    classes = [cls for cls in layout.classes() if cls not in others]
    known = dict(_constants(constants or {}, classes))
    facts = Facts(layout, known, frozenset(empty), unheard=frozenset(unheard))
    for cls, other in others.items():
        for name in steps_of(cls):
            _look_at(other, name, (cls, name), facts)
    methods = {(cls, name): m for cls in classes for name, m in _methods(cls, layout)}
    for name in without:
        methods[system, name].tree.body = ast.parse("require(False)").body
    roots = [key for key in methods if _is_action(*key)] + list(_named(besides, system, classes))
    wanted = _settle(methods, facts, classes, roots)
    for key in sorted(wanted, key=str) if not bounded else ():
        _reject_ranges(key[0], methods[key])
    impossible = {
        n for c, n in wanted if _is_action(c, n) and is_impossible(methods[c, n].tree.body[-1])
    }
    left = {key: methods[key] for key in methods if key in wanted}
    inline(left, layout)
    _fold(left, facts)
    if waking is not None:
        waking = _possible(waking, impossible)
        add_waking(left, layout, waking, _sorts(methods))
        roots += [(system, f"may_{name}") for name in waking.handles]
    called = _reachable(layout, left, roots)
    left = {key: method for key, method in left.items() if key in called}
    for (cls, _), method in left.items():
        method.tree.body = without_known(method.tree.body)
        method.tree = with_plain_entries(method.tree, method.names, cls, layout)
        method.tree = raising(sharing(hoisted(method.tree, cls, layout)))
        if growing:
            method.tree = packed(method.tree, method.names, cls, layout)
    text = _module(left, classes, facts)
    names = _names(left, classes, facts.enums)
    code = compile(text, "<ackproof native>", "exec")
    return Translation(
        text, _described(loaded(code, names, classes)), frozenset(impossible), code, names
    )


def _possible(waking: Waking, impossible: Collection[str]) -> Waking:
    """Return what is left to be learnt where some actions are impossible."""
    handles = {name: known for name, known in waking.handles.items() if name not in impossible}
    triggers = tuple(t for t in waking.triggers if t.action in handles)
    return Waking(handles, triggers)


def _sorts(methods: _Methods) -> Mapping[str, type[Sort]]:
    """Return the sorts that methods speak of, by name."""
    found = (value for method in methods.values() for value in method.names.values())
    return {s.__name__: s for s in found if isinstance(s, type) and issubclass(s, Sort)}


def _look_at(other: type[Process], name: str, called: MethodKey, facts: Facts) -> None:
    """Note of a method of a class that the program brings whether it does anything, and of what."""
    _, tree = function_ast(getattr(other, name))
    read, args = uses(tree), tree.args.args[1:]
    facts.ignored[called] = frozenset(i for i, arg in enumerate(args) if arg.arg not in read)
    if all(
        isinstance(stmt, ast.Expr) and isinstance(stmt.value, ast.Constant) for stmt in tree.body
    ):
        facts.idle.add(called)


def translate_instance(bound: Bound) -> Translation:
    """Translate a system for an instance: with its constants, and without what it switches off."""
    program, players = bound.program, bound.program.players
    root: Any = players[program.root]
    values: dict[str, set[Any]] = {}
    for v in program.variables:
        if v.const:
            hint = declarations(players[v.owner])[v.path[-1]]
            given = [value for (name, _), value in bound.constants.items() if name == v.name]
            known = [from_data(value, hint) for value in given]
            values.setdefault(f"{v.owner}.{v.path[-1]}", set()).update(known)
    return translate(
        root,
        players=players,
        constants={name: value for name, (value, *more) in _settled(values) if not more},
        empty=[s for s in bound.sizes if not bound.elements[s.__name__]],
        bounded=True,
        without=[a.method for a in program.actions if a not in bound.actions and not a.path],
        # Nothing calls an observer by name: whoever emits does not know who hears.
        besides=[name for name in steps_of(root) if _is_observer(root, name)],
    )


def _settled(values: Mapping[str, set[Any]]) -> Iterator[tuple[str, list[Any]]]:
    """Yield the constants of which each value is one that can be written down."""
    for name, known in values.items():
        if known and all(map(is_literal, known)):
            yield name, list(known)


def _constants(
    given: Mapping[str, Any], classes: Iterable[type[Process]]
) -> Iterator[tuple[MethodKey, Any]]:
    """Yield the constants that are given, by the class that declares them and their name."""
    for name, value in given.items():
        owner, _, constant = name.partition(".")
        found = [c for c in classes if owner in (base.__name__ for base in c.__mro__)]
        cls: Any = found[0] if found else Process
        if constant not in constants_of(cls):
            raise LookupError(f"there is no constant {name!r}")
        yield (cls, constant), value


def _named(
    besides: Iterable[str], system: type[System], classes: Iterable[type[Process]]
) -> Iterator[MethodKey]:
    """Yield the methods that are called besides actions, by class and name."""
    for given in besides:
        owner, _, name = given.rpartition(".")
        owners = [c for c in classes if owner in (base.__name__ for base in c.__mro__)]
        yield (owners[0] if owner else system), name


_Methods = Mapping[MethodKey, Method]


# -- methods ---------------------------------------------------------------------------------------


def _methods(cls: type[Process], layout: Layout) -> Iterator[tuple[str, Method]]:
    """Yield the methods of a class, what it inherits among them, each under a name of its own."""
    for name in steps_of(cls):
        chain = method_chain(cls, name)
        for depth, function in enumerate(chain):
            _, tree = function_ast(function)
            tree = copied(tree)
            tree.name = _inherited(name, depth)
            called = _Super(name, depth)
            called.visit(tree)
            _strip(tree)
            in_normal_form(tree, cls, layout)
            yield tree.name, Method(tree, names_of(function))
            if not called.found:
                break


def _inherited(name: str, depth: int) -> str:
    return name if depth == 0 else f"_{name}_{depth}"


class _Super(Transformer):
    """Turns a call of the same method of a base class into one of a method of this class."""

    def __init__(self, name: str, depth: int) -> None:
        self._name = name
        self._depth = depth
        self.found = False

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        self.generic_visit(node)
        match node:
            case ast.Attribute(value=ast.Call(func=ast.Name(id="super"), args=[]), attr=self._name):
                self.found = True
                me = ast.Name("self", ast.Load())
                return ast.Attribute(me, _inherited(self._name, self._depth + 1), ast.Load())
        return node


def _strip(tree: ast.FunctionDef) -> None:
    """Leave out what Python does not need to run a method."""
    tree.decorator_list = []
    tree.returns = None
    for arg in tree.args.args:
        arg.annotation = None


def _fold(methods: _Methods, facts: Facts) -> None:
    """Fold all methods, until nothing new is found out."""
    size = -1
    while size != len(facts.always) + len(facts.idle):
        size = len(facts.always) + len(facts.idle)
        for (cls, name), method in methods.items():
            body = folded(method.tree.body, cls, method.names, facts)
            method.tree.body = body or [ast.Pass()]
            match body:
                case [ast.Return(value=ast.Constant(value=value))]:
                    facts.always[cls, name] = value
                case [ast.Return(value=ast.Call(func=ast.Name(id="set"), args=[], keywords=[]))]:
                    facts.always[cls, name] = frozenset()
                case [] | [ast.Pass()]:
                    facts.idle.add((cls, name))


def _settle(
    methods: _Methods, facts: Facts, classes: Iterable[type[Process]], roots: Iterable[MethodKey]
) -> set[MethodKey]:
    """Fold all methods with what no step changes, and return those that the roots come to.

    What no step changes decides what is possible, and that decides what no step changes.  So all
    variables are supposed to stay as they are, then all but those that a step would change that is
    possible then, until the rest does stay: what holds at first, and is kept by each step that is
    possible while it holds, holds always.

    Of the `classes` it is known what changes them; of others, which the program brings, it is not.
    """
    supposed = {key: value for cls in classes for key, value in _candidates(cls, facts)}
    while True:
        trial = {key: Method(copied(m.tree), m.names) for key, m in methods.items()}
        known = replace(facts, always={}, idle=set(facts.idle), supposed=supposed)
        _fold(trial, known)
        wanted = _reachable(facts.layout, trial, roots)
        changed = set().union(*(_changed(trial[key], key[0], known) for key in wanted))
        left = {key: value for key, value in supposed.items() if key not in changed}
        if len(left) == len(supposed):
            break
        supposed = left
    facts.unchanged.update(supposed)
    _fold(methods, facts)
    return _reachable(facts.layout, methods, roots)


def _changed(method: Method, cls: type[Process], facts: Facts) -> Iterator[MethodKey]:
    """Yield the variables to which a method adds something, or gives another value."""
    place = facts.layout.place
    for node in walk(method.tree):
        match node:
            case ast.Assign(targets=[target], value=value):
                variable = place(target, cls)
                if isinstance(variable, Variable) and _is_first(value, variable, facts):
                    continue
            case ast.AugAssign(target=target, op=op) if _takes_away(op, target, cls, facts):
                continue
            case ast.AugAssign(target=target):
                pass
            case ast.Call(func=ast.Attribute(value=target, attr=attr)) if (
                CHANGES.get(attr) == "more"
            ):
                pass
            case _:
                continue
        variable = place(target, cls)
        if isinstance(variable, Variable):
            yield variable.owner, variable.name


def _is_first(value: ast.expr, variable: Variable, facts: Facts) -> bool:
    """Tell whether a value is what a variable, or an entry of one, has from the beginning."""
    first = variable.first
    written = facts.literal(first) if is_literal(first) else None
    return written is not None and ast.unparse(written) == ast.unparse(value)


def _takes_away(op: ast.operator, target: ast.expr, cls: type[Process], facts: Facts) -> bool:
    """Tell whether an operator only takes something out of a set."""
    variable = facts.layout.place(target, cls)
    is_set = isinstance(variable, Variable) and get_origin(variable.hint) in (set, Map)
    return is_set and isinstance(op, ast.Sub | ast.BitAnd)


def _candidates(cls: type[Process], facts: Facts) -> Iterator[tuple[MethodKey, Any]]:
    """Yield the variables of a class whose first value can be written down, and that value."""
    for name in declarations(cls):
        variable = facts.layout.declared(cls, name)
        if not isinstance(variable, Variable) or variable.ghost:
            continue
        if variable.const or variable.key or _is_of_its_member(variable):
            continue
        if is_literal(variable.first):
            yield (cls, name), variable.first


def _is_of_its_member(variable: Variable) -> bool:
    """Tell whether a variable starts with an element that belongs to the member it lies in."""
    optional = get_origin(variable.hint) in (Union, UnionType)
    kinds = get_args(variable.hint) if optional else (variable.hint,)
    return variable.first is not None and any(
        isinstance(one, type) and issubclass(one, OwnedSort) for one in kinds
    )


def _is_observer(cls: type[Process], name: str) -> bool:
    mark = mark_of(getattr(cls, name, None))
    return mark is not None and mark.kind == "observer"


def _is_action(cls: type[Process], name: str) -> bool:
    mark = mark_of(getattr(cls, name, None))
    return mark is not None and mark.kind in _ACTIONS


def _reachable(layout: Layout, methods: _Methods, roots: Iterable[MethodKey]) -> set[MethodKey]:
    """Return the methods that some of them come to."""
    waiting = [key for key in roots if key in methods]
    found = set(waiting)
    while waiting:
        cls, name = waiting.pop()
        for node in walk(methods[cls, name].tree):
            if isinstance(node, ast.Attribute):
                owner = layout.place(node.value, cls)
                key = (owner, node.attr)
                if isinstance(owner, type) and key in methods and key not in found:
                    found.add((owner, node.attr))
                    waiting.append((owner, node.attr))
    return found


def _reject_ranges(cls: type[Process], method: Method) -> None:
    """Reject a method that ranges over a sort of which nobody knows the elements.

    Raises:
        LookupError: it does.
    """
    for node in walk(method.tree):
        if isinstance(node, ast.For | ast.comprehension):
            sort = sort_of(node.iter, method.names)
            if sort is not None:
                raise LookupError(
                    f"{cls.__name__}.{method.tree.name} ranges over all of {sort.__name__}, and "
                    f"{cls.__name__} has no family of processes that says which there are; "
                    "let it range over a set"
                )


# -- the module ------------------------------------------------------------------------------------


def _module(methods: _Methods, classes: Iterable[type[Process]], facts: Facts) -> str:
    parts = []
    for cls in classes:
        # What the program has settled is so for the methods of the specification, too.
        body: list[ast.stmt] = [
            ast.Assign([ast.Name(name, ast.Store())], facts.literal(value))
            for (of, name), value in facts.constants.items()
            if of is cls and is_literal(value)
        ]
        body += [m.tree for (of, _), m in methods.items() if of is cls]
        bases: list[ast.expr] = [ast.Name(f"_{cls.__name__}", ast.Load())]
        parts.append(ast.ClassDef(cls.__name__, bases, [], body or [ast.Pass()], []))
    module = ast.fix_missing_locations(ast.Module(list(parts), []))
    return ast.unparse(module) + "\n"


def _names(
    methods: _Methods, classes: Iterable[type[Process]], enums: Mapping[str, type[Enum]]
) -> dict[str, Any]:
    """Return what the names in the text of a module mean: what they meant where it was written."""
    names: dict[str, Any] = {}
    for method in methods.values():
        for node in walk(method.tree):
            if isinstance(node, ast.Name) and node.id in method.names:
                found = method.names[node.id]
                if names.setdefault(node.id, found) is not found:
                    raise LookupError(f"two modules mean different things by {node.id!r}")
    names |= {**enums, "having": having, "NotEnabled": NotEnabled}
    return names | {f"_{cls.__name__}": cls for cls in classes}


def _described(
    classes: Mapping[type[Process], type[Process]],
) -> Mapping[type[Process], type[Process]]:
    """Return classes of which each method says what the one that it stands for says of itself."""
    for cls, made in classes.items():
        for name, method in vars(made).items():
            original = getattr(cls, name, None)
            if isinstance(method, FunctionType) and original is not None:
                method.__doc__ = original.__doc__
                method.__annotations__ = get_type_hints(original, include_extras=True)
    return classes
