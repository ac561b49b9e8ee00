"""What every test shares: how Hypothesis searches."""

import os

from hypothesis import settings

# Timing says nothing about a property. How many examples a property needs it says itself.
settings.register_profile("default", deadline=None)
# The same examples in every run, and a failure that can be pasted in to be seen again.
settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "default")
