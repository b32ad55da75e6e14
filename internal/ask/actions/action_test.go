package actions_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"frontdesk/internal/ask/actions"
	"frontdesk/internal/infra/yamlconf"
	"frontdesk/internal/policy"
)

// isA knows a few types.
func isA(t, ancestor string) bool {
	return t == ancestor || ancestor == "Action" && strings.HasSuffix(t, "Action") ||
		t == "Recipe" && ancestor == "CreativeWork"
}

// read reads templates as an owner writes them.
func read(t *testing.T, text string) []actions.Template {
	t.Helper()
	var config struct {
		Actions []actions.Template `yaml:"actions"`
	}
	if _, err := yamlconf.Decode("test.yaml", []byte("actions:\n"+text), &config); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return config.Actions
}

const pie = `{"@type":"Recipe","url":"https://kitchen.example/pie?a=1","name":"Pumpkin & pie","recipeIngredient":["4 eggs","salt"],` +
	`"offers":[{"@type":"Offer","price":7.50,"sku":"A/1"}],"open":true,"nothing":null,"empty":""}`

var facts = policy.Facts{Site: "kitchen", Source: "recipes", URL: "https://kitchen.example/pie?a=1",
	Types: []string{"Recipe"}}

// told are the actions of an item, as JSON.
func told(t *testing.T, templates, object string) string {
	t.Helper()
	set, err := actions.New(read(t, templates), isA)
	if err != nil {
		t.Fatal(err)
	}
	text, some := set.Append(nil, facts, false, []byte(object))
	if some != (len(text) > 0) {
		t.Errorf("some is %t of %q", some, text)
	}
	if some && !json.Valid(text) {
		t.Errorf("this is no JSON: %s", text)
	}
	return string(text)
}

func TestAnActionIsFilledInForTheItem(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ what, template, want string }{
		{"HTTP", `
  - match: {type: CreativeWork}
    name: add_ingredients
    type: https://schema.org/AddToCartAction
    description: Add the ingredients of {name} to a cart
    http:
      method: post
      endpoint: https://api.example.com/{offers.sku}/add?from={url}
      params: {items: "{recipeIngredient}", note: "for {name}: {recipeIngredient}", price: "{offers.price}", count: 1, deep: [{open: "{open}"}]}
      headers: {Accept: application/json, X-From: "{site}/{source}"}`,
			`[{"@context":"https://schema.org","@type":"AddToCartAction","name":"add_ingredients","description":"Add the ingredients of Pumpkin & pie to a cart",` +
				`"protocol":"HTTP","method":"POST","endpoint":"https://api.example.com/A%2F1/add?from=https%3A%2F%2Fkitchen.example%2Fpie%3Fa%3D1",` +
				`"params":{"count":1,"deep":[{"open":true}],"items":["4 eggs","salt"],"note":"for Pumpkin & pie: 4 eggs, salt","price":7.50},` +
				`"headers":{"Accept":"application/json","X-From":"kitchen/recipes"}}]`},
		{"MCP", `
  - {match: {}, name: cook, description: Cook it, mcp: {server: kitchen-mcp, tool: cook, arguments: {url: "{url}"}}}`,
			`[{"name":"cook","description":"Cook it","protocol":"MCP","server":"kitchen-mcp","tool":"cook","arguments":{"url":"https://kitchen.example/pie?a=1"}}]`},
		{"A2A", `
  - {match: {site: kitchen}, name: ask, description: Ask the cook, a2a: {agent_url: "https://cook.example/a2a", skill: advice, message: {about: "{name}"}}}`,
			`[{"name":"ask","description":"Ask the cook","protocol":"A2A","agent_url":"https://cook.example/a2a","skill":"advice","message":{"about":"Pumpkin & pie"}}]`},
		{"without what may be left out", `
  - {match: {}, name: open, description: Open it, http: {method: GET, endpoint: "{url}"}}`,
			`[{"name":"open","description":"Open it","protocol":"HTTP","method":"GET","endpoint":"https://kitchen.example/pie?a=1"}]`},
		{"in the owner's order", `
  - {match: {}, name: b, description: B, mcp: {server: s, tool: t}}
  - {match: {}, name: a, description: A, mcp: {server: s, tool: t}}`,
			`[{"name":"b","description":"B","protocol":"MCP","server":"s","tool":"t"},{"name":"a","description":"A","protocol":"MCP","server":"s","tool":"t"}]`},
		{"of the same name the first", `
  - {match: {}, name: a, description: first, mcp: {server: s, tool: t}}
  - {match: {}, name: a, description: second, mcp: {server: s, tool: t}}`,
			`[{"name":"a","description":"first","protocol":"MCP","server":"s","tool":"t"}]`},
		{"not where it does not match", `
  - {match: {site: shop}, name: a, description: A, mcp: {server: s, tool: t}}
  - {match: {type: Product}, name: b, description: B, mcp: {server: s, tool: t}}
  - {match: {path: "/cake"}, name: c, description: C, mcp: {server: s, tool: t}}
  - {match: {host: "shop.example"}, name: d, description: D, mcp: {server: s, tool: t}}
  - {match: {source: products}, name: e, description: E, mcp: {server: s, tool: t}}`, ``},
		{"not without a value that it needs", `
  - {match: {}, name: a, description: "A {author}", mcp: {server: s, tool: t}}
  - {match: {}, name: b, description: B, mcp: {server: s, tool: t, arguments: {x: "{nothing}"}}}
  - {match: {}, name: c, description: C, http: {method: GET, endpoint: "https://x.example/{empty}"}}
  - {match: {}, name: d, description: D, http: {method: GET, endpoint: "{name}"}}
  - {match: {}, name: e, description: E, http: {method: GET, endpoint: "https://x.example/", params: {a: {b: ["{name.more}"]}}}}
  - {match: {}, name: f, description: F, a2a: {agent_url: "{offers.url}", skill: s}}`, ``},
	} {
		if diff := cmp.Diff(row.want, told(t, row.template, pie)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.what, diff)
		}
	}
}

func TestAnItemsOwnActionIsToldWhenItHoldsUp(t *testing.T) {
	t.Parallel()
	const start, end = `{"@type":"Recipe","name":"Pie","potentialAction":`, `}`
	for _, row := range []struct{ action, want string }{
		{`{"@type":"OrderAction","target":"https://shop.example/order/7"}`,
			`[{"@context":"https://schema.org","@type":"OrderAction","name":"order","description":"Order: Pie","protocol":"HTTP","method":"GET","endpoint":"https://shop.example/order/7"}]`},
		{`[{"@type":["https://schema.org/AddToCartAction","Action"],"name":"Into the cart","target":[{"@type":"EntryPoint","urlTemplate":"android-app://x/y"},{"@type":"EntryPoint","urlTemplate":"https://shop.example/cart","httpMethod":"post"}]}]`,
			`[{"@context":"https://schema.org","@type":"AddToCartAction","name":"add_to_cart","description":"Into the cart: Pie","protocol":"HTTP","method":"POST","endpoint":"https://shop.example/cart"}]`},
		{`{"@type":"ReserveAction","description":"Reserve a table","target":{"url":"http://shop.example/t"}}`,
			`[{"@context":"https://schema.org","@type":"ReserveAction","name":"reserve","description":"Reserve a table","protocol":"HTTP","method":"GET","endpoint":"http://shop.example/t"}]`},
		{`{"@type":"Action","name":"Call us","target":"https://shop.example/call"}`,
			`[{"@context":"https://schema.org","@type":"Action","name":"call_us","description":"Call us: Pie","protocol":"HTTP","method":"GET","endpoint":"https://shop.example/call"}]`},
		{`[{"@type":"BuyAction","target":"https://shop.example/1"},{"@type":"BuyAction","target":"https://shop.example/2"}]`,
			`[{"@context":"https://schema.org","@type":"BuyAction","name":"buy","description":"Buy: Pie","protocol":"HTTP","method":"GET","endpoint":"https://shop.example/1"}]`},
		// What is not told.
		{`{"@type":"SearchAction","target":"https://shop.example/?s={search_term_string}"}`, ``},
		{`{"@type":"SearchAction","target":{"urlTemplate":"https://shop.example/?s={q}","url":"https://shop.example/"}}`, ``},
		{`{"@type":"BuyAction","target":"/relative"}`, ``},
		{`{"@type":"BuyAction","target":"javascript:alert(1)"}`, ``},
		{`{"@type":"BuyAction","target":"ftp://shop.example/"}`, ``},
		{`{"@type":"BuyAction","target":"https://user:hush@shop.example/"}`, ``},
		{`{"@type":"BuyAction","target":"https://shop.example/?api_key=hush"}`, ``},
		{`{"@type":"BuyAction","target":"https://shop.example/?accessToken=hush"}`, ``},
		{`{"@type":"BuyAction","target":{"urlTemplate":"https://shop.example/","httpMethod":"TRACE"}}`, ``},
		{`{"@type":"BuyAction"}`, ``},
		{`{"@type":"Recipe","target":"https://shop.example/"}`, ``},
		{`{"@type":"Action","target":"https://shop.example/"}`, ``},
		{`{"@type":[],"target":"https://shop.example/"}`, ``},
		{`{"target":"https://shop.example/"}`, ``},
		{`"https://shop.example/"`, ``},
		{`[]`, ``}, {`null`, ``}, {`7`, ``}, {`[[{"@type":"BuyAction","target":"https://shop.example/"}]]`, ``},
	} {
		if diff := cmp.Diff(row.want, told(t, "  []", start+row.action+end)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.action, diff)
		}
	}
	// The owner's word on an action of the same name comes first.
	owner := "  - {match: {}, name: buy, description: Buy here, mcp: {server: s, tool: t}}"
	text := told(t, owner, start+`{"@type":"BuyAction","target":"https://elsewhere.example/"}`+end)
	if strings.Contains(text, "elsewhere") || !strings.Contains(text, "Buy here") {
		t.Errorf("told %s", text)
	}
}

func TestAnItemHasNoMoreActionsThanFit(t *testing.T) {
	t.Parallel()
	many := `{"name":"Pie","potentialAction":[` + strings.Repeat(`{"@type":"BuyAction","target":"https://shop.example/"},`, 50) + `7]}`
	for i := range 50 {
		many = strings.Replace(many, "BuyAction", strings.Repeat("Buy", i+2)+"Action", 1)
	}
	var all []any
	if err := json.Unmarshal([]byte(told(t, "  []", many)), &all); err != nil || len(all) == 0 || len(all) > 16 {
		t.Errorf("%d actions, %v", len(all), err)
	}
	long := `{"name":"` + strings.Repeat("x", 9000) + `"}`
	if text := told(t, "  - {match: {}, name: a, description: A, mcp: {server: s, tool: "+
		"t, arguments: {n: \"{name}\"}}}", long); text != "" {
		t.Errorf("an action of %d bytes was told", len(text))
	}
	if text := told(t, "  - {match: {}, name: a, description: \"{name}\", mcp: {server: s, tool: t}}",
		long); len(text) > 1200 {
		t.Errorf("a description of %d bytes was told", len(text))
	}
}

func TestATemplateThatCannotHoldUpIsRefused(t *testing.T) {
	t.Parallel()
	const http = `http: {method: GET, endpoint: "https://x.example/"}`
	for _, row := range []struct{ template, field string }{
		{`{match: {}, name: two words, description: d, ` + http + `}`, "name"},
		{`{match: {}, name: "7", description: d, ` + http + `}`, "name"},
		{`{match: {}, name: a, description: " ", ` + http + `}`, "description"},
		{`{match: {}, name: a, description: d, type: "a b", ` + http + `}`, "type"},
		{`{match: {path: "no-slash"}, name: a, description: d, ` + http + `}`, "match.path[0]"},
		{`{match: {}, name: a, description: d}`, "http"},
		{`{match: {}, name: a, description: d, ` + http + `, mcp: {server: s, tool: t}}`, "mcp"},
		{`{match: {}, name: a, description: d, http: {method: FETCH, endpoint: "https://x.example/"}}`, "http.method"},
		{`{match: {}, name: a, description: d, http: {endpoint: "https://x.example/"}}`, "http.method"},
		{`{match: {}, name: a, description: d, http: {method: GET}}`, "http.endpoint"},
		{`{match: {}, name: a, description: d, http: {method: GET, endpoint: "ftp://x.example/"}}`, "http.endpoint"},
		{`{match: {}, name: a, description: d, http: {method: GET, endpoint: "/relative"}}`, "http.endpoint"},
		{`{match: {}, name: a, description: d, http: {method: GET, endpoint: "https://{name}.example/"}}`, "http.endpoint"},
		{`{match: {}, name: a, description: d, http: {method: GET, endpoint: "https://x.example{name}"}}`, "http.endpoint"},
		{`{match: {}, name: a, description: d, http: {method: GET, endpoint: "https://me:hush@x.example/"}}`, "http.endpoint"},
		{`{match: {}, name: a, description: d, http: {method: GET, endpoint: "https://x.example/?api_key=hush"}}`, "http.endpoint"},
		{`{match: {}, name: a, description: d, http: {method: GET, endpoint: "https://x.example/", headers: {Authorization: "{name}"}}}`, "http.headers"},
		{`{match: {}, name: a, description: d, http: {method: GET, endpoint: "https://x.example/", headers: {X-API-Key: "7"}}}`, "http.headers"},
		{`{match: {}, name: a, description: d, http: {method: GET, endpoint: "https://x.example/", headers: {cookie: a}}}`, "http.headers"},
		{`{match: {}, name: a, description: d, http: {method: GET, endpoint: "https://x.example/", headers: {X-Other: Bearer hush}}}`, "http.headers"},
		{`{match: {}, name: a, description: d, http: {method: GET, endpoint: "https://x.example/", headers: {X-Other: 7}}}`, "http.headers"},
		{`{match: {}, name: a, description: d, http: {method: GET, endpoint: "https://x.example/", headers: {"a b": c}}}`, "http.headers"},
		{`{match: {}, name: a, description: d, http: {method: GET, endpoint: "https://x.example/", headers: {X-Other: "a\nb"}}}`, "http.headers"},
		{`{match: {}, name: a, description: d, mcp: {tool: t}}`, "mcp.server"},
		{`{match: {}, name: a, description: d, mcp: {server: s}}`, "mcp.tool"},
		{`{match: {}, name: a, description: d, mcp: {server: "file:///x", tool: t}}`, "mcp.server"},
		{`{match: {}, name: a, description: d, a2a: {skill: s}}`, "a2a.agent_url"},
		{`{match: {}, name: a, description: d, a2a: {agent_url: "https://x.example/"}}`, "a2a.skill"},
		{`{match: {}, name: a, description: d, a2a: {agent_url: "gopher://x.example/", skill: s}}`, "a2a.agent_url"},
	} {
		_, err := actions.New(read(t, "  - "+row.template), isA)
		var found *actions.Error
		if joined, is := err.(interface{ Unwrap() []error }); !is || !errors.As(joined.Unwrap()[0], &found) ||
			found.Field != row.field {
			t.Errorf("%s: wanted a finding at %s, got %v", row.template, row.field, err)
		}
	}
	for _, good := range []string{"X-Author", "Accept", "X-Monkey", "X-Keyboard"} {
		template := `  - {match: {}, name: a, description: d, http: {method: GET, endpoint: "https://x.example/", headers: {` + good + `: x}}}`
		if _, err := actions.New(read(t, template), isA); err != nil {
			t.Errorf("%s is no credential: %v", good, err)
		}
	}
}

// FuzzAppend fills a template for whatever item, and holds what every action must hold to (NLWeb
// 0.55 §5).
func FuzzAppend(f *testing.F) {
	f.Add(pie)
	f.Add(`{"url":"https://x.example/","name":"\u0000\r\nSet-Cookie: a","potentialAction":[{"@type":"BuyAction","target":{"urlTemplate":"https://x.example/"}}]}`)
	var config struct {
		Actions []actions.Template `yaml:"actions"`
	}
	if _, err := yamlconf.Decode("fuzz.yaml", []byte(`actions:
  - {match: {}, name: a, description: "{name}", http: {method: GET, endpoint: "{url}", params: {a: "{name}"}, headers: {X-Name: "{name}"}}}
  - {match: {}, name: b, description: B, http: {method: GET, endpoint: "https://x.example/{name}?{url}={url}"}}
  - {match: {}, name: c, description: C, a2a: {agent_url: "{url}/a2a", skill: s}}`), &config); err != nil {
		f.Fatal(err)
	}
	set, err := actions.New(config.Actions, isA)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, object string) {
		text, some := set.Append(nil, facts, false, []byte(object))
		if !some {
			return
		}
		var all []map[string]any
		if err := json.Unmarshal(text, &all); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		for _, a := range all {
			for _, needed := range []string{"name", "description", "protocol"} {
				if s, is := a[needed].(string); !is || s == "" {
					t.Errorf("%s is %v", needed, a[needed])
				}
			}
			for _, address := range []string{"endpoint", "agent_url"} {
				s, is := a[address].(string)
				if is && !strings.HasPrefix(strings.ToLower(s), "https://") && !strings.HasPrefix(strings.ToLower(s),
					"http://") || strings.ContainsAny(s, " \r\n\t@\\") && is && a["name"] != "a" && a["name"] != "c" {
					t.Errorf("%s is %q", address, s)
				}
			}
			if headers, is := a["headers"].(map[string]any); is &&
				strings.ContainsAny(headers["X-Name"].(string), "\r\n") {
				t.Errorf("headers are %q", headers)
			}
		}
	})
}
