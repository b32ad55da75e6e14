"""A front desk as a retriever of LlamaIndex: `pip install frontdesk[llama-index]`."""

from __future__ import annotations

from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode
from typing_extensions import Unpack

from ._documents import documents, metadata, text
from .answers import Asking, Result
from .desk import AsyncDesk, Desk
from .errors import NoResults
from .options import Options


def _node(result: Result) -> NodeWithScore:
    return NodeWithScore(node=TextNode(text=text(result), metadata=metadata(result)), score=result.score / 100)


class FrontdeskRetriever(BaseRetriever):
    """Gives the results of a front desk as nodes, with scores from 0 to 1; none where nothing matches."""

    def __init__(self, url: str, *, options: Options | None = None, **asking: Unpack[Asking]) -> None:
        super().__init__()
        self._url = url
        self._options = options or Options()
        self._asking: Asking = {"no_questions": True, **asking}

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        with Desk(self._url, options=self._options) as desk:
            try:
                return documents(desk.answer(query_bundle.query_str, **self._asking), _node)
            except NoResults:
                return []

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        async with AsyncDesk(self._url, options=self._options) as desk:
            try:
                return documents(await desk.answer(query_bundle.query_str, **self._asking), _node)
            except NoResults:
                return []
