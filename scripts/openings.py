#!/usr/bin/env python3
"""Makes balanced openings: random plies, a window of win probability, no duplicates."""

import sys

from petardlib.commands.openings import main

if __name__ == "__main__":
    sys.exit(main())
