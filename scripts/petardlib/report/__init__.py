"""Reports as single HTML files: style, script, data and pictures are all inside."""

MARK = '<meta name="generator" content="petard">'
"""Marks the HTML files that are ours and may be overwritten."""
