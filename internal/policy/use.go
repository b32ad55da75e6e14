package policy

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/text/language"
)

// Use is what somebody wants to do with an item: the function, and where and by whom.
type Use struct {
	Function string // "search", "ai-input" and so on, as Functions names them
	User     string // the kind of user, as Rule.Users names it; empty when it is not known
	Country  string // where it is used, by its ISO 3166-1 code of two capital letters; empty when it is not known
}

// Refusal says why a use is not permitted.
type Refusal string

// The reasons for which a use is refused, in the order in which they are looked for.
const (
	Permitted       Refusal = ""
	ItemBlocked     Refusal = "blocked"   // the item leaves for no purpose
	FunctionRefused Refusal = "function"  // not for this function
	UserRefused     Refusal = "user"      // not by this kind of user, or by a user of unknown kind
	CountryRefused  Refusal = "country"   // not in this country, or in an unknown one
	OwnTermsRefuse  Refusal = "own terms" // the owner's rules permit it, and the item's own terms do not
)

// Permits says whether the decision lets an item be used, and if not, why. A kind of user, or
// country, that is not known is not permitted where the rule lists those that are, and is not
// prohibited where it lists only those that are not.
func (d Decision) Permits(use Use) Refusal {
	switch {
	case d.Access == Blocked:
		return ItemBlocked
	case !(Functions{d.Permit, d.Prohibit}).Allow(use.Function):
		return FunctionRefused
	case !d.Users.allow(use.User):
		return UserRefused
	case !d.Countries.allow(use.Country):
		return CountryRefused
	case !d.OwnPermits(use):
		return OwnTermsRefuse
	}
	return Permitted
}

// OwnPermits says whether the terms that an item comes with permit a use, whatever the rule says of
// it.
func (d Decision) OwnPermits(use Use) bool {
	return !slices.ContainsFunc(d.Own, func(own *Own) bool { return !own.allows(use) })
}

// allow says whether a restriction lets a name pass, which is empty when it is not known.
func (r Restriction) allow(name string) bool {
	return !slices.Contains(r.Prohibit, name) && (len(r.Permit) == 0 || slices.Contains(r.Permit, name))
}

// none says that everything passes.
func (r Restriction) none() bool { return len(r.Permit)+len(r.Prohibit) == 0 }

// String says a restriction in words; it is empty for none.
func (r Restriction) String() string {
	var said []string
	if len(r.Permit) > 0 {
		said = append(said, "only "+strings.Join(r.Permit, ", "))
	}
	if len(r.Prohibit) > 0 {
		said = append(said, "not "+strings.Join(r.Prohibit, ", "))
	}
	return strings.Join(said, "; ")
}

func (c *checker) checkCountries(r Restriction) {
	c.filled("countries", r)
	r.each(func(name string, list []string) {
		for i, code := range list {
			field := fmt.Sprintf("countries.%s[%d]", name, i)
			region, err := language.ParseRegion(code)
			switch {
			case err != nil || !region.IsCountry() || len(code) != 2:
				c.report(field, "%q is no country; write its ISO 3166-1 code of two capital letters, like DE", code)
			case region.String() != code:
				c.report(field, "%q is written %s", code, region)
			case name == "permit" && slices.Contains(r.Prohibit, code):
				c.report(field, "%q is prohibited by the same rule; keep one of the two", code)
			}
		}
	})
}

// each calls fn with both lists, by the names of their keys.
func (r Restriction) each(fn func(name string, list []string)) {
	fn("permit", r.Permit)
	fn("prohibit", r.Prohibit)
}
