package intake

import (
	"cmp"
	"context"
	"crypto/hmac"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"frontdesk/internal/infra/store"
	"frontdesk/internal/intake/vault"
	wire "frontdesk/wire/intake"
	"frontdesk/wire/sign"
	"frontdesk/wire/strictjson"
)

// BindRequest is an agent's acceptance of an offer. Its envelope was read by wire.ReadBind.
type BindRequest struct {
	Intake    string // id of the intake at whose address it came
	Offer     string
	Session   string // as it came
	Agent     wire.Agent
	Data      strictjson.Value // bind_data, as it came
	Confirmed string           // metadata.user_confirmed_at; may be empty
}

// Bind binds an offer: once, however often and by however many it is asked at a time. It gives the
// answer as it was recorded, the JSON of a wire.Bound. The same bind again gets the same bytes.
//
// The order of checks: offer, session and agent; an answer that was given before; expiry; scopes;
// required fields; their form. The error is a *[Refusal] of OfferUnknown, OfferBound, OfferExpired,
// InputInvalid, BindIncomplete or Busy, or any other, which is ours.
func (s *Service) Bind(ctx context.Context, b BindRequest) ([]byte, error) {
	definition := s.definition(b.Intake)
	if definition == nil || !definition.Binding {
		return nil, unknownOffer()
	}
	offer, err := s.findOwnOffer(ctx, b)
	if err != nil {
		return nil, busy(err)
	}
	valid, err := offer.validate(definition, b)
	if err != nil {
		return nil, err
	}
	if offer.bind != nil {
		return offer.replay(valid)
	}
	answer, err := s.recordBind(ctx, offer, valid)
	return answer, busy(err)
}

// unknownOffer is the same refusal for an offer that does not exist and for another agent's (B7 17
// of our reading: no oracle).
func unknownOffer() error {
	return refuse(OfferUnknown, "There is no such offer for this session and agent at this address; "+
		"submit the intake again to get one.")
}

// offerState is an offer, with what became of it. Its answer is nil where it is erased.
type offerState struct {
	answeredRecord
	bind *vault.Bind // nil where it is not bound
}

// findOwnOffer finds the offer that an agent means, which must be one that this agent got in this
// session at this intake.
func (s *Service) findOwnOffer(ctx context.Context, b BindRequest) (o offerState, err error) {
	known := false
	err = s.deps.DB.View(ctx, func(tx *store.Tx) error {
		o, known, err = findOffer(ctx, tx, b.Offer)
		return err
	})
	if err != nil {
		return o, err
	}
	if r := o.record; !known || r.State == vault.Erased || r.Intake != b.Intake ||
		!wire.SameSession(r.Session, b.Session) || r.Agent != s.agentID(b.Agent.ID) {
		return o, unknownOffer()
	}
	keys, err := s.deps.Vault.Keys(ctx, o.record.OfferKey)
	if err != nil {
		return o, err
	}
	if o.answer, err = o.record.OpenAnswer(keys); err != nil {
		return o, err
	}
	o.key = keys[o.record.OfferKey]
	switch {
	case o.bind != nil:
		return o, nil
	case o.answer == nil || !o.record.Live(s.deps.Now()):
		return o, expiredOffer()
	case !o.answer.Binding:
		return o, unknownOffer()
	}
	return o, nil
}

func expiredOffer() error {
	return refuse(OfferExpired, "The offer has expired; submit the intake again to get a new one.")
}

// findOffer finds an offer, and its bind.
func findOffer(ctx context.Context, tx *store.Tx, id string) (o offerState, known bool, err error) {
	if o.record, known, err = vault.FindOffer(ctx, tx, id); err != nil || !known {
		return o, false, err
	}
	b, bound, err := vault.FindBind(ctx, tx, id)
	if bound {
		o.bind = &b
	}
	return o, true, err
}

// validBinding is a bind that is fit to be recorded, or to be compared with the one that was.
type validBinding struct {
	BindRequest
	definition *Definition
	data       strictjson.Value // the members that are required or declared
	canonical  []byte           // the same in canonical form
	digest     []byte           // of it, under the offer's key; nil where that is erased
}

// validate holds a bind against what its offer and its intake need. Of an offer that is bound
// already it checks the form alone.
func (o offerState) validate(d *Definition, b BindRequest) (v validBinding, err error) {
	v.BindRequest, v.definition = b, d
	if o.answer == nil { // it was bound, and is over
		return v, nil
	}
	if o.bind == nil {
		needed := append([]wire.Scope{wire.ScopeBind}, d.Bind.Consent...)
		if missing := lacking(b.Agent.ConsentScope, needed); len(missing) > 0 {
			return v, refuse(InputInvalid, "/agent/consent_scope: binding this offer needs the consent of the person "+
				"to %s; ask for it, and name it.", strings.Join(missing, " and "))
		}
		bind := wire.Bind{BindData: b.Data}
		if missing := bind.Missing(o.answer.Requires); len(missing) > 0 {
			return v, refuse(BindIncomplete, "bind_data is incomplete: %s; ask the person for what is missing.",
				strings.Join(missing, ", "))
		}
	}
	if v.data, err = keepDeclared(b.Data, o.answer.Requires, d.Bind.Fields); err != nil {
		return v, refuse(InputInvalid, "/bind_data: it is no JSON object that everybody reads alike: %v", err)
	}
	if d.Bind.Fields != nil && o.bind == nil {
		if found := d.Bind.Fields.Validate(v.data); len(found) > 0 {
			var told []string
			for _, f := range found[:min(len(found), maxFindings)] {
				told = append(told, "/bind_data"+f.Pointer+": "+f.Detail)
			}
			return v, refuse(InputInvalid, "%s", strings.Join(told, "; "))
		}
	}
	if v.canonical, err = sign.Canonical(v.data); err != nil {
		return v, refuse(InputInvalid, "/bind_data: it is no JSON that everybody reads alike: %v", err)
	}
	v.digest = o.key.Hash("bind", v.canonical)
	return v, nil
}

// keepDeclared gives those members of bind_data that are required or declared: others are not taken
// (B7 29 and check 57 of our reading).
func keepDeclared(data strictjson.Value, required []string, declared *wire.Schema) (strictjson.Value, error) {
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

// replay is the answer to a bind of what is bound: the same, when it is the same bind. When what it
// was bound with can no more be told, it is taken to be.
func (o offerState) replay(v validBinding) ([]byte, error) {
	if v.digest != nil && !hmac.Equal(v.digest, o.bind.Digest) {
		return nil, refuse(OfferBound, "The offer is bound already, with other data; it was not changed.")
	}
	return o.bind.Answer, nil
}

// recordBind binds an offer, in one transaction: the entry of the ledger, the sealed bind, and the
// effect in the outbox. When somebody was faster the answer is that of replay.
func (s *Service) recordBind(ctx context.Context, o offerState, v validBinding) ([]byte, error) {
	now := s.deps.Now().UTC().Truncate(time.Microsecond)
	sealed, err := s.sealBind(ctx, v, now)
	if err != nil {
		return nil, err
	}
	body := o.bindBody(v)
	var current offerState
	err = s.deps.DB.Update(ctx, func(tx *store.Tx) error {
		var known bool
		if current, known, err = findOffer(ctx, tx, v.Offer); err != nil {
			return err
		}
		switch {
		case !known || current.record.State == vault.Erased:
			return unknownOffer()
		case current.bind != nil:
			return nil
		case current.record.State != vault.Offered || !current.record.Live(now):
			return expiredOffer()
		}
		bind := sealed
		if err := s.deps.Fault("bind"); err != nil {
			return err
		}
		about := answeredRecord{current.record, o.answer, o.key}
		if bind.Entry, err = s.appendEntry(ctx, tx, entry{kindBind, about, body}); err != nil {
			return err
		}
		if err := s.deps.Fault("bind recorded"); err != nil {
			return err
		}
		if err := vault.PutBind(ctx, tx, current.record, bind); err != nil {
			return err
		}
		if err := s.deps.Fault("bind put"); err != nil {
			return err
		}
		return putEffect(ctx, tx, bind)
	})
	if err == nil {
		err = s.deps.Fault("bind done")
	}
	if err != nil {
		return nil, err
	}
	if current.bind != nil {
		return current.replay(v)
	}
	s.eraseSoon()
	return sealed.Answer, nil
}

// sealBind makes the record of a bind and its answer; the data is sealed with a key of its own.
func (s *Service) sealBind(ctx context.Context, v validBinding, now time.Time) (bind vault.Bind, err error) {
	own, err := s.deps.Vault.NewKey(ctx)
	if err != nil {
		return bind, err
	}
	bind = vault.Bind{Offer: v.Offer, CreatedAt: now, Sink: v.definition.Bind.Sink, Digest: v.digest}
	if err := bind.SealData(own, v.data); err != nil {
		return bind, err
	}
	bind.Answer, err = json.Marshal(wire.Bound{
		Version: wire.Version, SessionID: v.Session, OfferID: v.Offer, Status: wire.StatusBound,
		Message: cmp.Or(v.definition.Bind.Message, "The offer is accepted."), BoundAt: now.Format(time.RFC3339),
	}, json.Deterministic(true))
	if err != nil {
		return bind, fmt.Errorf("write the answer to a bind: %w", err)
	}
	return bind, nil
}
