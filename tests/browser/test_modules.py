"""The page's modules by themselves, run in the browser and compared with the Python they mirror."""

from __future__ import annotations

import base64
import hashlib
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

from protocol import canon, dice
from protocol import effects as fx
from protocol.effects import KEPT_EVERY, BoardHistory
from protocol.lang import catalogue, phrases
from protocol.phrases import LANGUAGES
from tests.browser.conftest import records_of

Open = Callable[..., Any]
EXAMPLE = Path(__file__).resolve().parents[1] / "fixtures" / "example.wlog"

IN = "(text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))"
OUT = "(bytes) => btoa(String.fromCharCode(...bytes))"


def b64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def value(rng: random.Random, depth: int = 0) -> Any:
    """Any canonical value."""
    kind = rng.randrange(9 if depth < 4 else 6)
    if kind == 0:
        return rng.choice([None, True, False])
    if kind in (1, 2):
        return rng.choice([1, -1]) * rng.getrandbits(rng.choice([1, 5, 7, 8, 16, 31, 32, 53]))
    if kind == 3:
        return "".join(rng.choice("aé漢字😀z ") for _ in range(rng.choice([0, 3, 20, 60])))
    if kind == 4:
        return rng.randbytes(rng.choice([0, 1, 40, 300]))
    if kind == 5:
        return canon.Seal(rng.randbytes(32))
    if kind == 6:
        return {key: value(rng, depth + 1) for key in sorted({f"k{rng.randrange(50)}" for _ in range(rng.randrange(5))})}
    return tuple(value(rng, depth + 1) for _ in range(rng.choice([0, 2, 5, 17])))


def test_hashes(open_page: Open) -> None:
    """SHA-256 of every length around a block is the same as everybody's."""
    page = open_page("/help")
    data = [bytes(range(256))[:n] * 2 for n in (0, 1, 27, 28, 31, 32, 33, 63, 64, 100, 256)]

    got = page.evaluate(
        f"async (all) => {{ const {{ sha256, hex }} = await import('/sha256.js'); return all.map((one) => hex(sha256(({IN})(one)))); }}",
        [b64(one) for one in data],
    )

    assert got == [hashlib.sha256(one).hexdigest() for one in data]


def test_values_go_round(open_page: Open) -> None:
    """Canonical bytes, decoded and encoded again in the browser, are the same bytes."""
    page = open_page("/help")
    seed = 20
    rng = random.Random(seed)
    packed = [b64(canon.pack(value(rng))) for _ in range(400)]

    got = page.evaluate(
        f"""async (all) => {{ const {{ pack, unpack }} = await import('/canon.js'); return all.map((one) =>
          ({OUT})(pack(unpack(({IN})(one))))); }}""",
        packed,
    )

    assert got == packed, f"seed {seed}"


def test_sentences_are_those_of_the_terminal(open_page: Open) -> None:
    """Every sentence of every catalogue, with every kind of argument, reads the same in the browser."""
    page = open_page("/help")
    args = {
        "ship": "hood",
        "n": 2,
        "points": -3,
        "dice": [1, 6, 3],
        "place": "north_sea",
        "ships": ["hood", "renown"],
        "reason": ["outcome.draw_agreed", [], ""],
        "side": "axis",
        "one": 1,
        "result": "none",
    }
    for language in LANGUAGES:
        keys = sorted(catalogue(language))
        spoken = phrases(language, "war_at_sea", {"hood": "Hood of the pack"})
        ours = [spoken.text(key, **args) for key in keys]
        theirs = page.evaluate(
            """async ([language, keys, args]) => {
              const { Phrases } = await import('/phrases.js');
              const fetched = await Promise.all([language, 'en'].map((one) => fetch(`/api/phrases/${one}`).then((answer) =>
                answer.json())));
              const spoken = new Phrases(fetched[0], { title: 'war_at_sea', fallback: fetched[1],
                names: { hood: 'Hood of the pack' }, language });
              return keys.map((key) => spoken.text(key, args));
            }""",
            [language, keys, args],
        )
        assert theirs == ours


def test_a_chain_is_verified_and_every_changed_byte_is_seen(open_page: Open) -> None:
    """The example log verifies; with any one byte of it changed, it does not, or the head is another."""
    page = open_page("/help")
    records = [b64(record) for record in records_of(EXAMPLE.read_bytes())]

    sound, missed, tried = page.evaluate(
        f"""async (records) => {{
          const {{ Chain }} = await import('/chain.js');
          const {{ hex }} = await import('/sha256.js');
          const all = records.map({IN});
          const head = (list) => {{ const chain = new Chain(); for (const one of list) chain.add(one, new Uint8Array());
            return hex(chain.last.hash); }};
          const sound = head(all);
          const missed = [];
          let tried = 0;
          for (let i = 0; i < all.length; i++) for (let at = 0; at < all[i].length; at += 5) {{
            const changed = all[i].slice();
            changed[at] ^= 1 + (at % 127);
            tried++;
            try {{ if (head(all.map((one, n) => (n === i ? changed : one))) === sound) missed.push([i, at]);
              }} catch (error) {{ if (error.constructor.name !== 'Tampered') missed.push([i, at, String(error)]); }}
          }}
          return [sound, missed, tried];
        }}""",
        records,
    )

    assert sound == hashlib.sha256(base64.b64decode(records[-1])).hexdigest()
    assert tried > 200
    assert missed == []


def test_a_nonce_is_hashed_as_the_server_does(open_page: Open) -> None:
    """The ceremony's commitment, made by the browser, is the one that the protocol names."""
    page = open_page("/help")
    nonce = bytes(range(32))

    got = page.evaluate(
        f"""async (nonce) => {{ const {{ nonceHash }} = await import('/acts.js');
          const {{ hex }} = await import('/sha256.js'); return hex(nonceHash('abc', 'allied', ({IN})(nonce))); }}""",
        b64(nonce),
    )

    assert got == dice.nonce_hash("abc", "allied", nonce).hex()


def test_boards_fold_and_rewind(open_page: Open) -> None:
    """Effects fold to a board; a takeback's is the one it names; what is not known is skipped."""
    page = open_page("/help")

    got = page.evaluate(
        """async () => {
          const { History } = await import('/effects.js');
          const history = new History();
          history.fold(0, [['put', 'a', 'x', 'f', 's'], ['open', 'turn', 'k', []], ['later', 1]]);
          history.fold(1, [['move', 'a', ['y', 'z']], ['mark', 'a', 'm', 2], ['close', 'turn']]);
          history.fold(2, [['take', 'a', '']]);
          history.fold(3, [['rewind', 1], ['await', ['s']]]);
          const at = (seq) => [history.at(seq).pieces.get('a')?.place ?? null,
            history.at(seq).marks.get('a')?.get('m') ?? 0, history.at(seq).spans.length];
          return [at(0), at(1), at(2), at(3)];
        }"""
    )

    assert got == [["x", 0, 1], ["z", 2, 0], [None, 0, 0], ["z", 2, 0]]


# --- bounds: the same as in Python -------------------------------------------------------------------------------------------------


BOARDS = """async ([told]) => {
  const { History, KEPT_EVERY } = await import('/effects.js');
  const history = new History();
  told.forEach((effects, seq) => history.fold(seq, effects));
  const say = ({ pieces, marks, tracks, seq }) => [
    [...pieces].map(([id, { place }]) => [id, place]).sort(), [...marks].flatMap(([a, m]) => [...m].map(([b, n]) => [a, b, n])).sort(),
    [...tracks].sort(), seq];
  return [told.map((_, seq) => say(history.at(seq))), history.kept.size, KEPT_EVERY];
}"""


def test_boards_kept_one_in_sixty_four_are_those_of_python(open_page: Open) -> None:
    """A long game with takebacks: every board that the page folds again is the one that Python folds, and few are kept."""
    rng = random.Random(8)
    told: list[tuple[Any, ...]] = [()]
    history = BoardHistory()
    history.fold(0, ())
    for seq in range(1, 900):
        own: tuple[Any, ...] = tuple(
            rng.choice((fx.put(f"p{rng.randrange(5)}", f"h{rng.randrange(9)}"), fx.mark(f"p{rng.randrange(5)}", "m", rng.randrange(3))))
            for _ in range(rng.randrange(3))
        )
        if rng.random() < 0.1:
            own = ((fx.REWIND, rng.randrange(seq)), *own, fx.track("turn", seq))
        told.append(own)
        history.fold(seq, own)
    page = open_page("/help")

    boards, kept, every = page.evaluate(BOARDS, [told])

    assert every == KEPT_EVERY and kept <= 900 // (KEPT_EVERY // 2)
    for seq, (pieces, marks, tracks, shown) in enumerate(boards):
        board = history.at(seq)
        assert pieces == sorted([id, piece.place] for id, piece in board.pieces.items()), seq
        assert marks == sorted([target, marker, value] for (target, marker), value in board.marks.items()), seq
        assert (tracks, shown) == (sorted([name, value] for name, value in board.tracks.items()), board.seq), seq


def test_a_map_or_board_without_bounds_is_refused(open_page: Open) -> None:
    """A few bytes that ask for millions of hexes, long ids or endless pieces are an error with a message, and nothing is made of them."""
    page = open_page("/help")
    grid = {"orientation": "flat", "shifted": "odd", "columns": 10, "rows": 10, "id": "{col:02}{row:02}"}
    maps = [
        {**grid, "columns": 5000, "rows": 5000},
        {**grid, "columns": -1},
        {**grid, "id": "{col:02}{row:02}" * 10_000},
        {**grid, "id": "{sheet}{col:02}{row:02}", "sheet": [{"name": "x" * 60_000, "first_column": 1}]},
        {**grid, "sheet": [{"name": "x", "first_column": n} for n in range(1, 1000)]},
    ]

    got = page.evaluate(
        """async (grids) => {
          const { HexMap } = await import('/board/hexes.js');
          const { Board } = await import('/effects.js');
          const told = grids.map((grid) => { try { new HexMap({ map: { grid } }); return ''; } catch (error) { return error.message; } });
          const board = new Board();
          try { for (let n = 0; n < 100000; n++) board.apply(['put', `p${n}`, 'h', '', '']); } catch (error) { told.push(error.message); }
          try { for (let n = 0; n < 100000; n++) board.apply(['mark', 'a', `m${n}`, 1]); } catch (error) { told.push(error.message); }
          return told;
        }""",
        [*maps, grid],
    )

    assert all(got[: len(maps)]) and got[len(maps)] == ""
    assert "at most 40000" in got[0] and "8192" in got[-2] and "16384" in got[-1]
