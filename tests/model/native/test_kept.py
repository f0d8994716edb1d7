"""A translation is made once, and again when what it was made of or how it was made has changed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from ackproof.model.cache import Cache
from ackproof.model.native.families import assemble
from ackproof.model.native.kept import kept_classes
from ackproof.model.native.translate import Translation, translate

from tests.model.native.test_translate import Workshop

HERE = Path(__file__).parent


class Translating:
    """Translates, and counts how often it was asked."""

    times = 0

    def __call__(self) -> Translation:
        """Translate the workshop."""
        self.times += 1
        return translate(Workshop)


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    """Return a store with nothing in it."""
    return Cache(tmp_path)


def test_the_second_time_the_classes_come_from_the_store(cache: Cache) -> None:
    translating = Translating()
    made = kept_classes(translating, "as it is", (HERE,), cache)
    kept = kept_classes(translating, "as it is", (HERE,), cache)
    assert translating.times == 1
    assert kept.keys() == made.keys()
    assert kept[Workshop] is not made[Workshop]
    for classes in (made, kept):
        system: Any = assemble(Workshop, classes)
        system.benches.add("w1", of="ann")
        system.work("w1", "t1")
        assert system.benches["w1"].tools == {"t1"}


def test_what_was_made_in_another_manner_is_another_entry(cache: Cache) -> None:
    translating = Translating()
    kept_classes(translating, "one", (HERE,), cache)
    kept_classes(translating, "other", (HERE,), cache)
    assert translating.times == 2


def test_what_was_made_of_other_files_is_another_entry(cache: Cache) -> None:
    translating = Translating()
    kept_classes(translating, "as it is", (HERE / "test_kept.py",), cache)
    kept_classes(translating, "as it is", (HERE / "test_packing.py",), cache)
    assert translating.times == 2


def test_without_a_store_they_are_made_each_time() -> None:
    translating = Translating()
    for _ in range(2):
        kept_classes(translating, "as it is", (HERE,), None)
    assert translating.times == 2
