"""Where elements are integers, whose one is and which comes next is computed and not asked."""

from __future__ import annotations

from typing import Any

from ackproof.lang import Each, OrderedSort, OwnedSort, Process, Set, System, action, require
from ackproof.model.native.families import assemble
from ackproof.model.native.translate import translate


class Shelf(OrderedSort, prefix="s"):
    """Where books stand."""


class Book(OwnedSort[Shelf]):
    """A book; it belongs to a shelf."""


class Board(Process):
    """What stands on a shelf."""

    books: Set[Book]


class Library(System):
    """Shelves, and the last book that came."""

    boards: Each[Shelf, Board]

    @action
    def bring(self, book: Book) -> None:
        """A book comes, and the one after it with it."""
        require(book not in self.boards[Book.owner(book)].books)
        self.boards[Book.owner(book)].books.add(book)
        following = Book.succ(book)
        if following is not None:
            self.boards[Book.owner(following)].books.add(following)


def test_a_step_takes_integers_and_asks_no_sort() -> None:
    translation = translate(Library, growing=True)
    assert "Book." not in translation.text
    library: Any = assemble(Library, translation.classes)
    first: Any = Book.first(3)  # type: ignore[arg-type]
    library.bring(first)
    assert list(library.boards) == [3]
    assert library.boards[3].books == {first, first + 1}


def test_otherwise_the_sort_is_asked() -> None:
    assert "Book.owner(" in translate(Library).text
