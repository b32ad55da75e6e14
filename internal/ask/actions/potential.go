package actions

import (
	"slices"
	"strings"

	"frontdesk/internal/policy"
)

// own is an action that the item itself names.
type own struct {
	head head
	call call
}

// potential reads the item's potentialAction. What says too little, leads nowhere on the web, or
// leaves something to be filled in (a template of a search, say) is left out.
func (i *item) potential(isA func(t, ancestor string) bool) []own {
	var all []own
	for _, value := range listOf(i.tree()["potentialAction"]) {
		members, is := value.(map[string]any)
		if !is {
			continue
		}
		if made, ok := i.own(members, isA); ok {
			all = append(all, made)
		}
		if len(all) == maxActions {
			break
		}
	}
	return all
}

func listOf(value any) []any {
	if list, is := value.([]any); is {
		return list
	}
	return []any{value}
}

func (i *item) own(members map[string]any, isA func(t, ancestor string) bool) (own, bool) {
	typ, _ := textOf(members["@type"])
	typ, _, _ = strings.Cut(policy.BareType(typ), ",") // of several the first
	if !isName.MatchString(typ) || !isA(typ, "Action") {
		return own{}, false
	}
	name, _ := textOf(members["name"])
	description, described := textOf(members["description"])
	made := own{head: head{typ: typ, name: identifier(strings.TrimSuffix(typ, "Action"))}}
	switch {
	case made.head.name == "" && name == "":
		return own{}, false // an action of which nothing is said
	case made.head.name == "":
		made.head.name = identifier(name)
	}
	if !described {
		description = first(name, sentence(typ))
		if of, ok := textOf(i.tree()["name"]); ok && !strings.Contains(description, of) {
			description += ": " + of
		}
	}
	made.head.description = clip(description)
	for _, target := range listOf(members["target"]) {
		if c, ok := entry(target); ok && isName.MatchString(made.head.name) {
			made.call = c
			return made, true
		}
	}
	return own{}, false
}

// entry reads one target: an address, or an EntryPoint with one.
func entry(target any) (call, bool) {
	c := httpCall{method: "GET"}
	switch v := target.(type) {
	case string:
		c.endpoint = v
	case map[string]any:
		template, _ := textOf(v["urlTemplate"])
		address, _ := textOf(v["url"])
		c.endpoint = first(template, address)
		if method, ok := textOf(v["httpMethod"]); ok {
			c.method = strings.ToUpper(method)
		}
	}
	return c, slices.Contains(methods, c.method) && checkAddress(c.endpoint) == nil
}

func first(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// identifier makes a name for programs of words: "AddToCart" and "Add to cart" give "add_to_cart".
func identifier(text string) string {
	parts := words.FindAllString(text, -1)
	name := strings.ToLower(strings.Join(parts, "_"))
	return name[:min(len(name), maxName)]
}

// sentence says a type of action in words: "AddToCartAction" gives "Add to cart".
func sentence(typ string) string {
	text := strings.ToLower(strings.Join(words.FindAllString(strings.TrimSuffix(typ, "Action"), -1), " "))
	if text == "" {
		return "Act"
	}
	return strings.ToUpper(text[:1]) + text[1:]
}
