"""RabbitMQ's management over HTTP, the part of it that clients and tools call."""
