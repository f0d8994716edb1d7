"""Beyond one machine: the checker on Spark.

Only what is below this package imports PySpark, and only inside functions, so that asking for what
is missing is one clear error (`SparkUnavailable`).
"""

from ackproof.pipeline.errors import SearchFailed, SearchRefused, SparkUnavailable

__all__ = ["SearchFailed", "SearchRefused", "SparkUnavailable"]
