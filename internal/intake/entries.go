package intake

import (
	"cmp"
	"context"
	"encoding/hex"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"time"

	"github.com/go-json-experiment/json"

	"frontdesk/internal/infra/store"
	"frontdesk/internal/intake/offers"
	"frontdesk/internal/intake/vault"
	wire "frontdesk/wire/intake"
	"frontdesk/wire/receipt"
	"frontdesk/wire/sign"
	"frontdesk/wire/strictjson"
)

// The kinds of ledger entries about what agents submit. They hold names, times, ids and hashes, and
// no datum: the hashes are under keys that are destroyed with the data.
const (
	kindIntake = "intake" // a submission, and how it was answered
	kindOffer  = "offer"  // how a person answered one that waited
	kindBind   = "bind"
	kindErase  = "erase"
)

// asserted is said of every consent: the protocol gives no proof of it.
const asserted = "asserted by the agent, not proven"

// intakeBody is the body of an entry of kind "intake".
type intakeBody struct {
	Intake   string        `json:"intake"`
	Platform string        `json:"platform,omitzero"`
	Scope    []wire.Scope  `json:"consent_scope"`
	Consent  string        `json:"consent"`
	Data     string        `json:"intake_data_hash"`
	Schema   string        `json:"input_schema_hash"`
	Privacy  privacyBody   `json:"privacy"`
	Outcome  offers.Status `json:"outcome"`
	Offer    *offerBody    `json:"offer,omitzero"`
}

type privacyBody struct {
	Retention  wire.Retention `json:"data_retention,omitzero"`
	Personal   bool           `json:"pii_required"`
	Redactable bool           `json:"redacted_acceptable"`
}

type offerBody struct {
	ID      string `json:"id"`
	Hash    string `json:"hash"`
	Expires string `json:"expires"`
}

// answerBody is the body of an entry of kind "offer".
type answerBody struct {
	Intake  string        `json:"intake"`
	Request string        `json:"request_entry"` // that recorded the submission
	By      string        `json:"by"`
	Outcome offers.Status `json:"outcome"`
	Offer   *offerBody    `json:"offer,omitzero"`
}

// bindBody is the body of an entry of kind "bind".
type bindBody struct {
	Intake    string       `json:"intake"`
	Request   string       `json:"request_entry"` // that recorded the submission
	Scope     []wire.Scope `json:"consent_scope"`
	Consent   string       `json:"consent"`
	Confirmed string       `json:"user_confirmed_at,omitzero"`
	Fields    []string     `json:"fields"`
	Data      string       `json:"bind_data_hash"`
	Outcome   string       `json:"outcome"`
	Effect    string       `json:"effect"`
}

// eraseBody is the body of an entry of kind "erase": how many data of each sort were erased.
type eraseBody struct {
	Reason string `json:"reason"` // "asked" or "retention"
	By     string `json:"by,omitzero"`
	Inputs int    `json:"intake_data"`
	Offers int    `json:"offers"`
	Binds  int    `json:"bind_data"`
}

// answeredRecord is a submission with its answer, opened, and the key that seals the answer.
type answeredRecord struct {
	record vault.Record
	answer *vault.Answer // nil where it is erased
	key    vault.Key
}

// entry is what is to be recorded in the ledger about a submission.
type entry struct {
	kind  string
	about answeredRecord
	body  any
}

// appendEntry puts an entry into the ledger, and gives its id.
func (s *Service) appendEntry(ctx context.Context, tx *store.Tx, e entry) (string, error) {
	text, err := json.Marshal(e.body, json.Deterministic(true))
	if err != nil {
		return "", fmt.Errorf("write an entry's body: %w", err)
	}
	return s.deps.Ledger.Append(ctx, tx, receipt.Entry{
		Time: s.deps.Now().UTC().Truncate(time.Microsecond), Kind: e.kind, Party: e.about.party(),
		Subject: e.about.record.Offer, Request: e.about.record.Session, Body: text,
	})
}

// entryBody is the body of the entry that records a submission.
func (v *validSubmission) entryBody(a answeredRecord) (intakeBody, error) {
	d := v.definition
	body := intakeBody{
		Intake: v.Intake, Platform: a.record.Platform, Scope: v.Agent.ConsentScope, Consent: asserted,
		Data: a.hash("intake_data", v.canonical), Schema: d.Schema.Hash(),
		Privacy: privacyBody{d.Retention, d.PIIRequired, !d.NoRedacted}, Outcome: offers.Status(a.record.State),
	}
	var err error
	body.Offer, err = a.offerBody()
	return body, err
}

// offerBody is what is recorded of an offer; nil where there is none.
func (a answeredRecord) offerBody() (*offerBody, error) {
	if a.record.Offer == "" {
		return nil, nil
	}
	text, err := json.Marshal(*a.answer, json.Deterministic(true))
	if err == nil {
		text, err = sign.Canonical(text)
	}
	if err != nil {
		return nil, fmt.Errorf("hash an offer: %w", err)
	}
	return &offerBody{a.record.Offer, a.hash("offer", text), a.record.Expires.Format(time.RFC3339)}, nil
}

// hash is a hash in hex of what the ledger must not hold, under the key that is destroyed with the
// data.
func (a answeredRecord) hash(purpose string, data []byte) string {
	return hex.EncodeToString(a.key.Hash(purpose, data))
}

// party names the agent in the ledger: by its id as it is kept, or, where that is a hash of what it
// said, by a hash of this under a key that is destroyed with the data.
func (a answeredRecord) party() string {
	if a.answer.Agent == "" {
		return "agent:" + a.record.Agent
	}
	return "agent:hmac:" + a.hash("agent", []byte(a.answer.Agent))
}

// bindBody is the body of the entry that records a bind.
func (o offerState) bindBody(v validBinding) bindBody {
	return bindBody{
		Intake: v.Intake, Request: o.record.ID,
		Scope: v.Agent.ConsentScope, Consent: asserted, Confirmed: instant(v.Confirmed),
		Fields: namesOf(v.data), Data: o.hash("bind_data", v.canonical), Outcome: "bound",
		Effect: cmp.Or(v.definition.Bind.Sink, "inbox"),
	}
}

// instant is a time as it was stated, if it is one.
func instant(text string) string {
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return at.UTC().Format(time.RFC3339)
	}
	return ""
}

var plain = regexp.MustCompile(`^[A-Za-z0-9._:/-]{1,128}$`)

// plainName is a name as it may be kept and counted: empty where it is more than a name.
func plainName(name string) string {
	if plain.MatchString(name) && len(name) <= 64 && !wire.PersonalText(name) {
		return name
	}
	return ""
}

// namesOf are the names of an object's members, in order.
func namesOf(object strictjson.Value) []string {
	var members map[string]strictjson.Value
	if strictjson.Decode(object, &members) != nil {
		return nil
	}
	return slices.Sorted(maps.Keys(members))
}
