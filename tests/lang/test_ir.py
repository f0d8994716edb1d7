"""The closed unions of nodes, with which passes are checked for being complete."""

from __future__ import annotations

from typing import Any, get_args

import pytest
from ackproof.lang import ir


@pytest.mark.parametrize(("union", "base"), [(ir.AnyExpr, ir.Expr), (ir.AnyStmt, ir.Stmt)])
def test_a_union_of_nodes_has_every_kind(union: Any, base: type[ir.Node]) -> None:
    kinds = {kind for kind in base.__subclasses__() if kind.__module__ == ir.__name__}
    assert set(get_args(union)) == kinds
