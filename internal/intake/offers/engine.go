// Package offers decides what a business answers to a submission (Agent Intake Protocol 0.1.0,
// Stage 3): by the owner's rules (NewRules), by asking the owner's server (NewWebhook), or by
// leaving it to a person (Person).
//
// Each is an Engine. Package intake asks it outside of any transaction, and records the Outcome
// before anybody learns it. An engine keeps nothing and writes nothing. What an agent sent belongs
// to the caller: no error and no log line of this package holds any of it.
package offers

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"frontdesk/wire/document"
	"frontdesk/wire/intake"
	"frontdesk/wire/strictjson"
)

// Engine decides about submissions. It may be asked from many goroutines, and asked the same
// Request again, which then has the same ID: after a failure, or when two of the same arrive at
// once.
type Engine interface {
	// Offer answers a question. Its error is a *fail.Error of code Unavailable with RetryAfter when
	// the question can be asked again later, and an *UnusableData when the data is at fault; any
	// other error is ours or the owner's to mend, and its text is for the log alone. An Outcome
	// that comes without an error has passed its Check.
	Offer(ctx context.Context, q Request) (Outcome, error)
}

// UnusableData is the error of data that conforms to the intake's schema and cannot be computed
// with: a whole number beyond those that every implementation holds exactly. It names a member and
// never shows what it holds.
type UnusableData struct {
	Pointer string // RFC 6901, into the data
	Detail  string // what is wrong and what would be right, after the pointer
}

func (u *UnusableData) Error() string { return u.Pointer + " " + u.Detail }

// Request is a submission as an engine sees it.
type Request struct {
	// unique to the submission, and the same each time it is asked; up to 64 letters, digits,
	// dashes and underscores
	ID       string
	Intake   string           // the intake's id
	Data     strictjson.Value // the members of intake_data that the intake's schema declares; valid by it
	Agent    intake.Agent     // who asks, as it says itself
	Session  string           // the session's id as it was sent
	Locale   string           // metadata.locale, such as en-US; may be empty
	Timezone string           // metadata.timezone, such as Europe/Berlin; may be empty, or not exist
	Now      time.Time
	// Lookup searches the site's items. Nil finds nothing.
	Lookup func(context.Context, Lookup) ([]Item, error)
}

// Lookup is a search for items by rules.
type Lookup struct {
	Query string   // as a person would ask
	Types []string // schema.org types, one of which an item must be; none is any
	Sites []string // ids of sites, one of which must have the item; none is any
	Limit int      // from 1 to MaxItems
}

// MaxItems bounds the items of a Lookup.
const MaxItems = 20

// Item is an item that a Lookup found: what the terms release of it to anybody, and nothing else.
type Item struct {
	URL         string
	Name        string
	Type        string // its schema.org type, without address
	Site        string // the id of its site
	Description string
	Score       float64 // how well it fits, from 0 to 100
	Object      strictjson.Value
}

// Status is the kind of an Outcome.
type Status string

// The kinds of answers.
const (
	Offered  Status = "offered"
	Declined Status = "declined"
	Waiting  Status = "waiting" // for a person, who answers later
)

// Outcome is the answer of a business. Members that belong to another Status are zero.
type Outcome struct {
	Status Status

	// Of an offer.
	Summary string           // what a person reads, up to MaxSummary bytes
	Details strictjson.Value // a JSON object of up to MaxDetails bytes, or nil
	Expires time.Time        // zero: as long as the intake's offers last
	// BindRequires names the members of bind_data without which the offer cannot be taken; nil:
	// what the intake requires.
	BindRequires []string
	TermsURL     string // empty: the intake's

	Reason string // why it was declined, up to MaxSummary bytes

	RetryAfter time.Duration // of one that waits: when asking again is worth it, from a second to a day
}

// The bounds of an Outcome: with its envelope it stays below the 64 KiB that a client must read.
const (
	MaxSummary   = 4 << 10
	MaxDetails   = 48 << 10
	MaxRequires  = 32
	MaxValidity  = 366 * 24 * time.Hour // how long an offer may last
	maxFieldName = 64
	maxAddress   = 2 << 10
)

// Check says what is wrong with an outcome that would be answered now. The error names members and
// bounds, never values.
func (o Outcome) Check(now time.Time) error {
	switch o.Status {
	case Offered:
		return o.checkOffer(now)
	case Declined:
		if o.Summary != "" || o.Details != nil || !o.Expires.IsZero() || o.BindRequires != nil || o.TermsURL != "" ||
			o.RetryAfter != 0 {
			return errors.New("an offer's members stand in what is declined")
		}
		return checkText("the reason", o.Reason)
	case Waiting:
		if o.RetryAfter < time.Second || o.RetryAfter > 24*time.Hour {
			return errors.New("the time after which to ask again is not between a second and a day")
		}
		return nil
	}
	return errors.New("the status is none of offered, declined and waiting")
}

func (o Outcome) checkOffer(now time.Time) error {
	if o.Reason != "" || o.RetryAfter != 0 {
		return errors.New("a reason, or a time to ask again, stands in an offer")
	}
	if err := checkText("the summary", o.Summary); err != nil {
		return err
	}
	if err := checkDetails(o.Details); err != nil {
		return err
	}
	switch {
	case !o.Expires.IsZero() && !o.Expires.After(now):
		return errors.New("the offer expires before it is made")
	case !o.Expires.IsZero() && o.Expires.Sub(now) > MaxValidity:
		return fmt.Errorf("the offer lasts longer than %d days", MaxValidity/(24*time.Hour))
	case len(o.BindRequires) > MaxRequires:
		return fmt.Errorf("more than %d fields are required to bind", MaxRequires)
	}
	seen := map[string]bool{}
	for _, name := range o.BindRequires {
		if name == "" || len(name) > maxFieldName || !utf8.ValidString(name) || seen[name] {
			return fmt.Errorf("a field required to bind has no name, one longer than %d bytes, or that of another",
				maxFieldName)
		}
		seen[name] = true
	}
	return checkTerms(o.TermsURL)
}

func checkTerms(address string) error {
	if address == "" {
		return nil
	}
	if u, err := url.Parse(address); err != nil || len(address) > maxAddress || u.Host == "" || u.User != nil ||
		u.Scheme != "https" && u.Scheme != "http" {
		return errors.New("the address of the terms is no web address")
	}
	return nil
}

func checkText(what, text string) error {
	switch {
	case strings.TrimSpace(text) == "":
		return fmt.Errorf("%s is empty", what)
	case len(text) > MaxSummary:
		return fmt.Errorf("%s is longer than %d bytes", what, MaxSummary)
	case !utf8.ValidString(text):
		return fmt.Errorf("%s is not UTF-8", what)
	}
	return nil
}

func checkDetails(details strictjson.Value) error {
	if details == nil {
		return nil
	}
	if len(details) > MaxDetails {
		return fmt.Errorf("the details are larger than %d bytes", MaxDetails)
	}
	var members map[string]strictjson.Value
	if err := strictjson.Decode(details, &members); err != nil || members == nil {
		return errors.New("the details are no JSON object")
	}
	// They stand two levels deep in what the agent is answered, and are hashed.
	if _, found := document.Canonical(slices.Concat([]byte("[["), details, []byte("]]"))); found != nil {
		return errors.New("the details nest too deep, or hold a number that not every reader of JSON takes alike")
	}
	return nil
}
