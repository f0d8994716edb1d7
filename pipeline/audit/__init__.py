"""The audit of recordings on Spark: what `ackproof.conform` judges and counts, run elsewhere."""
