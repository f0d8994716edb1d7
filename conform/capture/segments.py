"""Segments: what a packet says of a TCP connection, whatever it came in.

The outermost layer is by the type of the link: Ethernet, with any number of VLAN tags, Linux's
"any" in both versions, loopback, or nothing at all.  Inside is IPv4 or IPv6 with TCP, which a
library takes apart.  All else is none of ours.

Of a packet that was kept in part only, its first bytes are there.  The others are missing in the
stream, as are those of a datagram that was sent in fragments.
"""

from __future__ import annotations

import socket
import struct
from typing import NamedTuple

from ackproof.conform.capture.files import Packet
from dpkt.ip import IP
from dpkt.ip6 import IP6
from dpkt.tcp import TCP, TH_ACK, TH_FIN, TH_SYN

__all__ = [
    "BARE",
    "COOKED",
    "COOKED2",
    "ETHERNET",
    "HEADED",
    "VLAN",
    "Address",
    "Segment",
    "named",
    "segment_of",
]

ETHERNET, COOKED, COOKED2 = 1, 113, 276
#: Links whose packets begin with four bytes that say which IP it is.
HEADED = frozenset({0, 108})
#: Links whose packets begin with IP; some systems have numbers of their own for it.
BARE = frozenset({12, 14, 101, 228, 229})
_IP = frozenset({0x0800, 0x86DD})
VLAN = frozenset({0x8100, 0x88A8, 0x9100, 0x9200})

Address = tuple[bytes, int]


class Segment(NamedTuple):
    """What one side of a connection has sent.

    `seq` and `ack` are as they were sent, modulo 2^32; `ack` is None if it means nothing.
    """

    time: float
    source: Address
    target: Address
    seq: int
    ack: int | None
    begins: bool
    ends: bool
    data: bytes


def segment_of(packet: Packet) -> Segment | None:
    """Return what a packet says of a TCP connection; None if it says nothing."""
    inside = _inside(packet.link, packet.data)
    version = inside[0] >> 4 if inside else 0
    if version not in (4, 6):
        return None
    try:
        ip = IP(inside) if version == 4 else IP6(inside)
    except Exception:
        # Of a damaged packet the library raises whatever it stumbles over.
        return None
    tcp = ip.data
    if not isinstance(tcp, TCP):
        return None
    flags = tcp.flags
    return Segment(
        packet.time,
        (ip.src, tcp.sport),
        (ip.dst, tcp.dport),
        tcp.seq,
        tcp.ack if flags & TH_ACK else None,
        bool(flags & TH_SYN),
        bool(flags & TH_FIN),
        bytes(tcp.data),
    )


def _inside(link: int, data: bytes) -> bytes:
    """Return the datagram in a packet, or nothing."""
    try:
        if link == ETHERNET:
            return _typed(data, 12, 14)
        if link == COOKED:
            return _typed(data, 14, 16)
        if link == COOKED2:
            return _typed(data, 0, 20)
    except struct.error:
        return b""
    if link in HEADED:
        return data[4:]
    return data if link in BARE else b""


def _typed(data: bytes, type_at: int, begin: int) -> bytes:
    (kind,) = struct.unpack_from(">H", data, type_at)
    while kind in VLAN:
        (kind,) = struct.unpack_from(">H", data, begin + 2)
        begin += 4
    return data[begin:] if kind in _IP else b""


def named(address: Address) -> str:
    """Return an address as people write it."""
    host, port = address
    if len(host) == 4:
        return f"{socket.inet_ntop(socket.AF_INET, host)}:{port}"
    return f"[{socket.inet_ntop(socket.AF_INET6, host)}]:{port}"
