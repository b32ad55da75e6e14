package buyer

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"time"

	"frontdesk/client"
	"frontdesk/internal/infra/httpx"
)

type quoting struct {
	URL   string   `json:"url"`
	Query string   `json:"query"`
	Uses  []string `json:"uses"`
}

type quotedOffer struct {
	PurchaseID string `json:"purchase_id"`
	// URL is what it is for, where a search found it.
	URL      string `json:"url,omitempty"`
	Exchange string `json:"exchange"`
	Title    string `json:"title,omitempty"`
	Price    price  `json:"price"`
	// Broker is who buys it, Fee what it takes on top of the price, and Total both.
	Broker    string   `json:"broker,omitempty"`
	Fee       *price   `json:"broker_fee,omitempty"`
	Total     *price   `json:"total,omitempty"`
	Model     string   `json:"model"`
	Unit      string   `json:"unit,omitempty"`
	Estimated int32    `json:"estimated_quantity,omitempty"`
	Permits   []string `json:"permits,omitempty"`
	Forbids   []string `json:"forbids,omitempty"`
	Report    bool     `json:"report_required"`
	Within    string   `json:"report_within,omitempty"`
	Expires   string   `json:"expires_at,omitempty"`
	// Allowed says whether the person's limits allow it by now, and Beyond why not.
	Allowed bool   `json:"within_limits"`
	Beyond  string `json:"why_not,omitempty"`
	// Passed is what the Broker did not take, and why.
	Passed []client.PassedOver `json:"passed_over,omitempty"`
}

type quoted struct {
	URL    string        `json:"url"` // that of the first offer, where a search found it
	Offers []quotedOffer `json:"offers"`
	// Found is what a search found, for sale or not.
	Found []client.FoundItem `json:"found,omitempty"`
	// Bought are transactions in which it was bought before.
	Bought []boughtBefore `json:"already_bought,omitempty"`
	Next   string         `json:"next"`
}

type boughtBefore struct {
	TransactionID string `json:"transaction_id"`
	At            string `json:"at"`
	State         State  `json:"state"`
}

func (b *Buyer) quoteTool() httpx.Tool {
	what := `"required":["url"],"additionalProperties":false,"properties":{"url":{"type":"string","maxLength":8192,"description":"The address of the content, as search gives it."},`
	if b.Broker != "" {
		what = `"additionalProperties":false,"properties":{"url":{"type":"string","maxLength":8192,"description":"The address of the content, as search gives it. Either this or query."},` +
			`"query":{"type":"string","minLength":1,"maxLength":2000,"description":"What is wanted, in plain words, where you know no address: the Broker searches all that it knows, and the offers are for what it finds, the one that fits best first."},`
	}
	return httpx.Tool{
		Name: "quote", Title: "Ask what licensed content costs",
		Description: b.asks() + " Nothing is bought. Each offer has a purchase_id for buy, " +
			"what it permits and forbids, whether its use must be reported, and whether the person's limits allow " +
			"it. already_bought tells of earlier purchases: do not buy twice without need.",
		Input: []byte(`{"type":"object",` + what +
			`"uses":{"type":"array","maxItems":6,"items":{"enum":["ai-input","search","ai-index","ai-train","ai-all","all"]},"description":"What it is wanted for; ai-input, the text as input of a model, where nothing is said."}}}`),
		Output:   []byte(`{"type":"object","properties":{"url":{"type":"string"},"offers":{"type":"array","items":{"type":"object"}},"code":{"type":"string"},"message":{"type":"string"}}}`),
		ReadOnly: true, OpenWorld: true, Call: called(b.quote),
	}
}

// asks says whom a quote asks.
func (b *Buyer) asks() string {
	if b.Broker != "" {
		return "Has the Broker ask the Exchanges that sell the content at url, or what it finds for the words of " +
			"query, what a licence costs (RAMP v1) and choose the best offer, and verifies that the Exchange has " +
			"signed it. total is what it costs with the Broker's fee, and passed_over what it did not take."
	}
	return "Asks every Exchange that sells the content at url what a licence costs (RAMP v1), verifies the offers' " +
		"signatures, and gives them with the cheapest first."
}

// maxOffers is how many offers a quote shows.
const maxOffers = 20

// quote asks what is offered.
func (b *Buyer) quote(ctx context.Context, q *quoting) (*quoted, error) {
	for _, use := range q.Uses {
		if _, err := client.ParseFunction(use); err != nil {
			return nil, wrong("uses: %v", err)
		}
	}
	f := b.fetching()
	f.Uses = q.Uses
	offers, found, err := b.offers(ctx, q, f)
	if err != nil {
		return nil, err
	}
	stands, err := b.Purchases.Usage(ctx)
	if err != nil {
		return nil, err
	}
	out := &quoted{URL: offers[0].URI, Found: found, Next: "Call buy with the purchase_id of one offer; it stands " +
		"until expires_at. Tell the person the price first, unless they left it to you."}
	b.mu.Lock()
	for _, p := range offers[:min(len(offers), maxOffers)] {
		b.quoted.put(p.ID, p)
	}
	b.mu.Unlock()
	for _, p := range offers[:min(len(offers), maxOffers)] {
		offer := shownOffer(p, stands)
		if q.Query != "" {
			offer.URL = p.URI
		}
		out.Offers = append(out.Offers, offer)
	}
	if !slices.ContainsFunc(out.Offers, func(o quotedOffer) bool { return o.Allowed }) {
		out.Next = "None of these is within the person's limits, as why_not says: tell the person."
	}
	before, err := b.Purchases.Latest(ctx, out.URL, 3)
	if err != nil {
		return nil, err
	}
	for _, kept := range before {
		if kept.State != Denied {
			out.Bought = append(out.Bought, boughtBefore{kept.Transaction(), kept.At.Format(time.RFC3339), kept.State})
		}
	}
	return out, nil
}

// offers asks for those of an address, or of what the Broker finds for words.
func (b *Buyer) offers(ctx context.Context, q *quoting, f client.Fetching) (offers []*client.Purchase,
	found []client.FoundItem, err error) {
	words := strings.TrimSpace(q.Query)
	switch {
	case words == "" && q.Query != "":
		return nil, nil, wrong("query is empty; say what is wanted")
	case words != "" && b.Broker == "":
		return nil, nil,
			wrong("only a Broker finds what to buy by words, and the person has set none; call search, and quote " +
				"with the url of what it finds")
	case words != "" && q.URL != "":
		return nil, nil, wrong("say url or query, not both")
	case words != "":
		c, err := b.broker(b.Broker)
		if err != nil {
			return nil, nil, err
		}
		return c.OffersFor(ctx, words, f)
	}
	item, c, err := b.item(q.URL)
	if err != nil {
		return nil, nil, err
	}
	offers, err = c.Offers(ctx, item, f)
	return offers, nil, err
}

func shownOffer(p *client.Purchase, stands []LimitUsage) quotedOffer {
	o := p.Offer
	cost := client.CostOf(o)
	out := quotedOffer{
		PurchaseID: p.ID, Exchange: p.Exchange, Title: clip(o.GetPackage().GetTitle(), 200),
		Price: price{cost.Amount, cost.Currency},
		Model: words(o.GetPricing().GetModel().String(), "PRICING_MODEL_"), Unit: o.GetPricing().GetUnit(),
		Estimated: o.GetPricing().GetEstimatedQuantity(),
		Permits:   functions(o.GetRestrictions().GetPermittedFunctions()),
		Forbids:   functions(o.GetRestrictions().GetProhibitedFunctions()),
	}
	if p.Broker != "" {
		out.Broker, out.Fee, out.Total, out.Passed = p.Broker, shownPrice(p.Fee), shownPrice(p.Total()), p.Passed
	}
	out.Report, out.Within = reporting(p)
	if o.ExpiresAt != nil {
		out.Expires = o.ExpiresAt.AsTime().Format(time.RFC3339)
	}
	err := beyond(p, stands)
	if out.Allowed = err == nil; err != nil {
		out.Beyond = err.Error()
	}
	return out
}

// beyond says which limit does not allow a purchase by now. Begin has the last word.
func beyond(p *client.Purchase, stands []LimitUsage) error {
	cost, err := costOf(p)
	if err != nil || cost.Amount == 0 {
		return err
	}
	lasting := false
	for i := range stands {
		s := &stands[i]
		if s.Currency != cost.Currency {
			continue
		}
		if cost.Amount > s.Amount-min(s.Spent.Amount, s.Amount) {
			return &OverLimitError{cost, &s.Limit, s.Spent, s.Until}
		}
		lasting = lasting || s.Period.lasts()
	}
	if !lasting {
		return &OverLimitError{Cost: cost}
	}
	return nil
}

type buying struct {
	PurchaseID string `json:"purchase_id"`
	Max        *price `json:"max"`
}

type bought struct {
	PurchaseID    string `json:"purchase_id"`
	TransactionID string `json:"transaction_id"`
	BillingID     string `json:"billing_id,omitempty"`
	URL           string `json:"url"`
	Exchange      string `json:"exchange"`
	Broker        string `json:"broker,omitempty"`
	Cost          *price `json:"cost,omitempty"`
	Fee           *price `json:"broker_fee,omitempty"`
	// Permits and Forbids are those of the offer by which a Broker bought, which may be another
	// than was quoted, and Passed is what it did not take.
	Permits    []string            `json:"permits,omitempty"`
	Forbids    []string            `json:"forbids,omitempty"`
	Passed     []client.PassedOver `json:"passed_over,omitempty"`
	Again      bool                `json:"again,omitempty"` // it was bought before
	FetchUntil string              `json:"fetch_until,omitempty"`
	Report     bool                `json:"report_required"`
	Within     string              `json:"report_within,omitempty"`
	Limits     []left              `json:"limits,omitempty"`
	Next       string              `json:"next"`
}

func (b *Buyer) buyTool() httpx.Tool {
	return httpx.Tool{
		Name: "buy", Title: "Buy licensed content",
		Description: "Buys one offer of a quote with the person's money, within the limits that the person has set. " +
			"It cannot be taken back. The same purchase_id again is the same purchase and costs nothing more: " +
			"where a call brought no answer, or code unknown, call again with it. " +
			"Then call fetch with the transaction_id, before fetch_until.",
		Input: []byte(`{"type":"object","required":["purchase_id"],"additionalProperties":false,"properties":{"purchase_id":{"type":"string","maxLength":200,"description":"That of one offer of quote."},` +
			`"max":{"type":"object","required":["amount","currency"],"additionalProperties":false,"properties":{"amount":{"type":"number","minimum":0},"currency":{"type":"string","pattern":"^[A-Za-z]{3}$"}},"description":"Pay no more than this, where the person said so. It can only be less than the limits."}}}`),
		Output:    []byte(`{"type":"object","properties":{"purchase_id":{"type":"string"},"transaction_id":{"type":"string"},"cost":{"type":"object"},"code":{"type":"string"},"message":{"type":"string"}}}`),
		OpenWorld: true, Call: called(b.buy),
	}
}

// buy makes a purchase. It is counted, and written down, before the Exchange is asked for it.
func (b *Buyer) buy(ctx context.Context, q *buying) (*bought, error) {
	p, err := b.wanted(ctx, q)
	if err != nil {
		return nil, err
	}
	kept, again, err := b.Purchases.Begin(ctx, p)
	if err != nil {
		return nil, err
	}
	p = kept.Purchase
	if kept.State == Begun {
		if p.Broker != "" && b.Now().Sub(kept.At) > brokerKnows {
			return nil,
				&problem{Code: codeUnknown, PurchaseID: p.ID, Message: "this was begun so long ago that the Broker " +
					"does not know it any more, and would buy it anew; it counts as spent. Ask for a new quote"}
		}
		again = false
		if err := b.make(ctx, p); err != nil {
			return nil, err
		}
	}
	out := &bought{
		PurchaseID: p.ID, TransactionID: p.Transaction(), BillingID: p.Result.GetBillingId(), URL: p.URI,
		Exchange: p.Exchange, Cost: shownPrice(p.Cost()), Again: again,
		Next: "Call fetch with the transaction_id.",
	}
	if p.Broker != "" {
		out.Broker, out.Fee, out.Passed = p.Broker, shownPrice(p.Fee), p.Passed
		out.Permits, out.Forbids = functions(p.Offer.GetRestrictions().GetPermittedFunctions()),
			functions(p.Offer.GetRestrictions().GetProhibitedFunctions())
	}
	out.Report, out.Within = reporting(p)
	if out.Report {
		out.Next += " Then report its use within report_within: the Exchange may sell nothing more until that is done."
	}
	if ends := p.Result.GetExpiresAt(); ends != nil {
		out.FetchUntil = ends.AsTime().Format(time.RFC3339)
	}
	out.Limits, err = b.left(ctx)
	return out, err
}

// wanted is the purchase that a call means: one of a quote, or one that was begun.
func (b *Buyer) wanted(ctx context.Context, q *buying) (*client.Purchase, error) {
	b.mu.Lock()
	p := b.quoted.all[q.PurchaseID]
	b.mu.Unlock()
	kept, err := b.Purchases.Find(ctx, q.PurchaseID)
	switch {
	case err == nil && kept.ID == q.PurchaseID:
		return kept.Purchase, nil
	case err != nil && !errors.Is(err, ErrUnknown):
		return nil, err
	case p == nil:
		return nil,
			&problem{Code: codeNotFound, Message: "there is no such purchase_id: call quote, and take that of one of " +
				"its offers"}
	}
	cost := p.Total()
	if q.Max != nil && cost.Amount > 0 && (math.Round(cost.Amount*units) > math.Round(q.Max.Amount*units) ||
		!strings.EqualFold(q.Max.Currency, cost.Currency)) {
		return nil,
			&problem{Code: codeLimit, Message: "this costs " + cost.String() + ", which is more than max, or in " +
				"another currency; nothing was paid", PurchaseID: p.ID}
	}
	copied := *p // calls at once do not share one
	return &copied, nil
}

// brokerKnows is for how long a Broker is sure to know a request again: it keeps what it answered
// for 30 days.
const brokerKnows = 29 * 24 * time.Hour

// make asks the Exchange or the Broker, and writes down what came of it.
func (b *Buyer) make(ctx context.Context, p *client.Purchase) error {
	c, err := b.marketOf(p)
	if err != nil {
		return err
	}
	err = c.Buy(ctx, p, b.fetching())
	var none *client.NotBought
	state := Begun
	switch {
	case errors.As(err, &none):
		state = Denied
	case p.Result != nil:
		state = Bought
	}
	if state == Begun {
		return err // as it is written down
	}
	return errors.Join(err, b.settled(ctx, p, state))
}
