// Package accesslog imports the access logs of CDNs and web servers, and gives them together with
// the records of this front desk and its edges: which answer was sent under a transaction, by whom,
// with which status and how many bytes. Disputes and reports use it as evidence; RAMP v1 leaves to
// each Exchange how it gets such records.
//
// Of a log line, the package stores the transaction, the time, the answer and the path. It never
// stores the signed address or anything about who fetched it. A line that names no transaction is
// counted and not stored.
//
// The package must not judge: disputes and reports do. Enter by [Importer.Import] and
// [OfTransaction].
package accesslog

import (
	"context"
	"fmt"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"frontdesk/internal/infra/store"
	"frontdesk/internal/licensing/transactions"
)

// Schema is the tables of this package. Times are microseconds.
//
// evidence_line has one row for each line that was kept, by the transaction that it names and a
// digest of its text, so that a line counts once however often it is imported.
var Schema = store.Schema{
	ID: "evidence",
	Steps: []string{`
CREATE TABLE evidence_line (
	txn    {{text}} NOT NULL,
	digest {{bytes}} NOT NULL,
	site   {{text}} NOT NULL,
	source TEXT NOT NULL,
	place  TEXT NOT NULL,
	at     BIGINT NOT NULL,
	status BIGINT NOT NULL,
	bytes  BIGINT NOT NULL,
	bound  BIGINT NOT NULL,
	cut    BIGINT NOT NULL,
	cache  TEXT NOT NULL,
	stray  BIGINT NOT NULL,
	PRIMARY KEY (txn, digest)
) {{clustered}};
CREATE INDEX evidence_line_at ON evidence_line (at);
CREATE INDEX evidence_line_stray ON evidence_line (at, txn) WHERE stray = 1;
`},
}

// Kind is how something is known.
type Kind string

// The kinds, by how much they are worth: what this front desk sent itself, what an edge of ours
// told, and what a log says that somebody imported.
const (
	Own    Kind = "own"
	Edge   Kind = "edge"
	Logged Kind = "log"
)

// Answer is the answer to one request under a transaction.
type Answer struct {
	Kind   Kind
	By     string // the edge's name, or that under which a log was imported; empty for this front desk
	At     time.Time
	Status int // of HTTP; 0 where the client went away before there was one
	// Bytes are those of the body that were sent. Where Bound is true they are the most that it can
	// have been: the log counts the head of the answer among them, or nobody saw the answer's end.
	Bytes int64
	Bound bool
	// Open says that the answer may still be on its way, and Cut that it broke off before all was
	// sent.
	Open, Cut bool
	Cache     string // what the cache did, in lower case, such as "hit"; empty where nobody says
	Sum       []byte // SHA-256 of the whole representation; nil where nobody says
	Place     string // host and path, without a query; empty where it is the item's own
}

// Delivered says whether content was sent: a success with a body, whole or in part.
func (a Answer) Delivered() bool { return (a.Status == 200 || a.Status == 206) && a.Bytes > 0 }

// Refused says whether whoever delivers answered with an error, of its own or of the request: 4xx
// or 5xx.
func (a Answer) Refused() bool { return a.Status >= 400 && a.Status <= 599 }

// maxAnswers bounds what OfTransaction gives of logs, as deal does with records.
const maxAnswers = 1000

// OfTransaction gives what was answered under a transaction, by our own records, those of edges and
// imported logs, the oldest first; up to a thousand of records and of logs. The same request may be
// told twice, by an edge and by a log.
func OfTransaction(ctx context.Context, tx *store.Tx, transaction string) ([]Answer, error) {
	records, err := transactions.DeliveriesUnder(ctx, tx, transaction)
	if err != nil {
		return nil, err
	}
	all, err := logged(ctx, tx, transaction)
	if err != nil {
		return nil, err
	}
	for _, d := range records {
		a := Answer{
			Kind: Own, By: d.By, At: d.At, Status: d.Status, Bytes: d.Bytes, Bound: d.Bound,
			Open: d.State == transactions.DeliveryBegun, Cut: d.State == transactions.DeliveryCut,
		}
		if d.By != "" {
			a.Kind = Edge
		}
		if d.Whole || a.Kind == Edge {
			a.Sum = d.Sum
		}
		all = append(all, a)
	}
	slices.SortStableFunc(all, func(a, b Answer) int { return a.At.Compare(b.At) })
	return all, nil
}

// LoggedUnder gives what imported logs say was answered under a transaction, in no order, up to a
// thousand.
func LoggedUnder(ctx context.Context, tx *store.Tx, transaction string) ([]Answer, error) {
	return logged(ctx, tx, transaction)
}

func logged(ctx context.Context, tx *store.Tx, transaction string) (all []Answer, err error) {
	all, err = store.All(ctx, tx, fmt.Sprintf(`SELECT source, place, at, status, bytes, bound, cut, cache FROM evidence_line WHERE txn = $1 ORDER BY digest LIMIT %d`, maxAnswers),
		func(row store.Scanner) (a Answer, err error) {
			a.Kind = Logged
			err = row.Scan(&a.By, &a.Place, &a.At, &a.Status, &a.Bytes, &a.Bound, &a.Cut, &a.Cache)
			return a, err
		}, transaction)
	if err != nil {
		return nil, fmt.Errorf("read what logs say of a transaction: %w", err)
	}
	return all, nil
}

// Forget removes lines of before a time, up to so many, and says how many those were.
func Forget(ctx context.Context, tx *store.Tx, before time.Time, most int) (int64, error) {
	n, err := tx.Exec(ctx, `DELETE FROM evidence_line WHERE (txn, digest) IN (SELECT txn, digest FROM evidence_line WHERE at < $1 ORDER BY at LIMIT $2)`, store.Micros(before), most)
	if err != nil {
		return 0, fmt.Errorf("forget lines of logs: %w", err)
	}
	return n, nil
}

// Reader reads imported lines. Its methods may be called concurrently.
type Reader struct{ db *store.DB }

// NewReader reads a database that has Schema and deal's.
func NewReader(db *store.DB) *Reader { return &Reader{db} }

// OfTransaction is the function of that name, in a transaction of its own.
func (r *Reader) OfTransaction(ctx context.Context, transaction string) (all []Answer, err error) {
	return store.Get(ctx, r.db, func(tx *store.Tx) ([]Answer, error) { return OfTransaction(ctx, tx, transaction) })
}

// Fetched says under which of some transactions a log tells of content, by their ids.
func (r *Reader) Fetched(ctx context.Context, ids ...string) (fetched map[string]bool, err error) {
	fetched = map[string]bool{}
	if len(ids) == 0 {
		return fetched, nil
	}
	args := make([]any, len(ids))
	for i, id := range ids {
		args[i] = id
	}
	err = r.db.View(ctx, func(tx *store.Tx) error {
		return tx.Each(ctx, `SELECT DISTINCT txn FROM evidence_line WHERE txn IN (`+store.Params(1, len(ids))+`) AND status >= 200 AND status < 300`,
			func(row store.Scanner) error {
				var id string
				if err := row.Scan(&id); err != nil {
					return err
				}
				fetched[id] = true
				return nil
			}, args...)
	})
	if err != nil {
		return nil, fmt.Errorf("look for what logs say was delivered: %w", err)
	}
	return fetched, nil
}

// strayPage is how many strays are read at once.
const strayPage = 500

// Strays gives what logs say was delivered under transactions that were not known, as deliveries,
// the oldest first: of a site, or of all where it is empty, with since ≤ time < until; a zero time
// is no bound. Their ids begin with "log-".
func (r *Reader) Strays(ctx context.Context, site string, since, until time.Time) iter.Seq2[transactions.Delivery,
	error] {
	return func(yield func(transactions.Delivery, error) bool) {
		from, last, to := store.Micros(since), "", int64(math.MaxInt64)
		if !until.IsZero() {
			to = store.Micros(until)
		}
		for {
			page, err := r.strays(ctx, from, last, to)
			if err != nil {
				yield(transactions.Delivery{}, err)
				return
			}
			for _, d := range page {
				if (site == "" || site == d.Site) && !yield(d, nil) {
					return
				}
			}
			if len(page) < strayPage {
				return
			}
			end := page[len(page)-1]
			from, last = store.Micros(end.At), strayKey(end)
		}
	}
}

// strayKey is that by which strays of one time are in order.
func strayKey(d transactions.Delivery) string {
	return d.Transaction + " " + strings.TrimPrefix(d.ID, strayID)
}

const strayID = "log-"

// strays gives one page. What is of one time is put in order here; there is little of it, since the
// time is told to the second at the worst, and a page that is full of one time is read whole.
func (r *Reader) strays(ctx context.Context, from int64, last string, to int64) (page []transactions.Delivery,
	err error) {
	txn, digest, _ := strings.Cut(last, " ")
	key := fromHex(digest)
	page, err = store.List(ctx, r.db, fmt.Sprintf(`SELECT `+strayColumns+` FROM evidence_line
		WHERE at >= $1 AND at < $2 AND (at > $1 OR txn > $3 OR (txn = $3 AND digest > $4)) AND stray = 1
		ORDER BY at, txn, digest LIMIT %d`, strayPage), scanStray, from, to, txn, key)
	if err != nil {
		return nil, fmt.Errorf("read what logs say was delivered without being bought: %w", err)
	}
	return page, nil
}

// StraysBefore gives a page of what Strays gives, the newest first. Before is from where to go on,
// as next was; empty for the beginning. next is empty when there is no more.
func (r *Reader) StraysBefore(ctx context.Context, since, until time.Time, before string) (page []transactions.Delivery,
	next string, err error) {
	from, at, txn, digest := store.Micros(since), int64(math.MaxInt64), "", []byte{}
	if !until.IsZero() {
		at = store.Micros(until)
	}
	if before != "" {
		moment, rest, _ := strings.Cut(before, ".")
		i := strings.LastIndexByte(rest, '.')
		if at, err = strconv.ParseInt(moment, 10, 64); err != nil || i < 0 {
			return nil, "", nil // it is of no page
		}
		txn, digest = rest[:i], fromHex(rest[i+1:])
	}
	page, err = store.List(ctx, r.db, fmt.Sprintf(`SELECT `+strayColumns+` FROM evidence_line
		WHERE at >= $1 AND at <= $2 AND (at < $2 OR txn < $3 OR (txn = $3 AND digest < $4)) AND stray = 1
		ORDER BY at DESC, txn DESC, digest DESC LIMIT %d`, strayPage), scanStray, from, at, txn, digest)
	if err != nil {
		return nil, "", fmt.Errorf("read what logs say was delivered without being bought: %w", err)
	}
	if len(page) == strayPage {
		next = StrayPlace(page[len(page)-1])
	}
	return page, next, nil
}

// StrayPlace is where a page begins that comes behind a stray, for StraysBefore.
func StrayPlace(d transactions.Delivery) string {
	return strconv.FormatInt(store.Micros(d.At), 10) + "." + d.Transaction + "." + strings.TrimPrefix(d.ID, strayID)
}

const strayColumns = `txn, digest, site, source, place, at, status, bytes, bound, cut`

func scanStray(row store.Scanner) (transactions.Delivery, error) {
	d := transactions.Delivery{Stray: true, State: transactions.DeliveryEnded}
	var sum []byte
	var cut bool
	err := row.Scan(&d.Transaction, &sum, &d.Site, &d.By, &d.URI, &d.At, &d.Status, &d.Bytes, &d.Bound, &cut)
	d.ID, d.Ended = fmt.Sprintf("%s%x", strayID, sum), d.At
	if cut {
		d.State = transactions.DeliveryCut
	}
	return d, err
}
