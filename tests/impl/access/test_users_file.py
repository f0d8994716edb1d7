"""Who may come in, read from a file."""

from __future__ import annotations

from pathlib import Path

import pytest
from ackproof.impl.access.users_file import UsersError, read_users


def test_a_line_is_a_user_and_an_administrator(tmp_path: Path) -> None:
    file = tmp_path / "users"
    file.write_text("# staff\n\nada:love:lace\ncharles:\n")
    ada, charles = read_users(file)
    assert ada.password is not None
    assert ada.password.fits("love:lace")
    assert not ada.password.fits("love")
    assert charles.password is not None
    assert charles.password.fits("")
    assert ada.tags == ("administrator",)
    assert "lace" not in repr(ada)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (b"ada\n", r"users, line 1 is no user; write NAME:PASSWORD"),
        (b"# x\n:secret\n", r"users, line 2 is no user; write NAME:PASSWORD"),
        (b"ada:1\nada:2\n", r"users, line 2: there is a user 'ada' already"),
        (b"\n# nobody\n", r"users names no user; write a line of NAME:PASSWORD for each"),
        (b"ada:\xff\n", r"users is not UTF-8; write a line of NAME:PASSWORD for each"),
    ],
)
def test_a_file_that_says_something_else_is_refused(tmp_path: Path, text: bytes, why: str) -> None:
    (tmp_path / "users").write_bytes(text)
    with pytest.raises(UsersError, match=why):
        read_users(tmp_path / "users")


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsersError, match=r"cannot read the users of .*: No such file or directory"):
        read_users(tmp_path / "users")
