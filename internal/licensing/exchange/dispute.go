package exchange

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"frontdesk/internal/identity/requesters"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/licensing/accounts"
	"frontdesk/internal/licensing/accounts/counts"
	"frontdesk/internal/licensing/catalog"
	"frontdesk/internal/licensing/disputes"
	"frontdesk/internal/licensing/disputes/accesslog"
	"frontdesk/internal/licensing/transactions"
	"frontdesk/internal/policy"
	"frontdesk/wire/contenthash"
	"frontdesk/wire/ramp"
	"frontdesk/wire/receipt"
)

// DisputeReason is why something is disputed, for those who know of disputes by this package alone.
type DisputeReason = disputes.Reason

// DisputeRequest is a request to dispute a transaction (RAMP v1, DisputeTransaction).
type DisputeRequest struct {
	// By is the requester; nil if the request is unsigned and comes from a trusted sender.
	By                           *requesters.Requester
	ID                           string // which the buyer gave it
	Digest                       [sha256.Size]byte
	Transaction, Billing, Report string
	Reason                       DisputeReason
	Description                  string           // up to MaxDescription bytes
	Hash                         contenthash.Hash // of what was received; the zero Hash for none
	// Redelivery says that the buyer would rather fetch it again than be paid back, where that can
	// be.
	Redelivery bool
	// Appeal is the id of the dispute against whose decision the buyer appeals; empty for one that
	// is filed.
	Appeal string
	// FetchAt is as in Order.
	FetchAt string
}

// MaxDescription is how many bytes the description of a dispute may have.
const MaxDescription = 4096

// DisputeResult is the state of a dispute after a request.
type DisputeResult struct {
	Case disputes.Case
	// Problem is why the dispute was not accepted, and what to do. Case is then the existing
	// dispute, if there is one.
	Problem  string
	Replayed bool // the request had come before
	// URL is from where it can be fetched once more, until URLExpires, where that was decided;
	// empty otherwise.
	URL        string
	URLExpires time.Time
}

// Explanation says why the dispute stands where it does.
func (h *DisputeResult) Explanation() string { return disputes.Explain(h.Case.Rule) }

// DisputeRules are the periods of disputes. A zero field means the default that its comment names.
type DisputeRules struct {
	Wait      time.Duration // for evidence, before tier 2 decides; 12 hours
	Appeal    time.Duration // after a decision, until it is final; 7 days
	Refetch   time.Duration // in which what is delivered again may be fetched; 24 hours
	Retention time.Duration // of what buyers write of a dispute, after it is final; 90 days
}

func (r DisputeRules) filled() DisputeRules {
	const day = 24 * time.Hour
	return DisputeRules{cmp.Or(r.Wait, 12*time.Hour), cmp.Or(r.Appeal, 7*day), cmp.Or(r.Refetch, day),
		cmp.Or(r.Retention, 90*day)}
}

// maxAppeals is how many appeals there are of one dispute.
const maxAppeals = 1

// Dispute takes up a dispute, once, or says where it stands: what evidence decides at once is
// decided and paid back in one transaction with the entries in the ledger. The error is
// fail.NotFound for a transaction that is not the buyer's, fail.Invalid for one whose billing_id is
// another, ErrRequestConflict for another request under its id, or any other, which is ours.
func (s *Service) Dispute(ctx context.Context, r DisputeRequest) (*DisputeResult, error) {
	for raced := false; ; {
		now := s.deps.Now().UTC().Truncate(time.Microsecond)
		l, err := s.hear(ctx, r, raced)
		if err != nil {
			return nil, err
		}
		switch {
		case l.out != nil:
		case r.Appeal != "":
			l.out, err = s.appeal(ctx, r, l, now)
		default:
			l.out, err = s.takeUp(ctx, r, l, now)
		}
		if errors.Is(err, errRaced) {
			raced = true
			continue
		}
		if err == nil {
			err = s.deps.Fault("dispute heard")
		}
		if err != nil {
			return nil, err
		}
		s.again(ctx, r.FetchAt, l.sale, l.out, now)
		return l.out, nil
	}
}

// disputeRecord is what is on record of a dispute that somebody files.
type disputeRecord struct {
	sale    transactions.Transaction
	known   disputes.Case // the one that there is
	is      bool          // there is one
	records []disputes.Record
	out     *DisputeResult // the answer, where there is no more to do
}

// hear looks up what a request is about. Of a transaction without a dispute most requests are new,
// so that those that came before are looked through only where one was found when it was recorded:
// sure says that.
func (s *Service) hear(ctx context.Context, r DisputeRequest, sure bool) (l disputeRecord, err error) {
	err = s.deps.DB.View(ctx, func(tx *store.Tx) error {
		l = disputeRecord{}
		var ok bool
		if l.sale, ok, err = transactions.FindTransaction(ctx, tx, r.Transaction); err != nil {
			return err
		}
		if !ok {
			return errNotTheirs
		}
		if may, err := speaksFor(ctx, tx, r.By, l.sale); err != nil || !may {
			return orTheirs(err)
		}
		switch {
		case r.Billing != l.sale.Billing:
			return fail.New(fail.Invalid, "billing_id: it is not that of the transaction; it stands beside "+
				"transaction_id in the answer to the purchase")
		}
		if l.known, l.is, err = disputes.FindByTransaction(ctx, tx, l.sale.ID); err != nil {
			return err
		}
		var before disputes.Request
		known := false
		if sure || l.is || l.problem(r) != "" {
			if before, known, err = disputes.FindRequest(ctx, tx, l.sale.Buyer, r.ID); err != nil {
				return err
			}
		}
		if known {
			if before.Digest != r.Digest || before.Dispute != l.known.ID {
				return ErrRequestConflict
			}
			l.out = &DisputeResult{Case: l.known, Replayed: true}
			return nil
		}
		if problem := l.problem(r); problem != "" {
			l.out = &DisputeResult{Case: l.known, Problem: problem}
			return nil
		}
		l.records, err = recordsOf(ctx, tx, l.sale)
		return err
	})
	return l, err
}

// problem says why a dispute is not taken up.
func (l *disputeRecord) problem(r DisputeRequest) string {
	switch {
	case l.sale.Failed:
		return "nothing to dispute: this transaction was taken back, and nothing was charged for it"
	case l.sale.Report.ID == "":
		return "report_id: no use of this transaction was reported; report it first, also that nothing could be used " +
			"of it, and dispute it with the report_id of the answer"
	case l.sale.Report.ID != r.Report:
		return "report_id: it is not that of the report on this transaction; it stands in the answer to the report"
	case r.Appeal == "" && l.is:
		return "already disputed: of this transaction there is the dispute " + l.known.ID + "; to appeal against its " +
			"decision, name it in ext[\"ramp.appeal\"]"
	case r.Appeal != "" && (!l.is || l.known.ID != r.Appeal):
		return "ramp.appeal: there is no such dispute of this transaction"
	}
	return ""
}

// recordsOf gives what is on record of fetches under a transaction.
func recordsOf(ctx context.Context, tx *store.Tx, t transactions.Transaction) (all []disputes.Record, err error) {
	deliveries, err := transactions.DeliveriesUnder(ctx, tx, t.ID)
	if err != nil {
		return nil, err
	}
	for _, one := range deliveries {
		if one.State == transactions.DeliveryBegun { // nobody knows yet what comes of it
			continue
		}
		r := disputes.Record{
			Source: "delivery", ID: one.ID, At: one.At, Status: one.Status, Bytes: one.Bytes, Announced: one.Announced,
			Plain: one.By == "", Cut: one.State == transactions.DeliveryCut,
			Seconds: one.Seconds,
		}
		if one.By != "" {
			r.Source = "edge"
		}
		if one.Whole || one.Status == 200 && !r.Cut {
			r.Sum = hex.EncodeToString(one.Sum)
		}
		all = append(all, r)
	}
	refusals, err := transactions.Refusals(ctx, tx, t.ID)
	if err != nil {
		return nil, err
	}
	for _, one := range refusals {
		all = append(all, disputes.Record{Source: "refusal", ID: fmt.Sprint(one.N), At: one.At, Status: one.Status,
			Expired: one.Expired})
	}
	logged, err := accesslog.LoggedUnder(ctx, tx, t.ID)
	for i, one := range logged {
		if one.Status == 0 { // who asked went away before there was an answer
			continue
		}
		all = append(all, disputes.Record{
			Source: "log", ID: fmt.Sprint(i + 1), At: one.At, Status: one.Status, Bytes: one.Bytes, Cut: one.Cut,
			Sum:     hex.EncodeToString(one.Sum),
			Expired: !one.At.Before(t.Expires) && (one.Status == http.StatusForbidden || one.Status == http.StatusGone),
		})
	}
	return all, err
}

// promised is what of an offer's document disputes are decided by.
type promised struct {
	Package struct {
		Seller string `json:"seller"`
	} `json:"package"`
	Pricing struct {
		Quantity int64  `json:"estimated_quantity"`
		Unit     string `json:"unit"`
	} `json:"pricing"`
	Identity struct {
		Hash       string `json:"content_hash"`
		Method     string `json:"hash_method"`
		Mutability string `json:"resource_mutability"`
	} `json:"identity"`
	Attestations []struct {
		Verifier string         `json:"verifier"`
		At       time.Time      `json:"attested_at"`
		Claims   map[string]any `json:"claims"`
	} `json:"attestations"`
}

// facts are what an offer's document says of a dispute: what was promised, and who attests it. The
// attestations of an offer held when it was made, and count as they did then, whatever has become
// of their keys (RAMP v1, attestation levels). What of their claims is not as RAMP has it claims
// nothing.
func facts(t transactions.Transaction, c *disputes.Case, records []disputes.Record, now time.Time) disputes.Facts {
	var o promised
	if err := json.Unmarshal(t.Document, &o); err != nil {
		o = promised{} // what cannot be read promises nothing: no hash and no number of tokens decides then
	}
	f := disputes.Facts{
		Reason:     c.Reason,
		Mutability: strings.ToLower(strings.TrimPrefix(o.Identity.Mutability, "RESOURCE_MUTABILITY_")),
		Prefers:    c.Prefers, Reported: -1, Made: t.Made, Records: records, Rates: disputes.NoRates, Now: now,
	}
	if o.Pricing.Unit == policy.UnitTokens || o.Pricing.Unit == "" {
		f.Estimate = o.Pricing.Quantity
	}
	provider := "" // with the port that it is at, if it has one
	if canonical, err := catalog.Canonical(t.URI); err == nil {
		provider = hostOf(canonical)
	}
	offered, _ := contenthash.Parse(o.Identity.Hash, o.Identity.Method)
	promised := map[contenthash.Method]contenthash.Hash{offered.Method: offered}
	for _, a := range o.Attestations {
		level := ramp.LevelThirdParty
		if strings.EqualFold(a.Verifier, o.Package.Seller) || strings.EqualFold(a.Verifier, provider) {
			level = ramp.LevelSelf
		}
		text, _ := a.Claims["content_hash"].(string)
		claimed, known := contenthash.Parse(text, "")
		if level == ramp.LevelSelf && known {
			f.Own = true
			if promised[claimed.Method] = claimed; claimed.Method == contenthash.SHA256 {
				f.Attested = a.At
			}
		}
		if level == ramp.LevelThirdParty && (text == "" || offered.Holds(claimed)) && a.At.After(f.Agrees) {
			f.Agrees = a.At
		}
		if n, ok := a.Claims["estimated_quantity"].(float64); ok && n >= 1 && n < 1<<53 && level >= f.Level {
			f.Estimate = int64(n) // of those that are trusted most
		}
		f.Level = max(f.Level, level)
	}
	received := contenthash.Hash{Method: contenthash.Method(c.Method), Digits: c.Hash}
	f.Offered, f.Received = promised[contenthash.SHA256].Digits, received.In(contenthash.SHA256)
	near := promised[contenthash.SimHash]
	f.Fuzzy = near.Digits != "" && received.In(contenthash.SimHash) != "" && !near.Holds(received)
	if t.Unit == policy.UnitTokens || t.Unit == "" && t.Method != transactions.Streaming {
		f.Reported = t.Report.Consumed
	}
	if t.Unit == policy.UnitMinutes {
		f.Minutes = t.Estimate
	}
	c.Level, c.Mutability = f.Level, f.Mutability
	return f
}

// takeUp files a dispute, and decides it at once where the evidence does.
func (s *Service) takeUp(ctx context.Context, r DisputeRequest, l disputeRecord, now time.Time) (*DisputeResult,
	error) {
	t := l.sale
	c := disputes.Case{
		ID: transactions.NewID("dsp", now), Transaction: t.ID, Buyer: t.Buyer, Site: t.Site, Billing: t.Billing,
		Report: t.Report.ID, Request: r.ID, Reason: r.Reason,
		Description: r.Description, Filed: now,
	}
	c.Hash, c.Method = r.Hash.Digits, string(r.Hash.Method)
	if r.Redelivery {
		c.Prefers = disputes.Redelivery
	}
	f := facts(t, &c, l.records, now)
	if err := s.lookInto(ctx, t, &f); err != nil {
		return nil, err
	}
	v := disputes.Tier1(f)
	c.Short = v.Short
	m := moving{case_: c, sale: t, now: now}
	m.step(disputes.Filed, disputes.ByBuyer, disputes.Verdict{})
	if v.Resolution != "" {
		m.tier = 1
		m.step(disputes.AutoResolved, disputes.ByRule, v)
	} else {
		m.step(disputes.EvidenceNeeded, disputes.ByRule, v)
	}
	out, err := s.deps.Cases.move(ctx, &m, func(ctx context.Context, tx *store.Tx) (bool, error) {
		fresh, err := disputes.PutRequest(ctx, tx, t.Buyer, r.ID,
			disputes.Request{Digest: r.Digest, Dispute: m.case_.ID, Made: now})
		if err != nil || !fresh {
			return false, err
		}
		return disputes.Put(ctx, tx, m.case_, m.steps)
	})
	return &DisputeResult{Case: out}, err
}

// appeal takes an appeal against a decision that did not pay everything back: with new evidence,
// once, and in time.
func (s *Service) appeal(ctx context.Context, r DisputeRequest, l disputeRecord, now time.Time) (*DisputeResult,
	error) {
	c := l.known
	problem := ""
	switch {
	case c.Status.Open():
		problem = "ramp.appeal: this dispute is not decided yet; send the request that filed it again to hear " +
			"when it is"
	case !c.Status.May(disputes.Appealed) || !now.Before(c.Due):
		problem = "ramp.appeal: this dispute is final"
	case c.Resolution == disputes.Credit:
		problem = "ramp.appeal: this dispute was decided for you"
	case c.Appeals >= maxAppeals:
		problem = "ramp.appeal: there was an appeal against this decision already"
	case (r.Hash.Digits == "" || r.Hash.Digits == c.Hash) && (r.Description == "" || r.Description == c.Description):
		problem = "ramp.appeal: it brings nothing new; tell received_content_hash, or in description what speaks for it"
	}
	if problem != "" {
		return &DisputeResult{Case: c, Problem: problem}, nil
	}
	m := moving{case_: c, was: c, sale: l.sale, now: now}
	if r.Hash.Digits != "" {
		m.case_.Hash, m.case_.Method = r.Hash.Digits, string(r.Hash.Method)
	}
	m.case_.Description, m.case_.Appeals = cmp.Or(r.Description, c.Description), c.Appeals+1
	m.step(disputes.Appealed, disputes.ByBuyer, disputes.Verdict{Rule: disputes.RuleReview})
	out, err := s.deps.Cases.move(ctx, &m, func(ctx context.Context, tx *store.Tx) (bool, error) {
		fresh, err := disputes.PutRequest(ctx, tx, c.Buyer, r.ID,
			disputes.Request{Digest: r.Digest, Dispute: c.ID, Made: now})
		if err != nil || !fresh {
			return false, err
		}
		return disputes.Advance(ctx, tx, m.was, m.case_, m.steps)
	})
	return &DisputeResult{Case: out}, err
}

// moving is a dispute on its way.
type moving struct {
	case_  disputes.Case // as it is going to be
	was    disputes.Case // as it was read; the zero value for one that is new
	sale   transactions.Transaction
	now    time.Time
	tier   int   // that decides
	amount int64 // to give back; 0 for all
	steps  []disputes.Step
}

// step moves it on.
func (m *moving) step(to disputes.Status, by string, v disputes.Verdict) {
	m.steps = append(m.steps, disputes.Step{
		Dispute: m.case_.ID, N: m.was.Steps + len(m.steps) + 1, At: m.now, From: m.case_.Status, To: to, By: by,
		Resolution: v.Resolution, Rule: v.Rule, Evidence: v.Evidence,
	})
	c := &m.case_
	c.Status, c.Changed, c.Steps = to, m.now, m.was.Steps+len(m.steps)
	if v.Rule != "" {
		c.Rule = v.Rule
	}
	if v.Resolution != "" {
		c.Resolution, c.Tier = v.Resolution, m.tier
	}
}

// disputeBody is the body of a ledger entry of kind "dispute". What the buyer wrote is not in it.
type disputeBody struct {
	Appeals    int                 `json:"appeals,omitzero"`
	By         string              `json:"by"`
	Consulted  []disputes.Evidence `json:"consulted,omitempty"`
	Credit     string              `json:"credit,omitempty"`
	Currency   string              `json:"currency,omitempty"`
	Dispute    string              `json:"dispute_id"`
	From       string              `json:"from,omitempty"`
	Level      int                 `json:"attestation_level"`
	Mutability string              `json:"mutability,omitempty"`
	Reason     string              `json:"reason"`
	Hash       string              `json:"received_sha256,omitempty"`
	Similarity string              `json:"received_simhash,omitempty"`
	Report     string              `json:"report_id"`
	Resolution string              `json:"resolution,omitempty"`
	Rule       string              `json:"rule,omitempty"`
	Status     string              `json:"status"`
	Step       int                 `json:"step"`
}

const kindDispute = "dispute"

// move makes the steps of a dispute durable, with what they bring: what is given back, and an entry
// in the ledger for each. put writes the dispute itself, and says whether it could. The error is
// errRaced, and nothing is done, where somebody else moved it.
func (cs *Cases) move(ctx context.Context, m *moving,
	put func(context.Context, *store.Tx) (bool, error)) (disputes.Case, error) {
	c := &m.case_
	credits := c.Resolution == disputes.Credit && m.was.Resolution != disputes.Credit
	cs.schedule(m)
	update := cs.deps.DB.Update
	if credits { // which moves a balance
		update = func(ctx context.Context, fn func(*store.Tx) error) error {
			return cs.deps.DB.UpdateBatched(ctx, accounts.Locks(cs.deps.Accounts, m.sale.Buyer), fn)
		}
	}
	err := update(ctx, func(tx *store.Tx) (err error) {
		if credits {
			if c.Credit, c.Currency, err = cs.giveBack(ctx, tx, m); err != nil {
				return cs.unlessMoved(ctx, tx, m, err)
			}
		}
		for i := range m.steps {
			if m.steps[i].Entry, err = cs.stepEntry(ctx, tx, m, m.steps[i], i == len(m.steps)-1); err != nil {
				return err
			}
		}
		if err := cs.deps.Fault("dispute recorded"); err != nil {
			return err
		}
		ok, err := put(ctx, tx)
		if err == nil && !ok {
			err = errRaced
		}
		return err
	})
	if err == nil {
		err = cs.deps.Fault("disputed")
	}
	return *c, err
}

// schedule says when time moves a dispute on from where it stands.
func (cs *Cases) schedule(m *moving) {
	c, rules := &m.case_, cs.disputeRules()
	switch c.Status {
	case disputes.EvidenceNeeded:
		if c.Due = m.now.Add(rules.Wait); c.Rule != disputes.RuleNoRecord {
			c.Due = m.now
		}
	case disputes.Appealed, disputes.UnderReview, disputes.Settled:
		c.Due = m.now
	case disputes.AutoResolved, disputes.Resolved:
		c.Due = m.now.Add(rules.Appeal)
	default:
		c.Due = time.Time{}
	}
	if c.Resolution == disputes.Redelivery && m.was.Resolution != disputes.Redelivery {
		c.RefetchUntil = m.now.Add(rules.Refetch)
	}
}

func (cs *Cases) disputeRules() DisputeRules { return cs.deps.Rules().filled() }

// unlessMoved is why a dispute cannot be paid back, or errRaced where somebody else has moved it:
// most likely then it was paid back by them.
func (cs *Cases) unlessMoved(ctx context.Context, tx *store.Tx, m *moving, failed error) error {
	if steps, err := disputes.CountSteps(ctx, tx, m.sale.ID); err == nil && steps != m.was.Steps {
		return errRaced
	}
	return failed
}

// giveBack pays back what was disputed, and closes the transaction where that is all of it. It
// reads before it writes: PostgreSQL then takes what is written at once.
func (cs *Cases) giveBack(ctx context.Context, tx *store.Tx, m *moving) (given int64, currency string, err error) {
	whole := m.amount == 0
	if whole {
		err = counts.Refund(ctx, tx, m.sale.ID)
	}
	if err != nil {
		return 0, "", err
	}
	given, left, err := cs.deps.Accounts.Credit(ctx, tx, m.sale.ID, m.amount, m.now)
	if err != nil {
		return 0, "", err
	}
	if err := cs.deps.Fault("dispute credited"); err != nil {
		return 0, "", err
	}
	if left.State == accounts.Released {
		err = transactions.MarkRefunded(ctx, tx, m.sale.ID, m.case_.ID)
		if err == nil && !whole { // it was all by its amount
			err = counts.Refund(ctx, tx, m.sale.ID)
		}
	}
	return given, left.Currency, err
}

// stepEntry puts a step of a dispute into the ledger, and beside its transaction.
func (cs *Cases) stepEntry(ctx context.Context, tx *store.Tx, m *moving, s disputes.Step, last bool) (id string,
	err error) {
	c, t := &m.case_, m.sale
	body := disputeBody{
		Appeals: c.Appeals, By: s.By, Consulted: s.Evidence, Dispute: c.ID, From: string(s.From), Level: c.Level,
		Mutability: c.Mutability, Reason: string(c.Reason),
		Report: c.Report, Resolution: string(s.Resolution), Rule: s.Rule, Status: string(s.To), Step: s.N,
	}
	if body.Hash = c.Hash; c.Method == string(contenthash.SimHash) {
		body.Hash, body.Similarity = "", c.Hash
	}
	if last && s.Resolution == disputes.Credit && c.Currency != "" {
		body.Credit, body.Currency = policy.Amount(c.Credit), c.Currency
	}
	e := receipt.Entry{Time: s.At, Site: t.Site, Kind: kindDispute, Party: "requester:" + t.Buyer, Subject: t.ID,
		Request: c.Request}
	if e.Body, err = json.Marshal(body, json.Deterministic(true)); err != nil {
		return "", fmt.Errorf("write an entry's body: %w", err)
	}
	if id, err = cs.deps.Ledger.Append(ctx, tx, e); err != nil {
		return "", err
	}
	return id,
		transactions.PutEvent(ctx, tx, transactions.Event{Transaction: t.ID, Entry: id, Kind: kindDispute, At: s.At})
}

// again makes the address from which something is fetched once more, as long as that was decided:
// each time another, of the usual life.
func (s *Service) again(ctx context.Context, at string, t transactions.Transaction, out *DisputeResult, now time.Time) {
	if out.Case.Resolution != disputes.Redelivery || !now.Before(out.Case.RefetchUntil) || at == "" {
		return
	}
	t.Expires = earlier(now.Add(s.deps.AddressLife), out.Case.RefetchUntil).Truncate(time.Second)
	url, err := s.signAddress(ctx, at, t)
	if err != nil {
		s.deps.Log.Error("what is to be delivered again has no address now; it is made when the dispute is asked "+
			"for again", "error", err)
		return
	}
	out.URL, out.URLExpires = url, t.Expires
}

// earlier is the earlier of a time and now, as times are kept.
func earlier(t, now time.Time) time.Time {
	if t.After(now) {
		return now
	}
	return t.UTC().Truncate(time.Microsecond)
}
