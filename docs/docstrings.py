"""An extension of griffe for the book: it completes the docstrings of the Python package.

The compiled part of the package has its types in a stub and its docstrings in the module: they are
taken from there. Examples in docstrings are shown as code.
"""

from __future__ import annotations

import inspect
import pydoc
import re

import griffe

EXAMPLE = re.compile(r"^>>> .*(?:\n.+)*", re.MULTILINE)


class Docstrings(griffe.Extension):
    """Fills in docstrings, and fences what begins with `>>>`, up to the next empty line."""

    def on_object(self, *, obj: griffe.Object, **_: object) -> None:
        """Change the docstring of a module, class or function."""
        if obj.docstring is None and obj.path.startswith("petard._petard."):
            found = inspect.getdoc(pydoc.locate(obj.path))
            obj.docstring = griffe.Docstring(found, parent=obj) if found else None
        if obj.docstring:
            obj.docstring.value = EXAMPLE.sub(r"```pycon\n\g<0>\n```", obj.docstring.value)

    def on_package(self, *, pkg: griffe.Module, **_: object) -> None:
        """Change that of the package."""
        self.on_object(obj=pkg)
