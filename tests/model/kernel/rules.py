"""Models made of masks, compiled by hand: what the driver is tested with.

A `Rule` is one action instance: it is enabled where the state, seen as one integer, has `value`
under `mask`, and it then clears and sets bits. `compile_rules` writes `expand` and `inspect` for a
list of rules as straight-line LLVM; `explore` does the same search in plain Python, with sets.
"""

import ctypes
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import llvmlite.binding as llvm
from ackproof.model.kernel.control import RECORD
from ackproof.model.kernel.search import DEADLOCK
from ackproof.model.kernel.worker import Model
from llvmlite import ir

WORD = ir.IntType(64)
DEADLOCK_BIT = 63


@dataclass(frozen=True)
class Pattern:
    """Holds where the state has `value` under `mask`."""

    mask: int
    value: int

    def holds(self, state: int) -> bool:
        """Whether the state matches."""
        return state & self.mask == self.value


@dataclass(frozen=True)
class Rule:
    """An action instance: guard, bits cleared, bits set, step properties that it violates."""

    action: int
    guard: Pattern
    clear: int
    put: int
    violates: int = 0
    witnesses: int = 0

    def apply(self, state: int) -> int:
        """The state after the step."""
        return state & ~self.clear | self.put


@dataclass(frozen=True)
class System:
    """A model of `words` words: rules, forbidden and wanted patterns of states."""

    words: int
    initial: int
    rules: tuple[Rule, ...]
    actions: int
    forbidden: tuple[Pattern, ...] = ()
    wanted: tuple[Pattern, ...] = ()
    deadlock: bool = False

    def rows(self) -> list[list[int]]:
        """The initial state as the driver takes it."""
        marked = self.initial | 1 << 64 * self.words - 1
        return [[marked >> 64 * i & (1 << 64) - 1 for i in range(self.words)]]


@dataclass
class Explored:
    """What plain Python found; `shortest` is by ("state" | "step" | "deadlock", property)."""

    distinct: int = 0
    generated: int = 1
    levels: int = 1
    counts: list[int] = field(default_factory=list)
    seen: int = 0
    shortest: dict[tuple[str, int], int] = field(default_factory=dict)


def explore(system: System, survey: bool = False) -> Explored:
    """Breadth-first search with a set, to the end or the level on which a property is violated."""
    found = Explored(distinct=1, counts=[0] * system.actions)
    states, level = {system.initial}, [system.initial]
    _judge(system, level, 0, found)
    while level and (survey or not found.shortest):
        after: list[int] = []
        for state in level:
            for successor in _steps(system, state, found):
                if successor not in states:
                    states.add(successor)
                    after.append(successor)
        _judge(system, after, found.levels, found)
        found.levels += bool(after)
        level = after
    found.distinct = len(states)
    found.generated += sum(found.counts)
    return found


def _steps(system: System, state: int, found: Explored) -> Iterator[int]:
    enabled = [rule for rule in system.rules if rule.guard.holds(state)]
    if not enabled and system.deadlock:
        found.shortest.setdefault(("deadlock", DEADLOCK_BIT), found.levels - 1)
    for rule in enabled:
        found.counts[rule.action] += 1
        found.seen |= rule.witnesses
        for bit in _bits(rule.violates):
            found.shortest.setdefault(("step", bit), found.levels)
        yield rule.apply(state)


def _judge(system: System, states: Sequence[int], depth: int, found: Explored) -> None:
    for state in states:
        for bit, pattern in enumerate(system.forbidden):
            if pattern.holds(state):
                found.shortest.setdefault(("state", bit), depth)
        for bit, pattern in enumerate(system.wanted):
            found.seen |= pattern.holds(state) << bit


def _bits(mask: int) -> list[int]:
    return [bit for bit in range(mask.bit_length()) if mask >> bit & 1]


def compile_rules(system: System) -> Model:
    """The system as machine code."""
    module = ir.Module("rules")
    emitter = _Emitter(module, system)
    emitter.expand()
    emitter.inspect()
    engine = _engine(str(module))
    return Model(
        words=system.words,
        fanout=max(1, len(system.rules)),
        expand=engine.get_function_address("expand"),
        inspect=engine.get_function_address("inspect"),
        actions=system.actions,
        owner=engine,
    )


def _engine(text: str) -> Any:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    machine = llvm.Target.from_default_triple().create_target_machine(opt=3)
    module = llvm.parse_assembly(text)
    module.verify()
    options = llvm.create_pipeline_tuning_options(speed_level=3)
    builder = llvm.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)
    engine = llvm.create_mcjit_compiler(module, machine)
    engine.finalize_object()
    return engine


class _Emitter:
    """Writes the two functions of a model with llvmlite's builder."""

    def __init__(self, module: ir.Module, system: System) -> None:
        self.module = module
        self.system = system

    def expand(self) -> None:
        """`expand`, one rule after another without branches except around the writes."""
        pointers = self._open("expand", 7)
        states, successors, metas, counts, seen, violations = pointers
        with self._each_state(states) as (index, words):
            before = self.builder.load(self.total)
            for number, rule in enumerate(self.system.rules):
                with self.builder.if_then(self._matches(words, rule.guard)):
                    self._write(successors, metas, index, words, number, rule)
                    self._add(counts, rule.action)
                    self._or(seen, rule.witnesses)
                    if rule.violates:
                        self._record(violations, index, number, rule.violates)
            if self.system.deadlock:
                none = self.builder.icmp_unsigned("==", before, self.builder.load(self.total))
                with self.builder.if_then(none):
                    self._record(violations, index, DEADLOCK, 1 << DEADLOCK_BIT)
        self.builder.ret(self.builder.load(self.total))

    def inspect(self) -> None:
        """`inspect`, one pattern after another."""
        states, seen, violations = self._open("inspect", 4)
        with self._each_state(states) as (index, words):
            mask = self._constant(0)
            for bit, pattern in enumerate(self.system.forbidden):
                mask = self._mark(mask, words, pattern, bit)
            with self.builder.if_then(self.builder.icmp_unsigned("!=", mask, self._constant(0))):
                self._record(violations, index, 0, mask)
                self._bump(self.total)
            witnessed = self._constant(0)
            for bit, pattern in enumerate(self.system.wanted):
                witnessed = self._mark(witnessed, words, pattern, bit)
            self._or(seen, witnessed)
        self.builder.ret(self.builder.load(self.total))

    def _open(self, name: str, arity: int) -> list[Any]:
        pointer = WORD.as_pointer()
        shape = ir.FunctionType(WORD, [WORD, *[pointer] * (arity - 1)])
        function = ir.Function(self.module, shape, name)
        self.builder = ir.IRBuilder(function.append_basic_block())
        self.size = function.args[0]
        self.total = self.builder.alloca(WORD)
        self.builder.store(self._constant(0), self.total)
        return list(function.args[1:])

    def _each_state(self, states: Any) -> Any:
        return _Loop(self, states)

    def _constant(self, value: int) -> Any:
        return ir.Constant(WORD, value & (1 << 64) - 1)

    def _word(self, value: int, index: int) -> Any:
        return self._constant(value >> 64 * index)

    def _matches(self, words: list[Any], pattern: Pattern) -> Any:
        result = ir.Constant(ir.IntType(1), 1)
        for i, word in enumerate(words):
            masked = self.builder.and_(word, self._word(pattern.mask, i))
            same = self.builder.icmp_unsigned("==", masked, self._word(pattern.value, i))
            result = self.builder.and_(result, same)
        return result

    def _mark(self, mask: Any, words: list[Any], pattern: Pattern, bit: int) -> Any:
        flag = self.builder.zext(self._matches(words, pattern), WORD)
        return self.builder.or_(mask, self.builder.shl(flag, self._constant(bit)))

    def _write(
        self, successors: Any, metas: Any, index: Any, words: list[Any], number: int, rule: Rule
    ) -> None:
        builder, total = self.builder, self.builder.load(self.total)
        first = builder.mul(total, self._constant(self.system.words))
        for i, word in enumerate(words):
            kept = builder.and_(word, self._word(~rule.clear, i))
            after = builder.or_(kept, self._word(rule.put, i))
            builder.store(after, builder.gep(successors, [builder.add(first, self._constant(i))]))
        meta = builder.or_(builder.shl(index, self._constant(32)), self._constant(number))
        builder.store(meta, builder.gep(metas, [total]))
        self._bump(self.total)

    def _bump(self, pointer: Any) -> None:
        value = self.builder.load(pointer)
        self.builder.store(self.builder.add(value, self._constant(1)), pointer)

    def _add(self, counts: Any, action: int) -> None:
        self._bump(self.builder.gep(counts, [self._constant(action)]))

    def _or(self, seen: Any, bits: Any) -> None:
        bits = self._constant(bits) if isinstance(bits, int) else bits
        self.builder.store(self.builder.or_(self.builder.load(seen), bits), seen)

    def _record(self, violations: Any, index: Any, instance: int, mask: Any) -> None:
        builder = self.builder
        mask = self._constant(mask) if isinstance(mask, int) else mask
        count = builder.load(violations)
        first = builder.add(builder.mul(count, self._constant(RECORD)), self._constant(2))
        unused = [self._constant(0)] * (RECORD - 3)
        for i, value in enumerate((index, self._constant(instance), mask, *unused)):
            at = builder.gep(violations, [builder.add(first, self._constant(i))])
            builder.store(value, at)
        self._bump(violations)


class _Loop:
    """The loop over the states of a batch; gives the position and the words of one."""

    def __init__(self, emitter: _Emitter, states: Any) -> None:
        self.emitter = emitter
        self.states = states

    def __enter__(self) -> tuple[Any, list[Any]]:
        emitter, builder = self.emitter, self.emitter.builder
        self.counter = builder.alloca(WORD)
        builder.store(emitter._constant(0), self.counter)
        self.head = builder.append_basic_block()
        body = builder.append_basic_block()
        self.end = builder.append_basic_block()
        builder.branch(self.head)
        builder.position_at_end(self.head)
        index = builder.load(self.counter)
        builder.cbranch(builder.icmp_unsigned("<", index, emitter.size), body, self.end)
        builder.position_at_end(body)
        first = builder.mul(index, emitter._constant(emitter.system.words))
        words = [
            builder.load(builder.gep(self.states, [builder.add(first, emitter._constant(i))]))
            for i in range(emitter.system.words)
        ]
        return index, words

    def __exit__(self, *exception: object) -> None:
        builder = self.emitter.builder
        self.emitter._bump(self.counter)
        builder.branch(self.head)
        builder.position_at_end(self.end)


Address = Callable[..., int]


def as_function(address: int, arity: int) -> Address:
    """A C function of 64-bit integers and pointers, callable from Python."""
    return ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_int64] * arity)(address)
