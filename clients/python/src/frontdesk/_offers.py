"""Offers of RAMP v1: the keys of an Exchange, the signature over an offer, its price and what it permits."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from pydantic import BaseModel, ValidationError

from . import _json
from .models.ramp import Offer
from .signing import parse_time, verifies

MAX_OFFERS = 1000
METERED = frozenset(f"PRICING_MODEL_PER_{unit}" for unit in ("TOKEN", "PAGE", "MINUTE", "RECORD"))
_SPKI = bytes.fromhex("302a300506032b6570032100")  # what stands before an Ed25519 key in its SubjectPublicKeyInfo


@dataclass(frozen=True)
class ExchangeKey:
    """One public key of an Exchange, and when it is good."""

    public: bytes
    begins: datetime | None
    ends: datetime | None

    def good(self, now: datetime) -> bool:
        """Says whether the key is within its time."""
        return (self.begins is None or now >= self.begins) and (self.ends is None or now < self.ends)


def _bytes(text: str) -> bytes | None:
    """Reads base64, base64url or hex, padded or not, with or without `ed25519:` before it."""
    text = text.removeprefix("ed25519:")
    if re.fullmatch(r"(?:[0-9a-fA-F]{64}|[0-9a-fA-F]{88}|[0-9a-fA-F]{128})", text):
        return bytes.fromhex(text)
    bare = text.replace("-", "+").replace("_", "/").rstrip("=")
    try:
        return base64.b64decode(bare + "=" * (-len(bare) % 4), validate=True)
    except (binascii.Error, ValueError):
        return None


def _public(text: Any) -> bytes | None:
    found = _bytes(text) if isinstance(text, str) else None
    if found is not None and len(found) == 44 and found.startswith(_SPKI):
        return found[12:]
    return found if found is not None and len(found) == 32 else None


def _key(raw: Any) -> ExchangeKey | None:
    """Reads a key in RAMP's form or as a JSON Web Key; None for one of another kind, or that cannot be read."""
    if not isinstance(raw, dict):
        return None
    algorithm, kind = str(raw.get("algorithm") or "ed25519"), (raw.get("kty", "OKP"), raw.get("crv", "Ed25519"))
    public = _public(raw.get("public_key") or raw.get("x"))
    if algorithm.lower() not in ("ed25519", "eddsa") or kind != ("OKP", "Ed25519") or public is None:
        return None
    bounds = []
    for name in ("valid_from", "valid_until"):
        text = raw.get(name) or ""
        at = parse_time(text) if isinstance(text, str) and text else None
        if text and at is None:
            return None  # without its times it would be good for ever
        bounds.append(at)
    return ExchangeKey(public, bounds[0], bounds[1])


def read_keys(text: bytes) -> list[ExchangeKey]:
    """Reads a key document of an Exchange. Raises NotJSON."""
    document = _json.read(text, strict=True)
    several = document.get("keys") if isinstance(document, dict) else None
    keys = [key for key in map(_key, several if isinstance(several, list) else []) if key]
    if not keys and isinstance(document, dict) and (single := _key(document)):
        keys = [single]
    if not keys:
        raise _json.NotJSON("it has no key of Ed25519 that can be read")
    return keys


@dataclass(frozen=True)
class Price:
    """An amount of a currency."""

    amount: Decimal
    currency: str

    def __str__(self) -> str:
        return f"{self.amount.normalize():f} {self.currency}"


def price(offer: Offer) -> Price | None:
    """Gives what an offer costs at the most; None where no amount bounds it."""
    pricing = offer.pricing
    if pricing is None or pricing.model == "PRICING_MODEL_REVENUE_SHARE":
        return None
    rate, units = Decimal(repr(pricing.rate or 0.0)), pricing.estimated_quantity or 0
    if not rate.is_finite() or rate < 0:
        return None
    if pricing.model in METERED:
        if rate and units <= 0:
            return None
        rate *= max(units, 1)
    return Price(rate, pricing.currency or "")


_AI = {"FUNCTION_AI_INPUT", "FUNCTION_AI_INDEX", "FUNCTION_AI_TRAIN", "FUNCTION_AI_ALL"}


def _within(use: str, some: Iterable[str]) -> bool:
    found = set(some)
    return use in found or "FUNCTION_ALL" in found or use in _AI and "FUNCTION_AI_ALL" in found


def permits(offer: Offer, uses: Collection[str]) -> bool:
    """Says whether an offer permits all uses; who wants all uses wants what is prohibited, too."""
    permitted = offer.restrictions.permitted_functions or [] if offer.restrictions else []
    prohibited = offer.restrictions.prohibited_functions or [] if offer.restrictions else []
    for use in uses:
        touches = _within(use, prohibited) or any(_within(one, [use]) for one in prohibited)
        if permitted and not _within(use, permitted) or touches:
            return False
    return True


def function(word: str) -> str:
    """Gives the name that CoMP has for a use: "ai-input" is FUNCTION_AI_INPUT."""
    return "FUNCTION_" + word.strip().upper().replace("-", "_").removeprefix("FUNCTION_")


def _critical(model: Any) -> set[str]:
    """Gives all keys that a message, or one within it, wants to be understood."""
    if isinstance(model, list):
        return {key for each in model for key in _critical(each)}
    if not isinstance(model, BaseModel):
        return set()
    keys = set(getattr(model, "ext_critical", None) or [])
    for name in type(model).model_fields:
        keys |= _critical(getattr(model, name))
    return keys


def read_offer(raw: Any, understood: Collection[str], now: datetime) -> Offer | str:
    """Reads an offer; or says why it cannot be taken, its signature apart."""
    try:
        offer = Offer.model_validate(_json.snake(raw))
    except (ValidationError, _json.NotJSON) as error:
        return f"it is not in the form of RAMP v1: {str(error)[:200]}"
    if not offer.offer_id or not offer.exchange_signature or offer.package is None or offer.pricing is None:
        return "it lacks an id, a signature, a package or a price"
    if unknown := _critical(offer) - set(understood):
        return f"it needs {', '.join(sorted(unknown))} to be understood"
    if offer.expires_at is not None and now >= offer.expires_at:
        return "it has ended"
    return offer


def signed(raw: dict[str, Any], keys: Iterable[ExchangeKey], now: datetime) -> bool:
    """Says whether one of the keys signed an offer: all of it as it came, or with the protocol's names for its members."""
    try:
        forms = (raw, _json.snake(raw))
        payloads = [
            _json.canonical({name: each for name, each in form.items() if name not in ("exchange_signature", "exchangeSignature")})
            for form in forms
        ]
    except _json.NotJSON:
        return False
    signature = _bytes(str(forms[1].get("exchange_signature", "")))
    if signature is None or len(signature) != 64:
        return False
    return any(verifies(key.public, payload, signature) for key in keys if key.good(now) for payload in payloads)
