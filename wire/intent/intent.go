// Package intent is the Agentic Intent Protocol on the wire: a publisher's declaration (aip.json),
// the request and answer of a retrieval, and the events about it. It has the types, our own JSON
// Schemas (2020-12), the rules that the protocol's prose adds to them, and what both sides compute
// alike: scope, tokens, expiry.
//
// [Check] is the one validator: handlers, the client and `frontdesk check` judge documents by it.
// Version 0.1 is what it takes; 1.0, which has the same shape, where the options say so.
//
// It has no I/O and no clock, and needs no network.
package intent

import "frontdesk/wire/strictjson"

// The versions of the protocol.
const (
	Version01 = "0.1"
	Version10 = "1.0"
)

// WellKnown is where a publisher's declaration is.
const WellKnown = "/.well-known/aip.json"

// Extensions are what the protocol leaves open, under names like "vendor.name". Their values are in
// canonical form where they were read.
type Extensions map[string]strictjson.Value

// Declaration is aip.json: what a publisher permits, and where requests go.
type Declaration struct {
	Schema           string       `json:"$schema,omitzero"`
	Version          string       `json:"aip_version"`
	Publisher        Publisher    `json:"publisher"`
	IntentAccess     IntentAccess `json:"intent_access"`
	EditorialDomains []string     `json:"editorial_domains"`
	Endpoints        *Endpoints   `json:"endpoints,omitzero"`
	Retrieval        Retrieval    `json:"retrieval"`
	Compliance       Compliance   `json:"compliance"`
	Extensions       Extensions   `json:"extensions,omitzero"`
}

// Publisher names the publisher and the domain that the declaration governs.
type Publisher struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	Domain string `json:"domain"`
}

// IntentAccess is the permission.
type IntentAccess struct {
	Enabled       bool   `json:"enabled"`
	State         string `json:"state,omitzero"` // "" is StateActive
	Mode          string `json:"mode"`
	TrainingUse   bool   `json:"training_use"`
	StorageRights string `json:"storage_rights"`
	CachePolicy   string `json:"cache_policy,omitzero"`
}

// The states of a permission, and the words that its other members always have.
const (
	StateActive   = "active"
	StatePaused   = "paused"
	StateDisabled = "disabled"

	ModeLiveOnly  = "live_only"
	StorageNone   = "none"
	CacheNoStore  = "no_store"
	CapabilityRef = "retrieval"
)

// Endpoints are where a publisher can be asked and told.
type Endpoints struct {
	Capabilities *Endpoint      `json:"capabilities,omitzero"`
	Retrieve     *Endpoint      `json:"retrieve,omitzero"`
	Event        *EventEndpoint `json:"event,omitzero"`
}

// Endpoint is one address. CapabilitiesRef is the retrieve endpoint's alone.
type Endpoint struct {
	Method          string `json:"method"`
	URL             string `json:"url"`
	CapabilitiesRef string `json:"capabilities_ref,omitzero"`
}

// EventEndpoint is where events go.
type EventEndpoint struct {
	Method   string `json:"method"`
	URL      string `json:"url"`
	Required bool   `json:"required"` // platforms must report their citations
}

// Retrieval is how content is given.
type Retrieval struct {
	Supports  Supports `json:"supports"`
	MaxChunks int      `json:"max_chunks,omitzero"` // 0 is undeclared
	MaxTokens int      `json:"max_tokens,omitzero"` // 0 is undeclared
}

// Supports says which parts of retrieval a publisher has.
type Supports struct {
	Chunks      bool `json:"chunks"`
	Citations   bool `json:"citations"`
	FullArticle bool `json:"full_article"`
}

// Compliance is what holds about the permission itself. Days are written 2006-01-02.
type Compliance struct {
	Revocable        bool   `json:"revocable"`
	NoticeRequired   bool   `json:"notice_required"`
	RevocationReason string `json:"revocation_reason,omitzero"`
	Sunset           string `json:"sunset,omitzero"` // the last day; "" is never
	LastUpdated      string `json:"last_updated"`
}

// Capabilities is what our capabilities endpoint answers; the protocol leaves its body open.
type Capabilities struct {
	Version          string    `json:"aip_version"`
	Versions         []string  `json:"accepted_versions"`
	Publisher        Publisher `json:"publisher"`
	EditorialDomains []string  `json:"editorial_domains"`
	Retrieval        Retrieval `json:"retrieval"`
}

// RetrieveRequest asks a publisher for passages.
type RetrieveRequest struct {
	Version    string     `json:"aip_version"`
	RequestID  string     `json:"request_id"`
	Timestamp  string     `json:"timestamp"`
	Platform   Platform   `json:"platform"`
	Intent     Intent     `json:"intent"`
	Context    Context    `json:"context"`
	Runtime    Runtime    `json:"runtime"`
	Extensions Extensions `json:"extensions,omitzero"`
}

// Platform is who asks.
type Platform struct {
	ID              string `json:"id"`
	Software        string `json:"software,omitzero"`
	SoftwareVersion string `json:"software_version,omitzero"`
}

// Intent is what is asked about.
type Intent struct {
	Domain     string   `json:"domain"`
	Subdomain  string   `json:"subdomain,omitzero"`
	Confidence *float64 `json:"confidence,omitzero"` // 0 to 1
}

// Context is in what surroundings it is asked.
type Context struct {
	Language  string     `json:"language"` // such as en-US
	Geography *Geography `json:"geography,omitzero"`
	Placement string     `json:"placement,omitzero"`
}

// Geography is where the person is who asks.
type Geography struct {
	Country string `json:"country,omitzero"` // such as US
}

// Runtime is the conversation that the request belongs to.
type Runtime struct {
	SessionID       string `json:"session_id"`
	TurnIndex       int    `json:"turn_index"`
	QueryText       string `json:"query_text,omitzero"`
	LatencyBudgetMS int    `json:"latency_budget_ms,omitzero"` // 0 is no bound
}

// The statuses of an answer.
const (
	StatusOK     = "ok"
	StatusDenied = "denied"
	StatusError  = "error"
)

// RetrieveResponse is the answer: exactly one of Content, Denial and Error, as Status says.
type RetrieveResponse struct {
	Version       string     `json:"aip_version"`
	RequestID     string     `json:"request_id"`
	Timestamp     string     `json:"timestamp"`
	Status        string     `json:"status"`
	Content       *Content   `json:"content,omitzero"`
	Citations     []Citation `json:"citations,omitzero"`
	LimitsApplied *Limits    `json:"limits_applied,omitzero"`
	Denial        *Denial    `json:"denial,omitzero"`
	Error         *Failure   `json:"error,omitzero"`
	Extensions    Extensions `json:"extensions,omitzero"`
}

// Content is the passages of an answer.
type Content struct {
	Chunks []Chunk `json:"chunks"`
}

// Chunk is one passage.
type Chunk struct {
	ID         string `json:"id"`
	Text       string `json:"text"`
	TokenCount *int   `json:"token_count,omitzero"`
}

// Citation is one source of passages.
type Citation struct {
	SourceURL string   `json:"source_url"`
	Title     string   `json:"title,omitzero"`
	Publisher string   `json:"publisher,omitzero"`
	ChunkIDs  []string `json:"chunk_ids,omitzero"`
}

// Limits are the bounds in force for an answer; 0 is none told.
type Limits struct {
	MaxChunks int `json:"max_chunks,omitzero"`
	MaxTokens int `json:"max_tokens,omitzero"`
}

// The reasons of a denial: there are no others.
const (
	ReasonOutOfScope      = "out_of_scope"
	ReasonAccessDisabled  = "access_disabled"
	ReasonPolicyViolation = "policy_violation"
	ReasonRateLimited     = "rate_limited"
	ReasonUnsupported     = "unsupported"
)

// Denial says why nothing is given: a decision about consent.
type Denial struct {
	Reason  string `json:"reason"`
	Message string `json:"message,omitzero"`
}

// The codes of errors that we answer with; publishers are free to have others.
const (
	CodeAuthFailed           = "auth_failed"
	CodeInvalidRequest       = "invalid_request"
	CodeUnsupportedVersion   = "unsupported_version"
	CodeRequestTooLarge      = "request_too_large"
	CodeUnsupportedMediaType = "unsupported_media_type"
	CodeMethodNotAllowed     = "method_not_allowed"
	CodeRequestConflict      = "request_conflict"
	CodeRateLimited          = "rate_limited" // before the caller is known; after it is a denial
	CodeNoContent            = "no_content"
	CodeInternalError        = "internal_error"
	CodeUnavailable          = "unavailable"
)

// Failure says what went wrong: no decision about consent.
type Failure struct {
	Code    string `json:"code"`
	Message string `json:"message,omitzero"`
}

// The types of events, the one mode of retrieval, and surfaces that the protocol names as examples.
const (
	EventAccess   = "access"
	EventCitation = "citation"

	RetrievalChunks = "chunks"

	SurfaceAnswer   = "answer"
	SurfaceFootnote = "footnote"
	SurfaceHover    = "hover"
)

// Event is a fact about a retrieval: that content was given, or that it was shown. Exactly one of
// Access and Citation is there, as Type says.
type Event struct {
	Version    string         `json:"aip_version"`
	EventID    string         `json:"event_id"`
	Type       string         `json:"event_type"`
	Timestamp  string         `json:"timestamp"`
	RequestID  string         `json:"request_id"`
	Publisher  EventPublisher `json:"publisher"`
	Platform   EventPlatform  `json:"platform"`
	Access     *Access        `json:"access,omitzero"`
	Citation   *CitationShown `json:"citation,omitzero"`
	Extensions Extensions     `json:"extensions,omitzero"`
}

// EventPublisher names the publisher, as its declaration does.
type EventPublisher struct {
	ID     string `json:"id"`
	Domain string `json:"domain"`
}

// EventPlatform names the platform that made the request.
type EventPlatform struct {
	ID string `json:"id"`
}

// Access is what was given.
type Access struct {
	ChunksReturned int    `json:"chunks_returned"`
	TokenCount     int    `json:"token_count"`
	RetrievalMode  string `json:"retrieval_mode"`
}

// CitationShown is what was shown to a person, and where.
type CitationShown struct {
	SourceURL      string   `json:"source_url"`
	ChunkIDs       []string `json:"chunk_ids"`
	DisplaySurface string   `json:"display_surface,omitzero"`
}
