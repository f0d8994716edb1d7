"""Which engine a check uses, and what goes with it.

The engines `kernel`, `collapsed` and `plain` search in this process.  The engine `spark` searches
on a cluster, or as if there were one, and is opened once for all checks of a command.  One large
search is divided there; it needs a directory for what it finds.  The kernel takes one, too, if it
is to keep what it finds level by level; either goes on with what the other has begun.  Of many
small searches, a *farm*, each is one search of the kernel in one task, and what it finds is kept
where the kernel keeps it.

An option that has no effect with the engine that was chosen is refused, so that nobody waits for
hours for something else than was asked.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ackproof.cli.inputs import InputError, choose

if TYPE_CHECKING:
    from ackproof.model.check import Engine, Explore
    from ackproof.model.pools import Pool
    from ackproof.pipeline.kept import KeepingExplorer

__all__ = ["SPARK", "Asked", "say"]

SPARK = "spark"


@dataclass(frozen=True)
class Asked:
    """The engine that was asked for, and the options that go with only some engines.

    Args:
        engine: its name.
        workers: threads.
        master: the address of a cluster.
        partitions: into how many parts the states are divided.
        work: the directory for what is found level by level, or its address.
        resume: whether to go on where an earlier run stopped.
    """

    engine: str
    workers: int | None = None
    master: str | None = None
    partitions: int | None = None
    work: Path | str | None = None
    resume: bool = False

    @property
    def keeps(self) -> bool:
        """Whether each search keeps its levels in files."""
        return self.work is not None

    def check_options(self, *, farm: bool = False) -> None:
        """Refuse an engine that is unknown, and options that have no effect with it.

        Args:
            farm: whether there are many searches.

        Raises:
            InputError: there is no such engine, or an option does not go with it, or is missing.
        """
        from ackproof.model.check import ENGINES

        choose("engine", self.engine, [*ENGINES, SPARK])
        if self.engine == SPARK:
            if self.workers is not None:
                raise InputError(
                    "--workers has no effect with --engine spark, which runs where its master says"
                    f"\n  instead: --master 'local[{self.workers}]'"
                )
        elif self.master is not None:
            raise InputError(
                "--master goes with --engine spark only; leave it out, or add --engine spark"
            )
        if farm:
            self._refuse_options_of_one_search()
            return
        self._refuse_half_of_what_keeps()
        if isinstance(self.work, Path) and self.work.exists() and not self.work.is_dir():
            raise InputError(f"--work {self.work} is a file; name a directory")

    def _refuse_half_of_what_keeps(self) -> None:
        """Refuse a search in files without a directory, and options of one that is not."""
        if self.engine == SPARK and self.work is None:
            raise InputError(
                "--engine spark needs a directory for what it finds\n"
                "  instead: add --work DIR; on a cluster, one that all machines share"
            )
        if self.engine == "plain" and self.work is not None:
            raise InputError(
                f"--work has no effect with --engine {self.engine}, which keeps nothing in files\n"
                "  instead: leave out one of the two"
            )
        for option, given in (
            ("--partitions", self.partitions is not None),
            ("--resume", self.resume),
        ):
            if given and self.work is None:
                raise InputError(
                    f"{option} is for a search that is kept in files\n"
                    "  instead: add --work DIR, or leave it out"
                )

    def _refuse_options_of_one_search(self) -> None:
        for option, given in (
            ("--partitions", self.partitions is not None),
            ("--work", self.work is not None),
            ("--resume", self.resume),
        ):
            if given:
                raise InputError(
                    f"{option} is for one large search, and here there are many\n"
                    "  instead: leave it out; what is found is kept in the cache, and the same "
                    "command goes on"
                )

    @property
    def of_task(self) -> Asked:
        """What a piece of work is searched with, in the process that it is given to."""
        return Asked("kernel" if self.engine == SPARK else self.engine)

    @contextmanager
    def pool(self, pieces: int | None = None) -> Iterator[Pool | None]:
        """Yield where pieces of work run; None if that is here, one after the other.

        Args:
            pieces: how many there are, if that is known.

        Raises:
            InputError: there is no Spark here, or a piece fails there.
        """
        if self.engine == SPARK:
            with self._farm() as farm:
                yield farm
            return
        from ackproof.cli.process_pool import ProcessPool
        from ackproof.model.resources import default_workers

        processes = self.workers or default_workers()
        processes = processes if pieces is None else min(processes, pieces)
        yield ProcessPool(processes) if processes > 1 else None

    @contextmanager
    def _farm(self) -> Iterator[Pool]:
        from ackproof.pipeline.errors import FarmFailed, SparkUnavailable
        from ackproof.pipeline.java import require_packages

        log = Path(tempfile.mkdtemp(prefix="ackproof-farm-")) / "spark.log"
        kept = False
        try:
            require_packages()
            from ackproof.pipeline.farm import Farm
            from ackproof.pipeline.session import open_session

            with open_session(self.master, 1, log, "ackproof farm", say) as session:
                yield Farm(session)
        except (FarmFailed, SparkUnavailable) as error:
            # The message may name the log, for what Spark itself has said.
            kept = log.exists() and str(log) in str(error)
            raise InputError(str(error)) from error
        finally:
            if not kept:
                log.unlink(missing_ok=True)
                log.parent.rmdir()

    @property
    def here(self) -> Engine:
        """The engine that searches in a process, this one or that of a task."""
        from ackproof.model.check import ENGINES

        return next(engine for engine in ENGINES if engine == self.of_task.engine)

    @contextmanager
    def opened(self) -> Iterator[Engine | Explore]:
        """Yield what checks are to search with, as `check` takes it, for as long as it is needed.

        Raises:
            InputError: there is no Spark here, or the directory has something else.
        """
        if self.work is None:
            yield self.here
            return
        from ackproof.pipeline.errors import SearchFailed, SearchRefused, SparkUnavailable

        try:
            with closing(self._keeping(self.work)) as explore:
                yield explore
        except (SparkUnavailable, SearchRefused, SearchFailed) as error:
            raise InputError(str(error)) from error

    def _keeping(self, work: Path | str) -> KeepingExplorer:
        """Return the engine that keeps its levels in files."""
        if self.engine != SPARK:
            from ackproof.pipeline.local import explorer as local

            return local(
                work=work,
                partitions=self.partitions,
                resume=self.resume,
                collapsed=self.engine == "collapsed",
                say=say,
            )
        from ackproof.pipeline.java import require_packages

        require_packages()
        from ackproof.pipeline.search import explorer

        return explorer(
            work=work,
            master=self.master,
            partitions=self.partitions,
            resume=self.resume,
            say=say,
        )


def say(text: str) -> None:
    """Tell a user something beside what a command prints."""
    print(text, file=sys.stderr, flush=True)
