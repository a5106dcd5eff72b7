"""The codes of `error` messages, and what a client should do about each. `malformed`, `fault`,
`quarantined` and `stopping` may come with request 0, when they answer nothing that was asked."""

from typing import Final

_SIGN_IN: Final = "Ask the person to sign in, or to show another token."
_LATER: Final = "Wait a few seconds, then send the request again."
_CHANGE: Final = "Show the sentence; the request can be sent again once it is changed."
_RECONNECT: Final = "Reconnect after a few seconds, with a longer pause each time it fails."
_GIVE_UP: Final = "Show the sentence; sending it again does not help."

ERROR_CODES: Final[dict[str, str]] = {
    "account_only": "Log in with a device of an account first.",
    "accounts_off": "This server keeps no accounts: use tokens.",
    "archive_silent": _LATER,
    "archived": _GIVE_UP,
    "bad_account": _CHANGE,
    "bad_option": _CHANGE,
    "busy": _LATER,
    "changes_kept": "Withdraw standing answers, or change them once the game has moved on.",
    "crowded": _RECONNECT,
    "fault": "Show the sentence: the operator should be told. Nothing has changed. With request 0 "
    "the connection goes on; subscribe again to what no longer comes.",
    "host_only": "Log in with the host's token.",
    "idle": "Reconnect when there is something to ask.",
    "invitation": "Ask the host for a new invitation.",
    "login": "The token is not known: ask the host for a new one. Other tokens may still be shown.",
    "login_name": "Choose another name and log in again.",
    "token_name": "Log in again with the name that the answer gives, or with none.",
    "malformed": "A defect of the client. Without `fatal` only this request was refused; nothing "
    "has changed.",
    "mark": _CHANGE,
    "no_paper": _GIVE_UP,
    "no_such_record": "Ask for a record that is there; the sentence names the last one.",
    "no_such_seat": "Ask for a seat of this game; the sentence lists them.",
    "other_format": _GIVE_UP,
    "no_tournaments": "Connect to a server, or a process of it, that hosts tournaments.",
    "not_allowed": "Log in with a token for that seat or role.",
    "not_saved": "Nothing has changed. Send it again, byte for byte, once the operator has made "
    "room; watching goes on.",
    "play_at": "Show the sentence: this server only shows games. Connect to the one that it names.",
    "practice": "Show the sentence; it may be asked again once one of these games is over.",
    "quarantined": _GIVE_UP,
    "rights_changed": "Reconnect and log in again: the roles have changed.",
    "sign_in": _SIGN_IN,
    "slow_down": "Wait as many seconds as the sentence says, then send it again.",
    "stopping": _RECONNECT,
    "subscribed": "Nothing to do: the records come already.",
    "talk": _CHANGE,
    "text": _CHANGE,
    "timeout": "Reconnect, and log in sooner.",
    "too_many": "End something first: the sentence says how many are allowed.",
    "tournament_exists": "Choose another name for the tournament.",
    "tournament_id": "Choose another name: the sentence says what a name may have.",
    "unknown_game": _GIVE_UP,
    "unknown_language": "Ask for one that `GET /api/languages` names; every server has en, "
    "zh-Hans and zh-Hant.",
    "unknown_outcome": "Reconnect and look whether it stands in the log. An act may be sent again "
    "byte for byte: it is carried out once.",
    "unknown_title": "Ask for `titles`, and choose one of them.",
    "unknown_tournament": _GIVE_UP,
    "version": "Say hello again with a version that the server speaks, or get a newer client.",
}
"""Code -> what a client should do."""
