"""Faults that a test asks a broker for; each is a step of the specification, or keeps one back."""
