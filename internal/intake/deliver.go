package intake

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"

	"frontdesk/internal/infra/outbox"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/intake/vault"
	"frontdesk/wire/strictjson"
)

// effect is what the outbox keeps of a bind: a reference, and nothing that anybody said of
// themselves.
type effect struct {
	Offer string `json:"offer"`
}

// effectID is the id of the effect of binding an offer, by which a receiver that gets it twice can
// tell.
func effectID(offer string) string { return "bind/" + offer }

// putEffect puts the effect of a bind into the outbox.
func putEffect(ctx context.Context, tx *store.Tx, b vault.Bind) error {
	if b.Sink == "" {
		return nil
	}
	body, err := json.Marshal(effect{b.Offer}, json.Deterministic(true))
	if err != nil {
		return fmt.Errorf("write an effect: %w", err)
	}
	return outbox.Put(ctx, tx, outbox.Effect{ID: effectID(b.Offer), Sink: b.Sink, Body: body}, b.CreatedAt)
}

// BoundOffer is an accepted offer, opened for those whom it concerns.
type BoundOffer struct {
	Offer
	Intake, Session, Agent, Platform string
	Entry                            string           // of the ledger
	Submitted, Bound                 time.Time        // when
	Input                            strictjson.Value // what was submitted; nil where it is not kept
	Data                             strictjson.Value // bind_data
}

// Deliver does the effect of a bind, which the outbox has a reference to: it opens what was bound,
// and has send tell the business of it, under the effect's id. When that has gone well the bind is
// done, and what it was bound with is erased as the intake's retention says. Of one that is done
// already, or was erased meanwhile, nobody is notified. The error is send's, or of the database.
func (s *Service) Deliver(ctx context.Context, e outbox.Effect, send func(context.Context, BoundOffer) error) error {
	var of effect
	if err := strictjson.Decode(e.Body, &of); err != nil {
		return fmt.Errorf("the effect is none of a bind: %w", err)
	}
	var o offerState
	err := s.deps.DB.View(ctx, func(tx *store.Tx) (err error) {
		o, _, err = findOffer(ctx, tx, of.Offer)
		return err
	})
	if err != nil || o.bind == nil || !o.bind.Done.IsZero() {
		return err
	}
	if o.record.State == vault.Erased || o.bind.Key == "" {
		return nil
	}
	told, err := s.opened(ctx, o)
	if err != nil {
		return err
	}
	if told == nil {
		return errors.New("its keys are not in the vault; put the vault back that belongs to this database")
	}
	if err := send(ctx, *told); err != nil {
		return err
	}
	return s.done(ctx, of.Offer)
}

// opened opens what was bound; nil where its keys are not there.
func (s *Service) opened(ctx context.Context, o offerState) (*BoundOffer, error) {
	keys, err := s.deps.Vault.Keys(ctx, o.record.OfferKey, o.record.DataKey, o.bind.Key)
	if err != nil {
		return nil, err
	}
	answer, err := o.record.OpenAnswer(keys)
	if err != nil || answer == nil {
		return nil, err
	}
	r := o.record
	told := &BoundOffer{
		Offer: *offered(r, answer), Intake: r.Intake, Session: r.Session,
		Agent: cmp.Or(answer.Agent, r.Agent), Platform: r.Platform,
		Entry: o.bind.Entry, Submitted: r.CreatedAt, Bound: o.bind.CreatedAt,
	}
	if told.Data, err = o.bind.OpenData(keys); err != nil || told.Data == nil {
		return nil, err
	}
	told.Input, err = r.OpenData(keys)
	return told, err
}

// done records that the business had what an offer was bound with.
func (s *Service) done(ctx context.Context, offer string) error {
	err := s.deps.DB.Update(ctx, func(tx *store.Tx) error {
		o, known, err := findOffer(ctx, tx, offer)
		if err != nil || !known {
			return err
		}
		_, err = vault.MarkDone(ctx, tx, o.record, s.deps.Now().UTC())
		return err
	})
	if err == nil {
		s.eraseSoon()
	}
	return err
}
