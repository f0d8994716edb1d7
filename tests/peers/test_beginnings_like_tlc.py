"""TLC, on a twin of the coins, begins in as many states, and finds the same false.

It counts initial states as generated, and those that are found again as steps, as we do.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from ackproof.model.check import chosen
from ackproof.model.kernel.engine import explore

from tests.exploring import sample
from tests.model.coins import MODEL
from tests.peers.twins import told_by_tlc

pytestmark = pytest.mark.peer

TWIN = r"""
---- MODULE coins ----
EXTENDS Naturals
VARIABLES heads, below, eye, seen, turns
vars == <<heads, below, eye, seen, turns>>
Coin == 1..3
Init == /\ heads \in [Coin -> BOOLEAN]
        /\ below \in [Coin -> 1..2]
        /\ eye \in Coin
        /\ seen = {}
        /\ turns = 0
        /\ heads[eye]
        /\ \E c \in Coin : below[c] = 2 /\ \A d \in Coin \ {c} : below[d] = 1
Turn(c, d) == /\ c /= d
              /\ turns < 3
              /\ heads' = [heads EXCEPT ![c] = ~@, ![d] = ~@]
              /\ turns' = turns + 1
              /\ UNCHANGED <<below, eye, seen>>
Look == below[eye] = 2 /\ seen' = seen \cup {eye} /\ UNCHANGED <<heads, below, eye, turns>>
Next == Look \/ \E c, d \in Coin : Turn(c, d)
Spec == Init /\ [][Next]_vars /\ WF_vars(Look)
SomeShowTails == \E c \in Coin : ~heads[c]
SomeShowHeads == \E c \in Coin : heads[c]
TheEyeStaysOnHeads == [][heads'[eye'] \/ ~heads[eye]]_vars
SomethingIsSeen == []<>(seen /= {})
====
"""

#: How TLC is told of each property.
KINDS = {
    "SomeShowTails": "INVARIANT",
    "SomeShowHeads": "INVARIANT",
    "TheEyeStaysOnHeads": "PROPERTY",
    "SomethingIsSeen": "PROPERTY",
}


def told(folder: Path, *asked: str) -> str:
    """Return what TLC says of the twin."""
    lines = ["SPECIFICATION Spec", *(f"{KINDS[name]} {name}" for name in asked)]
    return told_by_tlc(folder, "coins", TWIN, lines)


def test_it_counts_the_same_states_and_steps(tmp_path: Path) -> None:
    outcome = explore(chosen(MODEL, MODEL.instances[0], properties=[]))
    said = told(tmp_path)
    begun = re.search(r"initial states: (\d+) distinct states generated", said)
    found = re.search(r"(\d+) states generated, (\d+) distinct states found, 0 states left", said)
    depth = re.search(r"depth of the complete state graph search is (\d+)", said)
    assert begun is not None, said
    assert found is not None, said
    assert depth is not None, said
    counts = [outcome.initial, outcome.generated, outcome.states, outcome.levels]
    assert [int(n) for n in (begun[1], found[1], found[2], depth[1])] == counts


@pytest.mark.parametrize("name", sample(list(KINDS), 2))
def test_it_finds_the_same_properties_false(name: str, tmp_path: Path) -> None:
    outcome = explore(chosen(MODEL, MODEL.instances[0], properties=[name]))
    said = told(tmp_path, name)
    assert name in outcome.violations
    assert "is violated" in said or "were violated" in said, said
