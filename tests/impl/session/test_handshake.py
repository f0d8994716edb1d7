"""How a connection begins: who may come in, where, and under which limits."""

from __future__ import annotations

import pytest
from ackproof.impl.access.directory import GUEST, User
from ackproof.impl.broker import Broker
from ackproof.impl.errors import HardError
from ackproof.impl.limits import Limits
from ackproof.impl.session.session import Phase, Session
from pamqp import commands, encode, frame
from pamqp.common import FieldTable

from tests.impl.clients import HEADER, Wire
from tests.impl.clients import encode as frames

REFUSED = (
    "0 Connection.Close 403 ACCESS_REFUSED - Login was refused using authentication mechanism {}. "
    "For details see the broker logfile."
)


def amqplain(**fields: str) -> str:
    """Return a response of this mechanism: the fields of a table, without its length."""
    table: FieldTable = {**fields}
    return encode.field_table(table)[4:].decode()


def started(
    mechanism: str = "PLAIN",
    response: str = "\0guest\0guest",
    users: list[User] | None = None,
    limits: Limits | None = None,
    client: FieldTable | None = None,
    broker: Broker | None = None,
) -> tuple[Wire, list[str]]:
    """Return a session that was sent a start-ok, and its answer to it."""
    broker = broker or Broker(users=users or [GUEST])
    wire = Wire(broker, limits=limits or Limits())
    assert wire.receive(HEADER) == ["0 Connection.Start"]
    if client is None:
        client = {"capabilities": {"authentication_failure_close": True}}
    start_ok = commands.Connection.StartOk(client, mechanism, response, "en_US")
    return wire, wire.say(0, start_ok)


def silently_closed(wire: Wire, answer: list[str]) -> bool:
    """Tell whether a session has ended without a word."""
    return answer == [] and wire.session.phase is Phase.CLOSED


def test_a_connection_opens_step_by_step() -> None:
    wire, answer = started()
    assert answer == ["0 Connection.Tune"]
    assert wire.say(0, commands.Connection.TuneOk(2047, 131072, 60)) == []
    assert wire.session.heartbeat == 60
    assert wire.say(0, commands.Connection.Open()) == ["0 Connection.OpenOk"]


def test_a_connection_opens_from_single_bytes() -> None:
    wire = Wire()
    lines = []
    data = HEADER + frames(0, commands.Connection.StartOk({}, "PLAIN", "\0guest\0guest", "en_US"))
    for byte in data:
        lines += wire.receive(bytes([byte]))
    assert lines == ["0 Connection.Start", "0 Connection.Tune"]


def test_the_server_says_what_it_is_and_can() -> None:
    wire = Wire()
    wire.session.receive(HEADER)
    start = frame.unmarshal(wire.session.take_output())[2]
    assert isinstance(start, commands.Connection.Start)
    assert start.mechanisms == "PLAIN AMQPLAIN"
    properties = start.server_properties
    assert properties is not None
    assert properties["product"] == "ackproof"
    assert properties["capabilities"] == {
        "publisher_confirms": True,
        "exchange_exchange_bindings": True,
        "basic.nack": True,
        "consumer_cancel_notify": True,
        "connection.blocked": True,
        "consumer_priorities": True,
        "authentication_failure_close": True,
        "per_consumer_qos": True,
        "direct_reply_to": True,
    }


def test_the_server_proposes_its_limits() -> None:
    wire = Wire(limits=Limits(channels=10, frame_max=8192))
    wire.session.receive(HEADER)
    wire.session.receive(
        frames(0, commands.Connection.StartOk({}, "PLAIN", "\0guest\0guest", "en_US"))
    )
    output = wire.session.take_output()
    tune = frame.unmarshal(output[frame.unmarshal(output)[0] :])[2]
    assert isinstance(tune, commands.Connection.Tune)
    assert (tune.channel_max, tune.frame_max, tune.heartbeat) == (10, 8192, 60)


@pytest.mark.parametrize(
    "data", [b"GET / HTTP/1.1\r\n", b"AMQP\x00\x01\x00\x00", b"A\xff", b"\x00"]
)
def test_any_other_protocol_is_answered_with_ours_and_closed(data: bytes) -> None:
    wire = Wire()
    assert wire.receive(data) == ["protocol header"]
    assert wire.session.phase is Phase.CLOSED
    assert wire.receive(HEADER) == []


# -- logging in ---------------------------------------------------------------------------------


@pytest.mark.parametrize("response", ["\0guest\0wrong", "\0nobody\0guest", "\0nobody\0", "\0\0"])
def test_a_wrong_login_is_refused_with_403(response: str) -> None:
    _, answer = started(response=response)
    assert answer == [REFUSED.format("PLAIN")]


def test_a_client_that_does_not_understand_a_refusal_is_told_nothing() -> None:
    assert silently_closed(*started(response="\0guest\0wrong", client={}))


def test_a_login_by_amqplain() -> None:
    _, answer = started("AMQPLAIN", amqplain(LOGIN="guest", PASSWORD="guest"))
    assert answer == ["0 Connection.Tune"]


def test_a_wrong_login_by_amqplain_is_refused_with_403() -> None:
    _, answer = started("AMQPLAIN", amqplain(LOGIN="guest", PASSWORD="wrong"))
    assert answer == [REFUSED.format("AMQPLAIN")]


@pytest.mark.parametrize(
    ("mechanism", "response"),
    [
        ("EXTERNAL", ""),
        ("PLAIN", ""),
        ("PLAIN", "guest"),
        ("PLAIN", "\0guest"),
        ("PLAIN", "admin\0guest\0guest"),
        ("AMQPLAIN", "\0guest\0guest"),
        ("AMQPLAIN", amqplain(LOGIN="guest")),
        ("AMQPLAIN", "\x05LOGINt\x01\x08PASSWORDt\x01"),
    ],
)
def test_a_response_that_cannot_be_understood_ends_it_without_a_word(
    mechanism: str, response: str
) -> None:
    assert silently_closed(*started(mechanism, response))


def test_a_password_is_never_logged(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("DEBUG"):
        started(response="\0guest\0sesame")
        started(response="guest\0sesame")
        started("AMQPLAIN", amqplain(LOGIN="guest", PASSWORD="sesame"))
        started("AMQPLAIN", "\x08PASSWORDx\0\0\0\x06sesame")
    assert len(caplog.records) == 4
    assert "sesame" not in caplog.text
    assert "sesame" not in repr(User.of("guest", "sesame"))


@pytest.mark.parametrize("mechanism", ["PLAIN", "AMQPLAIN"])
def test_a_name_and_a_password_may_be_any_text(mechanism: str) -> None:
    users = [User.of("Zoë", "pässwörd")]
    written = {"PLAIN": "\0Zoë\0pässwörd", "AMQPLAIN": amqplain(LOGIN="Zoë", PASSWORD="pässwörd")}
    wire, answer = started(mechanism, written[mechanism], users)
    assert answer == ["0 Connection.Tune"]
    assert wire.session.user == "Zoë"


# -- limits -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("limits", "why"),
    [
        ((2048, 131072, 0), "channel_max = 2048 is higher than the maximum allowed value (2047)"),
        ((0, 131072, 0), "channel_max = no limit is higher than the maximum allowed value (2047)"),
        ((2047, 131073, 0), "frame_max = 131073 is higher than the maximum allowed value (131072)"),
        ((2047, 0, 0), "frame_max = no limit is higher than the maximum allowed value (131072)"),
        ((2047, 4095, 0), "frame_max = 4095 is lower than the minimum allowed value (4096)"),
    ],
)
def test_limits_that_the_server_did_not_offer_end_it_and_the_log_says_why(
    limits: tuple[int, int, int], why: str, caplog: pytest.LogCaptureFixture
) -> None:
    wire, _ = started()
    with caplog.at_level("INFO"):
        assert silently_closed(wire, wire.say(0, commands.Connection.TuneOk(*limits)))
    assert f"NOT_ALLOWED - negotiated {why}" in caplog.text


@pytest.mark.parametrize("limits", [(1, 4096, 1), (2047, 131072, 65535), (2047, 8192, 0)])
def test_lower_limits_are_agreed_to(limits: tuple[int, int, int]) -> None:
    wire, _ = started()
    assert wire.say(0, commands.Connection.TuneOk(*limits)) == []
    assert wire.say(0, commands.Connection.Open()) == ["0 Connection.OpenOk"]


# -- virtual hosts ------------------------------------------------------------------------------


def opening(vhost: str, *, everywhere: bool = True) -> list[str]:
    """Return the answer to a client that opens a virtual host."""
    broker = Broker(vhosts=["other"])
    if not everywhere:
        broker.directory.revoke("other", "guest")
    wire, _ = started(broker=broker)
    wire.say(0, commands.Connection.TuneOk(2047, 131072, 0))
    return wire.say(0, commands.Connection.Open(vhost))


def test_a_virtual_host_that_is_not_there_is_not_found() -> None:
    why = "0 Connection.Close 530 NOT_ALLOWED - vhost none not found"
    assert opening("none") == [why]
    assert opening("none", everywhere=False) == [why]


def test_a_virtual_host_may_be_out_of_bounds_for_a_user() -> None:
    assert opening("other", everywhere=False) == [
        "0 Connection.Close 530 NOT_ALLOWED - access to vhost 'other' refused for user 'guest'"
    ]
    assert opening("other") == ["0 Connection.OpenOk"]


def test_who_decides_on_connections_may_refuse_one() -> None:
    def refuse(_: Session) -> None:
        raise HardError(530, "full")

    wire = Wire(admit=refuse)
    start_ok = commands.Connection.StartOk({}, "PLAIN", "\0guest\0guest", "en_US")
    wire.receive(HEADER + frames(0, start_ok, commands.Connection.TuneOk(2047, 131072, 0)))
    answer = wire.say(0, commands.Connection.Open())
    assert answer == ["0 Connection.Close 530 NOT_ALLOWED - full"]


# -- order --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "early",
    [
        frames(0, commands.Connection.Open()),
        frames(0, commands.Connection.TuneOk(2047, 131072, 0)),
        frames(0, commands.Connection.OpenOk()),
        frames(1, commands.Channel.Open()),
        b"\x03\0\0\0\0\0\1x\xce",
        b"\x01\0\0\xff\xff\xff\xff",
        b"\x01\0\0\0\0\0\1xx",
    ],
)
def test_what_comes_before_its_time_ends_it_without_a_word(early: bytes) -> None:
    wire = Wire()
    wire.receive(HEADER)
    assert silently_closed(wire, wire.receive(early))
    wire, _ = started()
    if early != frames(0, commands.Connection.TuneOk(2047, 131072, 0)):
        assert silently_closed(wire, wire.receive(early))
    wire, _ = started()
    wire.say(0, commands.Connection.TuneOk(2047, 131072, 0))
    if early != frames(0, commands.Connection.Open()):
        assert silently_closed(wire, wire.receive(early))


def test_a_client_may_close_before_it_has_opened() -> None:
    wire, _ = started()
    assert wire.say(0, commands.Connection.Close(200, "", 0, 0)) == ["0 Connection.CloseOk"]
    assert wire.session.phase is Phase.CLOSING


@pytest.mark.parametrize(("size", "taken"), [(4096, True), (4097, False)])
def test_frames_are_small_until_their_size_is_agreed_on(size: int, taken: bool) -> None:
    wire = Wire()
    wire.receive(HEADER)
    login = commands.Connection.StartOk({"x": ""}, "PLAIN", "\0guest\0guest", "en_US")
    login.client_properties = {"x": "x" * (size - len(frames(0, login)) + 8)}
    answer = wire.say(0, login)
    assert answer == ["0 Connection.Tune"] if taken else silently_closed(wire, answer)


def test_nothing_can_be_begun_again() -> None:
    wire = Wire().opened()
    assert wire.say(0, commands.Connection.StartOk({}, "PLAIN", "\0guest\0guest", "en_US")) == [
        "0 Connection.Close 504 CHANNEL_ERROR - unexpected method in connection state running"
    ]


def test_a_new_secret_is_taken_note_of() -> None:
    wire = Wire().opened()
    answer = wire.say(0, commands.Connection.UpdateSecret("token", "renewed"))
    assert answer == ["0 Connection.UpdateSecretOk"]


def test_what_the_client_says_of_itself_is_kept_and_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    client: FieldTable = {
        "connection_name": "billing",
        "capabilities": {"basic.nack": True, "connection.blocked": False},
    }
    wire, _ = started(client=client)
    wire.say(0, commands.Connection.TuneOk(2047, 131072, 0))
    with caplog.at_level("INFO"):
        wire.say(0, commands.Connection.Open())
    assert wire.session.client == client
    assert wire.session.capabilities == {"basic.nack"}
    assert "somebody ('billing'): opened by guest on vhost /" in caplog.text


def test_capabilities_that_are_no_table_are_none() -> None:
    wire, answer = started(client={"capabilities": "all"})
    assert answer == ["0 Connection.Tune"]
    assert wire.session.capabilities == frozenset()


def test_a_name_cannot_forge_a_line_of_the_log(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("INFO"):
        opening("none\nroot: opened by root on vhost /")
    assert "vhost none\\nroot: opened" in caplog.text
