"""kaggle-environments: petard as an agent for its Breakthrough, ``open_spiel_breakthrough``.

>>> from kaggle_environments import make              # doctest: +SKIP
>>> from petard.adapters.kaggle import agent          # doctest: +SKIP
>>> make("open_spiel_breakthrough").run([agent, "random"])  # doctest: +SKIP
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pyspiel

from petard.adapters.openspiel import PetardBot
from petard.engine import Limit

Agent = Callable[[Mapping[str, Any], Mapping[str, Any]], dict[str, int] | None]
"""What kaggle-environments calls: observation and configuration in, an action out."""


def make_agent(limit: Limit | None = None) -> Agent:
    """An agent that searches each move within ``limit``, by default half a second."""
    bot: PetardBot | None = None

    def act(
        observation: Mapping[str, Any], configuration: Mapping[str, Any]
    ) -> dict[str, int] | None:
        nonlocal bot
        text = observation.get("serializedGameAndState")
        if not text:
            # The first call only sets things up.
            return None
        _, state = pyspiel.deserialize_game_and_state(text)
        if state.is_terminal() or state.current_player() != observation.get("playerId"):
            return {"submission": -1}
        if bot is None:
            bot = PetardBot(limit or Limit(time=0.5))
        return {"submission": bot.step(state)}

    return act


def agent(
    observation: Mapping[str, Any], configuration: Mapping[str, Any]
) -> dict[str, int] | None:
    """Petard with half a second per move."""
    return _DEFAULT(observation, configuration)


_DEFAULT = make_agent()
