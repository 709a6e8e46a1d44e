"""Proofs by jobs: the tree above them, their ledger, the solver."""
