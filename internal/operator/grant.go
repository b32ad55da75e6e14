package operator

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/licensing/accounts"
)

// Licences and subscriptions of buyers.
const (
	licensesPath      = "/admin/licenses"
	licensePath       = licensesPath + "/{id...}"
	subscriptionsPath = "/admin/subscriptions"
	subscriptionPath  = subscriptionsPath + "/{id...}"
)

var grantOperations = []Operation{
	Define[ListLicenses]("licenses", "GET", licensesPath, "List licences"),
	Define[AddLicense]("addLicenses", "POST", licensesPath, "Give a buyer a licence"),
	Define[ShowLicense]("readLicense", "GET", licensePath, "Read a licence"),
	Define[ChangeLicense]("changeLicense", "PATCH", licensePath, "Change a licence"),
	Define[ListSubscriptions]("subscriptions", "GET", subscriptionsPath, "List subscriptions"),
	Define[AddSubscription]("addSubscriptions", "POST", subscriptionsPath, "Give a buyer a subscription"),
	Define[ShowSubscription]("readSubscription", "GET", subscriptionPath, "Read a subscription"),
	Define[ChangeSubscription]("changeSubscription", "PATCH", subscriptionPath, "Change a subscription"),
	Command[SuspendGrant](), Command[ResumeGrant](), Command[EndGrant](), Command[SetQuota](),
}

// Grant is a licence or a subscription as it is told, and as a request has it. Of a subscription,
// paid is empty; of a licence, currency is, and it has no quotas.
type Grant struct {
	ID       string   `json:"id" column:"1:ID"`
	Buyer    string   `json:"buyer" column:"2:BUYER"`
	Site     string   `json:"site,omitempty"`
	Labels   []string `json:"labels,omitempty"`
	Paths    []string `json:"paths,omitempty"`
	Item     string   `json:"item,omitempty"`
	Paid     string   `json:"paid,omitempty"` // the pricing model for which nothing is charged
	Currency string   `json:"currency,omitempty"`
	Begins   string   `json:"begins,omitempty"`
	Ends     string   `json:"ends,omitempty"`
	State    string   `json:"state,omitempty" cli:"status" column:"3:STATUS"`
	Quotas   []Quota  `json:"quotas,omitempty"`
}

// Quota is a quota of a subscription. A request has unit, limit and period, and may forget what
// was used with anew.
type Quota struct {
	Unit   string `json:"unit" required:"" enum:"accesses,tokens,spend_cents,burst"`
	Limit  int64  `json:"limit" required:""`
	Period string `json:"period,omitempty"` // such as 1mo or 24h; empty for the whole time
	Anew   bool   `json:"anew,omitempty"`
	Used   int64  `json:"used"`
	Left   int64  `json:"left"`
	Resets string `json:"resets,omitempty"`
}

func showGrant(s accounts.Subscription) Grant {
	out := Grant{
		ID: s.ID, Buyer: s.Buyer, Site: s.Site, Labels: s.Labels, Paths: s.Paths, Item: s.URL, Paid: s.Paid,
		Currency: s.Currency, Begins: second(s.Begins), Ends: second(s.Ends), State: s.Status,
	}
	for _, q := range s.Quotas {
		one := Quota{Unit: q.Unit, Period: q.Period(), Resets: second(q.Resets)}
		one.Limit, one.Used, one.Left = q.Counts()
		out.Quotas = append(out.Quotas, one)
	}
	return out
}

// second is a time to the second; empty for none.
func second(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

// goodFor says in words for what a grant is good.
func (g Grant) goodFor() string {
	var parts []string
	if g.Site != "" {
		parts = append(parts, "site "+g.Site)
	}
	if g.Item != "" {
		parts = append(parts, g.Item)
	}
	if parts = append(append(parts, g.Labels...), g.Paths...); len(parts) == 0 {
		return "all"
	}
	return strings.Join(parts, " ")
}

// grant tells of a licence or a subscription.
func (o *Operator) grant(ctx context.Context, id, kind string) (Grant, error) {
	s, is, err := o.Balances.Licence(ctx, id, o.moment())
	if err == nil && kind != "" && is != kind {
		err = fail.New(fail.NotFound, "%.60q is a %s, and not a %s", id, is, kind)
	}
	return showGrant(s), err
}

// give gives a licence or a subscription, with its quotas.
func (o *Operator) give(ctx context.Context, tx *store.Tx, kind string, asked Grant, now time.Time) error {
	l := accounts.Licence{
		ID: asked.ID, Buyer: asked.Buyer, Paid: asked.Paid, Begins: now,
		Scope: accounts.Scope{Site: asked.Site, Labels: asked.Labels, Paths: asked.Paths, URL: asked.Item},
	}
	for _, at := range []struct {
		name, text string
		into       *time.Time
	}{{"begins", asked.Begins, &l.Begins}, {"ends", asked.Ends, &l.Ends}} {
		if at.text == "" {
			continue
		}
		when, err := time.Parse(time.RFC3339, at.text)
		if err != nil {
			return &FieldError{at.name, fmt.Sprintf("%.40q is no time; write it like 2027-01-01T00:00:00Z", at.text)}
		}
		*at.into = when.UTC()
	}
	if asked.State != "" && asked.State != accounts.Active {
		return invalid("what is given is active; change its state afterwards")
	}
	if kind == accounts.GrantLicence {
		if asked.Currency != "" || len(asked.Quotas) > 0 {
			return invalid("a licence has no currency and no quotas; a subscription has")
		}
		return o.Accounts.AddLicence(ctx, tx, l, now)
	}
	if asked.Paid != "" {
		return invalid("paid is of licences; under a subscription nothing is charged")
	}
	if err := o.Accounts.AddSubscription(ctx, tx, l, asked.Currency, now); err != nil {
		return err
	}
	return o.setQuotas(ctx, tx, asked.ID, asked.Quotas, now)
}

func (o *Operator) setQuotas(ctx context.Context, tx *store.Tx, id string, quotas []Quota, now time.Time) error {
	for i, q := range quotas {
		row := accounts.QuotaSetting{Unit: q.Unit, Limit: q.Limit, Restart: q.Anew}
		var err error
		if row.Months, row.Span, err = accounts.ParsePeriod(q.Period); err != nil {
			return invalid("quota %d: %v", i+1, err)
		}
		if q.Used != 0 || q.Left != 0 || q.Resets != "" {
			return invalid("quota %d: what is used and left is counted by purchases; send unit, limit and "+
				"period", i+1)
		}
		if err := o.Accounts.SetQuota(ctx, tx, id, row, now); err != nil {
			return err
		}
	}
	return nil
}

// listGrants lists licences or subscriptions by their ids.
func (o *Operator) listGrants(ctx context.Context, p Page, kind, buyer string) ([]Grant, string, error) {
	wanted := accounts.GrantFilter{Kind: kind, Buyer: buyer, After: p.After, Limit: p.rows()}
	if wanted.Limit == 0 {
		wanted.Limit = allRows
	}
	all, err := o.Balances.Grants(ctx, wanted, o.moment())
	all, next := part(p, all, func(one accounts.Grant) string { return one.ID })
	return each(all, func(g accounts.Grant) Grant { return showGrant(g.Subscription) }), next, err
}

// ListLicenses lists licences.
type ListLicenses struct {
	Buyer string `query:"buyer" arg:"" optional:"" help:"Only the licences of this buyer."`
	Page
	Printed
}

// LicensePage is a page of licences.
type LicensePage struct {
	Licenses []License `json:"licenses"`
	Next     string    `json:"next,omitempty"`
}

// License is a licence in a list.
type License struct{ Grant }

// Cells are what tables say of it beside its columns.
func (l License) Cells() [][2]string {
	return [][2]string{
		{"BEGINS", minute(l.Begins)}, {"ENDS", minute(l.Ends)}, {"PAID", l.Paid}, {"GOOD FOR", l.goodFor()},
	}
}

// minute is a time of a result for people.
func minute(text string) string {
	if t, err := time.Parse(time.RFC3339, text); err == nil {
		return t.Format("2006-01-02 15:04")
	}
	return ""
}

// Empty is what the command says where there are none.
func (ListLicenses) Empty() string {
	return "There are no licences. Give one with `frontdesk ramp license add ID BUYER`."
}

func (in ListLicenses) Do(ctx context.Context, o *Operator) (page LicensePage, err error) {
	all, next, err := o.listGrants(ctx, in.Page, accounts.GrantLicence, in.Buyer)
	return LicensePage{each(all, func(g Grant) License { return License{g} }), next}, err
}

// ListSubscriptions lists subscriptions with what is left of their quotas.
type ListSubscriptions struct {
	Buyer string `query:"buyer" arg:"" optional:"" help:"Only the subscriptions of this buyer."`
	Page
	Printed
}

// SubscriptionPage is a page of subscriptions.
type SubscriptionPage struct {
	Subscriptions []Subscription `json:"subscriptions"`
	Next          string         `json:"next,omitempty"`
}

// Subscription is a subscription in a list.
type Subscription struct{ Grant }

// Cells are what tables say of it beside its columns.
func (s Subscription) Cells() [][2]string {
	left := []string{}
	for _, q := range s.Quotas {
		left = append(left, fmt.Sprintf("%d of %d %s", q.Left, q.Limit, q.Unit))
	}
	if len(left) == 0 {
		left = []string{"no bounds"}
	}
	return [][2]string{
		{"BEGINS", minute(s.Begins)}, {"ENDS", minute(s.Ends)}, {"LEFT", strings.Join(left, ", ")},
		{"GOOD FOR", s.goodFor()},
	}
}

// Empty is what the command says where there are none.
func (ListSubscriptions) Empty() string {
	return "There are no subscriptions. Give one with `frontdesk ramp subscription add ID BUYER`."
}

func (in ListSubscriptions) Do(ctx context.Context, o *Operator) (page SubscriptionPage, err error) {
	all, next, err := o.listGrants(ctx, in.Page, accounts.GrantSubscription, in.Buyer)
	return SubscriptionPage{each(all, func(g Grant) Subscription { return Subscription{g} }), next}, err
}

// GrantTerms are what a licence or a subscription is given with.
type GrantTerms struct {
	ID     string   `json:"id" arg:"" name:"id" help:"Its id, which buyers name, such as lic-2027-acme." form:"id" label:"grant_id" max:"64" example:"sub-2027-acme"`
	Buyer  string   `json:"buyer" arg:"" help:"Whose it is: DOMAIN/ID, or DOMAIN/* for all of a domain." form:"buyer" label:"buyer" max:"240"`
	Site   string   `json:"site" placeholder:"ID" help:"Good for this site. Without it, for all." form:"site" label:"site" input:"site"`
	Labels []string `json:"labels" name:"label" placeholder:"LABEL" help:"Good for items with this label of the terms; may be repeated." form:"labels" label:"labels"`
	Paths  []string `json:"paths" name:"path" placeholder:"GLOB" help:"Good for items with such a path, like /premium/**; may be repeated." form:"paths" label:"paths"`
	Item   string   `json:"item" placeholder:"URL" help:"Good for this one item." form:"item" label:"item" input:"url"`
	Begins string   `json:"begins" placeholder:"TIME" help:"When it begins, such as 2027-01-01T00:00:00Z. Without it, now."`
	Ends   string   `json:"ends" placeholder:"TIME" help:"When it ends. Without it, never by itself." form:"ends" label:"ends" input:"date"`
	State  string   `json:"state" kong:"-"`
}

func (t GrantTerms) grant() Grant {
	return Grant{
		ID: t.ID, Buyer: t.Buyer, Site: t.Site, Labels: t.Labels, Paths: t.Paths, Item: t.Item, Begins: t.Begins,
		Ends: t.Ends, State: t.State,
	}
}

// Given is a grant that was made.
type Given struct{ Grant }

// Fresh says that it was made.
func (Given) Fresh() bool { return true }

func (o *Operator) add(ctx context.Context, kind string, asked Grant) (Given, error) {
	give := func(tx *store.Tx, now time.Time) error { return o.give(ctx, tx, kind, asked, now) }
	if err := o.change(ctx, accounts.SubscriptionLock(asked.ID), give); err != nil {
		return Given{}, err
	}
	g, err := o.grant(ctx, asked.ID, kind)
	return Given{g}, err
}

// AddLicense gives a buyer a licence.
type AddLicense struct {
	GrantTerms
	Paid     string  `json:"paid" placeholder:"MODEL" help:"The pricing model for which nothing is charged under the licence, such as training. Without it, the licence lets buy, and what is bought is charged." form:"paid" label:"paid"`
	Currency string  `json:"currency" kong:"-"` // of subscriptions
	Quotas   []Quota `json:"quotas" kong:"-"`
}

// Example is of the command.
func (AddLicense) Example() string {
	return "A requester names a licence as license_id; it must be the requester's, or its domain's, " +
		"and cover what is bought.\n\n" +
		"Example:\n\n\tfrontdesk ramp license add lic-2027-118 'buyer.example.com/*' --path '/archive/**' " +
		"--paid training --ends 2028-01-01T00:00:00Z"
}

func (in AddLicense) Do(ctx context.Context, o *Operator) (Given, error) {
	g := in.grant()
	g.Paid, g.Currency, g.Quotas = in.Paid, in.Currency, in.Quotas
	return o.add(ctx, accounts.GrantLicence, g)
}

// Say tells who has it.
func (AddLicense) Say(out Given) string {
	return fmt.Sprintf("%s has the licence %s.", out.Buyer, out.ID)
}

// AddSubscription gives a buyer a subscription.
type AddSubscription struct {
	GrantTerms
	Currency string   `json:"currency" placeholder:"CODE" help:"In which currency spend_cents are counted, like USD. It needs one that has such a quota." form:"currency" label:"spent_currency" input:"currency"`
	Quota    []string `json:"-" placeholder:"UNIT=LIMIT/PERIOD" help:"What it gives in each period, such as accesses=1000/1mo, tokens=5000000/1mo, spend_cents=10000/1mo or burst=10/1m; may be repeated." form:"most" label:"first_quota" input:"quota"`
	Quotas   []Quota  `json:"quotas" kong:"-"`
	Paid     string   `json:"paid" kong:"-"` // of licences
}

// Example is of the command.
func (AddSubscription) Example() string {
	return "Under a subscription nothing is charged. Without quotas it has no bounds; without a " +
		"period, a quota is for the whole time.\n\n" +
		"Example:\n\n\tfrontdesk ramp subscription add sub-acme 'buyer.example.com/*' --label " +
		"finance.markets " +
		"--quota accesses=1000/1mo --quota burst=10/1m"
}

func (in AddSubscription) Do(ctx context.Context, o *Operator) (Given, error) {
	g := in.grant()
	g.Paid, g.Currency, g.Quotas = in.Paid, in.Currency, in.Quotas
	for _, text := range in.Quota {
		q, err := quotaOf(text)
		if err != nil {
			return Given{}, err
		}
		g.Quotas = append(g.Quotas, q)
	}
	return o.add(ctx, accounts.GrantSubscription, g)
}

// Say tells who has it.
func (AddSubscription) Say(out Given) string {
	return fmt.Sprintf("%s has the subscription %s.", out.Buyer, out.ID)
}

// quotaOf reads a quota of the command line: UNIT=LIMIT, or UNIT=LIMIT/PERIOD.
func quotaOf(text string) (Quota, error) {
	name, rest, ok := strings.Cut(text, "=")
	limit, period, periodic := strings.Cut(rest, "/")
	n, err := strconv.ParseInt(limit, 10, 64)
	if _, _, no := accounts.ParsePeriod(period); err != nil || !ok || no != nil || periodic && period == "" {
		return Quota{}, invalid("%q is no quota; write UNIT=LIMIT/PERIOD, like accesses=1000/1mo or "+
			"burst=10/1m, "+
			"or UNIT=LIMIT for the whole time; units are %s", text, strings.Join(accounts.Units, ", "))
	}
	return Quota{Unit: name, Limit: n, Period: period}, nil
}

// GrantID names a licence or a subscription.
type GrantID struct {
	ID string `json:"-" path:"id" arg:"" name:"id" help:"Its id, as the list shows it." form:"id" input:"hidden"`
}

// ShowLicense tells of a licence.
type ShowLicense struct{ GrantID }

func (in ShowLicense) Do(ctx context.Context, o *Operator) (Grant, error) {
	return o.grant(ctx, in.ID, accounts.GrantLicence)
}

// ShowSubscription tells of a subscription.
type ShowSubscription struct{ GrantID }

func (in ShowSubscription) Do(ctx context.Context, o *Operator) (Grant, error) {
	return o.grant(ctx, in.ID, accounts.GrantSubscription)
}

// GrantChange is what can be changed of a licence or a subscription.
type GrantChange struct {
	GrantID
	State  *string `json:"state" enum:"active,suspended,ended"`
	Quotas []Quota `json:"quotas"`
}

// change sets the state and the quotas of a grant of a kind; empty for any.
func (in GrantChange) change(ctx context.Context, o *Operator, kind string) (Grant, error) {
	if _, err := o.grant(ctx, in.ID, kind); err != nil {
		return Grant{}, err
	}
	if err := o.change(ctx, accounts.SubscriptionLock(in.ID), func(tx *store.Tx, now time.Time) error {
		if in.State != nil {
			if err := o.Accounts.SetLicenceStatus(ctx, tx, in.ID, *in.State, now); err != nil {
				return err
			}
		}
		return o.setQuotas(ctx, tx, in.ID, in.Quotas, now)
	}); err != nil {
		return Grant{}, err
	}
	return o.grant(ctx, in.ID, kind)
}

// ChangeLicense sets the state of a licence.
type ChangeLicense struct{ GrantChange }

func (in ChangeLicense) Do(ctx context.Context, o *Operator) (Grant, error) {
	return in.change(ctx, o, accounts.GrantLicence)
}

// ChangeSubscription sets the state and quotas of a subscription.
type ChangeSubscription struct{ GrantChange }

func (in ChangeSubscription) Do(ctx context.Context, o *Operator) (Grant, error) {
	return in.change(ctx, o, accounts.GrantSubscription)
}

func (g GrantID) setStatus(ctx context.Context, o *Operator, status string) (Grant, error) {
	return GrantChange{GrantID: g, State: &status}.change(ctx, o, "")
}

// SuspendGrant lets a licence or a subscription be good for nothing, until it is resumed.
type SuspendGrant struct{ GrantID }

func (in SuspendGrant) Do(ctx context.Context, o *Operator) (Grant, error) {
	return in.setStatus(ctx, o, accounts.Suspended)
}

// Say tells until when.
func (in SuspendGrant) Say(Grant) string { return in.ID + " is good for nothing until it is resumed." }

// ResumeGrant lets a licence or a subscription be good again.
type ResumeGrant struct{ GrantID }

func (in ResumeGrant) Do(ctx context.Context, o *Operator) (Grant, error) {
	return in.setStatus(ctx, o, accounts.Active)
}

// Say tells of it.
func (in ResumeGrant) Say(Grant) string { return in.ID + " is good again." }

// EndGrant ends a licence or a subscription for good.
type EndGrant struct{ GrantID }

func (in EndGrant) Do(ctx context.Context, o *Operator) (Grant, error) {
	return in.setStatus(ctx, o, accounts.Ended)
}

// Say tells of it.
func (in EndGrant) Say(Grant) string { return in.ID + " has ended." }

// SetQuota sets a quota of a subscription.
type SetQuota struct {
	GrantID
	Quota string `arg:"" name:"unit=limit/period" help:"Such as accesses=1000/1mo, or accesses=1000 for the whole time." form:"most" label:"set_quota" input:"quota"`
	Anew  bool   `help:"Forget what was used of it." form:"anew" label:"anew"`
}

// Example is of the command.
func (SetQuota) Example() string {
	return "What was used stays, unless --anew forgets it. A period counts from when the quota was " +
		"first set, or its period changed.\n\n" +
		"Example:\n\n\tfrontdesk ramp subscription quota sub-acme accesses=2000/1mo"
}

func (in SetQuota) Do(ctx context.Context, o *Operator) (Grant, error) {
	q, err := quotaOf(in.Quota)
	if err != nil {
		return Grant{}, err
	}
	q.Anew = in.Anew
	return GrantChange{GrantID: in.GrantID, Quotas: []Quota{q}}.change(ctx, o, accounts.GrantSubscription)
}

// Say tells of it.
func (in SetQuota) Say(Grant) string { return "The quota of " + in.ID + " is set." }
