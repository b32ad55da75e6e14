package intake

import (
	"context"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/outbox"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/intake/vault"
	"frontdesk/wire/strictjson"
)

// Request is a submission as the business sees it: sealed data is opened, as far as it still
// exists.
type Request struct {
	vault.Record
	StateNow     vault.State      // its state by the clock
	Input        strictjson.Value // intake_data; nil where it is not kept or erased
	OpenedAnswer *vault.Answer    // what the agent is told; nil where it is erased
	Bind         *vault.Bind      // nil where it was not bound
	Fields       strictjson.Value // bind_data; nil where there is none or erased
	Effect       *outbox.Pending  // how the delivery of the bind stands; nil where nothing is to be delivered
	Entries      []RequestEntry   // those of the ledger, in their order
}

// RequestEntry is a ledger entry about a submission.
type RequestEntry struct{ ID, Kind string }

// millisecond is what an id, which is a UUID of version 7, begins with: texts that sort as the
// times that they stand for.
func (e RequestEntry) millisecond() string { return e.ID[:min(len(e.ID), 13)] }

// From is the id of the agent that submitted it, as the agent gave it, and a hash of that where it
// is erased.
func (q *Request) From() string {
	if q.OpenedAnswer != nil && q.OpenedAnswer.Agent != "" {
		return q.OpenedAnswer.Agent
	}
	return q.Agent
}

// Tasks are the submissions and binds that wait for a person.
type Tasks struct {
	ToAnswer   []vault.ListEntry // submissions that wait for a person's answer, the one that waited longest first
	ToComplete []vault.ListEntry // binds that wait in the inbox, the oldest first
	Failed     []FailedBind      // binds whose delivery failed, the oldest first
}

// FailedBind is a bind that could not be delivered yet, or was given up.
type FailedBind struct {
	vault.ListEntry
	Effect outbox.Pending
}

// maxTasks is how many of each are listed of what somebody has to see to.
const maxTasks = 50

// Inbox lists submissions, the latest first, and opens none.
func (s *Service) Inbox(ctx context.Context, f vault.Filter) (all []vault.ListEntry, err error) {
	if f.Find != "" && !strings.HasPrefix(f.Find, hashed) { // other ids are kept as they are
		f.Find = s.agentID(f.Find)
	}
	return store.Get(ctx, s.deps.DB, func(tx *store.Tx) ([]vault.ListEntry, error) {
		return vault.List(ctx, tx, f, s.deps.Now())
	})
}

// ListTasks lists what waits for a person, up to 50 of each kind, and opens none of it.
func (s *Service) ListTasks(ctx context.Context) (todo Tasks, err error) {
	err = s.deps.DB.View(ctx, func(tx *store.Tx) error {
		todo = Tasks{}
		if todo.ToAnswer, err = vault.ListWaiting(ctx, tx, s.deps.Now(), maxTasks); err != nil {
			return err
		}
		if todo.ToComplete, err = vault.ListUndoneBinds(ctx, tx, maxTasks); err != nil {
			return err
		}
		failed, err := outbox.ListFailed(ctx, tx, maxTasks)
		if err != nil {
			return err
		}
		for _, effect := range failed {
			offer, ours := strings.CutPrefix(effect.ID, effectID(""))
			if !ours {
				continue
			}
			found, err := vault.List(ctx, tx, vault.Filter{Find: offer, Limit: 1}, s.deps.Now())
			if err != nil {
				return err
			}
			if len(found) == 1 && found[0].State == vault.Bound && found[0].Bind != nil && found[0].Bind.Done.IsZero() {
				todo.Failed = append(todo.Failed, FailedBind{found[0], effect})
			}
		}
		return nil
	})
	return todo, err
}

// CountTasks counts what waits for a person, up to 99 submissions and as many binds.
func (s *Service) CountTasks(ctx context.Context) (n int, err error) {
	return store.Get(ctx, s.deps.DB, func(tx *store.Tx) (int, error) {
		return vault.CountWaiting(ctx, tx, s.deps.Now(), 99)
	})
}

// Find opens a submission. The error is fail.NotFound where there is none of the id.
func (s *Service) Find(ctx context.Context, id string) (*Request, error) {
	q := &Request{}
	err := s.deps.DB.View(ctx, func(tx *store.Tx) (err error) {
		var ok bool
		if q.Record, ok, err = vault.Find(ctx, tx, id); err != nil {
			return err
		}
		if !ok {
			return fail.New(fail.NotFound, "There is no submission of this id.")
		}
		q.StateNow = q.StateAt(s.deps.Now())
		q.Entries = []RequestEntry{{q.ID, kindIntake}}
		if q.Reply != "" {
			q.Entries = append(q.Entries, RequestEntry{q.Reply, kindOffer})
		}
		b, bound, err := vault.FindBind(ctx, tx, q.Offer)
		if err != nil {
			return err
		}
		if bound {
			q.Bind = &b
			q.Entries = append(q.Entries, RequestEntry{b.Entry, kindBind})
		}
		for _, id := range q.Erasures {
			q.Entries = append(q.Entries, RequestEntry{id, kindErase})
		}
		slices.SortStableFunc(q.Entries, func(a, b RequestEntry) int {
			return strings.Compare(a.millisecond(), b.millisecond())
		})
		if !bound {
			return nil
		}
		if effect, waits, err := outbox.Find(ctx, tx, effectID(q.Offer)); err != nil {
			return err
		} else if waits {
			q.Effect = &effect
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	ids := []string{q.DataKey, q.OfferKey}
	if q.Bind != nil {
		ids = append(ids, q.Bind.Key)
	}
	keys, err := s.deps.Vault.Keys(ctx, ids...)
	if err != nil {
		return nil, err
	}
	return q, q.open(keys)
}

// open opens what is sealed of a submission, as far as its keys are there.
func (q *Request) open(keys map[string]vault.Key) (err error) {
	if q.Input, err = q.OpenData(keys); err != nil {
		return err
	}
	if q.OpenedAnswer, err = q.OpenAnswer(keys); err != nil {
		return err
	}
	if q.Bind != nil {
		q.Fields, err = q.Bind.OpenData(keys)
	}
	return err
}

// Redeliver has a bind that could not be delivered delivered again, at once. It says whether there
// is one to be delivered.
func (s *Service) Redeliver(ctx context.Context, offer string) (there bool, err error) {
	err = s.deps.DB.Update(ctx, func(tx *store.Tx) (err error) {
		there, err = outbox.Retry(ctx, tx, effectID(offer), s.deps.Now())
		return err
	})
	return there, err
}

// CountByDay counts what became of the submissions since the beginning of a day, by day, intake and
// platform.
func (s *Service) CountByDay(ctx context.Context, since time.Time) (all []vault.DayCount, err error) {
	return store.Get(ctx, s.deps.DB, func(tx *store.Tx) ([]vault.DayCount, error) {
		return vault.CountByDay(ctx, tx, since, s.deps.Now())
	})
}
