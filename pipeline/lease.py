"""The lease: one driver at a time makes the levels of a search.

A driver that begins takes the next number, its *token*, by claiming a file of that name, which only
one can, and looks whether there is a greater one by now.  It renews the file while it works, and
says in it when it has ended.  Where a file says that a driver is at work, another one is refused,
unless that driver is dead: its process was one of this machine and is gone, or its file was not
renewed for a minute.

A driver that was only held up, and not dead, may wake after another has taken its place.  So before
it makes a level it looks whether there is a greater token, and then ends.  What it may be writing
just then comes too late: levels have the token in their names by which they were made, and the
greatest counts (`ackproof.pipeline.folder`).
"""

from __future__ import annotations

import os
import socket
import threading
from contextlib import suppress
from pathlib import Path
from types import TracebackType

import msgspec
from ackproof.pipeline.errors import SearchFailed, SearchRefused, StoreFailed
from ackproof.pipeline.folder import Folder
from ackproof.pipeline.places import Place
from ackproof.pipeline.sealed import FileChanged, read_document, sealed_document

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
        known = _holders(folder)
        for path in known:
            # Of one token there may be another claim, by a driver that died before it took it back.
            if _token(path) == _token(known[-1]):
                _require_free(folder, path)
        self.token = _token(known[-1]) + 1 if known else 1
        self._holder = Holder(_host(), (os.getpid(), _born(os.getpid())))
        path = folder.lease / f"{self.token:05d}.json"
        try:
            self._path = path.claim(_text(self._holder))
        except FileExistsError:
            raise _in_use(folder, path, "by another driver that begins now") from None
        if _token(_holders(folder)[-1]) != self.token:
            # Others have come and gone since this one looked.
            self._path.unlink(missing_ok=True)
            raise _in_use(folder, path, "by another driver that began before")
        for path in known:
            path.unlink(missing_ok=True)
        self._ended = threading.Event()
        threading.Thread(target=self._renew, name="ackproof lease", daemon=True).start()

    def require(self) -> None:
        """Return if no other driver has taken the lease since.

        Raises:
            SearchFailed: one has.
        """
        if [_token(path) for path in _holders(self._folder)[-1:]] != [self.token]:
            raise SearchFailed(
                f"{self._folder.root}: another driver goes on here, which took this one for "
                "dead\n  instead: leave it to the other"
            )

    def _renew(self) -> None:
        while not self._ended.wait(_SIGN):
            try:
                self._path.renew()
            except StoreFailed:
                continue  # it may answer again
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
        # A store that does not answer has been told of already.
        with suppress(StoreFailed):
            if self._path.exists():
                self._path.write(_text(msgspec.structs.replace(self._holder, ended=True)))


def _text(holder: Holder) -> str:
    return sealed_document(msgspec.json.encode(holder))


def _holders(folder: Folder) -> list[Place]:
    """Return the files that say who has taken tokens, that of the greatest last."""
    return sorted((path for path in folder.lease.files() if path.stem[:1].isdecimal()), key=_token)


def _token(path: Place) -> int:
    return int(path.stem.partition("-")[0])


def _require_free(folder: Folder, path: Place) -> None:
    """Return if nobody works any more who has taken a token."""
    try:
        holder = msgspec.json.decode(read_document(path), type=Holder)
        if holder.gone:
            return
        who = f"by process {holder.process[0]} on {holder.host.partition(' ')[0]}"
    except (FileChanged, msgspec.DecodeError):
        who = "by a driver whose name cannot be read"
    except FileNotFoundError:
        who = "by another driver that begins now"
    if path.silence() < _SILENCE:
        raise _in_use(folder, path, who)


def _in_use(folder: Folder, path: Place, who: str) -> SearchRefused:
    return SearchRefused(
        f"{folder.root} is in use, {who}: {path} was renewed within {_SILENCE:.0f} s\n"
        "  instead: wait until it has ended; a driver that has died is forgotten after as long"
    )


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
