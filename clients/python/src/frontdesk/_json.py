"""JSON as it is read and signed."""

from __future__ import annotations

import json
import re
from typing import Any, NoReturn

import rfc8785

MAX_DEPTH = 100


class NotJSON(ValueError):
    """A text that is no JSON, or that two readers could read in two ways."""


def _refuse_constant(name: str) -> NoReturn:
    raise NotJSON(f"{name} is no JSON")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    out = dict(pairs)
    if len(out) != len(pairs):
        raise NotJSON("a member stands twice")
    return out


def _depth(value: Any, left: int = MAX_DEPTH) -> None:
    several = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    if several is None:
        return
    if left == 0:
        raise NotJSON(f"it nests deeper than {MAX_DEPTH} levels")
    for each in several:
        _depth(each, left - 1)


_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


def _whole(value: Any, strict: bool) -> Any:
    """Gives a value without halves of surrogate pairs, which no text can hold; strictly, they are refused."""
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError:
            if strict:
                raise NotJSON("a text has half of a surrogate pair") from None
            return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, list):
        return [_whole(each, strict) for each in value]
    if isinstance(value, dict):
        return {_whole(name, strict): _whole(each, strict) for name, each in value.items()}
    return value


def read(text: bytes, *, strict: bool) -> Any:
    """Reads JSON. Strictly, a member that stands twice and text that is not UTF-8 are refused.

    Raises NotJSON.
    """
    try:
        words = text.decode("utf-8", "strict" if strict else "replace")
        value = json.loads(words, parse_constant=_refuse_constant, object_pairs_hook=_unique if strict else None)
    except (ValueError, RecursionError) as error:
        raise NotJSON(f"it is no JSON: {error}") from error
    _depth(value)
    return _whole(value, strict) if _SURROGATE.search(words) else value


def members(text: bytes) -> dict[str, Any] | None:
    """Reads the object of somebody else, as far as it can be understood; None for anything else."""
    try:
        value = read(text, strict=False)
    except NotJSON:
        return None
    return value if isinstance(value, dict) else None


def write(value: Any) -> bytes:
    """Writes JSON, in one order of its members."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":")).encode()


def _numbers(value: Any) -> Any:
    """Gives a value with each number as the double that it denotes."""
    if isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if isinstance(value, dict):
        return {name: _numbers(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_numbers(each) for each in value]
    return value


def canonical(value: Any) -> bytes:
    """Writes JSON in its canonical form (RFC 8785), which is what is signed. Raises NotJSON."""
    try:
        return rfc8785.dumps(_numbers(value))
    except (rfc8785.CanonicalizationError, OverflowError) as error:
        raise NotJSON(f"it has no canonical form: {error}") from error


_HUMP = re.compile(r"(?<=[a-z0-9])([A-Z])")
# Members whose content is anybody's, in a message of protocol buffers.
_OPEN = {"ext", "claims"}


def snake_names(value: dict[str, Any]) -> dict[str, Any]:
    """Gives a message of protocol buffers with its own members named as the protocol does, and their values as they came."""
    return {_HUMP.sub(lambda hump: "_" + hump[1].lower(), name): each for name, each in value.items()}


def snake(value: Any) -> Any:
    """Gives a message of protocol buffers with the names of its fields as the protocol writes them.

    JSON of protocol buffers has two spellings, exchangeEndpoint and exchange_endpoint.
    """
    if isinstance(value, list):
        return [snake(each) for each in value]
    if not isinstance(value, dict):
        return value
    out: dict[str, Any] = {}
    for name, each in value.items():
        plain = _HUMP.sub(lambda hump: "_" + hump[1].lower(), name)
        if plain in out:
            raise NotJSON(f"the member {plain} stands twice")
        out[plain] = each if plain in _OPEN else snake(each)
    return out
