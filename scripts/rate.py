#!/usr/bin/env python3
"""Ratings, standings and verdicts from the games of tournaments."""

import sys

from petardlib.commands.rate import main

if __name__ == "__main__":
    sys.exit(main())
