"""Rows of a table straight from the pages of a database file, whatever leads to those pages.

SQLite finds a row by way of other pages, and where one of these is damaged it finds none of the
rows behind it. They are there all the same. The format is that of
https://www.sqlite.org/fileformat2.html, sections 1.5, 1.6 and 2.1.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Final, TypeAlias

PAGE: Final = 4096
"""Bytes of a page of our databases."""

Value: TypeAlias = int | float | bytes | None
"""A column; texts come as they are stored."""

_TABLE_LEAF: Final = 13
_MOST_LOCAL: Final = PAGE - 35
_LEAST_LOCAL: Final = (PAGE - 12) * 32 // 255 - 23
_INTEGERS: Final = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}


def rows_in(data: bytes) -> Iterator[tuple[int, list[Value]]]:
    """Give the key and the columns of everything in a file that looks like a row of any table.

    Rows that were deleted or moved are among it, and what only looks like one: the caller has to
    know a right one. A column that is the key is None.
    """
    for start in range(PAGE, len(data) - PAGE + 1, PAGE):
        page = data[start : start + PAGE]
        if page[0] != _TABLE_LEAF:
            continue
        for index in range(int.from_bytes(page[3:5], "big")):
            try:
                offset = int.from_bytes(page[8 + 2 * index : 10 + 2 * index], "big")
                size, offset = _varint(page, offset)
                key, offset = _varint(page, offset)
                yield key, _columns(_payload(data, page, offset, size))
            except (IndexError, ValueError, struct.error):
                # No row after all.
                continue


def _payload(data: bytes, page: bytes, offset: int, size: int) -> bytes:
    """Put a row together that may go on in other pages."""
    local = size
    if size > _MOST_LOCAL:
        local = _LEAST_LOCAL + (size - _LEAST_LOCAL) % (PAGE - 4)
        if local > _MOST_LOCAL:
            local = _LEAST_LOCAL
    parts = [page[offset : offset + local]]
    following = page[offset + local : offset + local + 4]
    missing = size - local
    while missing > 0:
        start = (int.from_bytes(following, "big") - 1) * PAGE
        if not 0 < start < len(data):
            raise ValueError("it goes on nowhere")
        parts.append(data[start + 4 : start + 4 + min(missing, PAGE - 4)])
        following = data[start : start + 4]
        missing -= PAGE - 4
    return b"".join(parts)


def _columns(payload: bytes) -> list[Value]:
    end, offset = _varint(payload, 0)
    at = end
    columns: list[Value] = []
    while offset < end:
        kind, offset = _varint(payload, offset)
        if kind >= 12:
            size = (kind - 12) // 2
        elif kind == 7:
            size = 8
        else:
            size = _INTEGERS.get(kind, 0)
        part = payload[at : at + size]
        if len(part) != size:
            raise ValueError("it is cut off")
        at += size
        if kind >= 12:
            columns.append(part)
        elif kind == 7:
            columns.append(struct.unpack(">d", part)[0])
        elif kind == 0:
            columns.append(None)
        else:
            columns.append(kind - 8 if size == 0 else int.from_bytes(part, "big", signed=True))
    return columns


def _varint(data: bytes, offset: int) -> tuple[int, int]:
    """Read a number of up to nine bytes; give it and where it ends."""
    value = 0
    for length in range(8):
        byte = data[offset + length]
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, offset + length + 1
    return value << 8 | data[offset + 8], offset + 9
