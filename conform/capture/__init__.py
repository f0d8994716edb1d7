"""Captures: packets that somebody has seen on a network, to the events of recordings."""
