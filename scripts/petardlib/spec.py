"""Which engines take part: from ``--engine name=... cmd=...`` words or from a TOML file."""

from __future__ import annotations

import os
import shlex
import shutil
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .errors import UserError
from .limits import Limit, parse_clock

ENGINE_HELP = (
    "words of an engine: name=NAME cmd=COMMAND dir=FOLDER restart=on option.NAME=VALUE, and its "
    "limits: movetime=MS depth=N nodes=N tc=[MOVES/]SECONDS[+INC] odds=FACTOR (times its time and "
    "nodes) margin=MS (tolerated beyond the clock) hang=MS (patience where no clock runs)"
)


@dataclass
class EngineSpec:
    """One engine: how it is started, its options, and its limits."""

    name: str
    cmd: list[str]
    options: dict[str, str] = field(default_factory=dict)
    limit: Limit = field(default_factory=Limit)
    dir: str | None = None
    restart: bool = False

    def to_json(self) -> dict[str, Any]:
        """A form that JSON and other machines understand."""
        return {
            "name": self.name,
            "cmd": self.cmd,
            "options": self.options,
            "limit": self.limit.to_json(),
            "dir": self.dir,
            "restart": self.restart,
        }

    @staticmethod
    def from_json(data: dict[str, Any]) -> EngineSpec:
        """The inverse of `to_json`."""
        return EngineSpec(**{**data, "limit": Limit(**data["limit"])})


def _number(key: str, text: str, kind: type[int] | type[float], least: float) -> Any:  # noqa: ANN401
    try:
        value = kind(text)
    except ValueError:
        raise UserError(f"{key}={text}: not a number") from None
    if value < least:
        raise UserError(f"{key}={text}: must be at least {least:g}")
    return value


def _command(cmd: str | list[str], folder: str | None) -> list[str]:
    """Split a command, and make a program named by a path absolute so that workers find it."""
    words = shlex.split(cmd) if isinstance(cmd, str) else [str(word) for word in cmd]
    if not words:
        raise UserError("cmd= is empty")
    if os.sep in words[0]:
        path = (Path(folder or ".") / words[0]).absolute()
        if not path.is_file():
            raise UserError(f"engine command '{words[0]}': no such file")
        if not os.access(path, os.X_OK):
            raise UserError(f"engine command '{words[0]}': not executable")
        words[0] = str(path)
    elif shutil.which(words[0]) is None:
        raise UserError(f"engine command '{words[0]}': not found on PATH")
    return words


def build(values: dict[str, Any]) -> EngineSpec:
    """An engine from its words, already merged with those of ``--each``."""
    options: dict[str, str] = {}
    limit: dict[str, Any] = {}
    odds = 1.0
    plain: dict[str, Any] = {}
    for key, raw in values.items():
        text = str(raw)
        if key.startswith("option."):
            options[key.removeprefix("option.")] = text
        elif key == "options" and isinstance(raw, dict):
            options.update({name: _option_text(value) for name, value in raw.items()})
        elif key in ("movetime", "margin", "hang"):
            limit[key] = _number(key, text, float, 0 if key == "margin" else 1)
        elif key in ("depth", "nodes"):
            limit[key] = _number(key, text, int, 1)
        elif key == "tc":
            limit.update(parse_clock(text))
        elif key == "odds":
            odds = _number(key, text, float, 0.0001)
        elif key == "restart":
            plain[key] = text.lower() in ("on", "true", "1", "yes")
        elif key in ("name", "cmd", "dir"):
            plain[key] = raw
        else:
            raise UserError(f"unknown engine word '{key}='; {ENGINE_HELP}")
    if "cmd" not in plain:
        raise UserError("an engine without cmd=COMMAND")
    cmd = _command(plain["cmd"], plain.get("dir"))
    name = str(plain.get("name") or Path(cmd[0]).name)
    folder = str(Path(plain["dir"]).absolute()) if plain.get("dir") else None
    full = Limit(**limit).scaled(odds) if odds != 1.0 else Limit(**limit)
    return EngineSpec(name, cmd, options, full, folder, bool(plain.get("restart", False)))


def _option_text(value: Any) -> str:  # noqa: ANN401
    return str(value).lower() if isinstance(value, bool) else str(value)


def split_words(words: list[str]) -> dict[str, str]:
    """``["name=petard", "movetime=100"]`` as a dictionary."""
    values: dict[str, str] = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not equals:
            raise UserError(f"'{word}': want KEY=VALUE; {ENGINE_HELP}")
        values[key] = value
    return values


def load_engines(
    lines: list[list[str]],
    each: list[str],
    toml: Path | None,
    default: dict[str, Any] | None = None,
) -> list[EngineSpec]:
    """All engines of a command line and a TOML file, with unique names.

    The TOML file holds ``[each]`` and any number of ``[[engine]]`` tables with the same words;
    options may also stand in a sub-table ``options``. ``default`` is used where no limit is given.
    """
    common: dict[str, Any] = {}
    entries: list[dict[str, Any]] = []
    if toml is not None:
        try:
            data = tomllib.loads(toml.read_text(encoding="utf-8"))
        except OSError as error:
            raise UserError(f"{toml}: {error.strerror}") from None
        except tomllib.TOMLDecodeError as error:
            raise UserError(f"{toml}: {error}") from None
        entries += _toml_tables(toml, data)
        common.update(data.get("each", {}))
    common.update(split_words(each))
    entries += [split_words(line) for line in lines]
    specs = []
    for entry in entries:
        merged = _merge(common, entry)
        spec = build(merged)
        if not spec.limit.bounded and default:
            spec = build({**merged, **default})
        specs.append(spec)
    names = [spec.name for spec in specs]
    for name in names:
        if names.count(name) > 1:
            raise UserError(f"two engines are called '{name}': give each a name=")
    return specs


def _toml_tables(path: Path, data: dict[str, Any]) -> list[dict[str, Any]]:
    """The ``[[engine]]`` tables of a file that holds nothing else but ``[each]``."""
    for key in data:
        if key not in ("each", "engine"):
            raise UserError(f"{path}: unknown table '{key}', want [each] and [[engine]]")
    tables = data.get("engine", [])
    if not isinstance(tables, list) or not isinstance(data.get("each", {}), dict):
        raise UserError(f"{path}: want [each] once and [[engine]] in double brackets")
    return tables


def _merge(common: dict[str, Any], own: dict[str, Any]) -> dict[str, Any]:
    """An engine's own words win; naming any limit of its own drops the common limits."""
    limits = ("movetime", "depth", "nodes", "tc")
    merged = dict(common)
    if any(key in own for key in limits):
        for key in limits:
            merged.pop(key, None)
    options = {**common.get("options", {}), **own.get("options", {})}
    merged.update(own)
    if options:
        merged["options"] = options
    return merged
