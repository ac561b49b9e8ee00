"""What a friend has to type."""

import socket

import pytest
from sequoia_server import addresses
from sequoia_server.addresses import invitation, invitations


@pytest.mark.parametrize(
    ("host", "port", "typed"),
    [
        ("192.168.1.7", 7378, "192.168.1.7"),
        ("192.168.1.7", 7000, "192.168.1.7:7000"),
        ("fd00::1", 7378, "[fd00::1]"),
        ("fd00::1", 7000, "[fd00::1]:7000"),
    ],
)
def test_the_port_is_said_only_if_it_is_not_the_usual_one(host: str, port: int, typed: str) -> None:
    assert invitation(host, port) == typed


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> dict[object, str | None]:
    """A machine whose way out and whose name lead to what a test says."""
    ways: dict[object, str | None] = {}
    named = ["127.0.1.1", "10.0.0.5", "fe80::1", "::1", "192.168.1.7"]
    monkeypatch.setattr(addresses, "_way_to", lambda family, far: ways.get(family))
    monkeypatch.setattr(
        socket,
        "getaddrinfo",
        lambda *_, **__: [(0, 0, 0, "", (address, 0)) for address in named],
    )
    return ways


async def test_every_address_of_the_machine_that_others_can_reach_is_given_once(
    machine: dict[object, str | None],
) -> None:
    machine.update({socket.AF_INET: "192.168.1.7", socket.AF_INET6: "fd00::1"})
    assert await invitations([("::", 7378)]) == ["192.168.1.7", "[fd00::1]", "10.0.0.5"]
    assert await invitations([("0.0.0.0", 7378)]) == ["192.168.1.7", "10.0.0.5"]


async def test_bound_to_one_address_it_is_the_one(machine: dict[object, str | None]) -> None:
    del machine
    assert await invitations([("127.0.0.1", 7378)]) == ["127.0.0.1"]
    assert await invitations([("::1", 99)]) == ["[::1]:99"]


async def test_with_nothing_else_it_is_the_loopback(
    machine: dict[object, str | None], monkeypatch: pytest.MonkeyPatch
) -> None:
    del machine

    def unknown(*_: object, **__: object) -> None:
        raise socket.gaierror

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    assert await invitations([("::", 7378)]) == ["127.0.0.1"]


def test_the_way_out_is_an_address_of_this_machine() -> None:
    assert addresses._way_to(socket.AF_INET, "127.0.0.1") == "127.0.0.1"
    assert addresses._way_to(socket.AF_INET, "not an address") is None
