package released

import (
	"bytes"
	"net/url"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"frontdesk/internal/content"
	"frontdesk/internal/content/index"
	"frontdesk/internal/policy"
)

// redactor applies the terms to things nested in an open item: a review with a page of
// its own, a related product. What is blocked there falls out; of what is licensed its type,
// address and name remain.
type redactor struct {
	rules *policy.Terms
	item  *index.Doc
}

// maxRedactDepth is how deep things within things are looked at; what lies deeper falls out.
const maxRedactDepth = 32

// value returns what may be shown of a value, nil for nothing.
func (s redactor) value(v jsontext.Value, depth int) jsontext.Value {
	switch {
	case v.Kind() != '{' && v.Kind() != '[', !isThing(v):
		return v
	case depth == maxRedactDepth:
		return nil
	case v.Kind() == '[':
		return s.list(v, depth)
	}
	return s.thing(v, depth)
}

// withholdsText says whether something is held back of what an item's text was made of. Which words
// of the text are its own is no longer known.
func (s redactor) withholdsText(object []byte) (held bool) {
	eachMember(object, func(name string, value jsontext.Value) {
		if !held && content.GivesText(name) && (value.Kind() == '{' || value.Kind() == '[') {
			held = s.withholds(value, 0)
		}
	})
	return held
}

// withholds says whether a value has something in it that is not open.
func (s redactor) withholds(v jsontext.Value, depth int) (held bool) {
	switch {
	case depth == maxRedactDepth:
		return true
	case v.Kind() == '[':
		var all []jsontext.Value
		if json.Unmarshal(v, &all, jsontext.AllowDuplicateNames(true)) != nil {
			return true
		}
		return slices.ContainsFunc(all, func(element jsontext.Value) bool { return s.withholds(element, depth+1) })
	case v.Kind() != '{':
		return false
	case s.access(v) != policy.Open:
		return true
	}
	eachMember(v, func(_ string, value jsontext.Value) { held = held || s.withholds(value, depth+1) })
	return held
}

// ownDescription is the beginning of the description that an object itself has.
func ownDescription(object []byte) (own string) {
	eachMember(object, func(name string, value jsontext.Value) {
		if all := texts(value); name == "description" && value.Kind() == '"' && len(all) == 1 {
			own = Excerpt(all[0], maxOwn)
		}
	})
	return own
}

// maxOwn is how many words of it stand for a description.
const maxOwn = 60

// isThing says whether a value can have something in it on which the terms decide.
func isThing(v jsontext.Value) bool {
	for _, member := range []string{`"@type"`, `"url"`, `"@id"`, `"mainEntityOfPage"`} {
		if bytes.Contains(v, []byte(member)) {
			return true
		}
	}
	return false
}

func (s redactor) list(v jsontext.Value, depth int) jsontext.Value {
	var all []jsontext.Value
	if json.Unmarshal(v, &all, jsontext.AllowDuplicateNames(true)) != nil {
		return nil
	}
	out := []byte{'['}
	for _, element := range all {
		if element = s.value(element, depth+1); element == nil {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(out, element...)
	}
	if len(out) == 1 && len(all) > 0 {
		return nil
	}
	return append(out, ']')
}

func (s redactor) thing(v jsontext.Value, depth int) jsontext.Value {
	access := s.access(v)
	if access == policy.Blocked {
		return nil
	}
	out := []byte{'{'}
	eachMember(v, func(name string, value jsontext.Value) {
		if access != policy.Open && name != "@type" && name != "@id" && name != "url" && name != "name" {
			return
		}
		if value = s.value(value, depth+1); value == nil {
			return
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(AppendQuote(out, name), ':')
		out = append(out, value...)
	})
	return append(out, '}')
}

// access decides on a thing within the item: by its own address where it has one, else by that of
// the item, and by its types.
func (s redactor) access(v jsontext.Value) policy.Access {
	if facts, thing := s.facts(v); thing {
		return s.within(s.rules.Decide(facts))
	}
	return policy.Open
}

// facts are what the terms match on of a thing within the item; thing is false for what is neither
// a page nor a thing of its own, but a part of the item.
func (s redactor) facts(v jsontext.Value) (facts policy.Facts, thing bool) {
	facts = policy.Facts{Site: s.item.Site, Source: s.item.Source, URL: s.item.URL}
	own := 0 // how much the member counts that named its address: as much as for an item
	eachMember(v, func(name string, value jsontext.Value) {
		switch name {
		case "url", "mainEntityOfPage", "@id":
			counts := map[string]int{"url": 3, "mainEntityOfPage": 2, "@id": 1}[name]
			if address, ok := s.address(value); ok && counts > own {
				facts.URL, own = address, counts
			}
		case "@type", "additionalType":
			for _, t := range texts(value) {
				facts.Types = append(facts.Types, policy.BareType(t))
			}
		}
	})
	if own == 0 && len(facts.Types) == 0 {
		return facts, false
	}
	if len(facts.Types) == 0 {
		facts.Types = []string{"Thing"}
	}
	return facts, true
}

// within is how far the item may show a thing of which the terms say this. What may not be found is
// not shown. Of what may not be input to other texts, by another rule than the item's or by terms
// that it comes with, the name is shown: nobody could tell its text from the item's. (Under the
// item's own rule the item is no input either.)
func (s redactor) within(d policy.Decision) policy.Access {
	switch {
	case !d.Allows(Search):
		return policy.Blocked
	case d.Access != policy.Open:
		return d.Access
	case !d.OwnPermits(policy.Use{Function: Input}):
		return policy.Licensed
	case !d.Allows(Input) && Decide(s.rules, s.item).Rule != d.Rule:
		return policy.Licensed
	}
	return policy.Open
}

// address resolves a thing's address against that of the item. Only web addresses count: "_:b0"
// names nothing.
func (s redactor) address(v jsontext.Value) (string, bool) {
	if v.Kind() == '{' { // a page, as mainEntityOfPage gives it: by its @id, else its url
		var id, page jsontext.Value
		eachMember(v, func(name string, value jsontext.Value) {
			switch name {
			case "@id":
				id = value.Clone()
			case "url":
				page = value.Clone()
			}
		})
		if address, ok := s.address(id); ok {
			return address, true
		}
		v = page
	}
	for _, text := range texts(v) {
		base, err := url.Parse(s.item.URL)
		if err != nil {
			return text, true // unreadable: a rule that asks for addresses will block it
		}
		resolved, err := base.Parse(strings.TrimSpace(text))
		if err != nil {
			return text, !strings.HasPrefix(text, "_:")
		}
		if resolved.Scheme == "http" || resolved.Scheme == "https" {
			return resolved.String(), true
		}
	}
	return "", false
}

// texts returns a string, or the strings of an array.
func texts(v jsontext.Value) []string {
	var one string
	var many []string
	switch v.Kind() {
	case '"':
		if json.Unmarshal(v, &one) == nil {
			return []string{one}
		}
	case '[':
		if json.Unmarshal(v, &many) == nil {
			return many
		}
	}
	return nil
}
