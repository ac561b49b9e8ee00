"""`python -m sequoia_server`."""

import sys

from sequoia_server.cli import main

if __name__ == "__main__":
    sys.exit(main())
