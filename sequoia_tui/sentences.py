"""What a person is told about a connection: what is wrong, and what can be done."""

from __future__ import annotations

from typing import Final

from sequoia_protocol.room import LeaveReason

from sequoia_tui import version

REPLACED: Final = "You sit at this table from another window now; this one keeps quiet."
MUTE: Final = "The server does not give the seat back."
GIBBERISH: Final = "The server said something that cannot be understood."
OUT_OF_STEP: Final = "Fetching the table anew."
OWN_FAULT: Final = "Something went wrong in this program's own connection."
CLOSING_NOW: Final = "The server is just being stopped. Try again in a moment."
SERVER_CLOSING: Final = "The server is closing. This program goes on trying to reach it."
SEAT_IS_KEPT: Final = (
    "The server is closing. Your seat is kept; this program goes on trying to bring you back."
)
IN_MEMORY: Final = (
    "What you play here ends with this window: another one keeps your games, or nothing can be "
    "stored on this machine."
)
OPEN_ELSEWHERE: Final = "That game is open in another window, or gone by now."
CLOSED: Final = "The link to the server is closed."
ROOM_GONE: Final = "That room is gone."


def no_sequoia(server: str) -> str:
    """Say that what answers is something else."""
    return f"Something answers at {server}, but not as Sequoia does."


def misfit(server: str, *, newer: bool) -> str:
    """Say that the server is of another version, and who has to update."""
    if newer:
        return (
            f"{server} runs a newer Sequoia than this one ({version()}). "
            "Update sequoia-tui, then try again."
        )
    return (
        f"{server} runs an older Sequoia than this one ({version()}). "
        "Ask whoever runs it to update sequoia-server."
    )


def no_understanding(server: str) -> str:
    """Say that server and program contradict each other again and again."""
    return f"This program and {server} do not understand each other. Are both of the same version?"


def seat_gone(code: str) -> str:
    """Say that a seat cannot be taken back."""
    return f"Room {code} is gone, or your seat there was given away while you were not here."


def seat_waits(code: str) -> str:
    """Say that there is a seat to come back to."""
    return f"Your seat in room {code} waits for you: b brings you back."


def farewell(reason: LeaveReason) -> str:
    """Say why one is in a room no longer; nothing if one knows."""
    match reason:
        case LeaveReason.KICKED:
            return "The room's host has put you out."
        case LeaveReason.GONE:
            return "You were away for so long that the room has let you go."
        case LeaveReason.LEFT:
            return ""
