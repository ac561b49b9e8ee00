"""Addresses as they are typed."""

import pytest

from sequoia_tui.address import Address, BadAddress, parse_address


@pytest.mark.parametrize(
    ("typed", "address", "shown", "uri"),
    [
        ("oak.local", Address("oak.local"), "oak.local", "ws://oak.local:7378/"),
        (" oak.local ", Address("oak.local"), "oak.local", "ws://oak.local:7378/"),
        ("oak:7000", Address("oak", 7000), "oak:7000", "ws://oak:7000/"),
        ("10.0.0.5:7378", Address("10.0.0.5"), "10.0.0.5", "ws://10.0.0.5:7378/"),
        ("::1", Address("::1"), "::1", "ws://[::1]:7378/"),
        ("[::1]", Address("::1"), "::1", "ws://[::1]:7378/"),
        ("[::1]:7000", Address("::1", 7000), "[::1]:7000", "ws://[::1]:7000/"),
        ("fe80::1%eth0", Address("fe80::1%eth0"), "fe80::1%eth0", "ws://[fe80::1]:7378/"),
        ("wss://oak", Address("oak", tls=True), "wss://oak", "wss://oak:7378/"),
        ("WS://oak:7/", Address("oak", 7), "oak:7", "ws://oak:7/"),
        ("my_box-1", Address("my_box-1"), "my_box-1", "ws://my_box-1:7378/"),
    ],
)
def test_what_people_type(typed: str, address: Address, shown: str, uri: str) -> None:
    assert parse_address(typed) == address
    assert (address.shown, address.uri) == (shown, uri)
    # What is shown can be typed again.
    assert parse_address(shown) == address


@pytest.mark.parametrize(
    ("typed", "why"),
    [
        ("", "is needed"),
        ("   ", "is needed"),
        ("ws://", "is needed"),
        ("oak/room", "no address"),
        ("-oak", "no address"),
        ("oak local", "no address"),
        ("http://oak", "only the name"),
        ("\x1b[2J", "no address"),
        ("[oak]", "no IPv6"),
        ("[::1", "no IPv6"),
        ("[::1]7000", "no IPv6"),
        ("oak:", "A port"),
        ("oak:0", "A port"),
        ("oak:65536", "A port"),
        ("oak:٣", "A port"),
        ("[::1]:x", "A port"),
        ("1:2:3", "A port"),
    ],
)
def test_what_names_no_server(typed: str, why: str) -> None:
    with pytest.raises(BadAddress, match=why):
        parse_address(typed)
