"""``python -m sequoia_tui`` is the command ``sequoia-tui``."""

import sys

from sequoia_tui.cli import main

sys.exit(main())
