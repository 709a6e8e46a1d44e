#!/usr/bin/env python3
"""Proves who wins a position of Breakthrough in many jobs, locally or on a Dask cluster."""

import sys

from petardlib.commands.solve_jobs import main

if __name__ == "__main__":
    sys.exit(main())
