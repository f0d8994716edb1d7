"""The compiled driver is kept on disk, is what its sources say, and is never in the way."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from ackproof.model.kernel import objects
from ackproof.model.kernel.search import Status, search

from tests.model.kernel.rules import compile_rules
from tests.model.kernel.two_phase import COUNTS, two_phase

KERNEL = Path(objects.__file__).parent


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty cache, with nothing loaded from another one."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    objects.driver.cache_clear()
    yield tmp_path / "ackproof"
    objects.driver.cache_clear()


def searched() -> tuple[int, int, int]:
    """Counts of a small search, by a driver that is loaded anew."""
    objects.driver.cache_clear()
    result = search(compile_rules(two_phase(3)), two_phase(3).rows())
    assert result.status is Status.EXHAUSTED
    return result.distinct, result.generated, result.levels


def test_machine_code_is_made_once_and_made_again_if_damaged(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert searched() == COUNTS[3]
    (file,) = cache.iterdir()
    made = file.read_bytes()

    with monkeypatch.context() as patch:
        patch.setattr(objects, "_compile", lambda *_: pytest.fail("compiled again"))
        assert searched() == COUNTS[3]
    assert file.read_bytes() == made

    for damaged in (b"", made[:-1], made[:100] + bytes([made[100] ^ 1]) + made[101:]):
        file.write_bytes(damaged)
        with monkeypatch.context() as patch:
            patch.setattr(objects, "_compile", lambda *_: made[:-32])
            assert searched() == COUNTS[3]
        assert file.read_bytes() == made


def test_where_nothing_can_be_written_the_search_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed = tmp_path / "file"
    closed.write_text("not a folder")
    monkeypatch.setenv("XDG_CACHE_HOME", str(closed))
    assert searched() == COUNTS[3]
    objects.driver.cache_clear()


def test_every_file_that_is_compiled_renews_the_machine_code() -> None:
    compiled = {path.name for path in KERNEL.glob("*.py") if "@native" in path.read_text()}
    assert {"driver.py", "table.py", "together.py"} <= compiled
    assert compiled | {"control.py", "graph_task.py", "intrinsics.py", "objects.py"} == set(
        objects.SOURCES
    )
