package intake

import (
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/intake/vault"
	wire "frontdesk/wire/intake"
	"frontdesk/wire/strictjson"
)

// exported is a submission as it is exported.
type exported struct {
	Entry     string           `json:"entry"` // of the ledger
	Intake    string           `json:"intake"`
	Session   string           `json:"session_id"`
	Agent     string           `json:"agent_id,omitzero"`
	Platform  string           `json:"platform,omitzero"`
	State     vault.State      `json:"state"`
	Retention wire.Retention   `json:"data_retention"`
	Submitted time.Time        `json:"submitted"`
	Expires   time.Time        `json:"expires"`
	Consent   string           `json:"consent"`
	Input     strictjson.Value `json:"intake_data,omitzero"`
	Offer     string           `json:"offer_id,omitzero"`
	Answer    *vault.Answer    `json:"answer,omitzero"`
	Reply     string           `json:"answer_entry,omitzero"` // of the ledger, where a person answered later
	Bind      *exportedBind    `json:"bind,omitzero"`
	Erasures  []string         `json:"erase_entries,omitempty"` // of the ledger: what of it was erased
	// Hashing are the keys of the hashes in the ledger, in base64, by what is hashed: whoever has
	// them can hold the hashes against the data.
	Hashing map[string]string `json:"hash_keys,omitempty"`
}

type exportedBind struct {
	Entry string           `json:"entry"` // of the ledger
	Bound time.Time        `json:"bound"`
	Done  *time.Time       `json:"done,omitzero"`
	Data  strictjson.Value `json:"bind_data,omitzero"`
}

// Export writes all that is known of a session, or of one offer, as one JSON document, with the
// entries of the ledger that record what was consented to. The error is fail.NotFound where there
// is nothing.
func (s *Service) Export(ctx context.Context, sessionOrOffer string, w io.Writer) error {
	out := jsontext.NewEncoder(w, jsontext.WithIndent("  "))
	var entries []string
	for last := ""; ; {
		some, err := s.export(ctx, sessionOrOffer, last)
		switch {
		case err != nil:
			return err
		case len(some) == 0 && last == "":
			return unknownSession(sessionOrOffer)
		case last == "":
			if err := begin(out, "submissions"); err != nil {
				return err
			}
		}
		if len(some) == 0 {
			break
		}
		for _, one := range some {
			last = one.Entry
			entries = append(entries, one.Entry)
			if one.Reply != "" {
				entries = append(entries, one.Reply)
			}
			if one.Bind != nil {
				entries = append(entries, one.Bind.Entry)
			}
			entries = append(entries, one.Erasures...)
			if err := json.MarshalEncode(out, one, json.Deterministic(true)); err != nil {
				return fmt.Errorf("write an export: %w", err)
			}
		}
	}
	return s.exportEntries(ctx, out, entries)
}

// begin opens the document, and an array in it.
func begin(out *jsontext.Encoder, array string) error {
	for _, token := range []jsontext.Token{jsontext.BeginObject, jsontext.String(array), jsontext.BeginArray} {
		if err := out.WriteToken(token); err != nil {
			return fmt.Errorf("write an export: %w", err)
		}
	}
	return nil
}

// exportEntries ends the document with receipts of ledger entries, or the entries alone where they
// wait for their place.
func (s *Service) exportEntries(ctx context.Context, out *jsontext.Encoder, ids []string) error {
	for _, token := range []jsontext.Token{jsontext.EndArray, jsontext.String("ledger"), jsontext.BeginArray} {
		if err := out.WriteToken(token); err != nil {
			return fmt.Errorf("write an export: %w", err)
		}
	}
	for _, id := range ids {
		r, err := s.deps.Ledger.Receipt(ctx, id)
		switch coded := fail.From(err); {
		case err != nil && coded.Code == fail.Unavailable:
			err = json.MarshalEncode(out, map[string]any{"entry": r.Entry}, json.Deterministic(true))
		case err == nil:
			err = json.MarshalEncode(out, r, json.Deterministic(true))
		}
		if err != nil {
			return fmt.Errorf("write an export: %w", err)
		}
	}
	for _, token := range []jsontext.Token{jsontext.EndArray, jsontext.EndObject} {
		if err := out.WriteToken(token); err != nil {
			return fmt.Errorf("write an export: %w", err)
		}
	}
	return nil
}

// export opens some submissions of a session, or of one offer, from after an id on.
func (s *Service) export(ctx context.Context, sessionOrOffer, after string) (all []exported, err error) {
	var found []offerState
	var ids []string
	err = s.deps.DB.View(ctx, func(tx *store.Tx) error {
		found, ids = nil, nil
		records, err := vault.ListFrom(ctx, tx, sessionOrOffer, after)
		for _, r := range records {
			o := offerState{answeredRecord: answeredRecord{record: r}}
			b, bound, err := vault.FindBind(ctx, tx, r.Offer)
			if err != nil {
				return err
			}
			ids = append(ids, r.DataKey, r.OfferKey)
			if bound {
				o.bind = &b
				ids = append(ids, b.Key)
			}
			found = append(found, o)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	keys, err := s.deps.Vault.Keys(ctx, ids...)
	if err != nil {
		return nil, err
	}
	for _, o := range found {
		one, err := exportOf(o, keys, s.deps.Now())
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, nil
}

func exportOf(o offerState, keys map[string]vault.Key, now time.Time) (exported, error) {
	r := o.record
	q := Request{Record: r, Bind: o.bind}
	if err := q.open(keys); err != nil {
		return exported{}, err
	}
	one := exported{
		Entry: r.ID, Intake: r.Intake, Session: r.Session, Agent: q.From(), Platform: r.Platform,
		State: r.StateAt(now), Retention: r.Retention, Submitted: r.CreatedAt, Expires: r.Expires, Consent: asserted,
		Input: q.Input, Offer: r.Offer, Answer: q.OpenedAnswer, Reply: r.Reply, Erasures: r.Erasures,
	}
	if o.bind != nil {
		one.Bind = &exportedBind{Entry: o.bind.Entry, Bound: o.bind.CreatedAt, Data: q.Fields}
		if done := o.bind.Done; !done.IsZero() {
			one.Bind.Done = &done
		}
	}
	if key, ok := keys[r.OfferKey]; ok {
		one.Hashing = map[string]string{}
		for _, what := range []string{"intake_data", "offer", "bind_data", "agent"} {
			one.Hashing[what] = base64.StdEncoding.EncodeToString(key.HashKey(what))
		}
	}
	return one, nil
}
