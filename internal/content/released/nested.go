package released

import (
	"context"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"frontdesk/internal/content"
	"frontdesk/internal/policy"
)

// CoversNested says whether the terms let an item be sold with all that is delivered of what stands
// within it: things that are open, and things under the item's own rule. A list of recipes, each
// with a price, is not sold with them for the price of the list.
func (c *Corpus) CoversNested(ctx context.Context, rules *policy.Terms, ref content.Ref) (bool, error) {
	key := nestedKey{ref, rules}
	if whole, known := c.nested.GetIfPresent(key); known {
		return whole, nil
	}
	found, err := c.LoadVersion(ctx, ref)
	if err != nil {
		return false, err
	}
	whole := found != nil && found.CoversNested(rules)
	c.nested.Set(key, whole)
	return whole, nil
}

// nestedKey identifies an answer of CoversNested: a version of an item, and the terms.
type nestedKey struct {
	ref   content.Ref
	rules *policy.Terms
}

// maxNestedEntries is of how many items it is remembered whether they are sold whole.
const maxNestedEntries = 100_000

// CoversNested is Corpus.CoversNested of an item that is at hand.
func (k *ItemVersion) CoversNested(rules *policy.Terms) bool {
	return k.coversNestedIn(rules, forms(k.item)[0])
}

// coversNestedIn is CoversNested for one of the forms of an item: of the texts nothing is given of
// the object but what is running text.
func (k *ItemVersion) coversNestedIn(rules *policy.Terms, form string) bool {
	within := redactor{rules, k.listing()}
	rule := Decide(rules, within.item).Rule
	whole := true
	eachMember(k.item.Object, func(name string, value jsontext.Value) {
		if form == LinkedObject || content.GivesText(name) {
			whole = whole && within.sold(value, rule, 0)
		}
	})
	return whole
}

// mention are the members that say no more of a thing than that it is there.
var mention = map[string]bool{
	"@type": true, "additionalType": true, "@id": true, "url": true, "mainEntityOfPage": true, "name": true,
	"image": true, "logo": true, "sameAs": true, "identifier": true,
}

// sold says whether a value may be sold under a rule.
func (s redactor) sold(v jsontext.Value, rule, depth int) bool {
	switch {
	case v.Kind() != '{' && v.Kind() != '[':
		return true
	case depth == maxRedactDepth:
		return false
	case v.Kind() == '[':
		var all []jsontext.Value
		if json.Unmarshal(v, &all, jsontext.AllowDuplicateNames(true)) != nil {
			return false
		}
		for _, element := range all {
			if !s.sold(element, rule, depth+1) {
				return false
			}
		}
		return true
	}
	more, whole := false, true
	eachMember(v, func(name string, value jsontext.Value) {
		more = more || !mention[name]
		whole = whole && s.sold(value, rule, depth+1)
	})
	facts, thing := s.facts(v)
	if !thing || !whole {
		return whole
	}
	decision := s.rules.Decide(facts)
	switch {
	case decision.Access == policy.Blocked:
		return false
	case !more || decision.Rule == rule:
		return true
	}
	return s.within(decision) == policy.Open
}
