"""The example of a container: what it runs is a broker, and what it says of options is so.

The image is not built here, which takes a registry; its command is run as it stands, but for the
installation and the ports.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

CONTAINER = Path(__file__).resolve().parents[2] / "docs" / "examples" / "container"


def words(text: str, name: str) -> list[str]:
    """Return the words of an instruction, or of a key, that has a list of them."""
    found = re.search(rf"^\s*{name}:? (\[.*\])$", text, re.MULTILINE)
    assert found is not None, name
    listed: list[str] = json.loads(found[1])
    return listed


def elsewhere(command: list[str], directory: Path) -> list[str]:
    """Return a command on ports that are free, with its data in a directory."""
    places = {"5672": "0", "15672": "0", "/data": str(directory)}
    return [places.get(word, word) for word in command]


@pytest.mark.parametrize("file", ["Containerfile", "compose.yaml"])
def test_what_the_container_runs_is_a_broker(file: str, tmp_path: Path) -> None:
    image = (CONTAINER / "Containerfile").read_text()
    entry = words(image, "ENTRYPOINT")
    assert entry[:2] == ["/opt/ackproof/bin/ackproof", "serve"]
    said = image if file == "Containerfile" else (CONTAINER / file).read_text()
    more = words(said, "CMD" if file == "Containerfile" else "command")
    command = [sys.executable, "-m", "ackproof.cli", *elsewhere([*entry[1:], *more], tmp_path)]
    environment = {**os.environ, "ACKPROOF_CONTROL_TOKEN": "secret"}
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment
    )
    assert process.stdout is not None
    assert process.stdout.readline().startswith("ackproof broker ready on 0.0.0.0:")
    assert process.stdout.readline().startswith("ackproof control ready on http://0.0.0.0:")
    process.terminate()
    process.communicate(timeout=30)
    assert process.returncode == 0


def test_without_a_token_it_says_what_it_misses(tmp_path: Path) -> None:
    entry = words((CONTAINER / "Containerfile").read_text(), "ENTRYPOINT")
    command = [sys.executable, "-m", "ackproof.cli", *elsewhere(entry[1:], tmp_path)]
    environment = {name: said for name, said in os.environ.items() if "TOKEN" not in name}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 2
    assert "ACKPROOF_CONTROL_TOKEN" in done.stderr
