"""Builds everything for a release from a clean checkout: see docs/releasing.md."""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path

from third_party import third_party

ROOT = Path(__file__).resolve().parents[1]
TARGET = "x86_64-unknown-linux-musl"
TOOLS = {"cargo-deb": "3.8.0", "cargo-cyclonedx": "0.5.9"}
"""The build tools, for `cargo install`, and the versions that were tested."""

WIN_8X8 = "1p3pp1/1p1p4/5pp1/2p2p2/1P1P1P2/5P2/1PP1PP1P/8 w 0 32"
LOSS_9X5 = "pppp2p2/ppppp2pp/5p3/PPPP3P1/PPPPPPPP1 w 0 9"
"""Positions that take 23,000 and 418,000 nodes."""
WORK = (
    ("bench", "breakthrough"),
    ("bench", "freeling"),
    ("bench", "breakthrough", "--evaluation", "article"),
    ("solve", "--board", "5x5", "--threads", "1", "--quiet"),
    ("solve", "--board", "9x4", "--threads", "1", "--quiet"),
    ("solve", "--fen", WIN_8X8, "--threads", "1", "--quiet"),
    ("solve", "--fen", LOSS_9X5, "--threads", "1", "--quiet"),
    ("check", "src/solve/certificates/5x5.proof", "--threads", "1", "--quiet"),
    ("check", "src/solve/certificates/2x12.proof", "--threads", "1", "--quiet"),
)
"""What the profiled binary runs: the searches of both games with every evaluation, proofs and
checks, each on boards of up to eight files and ranks and on larger ones, and proofs on boards of
more than 40 squares too: these are stored differently, and code that a profile misses is built
to be small, not fast."""


def run(*command: str | Path, **environment: str) -> None:
    """Run a build command in the checkout; exit with its message if it fails."""
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
    """The version, checked to be the same in all packages."""
    versions = {}
    for name in ("Cargo.toml", "bindings/python/Cargo.toml", "bindings/wasm/Cargo.toml"):
        versions[name] = tomllib.loads((ROOT / name).read_text())["package"]["version"]
    scripts = tomllib.loads((ROOT / "scripts/pyproject.toml").read_text())
    versions["scripts/pyproject.toml"] = scripts["project"]["version"]
    npm = ROOT / "bindings/wasm/npm/package.json"
    versions["bindings/wasm/npm/package.json"] = json.loads(npm.read_text())["version"]
    if len(set(versions.values())) != 1:
        raise SystemExit(f"release.py: the versions differ: {versions}")
    number: str
    (number,) = set(versions.values())
    if f"## {number}" not in (ROOT / "CHANGELOG.md").read_text():
        raise SystemExit(f"release.py: CHANGELOG.md does not mention {number}")
    return number


def tools(folder: Path) -> dict[str, str]:
    """An environment with the build tools, which are installed if missing."""
    for name, wanted in TOOLS.items():
        if not (folder / "bin" / name).exists():
            run("cargo", "install", "--locked", "--root", folder, f"{name}@{wanted}")
    return {"PATH": f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"}


def profdata_tool() -> str:
    """The tool that merges profiles, from the compiler's own LLVM version."""
    component = sorted(Path(told("rustc", "--print", "sysroot")).glob("lib/rustlib/*/bin"))
    said = re.search(r"^LLVM version: (\d+)", told("rustc", "-vV"), re.MULTILINE)
    name = f"llvm-profdata-{said[1] if said else '?'}"
    found = shutil.which("llvm-profdata", path=os.pathsep.join(map(str, component)))
    found = found or shutil.which(name)
    if found is None:
        raise SystemExit(
            "release.py: no llvm-profdata for this compiler: 'rustup component add llvm-tools',"
            f" or Debian's package with {name}; or use --no-profile"
        )
    return found


def build(folder: Path, commit: str, *flags: str) -> Path:
    """Build the static binary with these compiler flags in addition to those of the checkout."""
    option = [f"target.{TARGET}.rustflags=[{', '.join(map(repr, flags))}]"]
    run(
        *("cargo", "build", "--release", "--locked", "--bin", "petard", "--target", TARGET),
        *("--target-dir", str(folder), *(["--config", *option] if flags else [])),
        PETARD_COMMIT=commit,
    )
    return folder / TARGET / "release/petard"


def profile(commit: str) -> Path:
    """The profile from an instrumented binary: where the program spends its time."""
    merge = profdata_tool()
    folder = ROOT / "target/release-profile"
    counts = folder / "counts"
    shutil.rmtree(counts, ignore_errors=True)
    counting = build(folder, commit, f"-Cprofile-generate={counts}")
    for work in WORK:
        run(counting, *work)
    merged = folder / "petard.profdata"
    run(merge, "merge", "-o", merged, *sorted(counts.glob("*.profraw")))
    return merged


def check(built: Path) -> None:
    """Refuse a binary whose bench signature is not that of the tests."""
    for line in (ROOT / "tests/data/bench.txt").read_text().splitlines():
        variant, expected = line.split()
        said = told(str(built), "bench", variant).splitlines()[-1]
        print(f"{variant}: {said}")
        if said.split()[0] != expected:
            raise SystemExit(f"release.py: 'bench {variant}' counts {said}, not {expected} nodes")


def binary(out: Path, number: str, commit: str, is_profiled: bool) -> Path:
    """The static binary, in an archive with the files that belong to it."""
    if TARGET not in told("rustup", "target", "list", "--installed").split():
        run("rustup", "target", "add", TARGET)
    flags = [f"-Cprofile-use={profile(commit)}"] if is_profiled else []
    built = build(ROOT / "target", commit, *flags)
    check(built)
    name = f"petard-{number}-x86_64-linux"
    folder = out / name
    folder.mkdir()
    shutil.copy2(built, folder)
    for document in ("README.md", "protocol.md", "CHANGELOG.md", "LICENSE"):
        shutil.copy2(ROOT / document, folder)
    text = third_party(ROOT / "Cargo.toml", TARGET)
    (folder / "THIRD-PARTY.txt").write_text(text, encoding="utf-8")
    run(built, "manual", folder / "manual")
    shutil.make_archive(str(folder), "gztar", out, name)
    shutil.rmtree(folder)
    return built


def package(out: Path, built: Path, environment: dict[str, str]) -> None:
    """The Debian package, from the same binary."""
    manual = ROOT / "target/manual"
    shutil.rmtree(manual, ignore_errors=True)
    run(built, "manual", manual)
    licences = ROOT / "target/THIRD-PARTY.txt"
    licences.write_text(third_party(ROOT / "Cargo.toml", TARGET), encoding="utf-8")
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
    licences = ROOT / "bindings/python/python/petard/THIRD-PARTY.txt"
    licences.write_text(third_party(ROOT / "bindings/python/Cargo.toml", TARGET), encoding="utf-8")
    try:
        run(venv / "bin/maturin", "build", "--release", "--locked", *manifest, **how)
    finally:
        licences.unlink()
    run(venv / "bin/maturin", "sdist", *manifest, **how)


def crate(out: Path, number: str, allow_dirty: bool) -> None:
    """The crate, as crates.io would take it."""
    dirty = ["--allow-dirty"] if allow_dirty else []
    run("cargo", "package", "--locked", "--no-verify", *dirty)
    shutil.copy2(ROOT / f"target/package/petard-{number}.crate", out)


def bill(out: Path, number: str, environment: dict[str, str]) -> None:
    """The SBOM of the binary, in CycloneDX."""
    name = f"petard-{number}.cdx"
    run(
        *("cargo", "cyclonedx", "--format", "json", "--target", TARGET),
        *("--override-filename", name),
        **environment,
    )
    shutil.move(ROOT / f"{name}.json", out / f"{name}.json")


def checksums(out: Path) -> None:
    """SHA-256 of every product, as `sha256sum --check` reads them; printed with the sizes."""
    lines = []
    for path in sorted(out.iterdir()):
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        lines.append(f"{digest}  {path.name}\n")
        print(f"{path.stat().st_size / 1e6:8.2f} MB  {path.name}")
    (out / "SHA256SUMS").write_text("".join(lines))


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the arguments and make what they ask for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, help="folder for the products [target/release-VERSION]")
    parser.add_argument(
        "--allow-dirty", action="store_true", help="build despite uncommitted changes"
    )
    parser.add_argument(
        "--no-profile", action="store_true", help="skip profile-guided optimization and its build"
    )
    options = parser.parse_args(arguments)
    number = version()
    commit = told("git", "rev-parse", "HEAD")
    if not options.allow_dirty and told("git", "status", "--porcelain"):
        raise SystemExit("release.py: there are uncommitted changes (--allow-dirty)")
    out: Path = (options.out or ROOT / f"target/release-{number}").resolve()
    if out.exists() and any(out.iterdir()):
        raise SystemExit(f"release.py: '{out}' is not empty")
    out.mkdir(parents=True, exist_ok=True)
    environment = tools(ROOT / "target/release-tools")
    built = binary(out, number, commit, not options.no_profile)
    package(out, built, environment)
    python(out, commit)
    crate(out, number, options.allow_dirty)
    bill(out, number, environment)
    checksums(out)
    print(f"all of petard {number} is in {out}")


if __name__ == "__main__":
    main()
