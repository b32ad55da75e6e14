// Package intake is the Agent Intake Protocol 0.1.0 on the wire: a provider's manifest
// (agent-intake.json), the request that submits an intake and the answer with an offer, and the
// bind that accepts one. It has the types, our own JSON Schemas (2020-12), the rules that the
// protocol's prose adds to them, the schemas of intakes themselves ([Schema]), and what looks like
// personal data.
//
// The Read functions are how a handler or a client takes a message: strict, and silent about
// values, since intake and bind data are somebody's. [Check] finds everything at once and says how
// to mend it; the manifest is also looked at for what is valid and yet unwise.
//
// It has no I/O and no clock, and needs no network.
package intake

import "frontdesk/wire/strictjson"

// Version is the version of the protocol that is written. All of 0.1 are read.
const Version = "0.1.0"

// WellKnown is where a provider's manifest is (Agent Intake Protocol 0.1.0, Stage 1).
const WellKnown = "/.well-known/agent-intake.json"

// Nil is the session of an answer to a request without a usable one: the schema wants a UUID in
// every answer.
const Nil = "00000000-0000-0000-0000-000000000000"

// Manifest is agent-intake.json: who takes in what, and how.
type Manifest struct {
	Version       string         `json:"aip_version"`
	Provider      Provider       `json:"provider"`
	Intakes       []Intake       `json:"intakes"` // at least one
	Certification *Certification `json:"certification,omitzero"`
}

// Provider is the business.
type Provider struct {
	Name         string `json:"name"`
	URL          string `json:"url"`
	Description  string `json:"description,omitzero"`
	Logo         string `json:"logo,omitzero"` // an address
	ContactEmail string `json:"contact_email,omitzero"`
}

// Intake is one thing that a provider takes in.
type Intake struct {
	ID               string           `json:"id"` // of a-z, 0-9 and hyphens; unique in the manifest
	Name             string           `json:"name"`
	Description      string           `json:"description"`
	Endpoint         string           `json:"endpoint"`
	Method           string           `json:"method"` // always POST
	Category         string           `json:"category,omitzero"`
	InputSchema      strictjson.Value `json:"input_schema"` // see [CompileSchema]
	OfferType        string           `json:"offer_type"`
	BindingAvailable bool             `json:"binding_available"`
	RequiresAuth     bool             `json:"requires_auth"` // false where it is not said
	Privacy          *Privacy         `json:"privacy,omitzero"`
	RateLimit        *RateLimit       `json:"rate_limit,omitzero"`
}

// Privacy is what a provider says of the data that it is given. A nil one says what an empty one
// does.
type Privacy struct {
	DataRetention      Retention `json:"data_retention,omitzero"` // "" is not said
	PIIRequired        bool      `json:"pii_required"`            // false where it is not said
	RedactedAcceptable *bool     `json:"redacted_acceptable,omitzero"`
}

// TakesRedacted says whether data with parts struck out is acceptable, which it is unless the
// manifest says otherwise.
func (p *Privacy) TakesRedacted() bool {
	return p == nil || p.RedactedAcceptable == nil || *p.RedactedAcceptable
}

// NeedsPersonal says whether the intake asks for personal data.
func (p *Privacy) NeedsPersonal() bool { return p != nil && p.PIIRequired }

// Retention is how long a provider keeps what it was given.
type Retention string

// The retentions.
const (
	RetainNone       Retention = "none"
	RetainSession    Retention = "session"
	Retain30Days     Retention = "30_days"
	Retain1Year      Retention = "1_year"
	RetainIndefinite Retention = "indefinite"
)

// RateLimit is how often one caller may submit; 0 is not said.
type RateLimit struct {
	RequestsPerMinute int `json:"requests_per_minute,omitzero"`
	RequestsPerDay    int `json:"requests_per_day,omitzero"`
}

// Certification is what a provider says that a registry says. Nothing here proves it.
type Certification struct {
	Registry  string `json:"registry,omitzero"` // an address
	Certified *bool  `json:"certified,omitzero"`
	CertID    string `json:"cert_id,omitzero"` // such as aip-cert-2026-00142
	Expires   string `json:"expires,omitzero"` // a day, 2006-01-02
}

// Request submits an intake (Agent Intake Protocol 0.1.0, Stage 2).
type Request struct {
	Version    string           `json:"aip_version"`
	Agent      Agent            `json:"agent"`
	IntakeData strictjson.Value `json:"intake_data"` // an object that conforms to the intake's input_schema
	SessionID  string           `json:"session_id"`  // a UUID of version 4, of the agent's making
	Metadata   strictjson.Value `json:"metadata,omitzero"`
}

// Agent is who submits or binds, on a person's behalf. At a bind it has no platform and no name.
type Agent struct {
	ID           string  `json:"id"`
	Platform     string  `json:"platform,omitzero"`
	Name         string  `json:"name,omitzero"`
	ConsentScope []Scope `json:"consent_scope"` // what the person authorized, as the agent asserts
}

// Scope is something that a person authorizes an agent to do.
type Scope string

// The scopes.
const (
	ScopeIntake          Scope = "intake"
	ScopeOffer           Scope = "offer"
	ScopeBind            Scope = "bind"
	ScopeAccountCreation Scope = "account_creation"
	ScopePayment         Scope = "payment"
)

// Scopes are all of them.
var Scopes = []Scope{ScopeIntake, ScopeOffer, ScopeBind, ScopeAccountCreation, ScopePayment}

// Response answers a request; with StatusError it answers a failed bind, too (Agent Intake Protocol
// 0.1.0, Stage 3).
type Response struct {
	Version       string           `json:"aip_version"`
	SessionID     string           `json:"session_id"` // the request's, as it came; [Nil] where that had none
	Status        Status           `json:"status"`
	Offer         *Offer           `json:"offer,omitzero"`
	DeclineReason string           `json:"decline_reason,omitzero"`
	Error         *Error           `json:"error,omitzero"`
	Metadata      strictjson.Value `json:"metadata,omitzero"` // an object; retry_after_seconds in it is ours
}

// Status is how a request was answered.
type Status string

// The statuses of a response, and the one of a bind.
const (
	StatusOffer    Status = "offer"
	StatusDeclined Status = "declined"
	StatusError    Status = "error"
	StatusPending  Status = "pending" // ask again later, with the same request
	StatusBound    Status = "bound"
)

// Offer is a soft contract: it binds nobody until it is accepted.
type Offer struct {
	ID           string           `json:"id"`
	Summary      string           `json:"summary"` // for a person
	Details      strictjson.Value `json:"details,omitzero"`
	Expires      string           `json:"expires,omitzero"` // a date-time; from that instant on the offer is none
	BindEndpoint string           `json:"bind_endpoint,omitzero"`
	// names of bind_data; nil is not said, and an empty list is written
	BindRequires *[]string `json:"bind_requires,omitzero"`
	TermsURL     string    `json:"terms_url,omitzero"`
}

// Error is why there is no offer.
type Error struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// The codes of errors. The last two are ours: the protocol leaves codes open, and has none for
// these.
const (
	CodeInvalidInput      = "INVALID_INPUT"       // 400, 405, 413, 415
	CodeSchemaMismatch    = "SCHEMA_MISMATCH"     // 400
	CodeBindIncomplete    = "BIND_INCOMPLETE"     // 400
	CodeOfferNotFound     = "OFFER_NOT_FOUND"     // 404
	CodeOfferExpired      = "OFFER_EXPIRED"       // 410
	CodeRateLimited       = "RATE_LIMITED"        // 429
	CodeInternal          = "INTERNAL_ERROR"      // 500
	CodeUnavailable       = "SERVICE_UNAVAILABLE" // 503
	CodeUnauthorized      = "UNAUTHORIZED"        // 401
	CodeOfferAlreadyBound = "OFFER_ALREADY_BOUND" // 409
)

// Bind accepts an offer (Agent Intake Protocol 0.1.0, Stage 5). It has no version of its own.
type Bind struct {
	OfferID   string           `json:"offer_id"`
	SessionID string           `json:"session_id"`
	BindData  strictjson.Value `json:"bind_data"` // personal, and authorized by the person
	Agent     Agent            `json:"agent"`
	Metadata  strictjson.Value `json:"metadata,omitzero"`
}

// Bound answers a bind. The protocol leaves it open; this form is ours.
type Bound struct {
	Version   string           `json:"aip_version"`
	SessionID string           `json:"session_id"`
	OfferID   string           `json:"offer_id"`
	Status    Status           `json:"status"` // always StatusBound
	Message   string           `json:"message,omitzero"`
	BoundAt   string           `json:"bound_at"` // a date-time
	Details   strictjson.Value `json:"details,omitzero"`
}
