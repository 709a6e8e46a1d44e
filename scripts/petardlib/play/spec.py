"""Which engines take part: from ``--engine name=... cmd=...`` settings or from a TOML file."""

from __future__ import annotations

import hashlib
import itertools
import math
import os
import shutil
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from petardlib import SCRIPTS_DIR
from petardlib.base.errors import UserError
from petardlib.base.process import split_command
from petardlib.play.limits import Limit, parse_clock

ENGINE_HELP = (
    "settings of an engine: name=NAME, cmd=COMMAND (default: target/release/petard, else petard on "
    "PATH), dir=FOLDER, restart=on, option.NAME=VALUE, and its limits: movetime=MS, depth=N, "
    "nodes=N, tc=[MOVES/]SECONDS[+INC], odds=FACTOR (times its time and nodes), margin=MS "
    "(tolerated beyond the clock, default 50), hang=MS (timeout without a clock, default 60000)"
)


MAX = 10**15
"""More than any sensible limit, and a number that every engine can read."""


@dataclass
class EngineSpec:
    """One engine: its command, its options, and its limits."""

    name: str
    cmd: list[str]
    options: dict[str, str] = field(default_factory=dict)
    limit: Limit = field(default_factory=Limit)
    dir: str | None = None
    restart: bool = False
    log: str | None = None
    """The folder of its communication log; not part of what it is."""

    def to_json(self) -> dict[str, Any]:
        """A form for JSON and for other machines."""
        return {
            "name": self.name,
            "cmd": self.cmd,
            "options": self.options,
            "limit": self.limit.to_json(),
            "dir": self.dir,
            "restart": self.restart,
        }

    def file_hash(self) -> str:
        """What the program is, by its contents, and those of the script that it runs, if any."""
        places = (Path(self.dir or "", shutil.which(word) or word) for word in self.cmd)
        total = hashlib.sha256()
        for path in itertools.islice((path for path in places if path.is_file()), 2):
            total.update(hashlib.sha256(path.read_bytes()).digest())
        return total.hexdigest()[:16]


def _number(key: str, text: str, kind: type[int] | type[float], least: float) -> Any:  # noqa: ANN401
    try:
        value = kind(text)
    except ValueError:
        raise UserError(f"{key}={text}: not a number") from None
    if not math.isfinite(value):
        raise UserError(f"{key}={text}: not a number")
    if not least <= value <= MAX:
        bound = f"at least {least:g}" if value < least else f"at most {MAX:,}"
        raise UserError(f"{key}={text}: must be {bound}")
    return value


def find_petard() -> str | None:
    """The petard built beside these scripts, or else the one on the PATH."""
    built = SCRIPTS_DIR.parent / "target" / "release" / "petard"
    # Some systems want another name for a program: `petard.exe`.
    return shutil.which(str(built)) or shutil.which("petard")


def find_engine(name: str | None) -> str:
    """The engine's path."""
    found = shutil.which(name) if name else find_petard()
    if found is None:
        name = name or "petard"
        raise UserError(
            f"no engine '{name}': build it (cargo build --release) or name another with cmd="
        )
    return str(Path(found).resolve())


def _command(cmd: str | list[str], folder: Path | None) -> list[str]:
    """Split a command, and make a program named by a path absolute so that workers find it."""
    try:
        words = split_command(cmd) if isinstance(cmd, str) else list(cmd)
    except ValueError as error:
        raise UserError(f"cmd={cmd}: {str(error).lower()}") from None
    if not words or not words[0]:
        raise UserError("cmd= is empty")
    if Path(words[0]).name != words[0]:
        path = ((folder or Path()) / words[0]).absolute()
        if not path.is_file():
            raise UserError(f"engine command '{words[0]}': no such file{_where(path, words[0])}")
        if not os.access(path, os.X_OK):
            raise UserError(f"engine command '{words[0]}': not executable{_meant(words[0])}")
        words[0] = str(path)
    elif shutil.which(words[0]) is None:
        meant = _meant(words[0]) if ((folder or Path()) / words[0]).is_file() else ""
        raise UserError(f"engine command '{words[0]}': not found on PATH{meant}")
    return words


def _meant(name: str) -> str:
    if name.endswith(".py"):
        return f"; did you mean 'python3 {name}'?"
    return "" if "/" in name else f"; did you mean './{name}'?"


def _where(path: Path, name: str) -> str:
    return "" if name == str(path) else f" ({path})"


def build(values: dict[str, Any], base: Path | None = None) -> EngineSpec:
    """Build an engine from its settings, already merged with those of ``--each``.

    Paths are relative to ``base`` (the folder of a TOML file), or else to the working directory.
    """
    options: dict[str, str] = {}
    limit: dict[str, Any] = {}
    odds = 1.0
    plain: dict[str, str] = {}
    for key, raw in values.items():
        if key == "options":
            options.update({name: _plain(f"option.{name}", value) for name, value in raw.items()})
            continue
        if key == "cmd":
            continue
        text = _plain(key, raw)
        if key.startswith("option."):
            options[key.removeprefix("option.")] = text
        elif key in ("movetime", "margin", "hang"):
            limit[key] = _number(key, text, float, 0 if key == "margin" else 1)
        elif key in ("depth", "nodes"):
            limit[key] = _number(key, text, int, 1)
        elif key == "tc":
            limit.update(parse_clock(text))
        elif key == "odds":
            odds = _number(key, text, float, 0.0001)
        elif key in ("name", "dir", "restart"):
            plain[key] = text
        else:
            raise UserError(f"unknown engine setting '{key}='; {ENGINE_HELP}")
    folder = (base or Path()) / plain["dir"] if plain.get("dir") else None
    if folder is not None and not folder.is_dir():
        raise UserError(f"dir={plain['dir']}: no such folder{_where(folder, plain['dir'])}")
    cmd = _command(_command_of(values), folder or base)
    full = Limit(**limit).scaled(odds) if odds != 1.0 else Limit(**limit)
    return EngineSpec(
        plain.get("name") or Path(cmd[0]).name,
        cmd,
        options,
        full,
        str(folder.absolute()) if folder else None,
        _switch("restart", plain.get("restart", "off")),
    )


def _switch(key: str, text: str) -> bool:
    if text.lower() not in ("on", "off", "true", "false"):
        raise UserError(f"{key}={text}: expected on or off")
    return text.lower() in ("on", "true")


def _command_of(values: dict[str, Any]) -> str | list[str]:
    """``cmd`` as given, or the petard that is found."""
    cmd = values.get("cmd")
    if cmd is None:
        found = find_petard()
        if found is None:
            raise UserError(
                "an engine has no cmd=COMMAND, and no petard was found: build it "
                "(cargo build --release) or name a command"
            )
        return [found]
    if isinstance(cmd, str):
        return _plain("cmd", cmd)
    if isinstance(cmd, list) and all(isinstance(word, str) for word in cmd):
        return [_plain("cmd", word) for word in cmd]
    raise UserError(f"cmd={cmd!r}: expected a string or a list of strings")


def _plain(key: str, value: object) -> str:
    """A word's value as text that can be sent to an engine in one line."""
    if not isinstance(value, str | bool | int | float):
        raise UserError(f"{key}: expected a string, a number or true/false, not {value!r}")
    text = str(value).lower() if isinstance(value, bool) else str(value)
    if any(ord(letter) < 32 for letter in text):
        raise UserError(f"{key}={text!r}: contains control characters")
    return text


def split_words(words: list[str], known: str = ENGINE_HELP) -> dict[str, str]:
    """``["name=petard", "movetime=100"]`` as a dictionary; ``known`` says what is allowed."""
    values: dict[str, str] = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not equals:
            raise UserError(f"'{word}': expected KEY=VALUE; {known}")
        values[key] = value
    return values


@dataclass(frozen=True)
class EngineFile:
    """A TOML file: ``[[engine]]`` tables, shared settings in ``[each]``, and a ``[match]``."""

    folder: Path
    engines: list[dict[str, Any]]
    each: dict[str, Any]
    match: dict[str, Any]


def read_toml(path: Path) -> EngineFile:
    """The tables of a TOML file, their types checked."""
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UserError(f"{path}: not a text file in UTF-8") from None
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise UserError(f"{path}: {error}") from None
    for key in data:
        if key not in ("each", "engine", "match"):
            raise UserError(
                f"{path}: unknown table '{key}'; expected [match], [each] or [[engine]]"
            )
    engines = data.get("engine", [])
    each, match = data.get("each", {}), data.get("match", {})
    tables = [each, match, *(engines if isinstance(engines, list) else [None])]
    if not all(isinstance(table, dict) for table in tables):
        raise UserError(f"{path}: write [match] and [each] once, and [[engine]] in double brackets")
    for table in (each, *engines):
        if not isinstance(table.get("options", {}), dict):
            raise UserError(f"{path}: options = {table['options']!r}: expected a table of options")
    return EngineFile(path.absolute().parent, engines, each, match)


def load_engines(
    lines: list[list[str]],
    each: list[str],
    toml: EngineFile | None = None,
    default: dict[str, Any] | None = None,
) -> list[EngineSpec]:
    """All engines of a command line and a TOML file, with unique names.

    The TOML file's engines have the same settings; options may also be in a sub-table ``options``,
    and paths are relative to the file. ``default`` is used if no limit is given.
    """
    shared, common = _gathered(toml.each if toml else {}), _gathered(split_words(each))
    common = {**shared, **common, "options": {**shared["options"], **common["options"]}}
    entries: list[tuple[dict[str, Any], Path | None]] = []
    if toml:
        entries += [(table, toml.folder) for table in toml.engines]
    entries += [(dict(split_words(line)), None) for line in lines]
    specs = []
    for own, folder in entries:
        merged = _merge(common, own)
        spec = build(merged, folder)
        if not spec.limit.bounded and default:
            spec = build({**merged, **default}, folder)
        specs.append(spec)
    names = [spec.name for spec in specs]
    for name in names:
        if names.count(name) > 1:
            raise UserError(f"two engines are called '{name}': give each a name=")
    return specs


def _gathered(words: dict[str, Any]) -> dict[str, Any]:
    """Settings with every ``option.NAME`` in the table ``options``."""
    if not isinstance(words.get("options", {}), dict):
        raise UserError(f"unknown engine setting 'options='; {ENGINE_HELP}")
    prefix = "option."
    named = {key.removeprefix(prefix): words[key] for key in words if key.startswith(prefix)}
    rest = {key: value for key, value in words.items() if not key.startswith(prefix)}
    return {**rest, "options": {**words.get("options", {}), **named}}


def _merge(common: dict[str, Any], own: dict[str, Any]) -> dict[str, Any]:
    """Merge settings: an engine's own win, and any limit of its own drops the common limits.

    Options are gathered in ``common``.
    """
    own = _gathered(own)
    limits = ("movetime", "depth", "nodes", "tc")
    merged = dict(common)
    if any(key in own for key in limits):
        for key in limits:
            merged.pop(key, None)
    return {**merged, **own, "options": {**common["options"], **own["options"]}}
