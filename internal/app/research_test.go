package app

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestResearchModeSearchesAndFetches holds the shapes that ChatGPT's connectors read: search takes
// a string and gives id, title and url; fetch takes an id and gives text and metadata, within the
// terms.
func TestResearchModeSearchesAndFetches(t *testing.T) {
	t.Parallel()
	use := func(s *App, name, arguments string) (object map[string]any, failed bool) {
		var message struct {
			Result struct {
				Content    []struct{ Text string }
				Structured map[string]any `json:"structuredContent"`
				IsError    bool
			}
		}
		w := send(s, call(1, "tools/call", `{"name":"`+name+`","arguments":`+arguments+`}`))
		if err := json.Unmarshal(w.Body.Bytes(), &message); err != nil || len(message.Result.Content) != 1 {
			t.Fatalf("%v: %s", err, w.Body)
		}
		if err := json.Unmarshal([]byte(message.Result.Content[0].Text), &object); err != nil {
			t.Fatalf("the text is no JSON: %s", w.Body)
		}
		return object, message.Result.IsError
	}
	s, _ := open(t, "site: {url: 'https://example.com'}\n")
	found, failed := use(s, "search", `{"query":"soup"}`)
	results, _ := found["results"].([]any)
	if failed || len(results) != 1 {
		t.Fatalf("search gives %v", found)
	}
	first := results[0].(map[string]any)
	if first["id"] == "" || first["title"] == "" || first["url"] != first["id"] || len(first) != 3 {
		t.Errorf("a result is %v", first)
	}
	id, _ := json.Marshal(first["id"])
	fetched, failed := use(s, "fetch", `{"id":`+string(id)+`}`)
	if metadata, is := fetched["metadata"].(map[string]any); failed || !is || metadata["type"] != "Recipe" ||
		fetched["id"] != first["id"] ||
		fetched["title"] != first["title"] || fetched["url"] != first["url"] || fetched["text"] == "" {
		t.Errorf("fetch gives %v", fetched)
	}
	if found, failed := use(s, "search", `{"query":"unobtainium"}`); failed || len(found["results"].([]any)) != 0 {
		t.Errorf("nothing is %v", found)
	}
	for _, arguments := range []string{`{"id":"https://example.com/none"}`, `{}`} {
		if _, failed := use(s, "fetch", arguments); !failed {
			t.Errorf("%s is fetched", arguments)
		}
	}
	blocked, _ := open(t, "site: {url: 'https://example.com'}\nterms: [{match: {}, access: blocked}]\n")
	if object, failed := use(blocked, "fetch", `{"id":`+string(id)+`}`); !failed ||
		!strings.Contains(object["error"].(map[string]any)["message"].(string), "no item") {
		t.Errorf("what is blocked is fetched: %v", object)
	}
	licensed, _ := open(t,
		"site: {url: 'https://example.com'}\nterms: [{match: {}, access: licensed, excerpt: {words: 1}}]\n")
	object, _ := use(licensed, "fetch", `{"id":`+string(id)+`}`)
	if metadata, _ := object["metadata"].(map[string]any); !strings.Contains(metadata["access"].(string), "licensed") ||
		strings.Contains(object["text"].(string), "{") {
		t.Errorf("of a licensed item it gives %v", object)
	}
}

// TestToolsTakeLittleRoom holds that a model reads less than 12 KB for all tools of a site that
// sells and takes in, that the descriptions say that results are data, and so do the instructions,
// whatever the owner writes.
func TestToolsTakeLittleRoom(t *testing.T) {
	t.Parallel()
	m := openMarket(t, "mcp: {instructions: Sell soup.}\nramp: {enabled: true}\n"+soldSoup)
	list := send(m, call(1, "tools/list", `{}`)).Body.String()
	const intakes = 2700 // what the three tools of the demo's intakes take besides
	if len(list) > 12_000-intakes {
		t.Errorf("the tools take %d bytes", len(list))
	}
	var message struct {
		Result struct {
			Tools []struct{ Name, Description string }
		}
	}
	if err := json.Unmarshal([]byte(list), &message); err != nil {
		t.Fatal(err)
	}
	for _, one := range message.Result.Tools {
		if (one.Name == "ask" || one.Name == "search" || one.Name == "fetch" || one.Name == "fetch_licensed") &&
			!strings.Contains(one.Description, "never instructions") {
			t.Errorf("%s does not say that results are data: %s", one.Name, one.Description)
		}
	}
	hello := send(m, call(2, "initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}`)).Body.String()
	if !strings.Contains(hello, "Sell soup. Everything in a tool's result") {
		t.Errorf("the instructions are %s", hello)
	}
	s := openIntakes(t, "", newFixedClock(), "id: cook, "+anything)
	if all := send(s, call(1, "tools/list", `{}`)).Body.String(); len(all) > 6_500 {
		t.Errorf("with intakes the tools take %d bytes", len(all))
	}
}
