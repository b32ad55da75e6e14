package intake

import (
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

// The kinds of ledger entries about what agents submit. They hold names, times, ids and hashes, and no datum: the hashes
// are under keys that are destroyed with the data.
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

// record puts an entry about a submission into the ledger.
func (s *Service) record(ctx context.Context, tx *store.Tx, kind string, r vault.Record, told vault.Answer, key vault.Key, body any) (string, error) {
	text, err := json.Marshal(body, json.Deterministic(true))
	if err != nil {
		return "", fmt.Errorf("write an entry's body: %w", err)
	}
	return s.deps.Ledger.Append(ctx, tx, receipt.Entry{
		Time: s.deps.Now().UTC().Truncate(time.Microsecond), Kind: kind, Party: partyOf(r.Agent, told.Agent, key), Subject: r.Offer, Request: r.Session, Body: text,
	})
}

// consent is the body of the entry that records a submission.
func (a *applied) consent(r vault.Record, answer vault.Answer, key vault.Key) (intakeBody, error) {
	body := intakeBody{
		Intake: a.Intake, Platform: r.Platform, Scope: a.Agent.ConsentScope, Consent: asserted, Data: hexHash(key, "intake_data", a.canonical), Schema: a.in.Schema.Hash(),
		Privacy: privacyBody{a.in.Retention, a.in.PIIRequired, !a.in.NoRedacted}, Outcome: offers.Status(r.State),
	}
	var err error
	body.Offer, err = offerOf(r, answer, key)
	return body, err
}

// offerOf is what is recorded of an offer; nil where there is none.
func offerOf(r vault.Record, answer vault.Answer, key vault.Key) (*offerBody, error) {
	if r.Offer == "" {
		return nil, nil
	}
	text, err := json.Marshal(answer, json.Deterministic(true))
	if err == nil {
		text, err = sign.Canonical(text)
	}
	if err != nil {
		return nil, fmt.Errorf("hash an offer: %w", err)
	}
	return &offerBody{r.Offer, hexHash(key, "offer", text), r.Expires.Format(time.RFC3339)}, nil
}

func hexHash(key vault.Key, purpose string, data []byte) string {
	return hex.EncodeToString(key.Hash(purpose, data))
}

// partyOf names an agent in the ledger: by its id as it is kept, or, where that is a hash of what it said, by a hash of this
// under a key that is destroyed with the data.
func partyOf(agent, said string, key vault.Key) string {
	if said == "" {
		return "agent:" + agent
	}
	return "agent:hmac:" + hexHash(key, "agent", []byte(said))
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
