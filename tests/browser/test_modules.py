"""The page's modules by themselves, run in the browser and compared with the Python they mirror."""

from __future__ import annotations

import base64
import hashlib
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.browser.conftest import records_of
from warledger.protocol import canon
from warledger.protocol.board import effects as fx
from warledger.protocol.board.effects import KEPT_EVERY, BoardHistory
from warledger.protocol.chance import dice
from warledger.protocol.lang import catalogue, phrases
from warledger.protocol.texts.phrases import LANGUAGES

Open = Callable[..., Any]
ROOT = Path(__file__).resolve().parents[2]
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
        return {
            key: value(rng, depth + 1)
            for key in sorted({f"k{rng.randrange(50)}" for _ in range(rng.randrange(5))})
        }
    return tuple(value(rng, depth + 1) for _ in range(rng.choice([0, 2, 5, 17])))


def test_hashes(open_page: Open) -> None:
    """SHA-256 of every length around a block is the same as everybody's."""
    page = open_page("/help")
    data = [bytes(range(256))[:n] * 2 for n in (0, 1, 27, 28, 31, 32, 33, 63, 64, 100, 256)]

    got = page.evaluate(
        f"async (all) => {{ const {{ sha256, hex }} = await import('/records/sha256.js'); return all.map((one) => hex(sha256(({IN})(one)))); }}",
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
        f"""async (all) => {{ const {{ pack, unpack }} = await import('/records/canon.js'); return all.map((one) =>
          ({OUT})(pack(unpack(({IN})(one))))); }}""",
        packed,
    )

    assert got == packed, f"seed {seed}"


def test_sentences_are_those_of_the_terminal(open_page: Open) -> None:
    """Every sentence of every catalogue, with every kind of argument, reads the same in the
    browser."""
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
              const { Phrases } = await import('/words/phrases.js');
              const fetched = await Promise.all([language, 'en'].map((one) => fetch(`/api/phrases/${one}`).then((answer) =>
                answer.json())));
              const spoken = new Phrases(fetched[0], { title: 'war_at_sea', fallback: fetched[1],
                names: { hood: 'Hood of the pack' }, language });
              return keys.map((key) => spoken.text(key, args));
            }""",
            [language, keys, args],
        )
        assert theirs == ours


MARKS = [
    *(["hedgehog.axis", 1], ["supply.soviet", 52], ["lost", 1], ["load", 0]),
    *(["oos", 1], ["left.goulash", 2], ["dump", 1], ["control.axis", 1]),
]


def test_a_pick_with_a_name_is_never_shown_as_another(open_page: Open) -> None:
    """A label stands for a pick that has no name of its own, and for no other."""
    got = open_page("/help").evaluate(
        """async () => {
          const { Phrases } = await import('/words/phrases.js');
          const texts = { 'pick.sea.done': 'done', 'pick.sea.deploy': 'deploy' };
          const spoken = new Phrases(texts, { title: 'sea', names: { bismarck: 'Bismarck' } });
          const label = ['pick.sea.deploy', [], ''];
          return ['done', 'bismarck', 4, 'group_1'].map((id) => spoken.option({ id, label }));
        }"""
    )
    assert got == ["done", "Bismarck", "4", "deploy"]


def test_markers_are_told_as_everywhere(open_page: Open) -> None:
    """The page says a marker and its amount as the terminal does, in each language."""
    page = open_page("/help")
    for language in LANGUAGES:
        spoken = phrases(language, "hungarian_rhapsody")
        theirs = page.evaluate(
            """async ([language, marks]) => {
              const { Phrases } = await import('/words/phrases.js');
              const texts = await (await fetch(`/api/phrases/${language}`)).json();
              const spoken = new Phrases(texts, { title: 'hungarian_rhapsody', language });
              return marks.map(([marker, value]) => spoken.mark(marker, value));
            }""",
            [language, MARKS],
        )
        assert theirs == [spoken.mark(str(marker), value) for marker, value in MARKS]


def test_a_chain_is_verified_and_every_changed_byte_is_seen(open_page: Open) -> None:
    """The example log verifies; with any one byte of it changed, it does not, or the head is
    another."""
    page = open_page("/help")
    records = [b64(record) for record in records_of(EXAMPLE.read_bytes())]

    sound, missed, tried = page.evaluate(
        f"""async (records) => {{
          const {{ Chain }} = await import('/records/chain.js');
          const {{ hex }} = await import('/records/sha256.js');
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
        f"""async (nonce) => {{ const {{ boundNonceHash }} = await import('/records/acts.js');
          const {{ hex }} = await import('/records/sha256.js');
          return hex(boundNonceHash(({IN})(nonce), 'allied', ({IN})(nonce))); }}""",
        b64(nonce),
    )

    assert got == dice.bound_nonce_hash(nonce, "allied", nonce).hex()


def test_boards_fold_and_rewind(open_page: Open) -> None:
    """Effects fold to a board; a takeback's is the one it names; what is not known is skipped."""
    page = open_page("/help")

    got = page.evaluate(
        """async () => {
          const { History } = await import('/records/effects.js');
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


# --- bounds: the same as in Python ----------------------------------------------------------------


BOARDS = """async ([told]) => {
  const { History, KEPT_EVERY } = await import('/records/effects.js');
  const history = new History();
  told.forEach((effects, seq) => history.fold(seq, effects));
  const say = ({ pieces, marks, tracks, seq }) => [
    [...pieces].map(([id, { place }]) => [id, place]).sort(), [...marks].flatMap(([a, m]) => [...m].map(([b, n]) => [a, b, n])).sort(),
    [...tracks].sort(), seq];
  return [told.map((_, seq) => say(history.at(seq))), history.kept.size, KEPT_EVERY];
}"""


def test_boards_kept_one_in_sixty_four_are_those_of_python(open_page: Open) -> None:
    """A long game with takebacks: every board that the page folds again is the one that Python
    folds, and few are kept."""
    rng = random.Random(8)
    told: list[tuple[Any, ...]] = [()]
    history = BoardHistory()
    history.fold(0, ())
    for seq in range(1, 900):
        own: tuple[Any, ...] = tuple(
            rng.choice(
                (
                    fx.put(f"p{rng.randrange(5)}", f"h{rng.randrange(9)}"),
                    fx.mark(f"p{rng.randrange(5)}", "m", rng.randrange(3)),
                )
            )
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
        assert marks == sorted(
            [target, marker, value] for (target, marker), value in board.marks.items()
        ), seq
        assert (tracks, shown) == (
            sorted([name, value] for name, value in board.tracks.items()),
            board.seq,
        ), seq


MAPS: dict[str, list[dict[str, Any]]] = json.loads(
    (Path(canon.__file__).parent / "vectors" / "maps.json").read_text(encoding="utf-8")
)


def test_hexes_lie_where_the_shared_vectors_say(open_page: Open) -> None:
    """The page lays hexes out so that those are next to each other, and in that direction, which
    the description names, or the grid where it names none; a point in a hex is found in it; and all
    that is printed is drawn."""
    page = open_page("/help")

    got = page.evaluate(
        """async (maps) => {
          const { HexMap, R } = await import('/board/hexes.js');
          const { readDescription } = await import('/board/description.js');
          const wrong = [];
          for (const { name, description } of maps) {
            const map = new HexMap(readDescription(description));
            const bare = { ...description, places: description.places.map(({ near, ...rest }) => rest) };
            const joined = readDescription(bare).places.map(({ near }) => near);
            if (JSON.stringify(joined) !== JSON.stringify(description.places.map(({ near }) => near))) wrong.push(`${name}: neighbours do not follow from the grid`);
            const step = Math.sqrt(3) * R;
            description.places.forEach((place, n) => {
              const here = map.place(place.id);
              if (map.hit(here.x, here.y) !== place.id) wrong.push(`${name}: ${place.id} is not found`);
              const around = description.places.map((_, other) => other).filter((other) => {
                const there = map.list[other];
                return other !== n && Math.hypot(there.x - here.x, there.y - here.y) < step * 1.1;
              });
              const told = place.near.filter((other) => other >= 0);
              if ([...around].sort().join() !== [...told].sort().join()) wrong.push(`${name}: ${place.id} touches ${around}, not ${told}`);
              place.near.forEach((other, d) => {
                if (other < 0) return;
                const there = map.list[other];
                const angle = ((map.flat ? -90 : -60) + 60 * d) * Math.PI / 180;
                if (Math.hypot(there.x - here.x - step * Math.cos(angle), there.y - here.y - step * Math.sin(angle)) > 1) wrong.push(`${name}: ${place.id} direction ${d}`);
              });
            });
            const drawn = map.draw({ name: (id) => id, named: () => false });
            const long = (what) => drawn.querySelector(what).getAttribute('d').length > 0;
            if (long('.river-minor') !== Boolean(description.rivers)) wrong.push(`${name}: rivers`);
            if (long('.bridge') !== Boolean(description.rivers)) wrong.push(`${name}: bridges`);
            if (long('.rail') !== Boolean(description.lines)) wrong.push(`${name}: railways`);
          }
          return wrong;
        }""",
        MAPS["maps"],
    )

    assert got == []


CLOCKS: list[dict[str, Any]] = json.loads(
    (Path(canon.__file__).parent / "vectors" / "clocks.json").read_text(encoding="utf-8")
)["cases"]
ON_THE_CLOCK = (Path(__file__).parent / "clocks.js").read_text(encoding="utf-8")


def test_clocks_show_what_the_shared_cases_say(open_page: Open) -> None:
    """Banks, deadlines and why a clock stands still: as everybody folds them, to the
    millisecond."""
    page = open_page("/help")

    got = page.evaluate(ON_THE_CLOCK, CLOCKS)

    assert got == []


def test_the_page_refuses_what_everybody_refuses(open_page: Open) -> None:
    """Descriptions of another form or beyond their bounds are an error with a message; those of
    this form are read."""
    page = open_page("/help")

    got = page.evaluate(
        """async ([right, wrong]) => {
          const { readDescription } = await import('/board/description.js');
          const told = ({ description }) => { try { readDescription(description); return ''; } catch (error) { return error instanceof RangeError ? error.message : `${error}`; } };
          return [right.map(told), wrong.map(told)];
        }""",
        [MAPS["right"], MAPS["wrong"]],
    )

    assert not any(got[0])
    names = [vector["name"] for vector in MAPS["wrong"]]
    assert [name for name, told in zip(names, got[1], strict=True) if not told] == []
    assert not any("Error" in told for told in got[1])


def test_a_board_without_bounds_is_refused(open_page: Open) -> None:
    """A few bytes that ask for endless pieces or marks are an error with a message, and nothing is
    made of them."""
    page = open_page("/help")

    got = page.evaluate(
        """async () => {
          const { Board } = await import('/records/effects.js');
          const told = [];
          const board = new Board();
          try { for (let n = 0; n < 100000; n++) board.apply(['put', `p${n}`, 'h', '', '']); } catch (error) { told.push(error.message); }
          try { for (let n = 0; n < 100000; n++) board.apply(['mark', 'a', `m${n}`, 1]); } catch (error) { told.push(error.message); }
          return told;
        }"""
    )

    assert "8192" in got[0] and "16384" in got[1]
