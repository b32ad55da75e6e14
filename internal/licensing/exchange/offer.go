package exchange

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"time"

	"frontdesk/internal/content/released"
	"frontdesk/internal/identity/requesters"
	"frontdesk/internal/licensing/accounts"
	"frontdesk/internal/licensing/catalog"
	"frontdesk/internal/licensing/catalog/push"
	"frontdesk/internal/licensing/transactions"
	"frontdesk/internal/policy"
	"frontdesk/wire/contenthash"
	rampv1 "frontdesk/wire/ramp/v1"
	"frontdesk/wire/sign"
)

// OfferDraft is an offer before it is written: everything its document says, in no protocol's
// words. rampapi turns it into the signed document.
type OfferDraft struct {
	transactions.Offer
	Entry        *catalog.Entry
	DisplayWords int // how many words of it may be shown; 0 for no bound
	// Open says that everybody may read it at this front desk's other doors.
	Open bool
	// UnitCost is the cost of one Unit in the price's currency, in units of 1e-12; 0 if it is
	// unknown or cannot be compared.
	UnitCost int64
	Quotas   []Quota // of the subscription, as they are before the purchase
	// Digest is the hash that the offer tells of the bytes that are delivered, by the method that
	// the owner has chosen, where they are known here.
	Digest contenthash.Hash
	// Extensions are the members that profiles add, by the keys of RAMP's ext.
	Extensions map[string]any
	Attested   []*rampv1.ResourceAttestation
}

// Quota is the state of one dimension of a subscription, in its unit.
type Quota struct {
	Unit              string // as account.Units has them
	Limit, Used, Left int64
	Resets            time.Time // zero for never
}

// quotasOf tells quotas as the book has them; nil for none.
func quotasOf(quotas []accounts.Quota) (told []Quota) {
	for _, q := range quotas {
		limit, used, left := q.Counts()
		told = append(told, Quota{Unit: q.Unit, Limit: limit, Used: used, Left: left, Resets: q.Resets})
	}
	return told
}

// offerBuilder drafts the offers for one address of a query.
type offerBuilder struct {
	owner *OfferPolicy
	rules *policy.Terms
	query *Query
	now   time.Time
	uri   string
	// operation is what a delegation is asked for, and cents what it costs at the most; a query
	// costs nothing.
	operation string
	cents     int64

	entry      *catalog.Entry
	tenant     *push.Tenant // whose it is, where that is no site of this front desk's own
	seller     string       // the domain of who sells what is no page of the web; empty for pages
	attested   []*rampv1.ResourceAttestation
	decision   policy.Decision
	sold       []sold       // how it is sold beside subscriptions
	under      int          // which of them an offer is made of
	price      policy.Money // of that; the zero value when there is none
	of         string       // the site of what is no entry
	outlet     *Outlet      // who delivers the item; nil for this front desk
	told       map[string]any
	absent     Absence // why there is nothing to propose; empty when there may be
	scopeError error   // why the requester may not have the item, whatever it costs; nil when it may
}

// scopeGranted says whether the requester has one of the scopes that the item takes, if it takes
// any, and whether its delegation lets it have the item, if it acts under one.
func (m *offerBuilder) scopeGranted() bool {
	a := requesters.AccessRequest{Operation: m.operation, Scopes: m.decision.Scopes, SpendCents: m.cents, Now: m.now}
	if m.entry != nil {
		a.Resource = m.entry.URL
	}
	m.scopeError = m.query.By.May(a)
	return m.scopeError == nil
}

// defaultPrice is the price of what is licensed of a site where nobody says anything else: that
// which the owner set for all of the site, or anywhere; of a tenant that which it has itself.
func (m *offerBuilder) defaultPrice(site string) policy.Money {
	if m.tenant != nil && m.decision.Rule == m.rules.Last() && m.decision.Price != (policy.Money{}) {
		return m.decision.Price
	}
	if price, ok := m.owner.Prices[site]; ok {
		return price
	}
	if m.tenant != nil {
		return policy.Money{} // what the owner asks for its own is no price of others
	}
	return m.owner.Price
}

// effectivePrice is the price of an item of a site under one of the licences that it comes with
// (RAMP v1, pricing): the rule's, else that which the site states, else the usual one; and never
// more than the site states. What is open costs nothing, unless the licence costs something.
func (m *offerBuilder) effectivePrice(site string, under *policy.License) policy.Money {
	usual, price := m.defaultPrice(site), policy.Money{}
	byRule := m.decision.Price != (policy.Money{}) && (m.tenant == nil || m.decision.Rule != m.rules.Last())
	switch {
	case byRule:
		price = m.decision.Price
	case under.Price.Chargeable() && (under.Paid || under.Price.Free()):
		price = under.Price.In(usual.Currency)
	case m.decision.Access == policy.Open && !under.Paid:
		price = policy.Money{Model: "free"}
	default:
		price = usual
	}
	return price.At(under.Price)
}

// sold is one way in which an item is sold beside subscriptions: under a licence, for a price,
// which is the zero value where there is none.
type sold struct {
	policy.License
	price policy.Money
}

// resolveLicences says how the item is sold, in the order in which its licences are stated, and has
// the first of them count for what is asked of it in general.
func (m *offerBuilder) resolveLicences(site string) {
	m.sold = nil
	sales := m.sales()
	for _, l := range m.decision.Licenses(sales[0]) {
		if len(sales) > 1 && !slices.ContainsFunc(m.decision.Licenses(sales[1]), l.Same) {
			continue
		}
		one := sold{l, m.effectivePrice(site, &l)}
		if l.Paid && one.price.Free() {
			continue // it would be given away
		}
		m.sold = append(m.sold, one)
	}
	m.price = policy.Money{}
	if len(m.sold) > 0 {
		m.price = m.sold[0].price
	}
}

// sales are what the item would be sold for: as the requester says, and as the operator knows it.
func (m *offerBuilder) sales() []policy.Sale {
	q := m.query
	said := policy.Sale{Functions: q.Functions, User: cmp.Or(q.User, q.By.UserCategory),
		Country: cmp.Or(q.Country, q.By.Country), Strict: m.owner.Strict}
	known := policy.Sale{Functions: q.Functions, User: cmp.Or(q.By.UserCategory, q.User),
		Country: cmp.Or(q.By.Country, q.Country), Strict: m.owner.Strict}
	if said.User == known.User && said.Country == known.Country {
		return []policy.Sale{said}
	}
	return []policy.Sale{said, known}
}

// outside says why what the offer of a licence binds its buyer to leaves out what is bought for
// now.
func (m *offerBuilder) outside(to policy.Option) Absence {
	bound := policy.Decision{Access: policy.Licensed, Permit: to.Functions.Permit, Prohibit: to.Functions.Prohibit,
		Users: to.Users, Countries: to.Countries}
	for _, sale := range m.sales() {
		if absent := absence(bound.Sells(sale)); absent != "" {
			return absent
		}
	}
	return ""
}

// uses are the functions of which one is enough for who declares none.
var uses = []string{"search", released.Input, "ai-index", "ai-train"}

// refused says why the terms do not sell the item.
func (m *offerBuilder) refused() policy.Refusal {
	for _, sale := range m.sales() {
		refusal := m.refuses(sale)
		if refusal == policy.Permitted && len(sale.Functions) == 0 {
			refusal = policy.FunctionRefused
			for _, sale.Functions = range [][]string{uses[:1], uses[1:2], uses[2:3], uses[3:]} {
				if m.refuses(sale) == policy.Permitted {
					refusal = policy.Permitted
					break
				}
			}
		}
		if refusal != policy.Permitted {
			return refusal
		}
	}
	return policy.Permitted
}

// refuses says why the terms do not sell the item for something. What a licence asks money for is
// not given away.
func (m *offerBuilder) refuses(sale policy.Sale) policy.Refusal {
	refusal := m.decision.Sells(sale)
	if refusal != policy.Permitted || len(m.decision.Own) == 0 {
		return refusal
	}
	for _, l := range m.decision.Licenses(sale) {
		if !l.Paid || !m.effectivePrice(m.site(), &l).Free() {
			return policy.Permitted
		}
	}
	return policy.OwnTermsRefuse
}

// site is the site of the entry; empty where there is none yet.
func (m *offerBuilder) site() string {
	if m.entry == nil {
		return m.of
	}
	return m.entry.Site
}

// drafts are the offers that are paid or free, one for each licence, and one for each subscription
// that is good for it and has enough left; or the reason why there is none.
func (m *offerBuilder) drafts(subscribed []accounts.Subscription) ([]*OfferDraft, Absence) {
	delivery := m.delivery()
	var all []*OfferDraft
	for i := range m.sold {
		if m.sold[i].price != (policy.Money{}) {
			m.price, m.under = m.sold[i].price, i
			all = append(all, m.draft(delivery, nil))
		}
	}
	if m.under = 0; len(m.sold) > 0 {
		m.price = m.sold[0].price
	}
	left, unbounded := maxSubscriptions, false
	for i := range subscribed {
		s := &subscribed[i]
		if left == 0 || unbounded && len(s.Quotas) == 0 {
			continue // one without quotas is as good as all of them
		}
		p := m.draft(delivery, s)
		c := bookCharge(&p.Offer, m.now)
		c.Subscriber = lender(m.query.By, s.Licence)
		if s.Check(c) == nil {
			all, left, unbounded = append(all, p), left-1, unbounded || len(s.Quotas) == 0
		}
	}
	if len(all) == 0 {
		return nil, NotInCatalog // it is there, and not for sale
	}
	return all, ""
}

// maxSubscriptions is under how many of a buyer's subscriptions an item is offered.
const maxSubscriptions = 10

// delivery is how the entry is delivered: by its outlet where there is one and the rule allows it,
// else by this front desk itself, what is live as a stream, as far as the rule allows it.
func (m *offerBuilder) delivery() string {
	if m.away() {
		return transactions.Instructions
	}
	ways := []string{transactions.Direct, transactions.Instructions, transactions.Streaming}
	if m.live() {
		ways = []string{transactions.Streaming, transactions.Direct, transactions.Instructions}
	}
	return ways[slices.IndexFunc(ways, m.may)] // a rule has no others
}

// live says whether the entry is made while it is delivered.
func (m *offerBuilder) live() bool { return m.entry != nil && m.entry.Mutability == catalog.Live }

// may says whether the rule allows a way of delivery.
func (m *offerBuilder) may(way string) bool {
	return len(m.decision.Delivery) == 0 || slices.Contains(m.decision.Delivery, way)
}

// away says whether somebody else delivers the entry.
func (m *offerBuilder) away() bool { return m.outlet != nil && m.may(transactions.Instructions) }

// draft is one offer; s is the subscription that it is under, nil for none.
func (m *offerBuilder) draft(delivery string, s *accounts.Subscription) *OfferDraft {
	w, expires := m.entry, m.now.Add(m.owner.Validity)
	seller, page := policy.Host(w.URL)
	if !page {
		seller = m.seller
	}
	out := &OfferDraft{
		Offer: transactions.Offer{
			ID: transactions.NewOfferID(expires, s != nil), Site: w.Site, URI: m.uri, URL: w.URL, Item: w.Ref,
			Buyer: m.query.By.Account(), Functions: m.query.Functions,
			Package: transactions.Package{ID: PackageID(w.Site, w.URL), Title: w.Title, Seller: seller,
				Citation: m.price.Model == "attribution"},
			Terms: m.rules.Version(), Rule: m.decision.Rule, Labels: m.decision.Labels, Price: m.price,
			Unit: m.price.Unit(), Quantity: m.quantity(delivery),
			Tokens: int64(w.Tokens()), Via: m.query.Via, Delivery: delivery, Report: m.duty(),
			Mutability: string(w.Mutability), Issued: m.now, Expires: expires,
		},
		Entry: w, DisplayWords: m.decision.DisplayWords, Open: m.decision.Access == policy.Open && !w.IsPushed(),
		Extensions: m.told, Attested: m.attested,
	}
	if m.under < len(m.sold) {
		to := &m.sold[m.under]
		out.For.Functions, out.For.Users, out.For.Countries = to.Functions, to.Users, to.Countries
	} else {
		out.For.Functions, out.For.Users, out.For.Countries = m.decision.Restricts(m.sales()[0])
	}
	// of what an outlet delivers nobody here knows the bytes, but its provider may have told
	if !m.live() && (!m.away() || w.Pushed.Hashed) {
		out.Hash = hex.EncodeToString(w.Hash[:])
		if out.Digest = (contenthash.Hash{Method: contenthash.SHA256, Digits: out.Hash}); w.Similar {
			out.Digest = contenthash.OfSimilarity(w.Similarity)
		}
	}
	if s == nil {
		out.UnitCost = m.unitCost(out.Quantity)
		return out
	}
	out.Subscription = s.ID
	out.Quotas = quotasOf(s.Quotas)
	return out
}

// quantity is how much one use is thought to take of what the price counts, by the owner's word or
// the item's figures; 0 where nobody knows. Of what is live as many minutes can be used as its
// address opens, and no more.
func (m *offerBuilder) quantity(delivery string) int64 {
	n, _ := m.entry.Quantity(m.price.Unit())
	if m.price.Estimate > 0 {
		n = m.price.Estimate
	}
	if delivery != transactions.Streaming || !m.live() || m.price.Unit() != policy.UnitMinutes {
		return int64(n)
	}
	const most = int64(sign.URLLife / time.Minute)
	if n == 0 {
		return most
	}
	return min(int64(n), most)
}

// unitCost is what one unit costs of something that has so many, in units of 1e-12, rounded half to
// even.
func (m *offerBuilder) unitCost(quantity int64) int64 {
	if m.price.Currency == "" || m.owner.Currency != "" && m.price.Currency != m.owner.Currency {
		return 0
	}
	const finer = 10_000 // than 1e-8
	if m.price.Metered() {
		return m.price.Rate * finer
	}
	if quantity <= 0 {
		return 0
	}
	whole, rest := m.price.Rate*finer/quantity, m.price.Rate*finer%quantity
	if twice := 2 * rest; twice > quantity || twice == quantity && whole%2 == 1 {
		whole++
	}
	return whole
}

// duty is what must be reported: within the rule's window, or within that of all where the price
// asks for a report.
func (m *offerBuilder) duty() transactions.Duty {
	window, asked := m.decision.Reporting, accounts.Models[m.price.Model].Fields
	if window == 0 && len(asked) > 0 {
		window = m.owner.ReportingWindow
	}
	if window == 0 {
		return transactions.Duty{}
	}
	fields := slices.Concat(m.owner.Fields, asked)
	slices.Sort(fields)
	return transactions.Duty{Seconds: int64(window / time.Second), Fields: slices.Compact(fields)}
}

// PackageID is the name of what is sold at an address of a site, which stays the same over its
// versions.
func PackageID(site, address string) string {
	sum := sha256.Sum256([]byte(address))
	return "PKG-" + site + "-" + hex.EncodeToString(sum[:8])
}
