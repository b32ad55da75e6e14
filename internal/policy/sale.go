package policy

import "slices"

// Sale is what somebody wants to buy an item for.
type Sale struct {
	Functions []string // as Functions names them; none when nothing was declared
	User      string   // the kind of user, as Rule.Users names it; empty when it is not known
	Country   string   // by its ISO 3166-1 code of two capital letters; empty when it is not known
	Strict    bool     // a kind of user, or country, that is not known is refused where the terms name any
}

// Sells says whether an item may be sold for something, and if not, why. It differs from Permits in
// that licences which cost something count, and that what is not known of a user is refused only
// where the sale is strict: the buyer is told of the restrictions, and bound by them (see
// Restricts).
func (d Decision) Sells(s Sale) Refusal {
	functions := Functions{d.Permit, d.Prohibit}
	switch {
	case d.Access == Blocked:
		return ItemBlocked
	case slices.ContainsFunc(s.Functions, func(f string) bool { return !functions.Allow(f) }):
		return FunctionRefused
	case !s.passes(d.Users, s.User):
		return UserRefused
	case !s.passes(d.Countries, s.Country):
		return CountryRefused
	}
	if _, ok := d.bound(s); !ok {
		return OwnTermsRefuse
	}
	return Permitted
}

// Restricts says to what somebody is bound who buys the item for something that Sells permits: the
// rule's restrictions, narrowed by the terms that the item comes with. Where those have several
// licences, it is the first that permits the sale.
func (d Decision) Restricts(s Sale) (functions Functions, users, countries Restriction) {
	bound, _ := d.bound(s)
	return bound.Functions, bound.Users, bound.Countries
}

// passes says whether a name that may not be known passes a restriction.
func (s Sale) passes(r Restriction, name string) bool {
	return name == "" && !s.Strict || r.allow(name) && (name != "" || r.none())
}

// bound narrows the rule's restrictions by one licence of each of the terms that the item comes
// with; ok is false where none of them permits the sale, or nothing is left.
func (d Decision) bound(s Sale) (to Option, ok bool) {
	to = Option{Functions: Functions{d.Permit, d.Prohibit}, Users: d.Users, Countries: d.Countries}
	for _, own := range d.Own {
		if !own.Stated {
			continue
		}
		found := false
		for _, option := range slices.Concat(own.Options, own.Paid) {
			if narrowed, some := to.narrow(option); some && s.within(option) {
				to, found = narrowed, true
				break
			}
		}
		if !found {
			return to, false
		}
	}
	return to, true
}

// within says whether a licence permits the sale.
func (s Sale) within(o Option) bool {
	return !slices.ContainsFunc(s.Functions, func(f string) bool { return !o.Functions.Allow(f) }) &&
		s.passes(o.Users, s.User) && s.passes(o.Countries, s.Country)
}

// narrow joins the restrictions of both; some is false where nothing is left of what they permit.
func (o Option) narrow(by Option) (Option, bool) {
	functions, f := Restriction(o.Functions).narrow(Restriction(by.Functions), covers)
	same := func(a, b string) bool { return a == b }
	users, u := o.Users.narrow(by.Users, same)
	countries, c := o.Countries.narrow(by.Countries, same)
	return Option{Functions: Functions(functions), Users: users, Countries: countries}, f && u && c
}

// narrow permits what both permit, of two names of which one covers the other the narrower, and
// prohibits what either does.
func (r Restriction) narrow(by Restriction, covers func(group, name string) bool) (both Restriction, some bool) {
	both.Prohibit = union(r.Prohibit, by.Prohibit)
	switch {
	case len(r.Permit) == 0:
		both.Permit = by.Permit
		return both, true
	case len(by.Permit) == 0:
		both.Permit = r.Permit
		return both, true
	}
	for _, a := range r.Permit {
		for _, b := range by.Permit {
			switch {
			case covers(b, a):
				both.Permit = union(both.Permit, []string{a})
			case covers(a, b):
				both.Permit = union(both.Permit, []string{b})
			}
		}
	}
	return both, len(both.Permit) > 0
}

// union adds the names to a list that it does not have.
func union(list, more []string) []string {
	list = slices.Clip(list)
	for _, name := range more {
		if !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list
}
