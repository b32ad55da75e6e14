package transactions

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"math"
	"strings"
	"time"

	"frontdesk/internal/infra/store"
)

// deliveryTables is the step of Schema for what was delivered: one row for each answer with
// licensed content, of this front desk and of others that deliver in its place. It takes over what
// was delivered before there was this table.
//
// The rows that have begun, and those of transactions that are not known, are few, and found
// without looking at the others.
const deliveryTables = `
CREATE TABLE deal_delivery (
	id        {{text}} NOT NULL PRIMARY KEY,
	txn       {{text}} NOT NULL,
	source    {{text}} NOT NULL,
	site      TEXT NOT NULL,
	uri       TEXT NOT NULL,
	media     TEXT NOT NULL,
	state     TEXT NOT NULL,
	status    BIGINT NOT NULL,
	announced BIGINT NOT NULL,
	bytes     BIGINT NOT NULL,
	bound     BIGINT NOT NULL,
	sum       {{bytes}} NOT NULL,
	whole     BIGINT NOT NULL,
	began     BIGINT NOT NULL,
	ended     BIGINT NOT NULL,
	seconds   BIGINT NOT NULL,
	stray     BIGINT NOT NULL,
	entry     {{text}} NOT NULL
) {{clustered}};
INSERT INTO deal_delivery (id, txn, source, site, uri, media, state, status, announced, bytes, bound, sum, whole, began, ended, seconds, stray, entry)
	SELECT 'dlv-' || e.entry, e.id, '', t.site, t.uri, '', 'ended', 200, e.bytes, e.bytes, 0, '', 0, e.at, e.at, 0, 0, e.entry
	FROM deal_event e JOIN deal_transaction t ON t.id = e.id WHERE e.kind = 'delivery';
DELETE FROM deal_event WHERE kind = 'delivery';
ALTER TABLE deal_event DROP COLUMN bytes;
CREATE INDEX deal_delivery_txn ON deal_delivery (txn, id);
CREATE INDEX deal_delivery_began ON deal_delivery (began, id);
CREATE INDEX deal_delivery_begun ON deal_delivery (began, id) WHERE state = 'begun';
CREATE INDEX deal_delivery_stray ON deal_delivery (began, id) WHERE stray = 1;
`

// DeliveryState is how far a delivery is.
type DeliveryState string

// The states.
const (
	DeliveryBegun DeliveryState = "begun" // content may be on its way
	DeliveryEnded DeliveryState = "ended" // all that was announced was sent
	DeliveryCut   DeliveryState = "cut"   // the answer broke off before that, or nobody saw its end (Delivery.Bound)
)

// Delivery is one answer with licensed content. It is recorded before its first byte is sent.
type Delivery struct {
	ID          string // of this front desk's NewID("dlv", at); others make their own, in letters, digits, - and _
	Transaction string // as the address named it, which may be one that is not known
	By          string // who delivered it: empty for this front desk, else the name of an edge or another source
	Site, URI   string // of the item; as far as they are known
	Media       string // media type of what was sent
	State       DeliveryState
	Status      int // of HTTP: 200 or 206
	// bytes that the answer was to have, of a stream those that it was to have so far; 0 where
	// nobody could say
	Announced int64
	Bytes     int64 // of the answer's body, that were sent
	Bound     bool  // nobody saw its end, and Bytes is the most that it can have been
	// Sum is a SHA-256, or nil where there is none. Where Whole is true it is that of the whole
	// representation, of which a range was sent, or all, or what was sent when it was cut;
	// otherwise that of the bytes that were sent.
	Sum     []byte
	Whole   bool
	At      time.Time // when it began, by the clock of whoever delivered it
	Ended   time.Time // zero before it is over
	Seconds int64     // that a stream was open; 0 for what is none
	Stray   bool      // the transaction was not known when this was recorded
	Entry   string    // of the ledger, of kind "delivery"; empty before it is over
}

const deliveryColumns = `id, txn, source, site, uri, media, state, status, announced, bytes, bound, sum, whole, began, ended, seconds, stray, entry`

func (d Delivery) values() []any {
	sum := d.Sum
	if sum == nil {
		sum = []byte{}
	}
	return []any{d.ID, d.Transaction, d.By, d.Site, d.URI, d.Media, string(d.State), d.Status, d.Announced, d.Bytes,
		store.Flag(d.Bound), sum, store.Flag(d.Whole),
		store.Micros(d.At), store.Micros(d.Ended), d.Seconds, store.Flag(d.Stray), d.Entry}
}

// PutDelivery records a delivery that has begun, or is over already. fresh is false, and nothing is
// changed, where there is one of the id; so a record that is sent twice counts once.
func PutDelivery(ctx context.Context, tx *store.Tx, d Delivery) (fresh bool, err error) {
	n, err := tx.Exec(ctx, `INSERT INTO deal_delivery (`+deliveryColumns+`) VALUES (`+store.Params(1, 18)+`) ON CONFLICT (id) DO NOTHING`, d.values()...)
	if err != nil {
		return false, fmt.Errorf("record a delivery: %w", err)
	}
	return n > 0, nil
}

// EndDelivery records how a delivery that had begun is over: its State, Status, Bytes, Bound, Sum,
// Whole, Ended, Seconds and Entry. over is false, and nothing is changed, where there is none of
// the id that is still under way.
func EndDelivery(ctx context.Context, tx *store.Tx, d Delivery) (over bool, err error) {
	v := d.values()
	n, err := tx.Exec(ctx, `UPDATE deal_delivery SET state = $1, status = $2, bytes = $3, bound = $4, sum = $5, whole = $6, ended = $7, seconds = $8, entry = $9
		WHERE id = $10 AND state = 'begun'`, v[6], v[7], v[9], v[10], v[11], v[12], v[14], v[15], v[17], v[0])
	if err != nil {
		return false, fmt.Errorf("record the end of a delivery: %w", err)
	}
	return n > 0, nil
}

// ExtendDelivery records of a delivery that is under way that more was announced, where that is
// more than was, and for how many seconds it is open.
func ExtendDelivery(ctx context.Context, tx *store.Tx, id string, announced, seconds int64) error {
	_, err := tx.Exec(ctx, `UPDATE deal_delivery SET announced = CASE WHEN announced < $1 THEN $1 ELSE announced END, seconds = $2 WHERE id = $3 AND state = 'begun'`,
		announced, seconds, id)
	if err != nil {
		return fmt.Errorf("record how a delivery goes on: %w", err)
	}
	return nil
}

// FindDelivery gives a delivery; ok is false when there is none of the id.
func FindDelivery(ctx context.Context, tx *store.Tx, id string) (d Delivery, ok bool, err error) {
	all, err := selectDeliveries(ctx, tx, ` WHERE id = $1`, id)
	if err != nil || len(all) == 0 {
		return Delivery{}, false, err
	}
	return all[0], true, nil
}

// CountDeliveries counts the deliveries under a transaction, up to a bound.
func CountDeliveries(ctx context.Context, tx *store.Tx, transaction string, most int) (n int, err error) {
	err = tx.QueryRow(ctx, `SELECT COUNT(*) FROM (SELECT 1 FROM deal_delivery WHERE txn = $1`+ofItsSite+` LIMIT $2) AS delivered`, transaction, most).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("count the deliveries of a transaction: %w", err)
	}
	return n, nil
}

// OpenDeliveries gives deliveries of this front desk that began before a time and are not over, the
// oldest first, up to so many.
func OpenDeliveries(ctx context.Context, tx *store.Tx, before time.Time, most int) ([]Delivery, error) {
	return selectDeliveries(ctx, tx, unended+` ORDER BY began, id LIMIT $2`, store.Micros(before), most)
}

func selectDeliveries(ctx context.Context, tx *store.Tx, where string, args ...any) ([]Delivery, error) {
	return readDeliveries(ctx, tx, `SELECT `+deliveryColumns+` FROM deal_delivery`+where, args...)
}

func readDeliveries(ctx context.Context, tx *store.Tx, query string, args ...any) (all []Delivery, err error) {
	all, err = store.All(ctx, tx, query, func(row store.Scanner) (d Delivery, err error) {
		if err := row.Scan(&d.ID, &d.Transaction, &d.By, &d.Site, &d.URI, &d.Media, (*string)(&d.State), &d.Status,
			&d.Announced, &d.Bytes, &d.Bound, &d.Sum, &d.Whole,
			&d.At, &d.Ended, &d.Seconds, &d.Stray, &d.Entry); err != nil {
			return d, err
		}
		if len(d.Sum) == 0 {
			d.Sum = nil
		}
		return d, err
	}, args...)
	if err != nil {
		return nil, fmt.Errorf("read deliveries: %w", err)
	}
	return all, nil
}

// ofItsSite narrows a condition to deliveries of which whoever delivers for the transaction's own
// site tells: what others' edges tell of it is nothing that counts.
const ofItsSite = ` AND NOT EXISTS (SELECT 1 FROM deal_transaction AS t WHERE t.id = deal_delivery.txn AND t.site <> deal_delivery.site)`

// maxUnder is how many deliveries of a transaction are given; it stands in the statement, which
// SQLite would else prepare each time.
const maxUnder = 1000

// DeliveriesUnder gives the deliveries under a transaction that its own site tells of, in the order
// of their ids, up to a thousand.
func DeliveriesUnder(ctx context.Context, tx *store.Tx, transaction string) ([]Delivery, error) {
	return selectDeliveries(ctx, tx, fmt.Sprintf(` WHERE txn = $1`+ofItsSite+` ORDER BY id LIMIT %d`, maxUnder), transaction)
}

// Sites gives the sites of transactions that stand, by their ids; of one that is not known or was
// taken back there is none.
func Sites(ctx context.Context, tx *store.Tx, ids ...string) (map[string]string, error) {
	sites := map[string]string{}
	if len(ids) == 0 {
		return sites, nil
	}
	args := make([]any, len(ids))
	for i, id := range ids {
		args[i] = id
	}
	err := tx.Each(ctx, `SELECT id, site FROM deal_transaction WHERE id IN (`+store.Params(1, len(ids))+`) AND failed = 0`,
		func(row store.Scanner) error {
			var id, site string
			if err := row.Scan(&id, &site); err != nil {
				return err
			}
			sites[id] = site
			return nil
		}, args...)
	if err != nil {
		return nil, fmt.Errorf("find the sites of transactions: %w", err)
	}
	return sites, nil
}

// DeliveriesOf gives the deliveries under a transaction, in the order of their ids, up to so many;
// after is the id of one after which to go on, empty for the beginning.
func (r *Reader) DeliveriesOf(ctx context.Context, transaction, after string, limit int) (all []Delivery, err error) {
	return store.Get(ctx, r.db, func(tx *store.Tx) ([]Delivery, error) {
		return selectDeliveries(ctx, tx, ` WHERE txn = $1 AND id > $2 ORDER BY id LIMIT $3`, transaction, after, limit)
	})
}

// DeliveryFilter selects deliveries. An empty field is no condition.
type DeliveryFilter struct {
	Site, By     string
	State        DeliveryState
	Stray        bool      // those alone whose transaction was not known
	Unbought     bool      // for Deliveries: those alone of which no transaction of their site stands, not even by now
	Since, Until time.Time // when they began: Since ≤ time < Until
	Before       string    // the id of one; those that began before it
	Limit        int       // how many at most; at least 1
}

// The conditions of deliveries: those of a time before one, or after one, and those of this front
// desk that are not over.
const (
	sentBefore = ` WHERE began >= $1 AND began <= $2 AND (began < $2 OR id < $3)`
	sentAfter  = ` WHERE began >= $1 AND (began > $1 OR id > $2) AND began < $3`
	unended    = ` WHERE state = 'begun' AND source = '' AND began < $1`
)

// unbought is the condition of those that nobody bought among the deliveries that are looked at;
// see Bought.
const unbought = `NOT EXISTS (SELECT 1 FROM deal_transaction AS t WHERE t.id = looked.txn AND t.failed = 0 AND t.site = looked.site)`

// strays narrows a condition to deliveries of transactions that were not known, if those alone are
// wanted. It is no parameter, so that their index can be used.
func (w DeliveryFilter) strays(where string) string {
	if w.Stray {
		return where + ` AND stray = 1`
	}
	return where
}

// Deliveries gives deliveries, the newest first. It looks at a bounded number of them, so that it
// never takes long: next is from where to go on (Sent.Before), empty when there are no more.
func (r *Reader) Deliveries(ctx context.Context, w DeliveryFilter) (all []Delivery, next string, err error) {
	err = r.db.View(ctx, func(tx *store.Tx) error {
		all, next = nil, ""
		from, to, last := store.Micros(w.Since), int64(math.MaxInt64), ""
		if !w.Until.IsZero() {
			to = store.Micros(w.Until)
		}
		if w.Before != "" {
			before, ok, err := FindDelivery(ctx, tx, w.Before)
			if err != nil || !ok {
				return err
			}
			to, last = store.Micros(before.At), before.ID
		}
		where := ` FROM deal_delivery` + w.strays(sentBefore)
		args := []any{from, to, last, looked}
		window := where + ` ORDER BY began DESC, id DESC LIMIT $4`
		var only []string
		for _, c := range []struct{ is, want string }{{"site", w.Site}, {"source", w.By}, {"state", string(w.State)}} {
			if c.want != "" {
				args = append(args, c.want)
				only = append(only, fmt.Sprintf("%s = $%d", c.is, len(args)))
			}
		}
		if w.Unbought {
			only = append(only, unbought)
		}
		query := `SELECT ` + deliveryColumns + ` FROM (SELECT ` + deliveryColumns + window + `) AS looked`
		if len(only) > 0 {
			query += ` WHERE ` + strings.Join(only, " AND ")
		}
		args = append(args, w.Limit)
		query += fmt.Sprintf(` ORDER BY began DESC, id DESC LIMIT $%d`, len(args))
		if all, err = readDeliveries(ctx, tx, query, args...); err != nil {
			return err
		}
		if len(all) == w.Limit {
			next = all[len(all)-1].ID
			return nil
		}
		// that many were looked at: go on after the last of them
		beyond := where + ` ORDER BY began DESC, id DESC LIMIT 1 OFFSET $4`
		err := tx.QueryRow(ctx, `SELECT id`+beyond, from, to, last, looked-1).Scan(&next)
		if errors.Is(err, sql.ErrNoRows) {
			err = nil
		}
		return err
	})
	if err != nil {
		return nil, "", fmt.Errorf("list deliveries: %w", err)
	}
	return all, next, nil
}

// EachDelivery gives all deliveries that are wanted, the oldest first and whatever Sent.Limit and
// Sent.Before say. It reads on while it is asked, so that its answer is not of one moment.
func (r *Reader) EachDelivery(ctx context.Context, w DeliveryFilter) iter.Seq2[Delivery, error] {
	return func(yield func(Delivery, error) bool) {
		from, last, to := store.Micros(w.Since), "", int64(math.MaxInt64)
		if !w.Until.IsZero() {
			to = store.Micros(w.Until)
		}
		for {
			page, err := store.Get(ctx, r.db, func(tx *store.Tx) ([]Delivery, error) {
				return selectDeliveries(ctx, tx, w.strays(sentAfter)+` ORDER BY began, id LIMIT $4`, from, last, to, eachPage)
			})
			if err != nil {
				yield(Delivery{}, err)
				return
			}
			for _, d := range page {
				if (w.Site == "" || w.Site == d.Site) && (w.By == "" || w.By == d.By) &&
					(w.State == "" || w.State == d.State) && !yield(d, nil) {
					return
				}
			}
			if len(page) < eachPage {
				return
			}
			from, last = store.Micros(page[len(page)-1].At), page[len(page)-1].ID
		}
	}
}

// PurchasedDeliveries says which of some deliveries are of a transaction that is known by now,
// stands, and is of their site; by the deliveries' ids.
func (r *Reader) PurchasedDeliveries(ctx context.Context, some ...Delivery) (map[string]bool, error) {
	ids := make([]string, len(some))
	for i, d := range some {
		ids[i] = d.Transaction
	}
	known, err := r.ByIDs(ctx, ids...)
	if err != nil {
		return nil, err
	}
	sites := map[string]string{}
	for _, t := range known {
		if !t.Failed {
			sites[t.ID] = t.Site
		}
	}
	bought := map[string]bool{}
	for _, d := range some {
		site, ok := sites[d.Transaction]
		bought[d.ID] = ok && site == d.Site
	}
	return bought, nil
}

// DeliveryTotal is the number and the bytes of deliveries under a transaction.
type DeliveryTotal struct{ Times, Bytes int64 }

// Delivered counts what was delivered under some transactions, as their own sites tell, by their
// ids, as far as it is over; what was never fetched is not among them.
func (r *Reader) Delivered(ctx context.Context, ids ...string) (counts map[string]DeliveryTotal, err error) {
	counts = map[string]DeliveryTotal{}
	if len(ids) == 0 {
		return counts, nil
	}
	args := make([]any, len(ids))
	for i, id := range ids {
		args[i] = id
	}
	err = r.db.View(ctx, func(tx *store.Tx) error {
		return tx.Each(ctx, `SELECT txn, COUNT(*), CAST(SUM(bytes) AS BIGINT) FROM deal_delivery WHERE txn IN (`+store.Params(1, len(ids))+`) AND state <> 'begun'`+ofItsSite+` GROUP BY txn`,
			func(row store.Scanner) error {
				var id string
				var d DeliveryTotal
				if err := row.Scan(&id, &d.Times, &d.Bytes); err != nil {
					return err
				}
				counts[id] = d
				return nil
			}, args...)
	})
	if err != nil {
		return nil, fmt.Errorf("count what was delivered: %w", err)
	}
	return counts, nil
}

// Fetched says under which of some transactions something was delivered, by their ids: begun at the
// least.
func (r *Reader) Fetched(ctx context.Context, ids ...string) (fetched map[string]bool, err error) {
	args := make([]any, len(ids))
	for i, id := range ids {
		args[i] = id
	}
	err = r.db.View(ctx, func(tx *store.Tx) error {
		fetched = map[string]bool{}
		if len(ids) == 0 {
			return nil
		}
		query := `SELECT DISTINCT txn FROM deal_delivery WHERE txn IN (` + store.Params(1, len(ids)) + `)` + ofItsSite
		return tx.Each(ctx, query, func(row store.Scanner) error {
			id, err := scanID(row)
			fetched[id] = true
			return err
		}, args...)
	})
	if err != nil {
		return nil, fmt.Errorf("look for what was delivered: %w", err)
	}
	return fetched, nil
}
