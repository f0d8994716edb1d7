"""A scenario: which faults were asked for, and when; written down, and played again."""
