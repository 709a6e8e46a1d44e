#!/usr/bin/env python3
"""Analyses positions and games of Breakthrough with one or more UCI engines."""

import sys

from petardlib.commands.analyse import main

if __name__ == "__main__":
    sys.exit(main())
