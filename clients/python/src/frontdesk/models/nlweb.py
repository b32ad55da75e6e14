# Written by generate.py. Do not edit: run `python generate.py`.

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field


class Content(BaseModel):
    model_config = ConfigDict(
        populate_by_name=True,
    )
    text: str
    type: Annotated[Literal['text'], Field(description='"text".')]


class Context(BaseModel):
    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    field_type: Annotated[str | None, Field(alias='@type')] = None
    memory: Annotated[
        str | list[str] | None, Field(description='One text or several.')
    ] = None
    prev: Annotated[
        str | list[str] | None, Field(description='Earlier questions, oldest first.')
    ] = None
    text: str | None = None


class Corrected(BaseModel):
    model_config = ConfigDict(
        populate_by_name=True,
    )
    from_: Annotated[str, Field(alias='from')]
    to: str


class Failure(BaseModel):
    model_config = ConfigDict(
        populate_by_name=True,
    )
    code: str
    message: str | None = None


class Filter(BaseModel):
    model_config = ConfigDict(
        populate_by_name=True,
    )
    above: Annotated[bool | None, Field(description='Min itself is outside.')] = None
    below: Annotated[bool | None, Field(description='Max itself is outside.')] = None
    end: Annotated[
        str | None, Field(description='The moment before which it lies, RFC 3339.')
    ] = None
    from_: Annotated[
        str,
        Field(
            alias='from',
            description='"question", "attribute", "answer", "earlier", "context" or "memory".',
        ),
    ]
    max: Annotated[float | None, Field(description="A figure's upper bound.")] = None
    min: Annotated[float | None, Field(description="A figure's lower bound.")] = None
    name: Annotated[
        str, Field(description='Of the attribute that filters so, such as "price".')
    ]
    not_: Annotated[
        bool | None,
        Field(alias='not', description='Items for which it holds are left out.'),
    ] = None
    soft: Annotated[
        bool | None, Field(description='Raises items and leaves none out.')
    ] = None
    start: Annotated[
        str | None, Field(description="A time's first moment, RFC 3339.")
    ] = None
    text: Annotated[
        str, Field(description='In plain words, such as "price under 20 USD".')
    ]
    unit: Annotated[
        str | None,
        Field(
            description='Of the figures: a currency (ISO 4217), "min", "kcal", "g", "mg", ...'
        ),
    ] = None
    values: Annotated[
        list[str] | None, Field(description='Words, any of which will do.')
    ] = None


class Ignored(BaseModel):
    model_config = ConfigDict(
        populate_by_name=True,
    )
    name: Annotated[
        str, Field(description='JSON pointer into the request, such as /query/price.')
    ]
    reason: str


class ItemAction(BaseModel):
    model_config = ConfigDict(
        populate_by_name=True,
    )
    description: str
    name: str
    protocol: Literal['HTTP', 'MCP', 'A2A']


class ItemGroundingPassage(BaseModel):
    model_config = ConfigDict(
        populate_by_name=True,
    )
    id: str
    text: str


class ItemGrounding(BaseModel):
    model_config = ConfigDict(
        populate_by_name=True,
    )
    omitted: Annotated[
        list[str] | None,
        Field(description='Members that are left out because of their size.'),
    ] = None
    passage: ItemGroundingPassage | None = None
    source: str | None = None
    source_urls: list[str]


class Item(BaseModel):
    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    field_type: Annotated[str, Field(alias='@type', description='The schema.org type.')]
    actions: list[ItemAction] | None = None
    description: Any | None = None
    grounding: ItemGrounding | None = None
    is_accessible_for_free: Annotated[
        Any | None,
        Field(
            alias='isAccessibleForFree',
            description='False for a licensed item, of which only a notice is shown.',
        ),
    ] = None
    name: Any | None = None
    score: Annotated[
        float | None, Field(description='How well the item fits the question.')
    ] = None
    site: Annotated[str | None, Field(description="The id of the item's site.")] = None
    text: Annotated[Any | None, Field(description='Of a summary.')] = None
    url: str | None = None


class Model(BaseModel):
    model_config = ConfigDict(
        populate_by_name=True,
    )
    calls: Annotated[int, Field(description='That were made of the endpoint.')]
    cost: Annotated[str | None, Field(description='Of these, as a decimal number.')] = (
        None
    )
    currency: str | None = None
    embed: Literal['used', 'fallback'] | None = None
    reason: Annotated[
        dict[str, str] | None,
        Field(description='Why each use fell back: "unreachable", "slow" and so on.'),
    ] = None
    rerank: Literal['used', 'fallback'] | None = None
    rewrite: Literal['used', 'fallback'] | None = None
    summarize: Literal['used', 'fallback'] | None = None
    tokens: Annotated[
        int, Field(description='That they took, as far as the endpoint says.')
    ]


class Order(BaseModel):
    model_config = ConfigDict(
        populate_by_name=True,
    )
    by: Annotated[str, Field(description='Name of the figure, such as "price".')]
    order: Annotated[str, Field(description='"ascending" or "descending".')]
    text: Annotated[str, Field(description='In plain words.')]


class Prefer(BaseModel):
    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    accept_language: Annotated[str | None, Field(alias='accept-language')] = None
    closest: Annotated[
        bool | None,
        Field(
            description='Closest asks for the nearest items as results where nothing is an answer. (An extension of ours.).'
        ),
    ] = None
    deltas: Annotated[
        bool | None,
        Field(
            description='Deltas says that delta events of a stream are understood. (An extension of ours.).'
        ),
    ] = None
    elicitation: Annotated[
        bool | None,
        Field(
            description='Elicitation false says that questions cannot be answered: nothing is asked back. (An extension of ours.).'
        ),
    ] = None
    fresh: Annotated[
        bool | None,
        Field(
            description='Fresh asks the desk to read its sources again before it answers, if its owner allows that. (An extension of ours.).'
        ),
    ] = None
    mode: Annotated[
        str | list[str] | None,
        Field(description='One token, several with commas between, or an array.'),
    ] = None
    response_format: Annotated[
        str | list[str] | None, Field(description='In order of preference.')
    ] = None
    streaming: bool | None = None
    user_agent: Annotated[str | None, Field(alias='user-agent')] = None


class Promise(BaseModel):
    model_config = ConfigDict(
        populate_by_name=True,
    )
    estimated_time: Annotated[
        int | None,
        Field(
            description='Whole seconds until the answer is expected; none when nobody knows.'
        ),
    ] = None
    message: Annotated[str | None, Field(description='For people.')] = None
    progress: Annotated[
        float | None, Field(description='0 to 1; never less than before.')
    ] = None
    token: Annotated[str, Field(description='For await.')]


class Query(BaseModel):
    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    item_type: Annotated[
        str | list[str] | None,
        Field(
            alias='itemType',
            description='One token, several with commas between, or an array.',
        ),
    ] = None
    limit: Annotated[
        int | None, Field(description='Results wanted at most, 1 to 1,000.')
    ] = None
    min_score: Annotated[
        float | None, Field(description='Results scoring less are left out, 0 to 100.')
    ] = None
    site: Annotated[
        str | list[str] | None,
        Field(description='One token, several with commas between, or an array.'),
    ] = None
    text: str


class Question(BaseModel):
    model_config = ConfigDict(
        populate_by_name=True,
    )
    default: Any | None = None
    id: str
    options: list[str] | None = None
    text: str
    type: Annotated[
        Literal['single_select', 'multi_select', 'free_text', 'number', 'boolean'],
        Field(description='One of the kinds below; others may come.'),
    ]


class Relaxation(BaseModel):
    model_config = ConfigDict(
        populate_by_name=True,
    )
    name: str
    text: Annotated[str, Field(description='In plain words.')]


class RequestMeta(BaseModel):
    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    remember: bool | None = None
    request_id: Annotated[
        Any | None,
        Field(
            description="A string or a number of the caller's making; comes back as a string."
        ),
    ] = None
    session_context: Annotated[
        dict[str, Any] | None, Field(description='An object.')
    ] = None
    user: Annotated[
        str | dict[str, Any] | None, Field(description='A string or an object.')
    ] = None
    version: str | float | None = None


class Unanswered(BaseModel):
    model_config = ConfigDict(
        populate_by_name=True,
    )
    node: Annotated[str, Field(description="As the front's owner calls it.")]
    reason: Annotated[
        str, Field(description='Timeout, unreachable, busy, refused, failed or unfit.')
    ]
    sites: Annotated[list[str], Field(description='That it was asked for.')]


class Understood(BaseModel):
    model_config = ConfigDict(
        populate_by_name=True,
    )
    answer: Annotated[
        str | None,
        Field(
            description="The outcome of a comparison or the detail, in a sentence made of the items' own facts."
        ),
    ] = None
    corrected: Annotated[
        list[Corrected] | None, Field(description='Words that were read as others.')
    ] = None
    count: Annotated[
        int | None, Field(description='How many items were asked for.')
    ] = None
    filters: Annotated[
        list[Filter] | None, Field(description='Which hold all together.')
    ] = None
    intent: Annotated[
        str | None,
        Field(description='"compare" or "detail"; absent: items that fit are listed.'),
    ] = None
    query: Annotated[
        str | None,
        Field(
            description='The question made to stand by itself, where it went on from others.'
        ),
    ] = None
    relaxed: Annotated[
        list[Relaxation] | None,
        Field(description='Filters that were let go since nothing met them.'),
    ] = None
    sort: Order | None = None
    text: Annotated[
        str | None,
        Field(
            description='All that follows in plain words, in the language of the answer.'
        ),
    ] = None


class AskRequest(BaseModel):
    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    context: Context | list[Context] | None = None
    meta: RequestMeta | None = None
    prefer: Prefer | None = None
    query: Query


class AwaitRequest(BaseModel):
    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    action: Annotated[
        Literal['checkin', 'cancel'],
        Field(description='Checkin to learn how it stands, cancel to end it.'),
    ]
    meta: RequestMeta | None = None
    promise_token: Annotated[str, Field(description='Of the promise.')]


class Elicitation(BaseModel):
    model_config = ConfigDict(
        populate_by_name=True,
    )
    questions: list[Question] | None = None
    text: str | None = None


class Meta(BaseModel):
    model_config = ConfigDict(
        populate_by_name=True,
    )
    answer_id: Annotated[
        str | None,
        Field(
            description='For POST /ask/click, which counts that one of the results was followed. (An extension of ours.).'
        ),
    ] = None
    closest: Annotated[
        list[Any] | None,
        Field(
            description="The nearest items where nothing is an answer: each breaks what Understood says was relaxed, or has little of the question's words. (An extension of ours.)."
        ),
    ] = None
    ignored: Annotated[
        list[Ignored] | None,
        Field(
            description='Ignored names what the request asked for and the answer does not heed.'
        ),
    ] = None
    language: Annotated[
        str | None,
        Field(
            description="That of the answer's own words, when the request prefers one: the best that there is of what it prefers, as a BCP 47 tag. Items stay in the languages of their owners."
        ),
    ] = None
    model: Model | None = None
    openai_output_template: Annotated[
        str | None,
        Field(
            alias='openai/outputTemplate',
            description='The URI of the widget that shows a chatgpt_app answer, and WidgetAccessible whether it may call tools. Both are there or neither.',
        ),
    ] = None
    openai_widget_accessible: Annotated[
        bool | None, Field(alias='openai/widgetAccessible')
    ] = None
    partial: Failure | None = None
    processing_time_ms: Annotated[
        float | None,
        Field(
            description="The time from the request's arrival to the first byte of the answer, in milliseconds."
        ),
    ] = None
    request_id: Annotated[str | None, Field(description="The request's own.")] = None
    response_format: Literal['conversational_search', 'chatgpt_app'] | None = None
    response_type: Literal['answer', 'elicitation', 'promise', 'failure']
    session_context: dict[str, Any] | None = None
    streaming: bool | None = None
    unanswered: Annotated[
        list[Unanswered] | None,
        Field(
            description='The nodes whose sites are missing from the answer of a front. (An extension of ours.).'
        ),
    ] = None
    understood: Understood | None = None
    version: Literal['0.55']


class Response(BaseModel):
    model_config = ConfigDict(
        populate_by_name=True,
    )
    field_meta: Annotated[Meta, Field(alias='_meta')]
    content: Annotated[
        list[Content] | None, Field(description='Answer, chatgpt_app.')
    ] = None
    elicitation: Elicitation | None = None
    error: Failure | None = None
    promise: Promise | None = None
    results: Annotated[
        list[Item] | None, Field(description='Answer, conversational_search.')
    ] = None
    structured_data: Annotated[
        list[Item] | None,
        Field(alias='structuredData', description='Answer, chatgpt_app.'),
    ] = None
