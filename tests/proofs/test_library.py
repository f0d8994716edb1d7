"""The lemma library of a model is found by the name that the model gives."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest
from ackproof.lang import lemma
from ackproof.lang.lemmas import Library
from ackproof.lang.properties import Lemma
from ackproof.proofs.attempt import prepare
from ackproof.proofs.library import LibraryError, lemma_library, with_lemmas
from ackproof.spec.lemmas import LIBRARY as SPECIFIED
from ackproof.spec.model import MODEL as CONFIRMS

from tests.model.loading import load
from tests.proofs import spoiled
from tests.proofs.closet import LIBRARY, MODEL


def test_a_model_has_the_lemmas_of_the_module_that_it_names() -> None:
    assert lemma_library(MODEL) == LIBRARY
    assert lemma_library(CONFIRMS) == SPECIFIED


def test_a_model_that_names_no_module_has_no_lemmas() -> None:
    assert lemma_library(replace(MODEL, lemmas="")).lemmas == {}


def test_the_lemmas_of_a_file_come_to_those_of_the_model() -> None:
    found = lemma_library(MODEL, spoiled)
    assert {"FreeIsEmpty", "NeverFree"} <= set(found.lemmas)
    assert found.proofs == LIBRARY.proofs


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("tests.proofs.nowhere", "the lemmas of closet cannot be imported from tests.proofs.nowh"),
        ("tests.proofs.office", "tests.proofs.office, which closet names for its lemmas, has no L"),
    ],
)
def test_a_name_that_leads_to_no_library_is_rejected(name: str, said: str) -> None:
    with pytest.raises(LibraryError, match=re.escape(said)):
        lemma_library(replace(MODEL, lemmas=name))


def test_importing_a_model_does_not_import_its_lemmas() -> None:
    text = "import sys; import ackproof.spec.model; print('ackproof.spec.lemmas' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_lemmas_and_assumptions_can_be_checked_like_properties() -> None:
    names = {p.name for p in with_lemmas(MODEL, LIBRARY).properties}
    assert {"AloneInside", "FreeIsEmpty", "TheDoorIsLocked"} <= names


# -- a name means one thing --------------------------------------------------------------------

_OWN = '''
"""A closet with claims of its own."""
from ackproof.lang import assumption, invariant, lemma, step_property
from tests.proofs.closet import Closet

@{mark}
def {name}(s: Closet) -> bool:
    """Nothing is said."""
    return True
'''


@pytest.mark.parametrize(
    ("mark", "name", "said"),
    [
        ("lemma()", "AloneInside", "the lemma AloneInside has the name of the property at"),
        ("lemma()", "EverybodyLeaves", "the lemma EverybodyLeaves has the name of the property at"),
        ("assumption", "NoPair", "the assumption NoPair has the name of the property at"),
        ("assumption", "FreeIsEmpty", "the assumption FreeIsEmpty has the name of the lemma at"),
        ("lemma()", "TheDoorIsLocked", "assumption TheDoorIsLocked has the name of the lemma at"),
    ],
)
def test_what_has_the_name_of_something_else_does_not_take_its_place(
    mark: str, name: str, said: str, tmp_path: Path
) -> None:
    own = module_in(tmp_path, _OWN.format(mark=mark, name=name))
    with pytest.raises(LibraryError, match=said) as raised:
        lemma_library(MODEL, own)
    assert f"{own.__file__}:6" in str(raised.value)
    assert "closet.py:" in str(raised.value)
    assert str(raised.value).endswith("\n  instead: give it a name of its own")
    with pytest.raises(LibraryError, match=said):
        prepare(MODEL, LIBRARY | Library.of(own), ["NoPair"])


def test_a_property_of_steps_follows_from_no_state() -> None:
    library = replace(LIBRARY, follows={"EntersAnEmptyCloset": ("AloneInside",)})
    with pytest.raises(LibraryError, match="EntersAnEmptyCloset is about steps, so it follows"):
        prepare(MODEL, library, ["EntersAnEmptyCloset"])


def test_a_lemma_of_a_file_may_take_the_place_of_one_of_the_model(tmp_path: Path) -> None:
    own = module_in(tmp_path, _OWN.format(mark="lemma()", name="FreeIsEmpty"))
    assert lemma_library(MODEL, own).lemmas["FreeIsEmpty"].by == ()


def test_a_lemma_may_be_a_property_of_the_model_too() -> None:
    [unsure] = [one.property for one in LIBRARY.lemmas.values()]
    both = replace(MODEL, properties=(*MODEL.properties, unsure))
    assert [p.name for p in with_lemmas(both, LIBRARY).properties].count("FreeIsEmpty") == 1


def module_in(folder: Path, text: str) -> ModuleType:
    """Return a module with that text."""
    path = folder / "own_claims.py"
    path.write_text(text)
    found: ModuleType = load(path, "own_claims")
    return found


def test_what_a_lemma_is_always_proved_with_a_step_may_name_again() -> None:
    @lemma("Always", "Often", enter=("Often", "Here"))
    def AloneInside(s: object) -> bool:
        """Nobody else is inside."""
        return True

    known: Lemma = AloneInside.__ackproof_lemma__  # type: ignore[attr-defined]
    assert known.needs("enter") == ("Always", "Often", "Here")
    assert known.needs("leave") == ("Always", "Often")
