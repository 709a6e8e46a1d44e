"""petardlib's layers: what each may import, as its `__init__` says; and the package itself."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import pytest

from conftest import PATIENCE, SCRIPTS
from petardlib.jobs.pool import pack

PACKAGE = SCRIPTS / "petardlib"
# From left to right; layers in the same place do not import each other.
LAYERS = [
    {"base"},
    {"rules"},
    {"stats"},
    {"jobs"},
    {"play"},
    {"openingbook"},
    {"analysis", "tuning", "proofs", "training"},
    {"puzzles"},
    {"report"},
    {"commands"},
]
ALLOWED = {
    layer: {layer, *(left for lefts in LAYERS[:place] for left in lefts)}
    for place, layers in enumerate(LAYERS)
    for layer in layers
}


def modules() -> list[Path]:
    return [path for path in sorted(PACKAGE.rglob("*.py")) if path.parent != PACKAGE]


def imports(path: Path) -> set[str]:
    """The layers that a module imports from."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        names: list[str] = []
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: a relative import"
            if node.module == "petardlib":
                names = [f"petardlib.{alias.name}" for alias in node.names]
            else:
                names = [node.module or ""]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        for name in names:
            head, _, rest = name.partition(".")
            if head == "petardlib" and rest.split(".")[0] not in (
                "PACKAGE",
                "book_file",
                "SCRIPTS_DIR",
                "data_file",
                "page_file",
            ):
                found.add(rest.split(".")[0])
    return found


def test_every_layer_is_known() -> None:
    layers = {path.parent.name for path in PACKAGE.rglob("*.py")} - {"petardlib"}
    files = {path.stem for path in PACKAGE.glob("*.py")} - {"__init__"}
    assert layers | files == set(ALLOWED)


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_layer_imports_from_its_left_only(path: Path) -> None:
    layer = path.relative_to(PACKAGE).parts[0]
    assert imports(path) <= ALLOWED[layer], f"{path} imports from {imports(path) - ALLOWED[layer]}"


def test_front_page() -> None:
    assert imports(PACKAGE / "__init__.py") == set()
    front = (PACKAGE / "__init__.py").read_text()
    order = (
        "base <- rules <- stats <- jobs <- play <- openingbook <- "
        "{ analysis, tuning, proofs, training }"
    )
    assert order in front


def test_only_commands_read_arguments_and_end_the_program() -> None:
    for path in PACKAGE.rglob("*.py"):
        if path.relative_to(PACKAGE).parts[0] == "commands":
            continue
        text = path.read_text()
        assert "argparse" not in text and "sys.argv" not in text and "sys.exit" not in text, path


def test_what_workers_of_a_cluster_get_is_the_package(tmp_path: Path) -> None:
    archive = pack(tmp_path)
    names = set(zipfile.ZipFile(archive).namelist())
    assert names == {path.relative_to(SCRIPTS).as_posix() for path in PACKAGE.rglob("*.py")}
    # It is imported from the archive by a program that has nothing else of petard.
    code = "import petardlib.jobs.pool as p; print(p.__file__, p.on_dask.__name__)"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": str(archive)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert done.returncode == 0 and str(archive) in done.stdout, done.stderr


def project() -> dict[str, Any]:
    return tomllib.loads((SCRIPTS / "pyproject.toml").read_text())


def test_the_package_names_all_its_layers_and_commands() -> None:
    data = project()
    layers = {
        "petardlib." + path.parent.relative_to(PACKAGE).as_posix().replace("/", ".")
        for path in PACKAGE.rglob("__init__.py")
        if path.parent != PACKAGE
    }
    assert set(data["tool"]["setuptools"]["packages"]) == {
        *("petardlib", "petardlib.books", "petardlib.data", "petardlib.page"),
        *layers,
    }
    for name, target in data["project"]["scripts"].items():
        module, _, function = target.partition(":")
        assert name.startswith("petard-") and function == "main"
        path = SCRIPTS / (module.replace(".", "/") + ".py")
        assert "def main(" in path.read_text(), target
    commands = {path.stem for path in (PACKAGE / "commands").glob("*.py")} - {"__init__", "cli"}
    reported = {
        name.removeprefix("petard-").replace("-", "_") for name in data["project"]["scripts"]
    }
    assert commands <= reported


def test_an_installed_package_has_the_page_s_board_and_numbers(tmp_path: Path) -> None:
    setuptools = pytest.importorskip("setuptools")
    if int(setuptools.__version__.split(".")[0]) < 71:
        pytest.skip("an older setuptools than that of requirements-test.txt")
    # A build leaves files beside the sources.
    shutil.copytree(SCRIPTS, tmp_path / "scripts", ignore=shutil.ignore_patterns("__pycache__"))
    web = SCRIPTS.parent / "web"
    for folder in ("js", "css", "data"):
        shutil.copytree(web / folder, tmp_path / "web" / folder)
    books = "src/engine/opening_books"
    shutil.copytree(SCRIPTS.parent / books, tmp_path / books)
    how = ("--quiet", "--no-deps", "--no-index", "--no-build-isolation")
    subprocess.run(
        [sys.executable, "-m", "pip", "wheel", *how, "--wheel-dir", tmp_path, "./scripts"],
        cwd=tmp_path,
        check=True,
        timeout=PATIENCE,
    )
    (wheel,) = tmp_path.glob("*.whl")
    installed = tmp_path / "installed"
    zipfile.ZipFile(wheel).extractall(installed)
    code = (
        "import petardlib; from petardlib.report.bundle import bundle;"
        "from petardlib.analysis.judge import Thresholds;"
        "print(petardlib.page_file('css/board.css'));"
        "print(petardlib.book_file('8x8.book').read_bytes()[:22]);"
        "print(Thresholds()); print(bundle('js/review.js'))"
    )
    reported = {}
    folders: dict[str, object] = {"installed": installed, "in place": SCRIPTS}
    for place, root in folders.items():
        done = subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONPATH": str(root)},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )
        assert done.returncode == 0, done.stderr
        where, _, reported[place] = done.stdout.partition("\n")
        assert where.startswith(str(installed if place == "installed" else web))
    assert reported["installed"] == reported["in place"]


def pins(path: Path) -> dict[str, str]:
    """The packages in a list and their versions; in a lock, each with its hashes."""
    lines = [line for line in path.read_text().replace("\\\n", "").splitlines() if "==" in line]
    if path.suffix == ".lock":
        assert all("--hash=sha256:" in line for line in lines), path
    found = (line.split(";")[0].split()[0].partition("==") for line in lines)
    return {name.lower().replace("_", "-"): version for name, _, version in found}


def test_pinned_versions_are_within_the_ranges() -> None:
    """The development versions are ones that a user may get."""
    from packaging.requirements import Requirement

    data = project()["project"]
    extras = data["optional-dependencies"].values()
    ranges = [*data["dependencies"], *(text for extra in extras for text in extra)]
    lists = ("requirements.txt", "requirements-test.txt", "requirements-train.txt")
    pinned = {k: v for name in lists for k, v in pins(SCRIPTS / name).items()}
    for text in ranges:
        wanted = Requirement(text)
        if wanted.name == "petard":
            # This comes from the same checkout.
            continue
        assert wanted.name.lower() in pinned, text
        assert wanted.specifier.contains(pinned[wanted.name.lower()]), text


@pytest.mark.parametrize(
    ("listed", "locked"),
    [
        ("scripts/requirements.txt", "scripts/requirements.lock"),
        ("scripts/requirements-test.txt", "scripts/requirements.lock"),
        ("docs/requirements.txt", "scripts/requirements.lock"),
        ("scripts/requirements-train.txt", "scripts/requirements-train.lock"),
        ("scripts/requirements.txt", "bindings/python/requirements.lock"),
        ("bindings/python/requirements.txt", "bindings/python/requirements.lock"),
    ],
)
def test_the_lock_has_what_is_listed(listed: str, locked: str) -> None:
    """`uv pip compile` regenerates it, as CONTRIBUTING.md says."""
    root = SCRIPTS.parent
    lock = pins(root / locked)
    for name, version in pins(root / listed).items():
        assert lock[name] == version, name


def test_every_script_is_in_the_table() -> None:
    table = (SCRIPTS / "README.md").read_text()
    for path in SCRIPTS.glob("*.py"):
        assert f"| `{path.name}` |" in table, path.name
