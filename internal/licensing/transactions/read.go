package transactions

import (
	"context"
	"fmt"
	"iter"
	"math"
	"strings"
	"time"

	"frontdesk/internal/infra/store"
)

// Reader reads offers, purchases and deliveries for pages, commands and reports, in transactions of
// its own. Its methods may be called concurrently.
type Reader struct{ db *store.DB }

// NewReader returns a reader of a database with [Schema].
func NewReader(db *store.DB) *Reader { return &Reader{db} }

// OfferFilter selects offers. An empty field is no condition.
type OfferFilter struct {
	Buyer, Site  string
	URI          string    // what was asked for, or the item's own address
	Since, Until time.Time // when they were made: Since ≤ time < Until
	Before       string    // the id of one; those that end before it
	Limit        int       // how many at most; at least 1
}

func (w OfferFilter) fits(o *Offer) bool {
	return (w.Buyer == "" || w.Buyer == o.Buyer) && (w.Site == "" || w.Site == o.Site) &&
		(w.URI == "" || w.URI == o.URI || w.URI == o.URL) &&
		!o.Issued.Before(w.Since) && (w.Until.IsZero() || o.Issued.Before(w.Until))
}

// Offers gives offers that are still known, those that end last first. It looks at a bounded number
// of them, so that it never takes long: next is from where to go on (Offered.Before), empty when
// there are no more.
func (r *Reader) Offers(ctx context.Context, w OfferFilter) (all []*Offer, next string, err error) {
	err = r.db.View(ctx, func(tx *store.Tx) error {
		all, next = nil, ""
		before := w.Before
		for range looked / eachPage {
			page, err := ListOffers(ctx, tx, before, eachPage)
			if err != nil {
				return err
			}
			for _, o := range page {
				switch before = o.ID; {
				case o.Expires.Before(w.Since): // and all that follow were made before that, too
					return nil
				case !w.fits(o):
				case len(all) == w.Limit:
					next = all[len(all)-1].ID
					return nil
				default:
					all = append(all, o)
				}
			}
			if len(page) < eachPage {
				return nil
			}
		}
		next = before
		return nil
	})
	return all, next, err
}

// Offer gives the offer of an id, whether it has ended or not; ok is false when there is none, or
// no more.
func (r *Reader) Offer(ctx context.Context, id string) (o *Offer, ok bool, err error) {
	err = r.db.View(ctx, func(tx *store.Tx) error {
		o, ok, err = FindOffer(ctx, tx, id)
		return err
	})
	return o, ok, err
}

// Transaction gives the transaction of an id with its document, or that of a billing id; ok is
// false when there is none.
func (r *Reader) Transaction(ctx context.Context, id string) (t Transaction, ok bool, err error) {
	err = r.db.View(ctx, func(tx *store.Tx) error {
		if t, ok, err = FindTransaction(ctx, tx, id); err != nil || ok {
			return err
		}
		kind, of, _ := strings.Cut(id, "-")
		if kind == transactionKind || len(of) != ulidText {
			return nil
		}
		// both ids were made at the same time
		first := transactionKind + "-" + of[:ulidTime]
		all, err := selectTransactions(ctx, tx, ` WHERE id > $1 AND id <= $2 AND billing = $3 LIMIT 1`, first, first+afterAll, id)
		if err != nil || len(all) == 0 {
			return err
		}
		t, ok, err = FindTransaction(ctx, tx, all[0].ID)
		return err
	})
	return t, ok, err
}

// Delivery gives a delivery by its id; ok is false when there is none.
func (r *Reader) Delivery(ctx context.Context, id string) (d Delivery, ok bool, err error) {
	err = r.db.View(ctx, func(tx *store.Tx) error {
		d, ok, err = FindDelivery(ctx, tx, id)
		return err
	})
	return d, ok, err
}

// Filter selects transactions. An empty field is no condition.
type Filter struct {
	Buyer, Site, Model string
	Since, Until       time.Time // when they were made: Since ≤ time < Until
	Before             string    // the id of one; those that are older than it
	After              string    // the id of one, for Each; those that are younger than it
	// for Transactions: those alone under which nothing was delivered, not even begun, and that
	// were not taken back
	Unfetched bool
	Limit     int // how many at most; at least 1
}

// looked is how many transactions are looked at for one page of those that are wanted.
const looked = 5000

// unfetched is the condition of those that were never delivered among the transactions that are
// looked at.
const unfetched = `failed = 0 AND NOT EXISTS (SELECT 1 FROM deal_delivery AS d WHERE d.txn = looked.id)`

// Transactions gives transactions without their documents, the newest first. It looks at a bounded
// number of them, so that it never takes long: next is from where to go on (Wanted.Before), empty
// when there are no more.
func (r *Reader) Transactions(ctx context.Context, w Filter) (all []Transaction, next string, err error) {
	from, to := span(w)
	var where []string
	args := []any{to, from, looked}
	for _, c := range []struct{ is, want string }{{"buyer =", w.Buyer}, {"site =", w.Site}, {"model =", w.Model}} {
		if c.want != "" {
			args = append(args, c.want)
			where = append(where, fmt.Sprintf("%s $%d", c.is, len(args)))
		}
	}
	if !w.Since.IsZero() {
		args = append(args, store.Micros(w.Since))
		where = append(where, fmt.Sprintf("made >= $%d", len(args)))
	}
	if !w.Until.IsZero() {
		args = append(args, store.Micros(w.Until))
		where = append(where, fmt.Sprintf("made < $%d", len(args)))
	}
	if w.Unfetched {
		where = append(where, unfetched)
	}
	const window = `FROM deal_transaction WHERE id < $1 AND id > $2 ORDER BY id DESC LIMIT $3`
	query := ` ` + window
	if len(where) == 0 {
		args[2] = w.Limit
	} else {
		args = append(args, w.Limit)
		query = ` FROM deal_transaction WHERE id IN (SELECT id FROM (SELECT id, buyer, site, model, made, failed ` + window + `) AS looked WHERE ` +
			strings.Join(where, " AND ") + fmt.Sprintf(` ORDER BY id DESC LIMIT $%d) ORDER BY id DESC`, len(args))
	}
	err = r.db.View(ctx, func(tx *store.Tx) error {
		if all, err = selectFacts(ctx, tx, `SELECT `+factColumns+query, args...); err != nil {
			return err
		}
		if next = ""; len(all) == w.Limit {
			next = all[len(all)-1].ID
		}
		if next != "" || len(where) == 0 {
			return nil
		}
		var n int
		var last string
		err := tx.QueryRow(ctx, `SELECT COUNT(*), COALESCE(MIN(id), '') FROM (SELECT id `+window+`) AS looked`, args[:3]...).Scan(&n, &last)
		if n == looked {
			next = last
		}
		return err
	})
	if err != nil {
		return nil, "", fmt.Errorf("list transactions: %w", err)
	}
	return all, next, nil
}

// Each gives all transactions that are wanted, the oldest first and whatever Wanted.Limit says. It
// reads on while it is asked, so that its answer is not of one moment.
func (r *Reader) Each(ctx context.Context, w Filter) iter.Seq2[Transaction, error] {
	return func(yield func(Transaction, error) bool) {
		from, to := span(w)
		for {
			page, err := store.Get(ctx, r.db, func(tx *store.Tx) ([]Transaction, error) {
				return selectTransactions(ctx, tx, ` WHERE id > $1 AND id < $2 ORDER BY id LIMIT $3`, from, to, eachPage)
			})
			if err != nil {
				yield(Transaction{}, err)
				return
			}
			for _, t := range page {
				fits := (w.Buyer == "" || w.Buyer == t.Buyer) && (w.Site == "" || w.Site == t.Site) &&
					(w.Model == "" || w.Model == t.Price.Model)
				fits = fits && !t.Made.Before(w.Since) && (w.Until.IsZero() || t.Made.Before(w.Until))
				if fits && !yield(t, nil) {
					return
				}
			}
			if len(page) < eachPage {
				return
			}
			from = page[len(page)-1].ID
		}
	}
}

// eachPage is how many rows Each reads at once.
const eachPage = 500

// span gives the ids between which those of a time lie, both exclusive and to the millisecond.
func span(w Filter) (from, to string) {
	from, to = transactionKind+"-", transactionKind+"-"+afterAll
	if !w.Since.IsZero() {
		from += ulidAt(w.Since)
	}
	if !w.Until.IsZero() {
		to = transactionKind + "-" + ulidAt(w.Until.Add(time.Millisecond-1))
	}
	if w.Before != "" {
		to = min(to, w.Before)
	}
	from = max(from, w.After)
	return from, to
}

// ByIDs gives the transactions of some ids that there are, without their documents, in no order.
func (r *Reader) ByIDs(ctx context.Context, ids ...string) (all []Transaction, err error) {
	if len(ids) == 0 {
		return nil, nil
	}
	args := make([]any, len(ids))
	for i, id := range ids {
		args[i] = id
	}
	return store.Get(ctx, r.db, func(tx *store.Tx) ([]Transaction, error) {
		return selectTransactions(ctx, tx, ` WHERE id IN (`+store.Params(1, len(ids))+`)`, args...)
	})
}

// ObligationFilter selects transactions by the state of their duty to report.
type ObligationFilter struct {
	State Obligation // Pending, Fulfilled, Expired, Waived or Late
	Buyer string     // empty for all
	// Since and Until bound when a report is due: since ≤ due < until. The zero value bounds
	// nothing.
	Since, Until time.Time
	After        string // the id of a transaction after which to go on; empty for the beginning
	Limit        int
}

// Owed gives the transactions whose obligation is in a state, without their documents: those that
// are Pending by the end of their windows, others with the latest end first.
func (r *Reader) Owed(ctx context.Context, w ObligationFilter) (all []Transaction, err error) {
	if w.State < Pending || w.State > Late {
		return nil, fmt.Errorf("list obligations: there are none in %v", w.State)
	}
	where := ` WHERE ` + inState(w.State, w.Buyer)
	order, beyond := " ORDER BY due, id", ">"
	if w.State != Pending {
		order, beyond = " ORDER BY due DESC, id DESC", "<"
	}
	err = r.db.View(ctx, func(tx *store.Tx) error {
		var args []any
		arg := func(value any) int {
			args = append(args, value)
			return len(args)
		}
		if w.Buyer != "" {
			arg(w.Buyer)
		}
		if !w.Since.IsZero() {
			where += fmt.Sprintf(" AND due >= $%d", arg(store.Micros(w.Since)))
		}
		if !w.Until.IsZero() {
			where += fmt.Sprintf(" AND due < $%d", arg(store.Micros(w.Until)))
		}
		if w.After != "" {
			after, ok, err := FindTransaction(ctx, tx, w.After)
			if err != nil || !ok {
				return err
			}
			due := arg(store.Micros(after.Due))
			where += fmt.Sprintf(" AND due %s= $%d AND (due %s $%d OR id %s $%d)", beyond, due, beyond, due, beyond,
				arg(w.After))
		}
		all, err = selectTransactions(ctx, tx, where+order+fmt.Sprintf(" LIMIT $%d", arg(w.Limit)), args...)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list obligations: %w", err)
	}
	return all, nil
}

// inState is the condition of obligations in a state, of a buyer who is the first parameter, or of
// all for "". The state is no parameter, so that the indexes of some states alone can be used.
func inState(state Obligation, buyer string) string {
	switch {
	case buyer != "":
		return fmt.Sprintf(`buyer = $1 AND duty = %d AND duty > 0`, state)
	case state == Pending:
		return `duty = 1`
	}
	return fmt.Sprintf(`duty = %d AND duty >= 2`, state)
}

// OwedCount counts the obligations in each state from Pending on, of a buyer, or of all for "",
// each up to a bound.
func (r *Reader) OwedCount(ctx context.Context, buyer string, most int) (counts map[Obligation]int, err error) {
	counts = map[Obligation]int{}
	err = r.db.View(ctx, func(tx *store.Tx) error {
		for state := Pending; state <= Late; state++ {
			var args []any
			if buyer != "" {
				args = append(args, buyer)
			}
			args = append(args, most)
			query := `SELECT COUNT(*) FROM (SELECT 1 FROM deal_transaction WHERE ` + inState(state, buyer) + fmt.Sprintf(` LIMIT $%d) AS owed`, len(args))
			var n int
			if err := tx.QueryRow(ctx, query, args...).Scan(&n); err != nil {
				return fmt.Errorf("count obligations: %w", err)
			}
			counts[state] = n
		}
		return nil
	})
	return counts, err
}

// Compliance counts the owed reports of a buyer for the purchases of a period.
type Compliance struct {
	Buyer                                   string
	Purchases                               int64 // that were not taken back
	Pending, InTime, Late, Overdue, Waived  int64
	Reports, Deviant                        int64 // reports, and those farther from the estimate than is usual
	LastPurchase, LastReport, OldestOverdue time.Time
}

// Compliance counts by buyer what had to be reported of the purchases that were made in a time, as
// it stands at another: a report that was not filed in time is overdue from then on. Zero times of
// the former are no condition. It counts for so many buyers at a time, and reads on while it is
// asked, so that its answer is not of one moment.
func (r *Reader) Compliance(ctx context.Context, since, until, now time.Time) iter.Seq2[Compliance, error] {
	return func(yield func(Compliance, error) bool) {
		for last := ""; ; { // no buyer is called so
			page, err := store.Get(ctx, r.db, func(tx *store.Tx) ([]Compliance, error) {
				return complied(ctx, tx, last, since, until, now)
			})
			if err != nil {
				yield(Compliance{}, fmt.Errorf("count what was reported: %w", err))
				return
			}
			for _, c := range page {
				if !yield(c, nil) {
					return
				}
			}
			if len(page) < buyersPage {
				return
			}
			last = page[len(page)-1].Buyer
		}
	}
}

// buyersPage is for how many buyers Compliance counts at once: each page of them looks at all
// transactions of the time.
const buyersPage = 5000

// complied counts for the buyers behind one, by their order.
func complied(ctx context.Context, tx *store.Tx, after string, since, until, now time.Time) (all []Compliance,
	err error) {
	from, to := span(Filter{Since: since, Until: until})
	end := int64(math.MaxInt64)
	if !until.IsZero() {
		end = store.Micros(until)
	}
	return store.All(ctx, tx, `SELECT buyer, SUM(1 - failed), SUM(CASE WHEN duty = 1 AND due > $1 THEN 1 ELSE 0 END), SUM(CASE duty WHEN 2 THEN 1 ELSE 0 END),
		SUM(CASE duty WHEN 5 THEN 1 ELSE 0 END), SUM(CASE WHEN duty = 3 OR duty = 1 AND due <= $1 THEN 1 ELSE 0 END), SUM(CASE duty WHEN 4 THEN 1 ELSE 0 END),
		SUM(CASE report WHEN '' THEN 0 ELSE 1 END), SUM(deviant), MAX(made), MAX(reported), COALESCE(MIN(CASE WHEN duty = 3 OR duty = 1 AND due <= $1 THEN due END), 0)
		FROM deal_transaction WHERE id > $2 AND id < $3 AND made >= $4 AND made < $5 AND buyer > $6 GROUP BY buyer ORDER BY buyer LIMIT $7`,
		func(row store.Scanner) (c Compliance, err error) {
			err = row.Scan(&c.Buyer, &c.Purchases, &c.Pending, &c.InTime, &c.Late, &c.Overdue, &c.Waived, &c.Reports,
				&c.Deviant, &c.LastPurchase, &c.LastReport, &c.OldestOverdue)
			return c, err
		}, store.Micros(now), from, to, store.Micros(since), end, after, buyersPage)
}

// Events returns what happened to a transaction after its purchase, in the order of the ledger, at
// most limit.
func (r *Reader) Events(ctx context.Context, id string, limit int) (all []Event, err error) {
	all, err = store.List(ctx, r.db, `SELECT entry, kind, at, 0 AS bytes FROM deal_event WHERE id = $1
			UNION ALL SELECT entry, 'delivery', ended, bytes FROM deal_delivery WHERE txn = $1 AND entry <> ''`+ofItsSite+` ORDER BY 1 LIMIT $2`,
		func(row store.Scanner) (e Event, err error) {
			e.Transaction = id
			err = row.Scan(&e.Entry, &e.Kind, &e.At, &e.Bytes)
			return e, err
		}, id, limit)
	if err != nil {
		return nil, fmt.Errorf("list what befell a transaction: %w", err)
	}
	return all, nil
}

func selectTransactions(ctx context.Context, tx *store.Tx, where string, args ...any) ([]Transaction, error) {
	return selectFacts(ctx, tx, `SELECT `+factColumns+` FROM deal_transaction`+where, args...)
}

// selectFacts reads rows of factColumns.
func selectFacts(ctx context.Context, tx *store.Tx, query string, args ...any) ([]Transaction, error) {
	return store.All(ctx, tx, query, func(row store.Scanner) (Transaction, error) { return scanned(row) }, args...)
}
