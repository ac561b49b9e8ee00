"""The program `sequoia-server`, as a process: its options, its one line, its end."""

import asyncio
import os
import resource
import signal
import socket
import subprocess
import sys
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest
from sequoia_protocol import DEFAULT_PORT
from sequoia_protocol.messages import CreateRoom
from sequoia_protocol.room import RoomSettings
from sequoia_server import cli
from sequoia_server.cli import main
from sequoia_server.data_dir import KEEP_DAYS

from tests.kit import ROOT, Player, ServerProcess, SocketTransport

LOCAL = ("--bind", "127.0.0.1", "--port", "0", "--ephemeral")
STORED = ("--bind", "127.0.0.1", "--port", "0", "--data")


def run(*arguments: str) -> tuple[int, str, str]:
    """Run the program to an end that is to come by itself."""
    done = subprocess.run(
        [sys.executable, "-m", "sequoia_server", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


def test_the_version() -> None:
    assert run("--version") == (0, "sequoia-server 0.1.0\n", "")


def test_the_help_names_every_option() -> None:
    status, out, _ = run("--help")
    assert status == 0
    for option in (
        "--bind",
        "--port",
        "--data",
        "--ephemeral",
        "--keep-records",
        "--log-level",
        "--version",
        "records",
        str(DEFAULT_PORT),
        str(KEEP_DAYS),
    ):
        assert option in out


async def test_one_line_when_it_is_ready_and_it_is_true() -> None:
    with ServerProcess(*LOCAL) as server:
        assert server.ready == f"Ready. Friends type:  sequoia-tui --host 127.0.0.1:{server.port}\n"
        ana = await Player.on_socket(server.port, "Ana")
        ana.entered(await ana.command(CreateRoom(RoomSettings())))
        server.process.send_signal(signal.SIGTERM)
        assert (await ana.until_closed()).code == 1001
        assert ana.bye is not None
        assert ana.bye.code == "server_closing"
        status, out, err = await asyncio.to_thread(server.wait)
    assert (status, out) == (0, "")
    assert "Traceback" not in err


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_cleanly(number: signal.Signals) -> None:
    with ServerProcess(*LOCAL, "--log-level", "warning") as server:
        assert server.stop(number) == (0, "", "")


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux can limit another process")
def test_without_a_file_left_it_says_so_a_few_times_and_goes_on() -> None:
    with ServerProcess(*LOCAL) as server:
        resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE, (40, 40))
        address = ("127.0.0.1", server.port)
        with ExitStack() as crowd:
            for _ in range(80):
                crowd.enter_context(socket.create_connection(address))
            # It waits in the kernel's queue until the others are given up.
            late = crowd.enter_context(socket.create_connection(address))
            late.sendall(b"GET /healthz HTTP/1.1\r\nHost: oak.local\r\n\r\n")
            late.settimeout(30)
            assert b"200 OK" in late.recv(1000)
        status, _, log = server.stop()
    assert status == 0
    assert "out of system resource" in log
    assert len(log) < 500_000


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_more_signals_change_nothing(number: signal.Signals) -> None:
    with ServerProcess(*LOCAL, "--log-level", "warning") as server:
        # A link that never says anything makes the end take a moment.
        with socket.create_connection(("127.0.0.1", server.port)):
            while server.process.poll() is None:
                server.process.send_signal(number)
                with suppress(subprocess.TimeoutExpired):
                    server.process.wait(0.01)
        assert server.wait() == (0, "", "")


def test_the_log_says_how_many_links_there_can_be() -> None:
    with ServerProcess(*LOCAL) as server:
        _, _, err = server.stop()
    assert "open files allow about" in err
    with ServerProcess(*LOCAL, "--log-level", "error") as server:
        assert server.stop() == (0, "", "")


def one_line(status: int, out: str, err: str) -> str:
    assert status == 1
    assert out == ""
    assert err.startswith("sequoia-server: ")
    assert err.count("\n") == 1
    return err


def test_a_taken_port_is_one_line() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        line = one_line(*run("--ephemeral", "--bind", "127.0.0.1", "--port", port))
    assert f"Port {port} is taken" in line
    assert "--port" in line


@pytest.mark.parametrize("bind", ["203.0.113.9", "999.1.1.1", "a..b", "no-such-host.invalid", ""])
def test_a_bad_address_is_one_line(bind: str) -> None:
    assert f"'{bind}' is not an address of this machine" in one_line(
        *run("--ephemeral", "--bind", bind)
    )


@pytest.mark.parametrize("port", ["-1", "65536", "http", "²"])
def test_a_port_that_is_none_is_a_wrong_use(port: str) -> None:
    status, _, err = run("--port", port)
    assert status == 2
    assert "it has to be 0 to 65535" in err


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may use any port")
def test_a_missing_right_is_one_line() -> None:
    assert "needs rights" in one_line(*run("--ephemeral", "--bind", "127.0.0.1", "--port", "80"))


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (PermissionError(13, "denied"), "Port 80 needs rights that you do not have"),
        (OSError(24, "too many"), "cannot listen on port 80: Too many open files."),
        (OSError("odd"), "cannot listen on port 80: odd."),
    ],
)
def test_every_reason_is_a_sentence(
    error: OSError,
    words: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    async def refuse(*_: object) -> None:
        raise error

    monkeypatch.setattr(cli, "_serve", refuse)
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    status = main(["--ephemeral", "--port", "80"])
    assert words in one_line(status, *capsys.readouterr())


async def test_the_same_program_can_be_started_with_fixed_chance_by_tests_alone() -> None:
    codes = set()
    for _ in range(2):
        with ServerProcess("7", *LOCAL, module="tests.scripted_server") as server:
            ana = await Player.on_socket(server.port, "Ana")
            view = ana.entered(await ana.command(CreateRoom(RoomSettings())))
            codes.add(view.room.code)
            await ana.close()
    assert len(codes) == 1


# Data


async def test_a_game_goes_on_where_it_was_after_kill_9(tmp_path: Path) -> None:
    with ServerProcess(*STORED, str(tmp_path)) as server:
        ana = await Player.on_socket(server.port, "Ana")
        view = ana.entered(await ana.command(CreateRoom(RoomSettings())))
        server.process.kill()
        await ana.until_closed()
    with ServerProcess(*STORED, str(tmp_path)) as server:
        back = ana.again(await SocketTransport.open(server.port))
        await back.hello()
        await back.resume()
        assert back.here.room.code == view.room.code
        await back.close()
        status, _, log = server.stop()
    assert status == 0
    assert view.room.code not in log


async def test_what_is_ephemeral_leaves_no_trace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    with ServerProcess(*LOCAL) as server:
        ana = await Player.on_socket(server.port, "Ana")
        ana.entered(await ana.command(CreateRoom(RoomSettings())))
        await ana.close()
    assert not os.listdir(tmp_path)  # noqa: PTH208  (pathlib's way counts as blocking)


def test_a_second_server_in_the_same_directory_is_one_line(tmp_path: Path) -> None:
    with ServerProcess(*STORED, str(tmp_path)):
        line = one_line(*run(*STORED, str(tmp_path)))
    assert f"Another sequoia-server uses {tmp_path}" in line
    assert "--data" in line


def test_a_directory_that_cannot_be_used_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    line = one_line(*run(*STORED, str(tmp_path / "file")))
    assert f"{tmp_path / 'file'} is not a directory" in line
    (tmp_path / "journal.sqlite3").write_text("Dear Bo, " * 1000, encoding="utf-8")
    assert "is no journal" in one_line(*run(*STORED, str(tmp_path)))


def test_data_and_no_data_at_once_is_a_wrong_use(tmp_path: Path) -> None:
    status, _, err = run(*LOCAL, "--data", str(tmp_path))
    assert status == 2
    assert "not allowed with" in err


@pytest.mark.parametrize("days", ["-1", "ever", "40000", "²"])
def test_days_that_are_none_are_a_wrong_use(days: str) -> None:
    status, _, err = run("--keep-records", days)
    assert status == 2
    assert "is no number of days" in err
