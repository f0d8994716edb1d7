"""Finding Java, PySpark and what it needs, before anything is started that needs them.

Spark's own scripts take `JAVA_HOME`, or else whatever `java` is on the path, and end with the stack
trace of a class loader if that is too old.  So it is looked for here: `JAVA_HOME` has the word if
it is set, then `java` on the path, then the places where Linux distributions, and tools that
install Java for a user, put it.  What version a Java is, it says in the file `release` of its
folder; only where there is none, it is started and asked.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from ackproof.pipeline.errors import SparkUnavailable

__all__ = ["OLDEST", "PLACES", "Java", "find_java", "require_packages"]

#: The oldest Java that Spark runs on.
OLDEST = 17

#: Where a Java is looked for that is neither named nor on the path.
PLACES = (
    "/usr/lib/jvm/*",
    "/usr/java/*",
    "/opt/java/*",
    "/opt/jdk*",
    "~/.sdkman/candidates/java/*",
    "~/.jdks/*",
)

#: What has to be installed, and since which version it has what is used here.
PACKAGES = {"pyspark": (4, 1), "pyarrow": (18, 0), "pandas": (2, 2)}

_INSTALL = 'instead: pip install "ackproof[spark]"'


@dataclass(frozen=True)
class Java:
    """One installed Java.

    Attributes:
        home: its folder, which holds `bin/java`.
        version: its version, as in 17.0.15.
    """

    home: Path
    version: str

    @property
    def feature(self) -> int:
        """The number that Java versions go by: 17 of 17.0.15, 8 of 1.8.0_412."""
        numbers = [int(n) for n in re.findall(r"\d+", self.version)[:2]]
        return numbers[1] if numbers[0] == 1 and len(numbers) > 1 else numbers[0]

    @property
    def program(self) -> Path:
        """The program that runs classes."""
        return self.home / "bin" / "java"


def find_java(
    environment: Mapping[str, str] = os.environ, places: tuple[str, ...] = PLACES
) -> Java:
    """Return a Java that Spark runs on.

    Args:
        environment: where JAVA_HOME and PATH are read.
        places: patterns of folders to look at when these two do not help; of what is found there,
            the oldest that is new enough is taken, for Spark is tested with it longest.

    Raises:
        SparkUnavailable: there is none, all are too old, or JAVA_HOME is wrong.
    """
    if named := environment.get("JAVA_HOME"):
        return _named(named)
    old: list[Java] = []
    for java in (*_on_path(environment), *_installed(places)):
        if java.feature >= OLDEST:
            return java
        old.append(java)
    seen = ", ".join(f"Java {java.version} in {java.home}" for java in old)
    raise SparkUnavailable(
        f"Java: Spark needs Java {OLDEST} or newer, and there is "
        + (f"only {seen}" if old else "none on the path, nor in the usual places")
        + f"\n  instead: install one, or set JAVA_HOME to the folder of Java {OLDEST} or newer"
    )


def require_packages() -> None:
    """Return if PySpark, PyArrow and pandas are installed and new enough.

    Raises:
        SparkUnavailable: one of them is not.
    """
    for name, oldest in PACKAGES.items():
        needed = ".".join(map(str, oldest))
        try:
            version = metadata.version(name)
        except metadata.PackageNotFoundError:
            raise SparkUnavailable(
                f"{name}: the Spark engine needs it, and it is not installed\n  {_INSTALL}"
            ) from None
        if tuple(int(n) for n in re.findall(r"\d+", version)[:2]) < oldest:
            raise SparkUnavailable(
                f"{name}: version {version} is installed, and the Spark engine needs {needed} or "
                f"newer\n  {_INSTALL}"
            )


def _named(home: str) -> Java:
    """Return the Java that JAVA_HOME names."""
    remedy = f"instead: set it to the folder of Java {OLDEST} or newer, or unset it"
    java = _at(Path(home))
    if java is None:
        raise SparkUnavailable(
            f"JAVA_HOME: it is {home}, and there is no bin/java in it that runs\n  {remedy}"
        )
    if java.feature < OLDEST:
        raise SparkUnavailable(
            f"JAVA_HOME: it is {home}, which is Java {java.version}, and Spark needs {OLDEST} or "
            f"newer\n  {remedy}"
        )
    return java


def _on_path(environment: Mapping[str, str]) -> Iterator[Java]:
    """Yield the Java that a shell would start, if there is one."""
    program = shutil.which("java", path=environment.get("PATH", os.defpath))
    if program is None:
        return
    if java := _at(Path(program).resolve().parent.parent) or _asked(Path(program)):
        yield java


def _installed(places: tuple[str, ...]) -> list[Java]:
    """Return what is in the usual places, oldest first."""
    found: dict[Path, Java] = {}
    for place in places:
        pattern = Path(place).expanduser()
        for home in sorted(pattern.parent.glob(pattern.name)):
            if java := _at(home.resolve()):
                found[java.home] = java
    return sorted(found.values(), key=lambda java: (java.feature, str(java.home)))


def _at(home: Path) -> Java | None:
    """Return the Java whose folder this is, or None if it is not one."""
    program = home / "bin" / "java"
    if not os.access(program, os.X_OK):
        return None
    try:
        release = (home / "release").read_text(errors="replace")
    except OSError:
        return _asked(program)
    version = re.search(r'^JAVA_VERSION="?(\d[^"\s]*)', release, re.MULTILINE)
    return Java(home, version[1]) if version else _asked(program)


def _asked(program: Path) -> Java | None:
    """Start a Java to ask for its version and its folder; None if it does not answer."""
    command = [str(program), "-XshowSettings:properties", "-version"]
    try:
        answer = subprocess.run(command, capture_output=True, text=True, timeout=30).stderr
    except (OSError, subprocess.SubprocessError):
        return None
    told = dict(re.findall(r"^\s+(java\.home|java\.version) = (\S+)", answer, re.MULTILINE))
    if not re.match(r"\d", told.get("java.version", "")) or "java.home" not in told:
        return None
    return Java(Path(told["java.home"]), told["java.version"])
