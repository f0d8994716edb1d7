"""Compiling: from a bound program to machine code.

`ackproof.model.lower.generate` writes LLVM text; here LLVM makes functions of it, `expand` and
`inspect`, for properties of runs also `falsify`, and a `Kernel` holds them with what is needed to
call them and to read what they report.  See `ackproof.model.kernel.search` for what the functions
are given and give.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from ackproof.lang.binding import Bound
from ackproof.model.lower.generate import Tables, generate
from ackproof.model.lower.layout import Layout

__all__ = ["Kernel", "compile_kernel", "generate", "machine_code", "modules"]

#: Characters of text that are compiled at once: in about a second.
_MODULE = 1 << 20

_CALLED = re.compile(r"@(\w+)\(")
_DEFINED = re.compile(r"^define (.*) \{$", re.MULTILINE)


@dataclass
class Kernel:
    """Compiled code with what is needed to run it and to read its results."""

    layout: Layout
    tables: Tables
    fanout: int
    n_counts: int
    expand: int
    inspect: int
    falsify: int
    ir_text: str
    compile_seconds: float
    engine: Any = field(repr=False)

    @property
    def words(self) -> int:
        """Words of 64 bits in a packed state."""
        return self.layout.words

    @property
    def initial(self) -> list[int]:
        """The initial state, packed."""
        return self.layout.pack(self.layout.bound.initial())


def compile_kernel(bound: Bound) -> Kernel:
    """Compile a bound program to machine code.

    Raises:
        BindError: a state of this instance does not fit.
    """
    started = time.perf_counter()
    text, layout, tables, fanout = generate(bound)
    engine = machine_code(text)
    return Kernel(
        layout=layout,
        tables=tables,
        fanout=fanout,
        n_counts=len(bound.actions),
        expand=engine.get_function_address("expand"),
        inspect=engine.get_function_address("inspect"),
        falsify=engine.get_function_address("falsify") if tables.run_bits else 0,
        ir_text=text,
        compile_seconds=time.perf_counter() - started,
        engine=engine,
    )


def machine_code(text: str) -> Any:
    """Return an engine that holds the functions of a text; see `Kernel.ir_text`.

    A long text is compiled a module at a time: between two of them an interruption is heard.
    """
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    target = llvm.Target.from_default_triple()
    machine = target.create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=llvm.get_host_cpu_features().flatten(), opt=1
    )
    # The text is nearly what should run: constants are folded and subexpressions shared already.
    # The standard pipelines, and code generation at a higher level, take twice the time and give
    # code that is not measurably faster.
    passes = llvm.create_new_module_pass_manager()
    passes.add_sroa_pass()
    passes.add_instruction_combine_pass()
    passes.add_simplify_cfg_pass()
    builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options())
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
    for part in modules(text):
        module = llvm.parse_assembly(part)
        passes.run(module, builder)
        engine.add_module(module)
        engine.finalize_object()
    return engine


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
