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
from dataclasses import dataclass
from pathlib import Path

from third_party import third_party

ROOT = Path(__file__).resolve().parents[1]
TOOLS = {"cargo-deb": "3.8.0", "cargo-cyclonedx": "0.5.9"}
"""The build tools, for `cargo install`, and the versions that were tested."""
BUILDERS = ("maturin==1.16.0", "ziglang==0.15.2")
"""The build tools, for `pip`. `zig` links wheels for old and foreign systems."""


@dataclass(frozen=True)
class Target:
    """A system that products are made for."""

    triple: str
    label: str
    """What the names of its products call it."""
    host: str
    """The system that makes them, as `sys.platform` names it."""
    wheel: tuple[str, ...] = ()
    """How `maturin` makes the wheel, if not as on the machine itself."""
    linker: str = ""
    """The linker, if not the machine's own."""
    foreign: tuple[str, ...] = ()
    """Commands of which one runs its programs where they are foreign."""
    environment: tuple[tuple[str, str], ...] = ()
    """What else its builds need."""

    def runner(self) -> list[str] | None:
        """What must precede its programs here; `None` if they do not run here."""
        if not self.foreign:
            return []
        found = next(filter(None, map(shutil.which, self.foreign)), None)
        return None if found is None else [found]


ZIG = ("--zig", "--compatibility", "manylinux2014", "--target")
TARGETS = (
    Target(
        "x86_64-unknown-linux-musl",
        "x86_64-linux",
        "linux",
        wheel=(*ZIG, "x86_64-unknown-linux-gnu"),
    ),
    Target(
        "aarch64-unknown-linux-musl",
        "arm64-linux",
        "linux",
        wheel=(*ZIG, "aarch64-unknown-linux-gnu"),
        linker="rust-lld",
        foreign=("qemu-aarch64", "qemu-aarch64-static"),
    ),
    Target(
        "x86_64-pc-windows-gnu",
        "x86_64-windows",
        "linux",
        wheel=("--target", "x86_64-pc-windows-gnu"),
        foreign=("wine64", "/usr/lib/wine/wine64", "wine"),
        # rustc puts no function into a section of its own there: whatever is in a crate would
        # be linked, used or not.
        environment=(("CARGO_PROFILE_RELEASE_LTO", "fat"),),
    ),
    Target("x86_64-pc-windows-msvc", "x86_64-windows", "win32"),
    Target("aarch64-apple-darwin", "arm64-macos", "darwin"),
    Target(
        "x86_64-apple-darwin", "x86_64-macos", "darwin", wheel=("--target", "x86_64-apple-darwin")
    ),
)
"""All systems. The first one that a machine can make products for is its own."""

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


def output(*command: str) -> str:
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
    component = sorted(Path(output("rustc", "--print", "sysroot")).glob("lib/rustlib/*/bin"))
    said = re.search(r"^LLVM version: (\d+)", output("rustc", "-vV"), re.MULTILINE)
    name = f"llvm-profdata-{said[1] if said else '?'}"
    found = shutil.which("llvm-profdata", path=os.pathsep.join(map(str, component)))
    found = found or shutil.which(name)
    if found is None:
        raise SystemExit(
            "release.py: no llvm-profdata for this compiler: 'rustup component add llvm-tools',"
            f" or Debian's package with {name}; or use --no-profile"
        )
    return found


def build(target: Target, folder: Path, commit: str, *flags: str) -> Path:
    """Build the binary, stripped, with these compiler flags in addition to the checkout's."""
    option = [f"target.{target.triple}.rustflags=[{', '.join(map(repr, flags))}]"]
    linker = f"CARGO_TARGET_{target.triple.upper().replace('-', '_')}_LINKER"
    run(
        *("cargo", "rustc", "--release", "--locked", "--bin", "petard", "--target", target.triple),
        *("--target-dir", str(folder), *(["--config", *option] if flags else [])),
        *("--", "-Cstrip=symbols"),
        PETARD_COMMIT=commit,
        **({linker: target.linker} if target.linker else {}),
        **dict(target.environment),
    )
    suffix = ".exe" if "windows" in target.triple else ""
    return folder / target.triple / f"release/petard{suffix}"


def profile(target: Target, commit: str) -> Path:
    """The profile from an instrumented binary: where the program spends its time."""
    merge = profdata_tool()
    folder = ROOT / "target/release-profile"
    counts = folder / "counts"
    shutil.rmtree(counts, ignore_errors=True)
    counting = build(target, folder, commit, f"-Cprofile-generate={counts}")
    for work in WORK:
        run(counting, *work)
    merged = folder / "petard.profdata"
    run(merge, "merge", "-o", merged, *sorted(counts.glob("*.profraw")))
    return merged


def check(target: Target, built: Path) -> None:
    """Refuse a binary whose bench signature is not that of the tests."""
    runner = target.runner()
    if runner is None:
        print(f"{target.triple}: not run, as this machine has none of {', '.join(target.foreign)}")
        return
    for line in (ROOT / "tests/data/bench.txt").read_text().splitlines():
        variant, expected = line.split()
        said = output(*runner, str(built), "bench", variant).splitlines()[-1]
        print(f"{variant}: {said}")
        if said.split()[0] != expected:
            raise SystemExit(f"release.py: 'bench {variant}' counts {said}, not {expected} nodes")


def binary(target: Target, out: Path, number: str, commit: str, is_profiled: bool) -> Path:
    """The binary, in an archive with the files that belong to it; static on Linux."""
    if target.triple not in output("rustup", "target", "list", "--installed").split():
        run("rustup", "target", "add", target.triple)
    # A profile is of a program that runs on this machine.
    is_profiled = is_profiled and not target.foreign
    flags = [f"-Cprofile-use={profile(target, commit)}"] if is_profiled else []
    built = build(target, ROOT / "target", commit, *flags)
    check(target, built)
    name = f"petard-{number}-{target.label}"
    folder = out / name
    folder.mkdir()
    shutil.copy2(built, folder)
    for document in ("README.md", "protocol.md", "CHANGELOG.md", "LICENSE", "LICENSE-APACHE"):
        shutil.copy2(ROOT / document, folder)
    text = third_party(ROOT / "Cargo.toml", target.triple)
    (folder / "THIRD-PARTY.txt").write_text(text, encoding="utf-8")
    is_windows = "windows" in target.triple
    if not is_windows:
        manual(target, built, folder / "manual")
    shutil.make_archive(str(folder), "zip" if is_windows else "gztar", out, name)
    shutil.rmtree(folder)
    return built


def manual(target: Target, built: Path, folder: Path) -> None:
    """Man pages and completions, which are the same for every system."""
    runner = target.runner()
    if runner is None:
        raise SystemExit(
            f"release.py: the man pages need one of {', '.join(target.foreign)} to run petard"
        )
    shutil.rmtree(folder, ignore_errors=True)
    run(*runner, built, "manual", folder)


def package(target: Target, out: Path, built: Path, environment: dict[str, str]) -> None:
    """The Debian package, from the same binary."""
    manual(target, built, ROOT / "target/manual")
    licences = ROOT / "target/THIRD-PARTY.txt"
    licences.write_text(third_party(ROOT / "Cargo.toml", target.triple), encoding="utf-8")
    options = ("--no-build", "--no-strip", "--target", target.triple, "--output", f"{out}{os.sep}")
    run("cargo", "deb", *options, **environment)


def maturin(out: Path, commit: str, *command: str, **environment: str) -> None:
    """Run `maturin` for the Python package, with the linker for other systems beside it."""
    venv = ROOT / "target/release-venv"
    programs = venv / ("Scripts" if os.name == "nt" else "bin")
    if not programs.exists():
        run(sys.executable, "-m", "venv", venv)
    run(programs / "python", "-m", "pip", "install", "--quiet", *BUILDERS)
    manifest = ("--manifest-path", "bindings/python/Cargo.toml", "--out", str(out))
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    run(programs / "maturin", *command, *manifest, PETARD_COMMIT=commit, PATH=path, **environment)


def wheel(target: Target, out: Path, commit: str) -> None:
    """The Python package."""
    licences = ROOT / "bindings/python/python/petard/THIRD-PARTY.txt"
    text = third_party(ROOT / "bindings/python/Cargo.toml", target.triple)
    licences.write_text(text, encoding="utf-8")
    if "--target" in target.wheel:
        run("rustup", "target", "add", target.wheel[-1])
    try:
        maturin(
            out, commit, "build", "--release", "--locked", *target.wheel, **dict(target.environment)
        )
    finally:
        licences.unlink()


def browsers(out: Path, number: str) -> None:
    """The npm package, and the page as a folder to host."""
    if shutil.which("npm") is None:
        print("without the npm package and the page: they need Node 20 and npm")
        return
    run("npm", "--prefix", "bindings/wasm", "ci", "--silent", "--no-audit", "--no-fund")
    run("node", "bindings/wasm/build.mjs")
    run("npm", "pack", "--silent", "--pack-destination", out, "./target/wasm/npm")
    shutil.make_archive(str(out / f"petard-{number}-page"), "gztar", ROOT / "target", "page")


def crate(out: Path, number: str, allow_dirty: bool) -> None:
    """The crate, as crates.io would take it."""
    dirty = ["--allow-dirty"] if allow_dirty else []
    run("cargo", "package", "--locked", "--no-verify", *dirty)
    shutil.copy2(ROOT / f"target/package/petard-{number}.crate", out)


def bill(target: Target, out: Path, number: str, environment: dict[str, str]) -> None:
    """The SBOM of the binary, in CycloneDX."""
    name = f"petard-{number}-{target.label}.cdx"
    run(
        *("cargo", "cyclonedx", "--format", "json", "--target", target.triple),
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


def chosen(names: Sequence[str]) -> list[Target]:
    """The targets of these names: by default the machine's own."""
    possible = [target for target in TARGETS if target.host == sys.platform]
    if not possible:
        raise SystemExit(f"release.py: nothing is made on {sys.platform}")
    if "all" in names:
        return possible
    for name in names:
        if name not in [target.triple for target in possible]:
            options = ", ".join(target.triple for target in possible)
            raise SystemExit(f"release.py: '{name}' is not made here; choose all, {options}")
    return [target for target in possible if target.triple in names] or possible[:1]


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the arguments and make what they ask for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--target",
        action="append",
        default=[],
        metavar="TRIPLE",
        help="system to build for, as rustc names it; may be repeated, 'all' is every one that"
        " this machine can build for [its own]",
    )
    parser.add_argument("--out", type=Path, help="folder for the products [target/release-VERSION]")
    parser.add_argument(
        "--allow-dirty", action="store_true", help="build despite uncommitted changes"
    )
    parser.add_argument(
        "--no-profile", action="store_true", help="skip profile-guided optimization and its build"
    )
    options = parser.parse_args(arguments)
    targets = chosen(options.target)
    number = version()
    commit = output("git", "rev-parse", "HEAD")
    if not options.allow_dirty and output("git", "status", "--porcelain"):
        raise SystemExit("release.py: there are uncommitted changes (--allow-dirty)")
    out: Path = (options.out or ROOT / f"target/release-{number}").resolve()
    if out.exists() and any(out.iterdir()):
        raise SystemExit(f"release.py: '{out}' is not empty")
    out.mkdir(parents=True, exist_ok=True)
    environment = tools(ROOT / "target/release-tools")
    for target in targets:
        built = binary(target, out, number, commit, not options.no_profile)
        if "linux" in target.triple:
            package(target, out, built, environment)
        wheel(target, out, commit)
        bill(target, out, number, environment)
    if targets[0] == TARGETS[0]:
        # What is the same for every system.
        maturin(out, commit, "sdist")
        crate(out, number, options.allow_dirty)
        browsers(out, number)
    checksums(out)
    print(f"all of petard {number} is in {out}")


if __name__ == "__main__":
    main()
