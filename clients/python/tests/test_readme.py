"""Runs the examples of the README as they stand, against the built program."""

from __future__ import annotations

import re

import desk
import pytest
from conftest import README

HEADING = re.compile(r"^##+ (.*)$", re.MULTILINE)
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def examples() -> list[tuple[str, str]]:
    """Gives the examples, by the heading above each."""
    text = README.read_text()
    headings = [(found.start(), found[1]) for found in HEADING.finditer(text)]
    return [
        (next((name for at, name in reversed(headings) if at < block.start()), "first"), block[1])
        for block in BLOCK.finditer(text)
    ]


SAYS = {
    "first": "Lentil soup",
    "1. Ask": "NO_RESULTS",
    "2. Stream": "complete, with 2 results",
    "3. Follow up": "['Lentil soup']",
    "4. Answer what is asked back": "['Lentil soup']",
    "5. Await a promise": "\n2\n",
    "6. Retrieve passages": "Rub the pan with oil",
    "7. Report a citation": "",
    "8. Submit to an intake, and accept the offer": "bound We look forward to it.",
    "9. Buy with RAMP": "0.02 EUR What forty lamps",
    "10. Verify a receipt": "access in desk.example.com",
    "What can be done with an item": "add_ingredients Add the ingredients of Lentil soup to a cart POST https://cart.example.com/add?recipe=",
    "Tools for a language model": "Lentil soup",
    "Retrievers": "https://desk.example.com/food/lentil-soup",
}


def test_every_example_has_something_to_say() -> None:
    assert {name for name, _ in examples()} == set(SAYS)


@pytest.mark.parametrize(("name", "code"), examples(), ids=[f"{i}-{name}" for i, (name, _) in enumerate(examples())])
def test_example_runs_as_it_stands(
    name: str, code: str, served: desk.FrontDesk, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PLATFORM_KEY_ID", served.platform_key)
    exec(compile(code, str(README), "exec"), {"__name__": "example"})
    assert SAYS[name] in capsys.readouterr().out
