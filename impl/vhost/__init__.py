"""One virtual host: its queues by name, its topology, and what clients may ask of both."""
