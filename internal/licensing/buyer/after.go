package buyer

import (
	"context"
	"errors"
	"math"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"frontdesk/client"
	"frontdesk/internal/infra/httpx"
	compv1 "frontdesk/wire/comp/v1"
	"frontdesk/wire/ramp"
	rampv1 "frontdesk/wire/ramp/v1"
)

// maxText is how much of a text a result has.
const maxText = 1 << 20

type fetching struct {
	TransactionID string   `json:"transaction_id"`
	Accept        []string `json:"accept"`
}

type fetched struct {
	TransactionID string `json:"transaction_id"`
	URL           string `json:"url"`
	Media         string `json:"media_type"`
	Hash          string `json:"sha256"`
	// Checked says against what the text was held.
	Checked string `json:"checked"`
	Report  bool   `json:"report_required"`
	// MustSay are the members that the report must have.
	MustSay []string `json:"report_must_say,omitempty"`
	Text    string   `json:"text"`
}

// maxMedia bounds a media type, in bytes.
const maxMedia = 200

const transactionArgument = `"transaction_id":{"type":"string","maxLength":300,"description":"That of the purchase; spending lists them."}`

func (b *Buyer) fetchTool() httpx.Tool {
	return httpx.Tool{
		Name: "fetch", Title: "Fetch what was bought",
		Description: "Gives the text of what buy bought, by its transaction_id, as often as its address opens " +
			"(fetch_until). What comes is held against the hash that was offered; a text that is another is not given.",
		Input: []byte(`{"type":"object","required":["transaction_id"],"additionalProperties":false,"properties":{` + transactionArgument +
			`,"accept":{"type":"array","maxItems":5,"items":{"type":"string"},"description":"Media types that are wanted, the best first, such as text/markdown; the form of the offer where nothing is said."}}}`),
		Output:   []byte(`{"type":"object","properties":{"transaction_id":{"type":"string"},"text":{"type":"string"},"code":{"type":"string"},"message":{"type":"string"}}}`),
		ReadOnly: true, OpenWorld: true, Call: called(b.fetch),
	}
}

// fetch gives what was bought.
func (b *Buyer) fetch(ctx context.Context, q *fetching) (*fetched, error) {
	for _, media := range q.Accept {
		if len(media) > maxMedia || strings.ContainsFunc(media, unicode.IsControl) {
			return nil, wrong("accept: %.40q is no media type; write it like text/markdown", media)
		}
	}
	kept, c, err := b.storedPurchases(ctx, q.TransactionID)
	if err != nil {
		return nil, err
	}
	f := b.fetching()
	f.Accept = q.Accept
	content, err := c.Deliver(ctx, kept.Purchase, f)
	if content != nil {
		err = errors.Join(err, b.settled(ctx, kept.Purchase, Bought))
	}
	if err != nil {
		return nil, explainedLate(kept, err, b.Now())
	}
	out := &fetched{TransactionID: kept.Transaction(), URL: kept.URI, Media: content.Media, Hash: kept.Hash,
		Report: kept.Owes()}
	if out.Report {
		out.MustSay = kept.MustSay()
	}
	switch {
	case content.Offered:
		out.Checked = "it is what was offered, byte for byte"
	case content.Near:
		out.Checked = "it is nearly what was offered (simhash-v1)"
	case content.Digested:
		out.Checked = "it is what was sent; the offer tells no hash of this form"
	default:
		out.Checked = "nothing tells whether this is all that was sent, and what was offered"
	}
	switch {
	case !utf8.Valid(content.Body):
		return nil,
			&problem{Code: codeContent, TransactionID: out.TransactionID,
				Message: "it came as " + clip(content.Media, 100) + ", which is no text: call fetch again with " +
					"accept, such as text/plain or text/markdown"}
	case len(content.Body) > maxText:
		return nil, &problem{Code: codeContent, TransactionID: out.TransactionID,
			Message: "it is longer than a tool's result may be (1 MiB); the person has it by frontdesk ramp fetch"}
	}
	out.Text = string(content.Body)
	return out, nil
}

// explainedLate says of an address that has ended that it has.
func explainedLate(kept *StoredPurchase, err error, now time.Time) error {
	ends := kept.Result.GetExpiresAt()
	var unfinished *client.Unfinished
	if ends == nil || now.Before(ends.AsTime()) || !errors.As(err, &unfinished) || unfinished.Step != client.StepFetch {
		return err
	}
	return &problem{
		Code: codeExchange, PurchaseID: kept.ID, TransactionID: kept.Transaction(),
		Message: "it could be fetched until " + ends.AsTime().Format(time.RFC3339) + ", and its address does not " +
			"open any more: if it never came, report a quantity of 0 and dispute it with delivery-failed; " +
			"to read it again, buy it again",
	}
}

// storedPurchases is a purchase that was made, and where.
func (b *Buyer) storedPurchases(ctx context.Context, id string) (*StoredPurchase, market, error) {
	kept, err := b.Purchases.Find(ctx, id)
	if err != nil {
		return nil, nil, err
	}
	switch kept.State {
	case Denied:
		return nil, nil, &problem{Code: codeNotBought, PurchaseID: kept.ID,
			Message: "this was not bought: the Exchange denied it, and nothing was paid"}
	case Begun:
		return nil, nil, &problem{Code: codeUnknown, PurchaseID: kept.ID,
			Message: "whether this was bought is not known: call buy with this purchase_id, which buys nothing twice"}
	}
	c, err := b.marketOf(kept.Purchase)
	return kept, c, err
}

type reported struct {
	TransactionID string `json:"transaction_id"`
	ReportID      string `json:"report_id"`
	Next          string `json:"next,omitempty"`
}

type reportingUse struct {
	TransactionID string   `json:"transaction_id"`
	Uses          []string `json:"uses"`
	Quantity      *int     `json:"quantity"`
	SubUses       []string `json:"subfn"`
	Shown         *bool    `json:"displayed_to_user"`
	Cited         *bool    `json:"citation_included"`
	Attribution   []struct {
		URL     *string `json:"displayed_url"`
		Format  string  `json:"format"`
		Visible *bool   `json:"visible_to_user"`
	} `json:"attribution"`
	Revenue *price `json:"revenue"`
}

// toUse puts what a report says into u.
func (q *reportingUse) toUse(u *client.Use) error {
	u.Shown, u.Cited = q.Shown, q.Cited
	for _, word := range q.SubUses {
		sub, err := client.ParseSubFunction(word)
		if err != nil {
			return wrong("subfn: %v", err)
		}
		u.SubFunctions = append(u.SubFunctions, sub)
	}
	for _, a := range q.Attribution {
		one := &rampv1.AttributionDetail{DisplayedUrl: a.URL, VisibleToUser: a.Visible}
		if a.Format != "" {
			format, err := client.ParseCitation(a.Format)
			if err != nil {
				return wrong("attribution: %v", err)
			}
			one.Format = format.Enum()
		}
		u.Attribution = append(u.Attribution, one)
	}
	if q.Revenue != nil {
		u.Revenue = &client.Price{Amount: q.Revenue.Amount, Currency: q.Revenue.Currency}
	}
	return nil
}

func (b *Buyer) reportTool() httpx.Tool {
	return httpx.Tool{
		Name: "report", Title: "Report how licensed content was used",
		Description: "Reports how something bought was used (RAMP v1, ReportUsage): once for each transaction, with " +
			"what was truly used, by which it is settled. A purchase with report_required must be reported in " +
			"time, and before it is disputed; " +
			"of what never came, with a quantity of 0.",
		Input: []byte(`{"type":"object","required":["transaction_id"],"additionalProperties":false,"properties":{` + transactionArgument +
			`,"uses":{"type":"array","maxItems":6,"items":{"enum":["ai-input","search","ai-index","ai-train","ai-all","all"]},"description":"What it was used for; ai-input where nothing is said."},` +
			`"quantity":{"type":"integer","minimum":0,"maximum":2147483647,"description":"How much of the offer's unit was used; 1 access where nothing is said. Needed where a unit such as tokens is charged."},` +
			`"displayed_to_user":{"type":"boolean","description":"Whether a person was shown it."},"citation_included":{"type":"boolean","description":"Whether the source was named."},` +
			`"subfn":{"type":"array","maxItems":6,"items":{"enum":["training","rag","grounding","agent-view","agent-actions","other"]},"description":"More closely what for."},` +
			`"attribution":{"type":"array","maxItems":20,"description":"How the person was shown where it is from. An offer of the model attribution is paid for by this.","items":{"type":"object","additionalProperties":false,"properties":{` +
			`"displayed_url":{"type":"string","maxLength":2048},"format":{"enum":["link","footnote","inline"]},"visible_to_user":{"type":"boolean"}}}},` +
			`"revenue":{"type":"object","required":["amount","currency"],"additionalProperties":false,"description":"What was earned with it, where the price is a share of that.","properties":{"amount":{"type":"number","minimum":0},"currency":{"type":"string"}}}}}`),
		Output:    []byte(`{"type":"object","properties":{"transaction_id":{"type":"string"},"report_id":{"type":"string"},"code":{"type":"string"},"message":{"type":"string"}}}`),
		OpenWorld: true, Call: called(b.report),
	}
}

// report files the report on a purchase.
func (b *Buyer) report(ctx context.Context, q *reportingUse) (*reported, error) {
	if q.Quantity != nil && (*q.Quantity < 0 || *q.Quantity > math.MaxInt32) {
		return nil, wrong("quantity is 0 to %d of the offer's unit; look whether the unit is another", math.MaxInt32)
	}
	kept, c, err := b.storedPurchases(ctx, q.TransactionID)
	if err != nil {
		return nil, err
	}
	if kept.Reported != "" {
		return &reported{kept.Transaction(), kept.Reported, "It was reported before; a purchase is reported once."}, nil
	}
	use := client.Use{Quantity: 1, At: b.Now()}
	if err := q.toUse(&use); err != nil {
		return nil, err
	}
	switch p := kept.Offer.GetPricing(); {
	case q.Quantity != nil:
		use.Quantity = *q.Quantity
	case ramp.Metered(p):
		return nil, wrong("this is charged by the unit: say in quantity how many %s were used", clip(p.GetUnit(), 40))
	}
	if len(q.Uses) == 0 {
		q.Uses = []string{"ai-input"}
	}
	for _, word := range q.Uses {
		function, err := client.ParseFunction(word)
		if err != nil {
			return nil, wrong("uses: %v", err)
		}
		use.Functions = append(use.Functions, compv1.Function(function))
	}
	if err := c.Report(ctx, kept.Purchase, use); err != nil {
		return nil, err
	}
	return &reported{TransactionID: kept.Transaction(), ReportID: kept.Reported}, b.settled(ctx, kept.Purchase, Bought)
}

type disputing struct {
	TransactionID string `json:"transaction_id"`
	Reason        string `json:"reason"`
	Description   string `json:"description"`
	Redelivery    bool   `json:"prefer_redelivery"`
}

func (b *Buyer) disputeTool() httpx.Tool {
	return httpx.Tool{
		Name: "dispute", Title: "Dispute a purchase",
		Description: "Disputes something bought that did not come, or is not what was offered (RAMP v1, " +
			"DisputeTransaction); its use must be reported before. With the same arguments again it says where the " +
			"dispute stands. What is given back does not raise the person's limits.",
		Input: []byte(`{"type":"object","required":["transaction_id","reason"],"additionalProperties":false,"properties":{` + transactionArgument +
			`,"reason":{"enum":["delivery-failed","content-mismatch","incomplete-content","wrong-content","expired-before-fetch"]},"description":{"type":"string","maxLength":2000,"description":"What happened, for people."},` +
			`"prefer_redelivery":{"type":"boolean","description":"Rather have it again than be paid back."}}}`),
		Output:    []byte(`{"type":"object","properties":{"dispute_id":{"type":"string"},"status":{"type":"string"},"code":{"type":"string"},"message":{"type":"string"}}}`),
		OpenWorld: true, Call: called(b.dispute),
	}
}

// dispute disputes a purchase, or says where that stands.
func (b *Buyer) dispute(ctx context.Context, q *disputing) (*client.Disputed, error) {
	kept, c, err := b.storedPurchases(ctx, q.TransactionID)
	if err != nil {
		return nil, err
	}
	reason, err := client.ParseDisputeReason(q.Reason)
	if err != nil {
		return nil, wrong("reason: %v", err)
	}
	if kept.Reported == "" {
		return nil, &problem{Code: codeInvalid, TransactionID: kept.Transaction(), PurchaseID: kept.ID,
			Message: "a purchase is disputed after its use was reported: call report first, with a quantity of 0 " +
				"where nothing could be used"}
	}
	d := &client.Dispute{ID: kept.ID + "-" + strings.ToLower(q.Reason), Reason: reason, Description: q.Description,
		PreferRedelivery: q.Redelivery}
	if reason != rampv1.DisputeReason_DISPUTE_REASON_DELIVERY_FAILED {
		d.Hash = kept.Hash
	}
	return c.Dispute(ctx, kept.Purchase, d)
}

type left struct {
	Limit  price  `json:"limit"`
	Period Period `json:"per"`
	Spent  price  `json:"spent"`
	Left   price  `json:"left"`
	Until  string `json:"until,omitempty"`
}

type purchaseView struct {
	PurchaseID    string `json:"purchase_id"`
	TransactionID string `json:"transaction_id,omitempty"`
	URL           string `json:"url"`
	Exchange      string `json:"exchange"`
	Broker        string `json:"broker,omitempty"`
	At            string `json:"at"`
	State         State  `json:"state"`
	Counts        price  `json:"counts"`
	Fetched       bool   `json:"fetched"`
	ReportID      string `json:"report_id,omitempty"`
	Report        bool   `json:"report_required"`
}

type spending struct {
	Limits    []left         `json:"limits"`
	Purchases []purchaseView `json:"purchases"`
	Note      string         `json:"note"`
}

func (b *Buyer) spendingTool() httpx.Tool {
	return httpx.Tool{
		Name: "spending", Title: "See what was spent",
		Description: "Tells the limits that the person has set, what is spent and left of them, and the latest " +
			"purchases with their ids and what is still to be done about them. Only the person can change a limit, " +
			"where this program is started.",
		Input:    []byte(`{"type":"object","additionalProperties":false,"properties":{}}`),
		Output:   []byte(`{"type":"object","properties":{"limits":{"type":"array","items":{"type":"object"}},"purchases":{"type":"array","items":{"type":"object"}}}}`),
		ReadOnly: true, Call: called(b.spending),
	}
}

// maxListed is how many purchases are listed.
const maxListed = 50

// spending tells what was spent.
func (b *Buyer) spending(ctx context.Context, _ *struct{}) (*spending, error) {
	limits, err := b.left(ctx)
	if err != nil {
		return nil, err
	}
	latest, err := b.Purchases.Latest(ctx, "", maxListed)
	if err != nil {
		return nil, err
	}
	out := &spending{Limits: limits, Purchases: []purchaseView{},
		Note: "What was begun and is not known to be bought counts as spent."}
	if len(limits) == 0 {
		out.Limits, out.Note = []left{}, "No limit is set, so nothing is paid: only what is free can be had. The "+
			"person sets one by --limit, like --limit 5USD/month."
	}
	for _, kept := range latest {
		out.Purchases = append(out.Purchases, purchaseView{
			kept.ID, kept.Transaction(), kept.URI, kept.Exchange, kept.Broker, kept.At.Format(time.RFC3339), kept.State,
			shown(kept.Counted), !kept.Fetched.IsZero(), kept.Reported, kept.State == Bought && kept.Owes(),
		})
	}
	return out, nil
}

// left is what is left of each limit.
func (b *Buyer) left(ctx context.Context) (all []left, err error) {
	stands, err := b.Purchases.Usage(ctx)
	for _, s := range stands {
		one := left{Limit: shown(s.Money), Period: s.Period, Spent: shown(s.Spent),
			Left: shown(Money{max(0, s.Amount-s.Spent.Amount), s.Currency})}
		if !s.Until.IsZero() {
			one.Until = s.Until.Format(time.RFC3339)
		}
		all = append(all, one)
	}
	return all, err
}
