"""What is wrong with a command: it could never be legal, or it is not legal now."""

from __future__ import annotations


class RuleViolation(Exception):
    """A command that the rules refuse. The state is untouched.

    ``reason`` is a sentence for a person and names the offending value; ``paragraph`` is the
    paragraph of the rules, such as ``"R3"``.
    """

    def __init__(self, reason: str, *, paragraph: str) -> None:
        super().__init__(f"{reason} ({paragraph})")
        self.reason = reason
        self.paragraph = paragraph


class InvalidCommand(RuleViolation):
    """A command that no state of any game would allow: a die of 7, a forest 13, three pairs."""


class IllegalCommand(RuleViolation):
    """A well-formed command that this state does not allow."""
