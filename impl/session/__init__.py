"""One connection without its socket, and its channels: bytes in, bytes out."""
