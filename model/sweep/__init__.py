"""Instances by systematic bounds: what a model's declarations allow, in order of growth.

Instances that somebody wrote down have what somebody thought of.  A *sweep* makes them from the
declarations, the smaller ones first, and searches one after the other until a number of states is
spent.  What it did not come to it says.

    growth     shapes: sizes and constants, and how they grow
    plan       which shapes are looked at with which faults, and what need not be looked at
    looking    one instance, searched
    document   what was found, as JSON
"""
