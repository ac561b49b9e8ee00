"""`sequoia-server` with chance that is fixed: the released main itself, in a process of its own.

Only what calls `main` can pass another source of chance; no option, variable or message can.
Run it as `python -m tests.scripted_server SEED [OPTION ...]`.
"""

import sys

from sequoia_server.cli import main

from tests.kit import LivelyEntropy

if __name__ == "__main__":
    sys.exit(main(sys.argv[2:], entropy=LivelyEntropy(int(sys.argv[1]), delay_scale=0.2)))
