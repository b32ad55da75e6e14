package reference

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

// area is a page of addresses.
type area struct{ page, title, tags, words, guide string }

// areas are the pages of the addresses: each has the operations with its tags, and of them those
// whose address begins with one of its words. The first page that fits an operation has it.
var areas = []area{
	{"http-ask", "Addresses for questions", "ask content", "", "../start-developer.md"},
	{"http-intent", "Addresses for platforms", "intent", "", "../intent.md"},
	{"http-intake", "Addresses for requests", "intake", "", "../intake.md"},
	{"http-ramp", "Addresses to buy at", "ramp", "ramp.v1.ExchangeService", "../ramp-http.md"},
	{"http-delivery", "Addresses to fetch, push and resolve", "ramp",
		"deliver frontdesk.delivery.v1.DeliveryService ramp.v1.CatalogService ramp.v1.BrokerService broker",
		"../delivery.md"},
	{"http-edge", "Addresses of edges", "ramp", "exchange", "../edge.md"},
	{"http-known", "Addresses that every agent knows", "discovery", ".well-known", "../discovery.md"},
	{"http-discovery", "Addresses that agents find", "discovery operation", "", "../discovery.md"},
	{"http-content", "Addresses for the owner: content", "operator",
		"content content-changed sources", "../console-content.md"},
	{"http-questions", "Addresses for the owner: questions", "operator", "questions", "../measuring.md"},
	{"http-tuning", "Addresses for the owner: answers", "operator", "tuning", "../tuning.md"},
	{"http-terms", "Addresses for the owner: terms", "operator", "terms content-rules", "../terms-published.md"},
	{"http-visitors", "Addresses for the owner: visitors and settings", "operator",
		"visitors settings", "../agents.md"},
	{"http-keys", "Addresses for the owner: keys", "operator", "keys", "../all-keys.md"},
	{"http-requests", "Addresses for the owner: requests", "operator", "requests", "../console-requests.md"},
	{"http-people", "Addresses for the owner: people", "operator", "people invitations", "../console.md"},
	{"http-buyers", "Addresses for the owner: buyers", "operator", "requesters", "../ramp-requesters.md"},
	{"http-accounts", "Addresses for the owner: accounts", "operator", "accounts", "../accounts.md"},
	{"http-licenses", "Addresses for the owner: licences and subscriptions", "operator",
		"licenses subscriptions", "../accounts.md"},
	{"http-sales", "Addresses for the owner: sales", "operator",
		"disputes delivery-logs receipts reports provider transactions evidence", "../sales-reports.md"},
	{"http-tenants", "Addresses for the owner: tenants", "operator", "tenants", "../catalog-push.md"},
	{"http-exchange", "Addresses for the owner: domains and callers", "operator",
		"domains callers answers", "../domains-exchange.md"},
}

type description struct {
	Paths      map[string]map[string]operation
	Components struct{ Schemas, Responses map[string]schema }
}

type operation struct {
	Summary, Description string
	Tags                 []string
	Parameters           []struct{ Name, In, Description string }
	RequestBody          struct{ Content map[string]media }
	Responses            map[string]schema
}

type media struct {
	Schema  schema
	Example json.RawMessage
}

type schema struct {
	Ref         string `json:"$ref"`
	Description string
	Properties  map[string]schema
	OneOf       []schema
	Required    []string
}

// addresses are the pages of what can be asked over HTTP, made of openapi.json.
func addresses(t *testing.T) map[string]string {
	text, err := os.ReadFile("../../internal/app/discovery/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	var d description
	if err := json.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	texts, calls := make([]string, len(areas)), make([]string, len(areas))
	var lists [][]string
	counts := make([]int, len(areas))
	for _, path := range slices.Sorted(maps.Keys(d.Paths)) {
		for _, method := range []string{"get", "post", "put", "patch", "delete"} {
			o, there := d.Paths[path][method]
			if !there {
				continue
			}
			i := slices.IndexFunc(areas, func(p area) bool {
				return slices.Contains(strings.Fields(p.tags), o.Tags[0]) &&
					(p.words == "" || slices.Contains(strings.Fields(p.words), wordOf(path)))
			})
			if i < 0 {
				t.Errorf("no page is for %s %s: add it to areas", method, path)
				continue
			}
			counts[i]++
			texts[i] += d.text(strings.ToUpper(method), path, o)
			call := callOf(method, path, o)
			if calls[i] == "" || !strings.Contains(calls[i], "-d ") && strings.Contains(call, "-d ") {
				calls[i] = call
			}
		}
	}
	pages := map[string]string{}
	for i, part := range areas {
		if counts[i] == 0 {
			t.Errorf("%s has no address", part.page)
		}
		text := texts[i]
		if part.tags == "operator" {
			text = "Each takes an API key of the door `admin`: `frontdesk keys issue api NAME --door admin`.\n\n" + text
		}
		pages["reference/"+part.page+".md"] = page(t, "http",
			"title", part.title, "call", calls[i], "operations", text, "guide", part.guide)
		lists = append(lists, []string{"[" + part.title + "](" + part.page + ".md)", fmt.Sprint(counts[i])})
	}
	pages["reference/http.md"] = page(t, "http.md", "pages", table([]string{"page", "addresses"}, lists))
	return pages
}

// wordOf is the word by which an address is sorted.
func wordOf(path string) string {
	words := strings.Split(strings.TrimPrefix(strings.TrimPrefix(path, "/admin"), "/api/v1"), "/")
	return words[1]
}

// callOf shows an operation as a command.
func callOf(method, path string, o operation) string {
	call := "curl https://desk.example.com" + path
	if o.Tags[0] == "operator" {
		call = `curl -H "Authorization: Bearer $KEY" https://desk.example.com` + path
	}
	if method != "get" {
		call += " -X " + strings.ToUpper(method)
	}
	if example := o.RequestBody.Content["application/json"].Example; len(example) > 0 {
		var compact bytes.Buffer
		if json.Compact(&compact, example) == nil && compact.Len() < 200 && !bytes.ContainsRune(compact.Bytes(), '\'') {
			const format = "curl https://desk.example.com%s -H 'Content-Type: application/json' -d '%s'"
			call = fmt.Sprintf(format, path, compact.String())
		}
	}
	return call
}

// text describes an operation.
func (d description) text(method, path string, o operation) string {
	text := fmt.Sprintf("## `%s %s`\n\n%s.\n", method, path, strings.TrimSuffix(o.Summary, "."))
	if o.Description != "" && !strings.HasPrefix(o.Description, "It takes an API key of the door admin") {
		text += "\n" + o.Description + "\n"
	}
	var rows [][]string
	for _, p := range o.Parameters {
		rows = append(rows, []string{"`" + p.Name + "`", p.In, p.Description})
	}
	body := d.resolve(o.RequestBody.Content["application/json"].Schema)
	for _, name := range slices.Sorted(maps.Keys(body.Properties)) {
		member := body.Properties[name]
		about := member.Description
		if about == "" {
			about = d.resolve(member).Description
		}
		in := "body"
		if slices.Contains(body.Required, name) {
			in = "body, required"
		}
		rows = append(rows, []string{"`" + name + "`", in, about})
	}
	if len(rows) > 0 {
		text += "\n" + table([]string{"member", "where", "meaning"}, rows)
	}
	var good, bad []string
	for _, status := range slices.Sorted(maps.Keys(o.Responses)) {
		if about := d.response(o.Responses[status]); status < "4" && about != "" {
			good = append(good, fmt.Sprintf("- %s: %s\n", status, about))
		} else {
			bad = append(bad, status)
		}
	}
	text += "\n" + strings.Join(good, "")
	if len(bad) > 0 {
		text += "- Otherwise " + strings.Join(bad, ", ") + ".\n"
	}
	return text + "\n"
}

// resolve follows a reference; of several forms it takes the first.
func (d description) resolve(s schema) schema {
	for {
		switch {
		case s.Ref != "":
			s = d.Components.Schemas[strings.TrimPrefix(s.Ref, "#/components/schemas/")]
		case len(s.OneOf) > 0:
			s = s.OneOf[0]
		default:
			return s
		}
	}
}

func (d description) response(s schema) string {
	if s.Ref != "" {
		s = d.Components.Responses[strings.TrimPrefix(s.Ref, "#/components/responses/")]
	}
	return s.Description
}
