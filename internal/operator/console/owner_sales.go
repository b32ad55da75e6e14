package console

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"frontdesk/internal/identity"
	"frontdesk/internal/identity/requesters"
	"frontdesk/internal/licensing/accounts"
	"frontdesk/internal/licensing/delivery/botstats"
	"frontdesk/internal/licensing/exchange"
	"frontdesk/internal/licensing/reports"
	"frontdesk/internal/licensing/transactions"
	"frontdesk/internal/operator"
	"frontdesk/internal/operator/console/frame"
	"frontdesk/internal/operator/console/plot"
	"frontdesk/internal/policy"
)

// SalesConfig says what the owner's pages show of what is sold under RAMP, and what an operator
// changes there. Nothing of it may be nil.
type SalesConfig struct {
	Sites    []Site
	Shelf    func(context.Context, exchange.CatalogFilter) ([]exchange.CatalogRow, int, error)
	Deals    *transactions.Reader
	Reports  reports.Reporter
	Traffic  *botstats.Reader
	Accounts *accounts.Reader
	Operator *operator.Operator // carries out what forms ask for
	Disputes *Disputes
	Supplied *Supplied
	Domains  *Domains
	// Requesters gives those who signed up, by domain and id: those whose domains begin with a
	// text, from behind one on.
	Requesters func(ctx context.Context, begins, after string, limit int) ([]requesters.Registration, error)
}

// Site is a site that is served here.
type Site struct{ ID, Name string }

// salesRoutes serve what is sold.
func (o *owner) salesPages() []frame.Page {
	all := []frame.Page{
		{Pattern: "GET sales/offers/{id}", Right: identity.See, Serve: o.Draw("sales-offer", o.offer)},
		{Pattern: "GET sales/transactions/{id}", Right: identity.See,
			Serve: o.Draw("sales-transaction", o.transaction)},
		{Pattern: "GET sales/deliveries/{id}", Right: identity.See, Serve: o.Draw("sales-delivery", o.delivery)},
		{Pattern: "GET sales/disputes/{id}", Right: identity.See, Serve: o.Draw("sales-dispute", o.dispute)},
		{Pattern: "POST sales/disputes/{id}", Right: identity.Operate, Serve: o.Act(o.decideDispute)},
		{Pattern: "POST sales/measures", Right: identity.Operate, Serve: o.Act(o.changeMeasure)},
		{Pattern: "POST sales/tenants", Right: identity.Operate, Serve: o.putTenant},
		{Pattern: "GET sales/tenant", Right: identity.See, Serve: o.tenant},
		{Pattern: "GET sales/domain", Right: identity.See, Serve: o.domain},
		{Pattern: "POST sales/domain", Right: identity.Operate, Serve: o.changeDomain},
		{Pattern: "POST sales/requesters", Right: identity.Operate, Serve: o.Act(o.changeRequester)},
		{Pattern: "POST sales/accounts", Right: identity.Operate, Serve: o.operate(accountForms)},
		{Pattern: "GET sales/account", Right: identity.See, Serve: o.Draw("sales-account", o.account)},
		{Pattern: "POST sales/account", Right: identity.Operate, Serve: o.operate(oneAccountForms)},
		{Pattern: "POST sales/grants", Right: identity.Operate, Serve: o.operate(grantForms)},
		{Pattern: "GET sales/grant", Right: identity.See, Serve: o.Draw("sales-grant", o.grant)},
		{Pattern: "POST sales/grant", Right: identity.Operate, Serve: o.operate(oneGrantForms)},
		{Pattern: "GET sales/reports", Right: identity.See, Serve: o.Draw("sales-reports", o.reports)},
		{Pattern: "GET sales/reports/{file}", Right: identity.See, Serve: o.downloadReport},
	}
	for _, list := range []struct {
		at, template string
		read         frame.Reader
	}{
		{"sales", "sales", o.sales},
		{"sales/catalog", "sales-catalog", o.shelf},
		{"sales/offers", "sales-offers", o.offers},
		{"sales/transactions", "sales-transactions", o.transactions},
		{"sales/deliveries", "sales-deliveries", o.deliveries},
		{"sales/disputes", "sales-disputes", o.disputes},
		{"sales/measures", "sales-measures", o.measures},
		{"sales/leakage", "sales-leakage", o.leakage},
		{"sales/bots", "sales-bots", o.bots},
		{"sales/reconciliation", "sales-reconciliation", o.reconciliation},
		{"sales/owed", "sales-owed", o.owed},
		{"sales/tenants", "sales-tenants", o.tenants},
		{"sales/domains", "sales-domains", o.domains},
		{"sales/requesters", "sales-requesters", o.requesters},
		{"sales/accounts", "sales-accounts", o.accounts},
		{"sales/grants", "sales-grants", o.grants},
	} {
		all = append(all, o.List(list.at, list.template, list.read)...)
	}
	return all
}

// money is an amount with its currency; empty where there is none.
func money(units int64, currency string) string {
	if currency == "" {
		return ""
	}
	return frame.Amount(units, currency) + " " + currency
}

// owedMost is up to how many obligations are counted for a page.
const owedMost = 10_000

// counted writes a count that ends at a bound.
func counted(v *frame.Visit, n int) string {
	if n >= owedMost {
		return v.Say("list.or_more", owedMost)
	}
	return strconv.Itoa(n)
}

// salesBody is the first page of what is sold.
type salesBody struct {
	Sites      []Site
	Site       string
	Currency   string
	Currencies []string
	Plot       *takings
	Overdue    string
	Pending    string
	Late       bool // there are reports that are overdue
	Sums       []earned
	Pages      []pageSales // those with the most first
	More       bool        // there are more than are shown
	Whole      bool        // all purchases were looked at

	all  []pageSales
	over *frame.Range
}

// earned is what came in, with what did in as many days before.
type earned struct {
	Now, Before string
	Part        float64 // by how much it changed
	Known       bool    // there was anything before
}

// pageSales is what was bought of a page.
type pageSales struct {
	reports.PageSales
	Amount string
}

// Of a range, pagesShown is how many pages are shown, and maxBought how many purchases are looked
// at, the newest.
const (
	pagesShown = 25
	maxBought  = 20_000
)

// takings is what was earned day by day, as stacked bars.
type takings struct {
	plot.Bars
	Currency string
	Buyers   []taking
	All      taking
}

// taking is what came from a buyer.
type taking struct {
	accounts.BuyerRevenue
	Class  string
	Amount string
}

// buyersShown is how many buyers the table of the plot tells apart.
const buyersShown = 25

// sales shows what was earned day by day, from whom and with which pages, and what somebody has to
// see to.
func (o *owner) sales(ctx context.Context, r *http.Request, v *frame.Visit) (string, any, error) {
	c, over := o.config.Sales, frame.ReadRange(r, o.Now())
	until := over.Last().AddDate(0, 0, 1)
	body := salesBody{Sites: c.Sites, Site: r.URL.Query().Get("site"), Currency: r.URL.Query().Get("currency"),
		over: over}
	all, err := c.Accounts.Revenue(ctx, body.Site, over.Since, until, buyersShown)
	if err != nil {
		return "", nil, err
	}
	for i, t := range all {
		body.Currencies = append(body.Currencies, t.Currency)
		if t.Currency == body.Currency || body.Currency == "" && i == 0 {
			body.Plot = newTakings(t, over).say(v)
		}
	}
	before, err := c.Accounts.Revenue(ctx, body.Site, over.Before(), over.Since, 0)
	if err != nil {
		return "", nil, err
	}
	body.compare(all, before)
	pages, whole, err := c.Reports.Pages(ctx,
		reports.Request{Site: body.Site, Since: over.Since, Until: until}, maxBought)
	if err != nil {
		return "", nil, err
	}
	sold := mapped(pages, func(p reports.PageSales) pageSales { return pageSales{p, money(p.Charged, p.Currency)} })
	body.all, _ = frame.Sift(r, o.Now(), sold, nil, pageSales.cells)
	body.Whole, body.More = whole, len(body.all) > pagesShown
	body.Pages = body.all[:min(len(body.all), pagesShown)]
	if body.Plot != nil {
		body.Currency = body.Plot.Currency
		body.Plot.Leads = o.Base(r) + "sales/transactions"
	}
	owed, err := c.Deals.OwedCount(ctx, "", owedMost)
	if err != nil {
		return "", nil, err
	}
	body.Overdue, body.Pending, body.Late = counted(v, owed[transactions.Expired]),
		counted(v, owed[transactions.Pending]), owed[transactions.Expired] > 0
	return v.Say("sales.revenue"), body, nil
}

// compare sets what came in beside what did before, by currency.
func (b *salesBody) compare(now, before []accounts.CurrencyRevenue) {
	for _, t := range now {
		sum := earned{Now: money(t.All.Amount, t.Currency)}
		for _, was := range before {
			if was.Currency == t.Currency && was.All.Amount > 0 {
				sum.Before, sum.Known = money(was.All.Amount, was.Currency), true
				sum.Part = float64(t.All.Amount-was.All.Amount) / float64(was.All.Amount)
			}
		}
		b.Sums = append(b.Sums, sum)
	}
}

// newTakings draws what was earned. What was taken back makes a bar shorter, but none hangs below
// the line; the table has the figures.
func newTakings(t accounts.CurrencyRevenue, in *frame.Range) *takings {
	p := &takings{Bars: plot.NewBars(in.Last(), in.Days), Currency: t.Currency}
	for i, b := range t.Buyers {
		p.Buyers = append(p.Buyers,
			taking{b, "p" + strconv.Itoa(min(i, plot.MostColours)), money(b.Amount, t.Currency)})
	}
	p.All = taking{t.All, "", money(t.All.Amount, t.Currency)}
	var most int64
	for _, day := range p.Days {
		most = max(most, positive(t.Buyers, day.Day))
	}
	p.Top = money(most, t.Currency)
	const fine = 1_000_000
	for i := range p.Days {
		day := &p.Days[i]
		amounts := make([]plot.Amount, plot.MostColours+1)
		for n, b := range t.Buyers {
			part := &amounts[min(n, plot.MostColours)]
			part.Class = "p" + strconv.Itoa(min(n, plot.MostColours))
			if of := b.Days[day.Day]; of > 0 {
				part.N += int(math.Round(float64(of) / float64(most) * fine))
			}
		}
		if most > 0 {
			day.Stack(fine, amounts...)
		}
		if _, moved := t.All.Days[day.Day]; moved {
			day.Given = 1
		}
	}
	return p
}

// say sets the words of the drawing.
func (p *takings) say(v *frame.Visit) *takings {
	p.Name = v.Say("sales.plot", p.Currency)
	p.Says = v.Say("sales.plot_says", p.All.Amount, v.Count("sales.movements", int(p.All.Movements)),
		v.Count("sales.of_accounts", len(p.Buyers)), p.Top)
	for i := range p.Days {
		day := &p.Days[i]
		day.Says = v.Say("sales.plot_day", v.Day(day.Day), money(p.All.Days[day.Day], p.Currency))
	}
	return p
}

// positive is what came in on a day from those who did not get back more.
func positive(buyers []accounts.BuyerRevenue, day time.Time) (sum int64) {
	for _, b := range buyers {
		sum += max(b.Days[day], 0)
	}
	return sum
}

// link is the address of a page of the sales with parameters in pairs; those that are empty are
// left out.
func link(page string, pairs ...string) string {
	q := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			q.Set(pairs[i], pairs[i+1])
		}
	}
	if len(q) == 0 {
		return "sales/" + page
	}
	return "sales/" + page + "?" + q.Encode()
}

// dutySays says what has to be reported.
func dutySays(v *frame.Visit, d transactions.Duty) string {
	if d.Seconds == 0 {
		return ""
	}
	says := v.Say("price.duty", spanSays(v, d.Window()))
	if len(d.Fields) > 0 {
		says += ": " + strings.Join(d.Fields, ", ")
	}
	return says
}

// spanSays writes a span in its largest whole unit.
func spanSays(v *frame.Visit, d time.Duration) string {
	for _, unit := range []struct {
		of   time.Duration
		name string
	}{{24 * time.Hour, "span.days"}, {time.Hour, "span.hours"}, {time.Minute, "span.minutes"}} {
		if d >= unit.of && d%unit.of == 0 {
			return v.Count(unit.name, int(d/unit.of))
		}
	}
	return fmt.Sprint(d)
}

// priceSays writes a price in words.
func priceSays(v *frame.Visit, m policy.Money) string {
	if m.Model == "" {
		return ""
	}
	says := v.Term("price.model", m.Model)
	switch {
	case m.Model == "revenue_share":
		says += ", " + policy.Amount(m.Rate*100) + " %"
	case m.Rate > 0 && m.Currency != "":
		says += ", " + money(m.Rate, m.Currency)
	}
	if m.Months > 0 {
		says = v.Say("price.for", says, v.Count("span.months", m.Months))
	}
	return says
}
