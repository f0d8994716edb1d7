"""The museum: ideas that look right, and bugs that were real, each as a small change to the spec.

A design overrides a step or two of the base specification, says where it comes from, and what the
checker must find: the property that breaks, on the smallest instance where it does, and the length
of the shortest trace.  So the museum tests the specification too: a property that no design breaks
may be a property that says nothing.
"""
