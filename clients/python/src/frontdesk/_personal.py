"""What looks like personal data, so that it is not sent without a word of the person. It errs towards yes."""

from __future__ import annotations

import re
import unicodedata
from typing import Any

from .models.personal import PARTS, PHRASES, WHOLE

_EMAIL = re.compile(r"""[^\s@<>"'(),;:]+@[^\s@<>"'(),;:.]+(?:\.[^\s@<>"'(),;:.]+)+""")
# A phone number with a country's number before it, or in the American form.
_PHONE = re.compile(
    r"(?:^|[^\w+])\+\d{1,3}(?:[ .\-/]?\(?\d\)?){6,13}(?:\D|$)"
    r"|(?:^|[^\w.\-+])00[1-9](?:[ .\-/]?\d){8,12}(?:[^\w.\-]|$)"
    r"|(?:^|[^\w.\-+])\(?[2-9]\d{2}\)?[ .\-][2-9]\d{2}[ .\-]\d{4}(?:[^\w.\-]|$)",
    re.ASCII,
)
# One as it is written at home almost everywhere else: it begins with 0, and is parted.
_HOME = re.compile(r"(?:^|[^\w.\-+])\(?0[1-9]\d{0,4}\)?[ /\-](?:\d[ \-/]?){4,9}\d(?:[^\w.\-:]|$)", re.ASCII)
_DAY = re.compile(r"\b\d\d([/\- ])\d\d[/\- ]\d{4}\b", re.ASCII)
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Za-z])(?=\d)")
MAX_TEXT = 4096  # characters of a text that are looked at


def pointer(name: str) -> str:
    """Gives a member as a part of a JSON pointer."""
    return "/" + name.replace("~", "~0").replace("/", "~1")


def personal_name(name: str) -> bool:
    """Says whether a member's name is one for personal data: of contact, identity, account or birth."""
    plain = unicodedata.normalize("NFKD", _HUMP.sub(" ", name).replace("ß", "ss")).lower()
    plain = "".join(letter for letter in plain if not unicodedata.combining(letter))
    words = re.split(r"[\W_]+", plain)
    joined = " " + " ".join(word for word in words if word) + " "
    return (
        any(f" {phrase} " in joined for phrase in PHRASES)
        or joined.strip() in WHOLE
        or any(part in name for part in PARTS)
    )


def personal_text(text: str) -> bool:
    """Says whether a text holds an e-mail address or a phone number."""
    text = text[:MAX_TEXT]
    if _EMAIL.search(text) or _PHONE.search(text):
        return True
    return any(not _DAY.search(found.group()) for found in _HOME.finditer(text))


def personal_members(value: Any, at: str = "") -> list[str]:
    """Gives the pointers of what looks personal in data."""
    if isinstance(value, str):
        return [at] if personal_text(value) else []
    if isinstance(value, list):
        return [found for i, each in enumerate(value) for found in personal_members(each, f"{at}/{i}")]
    if not isinstance(value, dict):
        return []
    found: list[str] = []
    for name in sorted(value):
        here = at + pointer(name)
        found += [here] if personal_name(name) else personal_members(value[name], here)
    return found
