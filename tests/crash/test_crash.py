"""The server is killed with -9 at random moments, and nobody who plays on it loses anything."""

import pytest

from tests.crash.__main__ import crash


async def test_nothing_is_lost_in_a_few_kills() -> None:
    print(await crash(kills=5, seed=5))


@pytest.mark.long
@pytest.mark.timeout(900)
async def test_nothing_is_lost_in_a_hundred_kills() -> None:
    print(await crash(kills=100, seed=100))
