package console

import (
	"time"

	"frontdesk/internal/excerpts/grants"
	"frontdesk/internal/identity/requesters"
	"frontdesk/internal/operator/console/frame"
)

// The lists as files have them, and by which they are searched. What was submitted, offered or
// described in words is left out: it can be personal.

func (r row) cells() []any {
	cells := []any{r.Index, r.ID, r.Time, r.Kind, r.Who, r.Sale, r.Note}
	for _, t := range r.Took {
		cells = append(cells, t.Text, t.Note)
	}
	return append(cells, r.Called)
}

func (b receiptsBody) Table() frame.Table {
	return frame.TableOf("index id time kind party transaction", b.Rows, func(r row) []any {
		return r.cells()[:6]
	}).Goes(b.Next, b.over)
}

func denialCells(r grants.Request) []any { return []any{r.At, r.Platform, r.ID, r.Outcome} }

func (b denialsBody) Table() frame.Table {
	return frame.TableOf("time platform request outcome", b.Rows, denialCells).Goes(b.Next, b.over)
}

// Table is what the inbox has: it is searched by a form that leaves no address, since agents and
// sessions are looked for.
func (b inboxBody) Table() frame.Table {
	t := frame.TableOf("id time intake platform state until", b.Rows, func(r inboxRow) []any {
		return []any{r.ID, r.CreatedAt, r.Intake, r.Platform, r.State, r.Expires}
	}).Goes(b.Next, b.over)
	t.Finds = true
	return t
}

func (b shelfBody) Table() frame.Table {
	return frame.TableOf("url title type site price not_sold rule report", b.Rows, func(r shelfRow) []any {
		return []any{r.URL, r.Title, r.Type, r.Site, r.Price, r.Absence, r.Rule, r.Owed}
	}).Goes(b.Next, nil)
}

func (r offerRow) cells() []any {
	return []any{r.ID, r.Expires, r.Buyer, r.Site, r.URI, r.Cost, r.Owed, r.Package.Title}
}

func (b offersBody) Table() frame.Table {
	return frame.TableOf("id until buyer site url price report title", b.Rows, offerRow.cells).Goes(b.Next, b.over)
}

func (r transactionRow) cells() []any {
	return []any{r.ID, r.Made, r.Buyer, r.Site, r.URI, r.Cost, r.State, r.Duty, r.Due}
}

// purchases are the rows of what was bought.
func purchases(rows []transactionRow) frame.Table {
	return frame.TableOf("id time buyer site url cost state report due", rows, transactionRow.cells)
}

func (r pageSales) cells() []any { return []any{r.URI, r.Site, r.Purchases, r.Amount, r.Last} }

func (b salesBody) Table() frame.Table {
	return frame.TableOf("url site purchases charged last_purchase", b.all, pageSales.cells).Goes("", b.over)
}

func (r pathRow) cells() []any { return []any{r.Path.Path, r.Agent, r.Outcome, r.Count} }

func (b botsBody) Table() frame.Table {
	return frame.TableOf("place agent outcome requests", b.all, pathRow.cells).Goes("", b.over)
}

func (r differenceRow) cells() []any {
	id, address := r.Delivery.Transaction, r.Delivery.URI
	if r.Sold() {
		id, address = r.Sale.ID, r.Sale.URI
	}
	return []any{r.At, r.Site, r.Kind, r.Why(), id, address}
}

func (r reconciledRow) cells() []any {
	return []any{r.At.Format(time.DateOnly), r.Site, r.Of, r.Gaps, r.Untold}
}

func (b reconciledBody) Table() frame.Table {
	if b.Day != "" {
		columns := "time site kind why transaction url"
		return frame.TableOf(columns, b.Rows, differenceRow.cells).Goes(b.Next, b.over)
	}
	return frame.TableOf("day site compared differing unknown", b.Days, reconciledRow.cells).Goes(b.Next, b.over)
}

func (b transactionsBody) Table() frame.Table { return purchases(b.Rows).Goes(b.Next, b.over) }

func (b owedBody) Table() frame.Table { return purchases(b.Rows).Goes(b.Next, b.over) }

func (r deliveryRow) cells() []any {
	return []any{r.ID, r.At, r.Transaction, r.By, r.Site, r.URI, r.Bytes, r.State}
}

// sendings are the rows of what was delivered.
func sendings(rows []deliveryRow) frame.Table {
	return frame.TableOf("id time transaction by site url bytes state", rows, deliveryRow.cells)
}

func (b deliveriesBody) Table() frame.Table { return sendings(b.Rows).Goes(b.Next, b.over) }

func (b leakageBody) Table() frame.Table {
	if b.Kind == leakUnfetched {
		return purchases(b.Sold).Goes(b.Next, b.over)
	}
	return sendings(b.Sent).Goes(b.Next, b.over)
}

func (r disputeRow) cells() []any {
	return []any{r.ID, r.Filed, r.Transaction, r.Buyer, r.Site, r.Reason, r.Status, r.Resolution}
}

func (b disputesBody) Table() frame.Table {
	columns := "id filed transaction buyer site reason status resolution"
	return frame.TableOf(columns, b.Rows, disputeRow.cells).Goes(b.Next, b.over)
}

func (r measureRow) cells() []any {
	return []any{
		r.Sanction.ID, r.Imposed, r.Kind, r.Party.ID, r.Level, r.Cause, r.Confirmed, r.Lifted, r.By,
	}
}

func (b measuresBody) Table() frame.Table {
	columns := "id imposed kind party level cause confirmed lifted by"
	return frame.TableOf(columns, b.Rows, measureRow.cells).Goes("", b.over)
}

func requesterCells(r requesters.Registration) []any {
	return []any{r.Account(), r.SignUp, r.Status, r.Scopes, r.UserCategory, r.Country, r.Rate, r.Created}
}

func (b requestersBody) Table() frame.Table {
	columns := "requester sign_up status scopes user_category country rate created"
	return frame.TableOf(columns, b.Rows, requesterCells).Goes(b.Next, b.over)
}

func (r accountRow) cells() []any {
	return []any{
		r.Buyer, r.Currency, r.AvailableIs, r.HeldIs, r.EarnedIs, r.PaidIn, r.LimitIs, r.Status, r.Created,
	}
}

func (b accountsBody) Table() frame.Table {
	columns := "buyer currency available held earned paid_in limit status created"
	return frame.TableOf(columns, b.Rows, accountRow.cells).Goes(b.Next, b.over)
}

func (r grantRow) cells() []any { return []any{r.ID, r.Kind, r.Buyer, r.Is, r.Pays, r.Created} }

func (b grantsBody) Table() frame.Table {
	return frame.TableOf("id kind buyer state pays created", b.Rows, grantRow.cells).Goes(b.Next, b.over)
}

func (r tenantRow) cells() []any { return []any{r.ID, r.Tenant.Name, r.Domains, r.Price, r.Created} }

func (b tenantsBody) Table() frame.Table {
	return frame.TableOf("id name domains price created", b.Rows, tenantRow.cells).Goes(b.Next, b.over)
}

func (r domainRow) cells() []any {
	return []any{r.Name, r.Tenant, r.State, r.Since, r.Verified, r.Until, r.Open}
}

func (b domainsBody) Table() frame.Table {
	return frame.TableOf("domain tenant state since verified until challenges", b.Rows, domainRow.cells).
		Goes(b.Next, b.over)
}
