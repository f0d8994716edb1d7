"""The translation of a compiled specification to formulas."""
