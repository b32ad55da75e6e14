package operator

import (
	"cmp"
	"context"
	"slices"
	"time"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/policy"
	"frontdesk/internal/policy/overrides"
	"frontdesk/wire/strictjson"
)

// Content rules stand behind the terms of the owner's file (RAMP v1, the manual source of the
// catalog). A price holds for what is licensed of a site and has none by a rule.
const (
	rulesPath   = "/admin/content-rules"
	rulePath    = rulesPath + "/{id}"
	pricingPath = tenantPath + "/pricing"
)

var ruleOperations = []Operation{
	Define[ListRules]("contentRules", "GET", rulesPath, "List the content rules (RAMP v1, manual source)"),
	Define[PutRule]("putContentRule", "POST", rulesPath,
		"Add a content rule, or put it in the place of that with its id"),
	Define[ShowRule]("contentRule", "GET", rulePath, "Read a content rule"),
	Define[RemoveRule]("removeContentRule", "DELETE", rulePath, "Remove a content rule"),
	Define[ShowPricing]("tenantPricing", "GET", pricingPath,
		"Read what licensed items of a site cost where no rule says so"),
	Define[SetPricing]("setTenantPricing", "PUT", pricingPath,
		"Say what licensed items of a site cost where no rule says so (RAMP v1)"),
	Define[RemovePricing]("removeTenantPricing", "DELETE", pricingPath, "Have no such price any more"),
}

// Rules are what programs add to the terms of the file.
type Rules struct {
	*overrides.Store
	// Fits says what of a rule does not fit the configuration.
	Fits func(policy.Rule) error
	// Apply puts in force what was changed, if that can be done at once.
	Apply func(context.Context)
	// Warn says what of a rule in force works, and is probably not meant.
	Warn func(context.Context, overrides.Rule) []string
}

// ContentRule is a rule of the terms that stands behind those of the owner's file. Its members are
// those of a rule there.
type ContentRule struct {
	// ID is up to 64 lower-case letters, digits, dots, dashes and underscores; made where it is
	// left out.
	ID    string `json:"id"`
	Order *int64 `json:"order"` // rules stand in the order of these; 100 where it is left out
	policy.Rule
	Reporting Reporting `json:"reporting,omitzero"`
	Created   string    `json:"created,omitempty"`  // told alone
	Changed   string    `json:"changed,omitempty"`  // told alone
	Warnings  []string  `json:"warnings,omitempty"` // told alone: what works, and is probably not meant
}

func showRule(r overrides.Rule) ContentRule {
	out := ContentRule{
		ID: r.ID, Order: &r.Place, Rule: r.Rule, Created: r.Created.Format(time.RFC3339Nano),
		Changed: r.Changed.Format(time.RFC3339Nano),
	}
	if window := r.Rule.Reporting.Window; window > 0 {
		out.Reporting.Window = window.String()
	}
	return out
}

// warned is a rule as it is told, with what is probably not meant.
func (o *Operator) warned(ctx context.Context, rule overrides.Rule) ContentRule {
	out := showRule(rule)
	out.Warnings = o.Rules.Warn(ctx, rule)
	return out
}

// ListRules lists the content rules in their order.
type ListRules struct{}

// RuleList is all content rules, in their order.
type RuleList struct {
	Rules []ContentRule `json:"rules"`
}

func (ListRules) Do(ctx context.Context, o *Operator) (RuleList, error) {
	book, err := o.Rules.Read(ctx)
	return RuleList{each(book.Rules, showRule)}, err
}

// RuleID names a content rule.
type RuleID struct {
	ID string `json:"-" path:"id" arg:"" help:"The rule's id, as frontdesk terms show lists it: content rule ID."`
}

// ShowRule tells of a content rule.
type ShowRule struct{ RuleID }

func (in ShowRule) Do(ctx context.Context, o *Operator) (ContentRule, error) {
	book, err := o.Rules.Read(ctx)
	at := slices.IndexFunc(book.Rules, func(r overrides.Rule) bool { return r.ID == in.ID })
	if err == nil && at < 0 {
		err = fail.New(fail.NotFound, "there is no content rule %.80s; GET %s lists those there are", in.ID, rulesPath)
	}
	if err != nil {
		return ContentRule{}, err
	}
	return o.warned(ctx, book.Rules[at]), nil
}

// PutRule adds a content rule, or puts it in the place of that with its id.
type PutRule struct{ ContentRule }

// PutInRule is a content rule that was put in.
type PutInRule struct {
	ContentRule
	fresh bool
}

// Fresh says whether there was none of its id.
func (r PutInRule) Fresh() bool { return r.fresh }

// usualOrder is the place of a rule that names none.
const usualOrder = 100

// CheckBody holds what the rule is for to be written down, were it that it is for everything, and
// nothing to be null: what a program has no value for would be a condition, or a restriction, that
// is not there.
func (PutRule) CheckBody(body []byte) error {
	if at, is := strictjson.Null(body); is {
		return invalid("%.200s is null; leave out what is not asked for", cmp.Or(at, "the body"))
	}
	var has struct {
		Match *strictjson.Value `json:"match"`
	}
	if err := strictjson.DecodeTolerant(body, &has); err != nil {
		return fail.New(fail.Malformed, "%v", err)
	}
	if has.Match == nil {
		return invalid(`match: say which items the rule is for; "match": {} is for everything`)
	}
	return nil
}

func (in PutRule) Do(ctx context.Context, o *Operator) (out PutInRule, err error) {
	if in.Created != "" || in.Changed != "" || in.Warnings != nil {
		return out, invalid("when a rule was put in, and what is odd about it, is told here, and cannot be said; " +
			"leave out created, changed and warnings")
	}
	rule := overrides.Rule{ID: in.ID, Place: usualOrder, Rule: in.Rule}
	if in.Order != nil {
		rule.Place = *in.Order
	}
	if rule.Rule.Reporting.Window, err = in.Reporting.window(); err != nil {
		return out, err
	}
	if err := o.Rules.Fits(rule.Rule); err != nil {
		return out, err
	}
	if rule, out.fresh, err = o.Rules.Put(ctx, rule); err != nil {
		return out, err
	}
	o.Rules.Apply(ctx)
	out.ContentRule = o.warned(ctx, rule)
	return out, nil
}

// RemoveRule removes a content rule.
type RemoveRule struct{ RuleID }

// Example is one of the command.
func (RemoveRule) Example() string {
	return "It does what DELETE /admin/content-rules/ID does, and needs neither a server nor a key. A server that " +
		"runs follows within a second. The rules of the file are changed in the file.\n\nExample:\n\n" +
		"\tfrontdesk terms remove reports"
}

// Say tells what was removed.
func (in RemoveRule) Say(Removed) string { return "The content rule " + in.ID + " is gone." }

func (in RemoveRule) Do(ctx context.Context, o *Operator) (Removed, error) {
	if err := o.Rules.Remove(ctx, in.ID); err != nil {
		return Removed{}, err
	}
	o.Rules.Apply(ctx)
	return Removed{in.ID}, nil
}

// Pricing is the price of what is licensed of a site and has none by a rule.
type Pricing struct {
	Tenant  string        `json:"tenant"`            // the host that was asked for
	Site    string        `json:"site"`              // the site's id
	Price   *policy.Price `json:"price"`             // null where there is none
	Changed string        `json:"changed,omitempty"` // when it was set
}

// HostName names a site by one of its hosts, or a tenant.
type HostName struct {
	Host string `json:"-" path:"id" arg:"" name:"host" help:"A host of the site, such as www.example.com."`
}

// site is the id of the site or tenant.
func (h HostName) site(o *Operator) (string, error) {
	id, ok := o.Known(h.Host)
	if !ok {
		return "", fail.New(fail.NotFound, "there is no tenant %.100q; name one by its id, or a site by one of its "+
			"hosts, like www.example.com", h.Host)
	}
	return id, nil
}

// ShowPricing tells of a price.
type ShowPricing struct{ HostName }

func (in ShowPricing) Do(ctx context.Context, o *Operator) (Pricing, error) {
	site, err := in.site(o)
	if err != nil {
		return Pricing{}, err
	}
	out := Pricing{Tenant: in.Host, Site: site}
	book, err := o.Rules.Read(ctx)
	if at := slices.IndexFunc(book.Prices, func(p overrides.Price) bool { return p.Site == site }); at >= 0 {
		out.Price, out.Changed = &book.Prices[at].Price, book.Prices[at].Changed.Format(time.RFC3339Nano)
	}
	return out, err
}

// SetPricing sets a price.
type SetPricing struct {
	HostName
	policy.Price
}

func (in SetPricing) Do(ctx context.Context, o *Operator) (Pricing, error) {
	site, err := in.site(o)
	if err == nil && in.Price == (policy.Price{}) {
		err = invalid("say a model, a rate and a currency; DELETE takes the price away")
	}
	if err != nil {
		return Pricing{}, err
	}
	set, err := o.Rules.SetPrice(ctx, site, in.Price)
	if err != nil {
		return Pricing{}, err
	}
	o.Rules.Apply(ctx)
	return Pricing{in.Host, site, &set.Price, set.Changed.Format(time.RFC3339Nano)}, nil
}

// RemovePricing takes a price away.
type RemovePricing struct{ HostName }

func (in RemovePricing) Do(ctx context.Context, o *Operator) (Pricing, error) {
	site, err := in.site(o)
	if err == nil {
		_, err = o.Rules.SetPrice(ctx, site, policy.Price{})
	}
	if err != nil {
		return Pricing{}, err
	}
	o.Rules.Apply(ctx)
	return Pricing{Tenant: in.Host, Site: site}, nil
}
