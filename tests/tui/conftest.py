"""What all tests of the app share."""

from pathlib import Path

import pytest
from sequoia_server.embedded import EmbeddedServer
from sequoia_server.journal import Journal

from tests.kit import LivelyEntropy


@pytest.fixture
def memory(tmp_path: Path) -> Path:
    return tmp_path / "deep" / "remembered.json"


@pytest.fixture(autouse=True)
def quick_bots(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the server inside of the app be as fast as it can, and its chance always the same."""
    original = EmbeddedServer.__init__

    def init(self: EmbeddedServer, *_: object, journal: Journal | None = None) -> None:
        original(self, entropy=LivelyEntropy(3, delay_scale=0.02), journal=journal)

    monkeypatch.setattr(EmbeddedServer, "__init__", init)
