"""Packets are shared out by their connections, evenly, and none is lost."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from ackproof.conform.scanning import packets
from ackproof.conform.scanning.dividing import Dividing, part_of

from tests.conform.capture.test_rotation import traffic, write
from tests.conform.capture.wires import captured
from tests.exploring import chance, examples


@pytest.mark.parametrize("parts", [4, 16])
def test_eight_consecutive_ports_are_in_several_parts(parts: int) -> None:
    for first in range(1_000, 60_000, 1_000):
        ends = (((b"\n\0\0\1", first + n), (b"\n\0\0\2", 5672)) for n in range(8))
        assert len({part_of(end, parts) for end in ends}) > 1


def test_each_packet_of_a_connection_is_in_its_part(tmp_path: Path) -> None:
    found = set()
    for seed in range(examples(20)):
        rng = chance("divided", seed)
        path, parts = write(tmp_path / "a.pcap", captured(traffic(rng))), rng.randrange(1, 5)
        whole, dividing = Counter[bytes](), Dividing(parts)
        of: dict[bytes, int] = {}
        for piece in packets.pieces_of(path):
            whole.update(bytes_of(piece))
            for part, some in dividing.divided(piece):
                assert (np.diff(some.packets[:, packets.TIME].view(np.float64)) >= 0).all()
                whole.subtract(bytes_of(some))
                for packet in bytes_of(some):
                    ports = bytes(sorted(packet[34:38]))  # of the client and of the broker
                    assert of.setdefault(ports, part) == part
                found.add((parts, part))
        assert not any(whole.values())
    assert len({parts for parts, _ in found}) > 2


def bytes_of(piece: packets.Piece) -> list[bytes]:
    """The packets, as they were sent."""
    rows = piece.packets[:, [packets.START, packets.END]].tolist()
    return [piece.data[start:end].tobytes() for start, end in rows]
