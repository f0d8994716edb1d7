"""Which engine a check uses, and what goes with it.

The engines `kernel` and `plain` search in this process.  The engine `spark` searches on a cluster,
or as if there were one; it needs a directory for what it finds, and it is opened once for all
checks of a command.  An option that has no effect with the engine that was chosen is refused, so
that nobody waits for hours for something else than was asked.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ackproof.cli.inputs import InputError, choose

if TYPE_CHECKING:
    from ackproof.model.check import Engine, Explore

__all__ = ["SPARK", "Asked", "local_engine"]

SPARK = "spark"


@dataclass(frozen=True)
class Asked:
    """The engine that was asked for, and the options that go with only some engines.

    Args:
        engine: its name.
        workers: threads.
        master: the address of a cluster.
        partitions: into how many parts the states are divided.
        work: the directory for what a cluster finds.
        resume: whether to go on where an earlier run stopped.
    """

    engine: str
    workers: int | None = None
    master: str | None = None
    partitions: int | None = None
    work: Path | None = None
    resume: bool = False

    def check_options(self) -> None:
        """Refuse an engine that is unknown, and options that have no effect with it.

        Raises:
            InputError: there is no such engine, or an option does not go with it, or is missing.
        """
        from ackproof.model.check import ENGINES

        choose("engine", self.engine, [*ENGINES, SPARK])
        if self.engine != SPARK:
            self._refuse_options_of_spark()
            return
        if self.workers is not None:
            raise InputError(
                "--workers has no effect with --engine spark, which runs where its master says\n"
                f"  instead: --master 'local[{self.workers}]'"
            )
        if self.work is None:
            raise InputError(
                "--engine spark needs a directory for what it finds\n"
                "  instead: add --work DIR; on a cluster, one that all machines share"
            )
        if self.work.exists() and not self.work.is_dir():
            raise InputError(f"--work {self.work} is a file; name a directory")

    def _refuse_options_of_spark(self) -> None:
        for option, given in (
            ("--master", self.master is not None),
            ("--partitions", self.partitions is not None),
            ("--work", self.work is not None),
            ("--resume", self.resume),
        ):
            if given:
                raise InputError(
                    f"{option} goes with --engine spark only; leave it out, or add --engine spark"
                )

    @contextmanager
    def opened(self) -> Iterator[Engine | Explore]:
        """Yield what checks are to search with, as `check` takes it, for as long as it is needed.

        Raises:
            InputError: there is no Spark here, or the directory has something else.
        """
        if self.engine != SPARK:
            yield "plain" if self.engine == "plain" else "kernel"
            return
        from ackproof.pipeline.errors import SearchFailed, SearchRefused, SparkUnavailable
        from ackproof.pipeline.java import require_packages

        assert self.work is not None
        try:
            require_packages()
            from ackproof.pipeline.search import explorer

            explore = explorer(
                work=self.work,
                master=self.master,
                partitions=self.partitions,
                resume=self.resume,
                say=_say,
            )
            try:
                yield explore
            finally:
                explore.close()
        except (SparkUnavailable, SearchRefused, SearchFailed) as error:
            raise InputError(str(error)) from error


def local_engine(name: str) -> Engine:
    """Return the engine of this process that has a name, for commands that have only those.

    Raises:
        InputError: there is none.
    """
    from ackproof.model.check import ENGINES

    if name == SPARK:
        raise InputError(
            "--engine spark goes with ackproof check only\n"
            f"  instead: use one of: {', '.join(ENGINES)}"
        )
    choose("engine", name, ENGINES)
    return "plain" if name == "plain" else "kernel"


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
