# Written by generate.py. Do not edit: run `python generate.py`.

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field


class Audio(BaseModel):
    model_config = ConfigDict(
        populate_by_name=True,
    )
    author: Annotated[list[str] | None, Field(description='Who made it.')] = None
    c2pa: str | None = None
    dur: Annotated[list[int] | None, Field(description='Lengths in seconds.')] = None
    ext: Annotated[dict[str, Any] | None, Field(description='Extensions.')] = None
    provenance: Annotated[
        int | None, Field(description='Whether its origin is attested.')
    ] = None
    provent: Annotated[str | None, Field(description='Who attests the origin.')] = None
    pubdate: Annotated[str | None, Field(description='When it was published.')] = None
    published: Annotated[
        int | None,
        Field(
            description='0 is not specified, 1 published, 2 unpublished or archived.'
        ),
    ] = None
    sourcetype: Annotated[
        int | None, Field(description='0 is a human source, 1 an AI, 2 both.')
    ] = None
    title: Annotated[list[str] | None, Field(description='For people.')] = None
    transcript: Annotated[
        int | None, Field(description='Whether there are transcripts.')
    ] = None
    update: Annotated[str | None, Field(description='When it was last changed.')] = None
    wordcount: Annotated[
        list[int] | None, Field(description='Numbers of words in transcripts.')
    ] = None


class Image(BaseModel):
    model_config = ConfigDict(
        populate_by_name=True,
    )
    alt: Annotated[str | None, Field(description='What stands in for the image.')] = (
        None
    )
    author: Annotated[list[str] | None, Field(description='Who made it.')] = None
    c2pa: str | None = None
    caption: Annotated[str | None, Field(description='What stands below it.')] = None
    ext: Annotated[dict[str, Any] | None, Field(description='Extensions.')] = None
    provenance: Annotated[
        int | None, Field(description='Whether its origin is attested.')
    ] = None
    provent: Annotated[str | None, Field(description='Who attests the origin.')] = None
    pubdate: Annotated[str | None, Field(description='When it was published.')] = None
    published: Annotated[
        int | None,
        Field(
            description='0 is not specified, 1 published, 2 unpublished or archived.'
        ),
    ] = None
    sourcetype: Annotated[
        int | None, Field(description='0 is a human source, 1 an AI, 2 both.')
    ] = None
    title: Annotated[list[str] | None, Field(description='For people.')] = None
    update: Annotated[str | None, Field(description='When it was last changed.')] = None


class License(BaseModel):
    model_config = ConfigDict(
        populate_by_name=True,
    )
    citation: Annotated[
        int | None,
        Field(
            description='0 says that a citation is required, 1 that it is not. Package.citation counts the other way round.'
        ),
    ] = None
    country: Annotated[
        list[str] | None, Field(description='The countries it holds in, by ISO 3166-1.')
    ] = None
    cur: Annotated[str | None, Field(description='The currency by ISO 4217.')] = None
    dur: Annotated[int | None, Field(description='How long it holds.')] = None
    ext: Annotated[dict[str, Any] | None, Field(description='Extensions.')] = None
    id: Annotated[str | None, Field(description='Identifies the license.')] = None
    maxword: Annotated[
        int | None, Field(description='How many words may be displayed.')
    ] = None
    price: Annotated[
        float | None, Field(description='The price, in the currency of cur.')
    ] = None
    revshare: Annotated[
        float | None, Field(description='The share of revenue, 0 to 1.')
    ] = None
    turl: Annotated[str | None, Field(description='Where its terms can be read.')] = (
        None
    )
    use: Annotated[
        list[Literal['LICENSE_USE_TRAINING_DISPLAY', 'LICENSE_USE_RAG_DISPLAY_UNRESTRICTED', 'LICENSE_USE_RAG_DISPLAY_MAX_WORDS', 'LICENSE_USE_RAG_DISPLAY_ATTRIBUTION', 'LICENSE_USE_RAG_NO_DISPLAY', 'LICENSE_USE_AGENT_VIEW', 'LICENSE_USE_AGENT_ACTIONS']] | None,
        Field(description='The uses it allows.'),
    ] = None


class Retrieval(BaseModel):
    model_config = ConfigDict(
        populate_by_name=True,
    )
    auth: Annotated[
        Literal['RETRIEVAL_AUTH_NONE', 'RETRIEVAL_AUTH_API_KEY', 'RETRIEVAL_AUTH_OAUTH2', 'RETRIEVAL_AUTH_SSL'] | None,
        Field(description='What the place asks of who comes.'),
    ] = None
    endpoint: Annotated[
        str | None, Field(description='The address, such as a signed URL.')
    ] = None
    ext: Annotated[dict[str, Any] | None, Field(description='Extensions.')] = None
    ratelmt: Annotated[
        int | None, Field(description='How many requests a minute are allowed.')
    ] = None
    type: Annotated[
        list[Literal['RETRIEVAL_TYPE_HTML', 'RETRIEVAL_TYPE_RSS', 'RETRIEVAL_TYPE_API', 'RETRIEVAL_TYPE_MCP', 'RETRIEVAL_TYPE_NLWEB', 'RETRIEVAL_TYPE_XML', 'RETRIEVAL_TYPE_NEWSML', 'RETRIEVAL_TYPE_OTHER']] | None,
        Field(description='The forms it comes in.'),
    ] = None


class Text(BaseModel):
    model_config = ConfigDict(
        populate_by_name=True,
    )
    author: Annotated[list[str] | None, Field(description='Who wrote it.')] = None
    authority: Annotated[
        float | None, Field(description='How authoritative it is held to be.')
    ] = None
    ext: Annotated[dict[str, Any] | None, Field(description='Extensions.')] = None
    originality: Annotated[
        float | None, Field(description='How original it is held to be.')
    ] = None
    provenance: Annotated[
        int | None, Field(description='Whether its origin is attested.')
    ] = None
    provent: Annotated[str | None, Field(description='Who attests the origin.')] = None
    pubdate: Annotated[str | None, Field(description='When it was published.')] = None
    published: Annotated[
        int | None,
        Field(
            description='0 is not specified, 1 published, 2 unpublished or archived.'
        ),
    ] = None
    sourcetype: Annotated[
        int | None, Field(description='0 is a human source, 1 an AI, 2 both.')
    ] = None
    title: Annotated[str | None, Field(description='For people.')] = None
    update: Annotated[str | None, Field(description='When it was last changed.')] = None
    wordcount: Annotated[list[int] | None, Field(description='Numbers of words.')] = (
        None
    )


class Video(BaseModel):
    model_config = ConfigDict(
        populate_by_name=True,
    )
    author: Annotated[list[str] | None, Field(description='Who made it.')] = None
    c2pa: str | None = None
    clip: Annotated[int | None, Field(description='Whether these are clips.')] = None
    dur: Annotated[list[int] | None, Field(description='Lengths in seconds.')] = None
    ext: Annotated[dict[str, Any] | None, Field(description='Extensions.')] = None
    provenance: Annotated[
        int | None, Field(description='Whether its origin is attested.')
    ] = None
    provent: Annotated[str | None, Field(description='Who attests the origin.')] = None
    pubdate: Annotated[str | None, Field(description='When it was published.')] = None
    published: Annotated[
        int | None,
        Field(
            description='0 is not specified, 1 published, 2 unpublished or archived.'
        ),
    ] = None
    sourcetype: Annotated[
        int | None, Field(description='0 is a human source, 1 an AI, 2 both.')
    ] = None
    title: Annotated[list[str] | None, Field(description='For people.')] = None
    transcript: Annotated[
        int | None, Field(description='Whether there are transcripts.')
    ] = None
    update: Annotated[str | None, Field(description='When it was last changed.')] = None
    wordcount: Annotated[
        list[int] | None, Field(description='Numbers of words in transcripts.')
    ] = None


class AccessRestrictions(BaseModel):
    model_config = ConfigDict(
        populate_by_name=True,
    )
    ext: Annotated[
        dict[str, Any] | None, Field(description='Extensions: any JSON object.')
    ] = None
    ext_critical: Annotated[
        list[str] | None,
        Field(description='The keys of ext that a reader has to understand.'),
    ] = None
    max_display_words: Annotated[
        int | None,
        Field(description='How many words may be shown to people; 0 or more.'),
    ] = None
    permitted_functions: Annotated[
        list[Literal['FUNCTION_ALL', 'FUNCTION_AI_ALL', 'FUNCTION_AI_TRAIN', 'FUNCTION_AI_INPUT', 'FUNCTION_AI_INDEX', 'FUNCTION_SEARCH']] | None,
        Field(description='What may be done; empty is not restricted.'),
    ] = None
    permitted_geo: Annotated[
        list[str] | None,
        Field(
            description='Countries where it may be used, by ISO 3166-1 alpha-2; empty is not restricted.'
        ),
    ] = None
    permitted_users: Annotated[
        list[str] | None,
        Field(description='Categories of users who may; empty is not restricted.'),
    ] = None
    prohibited_functions: Annotated[
        list[Literal['FUNCTION_ALL', 'FUNCTION_AI_ALL', 'FUNCTION_AI_TRAIN', 'FUNCTION_AI_INPUT', 'FUNCTION_AI_INDEX', 'FUNCTION_SEARCH']] | None,
        Field(description='What must not be done.'),
    ] = None
    prohibited_geo: Annotated[
        list[str] | None, Field(description='Countries where it must not be used.')
    ] = None
    prohibited_users: Annotated[
        list[str] | None, Field(description='Categories of users who must not.')
    ] = None


class AttributionDetail(BaseModel):
    model_config = ConfigDict(
        populate_by_name=True,
    )
    displayed_url: Annotated[str | None, Field(description='The address shown.')] = None
    format: Annotated[
        Literal['CITATION_FORMAT_LINK', 'CITATION_FORMAT_FOOTNOTE', 'CITATION_FORMAT_INLINE'] | None,
        Field(description='How it was shown.'),
    ] = None
    visible_to_user: Annotated[
        bool | None, Field(description='Whether people could see it.')
    ] = None


class Cost(BaseModel):
    model_config = ConfigDict(
        populate_by_name=True,
    )
    amount: Annotated[float | None, Field(description='The amount; 0 or more.')] = None
    currency: Annotated[str | None, Field(description='ISO 4217.')] = None
    unit_cost: Annotated[
        float | None, Field(description='The price of one metering unit; 0 or more.')
    ] = None


class Delegation(BaseModel):
    model_config = ConfigDict(
        populate_by_name=True,
    )
    expires_at: Annotated[AwareDatetime | None, Field(description='When it ends.')] = (
        None
    )
    ext: Annotated[
        dict[str, Any] | None, Field(description='Extensions: any JSON object.')
    ] = None
    ext_critical: Annotated[
        list[str] | None,
        Field(description='The keys of ext that a reader has to understand.'),
    ] = None
    max_accesses: Annotated[
        int | None, Field(description='The most accesses; 0 or more.')
    ] = None
    max_spend: Cost | None = None
    principal_domain: Annotated[
        str | None,
        Field(
            description="The principal's domain, which publishes the key that signed the token."
        ),
    ] = None
    principal_id: Annotated[
        str | None, Field(description='Identifies the principal.')
    ] = None
    quota_period: Annotated[
        str | None,
        Field(description='How long until spend and accesses are counted anew.'),
    ] = None
    revocation_uri: Annotated[
        str | None, Field(description='Where revocation can be asked.')
    ] = None
    scopes: Annotated[
        list[str] | None,
        Field(description="The scopes granted, none wider than the token's."),
    ] = None
    token: Annotated[str | None, Field(description='The Biscuit, in base64.')] = None
    token_format: Annotated[
        str | None,
        Field(description='The token\'s form; "biscuit-v2" where it is empty.'),
    ] = None


class DisputeRequest(BaseModel):
    model_config = ConfigDict(
        populate_by_name=True,
    )
    billing_id: Annotated[str | None, Field(description='Its id on the bill.')] = None
    description: Annotated[str | None, Field(description='For people.')] = None
    ext: Annotated[
        dict[str, Any] | None, Field(description='Extensions: any JSON object.')
    ] = None
    ext_critical: Annotated[
        list[str] | None,
        Field(description='The keys of ext that a reader has to understand.'),
    ] = None
    id: Annotated[
        str | None,
        Field(
            description='Identifies the request: sent again it asks where the dispute stands.'
        ),
    ] = None
    reason: Annotated[
        Literal['DISPUTE_REASON_UNSPECIFIED', 'DISPUTE_REASON_DELIVERY_FAILED', 'DISPUTE_REASON_CONTENT_MISMATCH', 'DISPUTE_REASON_INCOMPLETE_CONTENT', 'DISPUTE_REASON_WRONG_CONTENT', 'DISPUTE_REASON_EXPIRED_BEFORE_FETCH'] | None,
        Field(description='Why.'),
    ] = None
    received_content_hash: Annotated[
        str | None, Field(description='The hash of what came.')
    ] = None
    received_hash_method: Annotated[
        str | None, Field(description='How it was made.')
    ] = None
    report_id: Annotated[
        str | None, Field(description='The report filed for the transaction. Required.')
    ] = None
    transaction_id: Annotated[str | None, Field(description='The transaction.')] = None
    ver: Annotated[str | None, Field(description="The protocol's version.")] = None


class DisputeResponse(BaseModel):
    model_config = ConfigDict(
        populate_by_name=True,
    )
    accepted: Annotated[bool | None, Field(description='Whether it was taken up.')] = (
        None
    )
    dispute_id: Annotated[str | None, Field(description='Identifies the dispute.')] = (
        None
    )
    estimated_resolution: Annotated[
        str | None, Field(description='How long it will take.')
    ] = None
    ext: Annotated[
        dict[str, Any] | None, Field(description='Extensions: any JSON object.')
    ] = None
    ext_critical: Annotated[
        list[str] | None,
        Field(description='The keys of ext that a reader has to understand.'),
    ] = None
    rejection_reason: Annotated[
        str | None, Field(description='Why it was not taken up.')
    ] = None
    resolution: Annotated[
        Literal['RESOLUTION_TYPE_UNSPECIFIED', 'RESOLUTION_TYPE_CREDIT', 'RESOLUTION_TYPE_REDELIVERY', 'RESOLUTION_TYPE_REJECTED', 'RESOLUTION_TYPE_INVESTIGATION'] | None,
        Field(description='How it ended.'),
    ] = None
    status: Annotated[
        Literal['DISPUTE_STATUS_UNSPECIFIED', 'DISPUTE_STATUS_FILED', 'DISPUTE_STATUS_AUTO_RESOLVED', 'DISPUTE_STATUS_EVIDENCE_NEEDED', 'DISPUTE_STATUS_UNDER_REVIEW', 'DISPUTE_STATUS_ESCALATED', 'DISPUTE_STATUS_RESOLVED', 'DISPUTE_STATUS_APPEALED', 'DISPUTE_STATUS_SETTLED', 'DISPUTE_STATUS_FINAL'] | None,
        Field(description='Where it stands.'),
    ] = None


class IntermediaryHop(BaseModel):
    model_config = ConfigDict(
        populate_by_name=True,
    )
    domain: Annotated[
        str | None, Field(description="The party's domain, which publishes its key.")
    ] = None
    forwarded_at: Annotated[
        AwareDatetime | None, Field(description='When it passed the query on.')
    ] = None
    id: Annotated[
        str | None, Field(description='Identifies the party at its domain.')
    ] = None
    signature: Annotated[
        str | None, Field(description='Ed25519 over the query with the hops so far.')
    ] = None
    signature_algorithm: Annotated[
        str | None, Field(description='How it is signed; "ed25519" where it is empty.')
    ] = None


class Preview(BaseModel):
    model_config = ConfigDict(
        populate_by_name=True,
    )
    duration: Annotated[int | None, Field(description='Seconds; 0 or more.')] = None
    height: Annotated[int | None, Field(description='Pixels; 0 or more.')] = None
    media_type: Annotated[str | None, Field(description='Its media type.')] = None
    size: Annotated[
        str | None, Field(description='"thumbnail", "preview" or "sample".')
    ] = None
    url: Annotated[str | None, Field(description='Where it is.')] = None
    width: Annotated[int | None, Field(description='Pixels; 0 or more.')] = None


class Pricing(BaseModel):
    model_config = ConfigDict(
        populate_by_name=True,
    )
    currency: Annotated[str | None, Field(description='ISO 4217.')] = None
    estimated_quantity: Annotated[
        int | None,
        Field(description='The metering units that are to be expected; 0 or more.'),
    ] = None
    ext: Annotated[
        dict[str, Any] | None, Field(description='Extensions: any JSON object.')
    ] = None
    ext_critical: Annotated[
        list[str] | None,
        Field(description='The keys of ext that a reader has to understand.'),
    ] = None
    license_duration_months: Annotated[
        int | None, Field(description='How many months a license holds; 0 or more.')
    ] = None
    model: Annotated[
        Literal['PRICING_MODEL_UNSPECIFIED', 'PRICING_MODEL_PER_ACCESS', 'PRICING_MODEL_PER_TOKEN', 'PRICING_MODEL_PER_FETCH', 'PRICING_MODEL_SUBSCRIPTION', 'PRICING_MODEL_FREE', 'PRICING_MODEL_ATTRIBUTION', 'PRICING_MODEL_CONTRIBUTION', 'PRICING_MODEL_TRAINING', 'PRICING_MODEL_REVENUE_SHARE', 'PRICING_MODEL_PER_PAGE', 'PRICING_MODEL_PER_MINUTE', 'PRICING_MODEL_PER_RECORD'] | None,
        Field(description='How use is priced.'),
    ] = None
    rate: Annotated[
        float | None,
        Field(description='The price of one unit of the model; 0 or more.'),
    ] = None
    revshare: Annotated[
        float | None, Field(description='The share of revenue, 0 to 1.')
    ] = None
    unit: Annotated[
        str | None,
        Field(
            description='The metering unit: tokens, seconds, pages, records, bytes, calls, items, or another.'
        ),
    ] = None
    unit_cost: Annotated[
        float | None,
        Field(description='The price of one metering unit, to compare by; 0 or more.'),
    ] = None


class RateLimitInfo(BaseModel):
    model_config = ConfigDict(
        populate_by_name=True,
    )
    limit: Annotated[
        int | None, Field(description='Requests allowed in the window; 0 or more.')
    ] = None
    remaining: Annotated[
        int | None, Field(description='Requests left in it; 0 or more.')
    ] = None
    reset_at: Annotated[
        AwareDatetime | None, Field(description='When the window begins anew.')
    ] = None
    window: Annotated[str | None, Field(description='How long the window is.')] = None


class ReportingObligation(BaseModel):
    model_config = ConfigDict(
        populate_by_name=True,
    )
    endpoint: Annotated[
        str | None, Field(description='Where to, if not to the Exchange.')
    ] = None
    ext: Annotated[
        dict[str, Any] | None, Field(description='Extensions: any JSON object.')
    ] = None
    ext_critical: Annotated[
        list[str] | None,
        Field(description='The keys of ext that a reader has to understand.'),
    ] = None
    required: Annotated[bool | None, Field(description='Whether a report is due.')] = (
        None
    )
    required_fields: Annotated[
        list[str] | None, Field(description='The members that the report must have.')
    ] = None
    window: Annotated[str | None, Field(description='Within which time.')] = None


class Requester(BaseModel):
    model_config = ConfigDict(
        populate_by_name=True,
    )
    delegation: Delegation | None = None
    domain: Annotated[
        str | None,
        Field(
            description="The requester's domain, which publishes its key in ramp-agent.json."
        ),
    ] = None
    ext: Annotated[
        dict[str, Any] | None, Field(description='Extensions: any JSON object.')
    ] = None
    ext_critical: Annotated[
        list[str] | None,
        Field(description='The keys of ext that a reader has to understand.'),
    ] = None
    id: Annotated[
        str | None, Field(description='Identifies the requester at its domain.')
    ] = None
    intended_use: Annotated[
        list[str] | None,
        Field(
            description='What it means to do with them: CoMP functions. Empty is not declared, which is not the same as all.'
        ),
    ] = None
    license_id: Annotated[
        str | None, Field(description='A license or subscription that it has.')
    ] = None
    name: Annotated[str | None, Field(description='For people.')] = None
    scopes: Annotated[
        list[str] | None,
        Field(
            description='The entitlements it claims, each "domain:permission". Empty asks for what is public.'
        ),
    ] = None
    signature: Annotated[
        str | None, Field(description='Ed25519 over id, domain, uris and scopes.')
    ] = None
    signature_algorithm: Annotated[
        str | None, Field(description='How it is signed; "ed25519" where it is empty.')
    ] = None
    type: Annotated[
        Literal['REQUESTER_TYPE_UNSPECIFIED', 'REQUESTER_TYPE_AGENT', 'REQUESTER_TYPE_HUMAN_TOOL', 'REQUESTER_TYPE_SERVICE', 'REQUESTER_TYPE_DELEGATED', 'REQUESTER_TYPE_RESEARCH'] | None,
        Field(description='What kind of party it is.'),
    ] = None
    uris: Annotated[
        list[str] | None, Field(description='The resources it asks for.')
    ] = None


class ResourceAttestation(BaseModel):
    model_config = ConfigDict(
        populate_by_name=True,
    )
    attested_at: Annotated[
        AwareDatetime | None,
        Field(
            description='When it was attested. The text as it was signed counts, to the digit.'
        ),
    ] = None
    claims: Annotated[
        dict[str, Any] | None,
        Field(description='The claims; at most 4 KB in canonical form.'),
    ] = None
    kid: Annotated[str | None, Field(description='Which of its keys signed.')] = None
    signature: Annotated[
        str | None,
        Field(description='Ed25519 over the canonical JSON of the other members.'),
    ] = None
    uri: Annotated[str | None, Field(description='The address.')] = None
    verifier: Annotated[
        str | None,
        Field(
            description='The domain of who attests, which publishes its keys in ramp-verifier.json.'
        ),
    ] = None


class ResourceIdentity(BaseModel):
    model_config = ConfigDict(
        populate_by_name=True,
    )
    c2pa_manifest: str | None = None
    canonical_url: Annotated[
        str | None, Field(description="The provider's canonical address.")
    ] = None
    content_hash: Annotated[
        str | None, Field(description='A hash of the content; never of live content.')
    ] = None
    doi: Annotated[str | None, Field(description='Digital Object Identifier.')] = None
    ext: Annotated[
        dict[str, Any] | None, Field(description='Extensions: any JSON object.')
    ] = None
    ext_critical: Annotated[
        list[str] | None,
        Field(description='The keys of ext that a reader has to understand.'),
    ] = None
    hash_method: Annotated[
        str | None, Field(description='How it is made: "sha256" or "simhash-v1".')
    ] = None
    iptc_guid: Annotated[
        str | None, Field(description='IPTC NewsML-G2 identifier.')
    ] = None
    isni: Annotated[
        str | None, Field(description='International Standard Name Identifier.')
    ] = None
    resource_mutability: Annotated[
        Literal['RESOURCE_MUTABILITY_UNSPECIFIED', 'RESOURCE_MUTABILITY_STATIC', 'RESOURCE_MUTABILITY_DYNAMIC', 'RESOURCE_MUTABILITY_LIVE'] | None,
        Field(description='Whether the content changes.'),
    ] = None


class ResourceQuery(BaseModel):
    model_config = ConfigDict(
        populate_by_name=True,
    )
    deadline: Annotated[
        str | None,
        Field(description='The longest wait; 500 ms where it is absent. Above zero.'),
    ] = None
    ext: Annotated[
        dict[str, Any] | None, Field(description='Extensions: any JSON object.')
    ] = None
    ext_critical: Annotated[
        list[str] | None,
        Field(description='The keys of ext that a reader has to understand.'),
    ] = None
    id: Annotated[str | None, Field(description='Identifies the query.')] = None
    intermediaries: Annotated[
        list[IntermediaryHop] | None,
        Field(
            description='Who passed the query on, in order. Empty where it came directly.'
        ),
    ] = None
    request_id: Annotated[
        str | None, Field(description='Identifies the request that this query serves.')
    ] = None
    requester: Requester | None = None
    supported_profiles: Annotated[
        list[str] | None,
        Field(description='The extension profiles that the caller understands.'),
    ] = None
    ver: Annotated[
        str | None, Field(description='The protocol\'s version, such as "1.0".')
    ] = None


class SubscriptionQuotaInfo(BaseModel):
    model_config = ConfigDict(
        populate_by_name=True,
    )
    quota_limit: Annotated[
        int | None, Field(description='Allowed in the period; 0 or more.')
    ] = None
    quota_remaining: Annotated[
        int | None, Field(description='Left in it; 0 or more.')
    ] = None
    quota_used: Annotated[int | None, Field(description='Used in it; 0 or more.')] = (
        None
    )
    resets_at: Annotated[
        AwareDatetime | None, Field(description='When the period begins anew.')
    ] = None
    subscription_id: Annotated[str | None, Field(description='The subscription.')] = (
        None
    )
    unit: Annotated[
        str | None,
        Field(description='What is counted: accesses, tokens, spend_cents or burst.'),
    ] = None


class TransactionItem(BaseModel):
    model_config = ConfigDict(
        populate_by_name=True,
    )
    offer_id: Annotated[str | None, Field(description='The offer.')] = None
    offer_signature: Annotated[str | None, Field(description='Its signature.')] = None


class TransactionRequest(BaseModel):
    model_config = ConfigDict(
        populate_by_name=True,
    )
    ext: Annotated[
        dict[str, Any] | None, Field(description='Extensions: any JSON object.')
    ] = None
    ext_critical: Annotated[
        list[str] | None,
        Field(description='The keys of ext that a reader has to understand.'),
    ] = None
    id: Annotated[
        str | None,
        Field(description='Identifies the request: who sends it again buys once.'),
    ] = None
    items: Annotated[
        list[TransactionItem] | None,
        Field(description='The offers, where they are several.'),
    ] = None
    offer_id: Annotated[
        str | None, Field(description='The offer, where it is one.')
    ] = None
    offer_signature: Annotated[
        str | None, Field(description="The offer's signature, where it is one.")
    ] = None
    request_id: Annotated[
        str | None,
        Field(description='Identifies the request that this purchase serves.'),
    ] = None
    requester: Requester | None = None
    ver: Annotated[str | None, Field(description="The protocol's version.")] = None


class Usage(BaseModel):
    model_config = ConfigDict(
        populate_by_name=True,
    )
    attribution: Annotated[
        list[AttributionDetail] | None, Field(description='How it was cited.')
    ] = None
    citation_included: Annotated[
        bool | None, Field(description='Whether it was cited.')
    ] = None
    consumed_quantity: Annotated[
        int | None, Field(description='How many metering units; 0 or more. Required.')
    ] = None
    consumed_unit: Annotated[
        str | None, Field(description='The metering unit; tokens where it is absent.')
    ] = None
    displayed_to_user: Annotated[
        bool | None, Field(description='Whether people saw it.')
    ] = None
    function: Annotated[
        list[Literal['FUNCTION_ALL', 'FUNCTION_AI_ALL', 'FUNCTION_AI_TRAIN', 'FUNCTION_AI_INPUT', 'FUNCTION_AI_INDEX', 'FUNCTION_SEARCH']] | None,
        Field(description='For which functions.'),
    ] = None
    subfn: Annotated[
        list[Literal['SUB_FUNCTION_TRAINING', 'SUB_FUNCTION_RAG', 'SUB_FUNCTION_GROUNDING', 'SUB_FUNCTION_AGENT_VIEW', 'SUB_FUNCTION_AGENT_ACTIONS', 'SUB_FUNCTION_OTHER']] | None,
        Field(description='For which of their parts.'),
    ] = None


class UsageAsset(BaseModel):
    model_config = ConfigDict(
        populate_by_name=True,
    )
    package_id: Annotated[
        str | None, Field(description='The package that it was in.')
    ] = None
    title: Annotated[str | None, Field(description='For people.')] = None
    uri: Annotated[str | None, Field(description='Its address.')] = None


class UsageReport(BaseModel):
    model_config = ConfigDict(
        populate_by_name=True,
    )
    assets: Annotated[list[UsageAsset] | None, Field(description='What was used.')] = (
        None
    )
    billing_id: Annotated[str | None, Field(description='Its id on the bill.')] = None
    exchange: Annotated[
        str | None, Field(description='The Exchange that the report is for.')
    ] = None
    ext: Annotated[
        dict[str, Any] | None, Field(description='Extensions: any JSON object.')
    ] = None
    ext_critical: Annotated[
        list[str] | None,
        Field(description='The keys of ext that a reader has to understand.'),
    ] = None
    id: Annotated[str | None, Field(description='Identifies the report.')] = None
    request_id: Annotated[
        str | None,
        Field(description='Identifies the request that the purchase served.'),
    ] = None
    timestamp: Annotated[
        AwareDatetime | None, Field(description='When it was used.')
    ] = None
    transaction_id: Annotated[str | None, Field(description='The transaction.')] = None
    usage: Usage | None = None
    ver: Annotated[str | None, Field(description="The protocol's version.")] = None


class UsageReportResponse(BaseModel):
    model_config = ConfigDict(
        populate_by_name=True,
    )
    accepted: Annotated[bool | None, Field(description='Whether it was.')] = None
    ext: Annotated[
        dict[str, Any] | None, Field(description='Extensions: any JSON object.')
    ] = None
    ext_critical: Annotated[
        list[str] | None,
        Field(description='The keys of ext that a reader has to understand.'),
    ] = None
    rejection_reason: Annotated[str | None, Field(description='Why not.')] = None
    report_id: Annotated[
        str | None, Field(description='Identifies the report, for a dispute.')
    ] = None


class Scope(BaseModel):
    model_config = ConfigDict(
        populate_by_name=True,
    )
    audio: Annotated[list[Audio] | None, Field(description='Its audio.')] = None
    ctype: Annotated[
        list[Literal['CONTENT_TYPE_TEXT', 'CONTENT_TYPE_VIDEO', 'CONTENT_TYPE_IMAGE', 'CONTENT_TYPE_AUDIO', 'CONTENT_TYPE_ALL', 'CONTENT_TYPE_OTHER']] | None,
        Field(description='The kinds of content in it.'),
    ] = None
    ext: Annotated[dict[str, Any] | None, Field(description='Extensions.')] = None
    image: Annotated[list[Image] | None, Field(description='Its images.')] = None
    max: Annotated[
        int | None,
        Field(
            description='0 says that its amount is unlimited, 1 that it has a maximum.'
        ),
    ] = None
    scope: Annotated[
        Literal['SCOPE_TYPE_FULL_CORPUS', 'SCOPE_TYPE_SECTION', 'SCOPE_TYPE_DATE_RANGE', 'SCOPE_TYPE_GENRE', 'SCOPE_TYPE_TOPIC', 'SCOPE_TYPE_CURATED', 'SCOPE_TYPE_OTHER'] | None,
        Field(description='How the part is marked out.'),
    ] = None
    text: Annotated[list[Text] | None, Field(description='Its texts.')] = None
    video: Annotated[list[Video] | None, Field(description='Its videos.')] = None


class Package(BaseModel):
    model_config = ConfigDict(
        populate_by_name=True,
    )
    citation: Annotated[
        int | None,
        Field(
            description='1 says that a citation is required. License.citation counts the other way round.'
        ),
    ] = None
    ext: Annotated[dict[str, Any] | None, Field(description='Extensions.')] = None
    id: Annotated[
        str | None, Field(description='Identifies the package; unique at its seller.')
    ] = None
    license: Annotated[
        list[License] | None, Field(description='Under which licenses.')
    ] = None
    licenseurl: Annotated[
        str | None, Field(description='Where the license can be read.')
    ] = None
    packager: Annotated[
        str | None,
        Field(
            description='The domain of who made the package, where that is not the seller.'
        ),
    ] = None
    retrieval: Retrieval | None = None
    scope: Scope | None = None
    seller: Annotated[
        str | None, Field(description="The seller's canonical domain.")
    ] = None
    title: Annotated[str | None, Field(description='For people.')] = None


class Offer(BaseModel):
    model_config = ConfigDict(
        populate_by_name=True,
    )
    attestations: Annotated[
        list[ResourceAttestation] | None,
        Field(description='What others attest of the content.'),
    ] = None
    data_as_of: Annotated[
        AwareDatetime | None,
        Field(description='The state of the data, where content is dynamic.'),
    ] = None
    delivery_method: Annotated[
        Literal['DELIVERY_METHOD_UNSPECIFIED', 'DELIVERY_METHOD_DIRECT', 'DELIVERY_METHOD_INSTRUCTIONS', 'DELIVERY_METHOD_STREAMING'] | None,
        Field(description='How it is delivered.'),
    ] = None
    exchange_signature: Annotated[
        str | None,
        Field(
            description='Ed25519 of the Exchange over the offer without this member. Required.'
        ),
    ] = None
    expires_at: Annotated[
        AwareDatetime | None, Field(description='When the offer ends.')
    ] = None
    ext: Annotated[
        dict[str, Any] | None, Field(description='Extensions: any JSON object.')
    ] = None
    ext_critical: Annotated[
        list[str] | None,
        Field(description='The keys of ext that a reader has to understand.'),
    ] = None
    iab_categories: Annotated[
        list[str] | None, Field(description='Codes of the IAB Content Taxonomy.')
    ] = None
    identity: ResourceIdentity | None = None
    offer_id: Annotated[str | None, Field(description='Identifies the offer.')] = None
    package: Package | None = None
    previews: Annotated[
        list[Preview] | None, Field(description='What may be looked at before buying.')
    ] = None
    pricing: Pricing | None = None
    reporting: ReportingObligation | None = None
    restrictions: AccessRestrictions | None = None
    signature_algorithm: Annotated[
        str | None, Field(description='How it is signed; "ed25519" where it is empty.')
    ] = None
    subscription_id: Annotated[
        str | None, Field(description='The subscription under which it is offered.')
    ] = None
    subscription_quota: Annotated[
        list[SubscriptionQuotaInfo] | None,
        Field(description="What is left of the subscription's quotas."),
    ] = None


class OfferGroup(BaseModel):
    model_config = ConfigDict(
        populate_by_name=True,
    )
    absence_reason: Annotated[
        Literal['OFFER_ABSENCE_REASON_UNSPECIFIED', 'OFFER_ABSENCE_REASON_NOT_IN_CATALOG', 'OFFER_ABSENCE_REASON_CONTENT_BLOCKED', 'OFFER_ABSENCE_REASON_FUNCTION_PROHIBITED', 'OFFER_ABSENCE_REASON_GEO_RESTRICTED', 'OFFER_ABSENCE_REASON_USER_CATEGORY_PROHIBITED', 'OFFER_ABSENCE_REASON_TEMPORARILY_UNAVAILABLE', 'OFFER_ABSENCE_REASON_NOT_AUTHORIZED', 'OFFER_ABSENCE_REASON_SCOPE_INSUFFICIENT', 'OFFER_ABSENCE_REASON_UNKNOWN_CRITICAL_EXTENSION'] | None,
        Field(description='Why there are no offers.'),
    ] = None
    discovery_method: Annotated[
        Literal['DISCOVERY_METHOD_UNSPECIFIED', 'DISCOVERY_METHOD_MARKETPLACE', 'DISCOVERY_METHOD_SEARCH', 'DISCOVERY_METHOD_RECOMMENDATION', 'DISCOVERY_METHOD_SYNDICATION'] | None,
        Field(description='How the resource was found.'),
    ] = None
    offers: Annotated[
        list[Offer] | None, Field(description='The offers; empty if there are none.')
    ] = None
    uri: Annotated[str | None, Field(description='The resource.')] = None


class ResourceResponse(BaseModel):
    model_config = ConfigDict(
        populate_by_name=True,
    )
    exchange: Annotated[str | None, Field(description="The Exchange's domain.")] = None
    ext: Annotated[
        dict[str, Any] | None, Field(description='Extensions: any JSON object.')
    ] = None
    ext_critical: Annotated[
        list[str] | None,
        Field(description='The keys of ext that a reader has to understand.'),
    ] = None
    id: Annotated[str | None, Field(description="The query's id.")] = None
    offer_groups: Annotated[
        list[OfferGroup] | None,
        Field(description='The offers by resource, where several were asked for.'),
    ] = None
    offers: Annotated[
        list[Offer] | None,
        Field(description='The offers, where one resource was asked for.'),
    ] = None
    rate_limit: RateLimitInfo | None = None
    ver: Annotated[str | None, Field(description="The protocol's version.")] = None


class TransactionResultItem(BaseModel):
    model_config = ConfigDict(
        populate_by_name=True,
    )
    billing_id: Annotated[
        str | None, Field(description='Identifies it on the bill.')
    ] = None
    cost: Cost | None = None
    delivery_method: Annotated[
        Literal['DELIVERY_METHOD_UNSPECIFIED', 'DELIVERY_METHOD_DIRECT', 'DELIVERY_METHOD_INSTRUCTIONS', 'DELIVERY_METHOD_STREAMING'] | None,
        Field(description='How it is delivered.'),
    ] = None
    denial_reason: Annotated[
        Literal['DENIAL_REASON_UNSPECIFIED', 'DENIAL_REASON_INVALID_LICENSE', 'DENIAL_REASON_EXPIRED_LICENSE', 'DENIAL_REASON_INSUFFICIENT_BALANCE', 'DENIAL_REASON_RATE_LIMITED', 'DENIAL_REASON_CONTENT_UNAVAILABLE', 'DENIAL_REASON_FUNCTION_PROHIBITED', 'DENIAL_REASON_GEO_RESTRICTED', 'DENIAL_REASON_REPORTING_OVERDUE', 'DENIAL_REASON_OFFER_EXPIRED', 'DENIAL_REASON_SIGNATURE_INVALID', 'DENIAL_REASON_QUOTA_EXCEEDED', 'DENIAL_REASON_DELEGATION_EXPIRED', 'DENIAL_REASON_SCOPE_INSUFFICIENT'] | None,
        Field(description='Why it was not bought.'),
    ] = None
    expires_at: Annotated[
        AwareDatetime | None, Field(description='When the signed address ends.')
    ] = None
    offer_id: Annotated[str | None, Field(description='The offer.')] = None
    package: Package | None = None
    reporting_obligation: ReportingObligation | None = None
    subscription_id: Annotated[
        str | None, Field(description='The subscription under which it was bought.')
    ] = None
    subscription_unit_value: Cost | None = None
    transaction_id: Annotated[
        str | None, Field(description='Identifies the transaction.')
    ] = None


class TransactionResponse(BaseModel):
    model_config = ConfigDict(
        populate_by_name=True,
    )
    agent_identity_hash: Annotated[
        str | None,
        Field(description='What the signed addresses are bound to. Required.'),
    ] = None
    billing_id: Annotated[
        str | None, Field(description='Identifies it on the bill.')
    ] = None
    cost: Cost | None = None
    delivery_method: Annotated[
        Literal['DELIVERY_METHOD_UNSPECIFIED', 'DELIVERY_METHOD_DIRECT', 'DELIVERY_METHOD_INSTRUCTIONS', 'DELIVERY_METHOD_STREAMING'] | None,
        Field(description='How it is delivered.'),
    ] = None
    denial_reason: Annotated[
        Literal['DENIAL_REASON_UNSPECIFIED', 'DENIAL_REASON_INVALID_LICENSE', 'DENIAL_REASON_EXPIRED_LICENSE', 'DENIAL_REASON_INSUFFICIENT_BALANCE', 'DENIAL_REASON_RATE_LIMITED', 'DENIAL_REASON_CONTENT_UNAVAILABLE', 'DENIAL_REASON_FUNCTION_PROHIBITED', 'DENIAL_REASON_GEO_RESTRICTED', 'DENIAL_REASON_REPORTING_OVERDUE', 'DENIAL_REASON_OFFER_EXPIRED', 'DENIAL_REASON_SIGNATURE_INVALID', 'DENIAL_REASON_QUOTA_EXCEEDED', 'DENIAL_REASON_DELEGATION_EXPIRED', 'DENIAL_REASON_SCOPE_INSUFFICIENT'] | None,
        Field(description='Why nothing was bought.'),
    ] = None
    expires_at: Annotated[
        AwareDatetime | None, Field(description='When the signed address ends.')
    ] = None
    ext: Annotated[
        dict[str, Any] | None, Field(description='Extensions: any JSON object.')
    ] = None
    ext_critical: Annotated[
        list[str] | None,
        Field(description='The keys of ext that a reader has to understand.'),
    ] = None
    id: Annotated[str | None, Field(description="The request's id.")] = None
    items: Annotated[
        list[TransactionResultItem] | None,
        Field(description='The results, where several offers were bought.'),
    ] = None
    package: Package | None = None
    reporting_obligation: ReportingObligation | None = None
    subscription_id: Annotated[
        str | None, Field(description='The subscription under which it was bought.')
    ] = None
    subscription_quota: Annotated[
        list[SubscriptionQuotaInfo] | None,
        Field(description="What is left of the subscription's quotas."),
    ] = None
    subscription_unit_value: Cost | None = None
    total_cost: Cost | None = None
    transaction_id: Annotated[
        str | None, Field(description='Identifies the transaction.')
    ] = None
    ver: Annotated[str | None, Field(description="The protocol's version.")] = None
