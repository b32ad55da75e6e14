package buyer

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"frontdesk/client"
	"frontdesk/internal/infra/store"
)

// Schema is the table of purchases: one row for each purchase that was begun. amount is what it may
// cost at the most, in units of 1e-8 of currency, which counts against the limits from before it is
// made; 0 for one that was denied. document is the client's Purchase.
var Schema = store.Schema{
	ID: "buyer",
	Steps: []string{`
CREATE TABLE buyer_purchase (
	id          TEXT NOT NULL PRIMARY KEY,
	at          BIGINT NOT NULL,
	session     TEXT NOT NULL,
	currency    TEXT NOT NULL,
	amount      BIGINT NOT NULL,
	state       TEXT NOT NULL,
	uri         TEXT NOT NULL,
	txn         TEXT NOT NULL,
	document    {{bytes}} NOT NULL
);
CREATE INDEX buyer_purchase_spent ON buyer_purchase (currency, at);
CREATE INDEX buyer_purchase_txn ON buyer_purchase (txn);
CREATE INDEX buyer_purchase_uri ON buyer_purchase (uri, at);
`},
}

// State is how far a purchase came.
type State string

// The states.
const (
	Begun  State = "begun"  // whether it was bought is not known: what it may cost counts as spent
	Bought State = "bought" // it was
	Denied State = "denied" // it was not, and nothing was paid
)

// StoredPurchase is a purchase in the store.
type StoredPurchase struct {
	*client.Purchase
	At    time.Time // when it was begun
	State State
	// Counted is what counts against the limits: what was offered or charged, whichever is more.
	Counted Money
}

// StoreConfig is the file and the limits of a [PurchaseStore].
type StoreConfig struct {
	// File is the SQLite file in which it lies; made where it is missing.
	File   string
	Limits Limits
	Now    func() time.Time // nil for time.Now
}

// PurchaseStore keeps purchases in an SQLite file and checks them against the spending limits. Its
// methods may be called concurrently, by several processes.
type PurchaseStore struct {
	db      *store.DB
	limits  Limits
	session string // that purchases of this process are counted under
	now     func() time.Time
}

// Open opens a store. If the file cannot be read, the error says so; an empty store never takes its
// place.
func Open(ctx context.Context, config StoreConfig) (*PurchaseStore, error) {
	if err := config.Limits.Check(); err != nil {
		return nil, err
	}
	db, err := store.Open(ctx, store.Config{DSN: "sqlite:" + config.File, Schemas: []store.Schema{Schema}, Readers: 2,
		Exclusive: true})
	if err != nil {
		return nil, fmt.Errorf("the purchases in %s cannot be read, so nothing is bought: %w", config.File, err)
	}
	if config.Now == nil {
		config.Now = time.Now
	}
	return &PurchaseStore{db, config.Limits, rand.Text(), config.Now}, nil
}

// Close closes the file.
func (w *PurchaseStore) Close() error { return w.db.Close() }

// OverLimitError is a purchase beyond a limit. Nothing was paid.
type OverLimitError struct {
	Cost  Money
	Limit *Limit // the one that it is beyond; nil where none is set in its currency
	Spent Money  // of that limit
	Until time.Time
}

// Error says what is left, and who can change it.
func (e *OverLimitError) Error() string {
	const person = "Only the person who set this up can change that, by the flags with which frontdesk mcp --buyer " +
		"is started; ask, and do not look for a way around it"
	switch {
	case e.Limit == nil:
		return fmt.Sprintf("this costs %s, and no limit is set for %s, so nothing is paid in it. %s", e.Cost,
			e.Cost.Currency, person)
	case e.Limit.Period == PerPurchase:
		return fmt.Sprintf("this costs %s, and a purchase may cost %s at the most. %s", e.Cost, e.Limit.Money, person)
	case e.Limit.Period == Session:
		return fmt.Sprintf("this costs %s, and %s of the %s for this session are spent or held. %s", e.Cost, e.Spent,
			e.Limit.Money, person)
	}
	return fmt.Sprintf("this costs %s, and %s of the %s for this %s are spent or held; the next begins at %s. %s",
		e.Cost, e.Spent, e.Limit.Money, e.Limit.Period, e.Until.Format(time.RFC3339), person)
}

// costOf is what a purchase may cost at the most, with a Broker's fee. An amount that is none, or
// cannot be counted, is an error.
func costOf(p *client.Purchase) (Money, error) { return moneyOf(p.Total(), p.Charged()) }

// moneyOf is the most of what was offered, and what was charged in its place.
func moneyOf(offered, charged client.Price) (Money, error) {
	out := Money{Currency: strings.ToUpper(offered.Currency)}
	if charged.Amount > 0 && !strings.EqualFold(charged.Currency, offered.Currency) {
		offered, out.Currency = charged, strings.ToUpper(charged.Currency) // it should not have been: Buy says so
	}
	amount := math.Ceil(max(offered.Amount, charged.Amount)*units - 1e-4) // what floats add is not spent
	if math.IsNaN(amount) || amount < 0 || amount > maxAmount {
		return out, errors.New("its price is no amount that could be counted")
	}
	out.Amount = int64(amount)
	return out, nil
}

// everything is the name under which all purchases are locked: limits are on what all cost
// together.
var everything = []string{"purchases"}

// Begin counts a purchase against the limits, and writes it down; from then on it may be made. One
// that is there already is given as it is, with again, and not counted anew. The error is a *Beyond
// where a limit does not allow it; with any error nothing is counted, and it must not be made.
func (w *PurchaseStore) Begin(ctx context.Context, p *client.Purchase) (kept *StoredPurchase, again bool, err error) {
	cost, err := costOf(p)
	if err != nil {
		return nil, false, err
	}
	document, err := json.Marshal(p)
	if err != nil {
		return nil, false, err
	}
	err = w.db.UpdateBatched(ctx, everything, func(tx *store.Tx) error {
		if kept, err = read(tx.QueryRow(ctx, `SELECT at, currency, amount, state, document FROM buyer_purchase WHERE id = $1`, p.ID)); err == nil {
			again = kept.State != Denied
			if again {
				return nil
			}
			return fmt.Errorf("the purchase %s was denied; ask for a new quote", p.ID)
		} else if !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		now := w.now()
		if err := w.allow(ctx, tx, cost, now); err != nil {
			return err
		}
		kept, again = &StoredPurchase{p, now, Begun, cost}, false
		_, err := tx.Exec(ctx, `INSERT INTO buyer_purchase (id, at, session, currency, amount, state, uri, txn, document) VALUES ($1, $2, $3, $4, $5, $6, $7, '', $8)`,
			p.ID, store.Micros(now), w.session, cost.Currency, cost.Amount, string(Begun), p.URI, document)
		return err
	})
	if err != nil {
		return nil, false, err
	}
	return kept, again, nil
}

// allow says which limit does not allow another amount.
func (w *PurchaseStore) allow(ctx context.Context, tx *store.Tx, cost Money, now time.Time) error {
	if cost.Amount == 0 {
		return nil
	}
	lasting := false
	for i := range w.limits {
		l := &w.limits[i]
		if l.Currency != cost.Currency {
			continue
		}
		spent, err := w.spent(ctx, tx, l, now)
		if err != nil {
			return err
		}
		if cost.Amount > l.Amount-min(spent, l.Amount) {
			return &OverLimitError{cost, l, Money{spent, l.Currency}, l.Period.next(now)}
		}
		lasting = lasting || l.Period.lasts()
	}
	if !lasting {
		return &OverLimitError{Cost: cost}
	}
	return nil
}

// spent is what counts against a limit by now.
func (w *PurchaseStore) spent(ctx context.Context, tx *store.Tx, l *Limit, now time.Time) (sum int64, err error) {
	switch l.Period {
	case PerPurchase:
		return 0, nil
	case Session:
		err = tx.QueryRow(ctx, `SELECT COALESCE(SUM(amount), 0) FROM buyer_purchase WHERE currency = $1 AND session = $2`, l.Currency, w.session).Scan(&sum)
	default:
		// What a clock that went wrong dated later counts, too.
		err = tx.QueryRow(ctx, `SELECT COALESCE(SUM(amount), 0) FROM buyer_purchase WHERE currency = $1 AND at >= $2`, l.Currency, store.Micros(l.Period.start(now))).Scan(&sum)
	}
	return sum, err
}

// Settle writes down how far a purchase came: what it holds by now, and in which state it is. What
// was charged beyond the offer counts.
func (w *PurchaseStore) Settle(ctx context.Context, p *client.Purchase, state State) error {
	cost, err := costOf(p)
	if err != nil {
		cost = Money{maxAmount, strings.ToUpper(p.Cost().Currency)} // nothing more is bought in it
	}
	if state == Denied {
		cost.Amount = 0
	}
	document, err := json.Marshal(p)
	if err != nil {
		return err
	}
	return w.db.UpdateBatched(ctx, everything, func(tx *store.Tx) error {
		n, err := tx.Exec(ctx, `UPDATE buyer_purchase SET currency = $1, amount = $2, state = $3, txn = $4, document = $5 WHERE id = $6`,
			cost.Currency, cost.Amount, string(state), p.Transaction(), document, p.ID)
		if err == nil && n != 1 {
			err = fmt.Errorf("the purchase %s is not kept", p.ID)
		}
		return err
	})
}

// ErrUnknown is a transaction that the store does not have, and ErrSeveral an id that several
// Exchanges gave.
var (
	ErrUnknown = errors.New("no purchase is kept under this id; call spending, which lists them")
	ErrSeveral = errors.New("several Exchanges gave this transaction_id; name the purchase by its purchase_id, which " +
		"spending lists")
)

// Find gives the purchase of a transaction, or with its own id. The error is ErrUnknown,
// ErrSeveral, or the file's.
func (w *PurchaseStore) Find(ctx context.Context, id string) (kept *StoredPurchase, err error) {
	if id == "" {
		return nil, ErrUnknown
	}
	err = w.db.View(ctx, func(tx *store.Tx) error {
		kept = nil
		return tx.Each(ctx, `SELECT at, currency, amount, state, document FROM buyer_purchase WHERE id = $1 OR txn = $1 ORDER BY id = $1 DESC LIMIT 2`,
			func(row store.Scanner) error {
				one, err := read(row)
				switch {
				case err != nil:
					return err
				case kept == nil:
					kept = one
				case kept.ID != id:
					return ErrSeveral
				}
				return nil
			}, id)
	})
	if err == nil && kept == nil {
		err = ErrUnknown
	}
	return kept, err
}

// Latest are the purchases that were begun last, the newest first and at most so many; of an
// address where it is not empty.
func (w *PurchaseStore) Latest(ctx context.Context, uri string, most int) (all []*StoredPurchase, err error) {
	return store.List(ctx, w.db, `SELECT at, currency, amount, state, document FROM buyer_purchase WHERE uri = $1 OR $1 = '' ORDER BY at DESC LIMIT $2`, read, uri, most)
}

// LimitUsage is how much of a limit is used.
type LimitUsage struct {
	Limit
	Spent Money
	Until time.Time // when the next period begins; zero for a session
}

// Usage returns the limits and how much of each is used.
func (w *PurchaseStore) Usage(ctx context.Context) (all []LimitUsage, err error) {
	now := w.now()
	err = w.db.View(ctx, func(tx *store.Tx) error {
		all = nil
		for i := range w.limits {
			l := &w.limits[i]
			spent, err := w.spent(ctx, tx, l, now)
			if err != nil {
				return err
			}
			all = append(all, LimitUsage{*l, Money{spent, l.Currency}, l.Period.next(now)})
		}
		return nil
	})
	return all, err
}

// read reads a row.
func read(row store.Scanner) (*StoredPurchase, error) {
	kept := &StoredPurchase{Purchase: &client.Purchase{}}
	var state string
	var document []byte
	if err := row.Scan(&kept.At, &kept.Counted.Currency, &kept.Counted.Amount, &state, &document); err != nil {
		return nil, err
	}
	kept.State = State(state)
	if err := json.Unmarshal(document, kept.Purchase); err != nil {
		return nil, fmt.Errorf("read a purchase: %w", err)
	}
	return kept, nil
}
