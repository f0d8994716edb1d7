"""A bound program as a module of TLA+, for TLC."""
