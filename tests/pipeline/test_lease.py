"""One driver at a time makes levels, and one that was held up notices that another has."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from ackproof.model.outcome import Progress
from ackproof.pipeline import lease
from ackproof.pipeline.errors import SearchFailed, SearchRefused
from ackproof.pipeline.folder import Folder
from ackproof.pipeline.lease import Lease

from tests.models import two_phase_commit
from tests.pipeline.sealing import rewrite
from tests.pipeline.searches import ALONE, bound_of, explorer_of, folder_of, summary

BOUND = bound_of(two_phase_commit.MODEL, "rm3")


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    """The folder of a search."""
    return Folder(tmp_path / "search")


def held(folder: Folder) -> Path:
    """The file that says who is at work."""
    (path,) = folder.lease.iterdir()
    return path


def test_each_driver_has_a_greater_token(folder: Folder) -> None:
    for token in (1, 2, 3):
        with Lease(folder) as taken:
            assert taken.token == token
            taken.require()
        assert held(folder).name == f"0000{token}.json"


def test_a_second_driver_is_refused_while_the_first_is_at_work(folder: Folder) -> None:
    with Lease(folder), pytest.raises(SearchRefused) as refused:
        Lease(folder)
    assert str(refused.value).startswith(f"{folder.root} is in use, by process {os.getpid()} on ")
    with Lease(folder) as next_one:
        assert next_one.token == 2


def test_a_second_search_does_not_join_the_first(tmp_path: Path) -> None:
    refusals: list[str] = []

    def join(progress: Progress) -> None:
        if progress.levels == 3:
            with pytest.raises(SearchRefused) as refused:
                explorer_of(tmp_path, small=ALONE, resume=True)(BOUND)
            refusals.append(str(refused.value))

    explorer_of(tmp_path, small=ALONE)(BOUND, progress=join)
    assert len(refusals) == 1
    assert "is in use, by process" in refusals[0]


def test_a_driver_whose_process_is_gone_is_replaced_at_once(folder: Folder) -> None:
    code = (
        "import os, sys; from pathlib import Path\n"
        "from ackproof.pipeline.folder import Folder\n"
        "from ackproof.pipeline.lease import Lease\n"
        "Lease(Folder(Path(sys.argv[1]))); os._exit(1)"
    )
    subprocess.run([sys.executable, "-c", code, str(folder.root)], check=False)
    assert held(folder).name == "00001.json"
    with Lease(folder) as taken:
        assert taken.token == 2


def elsewhere(holder: dict[str, Any]) -> None:
    """Say that the driver is on another machine, or was, before this one was started anew."""
    holder["host"] = "elsewhere 1"


def test_a_driver_elsewhere_is_waited_for_a_minute(folder: Folder) -> None:
    taken = Lease(folder)
    rewrite(held(folder), elsewhere)
    with pytest.raises(SearchRefused, match=r"on elsewhere: .* was renewed within 60 s"):
        Lease(folder)
    long_ago = time.time() - 61
    os.utime(held(folder), (long_ago, long_ago))
    with Lease(folder) as other:
        assert other.token == 2
        with pytest.raises(SearchFailed, match="another driver goes on here"):
            taken.require()
        taken.__exit__(None, None, None)
        assert held(folder).name == "00002.json", "who was given up changes nothing any more"
        other.require()


def test_a_lease_is_renewed(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lease, "_SIGN", 0.05)
    with Lease(folder):
        os.utime(held(folder), (0, 0))
        deadline = time.monotonic() + 20
        while held(folder).stat().st_mtime == 0:
            assert time.monotonic() < deadline
            time.sleep(0.02)


def test_a_driver_that_wakes_too_late_makes_no_level(tmp_path: Path) -> None:
    others: list[dict[str, Any]] = []

    def sleep(progress: Progress) -> None:
        if progress.levels == 4 and not others:
            folder = folder_of(tmp_path)
            rewrite(held(folder), elsewhere)
            os.utime(held(folder), (0, 0))
            others.append(summary(explorer_of(tmp_path, small=ALONE, resume=True)(BOUND)))

    with pytest.raises(SearchFailed, match="another driver goes on here"):
        explorer_of(tmp_path, small=ALONE)(BOUND, progress=sleep)
    levels = folder_of(tmp_path).levels()
    assert [level.token for level in levels] == [1] * 4 + [2] * (len(levels) - 4)
    again = explorer_of(tmp_path, small=ALONE, resume=True)(BOUND)
    assert others == [summary(again)]
