"""A search takes a share of what the machine, or its container, has left."""

from __future__ import annotations

from pathlib import Path

import pytest
from ackproof.model.resources import (
    available_memory,
    default_memory,
    default_workers,
    parse_size,
    show_size,
)


def machine(root: Path, **files: str) -> Path:
    """Write files of `/proc` and `/sys`, dots for slashes in front of the last name."""
    for name, text in files.items():
        file = root / name.replace("__", "/")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return root


def group(root: Path, limit: str, used: str) -> Path:
    folder = root / "sys/fs/cgroup"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "memory.max").write_text(limit)
    (folder / "memory.current").write_text(used)
    return root


MEMINFO = "MemTotal:        8000000 kB\nMemAvailable:    4000000 kB\n"


def test_without_a_container_it_is_what_the_machine_has_available(tmp_path: Path) -> None:
    assert available_memory(machine(tmp_path, proc__meminfo=MEMINFO)) == 4_000_000 * 1024


def test_a_container_that_allows_less_decides(tmp_path: Path) -> None:
    root = group(machine(tmp_path, proc__meminfo=MEMINFO), "1000000\n", "400000\n")
    assert available_memory(root) == 600_000


def test_a_container_that_allows_more_does_not(tmp_path: Path) -> None:
    root = group(machine(tmp_path, proc__meminfo=MEMINFO), f"{10**12}\n", "0\n")
    assert available_memory(root) == 4_000_000 * 1024


def test_a_container_without_a_limit_does_not(tmp_path: Path) -> None:
    root = group(machine(tmp_path, proc__meminfo=MEMINFO), "max\n", "400000\n")
    assert available_memory(root) == 4_000_000 * 1024


def test_the_older_form_of_a_container_is_known(tmp_path: Path) -> None:
    folder = tmp_path / "sys/fs/cgroup/memory"
    folder.mkdir(parents=True)
    (folder / "memory.limit_in_bytes").write_text("5000\n")
    (folder / "memory.usage_in_bytes").write_text("2000\n")
    assert available_memory(tmp_path) == 3_000


def test_where_nothing_is_known_it_is_a_gibibyte(tmp_path: Path) -> None:
    assert available_memory(tmp_path) == 1 << 30


def test_more_used_than_allowed_leaves_nothing(tmp_path: Path) -> None:
    assert available_memory(group(tmp_path, "100\n", "200\n")) == 0


def test_the_default_is_less_than_all_of_it() -> None:
    assert 0 < default_memory() < available_memory() * 1.5


def test_a_share_of_the_processors_counts_as_that_many(tmp_path: Path) -> None:
    everything = default_workers(tmp_path)
    folder = tmp_path / "sys/fs/cgroup"
    folder.mkdir(parents=True)
    (folder / "cpu.max").write_text("50000 100000\n")
    assert default_workers(tmp_path) == 1
    (folder / "cpu.max").write_text("max 100000\n")
    assert default_workers(tmp_path) == everything >= 1


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("1B", 1),
        ("512M", 512 << 20),
        ("2G", 2 << 30),
        ("1.5 GiB", 3 << 29),
        ("64kb", 64 << 10),
        ("1T", 1 << 40),
    ],
)
def test_sizes_are_read_with_their_units(text: str, size: int) -> None:
    assert parse_size(text) == size


@pytest.mark.parametrize("text", ["", "G", "-1G", "0", "0.1", "2X", "1 2", "two", "3", "GB2", "5i"])
def test_what_is_no_size_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not a size"):
        parse_size(text)


@pytest.mark.parametrize(
    ("size", "text"),
    [(0, "0 B"), (1023, "1023 B"), (1024, "1 KiB"), (5 << 20, "5 MiB"), (3 << 29, "1.5 GiB")],
)
def test_sizes_are_shown_with_their_units(size: int, text: str) -> None:
    assert show_size(size) == text
