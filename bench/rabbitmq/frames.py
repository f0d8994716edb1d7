"""What a broker says to a publisher, frame by frame, in order, with the time.

A client library tells its user which messages are settled.  Here it matters which *frames* said
so: an ack for 150 with `multiple` and 150 acks are the same to a publisher and not the same to a
specification.  So the bytes are taken apart here, and every frame that concerns publishing is kept
as a `Frame`.  Bytes may arrive in any pieces; what is not a whole frame yet waits for the rest.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from pamqp import base, commands
from pamqp import frame as amqp

__all__ = ["Frame", "Settled", "Splitter", "frame_of", "settled"]

Settled = Literal["ack", "nack"]

#: Type, channel and size come before what a frame holds, and one octet after it.
_HEAD = struct.Struct(">BHI")
_END = b"\xce"


@dataclass(frozen=True)
class Frame:
    """One frame from the broker.

    Args:
        kind: `ack`, `nack`, or the method's name, as in `Channel.Close`.
        tag: delivery tag of an ack or nack, else 0.
        multiple: whether it speaks of everything up to the tag.
        seconds: when it came, since the recording began.
        text: what else it says, for a reader.
    """

    kind: str
    tag: int = 0
    multiple: bool = False
    seconds: float = 0.0
    text: str = ""

    def __str__(self) -> str:
        if self.kind in ("ack", "nack"):
            return f"{self.kind} {self.tag}{' multiple' if self.multiple else ''}"
        return f"{self.kind} {self.text}".strip()


class Splitter:
    """Cuts a stream of bytes into frames."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, data: bytes) -> Iterator[amqp.FrameTypes]:
        """Yield every frame that is complete now.

        Raises:
            ValueError: the bytes are not AMQP 0-9-1.
        """
        self._rest += data
        while len(self._rest) >= _HEAD.size:
            if self._rest.startswith(b"AMQP"):
                raise ValueError("the broker answers with a protocol header: it speaks no 0-9-1")
            size = _HEAD.size + _HEAD.unpack_from(self._rest)[2] + 1
            if len(self._rest) < size:
                return
            whole, self._rest = self._rest[:size], self._rest[size:]
            if not whole.endswith(_END):
                raise ValueError(f"a frame of {size} bytes does not end as frames do")
            yield amqp.unmarshal(whole)[2]


def frame_of(one: amqp.FrameTypes, seconds: float) -> Frame | None:
    """Return what is kept of a frame: methods are, contents and heartbeats are not."""
    if isinstance(one, commands.Basic.Ack):
        return Frame("ack", one.delivery_tag or 0, bool(one.multiple), seconds)
    if isinstance(one, commands.Basic.Nack):
        return Frame("nack", one.delivery_tag or 0, bool(one.multiple), seconds)
    if isinstance(one, commands.Basic.Return | commands.Channel.Close | commands.Connection.Close):
        return Frame(one.name, seconds=seconds, text=f"{one.reply_code} {one.reply_text}")
    if isinstance(one, base.Frame):
        return Frame(one.name, seconds=seconds)
    return None


def settled(frames: Iterable[Frame], published: int) -> dict[int, Settled]:
    """Return what became of each tag; one that no frame speaks of is not there.

    Args:
        frames: in the order in which they came.
        published: the highest tag there can be.
    """
    found: dict[int, Settled] = {}
    for one in frames:
        if one.kind not in ("ack", "nack"):
            continue
        last = one.tag or published
        for tag in range(1, last + 1) if one.multiple else (last,):
            found.setdefault(tag, "ack" if one.kind == "ack" else "nack")
    return found
