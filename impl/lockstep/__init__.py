"""Lockstep: the system of the specification takes every step of a broker too, and is compared."""
