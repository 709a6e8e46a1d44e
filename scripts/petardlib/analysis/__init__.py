"""Positions and games looked at by engines, and what is said of their moves."""
