"""A program is a file that says what it is, and that can be read again."""

from __future__ import annotations

from pathlib import Path

import pytest
from ackproof.conform.kit.drawing import draw
from ackproof.conform.kit.operations import (
    FAULTS,
    Do,
    Operation,
    ProgramError,
    read_program,
    write_program,
)

from tests.exploring import seeds

HEAD = '{"format":"ackproof program","version":1}\n'


def test_a_program_is_read_as_it_was_written(tmp_path: Path) -> None:
    file = tmp_path / "p.jsonl"
    for seed in seeds(50):
        program = draw(seed, FAULTS)
        write_program(file, program)
        assert read_program(file) == program


def test_an_operation_is_a_line() -> None:
    one = Operation(Do.PUBLISH, 2, 1, "q1", mandatory=True, size=100)
    assert str(one) == "2.1 publish queue=q1 mandatory size=100"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "this is no program"),
        ("{}\n", "this is no program"),
        ('{"format":"ackproof recording","version":1}\n', "this is no program"),
        ('{"format":"ackproof program","version":2}\n', "a program of version 2"),
        (HEAD + '{"do":"dance"}\n', "p.jsonl:2: Invalid enum value 'dance'"),
        (HEAD + '{"do":"close"}\n{"do":"close","with":1}\n', "p.jsonl:3: Object contains unknown"),
        (HEAD + '{"do":"close","channel":0}\n', "p.jsonl:2: Expected `int` >= 1"),
        (HEAD + '{"do":"delete","queue":"amq.x"}\n', "p.jsonl:2: Expected `str` matching"),
        (HEAD + '{"do":"fault","fault":"fire"}\n', "p.jsonl:2: there is no fault 'fire'"),
        (HEAD + "{\n", "p.jsonl:2: Input data was truncated"),
    ],
)
def test_what_is_no_program_is_refused_with_its_place(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "p.jsonl"
    file.write_text(text)
    with pytest.raises(ProgramError) as refused:
        read_program(file)
    assert said in str(refused.value)
    assert str(file) in str(refused.value)
