// Package enforcement counts disputes and failures of buyers and sites by month (UTC), and imposes
// the sanctions of RAMP v1 (disputes). A buyer that disputes too much is warned, then limited to a
// few requests. A site whose buyers are too often right is warned, has to plan improvements, is
// limited to a few sales, and in the end may be closed. An operator confirms a closure, and can
// lift every sanction.
//
// The package follows the ledger with a cursor, so filing a dispute looks nothing through. Each
// entry is counted once, by whichever node comes first. It owns the counters and the sanctions. It
// must not read disputes itself: [Config.Dispute] gives them. Enter by [New], [Enforcer.Run] and
// [Enforcer.Restricted].
package enforcement

import (
	"context"
	"fmt"
	"time"

	"frontdesk/internal/infra/store"
)

// Schema is the tables of this package. Times are microseconds, 0 for none; a month is its year
// times 12 and its number from 0.
//
//	measure_cursor  how far in the ledger it was counted
//	measure_month   counts of a party's month
//	measure_case    each dispute that was counted, with what it came to
//	measure_taken   the sanctions that were imposed
//	measure_reconciled  until when purchases were held against their deliveries and reports
//	measure_day    what came of that, by day and site
var Schema = store.Schema{
	ID: "measure",
	Steps: []string{`
CREATE TABLE measure_cursor (
	one    BIGINT NOT NULL PRIMARY KEY,
	place  BIGINT NOT NULL
);
INSERT INTO measure_cursor (one, place) VALUES (1, 0);
CREATE TABLE measure_month (
	kind   {{text}} NOT NULL,
	party  {{text}} NOT NULL,
	month  BIGINT NOT NULL,
	what   {{text}} NOT NULL,
	count  BIGINT NOT NULL,
	PRIMARY KEY (kind, party, month, what)
) {{clustered}};
CREATE TABLE measure_case (
	id     {{text}} NOT NULL PRIMARY KEY,
	buyer  {{text}} NOT NULL,
	site   {{text}} NOT NULL,
	month  BIGINT NOT NULL,
	reason TEXT NOT NULL,
	fault  TEXT NOT NULL
) {{clustered}};
CREATE INDEX measure_case_buyer ON measure_case (buyer, month);
CREATE TABLE measure_taken (
	id        {{text}} NOT NULL PRIMARY KEY,
	kind      {{text}} NOT NULL,
	party     {{text}} NOT NULL,
	month     BIGINT NOT NULL,
	step      {{text}} NOT NULL,
	cause     TEXT NOT NULL,
	taken     BIGINT NOT NULL,
	confirmed BIGINT NOT NULL,
	lifted    BIGINT NOT NULL,
	by        TEXT NOT NULL,
	note      TEXT NOT NULL,
	entry     TEXT NOT NULL
) {{clustered}};
CREATE UNIQUE INDEX measure_taken_once ON measure_taken (kind, party, month, step);
CREATE INDEX measure_taken_force ON measure_taken (kind, party) WHERE lifted = 0;
`, `
CREATE TABLE measure_reconciled (
	one   BIGINT NOT NULL PRIMARY KEY,
	until BIGINT NOT NULL
);
INSERT INTO measure_reconciled (one, until) VALUES (1, 0);
`, `
CREATE TABLE measure_day (
	day    BIGINT NOT NULL,
	site   {{text}} NOT NULL,
	count  BIGINT NOT NULL,
	gaps   BIGINT NOT NULL,
	untold BIGINT NOT NULL,
	PRIMARY KEY (day, site)
) {{clustered}};
`},
}

// Kind is what a party is.
type Kind string

// The kinds.
const (
	Agent    Kind = "agent"    // a buyer's account
	Provider Kind = "provider" // a site, by its id
)

// Party is the buyer or site under a sanction.
type Party struct {
	Kind Kind
	ID   string
}

// Level is how severe a sanction is.
type Level string

// The steps.
const (
	Warning         Level = "warn"        // told
	Flagged         Level = "flag"        // the same reason at many providers: somebody should look
	Investigated    Level = "investigate" // a provider's figures are to be looked into
	ImprovementPlan Level = "plan"        // the third month: it has to say what it will do better
	RateLimited     Level = "limit"       // it is held to Rules.Rate
	Closure         Level = "end"         // the twelfth month: its account is to be closed, once an operator confirms
)

// Sanction is a level of enforcement imposed on a party for a month.
type Sanction struct {
	ID string
	Party
	Month   Month
	Level   Level
	Cause   string // the figures, in few words
	Imposed time.Time
	// Confirmed is when an operator confirmed a Closure; zero before.
	Confirmed time.Time
	Lifted    time.Time // zero while it is in force
	By, Note  string    // who confirmed or lifted it, and why
	Entry     string    // of the ledger, of kind "measure"
}

// Month is a month of UTC: its year times 12 and its number from 0.
type Month int

// MonthOf gives the month of a time.
func MonthOf(t time.Time) Month {
	year, month, _ := t.UTC().Date()
	return Month(year*12 + int(month) - 1)
}

// String is the month as 2027-01.
func (m Month) String() string { return fmt.Sprintf("%04d-%02d", int(m)/12, int(m)%12+1) }

// Rules are the thresholds of sanctions. Rates are percent of a month's transactions; reaching one
// does not exceed it.
type Rules struct {
	Warn, Limit float64 // disputes of an agent's transactions: 3, 5
	Providers   int     // from how many on, disputed for one reason by one agent, it is flagged: 5
	Tokens      float64 // reports on a provider's resources that are far off: 2
	Failures    float64 // a provider's deliveries that were found to have failed: 1
	Hashes      float64 // a provider's transactions whose content was found to have another hash than it attested: 0.5
	Cases       int     // how many cases there have to be at the least, before a rate counts
	Of          int     // and of how many
}

// Dispute is the state of a dispute when a ledger entry says that it moved.
type Dispute struct {
	ID, Buyer, Site, Reason string
	Filed                   time.Time
	Fault                   Fault // what it was found to be by now
}

// Reconciled counts purchases of a site that were compared with deliveries and reports, and those
// that differ.
type Reconciled struct{ Of, Gaps, Untold int64 }

// Fault is what a site was found to have failed in; empty for nothing.
type Fault string

// The faults that are counted.
const (
	FailedDelivery Fault = "failures"
	WrongHash      Fault = "hashes" // of what it attested itself (RAMP v1, attestations, level 1)
)

// The counts of a month.
const (
	transactions = "transactions"
	disputes     = "disputes"
	reports      = "reports"
	deviant      = "deviant"
	reconciled   = "reconciled" // purchases, and deliveries that nobody bought
	gaps         = "gaps"       // of those, where transaction, delivery and report contradict one another
	breached     = "breached"   // 1 where a rate was exceeded in that month
)

// counts are those of one party's month.
type counts map[string]int64

func countsOf(ctx context.Context, tx *store.Tx, p Party, m Month) (counts, error) {
	all := counts{}
	err := tx.Each(ctx, `SELECT what, count FROM measure_month WHERE kind = $1 AND party = $2 AND month = $3`,
		func(row store.Scanner) error {
			var what string
			var n int64
			if err := row.Scan(&what, &n); err != nil {
				return err
			}
			all[what] = n
			return nil
		}, string(p.Kind), p.ID, int64(m))
	if err != nil {
		return nil, fmt.Errorf("read a month's counts: %w", err)
	}
	return all, nil
}
