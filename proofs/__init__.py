"""Proofs: the specification as formulas, and what Z3 says of them."""
