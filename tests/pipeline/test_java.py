"""Java is found where it is, and what is missing is said in a way that helps."""

from __future__ import annotations

import re
from importlib import metadata
from pathlib import Path

import pytest
from ackproof.pipeline import SparkUnavailable
from ackproof.pipeline.java import Java, find_java, require_packages

#: What a Java that is asked says, and where it says that it is.
ANSWER = """#!/bin/sh
cat >&2 <<'END'
Property settings:
    java.home = {home}
    java.version = {version}
END
"""


def installed(home: Path, version: str, *, release: bool = True) -> Path:
    """Make a folder that looks like an installed Java, and return it."""
    program = home / "bin" / "java"
    program.parent.mkdir(parents=True)
    program.write_text(ANSWER.format(home=home, version=version))
    program.chmod(0o755)
    if release:
        (home / "release").write_text(f'IMPLEMENTOR="None"\nJAVA_VERSION="{version}"\n')
    return home


def test_java_home_is_taken_before_the_path(tmp_path: Path) -> None:
    named = installed(tmp_path / "named", "17.0.15")
    other = installed(tmp_path / "other", "21.0.2")
    environment = {"JAVA_HOME": str(named), "PATH": str(other / "bin")}
    assert find_java(environment, ()) == Java(named, "17.0.15")


def test_java_on_the_path_is_found_through_links(tmp_path: Path) -> None:
    home = installed(tmp_path / "jvm" / "java-21", "21.0.2")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "java").symlink_to(home / "bin" / "java")
    assert find_java({"PATH": str(tmp_path / "bin")}, ()).home == home


def test_java_is_asked_where_it_is_if_its_folder_does_not_say(tmp_path: Path) -> None:
    home = installed(tmp_path / "elsewhere", "25-ea", release=False)
    (tmp_path / "shims").mkdir()
    (tmp_path / "shims" / "java").write_text((home / "bin" / "java").read_text())
    (tmp_path / "shims" / "java").chmod(0o755)
    assert find_java({"PATH": str(tmp_path / "shims")}, ()) == Java(home, "25-ea")


def test_java_that_is_too_old_is_passed_over_for_one_in_a_usual_place(tmp_path: Path) -> None:
    old = installed(tmp_path / "old", "1.8.0_412")
    installed(tmp_path / "jvm" / "a-25", "25.0.3")
    home = installed(tmp_path / "jvm" / "b-17", "17.0.1")
    found = find_java({"PATH": str(old / "bin")}, (str(tmp_path / "jvm" / "*"),))
    assert found == Java(home, "17.0.1")


def test_the_version_of_java_8_is_8() -> None:
    versions = ["1.8.0_412", "11", "17.0.15", "25-ea"]
    assert [Java(Path("/"), version).feature for version in versions] == [8, 11, 17, 25]


def test_no_java_at_all_is_one_clear_error(tmp_path: Path) -> None:
    with pytest.raises(SparkUnavailable) as refusal:
        find_java({"PATH": str(tmp_path)}, (str(tmp_path / "*"),))
    assert str(refusal.value) == (
        "Java: Spark needs Java 17 or newer, and there is none on the path, nor in the usual "
        "places\n  instead: install one, or set JAVA_HOME to the folder of Java 17 or newer"
    )


def test_java_that_is_too_old_is_named(tmp_path: Path) -> None:
    home = installed(tmp_path / "jvm", "11.0.2")
    with pytest.raises(SparkUnavailable, match=re.escape(f"only Java 11.0.2 in {home}\n")):
        find_java({"PATH": str(home / "bin")}, ())


def test_java_home_without_java_is_an_error_even_if_there_is_another(tmp_path: Path) -> None:
    other = installed(tmp_path / "other", "21.0.2")
    environment = {"JAVA_HOME": str(tmp_path / "gone"), "PATH": str(other / "bin")}
    with pytest.raises(SparkUnavailable) as refusal:
        find_java(environment, ())
    assert str(refusal.value) == (
        f"JAVA_HOME: it is {tmp_path}/gone, and there is no bin/java in it that runs\n"
        "  instead: set it to the folder of Java 17 or newer, or unset it"
    )


def test_java_home_with_java_that_is_too_old_is_an_error(tmp_path: Path) -> None:
    home = installed(tmp_path / "old", "1.8.0_412")
    with pytest.raises(SparkUnavailable, match=r"which is Java 1\.8\.0_412, and Spark needs 17"):
        find_java({"JAVA_HOME": str(home)}, ())


def test_java_that_does_not_run_is_none(tmp_path: Path) -> None:
    home = installed(tmp_path / "broken", "17.0.1", release=False)
    (home / "bin" / "java").write_text("#!/bin/sh\nexit 1\n")
    with pytest.raises(SparkUnavailable, match="none on the path"):
        find_java({"PATH": str(home / "bin")}, ())


@pytest.mark.parametrize("name", ["pyspark", "pyarrow", "pandas"])
def test_a_package_that_is_missing_is_named_with_the_extra_that_has_it(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def version(asked: str) -> str:
        if asked == name:
            raise metadata.PackageNotFoundError(name)
        return "99.0"

    monkeypatch.setattr(metadata, "version", version)
    with pytest.raises(SparkUnavailable) as refusal:
        require_packages()
    assert str(refusal.value) == (
        f"{name}: the Spark engine needs it, and it is not installed\n"
        '  instead: pip install "ackproof[spark]"'
    )


def test_a_package_that_is_too_old_is_named_with_the_version_that_is_needed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(metadata, "version", lambda name: "4.0.2" if name == "pyspark" else "99.0")
    with pytest.raises(SparkUnavailable, match=r"4\.0\.2 is installed, .* needs 4\.1 or newer"):
        require_packages()


def test_what_is_installed_for_development_is_new_enough() -> None:
    require_packages()
