package exchange

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/identity/requesters"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/licensing/accounts"
	"frontdesk/internal/licensing/transactions"
	"frontdesk/internal/policy"
)

// UsageReport is a report of how a purchase was used (RAMP v1, ReportUsage).
type UsageReport struct {
	// Reporter is the identified reporter; nil if the report is unsigned and the configuration
	// accepts that.
	Reporter             *requesters.Requester
	ID                   string // which the reporter gave it
	Transaction, Billing string
	Fields               []string  // the names of the members that it has, as required_fields names them
	At                   time.Time // when it was used; zero where it does not say
	Consumed             int64     // of Unit
	Unit                 string    // empty where it does not say
	// Revenue is what was earned with it, in units of 1e-8 of Currency; of models that share it.
	Revenue  int64
	Currency string
	// UsageDetails is what else it says.
	transactions.UsageDetails
}

// What a report says of a use beside its quantity.
type (
	UsageDetails = transactions.UsageDetails
	Attribution  = transactions.Attribution
	Asset        = transactions.Asset
)

// UsageReceipt is the result of a usage report.
type UsageReceipt struct {
	ID string // ours, for a dispute; empty for one that is not taken
	// Problem is why the report was refused, and what to do; empty if it was accepted.
	Problem  string
	Replayed bool  // it was filed before
	Late     bool  // its window was over
	Deviant  bool  // it is farther from the estimate than is usual; it counts all the same
	Settled  int64 // what the purchase cost in the end, in units of 1e-8
}

// ReportUsage takes a report on a transaction, once, and settles the purchase by it, in one
// transaction with the entry in the ledger. A report that is late lifts what its being overdue has
// closed. The error is fail.NotFound for a transaction that is not the reporter's, fail.Invalid for
// one whose billing_id is another, fail.Unauthorized for a signature that was used before, or any
// other, which is ours.
func (s *Service) ReportUsage(ctx context.Context, u UsageReport) (*UsageReceipt, error) {
	now := s.deps.Now().UTC().Truncate(time.Microsecond)
	s.deps.Deliveries.Meter(ctx, u.Transaction) // whose time until now counts
	var filed *UsageReceipt
	buyer, locks := "", []string{u.Transaction} // buyer is the transaction's, as far as is known
	if u.Reporter != nil {
		buyer = u.Reporter.Account()
		locks = accounts.Locks(s.deps.Accounts, buyer)
	}
	file := func(tx *store.Tx) error {
		filed = nil
		t, ok, err := transactions.FindTransaction(ctx, tx, u.Transaction)
		switch {
		case err != nil:
			return err
		case !ok:
			return errNotTheirs
		}
		if may, err := speaksFor(ctx, tx, u.Reporter, t); err != nil || !may {
			return orTheirs(err)
		}
		if t.Buyer != buyer {
			buyer = t.Buyer
			return errAnothers
		}
		if u.Reporter != nil {
			if err := s.deps.Nonces.UseProof(ctx, tx, u.Reporter.Proof); err != nil {
				return err
			}
		}
		if u.Billing != t.Billing {
			return fail.New(fail.Invalid, "billing_id: it is not that of the transaction; it stands beside "+
				"transaction_id in the answer to the purchase")
		}
		filed, err = s.settle(ctx, tx, u, t, now)
		return err
	}
	err := s.deps.DB.UpdateBatched(ctx, locks, file)
	if errors.Is(err, errAnothers) {
		err = s.deps.DB.UpdateBatched(ctx, accounts.Locks(s.deps.Accounts, buyer), file)
	}
	if err == nil {
		err = s.deps.Fault("reported")
	}
	if err != nil {
		return nil, err
	}
	if filed.Problem == "" {
		s.deps.Deliveries.EndStreams(u.Transaction)
	}
	return filed, nil
}

// errAnothers ends a transaction on what another buyer has bought than it was taken for.
var errAnothers = errors.New("this was bought by another")

// settle takes a report on a transaction that is the reporter's.
func (s *Service) settle(ctx context.Context, tx *store.Tx, u UsageReport, t transactions.Transaction,
	now time.Time) (*UsageReceipt, error) {
	switch {
	case t.Report.ID != "" && t.Report.BuyerID == u.ID:
		return &UsageReceipt{ID: t.Report.ID, Replayed: true, Late: t.Obligation == transactions.Late,
			Deviant: t.Report.Deviant, Settled: t.Report.Settled}, nil
	case t.Report.ID != "":
		return &UsageReceipt{Problem: "already reported: this transaction has a report under another id, which stands"},
			nil
	case t.Failed:
		return &UsageReceipt{Problem: "nothing to report: this transaction was taken back, and nothing could be " +
			"fetched under it"}, nil
	}
	if problem, err := s.lacks(ctx, tx, u, t); err != nil || problem != "" {
		return &UsageReceipt{Problem: problem}, err
	}
	consumed, unit, of := toldAs(u, t)
	settled, err := s.deps.Accounts.Settle(ctx, tx, t.ID, accounts.Report{Quantity: consumed, Reported: u.Consumed,
		TimeUnit: of, Revenue: u.Revenue, Currency: u.Currency, Now: now})
	var wrong *fail.Error
	if errors.As(err, &wrong) && wrong.Code == fail.Invalid {
		return &UsageReceipt{Problem: wrong.Detail}, nil
	}
	if err != nil {
		return nil, err
	}
	if err := s.deps.Fault("settled"); err != nil {
		return nil, err
	}
	r := transactions.Report{ID: transactions.NewID("rep", now), BuyerID: u.ID, Made: now, Consumed: consumed,
		Settled: settled.Charged, Deviant: settled.Deviant, Details: u.UsageDetails.JSON()}
	r.Prohibited, r.Future = namesProhibited(u, t), u.At.Sub(now) > clocksApart
	to := transactions.Fulfilled
	switch {
	case t.Obligation == transactions.NoObligation || t.Obligation == transactions.Waived:
		to = t.Obligation
	case t.Obligation == transactions.Expired || !now.Before(t.Due):
		to = transactions.Late
	}
	body := usageBody{Metered: int64(settled.Measured / time.Second), Unit: unit}
	if settled.Currency != "" {
		body.Currency, body.Settled = settled.Currency, policy.Amount(r.Settled)
	}
	if err := s.recordUsage(ctx, tx, u, t, r, to, body); err != nil {
		return nil, err
	}
	if err := s.deps.Fault("usage recorded"); err != nil {
		return nil, err
	}
	return &UsageReceipt{ID: r.ID, Late: to == transactions.Late, Deviant: r.Deviant, Settled: r.Settled},
		transactions.PutReport(ctx, tx, t.ID, r, to)
}

// clocksApart is how far a reporter's clock may be ahead of ours.
const clocksApart = 5 * time.Minute

// namesProhibited says whether a report names a function that the offer does not permit. Training
// is one also where it stands among the sub-functions alone.
func namesProhibited(u UsageReport, t transactions.Transaction) bool {
	bound := policy.Decision{Access: policy.Licensed, Permit: t.Functions.Permit, Prohibit: t.Functions.Prohibit}
	named := u.Words()
	if slices.Contains(u.SubFunctions, "SUB_FUNCTION_TRAINING") {
		named = append(named, "ai-train")
	}
	return bound.Sells(policy.Sale{Functions: named}) != policy.Permitted
}

// lacks says what a report lacks that its transaction asks for. What did not come, and was not
// used, needs no attribution: its buyer could dispute it by no report else.
func (s *Service) lacks(ctx context.Context, tx *store.Tx, u UsageReport, t transactions.Transaction) (string, error) {
	var missing []string
	for _, field := range t.Fields {
		if !slices.Contains(u.Fields, field) {
			missing = append(missing, field)
		}
	}
	if at := slices.Index(missing, fieldAttribution); at >= 0 && u.Consumed == 0 {
		n, err := transactions.CountDeliveries(ctx, tx, t.ID, 1)
		if err != nil {
			return "", err
		}
		if n == 0 {
			missing = slices.Delete(missing, at, at+1)
		}
	}
	return inadequate(u, t, missing), nil
}

// fieldAttribution is the member of a report that tells how people were shown where something is
// from.
const fieldAttribution = "attribution"

// inadequate puts into words what a report lacks.
func inadequate(u UsageReport, t transactions.Transaction, missing []string) string {
	switch {
	case slices.Contains(missing, fieldAttribution) && len(u.Attribution) > 0:
		return "usage.attribution: this was sold for an attribution that people see, and none of these is visible to " +
			"them; name the source where they see it, and file the report again with that"
	case len(missing) > 0:
		return "it lacks " + strings.Join(missing, ", ") + ", which reporting_obligation.required_fields of the " +
			"purchase asks for; file it again with that"
	case u.Unit != "" && t.Unit != "" && !strings.EqualFold(u.Unit, t.Unit) && !toldInTime(u, t):
		return fmt.Sprintf("usage.consumed_unit: this purchase is counted in %s; report that", t.Unit)
	}
	return ""
}

// spans are the units of time in which use may be reported, whatever of them the price counts.
var spans = map[string]time.Duration{"seconds": time.Second, "minutes": time.Minute, "hours": time.Hour}

// toldInTime says whether a report tells in a unit of time what may be told so: what is counted in
// minutes, and for how long a stream was open that is paid otherwise.
func toldInTime(u UsageReport, t transactions.Transaction) bool {
	return spans[strings.ToLower(u.Unit)] > 0 && (t.Unit == policy.UnitMinutes || t.Method == transactions.Streaming &&
		!t.Price.Metered())
}

// toldAs is what a report tells in the unit of the price, or in its own unit of time where the
// price counts something else; of is that unit of time, 0 for none.
func toldAs(u UsageReport, t transactions.Transaction) (n int64, unit string, of time.Duration) {
	if !toldInTime(u, t) {
		return u.Consumed, t.Unit, 0
	}
	unit = strings.ToLower(u.Unit)
	of = spans[unit]
	if t.Unit != policy.UnitMinutes {
		return u.Consumed, unit, of
	}
	if of >= time.Minute {
		return u.Consumed * int64(of/time.Minute), t.Unit, of // of 32 bits at the door
	}
	return (u.Consumed + 59) / 60, t.Unit, of
}

// usageBody is the body of a ledger entry of kind "usage", in the order of canonical JSON.
type usageBody struct {
	Assets       []transactions.Asset       `json:"assets,omitempty"`
	Attribution  []transactions.Attribution `json:"attribution,omitempty"`
	Billing      string                     `json:"billing_id"`
	Cited        *bool                      `json:"citation_included,omitempty"`
	Consumed     int64                      `json:"consumed_quantity"`
	Currency     string                     `json:"currency,omitempty"`
	Deviant      bool                       `json:"deviant,omitzero"`
	Shown        *bool                      `json:"displayed_to_user,omitempty"`
	Exchange     string                     `json:"exchange,omitempty"`
	Functions    []string                   `json:"functions,omitempty"`
	Future       bool                       `json:"future,omitzero"`
	Metered      int64                      `json:"metered_seconds,omitzero"`
	Prohibited   bool                       `json:"prohibited,omitzero"`
	Report       string                     `json:"report_id"`
	Request      string                     `json:"request_id,omitempty"`
	Settled      string                     `json:"settled,omitempty"`
	State        string                     `json:"state"`
	SubFunctions []string                   `json:"subfn,omitempty"`
	At           string                     `json:"timestamp,omitempty"`
	Unit         string                     `json:"unit,omitempty"`
}

// recordUsage puts a report into the ledger, with what is said of it already.
func (s *Service) recordUsage(ctx context.Context, tx *store.Tx, u UsageReport, t transactions.Transaction,
	r transactions.Report, to transactions.Obligation, body usageBody) error {
	body.Billing, body.Consumed, body.Deviant, body.Report, body.State = t.Billing, r.Consumed, r.Deviant, r.ID,
		to.String()
	body.Assets, body.Attribution, body.Cited, body.Shown = u.Assets, u.Attribution, u.Cited, u.Shown
	body.Exchange, body.Functions, body.Request, body.SubFunctions = u.Exchange, u.Functions, u.Request, u.SubFunctions
	body.Prohibited, body.Future = r.Prohibited, r.Future
	if !u.At.IsZero() {
		body.At = u.At.UTC().Format(time.RFC3339)
	}
	return s.appendEvent(ctx, tx, t, kindUsage, r.Made, body)
}

var errNotTheirs = fail.New(fail.NotFound, "transaction_id: there is no such transaction of this requester")

// orTheirs is an error, or that a transaction is somebody else's.
func orTheirs(err error) error {
	if err == nil {
		return errNotTheirs
	}
	return err
}

// speaksFor says whether somebody may speak of a transaction: its buyer, or an intermediary through
// which the buyer asked for the offer, such as the Broker that bought for it. Nil is nobody who
// signed, which the configuration has let in.
func speaksFor(ctx context.Context, tx *store.Tx, who *requesters.Requester, t transactions.Transaction) (bool, error) {
	if who == nil || who.ActsFor(t.Buyer) {
		return true, nil
	}
	if who.Signed != requesters.SignedHTTP {
		return false, nil
	}
	return transactions.PassedThrough(ctx, tx, t.ID, who.Domain)
}

// ReportRules are the limits of owed reports beyond which a buyer may not buy. A buyer that reports
// is admitted again at once.
type ReportRules struct {
	// Overdue is from more than how many reports that are overdue a buyer gets nothing more; 0 lets
	// none be overdue.
	Overdue int
	// Percent is from more than which part of all its reports, once there are Least of them; 0 for
	// no such rule.
	Percent, MinReports int
}

// overdue says whether a buyer owes so many reports that it gets nothing more.
func (s *Service) overdue(ctx context.Context, tx *store.Tx, buyer string, now time.Time) (bool, error) {
	owed, err := transactions.Overdue(ctx, tx, buyer, now, s.deps.Reports().Overdue+1)
	if err != nil {
		return false, err
	}
	return s.tooManyOverdue(ctx, tx, buyer, owed)
}

// tooManyOverdue is overdue, where so many reports are known to be.
func (s *Service) tooManyOverdue(ctx context.Context, tx *store.Tx, buyer string, owed int) (bool, error) {
	rules := s.deps.Reports()
	if owed == 0 || owed > rules.Overdue || rules.Percent <= 0 {
		return owed > rules.Overdue, nil
	}
	// owed is more than the part of all, if all is less than this
	enough := (owed*100 + rules.Percent - 1) / rules.Percent
	all, err := transactions.Obligations(ctx, tx, buyer, max(enough, rules.MinReports))
	return all >= rules.MinReports && owed*100 > all*rules.Percent, err
}
