"""Signatures: of HTTP requests (RFC 9421) for RAMP and Web Bot Auth, and those of the Agentic Intent Protocol."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from pathlib import Path
from urllib.parse import urlsplit

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_pem_private_key
from pydantic import AwareDatetime, TypeAdapter

from .errors import Unusable

SIGNATURE_AGE = timedelta(minutes=5)
REQUEST_COMPONENTS = ("@method", "@target-uri", "content-digest")


def b64(data: bytes) -> str:
    """Writes bytes in base64."""
    return base64.b64encode(data).decode()


def nonce() -> str:
    """Makes 16 random bytes, in hex."""
    return secrets.token_hex(16)


def load_key(pem: str | bytes | Path) -> Ed25519PrivateKey:
    """Reads a private key of Ed25519 from PEM, or from a file that has it, as `frontdesk keys agent` makes one."""
    try:
        text = pem.read_bytes() if isinstance(pem, Path) else pem.encode() if isinstance(pem, str) else pem
        at = text.find(b"-----BEGIN ")
        key = load_pem_private_key(text[max(at, 0) :], None)
    except (OSError, ValueError, TypeError) as error:
        raise Unusable(f"this is no private key in PEM: {error}; make one with `frontdesk keys agent`") from error
    if not isinstance(key, Ed25519PrivateKey):
        raise Unusable("this key is not one of Ed25519; make one with `frontdesk keys agent`")
    return key


def public_bytes(key: Ed25519PublicKey) -> bytes:
    """Gives the 32 bytes of a public key."""
    return key.public_bytes(Encoding.Raw, PublicFormat.Raw)


def verifies(public: bytes, message: bytes, signature: bytes) -> bool:
    """Says whether a signature of Ed25519 is that of a key over a message."""
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True


def thumbprint(key: Ed25519PublicKey) -> str:
    """Gives the thumbprint of a public key (RFC 7638), by which Web Bot Auth names it."""
    x = base64.urlsafe_b64encode(public_bytes(key)).decode().rstrip("=")
    text = json.dumps({"crv": "Ed25519", "kty": "OKP", "x": x}, separators=(",", ":"), sort_keys=True)
    return base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).decode().rstrip("=")


def content_digest(body: bytes) -> str:
    """Gives the value of Content-Digest for a body (RFC 9530 §2)."""
    return f"sha-256=:{b64(hashlib.sha256(body).digest())}:"


def _quoted(text: str) -> str:
    """Writes a string of a structured field (RFC 8941 §3.3.3)."""
    if any(not " " <= c <= "~" for c in text):
        raise Unusable(f"{text!r} cannot stand in a header: it has characters that are not printable ASCII")
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


@dataclass(frozen=True)
class Parameters:
    """How a request is to be signed."""

    keyid: str
    created: datetime
    label: str = "agent"
    nonce: str = ""
    tag: str = ""
    covered: Sequence[str] = REQUEST_COMPONENTS


def _component(identifier: str, method: str, url: str, headers: Mapping[str, str]) -> str:
    """Gives the value of a component (RFC 9421 §2)."""
    at = urlsplit(url)
    name, _, parameter = identifier.partition(";")
    if name == "@method":
        return method
    if name == "@target-uri":
        return url
    if name == "@authority":
        default = {"http": ":80", "https": ":443"}.get(at.scheme, "")
        host = at.netloc.lower()
        return host[: -len(default)] if default and host.endswith(default) else host
    if name == "@path":
        return at.path or "/"
    value = headers[name]
    return value.split("=", 1)[1] if parameter else value  # the header has that one member


def sign_http(
    method: str, url: str, headers: Mapping[str, str], parameters: Parameters, key: Ed25519PrivateKey
) -> dict[str, str]:
    """Gives Signature-Input and Signature for a request (RFC 9421). `headers` have the covered ones, in lower case."""
    lines, names = [], []
    for identifier in parameters.covered:
        name, semicolon, rest = identifier.partition(";")
        names.append(f'"{name}"{semicolon}{rest}')
        lines.append(f"{names[-1]}: {_component(identifier, method, url, headers)}\n")
    created = int(parameters.created.timestamp())
    said = f'({" ".join(names)});keyid={_quoted(parameters.keyid)};alg="ed25519"'
    said += f";created={created};expires={created + int(SIGNATURE_AGE.total_seconds())}"
    said += f";nonce={_quoted(parameters.nonce)}" if parameters.nonce else ""
    said += f";tag={_quoted(parameters.tag)}" if parameters.tag else ""
    base = "".join(lines) + f'"@signature-params": {said}'
    signature = b64(key.sign(base.encode()))
    return {"Signature-Input": f"{parameters.label}={said}", "Signature": f"{parameters.label}=:{signature}:"}


@dataclass(frozen=True)
class Agent:
    """An automated client that signs what it asks (Web Bot Auth), so that servers need not believe its user agent."""

    directory: str
    """The https address at which the agent's keys are published. It identifies the agent."""

    key: Ed25519PrivateKey
    """The key that signs. Use it for nothing else."""

    def headers(self, method: str, url: str, now: datetime) -> dict[str, str]:
        """Gives the headers that sign a request; none for one that is not made over https."""
        if not url.lower().startswith("https://"):
            return {}
        agent = f"bot={_quoted(self.directory)}"
        parameters = Parameters(
            keyid=thumbprint(self.key.public_key()),
            created=now,
            label="bot",
            nonce=nonce(),
            tag="web-bot-auth",
            covered=("@method", "@authority", "@path", 'signature-agent;key="bot"'),
        )
        signed = sign_http(method, url, {"signature-agent": agent}, parameters, self.key)
        return {"Signature-Agent": agent, **signed}


# The five headers of the Agentic Intent Protocol, "authentication-signing".

SKEW = timedelta(seconds=300)
_TIME = TypeAdapter(AwareDatetime)


def format_time(at: datetime) -> str:
    """Writes a time as the protocols do: in UTC, to the second."""
    return at.astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def parse_time(text: str) -> datetime | None:
    """Reads a time of RFC 3339; None where it is none."""
    try:
        return _TIME.validate_strings(text.upper()) if text[4:5] == "-" else None
    except ValueError:
        return None


def _mac(secret: bytes, first: str, path: str, body: bytes, timestamp: str, nonce: str) -> bytes:
    message = "\n".join([first, path, hashlib.sha256(body).hexdigest(), timestamp, nonce])
    return hmac.digest(secret, message.encode(), "sha256")


@dataclass(frozen=True)
class PlatformKey:
    """The key of a platform: the id that names it, and the secret that both sides have. Printing it shows no secret."""

    id: str
    secret: bytes

    def __repr__(self) -> str:
        return f"PlatformKey(id={self.id!r})"

    def headers(self, version: str, method: str, path: str, body: bytes, now: datetime) -> dict[str, str]:
        """Signs a request: `path` is that of the request, with its query."""
        timestamp, once = format_time(now), nonce()
        mac = _mac(self.secret, method, path, body, timestamp, once)
        return {
            "X-AIP-Version": version,
            "X-AIP-Key-Id": self.id,
            "X-AIP-Timestamp": timestamp,
            "X-AIP-Nonce": once,
            "X-AIP-Signature": f"v1={b64(mac)}",
        }

    def verify(self, headers: Mapping[str, str], status: int, path: str, body: bytes, now: datetime) -> bool | None:
        """Says whether an answer's signature is right; None where there is none."""
        names = ("version", "key-id", "timestamp", "nonce", "signature")
        found = {name: headers.get(f"x-aip-{name}", "") for name in names}
        if not any(found.values()):
            return None
        at = parse_time(found["timestamp"])
        if not all(found.values()) or found["key-id"] != self.id or at is None or abs(at - now) > SKEW:
            return False
        want = _mac(self.secret, str(status), path, body, found["timestamp"], found["nonce"])
        return hmac.compare_digest(_decoded(found["signature"]), want)


def _decoded(signature: str) -> bytes:
    """Reads `v1=` and base64 in the standard or the URL's alphabet, padded or not."""
    text = signature.removeprefix("v1=").replace("-", "+").replace("_", "/").rstrip("=")
    if not signature.startswith("v1="):
        return b""
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
    except ValueError:
        return b""
