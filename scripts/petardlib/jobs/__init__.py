"""Where tasks are done: worker processes of this machine, or a Dask cluster."""
