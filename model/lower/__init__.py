"""Lowering: from a bound program to machine code that expands packed states."""
