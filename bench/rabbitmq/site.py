"""A place for RabbitMQ nodes on loopback that leaves nothing behind.

Everything that nodes touch is in one temporary directory, or on a free port of 127.0.0.1: their
databases, logs, configuration, cookie, and the name server (epmd) through which nodes and
`rabbitmqctl` find each other.  So neither a RabbitMQ that runs on this machine nor one that will
run later is affected.

A RabbitMQ of another release of Debian is in a root directory of its own, which `make-root` makes.
Its programs run in there, with the directory for all that they touch in its `/tmp`, and with a
`/proc` that is mounted for them alone and is gone with them.

Every wait has a limit.  When it is reached, the error says what was waited for and where the log
is, with the log's last lines, since the directory is gone afterwards.
"""

from __future__ import annotations

import random
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from bench.process import Failed, Missing

__all__ = [
    "BOOT_SECONDS",
    "COOKIE",
    "LOOPBACK",
    "WITH_US",
    "Site",
    "end_of",
    "free_port",
    "scripts",
    "scripts_in",
    "site",
    "version",
    "wait_until",
    "within",
]

#: Where the packages of Debian and of RabbitMQ itself put the server.
_INSTALLED = Path("/usr/lib/rabbitmq/lib")
_SERVER = "rabbitmq_server-"

#: From 3.8 on it has the two bugs of mirrors; 4.0 has no mirrors, and so neither.
_FIRST, _TOO_NEW = (3, 8), (4,)

#: Runs a program in a root directory, the first argument, with a /proc of its own.
_IN_ROOT = 'mount -t proc proc "$1/proc" && exec chroot "$@"'

#: Seconds that a node may take to boot, on a slow machine.
BOOT_SECONDS = 180.0

#: Runs a command that the kernel kills when this process dies, even if it dies without a word.
WITH_US = ("setpriv", "--pdeathsig", "KILL", "--")

LOOPBACK = "127.0.0.1"

#: Ports of nodes: Linux gives connections those from 32,768 on.
_PORTS = range(20_000, 32_768)

#: The file with what nodes show each other before they talk.
COOKIE = ".erlang.cookie"


def scripts(installed: Path = _INSTALLED) -> Path:
    """Return the directory of RabbitMQ's own scripts, of the newest version that has mirrors.

    Raises:
        Missing: no such version is installed.
    """
    found = {_number(path): path for path in installed.glob(f"{_SERVER}*/sbin")}
    fit = [number for number in found if _FIRST <= number < _TOO_NEW]
    if fit:
        return found[max(fit)]
    wanted = "rabbitmq-server 3.8 to 3.13, which has mirrored queues"
    others = ", ".join(".".join(map(str, number)) for number in sorted(found))
    raise Missing(f"{wanted}, is not installed; {installed} has {others or 'none at all'}")


def version(root: Path | None = None) -> str:
    """Return the version of the RabbitMQ whose scripts are used, here or in a root directory.

    Raises:
        Missing: none is installed.
    """
    return ".".join(map(str, _number(scripts() if root is None else scripts_in(root))))


def scripts_in(root: Path) -> Path:
    """Return the directory of the scripts of the RabbitMQ in a root directory.

    Raises:
        Missing: there is none.
    """
    found = sorted((root / _INSTALLED.relative_to("/")).glob(f"{_SERVER}*/sbin"), key=_number)
    if not found:
        raise Missing(f"{root} has no RabbitMQ; make one: bench/rabbitmq/make-root SUITE {root}")
    return found[-1]


def _number(path: Path) -> tuple[int, ...]:
    """Return the version in the name of an installed server's directory."""
    digits = path.parent.name.removeprefix(_SERVER).split(".")
    return tuple(int(part) for part in digits if part.isdigit())


def free_port() -> int:
    """Return a TCP port of the loopback interface that nobody listens on.

    A node that is killed and starts again needs its port once more; so it is none that Linux would
    give to some connection meanwhile.

    Raises:
        Failed: every port that was tried is taken.
    """
    for port in random.sample(_PORTS, 100):
        with socket.socket() as probe, suppress(OSError):
            probe.bind((LOOPBACK, port))
            return port
    raise Failed("no port of 127.0.0.1 was found on which nobody listens")


def wait_until(
    what: str, true: Callable[[], bool], seconds: float, log: Path | None = None
) -> None:
    """Poll until something is true.

    Args:
        what: completes the sentence "waited for"; part of the error.
        true: asked again and again.
        seconds: how long it may take.
        log: a file whose end explains why it did not come true.

    Raises:
        Failed: it did not come true in time.
    """
    if not within(seconds, true):
        raise Failed(f"waited {seconds:.0f} s in vain for {what}{end_of(log)}")


def within(seconds: float, true: Callable[[], bool]) -> bool:
    """Poll until something is true; say whether it was, in time."""
    limit = time.monotonic() + seconds
    while not true():
        if time.monotonic() > limit:
            return False
        time.sleep(0.05)
    return True


def end_of(log: Path | None) -> str:
    """Return the last lines of a log, as the rest of an error; nothing without one."""
    if log is None:
        return ""
    lines = log.read_text(errors="replace").splitlines()[-25:] if log.exists() else []
    return "\n".join([f"; the log is {log}, and ends with", *lines])


class Site:
    """What nodes share: a directory, a cookie, and a name server on a port of its own.

    Args:
        folder: an empty directory that the caller removes.
        root: the directory that is the root of everything that runs here; `folder` is in it.
    """

    def __init__(self, folder: Path, root: Path | None = None) -> None:
        self.folder = folder
        self.root = root
        self.port = free_port()
        cookie = folder / COOKIE
        cookie.write_text("ackproof")
        cookie.chmod(0o400)

    @property
    def scripts(self) -> Path:
        """The directory of RabbitMQ's own scripts.

        Raises:
            Missing: it is not installed.
        """
        return scripts() if self.root is None else scripts_in(self.root)

    def inside(self, path: Path) -> str:
        """Return a path as what runs here sees it."""
        return str(path) if self.root is None else f"/{path.relative_to(self.root)}"

    def command(self, *words: str) -> list[str]:
        """Return what runs a command here."""
        if self.root is None:
            return list(words)
        return ["unshare", "--mount", "sh", "-c", _IN_ROOT, "sh", str(self.root), *words]

    @contextmanager
    def names(self) -> Iterator[None]:
        """Run the name server, in the foreground: a child that can be ended by its id."""
        command = self.command("epmd", "-port", str(self.port), "-address", LOOPBACK)
        if self.root is None and shutil.which("epmd") is None:
            raise Missing("epmd is not installed; it comes with Erlang")
        quiet = subprocess.DEVNULL
        with subprocess.Popen(
            [*WITH_US, *command], stdin=quiet, stdout=quiet, stderr=quiet
        ) as child:
            try:
                wait_until("epmd to listen", lambda: listening(self.port), BOOT_SECONDS)
                yield
            finally:
                child.kill()


def listening(port: int) -> bool:
    """Say whether somebody accepts connections on a port of the loopback interface."""
    with socket.socket() as probe:
        return probe.connect_ex((LOOPBACK, port)) == 0


@contextmanager
def site(root: Path | None = None) -> Iterator[Site]:
    """Give a place for nodes, and remove it.

    Args:
        root: the root directory with the RabbitMQ to run, if it is not the installed one.
    """
    within_root = None if root is None else root.resolve() / "tmp"
    with tempfile.TemporaryDirectory(
        prefix="ackproof-", ignore_cleanup_errors=True, dir=within_root
    ) as name:
        here = Site(Path(name), root and root.resolve())
        _ = here.scripts  # if there are none, say so first
        with here.names():
            yield here
