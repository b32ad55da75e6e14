"""Receipts of a front desk's ledger. Whoever holds its public key can verify them years later, with no connection.

The ledger is a Merkle tree over entries (RFC 6962 §2.1), whose root a checkpoint signs (C2SP tlog-checkpoint, signed-note).
"""

from __future__ import annotations

import base64
import hashlib
import re
from dataclasses import dataclass
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import load_pem_public_key

from . import _json
from .errors import Untrue, Unusable
from .signing import public_bytes, verifies

MAX_PROOF, MAX_CHECKPOINT, MAX_RECEIPT = 64, 16 << 10, 1 << 20
_ENTRY = {"body", "id", "kind", "party", "request", "site", "subject", "time", "v"}
_ORIGIN = re.compile(r"[!-*,-~]{1,255}")


@dataclass(frozen=True)
class Checkpoint:
    """What a ledger held at one moment: all its entries, by one hash."""

    origin: str
    size: int
    root: bytes


@dataclass(frozen=True)
class Receipt:
    """Shows that an entry stands in a ledger."""

    entry: dict[str, Any]
    index: int
    proof: list[bytes]
    checkpoint: str

    @classmethod
    def parse(cls, text: bytes | str) -> Receipt:
        """Reads a receipt, and refuses what is none. Whether it is true, `verify` says. Raises Untrue."""
        data = text.encode() if isinstance(text, str) else text
        try:
            value = _json.read(data[: MAX_RECEIPT + 1], strict=True)
        except _json.NotJSON as error:
            raise Untrue(f"this is no receipt: {error}") from error
        if not isinstance(value, dict) or set(value) != {"entry", "index", "proof", "checkpoint"}:
            raise Untrue("this is no receipt: it needs an entry, an index, a proof and a checkpoint, and nothing else")
        entry, index, proof, checkpoint = (value[name] for name in ("entry", "index", "proof", "checkpoint"))
        whole = isinstance(index, int) and not isinstance(index, bool)
        if not isinstance(entry, dict) or set(entry) != _ENTRY or not isinstance(checkpoint, str):
            raise Untrue("this is no receipt: its entry or its checkpoint has another form")
        if not whole or not 0 <= index < 1 << 62 or not isinstance(proof, list) or len(proof) > MAX_PROOF:
            raise Untrue("this is no receipt: no ledger has so many entries")
        return cls(entry, index, [_hash(each) for each in proof], checkpoint)


def _hash(text: Any) -> bytes:
    try:
        found = base64.b64decode(text, validate=True)
    except (ValueError, TypeError):
        found = b""
    if len(found) != 32 or base64.b64encode(found).decode() != text:
        raise Untrue("a hash of the receipt is none: it needs 32 bytes in base64")
    return found


def parse_keys(text: bytes | str) -> list[bytes]:
    """Reads public keys of Ed25519: a JWKS or a JWK (/.well-known/jwks.json), PEM, or ORIGIN+HASH+KEY. Raises Unusable."""
    data = text.encode() if isinstance(text, str) else text
    if data.lstrip().startswith(b"{"):
        found = _json.members(data) or {}
        several = found.get("keys") if isinstance(found.get("keys"), list) else [found]
        keys = [key for key in map(_jwk, several or []) if key]
    elif b"-----BEGIN " in data:
        keys = [_pem(b"-----BEGIN " + part) for part in data.split(b"-----BEGIN ")[1:]]
    else:
        keys = [_line(line) for line in data.decode("utf-8", "replace").splitlines() if line.strip() and line[0] != "#"]
    if not keys:
        raise Unusable("there is no public key of Ed25519 in it; give the publisher's /.well-known/jwks.json")
    return keys


def _jwk(key: Any) -> bytes | None:
    if not isinstance(key, dict) or key.get("kty") != "OKP" or key.get("crv") != "Ed25519" or key.get("use") == "enc":
        return None
    x = key.get("x")
    if not isinstance(x, str) or not re.fullmatch(r"[A-Za-z0-9_-]{43}=?", x):
        return None
    return base64.urlsafe_b64decode(x.rstrip("=") + "=")


def _pem(text: bytes) -> bytes:
    if b"PRIVATE" in text:
        raise Unusable("this is a private key: keep it to yourself, and give its public key (openssl pkey -pubout)")
    try:
        key = load_pem_public_key(text)
    except ValueError as error:
        raise Unusable(f"the PEM text holds no public key: {error}") from error
    if not isinstance(key, Ed25519PublicKey):
        raise Unusable("the PEM text holds a public key of another kind than Ed25519")
    return public_bytes(key)


def _line(line: str) -> bytes:
    parts = line.strip().split("+", 2)
    try:
        data = base64.b64decode(parts[2], validate=True) if len(parts) == 3 else b""
    except ValueError:
        data = b""
    if len(data) != 33 or data[0] != 1:
        raise Unusable("this is no public key: give a JWKS, a key in PEM, or ORIGIN+HASH+KEY as tools for signed notes write it")
    return data[1:]


def verify(receipt: Receipt | bytes | str, keys: list[bytes] | bytes | str) -> Checkpoint:
    """Checks that a receipt is true: one of the keys signed its checkpoint, and the entry stands there at its index.

    `keys` are as `parse_keys` gives them, or what it reads. Raises Untrue, with the part that does not hold.
    """
    if not isinstance(receipt, Receipt):
        receipt = Receipt.parse(receipt)
    known = keys if isinstance(keys, list) else parse_keys(keys)
    checkpoint = open_checkpoint(receipt.checkpoint, known)
    if receipt.index >= checkpoint.size:
        raise Untrue(f"the receipt is for entry {receipt.index}, and its checkpoint for {checkpoint.size} entries")
    try:
        leaf = hashlib.sha256(b"\0" + _json.canonical(receipt.entry)).digest()
    except _json.NotJSON as error:
        raise Untrue(f"the entry of the receipt: {error}") from error
    if _root(receipt.index, checkpoint.size, leaf, receipt.proof) != checkpoint.root:
        raise Untrue(
            "the entry was changed, or its index or proof was: they do not lead to the ledger that the checkpoint "
            f"signs ({checkpoint.size} entries)"
        )
    return checkpoint


def open_checkpoint(signed: str, keys: list[bytes]) -> Checkpoint:
    """Reads a signed checkpoint, and checks that one of the keys has signed it. Raises Untrue."""
    text, parted, signatures = signed.partition("\n\n")
    if not parted or len(signed) > MAX_CHECKPOINT or not signatures.endswith("\n"):
        raise Untrue("this is no checkpoint: it has no signatures")
    text += "\n"
    lines = text.split("\n")
    if len(lines) < 4 or not _ORIGIN.fullmatch(lines[0]) or not re.fullmatch(r"0|[1-9][0-9]{0,18}", lines[1]):
        raise Untrue("this is no checkpoint: it needs three lines, the ledger's name, the number of entries, the hash")
    checkpoint = Checkpoint(lines[0], int(lines[1]), _hash(lines[2]))
    for name, data in [_signature(line) for line in signatures[:-1].split("\n")]:
        for key in keys:
            if name != checkpoint.origin or data[:4] != _key_hash(name, key):
                continue
            if not verifies(key, text.encode(), data[4:]):
                raise Untrue("the checkpoint was changed, or its signature was: the signature of the key does not fit")
            return checkpoint
    raise Untrue(f"the checkpoint of {checkpoint.origin} is signed by none of the given keys")


def _signature(line: str) -> tuple[str, bytes]:
    """Reads a line of a signed note: who signed, and the key's hash with the signature."""
    dash, _, rest = line.partition(" ")
    name, _, encoded = rest.partition(" ")
    try:
        data = base64.b64decode(encoded, validate=True)
    except ValueError:
        data = b""
    if dash != "—" or len(data) < 5 or base64.b64encode(data).decode() != encoded:
        raise Untrue("a signature of the checkpoint was changed: it is no base64")
    return name, data


def _key_hash(name: str, key: bytes) -> bytes:
    """Gives the four bytes by which a signed note names a key."""
    return hashlib.sha256(name.encode() + b"\n\x01" + key).digest()[:4]


def _root(index: int, size: int, leaf: bytes, proof: list[bytes]) -> bytes | None:
    """Gives the root to which a proof leads (RFC 9162 §2.1.3.2); None where it has too many or too few hashes."""
    at, last, root = index, size - 1, leaf
    for beside in proof:
        if last == 0:
            return None
        if at & 1 or at == last:
            root = hashlib.sha256(b"\1" + beside + root).digest()
            while not at & 1 and at:
                at, last = at >> 1, last >> 1
        else:
            root = hashlib.sha256(b"\1" + root + beside).digest()
        at, last = at >> 1, last >> 1
    return root if last == 0 else None
