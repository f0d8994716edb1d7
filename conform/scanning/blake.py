"""BLAKE2b with a key and 16 bytes of digest (RFC 7693), in compiled code.

It is what `hashlib` computes for `ackproof.conform.decoding`.  To call that for each body would
cost more than all else that is done with an event.  What a digest knows of the bytes before is
eight words, how many bytes they were, and up to a block that waits: the last block is marked, and
nobody knows that it is the last one before the body ends.
"""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
from ackproof.conform.judging.compiled import compiled, kept

__all__ = ["BLOCK", "DIGEST", "WORDS", "Beginning", "finish", "take", "write_hex"]

#: Bytes of a digest and of a block; words that are kept, of which the last is how much waits.
DIGEST, BLOCK, WORDS = 16, 128, 9
_WAITS = 8

_START = np.array(
    [
        0x6A09E667F3BCC908,
        0xBB67AE8584CAA73B,
        0x3C6EF372FE94F82B,
        0xA54FF53A5F1D36F1,
        0x510E527FADE682D1,
        0x9B05688C2B3E6C1F,
        0x1F83D9ABFB41BD6B,
        0x5BE0CD19137E2179,
    ],
    np.uint64,
)
#: In which order the words of a block are mixed in, round by round.
_ORDER = np.array(
    [
        [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
        [14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3],
        [11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4],
        [7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8],
        [9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13],
        [2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9],
        [12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11],
        [13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10],
        [6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5],
        [10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0],
    ],
    np.int64,
)
_ROUNDS, _ORDERS = 12, 10
_TURNS = tuple(np.uint64(bits) for bits in (32, 24, 16, 63))
_TURN_1, _TURN_2, _TURN_3, _TURN_4 = _TURNS
_WORD_BITS, _LOW_BYTE = np.uint64(64), np.uint64(0xFF)
_NIBBLE, _LOW_NIBBLE = np.uint64(4), np.uint64(0xF)
_NONE, _ALL = np.uint64(0), np.uint64(0xFFFFFFFFFFFFFFFF)
_LETTERS = np.frombuffer(b"0123456789abcdef", np.uint8)
_FANOUT_AND_DEPTH = 0x01010000
#: The number of a word, with a sign: compiled code makes a float of one with and one without.
_int: Any = np.int64


@compiled
def _turned(number: Any, bits: Any) -> Any:
    return number >> bits | number << (_WORD_BITS - bits)


@compiled
def _mixed(a: Any, b: Any, c: Any, d: Any, x: Any, y: Any) -> Any:
    a = a + b + x
    d = _turned(d ^ a, _TURN_1)
    c = c + d
    b = _turned(b ^ c, _TURN_2)
    a = a + b + y
    d = _turned(d ^ a, _TURN_3)
    c = c + d
    b = _turned(b ^ c, _TURN_4)
    return a, b, c, d


@compiled
def _take_block(words: Any, m: Any, count: int, last: bool) -> None:
    """Take in a block; so many bytes are in with it.

    Args:
        words: what is kept.
        m: the block, as words.
        count: bytes of all blocks up to this one.
        last: there is none behind it.
    """
    v0, v1, v2, v3, v4, v5, v6, v7 = (
        words[0], words[1], words[2], words[3], words[4], words[5], words[6], words[7],
    )  # fmt: skip
    v8, v9, v10, v11 = _START[0], _START[1], _START[2], _START[3]
    v12, v13, v15 = _START[4] ^ np.uint64(count), _START[5], _START[7]
    v14 = _START[6] ^ (_ALL if last else _NONE)
    for number in range(_ROUNDS):
        s = _ORDER[number % _ORDERS]
        v0, v4, v8, v12 = _mixed(v0, v4, v8, v12, m[s[0]], m[s[1]])
        v1, v5, v9, v13 = _mixed(v1, v5, v9, v13, m[s[2]], m[s[3]])
        v2, v6, v10, v14 = _mixed(v2, v6, v10, v14, m[s[4]], m[s[5]])
        v3, v7, v11, v15 = _mixed(v3, v7, v11, v15, m[s[6]], m[s[7]])
        v0, v5, v10, v15 = _mixed(v0, v5, v10, v15, m[s[8]], m[s[9]])
        v1, v6, v11, v12 = _mixed(v1, v6, v11, v12, m[s[10]], m[s[11]])
        v2, v7, v8, v13 = _mixed(v2, v7, v8, v13, m[s[12]], m[s[13]])
        v3, v4, v9, v14 = _mixed(v3, v4, v9, v14, m[s[14]], m[s[15]])
    words[0] ^= v0 ^ v8
    words[1] ^= v1 ^ v9
    words[2] ^= v2 ^ v10
    words[3] ^= v3 ^ v11
    words[4] ^= v4 ^ v12
    words[5] ^= v5 ^ v13
    words[6] ^= v6 ^ v14
    words[7] ^= v7 ^ v15


@compiled
def take(words: Any, block: Any, m: Any, taken: int, data: Any, start: int, end: int) -> int:
    """Take in bytes; return how many there are then, the block of the key among them.

    A full block waits for more, since the last one is another.  So of what was begun nothing is
    waiting, and afterwards something is.

    Args:
        words: what is kept.
        block: what waits.
        m: `block` as words.
        taken: how many bytes there were.
        data: what the bytes are in.
        start: where they begin.
        end: where they end.
    """
    held = _int(words[_WAITS])
    while start < end:
        if held == BLOCK:
            _take_block(words, m, taken, False)
            held = 0
        step = min(BLOCK - held, end - start)
        for place in range(step):
            block[held + place] = data[start + place]
        held += step
        start += step
        taken += step
    words[_WAITS] = np.uint64(held)
    return taken


@compiled
def finish(words: Any, block: Any, m: Any, taken: int) -> None:
    """Take in what waits, which is the last block; the first two words are the digest then."""
    for place in range(_int(words[_WAITS]), BLOCK):
        block[place] = 0
    _take_block(words, m, taken, True)


@compiled
def write_hex(words: Any, text: Any) -> None:
    """Write a digest as it is said."""
    for place in range(DIGEST):
        byte = words[place // 8] >> np.uint64(8 * (place % 8)) & _LOW_BYTE
        text[2 * place] = _LETTERS[byte >> _NIBBLE]
        text[2 * place + 1] = _LETTERS[byte & _LOW_NIBBLE]


@kept
def _begin(words: Any, block: Any) -> None:
    _take_block(words, block, BLOCK, False)


class Beginning:
    """What all digests with a key begin with.

    Args:
        key: up to 64 bytes.

    Attributes:
        words: what is kept then.
        taken: how many bytes were taken in.
        empty: the digest of nothing.
    """

    def __init__(self, key: bytes) -> None:
        self.words = np.zeros(WORDS, np.uint64)
        self.words[:_WAITS] = _START
        self.words[0] ^= np.uint64(_FANOUT_AND_DEPTH | len(key) << 8 | DIGEST)
        self.taken = BLOCK if key else 0
        if key:
            _begin(self.words, np.frombuffer(key.ljust(BLOCK, b"\0"), np.uint64))
        said = hashlib.blake2b(digest_size=DIGEST, key=key).hexdigest()
        self.empty = np.frombuffer(said.encode(), np.uint8)
