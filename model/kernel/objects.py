"""The compiled search driver and what reads its tables, kept as machine code between runs.

Compiling the driver with numba takes seconds, and merely importing numba takes most of one: more
than many a search.  The driver is the same for every model with states of the same width, so its
machine code is kept in a file once it was made, and a later run loads it with llvmlite alone.  The
file's name tells what the code was made from and for: the driver's sources, the compiler, the
processor.  A file that is missing, damaged or of another make is made again.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

__all__ = ["connector", "divider", "driver"]

#: The files that the machine code is made of, and made by.
SOURCES = (
    "classes.py",
    "collapse.py",
    "control.py",
    "dictionary.py",
    "driver.py",
    "graph.py",
    "graph_task.py",
    "intrinsics.py",
    "marks.py",
    "measures.py",
    "objects.py",
    "retrace.py",
    "spread.py",
    "table.py",
    "together.py",
)
_SYMBOL = "search"


@cache
def driver(words: int, slot: int, workers: int) -> Callable[[int], None]:
    """Return the search by one worker, or by one of several.

    It takes the address of a worker's control block and returns when the search has ended; it
    does not hold the interpreter's lock.

    Args:
        words: of a packed state.
        slot: words that a table holds of a state, see `collapse`.
        workers: how many there are.
    """
    return _function("alone" if workers == 1 else "together", words, slot)


@cache
def divider(words: int, slot: int) -> Callable[[int], None]:
    """Return what tells which parts of a region may be stayed in, see `classes`.

    It takes the address of a task, and does not hold the interpreter's lock.
    """
    return _function("divide", words, slot)


@cache
def connector(words: int, slot: int) -> Callable[[int], None]:
    """Return what reads steps and levels from the tables of a search, see `graph`.

    It is for the same tasks, and few questions need it.
    """
    return _function("connect", words, slot)


def _function(kind: str, words: int, slot: int) -> Callable[[int], None]:
    path = _folder() / f"{kind}-{words}-{slot}-{_fingerprint()}.o"
    engine = _load(_read(path)) or _load(_make(kind, words, slot, path))
    assert engine is not None, "freshly compiled code can be loaded"
    # numba's own convention: where to put a result, where to put an exception, the arguments (a
    # tuple as so many integers); the status is 0, since nothing in the driver raises.
    widths = (0,) * (words + slot)
    arguments = [ctypes.c_void_p] * 2 + [ctypes.c_int64] * (len(widths) + 1)
    function = ctypes.CFUNCTYPE(ctypes.c_int32, *arguments)(engine.get_function_address(_SYMBOL))

    def run(block: int) -> None:
        result, exception = ctypes.c_void_p(), ctypes.c_void_p()
        status = function(ctypes.addressof(result), ctypes.addressof(exception), *widths, block)
        assert status == 0, "the driver does not raise"

    run.engine = engine  # type: ignore[attr-defined]  # keeps the machine code in memory
    return run


def _folder() -> Path:
    """Return the folder for machine code: the user's cache, or a fresh one if that is closed."""
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = base / "ackproof"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return Path(tempfile.mkdtemp(prefix="ackproof-"))
    return folder


@cache
def _fingerprint() -> str:
    """Return a digest of what the machine code depends on."""
    import llvmlite
    import llvmlite.binding as llvm

    digest = hashlib.sha256()
    for name in SOURCES:
        digest.update((Path(__file__).parent / name).read_bytes())
    features = llvm.get_host_cpu_features().flatten()
    for part in (llvmlite.__version__, llvm.get_host_cpu_name(), features):
        digest.update(part.encode())
    return digest.hexdigest()[:16]


def _read(path: Path) -> bytes:
    """Return the code in a file, empty if it is not there or not whole: it ends in its digest."""
    try:
        data = path.read_bytes()
    except OSError:
        return b""
    code, check = data[:-32], data[-32:]
    return code if hashlib.sha256(code).digest() == check else b""


def _make(kind: str, words: int, slot: int, path: Path) -> bytes:
    """Compile the driver with numba and keep its machine code."""
    code = _compile(kind, words, slot)
    try:
        with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
            file.write(code + hashlib.sha256(code).digest())
        os.replace(file.name, path)
    except OSError:
        pass  # A full or closed disk costs the next run the compilation, and nothing else.
    return code


def _machine() -> Any:
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=llvm.get_host_cpu_features().flatten(), opt=3
    )


def _compile(kind: str, words: int, slot: int) -> bytes:
    import llvmlite.binding as llvm
    from ackproof.model.kernel.classes import divide
    from ackproof.model.kernel.driver import alone
    from ackproof.model.kernel.graph import connect
    from ackproof.model.kernel.intrinsics import Shape
    from ackproof.model.kernel.together import together
    from numba import types

    functions: tuple[Any, ...] = (alone, together, divide, connect)
    function = next(f for f in functions if f.__name__ == kind)
    parts = [types.UniTuple(types.int64, n) for n in (words, slot)]  # type: ignore[no-untyped-call]
    signature = (types.NamedTuple(parts, Shape), types.int64)  # type: ignore[no-untyped-call]
    function.compile(signature)
    compiled = function.overloads[signature]
    text = compiled.library.get_llvm_str()
    module = llvm.parse_assembly(text.replace(compiled.fndesc.llvm_func_name, _SYMBOL))
    code: bytes = _machine().emit_object(module)
    return code


def _load(code: bytes) -> Any:
    """Return an engine that holds some machine code, None if there is none."""
    import llvmlite.binding as llvm

    if not code:
        return None
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _machine())
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    return engine
