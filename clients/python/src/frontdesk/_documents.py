"""What retrievers of other libraries make of an answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from .answers import Answer, Result

T = TypeVar("T")


def text(result: Result) -> str:
    """Gives the text of a result: its passage, else its name and description."""
    return result.passage or "\n".join(part for part in (result.name, result.description) if part)


def metadata(result: Result) -> dict[str, Any]:
    """Gives what else is known of a result: with `source`, as loaders of LangChain call the address."""
    return {"source": result.url, "title": result.name, "type": result.type, "site": result.site, "score": result.score}


def documents(answer: Answer, make: Callable[[Result], T]) -> list[T]:
    """Makes a document of each result that has a text."""
    return [make(result) for result in answer.results if text(result)]
