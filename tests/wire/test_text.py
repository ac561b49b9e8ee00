"""Names and chat lines as they are cleaned at the edge."""

import pytest
from sequoia_protocol.text import BadText, cells, clean_chat, clean_name, same_name


@pytest.mark.parametrize(
    ("given", "cleaned"),
    [
        ("Ana", "Ana"),
        ("  Ana   Maria ", "Ana Maria"),
        ("Ａｎａ", "Ana"),
        ("[true, false]", "[true, false]"),
        ("Zoë", "Zoë"),
        ("名前", "名前"),
    ],
)
def test_a_name_is_normalised(given: str, cleaned: str) -> None:
    assert clean_name(given) == cleaned
    assert clean_name(cleaned) == cleaned


@pytest.mark.parametrize(
    "name",
    [
        "\u3164",
        "\u2800",
        "\u1160",
        "\u0301",
        "Ana\ufe0f",
        "Ana\u034f",
        "a" + "\u0301" * 40,
        "",
        "   ",
        "x" * 17,
        "名" * 9,
        "a\x1b[2Jb",
        "a\nb",
        "a\u202eb",
        "a\u200bb",
        "a\x9bb",
        "\ue000",
    ],
)
def test_a_name_that_is_no_text_is_refused_with_a_sentence(name: str) -> None:
    with pytest.raises(BadText, match=r"^A name .*\.$"):
        clean_name(name)


def test_wide_characters_count_two_cells() -> None:
    assert cells("名前") == 4
    assert cells("Zoe\u0308") == 3


def test_a_chat_line_may_be_longer_than_a_name() -> None:
    assert clean_chat("x" * 200) == "x" * 200
    with pytest.raises(BadText):
        clean_chat("x" * 201)


def test_names_that_differ_in_case_alone_are_the_same() -> None:
    assert same_name("Ana", "ANA")
    assert not same_name("Ana", "Anna")
