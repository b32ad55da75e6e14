package app

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestTheWidgetIsFoundOverMCP goes ChatGPT's way: the list of tools names a template, which is
// listed as a resource and can be read, and the answer names the same.
func TestTheWidgetIsFoundOverMCP(t *testing.T) {
	t.Parallel()
	own := filepath.Join(t.TempDir(), "own.html")
	if err := os.WriteFile(own, []byte("<p>Ours</p>"), 0o600); err != nil {
		t.Fatal(err)
	}
	for file, shows := range map[string]string{"": "window.openai.toolOutput", ", file: '" + own + "'": "<p>Ours</p>"} {
		s, _ := open(t, "site: {url: 'https://example.com'}\n"+
			"ask: {widget: {template: 'ui://widget/answer.html', accessible: true"+file+"}}\n")
		result := func(method, params string) (out map[string]any) {
			t.Helper()
			var message struct{ Result map[string]any }
			w := send(s, call(1, method, params))
			if err := json.Unmarshal(w.Body.Bytes(), &message); err != nil || message.Result == nil {
				t.Fatalf("%v: %s", err, w.Body)
			}
			return message.Result
		}
		for _, one := range result("tools/list", `{}`)["tools"].([]any) {
			tool := one.(map[string]any)
			meta, _ := tool["_meta"].(map[string]any)
			if of := meta["openai/outputTemplate"]; tool["name"] == "ask" && (of != "ui://widget/answer.html" ||
				meta["openai/widgetAccessible"] != true) || tool["name"] != "ask" && of != nil {
				t.Errorf("%v has the _meta %v", tool["name"], meta)
			}
		}
		listed := result("resources/list", `{}`)["resources"].([]any)
		if first := listed[0].(map[string]any); len(listed) != 2 || first["uri"] != "ui://widget/answer.html" ||
			first["mimeType"] != "text/html+skybridge" {
			t.Errorf("the resources are %v", listed)
		}
		contents := result("resources/read", `{"uri":"ui://widget/answer.html"}`)["contents"].([]any)
		read := contents[0].(map[string]any)
		if len(contents) != 1 || read["mimeType"] != "text/html+skybridge" ||
			read["uri"] != "ui://widget/answer.html" || !strings.Contains(read["text"].(string), shows) {
			t.Errorf("the template is %v", contents)
		}
		answered := result("tools/call", `{"name":"ask","arguments":{"query":{"text":"soup"},"prefer":{"response_format":"chatgpt_app"}}}`)
		if meta := answered["_meta"].(map[string]any); meta["openai/outputTemplate"] != "ui://widget/answer.html" {
			t.Errorf("the answer has the _meta %v", meta)
		}
		if item := result("resources/read", `{"uri":"https://example.com/soup"}`); len(item["contents"].([]any)) != 1 {
			t.Errorf("an item is %v", item)
		}
	}
	s, _ := open(t, "site: {url: 'https://example.com'}\n")
	for _, asked := range [][2]string{{"tools/list", `{}`}, {"resources/list", `{}`}, {"resources/read", `{"uri":"ui://widget/answer.html"}`}} {
		if text := send(s, call(1, asked[0], asked[1])).Body.String(); strings.Contains(text, "outputTemplate") ||
			strings.Contains(text, "skybridge") {
			t.Errorf("without a widget, %s answers %s", asked[0], text)
		}
	}
}

func TestAWidgetThatCannotBeReadIsFoundBeforehand(t *testing.T) {
	t.Parallel()
	_, err := Load(Layers{File: write(t, t.TempDir(), "frontdesk.yaml",
		"ask: {widget: {template: 'ui://widget/a.html', file: /nowhere/a.html}}\n")})
	if err == nil || !strings.Contains(err.Error(), "ask.widget.file: open /nowhere/a.html") {
		t.Errorf("%v", err)
	}
	loaded, err := Load(
		Layers{File: write(t, t.TempDir(), "frontdesk.yaml",
			"ask: {widget: {template: 'https://example.com/a.html', file: widget_test.go}}\n")})
	if err != nil || !strings.Contains(fmt.Sprint(loaded.Warnings), "ask.widget.file: it is read by nobody") {
		t.Errorf("%v, %v", loaded, err)
	}
}
