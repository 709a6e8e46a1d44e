"""Installs each product of a release in a clean environment and tries it.

The archive and the Debian package go into a fresh Debian in a folder (needs root and debootstrap),
the wheel and the source package into fresh virtual environments; the crate is built by itself. What
cannot be tried here is reported, and the exit status is then 1.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import urllib.request
from collections.abc import Callable, Sequence
from pathlib import Path

GAME = "uci\nposition startpos moves a2a3\ngo nodes 1000\n"
PYTHON = (
    "import petard; e = petard.Engine(hash=1);"
    "print(petard.__version__, e.analyse(petard.Board(), petard.Limit(depth=4)).pv[0]);"
    "assert petard.solve(petard.Board('4x4')).winner is petard.BLACK"
)


def told(*command: str | Path, text: str = "", folder: Path | None = None) -> str:
    """The output of a command, which must succeed."""
    done = subprocess.run(
        command, input=text, capture_output=True, text=True, cwd=folder, check=False
    )
    if done.returncode:
        raise RuntimeError(f"{' '.join(map(str, command))}: {done.stdout}{done.stderr}".strip())
    return done.stdout


def only(folder: Path, pattern: str) -> Path:
    """The only product of this name."""
    found = sorted(folder.glob(pattern))
    if len(found) != 1:
        raise RuntimeError(f"{len(found)} files match {pattern}, expected one")
    return found[0]


def try_program(*program: str | Path) -> str:
    """Ask a program for its version, a move and a count; returns how it names itself."""
    version = told(*program, "--version").strip()
    if not told(*program, text=GAME).splitlines()[-1].startswith("bestmove "):
        raise RuntimeError(f"{program}: no bestmove")
    if "11132" not in told(*program, "perft", "3"):
        raise RuntimeError(f"{program}: wrong perft")
    try_server(*program)
    return version


def try_server(*program: str | Path) -> None:
    """Ask a program for its board page."""
    command = [*program, "serve", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            line = server.stdout.readline() if server.stdout else ""
            found = re.search(r"http://\S+", line)
            if found is None:
                raise RuntimeError(f"{program}: 'serve' says {line!r}")
            with urllib.request.urlopen(found[0], timeout=60) as page:
                if b"<html" not in page.read():
                    raise RuntimeError(f"{program}: no page at {found[0]}")
        finally:
            server.terminate()


def bare_debian(folder: Path, mirror: str | None) -> Path:
    """A minimal Debian."""
    if os.geteuid() != 0 or shutil.which("debootstrap") is None:
        raise RuntimeError("needs root and debootstrap")
    root = folder / "debian"
    told("debootstrap", "--variant=minbase", "stable", root, *([mirror] if mirror else []))
    return root


def try_debian(products: Path, folder: Path, mirror: str | None) -> str:
    """Try the archive and the package in a fresh Debian."""
    archive, package = only(products, "petard-*-x86_64-linux.tar.gz"), only(products, "*.deb")
    root = bare_debian(folder, mirror)
    inside = root / "root"
    with tarfile.open(archive) as file:
        file.extractall(inside, filter="data")
    name = archive.name.removesuffix(".tar.gz")
    said = [try_program("chroot", root, f"/root/{name}/petard")]
    shutil.copy2(package, inside / "petard.deb")
    run = ("chroot", root)
    told(*run, "dpkg", "-i", "/root/petard.deb")
    said.append(try_program(*run, "/usr/games/petard"))
    for path in (
        "usr/share/man/man1/petard.1.gz",
        "usr/share/man/man1/petard-solve.1.gz",
        "usr/share/zsh/vendor-completions/_petard",
        "usr/share/fish/vendor_completions.d/petard.fish",
    ):
        if not (root / path).exists():
            raise RuntimeError(f"the package has no {path}")
    completions = "/usr/share/bash-completion/completions/petard"
    told(*run, "bash", "-c", f"source {completions} && complete -p petard")
    told(*run, "dpkg", "-r", "petard")
    if (root / "usr/games/petard").exists():
        raise RuntimeError("the package was not removed")
    return "; ".join(said)


def try_python(product: Path, folder: Path) -> str:
    """Try a wheel or a source package in a fresh virtual environment."""
    venv = folder / f"venv-{product.suffix[1:]}"
    told(sys.executable, "-m", "venv", venv)
    told(venv / "bin/pip", "install", "--quiet", product)
    said = told(venv / "bin/python", "-c", PYTHON).strip()
    return f"{said}; {try_program(venv / 'bin/petard')}"


def try_crate(product: Path, folder: Path) -> str:
    """Build the crate by itself and try it."""
    root = folder / "crate"
    source = _unpacked(product, folder)
    told("cargo", "install", "--locked", "--path", source, "--root", root, folder=folder)
    return try_program(root / "bin/petard")


def _unpacked(product: Path, folder: Path) -> Path:
    with tarfile.open(product) as file:
        file.extractall(folder, filter="data")
    return folder / product.name.removesuffix(".crate")


def main(arguments: Sequence[str] | None = None) -> int:
    """Try everything; 0 if everything was tried and works."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("products", type=Path, help="the folder made by release.py")
    parser.add_argument("--mirror", help="Debian mirror for debootstrap [its own default]")
    options = parser.parse_args(arguments)
    products: Path = options.products.resolve()
    is_fine = True
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        tries: dict[str, Callable[[], str]] = {
            "checksums": lambda: told("sh", "-c", f"cd '{products}' && sha256sum -c SHA256SUMS"),
            "archive and .deb in a bare Debian": lambda: try_debian(
                products, folder, options.mirror
            ),
            "wheel in a fresh environment": lambda: try_python(only(products, "*.whl"), folder),
            "source in a fresh environment": lambda: try_python(
                only(products, "petard-*[0-9].tar.gz"), folder
            ),
            "crate by itself": lambda: try_crate(only(products, "*.crate"), folder),
        }
        for what, attempt in tries.items():
            try:
                print(f"{what}: {attempt().strip()}", flush=True)
            except (RuntimeError, OSError, tarfile.TarError) as error:
                is_fine = False
                print(f"{what}: FAILED: {error}", flush=True)
    return 0 if is_fine else 1


if __name__ == "__main__":
    sys.exit(main())
