"""What makes the broker an oracle for tests: faults, a history, a control API, and lockstep."""
