"""What has happened to a broker, and what can be said to be wrong from that alone."""
