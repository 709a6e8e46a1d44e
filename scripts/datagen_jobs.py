#!/usr/bin/env python3
"""Generates training positions in many jobs, on this machine or on a Dask cluster."""

import sys

from petardlib.commands.datagen_jobs import main

if __name__ == "__main__":
    sys.exit(main())
