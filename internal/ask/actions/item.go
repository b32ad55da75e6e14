package actions

import (
	"encoding/json"
	"net/url"
	"regexp"
	"strings"

	"frontdesk/internal/policy"
)

// placeholder is what stands for an item's value.
var placeholder = regexp.MustCompile(`\{(@?[A-Za-z][A-Za-z0-9_]*(?:\.@?[A-Za-z][A-Za-z0-9_]*)*)\}`)

// item gives the values of one item as it was released. It is read when the first is asked for.
type item struct {
	facts    policy.Facts
	released []byte
	read     bool
	members  map[string]any
}

// value finds what a placeholder names: the item's site or source, or a member, or one within it.
// Of a list the first element counts on the way.
func (i *item) value(name string) (any, bool) {
	switch name {
	case "site":
		return i.facts.Site, true
	case "source":
		return i.facts.Source, true
	}
	var at any = i.tree()
	for step := range strings.SplitSeq(name, ".") {
		if list, is := at.([]any); is && len(list) > 0 {
			at = list[0]
		}
		members, is := at.(map[string]any)
		if !is {
			return nil, false
		}
		if at, is = members[step]; !is || at == nil {
			return nil, false
		}
	}
	return at, true
}

func (i *item) tree() map[string]any {
	if !i.read {
		i.read = true
		tree, _ := decode(i.released) // it is JSON of ours
		i.members, _ = tree.(map[string]any)
	}
	return i.members
}

// textOf writes a value as text. A list is written with commas; a thing by its name.
func textOf(value any) (string, bool) {
	switch v := value.(type) {
	case string:
		return v, strings.TrimSpace(v) != ""
	case json.Number:
		return v.String(), true
	case bool:
		return map[bool]string{true: "true", false: "false"}[v], true
	case map[string]any:
		return textOf(v["name"])
	case []any:
		var parts []string
		for _, element := range v {
			part, ok := textOf(element)
			if !ok {
				return "", false
			}
			parts = append(parts, part)
		}
		return strings.Join(parts, ", "), len(parts) > 0
	}
	return "", false
}

// asIs puts a value in without change.
func asIs(text string) string { return text }

// escaped writes a value so that it is one part of a path or a query.
func escaped(text string) string { return strings.ReplaceAll(url.QueryEscape(text), "+", "%20") }

// text fills the placeholders of a text. It is not ok when the item lacks one.
func (i *item) text(template string, form func(string) string) (string, bool) {
	whole := true
	filled := placeholder.ReplaceAllStringFunc(template, func(found string) string {
		value, ok := i.value(found[1 : len(found)-1])
		if ok {
			var text string
			if text, ok = textOf(value); ok {
				return form(text)
			}
		}
		whole = false
		return ""
	})
	return filled, whole
}

// address fills an address, and checks what comes out. A placeholder at its beginning is an address
// itself.
func (i *item) address(template string) (string, bool) {
	head := ""
	if at := placeholder.FindStringIndex(template); at != nil && at[0] == 0 {
		var ok bool
		if head, ok = i.text(template[:at[1]], asIs); !ok {
			return "", false
		}
		template = template[at[1]:]
	}
	rest, ok := i.text(template, escaped)
	return head + rest, ok && checkAddress(head+rest) == nil
}

// object fills the texts of an object. A text that is one placeholder and nothing else becomes the
// value itself.
func (i *item) object(template map[string]any) (map[string]any, bool) {
	if template == nil {
		return nil, true
	}
	filled, ok := i.filled(template)
	members, _ := filled.(map[string]any)
	return members, ok
}

func (i *item) filled(value any) (any, bool) {
	switch v := value.(type) {
	case string:
		if at := placeholder.FindStringIndex(v); at != nil && at[0] == 0 && at[1] == len(v) {
			return i.value(v[1 : len(v)-1])
		}
		return i.text(v, asIs)
	case []any:
		list := make([]any, len(v))
		for n, element := range v {
			var ok bool
			if list[n], ok = i.filled(element); !ok {
				return nil, false
			}
		}
		return list, true
	case map[string]any:
		members := make(map[string]any, len(v))
		for name, element := range v {
			var ok bool
			if members[name], ok = i.filled(element); !ok {
				return nil, false
			}
		}
		return members, true
	}
	return value, true
}
