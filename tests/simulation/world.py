"""One seeded world: a server that crashes, a disk that fills, and tables full of people."""

from __future__ import annotations

import hashlib
import random
from collections import Counter, deque
from dataclasses import dataclass, field

from sequoia_protocol.messages import Entered, Record, Resumed, ServerMessage, Update
from sequoia_protocol.room import RoomSettings
from sequoia_rules.record import write_record
from sequoia_server.links import Link
from sequoia_server.settings import Settings

from tests.kit import LivelyEntropy
from tests.simulation.board import Broken, broken
from tests.simulation.client import Client
from tests.simulation.disk import Disk, SimulatedJournal, digest
from tests.simulation.faults import Faults, Met
from tests.simulation.loop import Process, ServerLoop, Timeline
from tests.simulation.network import ServerEnd, Wire
from tests.simulation.people import CLOCKS, Human, Plan
from tests.simulation.watch import Watch, WatchedHost, errors_are_broken

PATIENCE = 4 * 3600.0
"""Seconds after the last fault within which every game must have come to its end."""

MOST_STEPS = 500_000
"""Steps within which a world must have come to its end."""

MOST_AT_ONCE = 5_000
"""Steps that can follow each other while no time passes."""

_NAMES = ("Ana", "Bo", "Cleo", "Dan", "Eve", "Fay", "Gus")
_LOG = 400


@dataclass
class Outcome:
    """What came of a world. ``log`` are the last things that happened, if a promise was broken."""

    seed: int
    games: int = 0
    steps: int = 0
    digest: str = ""
    met: Met = field(default_factory=Counter)
    deeds: Counter[str] = field(default_factory=Counter)
    broken: str = ""
    invariant: str = ""
    log: tuple[str, ...] = ()


def plans_of(rng: random.Random) -> list[Plan]:
    """Draw the tables of a world."""
    plans = []
    for _ in range(rng.choice((1, 1, 2, 3))):
        seats = rng.randint(2, 5)
        settings = RoomSettings(
            public=rng.random() < 0.5,
            seats=seats,
            spectators=rng.random() < 0.8,
            clock=rng.choice(CLOCKS),
        )
        watchers = rng.choice((0, 0, 1)) if settings.spectators else 0
        plans.append(Plan(settings, rng.choice((1, 1, 2)), rng.randint(1, seats), watchers))
    return plans


def games_of(seed: int) -> int:
    """Tell how many games the world of a seed plays."""
    return sum(plan.games for plan in plans_of(random.Random(f"{seed} plans")))


class World:
    """Everything there is, from one seed. The same seed gives the same log, to the byte."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.rng = random.Random(f"{seed} world")
        self.timeline = Timeline(random.Random(f"{seed} ties"))
        self.timeline.after_step = self._stepped
        self.settings = Settings(
            checkpoint_after=self.rng.choice((3, 12, 60, 256)),
            bot_delay=self.rng.choice(((0.8, 2.4), (0.01, 0.05))),
        )
        low = self.rng.choice((0.001, 0.005, 0.05))
        self.disk = Disk(latency=(low, low * self.rng.choice((2, 6))))
        self.watch = Watch(self.disk, self.settings.grace)
        self.plans = plans_of(random.Random(f"{seed} plans"))
        self.deeds: Counter[str] = Counter()
        self._entropy = LivelyEntropy(
            self.rng.getrandbits(32), sequoia=self.rng.choice((0.02, 0.08)), delay_scale=1.0
        )
        self._hash = hashlib.sha256()
        self._log: deque[tuple[object, ...]] = deque(maxlen=_LOG)
        self._process = Process()
        self._process.is_alive = False
        self._journal: SimulatedJournal | None = None
        self._host: WatchedHost | None = None
        self._wires: list[Wire] = []
        self._crash_in: int | None = None
        self._crash_down = 0.0
        self._programs = 0
        self._start_server()
        self.humans = [
            Human(
                f"{_NAMES[number]} {table + 1}",
                plan,
                self.timeline,
                rng=random.Random(f"{seed} {table} {number}"),
                start=self._start_client,
                deeds=self.deeds,
                loyal=number == 0,
                watches=number >= plan.players,
            )
            for table, plan in enumerate(self.plans)
            for number in range(plan.players + plan.watchers)
        ]
        number = sum(self.rng.randint(3, 10) * plan.games for plan in self.plans)
        self.faults = Faults(self, random.Random(f"{seed} faults"), number)

    def play(self) -> Outcome:
        """Play every game to its end.

        Raises:
            Broken: a promise does not hold.
        """
        quiet_since: float | None = None
        timeline = self.timeline
        moment, steps = -1.0, 0
        while not all(plan.is_done for plan in self.plans):
            if not timeline.step():
                broken("nobody waits for ever", "nothing is left to happen")
            if timeline.now > moment + 0.001:
                moment, steps = timeline.now, timeline.steps
            elif timeline.steps > steps + MOST_AT_ONCE:
                broken("nobody waits for ever", "the server turns round and round")
            if timeline.steps > MOST_STEPS:
                broken("nobody waits for ever", "there is no end to it")
            if quiet_since is None:
                if self.faults.are_over:
                    quiet_since = timeline.now
            elif timeline.now > quiet_since + PATIENCE:
                broken("nobody waits for ever", f"{[plan.finished for plan in self.plans]} games")
        self._settle()
        return self.outcome()

    def outcome(self) -> Outcome:
        games = sum(plan.finished for plan in self.plans)
        met, steps = self.faults.met, self.timeline.steps
        return Outcome(self.seed, games, steps, self._hash.hexdigest(), met, self.deeds)

    def log(self) -> tuple[str, ...]:
        """Write the last things that happened as text."""
        return tuple(f"{at:10.3f} {' '.join(map(str, what))}" for at, *what in self._log)

    def note(self, *what: object) -> None:
        """Put something into the log."""
        self._log.append((self.timeline.now, *what))

    def _settle(self) -> None:
        """Let everybody come back, and see that all have the same picture in the end."""
        self.faults.left = 0
        end = self.timeline.now + 150.0
        while self.timeline.now < end and self.timeline.step():
            pass
        for human in self.humans:
            client = human.client
            wire = self.wire(human)
            if client.view is None or wire is None or wire.lag:
                continue
            truth = self.watch.rooms.get(client.view.room.code)
            waits = self.on_its_way(client.view.room.code)
            # Something may always be on its way: what was told last must not be long ago.
            if truth is None or (truth.number - client.view.number > 3 and not waits):
                broken("what was missed is told", f"{client.name} sees {client.view.number}")

    # The server

    @property
    def is_up(self) -> bool:
        """Whether the server runs, has run for a moment, and nothing is about to happen to it."""
        alive = self._process.is_alive and self._crash_in is None
        return alive and self._process.suspended_until + 2.0 <= self.timeline.now

    def on_its_way(self, code: str) -> list[type[object]]:
        """Give the kinds of a room's events that are not committed yet."""
        if not self._process.is_alive or self._journal is None:
            return []
        return self._journal.waiting_of(code)

    def crash_after(self, steps: int, downtime: float) -> None:
        """Kill the server when it has done so many things more."""
        self._crash_in, self._crash_down = steps, downtime
        if steps == 0:
            self._crash()

    def shut_down(self, downtime: float) -> None:
        """Stop the server in good order."""
        host, process = self._host, self._process
        assert host is not None
        self._crash_in = 10**9

        def stored() -> None:
            self.timeline.at(self.timeline.now + 0.05, self._stop, process, downtime)

        host.close(stored)

    def suspend(self, seconds: float) -> None:
        """Let the server's process stand, as if nothing had happened afterwards."""
        now = self.timeline.now
        self._process.suspended_until = now + seconds
        self.watch.fuzz += 1.5
        if seconds > 1.0:
            self.watch.stand(now)
            self.timeline.at(now + seconds, self._go_on, self._process)
        self.note("suspended", seconds)

    def fill_disk(self, seconds: float) -> None:
        """Let nothing be stored for a while."""
        self.disk.full_until = self.timeline.now + seconds

    def _start_server(self) -> None:
        now = self.timeline.now
        process = self._process = Process()
        self._crash_in = None
        journal = self._journal = SimulatedJournal(
            self.disk, self.timeline, process, random.Random(self.rng.getrandbits(32))
        )
        journal.on_stall = self._stalled
        journal.on_finished = self._finished
        self.watch.run(now, self.disk.clock)
        self.note("server starts", f"{self.disk.clock:.3f}")
        self._host = WatchedHost(
            self.settings,
            self._entropy,
            journal,
            ServerLoop(self.timeline, process),
            lambda: "2026-11-30 23:15 UTC",
            watch=self.watch,
            now=lambda: self.timeline.now,
        )

    def _crash(self) -> None:
        self.note("server is killed")
        self._stop(self._process, self._crash_down)

    def _stop(self, process: Process, downtime: float) -> None:
        if not process.is_alive or process is not self._process:
            return
        now = self.timeline.now
        assert self._journal is not None
        self._journal.crash()
        process.is_alive = False
        # A round that nobody was told of, or that still stood, has lost nothing.
        times = [truth.time for truth in self.disk.known.values()]
        runs = any(time.zero is not None and time.stopped is None for time in times)
        lost = self.watch.clock(now) - self.disk.clock
        allowed = 1.3 + 3 * self.disk.latency[1] + self.watch.fuzz
        if runs and lost > allowed and self._journal.has_room:
            broken("a crash gives back what it took", f"{lost:.3f} s")
        self.watch.stand(now)
        self.watch.crashed()
        self._crash_in = None
        for wire in self._wires:
            wire.die()
        self._wires.clear()
        self.timeline.at(now + downtime, self._start_server)

    def _stalled(self, stalled: bool) -> None:
        self.note("disk is full" if stalled else "disk has room")
        if stalled:
            self.watch.stand(self.timeline.now)
        else:
            self.watch.run(self.timeline.now)

    def _finished(self, code: str) -> None:
        self.note("a game is over in", code)
        for plan in self.plans:
            plan.finished += plan.code == code

    def _go_on(self, process: Process) -> None:
        still = process.suspended_until > self.timeline.now
        room = self._journal is not None and self._journal.has_room
        if process.is_alive and room and not still:
            self.watch.run(self.timeline.now)

    def _stepped(self, process: Process) -> None:
        if process is not self._process:
            return
        if self._crash_in is not None:
            if self._crash_in == 0:
                self._crash()
                return
            self._crash_in -= 1
        self.faults.look()

    # The clients

    def wire(self, human: Human) -> Wire | None:
        """Give the link that a person's program has, if it is up."""
        client = human.client
        wire = client.cable
        up = client.process.is_alive and client.is_online
        return wire if up and isinstance(wire, Wire) and not wire.is_cut else None

    def _start_client(self, human: Human) -> Client:
        self._programs += 1
        nonce = f"{self.seed:08d}-{self._programs:08d}"
        rng = random.Random(f"{self.seed} client {self._programs}")
        name = human.shown_name
        client = Client(name, nonce, human.pocket, self.timeline, rng=rng, dial=self._dial)
        client.on_update = self._seen
        client.on_refused = self._refused
        self.note(name, "starts")
        return client

    def _dial(self, client: Client) -> Wire | None:
        host = self._host
        if not self._process.is_alive or host is None:
            return None
        wire = Wire(self.timeline, self.rng, client, self._process, self._sent)
        wire.duplicates_next = self.rng.random() < 0.05
        wire.accept(host.open(ServerEnd(wire)))
        wire.on_received = self._received
        self._wires = [other for other in self._wires if not other.is_cut]
        self._wires.append(wire)
        return wire

    def _received(self, wire: Wire, data: bytes) -> None:
        self._hash.update(b"%.6f" % self.timeline.now)
        self._hash.update(data)
        self._log.append((self.timeline.now, wire.client.name, "->", data))

    def _sent(self, wire: Wire, data: bytes, message: ServerMessage) -> None:
        """Look at what leaves the server: nothing may that is not stored."""
        self._hash.update(b"%.6f" % self.timeline.now)
        self._hash.update(data)
        self._log.append((self.timeline.now, wire.client.name, "<-", message))
        journal, client = self._journal, wire.client
        if not isinstance(message, Update) or journal is None or wire.link is None:
            return
        link: Link = wire.link
        if link.connection.place is not None:
            wire.code = link.connection.place.code
        for answer in message.answers:
            early = (client.nonce, answer.id) in journal.pending_commands
            if isinstance(answer, Entered | Resumed):
                early = early or digest(answer.key) in journal.pending_digests
            if early:
                broken("acknowledged means durable", f"{client.name} got {answer}")
            if isinstance(answer, Entered):
                wire.code = answer.view.room.code
            if isinstance(answer, Record):
                self._check_record(wire.code, answer.text)
        known = self.disk.known.get(wire.code)
        last = message.number + len(message.events) - 1
        if message.events and known is not None and last > known.number:
            broken("shown means durable", f"{client.name} got event {last}")

    def _check_record(self, code: str, text: str) -> None:
        records = [record for of, record in self.disk.records if of == code]
        if not records or write_record(records[-1]) != text:
            broken("a finished game is recorded", f"another text than was stored for {code}")

    def _refused(self, client: Client) -> None:
        """See that nobody is turned away whose seat is still there."""
        pocket = client.pocket
        truth = self.disk.known.get(pocket.code)
        if truth is not None and truth.state.person(pocket.person) is not None:
            broken("a seat key stays good", f"{client.name} is not let back into {pocket.code}")

    def _seen(self, client: Client) -> None:
        """See that what a client makes of all it was told is what its person may see."""
        view = client.view
        if view is None:
            return
        past = self.watch.history.get(view.room.code)
        if past is None:
            if view.room.code in self.disk.known:
                broken("nothing that was shown is lost", f"{client.name} was in {view.room.code}")
            return
        truth = past.get(view.number)
        if truth is None:
            broken("nothing that was shown is lost", f"{client.name} has seen {view.number}")
        if truth.view(view.you) != view:
            broken("everybody sees what is so", f"{client.name} at {view.number}")


def play(seed: int) -> Outcome:
    """Play the world of a seed, and tell what came of it."""
    world: World | None = None
    with errors_are_broken():
        try:
            world = World(seed)
            return world.play()
        except Broken as found:
            text, invariant = str(found), found.invariant
        except Exception as error:  # noqa: BLE001  (whatever it is, it has a seed)
            text, invariant = f"{type(error).__name__}: {error}", "no code fails"
    outcome = Outcome(seed) if world is None else world.outcome()
    outcome.broken, outcome.invariant = text, invariant
    outcome.log = () if world is None else world.log()
    return outcome
