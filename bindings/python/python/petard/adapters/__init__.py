"""Adapters for other programs: OpenSpiel, kaggle-environments, python-chess.

petard needs none of them; each module imports the one it is for.
"""
