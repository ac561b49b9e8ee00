"""Everything that falls due for a link in one tick becomes one message."""

from sequoia_protocol.codec import decode_server, encode_answer, encode_away, encode_event
from sequoia_protocol.messages import Away, Done, Update
from sequoia_protocol.room import HostChanged, ReadyChanged
from sequoia_server.outbox import Outbox, Shared
from sequoia_server.turn import Delivery


def event(person: int) -> bytes:
    return encode_event(HostChanged(person))


def answer(number: int) -> bytes:
    return encode_answer(Done(number, 0))


def taken(outbox: Outbox) -> list[Update]:
    updates = [decode_server(data) for data in outbox.take({})]
    assert all(isinstance(update, Update) for update in updates)
    return [update for update in updates if isinstance(update, Update)]


def test_deliveries_are_merged() -> None:
    outbox = Outbox()
    outbox.add(Delivery(number=7, events=[event(1)], answers=[answer(1)]))
    outbox.add(Delivery(number=8, events=[event(2), event(3)]))
    outbox.add(Delivery(answers=[answer(2)], away=encode_away([Away(4, 0)])))
    outbox.add(Delivery(away=encode_away([])))
    (update,) = taken(outbox)
    assert update == Update(
        7, (Done(1, 0), Done(2, 0)), (HostChanged(1), HostChanged(2), HostChanged(3)), ()
    )
    assert taken(outbox) == []


def test_a_new_room_begins_in_a_message_of_its_own() -> None:
    outbox = Outbox()
    outbox.add(Delivery(number=7, events=[event(1)], answers=[answer(1)]))
    outbox.add(Delivery(answers=[answer(2)], fresh=True))
    outbox.add(Delivery(answers=[answer(3)], fresh=True))
    outbox.add(Delivery(number=3, events=[event(2)]))
    first, second = taken(outbox)
    assert first == Update(7, (Done(1, 0),), (HostChanged(1),))
    assert second == Update(3, (Done(2, 0), Done(3, 0)), (HostChanged(2),))


def test_presence_of_the_room_before_is_not_mixed_in_either() -> None:
    outbox = Outbox()
    outbox.add(Delivery(away=encode_away([Away(1, 2)])))
    outbox.add(Delivery(answers=[answer(2)], fresh=True))
    assert [update.away for update in taken(outbox)] == [(Away(1, 2),), None]


def test_links_that_are_owed_the_same_share_the_bytes() -> None:
    shared: Shared = {}
    same = event(1)
    frames: list[bytes] = []
    for number, data in ((7, same), (7, same), (8, same), (7, encode_event(ReadyChanged(0, True)))):
        outbox = Outbox()
        outbox.add(Delivery(number=number, events=[data]))
        frames += outbox.take(shared)
    assert frames[0] is frames[1]
    assert len({id(frame) for frame in frames}) == 3
    assert len(shared) == 3
