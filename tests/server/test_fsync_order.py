"""No answer and no event leaves the real server before the sync of its facts has returned.

strace looks at every write and sync of the process, and each message that a player got is looked
for among the writes to the socket.
"""

import asyncio
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from sequoia_protocol.codec import decode_server
from sequoia_protocol.messages import (
    AddBot,
    Answer,
    Chat,
    CreateRoom,
    Done,
    Entered,
    Ready,
    Start,
    TakeChoiceBack,
    Update,
)
from sequoia_protocol.room import Chatted, RoomSettings
from sequoia_server.facts import Answered, Entry, KeyIssued, encode_facts
from sequoia_server.keys import digest_of

from tests.kit import Player, ServerProcess
from tests.server import strace
from tests.server.strace import Began, Step

SHOWN = 1 << 16
"""Bytes of each write that the trace shows: more than any message has."""

pytestmark = pytest.mark.skipif(strace.MISSING, reason="there is no strace on this machine")


async def test_what_is_sent_was_stored_before(tmp_path: Path) -> None:
    sent, hasty = await traced(tmp_path, "tests.scripted_server")
    assert sent > 20
    assert hasty == []


async def test_a_server_that_acknowledges_before_its_commit_is_found_out(tmp_path: Path) -> None:
    sent, hasty = await traced(tmp_path, "tests.server.hasty_server")
    assert len(hasty) > sent / 2


async def traced(directory: Path, module: str) -> tuple[int, list[str]]:
    """Play on a server under strace; give how many things were sent, and which too early."""
    log = directory / "trace"
    local = ("--bind", "127.0.0.1", "--port", "0", "--data", str(directory / "data"))
    with ServerProcess(
        "7", *local, module=module, under=strace.command(log, shown=SHOWN)
    ) as server:
        if not server.ready:
            pytest.skip("strace may not look at processes here")
        player = await play(server.port)
        os.kill(child_of(server.process.pid), signal.SIGTERM)
        await player.until_closed()
        status, _, _ = await asyncio.to_thread(server.wait)
    assert status == 0
    steps = strace.read_trace(log)
    facts = [
        (at, name, fact) for at, frame in sends(steps, player) for name, fact in told(player, frame)
    ]
    return len(facts), [name for at, name, fact in facts if not strace.is_synced(steps, fact, at)]


def child_of(tracer: int) -> int:
    """Give the process that strace has started: a signal to strace itself would not reach it."""
    children = Path(f"/proc/{tracer}/task/{tracer}/children").read_text(encoding="ascii")
    return int(children.split()[0])


async def play(port: int) -> Player:
    """Play some rounds: every kind of command that a round has, and those before it."""
    player = await Player.on_socket(port, "Ana")
    settings = RoomSettings(public=True, seats=2, clock=60)
    player.entered(await player.command(CreateRoom(settings)))
    for request in (AddBot(1), Chat("Good luck!"), Ready(True), Start()):
        assert isinstance(await player.command(request), Done)
    for number in range(5):
        await player.until(lambda: bool(player.choices))
        deal = player.here.deal
        assert isinstance(await player.choose(player.choices[0]), Done)
        if number == 2 and player.here.deal == deal:
            await player.command(TakeChoiceBack(), deal=deal)
            if player.here.deal == deal:
                await player.choose(player.choices[-1])
        await player.until(lambda deal=deal: player.here.deal > deal)  # type: ignore[misc]
        await player.command(Chat(f"That was round {number}."))
    return player


def sends(steps: list[Step], player: Player) -> Iterator[tuple[int, bytes]]:
    """Find where each message that the player got was sent, in order."""
    at = 0
    for frame in player.frames:
        while True:
            step = steps[at]
            if isinstance(step, Began) and step.path.startswith("socket") and frame in step.data:
                break
            at += 1
        yield at, frame


def told(player: Player, frame: bytes) -> Iterator[tuple[str, bytes]]:
    """Give what a message tells, by name, and the facts that must be stored before it is sent."""
    message = decode_server(frame)
    if not isinstance(message, Update):
        return
    for answer in message.answers:
        yield from told_by_answer(player, answer)
    for number in range(message.number, message.number + len(message.events)):
        yield f"event {number}", entry(number)


def told_by_answer(player: Player, answer: Answer) -> Iterator[tuple[str, bytes]]:
    match answer:
        case Done():
            fact = Answered(player.here.you, player.nonce, answer.id, answer)
            yield f"answer {answer.id}", encode_facts([fact])[1:]
        case Entered(_, key, view):
            yield "seat key", encode_facts([KeyIssued(view.you, digest_of(key))])[1:]
            for number in range(1, view.number + 1):
                yield f"event {number} in a view", entry(number)
        case _:
            pass


def entry(number: int) -> bytes:
    """Give the beginning of an event's entry in the journal: all but the event itself."""
    whole = encode_facts([Entry(number, Chatted(0, "", ""))])
    return whole[1 : whole.index(b"event")]
