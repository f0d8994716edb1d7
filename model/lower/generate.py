"""Generating: the LLVM text of a bound program.

`expand` takes a batch of packed states and writes all their successors; what it does for one action
is written by `ackproof.model.lower.tree`.  `inspect` evaluates the properties of states on a batch
of new ones, and `falsify` writes a mask of the properties of runs that are false in each state.
Where a program has very many action instances, the code of some at a time becomes a function of its
own, as the time that LLVM takes grows faster than the length of a function.

The code of an action hangs on nothing that is written before it.  So it is kept for other designs,
which have most actions in common, and most often all that these speak of; see `sizes`.

Where states are folded, the successors of a batch are given their canonical names as the last of
all; see `ackproof.model.lower.canonical`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, assert_never

from ackproof.lang.binding import Bound
from ackproof.lang.collection import without_collection
from ackproof.lang.data import domain_size
from ackproof.lang.kept import Latest, Store, kept
from ackproof.lang.likeness import likeness, stated
from ackproof.lang.program import Action, PropertyDecl
from ackproof.lang.properties import ASSERTION, DEADLOCK, DEFINED
from ackproof.lang.types import Type
from ackproof.model.cache import digest
from ackproof.model.limits import MOST_PROPERTIES
from ackproof.model.lower.access import Access
from ackproof.model.lower.canonical import canonical_text
from ackproof.model.lower.codec import Codec
from ackproof.model.lower.evaluate import Evaluator
from ackproof.model.lower.execute import Run, judge
from ackproof.model.lower.fixed import fixed, is_idle
from ackproof.model.lower.held import Held, held_by
from ackproof.model.lower.layout import Known, Layout, Slot
from ackproof.model.lower.leaves import Leaf
from ackproof.model.lower.ops import Bit, Emitter, Word
from ackproof.model.lower.sizes import Sizes
from ackproof.model.lower.state import PackedState, SymbolicState
from ackproof.model.lower.tables import Tables, tables_of
from ackproof.model.lower.tree import Tree
from ackproof.model.widths import refuse_wide_types

__all__ = ["NO_INSTANCE", "WRITTEN", "Generator", "generate"]

#: Words of bits that say which properties are false.
_MASK_WORDS = MOST_PROPERTIES // 64
#: What a record of a violation has: see `control`.
_FIELDS = ("%i", "%instance", *(f"%bad.{n}" for n in range(_MASK_WORDS)))
_RECORDED = ", ".join(f"i64 {field}" for field in _FIELDS)
_STORED = "\n".join(
    f"  {field}.at = getelementptr i64, ptr %record, i64 {place}\n"
    f"  store i64 {field}, ptr {field}.at"
    for place, field in enumerate(_FIELDS, start=2)
)

#: What the generated functions call.  `record` appends to the violations while there is room; it
#: is rarely called, and kept out of line.
_PRELUDE = f"""declare i64 @llvm.cttz.i64(i64, i1)
declare i64 @llvm.ctlz.i64(i64, i1)
declare i64 @llvm.ctpop.i64(i64)
define internal void @record({_RECORDED}, ptr %viol) noinline cold nounwind {{
  %used = load i64, ptr %viol
  %room.at = getelementptr i64, ptr %viol, i64 1
  %room = load i64, ptr %room.at
  %free = icmp slt i64 %used, %room
  br i1 %free, label %append, label %done
append:
  %offset = mul i64 %used, {len(_FIELDS)}
  %record = getelementptr i64, ptr %viol, i64 %offset
{_STORED}
  %more = add i64 %used, 1
  store i64 %more, ptr %viol
  br label %done
done:
  ret void
}}
"""
#: What `expand` is given besides the number of states.
_EXPAND = (
    "ptr noalias %states, ptr noalias %out, ptr noalias %metas, "
    "ptr noalias %counts, ptr noalias %seen, ptr noalias %viol"
)
#: `expand` where states are folded.
_FOLDED = f"""define i64 @expand(i64 %n, {_EXPAND}) nounwind {{
  %written = call i64 @successors(i64 %n, {_EXPAND.replace("noalias ", "")})
  %folded = call i64 @fold(i64 %written, ptr %out)
  ret i64 %written
}}
"""
NO_INSTANCE = 0xFFFFFFFF
#: A program with more instances than this is written in pieces.
WHOLE_INSTANCES = 256


@dataclass(frozen=True)
class _Written:
    """The code of an action.

    Args:
        text: what stands in `expand`.
        pieces: functions of its own.
        fanout: how many instances may have a successor.
    """

    text: str
    pieces: tuple[str, ...]
    fanout: int

    @property
    def size(self) -> int:
        """How much it takes to keep, in characters."""
        return 1_000 + len(self.text) + sum(map(len, self.pieces))


#: The code of actions, some hundred megabytes at most.
WRITTEN: Store = Latest(100_000_000, lambda made: sum(one.result.size for one in made))


class _Bad:
    """The properties that are false, as words of bits, while code is written that finds them."""

    def __init__(self, ops: Emitter) -> None:
        self._ops = ops
        self.masks: list[Word] = [0] * _MASK_WORDS

    def add(self, number: int, wrong: Bit) -> None:
        """Set the bit of a property where something is true."""
        word, bit = divmod(number, 64)
        set_ = self._ops.left(self._ops.widen(wrong), bit)
        self.masks[word] = self._ops.either(self.masks[word], set_)


class Generator(Sizes):
    """Writes the text of the functions.

    Args:
        bound: the program at the sizes of an instance.
        held: what the base of its design holds, if it has one.
    """

    def __init__(self, bound: Bound, held: Held | None) -> None:
        refuse_wide_types(bound)
        super().__init__(bound)
        own = fixed(bound)
        self.fixed = held.with_design(own) if held else own
        self.layout = Layout(bound, self.fixed.leaves, held.is_late if held else None)
        self.tables = tables_of(bound, self.fixed.vacuous)
        self.ops = Emitter()
        self.codec = Codec(bound.elements, self.ops)
        self.access = Access(self, self.codec)
        self.properties = {p.name: p for p in bound.properties}
        self.step_number = {name: bit for bit, name in self.tables.step_bits.items()}
        self.fanout = 0
        self._instance_base = 0
        self.in_pieces = sum(map(self._choices, self._alive())) > WHOLE_INSTANCES
        self._pieces: list[str] = []

    # -- functions ------------------------------------------------------------------------------

    def text(self) -> str:
        """Return the module as LLVM text."""
        folded = self.bound.folded
        self._loop("successors" if folded else "expand", _EXPAND, self._expand)
        self._loop(
            "inspect", "ptr noalias %states, ptr noalias %seen, ptr noalias %viol", self._inspect
        )
        if self.tables.run_bits:
            self._loop("falsify", "ptr noalias %states, ptr noalias %masks", self._falsify)
        text = _PRELUDE + "\n".join([*self._pieces, *self.ops.lines]) + "\n"
        if not folded:
            return text
        constants, functions = canonical_text(self.layout, folded)
        return constants + text + functions + _FOLDED

    def _loop(self, name: str, params: str, body: Any) -> None:
        ops = self.ops
        ops.lines.append(f"define i64 @{name}(i64 %n, {params}) nounwind {{")
        ops.label("entry")
        ops.line("%enabled = alloca i64")
        ops.line("%written = alloca i64")
        ops.line("store i64 0, ptr %written")
        ops.line("%any = icmp sgt i64 %n, 0")
        ops.line("br i1 %any, label %loop, label %end")
        ops.label("loop")
        ops.line("%i = phi i64 [ 0, %entry ], [ %next, %latch ]")
        with ops.scope():
            words = tuple(self._load_word(k) for k in range(self.layout.words))
            body(words)
        ops.line("br label %latch")
        ops.label("latch")
        ops.line("%next = add i64 %i, 1")
        ops.line("%more = icmp slt i64 %next, %n")
        ops.line("br i1 %more, label %loop, label %end")
        ops.label("end")
        ops.line("%result = load i64, ptr %written")
        ops.line("ret i64 %result")
        ops.lines.append("}")

    def _load_word(self, k: int) -> str:
        at = self.ops.define(f"mul i64 %i, {self.layout.words}")
        index = self.ops.define(f"add i64 {at}, {k}")
        pointer = self.ops.define(f"getelementptr i64, ptr %states, i64 {index}")
        return self.ops.define(f"load i64, ptr {pointer}")

    def state(self, words: tuple[Word, ...]) -> PackedState:
        """Return the state that some packed words hold."""
        return PackedState(self, self.codec, words)

    @property
    def types(self) -> Mapping[Leaf, Type]:
        """The type of each leaf of a state."""
        return self.layout.types

    def where(self, leaf: Leaf) -> Slot | Known | None:
        """Return where a leaf lies or what it is known to be; None if there is no such leaf."""
        self.ask(_place, leaf)
        return self.layout.where(leaf)

    # -- inspect --------------------------------------------------------------------------------

    def _inspect(self, words: tuple[Word, ...]) -> None:
        bits = (self.tables.state_bits, self.tables.seen_bits)
        states = [stated(p) for p in self.bound.properties if not p.of_steps]
        idle = sorted(self.fixed.vacuous | self.fixed.off)
        key = ("inspect", words, self.given, digest(repr((bits, states, idle))))
        self._write("_inspect_", key, lambda: self._judge(words))

    def _judge(self, words: tuple[Word, ...]) -> None:
        ops = self.ops
        bad = _Bad(ops)
        for bit, name in self.tables.state_bits.items():
            prop = self.properties[name]
            bad.add(bit, ops.no(self._evaluator(self.state(words), prop.roots).bit(prop.body)))
        for bit, name in self.tables.seen_bits.items():
            prop = self.properties[name]
            if not prop.of_steps and name not in self.fixed.off:
                holds = self._evaluator(self.state(words), prop.roots).bit(prop.body)
                self._witness(bit, holds)
        self._record(bad, NO_INSTANCE)

    def _falsify(self, words: tuple[Word, ...]) -> None:
        bits = (self.tables.run_bits, self.tables.asked_bits)
        runs = [stated(p) for p in self.bound.properties if p.of_runs]
        bounds = [stated(p) for p in self.bound.constraints]
        said = (bits, runs, bounds, sorted(self.fixed.vacuous))
        key = ("falsify", words, self.given, digest(repr(said)))
        self._write("_falsify_", key, lambda: self._ask_of_runs(words))

    def _ask_of_runs(self, words: tuple[Word, ...]) -> None:
        ops = self.ops
        false: Word = 0
        asked = {name: bit for bit, name in self.tables.asked_bits.items()}
        for bit, name in self.tables.run_bits.items():
            if name in self.fixed.vacuous:
                continue
            prop = self.properties[name]
            evaluator = self._evaluator(self.state(words), prop.roots)
            missing = ops.no(evaluator.bit(prop.body))
            false = ops.either(false, ops.left(ops.widen(missing), bit))
            if prop.trigger is not None:
                due = ops.all(evaluator.bit(prop.trigger), missing)
                false = ops.either(false, ops.left(ops.widen(due), asked[name]))
        # Nobody knows how a run goes on from a state that is cut.
        false = ops.choose(self._within(words), false, 0)
        pointer = ops.define("getelementptr i64, ptr %masks, i64 %i")
        ops.line(f"store i64 {false}, ptr {pointer}")

    def _evaluator(self, state: SymbolicState, roots: tuple[str, ...]) -> Evaluator:
        return Evaluator(self.access, dict.fromkeys(roots, state), {})

    def _witness(self, bit: int, holds: Bit) -> None:
        if holds is False:
            return
        pointer = self.ops.shared(
            ("seen", bit // 64), f"getelementptr i64, ptr %seen, i64 {bit // 64}"
        )
        old = self.ops.define(f"load i64, ptr {pointer}")
        new = self.ops.either(old, self.ops.left(self.ops.widen(holds), bit % 64))
        self.ops.line(f"store i64 {new}, ptr {pointer}")

    def _record(self, bad: _Bad, instance: int) -> None:
        """Append a violation record where a bit is set and there is room."""
        some: Bit = False
        for mask in bad.masks:
            some = self.ops.any(some, self.ops.no(self.ops.equal(mask, 0)))
        if some is False:
            return
        masks = ", ".join(f"i64 {mask}" for mask in bad.masks)
        with self.ops.when(some):
            self.ops.line(f"call void @record(i64 %i, i64 {instance}, {masks}, ptr %viol)")

    # -- expand ---------------------------------------------------------------------------------

    def _within(self, words: tuple[Word, ...]) -> Bit:
        """Return whether all constraints are true of a state."""
        within: Bit = True
        for prop in self.bound.constraints:
            holds = self._evaluator(self.state(words), prop.roots).bit(prop.body)
            within = self.ops.all(within, holds)
        return within

    def _expand(self, words: tuple[Word, ...]) -> None:
        within = self._within(words)
        if within is True:
            self._steps(words)
            return
        with self.ops.when(self.ops.no(within)):
            self._count(len(self.bound.actions))
        if within is not False:
            with self.ops.when(within):
                self._steps(words)

    def _steps(self, words: tuple[Word, ...]) -> None:
        ops = self.ops
        guarded = DEADLOCK in self.step_number
        if guarded:
            ops.line("store i64 0, ptr %enabled")
        self._instance_base = 0
        self.fanout = 0
        for number, action in enumerate(self.bound.actions):
            if action.name not in self.fixed.dead:
                self._step(number, action, words)
            self._instance_base += self._choices(action)
        if guarded:
            enabled = ops.define("load i64, ptr %enabled")
            bad = _Bad(ops)
            bad.add(self.step_number[DEADLOCK], ops.equal(enabled, 0))
            self._record(bad, NO_INSTANCE)

    def _step(self, number: int, action: Action, words: tuple[Word, ...]) -> None:
        """Write the code of an action, unless it was written before."""
        place = (number, action.name, self._instance_base, self.in_pieces)
        key = (likeness(action.body), action.params, place, words, self.given, self.judged)
        self._write(f"_{number}_", key, lambda: Tree(self, number, action, words).generate())

    def _write(self, mark: str, key: tuple[Hashable, ...], write: Callable[[], None]) -> None:
        """Write some code, or what was written before under this key."""
        written = kept(self, key, partial(self._written, mark, write), WRITTEN)
        self.ops.lines.append(written.text)
        self._pieces += written.pieces
        self.fanout += written.fanout

    def _written(self, mark: str, write: Callable[[], None]) -> _Written:
        before, pieces = self.fanout, self._pieces
        self.fanout, self._pieces = 0, []
        try:
            with self.ops.alone(mark) as lines:
                write()
            return _Written("\n".join(lines), tuple(self._pieces), self.fanout)
        finally:
            self.fanout, self._pieces = before, pieces

    @cached_property
    def judged(self) -> str:
        """A digest of how steps are judged, which the code of all actions hangs on."""
        bits = {name: bit for bit, name in self.tables.seen_bits.items()} | self.step_number
        told = {name: sorted(reads) for name, reads in self.fixed.steady.items()}
        steps = filter(self._is_judged, self.bound.properties)
        said = [(stated(p), bits[p.name], told.get(p.name)) for p in steps]
        return digest(repr((said, DEADLOCK in self.step_number)))

    def _alive(self) -> Iterator[Action]:
        return (a for a in self.bound.actions if a.name not in self.fixed.dead)

    def _choices(self, action: Action) -> int:
        """Return how many instances an action has."""
        return math.prod(domain_size(p.type, self.bound.elements) for p in action.params)

    def _is_judged(self, prop: PropertyDecl) -> bool:
        return prop.of_steps and prop.name not in self.fixed.vacuous | self.fixed.off

    def piece(self, words: tuple[Word, ...], body: Callable[[tuple[Word, ...]], None]) -> None:
        """Write some code as a function of its own, and call it here.

        The time that LLVM takes grows faster than the length of a function.
        """
        ops, name = self.ops, self.ops.fresh("piece")
        pointers = [f"%{p}" for p in ("out", "metas", "counts", "seen", "viol", "enabled")]
        own = tuple(f"%word{k}" for k in range(len(words)))
        params = [f"i64 {n}" for n in ("%i", "%before", *own)] + [
            f"ptr noalias {p}" for p in pointers
        ]
        with ops.apart() as lines:
            ops.lines.append(
                f"define internal i64 @{name}({', '.join(params)}) nounwind noinline {{"
            )
            ops.label("entry")
            ops.line("%written = alloca i64")
            ops.line("store i64 %before, ptr %written")
            body(own)
            ops.line("%after = load i64, ptr %written")
            ops.line("ret i64 %after")
            ops.lines.append("}")
        self._pieces.append("\n".join(lines))
        before = ops.define("load i64, ptr %written")
        given = [f"i64 {n}" for n in ("%i", before, *words)] + [f"ptr {p}" for p in pointers]
        after = ops.define(f"call i64 @{name}({', '.join(given)})")
        ops.line(f"store i64 {after}, ptr %written")

    def emit_successor(self, run: Run, before: SymbolicState, number: int, instance: int) -> None:
        """Write the successor of an executed step, or the record of what it breaks."""
        ops = self.ops
        run.finish()
        if run.enabled is False:
            return
        self.fanout += 1
        with ops.when(run.enabled):
            if DEADLOCK in self.step_number:
                ops.line("store i64 1, ptr %enabled")
            failed = run.failed
            bad = _Bad(ops)
            bad.add(self.step_number[ASSERTION], run.asserted)
            bad.add(self.step_number[DEFINED], ops.all(run.undefined, ops.no(run.asserted)))
            self._record(bad, instance)
            if failed is True:
                return
            with ops.when(ops.no(failed)):
                self._check_step(run, before, instance)
                assert isinstance(run.state, PackedState)
                self._store(run.state.pack(), number, instance)

    def _check_step(self, run: Run, before: SymbolicState, instance: int) -> None:
        bad = _Bad(self.ops)
        for prop in self.properties.values():
            if not self._is_judged(prop):
                continue
            if is_idle(self.fixed.steady.get(prop.name), run, before):
                continue
            wrong, found = judge(prop, self.access, before, run)
            match prop.claim:
                case "reachable":
                    bit = next(b for b, n in self.tables.seen_bits.items() if n == prop.name)
                    self._witness(bit, found)
                case "step":
                    bad.add(self.step_number[prop.name], wrong)
                case "invariant" | "eventually" | "leads_to":
                    raise AssertionError(f"{prop.name} is about no step")
                case _:
                    assert_never(prop.claim)
        self._record(bad, instance)

    def _store(self, words: tuple[Word, ...], number: int, instance: int) -> None:
        ops, size = self.ops, self.layout.words
        at = ops.define("load i64, ptr %written")
        base = ops.define(f"mul i64 {at}, {size}")
        for k, word in enumerate(words):
            index = ops.define(f"add i64 {base}, {k}")
            pointer = ops.define(f"getelementptr i64, ptr %out, i64 {index}")
            ops.line(f"store i64 {word}, ptr {pointer}")
        meta = ops.define(f"getelementptr i64, ptr %metas, i64 {at}")
        origin = ops.shared(("origin",), "shl i64 %i, 32")
        ops.line(f"store i64 {ops.either(origin, instance)}, ptr {meta}")
        ops.line(f"store i64 {ops.add(at, 1)}, ptr %written")
        self._count(number)

    def _count(self, number: int) -> None:
        """Add one to a counter."""
        ops = self.ops
        count = ops.define(f"getelementptr i64, ptr %counts, i64 {number}")
        old = ops.define(f"load i64, ptr {count}")
        ops.line(f"store i64 {ops.add(old, 1)}, ptr {count}")

    @property
    def instance_base(self) -> int:
        """The number of the first instance of the action that is being generated."""
        return self._instance_base


def _place(generator: Generator, leaf: Leaf) -> Hashable:
    """Return where a leaf lies, or what it is known to be, as a plain value."""
    where = generator.layout.where(leaf)
    if isinstance(where, Slot):
        return tuple((piece.word, piece.shift, piece.width) for piece in where.pieces)
    return where


@without_collection()
def generate(bound: Bound, held: Held | None = None) -> tuple[str, Layout, Tables, int]:
    """Return the LLVM text of a bound program, its layout, tables and greatest fan-out.

    Args:
        bound: the program at the sizes of an instance.
        held: what `held_by` returns, if that is at hand.

    Raises:
        BindError: a state of this instance does not fit.
    """
    generator = Generator(bound, held or held_by(bound))
    return generator.text(), generator.layout, generator.tables, max(1, generator.fanout)
