package app

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"frontdesk/internal/content"
)

// licenceOf asks for soup, and gives the actions of the first item by their names.
func licenceOf(t *testing.T, body []byte) map[string]map[string]any {
	t.Helper()
	var answer struct {
		Results []struct{ Actions []map[string]any }
	}
	if err := json.Unmarshal(body, &answer); err != nil || len(answer.Results) == 0 {
		t.Fatalf("%v: %s", err, body)
	}
	all := map[string]map[string]any{}
	for _, a := range answer.Results[0].Actions {
		all[a["name"].(string)] = a
	}
	return all
}

// TestAnswersLeadToALicence follows the action of a licensed item to the Exchange, and gets an
// offer there by what it says.
func TestAnswersLeadToALicence(t *testing.T) {
	t.Parallel()
	m := openMarket(t, "ramp: {enabled: true}\n"+soldSoup)
	if _, err := m.exchange.Goods.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	all := licenceOf(t, send(m, asking("soup")).Body.Bytes())
	of := all["license"]
	if len(all) != 1 || of["protocol"] != "HTTP" || of["method"] != "GET" || of["@type"] != "BuyAction" ||
		of["params"] != nil {
		t.Fatalf("%v", all)
	}
	for _, part := range []string{
		"https://example.com/soup", "DiscoverResources", "ramp_discover at " + marketURL + "/mcp",
	} {
		if !strings.Contains(of["description"].(string), part) {
			t.Errorf("%q is not in %s", part, of["description"])
		}
	}
	var manifest struct {
		Endpoint string `json:"exchange_endpoint"`
	}
	if w := send(m, httptest.NewRequest("GET", of["endpoint"].(string), nil)); json.Unmarshal(w.Body.Bytes(),
		&manifest) != nil || manifest.Endpoint != marketURL {
		t.Fatalf("%d: %s", w.Code, w.Body)
	}
	query := `{"ver":"1.0","id":"q-1","requester":` + m.requester() + `}`
	byRPC := send(m, posted("POST", "/ramp.v1.ExchangeService/DiscoverResources", query)).Body.String()
	byTool, _ := m.tools("ramp_discover", query)
	for _, answer := range []string{byRPC, byTool} {
		if !strings.Contains(answer, `"offer_id"`) || !strings.Contains(answer, `"rate":0.02`) {
			t.Errorf("%s", answer)
		}
	}
}

// TestActionsRunAsTheyAreGiven does everything that an answer says can be done with its items,
// exactly as it says: the request to the address with its params, the tool with its arguments.
// Nothing is added, not even a signature.
func TestActionsRunAsTheyAreGiven(t *testing.T) {
	t.Parallel()
	vault := filepath.Join(t.TempDir(), "vault.db")
	m := openMarket(t, "ramp: {enabled: true}\n"+soldSoup+`
actions:
  - match: {}
    name: more
    description: What there is besides {name}
    http: {method: POST, endpoint: "`+marketURL+`/ask", params: {query: {text: "{name}"}}}
  - match: {}
    name: read
    description: Read {name}
    mcp: {server: "`+marketURL+`/mcp", tool: fetch, arguments: {id: "{url}"}}
intakes:
  provider: {name: House, url: 'https://house.example'}
  vault: 'sqlite:`+vault+`'
  list:
    - {id: cook, match: [{}], `+anything+`}
`)
	fill(t, m.App, content.Item{
		URL: "https://example.com/soup", Types: []string{"Recipe"}, Name: "Lentil soup",
		Description: "A soup of lentils.",
		Object:      []byte(`{"@type":"Recipe","name":"Lentil soup","url":"https://example.com/soup"}`),
	}, content.Item{
		URL: "https://example.com/open", Types: []string{"Recipe"}, Name: "Open soup",
		Description: "A soup that is open.",
		Object:      []byte(`{"@type":"Recipe","name":"Open soup","url":"https://example.com/open"}`),
	})
	if err := m.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := m.exchange.Goods.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	var answer struct {
		Results []struct {
			Name    string
			Actions []struct {
				Name, Protocol, Method, Endpoint, Server, Tool string
				Params, Arguments                              json.RawMessage
			}
		}
	}
	if w := send(m, asking("soup")); json.Unmarshal(w.Body.Bytes(), &answer) != nil || len(answer.Results) != 2 {
		t.Fatalf("%s", w.Body)
	}
	done := map[string]int{}
	for _, item := range answer.Results {
		for _, a := range item.Actions {
			done[a.Name]++
			var request *http.Request
			switch a.Protocol {
			case "HTTP":
				request = httptest.NewRequest(a.Method, a.Endpoint, bytes.NewReader(a.Params))
				if a.Params != nil {
					request.Header.Set("Content-Type", "application/json")
				}
			case "MCP":
				if a.Server != marketURL+"/mcp" {
					t.Fatalf("%s: the server is %s", a.Name, a.Server)
				}
				request = call(1, "tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s}`, a.Tool, a.Arguments))
			}
			w := send(m, request)
			var body map[string]any
			err := json.Unmarshal(w.Body.Bytes(), &body)
			result, _ := body["result"].(map[string]any)
			if w.Code != http.StatusOK || err != nil || body["error"] != nil || result["isError"] == true ||
				a.Protocol == "MCP" && result == nil {
				t.Errorf("%s of %s: %d %s", a.Name, item.Name, w.Code, w.Body)
			}
		}
	}
	if want := map[string]int{"more": 2, "read": 2, "license": 1, "start-cook": 2}; !maps.Equal(done, want) {
		t.Errorf("there were %v, want %v", done, want)
	}
}

func TestAnswersLeadToNoLicenceWhereNoneIsSold(t *testing.T) {
	t.Parallel()
	for more, want := range map[string]int{
		"ramp: {enabled: false}\n" + soldSoup:                           0,
		"ramp: {enabled: true}\n":                                       0, // open
		"ramp: {enabled: true}\nterms: [{match: {}, access: licensed}]": 0, // no price
		"ramp: {enabled: true}\nmcp: {enabled: false}\n" + soldSoup:     1,
		"ramp: {enabled: true, offers: {price: {model: per_access, rate: \"1\", currency: USD}}}\n" +
			"terms: [{match: {}, access: licensed}]": 1,
	} {
		if all := licenceOf(t, send(openMarket(t, more), asking("soup")).Body.Bytes()); len(all) != want {
			t.Errorf("%s: %v", more, all)
		}
	}
}

// TestPlatformsAreToldOfNoLicence holds that an answer of Agentic Intent has no action, offer or
// price of an item whose notice, at the door of questions, has them (Agentic Intent Protocol: it is
// no marketplace).
func TestPlatformsAreToldOfNoLicence(t *testing.T) {
	t.Parallel()
	p := openPlatform(t, "ramp: {enabled: true, offers: {price: {model: per_access, rate: \"0.75\", currency: USD}}}\n")
	if all := licenceOf(t, send(p, asking("lentil stew")).Body.Bytes()); len(all) != 1 {
		t.Fatalf("the item is not for sale: %v", all)
	}
	w := send(p, p.ask("both", p.question()))
	if got := outcome(t, w); got != "200 ok" {
		t.Fatalf("%s: %s", got, w.Body)
	}
	for _, word := range []string{"BuyAction", "actions", "ramp", "0.75", "price", "offer"} {
		if strings.Contains(strings.ToLower(w.Body.String()), strings.ToLower(word)) {
			t.Errorf("it tells of %q: %s", word, w.Body)
		}
	}
}
