"""What the room's screen says, made of a table: its seats, the score of the evening, the chat."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sequoia_protocol.room import ChatLine, RoomState, RoomView
from sequoia_rules.values import MIN_PLAYERS, Seat
from textual.content import Content

from sequoia_tui.link import LinkState, Table
from sequoia_tui.screens.picklist import Row
from sequoia_tui.themes import Glyphs, ink
from sequoia_tui.widgets.facts import clock_text

__all__ = [
    "News",
    "Row",
    "asked",
    "chat",
    "clock_news",
    "invitation",
    "kind",
    "rows",
    "scores",
]

_NAME = 16
_SHORT_NAME = 12
_COMMANDS_SHOWN = 3


def asked(table: Table) -> str:
    """Say what is asked of the player now."""
    view = table.view
    room = view.room
    seat = view.seat
    seated = None if seat is None else room.seats[seat]
    if table.link.state is LinkState.RECONNECTING:
        return "the link is lost; it comes back by itself"
    if seated is None:
        return "pick a seat, or watch"
    if not seated.ready:
        return "press r when you are ready"
    if len(room.ready_seats) < MIN_PLAYERS:
        return "somebody else has to be ready"
    if view.is_host:
        return "press g to start"
    host = None if room.host is None else room.person(room.host)
    return "the host starts the game" if host is not None else "nobody hosts"


def kind(room: RoomState) -> str:
    """Say what kind of room it is."""
    found = "on the server's list" if room.settings.public else "private"
    watch = "may be watched" if room.settings.spectators else "nobody watches"
    return f"{found}, {watch}"


def invitation(room: RoomState, commands: Sequence[str], signs: Glyphs) -> Content:
    """Tell how friends come to this room."""
    code = signs.clean(room.code)
    if not commands:
        return Content.assemble("The code of this room is ", (code, "bold $accent-ink"))
    # Nothing but the commands stands on these lines, so that they can be copied.
    lines = [signs.clean(command) for command in commands[:_COMMANDS_SHOWN]]
    return Content.styled("\n".join(lines), "bold $accent-ink")


def rows(table: Table, signs: Glyphs, *, short: bool = False) -> list[Row]:
    """Give the seats of a room, then the people who watch; ``short`` where it is narrow."""
    room = table.view.room
    width = _SHORT_NAME if short else _NAME
    found = [
        Row(f"seat {seat}", _seat(table, seat, signs, width)) for seat in range(room.settings.seats)
    ]
    found += [
        Row(
            f"person {person.id}",
            Content.assemble(
                "     ",
                (f"{signs.clip(signs.clean(person.name), width):<{width}} ", "$dim"),
                (f"{_tags(table, person.id):<8} watches", "$dim"),
            ),
        )
        for person in room.people
        if room.seat_of(person.id) is None
    ]
    return found


def scores(room: RoomState, signs: Glyphs) -> Content:
    """Give the running score of the evening, best first."""
    if not room.scores:
        return Content.styled("No game has been played in this room yet.", "$dim")
    lines = [Content.styled(f"{'':<{_NAME}}  won  games  points", "$dim")]
    colours = {(player.person, player.name): player.colour for player in room.players}
    order = sorted(room.scores, key=lambda score: (-score.wins, -score.points, score.name))
    for score in order:
        colour = colours.get((score.person, score.name))
        name = signs.clip(signs.clean(score.name), _NAME)
        lines.append(
            Content.assemble(
                (f"{name:<{_NAME}}", ink(colour) if colour else "$ink"),
                (f"{score.wins:>5}", "bold $ink"),
                f"{score.games:>7}{score.points:>8}",
            )
        )
    return Content("\n").join(lines)


@dataclass(frozen=True, slots=True)
class News:
    """A line among the chat that nobody said, and the chat line after which it came."""

    after: ChatLine | None
    text: str


def clock_news(before: RoomState, after: RoomState) -> News | None:
    """Tell that the clock of the room is another now."""
    if before.settings.clock == after.settings.clock:
        return None
    last = after.chat[-1] if after.chat else None
    return News(last, f"From now on: {clock_text(after.settings.clock)}.")


def chat(view: RoomView, signs: Glyphs, news: Sequence[News] = ()) -> Content:
    """Give what was said, each line in its speaker's colour, and the news in between."""
    room = view.room
    lines = []
    # What came after a line that is forgotten by now comes first.
    early = [item for item in news if not any(item.after is line for line in room.chat)]
    lines += [Content.styled(item.text, "$dim") for item in early]
    for line in room.chat:
        seat = room.seat_of(line.person)
        seated = None if seat is None else room.seats[seat]
        style = f"bold {ink(seated.colour)}" if seated else "bold $dim"
        lines.append(
            Content.assemble((signs.clean(line.name), style), f"  {signs.clean(line.text)}")
        )
        lines += [Content.styled(item.text, "$dim") for item in news if item.after is line]
    return Content("\n").join(lines)


def _seat(table: Table, seat: Seat, signs: Glyphs, width: int) -> Content:
    room = table.view.room
    seated = room.seats[seat]
    number = (f"{seat + 1} ", "$dim")
    if seated is None:
        return Content.assemble(number, ("  nobody sits here", "$dim"))
    name = signs.clip(signs.clean(seated.name), width)
    state = (f"{signs.tick} ready", "$good") if seated.ready else ("not yet", "$dim")
    if seated.person is None:
        tags = "bot"
    else:
        tags = _tags(table, seated.person)
        if seated.person in table.away:
            state = ("away", "$alert")
    style = ink(seated.colour)
    return Content.assemble(
        number,
        (f"{signs.players[seated.colour]} ", style),
        (f"{name:<{width}} ", f"bold {style}" if seated.person == table.view.you else style),
        (f"{tags:<8} ", "$dim"),
        state,
    )


def _tags(table: Table, person: int) -> str:
    tags = ["you"] if person == table.view.you else []
    if person == table.view.room.host:
        tags.append("host")
    return " ".join(tags)
