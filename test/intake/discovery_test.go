package intake

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// manifest fetches the manifest.
func (p *probe) manifest() reply {
	r := p.send(message{method: "GET", url: p.at.base + wellKnown,
		header: map[string]string{"Content-Type": "", "Accept": "application/json"}})
	p.must(r.status == 200 && r.body != nil, "status %d: %s", r.status, clip(r.raw))
	return r
}

// intakes are those of the manifest, by id.
func (p *probe) intakes() map[string]object {
	all := map[string]object{}
	for _, one := range objects(p.manifest().body["intakes"]) {
		id, _ := one["id"].(string)
		all[id] = one
	}
	return all
}

// judged holds what the program finds of the manifest with a change.
func (p *probe) judged(valid bool, says string, change func(object)) {
	var m object
	p.must(json.Unmarshal(p.manifest().raw, &m) == nil, "the manifest is no JSON")
	change(m)
	found, told := p.at.check(string(text(m)))
	p.expect(found == valid && strings.Contains(told, says), "valid is %v, want %v with %q: %s", found, valid,
		says, told)
}

// first changes the first intake of a manifest.
func first(change func(object)) func(object) {
	return func(m object) { change(objects(m["intakes"])[0]) }
}

var discoveryRows = []row{
	{1, "the manifest is there", func(p *probe) {
		r := p.manifest()
		p.expect(strings.HasPrefix(r.header.Get("Content-Type"), "application/json"), "Content-Type %q",
			r.header.Get("Content-Type"))
		p.expect(strings.Contains(r.header.Get("Cache-Control"), "max-age=") && r.header.Get("ETag") != "",
			"Cache-Control %q, ETag %q", r.header.Get("Cache-Control"), r.header.Get("ETag"))
		valid, told := p.at.check(string(r.raw))
		p.expect(valid, "it is not valid: %s", told)
		p.expect(r.body["aip_version"] == "0.1.0", "aip_version %v", r.body["aip_version"])
		provider, _ := r.body["provider"].(object)
		p.expect(provider["name"] == "Harbour Works" && provider["url"] == "https://harbour.example" &&
			provider["logo"] != nil && provider["contact_email"] != nil && provider["description"] != nil,
			"the provider is %v", provider)
		certification, _ := r.body["certification"].(object)
		p.expect(certification["cert_id"] == "aip-cert-2026-00142" && certification["expires"] == "2099-02-27",
			"the certification is %v", certification)
		p.expect(len(objects(r.body["intakes"])) == 9, "there are %d intakes", len(objects(r.body["intakes"])))
		same := p.send(message{method: "GET", url: p.at.base + wellKnown,
			header: map[string]string{"If-None-Match": r.header.Get("ETag")}})
		p.expect(same.status == http.StatusNotModified && len(same.raw) == 0, "with the tag: status %d", same.status)
	}},
	{2, "every page may read it", func(p *probe) {
		p.expect(p.manifest().header.Get("Access-Control-Allow-Origin") == "*", "Access-Control-Allow-Origin %q",
			p.manifest().header.Get("Access-Control-Allow-Origin"))
		p.expect(p.submit().header.Get("Access-Control-Allow-Origin") == "*", "an offer may not be read")
	}},
	{3, "HEAD", func(p *probe) {
		r := p.send(message{method: "HEAD", url: p.at.base + wellKnown})
		p.expect(r.status == 200 && len(r.raw) == 0 && r.header.Get("ETag") == p.manifest().header.Get("ETag"),
			"status %d, %d bytes", r.status, len(r.raw))
	}},
	{4, "preflights", func(p *probe) {
		addresses := []string{p.at.base + wellKnown}
		for _, one := range p.intakes() {
			endpoint, _ := one["endpoint"].(string)
			addresses = append(addresses, endpoint, endpoint+"/bind")
		}
		for _, address := range addresses {
			r := p.send(message{method: "OPTIONS", url: address, header: map[string]string{
				"Origin": "https://agent.example", "Access-Control-Request-Method": "POST",
				"Access-Control-Request-Headers": "content-type",
			}})
			methods, headers := r.header.Get("Access-Control-Allow-Methods"),
				strings.ToLower(r.header.Get("Access-Control-Allow-Headers"))
			p.expect((r.status == 204 || r.status == 200) && strings.Contains(methods, "POST") &&
				strings.Contains(headers, "content-type") && r.header.Get("Access-Control-Allow-Origin") == "*",
				"%s: status %d, methods %q, headers %q", address, r.status, methods, headers)
		}
	}},
	{5, "ids and endpoints", func(p *probe) {
		ids, endpoints := map[any]bool{}, map[any]bool{}
		list := objects(p.manifest().body["intakes"])
		for _, one := range list {
			ids[one["id"]], endpoints[one["endpoint"]] = true, true
			p.expect(one["endpoint"] == p.at.base+"/intake/"+one["id"].(string) && one["method"] == "POST",
				"%v is at %v", one["id"], one["endpoint"])
		}
		p.expect(len(ids) == len(list) && len(endpoints) == len(list), "ids %v, endpoints %v", ids, endpoints)
		good, told := p.at.configured(func(c string) string { return c })
		p.must(good, "the configuration itself is refused: %s", told)
		for what, change := range map[string]func(string) string{
			"twice": func(c string) string { return strings.Replace(c, "id: calculator", "id: quote", 1) },
			"https": func(c string) string { return "url: http://harbour.example\n" + c },
			"a-z":   func(c string) string { return strings.Replace(c, "id: calculator", "id: Calculator", 1) },
		} {
			good, told := p.at.configured(change)
			p.expect(!good && told != "", "%s: it is taken: %s", what, told)
		}
		p.judged(false, "endpoint", first(set("endpoint", "http://harbour.example/intake/quote")))
		p.judged(false, "endpoint", func(m object) {
			list := objects(m["intakes"])
			list[0]["endpoint"] = list[1]["endpoint"]
		})
	}},
	{6, "schemas", func(p *probe) {
		for id, one := range p.intakes() {
			schema, _ := one["input_schema"].(object)
			p.expect(schema["type"] == "object", "the schema of %s is of type %v", id, schema["type"])
		}
		p.judged(false, "input_schema", first(set("input_schema", object{"type": "array"})))
		p.judged(false, "input_schema", first(set("input_schema", object{"type": "object", "required": "hull"})))
		p.judged(false, "input_schema",
			first(set("input_schema", object{"type": "object", "$ref": "https://elsewhere.example/schema"})))
		for what, schema := range map[string]string{
			"elsewhere": `{type: object, properties: {a: {$ref: "https://elsewhere.example/schema"}}}`, "ahead": `{type: object, properties: {a: {type: string, pattern: "(?=x)"}}}`,
			"array": `{type: array}`,
		} {
			good, told := p.at.configured(func(c string) string {
				return strings.Replace(c, "input_schema: {type: object}", "input_schema: "+schema, 1)
			})
			p.expect(!good && strings.Contains(told, "input_schema"), "%s: it is taken: %s", what, told)
		}
	}},
	{7, "an unknown member", func(p *probe) {
		p.judged(false, "extensions", set("extensions", object{}))
		p.judged(false, "price", first(set("price", 1)))
		p.judged(false, "phone", set("provider.phone", "1"))
		good, told := p.at.configured(func(c string) string {
			return strings.Replace(c, "lenient: true", "", 1) + "      price: 1\n"
		})
		p.expect(!good && strings.Contains(told, "price"), "it is taken: %s", told)
	}},
	{8, "the category b2b/vendor", func(p *probe) {
		p.expect(p.intakes()["quote"]["category"] == "b2b/vendor", "the category is %v",
			p.intakes()["quote"]["category"])
		p.judged(true, "category", func(object) {})
		p.judged(false, "category", first(set("category", "B2B")))
		good, told := p.at.configured(func(c string) string {
			return strings.Replace(c, "intakes:\n", "intakes:\n  strict_upstream: true\n", 1)
		})
		p.expect(!good && strings.Contains(told, "category"), "upstream's schema takes it: %s", told)
	}},
	{9, "no method", func(p *probe) {
		p.judged(false, "method", first(set("method", nil)))
		p.judged(false, "method", first(set("method", "GET")))
	}},
	{10, "POST to the manifest", func(p *probe) {
		r := p.send(message{method: "POST", url: p.at.base + wellKnown, body: []byte("{}")})
		p.expect(r.status == 405 && strings.Contains(r.header.Get("Allow"), "GET"), "status %d, Allow %q", r.status,
			r.header.Get("Allow"))
		p.wellFormed(r, nil)
	}},
}

// allRows are those of all files, by their numbers.
func allRows() []row {
	rows := slices.Concat(discoveryRows, submitRows, bindRows)
	slices.SortFunc(rows, func(a, b row) int { return a.number - b.number })
	return rows
}

// named is a row's name in the test.
func (r row) named() string {
	return fmt.Sprintf("%02d_%s", r.number, strings.NewReplacer(" ", "_", "/", "_").Replace(r.name))
}
