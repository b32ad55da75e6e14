package app

import (
	"strings"
	"testing"
)

func TestFetchSettingsAreChecked(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"fetch: {allow: [10.1.0.0/16, 10.2.3.4, \"fd00::/8\"]}":         "",
		"fetch: {user_agent: \"Example-Bot/2 (+https://bot.example)\"}": "",
		"fetch: {interval: 0s}":      "",
		"fetch: {allow: [intranet]}": "fetch.allow[0]: \"intranet\" is no network",
		"fetch: {allow: [10.1.0.7/16]}": "write 10.1.0.0/16 for the network, " +
			"or 10.1.0.7 for the address alone",
		"fetch: {user_agent: \"7 of 9\"}":          "fetch.user_agent",
		"fetch: {user_agent: \"Bot/1\\nHost: x\"}": "fetch.user_agent",
		"fetch: {timeout: 1ms}":                    "fetch.timeout",
		"fetch: {max_bytes: 2GiB}":                 "fetch.max_bytes",
		"fetch: {interval: 2h}":                    "fetch.interval",
	} {
		_, err := Load(Layers{File: write(t, t.TempDir(), "frontdesk.yaml", text)})
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestActionsAreCheckedWhereTheyAreWritten(t *testing.T) {
	t.Parallel()
	head := "actions:\n  - match: {"
	for text, want := range map[string]string{
		head +
			"type: recipe}\n    name: a\n    description: b\n    mcp: {server: s, tool: t}": "",
		head +
			"site: elsewhere}\n    name: a\n    description: b\n    mcp: {server: s, tool: t}": "there is no site " +
			"elsewhere",
		head +
			"}\n    name: a\n    description: b\n" +
			"    http: {method: GET, endpoint: \"file:///x\"}": ":5:25: actions[0].http.endpoint",
		head + "}\n    name: a\n    description: b\n    http: {method: GET, endpoint: " +
			"\"https://x.example/\", headers: {cookie: c}}": "looks like a credential",
		head + "}\n    name: a\n    description: b\n" +
			"    http: {method: GET, endpoint: \"https://x.example/\", header: {}}": "did you mean headers?",
		"ask: {widget: {template: widget}}":                             "is no address of a template",
		"ask: {widget: {template: \"javascript:alert(1)\"}}":            "is no address of a template",
		"ask: {widget: {template: \"ui://widget/answer.html\"}}":        "",
		"ask: {widget: {template: \"https://www.example.com/a.html\"}}": "",
	} {
		_, err := Load(Layers{File: write(t, t.TempDir(), "frontdesk.yaml", text)})
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
