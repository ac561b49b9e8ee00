"""What happened, round by round, from the events as they come and from a whole view."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from sequoia_protocol.room import (
    AnySeenEvent,
    BotSeated,
    Chatted,
    ClockChosen,
    GameContinued,
    GamePaused,
    HostChanged,
    LeaveReason,
    PauseWanted,
    PersonLeft,
    RoomView,
    SeatFreed,
    SeatTaken,
    StandInLeft,
    StandInSeated,
)
from sequoia_rules.events import DealtSeen, Ended, GameStartedSeen, Revealed, Scored
from sequoia_rules.phases import Phase
from sequoia_rules.public import PublicState
from sequoia_rules.scoring import standings
from sequoia_rules.values import FORESTS, Forest, Seat, Sums, forest_index
from textual.content import Content
from textual.events import MouseScrollDown, MouseScrollUp

from sequoia_tui.themes import Glyphs
from sequoia_tui.widgets.canvas import Canvas, ends, wrapped
from sequoia_tui.widgets.card import title
from sequoia_tui.widgets.facts import Cast, Who, clock_text, ordinal

_END: Final = "END"


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing that happened: whose it is (if anybody's), and what in words."""

    who: Who | None
    text: str
    loud: bool = False


@dataclass
class Story:
    """The log of one game: entries under headings such as ``R3`` and ``TB1``."""

    sections: dict[str, list[Entry]] = field(default_factory=dict)
    _heirs: dict[int | None, str] = field(default_factory=dict)

    def add(self, heading: str, *entries: Entry) -> None:
        """Write entries under a heading."""
        self.sections.setdefault(heading, []).extend(entries)

    def recall(self, view: RoomView, cast: Cast) -> None:
        """Write down what a whole view still tells, where nothing is written yet.

        Sections that the events told already say more than a view can.
        """
        game = view.game
        if game is None:
            return
        public = game.public
        past = heading_of_reveal(public)
        told = {}
        if public.revealed:
            told[past] = [
                *(placed(cast, seat, sums) for seat, sums in public.revealed),
                *_owned(public, cast),
            ]
        if public.phase is Phase.OVER:
            told[_END] = _points(public, cast)
        elif public.sequoias:
            told[heading(public)] = [_calls(cast[seat]) for seat in public.sequoias]
        for name, entries in told.items():
            self.sections.setdefault(name, entries)

    def recall_chat(self, view: RoomView, cast: Cast, lines: int) -> None:
        """Write down the last lines of chat, for somebody who has just come."""
        for line in view.room.chat[-lines:]:
            self._say("CHAT", line.person, line.name, line.text, cast)

    def tell(self, event: AnySeenEvent, before: RoomView, after: RoomView, cast: Cast) -> None:
        """Write down an event; ``before`` and ``after`` are the views around it."""
        public = PublicState() if after.game is None else after.game.public
        now = heading(public)
        match event:
            case GameStartedSeen():
                self.sections.clear()
            case DealtSeen(sequoias=callers):
                self.add(now, *(_calls(cast[seat]) for seat in callers))
            case Revealed(sums):
                self.add(now, *(placed(cast, seat, choice) for seat, choice in sums))
            case Scored(awards, ties, expired):
                known = () if before.game is None else before.game.public.ties
                self.add(
                    now,
                    *_taken(cast, [(a.forest, a.place, a.seat) for a in awards]),
                    *(
                        Entry(
                            None,
                            f"{tie.forest} {'for both' if tie.for_first else 'for 2nd'}: "
                            + "".join(who.sign for who in cast.of(tie.seats)),
                        )
                        for tie in ties
                        if tie not in known
                    ),
                    *(Entry(None, f"{forest} stays open for good") for forest in expired),
                )
            case Ended():
                self.add(_END, *_points(public, cast))
            case BotSeated() | SeatTaken() | SeatFreed() | PersonLeft() | HostChanged():
                self._change_hands(now, event, before, after, cast)
            case StandInSeated(seat) | StandInLeft(seat) if seat in public.seats:
                who = cast[seat]
                stands_in = f"{who.is_} away: a bot plays for {'you' if who.you else who.name}"
                back = f"{who.is_} back"
                self.add(now, Entry(who, stands_in if isinstance(event, StandInSeated) else back))
            case PauseWanted(person, wanted):
                does = "would like a pause" if wanted else "wants no pause any more"
                self.add(now, self._doing(person, does, after, cast))
            case GamePaused():
                self.add(now, Entry(None, "The game is paused"))
            case GameContinued(person):
                self.add(now, self._doing(person, "goes on", after, cast))
            case ClockChosen(seconds):
                self.add(now, Entry(None, f"From now on: {clock_text(seconds)}"))
            case Chatted(person, name, text):
                self._say(now, person, name, text, cast)
            case _:
                pass

    def tell_viewer(self, text: str, view: RoomView, cast: Cast) -> None:
        """Write down what concerns the viewer alone; nothing if there is no text."""
        if text and view.game is not None and cast.viewer is not None:
            self.add(heading(view.game.public), Entry(cast[cast.viewer], text))

    def _say(self, now: str, person: int, name: str, text: str, cast: Cast) -> None:
        who = next((who for who in cast if who.person == person), None)
        self.add(now, Entry(who, f"{name if who is None else who.name}: {text}"))

    def _doing(self, person: int, does: str, view: RoomView, cast: Cast) -> Entry:
        """Say what a person ``does``; without one, the game does it."""
        who = next((who for who in cast if who.person == person), None)
        known = view.room.person(person)
        name = "The game" if known is None else known.name
        return Entry(who, f"{name} {does}")

    def _change_hands(
        self, now: str, event: AnySeenEvent, before: RoomView, after: RoomView, cast: Cast
    ) -> None:
        """Write down who sits down, stands up, leaves, or plays on for somebody."""
        room = before.room
        match event:
            case BotSeated(seat, name) if room.playing:
                player = room.player(seat)
                self._heirs[None if player is None else player.person] = name
                self.add(now, Entry(_seated(cast, seat), f"{name}, a bot, plays on"))
            case BotSeated(seat, name):
                self.add(now, Entry(_seated(cast, seat), f"{name}, a bot, sits down"))
            case SeatTaken(seat, person):
                last = room.seats[seat]
                whom = f"takes over from {last.name}" if room.playing and last else "sits down"
                known = room.person(person)
                name = "Somebody" if known is None else known.name
                self.add(now, Entry(_seated(cast, seat), f"{name} {whom}"))
            case SeatFreed(seat) if seated := room.seats[seat]:
                what = "goes" if seated.person is None else "stands up"
                self.add(now, Entry(_seated(cast, seat), f"{seated.name} {what}"))
            case HostChanged(person) if (host := after.room.person(person)) is not None:
                self.add(now, Entry(None, f"{host.name} hosts the room now"))
            case PersonLeft(person, reason):
                self._left(now, person, reason, before, cast)

    def _left(
        self, now: str, person: int, reason: LeaveReason, before: RoomView, cast: Cast
    ) -> None:
        known = before.room.person(person)
        name = "Somebody" if known is None else known.name
        left = f"{name} {'was put out' if reason is LeaveReason.KICKED else 'has left'}"
        heir = self._heirs.pop(person, None)
        entries = self.sections.get(now, [])
        if heir is not None and entries and entries[-1].text == f"{heir}, a bot, plays on":
            # The seat went to the bot right before; both belong into one sentence.
            entries[-1] = Entry(entries[-1].who, f"{left}: {heir}, a bot, plays on")
            return
        who = next((who for who in cast if who.person == person), None)
        self.add(now, Entry(who, left))


class LogPanel(Canvas):
    """The story, its newest end in view; the large one scrolls."""

    def __init__(self, glyphs: Glyphs, *, id: str | None = None) -> None:
        super().__init__(glyphs, id=id)
        self.story = Story()
        self.back = 0
        self._to_the_end = True

    def show(self, story: Story, *, to_the_end: bool = True) -> None:
        """Show a story as it stands now, or without its end."""
        self.story, self._to_the_end = story, to_the_end
        self.redraw()

    def scroll_by(self, lines: int) -> None:
        """Scroll back (positive) or forth."""
        total = len(self._lines(self.size.width))
        most = max(0, total - (self.size.height - 1))
        self.back = min(max(0, self.back + lines), most)
        self.redraw()

    def draw(self, width: int, height: int) -> Sequence[Content]:
        lines = self._lines(width)
        room = height - 1
        end = max(0, len(lines) - self.back)
        shown = lines[max(0, end - room) : max(end, min(room, len(lines)))]
        head = title("LOG", width, self.glyphs)
        if self.back:
            more = Content.styled(f" {self.glyphs.updown[-1:]} {self.back} more", "$dim")
            head = ends(head[: width - more.cell_length], more, width)
        return [head, *shown]

    def _lines(self, width: int) -> list[Content]:
        sections: Mapping[str, Sequence[Entry]] = self.story.sections
        if not self._to_the_end:
            sections = {name: section for name, section in sections.items() if name != _END}
        return story_lines(sections, width, self.glyphs)

    def on_mouse_scroll_up(self, event: MouseScrollUp) -> None:
        event.stop()
        self.scroll_by(3)

    def on_mouse_scroll_down(self, event: MouseScrollDown) -> None:
        event.stop()
        self.scroll_by(-3)


def heading(public: PublicState) -> str:
    """Name the heading under which things happen now."""
    if public.phase in (Phase.SETUP, Phase.DEALING):
        return "START"
    if public.phase is Phase.OVER:
        return _END
    return f"TB{public.tiebreak}" if public.tiebreak else f"R{public.round}"


def heading_of_reveal(public: PublicState) -> str:
    """Name the heading under which the last reveal happened."""
    choosing = public.phase is Phase.CHOOSING
    if public.phase is Phase.TIEBREAK and public.tiebreak == 1:
        return "R10"
    if public.tiebreak:
        return f"TB{public.tiebreak - (public.phase is Phase.TIEBREAK)}"
    return f"R{public.round - choosing}"


def placed(cast: Cast, seat: Seat, sums: Sums) -> Entry:
    """Say what somebody planted."""
    what = " ".join(map(str, sums)) if sums else "nothing"
    who = cast[seat]
    return Entry(who, f"{who.name} planted {what}")


def story_lines(
    sections: Mapping[str, Sequence[Entry]], width: int, glyphs: Glyphs
) -> list[Content]:
    """Write a story in lines of a width; what runs over is set in."""
    lines = []
    for name, entries in sections.items():
        if not entries:
            continue
        lines.append(Content.styled(name, "bold $dim"))
        for entry in entries:
            lines += entry_lines(entry, width, glyphs)
    return lines


def entry_lines(entry: Entry, width: int, glyphs: Glyphs) -> list[Content]:
    """Wrap one entry behind its sign."""
    style = "bold $ink" if entry.loud else "$ink"
    sign = ("  ", "") if entry.who is None else (f"{entry.who.sign} ", entry.who.ink)
    texts = wrapped(glyphs.clean(entry.text), max(4, width - 2))
    return [
        Content.assemble(sign if not at else "  ", (text, style)) for at, text in enumerate(texts)
    ]


def _owned(public: PublicState, cast: Cast) -> list[Entry]:
    """List all awards so far, as far as a view tells."""
    awards = [
        (forest, place, owner)
        for forest in FORESTS
        for place, owners in ((1, public.first_owners), (2, public.second_owners))
        if (owner := owners[forest_index(forest)]) is not None
    ]
    return _taken(cast, awards)


def _taken(cast: Cast, awards: Sequence[tuple[Forest, int, Seat]]) -> list[Entry]:
    """Say who takes which tokens, one line a player: ``Bo takes 1st of 5 8, 2nd of 6``."""
    entries = []
    for who in cast:
        parts = []
        for place in (1, 2):
            forests = [str(f) for f, p, seat in awards if (p, seat) == (place, who.seat)]
            if forests:
                parts.append(f"{ordinal(place)} of {' '.join(forests)}")
        if parts:
            entries.append(Entry(who, f"{who.does('take')} {', '.join(parts)}"))
    return entries


def _points(public: PublicState, cast: Cast) -> list[Entry]:
    return [
        Entry(
            cast[line.seat],
            f"{cast[line.seat].name} {line.points} {'point' if line.points == 1 else 'points'}",
            loud=line.place == 1,
        )
        for line in standings(dict(public.points or ()))
    ]


def _calls(who: Who) -> Entry:
    return Entry(who, f"{who.does('call')} SEQUOIA!", loud=True)


def _seated(cast: Cast, seat: Seat) -> Who | None:
    return next((who for who in cast if who.seat == seat), None)
