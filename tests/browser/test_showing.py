"""The show: records at a human pace, the camera, the combat card beside the clash."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.browser.conftest import Game
from tests.browser.players import shown, until, whole

Open = Callable[..., Any]
DIRECTED = (Path(__file__).parent / "show.js").read_text(encoding="utf-8")
LAG_MS = 20_000
FRAMES = """new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(
  () => requestAnimationFrame(done))))"""

COVERED = """() => {
  const card = document.querySelector('.card');
  if (!card || card.hidden) return null;
  const box = card.getBoundingClientRect();
  return [...document.querySelectorAll('.clash circle')].some((one) => {
    const clash = one.getBoundingClientRect();
    return clash.left < box.right && clash.right > box.left && clash.top < box.bottom && clash.bottom > box.top;
  });
}"""


BESIDE = f"""async () => {{
  for (let frames = 0; frames < 300; frames++) {{
    if (({COVERED})() === false) return true;
    await new Promise(requestAnimationFrame);
  }}
  return false;
}}"""


def test_the_director_keeps_its_pace_and_its_lag(open_page: Open) -> None:
    """Beats last as long as they say at speed 1 and half at speed 2; whatever comes, in whatever
    bursts, is shown in order, all of it, and no later than the stated lag."""
    page = open_page("/help")
    calm = page.evaluate(DIRECTED, [[[0, 3, 600]], 1, LAG_MS])
    assert calm == {"shown": [[0, 0], [600, 1], [1200, 2]], "busy": False}
    quick = page.evaluate(DIRECTED, [[[0, 3, 600]], 2, LAG_MS])
    assert quick["shown"] == [[0, 0], [300, 1], [600, 2]]
    assert page.evaluate(DIRECTED, [[[5, 3, 600]], 0, LAG_MS])["shown"] == [[5, 2]]

    seed = 8
    rng = random.Random(seed)
    for speed in (0.5, 1, 8):
        at, arrivals = 0, []
        for _ in range(60):
            at += rng.randrange(4000)
            arrivals.append([at, rng.randrange(1, 12), rng.choice([0, 120, 600, 6000])])
        told = page.evaluate(DIRECTED, [arrivals, speed, LAG_MS])
        came = [at for at, count, _ in arrivals for _ in range(count)]
        seen = {}
        for ms, seq in told["shown"]:
            assert seq >= max(seen, default=-1), f"seed {seed}"
            seen[seq] = ms
        assert max(seen) == len(came) - 1, f"seed {seed}"
        for seq, arrived in enumerate(came):
            # What is too short to be seen by itself is seen with the next.
            when = min(ms for later, ms in seen.items() if later >= seq)
            assert arrived <= when <= arrived + LAG_MS + 1, f"seed {seed}, speed {speed}, {seq}"


def test_a_show_that_hurries_tells_no_more_than_can_be_seen(open_page: Open) -> None:
    """While records come faster than anybody can look at them, no two boards are shown within a
    tenth of a second; at a speed that somebody has chosen every beat is shown by itself."""
    page = open_page("/help")
    came = [[16 * n, 1, 600] for n in range(4000)]
    told = page.evaluate(DIRECTED, [came, 1, LAG_MS])["shown"]
    gaps = [later - earlier for (earlier, _), (later, _) in itertools.pairwise(told)]
    assert min(gaps) >= 99.9
    assert len(told) > 4000 * 16 / 250
    assert told[-1][1] == 3999
    chosen = page.evaluate(DIRECTED, [[[0, 30, 600]], 8, LAG_MS])["shown"]
    assert chosen == [[75 * n, n] for n in range(30)]


def test_what_is_seen_for_a_moment_lies_there_at_once(open_page: Open, ended: Game) -> None:
    """Played again at human pace counters go their ways; at eight times that, those that could not
    arrive before the next record lie there at once."""
    page = open_page(f"/game/{ended.id}?at=0", reduced_motion="no-preference")
    page.wait_for_selector(".counter, .land", state="attached")
    whole(page, ended.records)
    until(page, "document.querySelector('.game').dataset.settled === '1'")
    ways = """async ([speed, from, most]) => {
      const { board, showing, timeline } = window.warledgerView;
      showing.setSpeed(speed);
      const { render } = board;
      const told = [];
      const done = new Promise((resolve) => {
        board.render = (now, glide) => {
          render.call(board, now, glide);
          told.push(glide);
          if (told.length > most) resolve();
        };
      });
      timeline.playFrom(from);
      await done;
      timeline.pause();
      delete board.render;
      return told.slice(1);
    }"""
    moves = page.evaluate(
        """() => window.warledgerView.watch.records.findIndex(({ effects }, seq) => seq > 20 &&
          effects.some(([tag]) => tag === 'move')) - 1"""
    )
    assert any(page.evaluate(ways, [1, moves, 2]))
    assert not all(page.evaluate(ways, [8, moves, 8]))


def test_what_comes_often_is_told_now_and_then(open_page: Open) -> None:
    """What is asked for many times in a moment is done at once and once more behind that; stopped,
    not at all, and without waiting where it is wanted now."""
    page = open_page("/help")
    told = page.evaluate(
        """async () => {
          const { paced } = await import('/ui/paced.js');
          const at = [];
          const begun = performance.now();
          let last;
          const done = new Promise((resolve) => { last = resolve; });
          const one = paced(() => { at.push(performance.now() - begun); if (at.length > 1) last(); }, 60);
          for (let n = 0; n < 9; n++) one.ask();
          const first = at.length;
          await done;
          one.ask();
          one.stop();
          one.now();
          return [first, at];
        }"""
    )
    first, at = told
    assert first == 1
    assert len(at) == 3
    assert at[1] - at[0] >= 59


def test_each_sentence_stands_under_the_combat_it_belongs_to(open_page: Open, ended: Game) -> None:
    """A record that ends one combat and begins the next has parts: every effect once, in order, and
    what a combat's sentences say of its place is said under that combat."""
    page = open_page(f"/game/{ended.id}?at=0")
    page.wait_for_selector(".counter, .land", state="attached")
    whole(page, ended.records)

    found = page.evaluate(
        """async () => {
          const { partsOf, sceneOf } = await import('/show/scenes.js');
          const watch = window.warledgerView.watch;
          const wrong = [];
          let mixed = 0;
          let placed = 0;
          for (const record of watch.records) {
            const parts = partsOf(watch, record.seq);
            if (JSON.stringify(parts.flatMap(({ effects }) => effects)) !== JSON.stringify(record.effects)) wrong.push(`${record.seq}: effects`);
            if (new Set(parts.map(({ span }) => span)).size > 1) mixed++;
            for (const { span, effects } of parts) {
              if (!span) continue;
              const place = span.args.find(([name]) => name === 'place')[1];
              for (const [tag, key, args] of effects) {
                const named = tag === 'say' && /begins|begun/.test(key) ? args.find(([name]) => name === 'place') : null;
                if (named) placed++;
                if (named && named[1] !== place) wrong.push(`${record.seq}: ${key} in ${named[1]} under ${place}`);
              }
            }
          }
          const combats = watch.spans.filter(({ span }) => span === 'combat');
          const told = combats.map((span) => sceneOf(watch, span, span.to, Infinity));
          if (told.some((scene) => scene[0].effects[0][0] !== 'open' || scene.at(-1).effects.at(-1)[0] !== 'close')) wrong.push('scenes');
          return { wrong, mixed, placed, combats: combats.length };
        }"""
    )

    assert found["wrong"] == []
    assert found["mixed"] > 3 and found["placed"] > 10 and found["combats"] > 10


HEADED = """async () => {
  const view = window.warledgerView, { watch, showing } = view;
  const { partsOf } = await import('/show/scenes.js');
  const wrong = [];
  let both = 0;
  for (let seq = 1; seq <= watch.last; seq++) {
    const parts = partsOf(watch, seq);
    const fights = new Set(parts.filter(({ span }) => span?.span === 'combat').map(({ span }) => span.from));
    if (fights.size < 2 && !(fights.size && watch.boardAt(seq).spans.some(({ span }) => span === 'combat'))) continue;
    both++;
    view.at = seq;
    parts.forEach((one, part) => {
      if (one.span?.span !== 'combat') return;
      showing.tell(seq, part, true);
      const named = view.spoken.say([one.span.key, one.span.args, '']);
      if (!document.querySelector('.turn-line .phase').textContent.endsWith(named)) wrong.push([seq, part]);
    });
  }
  return [both, wrong];
}"""


def test_the_head_names_the_combat_that_is_shown(open_page: Open, ended: Game) -> None:
    """A record that ends one combat and opens the next is told part by part; the head of the page
    names the one whose card is shown."""
    page = open_page(f"/game/{ended.id}?at=60")
    page.wait_for_selector(".counter", state="attached")
    whole(page, ended.records)
    both, wrong = page.evaluate(HEADED)
    assert both
    assert wrong == []


def test_the_card_never_covers_the_clash(open_page: Open, ended: Game) -> None:
    """On a phone and on a desktop, whichever combat one steps to; it can be closed, and comes back
    with the next."""
    for size in ({"width": 1280, "height": 860}, {"width": 390, "height": 844}):
        page = open_page(f"/game/{ended.id}?at=0", viewport=size)
        page.wait_for_selector(".counter, .land", state="attached")
        whole(page, ended.records)
        page.locator("[data-act=step]").select_option("combat")
        for _ in range(6):
            page.locator("[data-act=forward]").click()
            # The board glides to the clash, and the card lies beside it when it has come there.
            assert page.evaluate(BESIDE), size
    page.locator("[data-act=close-card]").click()
    assert page.evaluate(COVERED) is None
    page.locator("[data-act=forward]").click()
    assert page.evaluate(BESIDE)


IN_SIGHT = """() => {
  const { card } = window.warledgerView.showing;
  const side = '<div class="card-side"><h3>Axis</h3><ul>' + '<li><svg class="small-counter" viewBox="0 0 1 1"></svg></li>'.repeat(12) + '</ul></div>';
  card.element.innerHTML = `<header class="card-head"><h2>Combat</h2><button class="card-close">×</button></header><div class="card-sides">${side}${side}</div>
    <p class="card-odds"><b>12</b><b class="card-column">3:1</b></p>
    <div class="card-strip"><ol><li class="hit"><span class="roll">2</span><span class="code">Ao1</span></li></ol><p class="card-result"><b>defenders lose 2</b></p></div>
    <div class="card-dice"><svg class="die" viewBox="0 0 1 1"></svg></div><div class="card-lines">${'<p class="line">Something else is told.</p>'.repeat(7)}</div>`;
  card.element.hidden = false;
  card.element.classList.remove('past');
  card.place();
  const floor = Math.min(card.element.getBoundingClientRect().bottom, document.querySelector('.sheet-parts').getBoundingClientRect().top);
  const [sides, lines] = ['.card-sides', '.card-lines'].map((one) => card.element.querySelector(one).getBoundingClientRect().height > 0);
  return [['.card-odds', '.card-dice', '.card-result'].filter((one) => {
    const box = card.element.querySelector(one).getBoundingClientRect();
    return !box.height || box.bottom > floor + 1;
  }), sides, lines];
}"""


def test_a_card_on_a_low_board_shows_odds_and_dice(open_page: Open, ended: Game) -> None:
    """However little of the map a phone shows, the odds of a combat, its dice and what came of it
    stand in sight; who fights and what else is told give way to them."""
    for height in (844, 560):
        page = open_page(f"/game/{ended.id}?at=0", viewport={"width": 390, "height": height})
        page.wait_for_selector(".counter, .land", state="attached")
        whole(page, ended.records)
        hidden, sides, lines = page.evaluate(IN_SIGHT)
        assert hidden == [], height
        assert height > 560 or not (sides or lines)


def test_the_map_lies_where_it_was_left(open_page: Open, ended: Game) -> None:
    """Who looks on is led to what happens until they move the map; then it is theirs, also after a
    reload, until they ask to be led again."""
    page = open_page(f"/game/{ended.id}?at=60")
    page.wait_for_selector(".counter", state="attached")
    whole(page, ended.records)
    pressed = "document.querySelector('[data-act=follow]').getAttribute('aria-pressed')"
    where = "JSON.stringify(window.warledgerView.board.stage.place)"
    assert page.evaluate(pressed) == "true"
    board = page.locator(".stage").bounding_box()
    page.mouse.move(board["x"] + board["width"] / 2, board["y"] + board["height"] - 30)
    page.mouse.wheel(0, -600)
    until(page, f"{pressed} === 'false'")
    left = page.evaluate(where)
    page.keyboard.press("ArrowRight")
    assert page.evaluate(where) == left
    # The address follows when the reader rests.
    until(page, "location.search === '?at=61'")

    page.reload()
    page.wait_for_selector(".counter", state="attached")
    whole(page, ended.records)
    until(page, f"(left) => {where} === left", arg=left)
    assert page.evaluate(pressed) == "false"
    page.locator("[data-act=follow]").click()
    until(page, f"{pressed} === 'true'")
    assert shown(page) == 61


def test_the_map_lies_where_it_lies_whatever_comes_first(open_page: Open, ended: Game) -> None:
    """Whether the board or the records are here first, the map is laid around what lies on it, and
    led to the record of the address."""
    places = []
    for late in ("archive/*.parts", "api/games/*/board"):
        held: list[Any] = []

        def before(page: Any, late: str = late, held: list[Any] = held) -> None:
            page.route(f"**/{late}", lambda request: held.append(request))

        page = open_page(f"/game/{ended.id}?at=60", before=before)
        if late.startswith("archive"):
            page.wait_for_selector(".board .sheet, .board .ground", state="attached")
            page.evaluate(FRAMES)
            # Nothing is called verified before there is anything.
            assert "verified" not in page.locator(".chain").text_content()
        else:
            until(page, "window.warledgerView.watch.ended !== null")
        for one in held:
            one.continue_()
        page.unroute(f"**/{late}")
        whole(page, ended.records)
        page.wait_for_selector(".counter", state="attached")
        until(page, "document.querySelector('.game').dataset.settled === '1'")
        page.evaluate(FRAMES)
        places.append(page.evaluate("JSON.stringify(window.warledgerView.board.stage.place)"))

    assert places[0] == places[1]


HEIGHTS = """(texts) => texts.map((text) => {
  const phase = document.querySelector('.turn-line .phase');
  phase.textContent = text;
  return document.querySelector('.stage').getBoundingClientRect().height;
})"""


def test_the_board_keeps_its_height_whatever_the_phase_is_called(
    open_page: Open, ended: Game
) -> None:
    """On a screen that has room for it the head of a game keeps two lines for the phase, so that
    the board does not jump from record to record."""
    page = open_page(f"/game/{ended.id}?at=60")
    page.wait_for_selector(".counter", state="attached")
    whole(page, ended.records)
    for width in (860, 1000, 1150, 1151, 1280, 1920):
        page.set_viewport_size({"width": width, "height": 800})
        until(page, "(width) => innerWidth === width", arg=width)
        short, long = page.evaluate(HEIGHTS, ["Combat", " ".join(["Anti-submarine combat"] * 12)])
        assert short == long > 300, width


AFTER_A_COMBAT = """async () => {
  const { partsOf } = await import('/show/scenes.js');
  const { watch } = window.warledgerView;
  const says = ({ effects }) => effects.some(([tag]) => tag === 'say');
  for (const span of watch.spans.filter((one) => one.span === 'combat')) {
    const last = partsOf(watch, span.to).findLastIndex((part) => part.span === span && says(part));
    const next = watch.records[span.to + 1] && partsOf(watch, span.to + 1);
    if (last >= 0 && next?.length && next.every((part) => !part.span) && next.some(says)) {
      return [span.to, last, next.findIndex(says)];
    }
  }
  return null;
}"""
LAID = """() => {
  const card = document.querySelector('.card');
  const strip = document.querySelector('.caption:not(.empty)')?.getBoundingClientRect();
  const box = card.getBoundingClientRect();
  return {
    past: card.matches('.past:not([hidden])'),
    high: box.height,
    sides: document.querySelector('.card-sides').offsetHeight > 0,
    strip: Boolean(strip?.height),
    under: Boolean(strip) && strip.left < box.right && strip.right > box.left && strip.top < box.bottom && strip.bottom > box.top,
  };
}"""


def test_a_combat_that_is_over_makes_room_for_what_follows(open_page: Open, ended: Game) -> None:
    """When the show goes on after a combat, its card folds to what came of it, and what is told next
    is not below it; pointed at or focused, it shows all of the combat again."""
    for size in ({"width": 1280, "height": 720}, {"width": 390, "height": 844}):
        page = open_page(f"/game/{ended.id}?at=0", viewport=size)
        page.wait_for_selector(".counter, .land", state="attached")
        whole(page, ended.records)
        seq, part, after = page.evaluate(AFTER_A_COMBAT)
        play = "([seq, part]) => window.warledgerView.playTo(seq, part)"
        page.evaluate(play, [seq, part])
        until(page, f"(({LAID})()).high > 0")
        whole_card = page.evaluate(LAID)
        # On a phone who fights gives way where the odds, the dice and the result would not be seen.
        assert whole_card["sides"] or size["width"] < 700
        assert not whole_card["past"], size
        page.evaluate(play, [seq + 1, after])
        # What is told next and the folding come one after the other.
        until(
            page,
            f"(({LAID})()).past && (({LAID})()).strip && !(({LAID})()).under && !(({LAID})()).sides",
        )
        folded = page.evaluate(LAID)
        assert folded["high"] < whole_card["high"], size
        page.locator(".card").focus()
        until(
            page,
            f"([high, sides]) => (({LAID})()).high > high && (({LAID})()).sides === sides",
            arg=[folded["high"], whole_card["sides"]],
        )


def test_an_arrow_begins_where_the_move_began(open_page: Open, ended: Game) -> None:
    """Also where the log names only where somebody went."""
    page = open_page(f"/game/{ended.id}?at=0")
    page.wait_for_selector(".counter, .land", state="attached")
    whole(page, ended.records)
    found = page.evaluate(
        """() => {
          const { watch, board } = window.warledgerView;
          const at = (place) => board.map.place(place);
          for (const { seq, effects } of watch.records) {
            const moves = effects.filter(([tag, , way]) => tag === 'move' && way.length === 1 && at(way[0]));
            const from = moves.map(([, id]) => watch.boardAt(seq - 1).pieces.get(id)?.place);
            if (moves.length === 1 && from[0] !== moves[0][2][0] && at(from[0])) {
              window.warledgerView.goTo(seq);
              const [a, b] = [at(from[0]), at(moves[0][2][0])];
              return { d: `M${a.x},${a.y}L${b.x},${b.y}`, drawn: [...document.querySelectorAll('.arrow')].map((one) => one.getAttribute('d')) };
            }
          }
        }"""
    )
    assert found["drawn"] == [found["d"]]


def test_dice_that_miss_and_dice_behind_a_total_are_told(open_page: Open, ended: Game) -> None:
    """A roll of which nothing follows has "No effect" on the card, others have not; where a title
    names a total alone, the dice are those of the receipts that come to it."""
    page = open_page(f"/game/{ended.id}?at=0")
    page.wait_for_selector(".counter, .land", state="attached")
    whole(page, ended.records)
    vain, hit = page.evaluate(
        """async () => {
          const { partsOf } = await import('/show/scenes.js');
          const view = window.warledgerView;
          const has = ({ effects }, ...tags) => effects.some(([tag]) => tags.includes(tag));
          const one = (wanted) => view.watch.records.findLast(({ seq }) => {
            const parts = partsOf(view.watch, seq).filter(({ span }) => span);
            return parts.length === 1 && has(parts[0], 'roll') && wanted(parts[0]);
          });
          const told = (record) => {
            if (!record) return null;
            view.goTo(record.seq);
            return document.querySelector('.card:not([hidden]) .card-vain')?.textContent ?? '';
          };
          return [
            told(one((part) => !has(part, 'take', 'flip', 'move', 'mark', 'put', 'track', 'count', 'learn', 'veil'))),
            told(one((part) => has(part, 'move', 'take', 'mark'))),
          ];
        }"""
    )
    assert vain == "No effect." and hit == ""
    dice = page.evaluate(
        """async () => {
          const { behind } = await import('/show/combat.js');
          const draws = [['surprise', 2], ['surprise', 3], ['combat', 5], ['combat', 4]].map(([purpose, at]) => ({ purpose, drawn: [6, at] }));
          const of = (roll) => behind(draws, new Map(Object.entries({ roll, drm: 2 })));
          return [of(13), of(9), of(5), behind([], new Map())];
        }"""
    )
    assert dice == [[{"dice": [6, 5], "sides": 6}], [{"dice": [3, 4], "sides": 6}], [], []]
