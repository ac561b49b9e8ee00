"""What all screens share: keys that are told in the footer and in the help, a title, dialogs.

A screen names its keys once, in ``KEYS``; bindings, footer and help come from there, so that no
key works unseen and none is promised that does not work.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar

from textual.actions import parse
from textual.app import ComposeResult
from textual.await_complete import AwaitComplete
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.screen import ModalScreen, Screen
from textual.widget import Widget
from textual.widgets import Input, Static

from sequoia_tui.link import Link
from sequoia_tui.messages import HelpAsked
from sequoia_tui.themes import Glyphs, glyphs
from sequoia_tui.widgets.footer import FooterBar, KeyHint
from sequoia_tui.widgets.header import HeaderBar
from sequoia_tui.widgets.too_small import LEAST_HEIGHT, LEAST_WIDTH, TooSmall

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Key:
    """A key of a screen: what it is bound to, what it does, and how both are told.

    ``shown`` and ``label`` are for the footer; a key without a label is told in the help alone.
    A key that is ``first`` acts before the focused widget sees it, and before the next key.
    """

    bound: str
    action: str
    shown: str
    label: str
    help: str
    first: bool = False


def bindings(keys: Iterable[Key]) -> list[BindingType]:
    """Make the toolkit's bindings of keys."""
    return [
        Binding(key.bound, key.action, key.help, show=False, priority=key.first)
        for key in keys
        if key.bound
    ]


HELP = Key("question_mark,f1", "help", "?", "help", "This help")


class BackAsked(Message):
    """The player wants to go back to where they came from."""


def glyphs_of(widget: Widget) -> Glyphs:
    """Give the signs that this terminal can show."""
    return glyphs(ascii=bool(getattr(widget.app, "ascii", False)))


class Line(Static):
    """A line or a few that change seldom; the same text again is not drawn again."""

    def __init__(
        self,
        content: Content | str = "",
        *,
        id: str | None = None,
        classes: str | None = None,
    ) -> None:
        super().__init__(content, id=id, classes=classes, markup=False)
        self._shown = Content(content) if isinstance(content, str) else content

    def show(self, content: Content | str) -> None:
        """Show another text."""
        new = Content(content) if isinstance(content, str) else content
        if not new.is_same(self._shown):
            self._shown = new
            self.update(new)


class TitleBar(HeaderBar):
    """The first line, on screens without a link as well."""

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__(glyphs, id="header")
        self._place: tuple[str, str] | None = ("", "")

    def show_place(self, place: str, asked: str = "", link: Link | None = None) -> None:
        """Show where one is and what is asked. What comes from others must be clean already."""
        self._place = (place, asked) if link is None else None
        if link is None:
            self.redraw()
        else:
            self.show(place, asked, link)

    def draw(self, width: int, height: int) -> Sequence[Content]:
        if self._place is None:
            return super().draw(width, height)
        bar = (f" {self.glyphs.bar} ", "$faint")
        line = Content.styled(" SEQUOIA", "bold $accent-ink")
        for text in self._place:
            if text:
                line = Content.assemble(line, bar, (text, "$ink"))
        return [line]


class BaseScreen(Screen[None]):
    """A screen with a title above, its keys below, and its own matter between."""

    KEYS: ClassVar[tuple[Key, ...]] = ()
    NAME: ClassVar[str] = ""
    """What the help calls this screen."""
    HORIZONTAL_BREAKPOINTS = [
        (0, "-tiny"),
        (LEAST_WIDTH, "-narrow"),
        (80, "-normal"),
        (100, "-wide"),
    ]
    VERTICAL_BREAKPOINTS = [
        (0, "-flat"),
        (LEAST_HEIGHT, "-low"),
        (24, "-high"),
        (36, "-higher"),
    ]
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("q", "quit_now", show=False),
    ]

    def compose(self) -> ComposeResult:
        signs = glyphs_of(self)
        self.set_class(signs.plain, "-ascii")
        yield TitleBar(signs)
        with Vertical(id="matter"):
            yield from self.matter()
        yield FooterBar(signs, id="footer")
        yield TooSmall(signs, id="too-small")

    def matter(self) -> ComposeResult:
        """Compose what is between title and keys."""
        raise NotImplementedError

    def on_mount(self) -> None:
        self.show_keys()

    @property
    def too_small(self) -> bool:
        """Whether there is no room for this screen."""
        return self.size.width < LEAST_WIDTH or self.size.height < LEAST_HEIGHT

    def can(self, action: str, parameters: tuple[object, ...]) -> bool:
        """Tell whether an action does something now."""
        del action, parameters
        return True

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if self.too_small or action == "quit_now":
            return self.too_small and action == "quit_now"
        return self.can(action, parameters)

    def show_keys(self) -> None:
        """Bring the footer up to date with what works now."""
        self.query_one(FooterBar).show(hints(self, self.KEYS))

    def show_place(self, place: str, asked: str = "", link: Link | None = None) -> None:
        """Show in the first line where one is, and what is asked."""
        self.query_one(TitleBar).show_place(place, asked, link)

    async def action_quit_now(self) -> None:
        await self.app.action_quit()

    def action_help(self) -> None:
        self.post_message(HelpAsked())

    def action_back(self) -> None:
        self.post_message(BackAsked())


class Dialog(ModalScreen[Result]):
    """A box over the screen. Each of its keys and buttons closes it at once."""

    KEYS: ClassVar[tuple[Key, ...]] = ()
    heading: str = ""

    def compose(self) -> ComposeResult:
        signs = glyphs_of(self)
        self.set_class(signs.plain, "-ascii")
        with Vertical(classes="box") as box:
            # Headings are our own words; a border title would read markup.
            box.border_title = self.heading
            yield from self.matter()
            yield FooterBar(signs, id="footer")

    def matter(self) -> ComposeResult:
        """Compose what is in the box, above its keys."""
        raise NotImplementedError

    def on_mount(self) -> None:
        self.query_one(FooterBar).show(hints(self, self.KEYS))

    def dismiss(self, result: Result | None = None) -> AwaitComplete:
        # Two presses may come before the dialog is gone; the toolkit would let the second one
        # take away whatever screen is on top by then.
        return super().dismiss(result) if self.app.screen is self else AwaitComplete()

    def action_close(self) -> None:
        self.dismiss(None)


class Field(Input):
    """An input line whose cursor does not blink: blinking writes to the terminal all the time.

    With ``all`` what stands there is selected at first, so that typing replaces it.
    """

    def __init__(
        self,
        value: str = "",
        *,
        placeholder: str = "",
        max_length: int = 0,
        all: bool = False,
        id: str | None = None,
    ) -> None:
        super().__init__(
            value, placeholder=placeholder, max_length=max_length, id=id, select_on_focus=all
        )
        self.cursor_blink = False


def hints(screen: Screen[Any], keys: Sequence[Key]) -> list[KeyHint]:
    """Pick the keys that belong into the footer: labelled, and able to do something now."""
    return [
        KeyHint(key.shown, key.label, key.action)
        for key in keys
        if key.label and works(screen, key)
    ]


def works(screen: Screen[Any], key: Key) -> bool:
    """Tell whether a key does something now."""
    if not key.action:
        return True
    _, name, parameters = parse(key.action)
    return screen.check_action(name, parameters) is True
