"""Raw memory, hashing and calls by address for the search driver.

The driver works on packed states in mapped memory, not on arrays: an address is a plain 64-bit
integer and a word is `load(address, index)`. That keeps the compiled functions free of array
headers, and lets one function serve memory that NumPy does not own. Every number is a signed
64-bit integer: mixing signed and unsigned operands would make numba fall back to floating point.

Generated code is also called by address. An address that is an *argument* is not baked into the
machine code, so what is kept on disk stays valid from one process to the next.
"""

from collections.abc import Callable
from inspect import Parameter, Signature
from typing import Any, NamedTuple, TypeVar, cast

from ackproof.model.kernel.control import bucket_slots
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

Function = TypeVar("Function", bound=Callable[..., Any])
Zeros = tuple[int, ...]
Emit = Callable[[Any, list[Any]], Any]

_WORD = ir.IntType(64)
_POINTER = _WORD.as_pointer()

# Odd multipliers with well-spread bits (splitmix64 and Steele & Vigna, "Computationally easy,
# spectrally good multipliers", 2021).
_MULTIPLY_WORD = 0xD1342543DE82EF95
_MULTIPLY_LAST = 0xBF58476D1CE4E5B9


# numba's own annotations lack the last two.
_OPTIONS: dict[str, Any] = {
    "nogil": True,
    "error_model": "numpy",
    "no_cpython_wrapper": True,
    "no_cfunc_wrapper": True,
}


class Shape(NamedTuple):
    """How wide states are, as types: numba compiles each function for exactly these widths.

    Args:
        words: a zero for each word of a packed state.
        slot: a zero for each word of what a table holds of a state: of the state itself, or of its
            key, which is one word (see `collapse`).
    """

    words: Zeros
    slot: Zeros


def native(function: Function) -> Function:
    """Compile with numba, free of the interpreter lock.

    What numba makes of the whole search is kept on disk by `ackproof.model.kernel.objects`, and
    that is the only way to call it: nothing is made that Python or C could call by itself, which
    would take a third of the time.
    """
    return cast(Function, njit(**_OPTIONS)(function))


def _primitive(arity: int, emit: Emit, returns: Any = types.int64, shaped: bool = False) -> Any:
    """An inlined operation on `arity` 64-bit integers, given by the LLVM that it emits.

    A `shaped` one gets the words of a slot before them, see `table`, and emits code for that width.
    """

    def primitive(typing: Any, *operands: Any) -> Any:
        def generate(context: Any, builder: Any, resolved: Any, arguments: list[Any]) -> Any:
            given = [operands[0].count, *arguments[1:]] if shaped else arguments
            result = emit(builder, given)
            return context.get_dummy_value() if returns is types.none else result

        integers = [types.int64] * arity
        return returns(*([operands[0], *integers] if shaped else integers)), generate

    # numba matches a call with the parameters by name, so there have to be some.
    names = ["typing", *(f"operand{i}" for i in range(arity + shaped))]
    parameters = [Parameter(name, Parameter.POSITIONAL_OR_KEYWORD) for name in names]
    primitive.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    return intrinsic(primitive)


def _at(builder: Any, address: Any, index: Any) -> Any:
    return builder.gep(builder.inttoptr(address, _POINTER), [index])


def _half_at(builder: Any, address: Any, index: Any) -> Any:
    return builder.gep(builder.inttoptr(address, ir.IntType(32).as_pointer()), [index])


def _load_half(builder: Any, arguments: list[Any]) -> Any:
    return builder.zext(builder.load(_half_at(builder, *arguments)), _WORD)


def _store_half(builder: Any, arguments: list[Any]) -> Any:
    address, index, value = arguments
    half = builder.trunc(value, ir.IntType(32))
    return builder.store(half, _half_at(builder, address, index))


def _mix(builder: Any, arguments: list[Any]) -> Any:
    state, word = arguments
    product = builder.mul(builder.xor(state, word), ir.Constant(_WORD, _MULTIPLY_WORD))
    return builder.xor(product, builder.lshr(product, ir.Constant(_WORD, 32)))


def _scale(builder: Any, arguments: list[Any]) -> Any:
    wide = ir.IntType(128)
    product = builder.mul(*(builder.zext(argument, wide) for argument in arguments))
    return builder.trunc(builder.lshr(product, ir.Constant(wide, 64)), _WORD)


def _lanes(words: int) -> Any:
    """The vector type of a bucket of slots of that many words.

    Rounded up to a power of two, which processors have: the lanes behind the bucket are ignored.
    """
    return ir.VectorType(_WORD, 1 << (bucket_slots(words) * words - 1).bit_length())


def _bucket(builder: Any, words: int, address: Any) -> Any:
    return builder.load(builder.inttoptr(address, _lanes(words).as_pointer()), align=8)


def _lane_bits(builder: Any, flags: Any) -> Any:
    """A vector of truth values as an integer, the first in its lowest bit."""
    bits = builder.bitcast(flags, ir.IntType(flags.type.count))
    return builder.zext(bits, _WORD) if flags.type.count < 64 else bits


def _matches(builder: Any, arguments: list[Any]) -> Any:
    words, bucket, state = arguments
    lanes = _lanes(words)
    one = ir.VectorType(_WORD, words)
    wanted = builder.load(builder.inttoptr(state, one.as_pointer()), align=8)
    small = ir.VectorType(ir.IntType(32), lanes.count)
    order = ir.Constant(small, [i % words for i in range(lanes.count)])
    repeated = builder.shuffle_vector(wanted, wanted, order)
    equal = builder.icmp_unsigned("==", _bucket(builder, words, bucket), repeated)
    bits = _lane_bits(builder, equal)
    every = bits
    for word in range(1, words):
        every = builder.and_(every, builder.lshr(bits, ir.Constant(_WORD, word)))
    return builder.and_(every, ir.Constant(_WORD, _first_lanes(words)))


def _vacancies(builder: Any, arguments: list[Any]) -> Any:
    words, bucket = arguments
    lanes = _lanes(words)
    empty = builder.icmp_unsigned("==", _bucket(builder, words, bucket), ir.Constant(lanes, None))
    last = builder.lshr(_lane_bits(builder, empty), ir.Constant(_WORD, words - 1))
    return builder.and_(last, ir.Constant(_WORD, _first_lanes(words)))


def _first_lanes(words: int) -> int:
    """A bit for the first word of each slot of a bucket."""
    return sum(1 << slot * words for slot in range(bucket_slots(words)))


def _lowest_bit(builder: Any, arguments: list[Any]) -> Any:
    return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))


def _prefetch(builder: Any, arguments: list[Any]) -> Any:
    small, byte = ir.IntType(32), ir.IntType(8).as_pointer()
    shape = ir.FunctionType(ir.VoidType(), [byte, small, small, small])
    prefetch = builder.module.declare_intrinsic("llvm.prefetch", (byte,), shape)
    hints = [ir.Constant(small, hint) for hint in (1, 3, 1)]  # to write, to keep, data
    return builder.call(prefetch, [builder.inttoptr(arguments[0], byte), *hints])


def _call(builder: Any, arguments: list[Any]) -> Any:
    shape = ir.FunctionType(_WORD, [_WORD] * (len(arguments) - 1))
    return builder.call(builder.inttoptr(arguments[0], shape.as_pointer()), arguments[1:])


def _pause(builder: Any, arguments: list[Any]) -> Any:
    """Give the processor to another thread: calls a C function without arguments."""
    shape = ir.FunctionType(ir.IntType(32), [])
    builder.call(builder.inttoptr(arguments[0], shape.as_pointer()), [])


def _atomic_load(builder: Any, arguments: list[Any]) -> Any:
    return builder.load_atomic(builder.inttoptr(arguments[0], _POINTER), "seq_cst", 8)


def _atomic_add(builder: Any, arguments: list[Any]) -> Any:
    pointer = builder.inttoptr(arguments[0], _POINTER)
    return builder.atomic_rmw("add", pointer, arguments[1], "seq_cst")


def _atomic_or(builder: Any, arguments: list[Any]) -> Any:
    pointer = builder.inttoptr(arguments[0], _POINTER)
    return builder.atomic_rmw("or", pointer, arguments[1], "seq_cst")


def _swap(builder: Any, arguments: list[Any]) -> Any:
    address, expected, value = arguments
    place = builder.inttoptr(address, _POINTER)
    done = builder.cmpxchg(place, expected, value, "seq_cst", "seq_cst")
    return builder.zext(builder.extract_value(done, 1), _WORD)


load: Callable[[int, int], int] = _primitive(2, lambda b, a: b.load(_at(b, a[0], a[1])))
store: Callable[[int, int, int], None] = _primitive(
    3, lambda b, a: b.store(a[2], _at(b, a[0], a[1])), types.none
)
# The same of words of 32 bits; what is stored has to fit, and is not negative.
load_half: Callable[[int, int], int] = _primitive(2, _load_half)
store_half: Callable[[int, int, int], None] = _primitive(3, _store_half, types.none)
prefetch: Callable[[int], None] = _primitive(1, _prefetch, types.none)

mix: Callable[[int, int], int] = _primitive(2, _mix)
finish: Callable[[int], int] = _primitive(
    1, lambda b, a: b.mul(a[0], ir.Constant(_WORD, _MULTIPLY_LAST))
)
scale: Callable[[int, int], int] = _primitive(2, _scale)

atomic_load: Callable[[int], int] = _primitive(1, _atomic_load)
atomic_add: Callable[[int, int], int] = _primitive(2, _atomic_add)
atomic_or: Callable[[int, int], int] = _primitive(2, _atomic_or)
# Writes the last argument if the one before it is there, and returns whether.
swap: Callable[[int, int, int], int] = _primitive(3, _swap)
pause: Callable[[int], None] = _primitive(1, _pause, types.none)

call_expand: Callable[[int, int, int, int, int, int, int, int], int] = _primitive(8, _call)
call_inspect: Callable[[int, int, int, int, int], int] = _primitive(5, _call)
call_falsify: Callable[[int, int, int, int], int] = _primitive(4, _call)

# On a bucket of the table: a bit for each slot that holds what is at an address, or that is
# empty. The bit of a slot is the position of its first word, so `lowest_bit` of it is an offset.
matches: Callable[[Zeros, int, int], int] = _primitive(2, _matches, shaped=True)
vacancies: Callable[[Zeros, int], int] = _primitive(1, _vacancies, shaped=True)
lowest_bit: Callable[[int], int] = _primitive(1, _lowest_bit)
count_bits: Callable[[int], int] = _primitive(1, lambda b, a: b.ctpop(a[0]))
