"""`python -m ackproof.cli` is `ackproof`."""

from ackproof.cli.main import main

if __name__ == "__main__":
    main()
