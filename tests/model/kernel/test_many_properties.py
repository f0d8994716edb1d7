"""More properties than a word has bits: each is judged, whatever the number of its bit."""

from __future__ import annotations

from pathlib import Path

import pytest
from ackproof.lang import Model
from ackproof.lang.errors import BindError
from ackproof.model.check import check
from ackproof.model.kernel.engine import explore
from ackproof.model.limits import MOST_PROPERTIES
from ackproof.model.plain_search import explore as explore_plain

from tests.pipeline.searches import bound_of, explorer_of, model_of

_COUNTER = """
import sys
from typing import Annotated
from ackproof.lang import *

class Counter(System):
    n: Annotated[int, Range(0, 400)]

    @action
    def count(self) -> None:
        require(self.n < {most})
        self.n += 1

{properties}
MODEL = Model(
    "counter", Counter, properties_in(sys.modules[__name__]), (Instance("all", "", {{}}),)
)
"""

_PROPERTIES = """
@invariant
def IsNot{k}(s: Counter) -> bool:
    return s.n != {k}

@step_property
def NoStepTo{k}(before: Counter, after: Counter) -> bool:
    return after.n != {k}
"""


def counting(properties: int, most: int, folder: Path) -> Model:
    """Return a model that counts, and a property against each number that it may come to."""
    said = "".join(_PROPERTIES.format(k=k) for k in range(1, properties + 1))
    return model_of(_COUNTER.format(properties=said, most=most), folder)


@pytest.mark.parametrize("most", [0, 61, 62, 63, 64, 65, 127, 128, 190])
def test_each_is_violated_at_its_own_number(most: int, tmp_path: Path) -> None:
    bound = bound_of(counting(200, most, tmp_path))
    found = explore(bound, survey=True).violations
    assert {name: len(path) for name, path in found.items()} == {
        f"{what}{k}": k for k in range(1, most + 1) for what in ("IsNot", "NoStepTo")
    }
    assert found == explore_plain(bound, survey=True).violations


def test_levels_in_files_have_them_all(tmp_path: Path) -> None:
    bound = bound_of(counting(70, 68, tmp_path))
    found = explorer_of(tmp_path / "work")(bound, survey=True).violations
    assert found == explore_plain(bound, survey=True).violations
    assert len(found) == 2 * 68


def test_more_than_a_record_has_bits_are_refused(tmp_path: Path) -> None:
    model = counting(MOST_PROPERTIES + 1, 1, tmp_path)
    with pytest.raises(BindError, match=f"{MOST_PROPERTIES + 1} properties of states, and 256 can"):
        check(model, model.instances[0])
