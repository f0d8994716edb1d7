"""Control of a running node from outside: over HTTP, and from another thread of the process."""
