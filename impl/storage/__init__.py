"""What the disk is told, and what it has."""
