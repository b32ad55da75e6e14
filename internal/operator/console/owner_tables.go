package console

import (
	"time"

	"frontdesk/internal/excerpts/grants"
	"frontdesk/internal/identity/requesters"
	"frontdesk/internal/operator/console/frame"
)

// The lists as files have them. What was submitted, offered or described in words is left out: it
// can be personal.

func (b receiptsBody) Table() frame.Table {
	return frame.TableOf("index id time kind party transaction", b.Rows, func(r row) []any {
		return []any{r.Index, r.ID, r.Time, r.Kind, r.Who, r.Sale}
	}).Goes(b.Older, b.Chosen.over)
}

func (b denialsBody) Table() frame.Table {
	return frame.TableOf("time platform request outcome", b.Rows, func(r grants.Request) []any {
		return []any{r.At, r.Platform, r.ID, r.Outcome}
	}).Goes(b.Older, b.Chosen.over)
}

func (b inboxBody) Table() frame.Table {
	return frame.TableOf("id time intake platform state until", b.Rows, func(r inboxRow) []any {
		return []any{r.ID, r.CreatedAt, r.Intake, r.Platform, r.State, r.Expires}
	}).Goes(b.Older, b.Chosen.over)
}

func (b shelfBody) Table() frame.Table {
	return frame.TableOf("url title type site price not_sold rule report", b.Rows, func(r shelfRow) []any {
		return []any{r.URL, r.Title, r.Type, r.Site, r.Price, r.Absence, r.Rule, r.Owed}
	}).Goes(b.Next, b.over)
}

func (b offersBody) Table() frame.Table {
	return frame.TableOf("id until buyer site url price report", b.Rows, func(r offerRow) []any {
		return []any{r.ID, r.Expires, r.Buyer, r.Site, r.URI, r.Cost, r.Owed}
	}).Goes(b.Next, b.over)
}

// purchases are the rows of what was bought.
func purchases(rows []transactionRow) frame.Table {
	return frame.TableOf("id time buyer site url cost state report due", rows, func(r transactionRow) []any {
		return []any{r.ID, r.Made, r.Buyer, r.Site, r.URI, r.Cost, r.State, r.Duty, r.Due}
	})
}

func (b salesBody) Table() frame.Table {
	return frame.TableOf("url site purchases charged last_purchase", b.all, func(r pageSales) []any {
		return []any{r.URI, r.Site, r.Purchases, r.Amount, r.Last}
	}).Goes("", b.over)
}

func (b botsBody) Table() frame.Table {
	return frame.TableOf("place agent outcome requests", b.all, func(r pathRow) []any {
		return []any{r.Path.Path, r.Agent, r.Outcome, r.Count}
	}).Goes("", b.over)
}

func (b reconciledBody) Table() frame.Table {
	if b.Day != "" {
		return frame.TableOf("time site kind why transaction url", b.Rows, func(r differenceRow) []any {
			if r.Sold() {
				return []any{r.At, r.Site, r.Kind, r.Why, r.Sale.ID, r.Sale.URI}
			}
			return []any{r.At, r.Site, r.Kind, r.Why, r.Delivery.Transaction, r.Delivery.URI}
		}).Goes(b.Next, b.over)
	}
	return frame.TableOf("day site compared differing unknown", b.Days, func(r reconciledRow) []any {
		return []any{r.At.Format(time.DateOnly), r.Site, r.Of, r.Gaps, r.Untold}
	}).Goes(b.Next, b.over)
}

func (b transactionsBody) Table() frame.Table { return purchases(b.Rows).Goes(b.Next, b.over) }

func (b owedBody) Table() frame.Table { return purchases(b.Rows).Goes(b.Next, b.over) }

// sendings are the rows of what was delivered.
func sendings(rows []deliveryRow) frame.Table {
	return frame.TableOf("id time transaction by site url bytes state", rows, func(r deliveryRow) []any {
		return []any{r.ID, r.At, r.Transaction, r.By, r.Site, r.URI, r.Bytes, r.State}
	})
}

func (b deliveriesBody) Table() frame.Table { return sendings(b.Rows).Goes(b.Next, b.over) }

func (b leakageBody) Table() frame.Table {
	if len(b.Sold) > 0 {
		return purchases(b.Sold).Goes(b.Next, b.over)
	}
	return sendings(b.Sent).Goes(b.Next, b.over)
}

func (b disputesBody) Table() frame.Table {
	return frame.TableOf("id filed transaction buyer site reason status resolution", b.Rows, func(r disputeRow) []any {
		return []any{r.ID, r.Filed, r.Transaction, r.Buyer, r.Site, r.Reason, r.Status, r.Resolution}
	}).Goes(b.Next, b.over)
}

func (b measuresBody) Table() frame.Table {
	columns := "id imposed kind party level cause confirmed lifted by"
	t := frame.TableOf(columns, b.Rows, func(r measureRow) []any {
		return []any{r.Sanction.ID, r.Imposed, r.Kind, r.Party.ID, r.Level, r.Cause, r.Confirmed, r.Lifted, r.By}
	}).Goes("", b.over)
	t.Sifts = true
	return t
}

func (b requestersBody) Table() frame.Table {
	columns := "requester sign_up status scopes user_category country rate created"
	return frame.TableOf(columns, b.Rows, func(r requesters.Registration) []any {
		return []any{r.Account(), r.SignUp, r.Status, r.Scopes, r.UserCategory, r.Country, r.Rate, r.Created}
	}).Goes(b.Next, b.over)
}

func (b accountsBody) Table() frame.Table {
	return frame.TableOf("buyer currency available held earned paid_in limit status", b.Rows, func(r accountRow) []any {
		return []any{r.Buyer, r.Currency, r.AvailableIs, r.HeldIs, r.EarnedIs, r.PaidIn, r.LimitIs, r.Status}
	}).Goes(b.Next, b.over)
}

func (b grantsBody) Table() frame.Table {
	return frame.TableOf("id kind buyer state pays", b.Rows, func(r grantRow) []any {
		return []any{r.ID, r.Kind, r.Buyer, r.Is, r.Pays}
	}).Goes(b.Next, b.over)
}

func (b tenantsBody) Table() frame.Table {
	return frame.TableOf("id name domains price created", b.Rows, func(r tenantRow) []any {
		return []any{r.ID, r.Tenant.Name, r.Domains, r.Price, r.Created}
	}).Goes(b.Next, b.over)
}

func (b domainsBody) Table() frame.Table {
	return frame.TableOf("domain tenant state verified until challenges", b.Rows, func(r domainRow) []any {
		return []any{r.Name, r.Tenant, r.State, r.Verified, r.Until, r.Open}
	}).Goes(b.Next, b.over)
}
