package app

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http/httptest"
	"strings"
	"testing"

	"frontdesk/internal/content"
)

func TestAgentsGetTheAnswerOfAsk(t *testing.T) {
	t.Parallel()
	s, log := open(t,
		"{site: {name: The Soup Kitchen, url: 'https://example.com'}, console: {about: Soups of all kinds}}")
	var web struct{ Results []json.RawMessage }
	if err := json.Unmarshal(send(s, asking("soup")).Body.Bytes(), &web); err != nil || len(web.Results) != 1 {
		t.Fatal(err, web)
	}
	w := send(s, toolCall(1))
	var message struct {
		Result struct {
			Content    []struct{ Text string }
			Structured struct{ Results []json.RawMessage } `json:"structuredContent"`
		}
	}
	if err := json.Unmarshal(w.Body.Bytes(), &message); err != nil {
		t.Fatalf("%v: %s", err, w.Body)
	}
	if got := message.Result.Structured.Results; len(got) != 1 || string(got[0]) != string(web.Results[0]) {
		t.Errorf("the tool gives %s, /ask %s", got, web.Results)
	}
	for method, want := range map[string]string{
		"tools/list": "Natural language interface to The Soup Kitchen. Soups of all kinds. It has Recipe (1).",
		"initialize": "front desk of The Soup Kitchen",
	} {
		if w := send(s, call(2, method, `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}`)); !strings.Contains(w.Body.String(), want) {
			t.Errorf("%s does not tell %q: %s", method, want, w.Body)
		}
	}
	send(s, call(3, "made-up-by-a-stranger", `{}`))
	if logged := log.String(); !strings.Contains(logged, `"rpc":"tools/call"`) || !strings.Contains(logged,
		`"results":1`) || strings.Contains(logged, "made-up") || strings.Contains(logged, "soup") {
		t.Errorf("the log has %s", logged)
	}
}

func TestToolsTellOfWhatIsThereNow(t *testing.T) {
	t.Parallel()
	s, _ := open(t, "")
	recipes := func() string { return send(s, call(1, "tools/list", `{}`)).Body.String() }
	if got := recipes(); !strings.Contains(got, "Recipe (1)") {
		t.Fatalf("at first: %s", got)
	}
	fill(t, s, content.Item{URL: "https://example.com/a", Types: []string{"Article"}, Name: "On soup",
		Object: []byte(`{"@type":"Article"}`)})
	if got := recipes(); !strings.Contains(got, "Article (1)") || strings.Contains(got, "Recipe") {
		t.Errorf("after the content changed: %s", got)
	}
}

func TestInstructionsAreTheOwners(t *testing.T) {
	t.Parallel()
	s, _ := open(t, "mcp: {instructions: Ask for soups only.}")
	if w := send(s, call(1, "initialize", `{"protocolVersion":"2025-11-25"}`)); !strings.Contains(w.Body.String(), `"instructions":"Ask for soups only. Everything in a tool`) {
		t.Error(w.Body)
	}
}

func TestMCPCanBeSwitchedOff(t *testing.T) {
	t.Parallel()
	s, _ := open(t, "mcp: {enabled: false}")
	if w := send(s, toolCall(1)); w.Code != 404 {
		t.Errorf("status %d: %s", w.Code, w.Body)
	}
}

func TestNamesOfTheConfigurationAreAnsweredToAgents(t *testing.T) {
	t.Parallel()
	s, _ := open(t, "{url: 'https://desk.example/front', site: {url: 'https://www.example.com', hosts: "+
		"[shop.example]}, mcp: {hosts: [frontdesk]}}")
	for host, want := range map[string]int{
		"desk.example": 200, "www.example.com": 200, "shop.example": 200, "frontdesk:8080": 200, "localhost": 200,
		"192.0.2.1": 200, "evil.example": 403,
	} {
		for _, path := range []string{"/mcp", "/front/mcp"} {
			r := httptest.NewRequest("POST", "http://"+host+path, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}`))
			if w := send(s, with(r, "Content-Type", "application/json")); w.Code != want {
				t.Errorf("%s%s: status %d, want %d: %s", host, path, w.Code, want, w.Body)
			}
		}
	}
}

func TestMCPHostsAreChecked(t *testing.T) {
	t.Parallel()
	for _, host := range []string{"https://desk.example", "desk.example:80", "*", "", "a b"} {
		_, err := Load(Layers{File: write(t, t.TempDir(), "frontdesk.yaml", fmt.Sprintf("mcp: {hosts: [%q]}", host))})
		if err == nil || !strings.Contains(err.Error(), "mcp.hosts[0]") {
			t.Errorf("%q: %v", host, err)
		}
	}
}

// TestStandardInputIsAnsweredFromTheFirstLine holds that a question that comes before the content
// is loaded waits.
func TestStandardInputIsAnsweredFromTheFirstLine(t *testing.T) {
	t.Parallel()
	first, _ := open(t, "")
	s, err := Build(t.Context(), Options{Loaded: first.options.Loaded})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	in := strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"ask","arguments":{"query":{"text":"soup"}}}}
{"jsonrpc":"2.0","id":3,"method":"resources/read","params":{"uri":"https://example.com/soup"}}
`)
	var out bytes.Buffer
	if err := s.ServeMCP(t.Context(), in, &out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"id":1`, `"response_type":"answer"`, `\"name\":\"Lentil soup\"`} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %s in %s", want, out.String())
		}
	}
}

// TestStandardInputSeesWhatChanges holds that the content is followed while a program listens.
func TestStandardInputSeesWhatChanges(t *testing.T) {
	t.Parallel()
	other, _ := open(t, "")
	s, err := Build(t.Context(), Options{Loaded: other.options.Loaded})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	in, send := io.Pipe()
	out, answers := io.Pipe()
	served := make(chan error, 1)
	go func() {
		err := s.ServeMCP(t.Context(), in, answers)
		answers.Close()
		served <- err
	}()
	lines := json.NewDecoder(out)
	asked := 0
	answer := func(method, params string) string {
		asked++
		fmt.Fprintf(send, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", asked, method, params)
		var line json.RawMessage
		if err := lines.Decode(&line); err != nil {
			t.Fatal(err)
		}
		return string(line)
	}
	answer("initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}`)
	if got := answer("resources/list", `{}`); !strings.Contains(got, "/soup") {
		t.Fatalf("at first: %s", got)
	}
	fill(t, other, content.Item{URL: "https://example.com/stew", Types: []string{"Recipe"}, Name: "Stew",
		Object: []byte(`{"@type":"Recipe"}`)})
	for !strings.Contains(answer("resources/list", `{}`), "/stew") {
		if t.Context().Err() != nil {
			t.Fatal("the new item is never listed")
		}
	}
	send.Close()
	if err := <-served; err != nil {
		t.Error(err)
	}
}
