"""A scenario on a node: what is recorded there and played, and the options that go with it."""
