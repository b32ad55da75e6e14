package conformance

import (
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"sync"
)

// supper is a question that most of the fixture matches.
var supper = query("supper")

// answerRows are about the answer in the default format, and about which items are in it.
var answerRows = []row{
	{1, "ask answers one JSON object", func(p *probe) {
		r := p.ask(supper)
		p.answer(r)
		p.expect(isType(r.header, "application/json"), "content type %q, want application/json",
			r.header.Get("Content-Type"))
	}},
	{2, "response_type is answer", func(p *probe) {
		r := p.ask(supper)
		p.expect(r.meta("response_type") == "answer", "_meta.response_type is %v, want answer", r.meta("response_type"))
	}},
	{3, "version is 0.55", func(p *probe) {
		r := p.ask(supper)
		p.expect(r.meta("version") == "0.55", "_meta.version is %#v, want the string 0.55", r.meta("version"))
	}},
	{4, "results is a non-empty array of objects", func(p *probe) { p.answer(p.ask(supper)) }},
	{5, "response_format is conversational_search", func(p *probe) {
		r := p.ask(supper)
		p.expect(r.meta("response_format") == "conversational_search", "_meta.response_format is %v",
			r.meta("response_format"))
	}},
	{6, "every item has type and absolute url", func(p *probe) { p.expectItems(p.answer(p.ask(supper))) }},
	{7, "no member of the other format", func(p *probe) {
		r := p.ask(supper)
		p.answer(r)
		for _, name := range []string{"content", "structuredData"} {
			_, there := r.body[name]
			p.expect(!there, "the answer has a member %s", name)
		}
	}},
	{8, "metadata is _meta and never meta", func(p *probe) {
		r := p.ask(supper)
		p.answer(r)
		_, there := r.body["meta"]
		p.expect(!there, "the answer has a member meta")
	}},
	{9, "Accept application json is no stream", func(p *probe) {
		r := p.ask(supper, "Accept", "application/json")
		p.answer(r)
		p.expect(!isType(r.header, "text/event-stream"), "the answer is a stream")
	}},
	{10, "unknown top-level member is ignored", func(p *probe) {
		p.answer(p.ask(`{"query": {"text": "supper"}, "extra": {"a": [1, 2]}}`))
	}},
	{11, "version 0.55 is accepted", func(p *probe) {
		r := p.ask(query("supper", "meta", object{"version": "0.55"}))
		p.answer(r)
		p.expect(r.meta("version") == "0.55", "_meta.version is %v", r.meta("version"))
	}},
	{12, "another version is answered with ours", func(p *probe) {
		for _, meta := range []object{{"version": "0.54"}, {"api_version": "0.54"}, {"version": 9}} {
			r := p.ask(query("supper", "meta", meta))
			p.answer(r)
			p.expect(r.meta("version") == "0.55", "_meta.version is %v for %v", r.meta("version"), meta)
		}
	}},
	{13, "text is UTF-8", func(p *probe) {
		items := p.answer(p.ask(query("crème brûlée"), "Content-Type", "application/json; charset=utf-8"))
		p.expect(items[0]["name"] == "Crème brûlée à l'orange", "the first item is %v", items[0]["name"])
	}},
	{28, "site restricts to the site", func(p *probe) {
		p.expectSite(p.answer(p.ask(query("supper", "site", kitchen, "limit", 100))), kitchen)
		for _, spelling := range []any{
			"https://" + kitchen, "www." + kitchen, []string{kitchen}, "KITCHEN.example", "http://" + kitchen + "/",
		} {
			p.expectSite(p.answer(p.ask(query("supper", "site", spelling))), kitchen)
		}
	}},
	{29, "another site has other items", func(p *probe) {
		first := p.answer(p.ask(query("supper", "site", kitchen, "limit", 100)))
		second := p.answer(p.ask(query("supper", "site", shop, "limit", 100)))
		p.expectSite(second, shop)
		for _, item := range second {
			p.expect(!slices.Contains(urls(first), str(item["url"])), "%v is in both sites", item["url"])
		}
		both := p.answer(p.ask(query("supper", "site", kitchen+","+shop, "limit", 100)))
		p.expect(len(both) == len(first)+len(second), "both sites have %d items, one %d and the other %d", len(both),
			len(first), len(second))
	}},
	{30, "unknown site is a failure that names the sites", func(p *probe) {
		r := p.ask(query("supper", "site", "elsewhere.example"))
		p.failure(r, http.StatusOK, "INVALID_QUERY")
		p.expect(strings.Contains(string(r.raw), `\"kitchen\"`) && strings.Contains(string(r.raw), `\"shop\"`),
			"the failure names no sites: %s", clip(r.raw))
	}},
	{31, "itemType restricts to the type and its subtypes", func(p *probe) {
		for _, want := range []string{"Recipe", "Product"} {
			for _, item := range p.answer(p.ask(query("supper", "itemType", want, "limit", 100))) {
				p.expect(isOfType(item, want), "%v has type %v, asked for %s", item["url"], item["@type"], want)
			}
		}
		// A Recipe is a HowTo and a CreativeWork, a Product is neither.
		for _, item := range p.answer(p.ask(query("supper", "itemType", "CreativeWork", "limit", 100))) {
			p.expect(isOfType(item, "Recipe"), "%v of type %v is no CreativeWork", item["url"], item["@type"])
		}
	}},
	{110, "grounding names absolute addresses of the item", func(p *probe) {
		for _, item := range p.answer(p.ask(supper)) {
			grounding, ok := item["grounding"].(object)
			p.expect(ok, "%v has no grounding object: %v", item["url"], item["grounding"])
			named := addresses(grounding)
			p.expect(slices.Contains(named, str(item["url"])), "the grounding of %v does not name it: %v",
				item["url"], grounding)
			for _, address := range named {
				p.expect(isAbsolute(address), "grounding address %q is not absolute", address)
				p.expect(host(address) == host(str(item["url"])), "grounding address %q is not of %v", address,
					item["url"])
			}
		}
	}},
	{111, "equal questions have equal answers", func(p *probe) {
		first := p.answer(p.ask(query("quick supper with onion", "limit", 50)))
		for range 5 {
			again := p.answer(p.ask(query("quick supper with onion", "limit", 50)))
			p.expect(reflect.DeepEqual(urls(first), urls(again)), "order changed from %v to %v", urls(first),
				urls(again))
		}
	}},
	{112, "markup in an item is data", func(p *probe) {
		r := p.ask(query("marked supper"))
		items := p.answer(r)
		// How much of the markup is text is for ingest to say; the "&" is, and is not written as a
		// page would.
		name := str(items[0]["name"])
		p.expect(strings.HasPrefix(name, "Marked supper ") && strings.Contains(name, " & "),
			"the first item is %q, want %q or its text", name, markup)
		p.expect(!strings.Contains(name, "&amp;") && !strings.Contains(name, "&lt;"), "the name is escaped: %q", name)
		items = p.answer(p.ask(query("angled supper")))
		p.expect(items[0]["name"] == angles, "the first item is %v, want %s", items[0]["name"], angles)
		p.expect(r.header.Get("X-Content-Type-Options") == "nosniff", "X-Content-Type-Options is %q, want nosniff",
			r.header.Get("X-Content-Type-Options"))
	}},
	{119, "a browser of another origin may ask", func(p *probe) {
		r := p.send("OPTIONS", "/ask", "", "Origin", "https://page.example", "Access-Control-Request-Method", "POST",
			"Access-Control-Request-Headers", "content-type")
		p.expect(r.status == http.StatusNoContent, "status %d, want 204", r.status)
		p.expect(r.header.Get("Access-Control-Allow-Origin") != "", "no Access-Control-Allow-Origin")
		p.expect(strings.Contains(r.header.Get("Access-Control-Allow-Methods"), "POST"),
			"Access-Control-Allow-Methods is %q", r.header.Get("Access-Control-Allow-Methods"))
		p.expect(strings.Contains(strings.ToLower(r.header.Get("Access-Control-Allow-Headers")), "content-type"),
			"Access-Control-Allow-Headers is %q", r.header.Get("Access-Control-Allow-Headers"))
		r = p.ask(supper, "Origin", "https://page.example")
		p.expect(r.header.Get("Access-Control-Allow-Origin") != "", "the answer has no Access-Control-Allow-Origin")
	}},
	{120, "GET ask tells how to ask", func(p *probe) {
		r := p.send("GET", "/ask", "")
		p.expect(r.status == http.StatusOK, "status %d, want 200", r.status)
		p.must(r.body != nil, "the body is not one JSON object: %s", clip(r.raw))
		p.expect(r.meta("version") == "0.55", "_meta.version is %v", r.meta("version"))
		p.expect(r.meta("response_type") != nil, "_meta has no response_type")
		head := p.send("HEAD", "/ask", "")
		p.expect(head.status == http.StatusOK && len(head.raw) == 0, "HEAD: status %d, %d bytes", head.status,
			len(head.raw))
		p.expect(head.header.Get("Content-Type") == r.header.Get("Content-Type"), "HEAD has content type %q",
			head.header.Get("Content-Type"))
	}},
	{136, "many ask at once and each gets its own answer", concurrently},
}

// concurrently asks 200 questions at once, every second one as a stream, each for one item that no
// other question is for.
func concurrently(p *probe) {
	var wait sync.WaitGroup
	probes := make([]*probe, 200)
	for i := range probes {
		probes[i] = &probe{base: p.base}
		wait.Go(func() {
			defer func() {
				if cause := recover(); cause != nil && cause != any(errStop) {
					panic(cause)
				}
			}()
			probes[i].askForOne(i)
		})
	}
	wait.Wait()
	for _, each := range probes {
		p.faults = append(p.faults, each.faults...)
	}
}

// askForOne asks for one recipe of the kitchen by its name, which has to come first.
func (p *probe) askForOne(i int) {
	want := recipes(kitchen, 0, 36)[i%36]
	request := query(str(want["name"]), "site", kitchen, "prefer", object{"streaming": i%2 == 1})
	var items []object
	if i%2 == 1 {
		items = p.items(p.streamAsk(request))
	} else {
		items = p.answer(p.ask(request))
	}
	p.must(len(items) > 0, "no item for %v", want["name"])
	p.expect(items[0]["name"] == want["name"], "asked for %v, the first item is %v", want["name"], items[0]["name"])
}

// expectItems holds what every item of every answer has to have.
func (p *probe) expectItems(items []object) {
	for _, item := range items {
		p.expect(len(types(item)) > 0, "item %v has no @type: %v", item["url"], item["@type"])
		if address, there := item["url"]; there {
			p.expect(isAbsolute(str(address)), "url %v is not absolute", address)
		} else {
			p.expect(isOfType(item, "SearchSummary"), "item %v has no url", item)
		}
	}
}

// expectSite holds that every item is of the site.
func (p *probe) expectSite(items []object, site string) {
	for _, item := range items {
		p.expect(host(str(item["url"])) == site, "%v is not of %s", item["url"], site)
	}
}

func types(item object) []string {
	var list []string
	switch t := item["@type"].(type) {
	case string:
		list = append(list, t)
	case []any:
		for _, each := range t {
			list = append(list, str(each))
		}
	}
	return slices.DeleteFunc(list, func(t string) bool { return t == "" })
}

func isOfType(item object, want string) bool { return slices.Contains(types(item), want) }

func urls(items []object) []string {
	var list []string
	for _, item := range items {
		if address := str(item["url"]); address != "" {
			list = append(list, address)
		}
	}
	return list
}

// addresses collects every string value below v that looks like an address.
func addresses(v any) []string {
	var found []string
	switch t := v.(type) {
	case string:
		if strings.Contains(t, "://") {
			found = append(found, t)
		}
	case []any:
		for _, each := range t {
			found = append(found, addresses(each)...)
		}
	case object:
		for _, each := range t {
			found = append(found, addresses(each)...)
		}
	}
	return found
}

func str(v any) string {
	s, _ := v.(string)
	return s
}

func isAbsolute(address string) bool {
	u, err := url.Parse(address)
	return err == nil && u.IsAbs() && u.Host != ""
}

func host(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Hostname()
}
