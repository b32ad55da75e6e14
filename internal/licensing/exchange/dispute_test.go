package exchange_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"frontdesk/internal/identity/requesters"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/licensing/delivery"
	"frontdesk/internal/licensing/disputes"
	"frontdesk/internal/licensing/exchange"
	"frontdesk/internal/licensing/transactions"
	"frontdesk/wire/contenthash"
	"frontdesk/wire/edge"
)

// reported is something that was bought, and reported; and what disputes it.
func (d *dealer) reported(t testing.TB, path string, consumed int64,
	reason exchange.DisputeReason) (exchange.ItemResult, exchange.DisputeRequest) {
	t.Helper()
	item := d.BuyAt(t, path)
	filed := d.filed(t, report(item, consumed))
	return item, d.against(item, filed.ID, reason)
}

// against disputes a purchase, under an id that is new.
func (d *dealer) against(item exchange.ItemResult, report string,
	reason exchange.DisputeReason) exchange.DisputeRequest {
	return sealed(exchange.DisputeRequest{
		By: &bot, ID: fmt.Sprint("dispute-", d.disputes.Add(1)), Transaction: item.Transaction.ID,
		Billing: item.Transaction.Billing, Report: report, Reason: reason,
		FetchAt: "https://site.example/deliver/",
	})
}

func sealed(r exchange.DisputeRequest) exchange.DisputeRequest {
	r.Digest = sha256.Sum256(fmt.Append(nil, r.ID, r.Transaction, r.Reason, r.Hash, r.Appeal, r.Description))
	return r
}

func (d *dealer) heard(t testing.TB, r exchange.DisputeRequest) *exchange.DisputeResult {
	t.Helper()
	h, err := d.Dispute(context.Background(), r)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// log has the log of a CDN say what was answered under a purchase.
func (d *dealer) log(t testing.TB, item exchange.ItemResult, records ...disputes.Record) {
	t.Helper()
	d.Write(t, func(ctx context.Context, tx *store.Tx) error {
		for i, r := range records {
			if _, err := tx.Exec(ctx, `INSERT INTO evidence_line (txn, digest, site, source, place, at, status, bytes, bound, cut, cache, stray) VALUES ($1, $2, 'site', 'cdn', '', $3, $4, $5, 0, 0, '', 0)`,
				item.Transaction.ID, []byte{byte(i)}, store.Micros(d.Clock.Now()), r.Status, r.Bytes); err != nil {
				return err
			}
		}
		return nil
	})
}

var (
	cdn404 = disputes.Record{Source: "cdn", ID: "1", Status: 404}
	cdn503 = disputes.Record{Source: "cdn", ID: "2", Status: 503}
	cdn200 = disputes.Record{Source: "cdn", ID: "3", Status: 200, Bytes: 40_000}
)

// stands says where a dispute stands, in a line.
func stands(c disputes.Case) string {
	return fmt.Sprintf("%s %s by %s", c.Status, c.Resolution, c.Rule)
}

// TestADisputeIsDecidedAtOnce credits what evidence decides, once, with an entry for each step, and
// answers the same when it is asked again.
func TestADisputeIsDecidedAtOnce(t *testing.T) {
	t.Parallel()
	d := shop(t)
	for _, path := range []string{"a/1", "t/1"} {
		before := d.Balance(t)
		item, r := d.reported(t, path, 900, disputes.DeliveryFailed)
		d.log(t, item, cdn404)
		r.Description = "Jane Doe saw an error"
		r = sealed(r)
		h := d.heard(t, r)
		if h.Problem != "" || h.Replayed || stands(h.Case) != "auto_resolved credit by status" || h.Case.Tier != 1 ||
			h.Case.Currency != "USD" {
			t.Fatalf("%s: %+v", path, h)
		}
		if b := d.Balance(t); b.Available != before.Available || b.Earned != before.Earned || b.Held != 0 ||
			h.Case.Credit == 0 {
			t.Errorf("%s: %+v, before %+v, credit %d", path, b, before, h.Case.Credit)
		}
		again := d.heard(t, r)
		if !again.Replayed || again.Case != h.Case && stands(again.Case) != stands(h.Case) {
			t.Errorf("%+v", again)
		}
		other := r
		other.Description = "another"
		if _, err := d.Dispute(t.Context(), sealed(other)); !errors.Is(err, exchange.ErrRequestConflict) {
			t.Errorf("another request under its id: %v", err)
		}
		twice := d.heard(t, d.against(item, r.Report, disputes.WrongContent))
		if !strings.HasPrefix(twice.Problem, "already disputed") || twice.Case.ID != h.Case.ID {
			t.Errorf("%+v", twice)
		}
		if kept := d.transaction(t, item.Transaction.ID); kept.Disputed != h.Case.ID {
			t.Errorf("%+v", kept)
		}
		query := d.Opens(t, item.Transaction.ID, item.Transaction.Agent)
		if _, err := d.Delivery.Fetch(t.Context(), "https://site.example/deliver/", item.Transaction.ID,
			query); fail.From(err).Code != fail.Forbidden {
			t.Errorf("what was paid back can be fetched: %v", err)
		}
	}
	entries := d.Entries(t, "dispute")
	if len(entries) != 4 {
		t.Fatalf("%d entries", len(entries))
	}
	if text := fmt.Sprint(entries); strings.Contains(text, "Jane") || !strings.Contains(text, "auto_resolved") ||
		!strings.Contains(text, "status 404") {
		t.Errorf("%s", text)
	}
	d.CheckInvariants(t)
}

// TestWhatIsNotDisputed refuses disputes without what they need, and writes nothing.
func TestWhatIsNotDisputed(t *testing.T) {
	t.Parallel()
	d := shop(t)
	item := d.BuyAt(t, "a/1")
	if h := d.heard(t, d.against(item, "rep-1", disputes.DeliveryFailed)); !strings.Contains(h.Problem,
		"report it first") || h.Case.ID != "" {
		t.Errorf("%+v", h)
	}
	filed := d.filed(t, report(item, 5))
	if h := d.heard(t, d.against(item, "rep-1", disputes.DeliveryFailed)); !strings.Contains(h.Problem,
		"not that of the report") {
		t.Errorf("%+v", h)
	}
	ok := d.against(item, filed.ID, disputes.DeliveryFailed)
	for name, c := range map[string]struct {
		change func(*exchange.DisputeRequest)
		code   fail.Code
	}{
		"another's": {func(r *exchange.DisputeRequest) {
			r.By = &requesters.Requester{Domain: "other.example", ID: "bot"}
		}, fail.NotFound},
		"no purchase":   {func(r *exchange.DisputeRequest) { r.Transaction = "txn-1" }, fail.NotFound},
		"no such bill":  {func(r *exchange.DisputeRequest) { r.Billing = "bill-1" }, fail.Invalid},
		"nobody's word": {func(r *exchange.DisputeRequest) { r.By, r.Billing = nil, "bill-1" }, fail.Invalid},
	} {
		r := ok
		c.change(&r)
		if _, err := d.Dispute(t.Context(), r); fail.From(err).Code != c.code {
			t.Errorf("%s: %v", name, err)
		}
	}
	ok.Appeal = "dsp-1"
	if h := d.heard(t, ok); !strings.Contains(h.Problem, "no such dispute") {
		t.Errorf("%+v", h)
	}
	if n := d.Rows(t, "dispute_case") + d.Rows(t, "dispute_request"); n != 0 || len(d.Entries(t, "dispute")) != 0 {
		t.Errorf("%d rows of what was not taken up", n)
	}
}

// TestADisputeWaitsForEvidence lets tier 2 decide once there is some, or the time for it is over.
func TestADisputeWaitsForEvidence(t *testing.T) {
	t.Parallel()
	d := shop(t)
	early, r1 := d.reported(t, "a/1", 0, disputes.DeliveryFailed)
	_, r2 := d.reported(t, "a/2", 0, disputes.DeliveryFailed)
	for _, r := range []exchange.DisputeRequest{r1, r2} {
		if h := d.heard(t, r); stands(h.Case) != "evidence_needed  by no_record" {
			t.Fatalf("%+v", h)
		}
	}
	review := func() {
		t.Helper()
		if err := d.MaintainOnce(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	review()
	if h := d.heard(t, r1); h.Case.Status != disputes.EvidenceNeeded {
		t.Errorf("%+v", h)
	}
	// An edge that was away tells what it answered.
	now := d.Clock.Now()
	if _, err := d.Delivery.Delivered(t.Context(), delivery.Edge{Name: "edge", Sites: []string{"site"}},
		edge.Batch{Deliveries: []edge.Delivery{{
			ID: "1", Transaction: early.Transaction.ID, Agent: early.Transaction.Agent, URI: "https://site.example/a/1",
			Form: "hmac", State: edge.Ended,
			Announced: 19, Bytes: 40_000, At: now.Add(-time.Minute), Status: 200, SHA256: strings.Repeat("ab", 32),
			Ended: now.Add(-time.Second),
		}}}); err != nil {
		t.Fatal(err)
	}
	review()
	if h := d.heard(t, r1); stands(h.Case) != "resolved rejected by delivered" {
		t.Errorf("%+v", h)
	}
	if h := d.heard(t, r2); h.Case.Status != disputes.EvidenceNeeded {
		t.Errorf("%+v", h)
	}
	d.Clock.Advance(12 * time.Hour)
	review()
	if h := d.heard(t, r2); stands(h.Case) != "resolved rejected by no_record" {
		t.Errorf("%+v", h)
	}
	d.Clock.Advance(7 * 24 * time.Hour)
	review()
	if h := d.heard(t, r2); stands(h.Case) != "final rejected by no_record" || h.Case.Resolution != disputes.Rejected {
		t.Errorf("%+v", h)
	}
	if steps := len(d.Entries(t, "dispute")); steps != 2*5 {
		t.Errorf("%d entries", steps)
	}
	d.CheckInvariants(t)
}

// TestWhatIsDeliveredAgain gives an address for what broke off, which charges nothing, for as long
// as that was decided.
func TestWhatIsDeliveredAgain(t *testing.T) {
	t.Parallel()
	d := shop(t)
	item, r := d.reported(t, "a/1", 0, disputes.DeliveryFailed)
	d.log(t, item, cdn503)
	r.Redelivery = true
	before := d.Balance(t)
	h := d.heard(t, r)
	if stands(h.Case) != "auto_resolved redelivery by status" || h.URL == "" || !h.URLExpires.After(d.Clock.Now()) {
		t.Fatalf("%+v", h)
	}
	d.Clock.Advance(time.Hour)
	h = d.heard(t, r)
	path, query, _ := strings.Cut(strings.TrimPrefix(h.URL, "https://site.example/deliver/"), "?")
	text, _, err := d.Delivers(t.Context(), "https://site.example/deliver/", path, query)
	if err != nil || !strings.Contains(text, "One two") {
		t.Errorf("%q, %v", text, err)
	}
	if b := d.Balance(t); b != before {
		t.Errorf("%+v, before %+v", b, before)
	}
	d.Clock.Advance(24 * time.Hour)
	if h = d.heard(t, r); h.URL != "" {
		t.Errorf("%+v", h)
	}
	d.CheckInvariants(t)
}

// TestOwnRecordsDecide disputes what this front desk has refused itself: what was gone, and what
// was fetched too late.
func TestOwnRecordsDecide(t *testing.T) {
	t.Parallel()
	d := shop(t)
	item := d.BuyAt(t, "a/1")
	query := item.URL[strings.Index(item.URL, "?")+1:]
	d.Clock.Advance(6 * time.Minute)
	for range 30 {
		if _, err := d.Delivery.Fetch(t.Context(), "https://site.example/deliver/", item.Transaction.ID,
			query); fail.From(err).Code != fail.Forbidden {
			t.Fatal(err)
		}
	}
	if n := d.Rows(t, "deal_refusal"); n != 20 {
		t.Errorf("%d refusals", n)
	}
	filed := d.filed(t, report(item, 0))
	if h := d.heard(t, d.against(item, filed.ID, disputes.ExpiredBeforeFetch)); stands(h.Case) != "auto_resolved "+
		"credit by expired" {
		t.Errorf("%+v", h)
	}
	gone := d.BuyAt(t, "a/2")
	d.Reopen(t, "elsewhere")
	query = gone.URL[strings.Index(gone.URL, "?")+1:]
	if _, err := d.Delivery.Fetch(t.Context(), "https://site.example/deliver/", gone.Transaction.ID,
		query); fail.From(err).Code != fail.NotFound {
		t.Errorf("what was bought is still there: %v", err)
	}
	d.Reopen(t, "site")
	filed = d.filed(t, report(gone, 0))
	if h := d.heard(t, d.against(gone, filed.ID, disputes.DeliveryFailed)); stands(h.Case) != "auto_resolved credit "+
		"by status" {
		t.Errorf("%+v", h)
	}
	d.CheckInvariants(t)
}

// TestAnAppealIsLookedAtByAPerson takes one appeal, with something new, in time; what the rules
// reject again is the operator's.
func TestAnAppealIsLookedAtByAPerson(t *testing.T) {
	t.Parallel()
	d := shop(t)
	item, r := d.reported(t, "a/1", 3, disputes.WrongContent)
	d.log(t, item, cdn200)
	d.heard(t, r)
	if err := d.MaintainOnce(t.Context()); err != nil {
		t.Fatal(err)
	}
	h := d.heard(t, r)
	if stands(h.Case) != "resolved rejected by unsupported" {
		t.Fatalf("%+v", h)
	}
	appeal := d.against(item, r.Report, disputes.WrongContent)
	appeal.Appeal = h.Case.ID
	if h := d.heard(t, sealed(appeal)); !strings.Contains(h.Problem, "nothing new") {
		t.Errorf("%+v", h)
	}
	appeal.Description = "It was a page on something else."
	if h := d.heard(t, sealed(appeal)); stands(h.Case) != "appealed rejected by review" || h.Problem != "" {
		t.Errorf("%+v", h)
	}
	if h := d.heard(t, sealed(appeal)); !h.Replayed {
		t.Errorf("%+v", h)
	}
	if err := d.MaintainOnce(t.Context()); err != nil {
		t.Fatal(err)
	}
	if h = d.heard(t, r); stands(h.Case) != "escalated investigation by appeal" {
		t.Fatalf("%+v", h)
	}
	for _, wrong := range []exchange.Decision{
		{Dispute: "dsp-1", Resolution: disputes.Credit, By: "ann"}, {Dispute: h.Case.ID, Resolution: disputes.Credit},
		{Dispute: h.Case.ID, Resolution: "x", By: "ann"},
		{Dispute: h.Case.ID, Resolution: disputes.Investigation, By: "ann"},
		{Dispute: h.Case.ID, Resolution: disputes.Rejected, Amount: 1, By: "ann"},
		{Dispute: h.Case.ID, Resolution: disputes.Credit, Amount: funds, By: "ann"},
	} {
		if c, err := d.Cases.DecideDispute(t.Context(), wrong); err == nil {
			t.Errorf("%+v: %+v", wrong, c)
		}
	}
	c, err := d.Cases.DecideDispute(t.Context(), exchange.Decision{Dispute: h.Case.ID, Resolution: disputes.Credit,
		Amount: item.Transaction.Amount / 2, By: "ann"})
	if err != nil || stands(c) != "settled credit by operator" || c.Credit != item.Transaction.Amount/2 || c.Tier != 3 {
		t.Errorf("%+v, %v", c, err)
	}
	if _, err := d.Cases.DecideDispute(t.Context(), exchange.Decision{Dispute: h.Case.ID, Resolution: disputes.Credit,
		By: "ann"}); fail.From(err).Code != fail.Invalid {
		t.Errorf("decided twice: %v", err)
	}
	if kept := d.transaction(t, item.Transaction.ID); kept.Disputed != "" {
		t.Error("what was paid back in part is closed")
	}
	if err := d.MaintainOnce(t.Context()); err != nil {
		t.Fatal(err)
	}
	if h = d.heard(t, r); stands(h.Case) != "final credit by operator" {
		t.Errorf("%+v", h)
	}
	_, steps, _, err := disputes.NewReader(d.DB).Dispute(t.Context(), item.Transaction.ID)
	if err != nil || len(steps) != 9 || steps[7].By != "operator:ann" {
		t.Errorf("%+v, %v", steps, err)
	}
	d.CheckInvariants(t)
}

// TestWhoDisputesTooMuchIsLookedAt hands over what a buyer disputes that disputes more than a part
// of what it buys.
func TestWhoDisputesTooMuchIsLookedAt(t *testing.T) {
	t.Parallel()
	d := shop(t)
	var all []exchange.DisputeRequest
	for range 5 {
		_, r := d.reported(t, "a/1", 3, disputes.WrongContent)
		d.heard(t, r)
		all = append(all, r)
	}
	d.Clock.Advance(12 * time.Hour)
	if err := d.MaintainOnce(t.Context()); err != nil {
		t.Fatal(err)
	}
	if h := d.heard(t, all[0]); stands(h.Case) != "escalated investigation by agent_rate" {
		t.Errorf("%+v", h)
	}
}

// TestADisputeIsDecidedOnce has agents dispute, appeal, decide and review the same at once, on
// several desks: one decision is made, and one credit.
func TestADisputeIsDecidedOnce(t *testing.T) {
	t.Parallel()
	d := shop(t)
	const purchases, each = 6, 4
	var items []exchange.ItemResult
	var reports []string
	for range purchases {
		item := d.BuyAt(t, "t/1")
		filed := d.filed(t, report(item, 900))
		items, reports = append(items, item), append(reports, filed.ID)
		d.log(t, item, cdn404)
	}
	var wg sync.WaitGroup
	accepted := make([][]string, purchases)
	var mu sync.Mutex
	for i := range items {
		for range each {
			wg.Go(func() {
				h, err := d.Dispute(context.Background(), d.against(items[i], reports[i], disputes.DeliveryFailed))
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				defer mu.Unlock()
				if h.Problem == "" {
					accepted[i] = append(accepted[i], h.Case.ID)
				}
			})
		}
		wg.Go(func() {
			if err := d.ReviewDisputes(context.Background()); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for i, all := range accepted {
		if len(all) != 1 {
			t.Errorf("purchase %d has the disputes %v", i, all)
		}
	}
	if b := d.Balance(t); b.Available != funds || b.Earned != 0 {
		t.Errorf("%+v", b)
	}
	d.CheckInvariants(t)
}

// TestTheOperatorAndTheRulesDecideOnce has both decide what is due, at once.
func TestTheOperatorAndTheRulesDecideOnce(t *testing.T) {
	t.Parallel()
	d := shop(t)
	for range 4 {
		item, r := d.reported(t, "a/1", 3, disputes.WrongContent)
		id := d.heard(t, r).Case.ID
		d.Clock.Advance(12 * time.Hour)
		var wg sync.WaitGroup
		wg.Go(func() { _ = d.ReviewDisputes(context.Background()) })
		for _, resolution := range []disputes.Resolution{disputes.Credit, disputes.Rejected} {
			wg.Go(func() {
				_, _ = d.Cases.DecideDispute(context.Background(),
					exchange.Decision{Dispute: id, Resolution: resolution, By: "ann"})
			})
		}
		wg.Wait()
		c, steps, _, err := disputes.NewReader(d.DB).Dispute(t.Context(), id)
		if err != nil || c.Status != disputes.Resolved || len(steps) != 4 ||
			(c.Credit > 0) != (c.Resolution == disputes.Credit) ||
			(d.transaction(t, item.Transaction.ID).Disputed != "") != (c.Credit > 0) {
			t.Errorf("%+v, %d steps, %v", c, len(steps), err)
		}
	}
	d.CheckInvariants(t)
}

// TestAFaultOfADisputeLeavesNothing fails at each step, whereupon nothing is kept, and the same
// request is heard as if it were new.
func TestAFaultOfADisputeLeavesNothing(t *testing.T) {
	t.Parallel()
	d := shop(t)
	for _, step := range []string{"dispute credited", "dispute recorded"} {
		item, r := d.reported(t, "t/1", 900, disputes.DeliveryFailed)
		d.log(t, item, cdn404)
		before, rows := d.Balance(t), d.Rows(t, "dispute_step")
		d.Fault = func(at string) error {
			if at == step {
				return errors.New("a fault")
			}
			return nil
		}
		if h, err := d.Dispute(t.Context(), r); err == nil {
			t.Errorf("%s: %+v", step, h)
		}
		d.Fault = nil
		if b := d.Balance(t); b != before || d.Rows(t, "dispute_step") != rows {
			t.Errorf("%s: %+v, before %+v", step, b, before)
		}
		if h := d.heard(t, r); h.Replayed || h.Case.Resolution != disputes.Credit {
			t.Errorf("%s: %+v", step, h)
		}
		d.CheckInvariants(t)
	}
	// And where it did persist, though nobody heard.
	item, r := d.reported(t, "a/1", 4, disputes.DeliveryFailed)
	d.log(t, item, cdn404)
	d.Fault = func(at string) error {
		if at == "disputed" {
			return errors.New("a fault")
		}
		return nil
	}
	if h, err := d.Dispute(t.Context(), r); err == nil {
		t.Errorf("%+v", h)
	}
	d.Fault = nil
	if h := d.heard(t, r); !h.Replayed || h.Case.Resolution != disputes.Credit {
		t.Errorf("%+v", h)
	}
	d.CheckInvariants(t)
}

// TestTheHashOfWhatWasBoughtIsNoMismatch compares what was received with each form of what was
// bought.
func TestTheHashOfWhatWasBoughtIsNoMismatch(t *testing.T) {
	t.Parallel()
	d := shop(t)
	item, r := d.reported(t, "a/1", 4, disputes.ContentMismatch)
	d.log(t, item, cdn200)
	rendition := d.Rendition(t, item, "text/html")
	r.Hash, _ = contenthash.Parse(hex.EncodeToString(rendition.Hash[:]), "")
	if h := d.heard(t, sealed(r)); h.Case.Status != disputes.EvidenceNeeded || h.Case.Rule != disputes.RuleReview {
		t.Errorf("%+v", h)
	}
	if err := d.MaintainOnce(t.Context()); err != nil {
		t.Fatal(err)
	}
	if h := d.heard(t, sealed(r)); h.Case.Resolution != disputes.Rejected {
		t.Errorf("%+v", h)
	}
}

// TestSimilarityIsComparedWithSimilarity decides by simhash-v1 where the offer tells that: texts
// that are near are no mismatch, and one that is far is. Hashes of two methods are not compared.
func TestSimilarityIsComparedWithSimilarity(t *testing.T) {
	t.Parallel()
	near := contenthash.OfSimilarity(0xff)
	for name, c := range map[string]struct {
		identity, method, claim string
		got                     contenthash.Hash
		far                     bool
	}{
		"the same":       {near.Digits, "simhash-v1", "", near, false},
		"near":           {near.Digits, "simhash-v1", "", contenthash.OfSimilarity(0), false},
		"far":            {near.Digits, "simhash-v1", "", contenthash.OfSimilarity(0xffff0000ff), true},
		"another method": {near.Digits, "simhash-v1", "", contenthash.Of(contenthash.SHA256, nil), false},
		"offered as another": {strings.Repeat("00", 32), "sha256", "", contenthash.OfSimilarity(0xffff0000ff),
			false},
		"far from what is attested": {strings.Repeat("00", 32), "sha256", near.String(),
			contenthash.OfSimilarity(0xffff0000ff), true},
		"none": {near.Digits, "simhash-v1", "", contenthash.Hash{}, false},
	} {
		document := fmt.Sprintf(`{"package":{"seller":"a.example"},"identity":{"content_hash":%q,"hash_method":%q,"resource_mutability":"RESOURCE_MUTABILITY_STATIC"},
			"attestations":[{"verifier":"a.example","attested_at":"2026-03-18T09:00:00Z","claims":{"content_hash":%q}},{"verifier":"v.example","attested_at":"2026-03-18T09:00:00Z","claims":{"content_hash":"md5:00"}}]}`,
			c.identity, c.method, c.claim)
		of := &disputes.Case{Reason: disputes.ContentMismatch, Hash: c.got.Digits, Method: string(c.got.Method)}
		sale := transactions.Transaction{}
		sale.Document = []byte(document)
		f := exchange.Facts(sale, of, []disputes.Record{cdn200}, time.Now())
		f.Level = 1
		if v := disputes.Tier1(f); f.Fuzzy != c.far || (v.Rule == disputes.RuleHash) != c.far || !f.Agrees.IsZero() {
			t.Errorf("%s: %+v, %+v", name, f, v)
		}
	}
}

// TestTheBookGivesBackOnce gives back a part of what was charged, and nothing beside.
func TestTheBookGivesBackOnce(t *testing.T) {
	t.Parallel()
	d := shop(t)
	item, _ := d.reported(t, "t/1", 900, disputes.DeliveryFailed)
	charged := d.transaction(t, item.Transaction.ID).Report.Settled
	credit := func(amount int64) (given int64, err error) {
		err = d.DB.Update(t.Context(), func(tx *store.Tx) error {
			given, _, err = d.Book.Credit(t.Context(), tx, item.Transaction.ID, amount, d.Clock.Now())
			return err
		})
		return given, err
	}
	for _, wrong := range []int64{-1, charged + 1} {
		if given, err := credit(wrong); err == nil {
			t.Errorf("%d was given back", given)
		}
	}
	if given, err := credit(charged / 4); err != nil || given != charged/4 {
		t.Errorf("%d, %v", given, err)
	}
	if given, err := credit(0); fail.From(err).Code != fail.Invalid {
		t.Errorf("%d more was given back: %v", given, err)
	}
	if b := d.Balance(t); b.Available != funds-charged+charged/4 {
		t.Errorf("%+v", b)
	}
	d.CheckInvariants(t)
}

// TestACreditGivesBackWhatADelegationCounts has a token that is used up open again once its
// purchase was paid back whole.
func TestACreditGivesBackWhatADelegationCounts(t *testing.T) {
	t.Parallel()
	d := shop(t)
	p := newPrincipal(t, d)
	token := p.token(`user("ceo"); max_accesses(1)`)
	by := p.under(token)
	item := d.Buy(t, p.OrderRequest(by, d.FirstOffer(t, by, "a/1"))).Items[0]
	filed := d.filed(t, report(item, 0))
	p.expect("before the dispute", exchange.QuotaExceeded, p.buys("a/2", token))
	d.log(t, item, cdn503)
	if h := d.heard(t, d.against(item, filed.ID, disputes.DeliveryFailed)); h.Case.Resolution != disputes.Credit {
		t.Fatalf("%+v", h)
	}
	p.expect("after the credit", "", p.buys("a/2", token))
	p.expect("and once", exchange.QuotaExceeded, p.buys("a/3", token))
	d.CheckInvariants(t)
}
