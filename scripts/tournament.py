#!/usr/bin/env python3
"""Tournaments, gauntlets and sequential tests between UCI engines that play Breakthrough."""

import sys

from petardlib.commands.tournament import main

if __name__ == "__main__":
    sys.exit(main())
