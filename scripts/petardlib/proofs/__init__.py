"""Job-level proofs: the tree above the jobs, their ledger, the solver."""
