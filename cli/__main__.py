"""The command `ackproof`, and `python -m ackproof.cli`.

What it needs is imported inside `main`, so that an interruption is told in a line even then.
"""

from __future__ import annotations

import sys

__all__ = ["main"]


def main() -> None:
    """Run the command line."""
    try:
        from ackproof.cli.main import main as run

        run()
    except KeyboardInterrupt:
        print("interrupted before there was anything to report", file=sys.stderr)
        sys.exit(3)


if __name__ == "__main__":
    main()
