"""The sockets on which a server listens: one for each address that a host stands for.

`localhost` is both loopback addresses, whatever the system's file of hosts says, and `::` is every
address of both families, as with RabbitMQ: a client may come by IPv4 or by IPv6, and should not
have to know.  Where the system has no IPv6, what is left of an address is enough.

All of them have one port.  If the system is to choose it, it chooses for the first; should the
others not get the same one, another is tried.
"""

from __future__ import annotations

import errno
import socket
from contextlib import suppress

__all__ = ["listening_sockets"]

#: What stands for more than the system would say.
_BOTH = {"localhost": ("127.0.0.1", "::1"), "::": ("::", "0.0.0.0")}
#: The system has no such address, or no such family.
_NOT_HERE = (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT)
#: Ports that are tried if the system is to choose.
_CHOICES = 20

_Address = tuple[socket.AddressFamily, str]


def listening_sockets(host: str, port: int) -> list[socket.socket]:
    """Return sockets that are bound to all addresses of a host, and to one port.

    Args:
        host: a name, an address, or nothing for all addresses.
        port: 0 to let the system choose.

    Raises:
        OSError: there is no such host, or an address cannot be bound.
    """
    addresses = _addresses(host)
    for _ in range(0 if port else _CHOICES):
        with suppress(OSError):  # another one has the port on one of the addresses
            return _bound(addresses, 0)
    return _bound(addresses, port)


def _addresses(host: str) -> list[_Address]:
    found: dict[_Address, None] = {}
    for name in _BOTH.get(host or "::", (host,)):
        for family, _, _, _, address in socket.getaddrinfo(
            name, None, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        ):
            found[family, str(address[0])] = None
    return list(found)


def _bound(addresses: list[_Address], port: int) -> list[socket.socket]:
    bound: list[socket.socket] = []
    missing: OSError | None = None
    try:
        for family, address in addresses:
            try:
                one = _socket(family, address, port)
            except OSError as error:
                if error.errno not in _NOT_HERE:
                    raise
                missing = error
                continue
            bound.append(one)
            port = one.getsockname()[1]
    except BaseException:
        for one in bound:
            one.close()
        raise
    if not bound and missing is not None:
        raise missing
    return bound


def _socket(family: socket.AddressFamily, address: str, port: int) -> socket.socket:
    made = socket.socket(family, socket.SOCK_STREAM)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            made.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        made.bind((address, port))
    except OSError as error:
        made.close()
        why = (error.strerror or str(error)).lower()
        raise OSError(error.errno, f"cannot listen on {address}, port {port}: {why}") from None
    return made
