"""A bound program as a model in Promela, for SPIN."""
