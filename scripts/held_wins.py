#!/usr/bin/env python3
"""Counts, by player, how many proven wins were held."""

import sys

from petardlib.commands.held_wins import main

if __name__ == "__main__":
    sys.exit(main())
