"""Lines in the middle: the banner, what a choice does, the seal, what one waits for."""

from __future__ import annotations

from collections.abc import Sequence

from sequoia_rules.phases import CHOICE_PHASES, Phase
from sequoia_rules.public import PublicState
from sequoia_rules.values import Sums
from textual.content import Content

from sequoia_tui.link import Table
from sequoia_tui.themes import Glyphs
from sequoia_tui.widgets.canvas import Canvas, centred, wrapped
from sequoia_tui.widgets.facts import Cast, names, standing
from sequoia_tui.widgets.pairing_list import entry_text
from sequoia_tui.widgets.picker import Picker


class Notes(Canvas):
    """A few centred lines, from the top."""

    def __init__(self, glyphs: Glyphs, *, id: str | None = None) -> None:
        super().__init__(glyphs, id=id)
        self._lines: Sequence[Content] = ()

    def show(self, lines: Sequence[Content]) -> None:
        """Show other lines; cells that stay the same are not written again."""
        self._lines = lines
        self.redraw()

    def draw(self, width: int, height: int) -> Sequence[Content]:
        return [centred(line, width) if line.cell_length < width else line for line in self._lines]


def banner(public: PublicState, cast: Cast, glyphs: Glyphs, width: int) -> Content:
    """Call a Sequoia across the table."""
    callers = cast.of(public.sequoias)
    if not callers:
        return Content("")
    if len(callers) == 1:
        who = callers[0]
        call = f" {glyphs.clip(who.does('call'), width - 13)} SEQUOIA! "
    else:
        call = f" {''.join(who.sign for who in callers)} call SEQUOIA! "
    return Content.styled(call, "bold $night on $accent-ink")


def live_line(picker: Picker) -> Content:
    """Say what the highlighted choice does to the viewer's standing, by public counts."""
    if picker.way is None or picker.seat is None:
        return Content("")
    if not picker.sums:
        return Content.styled("plants nothing", "$dim")
    parts: list[tuple[str, str] | str] = []
    for word in standing(picker.public, picker.sums, picker.seat).split("  "):
        forest, _, place = word.partition(" ")
        tie = picker.public.tie_at(int(forest))
        best = "1st" if tie is None or tie.for_first else "2nd"
        good = place.lstrip("=") == best
        parts += [(f"{forest} ", "bold $ink"), (place, "bold $good" if good else "$ink"), "  "]
    return Content.assemble(*parts[:-1])


def turning_lines(glyphs: Glyphs, *, short: bool = False) -> list[Content]:
    """Tell how to turn the dice of a Sequoia."""
    return [
        *([] if short else [Content("")]),
        Content.styled("Turn any of your dice, or none:", "$ink"),
        Content.assemble(
            (glyphs.arrows, "bold $accent-ink"),
            (" pick a die  ", "$dim"),
            ("1-6", "bold $accent-ink"),
            (" turn it", "$dim"),
        ),
        Content.assemble(("Enter", "bold $accent-ink"), (" go on to pairing", "$dim")),
    ]


def duel_lines(public: PublicState, cast: Cast, sums: Sums, *, mine: bool = False) -> list[Content]:
    """List the tie-break's duels: on which forest, for which token, who against whom.

    With ``mine`` only those of the viewer. Those that the highlighted choice plants on stand
    out, and come first.
    """
    ties = [tie for tie in public.ties if not mine or cast.viewer in tie.seats]
    lines = []
    for tie in sorted(ties, key=lambda tie: (tie.forest not in sums, tie.forest)):
        row = public.row(tie.forest)
        rivals: list[tuple[str, str] | str] = []
        for who in cast.of(tie.seats):
            rivals += [
                "  ",
                (who.sign, who.ink),
                (str(row[who.seat]), f"bold {who.ink}" if who.you else who.ink),
            ]
        struck = tie.forest in sums
        lines.append(
            Content.assemble(
                (f"{tie.forest:>2}", "bold $accent-ink" if struck else "bold $ink"),
                (" for both" if tie.for_first else " for 2nd ", "$ink" if struck else "$dim"),
                *rivals,
            )
        )
    # All as wide as the widest, so that centred they still stand in columns.
    width = max((line.cell_length for line in lines), default=0)
    return [line.pad_right(width - line.cell_length) for line in lines]


def advice_lines(sentences: Sequence[tuple[str, str]], width: int, glyphs: Glyphs) -> list[Content]:
    """Write sentences, each with its style, in lines of a width, about as long as each other."""
    return [
        Content.styled(line, style)
        for text, style in sentences
        for line in _balanced(glyphs.clean(text), max(4, width - 1))
    ]


def paused_lines(
    picker: Picker, cast: Cast, glyphs: Glyphs, *, refused: bool = False, short: bool = False
) -> list[Content]:
    """Show that the game stands still, and who can end that.

    With ``refused`` the viewer has tried to choose.
    """
    lines = _stamp("PAUSED", "$ice", glyphs, short=short)
    if refused:
        lines.append(Content.styled("No choices until it goes on.", "bold $alert"))
    if cast.viewer is None:
        lines.append(Content.styled("Any of the players can go on.", "$dim"))
    else:
        lines.append(
            Content.assemble(("p", "bold $accent-ink"), (" goes on, for everybody", "$ink"))
        )
    if picker.public.phase in CHOICE_PHASES:
        lines.append(_seals(picker.public, cast, glyphs))
    return lines


def sealed_lines(
    table: Table,
    picker: Picker,
    cast: Cast,
    glyphs: Glyphs,
    width: int,
    *,
    more: Sequence[Content] = (),
    short: bool = False,
) -> list[Content]:
    """Draw the viewer's seal, those of the others as they come in, and what ``more`` there is."""
    public = picker.public
    way = picker.way
    text = "none" if way is None else entry_text(way)
    lines = _stamp(f"{glyphs.tick} SEALED  {text}", "$good", glyphs, short=short)
    if table.sending:
        return [*lines, Content.styled(f"sending{glyphs.more}", "$dim"), *more]
    lines.append(_seals(public, cast, glyphs))
    if not (short and more):
        # The header counts them as well.
        lines.append(_waiting(public, cast, width, glyphs))
    lines += more
    if public.phase is Phase.TIEBREAK:
        lines += duel_lines(public, cast, picker.sums, mine=True)
    return lines


def forced_lines(
    picker: Picker, cast: Cast, glyphs: Glyphs, width: int, *, more: Sequence[Content] = ()
) -> list[Content]:
    """Tell somebody whose dice reach none of their ties what becomes of that (T5)."""
    public = picker.public
    return [
        Content.styled("Nothing fits: none is chosen.", "$ink"),
        _seals(public, cast, glyphs),
        *(more or (_waiting(public, cast, width, glyphs),)),
        *duel_lines(public, cast, (), mine=True),
    ]


def watching_lines(
    picker: Picker, cast: Cast, glyphs: Glyphs, width: int, *, more: Sequence[Content] = ()
) -> list[Content]:
    """Tell somebody who has nothing to choose what they wait for, and what happened last."""
    public = picker.public
    lines: list[Content] = []
    if public.phase in CHOICE_PHASES:
        if cast.viewer is None:
            head = "You are watching."
        elif cast.viewer in public.rolling:
            head = "A bot plays this roll. Yours is next."
        else:
            head = "You have no tie to break."
        lines.append(Content.styled(head, "$ink"))
    elif public.phase is Phase.SCORED:
        lines.append(Content.styled("The forests are being scored.", "$ink"))
    elif public.phase is not Phase.OVER:
        lines.append(Content.styled("The dice are about to roll.", "$ink"))
    if public.phase in CHOICE_PHASES:
        lines += [*more, Content("")]
        lines += [_seals(public, cast, glyphs), _waiting(public, cast, width, glyphs)]
    if public.ties:
        lines += [Content(""), Content.styled("DUELS", "bold $dim")]
        lines += duel_lines(public, cast, ())
    elif public.revealed:
        lines += [Content(""), Content.styled("LAST REVEAL", "bold $dim")]
        lines += reveal_lines(public, cast, glyphs)
    return lines


def reveal_lines(public: PublicState, cast: Cast, glyphs: Glyphs) -> list[Content]:
    """List what everybody planted at the last reveal, one player a line, set in a column."""
    planted = dict(public.revealed)
    lines = []
    for who in cast:
        if who.seat in planted:
            sums = " ".join(f"{forest:>2}" for forest in planted[who.seat]) or glyphs.dot
            name = glyphs.clip(who.name, 12)
            lines.append(
                Content.assemble(
                    (who.sign, who.ink),
                    " ",
                    (name + " " * (13 - Content(name).cell_length), "$ink"),
                    (f"{sums:<5}", "bold $ink"),
                )
            )
    return lines


def _balanced(text: str, width: int) -> list[str]:
    """Break text into as few lines as a width allows, with no line much shorter than the rest."""
    lines = wrapped(text, width)
    while width > 4 and len(narrower := wrapped(text, width - 1)) == len(lines) > 1:
        lines, width = narrower, width - 1
    return lines


def _stamp(text: str, style: str, glyphs: Glyphs, *, short: bool) -> list[Content]:
    """Put a word in a frame, where there is room for one."""
    if short:
        return [Content.styled(text, f"bold {style}")]
    box, inner = glyphs.heavy, 22
    return [
        Content.styled(f"{box.top_left}{box.across * inner}{box.top_right}", style),
        Content.assemble(
            (box.down, style), (text.center(inner), f"bold {style}"), (box.down, style)
        ),
        Content.styled(f"{box.bottom_left}{box.across * inner}{box.bottom_right}", style),
    ]


def _seals(public: PublicState, cast: Cast, glyphs: Glyphs) -> Content:
    parts: list[tuple[str, str] | str] = []
    for who in cast.of(public.rolling):
        done = who.seat in public.chosen
        parts += [
            (who.sign, who.ink),
            (glyphs.tick if done else glyphs.wait, "bold $good" if done else "$dim"),
            "  ",
        ]
    return Content.assemble(*parts[:-1])


def _waiting(public: PublicState, cast: Cast, width: int, glyphs: Glyphs) -> Content:
    people = cast.of(public.awaited)
    if not people:
        return Content("")
    return Content.styled(f"waiting for {names(people, width - 12, glyphs)}", "$dim")
