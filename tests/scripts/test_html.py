"""Reports in Debian's Chromium: boards are drawn, buttons work, the console is silent."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import Select, WebDriverWait

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


def shows(browser: webdriver.Chrome, selector: str, text: str) -> None:
    """Wait until an element has a text: the page draws once for changes made together."""
    script = """
        return [...document.querySelectorAll(arguments[0])]
            .map((node) => node.textContent).join(" | ");
    """
    WebDriverWait(browser, PATIENCE).until(
        lambda it: text in it.execute_script(script, selector), f"{selector} does not show {text}"
    )


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
    assert done.returncode == 5, done.stderr
    return folder


def test_tournament_report(browser: webdriver.Chrome, games: Path) -> None:
    report = games / "t.html"
    no_resources(report)
    browser.get(report.as_uri())
    start = pieces(browser)
    assert len(start) == 32 and start["a1"] == "P" and start["h8"] == "p"
    press(browser, "Forward (right arrow)")
    shows(browser, ".moves [aria-current]", "")
    after = pieces(browser)
    assert after != start and len(after) == 32
    press(browser, "First position (Home)")
    shows(browser, ".recorded-table .muted", "6 of 6")
    assert pieces(browser) == start
    field = browser.find_element(By.CSS_SELECTOR, ".recorded-table input")
    field.send_keys("error: illegal")
    rows = browser.find_elements(By.CSS_SELECTOR, ".recorded-table tbody tr")
    assert 1 <= len(rows) < 6 and all("faulty" in row.text for row in rows)
    rows[0].find_element(By.TAG_NAME, "button").click()
    shows(browser, ".ended", "illegal move")
    for chart in browser.find_elements(By.CSS_SELECTOR, "svg.chart"):
        assert chart.size["height"] > 50
    press(browser, "Dark or light")
    shows(browser, "h1", "petard tournament")
    assert browser.execute_script("return document.documentElement.dataset.theme") == "dark"
    silent(browser)


def test_a_missed_win_of_unknown_length_is_shown(browser: webdriver.Chrome, tmp_path: Path) -> None:
    (item,) = Reading().text('[Event "x"]\n\n1. a2a3 {so far} a7a6 *\n', "x")
    judge(item)
    records = {}
    for ply, (proven, best) in enumerate([(True, "b2b3"), (True, "a7a6"), (None, "h2h3")]):
        key = key_of("e", item.variant, item.fen, item.moves[:ply])
        records[key] = Analysis(key, best, [Line(0, proven=proven, depth=1, pv=[best])])
    judged = judge_all([item], ["e"], records, Thresholds())
    write_report(tmp_path / "a.html", "x", judged, ["e"], Thresholds())
    browser.get((tmp_path / "a.html").as_uri())
    move = browser.find_element(By.CSS_SELECTOR, ".moves .move.missed")
    assert move.get_attribute("title") == "A proven win was given away; best was b2b3"
    assert move.text.startswith("a2a3??") and "B" in move.text
    shows(browser, ".moves .comment", "so far")
    shows(browser, ".lines .proven", "White wins")
    silent(browser)


def test_review_of_games(browser: webdriver.Chrome, games: Path, fairy: str) -> None:
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
    start = pieces(browser)
    assert len(start) == 32
    press(browser, "Forward (right arrow)")
    shows(browser, ".moves [aria-current]", "")
    assert pieces(browser) != start
    # A move of a line is added as a variation; the game's own moves lead back.
    browser.find_element(By.CSS_SELECTOR, ".lines .pv").click()
    shows(browser, ".moves .variation [aria-current]", "")
    Select(browser.find_element(By.CSS_SELECTOR, "select[aria-label^=Game]")).select_by_index(3)
    Select(browser.find_element(By.CSS_SELECTOR, "select[aria-label=Engine]")).select_by_index(1)
    shows(browser, ".review-card td", "%")
    assert browser.find_elements(By.CSS_SELECTOR, ".moves .move.blunder")
    assert browser.find_elements(By.CSS_SELECTOR, ".graph polyline")
    shows(browser, ".recorded-table summary", "All 6 games by two")
    silent(browser)


def test_review_of_positions(browser: webdriver.Chrome, fairy: str, tmp_path: Path) -> None:
    tests = tmp_path / "tests.epd"
    tests.write_text('3p/4/4/P3 w 0 1 bm a1a2 a1b2; id "bm <b>";\n')
    done = run_script(
        "analyse.py",
        tests,
        *("--position", "startpos moves a2a3 a7a6"),
        *("--position", "fen P7/8/8/8/8/8/7p/8 b 0 1", "--multipv", 2),
        *("--engine", "name=one", f"cmd={fairy}", "nodes=300", "--html", tmp_path / "p.html"),
    )
    assert done.returncode == 0, done.stderr
    browser.get((tmp_path / "p.html").as_uri())
    shows(browser, ".moves", "a2a3")
    assert pieces(browser)["a3"] == "P" and len(pieces(browser)) == 32
    press(browser, "Next game")
    shows(browser, ".speed", "White wins: a piece reached the far side.")
    press(browser, "Next game")
    shows(browser, ".about", "bm a1a2 a1b2: solved")
    shows(browser, ".recorded-table td", "1 of 1")
    assert len(pieces(browser)) == 2
    silent(browser)
