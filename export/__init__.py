"""Counterexamples for other tools: as drawings, as client programs, as tests."""
