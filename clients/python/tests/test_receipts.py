"""Receipts, against a ledger that the test keeps itself."""

from __future__ import annotations

import base64
import hashlib
import json
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

from frontdesk import Unusable, _json, receipts
from frontdesk.errors import Untrue
from frontdesk.signing import public_bytes

KEY = Ed25519PrivateKey.from_private_bytes(bytes([9] * 32))
OTHER = Ed25519PrivateKey.from_private_bytes(bytes([8] * 32))
ORIGIN = "desk.example/ledger"


def entry(n: int) -> dict[str, Any]:
    texts = {"id": f"01a2015b-e1a4-7cb0-8cf6-e5178b4f{n:04x}", "kind": "access", "party": "platform:p", "request": "", "site": "s", "subject": "u"}
    return {**texts, "time": "2026-03-01T12:00:00.000000Z", "v": 1, "body": {"n": n, "x": 1.5}}


def leaf(n: int) -> bytes:
    return hashlib.sha256(b"\0" + _json.canonical(entry(n))).digest()


def tree(begin: int, end: int, index: int | None = None) -> tuple[bytes, list[bytes]]:
    """Gives the root over leaves, and the proof of one of them (RFC 6962 §2.1)."""
    if end - begin == 1:
        return leaf(begin), []
    half = 1 << (end - begin - 1).bit_length() - 1
    left, of_left = tree(begin, begin + half, index)
    right, of_right = tree(begin + half, end, index)
    root = hashlib.sha256(b"\1" + left + right).digest()
    if index is None:
        return root, []
    return root, [*of_left, right] if index < begin + half else [*of_right, left]


def signed(text: str, key: Ed25519PrivateKey = KEY) -> str:
    mark = hashlib.sha256(ORIGIN.encode() + b"\n\x01" + public_bytes(key.public_key())).digest()[:4]
    return f"{text}\n— {ORIGIN} {base64.b64encode(mark + key.sign(text.encode())).decode()}\n"


def receipt(index: int, size: int) -> dict[str, Any]:
    root, proof = tree(0, size, index)
    text = f"{ORIGIN}\n{size}\n{base64.b64encode(root).decode()}\n"
    hashes = [base64.b64encode(each).decode() for each in proof]
    return {"entry": entry(index), "index": index, "proof": hashes, "checkpoint": signed(text)}


KEYS = [public_bytes(KEY.public_key())]


@pytest.mark.parametrize("size", range(1, 18))
def test_every_entry_is_proved_and_no_other_place_is(size: int) -> None:
    for index in range(size):
        text = json.dumps(receipt(index, size))
        assert receipts.verify(text, KEYS) == receipts.Checkpoint(ORIGIN, size, tree(0, size)[0])
        for other in {0, index - 1, index + 1, size - 1} - {index}:
            with pytest.raises(Untrue):
                receipts.verify(json.dumps({**receipt(index, size), "index": other}), KEYS)


def test_what_was_changed_is_untrue() -> None:
    good = receipt(2, 5)
    proof = good["proof"]
    for changed in (
        {**good, "entry": {**good["entry"], "party": "platform:q"}},
        {**good, "entry": {**good["entry"], "more": 1}},
        {**good, "proof": proof[:-1]},
        {**good, "proof": [*proof, proof[0]]},
        {**good, "proof": [*proof[1:], proof[0]]},
        {**good, "proof": proof * 30},
        {**good, "proof": ["AAAA"]},
        {**good, "index": True},
        {**good, "index": 2.0},
        {**good, "more": 1},
        {**good, "checkpoint": good["checkpoint"].replace("\n5\n", "\n6\n")},
        {**good, "checkpoint": good["checkpoint"].split("\n\n")[0] + "\n"},
        {**good, "checkpoint": signed(good["checkpoint"].split("\n\n")[0] + "\n", OTHER)},
        {**good, "checkpoint": good["checkpoint"] + "\n"},
    ):
        with pytest.raises(Untrue):
            receipts.verify(json.dumps(changed), KEYS)
    with pytest.raises(Untrue):
        receipts.verify(json.dumps(good), [public_bytes(OTHER.public_key())])
    for text in ("", "[]", "{}", '{"entry":{},"entry":{}}'):
        with pytest.raises(Untrue):
            receipts.verify(text, KEYS)


def test_keys_are_read_in_each_of_their_forms() -> None:
    x = base64.urlsafe_b64encode(KEYS[0]).decode().rstrip("=")
    jwk = {"kty": "OKP", "crv": "Ed25519", "x": x, "kid": "k"}
    pem = KEY.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()
    line = f"{ORIGIN}+deadbeef+{base64.b64encode(bytes([1]) + KEYS[0]).decode()}"
    for text in (json.dumps(jwk), json.dumps({"keys": [{"kty": "RSA"}, jwk, 7]}), pem, "words\n" + pem, line):
        assert receipts.parse_keys(text) == KEYS
    private = KEY.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
    for text in (private, "{}", "", "nothing", '{"keys": []}'):
        with pytest.raises(Unusable):
            receipts.parse_keys(text)
