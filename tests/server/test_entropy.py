"""The only source of chance."""

from collections import Counter

from sequoia_rules.values import FIRST_TOKENS, SECOND_TOKENS
from sequoia_server.entropy import CODE_ALPHABET, SystemEntropy

ENTROPY = SystemEntropy()


def test_dice_fall_on_every_side_alike() -> None:
    sides = Counter(die for _ in range(2000) for die in ENTROPY.dice())
    assert set(sides) == {1, 2, 3, 4, 5, 6}
    # Ten standard deviations: this fails once in the age of the universe.
    assert all(abs(count - 10_000 / 6) < 10 * 37.3 for count in sides.values())


def test_tokens_are_those_of_the_box_and_shuffled() -> None:
    laid = [ENTROPY.tokens() for _ in range(20)]
    for first, second in laid:
        assert tuple(sorted(first)) == FIRST_TOKENS
        assert tuple(sorted(second)) == SECOND_TOKENS
    assert len(set(laid)) > 10


def test_delays_lie_in_their_range() -> None:
    delays = [ENTROPY.delay(1.0, 4.0) for _ in range(200)]
    assert all(1.0 <= delay <= 4.0 for delay in delays)
    assert max(delays) - min(delays) > 1


def test_codes_can_be_read_aloud() -> None:
    codes = [ENTROPY.code(8) for _ in range(200)]
    assert all(len(code) == 8 and set(code) <= set(CODE_ALPHABET) for code in codes)
    assert len(set(codes)) == 200
    assert not set("01OIL") & set(CODE_ALPHABET)


def test_keys_ids_and_seeds_are_long_and_never_the_same() -> None:
    assert len({ENTROPY.key() for _ in range(100)}) == 100
    assert len(ENTROPY.key()) >= 22
    assert len({ENTROPY.game_id() for _ in range(100)}) == 100
    assert len({ENTROPY.bot_seed() for _ in range(100)}) == 100
