"""The lots of a tournament on the page: who enters there commits to a nonce and shows it, on one
history alone; the desk sees who is missing, and may end the wait."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.request import urlopen

from nacl.signing import SigningKey

from tests.browser.conftest import Site
from tests.browser.players import until
from tests.browser.test_access import FAINT, FAULTS
from tests.browser.test_accounts import PASSWORD, invited, sign_up
from tests.browser.test_modules import IN, b64
from tests.browser.test_tournaments import acts, announced
from tests.tournaments.desk import KEY, PUBLIC, Desk, charter_of
from tests.verdicts import findings_of, reservations_of
from warledger.clients.audit.report import Report
from warledger.clients.audit.tournamentreplay import audit_tournament
from warledger.clients.link.receipts import read_receipts
from warledger.protocol import tournaments as forms
from warledger.protocol.log import wlog
from warledger.protocol.log.chain import sign_head
from warledger.protocol.log.records import read

Open = Callable[..., Any]
CHARTER = """
name = "Lots"
title = "war_at_sea"
[[stage]]
system = "record"
rounds = 2
tiebreaks = ["direct", "lots"]
[sides]
by = "lots"
[absence]
check_in_minutes = 15
"""


def entered(open_page: Open, site: Site, id: str, name: str) -> Any:
    """Somebody with an account enters on the page, and checks in there."""
    page = open_page(invited(site))
    sign_up(page, name)
    page.goto(f"{site.url}/tournament/{id}")
    page.locator("#enter-name").fill(name)
    page.locator("#enter-name").press("Enter")
    page.locator("#cup-check-in").press("Enter")
    until(page, "!document.getElementById('cup-check-in')")
    return page


def audited(site: Site, id: str) -> Report:
    """The verdict on the ledger as it can be fetched."""
    with urlopen(f"{site.url}/api/tournaments/{id}.wlog") as answer:
        data = answer.read()
    first = forms.Charter.from_record(read(wlog.parse(data).records[0], kinds=forms.KINDS))
    return audit_tournament(data, key=first.server_key)


def lots_of(site: Site, id: str) -> Any:
    """Whom the lots wait for, as anybody is told."""
    return json.loads(site.run("tournament", "show", id, "--json"))["lots"]


def test_who_enters_from_the_page_gives_the_lots(
    open_page: Open, site: Site, tmp_path: Path
) -> None:
    """Two enter on the page, and one whom the director entered checks in on it. One is away when
    the lots begin to wait: the desk names them, and its button asks first; when they open the page
    again, the tournament goes on, and no lot is the desk's alone."""
    token = announced(site, tmp_path, "lots", CHARTER)
    kept = f"@{tmp_path / 'lots.token'}"
    entered(open_page, site, "lots", "Lea")
    away = entered(open_page, site, "lots", "Max")
    acts(site, token, ("enter", "Nils", "-", 0))
    given = site.run("tournament", "token", "lots", "e:3", "--token", kept).split()[-1]
    third = open_page(f"/tournament/lots#token={given}&as=e:3")
    third.locator("#cup-check-in").press("Enter")
    until(third, "!document.getElementById('cup-check-in')")
    away.goto("about:blank")

    desk = open_page(f"/tournament/lots#token={token}")
    desk.locator("#cup-pair").click()
    desk.locator("#cup-end-wait").wait_for()
    until(desk, "/nonces of Max, until/.test(document.querySelector('.cup-due').textContent)")
    assert desk.locator("#cup-pair").count() == 0
    for language in ("zh-Hans", "zh-Hant", "en"):
        desk.locator(".language").select_option(language)
        until(desk, f"document.documentElement.lang === '{language}'")
        desk.locator("#cup-end-wait").click()
        assert "web." not in desk.locator("dialog").inner_text()
        assert desk.evaluate(FAULTS) == [] and desk.evaluate(FAINT) == []
        desk.locator("dialog button[value=no]").click()
    assert lots_of(site, "lots")["missing"] == [2]

    away.goto(f"{site.url}/tournament/lots")
    with away.expect_download() as given:
        away.locator("[data-act=save-heads]").click()
    given.value.save_as(tmp_path / given.value.suggested_filename)
    receipts = read_receipts(tmp_path, "lots")
    assert receipts and given.value.suggested_filename.endswith(".e2.heads")
    until(desk, "document.querySelectorAll('.cup-drafted li').length === 1")
    until(away, "document.querySelector('.said').textContent.includes('handed in')")
    desk.locator("#cup-publish").click()
    until(away, "document.querySelectorAll('.cup-round').length === 1")
    report = audited(site, "lots")
    assert not findings_of(report)
    assert "lots_of_desk" not in {one.name for one in reservations_of(report)}


def test_the_desk_ends_the_wait(open_page: Open, site: Site, tmp_path: Path) -> None:
    """Whoever asks for it is told what it means; then the tournament goes on, and the verdict says
    that its lots are the desk's. An entrant without their nonce here is told where it is."""
    token = announced(site, tmp_path, "endwait", CHARTER)
    for name in ("Ora", "Pia"):
        entered(open_page, site, "endwait", name).goto("about:blank")
    desk = open_page(f"/tournament/endwait#token={token}")
    desk.locator("#cup-pair").click()
    desk.locator("#cup-end-wait").wait_for()
    elsewhere = open_page("/account")
    elsewhere.locator("#in-handle").fill("Ora")
    elsewhere.locator("#in-password").fill(PASSWORD)
    elsewhere.locator("#in-password").press("Enter")
    elsewhere.locator("[data-act=sign-out]").wait_for()
    elsewhere.goto(f"{site.url}/tournament/endwait")
    elsewhere.locator("[data-lots=elsewhere]").wait_for()
    assert elsewhere.evaluate(FAULTS) == [] and elsewhere.evaluate(FAINT) == []
    desk.locator("#cup-end-wait").press("Enter")
    assert "every verdict" in desk.locator("dialog").inner_text()
    desk.locator("dialog button[value=yes]").press("Enter")
    until(desk, "document.querySelectorAll('.cup-drafted li').length === 1")
    assert desk.locator("#cup-end-wait").count() == 0
    desk.locator("#cup-publish").press("Enter")
    until(elsewhere, "document.querySelectorAll('.cup-round').length === 1")
    assert "lots_of_desk" in {one.name for one in reservations_of(audited(site, "endwait"))}


def test_an_entry_whose_answer_was_lost_is_there_when_the_page_comes_back(
    open_page: Open, site: Site, tmp_path: Path
) -> None:
    """Token and nonce are kept before they are sent; and one that never came to pass is asked for
    again with the same."""
    announced(site, tmp_path, "lostcup", CHARTER)
    page = open_page(invited(site))
    sign_up(page, "Quin")
    tokens = set()
    for arrives in (False, True):
        page.goto(f"{site.url}/tournament/lostcup")
        page.locator("#enter-name").fill("Quin")
        page.evaluate(
            """(arrives) => {
              const link = window.warledgerLink;
              const real = link.request.bind(link);
              link.request = async (tag, ...fields) => {
                if (tag !== 'enter_tournament') return real(tag, ...fields);
                if (arrives) await real(tag, ...fields);
                document.title = 'sent';
                return new Promise(() => undefined);
              };
            }""",
            arrives,
        )
        page.locator("#enter-name").press("Enter")
        until(page, "document.title === 'sent'")
        kept = json.loads(page.evaluate("localStorage['warledger.tournament.lostcup']"))
        assert kept["asked"]
        tokens.add(kept["token"])
    assert len(tokens) == 1
    page.goto(f"{site.url}/tournament/lostcup")
    page.locator("#cup-check-in").wait_for()
    told = json.loads(site.run("tournament", "show", "lostcup", "--json"))
    assert [one["name"] for one in told["entrant_list"]] == ["Quin"]


STUB = f"""
  const decode = {IN};
  const asked = [];
  const link = (records, heads, key) => ({{
    serverKey: decode(key),
    request: async (tag, id, ...fields) => {{
      const {{ all }} = await import('/link/keeping.js');
      asked.push([tag, (await all('heads', [id, 'e:1'])).map(({{ seq }}) => seq)]);
      const head = (seq) => [id, seq, decode(heads[seq][0]), decode(heads[seq][1])];
      if (tag === 'head_of') return [head(fields[0])];
      if (tag === 'head') return [head(records.length - 1)];
      return [id, records.length - 1, head(records.length - 1), false];
    }},
  }});
  const {{ Lots, commitment }} = await import('/tournaments/lots.js');
"""
RUN = f"""async ([records, heads, key]) => {{
  {STUB}
  const lots = new Lots(link(records, heads, key), 'cup', 'e:1', () => undefined);
  lots.take(0, records.slice(0, 3).map((data) => [decode(data), new Uint8Array(0)]));
  lots.take(3, records.slice(3).map((data) => [decode(data), new Uint8Array(0)]));
  const start = performance.now();
  while ((lots.running || (lots.again && !lots.fault)) && performance.now() - start < 20000) await new Promise((done) => setTimeout(done, 5));
  return [asked, lots.fault && lots.fault[0], lots.shown];
}}"""


def given(desk: Desk, records: int | None = None, key: Any = KEY) -> list[Any]:
    """What a server gives of a ledger: its first records, with their heads signed by a key."""
    log = desk.log[:records]
    heads = [sign_head(key, "cup", one.seq, one.hash) for one in log]
    return [
        [b64(one.data) for one in log],
        [[b64(head.hash), b64(head.signature)] for head in heads],
        b64(PUBLIC),
    ]


def test_a_page_shows_its_nonce_on_one_history_alone(open_page: Open) -> None:
    """Only once it has kept the signed head of a log whose roster has it; on a second history, for
    a head that another key signed, and where a record is missing that was signed, it shows nothing
    and says why."""
    page = open_page("/help")
    desk, fork = Desk(charter_of(sides={"by": "lots"})), Desk(charter_of(sides={"by": "lots"}))
    hashed = page.evaluate(
        f"""async ([records, heads, key]) => {{
          {STUB}
          const {{ hex }} = await import('/records/sha256.js');
          const own = link(records, heads, key);
          const hash = hex(await commitment(own, 'cup', 1));
          return hash === hex(await commitment(own, 'cup', 1)) && hash;
        }}""",
        given(desk),
    )
    for one in (desk, fork):
        one.showing = False
        one.do("e:1", "enter", "P1", "-", 0, hashed)
        one.enter(2)
    fork.enter(1)
    for one in (desk, fork):
        one.do("d:dora", "pair")
    waits = len(desk.log)
    assert page.evaluate(RUN, given(desk, waits - 1)) == [[], None, False]
    other = given(desk, key=SigningKey(bytes(32)))
    asked, fault, shown = page.evaluate(RUN, other)
    assert (fault, shown) == ("web.tournament.lots.unsigned", False)
    assert [tag for tag, _ in asked] == ["head"]

    asked, fault, shown = page.evaluate(RUN, given(desk))
    assert (fault, shown) == (None, True)
    assert asked == [["head", [0]], ["show_nonce", [0, waits - 1]]]
    asked, fault, shown = page.evaluate(RUN, given(fork))
    assert (asked, fault, shown) == ([], "web.tournament.lots.fork", False)

    # The desk loses what it has signed, and shows a beginning in which all is waited for again.
    desk.do("server", "show", 2, desk.nonce(2).hex())
    page.evaluate(RUN, given(desk))
    asked, fault, shown = page.evaluate(RUN, given(desk, waits))
    assert (fault, shown) == ("web.own.missing", False)
    assert [tag for tag, _ in asked] == ["head"]
