"""Mutation of a specification: small mistakes, made one at a time, and which of them is noticed.

A model checker that says "verified" is worth what its properties and instances notice.  A *mutant*
is the model with one small mistake in one method: a guard is left out, a set is not written.  A
mutant that no property breaks on is a question: is it no mistake at all, or is something not said?

    places    the methods of a model, and what the names in them mean
    edits     the mistakes that can be made in one method
    mutants   a mutant as a design, and all mutants of a model
    judging   what becomes of a mutant on the instances where it makes a difference
    matrix    many verdicts: totals, and which property notices how much

What is written for properties only (`Ghost`) is no part of a design, and is left as it is.
"""
