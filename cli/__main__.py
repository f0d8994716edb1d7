"""The command `ackproof`, and `python -m ackproof.cli`.

What it needs is imported inside `main`, so that an interruption is told in a line even then, and a
broker is there before the other commands, and typer, would be loaded.
"""

from __future__ import annotations

import io
import sys

__all__ = ["main"]


def main() -> None:
    """Run the command line; what the output cannot encode is replaced, never an error."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        _run(sys.argv[1:])
    except KeyboardInterrupt:
        print("interrupted before there was anything to report", file=sys.stderr)
        sys.exit(3)
    except OSError as error:
        from ackproof.cli.inputs import refused_by_system

        sys.exit(refused_by_system(error))


def _run(words: list[str]) -> None:
    if words[:1] == ["serve"]:
        from ackproof.cli.serve import serve

        serve(words[1:], prog_name="ackproof serve")
    else:
        from ackproof.cli.main import app

        app(words)


if __name__ == "__main__":
    main()
