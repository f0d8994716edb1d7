"""`ackproof serve`: the reference broker as a command.

Whoever starts a broker in each of many tests waits for it each time, so the way from the command to
the broker is short: typer is loaded only to explain the options, or what is wrong with them, and
the broker only to run.
"""

from __future__ import annotations

import gc
import sys

from ackproof.cli.serve_options import Asked, read

__all__ = ["main", "serve"]


def serve(asked: Asked) -> None:
    """Run the reference broker: AMQP 0-9-1 with confirms decided by the specification.

    Log in as guest with password guest, on virtual host /. Ctrl-C stops it. What it does not
    implement is answered 540 NOT_IMPLEMENTED.

    Example: ackproof serve --port 5672 --data ./broker-data
    """
    gc.disable()  # or it would look for garbage in what is being loaded; `run` enables it again
    from ackproof.cli.serving import run

    run(asked)


def main(words: list[str]) -> None:
    """Serve as these words ask."""
    asked = read(words)
    if asked is not None:
        serve(asked)
        return
    from ackproof.cli.main import app

    app(["serve", *words], prog_name="ackproof")


if __name__ == "__main__":
    main(sys.argv[1:])
