"""Tasks in processes of their own, on this machine or a Dask cluster."""
