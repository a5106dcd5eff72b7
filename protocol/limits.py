"""Every bound of the protocol in one place, the unit last in the name.

A bound is part of the contract: a client may rely on what is inside it and a server refuses what is
outside, with a message. The page `bodies.md` lists them: `python -m ops.contract` writes its table
from the first sentence of what stands below each.
"""

from typing import Final

# --- values and messages --------------------------------------------------------------------------

INT_MAX: Final = 2**53 - 1
"""Largest whole number that may be in a log or a message; its negative is the smallest. Any
language's double holds it."""

FRAME_BYTES_MAX: Final = 4 * 1024 * 1024
"""Bytes of the largest frame that a server or client accepts once logged in. A genesis with its
pack fits."""

FRAME_BEFORE_LOGIN_BYTES_MAX: Final = 4 * 1024
"""Bytes of the largest frame that a stranger may send."""

CLIENT_FRAME_BYTES_MAX: Final = 64 * 1024
"""Bytes of the largest frame that a logged-in client may send."""

REQUESTS_OPEN_MAX: Final = 256
"""Requests of one connection that may wait for their answers."""

NESTING_LEVELS_MAX: Final = 16
"""Arrays and maps inside each other."""
TEXT_CHARS_MAX: Final = 4096
"""Characters of a text in a message, where nothing else is said."""
NAME_CHARS_MAX: Final = 64
"""Characters of a name."""
PERSON_ID_CHARS_MAX: Final = 59
"""Characters of the id of a person: who gave it, a dot, and 26 of chance."""
SECRET_CHARS_MAX: Final = 1024
"""Characters of a password, a code or an invitation."""
CODES_MAX: Final = 256
"""Codes of one use of a tournament that are good at a time."""
LINE_CHARS_MAX: Final = 500
"""Characters of a line of talk."""
MARK_CHARS_MAX: Final = 200
"""Characters of a note that somebody keeps beside a record."""

# --- records --------------------------------------------------------------------------------------

PAYLOAD_BYTES_MAX: Final = 16 * 1024 * 1024
"""Bytes of the largest payload of one frame of a file. A genesis with its pack fits many times
over."""
PARTS_BYTES_MAX: Final = 32 * 1024 * 1024
"""Bytes of a finished game's file in two parts, both together. A longer game comes in records."""
PARTS_FRAMES_MAX: Final = 262_144
"""Frames of a file in two parts. A game that has more comes in records."""
KEYS_OF_A_SEAT_MAX: Final = 8
"""Keys that a seat may have in force at a time, one for each device."""

PICKS_MAX: Final = 512
"""Picks in one command."""

ORDERS_BYTES_MAX: Final = 4 * 1024
"""Bytes of a seat's standing answers, packed, without their blind."""

SEEN_RECORDS_MAX: Final = 256
"""Newest records of a game, of which an act names one as the last that its sender saw."""

COMMAND_ID_BYTES_MAX: Final = 32
"""Bytes of a seat's command id, which has at least 1; a command by standing answers has none."""

SIDES_MAX: Final = 2**32
"""Results among which a draw chooses; at least 1."""

NONCE_BYTES: Final = 32
"""Bytes of a nonce."""
HASH_BYTES: Final = 32
"""Bytes of a hash, a digest, a commitment or a seal."""
KEY_BYTES: Final = 32
"""Bytes of a public key."""
SIGNATURE_BYTES: Final = 64
"""Bytes of a signature."""
SALT_BYTES: Final = 16
"""Bytes of a salt."""

DELAY_S_MAX: Final = 86_400
"""By how many seconds spectators may be behind, at most."""
DELAY_TURNS_MAX: Final = 64
"""By how many whole turns of the game spectators may be behind, at most."""

SEATS_MAX: Final = 64
"""Seats of a game. Readers of a log look at every seat for many of its records."""

EPOCHS_MAX: Final = 256
"""Length of the hash chain behind the open dice where a game's secrets name no other: at most this
many turns, taken-back ones included."""
LINKS_MAX: Final = 65_536
"""The longest such chain. A reader of a log need not know how long one is."""

REVEAL_BYTES_MAX: Final = 64 * 1024
"""Bytes of the openings in one `reveal` record, packed: a server begins another record before it
writes more. One opening alone may be larger; it is never larger than the record that it opens a
seal of."""

CLOCK_MS_MAX: Final = 400 * 86_400_000
"""Milliseconds of the longest time that a control of clocks or a credit may name, 400 days."""

NIGHT_HOURS_MAX: Final = 10
"""Hours a day that a seat may choose for its clock not to run."""

LEAVES_MAX: Final = 64
"""Leaves that a seat may take in a game."""

CLAIMS_OPEN_MAX: Final = 3
"""Open claims of a seat."""

CLAIMS_MAX: Final = 200
"""Claims in a game, with those that were withdrawn."""

CLAIMS_STOPPING_MAX: Final = 3
"""Claims of a seat that stop the clocks as they are made, where the terms say that claims do so:
further ones stop them once they are heard, so that nobody stops the clocks without end."""

CLAIM_CHARS_MAX: Final = 2000
"""Characters of what somebody says about a claim, and of a ruling's reasons."""

CLAUSE_CHARS_MAX: Final = 200
"""Characters of a clause that a claim or a ruling names."""
REMEDIES_MAX: Final = 16
"""Remedies of one ruling."""

EVENTS_PER_COMMAND_MAX: Final = 20_000
"""Events that a server writes in one command. An auditor does not count them."""
STEPS_PER_COMMAND_MAX: Final = 10_000
"""Steps of play that a server goes through in one command. An auditor does not count them."""

# --- tournaments ----------------------------------------------------------------------------------

CHARTER_CHARS_MAX: Final = 32_768
"""Characters of a charter's file."""
ENTRANTS_MAX: Final = 4_096
"""Entrants of a tournament."""
GROUPS_MAX: Final = 8
"""Groups that an entrant may be in."""
ACT_ID_BYTES_MAX: Final = 32
"""Bytes of an act's id."""
ACT_PICKS_MAX: Final = 2 * ENTRANTS_MAX + 2
"""Picks of an act of a tournament. A round that is paired by hand names everybody in one."""
STAGES_MAX: Final = 8
"""Stages of a tournament."""
ROUNDS_MAX: Final = 64
"""Rounds of a stage."""
TABLE_SEATS_MAX: Final = 8
"""Seats of a table."""
COMMITTEE_MAX: Final = 9
"""Members of a committee, and of a panel."""
MINUTES_MAX: Final = 400 * 24 * 60
"""Minutes of any span that a charter names."""
RESULT_POINTS_MAX: Final = 10_000
"""Points that a result gives."""
BID_UNITS_MAX: Final = 10_000
"""A bid, in the title's unit."""
BID_HALF_UNITS_MAX: Final = 2 * BID_UNITS_MAX
"""A bid, in half units."""
MARGIN_MAX: Final = 10_000
"""The widest margin that can be given, in half units."""
RATING_MAX: Final = 4_000
"""A rating that an entrant brings along."""
CHARTER_LIST_MAX: Final = 64
"""Items of a list in a charter."""
CELL_CHARS_MAX: Final = 4_096
"""Characters of a cell in a file of entrants."""

# --- what a client draws --------------------------------------------------------------------------
# Files and packs come from strangers, and a few bytes can demand a great deal of memory. No board
# game in print comes near these bounds.

HEXES_MAX: Final = 40_000
"""Hexes of a map: columns times rows. The largest printed games have about a quarter of this."""

HEX_ID_CHARS_MAX: Final = 32
"""Characters of a hex's id."""
MAP_SHEETS_MAX: Final = 64
"""Sheets of a map."""

PLACE_NEIGHBOURS_MAX: Final = 64
"""Neighbours of a place."""
PIECE_FACES_MAX: Final = 16
"""Faces of a piece."""
DESCRIBED_MAX: Final = 4_096
"""Rivers, roads and railways, named areas, sources, boxes or symbols in the description of a game:
this many of each."""

BOARD_PIECES_MAX: Final = 8_192
"""Pieces on a board at one time, boxes off the map included."""

BOARD_MARKS_MAX: Final = 16_384
"""Markers on a board at one time: one on each hex of a large map, and more than one on each
piece."""

BOARD_TRACKS_MAX: Final = 1_024
"""Tracks of a board, and as many counts of closed boxes."""

SPANS_OPEN_MAX: Final = 64
"""Spans of the timeline (turn, activation, combat …) that may be open at one time."""
