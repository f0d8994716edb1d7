"""Compiling: from a bound program to machine code.

`ackproof.model.lower.generate` writes LLVM text; here LLVM makes functions of it, `expand` and
`inspect`, for properties of runs also `falsify`, and a `Kernel` holds them with what is needed to
call them and to read what they report.  See `ackproof.model.kernel.search` for what the functions
are given and give.

A text becomes machine code in one of two ways.  Good code takes LLVM four to six times as long as
quick code, and a search with it a third to two thirds of the time.  So a search that is not known
to be large begins with quick code; when it has taken as long as good code takes to be made, it
goes on with that, which is made beside it.

Machine code is bytes, a few object files, which are the same whenever they are made of the same
text for the same processor.  So they may be kept, and then nothing is generated;
`ackproof.model.kernels` does so.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

from ackproof.lang.binding import Bound
from ackproof.model.lower.tables import Tables

if TYPE_CHECKING:
    from ackproof.model.lower.layout import Layout

__all__ = [
    "Frame",
    "Generated",
    "Kernel",
    "compile_kernel",
    "is_small",
    "linked",
    "machine_code",
    "modules",
    "objects_of",
    "patience",
    "target",
]

#: The LLVM text of a program, its layout, its tables, and how many successors a state may have.
Generated: TypeAlias = "tuple[str, Layout, Tables, int]"

#: Characters of text that are compiled at once: in about a second.
_MODULE = 1 << 20

#: Seconds that it takes to make good code, for each byte that the quick code has.
_EFFORT = 5.5e-6
#: A search of more states than this gains from good code by far more than that takes.
_MANY_STATES = 300_000

_CALLED = re.compile(r"@(\w+)\(")
_DEFINED = re.compile(r"^define (.*) \{$", re.MULTILINE)


@dataclass(frozen=True)
class Frame:
    """What is to be known of a kernel besides its functions.

    Args:
        words: words of 64 bits in a packed state.
        initials: the initial states, packed, in their order.
        tables: which bit means which property.
        fanout: how many successors a state has at most.
    """

    words: int
    initials: list[list[int]]
    tables: Tables
    fanout: int

    @staticmethod
    def of(layout: Layout, tables: Tables, fanout: int) -> Frame:
        """Return the frame of what was generated."""
        return Frame(layout.words, layout.initials, tables, fanout)


@dataclass
class Kernel:
    """Compiled code with what is needed to run it and to read its results.

    Args:
        bound: the program at the sizes of an instance.
        frame: what is to be known besides the functions.
        engine: what holds the functions.
        compile_seconds: how long it took to come by them.
        better: makes good code in the place of this, if this is quick code.
        patience: about how many seconds that takes.
    """

    bound: Bound
    frame: Frame
    engine: Any = field(repr=False)
    compile_seconds: float = 0.0
    better: Callable[[], Kernel] | None = field(default=None, repr=False)
    patience: float = 0.0

    @property
    def words(self) -> int:
        """Words of 64 bits in a packed state."""
        return self.frame.words

    @property
    def initials(self) -> list[list[int]]:
        """The initial states, packed, in their order."""
        return self.frame.initials

    @property
    def tables(self) -> Tables:
        """Which bit means which property."""
        return self.frame.tables

    @property
    def fanout(self) -> int:
        """How many successors a state has at most."""
        return self.frame.fanout

    @property
    def n_counts(self) -> int:
        """How many counters `expand` keeps: one for each action."""
        return len(self.bound.actions)

    @property
    def expand(self) -> int:
        """The address of the function that makes successors."""
        return self._address("expand")

    @property
    def inspect(self) -> int:
        """The address of the function that looks at the properties of states."""
        return self._address("inspect")

    @property
    def falsify(self) -> int:
        """The address of the function that looks at properties of runs; 0 if there are none."""
        return self._address("falsify") if self.tables.run_bits else 0

    @property
    def fold(self) -> int:
        """The address of the function that gives states their canonical names; see `canonical`."""
        return self._address("fold")

    @cached_property
    def layout(self) -> Layout:
        """Where every leaf of the state lies."""
        return _generated(self.bound)[1]

    @cached_property
    def ir_text(self) -> str:
        """The LLVM text that the functions were made of."""
        return _generated(self.bound)[0]

    def _address(self, name: str) -> int:
        address: int = self.engine.get_function_address(name)
        return address


def is_small(bound: Bound) -> bool:
    """Tell whether quick code may do for a search: unless it is known to come to many states."""
    return (bound.instance.states or 0) <= _MANY_STATES


def compile_kernel(
    bound: Bound, generated: Generated | None = None, *, quick: bool = False
) -> Kernel:
    """Compile a bound program to machine code.

    Args:
        bound: the program at the sizes of an instance.
        generated: what `generate` makes of it, if that is at hand.
        quick: whether quick code will do to begin with.

    Raises:
        BindError: a state of this instance does not fit.
    """
    started = time.perf_counter()
    generated = generated or _generated(bound)
    text, layout, tables, fanout = generated
    objects = objects_of(text, quick=quick)
    kernel = Kernel(bound, Frame.of(layout, tables, fanout), linked(objects))
    if quick:
        kernel.better = lambda: compile_kernel(bound, generated)
        kernel.patience = patience(objects)
    kernel.layout, kernel.ir_text = layout, text
    kernel.compile_seconds = time.perf_counter() - started
    return kernel


def _generated(bound: Bound) -> Generated:
    # A kernel that was kept needs no generator.
    from ackproof.model.lower.generate import generate

    return generate(bound)


def machine_code(text: str) -> Any:
    """Return an engine that holds the functions of a text; see `Kernel.ir_text`."""
    return linked(objects_of(text))


def patience(objects: Iterable[bytes]) -> float:
    """Return about how many seconds it takes to make good code in the place of quick code."""
    return _EFFORT * sum(map(len, objects))


@lru_cache(maxsize=1)
def objects_of(text: str, *, quick: bool = False) -> list[bytes]:
    """Return a text as object files for this processor, in good code or in quick code.

    Who has just compiled a program and compiles its text again gets the same.

    A long text is compiled a module at a time: between two of them an interruption is heard.
    """
    import llvmlite.binding as llvm

    machine = _machine(0 if quick else 1)
    # The text is nearly what should run: constants are folded and subexpressions shared already.
    # The standard pipelines, and code generation at a higher level, take twice the time and give
    # code that is not measurably faster.
    passes = llvm.create_new_module_pass_manager()
    passes.add_sroa_pass()
    passes.add_instruction_combine_pass()
    passes.add_simplify_cfg_pass()
    builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options())
    found = []
    for part in modules(text):
        module = llvm.parse_assembly(part)
        if not quick:
            passes.run(module, builder)
        found.append(machine.emit_object(module))
    return found


def linked(objects: Iterable[bytes]) -> Any:
    """Return an engine that holds the functions of object files."""
    import llvmlite.binding as llvm

    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _machine())
    for code in objects:
        engine.add_object_file(llvm.ObjectFileRef.from_data(code))
        engine.finalize_object()
    return engine


def target() -> str:
    """Return in words which compiler makes machine code here, and for which processor."""
    import llvmlite
    import llvmlite.binding as llvm

    features = llvm.get_host_cpu_features().flatten()
    where = (llvm.get_process_triple(), llvm.get_host_cpu_name(), features)
    return repr((llvmlite.__version__, llvm.llvm_version_info, where))


def _machine(level: int = 1) -> Any:
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    found = llvm.Target.from_default_triple()
    return found.create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=llvm.get_host_cpu_features().flatten(), opt=level
    )


def modules(text: str, most: int = _MODULE) -> Iterator[str]:
    """Yield a text in modules of about so many characters, what is called before its callers.

    Each declares what it calls of those before.
    """
    if len(text) <= most:
        yield text
        return
    header, *bodies = text.replace("define internal", "define").split("define ")
    declared: dict[str, str] = {}
    own: list[str] = []
    for number, body in enumerate(bodies):
        own.append(f"define {body}")
        if sum(map(len, own)) < most and number < len(bodies) - 1:
            continue
        code = "".join(own)
        known = {n: declared[n] for n in _CALLED.findall(code) if n in declared}
        yield "".join([header, *known.values(), code])
        for line in _DEFINED.findall(code):
            declared[_CALLED.findall(line)[0]] = f"declare {line}\n"
        own = []
