package transactions

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"encoding/base32"
	"errors"
	"fmt"
	"strings"
	"time"

	"frontdesk/internal/content"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/policy"
)

// transactionTables is the step of Schema for what was bought.
//
// deal_request has one row for each request of a buyer to buy, under a hash of both: the SHA-256 of
// what it asked for, and what came of it. deal_transaction has one row for each offer that was
// bought, with the offer as it was signed and what has to be reported of its use: duty is an
// Obligation's state, due the end of its window. Amounts are in units of 1e-8 of the currency.
const transactionTables = `
CREATE TABLE deal_request (
	id     {{bytes}} NOT NULL PRIMARY KEY,
	digest {{bytes}} NOT NULL,
	made   BIGINT NOT NULL,
	answer TEXT NOT NULL
);
CREATE INDEX deal_request_made ON deal_request (made);

CREATE TABLE deal_transaction (
	id           {{text}} NOT NULL PRIMARY KEY,
	billing      TEXT NOT NULL,
	request      TEXT NOT NULL,
	offer        TEXT NOT NULL,
	buyer        {{text}} NOT NULL,
	agent        TEXT NOT NULL,
	site         TEXT NOT NULL,
	uri          TEXT NOT NULL,
	source       TEXT NOT NULL,
	item         TEXT NOT NULL,
	version      BIGINT NOT NULL,
	made         BIGINT NOT NULL,
	expires      BIGINT NOT NULL,
	model        TEXT NOT NULL,
	rate         BIGINT NOT NULL,
	currency     TEXT NOT NULL,
	months       BIGINT NOT NULL,
	unit         TEXT NOT NULL,
	estimate     BIGINT NOT NULL,
	amount       BIGINT NOT NULL,
	value        BIGINT NOT NULL,
	subscription TEXT NOT NULL,
	quotas       {{bytes}} NOT NULL,
	method       TEXT NOT NULL,
	failed       BIGINT NOT NULL,
	entry        TEXT NOT NULL,
	document     {{bytes}} NOT NULL,
	duty         BIGINT NOT NULL,
	due          BIGINT NOT NULL,
	fields       TEXT NOT NULL,
	report       TEXT NOT NULL,
	report_of    TEXT NOT NULL,
	reported     BIGINT NOT NULL,
	consumed     BIGINT NOT NULL,
	settled      BIGINT NOT NULL,
	deviant      BIGINT NOT NULL
);
CREATE INDEX deal_transaction_owed ON deal_transaction (buyer, duty, due);
CREATE INDEX deal_transaction_due ON deal_transaction (due) WHERE duty = 1;
`

// requestTable is the step of Schema by which deal_request stands in the order of its key: a
// purchase then changes one page less.
const requestTable = `
DROP INDEX deal_request_made;
ALTER TABLE deal_request RENAME TO deal_request_apart;
CREATE TABLE deal_request (
	id     {{bytes}} NOT NULL PRIMARY KEY,
	digest {{bytes}} NOT NULL,
	made   BIGINT NOT NULL,
	answer TEXT NOT NULL
) {{clustered}};
INSERT INTO deal_request (id, digest, made, answer) SELECT id, digest, made, answer FROM deal_request_apart;
DROP TABLE deal_request_apart;
CREATE INDEX deal_request_made ON deal_request (made);
`

// leanTables is the step of Schema that has a purchase change fewer pages: deal_request stands by
// the day of the request, so that those of a day are forgotten without an index of their times, and
// only what is to be reported stands in the index of a buyer's obligations.
const leanTables = `
DROP INDEX deal_request_made;
ALTER TABLE deal_request RENAME TO deal_request_mixed;
CREATE TABLE deal_request (
	day    BIGINT NOT NULL,
	id     {{bytes}} NOT NULL,
	digest {{bytes}} NOT NULL,
	made   BIGINT NOT NULL,
	answer TEXT NOT NULL,
	PRIMARY KEY (day, id)
) {{clustered}};
INSERT INTO deal_request (day, id, digest, made, answer) SELECT made / 86400000000, id, digest, made, answer FROM deal_request_mixed;
DROP TABLE deal_request_mixed;
DROP INDEX deal_transaction_owed;
CREATE INDEX deal_transaction_owed ON deal_transaction (buyer, duty, due) WHERE duty > 0;
`

// useColumns is the step of Schema for what a purchase was declared for, and what its offer permits
// and prohibits: functions as terms name them, with blanks between them; and whether its report
// names one that is not permitted, or a time that was yet to come.
const useColumns = `
ALTER TABLE deal_transaction ADD COLUMN declared TEXT NOT NULL DEFAULT '';
ALTER TABLE deal_transaction ADD COLUMN permitted TEXT NOT NULL DEFAULT '';
ALTER TABLE deal_transaction ADD COLUMN prohibited TEXT NOT NULL DEFAULT '';
ALTER TABLE deal_transaction ADD COLUMN used_prohibited BIGINT NOT NULL DEFAULT 0;
ALTER TABLE deal_transaction ADD COLUMN used_future BIGINT NOT NULL DEFAULT 0;
`

// Obligation is the state of an obligation to report (RAMP v1, reporting).
type Obligation int64

// The states. A report of an obligation that had Expired makes it Late, which is fulfilled, too.
const (
	NoObligation Obligation = 0
	Pending      Obligation = 1
	Fulfilled    Obligation = 2
	Expired      Obligation = 3
	Waived       Obligation = 4
	Late         Obligation = 5
)

// String is the state's name.
func (d Obligation) String() string {
	if d < NoObligation || d > Late {
		return fmt.Sprintf("state %d", int64(d))
	}
	return [...]string{"none", "pending", "fulfilled", "expired", "waived", "late"}[d]
}

// The ways of delivery (RAMP v1, DeliveryMethod).
const (
	Direct       = "direct"       // by this front desk
	Instructions = "instructions" // by an address, which may be an outlet's
	Streaming    = "streaming"    // by this front desk, as a stream of events
)

// Transaction is the purchase of an offer.
type Transaction struct {
	ID       string // "txn-" and a ULID: they sort by time
	Billing  string // "bill-" and a ULID; "sub-" of a subscription's
	Request  string // the id that the buyer gave to its request
	Offer    string // the offer's id
	Buyer    string // the account
	Agent    string // the hash of who may fetch it
	Site     string
	URI      string
	Item     content.Ref // the version that was offered
	Made     time.Time
	Expires  time.Time // when the address expires that it is fetched from
	Price    policy.Money
	Unit     string // what is counted; empty where nothing is
	Estimate int64  // how many of them the offer said
	Amount   int64  // what was authorised or charged, in units of 1e-8
	Value    int64  // what it would have cost without a subscription or licence, in units of 1e-8
	// Subscription is that under which it was bought, empty for none; and Quotas its quotas after
	// that, in whatever form they were put.
	Subscription string
	Quotas       []byte
	Method       string // of delivery: Direct, Instructions or Streaming
	Failed       bool   // it was undone, since nothing could be delivered
	Entry        string // of the ledger
	Document     []byte // the offer's JSON, as it was signed
	// Declared are the functions that it was bought for, as terms name them, none where nothing was
	// declared; and Functions those that the offer permits and prohibits.
	Declared   []string
	Functions  policy.Functions
	Obligation Obligation
	Due        time.Time // end of the reporting window; zero for none
	Fields     []string  // the members that the report must have
	Report     Report    // the zero value until there is one
	// Disputed is the id of the dispute by which it was given back; empty for one that stands.
	Disputed string
}

// Report is a buyer's report of a transaction's use.
type Report struct {
	ID       string // ours
	BuyerID  string // the id that the buyer gave it
	Made     time.Time
	Consumed int64 // units
	Settled  int64 // what was charged in the end, in units of 1e-8
	Deviant  bool  // it is farther from the estimate than is usual
	// Details are UsageDetails as JSON; empty for none.
	Details    string
	Prohibited bool // it names a function that the offer does not permit
	Future     bool // its time was yet to come when it was filed
}

// ulid is 26 letters and digits that sort by a time and are never twice the same (Crockford's base
// 32).
func ulid(at time.Time) string {
	var b [20]byte // of which the first 4 and a part of the fifth stay zero: 2 bits, 48 of the time, 80 of chance
	putMillis(b[4:], at)
	_, _ = rand.Read(b[10:]) // never fails
	return crockford.EncodeToString(b[:])[6:]
}

func putMillis(b []byte, at time.Time) {
	ms := uint64(at.UnixMilli())
	for i := range 6 {
		b[i] = byte(ms >> (8 * (5 - i)))
	}
}

// ulidAt is the beginning of every ulid of a millisecond.
func ulidAt(at time.Time) string {
	var b [20]byte
	putMillis(b[4:], at)
	return crockford.EncodeToString(b[:])[6 : 6+ulidTime]
}

const (
	ulidText = 26  // letters and digits of an ulid
	ulidTime = 10  // those that are its time
	afterAll = "~" // sorts behind them all
)

// transactionKind begins the ids of transactions.
const transactionKind = "txn"

var crockford = base32.NewEncoding("0123456789ABCDEFGHJKMNPQRSTVWXYZ").WithPadding(base32.NoPadding)

// NewID makes the id of something that happens at a time: kind, "-" and a ULID.
func NewID(kind string, at time.Time) string { return kind + "-" + ulid(at) }

// requestKey is what a buyer's request is kept under, with its day.
func requestKey(buyer, id string) []byte {
	sum := sha256.Sum256(fmt.Appendf(nil, "request %d %s %s", len(buyer), buyer, id))
	return sum[:16]
}

// Request is what came of a buyer's request: of each offer a transaction, or why there is none.
type Request struct {
	Digest [sha256.Size]byte // of what was asked for
	Made   time.Time
	Lines  []OrderLine
}

// OrderLine is the result of one offer of a request.
type OrderLine struct {
	Offer       string // empty where it is told by the transaction, or was none
	Transaction string // empty where it was denied
	Denial      string // why
}

// requestDay is the day that a request of a time is kept under, by UTC.
func requestDay(made time.Time) int64 { return store.Micros(made) / (24 * time.Hour).Microseconds() }

// FindRequest gives what came of a request that a buyer made since a time, which is a day ago at
// most; ok is false when there is none.
func FindRequest(ctx context.Context, tx *store.Tx, buyer, id string, since time.Time) (r Request, ok bool, err error) {
	var digest []byte
	var answer string
	day := requestDay(since)
	// Which days it can be of is told one by one: SQLite makes a table of a list of values.
	err = tx.QueryRow(ctx, `SELECT digest, made, answer FROM deal_request WHERE day = $1 AND id = $2 AND made > $3
		UNION ALL SELECT digest, made, answer FROM deal_request WHERE day = $4 AND id = $2 AND made > $3
		UNION ALL SELECT digest, made, answer FROM deal_request WHERE day = $5 AND id = $2 AND made > $3`,
		day, requestKey(buyer, id), store.Micros(since), day+1, day+2).Scan(&digest, &r.Made, &answer)
	if errors.Is(err, sql.ErrNoRows) {
		return r, false, nil
	}
	if err == nil && copy(r.Digest[:], digest) != len(r.Digest) {
		err = errors.New("it has no whole digest")
	}
	if err != nil {
		return Request{}, false, fmt.Errorf("find a request to buy: %w", err)
	}
	for line := range strings.SplitSeq(answer, "\n") {
		part := strings.Split(line, " ")
		if len(part) != 3 {
			return Request{}, false, errors.New("find a request to buy: what came of it cannot be read")
		}
		r.Lines = append(r.Lines, OrderLine{part[0], part[1], part[2]})
	}
	return r, true, nil
}

// BeforeRequest says whether a request of an id is there that was made since a time, and on the day
// before or after that of a new one, of which [PutRequest] does not know; and how many reports the
// buyer owes, as [Overdue] counts them. It is asked before anything is written: what is written can
// then go to PostgreSQL together. (SQLite takes twice as long for one statement that looks and
// writes.)
func BeforeRequest(ctx context.Context, tx *store.Tx, buyer, id string, made, since time.Time, most int) (there bool,
	overdue int, err error) {
	day := requestDay(made)
	counts, err := tx.CountRows(ctx, store.Question{Query: `SELECT 1 FROM deal_request WHERE day = $1 AND id = $2 AND made > $3
		UNION ALL SELECT 1 FROM deal_request WHERE day = $4 AND id = $2 AND made > $3`,
		Args: []any{day - 1, requestKey(buyer, id), store.Micros(since), day + 1}}, isOverdue(buyer, made, most))
	if err != nil {
		return false, 0, fmt.Errorf("look for a request to buy, and for reports that are overdue: %w", err)
	}
	return counts[0] > 0, int(counts[1]), nil
}

// PutRequest records what came of a request, in place of one of the same id and day that was made
// until a time, which is a day before it at most. It says whether it did: where it did not, another
// is there, made since, by whichever process's clock. No part of a line may hold a blank or a line
// feed. Of other days see [BeforeRequest].
func PutRequest(ctx context.Context, tx *store.Tx, buyer, id string, r Request, until time.Time) (bool, error) {
	var answer []string
	for _, l := range r.Lines {
		line := l.Offer + " " + l.Transaction + " " + l.Denial
		if strings.Count(line, " ") != 2 || strings.Contains(line, "\n") {
			return false, fmt.Errorf("record a request to buy: %q is no line of it", line)
		}
		answer = append(answer, line)
	}
	n, err := tx.Exec(ctx, `INSERT INTO deal_request (day, id, digest, made, answer) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (day, id) DO UPDATE SET digest = EXCLUDED.digest, made = EXCLUDED.made, answer = EXCLUDED.answer WHERE deal_request.made <= $6`,
		requestDay(r.Made), requestKey(buyer, id), r.Digest[:], store.Micros(r.Made), strings.Join(answer, "\n"),
		store.Micros(until))
	if err != nil {
		return false, fmt.Errorf("record a request to buy: %w", err)
	}
	return n > 0, nil
}

// ForgetRequest forgets a request that a buyer made a moment ago.
func ForgetRequest(ctx context.Context, tx *store.Tx, buyer, id string, now time.Time) error {
	day := requestDay(now)
	if _, err := tx.Exec(ctx, `DELETE FROM deal_request WHERE day IN ($1, $2, $3) AND id = $4`, day-1, day, day+1, requestKey(buyer, id)); err != nil {
		return fmt.Errorf("forget a request to buy: %w", err)
	}
	return nil
}

// ForgetRequests forgets requests of the days before that of a time, up to so many, and says how
// many those were.
func ForgetRequests(ctx context.Context, tx *store.Tx, before time.Time, most int) (int64, error) {
	n, err := tx.Exec(ctx, `DELETE FROM deal_request WHERE (day, id) IN (SELECT day, id FROM deal_request WHERE day < $1 ORDER BY day, id LIMIT $2)`, requestDay(before), most)
	if err != nil {
		return 0, fmt.Errorf("forget requests to buy: %w", err)
	}
	return n, nil
}

// factColumns are those of a transaction but its document, which is large; and soldColumns those
// that are known when it is made.
const factColumns = soldColumns + `, disputed, details`

const soldColumns = `id, billing, request, offer, buyer, agent, site, uri, source, item, version, made, expires, model, rate, currency, months, unit, estimate,
	amount, value, subscription, quotas, method, failed, entry, duty, due, fields, report, report_of, reported, consumed, settled, deviant, declared, permitted, prohibited,
	used_prohibited, used_future`

// PutTransaction records a transaction that is new.
func PutTransaction(ctx context.Context, tx *store.Tx, t Transaction) error {
	if t.Quotas == nil {
		t.Quotas = []byte{}
	}
	err := tx.ExecOne(ctx, `INSERT INTO deal_transaction (`+soldColumns+`, document) VALUES
		($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, 0, $25, $26, $27, $28, '', '', 0, 0, 0, 0, $29, $30, $31, 0, 0, $32)`,
		t.ID, t.Billing, t.Request, t.Offer, t.Buyer, t.Agent, t.Site, t.URI, t.Item.Source, t.Item.ID, t.Item.Since,
		store.Micros(t.Made), store.Micros(t.Expires), t.Price.Model,
		t.Price.Rate, t.Price.Currency, t.Price.Months, t.Unit, t.Estimate, t.Amount, t.Value, t.Subscription, t.Quotas,
		t.Method, t.Entry, int64(t.Obligation), store.Micros(t.Due), strings.Join(t.Fields, " "),
		strings.Join(t.Declared, " "), strings.Join(t.Functions.Permit, " "), strings.Join(t.Functions.Prohibit, " "),
		t.Document)
	if err != nil {
		return fmt.Errorf("record a transaction: %w", err)
	}
	return nil
}

// scanned reads a row of factColumns, and what stands behind them.
func scanned(row store.Scanner, behind ...any) (t Transaction, err error) {
	var fields, declared, permit, prohibit string
	err = row.Scan(append([]any{&t.ID, &t.Billing, &t.Request, &t.Offer, &t.Buyer, &t.Agent, &t.Site, &t.URI,
		&t.Item.Source, &t.Item.ID, &t.Item.Since, &t.Made, &t.Expires,
		&t.Price.Model, &t.Price.Rate, &t.Price.Currency, &t.Price.Months, &t.Unit, &t.Estimate, &t.Amount, &t.Value,
		&t.Subscription, &t.Quotas, &t.Method, &t.Failed,
		&t.Entry, (*int64)(&t.Obligation), &t.Due, &fields, &t.Report.ID, &t.Report.BuyerID, &t.Report.Made,
		&t.Report.Consumed, &t.Report.Settled, &t.Report.Deviant, &declared, &permit, &prohibit,
		&t.Report.Prohibited, &t.Report.Future, &t.Disputed, &t.Report.Details}, behind...)...)
	t.Item.Site = t.Site
	if len(t.Quotas) == 0 {
		t.Quotas = nil
	}
	t.Fields, t.Declared, t.Functions = listed(fields), listed(declared),
		policy.Functions{Permit: listed(permit), Prohibit: listed(prohibit)}
	return t, err
}

// listed are the words of a text; nil for none.
func listed(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, " ")
}

// FindTransaction gives a transaction; ok is false when there is none of the id.
func FindTransaction(ctx context.Context, tx *store.Tx, id string) (t Transaction, ok bool, err error) {
	var document []byte
	t, err = scanned(tx.QueryRow(ctx, `SELECT `+factColumns+`, document FROM deal_transaction WHERE id = $1`, id), &document)
	t.Document = document
	if errors.Is(err, sql.ErrNoRows) {
		return Transaction{}, false, nil
	}
	if err != nil {
		return Transaction{}, false, fmt.Errorf("find a transaction: %w", err)
	}
	return t, true, nil
}

// MarkFailed records that nothing could be delivered under a transaction, whose obligation is
// waived with that.
func MarkFailed(ctx context.Context, tx *store.Tx, id string) error {
	_, err := tx.Exec(ctx, `UPDATE deal_transaction SET failed = 1, amount = 0, duty = CASE WHEN duty = 0 THEN 0 ELSE 4 END WHERE id = $1`, id)
	if err != nil {
		return fmt.Errorf("record that a transaction failed: %w", err)
	}
	return nil
}

// MarkRefunded records by which dispute a transaction was given back: nothing is fetched under it
// any more.
func MarkRefunded(ctx context.Context, tx *store.Tx, id, dispute string) error {
	if err := tx.ExecOne(ctx, `UPDATE deal_transaction SET disputed = $1 WHERE id = $2`, dispute, id); err != nil {
		return fmt.Errorf("record that a transaction was given back: %w", err)
	}
	return nil
}

// PutReport records what was reported of a transaction, and the state that its obligation has with
// that.
func PutReport(ctx context.Context, tx *store.Tx, id string, r Report, to Obligation) error {
	n, err := tx.Exec(ctx, `UPDATE deal_transaction SET report = $1, report_of = $2, reported = $3, consumed = $4, settled = $5, deviant = $6, duty = $7, details = $8,
		used_prohibited = $9, used_future = $10 WHERE id = $11`,
		r.ID, r.BuyerID, store.Micros(r.Made), r.Consumed, r.Settled, store.Flag(r.Deviant), int64(to), r.Details,
		store.Flag(r.Prohibited), store.Flag(r.Future), id)
	if err == nil && n != 1 {
		err = errors.New("there is none of the id")
	}
	if err != nil {
		return fmt.Errorf("record the report of a transaction: %w", err)
	}
	return nil
}

// Reported gives those of some transactions whose use was reported.
func Reported(ctx context.Context, tx *store.Tx, ids ...string) (reported []string, err error) {
	if len(ids) == 0 {
		return nil, nil
	}
	args := make([]any, len(ids))
	for i, id := range ids {
		args[i] = id
	}
	reported, err = store.All(ctx, tx,
		`SELECT id FROM deal_transaction WHERE id IN (`+store.Params(1, len(ids))+`) AND report <> ''`, scanID, args...)
	if err != nil {
		return nil, fmt.Errorf("look for what was reported: %w", err)
	}
	return reported, nil
}

// Overdue counts the reports that a buyer owes at a time, up to a bound, whether they were found to
// have expired or not yet.
func Overdue(ctx context.Context, tx *store.Tx, buyer string, now time.Time, most int) (n int, err error) {
	counts, err := tx.CountRows(ctx, isOverdue(buyer, now, most))
	if err != nil {
		return 0, fmt.Errorf("count a buyer's reports that are overdue: %w", err)
	}
	return int(counts[0]), nil
}

// isOverdue asks for what Overdue counts.
func isOverdue(buyer string, now time.Time, most int) store.Question {
	// The bound stands in the text, and each state by itself: SQLite plans a statement anew each
	// time whose limit is a parameter, and makes a table of a list of values. That the duty is more
	// than 0 is told beside it, so that the index is used of those that are.
	query := fmt.Sprintf(`SELECT 1 FROM deal_transaction WHERE buyer = $1 AND duty = 1 AND duty > 0 AND due <= $2
		UNION ALL SELECT 1 FROM deal_transaction WHERE buyer = $1 AND duty = 3 AND duty > 0 AND due <= $2 LIMIT %d`, most)
	return store.Question{Query: query, Args: []any{buyer, store.Micros(now)}}
}

// Obligations counts the reports that a buyer ever owed, up to a bound; those that were waived do
// not count.
func Obligations(ctx context.Context, tx *store.Tx, buyer string, most int) (n int, err error) {
	err = tx.QueryRow(ctx, `SELECT COUNT(*) FROM (SELECT 1 FROM deal_transaction WHERE buyer = $1 AND duty IN (1, 2, 3, 5) AND duty > 0 LIMIT $2) AS owed`, buyer, most).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("count a buyer's obligations: %w", err)
	}
	return n, nil
}

// Expire finds obligations whose window is over at a time, up to so many, and gives the
// transactions whose state it changed.
func Expire(ctx context.Context, tx *store.Tx, now time.Time, most int) (ids []string, err error) {
	ids, err = store.All(ctx, tx, `UPDATE deal_transaction SET duty = 3 WHERE id IN (SELECT id FROM deal_transaction WHERE duty = 1 AND due <= $1 ORDER BY due LIMIT $2) RETURNING id`, scanID, store.Micros(now), most)
	if err != nil {
		return nil, fmt.Errorf("find obligations that have expired: %w", err)
	}
	return ids, nil
}

func scanID(row store.Scanner) (id string, err error) {
	err = row.Scan(&id)
	return id, err
}
