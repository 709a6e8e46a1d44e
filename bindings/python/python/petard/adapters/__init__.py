"""The ways into other programs' worlds: OpenSpiel, kaggle-environments, python-chess.

None of them is needed by petard; each module imports the one it is for.
"""
