"""What the small auditor knows of a log so far."""

from typing import Any

from tests.audit.mini_clocks import Clocks


class Seat:
    """A seat: who took it, its keys in force with [n, record seen], its newest standing answers."""

    def __init__(self, taken: list[Any], key: bytes) -> None:
        self.taken = taken
        self.keys: dict[bytes, list[int]] = {key: [0, -1]}
        self.orders = 0


class Log:
    """One file, record by record: what its records have said so far."""

    def __init__(self) -> None:
        self.game = ""
        self.seats: list[str] = []
        self.terms: dict[str, Any] = {}
        self.genesis_hash = b""
        self.records: list[tuple[Any, bytes]] = []
        self.seq_of: dict[bytes, int] = {}
        self.seals: dict[tuple[int, tuple[int, ...]], bytes] = {}
        self.values: dict[tuple[int, tuple[int, ...]], Any] = {}
        self.public: set[tuple[int, tuple[int, ...]]] = set()
        self.veils: set[tuple[int, tuple[int, ...]]] = set()
        self.salts: dict[tuple[int, tuple[int, ...]], bytes] = {}
        self.nonces: dict[str, bytes] = {}
        self.draws: dict[int, list[Any]] = {}
        self.hidden_draws: list[tuple[int, int, int, str]] = []
        self.hidden = self.salt_key = b""
        """The server's secrets, once they are known."""
        self.known: dict[int, bytes] = {}
        """Links that an arbiter's file tells before they are opened."""
        self.counter = 0
        self.epoch = self.drawn_to = 1
        self.owed = 0
        self.began = self.ended = self.whole = False
        self.left: list[tuple[int, tuple[int, ...]]] = []
        self.awaits: dict[str, tuple[int, str]] = {}
        self.depth = 0
        self.undo: tuple[list[int], str] = ([], "")
        self.after: dict[int, tuple[tuple[list[int], str], list[tuple[str, str]], int, int]] = {}
        self.ask: Any = None
        self.must: Any = None
        self.over = False
        self.waived_now = False
        self.checked = 0
        self.seated: dict[str, Seat] = {}
        self.owners: dict[bytes, str] = {}
        self.server_keys: list[tuple[int, bytes]] = []
        self.moved = 0
        self.ids: set[tuple[str, bytes]] = set()
        self.sealed_picks: list[Any] = []
        self.orders_of: dict[int, tuple[Any, int]] = {}
        self.by_orders: list[tuple[int, Any, str, bool]] = []
        self.turns = self.closed = self.closed_most = 0
        self.stood = 0
        self.targets: set[int] = set()
        self.clocks: Clocks | None = None
        self.pausing: int | None = None
        self.begins = False
        self.flagged = False
        self.acts = self.waiting = 0
        self.witnesses: list[str] = []
        self.handed_over: list[int] = []
        self.unsigned: set[str] = set()
        self.vouched = -1
