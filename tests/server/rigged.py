"""`sequoia-server` itself, with chance that is fixed.

    python -m tests.server.rigged SEED [OPTION ...]

Games on it have more ties and Sequoias than real ones, and bots are quick. For tests alone: no
option, variable or message of the released program can ask for this.
"""

import sys

from sequoia_server.cli import main

from tests.kit import LivelyEntropy

if __name__ == "__main__":
    seed, *options = sys.argv[1:]
    sys.exit(main(options, entropy=LivelyEntropy(int(seed), delay_scale=0.05)))
