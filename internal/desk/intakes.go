package desk

import (
	"time"

	"frontdesk/internal/infra/store"
	"frontdesk/internal/intake/offers"
	"frontdesk/internal/intake/vault"
	"frontdesk/internal/ledger"
	"frontdesk/wire/intake"
)

// Intake is one thing that the owner takes in from agents, as it is declared (Agent Intake Protocol 0.1.0).
type Intake struct {
	ID     string
	Schema *intake.Schema
	// Retention, PIIRequired and NoRedacted are its privacy block: how long what is submitted is kept (empty is
	// indefinite), whether members that look personal may be submitted beside those that the schema declares, and whether
	// the text "[redacted]" fails for an optional member.
	Retention   intake.Retention
	PIIRequired bool
	NoRedacted  bool
	// DropPersonal leaves out undeclared members that look personal, as it does any other, instead of refusing them.
	DropPersonal bool
	Engine       offers.Engine
	// Scopes are those that a submission needs, beside "intake".
	Scopes []intake.Scope
	// For is how long an offer stands where the engine does not say, and how long a decline is repeated. It must be set.
	For time.Duration
	// TermsURL is of offers that name none of their own.
	TermsURL string
	// Binding says whether offers can be bound, and Bind how.
	Binding bool
	Bind    IntakeBind
}

// IntakeBind says how offers of an intake are bound.
type IntakeBind struct {
	// Requires are the names of bind_data that are required where the engine does not say.
	Requires []string
	// Fields is the schema that bind_data must conform to, nil for none. Its members are kept, too, where they are given
	// without being required.
	Fields *intake.Schema
	// Consent are the scopes that a bind needs, beside "bind".
	Consent []intake.Scope
	// Sink is who is told, by the outbox; empty leaves a bind in the inbox, until somebody marks it done.
	Sink string
	// Message is what the agent is told.
	Message string
}

// Intaking is what taking submissions takes.
type Intaking struct {
	// Intakes gives what is declared at present, by id. It is called for every request and may answer differently over
	// time. An intake that is no more declared takes no submission, and its offers can no more be bound.
	Intakes func() map[string]*Intake
	DB      *store.DB
	Ledger  *ledger.Ledger
	Vault   *vault.Vault
	// OneAnswer refuses a second submission of a session that says something else than the first (Revised).
	// Otherwise it is a revision and is answered anew.
	OneAnswer bool
}

// OpenIntakes lets the desk take submissions. It is called before the first request.
func (d *Desk) OpenIntakes(i *Intaking) { d.intaking = i }

// intake is the one of an id that is declared at present, nil for none.
func (d *Desk) intake(id string) *Intake {
	if d.intaking == nil {
		return nil
	}
	return d.intaking.Intakes()[id]
}

// Takes says whether an intake is declared at present.
func (d *Desk) Takes(intake string) bool { return d.intake(intake) != nil }

// befalls is what a test has happen at a step.
func (d *Desk) befalls(step string) error {
	if d.fault == nil {
		return nil
	}
	return d.fault(step)
}

// The reasons why a submission or a bind is refused. The code that answers each is the door's.
const (
	InputInvalid   Reason = "input_invalid"   // INVALID_INPUT: a scope that is missing, a malformed field of bind_data
	SchemaMismatch Reason = "schema_mismatch" // SCHEMA_MISMATCH: intake_data does not conform to the intake's schema
	Revised        Reason = "revised"         // 409: the session has submitted something else before
	OfferUnknown   Reason = "offer_unknown"   // OFFER_NOT_FOUND: no such offer, or of another session, agent or intake
	OfferExpired   Reason = "offer_expired"   // OFFER_EXPIRED
	OfferBound     Reason = "offer_bound"     // 409: it was bound with other data
	BindIncomplete Reason = "bind_incomplete" // BIND_INCOMPLETE: required members of bind_data are missing or empty
	Busy           Reason = "busy"            // SERVICE_UNAVAILABLE; RetryAfter says when
)
