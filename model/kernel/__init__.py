"""The compiled kernel: exhaustive search of packed states, see `ackproof.model.kernel.search`."""
