"""The commands behind the command lines."""
