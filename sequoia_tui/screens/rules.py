"""The rules in brief. What is a ruling of this project, not the published text, is marked."""

from __future__ import annotations

from collections import Counter
from typing import Final

from sequoia_rules.values import FIRST_TOKENS, SECOND_TOKENS
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content

from sequoia_tui.screens.base import Dialog, Key, Line, bindings, glyphs_of
from sequoia_tui.themes import Glyphs

_TEXT: Final[tuple[tuple[str, tuple[str, ...]], ...]] = (
    (
        "The aim",
        (
            "Two to five players grow trees in eleven forests, numbered 2 to 12. Who has the most "
            "trees in a forest takes its first token, who has the second most its second token. "
            "Most points on tokens win.",
        ),
    ),
    (
        "The forests",
        (
            "Each forest holds one first and one second token, dealt face down. Nobody knows what "
            "they are worth before the final count, not even of a token already won.",
            "* Spectators do not know either.",
        ),
    ),
    (
        "A round, ten times",
        (
            "Everybody rolls five dice at the same time, in secret.",
            "Make two pairs of four of the dice; the fifth is left out. All choices are revealed "
            "together, and each pair plants one tree in the forest of its sum.",
            "* Two equal sums plant both trees in that one forest.",
            "* Until the last player has chosen, a choice may be taken back and made anew.",
        ),
    ),
    (
        "Sequoia!",
        (
            "Five equal dice: it is called out, and each die may be turned to any face.",
            "* The table hears the call at once, but not the value. None, some or all dice may be "
            "turned, and turned again until the reveal; in tie-breaks too.",
        ),
    ),
    (
        "Scoring",
        (
            "After ten rounds all twenty trees of each player stand. Most trees in a forest take "
            "the first token, second most the second.",
            "* Only who has a tree there can take a token; one that nobody claims counts for "
            "nobody.",
            "A tie for most: everybody else leaves that forest, and the tied players play for "
            "both tokens. A tie for second: the leader takes the first token, and the tied "
            "players play for the second.",
        ),
    ),
    (
        "Tie-breaks",
        (
            "* All who are tied anywhere roll five dice once, at the same time, and plant up to "
            "two trees by pairs that share no die, in different forests, only where they are "
            "tied. Fewer, or none, is allowed.",
            "* Who can plant none chooses none without being asked.",
            "Then every tied forest is scored again, until no token is left to win.",
            "* Among the players still tied: a single leader takes the first token and the others "
            "go on for the second; a tie that narrows drops those below it.",
            "* Tie-break trees are not limited by the twenty. A forest still tied after a hundred "
            "tie-breaks keeps its tokens.",
        ),
    ),
    (
        "The count",
        (
            "All tokens turn over. Most points win.",
            "* Equal points share the place; players equal at the top share the win. Tokens that "
            "nobody claimed turn over too and count for nobody.",
        ),
    ),
)


class RulesDialog(Dialog[None]):
    """All the rules, scrollable, with the tokens of the box as a reminder of the odds."""

    heading = "The rules of Sequoia"
    KEYS = (
        Key("", "", "↑↓", "scroll", ""),
        Key("escape,enter,r,q", "close", "Esc", "close", ""),
    )
    BINDINGS = bindings(KEYS)

    def on_mount(self) -> None:
        self.add_class("-page")

    def matter(self) -> ComposeResult:
        yield VerticalScroll(Line(_rules(glyphs_of(self))), can_focus=True)


def _rules(signs: Glyphs) -> Content:
    parts = [
        Content.assemble(
            "What is marked ",
            (f"{_ruling(signs)} ", "bold $accent"),
            "is a ruling of this program, where the published text is silent or contradicts "
            "itself. An unofficial Sequoia: designed by Chad DeShon, published by Board Game "
            "Tables / Allplay.",
        )
    ]
    for index, (head, paragraphs) in enumerate(_TEXT):
        parts.append(Content.styled(head, "bold $accent-ink"))
        if index == 1:
            first = _tokens("First tokens ", FIRST_TOKENS)
            second = _tokens("Second tokens", SECOND_TOKENS)
            parts.append(Content("\n").join([first, second]))
        for paragraph in paragraphs:
            if paragraph.startswith("* "):
                parts.append(
                    Content.assemble((f"{_ruling(signs)} ", "bold $accent"), paragraph[2:])
                )
            else:
                parts.append(Content(paragraph))
    return Content("\n\n").join(parts)


def _ruling(signs: Glyphs) -> str:
    return "[ruling]" if signs.plain else "§"


def _tokens(name: str, values: tuple[int, ...]) -> Content:
    counts = sorted(Counter(values).items())
    worth = "  ".join(f"{count}x{value}" for value, count in counts)
    return Content.assemble((f"{name}  ", "$dim"), worth, (f"  = {sum(values)}", "$dim"))
