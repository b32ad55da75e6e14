package settings

import (
	"reflect"
	"strings"
	"time"
)

// Section is a part of the page.
type Section string

// The sections, in the order of the page.
const (
	Site      Section = "site"
	Languages Section = "languages"
	Answers   Section = "answers"
	Sources   Section = "sources"
	Privacy   Section = "privacy"
	Protocols Section = "protocols"
)

// Sections are all.
var Sections = []Section{Site, Languages, Answers, Sources, Privacy, Protocols}

// Key is a key that may be set without the file.
type Key struct {
	// Name is its path, with empty brackets for an entry of a list.
	Name    string
	Section Section
	// Live says that a change takes effect while the server runs.
	Live bool
	// Entry says that whole entries are added, instead of a value of one.
	Entry bool
}

// Keys are all that may be set without the file, and nothing else may. What decides who reaches the
// program or what it reaches, whom it believes, where it keeps things, which secrets it has and
// what is done to others stays with the file: listen, url, proxies, data, keys, store, hosts,
// fetch, tls, terms, actions, model, intakes, auth, cors, limits and their like are never among
// them.
var Keys = []Key{
	{Name: "site.name", Section: Site},
	{Name: "sites[].name", Section: Site},
	{Name: "console.title", Section: Site},
	{Name: "console.about", Section: Site},
	{Name: "console.logo", Section: Site, Live: true},
	{Name: "console.color", Section: Site, Live: true},
	{Name: "console.contact", Section: Site, Live: true},
	{Name: "console.examples", Section: Site, Live: true},
	{Name: "console.types", Section: Site, Live: true},

	{Name: "site.language", Section: Languages},
	{Name: "sites[].language", Section: Languages},
	{Name: "ask.time_zone", Section: Languages},

	{Name: "ask.limit", Section: Answers},
	{Name: "ask.stranger_limit", Section: Answers},
	{Name: "ask.min_score", Section: Answers},
	{Name: "ask.spelling", Section: Answers},
	{Name: "ask.feedback", Section: Answers},
	{Name: "ask.elicit.mode", Section: Answers},

	{Name: "sources[]", Section: Sources, Live: true, Entry: true},

	{Name: "questions.keep", Section: Privacy},
	{Name: "ask.session.for", Section: Privacy},
	{Name: "ask.remember.for", Section: Privacy},
	{Name: "intent.keep", Section: Privacy},
	{Name: "log.clients", Section: Privacy},
	{Name: "console.owner.viewers_read_submissions", Section: Privacy},

	{Name: "mcp.enabled", Section: Protocols},
	{Name: "discovery.enabled", Section: Protocols},
	{Name: "discovery.feeds", Section: Protocols},
	{Name: "ask.promise.enabled", Section: Protocols},
}

// sourceKeys are what may be said of a source that is added. Its path on this machine is not among
// them, and neither is whom it may ask.
var sourceKeys = []string{"url", "site", "name", "every", "kind", "language", "complete"}

const sourcePrefix = "sources["

// SourceKey is the key of a source.
func SourceKey(site, name string) string { return sourcePrefix + site + "/" + name + "]" }

// find gives the key of a path, such as sites[].name for sites[shop].name.
func find(path string) (Key, bool) {
	list, behind, in := strings.Cut(path, "[")
	if end := strings.LastIndexByte(behind, ']'); in && end > 0 {
		path = list + "[]" + behind[end+1:]
	} else if in {
		return Key{}, false
	}
	for _, k := range Keys {
		if k.Name == path {
			return k, true
		}
	}
	return Key{}, false
}

// Allowed says whether a path may be set without the file.
func Allowed(path string) bool {
	_, ok := find(path)
	return ok
}

// IsLive says whether a change of a key takes effect while the server runs.
func IsLive(path string) bool {
	k, ok := find(path)
	return ok && k.Live
}

// The kinds of settings, by which a form has inputs for them.
const (
	KindText   = "text"
	KindList   = "list"
	KindNumber = "number"
	KindSwitch = "switch"
	KindSpan   = "span"
	KindChoice = "choice"
	KindSource = "source"
)

// KindOf is the kind of a key by its type, and the rules of its tag check.
func KindOf(t reflect.Type, rules string) (kind string, choices []string) {
	if _, of, ok := strings.Cut(rules, "oneof="); ok {
		of, _, _ = strings.Cut(of, ",")
		return KindChoice, strings.Fields(of)
	}
	switch {
	case t == reflect.TypeFor[time.Duration]():
		return KindSpan, nil
	case t.Kind() == reflect.Slice:
		return KindList, nil
	case t.Kind() == reflect.Bool:
		return KindSwitch, nil
	case t.Kind() == reflect.Int || t.Kind() == reflect.Float64:
		return KindNumber, nil
	}
	return KindText, nil
}
