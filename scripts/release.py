"""Makes everything of a version from a clean checkout: see docs/releasing.md."""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TARGET = "x86_64-unknown-linux-musl"
TOOLS = {"cargo-deb": "3.8.0", "cargo-cyclonedx": "0.5.9"}
"""What is built with, by `cargo install`, and the versions that were tried."""


def run(*command: str | Path, **environment: str) -> None:
    """Run a command of the build in the checkout; end with its message if it fails."""
    print("$", " ".join(map(str, command)), flush=True)
    done = subprocess.run(command, cwd=ROOT, env={**os.environ, **environment}, check=False)
    if done.returncode:
        raise SystemExit(f"release.py: '{command[0]}' failed with status {done.returncode}")


def told(*command: str) -> str:
    """What a command prints."""
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"release.py: {' '.join(command)}: {done.stderr.strip()}")
    return done.stdout.strip()


def version() -> str:
    """The version, the same in all packages."""
    versions = {}
    for name in ("Cargo.toml", "bindings/python/Cargo.toml"):
        versions[name] = tomllib.loads((ROOT / name).read_text())["package"]["version"]
    scripts = tomllib.loads((ROOT / "scripts/pyproject.toml").read_text())
    versions["scripts/pyproject.toml"] = scripts["project"]["version"]
    if len(set(versions.values())) != 1:
        raise SystemExit(f"release.py: the versions differ: {versions}")
    (number,) = set(versions.values())
    if f"## {number}" not in (ROOT / "CHANGELOG.md").read_text():
        raise SystemExit(f"release.py: CHANGELOG.md says nothing of {number}")
    return number


def tools(folder: Path) -> dict[str, str]:
    """An environment with the tools of the build, which are installed if they are not there."""
    for name, wanted in TOOLS.items():
        if not (folder / "bin" / name).exists():
            run("cargo", "install", "--locked", "--root", folder, f"{name}@{wanted}")
    return {"PATH": f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"}


def binary(out: Path, number: str, commit: str) -> Path:
    """The static binary, alone in an archive with what belongs to it."""
    run("rustup", "target", "add", TARGET)
    run("cargo", "build", "--release", "--locked", "--target", TARGET, PETARD_COMMIT=commit)
    built = ROOT / "target" / TARGET / "release/petard"
    name = f"petard-{number}-x86_64-linux"
    folder = out / name
    folder.mkdir()
    shutil.copy2(built, folder)
    for document in ("README.md", "protocol.md", "CHANGELOG.md", "LICENSE"):
        shutil.copy2(ROOT / document, folder)
    run(built, "manual", folder / "manual")
    shutil.make_archive(str(folder), "gztar", out, name)
    shutil.rmtree(folder)
    return built


def package(out: Path, built: Path, environment: dict[str, str]) -> None:
    """The Debian package, of the same binary."""
    manual = ROOT / "target/manual"
    shutil.rmtree(manual, ignore_errors=True)
    run(built, "manual", manual)
    options = ("--no-build", "--no-strip", "--target", TARGET, "--output", f"{out}{os.sep}")
    run("cargo", "deb", *options, **environment)


def python(out: Path, commit: str) -> None:
    """The wheel and the source package of the Python package."""
    venv = ROOT / "target/release-venv"
    if not (venv / "bin/python").exists():
        run(sys.executable, "-m", "venv", venv)
    run(venv / "bin/pip", "install", "--quiet", "maturin==1.16.0")
    manifest = ("--manifest-path", "bindings/python/Cargo.toml", "--out", str(out))
    path = f"{venv / 'bin'}{os.pathsep}{os.environ['PATH']}"
    how = {"PETARD_COMMIT": commit, "PATH": path}
    run(venv / "bin/maturin", "build", "--release", "--locked", *manifest, **how)
    run(venv / "bin/maturin", "sdist", *manifest, **how)


def crate(out: Path, number: str, allow_dirty: bool) -> None:
    """The crate, as crates.io would take it."""
    dirty = ["--allow-dirty"] if allow_dirty else []
    run("cargo", "package", "--locked", "--no-verify", *dirty)
    shutil.copy2(ROOT / f"target/package/petard-{number}.crate", out)


def bill(out: Path, number: str, environment: dict[str, str]) -> None:
    """What the binary is made of: an SBOM in CycloneDX."""
    name = f"petard-{number}.cdx"
    run(
        *("cargo", "cyclonedx", "--format", "json", "--target", TARGET),
        *("--override-filename", name),
        **environment,
    )
    shutil.move(ROOT / f"{name}.json", out / f"{name}.json")


def checksums(out: Path) -> None:
    """SHA-256 of every product, as `sha256sum --check` reads it; printed with the sizes."""
    lines = []
    for path in sorted(out.iterdir()):
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        lines.append(f"{digest}  {path.name}\n")
        print(f"{path.stat().st_size / 1e6:8.2f} MB  {path.name}")
    (out / "SHA256SUMS").write_text("".join(lines))


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the arguments and make what they ask for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, help="folder of the products [target/release-VERSION]")
    parser.add_argument(
        "--allow-dirty", action="store_true", help="also with changes that are not committed"
    )
    options = parser.parse_args(arguments)
    number = version()
    commit = told("git", "rev-parse", "HEAD")
    if not options.allow_dirty and told("git", "status", "--porcelain"):
        raise SystemExit("release.py: there are changes that are not committed (--allow-dirty)")
    out: Path = (options.out or ROOT / f"target/release-{number}").resolve()
    if out.exists() and any(out.iterdir()):
        raise SystemExit(f"release.py: '{out}' is not empty")
    out.mkdir(parents=True, exist_ok=True)
    environment = tools(ROOT / "target/release-tools")
    built = binary(out, number, commit)
    package(out, built, environment)
    python(out, commit)
    crate(out, number, options.allow_dirty)
    bill(out, number, environment)
    checksums(out)
    print(f"all of petard {number} is in {out}")


if __name__ == "__main__":
    main()
