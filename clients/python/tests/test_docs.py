"""Runs the examples of the documentation's pages in Python as they stand, against the demo."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
TAB = re.compile(r"^```python tab\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SAYS: dict[str, list[str]] = json.loads((ROOT / "test" / "docs" / "testdata" / "tabs.json").read_text())


def examples() -> list[tuple[str, str, str]]:
    """Gives the page of each example, its code and what it prints."""
    return [
        (page, found[1], says)
        for page, all_says in SAYS.items()
        for found, says in zip(TAB.finditer((ROOT / "docs" / page).read_text()), all_says, strict=True)
    ]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    folder = tmp_path_factory.mktemp("docs")
    running = subprocess.Popen([ROOT / "test" / "docs" / "world.sh", folder], stdout=subprocess.PIPE, text=True)
    assert running.stdout
    yield running.stdout.readline().strip(), folder
    running.terminate()
    running.wait(10)


@pytest.mark.parametrize(("page", "code", "says"), examples(), ids=[page for page, _, _ in examples()])
def test_example_runs_as_it_stands(
    page: str,
    code: str,
    says: str,
    world: tuple[str, Path],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    address, folder = world
    monkeypatch.setenv("PLATFORM_KEY", "sample_key")
    monkeypatch.setenv("PLATFORM_SECRET", (folder / "secret.txt").read_text().strip())
    monkeypatch.setenv("BUYER_KEY", (folder / "buyer.pem").read_text())
    exec(compile(code.replace("https://desk.example.com", address), page, "exec"), {"__name__": "example"})
    assert re.search(says, capsys.readouterr().out)
