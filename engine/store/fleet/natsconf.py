"""The configuration of a fleet's NATS servers, with accounts, nkeys and certificates, ready to use.

There are four accounts. CORE, where the games are, is for nodes. ARCHIVE can read all of it, write
nothing, and answer whoever asks for a game that has left. PUBLIC is for edges, which can name only
what the public may see. SYS is for whoever looks after the servers. Every connection is TLS, routes
between servers with certificates on both sides. NATS reads JSON.

Source: https://docs.nats.io/running-a-nats-service/configuration, on accounts, authorization, tls
and clustering.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from attrs import frozen

from warledger.engine.nats.natsclient import address
from warledger.engine.nats.nkeys import UserKey
from warledger.engine.store.fleet.archiveloans import TO_EDGES, TO_NODES
from warledger.engine.store.fleet.finishedgames import SUBJECTS as FINISHED
from warledger.engine.store.fleet.fleetstreams import Fleet
from warledger.engine.store.fleet.keyring import write_secret

if TYPE_CHECKING:
    from cryptography import x509
    from cryptography.hazmat.primitives.asymmetric import ec

ROLES: Final = ("node", "archive", "edge", "system")
"""Who has an nkey of their own."""

EDGES: Final = "PUBLIC"
"""The account of the edges."""

AUTHORITY: Final = "ca.pem"
ROUTES_ABOVE: Final = 2000
"""How far a server's port for routes lies above its port for clients."""

_LASTS: Final = timedelta(days=3650)
_EARLIER: Final = timedelta(days=1)


def key_file(role: str) -> str:
    """The file with the nkey's seed of a role."""
    return f"{role}.nk"


@frozen
class Server:
    """A NATS server of the fleet."""

    number: int
    host: str
    port: int

    @property
    def name(self) -> str:
        return f"nats-{self.number}"


def servers_of(addresses: Sequence[str]) -> tuple[Server, ...]:
    """The servers at these addresses, numbered from 1. Raises ValueError."""
    return tuple(Server(n, *address(one)) for n, one in enumerate(addresses, 1))


def accounts(
    fleet: Fleet, keys: Mapping[str, UserKey], edges: Sequence[UserKey] = ()
) -> dict[str, Any]:
    """The accounts, what each sees of the others, and what their users may say and hear. `edges`
    are the keys of edges that have one of their own: answers to one of them are heard by no other.

    Whoever is not a node reaches the streams as services of another account. NATS checks the
    subject of a request and not where its answer goes; so the answer stays in an account in which
    no stream listens.
    """
    games = [f"{kind}{shard}" for shard in range(fleet.shards) for kind in ("WG", "WP")]
    reads = [f"$JS.API.DIRECT.GET.WP{shard}" for shard in range(fleet.shards)]
    reads.append("$JS.API.DIRECT.GET.WCARDS")
    live = ["live.>", "cardlive.>"]
    # An archive reads what there is, keeps nothing in the engine, and says what it has for good.
    every = [*games, "WCARDS", "WFLEET", "WPROBE"]
    served = [f"$JS.API.DIRECT.GET.{name}" for name in every]
    asked = [f"STREAM.{call}.{name}" for call in ("MSG.GET", "INFO") for name in every]
    told = ["archive.*", FINISHED]
    followed = ["follow.>", *live]
    both = ["PUBLIC", "ARCHIVE"]
    lent = {TO_NODES: "CORE", TO_EDGES: EDGES}

    def streams(subjects: Sequence[str]) -> list[dict[str, Any]]:
        return [{"stream": {"account": "CORE", "subject": one}} for one in subjects]

    def services(subjects: Sequence[str], of: str = "CORE") -> list[dict[str, Any]]:
        return [{"service": {"account": of, "subject": one}} for one in subjects]

    def user(
        key: UserKey,
        says: Sequence[str],
        hears: Sequence[str],
        answers: Mapping[str, Any] | None = None,
    ) -> dict[str, Any]:
        return {
            "nkey": key.public,
            "permissions": {
                "publish": {"allow": list(says)},
                "subscribe": {"allow": [f"{key.inbox}.>", *hears]},
                **({} if answers is None else {"allow_responses": answers}),
            },
        }

    return {
        "CORE": {
            "jetstream": "enabled",
            "users": [{"nkey": keys["node"].public}],
            "imports": services([f"{TO_NODES}.*"], "ARCHIVE"),
            "exports": [
                *({"stream": one, "accounts": both} for one in live),
                {"stream": "follow.>", "accounts": ["ARCHIVE"]},
                *(
                    {
                        "service": one,
                        "accounts": both if one in reads else ["ARCHIVE"],
                        "response_type": "stream",
                    }
                    for one in served
                ),
                *(
                    {"service": one, "accounts": ["ARCHIVE"]}
                    for one in (*told, *(f"$JS.API.{call}" for call in asked))
                ),
            ],
        },
        "ARCHIVE": {
            "users": [
                user(
                    keys["archive"],
                    [
                        *served,
                        *told,
                        *(f"{of}.{call}" for of in ("$JS.API", "core") for call in asked),
                    ],
                    [*followed, *(f"{subject}.*" for subject in lent)],
                    {"max": 1, "expires": "30s"},
                )
            ],
            "exports": [
                {"service": f"{subject}.*", "accounts": [account]}
                for subject, account in lent.items()
            ],
            # Every account has calls of its own by these names; those of CORE have others here.
            "mappings": {f"$JS.API.{call}": f"core.{call}" for call in asked},
            "imports": [
                *streams(followed),
                *services([*served, *told]),
                *(
                    {
                        "service": {"account": "CORE", "subject": f"$JS.API.{call}"},
                        "to": f"core.{call}",
                    }
                    for call in asked
                ),
            ],
        },
        EDGES: {
            "users": [user(one, [*reads, f"{TO_EDGES}.*"], live) for one in (keys["edge"], *edges)],
            "imports": [
                *streams(live),
                *services(reads),
                *services([f"{TO_EDGES}.*"], "ARCHIVE"),
            ],
        },
        "SYS": {"users": [{"nkey": keys["system"].public}]},
    }


def configuration(
    server: Server,
    servers: Sequence[Server],
    fleet: Fleet,
    keys: Mapping[str, UserKey],
    store: str,
    edges: Sequence[UserKey] = (),
) -> dict[str, Any]:
    """What one server's `nats.conf` says; `store` is the folder of its streams. Files are named as
    they lie beside it."""
    tls = {"cert_file": "server.pem", "key_file": "server.key", "ca_file": AUTHORITY, "timeout": 5}
    made: dict[str, Any] = {
        "server_name": server.name,
        "listen": f"0.0.0.0:{server.port}",
        "jetstream": {
            "store_dir": store,
            "sync_interval": "always",
            **({"max_file_store": fleet.room} if fleet.room else {}),
        },
        "tls": tls,
        "accounts": accounts(fleet, keys, edges),
        "system_account": "SYS",
    }
    if len(servers) > 1:
        made["cluster"] = {
            "name": "warledger",
            "listen": f"0.0.0.0:{server.port + ROUTES_ABOVE}",
            "routes": [
                f"nats://{_in_url(one.host)}:{one.port + ROUTES_ABOVE}"
                for one in servers
                if one != server
            ],
            # Without these a server that is cut off is missed only after two minutes.
            "ping_interval": "1s",
            "ping_max": 2,
            "no_advertise": True,
            "tls": tls | {"verify": True},
        }
    return made


def _in_url(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def write_servers(
    folder: Path,
    servers: Sequence[Server],
    fleet: Fleet,
    store: str,
    random_bytes: Callable[[int], bytes],
    now: datetime,
) -> list[Path]:
    """Write what is missing of nkeys, the authority, and a folder for each server with its
    configuration, certificate and key. Nothing that is there is replaced. Returns the servers'
    folders. Raises OSError, and ValueError for a key that is none."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    keys: dict[str, UserKey] = {}
    for role in ROLES:
        path = folder / key_file(role)
        if not path.exists():
            write_secret(path, UserKey.made(random_bytes(32)).seed + "\n")
        keys[role] = _read(path)
    edges = [_read(path) for path in sorted(folder.glob(key_file("edge-*")))]
    authority = _Authority.of(folder, now)
    made: list[Path] = []
    shared = len({server.host for server in servers}) < len(servers)
    for server in servers:
        own = folder / server.name
        own.mkdir(mode=0o700, exist_ok=True)
        made.append(own)
        if not (own / "server.pem").exists():
            authority.sign(own, server, now)
        if not (own / AUTHORITY).exists():
            write_secret(own / AUTHORITY, (folder / AUTHORITY).read_text("ascii"), 0o644)
        if not (own / "nats.conf").exists():
            place = f"{store}/{server.name}" if shared else store
            said = configuration(server, servers, fleet, keys, place, edges)
            write_secret(own / "nats.conf", json.dumps(said, indent=1) + "\n")
    return made


def _read(path: Path) -> UserKey:
    return UserKey.read(path.read_text(encoding="ascii"))


class NoEdgeKey(ValueError):
    """A key of an edge cannot be made or taken away; the text says why."""


def change_edge_key(
    folder: Path, name: str, random_bytes: Callable[[int], bytes], *, revoke: bool
) -> list[Path]:
    """Give an edge an nkey of its own, `edge-NAME.nk`, or take it away: the file goes, and no
    configuration in the folder names the key any more. Returns the configurations that changed;
    servers know of it once they have read theirs again. Raises NoEdgeKey, ValueError, OSError."""
    if not re.fullmatch(r"[A-Za-z0-9_-]{1,32}", name):
        raise NoEdgeKey(f"{name!r} is no name of an edge: use letters, digits, - and _")
    path = folder / key_file(f"edge-{name}")
    configurations = sorted(folder.glob("nats-*/nats.conf"))
    if not configurations:
        raise NoEdgeKey(f"{folder} has no nats-1/nats.conf: name the folder of `fleet init`")
    if path.exists() != revoke:
        raise NoEdgeKey(f"there is no {path}" if revoke else f"{path} is there already")
    key = _read(path) if revoke else UserKey.made(random_bytes(32))
    changed: list[tuple[Path, str]] = []
    for one in configurations:
        try:
            said = json.loads(one.read_text(encoding="utf-8"))
            users = said["accounts"][EDGES]["users"]
            rights = users[0]["permissions"]
            heard = [str(one) for one in rights["subscribe"]["allow"]]
        except (ValueError, KeyError, IndexError, TypeError):
            raise NoEdgeKey(
                f"{one} is not as `fleet init` wrote it: change its account {EDGES} by hand"
            ) from None
        users[:] = [user for user in users if user.get("nkey") != key.public]
        if not revoke:
            others = [one for one in heard if not one.startswith("_INBOX.")]
            own = {**rights, "subscribe": {"allow": [f"{key.inbox}.>", *others]}}
            users.append({"nkey": key.public, "permissions": own})
        changed.append((one, json.dumps(said, indent=1) + "\n"))
    # The file of a key that is taken away goes last: until then this can be done again.
    if not revoke:
        write_secret(path, key.seed + "\n")
    for one, text in changed:
        write_secret(one, text)
    if revoke:
        path.unlink()
    return [one for one, _ in changed]


@frozen
class _Authority:
    """The fleet's own authority, which signs its servers' certificates and nothing else."""

    certificate: x509.Certificate
    key: ec.EllipticCurvePrivateKey

    @classmethod
    def of(cls, folder: Path, now: datetime) -> _Authority:
        """That of the folder, made if there is none."""
        from cryptography import x509
        from cryptography.hazmat.primitives import hashes, serialization
        from cryptography.hazmat.primitives.asymmetric import ec

        cert, key = folder / AUTHORITY, folder / "ca.key"
        if not cert.exists():
            secret = ec.generate_private_key(ec.SECP256R1())
            name = _named("Warledger fleet")
            built = (
                _builder(name, name, secret, now)
                .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
                .add_extension(_usage(signs=True), critical=True)
                .add_extension(
                    x509.SubjectKeyIdentifier.from_public_key(secret.public_key()), critical=False
                )
            )
            write_secret(key, _pem(secret))
            pem = built.sign(secret, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)
            write_secret(cert, pem.decode(), 0o644)
        found = serialization.load_pem_private_key(key.read_bytes(), None)
        if not isinstance(found, ec.EllipticCurvePrivateKey):
            raise ValueError(f"{key} is not a key of this authority")
        return cls(x509.load_pem_x509_certificate(cert.read_bytes()), found)

    def sign(self, folder: Path, server: Server, now: datetime) -> None:
        """Make a server's key and certificate."""
        from cryptography import x509
        from cryptography.hazmat.primitives import hashes, serialization
        from cryptography.hazmat.primitives.asymmetric import ec
        from cryptography.x509.oid import ExtendedKeyUsageOID

        secret = ec.generate_private_key(ec.SECP256R1())
        built = (
            _builder(_named(server.name), self.certificate.subject, secret, now)
            .add_extension(x509.SubjectAlternativeName([_general(server.host)]), critical=False)
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(_usage(signs=False), critical=True)
            .add_extension(
                x509.ExtendedKeyUsage(
                    [ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH]
                ),
                critical=False,
            )
            .add_extension(
                x509.SubjectKeyIdentifier.from_public_key(secret.public_key()), critical=False
            )
            .add_extension(
                x509.AuthorityKeyIdentifier.from_issuer_public_key(self.key.public_key()),
                critical=False,
            )
        )
        write_secret(folder / "server.key", _pem(secret))
        pem = built.sign(self.key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)
        write_secret(folder / "server.pem", pem.decode(), 0o644)


def _named(name: str) -> x509.Name:
    from cryptography import x509
    from cryptography.x509.oid import NameOID

    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])


def _builder(
    subject: x509.Name, issuer: x509.Name, secret: ec.EllipticCurvePrivateKey, now: datetime
) -> x509.CertificateBuilder:
    from cryptography import x509

    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(secret.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - _EARLIER)
        .not_valid_after(now + _LASTS)
    )


def _usage(*, signs: bool) -> x509.KeyUsage:
    from cryptography import x509

    return x509.KeyUsage(
        digital_signature=True,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=signs,
        crl_sign=signs,
        encipher_only=False,
        decipher_only=False,
    )


def _general(host: str) -> x509.GeneralName:
    from cryptography import x509

    try:
        return x509.IPAddress(ip_address(host))
    except ValueError:
        return x509.DNSName(host)


def _pem(secret: ec.EllipticCurvePrivateKey) -> str:
    from cryptography.hazmat.primitives import serialization

    return secret.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    ).decode()
