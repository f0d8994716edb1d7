"""The judge over columns: what may pass on a channel, compiled, and the same for all who ask."""
