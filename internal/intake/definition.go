package intake

import (
	"crypto/rand"
	"strings"
	"time"

	"frontdesk/internal/intake/offers"
	"frontdesk/internal/intake/vault"
	wire "frontdesk/wire/intake"
)

// Definition is an intake that the owner declares (Agent Intake Protocol 0.1.0).
type Definition struct {
	ID     string
	Schema *wire.Schema
	// Retention, PIIRequired and NoRedacted are its privacy block: how long what is submitted is
	// kept (empty is indefinite), whether members that look personal may be submitted beside those
	// that the schema declares, and whether the text "[redacted]" fails for an optional member.
	Retention   wire.Retention
	PIIRequired bool
	NoRedacted  bool
	// DropPersonal leaves out undeclared members that look personal, as it does any other, instead
	// of refusing them.
	DropPersonal bool
	Engine       offers.Engine
	// Scopes are those that a submission needs, beside "intake".
	Scopes []wire.Scope
	// ValidFor is how long an offer stands when the engine does not say, and how long a decline is
	// repeated. It is required.
	ValidFor time.Duration
	// TermsURL is of offers that name none of their own.
	TermsURL string
	// Binding says whether offers can be bound, and Bind how.
	Binding bool
	Bind    BindRules
}

// BindRules say how offers of an intake are accepted.
type BindRules struct {
	// Requires are the names of bind_data that are required where the engine does not say.
	Requires []string
	// Fields is the schema that bind_data must conform to, nil for none. Its members are kept, too,
	// where they are given without being required.
	Fields *wire.Schema
	// Consent are the scopes that a bind needs, beside "bind".
	Consent []wire.Scope
	// Sink is who is told, by the outbox; empty leaves a bind in the inbox, until somebody marks it
	// done.
	Sink string
	// Message is what the agent is told.
	Message string
}

// answer is an outcome as it is kept; it sets the record's state, offer and expiry.
func (d *Definition) answer(r *vault.Record, o offers.Outcome, now time.Time) vault.Answer {
	r.Expires = wholeSecond(now.Add(d.ValidFor))
	switch o.Status {
	case offers.Declined:
		r.State = vault.Declined
		return vault.Answer{Reason: o.Reason}
	case offers.Waiting:
		r.State = vault.Waiting
		return vault.Answer{RetryAfter: int(o.RetryAfter / time.Second)}
	}
	r.State, r.Offer = vault.Offered, strings.ToLower(rand.Text())
	if !o.Expires.IsZero() {
		r.Expires = wholeSecond(o.Expires)
	}
	a := vault.Answer{Summary: o.Summary, Details: o.Details, TermsURL: o.TermsURL, Binding: d.Binding}
	if a.TermsURL == "" {
		a.TermsURL = d.TermsURL
	}
	if d.Binding {
		if a.Requires = o.BindRequires; a.Requires == nil {
			a.Requires = d.Bind.Requires
		}
	}
	return a
}

// wholeSecond rounds a time up to a second: agents get no fractions.
func wholeSecond(t time.Time) time.Time {
	return t.UTC().Add(time.Second - time.Nanosecond).Truncate(time.Second)
}
