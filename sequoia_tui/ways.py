"""The ways to servers: what a plan needs to become a visit, and which kept seat it leads to."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sequoia_tui import sentences
from sequoia_tui.address import Address, parse_address
from sequoia_tui.connection import Connection
from sequoia_tui.ear import Ear
from sequoia_tui.listener import Place, SeatKey
from sequoia_tui.plans import GoToServer, HostTable, Plan, PlaySolo, ReturnToGame
from sequoia_tui.seats import KeptSeat, SeatKeeper, Seats, Where
from sequoia_tui.solo import CannotHost, LocalServer
from sequoia_tui.transports import Transport
from sequoia_tui.transports.websocket import WebSocketTransport
from sequoia_tui.visit import Visit


class Ways:
    """Makes visits; ``say`` tells the player what is worth knowing of one."""

    def __init__(self, seats: Seats, server: LocalServer, say: Callable[[str], None]) -> None:
        self._seats = seats
        self._server = server
        self._say = say

    def kept_at(self, host: str, code: str = "") -> KeptSeat | None:
        """Find the newest seat that waits at a server, in any room or in a certain one."""
        for kept in self._seats.offered():
            is_here = kept.where is Where.SERVER and kept.host.lower() == host.lower()
            if is_here and code.upper() in ("", kept.seat.code):
                return kept
        return None

    def by_kept_seat(self, plan: Plan, name: str | None) -> Plan:
        """Go back as the person one was, if one wants into the room where that one's seat is.

        ``name`` is the one to play under, None if none is known.
        """
        if not isinstance(plan, GoToServer) or not plan.code or plan.watch:
            return plan
        kept = self.kept_at(plan.address.shown, plan.code)
        # Friends may play under one account of a machine: a name tells them apart.
        if kept is None or name not in (None, kept.name):
            return plan
        return ReturnToGame(kept)

    async def visit(self, plan: Plan, name: str, ear: Ear) -> Visit | None:
        """Make the visit that a plan asks for; None if the kept seat cannot be had now.

        Raises:
            CannotHost: friends cannot come to this machine.
        """
        match plan:
            case PlaySolo():
                return await self._visit_here(Where.SOLO, name, ear)
            case HostTable():
                return await self._visit_here(Where.TABLE, name, ear)
            case GoToServer(address, _, watch):
                keeper = SeatKeeper(self._seats, Where.SERVER, address.shown)
                return _visit_at(address, name, ear, keeper, watch=watch)
            case ReturnToGame(KeptSeat(Where.SERVER, host) as kept):
                keeper = SeatKeeper(self._seats, Where.SERVER, host)
                now = keeper.take(kept)
                if now is None:
                    return None
                return _visit_at(parse_address(host), name, ear, keeper, seat=now.seat)
            case ReturnToGame(kept):
                return await self._visit_here(kept.where, name, ear, kept)

    async def _visit_here(
        self, where: Where, name: str, ear: Ear, kept: KeptSeat | None = None
    ) -> Visit | None:
        """Visit the server inside this program."""
        server = self._server
        place = await server.place("solo" if where is Where.SOLO else "this machine")
        keeper = SeatKeeper(self._seats if server.keeps else None, where)
        seat = None
        if kept is not None:
            # Without a journal of its own this window cannot have that game: another one has it.
            now = keeper.take(kept)
            if now is None:
                return None
            seat = now.seat
        if not server.keeps:
            self._say(sentences.IN_MEMORY)
        hosts: tuple[str, ...] = ()
        if where is Where.TABLE:
            try:
                hosting = await server.open_to_network()
            except CannotHost:
                keeper.release()
                raise
            hosts = hosting.hosts
            if hosting.moved:
                self._say(f"The usual port is taken; this table is at {hosting.port}.")
        return _visit(place, name, ear, keeper, seat=seat, hosts=hosts)


def _visit_at(
    address: Address,
    name: str,
    ear: Ear,
    keeper: SeatKeeper,
    *,
    seat: SeatKey | None = None,
    watch: bool = False,
) -> Visit:
    """Visit a server by its address."""

    def dial() -> Transport:
        return WebSocketTransport(address)

    place = Place(address.shown, dial)
    return _visit(place, name, ear, keeper, seat=seat, hosts=(address.shown,), watch=watch)


def _visit(
    place: Place,
    name: str,
    ear: Ear,
    keeper: SeatKeeper,
    *,
    seat: SeatKey | None,
    hosts: Sequence[str],
    watch: bool = False,
) -> Visit:
    connection = Connection(place, name, ear, seat=seat)
    visit = Visit(connection, keeper, watch=watch, hosts=hosts, returns=seat is not None)
    ear.visit = visit
    return visit
