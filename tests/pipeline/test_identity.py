"""A search knows what it is about, and is not gone on with when that has changed."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from ackproof.lang import Design
from ackproof.lang.binding import Bound, bind
from ackproof.model.lower.compile import compile_kernel
from ackproof.pipeline.errors import SearchRefused
from ackproof.pipeline.folder import Folder
from ackproof.pipeline.identity import FORMAT, Identity, code_of, folder_name, read_search
from ackproof.spec.designs import ack_after_write
from ackproof.spec.model import MODEL as CONFIRMS

from tests.model import liveness_models as live
from tests.models import two_phase_commit
from tests.pipeline.sealing import rewrite
from tests.pipeline.searches import bound_of, written


def identity_of(bound: Bound, parts: int = 4) -> Identity:
    """Return what a search of a bound program is about."""
    return Identity.of(bound, compile_kernel(bound), parts)


def changed(one: Bound, other: Bound) -> set[str]:
    """Return which digests differ."""
    a, b = identity_of(one).hashes, identity_of(other).hashes
    return {name for name in a if a[name] != b[name]}


def test_a_search_says_all_that_is_needed_to_read_it(tmp_path: Path) -> None:
    bound = bound_of(CONFIRMS, "tiny", ack_after_write.design)
    begun = written(bound, tmp_path, 5)
    found = read_search(begun.folder)
    assert (found.format, found.model, found.instance) == (
        FORMAT,
        bound.program.name,
        "tiny",
    )
    assert found.design == ack_after_write.design.claim
    assert (found.parts, found.words) == (5, begun.kernel.words)
    assert found.actions == [a.name for a in bound.actions]
    assert [i.text for i in found.instances] == [str(i) for i in bound.instances()]
    assert {i.action for i in found.instances} <= set(found.actions)
    assert set(found.hashes) == {"specification", "instance", "properties", "layout"}


def test_the_kernel_is_read_as_it_was_written(tmp_path: Path) -> None:
    begun = written(bound_of(live.LAMP), tmp_path)
    code = code_of(begun.folder)
    assert code.text == begun.kernel.ir_text
    assert (code.words, code.fanout, code.of_runs) == (
        begun.kernel.words,
        begun.kernel.fanout,
        True,
    )


def test_files_of_states_carry_the_digests() -> None:
    identity = identity_of(bound_of(live.LAMP))
    assert identity.metadata() == {f"ackproof.{n}": h for n, h in identity.hashes.items()}


def test_the_same_is_the_same() -> None:
    assert changed(bound_of(CONFIRMS, "tiny"), bound_of(CONFIRMS, "tiny")) == set()


_PRINT = """
import json
from ackproof.model.lower.compile import compile_kernel
from ackproof.pipeline.identity import Identity
from ackproof.lang.binding import bind
from ackproof.spec.model import MODEL
bound = bind(MODEL, MODEL.instance("core"))
print(json.dumps(Identity.of(bound, compile_kernel(bound), 4).hashes))
"""


def test_another_process_finds_the_same_digests() -> None:
    found = []
    for seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        run = subprocess.run(
            [sys.executable, "-c", _PRINT],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        found.append(json.loads(run.stdout))
    assert found[0] == found[1]


def test_each_digest_is_of_something_else() -> None:
    base = bound_of(live.LAMP)
    assert changed(base, bound_of(live.LAMP, design=live.DIM)) >= {"specification"}
    assert changed(base, replace(base, properties=())) == {"properties"}
    asked = bound_of(live.LAMP, properties=["TheLampIsOff", "NoDeadlock"])
    assert changed(base, asked) == {"properties"}
    rm2, rm3 = (bound_of(two_phase_commit.MODEL, name) for name in ("rm2", "rm3"))
    assert changed(rm2, rm3) == {"instance", "layout"}


def test_what_is_fair_is_part_of_the_specification() -> None:
    sure = bound_of(live.LAMP, design=live.SURE)
    dim = bound_of(live.LAMP, design=live.DIM)
    assert "specification" in changed(sure, dim)


# -- refusals ----------------------------------------------------------------------------------

_CHANGED = "has changed since it was begun\n  instead: search anew in another folder, or go back"

REFUSED = {
    "specification": f"the specification {_CHANGED} to what it was",
    "instance": f"the instance {_CHANGED} to what it was",
    "properties": f"the choice of properties, or what one of them says, {_CHANGED} to what it was",
    "layout": f"the layout of packed states {_CHANGED} to what it was",
}


@pytest.mark.parametrize("part", REFUSED)
def test_what_has_changed_is_said(part: str, tmp_path: Path) -> None:
    begun = written(bound_of(live.LAMP), tmp_path)
    other = replace(begun.identity, hashes={**begun.identity.hashes, part: "other"})
    begun.identity.refuse_other(begun.folder)
    with pytest.raises(SearchRefused) as refused:
        other.refuse_other(begun.folder)
    assert str(refused.value) == f"{tmp_path} cannot be resumed: {REFUSED[part]}"


def test_another_number_of_parts_is_refused_with_the_right_one(tmp_path: Path) -> None:
    begun = written(bound_of(live.LAMP), tmp_path, 16)
    with pytest.raises(SearchRefused) as refused:
        replace(begun.identity, parts=7).refuse_other(begun.folder)
    assert str(refused.value) == (
        f"{tmp_path} cannot be resumed: it is divided into 16 partitions, not 7\n"
        "  instead: give --partitions 16, or leave it out"
    )


def test_a_folder_that_is_no_search_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SearchRefused) as refused:
        read_search(Folder(tmp_path))
    assert str(refused.value) == (
        f"{tmp_path} holds no search: it has no search.json\n"
        "  instead: name the folder that `ackproof check --engine spark` has printed"
    )


@pytest.mark.parametrize("text", ["", "{", "{}", "\xff"])
def test_what_cannot_be_read_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "search.json").write_text(text, encoding="latin-1")
    with pytest.raises(SearchRefused, match=r"search\.json cannot be read: "):
        read_search(Folder(tmp_path))


@pytest.mark.parametrize("name", ["parts", "hashes", "kernel", "state", "instances"])
def test_what_lacks_something_is_refused(name: str, tmp_path: Path) -> None:
    begun = written(bound_of(live.LAMP), tmp_path)
    rewrite(begun.folder.search, lambda document: document.pop(name))
    with pytest.raises(SearchRefused, match=rf"is not whole: .*`{name}`\n  instead: search anew"):
        read_search(begun.folder)


@pytest.mark.parametrize("known", ["ackproof/search/1", None, [1]])
def test_another_format_is_refused(known: Any, tmp_path: Path) -> None:
    (tmp_path / "search.json").write_text(json.dumps({"format": known}))
    with pytest.raises(SearchRefused) as refused:
        read_search(Folder(tmp_path))
    assert str(refused.value) == (
        f"{tmp_path} has the format {known!r}, and this version reads {FORMAT!r}\n"
        "  instead: search anew in another folder"
    )


# -- names -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("bound", "name"),
    [
        (bound_of(live.LAMP), "lamp-one"),
        (bound_of(live.LAMP, design=live.DIM), "lamp-it-can-be-switched-off-one"),
        (bound_of(two_phase_commit.MODEL, "rm7"), "two-phase-commit-rm7"),
        (bind(CONFIRMS, CONFIRMS.instances[0], None, ["SettledOnce"]), None),
    ],
)
def test_a_folder_has_the_name_of_what_is_searched(bound: Bound, name: str | None) -> None:
    found = folder_name(bound)
    assert found == name or (name is None and found.endswith("-only-settledonce"))


def test_a_name_has_nothing_that_a_path_could_stumble_over() -> None:
    claim = "../.. *A* \n path/like ~claim~, of more than forty-eight characters"
    design = Design(claim=claim, replace=(live.Dim,))
    found = folder_name(bound_of(live.LAMP, design=design))
    assert re.fullmatch(r"lamp-a-path-like-claim-of-more-than-forty-eigh-[0-9a-f]{6}-one", found)
