"""`ackproof serve` as a process of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

__all__ = ["start"]


def start(directory: Path, *options: str) -> tuple[subprocess.Popen[str], int]:
    """Start a broker with its data in a directory; return the process and its port."""
    command = [
        sys.executable,
        "-m",
        "ackproof.cli",
        "serve",
        "--port",
        "0",
        "--data",
        str(directory),
    ]
    process = subprocess.Popen(
        [*command, *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    ready = process.stdout.readline()
    assert ready.startswith("ackproof broker ready on 127.0.0.1:"), ready
    return process, int(ready.split(",")[0].rsplit(":", 1)[1])
