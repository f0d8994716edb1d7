"""BLAKE2b: what `hashlib` says, in however many pieces."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
import pytest
from ackproof.conform.judging.compiled import kept
from ackproof.conform.scanning import blake

from tests.exploring import chance, examples


@kept
def digest_of(
    begin: Any, words: Any, block: Any, waits: Any, taken: int, data: Any, ends: Any, out: Any
) -> None:
    """Write the digest of bytes in pieces."""
    words[:] = begin
    start = 0
    for end in ends:
        taken = blake.take(words, block, waits, taken, data, start, end)
        start = end
    blake.finish(words, block, waits, taken)
    blake.write_hex(words, out)


@pytest.mark.parametrize("key", [b"", b"key", bytes(64)])
def test_a_digest_is_that_of_hashlib(key: bytes) -> None:
    begin, rng = blake.Beginning(key), chance("digest", len(key))
    words, block = np.zeros(blake.WORDS, np.uint64), np.zeros(blake.BLOCK, np.uint8)
    out = np.zeros(2 * blake.DIGEST, np.uint8)
    for _ in range(examples(100)):
        data = rng.randbytes(rng.choice([1, 21, 127, 128, 129, 255, 256, 257, 1000]))
        ends = sorted({*(rng.randrange(len(data)) for _ in range(rng.randrange(4))), len(data)})
        digest_of(
            begin.words,
            words,
            block,
            block.view(np.uint64),
            begin.taken,
            np.frombuffer(data, np.uint8),
            np.array(ends, np.int64),
            out,
        )
        wanted = hashlib.blake2b(data, digest_size=blake.DIGEST, key=key).hexdigest()
        assert out.tobytes().decode() == wanted
    empty = hashlib.blake2b(digest_size=blake.DIGEST, key=key).hexdigest()
    assert begin.empty.tobytes().decode() == empty
