"""A certificate that the server makes and signs itself, for hosts who have none: browsers sign
nothing over plain http.

It proves to nobody who the server is: whoever connects for the first time takes it on trust, or
compares its fingerprint. Kept in the data directory and used again at each start, so that those who
trust it go on doing so. Made again a month before it ends, or when it lacks a name that the server
is now reached by.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING, Final

from attrs import frozen

from warledger.engine.serve.config import BadConfig

if TYPE_CHECKING:
    from cryptography import x509

CERTIFICATE_FILE: Final = "tls.crt"
KEY_FILE: Final = "tls.key"
_LASTS: Final = timedelta(days=397)
"""How long a certificate lasts. Browsers accept none that lasts longer."""
_RENEWED: Final = timedelta(days=30)
_EARLIER: Final = timedelta(days=1)
"""How long ago its validity begins, for clients whose clock is slow."""


@frozen
class Certificate:
    """Where a certificate and its key are stored, and its SHA-256 fingerprint as browsers show
    it."""

    cert: Path
    key: Path
    fingerprint: str


def own_certificate(data: Path, names: Sequence[str], now_ms: int) -> Certificate:
    """The certificate of a data directory. It is made if there is none that can be used. `names`
    are host names and numeric addresses.

    Raises BadConfig if it cannot be read or written.
    """
    # Imported only here: a server that has a certificate, or needs none, does not wait for it.
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes

    cert, key = data / CERTIFICATE_FILE, data / KEY_FILE
    now = datetime.fromtimestamp(now_ms / 1000, UTC)
    try:
        found = (
            x509.load_pem_x509_certificate(cert.read_bytes())
            if cert.exists() and key.exists()
            else None
        )
        if (
            found is None
            or found.not_valid_after_utc - now < _RENEWED
            or not set(names) <= _names_of(found)
        ):
            found = _make(cert, key, names, now)
    except (OSError, ValueError) as error:
        raise BadConfig(
            f"{cert} or {key} cannot be used: {error}; remove both, and the next start "
            "makes new ones"
        ) from error
    return Certificate(cert, key, found.fingerprint(hashes.SHA256()).hex(":").upper())


def _names_of(found: x509.Certificate) -> set[str]:
    from cryptography import x509

    try:
        names = found.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except x509.ExtensionNotFound:
        return set()
    return {
        *names.get_values_for_type(x509.DNSName),
        *map(str, names.get_values_for_type(x509.IPAddress)),
    }


def _make(cert: Path, key: Path, names: Sequence[str], now: datetime) -> x509.Certificate:
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

    secret = ec.generate_private_key(ec.SECP256R1())  # every browser and every TLS library takes it
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Warledger server")])
    usage = x509.KeyUsage(
        digital_signature=True,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=False,
        crl_sign=False,
        encipher_only=False,
        decipher_only=False,
    )
    identifier = x509.SubjectKeyIdentifier.from_public_key(secret.public_key())
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(secret.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - _EARLIER)
        .not_valid_after(now + _LASTS - _EARLIER)
        .add_extension(
            x509.SubjectAlternativeName([_general(name) for name in dict.fromkeys(names)]),
            critical=False,
        )
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(usage, critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .add_extension(identifier, critical=False)
        .add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_subject_key_identifier(identifier),
            critical=False,
        )
        .sign(secret, hashes.SHA256())
    )
    pem = secret.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    _write(key, pem, 0o600)
    _write(cert, made.public_bytes(serialization.Encoding.PEM), 0o644)
    return made


def _general(name: str) -> x509.GeneralName:
    from cryptography import x509

    try:
        return x509.IPAddress(ip_address(name))
    except ValueError:
        return x509.DNSName(name)


def _write(path: Path, data: bytes, mode: int) -> None:
    unfinished = path.with_name(path.name + ".new")
    unfinished.unlink(missing_ok=True)
    descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
    with os.fdopen(descriptor, "wb") as file:
        os.fchmod(descriptor, mode)  # whatever the umask is
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    os.replace(unfinished, path)
