"""Questions and answers of front desks (NLWeb 0.55), as they are asked and read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict
from typing_extensions import TypedDict

from . import _json
from .errors import FAILURES, Failure, NotADesk, Promised

NO_PREFERENCE = "no preference"
MAX_PREVIOUS = 10


class Asking(TypedDict, total=False):
    """What a question may say beside its words; see Question."""

    sites: Sequence[str]
    types: Sequence[str]
    filters: Mapping[str, Any]
    limit: int
    min_score: float
    previous: Sequence[str]
    modes: Sequence[str]
    format: str
    language: str
    no_questions: bool
    session: Mapping[str, Any]
    user: Any
    remember: bool
    fresh: bool
    deltas: bool


class Question(BaseModel):
    """What is asked (NLWeb 0.55 §3). Only `text` is needed."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    text: str
    sites: Sequence[str] = ()
    """Names or hosts of sites to ask; none is all that the desk serves."""
    types: Sequence[str] = ()
    """Types of schema.org that are wanted, such as "Recipe"; none is all."""
    filters: Mapping[str, Any] = {}
    """Further attributes of what is wanted, such as {"price": "less than $20"}."""
    limit: int | None = None
    """How many results are wanted."""
    min_score: float | None = None
    """The score, 0 to 100, below which results are left out."""
    previous: Sequence[str] = ()
    """The questions before this one, oldest first."""
    modes: Sequence[str] = ()
    """"list", "summarize" or both; none is "list"."""
    format: str = ""
    """"conversational_search" or "chatgpt_app"; empty is the former."""
    language: str = ""
    """The language in which an answer is liked, such as "en"."""
    no_questions: bool = False
    """Asks the desk to answer at once, and ask nothing back."""
    session: Mapping[str, Any] = {}
    """The session_context of an earlier answer, to go on with it."""
    user: Any = None
    """Who asks: a text or an object. It is no proof of anything."""
    remember: bool = False
    """Asks the desk to remember the question."""
    fresh: bool = False
    """Asks the desk to read its sources anew first; the answer is promised then."""
    deltas: bool = False
    """Asks for the sentences of a summary as they are written, in a stream."""

    def wire(self, streaming: bool) -> dict[str, Any]:
        """Gives the body of the request."""
        query: dict[str, Any] = {**self.filters, "text": self.text}
        prefer: dict[str, Any] = {"streaming": streaming}
        meta: dict[str, Any] = {"version": "0.55"}
        for into, name, value in (
            (query, "site", _tokens(self.sites)),
            (query, "itemType", _tokens(self.types)),
            (query, "limit", self.limit),
            (query, "min_score", self.min_score),
            (prefer, "mode", _tokens(self.modes)),
            (prefer, "response_format", self.format),
            (prefer, "accept-language", self.language),
            (prefer, "elicitation", False if self.no_questions else None),
            (prefer, "fresh", self.fresh or None),
            (prefer, "deltas", streaming and self.deltas or None),
            (meta, "session_context", dict(self.session)),
            (meta, "user", self.user),
            (meta, "remember", self.remember or None),
        ):
            if value is not None and value != "" and value != {}:
                into[name] = value
        body: dict[str, Any] = {"query": query, "prefer": prefer, "meta": meta}
        if self.previous:
            body["context"] = {"@type": "ConversationalContext", "prev": list(self.previous)}
        return body


def _tokens(values: Sequence[str]) -> str | list[str]:
    """Writes tokens as the protocol has them: a text with commas, or an array where one holds a comma itself."""
    return list(values) if any("," in value for value in values) else ", ".join(values)


@dataclass(frozen=True)
class Meta:
    """What an answer says of itself (`_meta`); what is odd in it is as if it were not there."""

    response_type: str = ""
    response_format: str = ""
    version: str = ""
    language: str = ""
    session: dict[str, Any] = field(default_factory=dict)
    ignored: list[Any] = field(default_factory=list)
    closest: list[Any] = field(default_factory=list)
    understood: dict[str, Any] = field(default_factory=dict)
    answer_id: str = ""
    raw: dict[str, Any] = field(default_factory=dict, repr=False)


@dataclass(frozen=True)
class Action:
    """What can be done with an item (NLWeb 0.55 §5): an HTTP request, a tool of MCP, or another agent. Nothing does it for you."""

    name: str
    description: str
    protocol: str
    raw: dict[str, Any] = field(repr=False)

    @property
    def method(self) -> str:
        """The method of HTTP; empty for other protocols."""
        return word(self.raw.get("method"))

    @property
    def endpoint(self) -> str:
        """The address of HTTP; empty for other protocols."""
        return word(self.raw.get("endpoint"))

    @property
    def params(self) -> dict[str, Any]:
        """The parameters or arguments."""
        found = self.raw.get("params") or self.raw.get("arguments")
        return dict(found) if isinstance(found, dict) else {}


@dataclass(frozen=True)
class Result:
    """One item. What it lacks, or has of another kind, is empty; `raw` is the item itself."""

    index: int
    types: list[str]
    name: str
    url: str
    description: str
    site: str
    score: float
    raw: dict[str, Any] = field(repr=False)

    @property
    def type(self) -> str:
        """The first of the types."""
        return self.types[0] if self.types else ""

    @property
    def actions(self) -> list[Action]:
        """What can be done with the item."""
        found = self.raw.get("actions")
        return [
            Action(word(each.get("name")), word(each.get("description")), word(each.get("protocol")), each)
            for each in (found if isinstance(found, list) else [])
            if isinstance(each, dict)
        ]

    @property
    def for_sale(self) -> bool:
        """Says whether a licence to the whole item can be bought: `frontdesk.ramp` does so."""
        return any(action.name == "license" and action.protocol.upper() == "HTTP" for action in self.actions)

    @property
    def passage(self) -> str:
        """The passage that answers the question best; empty where the desk names none."""
        grounding = self.raw.get("grounding")
        passage = grounding.get("passage") if isinstance(grounding, dict) else None
        return word(passage.get("text")) if isinstance(passage, dict) else ""


class AskedBack(BaseModel):
    """One question that a desk asks back."""

    model_config = ConfigDict(extra="allow")

    id: str
    text: str = ""
    type: str = "text"
    options: list[str] = []
    default: Any = None


class Elicitation(BaseModel):
    """What a desk asks back in place of an answer (NLWeb 0.55 §4.1.3)."""

    model_config = ConfigDict(extra="allow")

    text: str = ""
    questions: list[AskedBack] = []


@dataclass(frozen=True)
class Promise:
    """An answer for later. The token is all that it takes to have the answer, or that and the same key."""

    token: str
    message: str = ""
    progress: float = 0.0
    """0 to 1; 0 where the desk does not say."""
    left: float = 0.0
    """Seconds until the answer is expected; 0 where the desk does not say."""
    meta: Meta = field(default_factory=Meta, repr=False)


@dataclass
class Answer:
    """A whole answer, or the question that a desk asks back (`elicitation`)."""

    meta: Meta = field(default_factory=Meta)
    results: list[Result] = field(default_factory=list)
    summary: str = ""
    cited: list[Result] = field(default_factory=list)
    """The items that a summary cites: the first as [1]."""
    content: list[Any] = field(default_factory=list, repr=False)
    """The text of an answer in the format chatgpt_app."""
    elicitation: Elicitation | None = None
    question: Question | None = field(default=None, repr=False)

    def take(self, result: Result) -> bool:
        """Adds a result; says False for the summary, which it keeps."""
        if result.type == "SearchSummary":
            self.summary, self.cited = word(result.raw.get("text")), read_items(result.raw.get("citation"))
            return False
        self.results.append(result)
        return True

    def rest(self, members: dict[str, Any]) -> None:
        """Reads what stands beside the results."""
        content, asked = members.get("content"), members.get("elicitation")
        self.content = content if isinstance(content, list) else self.content
        if isinstance(asked, dict):
            try:
                self.elicitation = Elicitation.model_validate(asked)
            except ValueError:
                self.elicitation = None


@dataclass(frozen=True)
class Event:
    """One event of an answer that comes as a stream.

    `start` has the answer's `meta`; `result` a `result`; `delta` and `summary` a `text`; `complete` the whole `answer`,
    which is a question asked back where its `elicitation` is there.
    """

    type: Literal["start", "result", "delta", "summary", "complete"]
    meta: Meta = field(default_factory=Meta, repr=False)
    result: Result | None = None
    text: str = ""
    answer: Answer | None = None


def word(value: Any) -> str:
    """Gives a text, or the first of several; empty for anything else."""
    if isinstance(value, list):
        return next((each for each in value if isinstance(each, str)), "")
    return value if isinstance(value, str) else ""


def _words(value: Any) -> list[str]:
    several = value if isinstance(value, list) else [value]
    return [each for each in several if isinstance(each, str)]


def _number(value: Any) -> float:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e300 else 0.0


def read_item(index: int, item: Any) -> Result | None:
    """Reads an item; None for what is no object."""
    if not isinstance(item, dict):
        return None
    named = {name: word(item.get(name)) for name in ("name", "url", "description", "site")}
    return Result(index=index, types=_words(item.get("@type")), score=_number(item.get("score")), raw=item, **named)


def read_items(items: Any) -> list[Result]:
    """Reads items; what is no object is left out."""
    found = (read_item(i, item) for i, item in enumerate(items if isinstance(items, list) else []))
    return [each for each in found if each is not None]


def read_meta(value: Any) -> Meta:
    """Reads a _meta, or what may be one."""
    raw: dict[str, Any] = value if isinstance(value, dict) else {}
    ignored, closest = raw.get("ignored"), raw.get("closest")
    session, understood = raw.get("session_context"), raw.get("understood")
    return Meta(
        response_type=word(raw.get("response_type")).lower(),
        response_format=word(raw.get("response_format")),
        version=word(raw.get("version")),
        language=word(raw.get("language")),
        answer_id=word(raw.get("answer_id")),
        session=session if isinstance(session, dict) else {},
        ignored=ignored if isinstance(ignored, list) else [],
        closest=closest if isinstance(closest, list) else [],
        understood=understood if isinstance(understood, dict) else {},
        raw=raw,
    )


def read_failure(members: dict[str, Any], meta: Meta, status: int, retry_after: float | None) -> Failure | None:
    """Reads a failure; None where it is none."""
    if "error" not in members and meta.response_type != "failure":
        return None
    told = members.get("error")
    told = told if isinstance(told, dict) else {"message": told}
    code = word(told.get("code")) or "UNKNOWN"
    kind = FAILURES.get(code, Failure)
    return kind(code, word(told.get("message")), status, retry_after, meta, members)


def read_promise(members: dict[str, Any], meta: Meta) -> Promise | None:
    """Reads a promise; None where it has no token."""
    told = members.get("promise")
    if meta.response_type != "promise" or not isinstance(told, dict) or not word(told.get("token")):
        return None
    progress = min(max(_number(told.get("progress")), 0.0), 1.0)
    left = min(max(_number(told.get("estimated_time")), 0.0), float(1 << 31))
    return Promise(word(told["token"]), word(told.get("message")), progress, left, meta)


def read_answer(url: str, status: int, body: bytes, retry_after: float | None) -> Answer:
    """Reads a response that is one object. Raises Failure, Promised or NotADesk."""
    members = _json.members(body)
    if members is None:
        raise NotADesk(url, status, "the answer is no JSON object")
    meta = read_meta(members.get("_meta"))
    if failure := read_failure(members, meta, status, retry_after):
        raise failure
    if meta.response_type == "promise":
        if promise := read_promise(members, meta):
            raise Promised(promise)
        raise NotADesk(url, status, "the promise has no token")
    if not meta.response_type:
        raise NotADesk(url, status, "the answer has no _meta.response_type")
    if status >= 400:
        raise NotADesk(url, status, "it is an answer and an error at once")
    answer = Answer(meta=meta)
    items = members.get("results")
    items = items if isinstance(items, list) else members.get("structuredData")
    for index, item in enumerate(items if isinstance(items, list) else []):
        result = read_item(index, item)
        if result is None:
            raise NotADesk(url, status, f"result {index} is no object")
        answer.take(result)
    answer.rest(members)
    return answer
