"""Prints the licences of everything that a package's program contains: they must go with it.

Needs nothing but Python and cargo.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

RUST = """Besides petard's own code this contains Rust's standard library (MIT OR Apache-2.0,
copyright The Rust Project contributors:
https://github.com/rust-lang/rust/blob/master/COPYRIGHT){more}
and these crates, whose licences follow.
"""
MUSL = """,
the C library musl (MIT, copyright 2005-2020 Rich Felker, et al.:
https://git.musl-libc.org/cgit/musl/tree/COPYRIGHT)"""
NAMED = re.compile(r"(licen[cs]e|copying|unlicense|notice)", re.IGNORECASE)


def linked(metadata: dict[str, Any]) -> list[dict[str, Any]]:
    """The crates from elsewhere that end up in the program, by name; macros run in the compiler."""
    crates = {one["id"]: one for one in metadata["packages"]}
    needs = {node["id"]: node["deps"] for node in metadata["resolve"]["nodes"]}
    found: set[str] = set()
    open_ids = [metadata["resolve"]["root"]]
    while open_ids:
        name = open_ids.pop()
        macro = any("proc-macro" in target["kind"] for target in crates[name]["targets"])
        if name in found or macro:
            continue
        found.add(name)
        for dep in needs[name]:
            if any(kind["kind"] is None for kind in dep["dep_kinds"]):
                open_ids.append(dep["pkg"])
    foreign = [crates[name] for name in found if crates[name]["source"]]
    return sorted(foreign, key=lambda one: (one["name"], one["version"]))


def licence(crate: dict[str, Any]) -> str:
    """A crate's own words: where there is a choice, those of MIT."""
    folder = Path(crate["manifest_path"]).parent
    files = sorted(path for path in folder.iterdir() if path.is_file() and NAMED.match(path.name))
    mit = [path for path in files if "mit" in path.name.lower()]
    notices = [path for path in files if "notice" in path.name.lower()]
    chosen = [*mit, *notices] if mit else files
    if not chosen:
        authors = ", ".join(crate["authors"]) or "its authors"
        return f"Copyright {authors}. The package names its licence but does not contain its text."
    return "\n\n".join(path.read_text(encoding="utf-8").strip() for path in chosen)


def third_party(manifest: Path, target: str) -> str:
    """The licences of everything that the package's program contains, built for this target."""
    words = ("--format-version", "1", "--locked", "--filter-platform", target)
    command = ("cargo", "metadata", *words, "--manifest-path", manifest)
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"third_party.py: cargo metadata: {done.stderr.strip()}")
    texts: dict[str, list[str]] = {}
    for crate in linked(json.loads(done.stdout)):
        name = f"{crate['name']} {crate['version']} ({crate['license']})"
        texts.setdefault(licence(crate), []).append(name)
    line = "-" * 80
    head = RUST.format(more=MUSL if "musl" in target else "")
    parts = ["\n".join([line, *names, line, "", text, ""]) for text, names in texts.items()]
    return "\n".join([head, *parts])


def main(argv: Sequence[str] | None = None) -> None:
    """Read the arguments and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("manifest", type=Path, help="the package's Cargo.toml")
    parser.add_argument("target", help="what it is built for, such as x86_64-unknown-linux-musl")
    options = parser.parse_args(argv)
    print(third_party(options.manifest, options.target), end="")


if __name__ == "__main__":
    main()
