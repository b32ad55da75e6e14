package disputes

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"frontdesk/internal/infra/store"
)

const caseColumns = `id, txn, buyer, site, billing, report, request, reason, prefers, method, hash, text, level, mutability, status, resolution, rule, tier,
	credit, currency, short, appeals, filed, changed, due, again, steps`

// Put records a dispute that is new, with the steps that it has made. fresh is false, and nothing
// is written, where its transaction has one already. The steps follow the table of moves, and the
// last leads to where the case stands; others are an error of ours.
func Put(ctx context.Context, tx *store.Tx, c Case, steps []Step) (fresh bool, err error) {
	if err := c.follows("", steps); err != nil {
		return false, err
	}
	n, err := tx.Exec(ctx, `INSERT INTO dispute_case (`+caseColumns+`) VALUES (`+store.Params(1, 27)+`) ON CONFLICT (txn) DO NOTHING`,
		c.ID, c.Transaction, c.Buyer, c.Site, c.Billing, c.Report, c.Request, string(c.Reason), string(c.Prefers),
		c.Method, c.Hash, c.Description, c.Level, c.Mutability,
		string(c.Status), string(c.Resolution), c.Rule, c.Tier, c.Credit, c.Currency, store.Flag(c.Short), c.Appeals,
		store.Micros(c.Filed), store.Micros(c.Changed), store.Micros(c.Due), store.Micros(c.RefetchUntil), len(steps))
	if err != nil {
		return false, fmt.Errorf("record a dispute: %w", err)
	}
	if n == 0 {
		return false, nil
	}
	return true, putSteps(ctx, tx, c, 0, steps)
}

// Advance moves a dispute on by some steps, from before, which was read, to after. ok is false, and
// nothing is written, where it has moved since it was read: so each move is made once, whoever
// tries.
func Advance(ctx context.Context, tx *store.Tx, before, after Case, steps []Step) (ok bool, err error) {
	if err := after.follows(before.Status, steps); err != nil {
		return false, err
	}
	n, err := tx.Exec(ctx, `UPDATE dispute_case SET method = $1, hash = $2, text = $3, status = $4, resolution = $5, rule = $6, tier = $7, credit = $8, currency = $9,
		short = $10, appeals = $11, changed = $12, due = $13, again = $14, steps = $15 WHERE id = $16 AND steps = $17`,
		after.Method, after.Hash, after.Description, string(after.Status), string(after.Resolution), after.Rule,
		after.Tier, after.Credit, after.Currency,
		store.Flag(after.Short), after.Appeals, store.Micros(after.Changed), store.Micros(after.Due),
		store.Micros(after.RefetchUntil), before.Steps+len(steps), before.ID, before.Steps)
	if err != nil {
		return false, fmt.Errorf("move a dispute: %w", err)
	}
	if n == 0 {
		return false, nil
	}
	return true, putSteps(ctx, tx, after, before.Steps, steps)
}

// follows says what is wrong with steps that are to lead to a case.
func (c Case) follows(from Status, steps []Step) error {
	for _, s := range steps {
		if s.From != from || !from.May(s.To) {
			return fmt.Errorf("a dispute does not go from %q to %q", from, s.To)
		}
		from = s.To
	}
	if from != c.Status || len(steps) == 0 {
		return fmt.Errorf("a dispute that went to %q does not stand at %q", from, c.Status)
	}
	return nil
}

func putSteps(ctx context.Context, tx *store.Tx, c Case, n int, steps []Step) error {
	for i, s := range steps {
		consulted := "[]"
		if len(s.Evidence) > 0 {
			text, err := json.Marshal(s.Evidence)
			if err != nil {
				return fmt.Errorf("write what was consulted: %w", err)
			}
			consulted = string(text)
		}
		err := tx.ExecOne(ctx, `INSERT INTO dispute_step (dispute, n, at, came, went, by, resolution, rule, consulted, entry) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
			c.ID, n+i+1, store.Micros(s.At), string(s.From), string(s.To), s.By, string(s.Resolution), s.Rule,
			consulted, s.Entry)
		if err != nil {
			return fmt.Errorf("record a step of a dispute: %w", err)
		}
		if s.Note == "" {
			continue
		}
		if err := tx.ExecOne(ctx, `INSERT INTO dispute_note (dispute, n, text) VALUES ($1, $2, $3)`, c.ID, n+i+1, s.Note); err != nil {
			return fmt.Errorf("record a note on a dispute: %w", err)
		}
	}
	return nil
}

// Reconsider schedules a waiting dispute for the next round, because new evidence of its
// transaction arrived.
func Reconsider(ctx context.Context, tx *store.Tx, transaction string, now time.Time) error {
	_, err := tx.Exec(ctx, `UPDATE dispute_case SET due = $1 WHERE txn = $2 AND status = 'evidence_needed' AND due > $1`, store.Micros(now), transaction)
	if err != nil {
		return fmt.Errorf("have a dispute looked at: %w", err)
	}
	return nil
}

// Find gives a dispute; ok is false where there is none of the id.
func Find(ctx context.Context, tx *store.Tx, id string) (c Case, ok bool, err error) {
	return one(selectCases(ctx, tx, ` WHERE id = $1`, id))
}

// FindByTransaction gives the dispute of a transaction; ok is false where there is none.
func FindByTransaction(ctx context.Context, tx *store.Tx, transaction string) (c Case, ok bool, err error) {
	return one(selectCases(ctx, tx, ` WHERE txn = $1`, transaction))
}

// CountSteps counts the steps of the dispute of a transaction; 0 where there is none.
func CountSteps(ctx context.Context, tx *store.Tx, transaction string) (n int, err error) {
	err = tx.QueryRow(ctx, `SELECT steps FROM dispute_case WHERE txn = $1`, transaction).Scan(&n)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return 0, fmt.Errorf("count the steps of a dispute: %w", err)
	}
	return n, nil
}

func one(all []Case, err error) (Case, bool, error) {
	if err != nil || len(all) == 0 {
		return Case{}, false, err
	}
	return all[0], true, nil
}

// Due gives the disputes that time moves on by now, those first that have waited longest, up to so
// many.
func Due(ctx context.Context, tx *store.Tx, now time.Time, most int) ([]Case, error) {
	return selectCases(ctx, tx, ` WHERE due > 0 AND due <= $1 ORDER BY due, id LIMIT $2`, store.Micros(now), most)
}

func selectCases(ctx context.Context, tx *store.Tx, where string, args ...any) (all []Case, err error) {
	all, err = store.All(ctx, tx, `SELECT `+caseColumns+` FROM dispute_case`+where,
		func(row store.Scanner) (c Case, err error) {
			err = row.Scan(&c.ID, &c.Transaction, &c.Buyer, &c.Site, &c.Billing, &c.Report, &c.Request,
				(*string)(&c.Reason), (*string)(&c.Prefers), &c.Method, &c.Hash,
				&c.Description, &c.Level, &c.Mutability, (*string)(&c.Status), (*string)(&c.Resolution), &c.Rule,
				&c.Tier, &c.Credit, &c.Currency, &c.Short, &c.Appeals,
				&c.Filed, &c.Changed, &c.Due, &c.RefetchUntil, &c.Steps)
			return c, err
		}, args...)
	if err != nil {
		return nil, fmt.Errorf("read disputes: %w", err)
	}
	return all, nil
}

// StepsOf gives the steps of a dispute, in their order.
func StepsOf(ctx context.Context, tx *store.Tx, id string) (all []Step, err error) {
	all, err = store.All(ctx, tx, `SELECT s.n, s.at, s.came, s.went, s.by, s.resolution, s.rule, s.consulted, s.entry, COALESCE(o.text, '') FROM dispute_step AS s
		LEFT JOIN dispute_note AS o ON o.dispute = s.dispute AND o.n = s.n WHERE s.dispute = $1 ORDER BY s.n`,
		func(row store.Scanner) (Step, error) {
			s := Step{Dispute: id}
			var at int64
			var consulted string
			if err := row.Scan(&s.N, &at, (*string)(&s.From), (*string)(&s.To), &s.By, (*string)(&s.Resolution),
				&s.Rule, &consulted, &s.Entry, &s.Note); err != nil {
				return s, err
			}
			if err := json.Unmarshal([]byte(consulted), &s.Evidence); err != nil {
				return s, err
			}
			if s.At = store.FromMicros(at); len(s.Evidence) == 0 {
				s.Evidence = nil
			}
			return s, nil
		}, id)
	if err != nil {
		return nil, fmt.Errorf("read the steps of a dispute: %w", err)
	}
	return all, nil
}

// Request is a request that filed a dispute or appealed.
type Request struct {
	Digest  [sha256.Size]byte // of all that it says
	Dispute string
	Made    time.Time
}

// requestKey is what a request is kept under.
func requestKey(buyer, id string) []byte {
	sum := sha256.Sum256(fmt.Appendf(nil, "dispute %d %s %s", len(buyer), buyer, id))
	return sum[:16]
}

// FindRequest gives a request of a buyer by the id that the buyer gave it; ok is false where there
// is none.
func FindRequest(ctx context.Context, tx *store.Tx, buyer, id string) (r Request, ok bool, err error) {
	var digest []byte
	err = tx.QueryRow(ctx, `SELECT digest, dispute, made FROM dispute_request WHERE key = $1`, requestKey(buyer, id)).Scan(&digest, &r.Dispute, &r.Made)
	if errors.Is(err, sql.ErrNoRows) {
		return Request{}, false, nil
	}
	if err == nil && copy(r.Digest[:], digest) != len(r.Digest) {
		err = errors.New("it has no whole digest")
	}
	if err != nil {
		return Request{}, false, fmt.Errorf("find a request to dispute: %w", err)
	}
	return r, true, nil
}

// PutRequest records a request. fresh is false, and nothing is changed, where the buyer has used
// its id.
func PutRequest(ctx context.Context, tx *store.Tx, buyer, id string, r Request) (fresh bool, err error) {
	n, err := tx.Exec(ctx, `INSERT INTO dispute_request (key, digest, dispute, made) VALUES ($1, $2, $3, $4) ON CONFLICT (key) DO NOTHING`,
		requestKey(buyer, id), r.Digest[:], r.Dispute, store.Micros(r.Made))
	if err != nil {
		return false, fmt.Errorf("record a request to dispute: %w", err)
	}
	return n > 0, nil
}

// CountShort counts the disputes of a site's resources, filed since a time and without
// attestations, that told of too few tokens where the bytes that were sent say so, too; up to a
// bound.
func CountShort(ctx context.Context, tx *store.Tx, site string, since time.Time, most int) (int, error) {
	return count(ctx, tx, `SELECT COUNT(*) FROM (SELECT 1 FROM dispute_case WHERE site = $1 AND filed >= $2 AND short = 1 AND level = 0 LIMIT $3) AS short`, site, store.Micros(since), most)
}

// CountByBuyer counts the disputes that a buyer filed since a time, up to a bound.
func CountByBuyer(ctx context.Context, tx *store.Tx, buyer string, since time.Time, most int) (int, error) {
	return count(ctx, tx, `SELECT COUNT(*) FROM (SELECT 1 FROM dispute_case WHERE buyer = $1 AND filed >= $2 LIMIT $3) AS filed`, buyer, store.Micros(since), most)
}

func count(ctx context.Context, tx *store.Tx, query string, args ...any) (n int, err error) {
	if err = tx.QueryRow(ctx, query, args...).Scan(&n); err != nil {
		return 0, fmt.Errorf("count disputes: %w", err)
	}
	return n, nil
}

// Forget forgets what buyers wrote of disputes that were over before a time, and operators noted,
// up to so many, and says how many those were.
func Forget(ctx context.Context, tx *store.Tx, before time.Time, most int) (int, error) {
	noted, err := tx.Exec(ctx, `DELETE FROM dispute_note WHERE dispute IN (SELECT o.dispute FROM dispute_note AS o JOIN dispute_case AS c ON c.id = o.dispute
		WHERE c.status = 'final' AND c.changed < $1 LIMIT $2)`, store.Micros(before), most)
	if err != nil {
		return 0, fmt.Errorf("forget what was noted of disputes: %w", err)
	}
	n, err := tx.Exec(ctx, `UPDATE dispute_case SET text = '' WHERE id IN (SELECT id FROM dispute_case WHERE status = 'final' AND text <> '' AND changed < $1 ORDER BY changed LIMIT $2)`,
		store.Micros(before), most)
	if err != nil {
		return 0, fmt.Errorf("forget what was written of disputes: %w", err)
	}
	return int(max(n, noted)), nil
}

// Erase forgets what the buyer wrote of a dispute, and operators noted; there is false where there
// is no such dispute.
func Erase(ctx context.Context, tx *store.Tx, id string) (there bool, err error) {
	n, err := tx.Exec(ctx, `UPDATE dispute_case SET text = '' WHERE id = $1`, id)
	if err != nil {
		return false, fmt.Errorf("erase what was written of a dispute: %w", err)
	}
	if _, err := tx.Exec(ctx, `DELETE FROM dispute_note WHERE dispute = $1`, id); err != nil {
		return false, fmt.Errorf("erase what was noted of a dispute: %w", err)
	}
	return n > 0, nil
}
