package server

import (
	"encoding/json"
	"strings"
	"testing"
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

// TestAnswersLeadToALicence follows the actions of a licensed item to an offer, over HTTP and by the tool.
func TestAnswersLeadToALicence(t *testing.T) {
	m := openMarket(t, "ramp: {enabled: true}\n"+soldSoup)
	if _, err := m.Goods.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	all := licenceOf(t, send(m, ask("soup")).Body.Bytes())
	if len(all) != 2 {
		t.Fatalf("%v", all)
	}
	of, by := all["license"], all["license_by_tool"]
	endpoint, ok := strings.CutPrefix(of["endpoint"].(string), marketURL)
	if !ok || of["protocol"] != "HTTP" || of["method"] != "POST" || of["@type"] != "BuyAction" || by["protocol"] != "MCP" || by["server"] != marketURL+"/mcp" {
		t.Errorf("%v\n%v", of, by)
	}
	for name, arguments := range map[string]any{"license": of["params"], "license_by_tool": by["arguments"]} {
		message := arguments.(map[string]any)
		requester := message["requester"].(map[string]any)
		var signed map[string]any
		if err := json.Unmarshal([]byte(m.requester()), &signed); err != nil {
			t.Fatal(err)
		}
		uris := requester["uris"].([]any)
		if len(uris) != 1 || uris[0] != "https://example.com/soup" {
			t.Errorf("%s asks for %v", name, uris)
		}
		for member, value := range signed { // what the description says to add
			if member != "uris" {
				requester[member] = value
			}
		}
		message["id"] = "q-1"
		text, err := json.Marshal(message)
		if err != nil {
			t.Fatal(err)
		}
		var answer string
		if name == "license" {
			answer = send(m, posted("POST", endpoint, string(text))).Body.String()
		} else {
			answer, _ = m.tools(by["tool"].(string), string(text))
		}
		if !strings.Contains(answer, `"offer_id"`) || !strings.Contains(answer, `"rate":0.02`) {
			t.Errorf("%s: %s", name, answer)
		}
	}
}

func TestAnswersLeadToNoLicenceWhereNoneIsSold(t *testing.T) {
	for more, want := range map[string]int{
		"ramp: {enabled: false}\n" + soldSoup:                           0,
		"ramp: {enabled: true}\n":                                       0, // open
		"ramp: {enabled: true}\nterms: [{match: {}, access: licensed}]": 0, // no price
		"ramp: {enabled: true}\nmcp: {enabled: false}\n" + soldSoup:     1,
		"ramp: {enabled: true, offers: {price: {model: per_access, rate: \"1\", currency: USD}}}\nterms: [{match: {}, access: licensed}]": 2,
	} {
		if all := licenceOf(t, send(openMarket(t, more), ask("soup")).Body.Bytes()); len(all) != want {
			t.Errorf("%s: %v", more, all)
		}
	}
}

// TestPlatformsAreToldOfNoLicence holds that an answer of Agentic Intent has no action, offer or price of an item whose notice, at the
// door of questions, has them (Agentic Intent Protocol: it is no marketplace).
func TestPlatformsAreToldOfNoLicence(t *testing.T) {
	p := openPlatform(t, "ramp: {enabled: true, offers: {price: {model: per_access, rate: \"0.75\", currency: USD}}}\n")
	if all := licenceOf(t, send(p, ask("lentil stew")).Body.Bytes()); len(all) != 2 {
		t.Fatalf("the item is not for sale: %v", all)
	}
	w := send(p, p.ask("both", p.question()))
	if got := outcome(t, w); got != "200 ok" {
		t.Fatalf("%s: %s", got, w.Body)
	}
	for _, word := range []string{"license_by_tool", "BuyAction", "actions", "ramp", "0.75", "price", "offer"} {
		if strings.Contains(strings.ToLower(w.Body.String()), strings.ToLower(word)) {
			t.Errorf("it tells of %q: %s", word, w.Body)
		}
	}
}
