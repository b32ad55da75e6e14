package app

import (
	"encoding/json"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	"frontdesk/internal/content"
)

// TestFrontEndsFindTheSites holds that /sites and /who of the flat dialect answer as public front
// ends read them.
func TestFrontEndsFindTheSites(t *testing.T) {
	t.Parallel()
	s, log := open(t, "sites: [{id: local, name: The Soup Kitchen, url: 'https://example.com'}, {id: shop, "+
		"url: 'https://shop.example'}]\n")
	fill(t, s, content.Item{URL: "https://example.com/soup", Types: []string{"Recipe"}, Name: "Leek soup",
		Object: []byte(`{"@type":"Recipe"}`)})
	get := func(address string) *httptest.ResponseRecorder {
		return send(s, httptest.NewRequest("GET", address, nil))
	}
	const sites = `{"message-type":"sites","sites":["local","shop"]}`
	if w := get("/sites?streaming=false"); w.Code != 200 || strings.TrimSpace(w.Body.String()) != sites {
		t.Errorf("/sites: %d %s", w.Code, w.Body)
	}
	if w := get("/sites?streaming=true"); w.Body.String() != "data: "+sites+"\n\n" ||
		!strings.HasPrefix(w.Header().Get("Content-Type"), "text/event-stream") {
		t.Errorf("/sites as a stream: %s", w.Body)
	}
	w := get("/who?query=leek+soup")
	var who struct {
		MessageType string `json:"message_type"`
		Content     []map[string]any
	}
	if err := json.Unmarshal(w.Body.Bytes(), &who); err != nil || who.MessageType != "result" || len(who.Content) != 1 {
		t.Fatalf("/who: %v %s", err, w.Body)
	}
	if score, is := who.Content[0]["score"].(float64); !is || score <= 0 {
		t.Errorf("the score is %v", who.Content[0]["score"])
	}
	delete(who.Content[0], "score")
	if want := (map[string]any{
		"@type": "WebSite", "url": "https://example.com/", "name": "The Soup Kitchen", "site": "local",
		"description": "Leek soup", "query": "leek soup",
	}); !reflect.DeepEqual(who.Content[0], want) {
		t.Errorf("/who tells %v, want %v", who.Content[0], want)
	}
	stream := get("/who?query=leek+soup&streaming=1&query_id=q").Body.String()
	if !strings.HasPrefix(stream, `data: {"message_type":"result","query_id":"q"`) ||
		!strings.HasSuffix(stream, "data: {\"message_type\":\"complete\",\"query_id\":\"q\"}\n\n") {
		t.Errorf("/who as a stream: %s", stream)
	}
	if w := get("/who?query=unobtainium"); !strings.Contains(w.Body.String(), `"message":"Nothing here matches`) ||
		!strings.Contains(w.Body.String(), `"content":[]`) {
		t.Errorf("/who without an answer: %s", w.Body)
	}
	if w := get("/who"); w.Code != 400 {
		t.Errorf("/who without a question: %d %s", w.Code, w.Body)
	}
	if strings.Contains(log.String(), "leek") {
		t.Errorf("the question is in the log: %s", log)
	}
}

// TestToolsTakeWhatModelsWrite holds that the tool ask takes a query that is a string, and a limit
// that is a text.
func TestToolsTakeWhatModelsWrite(t *testing.T) {
	t.Parallel()
	s, _ := open(t, "site: {url: 'https://example.com'}\n")
	for _, arguments := range []string{
		`{"query":"soup"}`, `{"query":"soup","limit":"5"}`, `{"query":{"text":"soup","limit":"5"}}`, `{"query":"soup","site":["local"],"generate_mode":"summarize"}`,
	} {
		w := send(s, call(1, "tools/call", `{"name":"ask","arguments":`+arguments+`}`))
		if !strings.Contains(w.Body.String(), `"response_type":"answer"`) || strings.Contains(w.Body.String(), `"isError":true`) {
			t.Errorf("%s: %s", arguments, w.Body)
		}
	}
}
