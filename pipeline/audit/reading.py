"""The first half: recordings are cut into segments, and each goes to the part of its channel.

Events are made columns here, once, by the functions that an audit on one machine uses, and travel
as columns (`ackproof.pipeline.audit.sending`).  A recording is divided into splits, and a small
capture is read whole; one that is large is for `ackproof.pipeline.audit.windows`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import pyarrow as pa
from ackproof.conform.capture.listening import Listening
from ackproof.conform.judging.texts import Numbering
from ackproof.pipeline.audit.batches import Recording
from ackproof.pipeline.audit.records import Bad, read_of
from ackproof.pipeline.audit.sending import Sending
from ackproof.pipeline.audit.splits import Split, shared_out, splits_of
from ackproof.pipeline.keeping import keep_what_is_loaded
from ackproof.pipeline.storage import placed

__all__ = ["Reading"]


@dataclass(frozen=True)
class Reading:
    """The work of all tasks that read; each is told which it is.

    Args:
        recordings: the files of each by number: one, or the pieces of a capture.
        paths: the files, by their paths or addresses.
        tasks: the splits of each task.
        parts: into how many parts channels are divided.
        seed: of the numbers that stand for texts.
        how: how captures are read.
    """

    recordings: tuple[tuple[int, ...], ...]
    paths: tuple[str, ...]
    tasks: tuple[tuple[Split, ...], ...]
    parts: int
    seed: bytes
    how: Listening = field(default_factory=Listening)

    @staticmethod
    def of(
        files: Sequence[Recording],
        recordings: Sequence[Sequence[int]],
        split: int,
        parts: int,
        seed: bytes,
        how: Listening,
    ) -> Reading:
        """Return the work of reading some recordings.

        Args:
            files: all files.
            recordings: those of each that is read, by their numbers.
            split: bytes that a task reads, about.
            parts: into how many parts channels are divided.
            seed: of the numbers that stand for texts.
            how: how captures are read.
        """
        sizes = [[files[number].size for number in pieces] for pieces in recordings]
        tasks = tuple(shared_out(splits_of(sizes, split), split))
        paths = tuple(file.path for file in files)
        return Reading(tuple(map(tuple, recordings)), paths, tasks, parts, seed, how)

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Do the tasks whose numbers come, in a column `id`."""
        keep_what_is_loaded()
        for batch in batches:
            for task in batch.column("id").to_pylist():
                sending = Sending(self.paths, self.parts)
                for split in self.tasks[task]:
                    yield from self._sent(split, sending)
                yield from sending.rest()

    def _sent(self, split: Split, sending: Sending) -> Iterator[pa.RecordBatch]:
        """Yield what is in a split."""
        files, numbering = self.recordings[split.recording], Numbering(self.seed)
        paths = [placed(self.paths[file]) for file in files]
        for read in read_of(paths, split, self.how, numbering):
            if isinstance(read, Bad):
                yield from sending.bad(files[read.file], read.offset, read.reason)
            else:
                yield from sending.events(files[0], read)
