"""A front desk as a retriever of LangChain: `pip install frontdesk[langchain]`."""

from __future__ import annotations

from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from pydantic import Field

from ._documents import documents, metadata, text
from .answers import Answer, Asking, Result
from .desk import AsyncDesk, Desk
from .errors import NoResults
from .options import Options


def _document(result: Result) -> Document:
    return Document(page_content=text(result), metadata=metadata(result))


def _asked(asking: Asking) -> Asking:
    return {**asking, "no_questions": True}


class FrontdeskRetriever(BaseRetriever):
    """Gives the results of a front desk as documents; none where nothing matches."""

    url: str
    """The address of the front desk."""

    asking: Asking = Field(default_factory=lambda: Asking())
    """What each question says beside its words, as {"limit": 5, "types": ["Recipe"]}."""

    options: Options = Field(default_factory=Options, repr=False)
    """The settings of the client, with its token."""

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
        with Desk(self.url, options=self.options) as desk:
            try:
                return documents(desk.answer(query, **_asked(self.asking)), _document)
            except NoResults:
                return []

    async def _aget_relevant_documents(self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun) -> list[Document]:
        async with AsyncDesk(self.url, options=self.options) as desk:
            try:
                answer: Answer = await desk.answer(query, **_asked(self.asking))
                return documents(answer, _document)
            except NoResults:
                return []
