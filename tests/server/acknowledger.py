"""A program that stores turns and acknowledges each on standard output once it is durable.

Run it as `python -m tests.server.acknowledger DIR TURNS`. It says "ready", then a line
"ack ROOM NUMBER" for each turn, written at once, in groups as they come from the journal. It has
three rooms, and goes on where its journal ends.
"""

import asyncio
import os
import sys
from pathlib import Path

from sequoia_server.data_dir import open_journal

from tests.server.journals import chat

ROOMS = ("OAK", "ELM", "FIR")


async def main(directory: Path, turns: int) -> None:
    journal = open_journal(directory)
    last = {code: len(journal.read(code)) if code in journal.codes else 0 for code in ROOMS}
    journal.start(lambda _: None)
    os.write(1, b"ready\n")
    free = asyncio.Semaphore(10)
    for number in range(turns):
        code = ROOMS[number % len(ROOMS)]
        last[code] += 1

        def acknowledge(code: str = code, number: int = last[code]) -> None:
            os.write(1, f"ack {code} {number}\n".encode())
            free.release()

        await free.acquire()
        journal.append(chat(code, last[code]), acknowledge)
    done = asyncio.Event()
    journal.after(done.set)
    await done.wait()
    journal.close()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), int(sys.argv[2])))
