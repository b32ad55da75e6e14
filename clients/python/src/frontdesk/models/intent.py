# Written by generate.py. Do not edit: run `python generate.py`.

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field


class IntentDeclarationCompliance(BaseModel):
    model_config = ConfigDict(
        extra='forbid',
        populate_by_name=True,
    )
    last_updated: Annotated[
        str,
        Field(
            description='the day of the last change, such as 2025-11-14, without a time'
        ),
    ]
    notice_required: Annotated[
        bool, Field(description='true if notice is given before that, or false')
    ]
    revocable: Annotated[
        bool, Field(description='true if the permission can be taken back, or false')
    ]
    revocation_reason: Annotated[
        Literal['legal', 'policy', 'technical'] | None,
        Field(
            description='legal, policy or technical; leave it out where there is none, null is not allowed'
        ),
    ] = None
    sunset: Annotated[
        str | None,
        Field(
            description='the last day of the declaration, such as 2026-12-31, or null'
        ),
    ] = None


class IntentDeclarationEndpointsCapabilities(BaseModel):
    model_config = ConfigDict(
        extra='forbid',
        populate_by_name=True,
    )
    method: Annotated[Literal['GET', 'POST'], Field(description='GET or POST')]
    url: Annotated[
        str,
        Field(
            description='where the capabilities are, as a whole address: https://www.example.com/intent/…'
        ),
    ]


class IntentDeclarationEndpointsEvent(BaseModel):
    model_config = ConfigDict(
        extra='forbid',
        populate_by_name=True,
    )
    method: Annotated[Literal['POST'], Field(description='POST')]
    required: Annotated[
        bool, Field(description='true if platforms must report citations, or false')
    ]
    url: Annotated[
        str,
        Field(
            description='where events go, as a whole address: https://www.example.com/intent/…'
        ),
    ]


class IntentDeclarationEndpointsRetrieve(BaseModel):
    model_config = ConfigDict(
        extra='forbid',
        populate_by_name=True,
    )
    capabilities_ref: Annotated[
        str | None, Field(description='the name of a block, normally retrieval')
    ] = None
    method: Annotated[Literal['POST'], Field(description='POST')]
    url: Annotated[
        str,
        Field(
            description='where RetrieveRequests go, as a whole address: https://www.example.com/intent/…'
        ),
    ]


class IntentDeclarationEndpoints(BaseModel):
    model_config = ConfigDict(
        extra='forbid',
        populate_by_name=True,
    )
    capabilities: Annotated[
        IntentDeclarationEndpointsCapabilities | None,
        Field(description='an object with method and url'),
    ] = None
    event: Annotated[
        IntentDeclarationEndpointsEvent | None,
        Field(description='an object with method, url and required'),
    ] = None
    retrieve: Annotated[
        IntentDeclarationEndpointsRetrieve | None,
        Field(description='an object with method and url'),
    ] = None


class IntentDeclarationIntentAccess(BaseModel):
    model_config = ConfigDict(
        extra='forbid',
        populate_by_name=True,
    )
    cache_policy: Annotated[
        Literal['no_store'] | None,
        Field(description='no_store, the one policy there is; or leave it out'),
    ] = None
    enabled: Annotated[bool, Field(description='true, or false to refuse everything')]
    mode: Annotated[
        Literal['live_only'], Field(description='live_only, the one mode there is')
    ]
    state: Annotated[
        Literal['active', 'paused', 'disabled'] | None,
        Field(description='active, paused or disabled; leave it out for active'),
    ] = None
    storage_rights: Annotated[
        Literal['none'], Field(description='none, the one right there is')
    ]
    training_use: Annotated[
        bool, Field(description='true if content may train models, or false')
    ]


class IntentDeclarationPublisher(BaseModel):
    model_config = ConfigDict(
        extra='forbid',
        populate_by_name=True,
    )
    domain: Annotated[
        str,
        Field(
            description='a domain name without scheme, port or path: www.example.com',
            min_length=1,
            pattern='^(([a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9\\-]{0,61}[a-zA-Z0-9])\\.)*([A-Za-z0-9]|[A-Za-z0-9][A-Za-z0-9\\-]{0,61}[A-Za-z0-9])$',
        ),
    ]
    id: Annotated[
        str, Field(description='2 to 64 of lower case letters, digits, _ and -')
    ]
    name: Annotated[
        str,
        Field(
            description='the name people know, 1 to 128 characters',
            max_length=128,
            min_length=1,
        ),
    ]


class IntentDeclarationRetrievalSupports(BaseModel):
    model_config = ConfigDict(
        extra='forbid',
        populate_by_name=True,
    )
    chunks: Annotated[bool, Field(description='true if passages are given, or false')]
    citations: Annotated[bool, Field(description='true if sources are named, or false')]
    full_article: Annotated[
        bool, Field(description='true if all of an article may be given, or false')
    ]


class IntentDeclarationRetrieval(BaseModel):
    model_config = ConfigDict(
        extra='forbid',
        populate_by_name=True,
    )
    max_chunks: Annotated[
        int | None,
        Field(description='the most passages of one answer, a whole number from 1'),
    ] = None
    max_tokens: Annotated[
        int | None,
        Field(description='the most tokens of one answer, a whole number from 1'),
    ] = None
    supports: Annotated[
        IntentDeclarationRetrievalSupports,
        Field(
            description='an object with chunks, citations and full_article, each true or false'
        ),
    ]


class IntentDeclaration(BaseModel):
    model_config = ConfigDict(
        extra='forbid',
        populate_by_name=True,
    )
    field_schema: Annotated[
        str | None,
        Field(alias='$schema', description='the address of a schema, for editors'),
    ] = None
    aip_version: Annotated[
        Literal['0.1', '1.0'],
        Field(
            description='the version of the protocol: "0.1"; "1.0" where both sides agreed on it'
        ),
    ]
    compliance: Annotated[
        IntentDeclarationCompliance,
        Field(description='an object with revocable, notice_required and last_updated'),
    ]
    editorial_domains: Annotated[
        list[str],
        Field(
            description='the subjects that may be asked for: an array of at least one label such as finance.markets',
            min_length=1,
        ),
    ]
    endpoints: Annotated[
        IntentDeclarationEndpoints | None,
        Field(
            description='where requests go: an object with capabilities, retrieve and event, each of which may be left out'
        ),
    ] = None
    extensions: Annotated[
        dict[str, Any] | None,
        Field(
            description='anything of your own, under names like vendor.name; never a price, an offer, an advertisement or a person'
        ),
    ] = None
    intent_access: Annotated[
        IntentDeclarationIntentAccess,
        Field(
            description='what is permitted: an object with enabled, mode, training_use and storage_rights'
        ),
    ]
    publisher: Annotated[
        IntentDeclarationPublisher,
        Field(description='who publishes: an object with id, name and domain'),
    ]
    retrieval: Annotated[
        IntentDeclarationRetrieval,
        Field(
            description='how content is given: an object with supports, and max_chunks and max_tokens if you bound them'
        ),
    ]


class IntentEventAccess(BaseModel):
    model_config = ConfigDict(
        extra='forbid',
        populate_by_name=True,
    )
    chunks_returned: Annotated[
        int | None, Field(description='the number of passages, a whole number from 0')
    ] = None
    retrieval_mode: Annotated[
        Literal['chunks'] | None, Field(description='chunks, the one mode there is')
    ] = None
    token_count: Annotated[
        int | None, Field(description='the number of tokens, a whole number from 0')
    ] = None


class IntentEventCitation(BaseModel):
    model_config = ConfigDict(
        extra='forbid',
        populate_by_name=True,
    )
    chunk_ids: Annotated[
        list[str] | None,
        Field(
            description='the ids of passages of the answer, an array of at least one'
        ),
    ] = None
    display_surface: Annotated[
        str | None,
        Field(description='where it was shown, such as answer, footnote or hover'),
    ] = None
    source_url: Annotated[
        str | None,
        Field(
            description='the source_url of a citation of the answer, as a whole address: https://www.example.com/intent/…'
        ),
    ] = None


class IntentEventPlatform(BaseModel):
    model_config = ConfigDict(
        extra='forbid',
        populate_by_name=True,
    )
    id: Annotated[str, Field(description="the platform's id")]


class IntentEventPublisher(BaseModel):
    model_config = ConfigDict(
        extra='forbid',
        populate_by_name=True,
    )
    domain: Annotated[
        str,
        Field(
            description='a domain name without scheme, port or path: www.example.com',
            min_length=1,
            pattern='^(([a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9\\-]{0,61}[a-zA-Z0-9])\\.)*([A-Za-z0-9]|[A-Za-z0-9][A-Za-z0-9\\-]{0,61}[A-Za-z0-9])$',
        ),
    ]
    id: Annotated[str, Field(description="the publisher's id")]


class IntentEvent(BaseModel):
    model_config = ConfigDict(
        extra='forbid',
        populate_by_name=True,
    )
    access: Annotated[
        IntentEventAccess | None,
        Field(
            description='what was given: an object with chunks_returned, token_count and retrieval_mode'
        ),
    ] = None
    aip_version: Annotated[
        Literal['0.1', '1.0'],
        Field(
            description='the version of the protocol: "0.1"; "1.0" where both sides agreed on it'
        ),
    ]
    citation: Annotated[
        IntentEventCitation | None,
        Field(
            description='what was shown: an object with source_url, chunk_ids and display_surface'
        ),
    ] = None
    event_id: Annotated[
        str, Field(description='an id of your making that you use for this event alone')
    ]
    event_type: Annotated[
        Literal['access', 'citation'], Field(description='access or citation')
    ]
    extensions: Annotated[
        dict[str, Any] | None,
        Field(
            description='anything of your own, under names like vendor.name; never a price, an offer, an advertisement or a person'
        ),
    ] = None
    platform: Annotated[
        IntentEventPlatform,
        Field(
            description='an object with the id of the platform that made the request'
        ),
    ]
    publisher: Annotated[
        IntentEventPublisher,
        Field(
            description="an object with id and domain, as in the publisher's aip.json"
        ),
    ]
    request_id: Annotated[
        str, Field(description='the request_id of the RetrieveRequest')
    ]
    timestamp: Annotated[
        AwareDatetime,
        Field(description='when it happened, such as 2025-11-14T18:22:01Z'),
    ]


class IntentRequestContextGeography(BaseModel):
    model_config = ConfigDict(
        extra='forbid',
        populate_by_name=True,
    )
    country: Annotated[
        str | None, Field(description='the country as two capitals, such as US')
    ] = None


class IntentRequestContext(BaseModel):
    model_config = ConfigDict(
        extra='forbid',
        populate_by_name=True,
    )
    geography: Annotated[
        IntentRequestContextGeography | None,
        Field(description='an object with country, or empty'),
    ] = None
    language: Annotated[
        str,
        Field(
            description='language and country like en-US: two lower case letters, a hyphen, two capitals'
        ),
    ]
    placement: Annotated[str | None, Field(description='where the answer is shown')] = (
        None
    )


class IntentRequestIntent(BaseModel):
    model_config = ConfigDict(
        extra='forbid',
        populate_by_name=True,
    )
    confidence: Annotated[
        float | None,
        Field(
            description='how sure the platform is of the domain, a number from 0 to 1'
        ),
    ] = None
    domain: Annotated[
        str,
        Field(
            description='lower case letters and digits in labels joined by dots; hyphens from the second label on; no wildcards, no underscores (news.real-estate)'
        ),
    ]
    subdomain: Annotated[
        str | None,
        Field(
            description='lower case letters and digits in labels joined by dots; hyphens from the second label on; no wildcards, no underscores (news.real-estate)'
        ),
    ] = None


class IntentRequestPlatform(BaseModel):
    model_config = ConfigDict(
        extra='forbid',
        populate_by_name=True,
    )
    id: Annotated[
        str, Field(description="the platform's id, as its key was issued for")
    ]
    software: Annotated[str | None, Field(description="the software's name")] = None
    software_version: Annotated[
        str | None, Field(description="the software's version")
    ] = None


class IntentRequestRuntime(BaseModel):
    model_config = ConfigDict(
        extra='forbid',
        populate_by_name=True,
    )
    latency_budget_ms: Annotated[
        int | None,
        Field(
            description='how many milliseconds the answer may take, a whole number; 0 for no bound'
        ),
    ] = None
    query_text: Annotated[str | None, Field(description='what is asked, in words')] = (
        None
    )
    session_id: Annotated[
        str, Field(description="the conversation's id, which names no person")
    ]
    turn_index: Annotated[
        int,
        Field(description='the turn within the conversation, a whole number from 0'),
    ]


class IntentRequest(BaseModel):
    model_config = ConfigDict(
        extra='forbid',
        populate_by_name=True,
    )
    aip_version: Annotated[
        Literal['0.1', '1.0'],
        Field(
            description='the version of the protocol: "0.1"; "1.0" where both sides agreed on it'
        ),
    ]
    context: Annotated[
        IntentRequestContext,
        Field(description='in what surroundings: an object with language'),
    ]
    extensions: Annotated[
        dict[str, Any] | None,
        Field(
            description='anything of your own, under names like vendor.name; never a price, an offer, an advertisement or a person'
        ),
    ] = None
    intent: Annotated[
        IntentRequestIntent,
        Field(description='what is asked about: an object with domain'),
    ]
    platform: Annotated[
        IntentRequestPlatform, Field(description='who asks: an object with id')
    ]
    request_id: Annotated[
        str,
        Field(
            description='an id of your making that you use for this request alone, 1 to 256 visible characters'
        ),
    ]
    runtime: Annotated[
        IntentRequestRuntime,
        Field(description='the conversation: an object with session_id and turn_index'),
    ]
    timestamp: Annotated[
        AwareDatetime,
        Field(description='when the request was made, such as 2025-11-14T18:22:01Z'),
    ]


class IntentResponseCitation(BaseModel):
    model_config = ConfigDict(
        extra='forbid',
        populate_by_name=True,
    )
    chunk_ids: Annotated[
        list[str] | None,
        Field(description='the ids of the passages from this source, an array'),
    ] = None
    publisher: Annotated[str | None, Field(description="the publisher's name")] = None
    source_url: Annotated[
        str,
        Field(
            description="the source's canonical address, as a whole address: https://www.example.com/intent/…"
        ),
    ]
    title: Annotated[str | None, Field(description="the source's title")] = None


class IntentResponseContentChunk(BaseModel):
    model_config = ConfigDict(
        extra='forbid',
        populate_by_name=True,
    )
    id: Annotated[str, Field(description="the passage's id")]
    text: Annotated[str, Field(description="the passage's text")]
    token_count: Annotated[
        int | None, Field(description="the passage's tokens, a whole number from 0")
    ] = None


class IntentResponseContent(BaseModel):
    model_config = ConfigDict(
        extra='forbid',
        populate_by_name=True,
    )
    chunks: Annotated[
        list[IntentResponseContentChunk],
        Field(
            description='the passages, an array of at least one; where nothing is found answer the error no_content instead',
            min_length=1,
        ),
    ]


class IntentResponseDenial(BaseModel):
    model_config = ConfigDict(
        extra='forbid',
        populate_by_name=True,
    )
    message: Annotated[str | None, Field(description='a sentence for people')] = None
    reason: Annotated[
        Literal['out_of_scope', 'access_disabled', 'policy_violation', 'rate_limited', 'unsupported'],
        Field(
            description='out_of_scope, access_disabled, policy_violation, rate_limited or unsupported'
        ),
    ]


class IntentResponseError(BaseModel):
    model_config = ConfigDict(
        extra='forbid',
        populate_by_name=True,
    )
    code: Annotated[str, Field(description='a word such as internal_error')]
    message: Annotated[str | None, Field(description='a sentence for people')] = None


class IntentResponseLimitsApplied(BaseModel):
    model_config = ConfigDict(
        extra='forbid',
        populate_by_name=True,
    )
    max_chunks: Annotated[
        int | None, Field(description='the most passages, a whole number from 1')
    ] = None
    max_tokens: Annotated[
        int | None, Field(description='the most tokens, a whole number from 1')
    ] = None


class IntentResponse(BaseModel):
    model_config = ConfigDict(
        extra='forbid',
        populate_by_name=True,
    )
    aip_version: Annotated[
        Literal['0.1', '1.0'],
        Field(
            description='the version of the protocol: "0.1"; "1.0" where both sides agreed on it'
        ),
    ]
    citations: Annotated[
        list[IntentResponseCitation] | None, Field(description='the sources, an array')
    ] = None
    content: Annotated[
        IntentResponseContent | None, Field(description='an object with chunks')
    ] = None
    denial: Annotated[
        IntentResponseDenial | None,
        Field(description='why nothing is given: an object with reason'),
    ] = None
    error: Annotated[
        IntentResponseError | None,
        Field(description='what went wrong: an object with code'),
    ] = None
    extensions: Annotated[
        dict[str, Any] | None,
        Field(
            description='anything of your own, under names like vendor.name; never a price, an offer, an advertisement or a person'
        ),
    ] = None
    limits_applied: Annotated[
        IntentResponseLimitsApplied | None,
        Field(
            description='the bounds in force: an object with max_chunks and max_tokens'
        ),
    ] = None
    request_id: Annotated[str, Field(description='the request_id of the request')]
    status: Annotated[
        Literal['ok', 'denied', 'error'], Field(description='ok, denied or error')
    ]
    timestamp: Annotated[
        AwareDatetime,
        Field(description='when the answer was made, such as 2025-11-14T18:22:01Z'),
    ]
