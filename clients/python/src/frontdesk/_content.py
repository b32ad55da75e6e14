"""Content that was bought, held against what was offered and against its own digest."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Mapping

from .errors import Damaged, OtherContent
from .models.ramp import Offer

_DIGEST = re.compile(r"(sha-256|sha-512)=:([A-Za-z0-9+/=]*):")
_ALGORITHMS = {"sha-256": hashlib.sha256, "sha-512": hashlib.sha512}


def sha256(body: bytes) -> str:
    """Gives the SHA-256 of content, in hex."""
    return hashlib.sha256(body).hexdigest()


def digested(headers: Mapping[str, str], body: bytes) -> bool:
    """Says whether the content is what its Repr-Digest says (RFC 9530); False where there is none. Raises Damaged."""
    told = _DIGEST.findall(headers.get("repr-digest", ""))
    for algorithm, digest in told:
        if base64.b64encode(_ALGORITHMS[algorithm](body).digest()).decode() != digest:
            raise Damaged
    return bool(told)


def offered(offer: Offer, body: bytes, chosen: bool) -> bool:
    """Says whether the content has the SHA-256 that the offer tells.

    Raises OtherContent where it has another although the offer says that it does not change. Content in a form that
    was chosen has no hash in the offer; other kinds of hashes (simhash-v1) are not looked at.
    """
    identity = offer.identity
    told = (identity.content_hash or "") if identity else ""
    method, _, value = told.rpartition(":")
    method = method or (identity.hash_method or "" if identity else "")
    if method.lower().replace("-", "") not in ("sha256", "") or not re.fullmatch(r"[0-9a-fA-F]{64}", value):
        return False
    if sha256(body) == value.lower():
        return True
    if not chosen and identity and identity.resource_mutability == "RESOURCE_MUTABILITY_STATIC":
        raise OtherContent
    return False
