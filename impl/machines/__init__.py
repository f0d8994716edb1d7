"""The machines of the specification as the broker holds them, with what they do not need to know.

Queues, the two sides of a channel, consumers, mirrors: each has the machine, and beside it the
names and tables that go with it.  They belong to one system, and messages carry their contents.
"""
