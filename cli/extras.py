"""What a command needs that is not installed with the broker.

The distribution by itself brings what a broker needs; what checks, proves, judges recordings or
runs on Spark comes as an extra of it.  Everything is imported when it is used, so a command finds
out late; then it says which extra that is a part of, and how it is installed.
"""

from __future__ import annotations

__all__ = ["EXTRAS", "missing_extra"]

#: The modules that each extra brings, by its name.
EXTRAS: dict[str, frozenset[str]] = {
    "check": frozenset({"llvmlite", "networkx", "numba", "numpy", "scipy"}),
    "prove": frozenset({"z3"}),
    "certificates": frozenset({"cvc5"}),
    "audit": frozenset({"dpkt", "numba", "numpy"}),
    "parquet": frozenset({"pyarrow"}),
    "query": frozenset({"duckdb", "pyarrow", "sqlglot"}),
    "spark": frozenset({"pandas", "pyarrow", "pyspark", "sqlglot"}),
}

#: The commands that need another extra than `check`.
_COMMANDS = {
    "prove": "prove",
    "record": "audit",
    "audit": "audit",
    "conform": "audit",
    "query": "query",
}


def missing_extra(error: ModuleNotFoundError, command: str) -> str | None:
    """Return what to say of a module that is not there; None if no extra brings it.

    Args:
        error: what its import raised.
        command: the command that wanted it.
    """
    module = (error.name or "").partition(".")[0]
    own = _COMMANDS.get(command, "check")
    extra = next((name for name in (own, *EXTRAS) if module in EXTRAS[name]), None)
    if extra is None:
        return None
    return (
        f"{module} is needed for this, and is not installed\n"
        f"  instead: pip install 'ackproof[{extra}]'"
    )
