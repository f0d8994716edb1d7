"""A kernel from the cache does what one does that was compiled, or it is compiled again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from ackproof.lang.binding import Bound, bind
from ackproof.model import kernels
from ackproof.model.cache import Cache
from ackproof.model.kernel.engine import explore
from ackproof.model.kernels import kernel_of
from ackproof.model.lower import generate
from ackproof.model.lower.compile import Kernel, objects_of
from ackproof.model.outcome import Outcome

from tests.model import mailroom

#: Stands for a digest of the sources.
ORIGIN = "a" * 64


@pytest.fixture(scope="module")
def bound() -> Bound:
    return bind(mailroom.MODEL, mailroom.MODEL.instances[0])


def counts(bound: Bound, cache: Cache, origin: str | None = ORIGIN) -> tuple[object, ...]:
    outcome: Outcome = explore(
        bound, kernel=kernel_of(bound, origin, cache, lambda: generate.generate(bound))
    )
    paths = {name: len(path) for name, path in outcome.violations.items()}
    return outcome.states, outcome.generated, outcome.per_action, paths, outcome.witnessed


def forbid(monkeypatch: pytest.MonkeyPatch, module: object, name: str) -> None:
    def fail(*_: object, **__: object) -> None:
        pytest.fail(f"{name} was called")

    monkeypatch.setattr(module, name, fail)


def test_what_was_compiled_is_neither_generated_nor_compiled_again(
    bound: Bound, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = counts(bound, Cache(tmp_path))
    assert first[0] == explore(bound).states
    forbid(monkeypatch, generate, "generate")
    forbid(monkeypatch, kernels, "objects_of")
    assert counts(bound, Cache(tmp_path)) == first


def test_what_is_generated_as_before_is_not_compiled_again(
    bound: Bound, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = counts(bound, Cache(tmp_path))
    forbid(monkeypatch, kernels, "objects_of")
    assert counts(bound, Cache(tmp_path), origin="b" * 64) == first
    assert counts(bound, Cache(tmp_path), origin=None) == first


def test_another_processor_or_compiler_has_code_of_its_own(
    bound: Bound, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    counts(bound, Cache(tmp_path))
    made: list[str] = []

    def counted(text: str, *, quick: bool) -> list[bytes]:
        made.append(text)
        return objects_of(text, quick=quick)

    monkeypatch.setattr(kernels, "objects_of", counted)
    monkeypatch.setattr(kernels, "target", lambda: "another")
    counts(bound, Cache(tmp_path))
    assert len(made) == 1


def test_good_code_is_taken_once_it_was_made(bound: Bound, tmp_path: Path) -> None:
    def kernel() -> Kernel:
        return kernel_of(bound, ORIGIN, Cache(tmp_path), lambda: generate.generate(bound))

    quick = kernel()
    assert quick.better is not None
    good = quick.better()
    assert kernel().better is None
    assert explore(bound, kernel=good).states == explore(bound, kernel=quick).states


def test_a_search_that_is_known_to_be_large_has_good_code_at_once(
    bound: Bound, tmp_path: Path
) -> None:
    large = replace(bound, instance=replace(bound.instance, states=10**6))
    kernel = kernel_of(large, ORIGIN, Cache(tmp_path), lambda: generate.generate(bound))
    assert kernel.better is None


@pytest.mark.parametrize("kind", ["frames", "code"])
@pytest.mark.parametrize("damage", [b"", b"nothing of the kind", None])
def test_a_kernel_that_is_damaged_is_made_again(
    bound: Bound, tmp_path: Path, kind: str, damage: bytes | None
) -> None:
    first = counts(bound, Cache(tmp_path))
    (entry,) = (tmp_path / kind).iterdir()
    whole = entry.read_bytes()
    entry.write_bytes(whole[:-1] if damage is None else damage)
    assert counts(bound, Cache(tmp_path)) == first
    assert counts(bound, Cache(tmp_path)) == first
    assert len(list((tmp_path / kind).iterdir())) == 1
