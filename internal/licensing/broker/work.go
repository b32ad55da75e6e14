package broker

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"google.golang.org/protobuf/proto"

	"frontdesk/internal/infra/store"
	rampv1 "frontdesk/wire/ramp/v1"
)

// Schema is the tables of this package. Times are microseconds, amounts in units of 1e-8 of their
// currency.
//
// broker_request has one row for each request of an account by which something is or may be bought:
// the SHA-256 of what it asked for, as digest; what is bought under which ids, as plan, a work as
// JSON; and, once it is done, what it was answered. version counts the changes of the row, so that
// of two processes that go on with a request one is first.
//
// broker_sale has one row for each transaction that was made through the Broker, and where: by it
// reports and disputes find their way.
//
// broker_budget has one row for each budget in each currency: what of it is spent in the period
// that began at started and ends at ends (0 for never), and what is held for purchases of which it
// is not known yet what came of them.
//
// broker_exchange counts for each Exchange how often it sold what it had offered, and how often
// not.
var Schema = store.Schema{
	ID: "broker",
	Steps: []string{`
CREATE TABLE broker_request (
	account {{text}} NOT NULL,
	id      {{text}} NOT NULL,
	digest  {{bytes}} NOT NULL,
	done    BIGINT NOT NULL,
	version BIGINT NOT NULL,
	plan    {{bytes}} NOT NULL,
	answer  {{bytes}} NOT NULL,
	made    BIGINT NOT NULL,
	touched BIGINT NOT NULL,
	PRIMARY KEY (account, id)
);
CREATE INDEX broker_request_open ON broker_request (touched) WHERE done = 0;
CREATE INDEX broker_request_made ON broker_request (made);

CREATE TABLE broker_sale (
	id       {{text}} NOT NULL,
	exchange {{text}} NOT NULL,
	account  {{text}} NOT NULL,
	billing  TEXT NOT NULL,
	place    TEXT NOT NULL,
	own      BIGINT NOT NULL,
	made     BIGINT NOT NULL,
	PRIMARY KEY (id, exchange)
);
CREATE INDEX broker_sale_made ON broker_sale (made);

CREATE TABLE broker_budget (
	account  {{text}} NOT NULL,
	scope    {{text}} NOT NULL,
	currency {{text}} NOT NULL,
	started  BIGINT NOT NULL,
	ends     BIGINT NOT NULL,
	held     BIGINT NOT NULL,
	spent    BIGINT NOT NULL,
	PRIMARY KEY (account, scope, currency)
);

CREATE TABLE broker_exchange (
	domain {{text}} NOT NULL PRIMARY KEY,
	sold   BIGINT NOT NULL,
	failed BIGINT NOT NULL
);
`, `
CREATE INDEX broker_budget_held ON broker_budget (held) WHERE held > 0;
`},
}

// state is how far something that is bought is.
type state string

const (
	open   state = ""       // it may have been bought
	bought state = "bought" // it was
	denied state = "denied" // it was not
	lost   state = "lost"   // nobody says any more whether it was; it counts as spent
)

// work is a request by which something is bought, as it is on record.
type work struct {
	account, id      string
	digest           []byte
	version          int64
	done             bool
	answer           []byte               // once it is done
	responseDocument *rampv1.RAMPResponse // the same; nil of one that was read
	made             time.Time
	found            *found // while it is worked on for the first time; nil of one that was taken up again

	plan
}

// plan is what is on record of a work.
type plan struct {
	Requester []byte      `json:"requester,omitempty"` // in whose name is bought, as protobuf; gone once it is done
	Own       bool        `json:"own,omitempty"`       // that is the Broker's
	Items     []*item     `json:"items"`
	Buys      []*buy      `json:"buys"`
	Budgets   []*drawn    `json:"budgets,omitempty"`
	Most      int64       `json:"most"` // that may be paid for all of it; below 0 for no bound
	Currency  string      `json:"currency,omitempty"`
	Rates     Rates       `json:"rates"` // by which it counts, until it is done
	Unsold    []unsold    `json:"unsold,omitempty"`
	Found     []SearchHit `json:"found,omitempty"`
	Passed    []passed    `json:"passed,omitempty"`
	Rounds    int         `json:"rounds"`
}

// item is one offer that is taken.
type item struct {
	URI          string          `json:"uri"`
	Exchange     string          `json:"exchange"`
	OfferID      string          `json:"offer_id"`
	Signature    string          `json:"signature"`
	Offer        json.RawMessage `json:"offer"`
	Price        int64           `json:"price"`
	Fee          int64           `json:"fee,omitempty"`
	Currency     string          `json:"currency,omitempty"`
	Subscription bool            `json:"subscription,omitempty"`
	State        state           `json:"state,omitempty"`
	Why          string          `json:"why,omitempty"`    // it is not bought
	Result       []byte          `json:"result,omitempty"` // a TransactionResultItem as protobuf
	Method       int32           `json:"method,omitempty"`
	Found        *SearchHit      `json:"found,omitempty"`
	// how its Exchange says that the address was discovered; 0 where the request named it
	Way     int32 `json:"way,omitempty"`
	Settled bool  `json:"settled,omitempty"` // it is counted as spent

	taken *candidate                    // nil of what was taken up again
	read  *rampv1.TransactionResultItem // Result, once it was read
}

// buy is one purchase at one Exchange.
type buy struct {
	ID       string   `json:"id"` // under which the Exchange makes it once
	Exchange string   `json:"exchange"`
	Places   []string `json:"places"`
	Typed    bool     `json:"typed,omitempty"`
	Named    bool     `json:"named,omitempty"`
	Items    []int    `json:"items"` // of the plan
	State    state    `json:"state,omitempty"`
	Sent     bool     `json:"sent,omitempty"`    // the Exchange may have had it, and was not heard
	Unsure   string   `json:"unsure,omitempty"`  // why it is not known what came of it
	Counted  bool     `json:"counted,omitempty"` // for or against the Exchange
}

// unsold is an address for which nothing is bought.
type unsold struct {
	URI string `json:"uri"`
	// of OfferAbsenceReason or DenialReason, without its prefix; or SAME_CONTENT, BUDGET,
	// NO_OFFER_FITS
	Reason string `json:"reason"`
	Same   string `json:"same,omitempty"`  // the address for which the same content is bought
	Why    string `json:"why,omitempty"`   // in words
	Title  string `json:"title,omitempty"` // of what a search found
}

// result is what the Exchange answered for an item that was bought. It must not be changed.
func (i *item) result() (*rampv1.TransactionResultItem, error) {
	if i.read == nil {
		r := &rampv1.TransactionResultItem{}
		if err := proto.Unmarshal(i.Result, r); err != nil {
			return nil, err
		}
		i.read = r
	}
	return i.read, nil
}

// copied is a plan that can be changed, and this one stays.
func (p *plan) copied() plan {
	out := *p
	out.Items, out.Buys, out.Budgets = copies(p.Items), copies(p.Buys), copies(p.Budgets)
	return out
}

func copies[T any](all []*T) []*T {
	out := make([]*T, len(all))
	for i, one := range all {
		it := *one
		out[i] = &it
	}
	return out
}

// paid is what an item costs with the fee, at the most.
func (i *item) paid() int64 { return i.Price + i.Fee }

// newWork makes the work of a request.
func newWork(a Request, digest []byte, f *found) *work {
	w := &work{account: a.Account, id: a.Id, digest: digest, found: f}
	w.Most, w.Currency, w.Own = f.wishes.most, f.wishes.currency, f.own
	w.Requester, _ = proto.Marshal(f.requester)
	return w
}

// requester is in whose name is bought.
func (w *work) requester() (*rampv1.Requester, error) {
	r := &rampv1.Requester{}
	return r, proto.Unmarshal(w.Requester, r)
}

// known is the work of a request that was made before; nil for none. The error is a *Refusal where
// that one asked for something else.
func (b *Broker) known(ctx context.Context, account, id string, digest []byte) (w *work, err error) {
	err = b.DB.View(ctx, func(tx *store.Tx) error {
		w, err = load(ctx, tx, account, id)
		return err
	})
	if err == nil && w != nil && !bytes.Equal(w.digest, digest) {
		return nil, refuse("already_exists", "another request had this id; give each its own")
	}
	return w, err
}

func load(ctx context.Context, tx *store.Tx, account, id string) (*work, error) {
	w := &work{account: account, id: id}
	var text []byte
	err := tx.QueryRow(ctx, `SELECT digest, done, version, plan, answer, made FROM broker_request WHERE account = $1 AND id = $2`, account, id).
		Scan(&w.digest, &w.done, &w.version, &text, &w.answer, &w.made)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil, nil
	case err != nil:
		return nil, err
	}
	if err := json.Unmarshal(text, &w.plan); err != nil {
		return nil, fmt.Errorf("the request %.40q of %.80q cannot be read: %w", id, account, err)
	}
	return w, nil
}

// errChanged is of a work that another process has gone on with.
var errChanged = errors.New("another process goes on with this request")

// put writes a work: for the first time, or where nobody else has changed it.
func (w *work) put(ctx context.Context, tx *store.Tx, now time.Time) error {
	text, err := json.Marshal(&w.plan)
	if err != nil {
		return err
	}
	done := int64(0)
	if w.done {
		done = 1
	}
	answer := w.answer
	if answer == nil {
		answer = []byte{}
	}
	var n int64
	if w.version == 0 {
		n, err = tx.Exec(ctx, `INSERT INTO broker_request (account, id, digest, done, version, plan, answer, made, touched)
			VALUES ($1, $2, $3, $4, 1, $5, $6, $7, $7) ON CONFLICT (account, id) DO NOTHING`, w.account, w.id, w.digest, done, text, answer, store.Micros(now))
	} else {
		n, err = tx.Exec(ctx, `UPDATE broker_request SET done = $1, version = version + 1, plan = $2, answer = $3, touched = $4 WHERE account = $5 AND id = $6 AND version = $7`,
			done, text, answer, store.Micros(now), w.account, w.id, w.version)
	}
	if err == nil && n == 0 {
		err = errChanged
	}
	return err
}

// sell notes where transactions were made.
func (w *work) sell(ctx context.Context, tx *store.Tx, now time.Time) error {
	own := int64(0)
	if w.Own {
		own = 1
	}
	for _, one := range w.Buys {
		for _, at := range one.Items {
			i := w.Items[at]
			if i.State != bought {
				continue
			}
			result, err := i.result()
			if err != nil {
				return err
			}
			place, err := json.Marshal(one.Places)
			if err != nil {
				return err
			}
			typed := string(place)
			if one.Typed {
				typed = "typed " + typed
			}
			if _, err := tx.Exec(ctx, `INSERT INTO broker_sale (id, exchange, account, billing, place, own, made) VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (id, exchange) DO NOTHING`,
				result.TransactionId, one.Exchange, w.account, result.BillingId, typed, own,
				store.Micros(now)); err != nil {
				return err
			}
		}
	}
	return nil
}
