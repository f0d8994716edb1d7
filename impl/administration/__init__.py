"""What there is in a broker as people write it down: definitions, in and out."""
