"""`python -m bugsieve` is the command line."""

from bugsieve.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
