package exchange_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"frontdesk/internal/identity/requesters"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/ledger"
	"frontdesk/internal/licensing/accounts"
	"frontdesk/internal/licensing/disputes"
	"frontdesk/internal/licensing/exchange"
	"frontdesk/internal/licensing/transactions"
	"frontdesk/wire/receipt"
)

// marketFunds is on the purse of the market's agents: less than they want to spend.
const marketFunds = 20 * dollar

// marketDomain is that of the market's agents.
const marketDomain = "crowd.example"

// market is a shop with many agents, which write down what they ask for and what they are told,
// with the moments at which that was: what counts as a moment is told by now, and grows.
type market struct {
	*dealer
	t   *testing.T
	now func() int
	// tries is how often something is tried before it counts as failed, and failed counts what did.
	tries  int
	failed atomic.Int64

	mu        sync.Mutex
	passed    []passing // in their order
	quotes    []*quoting
	purchases []*purchasing
	reports   []*reporting
	disputes  []*disputing
	fetches   []*fetching
	sweeps    []moments // with the time of each in sweptAt
	sweptAt   []time.Time
}

// passing is a time that it became at a moment.
type passing struct {
	from int
	at   time.Time
}

// moments are when something was begun, and when its end was told: 0 for never.
type moments struct{ begun, told int }

// knownAt says whether its end had been told by a moment.
func (m moments) knownAt(at int) bool { return m.told != 0 && m.told <= at }

// quoting is offers that were asked for.
type quoting struct {
	moments
	offers []*transactions.Offer
}

// purchasing is a request to buy; answer is what was told at last, and failures how often it was
// told that it failed.
type purchasing struct {
	moments
	exchange.Order
	answer   *exchange.OrderResult
	failures int
}

// reporting is a report.
type reporting struct {
	moments
	exchange.UsageReport
	filed *exchange.UsageReceipt
}

// disputing is a dispute, and the first that was heard of it.
type disputing struct {
	moments
	exchange.DisputeRequest
	heard *exchange.DisputeResult
}

// fetching is a fetch of what was bought.
type fetching struct {
	moments
	transaction string
	tries       int
	sent        []sent
}

// sent is a delivery that had begun by a moment.
type sent struct {
	told int
	id   string
}

// newMarket opens a shop for many agents, who share a purse and a subscription that are not enough
// for all.
func newMarket(t *testing.T, d *dealer, now func() int) *market {
	t.Helper()
	d.Credit(t, marketDomain+"/*", marketFunds)
	d.Write(t, func(ctx context.Context, tx *store.Tx) error {
		l := accounts.Licence{ID: "gold", Buyer: marketDomain + "/*", Scope: accounts.Scope{Site: "site"}}
		if err := d.Book.AddSubscription(ctx, tx, l, "USD", d.Clock.Now()); err != nil {
			return err
		}
		if err := d.Book.SetQuota(ctx, tx, "gold", accounts.QuotaSetting{Unit: accounts.Tokens, Limit: 1_000_000},
			d.Clock.Now()); err != nil {
			return err
		}
		return d.Book.SetQuota(ctx, tx, "gold", accounts.QuotaSetting{Unit: accounts.Accesses, Limit: 9}, d.Clock.Now())
	})
	return &market{dealer: d, t: t, now: now, tries: 1, passed: []passing{{0, d.Clock.Now()}}}
}

// buyer is one of the agents.
func (m *market) buyer(n int) requesters.Requester {
	return requesters.Requester{Domain: marketDomain, ID: fmt.Sprint("bot", n%3)}
}

// agents has several agents do something so many times each, and waits for them.
func (m *market) agents(n, each int, do func(agent, i int)) {
	var all sync.WaitGroup
	for agent := range n {
		all.Go(func() {
			for i := range each {
				if m.t.Failed() {
					return
				}
				do(agent, i)
			}
		})
	}
	all.Wait()
}

// pass lets time pass.
func (m *market) pass(d time.Duration) {
	m.Clock.Advance(d)
	m.passed = append(m.passed, passing{m.now(), m.Clock.Now()})
}

// timeAt is the time that it was at a moment.
func (m *market) timeAt(at int) time.Time {
	i, _ := slices.BinarySearchFunc(m.passed, at, func(p passing, at int) int { return p.from - at - 1 })
	return m.passed[max(i-1, 0)].at
}

// wants are what agents buy together: paths, with "*" before one that the subscription pays.
var wants = [][]string{
	{"a/1"}, {"t/1"}, {"a/2", "t/1", "a/3"}, {"*a/1"}, {"r/1"}, {"t/1", "*t/1"}, {"a/3"},
	{"*t/1", "*a/2", "a/1", "t/1"},
}

// deal is what an agent does with one thing that it wants: asking, buying, asking to buy once more,
// fetching and reporting.
func (m *market) deal(agent, i int) {
	what := wants[(agent*3+i)%len(wants)]
	by := m.buyer(agent + i)
	p := m.buy(by, fmt.Sprintf("deal-%d-%d", agent, i), m.quote(by, what...)...)
	if p == nil {
		return
	}
	if i%3 == 0 {
		m.buyAgain(p)
	}
	for n, item := range p.answer.Items {
		if item.Denial != "" {
			continue
		}
		fetched := (agent+i)%2 == 0
		if fetched {
			m.fetch(p, item)
		}
		if !item.Transaction.Due.IsZero() && (agent+i+n)%3 != 0 { // others report late, or never
			if filed := m.report(p.Requester, item); filed != nil && filed.ID != "" && (!fetched || i%2 == 0) {
				m.dispute(p.Requester, item, filed.ID, i%3 != 1)
			}
		}
	}
}

// quote asks for offers of what is at some paths; it gives none where there was no answer. Of a
// path that begins with "*" it takes what the subscription pays, or what is to be paid when that is
// used up.
func (m *market) quote(by requesters.Requester, paths ...string) []*transactions.Offer {
	q := asking()
	q.By = by
	for _, path := range paths {
		if at := address(strings.TrimPrefix(path, "*")); !slices.Contains(q.URIs, at) {
			q.URIs = append(q.URIs, at)
		}
	}
	asked := &quoting{moments: moments{begun: m.now()}}
	m.note(func() { m.quotes = append(m.quotes, asked) })
	var groups []exchange.OfferGroup
	if !m.tried(func() (err error) { groups, err = m.Discover(context.Background(), q, plainly); return err }) {
		return nil
	}
	var offers []*transactions.Offer
	for _, path := range paths {
		group := groups[slices.Index(q.URIs, address(strings.TrimPrefix(path, "*")))]
		if len(group.Offers) == 0 {
			m.t.Errorf("%s is not offered: %s", path, group.Absence)
			return nil
		}
		offer := group.Offers[0]
		if strings.HasPrefix(path, "*") {
			offer = group.Offers[len(group.Offers)-1]
		}
		offers = append(offers, offer)
	}
	m.note(func() { asked.told, asked.offers = m.now(), offers })
	return offers
}

// buy buys by offers; it gives nil where there was no answer.
func (m *market) buy(by requesters.Requester, id string, offers ...*transactions.Offer) *purchasing {
	if len(offers) == 0 {
		return nil
	}
	p := m.OrderRequest(by, offers...)
	p.ID = id
	made := &purchasing{moments: moments{begun: m.now()}, Order: digested(p)}
	m.note(func() { m.purchases = append(m.purchases, made) })
	if !m.ask(made) {
		return nil
	}
	return made
}

// ask sends a request to buy, and writes down what was answered.
func (m *market) ask(p *purchasing) bool {
	var out *exchange.OrderResult
	if !m.tried(func() (err error) { out, err = m.Execute(context.Background(), p.Order); return err }) {
		m.note(func() { p.failures++ })
		return false
	}
	m.note(func() { p.told, p.answer = m.now(), out })
	return true
}

// buyAgain sends a request once more: what was answered is answered again.
func (m *market) buyAgain(p *purchasing) {
	before := p.answer
	if before == nil {
		m.ask(p)
		return
	}
	var out *exchange.OrderResult
	if m.tried(func() (err error) { out, err = m.Execute(context.Background(), p.Order); return err }) {
		m.same(p, out)
	}
}

// same holds that an answer is that which an agent was given before.
func (m *market) same(p *purchasing, again *exchange.OrderResult) {
	m.t.Helper()
	for i, item := range again.Items {
		before := p.answer.Items[i]
		if !again.Replayed || item.Denial != before.Denial || item.Transaction.ID != before.Transaction.ID ||
			item.URL != before.URL || item.Transaction.Billing != before.Transaction.Billing {
			m.t.Errorf("%s was answered with %s%s at %s, and then with %s%s at %s", p.ID, before.Denial,
				before.Transaction.ID, before.URL, item.Denial, item.Transaction.ID, item.URL)
		}
	}
}

// unanswered are the requests to buy to which no answer came.
func (m *market) unanswered() (all []*purchasing) {
	for _, p := range m.purchases {
		if p.answer == nil {
			all = append(all, p)
		}
	}
	return all
}

func (m *market) fetch(p *purchasing, item exchange.ItemResult) {
	f := &fetching{moments: moments{begun: m.now()}, transaction: item.Transaction.ID}
	m.note(func() { m.fetches = append(m.fetches, f) })
	_, query, _ := strings.Cut(item.URL, "?")
	if m.tried(func() error {
		m.note(func() { f.tries++ })
		fetched, err := m.Delivery.Fetch(context.Background(), p.FetchAt, item.Transaction.ID, query)
		if err != nil {
			return err
		}
		r := fetched.In(fetched.Media[0])
		sending, err := r.Begin(context.Background(), 200, r.Size)
		if err != nil {
			return err
		}
		begun, err := transactions.NewReader(m.DB).DeliveriesOf(context.Background(), item.Transaction.ID, "", 1000)
		if err != nil {
			return err
		}
		m.note(func() {
			for _, one := range begun {
				f.sent = append(f.sent, sent{m.now(), one.ID})
			}
		})
		return sending.End(context.Background(), r.Size)
	}) {
		m.note(func() { f.told = m.now() })
	}
}

// dispute disputes something that was reported. Where the log of a CDN says that it failed, what
// was not fetched is paid back at once; the others wait for a review.
func (m *market) dispute(by requesters.Requester, item exchange.ItemResult, report string, logged bool) {
	if logged && !m.tried(func() error {
		return m.DB.Update(context.Background(), func(tx *store.Tx) error {
			_, err := tx.Exec(context.Background(), `INSERT INTO evidence_line (txn, digest, site, source, place, at, status, bytes, bound, cut, cache, stray) VALUES ($1, $2, 'site', 'cdn', '', $3, 404, 0, 0, 0, '', 0)
				ON CONFLICT (txn, digest) DO NOTHING`, item.Transaction.ID, []byte{1}, store.Micros(m.Clock.Now()))
			return err
		})
	}) {
		return
	}
	r := m.against(item, report, disputes.DeliveryFailed)
	r.By = &by
	made := &disputing{moments: moments{begun: m.now()}, DisputeRequest: r}
	m.note(func() { m.disputes = append(m.disputes, made) })
	var heard *exchange.DisputeResult
	if m.tried(func() (err error) { heard, err = m.Dispute(context.Background(), r); return err }) {
		m.note(func() { made.told, made.heard = m.now(), heard })
		if heard.Problem != "" {
			m.t.Errorf("the dispute %s is not taken up: %s", r.ID, heard.Problem)
		}
	}
}

// report files a report on something that was bought, and gives what was answered; nil for nothing.
func (m *market) report(by requesters.Requester, item exchange.ItemResult) *exchange.UsageReceipt {
	u := report(item, item.Transaction.Estimate*9/10)
	u.Reporter = &by
	u.Fields = append(u.Fields, item.Transaction.Fields...)
	if item.Transaction.Price.Model == "revenue_share" {
		u.Revenue, u.Currency = dollar, "USD"
	}
	r := &reporting{moments: moments{begun: m.now()}, UsageReport: u}
	m.note(func() { m.reports = append(m.reports, r) })
	m.file(r)
	return r.filed
}

func (m *market) file(r *reporting) {
	var filed *exchange.UsageReceipt
	if m.tried(func() (err error) { filed, err = m.ReportUsage(context.Background(), r.UsageReport); return err }) {
		m.note(func() { r.told, r.filed = m.now(), filed })
		if filed.ID == "" {
			m.t.Errorf("the report %s is not taken: %s", r.ID, filed.Problem)
		}
	}
}

// reportLate reports one thing that is owed, and says whether there was one.
func (m *market) reportLate() bool {
	var by requesters.Requester
	var owed exchange.ItemResult
	m.note(func() {
		for _, p := range m.purchases {
			if p.answer == nil {
				continue
			}
			for _, item := range p.answer.Items {
				if item.Denial == "" && !item.Transaction.Due.IsZero() &&
					!slices.ContainsFunc(m.reports, func(r *reporting) bool {
						return r.Transaction == item.Transaction.ID
					}) {
					by, owed = p.Requester, item
				}
			}
		}
	})
	if owed.Offer == "" {
		return false
	}
	m.report(by, owed)
	return true
}

func (m *market) sweep() {
	of, at := moments{begun: m.now()}, m.Clock.Now()
	if m.tried(func() error { return m.MaintainOnce(context.Background()) }) {
		of.told = m.now()
		m.note(func() { m.sweeps, m.sweptAt = append(m.sweeps, of), append(m.sweptAt, at) })
	}
}

func (m *market) note(fn func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	fn()
}

// tried does something, which may fail only where the test lets it.
func (m *market) tried(do func() error) bool {
	err := do()
	for n := 1; err != nil && n < m.tries; n++ {
		m.failed.Add(1)
		err = do()
	}
	if err != nil && m.NoKeys == nil {
		m.t.Error(err)
	}
	return err == nil
}

// holds holds that what agents had been told by a moment is there, and that nothing is there that
// nobody asked for by then.
func (m *market) holds(d *dealer, at int) {
	t := m.t
	t.Helper()
	known := d.kept(t)
	asked := map[string]bool{}
	var last string // entry of a purchase
	for _, p := range m.purchases {
		if p.begun <= at {
			asked[p.Requester.Account()+" "+p.ID] = true
		}
		if !p.knownAt(at) {
			continue
		}
		for _, item := range p.answer.Items {
			if item.Denial == "" {
				known.proves(t, item)
				last = item.Transaction.Entry
			}
		}
	}
	if last != "" {
		r, err := d.Ledger.Receipt(context.Background(), last)
		if err == nil {
			_, err = receipt.Verify(r, known.keys)
		}
		if err != nil {
			t.Errorf("the receipt of entry %s: %v", last, err)
		}
	}
	for _, l := range known.transactions {
		if !asked[l.Buyer+" "+l.Request] {
			t.Errorf("transaction %s is there, which nobody had asked for", l.ID)
		}
		for i, swept := range m.sweeps {
			if swept.knownAt(at) && l.Obligation == transactions.Pending && !l.Due.After(m.sweptAt[i]) {
				t.Errorf("transaction %s was swept, and its report is not overdue", l.ID)
			}
		}
	}
	now := d.Clock.Now()
	for _, q := range m.quotes {
		for _, told := range q.offers {
			if !q.knownAt(at) || told.Ended(now) {
				continue
			}
			if o := known.offers[told.ID]; o == nil || !bytes.Equal(o.Document, told.Document) ||
				!bytes.Equal(o.Signature, told.Signature) || o.Price != told.Price || o.Buyer != told.Buyer {
				t.Errorf("offer %s was told, and kept is %+v", told.ID, o)
			}
		}
	}
	for _, r := range m.reports {
		if !r.knownAt(at) {
			continue
		}
		if kept := known.transactions[r.Transaction].Report; kept.ID != r.filed.ID || kept.Settled != r.filed.Settled ||
			known.count["usage "+r.Transaction] != 1 {
			t.Errorf("the report %+v was taken, and kept is %+v with %d entries", r.filed, kept,
				known.count["usage "+r.Transaction])
		}
	}
	for _, r := range m.disputes {
		if r.knownAt(at) {
			known.disputed(t, d, r.DisputeRequest, r.heard.Case)
		}
	}
	least, most := map[string]int{}, map[string]int{}
	for _, f := range m.fetches {
		if f.begun <= at {
			most[f.transaction] += f.tries
		}
		if f.knownAt(at) {
			least[f.transaction]++
		}
		for _, s := range f.sent {
			if s.told <= at && known.deliveries[s.id].ID == "" {
				t.Errorf("text of transaction %s left, and there is no record of it", f.transaction)
			}
		}
	}
	for id, n := range most {
		if got := known.count["delivery "+id]; got < least[id] || got > n {
			t.Errorf("of transaction %s there are %d deliveries; %d were told of, and %d begun", id, got, least[id], n)
		}
	}
}

// disputed holds that a dispute is there as it was told, or further on; that each of its steps has
// its entry, and that what it gave back was given back once.
func (r *records) disputed(t testing.TB, d *dealer, of exchange.DisputeRequest, told disputes.Case) {
	t.Helper()
	c, steps, ok, err := disputes.NewReader(d.DB).Dispute(context.Background(), of.Transaction)
	if err != nil || !ok || c.ID != told.ID || c.Steps < told.Steps || len(steps) != c.Steps ||
		r.count["dispute "+of.Transaction] != c.Steps {
		t.Errorf("the dispute %s stood at %s with %d steps, and is %+v with %d entries: %v", told.ID, told.Status,
			told.Steps, c, r.count["dispute "+of.Transaction], err)
		return
	}
	if told.Resolution == disputes.Credit && (c.Resolution != disputes.Credit || c.Credit != told.Credit) {
		t.Errorf("the dispute %s gave back %d, and is %+v", told.ID, told.Credit, c)
	}
	if (c.Resolution == disputes.Credit) != (r.transactions[of.Transaction].Disputed == c.ID) {
		t.Errorf("the dispute %s stands at %s, and its transaction is %+v", c.ID, c.Resolution,
			r.transactions[of.Transaction])
	}
}

// records are what a dealer has of its deals.
type records struct {
	keys         receipt.Keys // the site's public ones
	transactions map[string]transactions.Transaction
	offers       map[string]*transactions.Offer
	deliveries   map[string]transactions.Delivery
	entries      map[string]receipt.Entry // of the ledger, as it is exported and verified with the public key alone
	count        map[string]int           // of entries, by their kind and the transaction that they are of
}

// kept reads a dealer's records.
func (d *dealer) kept(t testing.TB) *records {
	t.Helper()
	r := &records{transactions: map[string]transactions.Transaction{}, offers: map[string]*transactions.Offer{},
		deliveries: map[string]transactions.Delivery{}, entries: map[string]receipt.Entry{}, count: map[string]int{}}
	ctx := context.Background()
	if err := d.DB.View(ctx, func(tx *store.Tx) error {
		offers, err := transactions.ListOffers(ctx, tx, "", 10_000)
		for _, o := range offers {
			r.offers[o.ID] = o
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	for _, one := range d.transactions(t) {
		r.transactions[one.ID] = one
	}
	for one, err := range transactions.NewReader(d.DB).EachDelivery(ctx, transactions.DeliveryFilter{}) {
		if err != nil {
			t.Fatal(err)
		}
		r.deliveries[one.ID] = one
	}
	var export bytes.Buffer
	var err error
	if r.keys, err = receipt.ParseKeys(d.JWKS); err == nil {
		_, err = d.Ledger.Export(ctx, &export, ledger.Lines)
	}
	if err == nil {
		_, err = receipt.VerifyExport(bytes.NewReader(export.Bytes()), r.keys)
	}
	if err != nil && fail.From(err).Code == fail.NotFound && len(r.transactions) == 0 {
		return r // nothing was bought yet
	}
	if err != nil {
		t.Fatalf("the export of the ledger: %v", err)
	}
	for text := range bytes.Lines(export.Bytes()) {
		var line struct{ Entry receipt.Entry }
		if err := json.Unmarshal(text, &line); err != nil {
			t.Fatal(err)
		}
		r.entries[line.Entry.ID] = line.Entry
		r.count[line.Entry.Kind+" "+line.Entry.Subject]++
	}
	return r
}

// transactions are all that are recorded.
func (d *dealer) transactions(t testing.TB) (all []transactions.Transaction) {
	t.Helper()
	ctx := context.Background()
	if err := d.DB.View(ctx, func(tx *store.Tx) error {
		all = nil
		rows, err := tx.Query(ctx, `SELECT id FROM deal_transaction`)
		if err != nil {
			return err
		}
		defer rows.Close()
		var ids []string
		for rows.Next() {
			var id string
			if err := rows.Scan(&id); err != nil {
				return err
			}
			ids = append(ids, id)
		}
		if err := rows.Close(); err != nil {
			return err
		}
		for _, id := range ids {
			one, _, err := transactions.FindTransaction(ctx, tx, id)
			if err != nil {
				return err
			}
			all = append(all, one)
		}
		return rows.Err()
	}); err != nil {
		t.Fatal(err)
	}
	return all
}

// proves holds that something of which an address was given is recorded as it was told, in the
// ledger too.
func (r *records) proves(t testing.TB, item exchange.ItemResult) {
	t.Helper()
	told, kept := item.Transaction, r.transactions[item.Transaction.ID]
	if item.URL == "" || kept.ID != told.ID || kept.Billing != told.Billing || kept.Amount != told.Amount ||
		kept.Value != told.Value || kept.Entry != told.Entry || kept.Failed ||
		!bytes.Equal(kept.Document, told.Document) {
		t.Errorf("an address was given for %+v, and recorded is %+v", told, kept)
		return
	}
	entry := r.entries[kept.Entry]
	var body struct {
		Billing string `json:"billing_id"`
		Offer   string `json:"offer_id"`
	}
	if err := json.Unmarshal(entry.Body, &body); err != nil || entry.Kind != "transaction" ||
		entry.Subject != told.ID || body.Billing != told.Billing || body.Offer != told.Offer ||
		r.count["transaction"+" "+told.ID] != 1 {
		t.Errorf("transaction %s has the entry %+v: %v", told.ID, entry, err)
	}
}

// askAgain has the agents do again what was under way at a moment, and some of what they had been
// told.
func (m *market) askAgain(d *dealer, at int, source *rand.Rand) {
	t := m.t
	t.Helper()
	now := d.Clock.Now()
	for _, p := range m.purchases {
		old := p.knownAt(at)
		if p.begun > at || old && source.IntN(8) > 0 {
			continue
		}
		first := d.Buy(t, p.Order)
		switch {
		case old && now.Sub(p.madeAt(m)) < exchange.Remembered:
			m.same(p, first)
		case old: // it is forgotten, and the offers have ended
			for _, item := range first.Items {
				if item.Denial == "" {
					t.Errorf("%s was answered, and buys once more", p.ID)
				}
			}
		default:
			m.same(&purchasing{Order: p.Order, answer: first}, d.Buy(t, p.Order))
		}
	}
	for _, r := range m.reports {
		old := r.knownAt(at)
		if r.begun > at || old && source.IntN(8) > 0 {
			continue
		}
		first := d.filed(t, r.UsageReport)
		again := d.filed(t, r.UsageReport)
		if first.ID == "" || !again.Replayed || again.ID != first.ID || again.Settled != first.Settled ||
			old && (!first.Replayed || first.ID != r.filed.ID) {
			t.Errorf("the report %s is answered with %+v and then %+v; before that it was told %+v", r.ID, first, again,
				r.filed)
		}
	}
	for _, r := range m.disputes {
		old := r.knownAt(at)
		if r.begun > at || old && source.IntN(8) > 0 {
			continue
		}
		first := d.heard(t, r.DisputeRequest)
		again := d.heard(t, r.DisputeRequest)
		if first.Problem != "" || !again.Replayed || again.Case.ID != first.Case.ID ||
			again.Case.Steps != first.Case.Steps || again.Case.Credit != first.Case.Credit ||
			old && (!first.Replayed || first.Case.ID != r.heard.Case.ID) {
			t.Errorf("the dispute %s is answered with %+v and then %+v; before that it was told %+v", r.ID, first,
				again, r.heard)
		}
	}
}

// madeAt is the time at which a request to buy was first sent.
func (p *purchasing) madeAt(m *market) time.Time { return m.timeAt(p.begun) }
