"""A standalone Spark cluster on loopback: a master and workers, each a process of its own.

It is what `sbin/start-all.sh` of a Spark distribution starts, with ports that the system chooses,
and with less memory.  Each has an address of its own, and what it keeps for itself is on a disk
that it alone can see: a folder of its own, mounted at the same path.  Each leads a process
group, in which its executors are too, so that a machine can be lost as machines are: all at once.
"""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from ackproof.pipeline.java import find_java

#: Seconds that a process may take to start, on a machine that has much else to do.
PATIENCE = 120.0

#: They have little to do, and are to be there soon; the master is to listen to its own alone.
OPTIONS = (
    "-Xmx256m",
    "-XX:+UseSerialGC",
    "-XX:TieredStopAtLevel=1",
    "-Dspark.master.rest.enabled=false",
)


#: Who asks an object store of the tests.
ENVIRONMENT = {
    "AWS_ACCESS_KEY_ID": "testing",
    "AWS_SECRET_ACCESS_KEY": "SESAME",
    # Else whoever has no credentials asks Amazon's machines for some.
    "AWS_EC2_METADATA_DISABLED": "true",
}

#: Runs a command that sees a folder at another path, where a user may be root of himself.
APART = (
    *("unshare", "--mount", *(() if os.getuid() == 0 else ("--user", "--map-root-user"))),
    *("sh", "-c", 'mount --bind "$1" "$2" && shift 2 && exec "$@"', "apart"),
)


@dataclass(frozen=True)
class Daemon:
    """A process of the cluster, and what it logs."""

    process: subprocess.Popen[bytes]
    log: Path

    @property
    def pid(self) -> int:
        """The process id, and that of its group."""
        return self.process.pid

    def said(self, pattern: str) -> str:
        """Wait until a line of the log matches; return the first group of the match."""
        return until(lambda: self._match(pattern), f"{pattern!r} in {self.log}")

    def _match(self, pattern: str) -> str | None:
        text = self.log.read_text(errors="replace")
        if self.process.poll() is not None:
            raise AssertionError(f"process {self.pid} has ended:\n{text}")
        found = re.search(pattern, text)
        return found[1] if found else None

    def kill(self) -> None:
        """End it at once, and all that it started."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)
        self.process.wait()


def until(ready: Callable[[], str | None], what: str, patience: float = PATIENCE) -> str:
    """Ask until there is an answer, and return it."""
    deadline = time.monotonic() + patience
    while (answer := ready()) is None:
        assert time.monotonic() < deadline, f"no {what} after {patience:.0f} s"
        time.sleep(0.02)
    return answer


class Cluster:
    """A master and its workers; a context manager, which ends them all.

    Attributes:
        url: the address of the master, for `--master`.
        workers: those that are alive, in the order in which they were started.
    """

    def __init__(self, folder: Path, workers: int = 2) -> None:
        """Start a cluster whose logs and files are in a folder."""
        self.folder = folder
        self.workers: list[Daemon] = []
        self._daemons: list[Daemon] = []
        try:
            self.master = self._start("master.Master")
            self.url = self.master.said(r"Starting Spark master at (spark://\S+)")
            self.add(workers)
        except BaseException:
            self.close()
            raise

    @property
    def pids(self) -> list[int]:
        """The process ids of the workers that are alive."""
        return [worker.pid for worker in self.workers]

    def add(self, workers: int = 1) -> None:
        """Start more workers, of one core each, and return when the master knows them."""
        size = ("--cores", "1", "--memory", "1g")
        added = []
        for _ in range(workers):
            files = str(self.folder / f"work-{len(self._daemons)}")
            added.append(self._start("worker.Worker", *size, "--work-dir", files, self.url))
        for worker in added:
            worker.said("(Successfully registered) with master")
        self.workers += added

    def kill(self, worker: Daemon) -> None:
        """Lose a worker and its executors, as when its machine loses power."""
        worker.kill()
        self.workers.remove(worker)

    def close(self) -> None:
        """End all processes."""
        for daemon in reversed(self._daemons):
            daemon.kill()
        self._daemons.clear()
        self.workers.clear()

    def __enter__(self) -> Cluster:
        """Return the cluster itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close it."""
        self.close()

    def _start(self, name: str, *arguments: str) -> Daemon:
        own, disk = self.folder / f"own-{len(self._daemons)}", self.folder / "disk"
        for folder in (own, disk):
            folder.mkdir(parents=True, exist_ok=True)
        log = self.folder / f"{len(self._daemons)}-{name}.log"
        java = find_java()
        home = spark_home()
        command = [str(java.program), *OPTIONS, "-cp", f"{home}/jars/*"]
        host = f"127.0.0.{len(self._daemons) + 1}"
        command += [f"org.apache.spark.deploy.{name}", "--host", host]
        command += ["--port", "0", "--webui-port", "0", *arguments]
        places = {"SPARK_LOCAL_DIRS": str(disk), "TMPDIR": str(disk)}
        places |= {"SPARK_HOME": str(home), "SPARK_LOCAL_IP": host, "JAVA_HOME": str(java.home)}
        # Of the settings of whoever runs the tests nothing is to count.
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("SPARK_", "PYSPARK_"))}
        with log.open("wb") as file:
            process = subprocess.Popen(
                [*APART, str(own), str(disk), *command],
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=file,
                env=kept | ENVIRONMENT | places | {"SPARK_SCALA_VERSION": "2.13"},
                start_new_session=True,
            )
        daemon = Daemon(process, log)
        self._daemons.append(daemon)
        return daemon


def spark_home() -> Path:
    """Return the folder of the installed PySpark, which has all of Spark in it."""
    import pyspark

    return Path(pyspark.__file__).parent
