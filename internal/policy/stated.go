package policy

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"frontdesk/wire/licence"
)

// ImportedTerms are what a site, or a provider whose content is sold, states about its addresses
// (RAMP v1, Ingestion).
type ImportedTerms struct {
	// Site is whose addresses these are, as Facts name it, and Hosts are its hosts: what is stated
	// of others does not count.
	Site  string
	Hosts []string
	// Documents are RSL documents, the one that counts first at their head: of a pattern the first
	// that has it speaks.
	Documents []ImportedDocument
	// Addresses are single addresses as RAMP sitemaps have them. What they state counts before the
	// documents, each value for itself.
	Addresses []ImportedAddress
	// Version tells what is stated apart from what was before.
	Version string
}

// ImportedDocument is one RSL document.
type ImportedDocument struct {
	Name     string // where it stands, for explanations
	Base     string // its address, beside which its relative patterns are; empty where it has none
	Document *licence.Document
}

// ImportedAddress is what is stated about one address.
type ImportedAddress struct {
	URL, Name string // Name is where it is stated
	licence.Stated
}

// RSL compiles what is stated, for Options.RSL. The error says what cannot be read, by its place.
func (s ImportedTerms) RSL() (*RSL, error) {
	hosts := map[string]bool{}
	for _, host := range s.Hosts {
		if name, ok := Host("https://" + host + "/"); ok {
			hosts[name] = true
		}
	}
	speaks := func(host string) bool { return hosts[host] }
	sum := sha256.Sum256([]byte(s.Site + "\n" + s.Version))
	r := &RSL{site: s.Site, text: []byte(hex.EncodeToString(sum[:]))}
	said := map[rslKey]bool{}
	for _, d := range s.Documents {
		if err := r.document(d, said, speaks); err != nil {
			return nil, fmt.Errorf("%s: %w", d.Name, err)
		}
	}
	r.order()
	same := map[string]*Own{}
	for i := range s.Addresses {
		r.address(&s.Addresses[i], speaks, same)
	}
	return r, nil
}

// address adds what is stated of one address, with what the patterns say of it where it says
// nothing.
func (r *RSL) address(a *ImportedAddress, speaks func(string) bool, same map[string]*Own) {
	if !a.Priced && a.Permits == nil && a.Prohibits == nil {
		return
	}
	subject := subject{Facts: Facts{URL: a.URL}}
	if !subject.address() || !speaks(subject.host) {
		return
	}
	query, asked := subject.query()
	key := exactKey(subject.host, subject.path, query, asked)
	if r.exact[key] != nil {
		return // the first counts
	}
	part := r.part(subject.host, subject.path, query, asked)
	alike := fmt.Sprintf("%p %s %t %s %s %s %q %q", part, a.Name, a.Priced, a.Model, a.Rate, a.Currency, a.Permits,
		a.Prohibits)
	own := same[alike]
	if own == nil {
		own = a.own(part)
		same[alike] = own
	}
	if r.exact == nil {
		r.exact = map[string]*Own{}
	}
	r.exact[key] = own
}

// own is what is stated of the address, value for value, and else what a part says; nil for none.
func (a *ImportedAddress) own(part *rslPart) *Own {
	price := Money{}
	if a.Priced && a.Model != "" {
		price = importedPrice(a.Model, a.Rate, a.Currency)
	}
	paid := a.Priced && !slices.Contains([]string{"free", "attribution"}, a.Model)
	out := &Own{Stated: true, From: []string{a.Name}}
	add := func(option Option, was bool) {
		if a.Permits != nil || a.Prohibits != nil {
			option.Functions = Functions{named(a.Permits), a.Prohibits}
		}
		if a.Priced {
			option.Price, was = price, paid
		}
		out.add(option, was)
	}
	if part == nil {
		add(Option{}, false)
		return out
	}
	out.From = append(out.From, part.own.From...)
	for _, option := range part.own.Options {
		add(option, false)
	}
	for _, option := range part.own.Paid {
		add(option, true)
	}
	return out
}

// License is one of the licences under which an item may be had for something: to what it binds,
// and what it costs.
type License struct {
	Option
	Paid bool     // it costs something, whatever that is
	From []string // where it is stated; nil where nothing is
}

// Same says whether two licences bind to the same and cost the same.
func (l License) Same(other License) bool { return l.Paid == other.Paid && l.equal(other.Option) }

// maxSold is how many licences of an item are offered at the most.
const maxSold = 8

// Licenses are the licences under which an item may be sold for something that Sells permits, in
// the order in which they are stated: the rule's restrictions, narrowed by each of those that
// permit the sale, with their prices. Without any terms that the item comes with it is one, without
// a price.
func (d Decision) Licenses(s Sale) []License {
	all := []License{{Option: Option{Functions: Functions{d.Permit, d.Prohibit}, Users: d.Users,
		Countries: d.Countries}}}
	for _, own := range d.Own {
		if !own.Stated {
			continue
		}
		var next []License
		for _, to := range all {
			for i, option := range slices.Concat(own.Options, own.Paid) {
				narrowed, some := to.narrow(option)
				if !some || !s.within(option) || len(next) == maxSold {
					continue
				}
				narrowed.Price = dearer(to.Price, option.Price)
				one := License{Option: narrowed, Paid: to.Paid || i >= len(own.Options),
					From: append(slices.Clip(to.From), own.From...)}
				if !slices.ContainsFunc(next, one.Same) {
					next = append(next, one)
				}
			}
		}
		all = next
	}
	return all
}

// dearer is what has to be paid where two sets of terms each state a price: what costs something,
// before what costs nothing, and of two the first.
func dearer(a, b Money) Money {
	switch {
	case a == Money{}, a.Free() && b != (Money{}):
		return b
	}
	return a
}

// Free says whether a price takes no money.
func (m Money) Free() bool { return slices.Contains(unpaidModels, m.Model) }

// Chargeable says whether a price that somebody states can be asked: it is of a model that takes no
// money, or has a rate.
func (m Money) Chargeable() bool { return m.Free() || m.Rate > 0 }

// At is the price where somebody states another as its ceiling: never more than that, as far as the
// two can be compared, which they can where they are of one model and currency, or the ceiling
// takes no money. A ceiling without a currency is in that of the price.
func (m Money) At(ceiling Money) Money {
	switch {
	case ceiling.Free() && !m.Free() && m != (Money{}):
		return ceiling
	case ceiling.Rate > 0 && ceiling.Model == m.Model && (ceiling.Currency == "" || ceiling.Currency == m.Currency) &&
		m.Rate > ceiling.Rate:
		m.Rate = ceiling.Rate
	}
	return m
}

// In gives a stated price a currency where it has none: that of what else is asked, or US dollars
// (RAMP v1, Ingestion).
func (m Money) In(other string) Money {
	if m.Currency == "" && m.Rate > 0 {
		if m.Currency = other; m.Currency == "" {
			m.Currency = "USD"
		}
	}
	return m
}
