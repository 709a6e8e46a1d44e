#!/usr/bin/env python3
"""Checks a short certificate in many jobs, on this machine or on a Dask cluster."""

import sys

from petardlib.commands.check_jobs import main

if __name__ == "__main__":
    sys.exit(main())
