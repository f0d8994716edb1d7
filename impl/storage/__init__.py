"""What the disk is told, what it has, and how much is held in memory."""
