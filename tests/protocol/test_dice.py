"""What dice are made with: codes under prepared keys are those of the standard library."""

import hmac

from hypothesis import given
from hypothesis import strategies as st

from warledger.protocol.chance.dice import keyed


@given(key=st.binary(max_size=200), messages=st.lists(st.binary(max_size=300), max_size=4))
def test_a_prepared_key_gives_the_codes_of_hmac(key: bytes, messages: list[bytes]) -> None:
    """Whatever the key and the messages are, the code is the standard library's."""
    code = keyed(key)
    assert [code(message) for message in messages] == [
        hmac.digest(key, message, "sha256") for message in messages
    ]
