package rampapi

import (
	"context"
	"time"

	"github.com/go-json-experiment/json"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/httpx"

	rampv1 "frontdesk/wire/ramp/v1"
)

// statusPath stands, behind the address of this front desk, for what is signed to learn how one
// stands: no content is there, so that no signature that was made to ask for content or to buy
// opens the books to whoever passed it on.
const statusPath = "/exchange/v1/status"

// standing is how a requester stands, as it is told. Amounts are in the unit of the currency, as in
// a Cost.
type standing struct {
	RequesterID   string           `json:"requester_id"`
	Domain        string           `json:"domain"`
	SignUp        string           `json:"sign_up,omitzero"`
	Scopes        []string         `json:"granted_scopes,omitzero"`
	Accounts      []holding        `json:"accounts"`
	Subscriptions []map[string]any `json:"subscriptions"`
	Owed          []owed           `json:"reports_owed"`
	Overdue       bool             `json:"reporting_overdue"`
}

type holding struct {
	Currency  string  `json:"currency"`
	Available float64 `json:"available"`
	Held      float64 `json:"held"`
	State     string  `json:"state"`
}

type owed struct {
	Transaction string   `json:"transaction_id"`
	Billing     string   `json:"billing_id"`
	Due         string   `json:"due"`
	Late        bool     `json:"late"`
	Fields      []string `json:"required_fields,omitzero"`
}

// statusTool tells a requester how it stands. RAMP v1 has no such RPC.
func (d *handlers) statusTool() httpx.Tool {
	requester := schema{"type": "object", "required": []any{"id", "domain", "uris", "signature"},
		"additionalProperties": false, "properties": schema{
			"id":     described("What the domain calls the requester."),
			"domain": described("The host name that publishes the requester's key."),
			"uris": schema{"type": "array", "minItems": 1, "maxItems": 1, "items": schema{"type": "string"},
				"description": "Exactly the address that the call without it names, which ends in " + statusPath + "."},
			"scopes":    schema{"type": "array", "items": schema{"type": "string"}},
			"signature": described("The requester's Ed25519 signature over its domain, id, scopes and uris."),
		}}
	return httpx.Tool{
		Name: ToolStatus, Title: "See how you stand as a buyer",
		Description: "Tells a requester its accounts, what is left of its subscriptions, and which reports it owes " +
			"until when. A call without a signature tells over which address it must be.",
		Input: schema{"type": "object", "required": []any{"requester"}, "additionalProperties": false,
			"properties": schema{"requester": requester}}.bytes(),
		Output: answerOf(schema{
			"requester_id": word, "domain": word, "accounts": objects, "subscriptions": objects,
			"reports_owed": objects, "reporting_overdue": schema{"type": "boolean"},
		}).bytes(),
		ReadOnly: true, Call: d.statusCall,
	}
}

func (d *handlers) statusCall(ctx context.Context, c httpx.Call) httpx.Result {
	httpx.EventFrom(ctx).Set("tool", "status")
	query := &rampv1.ResourceQuery{}
	err := d.enter(ctx, "")
	if err == nil {
		err = arguments(c.Arguments, query, d)
	}
	var told standing
	if err == nil {
		query.Id = "status"
		told, err = d.standing(ctx, query)
	}
	if err != nil {
		return toolFailed(ctx, err)
	}
	object, err := json.Marshal(told, json.Deterministic(true))
	if err != nil {
		return toolFailed(ctx, err)
	}
	return httpx.Result{Object: object, Meta: []byte("{}")}
}

// standing says how the requester of a query stands, whose address is the one that stands for that.
func (d *handlers) standing(ctx context.Context, query *rampv1.ResourceQuery) (out standing, err error) {
	ctx, cancel := context.WithTimeout(ctx, d.MaxDeadline)
	defer cancel()
	address := d.Base(ctx) + statusPath
	if uris := query.GetRequester().GetUris(); len(uris) != 1 || uris[0] != address {
		return out, fail.New(fail.Invalid, "requester.uris: has to be [%q], and requester.signature over it", address)
	}
	c, err := d.open(ctx, query)
	if err == nil {
		err = c.exceeded()
	}
	if err != nil {
		return out, err
	}
	if c.who.Signed == "" {
		return out,
			fail.New(fail.Unauthorized, "how somebody stands is told to who signs with its key; send "+
				"requester.signature")
	}
	s, err := d.services.Exchange.BuyerSummary(ctx, c.who)
	if err != nil {
		return out, err
	}
	out = standing{
		RequesterID: c.who.ID, Domain: c.who.Domain, SignUp: c.who.SignUp, Scopes: c.who.Granted, Accounts: []holding{},
		Subscriptions: []map[string]any{}, Owed: []owed{},
		Overdue: s.Overdue,
	}
	for _, a := range s.Accounts {
		out.Accounts = append(out.Accounts, holding{a.Currency, amount(a.Available), amount(a.Held), a.Status})
	}
	for _, of := range s.Subscriptions {
		var quotas []map[string]any
		for _, q := range of.Quotas {
			one := map[string]any{"unit": q.Unit, "quota_limit": q.Limit, "quota_used": q.Used,
				"quota_remaining": q.Left}
			if !q.Resets.IsZero() {
				one["resets_at"] = q.Resets.Format(time.RFC3339)
			}
			quotas = append(quotas, one)
		}
		one := map[string]any{"subscription_id": of.ID, "quotas": append([]map[string]any{}, quotas...)}
		if !of.Ends.IsZero() {
			one["ends"] = of.Ends.Format(time.RFC3339)
		}
		out.Subscriptions = append(out.Subscriptions, one)
	}
	for _, t := range s.Owed {
		out.Owed = append(out.Owed, owed{t.ID, t.Billing, t.Due.Format(time.RFC3339), !d.Now().Before(t.Due), t.Fields})
	}
	return out, nil
}
