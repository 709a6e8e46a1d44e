"""The steps by which fastchess checks whether it can run an engine."""

from __future__ import annotations

import subprocess
import sys

from conftest import PATIENCE, ROOT


def compliance(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(ROOT / "tests/compliance.py"), *command],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )


def test_petard_passes_all_steps(petard: str) -> None:
    done = compliance(petard)
    assert done.returncode == 0, done.stdout
    assert "all 40 steps passed" in done.stdout


def test_a_step_that_fails_is_named() -> None:
    # It introduces itself and then says nothing.
    script = "print('id name x\\nid author y\\nuciok', flush=True); input()"
    done = compliance(sys.executable, "-c", script)
    assert done.returncode == 1 and "failed: step 2, it is ready" in done.stdout, done.stdout
    assert compliance("/nowhere/at/all").returncode == 2


def test_help_starts_no_engine() -> None:
    for script in ("compliance.py", "reliability/ready.py", "reliability/soak.py"):
        done = subprocess.run(
            [sys.executable, str(ROOT / "tests" / script), "--help"],
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )
        assert done.returncode == 0, done.stderr
        assert done.stdout.startswith(f"usage: {script.rpartition('/')[2]} [-h] petard")
