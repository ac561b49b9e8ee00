"""What one seat, or a spectator, may see: views, redaction, and folding one into the other.

For every state, viewer and event of that state::

    fold(view_for(state, seat), redact(event, seat)) == view_for(evolve(state, event), seat)
"""

from __future__ import annotations

from dataclasses import dataclass, field

from sequoia_rules.events import (
    Chosen,
    ChosenSeen,
    Dealt,
    DealtSeen,
    Event,
    GameStarted,
    GameStartedSeen,
    Revealed,
    SeenEvent,
    TakenBack,
)
from sequoia_rules.public import PublicState, advance
from sequoia_rules.state import GameState
from sequoia_rules.values import MAX_SEATS, Choice, Dice, Seat, is_sequoia


@dataclass(frozen=True, slots=True)
class GameView:
    """A game as one viewer sees it. There is no field for anybody else's secret.

    ``viewer`` is the seat, or None for a spectator; ``dice`` are its own roll as it fell and
    ``choice`` its own sealed choice, None where there is none.
    """

    viewer: Seat | None = None
    public: PublicState = field(default_factory=PublicState)
    dice: Dice | None = None
    choice: Choice | None = None


def view_for(state: GameState, seat: Seat | None) -> GameView:
    """Show a state to a seat, or to a spectator (None).

    Raises:
        ValueError: there is no such seat. (-1 would otherwise be the last one.)
    """
    if seat is None:
        return GameView(None, state.public)
    if not 0 <= seat < MAX_SEATS:
        raise ValueError(f"there is no seat {seat}")
    return GameView(seat, state.public, state.rolls[seat], state.choices[seat])


def redact(event: Event, seat: Seat | None) -> SeenEvent:
    """Leave of an event what a seat, or a spectator (None), may see. Never nothing."""
    match event:
        case GameStarted(seats, _, _, deal):
            return GameStartedSeen(seats, deal)
        case Dealt(deal, rolls):
            return DealtSeen(
                deal,
                tuple(roller for roller, _ in rolls),
                tuple(roller for roller, dice in rolls if is_sequoia(dice)),
                next((dice for roller, dice in rolls if roller == seat), None),
            )
        case Chosen(chooser, choice):
            return ChosenSeen(chooser, choice if chooser == seat else None)
        case _:
            return event


def fold(view: GameView, event: SeenEvent) -> GameView:
    """Apply a seen event to the view of the same viewer.

    Raises:
        ValueError: the event cannot follow here (see :mod:`sequoia_rules.phases`).
    """
    public = advance(view.public, event)
    dice, choice = view.dice, view.choice
    match event:
        case GameStartedSeen() | Revealed():
            dice, choice = None, None
        case DealtSeen():
            dice, choice = event.dice, None
        case ChosenSeen(seat) if seat == view.viewer:
            choice = event.choice
        case TakenBack(seat) if seat == view.viewer:
            choice = None
        case _:
            pass
    return GameView(view.viewer, public, dice, choice)
