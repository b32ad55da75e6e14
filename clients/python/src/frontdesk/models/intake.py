# Written by generate.py. Do not edit: run `python generate.py`.

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field


class IntakeBindAgent(BaseModel):
    model_config = ConfigDict(
        extra='forbid',
        populate_by_name=True,
    )
    consent_scope: Annotated[
        list[Literal['intake', 'offer', 'bind', 'account_creation', 'payment']],
        Field(
            description='what the person authorized: some of intake, offer, bind, account_creation and payment, each once, and bind among them',
            min_length=1,
        ),
    ]
    id: Annotated[
        str,
        Field(
            description='the id that the agent had in the intake request, not empty',
            min_length=1,
        ),
    ]


class IntakeBindBindDataAddress(BaseModel):
    model_config = ConfigDict(
        populate_by_name=True,
    )
    city: Annotated[str | None, Field(description='a text')] = None
    country: Annotated[str | None, Field(description='a text')] = None
    postal_code: Annotated[str | None, Field(description='a text')] = None
    state: Annotated[str | None, Field(description='a text')] = None
    street: Annotated[str | None, Field(description='a text')] = None


class IntakeBindBindData(BaseModel):
    model_config = ConfigDict(
        populate_by_name=True,
    )
    address: Annotated[
        IntakeBindBindDataAddress | None,
        Field(
            description='an object with street, city, state, postal_code and country'
        ),
    ] = None
    company: Annotated[str | None, Field(description="a company's name")] = None
    email: Annotated[str | None, Field(description='an e-mail address')] = None
    full_name: Annotated[
        str | None, Field(description='a full name, not empty', min_length=1)
    ] = None
    phone: Annotated[str | None, Field(description='a phone number')] = None


class IntakeBindMetadata(BaseModel):
    model_config = ConfigDict(
        populate_by_name=True,
    )
    timestamp: Annotated[
        AwareDatetime | None, Field(description='a time such as 2026-11-22T10:00:00Z')
    ] = None
    user_confirmed_at: Annotated[
        AwareDatetime | None,
        Field(description='when the person confirmed, such as 2026-11-22T10:00:00Z'),
    ] = None


class IntakeBind(BaseModel):
    model_config = ConfigDict(
        extra='forbid',
        populate_by_name=True,
    )
    agent: Annotated[
        IntakeBindAgent,
        Field(description='who binds, an object with id and consent_scope alone'),
    ]
    bind_data: Annotated[
        IntakeBindBindData,
        Field(
            description='what the offer requires, an object with the fields that its bind_requires names'
        ),
    ]
    metadata: Annotated[
        IntakeBindMetadata | None,
        Field(description='an object; timestamp and user_confirmed_at are known in it'),
    ] = None
    offer_id: Annotated[
        str,
        Field(
            description='the id of the offer that is accepted, not empty', min_length=1
        ),
    ]
    session_id: Annotated[
        str, Field(description='the session_id of the intake request')
    ]


class IntakeBound(BaseModel):
    model_config = ConfigDict(
        extra='forbid',
        populate_by_name=True,
    )
    aip_version: Annotated[
        str, Field(description='the version of the protocol, such as "0.1.0"')
    ]
    bound_at: Annotated[
        AwareDatetime,
        Field(description='when it was bound, such as 2026-11-22T10:00:00Z'),
    ]
    details: Annotated[dict[str, Any] | None, Field(description='an object')] = None
    message: Annotated[str | None, Field(description='what happens next, in words')] = (
        None
    )
    offer_id: Annotated[str, Field(description="the bind's offer_id", min_length=1)]
    session_id: Annotated[str, Field(description="the bind's session_id")]
    status: Annotated[Literal['bound'], Field(description='"bound"')]


class IntakeManifestCertification(BaseModel):
    model_config = ConfigDict(
        extra='forbid',
        populate_by_name=True,
    )
    cert_id: Annotated[
        str | None, Field(description='an id like aip-cert-2026-00142')
    ] = None
    certified: Annotated[bool | None, Field(description='true or false')] = None
    expires: Annotated[
        str | None,
        Field(description='the day on which the certificate ends, like 2027-02-27'),
    ] = None
    registry: Annotated[str | None, Field(description="the registry's address")] = None


class IntakeManifestIntakePrivacy(BaseModel):
    model_config = ConfigDict(
        extra='forbid',
        populate_by_name=True,
    )
    data_retention: Annotated[
        Literal['none', 'session', '30_days', '1_year', 'indefinite'] | None,
        Field(
            description='how long data is kept: none, session, 30_days, 1_year or indefinite'
        ),
    ] = None
    pii_required: Annotated[
        bool | None,
        Field(description='true if the intake needs personal data, or false'),
    ] = False
    redacted_acceptable: Annotated[
        bool | None,
        Field(description='true if data may have parts struck out, or false'),
    ] = True


class IntakeManifestIntakeRateLimit(BaseModel):
    model_config = ConfigDict(
        extra='forbid',
        populate_by_name=True,
    )
    requests_per_day: Annotated[
        int | None, Field(description='how many requests a day takes, 1 or more')
    ] = None
    requests_per_minute: Annotated[
        int | None, Field(description='how many requests a minute takes, 1 or more')
    ] = None


class IntakeManifestIntake(BaseModel):
    model_config = ConfigDict(
        extra='forbid',
        populate_by_name=True,
    )
    binding_available: Annotated[
        bool, Field(description='true if offers can be bound, or false')
    ]
    category: Annotated[
        str | None, Field(description='a category like health/assessment')
    ] = None
    description: Annotated[str, Field(description='what this intake does')]
    endpoint: Annotated[str, Field(description='the address to post to')]
    id: Annotated[str, Field(description='an id of a-z, 0-9 and hyphens')]
    input_schema: Annotated[
        dict[str, Any],
        Field(description='the JSON Schema (2020-12) of intake_data, an object'),
    ]
    method: Annotated[Literal['POST'], Field(description='"POST"')]
    name: Annotated[str, Field(description='a name for people')]
    offer_type: Annotated[
        str,
        Field(description='the type of the offer, such as personalized_recommendation'),
    ]
    privacy: Annotated[
        IntakeManifestIntakePrivacy | None,
        Field(
            description='what holds for the data, an object with data_retention, pii_required and redacted_acceptable'
        ),
    ] = None
    rate_limit: Annotated[
        IntakeManifestIntakeRateLimit | None,
        Field(
            description='the limits, an object with requests_per_minute and requests_per_day'
        ),
    ] = None
    requires_auth: Annotated[
        bool | None, Field(description='true if a key is needed, or false')
    ] = False


class IntakeManifestProvider(BaseModel):
    model_config = ConfigDict(
        extra='forbid',
        populate_by_name=True,
    )
    contact_email: Annotated[str | None, Field(description='an e-mail address')] = None
    description: Annotated[str | None, Field(description='what the provider does')] = (
        None
    )
    logo: Annotated[str | None, Field(description='the address of the logo')] = None
    name: Annotated[str, Field(description="the provider's name", min_length=1)]
    url: Annotated[
        str,
        Field(description="the provider's address, such as https://www.example.com/"),
    ]


class IntakeManifest(BaseModel):
    model_config = ConfigDict(
        extra='forbid',
        populate_by_name=True,
    )
    aip_version: Annotated[
        str, Field(description='the version of the protocol, such as "0.1.0"')
    ]
    certification: Annotated[
        IntakeManifestCertification | None,
        Field(description='what a registry certified, an object'),
    ] = None
    intakes: Annotated[
        list[IntakeManifestIntake],
        Field(description='the intakes, one or more', min_length=1),
    ]
    provider: Annotated[
        IntakeManifestProvider,
        Field(description='who provides, an object with name and url'),
    ]


class IntakeRequestAgent(BaseModel):
    model_config = ConfigDict(
        extra='forbid',
        populate_by_name=True,
    )
    consent_scope: Annotated[
        list[Literal['intake', 'offer', 'bind', 'account_creation', 'payment']],
        Field(
            description='what the person authorized: some of intake, offer, bind, account_creation and payment, each once, and intake among them',
            min_length=1,
        ),
    ]
    id: Annotated[
        str,
        Field(
            description='the id of this instance of the agent, not empty', min_length=1
        ),
    ]
    name: Annotated[str | None, Field(description="the agent's name")] = None
    platform: Annotated[str | None, Field(description="the agent's platform")] = None


class IntakeRequestMetadata(BaseModel):
    model_config = ConfigDict(
        populate_by_name=True,
    )
    locale: Annotated[str | None, Field(description='a locale like en or en-US')] = None
    timestamp: Annotated[
        AwareDatetime | None, Field(description='a time such as 2026-11-22T10:00:00Z')
    ] = None
    timezone: Annotated[
        str | None, Field(description='a time zone such as Europe/Vienna')
    ] = None


class IntakeRequest(BaseModel):
    model_config = ConfigDict(
        extra='forbid',
        populate_by_name=True,
    )
    agent: Annotated[
        IntakeRequestAgent,
        Field(description='who asks, an object with id and consent_scope'),
    ]
    aip_version: Annotated[
        str, Field(description='the version of the protocol, such as "0.1.0"')
    ]
    intake_data: Annotated[
        dict[str, Any],
        Field(
            description="the data, an object that conforms to the intake's input_schema"
        ),
    ]
    metadata: Annotated[
        IntakeRequestMetadata | None,
        Field(description='an object; timestamp, locale and timezone are known in it'),
    ] = None
    session_id: Annotated[
        str,
        Field(
            description='a UUID of version 4 that you made, such as 7f2c1f3e-90b1-4c55-8d0c-3e6f0a1d2b4c'
        ),
    ]


class IntakeResponseError(BaseModel):
    model_config = ConfigDict(
        extra='forbid',
        populate_by_name=True,
    )
    code: Annotated[str, Field(description='a code such as INVALID_INPUT')]
    message: Annotated[str, Field(description='what is wrong, in words')]


class IntakeResponseMetadata(BaseModel):
    model_config = ConfigDict(
        populate_by_name=True,
    )
    processing_time_ms: Annotated[
        int | None, Field(description='how long it took, in milliseconds')
    ] = None
    provider_ref: Annotated[
        str | None, Field(description="the provider's own reference")
    ] = None


class IntakeResponseOffer(BaseModel):
    model_config = ConfigDict(
        extra='forbid',
        populate_by_name=True,
    )
    bind_endpoint: Annotated[
        str | None, Field(description='the address to bind at')
    ] = None
    bind_requires: Annotated[
        list[str] | None,
        Field(description='the names of the fields that a bind needs, a list'),
    ] = None
    details: Annotated[
        dict[str, Any] | None, Field(description='the offer in detail, an object')
    ] = None
    expires: Annotated[
        AwareDatetime | None,
        Field(description='when the offer ends, such as 2026-03-06T00:00:00Z'),
    ] = None
    id: Annotated[str, Field(description="the offer's id, not empty", min_length=1)]
    summary: Annotated[str, Field(description='the offer in words, for the person')]
    terms_url: Annotated[str | None, Field(description='the address of the terms')] = (
        None
    )


class IntakeResponse(BaseModel):
    model_config = ConfigDict(
        extra='forbid',
        populate_by_name=True,
    )
    aip_version: Annotated[
        str, Field(description='the version of the protocol, such as "0.1.0"')
    ]
    decline_reason: Annotated[
        str | None, Field(description='why there is no offer')
    ] = None
    error: Annotated[
        IntakeResponseError | None,
        Field(description='what went wrong, an object with code and message'),
    ] = None
    metadata: Annotated[
        IntakeResponseMetadata | None,
        Field(
            description='an object; processing_time_ms and provider_ref are known in it'
        ),
    ] = None
    offer: Annotated[
        IntakeResponseOffer | None,
        Field(description='the offer, an object with id and summary'),
    ] = None
    session_id: Annotated[str, Field(description="the request's session_id")]
    status: Annotated[
        Literal['offer', 'declined', 'error', 'pending'],
        Field(description='offer, declined, error or pending'),
    ]
