"""What a friend has to type to reach this machine."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from collections.abc import Iterable
from typing import Final

from sequoia_protocol import DEFAULT_PORT

_LOOKUP_TIMEOUT: Final = 1.0
_ANY: Final = {"0.0.0.0", "::"}
# Addresses of the documentation: nothing is sent, the system only picks the way there.
_SOMEWHERE: Final = (
    (socket.AF_INET, "192.0.2.1"),
    (socket.AF_INET6, "2001:db8::1"),
)


async def invitations(listening: Iterable[tuple[str, int]]) -> list[str]:
    """Give what goes behind ``sequoia-tui --host`` for each address a server listens on.

    An address that stands for all gives those of this machine; its loopback only if there is
    nothing else.
    """
    hosts: dict[tuple[str, int], None] = {}
    for address, port in listening:
        if address in _ANY:
            only_four = address != "::"
            for own in await _own_addresses(only_four=only_four):
                hosts[own, port] = None
        else:
            hosts[address, port] = None
    return [invitation(host, port) for host, port in hosts]


def invitation(host: str, port: int) -> str:
    """Write an address as ``sequoia-tui --host`` takes it; the default port need not be said."""
    shown = f"[{host}]" if ":" in host else host
    return shown if port == DEFAULT_PORT else f"{shown}:{port}"


async def _own_addresses(*, only_four: bool) -> list[str]:
    found = [address for family, far in _SOMEWHERE if (address := _way_to(family, far))]
    try:
        loop = asyncio.get_running_loop()
        named = await asyncio.wait_for(
            loop.getaddrinfo(socket.gethostname(), None, type=socket.SOCK_STREAM), _LOOKUP_TIMEOUT
        )
        found += [str(address[0]) for _, _, _, _, address in named]
    except (OSError, TimeoutError):
        pass
    usable = [
        address
        for address in dict.fromkeys(found)
        if _is_reachable(address) and not (only_four and ":" in address)
    ]
    return usable or ["127.0.0.1"]


def _way_to(family: socket.AddressFamily, far: str) -> str | None:
    """Give the address from which this machine would speak to a far one."""
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as sock:
            sock.connect((far, 9))
            return str(sock.getsockname()[0])
    except OSError:
        return None


def _is_reachable(address: str) -> bool:
    """Tell whether others may reach an address; a link-local one needs a zone to be typed."""
    ip = ipaddress.ip_address(address)
    return not (ip.is_loopback or ip.is_link_local or ip.is_unspecified)
