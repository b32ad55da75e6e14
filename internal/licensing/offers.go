package licensing

import (
	"strings"
	"time"

	"frontdesk/internal/infra/yamlconf"
	"frontdesk/internal/licensing/exchange"
	"frontdesk/internal/policy"
)

// OfferSettings sets how offers are made. What is offered to whom, and for how much, `terms` say.
type OfferSettings struct {
	// Lifetime is how long an offer can be bought.
	Lifetime time.Duration `yaml:"lifetime" check:"1s..720h"`
	// Keep is how long an offer is remembered after its end, so that late buyers learn that it
	// ended.
	Keep time.Duration `yaml:"keep" check:"0..720h"`
	// Price is the price of licensed items whose rule names none. Without it, these items are for
	// subscribers only.
	Price policy.Price `yaml:"price"`
	// ReportWindow is the time to report a use if the rule names none and the report settles the
	// price.
	ReportWindow time.Duration `yaml:"report_window" check:"1m..8784h"`
	// ReportFields are fields that every owed report must have, beside those that its price needs,
	// such as `function`.
	ReportFields []string `yaml:"report_fields"`
	// Strict makes no offer if a rule names kinds of users or countries, and the requester's are
	// unknown. Otherwise the offer names the permitted ones.
	Strict bool `yaml:"strict"`
	// TellScopes tells a requester that an item needs a scope. Otherwise the answer is that there
	// is no such item.
	TellScopes bool `yaml:"tell_scopes"`
	// CheckProviders sells content at other hosts than that of `url` only while their
	// `/.well-known/ramp.json` names this Exchange by its domain. Frontdesk asks them every hour;
	// the last answer counts for a day.
	CheckProviders bool `yaml:"check_providers"`
	// Profiles add facts to offers of some types of items. Without this key there is
	// `ramp-news-v1`, which adds section, authors, keywords and place of news; `[]` adds nothing.
	Profiles []ProfileSettings `yaml:"profiles" check:"count=0..20"`
}

// ProfileSettings is what offers tell of items of some types.
type ProfileSettings struct {
	// Name is the profile's name for agents, such as `ramp-news-v1`. An agent that lists the
	// profiles it understands gets only those.
	Name string `yaml:"name,required"`
	// Types are schema.org types of the items, with all types below them; without it, all items.
	Types []string `yaml:"types"`
	// Tell lists the facts.
	Tell []TellSettings `yaml:"tell,required" check:"count=1..50"`
}

// TellSettings is one thing that offers tell.
type TellSettings struct {
	// Key is the fact's name in the offer's `ext`, such as `news.category`.
	Key string `yaml:"key,required"`
	// Member is the fact's place in the item's schema.org object: names with dots between them,
	// such as `author.name`. If the value is a thing, its name is used. Texts of more than 500
	// bytes are left out.
	Member string `yaml:"member,required"`
}

func defaultOffers() OfferSettings {
	return OfferSettings{
		Lifetime: 5 * time.Minute, Keep: time.Hour, ReportWindow: 24 * time.Hour,
		Profiles: []ProfileSettings{{Name: "ramp-news-v1", Types: []string{"NewsArticle"}, Tell: []TellSettings{
			{"news.category", "articleSection"}, {"news.byline", "author"},
			{"news.keywords", "keywords"}, {"news.dateline", "dateline"},
		}}},
	}
}

// Check looks at the price and at what reports must have.
func (o OfferSettings) Check(r *yamlconf.Report) {
	if _, err := o.Price.Money(); err != nil {
		r.Problem("price", "%v", err)
	}
	r.MatchAll("report_fields", o.ReportFields, yamlconf.IsFieldName,
		"is no field of a report; write it like consumed_quantity")
}

// Check looks at the names. Those that begin with ramp. are the protocol's own.
func (t TellSettings) Check(r *yamlconf.Report) {
	if begin, _, ok := strings.Cut(t.Key, "."); !ok || begin == "" || begin == "ramp" || !yamlconf.IsFieldName(t.Key) {
		r.Problem("key", "%q is no key of a profile; write it like news.category (ramp. is the protocol's own)", t.Key)
	}
	if t.Member == "" || strings.Contains("."+t.Member+".", "..") {
		r.Problem("member", "%q names no member; write names with dots between them, like author.name", t.Member)
	}
}

// OfferPolicy is what the Exchange needs to know to make offers.
func (r Settings) OfferPolicy() *exchange.OfferPolicy {
	price, _ := r.Offers.Price.Money() // what is wrong with it was reported
	s := &exchange.OfferPolicy{
		Validity: r.Offers.Lifetime, Price: price, ReportingWindow: r.Offers.ReportWindow,
		Fields: r.Offers.ReportFields, Currency: r.Currency,
		Strict: r.Offers.Strict, RevealScopes: r.Offers.TellScopes,
	}
	for _, p := range r.Offers.Profiles {
		made := exchange.Profile{Name: p.Name, Types: p.Types, Keys: map[string]string{}}
		for _, told := range p.Tell {
			made.Keys[told.Key] = told.Member
		}
		s.Profiles = append(s.Profiles, made)
	}
	return s
}

// ProfileNames are the names of the profiles by which offers tell more.
func (r Settings) ProfileNames() []string {
	var names []string
	for _, p := range r.Offers.Profiles {
		names = append(names, p.Name)
	}
	return names
}
