"""An object store on loopback: moto's server, a process of its own that speaks S3 over a socket."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import urllib.request
from pathlib import Path
from types import TracebackType

from pyarrow import fs

from tests.pipeline.cluster import ENVIRONMENT, PATIENCE, until

__all__ = ["Store"]

_SERVE = """
import sys
from moto.server import ThreadedMotoServer
server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
server.start()
print(server.get_host_and_port()[1], flush=True)
sys.stdin.read()
"""


class Store:
    """A store with one bucket; a context manager, which ends it."""

    def __init__(self, folder: Path) -> None:
        """Start it; its log is in a folder, with a line for each request."""
        self._path = folder / "store.log"
        self._log = self._path.open("w")
        self.process = subprocess.Popen(
            [sys.executable, "-c", _SERVE],
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
        )
        assert self.process.stdout is not None
        self._port = int(self.process.stdout.readline())
        until(self._answers, "answer of the store", PATIENCE)
        self.allow(everything=True)
        self.files.create_dir("bucket")

    def _answers(self) -> str | None:
        try:
            self._ask("moto-api/")
        except OSError:
            return None
        return "yes"

    def _ask(self, path: str, data: bytes | None = None) -> None:
        # A text, else the server takes it for a form.
        headers = {"Content-Type": "text/plain"}
        asked = urllib.request.Request(f"http://127.0.0.1:{self._port}/{path}", data, headers)
        urllib.request.urlopen(asked).close()

    def allow(self, *, everything: bool) -> None:
        """Do what anybody asks from now on, or nothing."""
        body = b"1000000000" if everything else b"0"
        self._ask("moto-api/reset-auth", body)

    def address(self, path: str = "", bucket: str = "bucket") -> str:
        """Return the address of a folder in a bucket."""
        where = f"endpoint_override=127.0.0.1:{self._port}&scheme=http&region=us-east-1"
        return f"s3://{bucket}/{path}?{where}"

    @property
    def files(self) -> fs.FileSystem:
        """The store as Arrow knows it."""
        return fs.S3FileSystem(
            endpoint_override=f"127.0.0.1:{self._port}",
            scheme="http",
            region="us-east-1",
            allow_bucket_creation=True,
        )

    def requests(self, *methods: str) -> int:
        """Return how many requests there were by some methods."""
        # Its log has colours for what was not found.
        asked = re.compile(rf'"(?:\x1b\[\d+m)*(?:{"|".join(methods)}) /')
        return len(asked.findall(self._path.read_text()))

    def close(self) -> None:
        """End it."""
        self.process.kill()
        self.process.communicate()
        self._log.close()

    def __enter__(self) -> Store:
        """Return the store itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close it."""
        self.close()


os.environ.update(ENVIRONMENT)
