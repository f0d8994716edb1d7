"""The conformance kit: random client programs against any broker, and what they prove."""
