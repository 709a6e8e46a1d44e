"""Engines, referees, games, openings and tournaments."""
