#!/usr/bin/env python3
"""Tunes the constants of an engine's search by games against itself (SPSA)."""

import sys

from petardlib.commands.tune import main

if __name__ == "__main__":
    sys.exit(main())
