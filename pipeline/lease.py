"""The lease: one driver at a time makes the levels of a search.

A driver that begins takes the next number, its *token*, by making a file of that name, which only
one can.  It renews the file while it works, and says in it when it has ended.  Where a file says
that a driver is at work, another one is refused, unless that driver is dead: its process was one of
this machine and is gone, or its file was not renewed for a minute.

A driver that was only held up, and not dead, may wake after another has taken its place.  So before
it makes a level it looks whether there is a greater token, and then ends; and levels say by which
token they were made, so what came too late is noticed by whoever reads them
(`ackproof.pipeline.folder`).
"""

from __future__ import annotations

import os
import socket
import threading
from pathlib import Path
from types import TracebackType

import msgspec
from ackproof.pipeline.errors import SearchFailed, SearchRefused
from ackproof.pipeline.folder import Folder
from ackproof.pipeline.sealed import (
    FileChanged,
    read_document,
    sealed_document,
    write_once,
    write_text,
)

__all__ = ["Lease"]

#: Seconds after which a driver that has not said anything is taken for dead, and between two signs.
_SILENCE, _SIGN = 60.0, 10.0


class Holder(msgspec.Struct, frozen=True):
    """Who has taken a token.

    Args:
        host: the machine, and when it was started.
        process: the process there, and when it was started.
        ended: whether it has ended its work.
    """

    host: str
    process: tuple[int, str]
    ended: bool = False

    @property
    def gone(self) -> bool:
        """Whether it has ended, or was a process of this machine that is not there any more."""
        return self.ended or (self.host == _host() and _born(self.process[0]) != self.process[1])


class Lease:
    """The right to make levels, for as long as the context lasts.

    Attributes:
        token: its number, greater than all before it.
    """

    def __init__(self, folder: Folder) -> None:
        """Take the lease of a search.

        Raises:
            SearchRefused: another driver has it, and is alive.
        """
        self._folder = folder
        known = _tokens(folder)
        if known:
            _require_free(folder, known[-1])
        self.token = known[-1] + 1 if known else 1
        self._holder = Holder(_host(), (os.getpid(), _born(os.getpid())))
        try:
            write_once(self._path, _text(self._holder))
        except FileExistsError:
            raise _in_use(folder, self._path, "by another driver that begins now") from None
        for token in known:
            _path(folder, token).unlink(missing_ok=True)
        self._ended = threading.Event()
        threading.Thread(target=self._renew, name="ackproof lease", daemon=True).start()

    @property
    def _path(self) -> Path:
        return _path(self._folder, self.token)

    def require(self) -> None:
        """Return if no other driver has taken the lease since.

        Raises:
            SearchFailed: one has.
        """
        if _tokens(self._folder)[-1:] != [self.token]:
            raise SearchFailed(
                f"{self._folder.root}: another driver goes on here, which took this one for "
                "dead\n  instead: leave it to the other"
            )

    def _renew(self) -> None:
        while not self._ended.wait(_SIGN):
            try:
                os.utime(self._path)
            except OSError:
                return  # another driver has removed it, or the folder is gone

    def __enter__(self) -> Lease:
        """Return the lease itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Say that this driver has ended, if it was not given up."""
        self._ended.set()
        if self._path.exists():
            write_text(self._path, _text(msgspec.structs.replace(self._holder, ended=True)))


def _path(folder: Folder, token: int) -> Path:
    return folder.lease / f"{token:05d}.json"


def _text(holder: Holder) -> str:
    return sealed_document(msgspec.json.encode(holder))


def _tokens(folder: Folder) -> list[int]:
    """Return the tokens that are there, the greatest last."""
    return sorted(int(path.stem) for path in folder.lease.glob("[0-9]*.json"))


def _require_free(folder: Folder, token: int) -> None:
    """Return if nobody works with a token any more."""
    path = _path(folder, token)
    try:
        holder = msgspec.json.decode(read_document(path), type=Holder)
        if holder.gone:
            return
        who = f"by process {holder.process[0]} on {holder.host.partition(' ')[0]}"
    except (FileChanged, msgspec.DecodeError):
        who = "by a driver whose name cannot be read"
    except FileNotFoundError:
        who = "by another driver that begins now"
    if _silent(path) < _SILENCE:
        raise _in_use(folder, path, who)


def _in_use(folder: Folder, path: Path, who: str) -> SearchRefused:
    return SearchRefused(
        f"{folder.root} is in use, {who}: {path} was renewed within {_SILENCE:.0f} s\n"
        "  instead: wait until it has ended; a driver that has died is forgotten after as long"
    )


def _silent(path: Path) -> float:
    """Return for how many seconds a file was not renewed, by the clock of whoever keeps it."""
    probe = path.with_name(f".{os.getpid()}.clock")
    try:
        probe.touch()
        return probe.stat().st_mtime - path.stat().st_mtime
    except FileNotFoundError:
        return 0.0
    finally:
        probe.unlink(missing_ok=True)


def _host() -> str:
    """Return what tells this machine from others, and from itself before it was started anew."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        boot = ""
    return f"{socket.gethostname()} {boot}"


def _born(process: int) -> str:
    """Return when a process was started, as the system says it; nothing if there is none."""
    try:
        said = Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return ""
    # The name of the program, in parentheses, may have anything in it.
    fields = said.rpartition(")")[2].split()
    return "" if fields[0] == "Z" else fields[19]
