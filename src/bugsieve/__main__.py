"""`python -m bugsieve` is the command line."""

import sys

from bugsieve.cli import main

if __name__ == "__main__":
    sys.exit(main())
