"""A place for nodes: which RabbitMQ is used, and what a wait in vain says."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from bench.process import Failed, Missing
from bench.rabbitmq.site import LOOPBACK, Site, free_port, scripts, version, wait_until, within


def installed(folder: Path, *versions: str) -> Path:
    for number in versions:
        (folder / f"rabbitmq_server-{number}" / "sbin").mkdir(parents=True)
    return folder


def test_the_newest_version_with_mirrors_is_used(tmp_path: Path) -> None:
    found = scripts(installed(tmp_path, "3.7.28", "3.9.29", "3.10.8", "4.0.9"))
    assert found == tmp_path / "rabbitmq_server-3.10.8" / "sbin"


def test_where_nothing_is_installed_that_is_said(tmp_path: Path) -> None:
    with pytest.raises(Missing, match=r"is not installed; .* has none at all"):
        scripts(tmp_path)


def test_a_version_without_mirrors_is_not_enough(tmp_path: Path) -> None:
    with pytest.raises(Missing, match=r"3\.8 to 3\.13.*has 4\.0\.9$"):
        scripts(installed(tmp_path, "4.0.9"))


def test_a_wait_in_vain_says_what_for_and_quotes_the_log(tmp_path: Path) -> None:
    log = tmp_path / "node.log"
    log.write_text("a line\nthe last line\n")
    with pytest.raises(Failed, match=r"in vain for a miracle; the log is .*node\.log") as error:
        wait_until("a miracle", lambda: False, 0.1, log)
    assert str(error.value).endswith("the last line")


def test_a_log_that_is_not_there_is_no_second_error(tmp_path: Path) -> None:
    with pytest.raises(Failed, match="in vain for a miracle"):
        wait_until("a miracle", lambda: False, 0.1, tmp_path / "absent")


def test_polling_ends_when_it_comes_true() -> None:
    answers = iter([False, False, True])
    assert within(10, lambda: next(answers))


def test_a_port_is_free_and_none_that_connections_are_given() -> None:
    connections = Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()
    for _ in range(20):
        port = free_port()
        assert port < int(connections[0])
        with socket.socket() as listener:
            listener.bind((LOOPBACK, port))


def test_the_cookie_is_nobody_elses(tmp_path: Path) -> None:
    Site(tmp_path)
    assert (tmp_path / ".erlang.cookie").stat().st_mode & 0o777 == 0o400


def in_root(root: Path, *versions: str) -> Site:
    """Return a place in a root directory with these versions."""
    installed(root / "usr/lib/rabbitmq/lib", *versions)
    folder = root / "tmp" / "here"
    folder.mkdir(parents=True)
    return Site(folder, root)


def test_another_release_is_used_whatever_its_version(tmp_path: Path) -> None:
    here = in_root(tmp_path, "3.10.8", "4.3.6")
    assert here.inside(here.scripts) == "/usr/lib/rabbitmq/lib/rabbitmq_server-4.3.6/sbin"
    assert version(tmp_path) == "4.3.6"


def test_a_root_without_rabbitmq_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(Missing, match=rf"make-root SUITE {tmp_path}$"):
        _ = in_root(tmp_path).scripts


def test_what_runs_in_a_root_sees_paths_from_there(tmp_path: Path) -> None:
    here = in_root(tmp_path, "4.0.5")
    assert here.inside(here.folder / "log") == "/tmp/here/log"
    assert here.command("epmd", "-port", "1")[-4:] == [str(tmp_path), "epmd", "-port", "1"]


def test_what_is_installed_runs_as_it_is(tmp_path: Path) -> None:
    here = Site(tmp_path)
    assert here.inside(tmp_path / "log") == str(tmp_path / "log")
    assert here.command("epmd", "-port", "1") == ["epmd", "-port", "1"]
