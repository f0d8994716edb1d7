"""Entries of which the loop variable is one key here and another there."""

from __future__ import annotations

from ackproof.spec.lang import Map, Model, OrderedSort, System, action


class A(OrderedSort):
    """An ordered sort."""


class Root(System):
    """The system."""

    grid: Map[A, Map[A, bool]]

    @action
    def act(self, a: A) -> None:
        """A step."""
        for x in A:
            self.grid[x][a] = True
            self.grid[a][x] = False


MODEL = Model("loop_variable_as_two_keys", Root, (), ())
