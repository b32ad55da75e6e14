package intake

import (
	"cmp"
	"context"
	"crypto/hmac"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"frontdesk/internal/infra/outbox"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/intake/vault"
	wire "frontdesk/wire/intake"
	"frontdesk/wire/sign"
	"frontdesk/wire/strictjson"
)

// Binding is how an agent accepts an offer. Its envelope was read by wire.ReadBind.
type Binding struct {
	Intake    string // id of the intake at whose address it came
	Offer     string
	Session   string // as it came
	Agent     wire.Agent
	Data      strictjson.Value // bind_data, as it came
	Confirmed string           // metadata.user_confirmed_at; may be empty
}

// Bind binds an offer: once, however often and by however many it is asked at a time. It gives the answer as it was
// recorded, the JSON of an wire.Bound. The same bind again gets the same bytes.
//
// The order of checks: offer, session and agent; an answer that was given before; expiry; scopes; required fields; their
// form. The error is a *[Refusal] of OfferUnknown, OfferBound, OfferExpired, InputInvalid, BindIncomplete or Busy, or any
// other, which is ours.
func (s *Service) Bind(ctx context.Context, b Binding) ([]byte, error) {
	in := s.definition(b.Intake)
	if in == nil || !in.Binding {
		return nil, unknownOffer()
	}
	p, err := s.offerOf(ctx, in, b)
	if err != nil {
		return nil, busy(err)
	}
	a, err := p.accept(in, b)
	if err != nil {
		return nil, err
	}
	if p.bind != nil {
		return p.again(a)
	}
	answer, err := s.recordBind(ctx, in, b, p, a)
	return answer, busy(err)
}

// unknownOffer tells of an offer that is not there, and of one that is another's, alike (B7 17 of our reading: no oracle).
func unknownOffer() error {
	return refuse(OfferUnknown, "There is no such offer for this session and agent at this address; submit the intake again to get one.")
}

// pact is an offer, with what became of it.
type pact struct {
	record vault.Record
	bind   *vault.Bind // nil where it is not bound
	key    vault.Key
	answer *vault.Answer // nil where it is erased
}

// offerOf finds the offer that an agent means.
func (s *Service) offerOf(ctx context.Context, in *Definition, b Binding) (p pact, err error) {
	known := false
	err = s.deps.DB.View(ctx, func(tx *store.Tx) error {
		p, known, err = look(ctx, tx, b.Offer)
		return err
	})
	if err != nil {
		return p, err
	}
	if r := p.record; !known || r.Intake != in.ID || r.State == vault.Erased || !wire.SameSession(r.Session, b.Session) || r.Agent != s.agentID(b.Agent.ID) {
		return p, unknownOffer()
	}
	keys, err := s.deps.Vault.Keys(ctx, p.record.OfferKey)
	if err != nil {
		return p, err
	}
	if p.answer, err = p.record.OpenAnswer(keys); err != nil {
		return p, err
	}
	p.key = keys[p.record.OfferKey]
	switch {
	case p.bind != nil:
		return p, nil
	case p.answer == nil || !p.record.Live(s.deps.Now()):
		return p, expiredOffer()
	case !p.answer.Binding:
		return p, unknownOffer()
	}
	return p, nil
}

func expiredOffer() error {
	return refuse(OfferExpired, "The offer has expired; submit the intake again to get a new one.")
}

// look finds an offer, and its bind.
func look(ctx context.Context, tx *store.Tx, offer string) (p pact, known bool, err error) {
	if p.record, known, err = vault.FindOffer(ctx, tx, offer); err != nil || !known {
		return p, false, err
	}
	b, bound, err := vault.FindBind(ctx, tx, offer)
	if bound {
		p.bind = &b
	}
	return p, true, err
}

// accepted is what an offer is bound with.
type accepted struct {
	data      strictjson.Value // the members that are required or declared
	canonical []byte           // the same in canonical form
	digest    []byte           // of it, under the offer's key; nil where that is erased
}

// accept holds a bind against what its offer and its intake need.
func (p pact) accept(in *Definition, b Binding) (a accepted, err error) {
	if p.answer == nil { // it was bound, and is over
		return a, nil
	}
	if p.bind == nil {
		if missing := lacking(b.Agent.ConsentScope, append([]wire.Scope{wire.ScopeBind}, in.Bind.Consent...)); len(missing) > 0 {
			return a, refuse(InputInvalid, "/agent/consent_scope: binding this offer needs the consent of the person to %s; ask for it, and name it.", strings.Join(missing, " and "))
		}
		if missing := lackingFields(b.Data, p.answer.Requires); len(missing) > 0 {
			return a, refuse(BindIncomplete, "bind_data is incomplete: %s; ask the person for what is missing.", strings.Join(missing, ", "))
		}
	}
	if a.data, err = keep(b.Data, p.answer.Requires, in.Bind.Fields); err != nil {
		return a, refuse(InputInvalid, "/bind_data: it is no JSON object that everybody reads alike: %v", err)
	}
	if in.Bind.Fields != nil && p.bind == nil {
		if found := in.Bind.Fields.Validate(a.data); len(found) > 0 {
			var told []string
			for _, v := range found[:min(len(found), mostFindings)] {
				told = append(told, "/bind_data"+v.Pointer+": "+v.Detail)
			}
			return a, refuse(InputInvalid, "%s", strings.Join(told, "; "))
		}
	}
	if a.canonical, err = sign.Canonical(a.data); err != nil {
		return a, refuse(InputInvalid, "/bind_data: it is no JSON that everybody reads alike: %v", err)
	}
	a.digest = p.key.Hash("bind", a.canonical)
	return a, nil
}

// lackingFields are the names of required members that an object does not have, or has with nothing in them.
func lackingFields(data strictjson.Value, required []string) (missing []string) {
	bind := wire.Bind{BindData: data}
	return bind.Missing(required)
}

// keep gives those members of bind_data that are required or declared: others are not taken (B7 29 and check 57 of our
// reading).
func keep(data strictjson.Value, required []string, declared *wire.Schema) (strictjson.Value, error) {
	var members map[string]strictjson.Value
	if err := strictjson.Decode(data, &members); err != nil {
		return nil, err
	}
	names := slices.Clone(required)
	if declared != nil {
		known, _ := declared.Declared(data)
		names = append(names, namesOf(known)...)
	}
	maps.DeleteFunc(members, func(name string, _ strictjson.Value) bool { return !slices.Contains(names, name) })
	return json.Marshal(members, json.Deterministic(true))
}

// again is the answer to a bind of what is bound: the same, when it is the same bind. When what it was bound with can no
// more be told, it is taken to be.
func (p pact) again(a accepted) ([]byte, error) {
	if a.digest != nil && !hmac.Equal(a.digest, p.bind.Digest) {
		return nil, refuse(OfferBound, "The offer is bound already, with other data; it was not changed.")
	}
	return p.bind.Answer, nil
}

// recordBind binds an offer, unless somebody was faster.
func (s *Service) recordBind(ctx context.Context, in *Definition, b Binding, p pact, a accepted) ([]byte, error) {
	now := s.deps.Now().UTC().Truncate(time.Microsecond)
	own, err := s.deps.Vault.Take(ctx)
	if err != nil {
		return nil, err
	}
	bind := vault.Bind{Offer: p.record.Offer, Made: now, Sink: in.Bind.Sink, Digest: a.digest}
	if err := bind.SealData(own, a.data); err != nil {
		return nil, err
	}
	message := in.Bind.Message
	if message == "" {
		message = "The offer is accepted."
	}
	if bind.Answer, err = json.Marshal(wire.Bound{
		Version: wire.Version, SessionID: b.Session, OfferID: b.Offer, Status: wire.StatusBound, Message: message, BoundAt: now.Format(time.RFC3339),
	}, json.Deterministic(true)); err != nil {
		return nil, fmt.Errorf("write the answer to a bind: %w", err)
	}
	body := bindBody{
		Intake: in.ID, Request: p.record.ID, Scope: b.Agent.ConsentScope, Consent: asserted, Confirmed: instant(b.Confirmed), Fields: namesOf(a.data),
		Data: hexHash(p.key, "bind_data", a.canonical), Outcome: "bound", Effect: in.Bind.Sink,
	}
	if body.Effect == "" {
		body.Effect = "inbox"
	}
	var other pact
	err = s.deps.DB.Update(ctx, func(tx *store.Tx) error {
		var known bool
		if other, known, err = look(ctx, tx, b.Offer); err != nil {
			return err
		}
		switch {
		case !known || other.record.State == vault.Erased:
			return unknownOffer()
		case other.bind != nil:
			return nil
		case other.record.State != vault.Offered || !other.record.Live(now):
			return expiredOffer()
		}
		bind := bind
		if err := s.deps.Fault("bind"); err != nil {
			return err
		}
		if bind.Entry, err = s.record(ctx, tx, kindBind, other.record, *p.answer, p.key, body); err != nil {
			return err
		}
		if err := s.deps.Fault("bind recorded"); err != nil {
			return err
		}
		if err := vault.PutBind(ctx, tx, other.record, bind); err != nil {
			return err
		}
		if err := s.deps.Fault("bind put"); err != nil {
			return err
		}
		return tell(ctx, tx, bind)
	})
	if err == nil {
		err = s.deps.Fault("bind done")
	}
	if err != nil {
		return nil, err
	}
	if other.bind != nil {
		return other.again(a)
	}
	s.eraseSoon()
	return bind.Answer, nil
}

// instant is a time as it was stated, if it is one.
func instant(text string) string {
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return at.UTC().Format(time.RFC3339)
	}
	return ""
}

// effect is what the outbox keeps of a bind: a reference, and nothing that anybody said of themselves.
type effect struct {
	Offer string `json:"offer"`
}

// EffectID is the id of the effect of binding an offer, by which whoever hears of it twice can tell.
func EffectID(offer string) string { return "bind/" + offer }

// tell puts the effect of a bind into the outbox.
func tell(ctx context.Context, tx *store.Tx, b vault.Bind) error {
	if b.Sink == "" {
		return nil
	}
	body, err := json.Marshal(effect{b.Offer}, json.Deterministic(true))
	if err != nil {
		return fmt.Errorf("write an effect: %w", err)
	}
	return outbox.Put(ctx, tx, outbox.Effect{ID: EffectID(b.Offer), Sink: b.Sink, Body: body}, b.Made)
}

// BoundOffer is an offer that was bound, opened for those whom it concerns.
type BoundOffer struct {
	Offer
	Intake, Session, Agent, Platform string
	Entry                            string           // of the ledger
	Submitted, Bound                 time.Time        // when
	Input                            strictjson.Value // what was submitted; nil where it is not kept
	Data                             strictjson.Value // bind_data
}

// Deliver does the effect of a bind, which the outbox has a reference to: it opens what was bound, and has send tell the
// business of it, under the effect's id. When that has gone well the bind is done, and what it was bound with is erased as
// the intake's retention says. Of one that is done already, or was erased meanwhile, nobody is told. The error is send's,
// or of the database.
func (s *Service) Deliver(ctx context.Context, e outbox.Effect, send func(context.Context, BoundOffer) error) error {
	var of effect
	if err := strictjson.Decode(e.Body, &of); err != nil {
		return fmt.Errorf("the effect is none of a bind: %w", err)
	}
	var p pact
	err := s.deps.DB.View(ctx, func(tx *store.Tx) (err error) {
		p, _, err = look(ctx, tx, of.Offer)
		return err
	})
	if err != nil || p.bind == nil || !p.bind.Done.IsZero() {
		return err
	}
	if p.record.State == vault.Erased || p.bind.Key == "" {
		return nil
	}
	told, err := s.opened(ctx, p)
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
func (s *Service) opened(ctx context.Context, p pact) (*BoundOffer, error) {
	keys, err := s.deps.Vault.Keys(ctx, p.record.OfferKey, p.record.DataKey, p.bind.Key)
	if err != nil {
		return nil, err
	}
	answer, err := p.record.OpenAnswer(keys)
	if err != nil || answer == nil {
		return nil, err
	}
	r := p.record
	told := &BoundOffer{
		Offer: *offered(r, answer), Intake: r.Intake, Session: r.Session, Agent: cmp.Or(answer.Agent, r.Agent), Platform: r.Platform, Entry: p.bind.Entry, Submitted: r.Made, Bound: p.bind.Made,
	}
	if told.Data, err = p.bind.OpenData(keys); err != nil || told.Data == nil {
		return nil, err
	}
	told.Input, err = r.OpenData(keys)
	return told, err
}

// done records that the business had what an offer was bound with.
func (s *Service) done(ctx context.Context, offer string) error {
	err := s.deps.DB.Update(ctx, func(tx *store.Tx) error {
		p, known, err := look(ctx, tx, offer)
		if err != nil || !known {
			return err
		}
		_, err = vault.Done(ctx, tx, p.record, s.deps.Now().UTC())
		return err
	})
	if err == nil {
		s.eraseSoon()
	}
	return err
}
