"""Where a server is, as a person types it: ``oak.local``, ``10.0.0.5:7000``, ``[::1]:7378``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from ipaddress import AddressValueError, IPv6Address

from sequoia_protocol import DEFAULT_PORT

_SCHEMES = {"ws://": False, "wss://": True}
_HOST = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9_.-]{0,251}[A-Za-z0-9_.])?")


class BadAddress(ValueError):
    """What was typed names no server; the message is a sentence for a person."""


@dataclass(frozen=True, slots=True)
class Address:
    """A host and a port; ``tls`` only if it was asked for with ``wss://``."""

    host: str
    port: int = DEFAULT_PORT
    tls: bool = False

    @property
    def shown(self) -> str:
        """The address as short as it can be typed again."""
        host = f"[{self.host}]" if ":" in self.host and self.port != DEFAULT_PORT else self.host
        shown = host if self.port == DEFAULT_PORT else f"{host}:{self.port}"
        return f"wss://{shown}" if self.tls else shown

    @property
    def uri(self) -> str:
        """The address as a URI, without the scope that only this machine understands."""
        host = self.host.partition("%")[0]
        host = f"[{host}]" if ":" in host else host
        return f"{'wss' if self.tls else 'ws'}://{host}:{self.port}/"


def parse_address(text: str) -> Address:
    """Read ``HOST[:PORT]``, with an IPv6 address in brackets or, without a port, bare.

    >>> parse_address("oak.local:7000")
    Address(host='oak.local', port=7000, tls=False)
    >>> parse_address("::1").uri
    'ws://[::1]:7378/'

    Raises:
        BadAddress: it is none of these.
    """
    rest, tls = text.strip(), False
    for scheme, secure in _SCHEMES.items():
        if rest.lower().startswith(scheme):
            rest, tls = rest[len(scheme) :].rstrip("/"), secure
    if not rest:
        raise BadAddress("An address is needed, as in oak.local or 192.168.1.5:7378.")
    if "://" in rest:
        raise BadAddress("Write only the name or number of the machine, as in oak.local.")
    if rest.startswith("["):
        host, bracket, tail = rest[1:].partition("]")
        if not bracket or (tail and not tail.startswith(":")) or not _is_ipv6(host):
            raise BadAddress("That is no IPv6 address: write it as in [::1]:7378.")
        return Address(host, _port(tail[1:]) if tail else DEFAULT_PORT, tls)
    if _is_ipv6(rest):
        return Address(rest, tls=tls)
    host, colon, port = rest.partition(":")
    if not _HOST.fullmatch(host):
        raise BadAddress("That is no address: write a name or a number, as in oak.local.")
    return Address(host, _port(port) if colon else DEFAULT_PORT, tls)


def _is_ipv6(text: str) -> bool:
    try:
        IPv6Address(text)
    except AddressValueError:
        return False
    return True


def _port(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 1 <= int(text) <= 65535):
        raise BadAddress("A port is a number from 1 to 65535.")
    return int(text)
