#!/usr/bin/env python3
"""Finds puzzles in games in many jobs, on this machine or on a Dask cluster."""

import sys

from petardlib.commands.puzzles import main

if __name__ == "__main__":
    sys.exit(main())
