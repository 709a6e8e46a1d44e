"""UCI's vocabulary: the options an engine declares, and what it says while it thinks."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from petardlib.rules.score import Score

START_8X8 = "pppppppp/pppppppp/8/8/8/8/PPPPPPPP/PPPPPPPP w 0 1"
OPTION_KEYS = ("name", "type", "default", "min", "max", "var")


def is_number(text: str) -> bool:
    """Whether a text is an integer."""
    return text.removeprefix("-").isdecimal()


@dataclass
class Option:
    """One ``option`` line: its type, for a combo its choices, for a spin its bounds."""

    name: str
    type: str = "string"
    default: str = ""
    choices: list[str] = field(default_factory=list)
    min: str = ""
    max: str = ""

    def objection(self, value: str) -> str:
        """What is wrong with a value, by the option's own declaration; empty if nothing."""
        if self.type == "spin":
            try:
                number = int(value)
            except ValueError:
                return f"'{value}' is not a number"
            low, high = (int(end) if is_number(end) else number for end in (self.min, self.max))
            return "" if low <= number <= high else f"{number} is not between {low} and {high}"
        if self.type == "check" and value.lower() not in ("true", "false"):
            return f"'{value}' is neither true nor false"
        if self.type == "combo" and value.lower() not in map(str.lower, self.choices):
            return f"'{value}' is not one of {', '.join(self.choices)}"
        return ""


@dataclass
class Info:
    """One line of a principal variation."""

    multipv: int = 1
    depth: int = 0
    seldepth: int = 0
    nodes: int = 0
    nps: int = 0
    time_ms: int = 0
    score: Score | None = None
    pv: list[str] = field(default_factory=list)


def parse_option(line: str) -> Option | None:
    """An ``option name ... type ...`` line; None if it is not one."""
    words = line.split()
    if words[:2] != ["option", "name"]:
        return None
    fields: dict[str, list[str]] = {}
    choices: list[str] = []
    key = ""
    for word in words[1:]:
        # After `type` the keywords are unambiguous; a name may contain any word but `type`.
        if word in OPTION_KEYS and (key != "name" or word == "type"):
            key = word
            if key == "var":
                choices.append("")
            continue
        if key == "var":
            choices[-1] = f"{choices[-1]} {word}".strip()
        else:
            fields.setdefault(key, []).append(word)
    name = " ".join(fields.get("name", []))
    if not name:
        return None
    kind = " ".join(fields.get("type", ["string"]))
    default, low, high = (" ".join(fields.get(key, [])) for key in ("default", "min", "max"))
    return Option(name, kind, default, choices, low, high)


def parse_info(line: str) -> Info | None:
    """An ``info`` line with a score that says something; None for any other line."""
    words = line.split()
    if not words or words[0] != "info" or "score" not in words:
        return None
    info = Info()
    plain = {"multipv", "depth", "seldepth", "nodes", "nps", "time"}
    cp = mate = None
    wdl: tuple[int, int, int] | None = None
    bound = ""
    at = 1
    try:
        while at < len(words):
            word = words[at]
            at += 1
            if word in plain:
                setattr(info, "time_ms" if word == "time" else word, int(words[at]))
                at += 1
            elif word == "cp":
                cp, at = int(words[at]), at + 1
            elif word == "mate":
                mate, at = int(words[at]), at + 1
            elif word == "wdl":
                wdl, at = (int(words[at]), int(words[at + 1]), int(words[at + 2])), at + 3
            elif word in ("lowerbound", "upperbound"):
                bound = word
            elif word == "pv":
                info.pv = words[at:]
                break
            elif word == "string":
                break
    except (ValueError, IndexError):
        return None
    if cp is None and mate is None:
        return None
    info.score = Score(cp, mate, wdl, bound)
    return None if info.score.is_empty else info


BESTMOVE = re.compile(r"bestmove (\S+)")
"""What follows is not used, so it may be anything: some engines write ``ponder`` with no move."""

ANSWER_FORM = "expected `bestmove a2b3`: the word, a space, the move"


def multipv_of(line: str) -> int:
    """The MultiPV number of an ``info`` line."""
    if " multipv " not in line:
        return 1
    word = line.split(" multipv ", 1)[1].split(" ", 1)[0]
    return int(word) if word.isascii() and word.isdecimal() and len(word) < 6 else 1


def pv_of(line: str) -> list[str]:
    """The moves of an ``info`` line, if any."""
    return line.split(" pv ", 1)[1].split() if " pv " in line else []


def says_more(line: str, known: str | None) -> bool:
    """Whether an ``info`` line replaces what was known.

    A bound says less than an exact score for the same move, unless it proves who wins, or an
    earlier end.
    """
    if known is None or "bound" not in line:
        return True
    found, before = parse_info(line), parse_info(known)
    if found is None or before is None or not found.score or not before.score:
        return found is not None
    if found.pv[:1] != before.pv[:1]:
        return True
    mate, earlier = found.score.mate, before.score.mate
    return mate is not None and (earlier is None or abs(mate) < abs(earlier))


def parse_infos(last: dict[int, str]) -> dict[int, Info]:
    """The last info on each line, by its number."""
    infos = {}
    for number, line in last.items():
        info = parse_info(line)
        if info is not None:
            infos[number] = info
    return infos
