"""Errors meant for the user."""


class UserError(Exception):
    """Bad input or an impossible request; the text names the error and is all that is shown."""

    def __str__(self) -> str:
        """The text; what would move a terminal's cursor, as a file may hold, is spelt out."""
        text = super().__str__()
        return "".join(
            sign if sign.isprintable() or sign == "\n" else ascii(sign)[1:-1] for sign in text
        )


class EngineError(Exception):
    """An engine broke the protocol or the rules.

    ``kind`` is one of ``illegal move``, ``time forfeit``, ``stalled``, ``crash``, ``garbage``,
    ``flood`` and ``setup``; ``alive`` says whether the process can still be trusted to play on.
    """

    def __init__(self, kind: str, detail: str, alive: bool = False) -> None:
        """Keep the kind of error, its description, and whether the process is usable."""
        super().__init__(kind, detail)
        self.kind = kind
        self.detail = detail
        self.alive = alive
        self.dialogue: list[str] = []
        self.elapsed_ms: float | None = None
        """How long the engine had been thinking, if it was."""

    def report(self) -> str:
        """The error with the end of the dialogue, where that adds anything."""
        words = self.dialogue[-6:] if self.kind != "setup" else []
        return "\n".join([str(self), *(f"    {line}" for line in words)])

    def __str__(self) -> str:
        """Kind and detail."""
        return f"{self.kind}: {self.detail}"
