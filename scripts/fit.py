#!/usr/bin/env python3
"""Fit a handcrafted evaluation's weights to the results of self-play, for either game."""

import sys

from petardlib.commands.fit import main

if __name__ == "__main__":
    sys.exit(main())
