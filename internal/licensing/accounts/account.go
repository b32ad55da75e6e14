// Package accounts is a double-entry ledger of money and quotas: deposits of buyers, holds for
// purchases, earnings of sites, licences, subscriptions and their quotas. What happens for each of
// the twelve pricing models of RAMP v1 is one table, [Models].
//
// An account belongs to one buyer in one currency and has four sides: available, held, earned by
// sites, and outside (negative: the operator has it). The amounts of each journal line add up to
// zero, and the database refuses a line that does not. The journal is append-only. Balances are
// kept beside it, and [Ledger.Check] derives them anew. Two buyers share no row, so they never wait
// for each other.
//
// Money is an integer in units of 1e-8 of a currency and is never converted. The package must not
// know a protocol or a clock: callers pass the time. Its methods run in the transactions of
// licensing/exchange. Enter by [New]; the console and the commands read by [NewReader] and write by
// [Admin].
//
//	account_balance   the balance of each account
//	account_journal   every movement, by account and number
//	account_revenue   what sites earned, by day and buyer, except what is still beside the balance
//	account_hold      one row for each purchase: its expected and its final cost
//	account_meter     for how long purchases were used, if the seller measures it
//	account_licence   licences and subscriptions
//	account_quota     the quotas of subscriptions
package accounts

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
)

// Schema is the tables of this package. Amounts are in units of 1e-8 of the currency, times
// microseconds, 0 for none. Of account_balance, own is the credit limit, -1 for the configured one,
// and lines is how many lines its journal has; see also lateRevenue. Of account_journal, after is
// what was available with it. Of account_hold, uses is what it took of a subscription's quotas,
// each with the round that it was counted in. Of account_quota, round counts how often the quota
// began anew.
var Schema = store.Schema{
	ID: "account",
	Steps: []string{`
CREATE TABLE account_balance (
	buyer     {{text}} NOT NULL,
	currency  {{text}} NOT NULL,
	available BIGINT NOT NULL,
	held      BIGINT NOT NULL CHECK (held >= 0),
	earned    BIGINT NOT NULL,
	outside   BIGINT NOT NULL,
	own       BIGINT NOT NULL,
	status    TEXT NOT NULL,
	lines     BIGINT NOT NULL,
	created   BIGINT NOT NULL,
	PRIMARY KEY (buyer, currency),
	CHECK (available + held + earned + outside = 0)
) {{clustered}};

CREATE TABLE account_journal (
	buyer     {{text}} NOT NULL,
	currency  {{text}} NOT NULL,
	line      BIGINT NOT NULL,
	at        BIGINT NOT NULL,
	kind      TEXT NOT NULL,
	reference TEXT NOT NULL,
	site      TEXT NOT NULL,
	available BIGINT NOT NULL,
	held      BIGINT NOT NULL,
	earned    BIGINT NOT NULL,
	outside   BIGINT NOT NULL,
	after     BIGINT NOT NULL,
	PRIMARY KEY (buyer, currency, line),
	CHECK (available + held + earned + outside = 0)
) {{clustered}};

CREATE TABLE account_revenue (
	site      {{text}} NOT NULL,
	day       BIGINT NOT NULL,
	buyer     {{text}} NOT NULL,
	currency  {{text}} NOT NULL,
	earned    BIGINT NOT NULL,
	movements BIGINT NOT NULL,
	PRIMARY KEY (site, day, buyer, currency)
) {{clustered}};

CREATE TABLE account_hold (
	id           {{text}} NOT NULL PRIMARY KEY,
	buyer        {{text}} NOT NULL,
	holder       {{text}} NOT NULL,
	site         TEXT NOT NULL,
	model        TEXT NOT NULL,
	currency     TEXT NOT NULL,
	rate         BIGINT NOT NULL,
	quantity     BIGINT NOT NULL,
	value        BIGINT NOT NULL,
	authorised   BIGINT NOT NULL CHECK (authorised >= 0),
	charged      BIGINT NOT NULL CHECK (charged >= 0),
	state        TEXT NOT NULL,
	reported     BIGINT NOT NULL,
	subscription TEXT NOT NULL,
	licence      TEXT NOT NULL,
	uses         TEXT NOT NULL,
	granted      TEXT NOT NULL,
	created      BIGINT NOT NULL,
	due          BIGINT NOT NULL,
	closed       BIGINT NOT NULL
);
CREATE INDEX account_hold_due ON account_hold (due) WHERE state = 'held';
CREATE INDEX account_hold_holder ON account_hold (holder, created);

CREATE TABLE account_licence (
	id       {{text}} NOT NULL PRIMARY KEY,
	kind     TEXT NOT NULL,
	buyer    {{text}} NOT NULL,
	site     TEXT NOT NULL,
	labels   TEXT NOT NULL,
	paths    TEXT NOT NULL,
	url      TEXT NOT NULL,
	paid     TEXT NOT NULL,
	currency TEXT NOT NULL,
	begins   BIGINT NOT NULL,
	ends     BIGINT NOT NULL,
	status   TEXT NOT NULL,
	created  BIGINT NOT NULL
);
CREATE INDEX account_licence_buyer ON account_licence (buyer, kind);

CREATE TABLE account_quota (
	subscription {{text}} NOT NULL,
	unit         {{text}} NOT NULL,
	most         BIGINT NOT NULL CHECK (most >= 0),
	used         BIGINT NOT NULL CHECK (used >= 0),
	months       BIGINT NOT NULL,
	span         BIGINT NOT NULL,
	anchor       BIGINT NOT NULL,
	resets       BIGINT NOT NULL,
	round        BIGINT NOT NULL,
	PRIMARY KEY (subscription, unit)
) {{clustered}};
`, `
CREATE INDEX account_journal_paid ON account_journal (buyer, currency, reference, line) WHERE kind IN ('credit', 'debit', 'expire');
`, `
DROP INDEX account_hold_due;
DROP INDEX account_hold_holder;
ALTER TABLE account_hold RENAME TO account_hold_apart;
CREATE TABLE account_hold (
	id           {{text}} NOT NULL PRIMARY KEY,
	buyer        {{text}} NOT NULL,
	holder       {{text}} NOT NULL,
	site         TEXT NOT NULL,
	model        TEXT NOT NULL,
	currency     TEXT NOT NULL,
	rate         BIGINT NOT NULL,
	quantity     BIGINT NOT NULL,
	value        BIGINT NOT NULL,
	authorised   BIGINT NOT NULL CHECK (authorised >= 0),
	charged      BIGINT NOT NULL CHECK (charged >= 0),
	state        TEXT NOT NULL,
	reported     BIGINT NOT NULL,
	subscription TEXT NOT NULL,
	licence      TEXT NOT NULL,
	uses         TEXT NOT NULL,
	granted      TEXT NOT NULL,
	created      BIGINT NOT NULL,
	due          BIGINT NOT NULL,
	closed       BIGINT NOT NULL
) {{clustered}};
INSERT INTO account_hold (id, buyer, holder, site, model, currency, rate, quantity, value, authorised, charged, state, reported, subscription, licence, uses, granted, created, due, closed)
	SELECT id, buyer, holder, site, model, currency, rate, quantity, value, authorised, charged, state, reported, subscription, licence, uses, granted, created, due, closed FROM account_hold_apart;
DROP TABLE account_hold_apart;
CREATE INDEX account_hold_due ON account_hold (due) WHERE state = 'held';
CREATE INDEX account_hold_holder ON account_hold (holder, created);
`, meterTable, lateRevenue, meterGaps},
}

// Options are how the book deals with everybody.
type Options struct {
	// Credit is how much below nothing an account may go that has no limit of its own, in 1e-8 of
	// its currency. Where it is more than 0, a buyer without an account is given one at its first
	// purchase.
	Credit int64
	// Tolerance is by how many percent a reported quantity may differ from the estimate, see
	// Settle; 0 for 20.
	Tolerance int64
	// Changed is told of everything that the operator changes, in the transaction that does it; its
	// error undoes the change. nil for nobody.
	Changed func(ctx context.Context, tx *store.Tx, change Change) error
}

// Ledger moves money and quotas in a database with [Schema]. Its methods run in the caller's
// transaction and may be called concurrently.
type Ledger struct {
	options Options

	mu sync.Mutex
	// shared is whose accounts buyers pay from who have none of their own, as last seen.
	shared map[string]string
}

// New makes the book.
func New(options Options) *Ledger {
	if options.Tolerance == 0 {
		options.Tolerance = 20
	}
	return &Ledger{options: options, shared: map[string]string{}}
}

// Locks are the names of what a purchase of a buyer changes, for [store.DB.UpdateBatched]: the
// buyer, and the account that it pays from where that is its domain's, as far as this process has
// seen. Who locks another account collides, and is repeated.
func Locks(b *Ledger, buyer string) []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	if account := b.shared[buyer]; account != "" {
		return []string{buyer, account}
	}
	return []string{buyer}
}

// SubscriptionLock is the name of a subscription's quotas, for [store.DB.UpdateBatched].
func SubscriptionLock(id string) string { return "subscription " + id }

// mostShared bounds what is remembered of who pays from whose account.
const mostShared = 100_000

// pays remembers whose account a buyer pays from.
func (b *Ledger) pays(buyer, account string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case buyer == account:
		delete(b.shared, buyer)
	case len(b.shared) < mostShared:
		b.shared[buyer] = account
	}
}

// Change is an action of the operator, for the audit. It has no balance of others and no personal
// data.
type Change struct {
	What     string // "account", "licence" or "subscription"
	Action   string // "open", "credit", "debit", "expire", "limit", "suspend", "resume", "add", "quota", "end"
	ID       string // of a licence or a subscription; empty for an account
	Buyer    string
	Site     string // empty for all
	Currency string // of an amount
	Amount   int64  // in 1e-8 of the currency: paid in, taken out, or the new limit
	Unit     string // of a quota
	At       time.Time
}

// notify tells of a change.
func (b *Ledger) notify(ctx context.Context, tx *store.Tx, change Change) error {
	if b.options.Changed == nil {
		return nil
	}
	return b.options.Changed(ctx, tx, change)
}

// Reason is why a purchase is refused.
type Reason string

// The reasons, which stand for those of RAMP v1's DenialReason of the same names.
const (
	InsufficientBalance Reason = "insufficient balance"
	InvalidLicence      Reason = "invalid licence"
	ExpiredLicence      Reason = "expired licence"
	QuotaExceeded       Reason = "quota exceeded"
)

// Denial is the error of a purchase that is not authorized. The caller's transaction may continue:
// nothing was written.
type Denial struct {
	Reason Reason
	Detail string // safe for the buyer: what is wrong and what to do
}

// Error says why.
func (r *Denial) Error() string { return fmt.Sprintf("%s: %s", r.Reason, r.Detail) }

func refuse(reason Reason, format string, args ...any) error {
	return &Denial{reason, fmt.Sprintf(format, args...)}
}

// maxBuyer is how long a buyer's key may be.
const maxBuyer = 240

// CheckBuyer says what is wrong with a buyer's key: DOMAIN/ID, as a requester's account is called,
// or DOMAIN/* for all of a domain that have no account (licence, subscription) of their own.
func CheckBuyer(buyer string) error {
	domain, id, ok := strings.Cut(buyer, "/")
	if !ok || domain == "" || id == "" || len(buyer) > maxBuyer ||
		strings.ContainsFunc(buyer, func(r rune) bool { return r <= ' ' || r == 0x7f }) {
		return fail.New(fail.Invalid, "%.60q is no buyer; write DOMAIN/ID, like buyer.example.com/research-bot, or "+
			"DOMAIN/* for all of a domain", buyer)
	}
	return nil
}

// holders are whose accounts, licences and subscriptions a buyer may use: its own, and those of its
// whole domain.
func holders(buyer string) (own, domain string) {
	name, _, _ := strings.Cut(buyer, "/")
	return buyer, name + "/*"
}
