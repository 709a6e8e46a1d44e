"""The reports in Debian's Chromium: boards are drawn, buttons work, the console is silent."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import Select

from conftest import PATIENCE, run_script
from petardlib.analysis.judge import Thresholds
from petardlib.analysis.records import Analysis, Line
from petardlib.analysis.result import judge_all
from petardlib.analysis.tasks import key_of
from petardlib.play.inputs import Reading, judge
from petardlib.report.analysis import write_report


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[webdriver.Chrome]:
    chromium, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if chromium is None or driver is None:
        pytest.skip("no Chromium (Debian packages chromium and chromium-driver)")
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    folder = tmp_path_factory.mktemp("chromium")
    for word in (
        "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
        "--disable-background-networking", "--disable-component-update", "--disable-sync",
        "--disable-dev-shm-usage", "--window-size=1300,1000", f"--user-data-dir={folder}",
    ):  # fmt: skip
        options.add_argument(word)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    chrome = webdriver.Chrome(options=options, service=Service(driver))
    try:
        yield chrome
    finally:
        chrome.quit()


def pieces(browser: webdriver.Chrome, board: str = ".board") -> dict[str, str]:
    """The first board's pieces by square, as a FEN names them."""
    script = """
        const pieces = document.querySelector(arguments[0]).querySelectorAll("[data-pieces]");
        return Object.fromEntries([...pieces].map((node) => {
            const piece = node.querySelector(".count") ? "d" : "p";
            return [node.dataset.pieces, node.matches(".white") ? piece.toUpperCase() : piece];
        }));
    """
    return dict(browser.execute_script(script, board))


def press(browser: webdriver.Chrome, label: str) -> None:
    button = browser.find_element(By.CSS_SELECTOR, f"button[aria-label='{label}']")
    browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", button)
    button.click()


def silent(browser: webdriver.Chrome) -> None:
    assert [entry for entry in browser.get_log("browser") if entry["level"] == "SEVERE"] == []


def no_resources(path: Path) -> None:
    text = path.read_text()
    for word in ("src=", "@import", "url(", '<link rel="stylesheet'):
        assert word not in text, word
    assert (
        "http://" not in text.replace("http://www.w3.org/2000/svg", "") and "https://" not in text
    )


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small tournament of the test engine, with a fault and nasty names."""
    from conftest import HERE

    folder = tmp_path_factory.mktemp("games")
    toy = f"{sys.executable} {HERE / 'toy_engine.py'}"
    done = run_script(
        "tournament.py",
        *("--engine", 'name=<b>toy</b> & "co"', f"cmd={toy}"),
        *("--engine", "name=</script><script>alert(1)</script>", f"cmd={toy} pause"),
        *("--engine", "name=faulty", f"cmd={toy} illegal 12"),
        *("--each", "movetime=500", f"margin={1000 * PATIENCE}"),
        *("--games", 2, "--openings", "none"),
        *("--pgn", folder / "g.pgn", "--html", folder / "t.html"),
    )
    assert done.returncode == 0, done.stderr
    return folder


def test_tournament_report(browser: webdriver.Chrome, games: Path) -> None:
    report = games / "t.html"
    no_resources(report)
    browser.get(report.as_uri())
    assert len(browser.find_elements(By.CSS_SELECTOR, ".board rect")) >= 64
    press(browser, "start")
    start = pieces(browser)
    assert len(start) == 32 and start["a1"] == "P" and start["h8"] == "p"
    press(browser, "forward")
    after = pieces(browser)
    assert after != start and len(after) == 32
    press(browser, "end")
    last = browser.find_element(By.ID, "status").text
    assert "reaches the far rank" in last or "illegal move" in last
    press(browser, "start")
    assert pieces(browser) == start
    assert len(browser.find_elements(By.CSS_SELECTOR, "#rows tr")) == 6
    Select(browser.find_element(By.ID, "how")).select_by_value("fault")
    rows = browser.find_elements(By.CSS_SELECTOR, "#rows tr")
    assert 1 <= len(rows) < 6 and all("faulty" in row.text for row in rows)
    for chart in browser.find_elements(By.CSS_SELECTOR, "svg.chart"):
        assert chart.size["height"] > 50
    browser.find_element(By.ID, "theme").click()
    silent(browser)


def test_a_missed_win_of_unknown_length_is_shown(browser: webdriver.Chrome, tmp_path: Path) -> None:
    (item,) = Reading().text('[Event "x"]\n\n1. a2a3 a7a6 *\n', "x")
    judge(item)
    records = {}
    for ply, (proven, best) in enumerate([(True, "b2b3"), (True, "a7a6"), (None, "h2h3")]):
        key = key_of("e", item.variant, item.fen, item.moves[:ply])
        records[key] = Analysis(key, best, [Line(0, proven=proven, depth=1, pv=[best])])
    judged = judge_all([item], ["e"], records, Thresholds())
    write_report(tmp_path / "a.html", "x", judged, ["e"], Thresholds())
    browser.get((tmp_path / "a.html").as_uri())
    assert "a proven win was given away" in browser.find_element(By.ID, "status").text
    (mark,) = browser.find_elements(By.CSS_SELECTOR, "#moves .m-win")
    assert mark.text == "a2a3?? ✕win"
    silent(browser)


def test_game_report(browser: webdriver.Chrome, games: Path, fairy: str) -> None:
    report = games / "a.html"
    done = run_script(
        "analyse.py",
        games / "g.pgn",
        *("--engine", "name=one", f"cmd={fairy}", "--engine", "name=two", f"cmd={fairy}"),
        *("--each", "nodes=100", "--html", report, "--quiet"),
    )
    assert done.returncode == 0, done.stderr
    no_resources(report)
    browser.get(report.as_uri())
    press(browser, "start")
    start = pieces(browser)
    assert len(start) == 32
    press(browser, "forward")
    assert pieces(browser) != start
    assert "ply 1" in browser.find_element(By.ID, "status").text
    # The best line is played on the board, and the game's own moves lead back.
    move = browser.find_element(By.CSS_SELECTOR, "#lines .pv .mv")
    move.click()
    assert "best line" in browser.find_element(By.ID, "status").text
    first = browser.find_element(By.CSS_SELECTOR, "#moves .mv")
    browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", first)
    first.click()
    assert "ply 1" in browser.find_element(By.ID, "status").text
    Select(browser.find_element(By.ID, "which")).select_by_index(3)
    Select(browser.find_element(By.ID, "engine")).select_by_index(1)
    assert browser.find_elements(By.CSS_SELECTOR, "#graph polyline")
    assert browser.find_elements(By.CSS_SELECTOR, "#moves .m-blunder")
    assert "%" in browser.find_element(By.ID, "sums").text
    silent(browser)


def test_position_report(browser: webdriver.Chrome, fairy: str, tmp_path: Path) -> None:
    done = run_script(
        "analyse.py",
        *("--position", "startpos moves a2a3 a7a6", "--position", "fen 3p/4/4/P3 w 0 1"),
        *("--position", "fen P7/8/8/8/8/8/7p/8 b 0 1", "--multipv", 2),
        *("--engine", "name=one", f"cmd={fairy}", "nodes=300", "--html", tmp_path / "p.html"),
    )
    assert done.returncode == 0, done.stderr
    browser.get((tmp_path / "p.html").as_uri())
    assert len(browser.find_elements(By.CSS_SELECTOR, ".positions .board")) == 3
    before = pieces(browser)
    browser.find_element(By.CSS_SELECTOR, ".pv .mv").click()
    assert pieces(browser) != before
    silent(browser)
