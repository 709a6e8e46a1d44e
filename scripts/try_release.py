"""Installs each product of a release in a clean environment and tries it.

The archive and the Debian package go into a fresh Debian in a folder (needs root and debootstrap),
the wheel and the source package into fresh virtual environments; the crate is built by itself.
Programs for other systems run in Wine and QEMU. What cannot be tried here is reported, and the exit
status is then 1.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import platform
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import urllib.request
import zipfile
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from release import TARGETS, Target

GAME = "uci\nposition startpos moves a2a3\ngo nodes 1000\n"
PYTHON = (
    "import petard; e = petard.Engine(hash=1);"
    "print(petard.__version__, e.analyse(petard.Board(), petard.Limit(depth=4)).pv[0]);"
    "assert petard.solve(petard.Board('4x4')).winner is petard.BLACK"
)


def output(*command: str | Path, text: str = "", folder: Path | None = None) -> str:
    """The output of a command, which must succeed."""
    done = subprocess.run(
        command, input=text, capture_output=True, text=True, cwd=folder, check=False
    )
    if done.returncode:
        raise RuntimeError(f"{' '.join(map(str, command))}: {done.stdout}{done.stderr}".strip())
    return done.stdout


def only(folder: Path, pattern: str) -> Path:
    """The only product of this name."""
    return the_only(sorted(folder.glob(pattern)), pattern)


def the_only(found: Sequence[Path], what: str = "this system's wheel") -> Path:
    """The only one of these files."""
    if len(found) != 1:
        raise RuntimeError(f"{len(found)} files match {what}, expected one")
    return found[0]


def try_program(*program: str | Path) -> str:
    """Ask a program for its version, a move and a count; returns how it names itself."""
    version = output(*program, "--version").strip()
    if not output(*program, text=GAME).splitlines()[-1].startswith("bestmove "):
        raise RuntimeError(f"{program}: no bestmove")
    if "11132" not in output(*program, "perft", "3"):
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


def try_foreign(target: Target, products: Path, folder: Path) -> str:
    """Try an archive for a system that is not this one."""
    runner = target.runner()
    if runner is None:
        raise RuntimeError(f"needs one of {', '.join(target.foreign)}")
    archive = only(products, f"petard-*-{target.label}.[tz]*")
    inside = folder / target.label
    shutil.unpack_archive(archive, inside)
    return try_program(*runner, next(inside.glob("*/petard*")))


def try_foreign_package(target: Target, products: Path, folder: Path) -> str:
    """Try the files of a Debian package for another processor, without installing it."""
    runner = target.runner()
    if runner is None or shutil.which("dpkg-deb") is None:
        raise RuntimeError(f"needs dpkg-deb and one of {', '.join(target.foreign)}")
    inside = folder / f"{target.label}-deb"
    output("dpkg-deb", "--extract", only(products, "*_arm64.deb"), inside)
    return try_program(*runner, inside / "usr/games/petard")


def try_foreign_wheel(wheel: Path) -> str:
    """Look into a wheel for another system."""
    with zipfile.ZipFile(wheel) as file:
        names = file.namelist()
    for end in ("petard/py.typed", "petard/THIRD-PARTY.txt", "petard/_petard.pyi"):
        if not any(name.endswith(end) for name in names):
            raise RuntimeError(f"no {end}")
    if not any(name.endswith((".so", ".pyd")) for name in names):
        raise RuntimeError("no compiled module")
    return "looked into, not run"


def bare_debian(folder: Path, mirror: str | None) -> Path:
    """A minimal Debian."""
    if os.geteuid() != 0 or shutil.which("debootstrap") is None:
        raise RuntimeError("needs root and debootstrap")
    root = folder / "debian"
    output("debootstrap", "--variant=minbase", "stable", root, *([mirror] if mirror else []))
    return root


def try_debian(products: Path, folder: Path, mirror: str | None) -> str:
    """Try the archive and the package in a fresh Debian."""
    archive = only(products, "petard-*-x86_64-linux.tar.gz")
    package = only(products, "*_amd64.deb")
    root = bare_debian(folder, mirror)
    inside = root / "root"
    with tarfile.open(archive) as file:
        file.extractall(inside, filter="data")
    name = archive.name.removesuffix(".tar.gz")
    said = [try_program("chroot", root, f"/root/{name}/petard")]
    shutil.copy2(package, inside / "petard.deb")
    run = ("chroot", root)
    output(*run, "dpkg", "-i", "/root/petard.deb")
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
    output(*run, "bash", "-c", f"source {completions} && complete -p petard")
    output(*run, "dpkg", "-r", "petard")
    if (root / "usr/games/petard").exists():
        raise RuntimeError("the package was not removed")
    return "; ".join(said)


def try_python(product: Path, folder: Path) -> str:
    """Try a wheel or a source package in a fresh virtual environment."""
    venv = folder / f"venv-{product.suffix[1:]}"
    output(sys.executable, "-m", "venv", venv)
    programs = venv / ("Scripts" if os.name == "nt" else "bin")
    output(programs / "python", "-m", "pip", "install", "--quiet", product)
    said = output(programs / "python", "-c", PYTHON).strip()
    return f"{said}; {try_program(programs / 'petard')}"


def try_crate(product: Path, folder: Path) -> str:
    """Build the crate by itself and try it."""
    root = folder / "crate"
    source = _unpacked(product, folder)
    output("cargo", "install", "--locked", "--path", source, "--root", root, folder=folder)
    return try_program(root / "bin/petard")


def _unpacked(product: Path, folder: Path) -> Path:
    with tarfile.open(product) as file:
        file.extractall(folder, filter="data")
    return folder / product.name.removesuffix(".crate")


def attempts(products: Path, folder: Path, mirror: str | None) -> dict[str, Callable[[], str]]:
    """What there is to try, by what it is called: this system's products, and others found."""
    tries: dict[str, Callable[[], str]] = {"checksums": lambda: try_checksums(products)}
    for target in TARGETS:
        own = target == TARGETS[0]
        found = list(products.glob(f"petard-*-{target.label}.[tz]*"))
        if target.host != sys.platform or not (own or found):
            continue
        if own:
            tries["archive and .deb in a bare Debian"] = lambda: try_debian(
                products, folder, mirror
            )
            continue
        tries[f"archive for {target.label}"] = partial(try_foreign, target, products, folder)
        if "linux" in target.triple:
            tries[f".deb for {target.label}"] = partial(
                try_foreign_package, target, products, folder
            )
    wheels = sorted(products.glob("*.whl"))
    own_wheels = [wheel for wheel in wheels if is_for_here(wheel.name)]
    tries["wheel in a fresh environment"] = lambda: try_python(the_only(own_wheels), folder)
    for wheel in wheels:
        if wheel not in own_wheels:
            tries[f"wheel {wheel.name}"] = partial(try_foreign_wheel, wheel)
    if sys.platform == TARGETS[0].host:
        tries["source in a fresh environment"] = lambda: try_python(
            only(products, "petard-*[0-9].tar.gz"), folder
        )
        tries["crate by itself"] = lambda: try_crate(only(products, "*.crate"), folder)
    return tries


def is_for_here(wheel: str) -> bool:
    """Whether a wheel's name is that of one for this system."""
    system, machine = platform.system().lower(), platform.machine().lower()
    names = {"darwin": "macosx", "windows": "win"}
    return names.get(system, system) in wheel and wheel.endswith(f"_{machine}.whl")


def try_checksums(products: Path) -> str:
    """Compare all files with their checksums."""
    lines = (products / "SHA256SUMS").read_text().splitlines()
    for line in lines:
        digest, name = line.split("  ")
        if hashlib.sha256((products / name).read_bytes()).hexdigest() != digest:
            raise RuntimeError(f"{name} is not what was built")
    return f"{len(lines)} files"


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
        for what, attempt in attempts(products, folder, options.mirror).items():
            try:
                print(f"{what}: {attempt().strip()}", flush=True)
            except (RuntimeError, OSError, tarfile.TarError) as error:
                is_fine = False
                print(f"{what}: FAILED: {error}", flush=True)
    return 0 if is_fine else 1


if __name__ == "__main__":
    sys.exit(main())
