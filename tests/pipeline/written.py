"""A search written down by hand, from states that plain Python has found, without any engine.

It has the form that is documented and nothing of what an engine needs to go on, so what reads it
relies on that form alone.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from ackproof.lang.binding import Bound
from ackproof.model.lower.fixed import fixed
from ackproof.model.lower.layout import Layout
from ackproof.model.plain import PlainMachine
from ackproof.pipeline.folder import Folder, Level, StatesFile
from ackproof.pipeline.schema import describe

from tests.pipeline.sealing import write_sealed

State = tuple[Any, ...]


@dataclass(frozen=True)
class Link:
    """A state, the position of the one that it was reached from, and by which action instance."""

    state: State
    predecessor: int
    instance: int


@dataclass(frozen=True)
class Written:
    """A folder, and what is in it: the links of each level, by position."""

    root: Path
    bound: Bound
    levels: list[list[Link]]


def layout_of(bound: Bound) -> Layout:
    """Return how an engine lays out the states of a program."""
    return Layout(bound, fixed(bound).leaves)


def explored(bound: Bound, depth: int) -> tuple[list[list[Link]], list[dict[str, int]]]:
    """Return the states of each level, and how often each action was taken to get there."""
    with PlainMachine(bound) as machine:
        levels = [[Link(machine.initial(), -1, -1)]]
        taken: list[dict[str, int]] = [{}]
        known = {machine.initial()}
        while levels[-1] and len(levels) < depth:
            found: list[Link] = []
            counts: dict[str, int] = {}
            for position, link in enumerate(levels[-1]):
                for step in machine.steps(link.state):
                    name = step.instance.action.name
                    counts[name] = counts.get(name, 0) + 1
                    if step.after is not None and step.after not in known:
                        known.add(step.after)
                        found.append(Link(step.after, position, step.number))
            levels.append(found)
            taken.append(counts)
    return levels, taken


def write_search(bound: Bound, root: Path, parts: int = 3, depth: int = 1000) -> Written:
    """Search a bound program in plain Python, and write down what a search writes."""
    layout, folder = layout_of(bound), Folder(root)
    levels, taken = explored(bound, depth)
    folder.root.mkdir(parents=True, exist_ok=True)
    write_sealed(folder.search, _search(bound, layout, parts))
    for number, (links, counts) in enumerate(zip(levels, taken, strict=True), start=1):
        # Any division into ranges of positions will do.
        cuts = [len(links) * part // parts for part in range(parts + 1)]
        files = []
        for part in range(parts):
            piece = links[cuts[part] : cuts[part + 1]]
            if piece:
                path = folder.states(number, part, 1)
                path.parent.mkdir(parents=True, exist_ok=True)
                pq.write_table(_table(layout, part, piece), path)
                seal = blake2b(path.read_bytes(), digest_size=16).hexdigest()
                files.append(StatesFile(part, seal))
        rows = tuple(b - a for a, b in itertools.pairwise(cuts))
        folder.finish(_level(number, rows, tuple(files), counts))
    return Written(root, bound, levels)


def _search(bound: Bound, layout: Layout, parts: int) -> dict[str, Any]:
    return {
        "format": "ackproof/search/4",
        "model": bound.program.name,
        "design": bound.design.claim if bound.design else None,
        "instance": bound.instance.name,
        "hashes": {},
        "parts": parts,
        "words": layout.words,
        "kernel": {},
        "state": describe(layout),
        "actions": [a.name for a in bound.actions],
        "instances": [{"action": i.action.name, "text": str(i)} for i in bound.instances()],
    }


def _table(layout: Layout, part: int, links: list[Link]) -> pa.Table:
    words = packed(layout, [link.state for link in links])
    columns = {f"w{i}": pa.array(words[:, i]) for i in range(layout.words)}
    return pa.table(
        {
            "part": pa.array([part] * len(links), pa.int32()),
            "row": pa.array(range(len(links)), pa.int64()),
            **columns,
            "predecessor": pa.array([link.predecessor for link in links], pa.int64()),
            "instance": pa.array([link.instance for link in links], pa.int32()),
        }
    )


def packed(layout: Layout, states: list[State]) -> Any:
    """Return states as the words that a search keeps, a row for each."""
    words = np.array([layout.pack(state) for state in states], dtype=np.uint64)
    return words.reshape(-1, layout.words).view(np.int64)


def _level(
    number: int, rows: tuple[int, ...], files: tuple[StatesFile, ...], counts: dict[str, int]
) -> Level:
    return Level(
        level=number,
        token=1,
        rows=rows,
        files=files,
        generated=sum(counts.values()) or int(number == 1),
        actions=counts,
        seen=0,
        broken=(),
        candidates=sum(rows),
        shuffled=0,
        stored=0,
        runs=(),
        indexed=0,
        seconds=0.0,
    )
