"""What is written to people, in their language: a sentence for each notice, and letters."""

from collections.abc import Callable
from urllib.parse import quote

from warledger.engine.desk import push
from warledger.engine.desk.escapes import ESCAPES, plain
from warledger.engine.desk.letters import Letter
from warledger.engine.desk.mail import Written
from warledger.engine.desk.notificationpreferences import OF_TOURNAMENTS
from warledger.engine.desk.outbox import Message, Notice
from warledger.protocol import lang

STOP = "stop"
"""What the code begins with that ends notices by mail."""


def sentence(language: str, notice: Notice, url: str, form: str = "") -> str:
    """One notice, with a link where the page's address is known. What people are called in it is
    escaped for a webhook's form, if any."""
    spoken, escape = lang.phrases(language, notice.title), ESCAPES.get(form, plain)
    words = {name: escape(word) for name, word in notice.words.items()}
    words["against"] = words.get("against") or "–"
    text = spoken.text(
        notice.sentence, title=notice.title, game=notice.game, number=notice.number, **words
    )
    return f"{text} {url}{_place(notice)}" if url and notice.game else text


def _place(notice: Notice) -> str:
    """Where on the page a notice leads."""
    if not notice.game:
        return "/account"
    return f"/{'tournament' if notice.kind in OF_TOURNAMENTS else 'game'}/{notice.game}"


def pushed(message: Message, lines: list[str]) -> bytes:
    """Notices as a push: what they are about, a sentence for each, and where a click leads."""
    text = lang.phrases(message.language).text
    places = {_place(one) for one in message.notices}
    path = "/" if len(places) > 1 else places.pop() if places else "/account"
    return push.told(text(_subject(message)), lines, path, message.key)


def stop_code(message: Message) -> str:
    """What ends the notices on this way: whoever has a message can show it."""
    return f"{STOP}:{message.account}:{message.secret}"


def notice_letter(message: Message, lines: list[str], sender: str, url: str) -> Written:
    """Notices as a letter, which says how to get no more of them."""
    text = lang.phrases(message.language).text
    link = f"{url}/account#stop={quote(stop_code(message), safe=':')}" if url else ""
    foot = text("mail.stop_link", link=link) if link else text("mail.stop")
    mailto = f"mailto:{sender}?subject={quote(f'unsubscribe {message.account}')}"
    body = "\n\n".join((*lines, f"-- \n{foot}"))
    return Written(text(_subject(message)), body + "\n", (link, mailto) if link else (mailto,))


def _subject(message: Message) -> str:
    kinds = {one.kind for one in message.notices}
    about = "test" if not kinds else kinds.pop() if len(kinds) == 1 else "several"
    return f"mail.subject.{about}"


def link_letter(letter: Letter, url: str) -> Written:
    """A link that signs in."""
    return _with_code(letter, url, "link")


def confirmation(letter: Letter, url: str) -> Written:
    """The code that confirms an address."""
    return _with_code(letter, url, "confirm")


def _with_code(letter: Letter, url: str, kind: str) -> Written:
    text: Callable[..., str] = lang.phrases(letter.language).text
    code = f"{url}/account#{kind}={quote(letter.code, safe=':')}" if url else letter.code
    parts = (
        text(f"mail.{kind}", handle=letter.handle),
        code,
        text(f"mail.{kind}_terminal"),
        text(f"mail.{kind}_other"),
    )
    return Written(text(f"mail.subject.{kind}"), "\n\n".join(parts) + "\n")


def is_stop(code: str) -> tuple[str, str] | None:
    """The account and the secret of a code that ends notices by mail."""
    word, _, rest = code.partition(":")
    account, _, secret = rest.partition(":")
    return (account, secret) if word == STOP and account and secret else None
