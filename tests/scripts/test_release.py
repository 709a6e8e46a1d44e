"""The parts of making a release that can be tested quickly; the rest is run by hand."""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path

import pytest
import release
import try_release
from third_party import third_party

from conftest import PATIENCE


def test_all_packages_have_one_version_that_the_changelog_knows() -> None:
    assert release.version().count(".") == 2


PACKAGES = [
    "Cargo.toml",
    "bindings/python/Cargo.toml",
    "bindings/wasm/Cargo.toml",
    "bindings/wasm/npm/package.json",
    "scripts/pyproject.toml",
]


@pytest.mark.parametrize("name", PACKAGES)
def test_a_package_of_another_version_is_refused(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for file in (*PACKAGES, "CHANGELOG.md"):
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text((release.ROOT / file).read_text())
    monkeypatch.setattr(release, "ROOT", tmp_path)
    text = (tmp_path / name).read_text()
    (tmp_path / name).write_text(text.replace(release.version(), "9.9.9", 1))
    with pytest.raises(SystemExit, match=r"9\.9\.9"):
        release.version()


def test_the_profile_is_of_work_that_petard_can_do(petard: str) -> None:
    for work in release.WORK:
        done = subprocess.run(
            [petard, *work, "--help"], capture_output=True, text=True, timeout=PATIENCE
        )
        assert done.returncode == 0, done.stderr


def test_the_debian_package_puts_the_program_where_the_documents_say() -> None:
    about = tomllib.loads((release.ROOT / "Cargo.toml").read_text())
    places = {source: place for source, place, _ in about["package"]["metadata"]["deb"]["assets"]}
    row = f"| `.deb` | `/{places['target/release/petard']}petard` |"
    assert row in (release.ROOT / "docs/programs.md").read_text()


def test_checksums_are_as_sha256sum_reads_them(tmp_path: Path) -> None:
    for name in ("petard-1.0.0.crate", "petard-1.0.0.tar.gz"):
        (tmp_path / name).write_text(name)
    release.checksums(tmp_path)
    command = ["sha256sum", "--check", "SHA256SUMS"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0 and done.stdout.count(": OK") == 2


def test_products_that_are_not_there_are_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert try_release.main([str(tmp_path)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert sum("FAILED" in line for line in lines) == 5, lines


def test_a_changed_product_is_reported(tmp_path: Path) -> None:
    product = tmp_path / "petard-1.0.0.crate"
    product.write_text("as built")
    release.checksums(tmp_path)
    assert try_release.try_checksums(tmp_path) == "1 files"
    product.write_text("changed")
    with pytest.raises(RuntimeError, match="petard-1.0.0.crate"):
        try_release.try_checksums(tmp_path)


@pytest.mark.parametrize("name", ["all", *(target.triple for target in release.TARGETS), "i386"])
@pytest.mark.parametrize("system", ["linux", "darwin", "win32", "plan9"])
def test_a_machine_makes_products_for_systems_that_it_can_build_for(
    name: str, system: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.platform", system)
    possible = [target for target in release.TARGETS if target.host == system]
    if possible and name in ["all", *(target.triple for target in possible)]:
        wanted = [target for target in possible if name in ("all", target.triple)]
        assert release.chosen([name]) == wanted
        assert release.chosen([]) == possible[:1]
    else:
        with pytest.raises(SystemExit, match=system if not possible else name):
            release.chosen([name])


@pytest.mark.parametrize(
    ("system", "machine", "tag"),
    [
        ("Linux", "x86_64", "manylinux_2_17_x86_64.manylinux2014_x86_64"),
        ("Linux", "aarch64", "manylinux_2_17_aarch64.manylinux2014_aarch64"),
        ("Windows", "AMD64", "win_amd64"),
        ("Darwin", "arm64", "macosx_11_0_arm64"),
    ],
)
def test_a_wheel_is_tried_where_it_is_for(
    system: str, machine: str, tag: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("platform.system", lambda: system)
    monkeypatch.setattr("platform.machine", lambda: machine)
    assert try_release.is_for_here(f"petard-0.2.0-cp311-abi3-{tag}.whl")
    for other in ("manylinux2014_riscv64", "win_arm64", "macosx_11_0_x86_64"):
        assert not try_release.is_for_here(f"petard-0.2.0-cp311-abi3-{other}.whl")


@pytest.mark.parametrize(
    ("manifest", "there"),
    [("Cargo.toml", "vampirc-uci"), ("bindings/python/Cargo.toml", "pyo3")],
)
def test_licences_of_all_that_is_linked(manifest: str, there: str) -> None:
    text = third_party(release.ROOT / manifest, release.TARGETS[0].triple)
    names = re.findall(r"^([\w-]+) \d[\w.+-]* \((.*)\)$", text, re.MULTILINE)
    crates = {name for name, _ in names}
    assert len(crates) > 20 and {there, "clap"} <= crates
    # Neither petard itself, nor what is only there to build or to test it.
    assert not crates & {"petard", "clap_derive", "proptest", "pyo3-build-config"}
    assert all(licence for _, licence in names)
    assert text.count("Permission is hereby granted") > 5 and "Apache License" in text
