"""Web Push: messages to the browsers of people who have closed the page, through the push service
of each browser's maker (RFC 8030).

Rules of this file:
- A message is encrypted for one browser (RFC 8291): its push service carries it and cannot read it.
- The server shows by its own key that a message is its (VAPID, RFC 8292). A subscription is for
  that key alone, so with another key nobody is reached until they subscribe again.
- Both are a page of RFC each, made here of what `cryptography` has: http-ece comes as sources
  alone, which a lock of wheels cannot install, and py-vapid has this one signature.
"""

import json
import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Sequence
from typing import Any, Final
from urllib.parse import urlsplit

from attrs import define, field
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from warledger.engine.desk.webhook import is_url

SECRET_BYTES: Final = 32
"""Bytes of the server's own key: a private scalar of P-256."""
KEY_BYTES, AUTH_BYTES = 65, 16
"""Bytes of a browser's key, a point of P-256, and of what it shares with whoever writes to it."""
SALT_BYTES: Final = 16
URL_CHARS_MAX: Final = 1024
TEXT_BYTES_MAX: Final = 2800
"""A push service carries 4,096 bytes at most."""
KEPT_SECONDS: Final = 24 * 3600
"""For how long a push service keeps a message for a browser that is not running."""
TOKEN_SECONDS: Final = 12 * 3600
"""For how long a signature of the server counts."""
GONE: Final = (404, 410)
"""What a push service answers where it no longer knows a subscription."""
RECORD_BYTES: Final = 4096
_CONTACT: Final = re.compile(r"mailto:[!-?A-~]+@[0-9A-Za-z.-]+|https://[0-9A-Za-z.-]+(:\d+)?/?")
_ORDER: Final = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551


class BadPush(ValueError):
    """The settings cannot be used; the message says what to do."""


def is_subscription(endpoint: Any, key: Any, auth: Any) -> bool:
    """Whether these are what a browser gives whoever may write to it."""
    if not is_url(endpoint, URL_CHARS_MAX) or type(key) is not bytes or type(auth) is not bytes:
        return False
    if len(key) != KEY_BYTES or len(auth) != AUTH_BYTES or "[" in urlsplit(endpoint).netloc:
        return False  # push services have names
    try:
        ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), key)
    except ValueError:
        return False
    return True


def kept(key: bytes, auth: bytes) -> str:
    """A browser's key and secret as they are kept with the way to it."""
    return urlsafe_b64encode(key + auth).decode("ascii")


def told(title: str, lines: Sequence[str], path: str, tag: str) -> bytes:
    """What the page's service worker receives: a title, a text, where a click leads on this server,
    and a tag, so that a message that comes twice is shown once."""
    text = "\n".join(lines).encode()
    if len(text) > TEXT_BYTES_MAX:
        text = text[:TEXT_BYTES_MAX].decode(errors="ignore").encode() + "…".encode()
    told = {"title": title, "text": text.decode(), "path": path, "tag": tag}
    return json.dumps(told, ensure_ascii=False).encode()


@define(eq=False)
class Pusher:
    """Seals messages to browsers. `secret` is the server's key; `contact` is where a push service
    can write to its operator: `mailto:` with an address, or an https site; `random_bytes` makes
    salts and keys for one message. Raises BadPush where the contact is none."""

    secret: bytes = field(repr=False)
    contact: str
    random_bytes: Callable[[int], bytes] = field(repr=False)
    public: bytes = field(init=False)

    def __attrs_post_init__(self) -> None:
        if not _CONTACT.fullmatch(self.contact):
            raise BadPush(
                f"{self.contact!r} does not say where push services can write to you; use "
                "mailto:you@example.org or https://example.org"
            )
        self.public = _point(_private(self.secret))

    def sealed(self, form: str, message: bytes) -> bytes:
        """A message for the browser of which this is `kept`: RFC 8291, one record of RFC 8188."""
        both = urlsafe_b64decode(form)
        theirs, auth = both[:KEY_BYTES], both[KEY_BYTES:]
        salt, ours = self.random_bytes(SALT_BYTES), _private(self.random_bytes(SECRET_BYTES))
        point = _point(ours)
        curve = ec.SECP256R1()
        shared = ours.exchange(
            ec.ECDH(), ec.EllipticCurvePublicKey.from_encoded_point(curve, theirs)
        )
        seed = _derived(shared, auth, b"WebPush: info\0" + theirs + point, 32)
        key = _derived(seed, salt, b"Content-Encoding: aes128gcm\0", 16)
        nonce = _derived(seed, salt, b"Content-Encoding: nonce\0", 12)
        head = salt + RECORD_BYTES.to_bytes(4, "big") + bytes((len(point),)) + point
        return head + AESGCM(key).encrypt(nonce, message + b"\x02", None)

    def headers(self, endpoint: str, topic: str, now_ms: int) -> tuple[tuple[str, str], ...]:
        """What is sent with a message: the server's signature for this push service (RFC 8292), and
        `topic`, under which a message that is sent again takes the place of the first."""
        parts = urlsplit(endpoint)
        claims = {
            "aud": f"{parts.scheme}://{parts.netloc}",
            "exp": now_ms // 1000 + TOKEN_SECONDS,
            "sub": self.contact,
        }
        signed = ".".join(
            _text(json.dumps(part, separators=(",", ":")).encode())
            for part in ({"typ": "JWT", "alg": "ES256"}, claims)
        )
        der = _private(self.secret).sign(signed.encode(), ec.ECDSA(SHA256()))
        signature = b"".join(part.to_bytes(32, "big") for part in decode_dss_signature(der))
        return (
            ("Authorization", f"vapid t={signed}.{_text(signature)}, k={_text(self.public)}"),
            ("Content-Encoding", "aes128gcm"),
            ("TTL", str(KEPT_SECONDS)),
            ("Urgency", "high"),
            ("Topic", topic[:32]),
        )


def _derived(secret: bytes, salt: bytes, info: bytes, size: int) -> bytes:
    return HKDF(SHA256(), size, salt, info).derive(secret)


def _text(data: bytes) -> str:
    return urlsafe_b64encode(data).rstrip(b"=").decode("ascii")


def _point(key: ec.EllipticCurvePrivateKey) -> bytes:
    """The public half, uncompressed."""
    return key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)


def _private(secret: bytes) -> ec.EllipticCurvePrivateKey:
    """The private key that these bytes give."""
    scalar = int.from_bytes(secret, "big") % (_ORDER - 1) + 1
    return ec.derive_private_key(scalar, ec.SECP256R1())
