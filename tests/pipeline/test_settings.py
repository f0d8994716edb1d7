"""A user's configuration of Spark counts, except where a search depends on a setting."""

from __future__ import annotations

from pathlib import Path

import pytest
from ackproof.pipeline.settings import configured, settings

SCRATCH = Path("/tmp/scratch")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of Spark with a configuration, and nothing else that is configured."""
    for name in ("SPARK_CONF_DIR", "PYSPARK_SUBMIT_ARGS"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "conf").mkdir()
    return tmp_path


def test_there_is_one_task_for_each_part_and_a_session_of_this_machine_listens_to_it(
    home: Path,
) -> None:
    found = settings("local[2]", 7, home, SCRATCH)
    assert found["spark.sql.shuffle.partitions"] == "7"
    assert found["spark.sql.adaptive.enabled"] == "false"
    assert found["spark.driver.bindAddress"] == found["spark.driver.host"] == "127.0.0.1"


def test_a_session_of_a_cluster_has_the_addresses_and_the_memory_that_spark_gives_it(
    home: Path,
) -> None:
    found = settings("spark://head.example.org:7077", 7, home, SCRATCH)
    assert not {"spark.driver.bindAddress", "spark.driver.host", "spark.driver.memory"} & set(found)


def test_what_a_user_has_configured_counts(home: Path) -> None:
    text = "# memory\nspark.driver.memory 3g\nspark.locality.wait=2s\nspark.speculation: true\n"
    (home / "conf" / "spark-defaults.conf").write_text(text)
    found = settings("local[2]", 4, home, SCRATCH)
    assert not {"spark.driver.memory", "spark.locality.wait"} & set(found)
    assert found["spark.speculation"] == "false"


def test_a_configuration_may_be_elsewhere_and_on_the_command_line(
    home: Path, tmp_path: Path
) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "spark-defaults.conf").write_text("  spark.ui.port\t4041\n\n")
    (home / "conf" / "spark-defaults.conf").write_text("spark.eventLog.enabled true\n")
    submitted = "--conf spark.a=1 --conf=spark.b=2 -c 'spark.c = x y' --driver-memory 2g shell"
    variables = {"SPARK_CONF_DIR": str(tmp_path / "other"), "PYSPARK_SUBMIT_ARGS": submitted}
    assert configured(home, variables) == {
        "spark.ui.port",
        "spark.a",
        "spark.b",
        "spark.c",
        "spark.driver.memory",
    }


def test_what_is_submitted_counts(home: Path) -> None:
    submitted = {"spark.locality.wait": "2s", "spark.speculation": "true"}
    found = settings("local[2]", 4, home, SCRATCH, submitted)
    assert "spark.locality.wait" not in found
    assert found["spark.speculation"] == "false"


def test_arguments_that_no_shell_would_take_configure_nothing(home: Path) -> None:
    assert configured(home, {"PYSPARK_SUBMIT_ARGS": "--conf 'spark.a=1"}) == set()


def test_sockets_of_workers_are_in_a_folder_that_is_removed_if_its_name_is_short(
    home: Path,
) -> None:
    key = "spark.python.unix.domain.socket.dir"
    assert settings("local[2]", 4, home, SCRATCH)[key] == str(SCRATCH)
    assert key not in settings("local[2]", 4, home, SCRATCH / ("x" * 60))
    assert key not in settings("spark://head.example.org:7077", 4, home, SCRATCH)
