// Package connect says how programs of others are connected to a front desk: assistants over MCP,
// and programs of one's own over NLWeb. The recipes stand here once, for the page at /connect and
// for the owner's console.
//
// Enter with Recipes and Handler. The package knows nothing of content, terms or search.
package connect

import (
	"encoding/base64"
	"encoding/json"
	"html/template"
	"net/url"
	"strings"
	"unicode"
)

// Path is where the page is.
const Path = "/connect"

// Desk is the front desk to which they are connected.
type Desk struct {
	Address string // its public address, without a slash at its end
	Name    string // what people call it
	MCP     bool   // it serves /mcp
}

// Recipe is how one program is connected.
type Recipe struct {
	ID   string
	Name string
	// Word is the key of the sentence that says what to do, and At is what it names; empty for code
	// that speaks for itself.
	Word, At string
	Button   template.URL // what does it at once; empty for nothing
	Code     string
	Program  bool // a program of one's own, and no assistant
}

// Public says whether assistants on the web can reach the address.
func (d Desk) Public() bool { return strings.HasPrefix(d.Address, "https://") }

// Recipes are all of them, assistants first.
func Recipes(d Desk) []Recipe {
	var all []Recipe
	if d.MCP {
		all = assistants(d.Address+"/mcp", slug(d.Name))
	}
	return append(all, programs(d.Address)...)
}

func assistants(at, name string) []Recipe {
	bridged := servers("mcpServers", name, map[string]any{"command": "npx", "args": []string{"-y", "mcp-remote", at}})
	direct := map[string]any{"url": at}
	typed := map[string]any{"type": "http", "url": at}
	terminal := func(id, name, code string) Recipe {
		return Recipe{ID: id, Name: name, Word: "terminal", Code: code}
	}
	file := func(id, name, at string, button template.URL, code string) Recipe {
		return Recipe{ID: id, Name: name, Word: "button", At: at, Button: button, Code: code}
	}
	return []Recipe{
		{ID: "claude", Name: "Claude", Word: "claude", Code: at},
		{
			ID: "claude-desktop", Name: "Claude Desktop", Word: "claude_desktop", At: "claude_desktop_config.json",
			Code: bridged,
		},
		terminal("claude-code", "Claude Code", "claude mcp add --transport http "+name+" "+at),
		{ID: "chatgpt", Name: "ChatGPT", Word: "chatgpt", Code: at},
		file("cursor", "Cursor", "~/.cursor/mcp.json", cursor(name, direct), servers("mcpServers", name, direct)),
		file("vscode", "VS Code", ".vscode/mcp.json", vscode(name, at), servers("servers", name, typed)),
		terminal("gemini-cli", "Gemini CLI", "gemini mcp add --transport http "+name+" "+at),
		terminal("inspector", "MCP Inspector",
			"npx @modelcontextprotocol/inspector --cli "+at+" --transport http --method tools/list"),
	}
}

// servers is a file in which a client of MCP looks for its servers.
func servers(member, name string, server any) string {
	return indented(map[string]any{member: map[string]any{name: server}})
}

func indented(value any) string {
	text, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		panic(err) // it is of maps and texts alone
	}
	return string(text)
}

// cursor and vscode are links that these programs open, and ask their user before they do what is
// in them.
func cursor(name string, server any) template.URL {
	text, err := json.Marshal(server)
	if err != nil {
		panic(err)
	}
	query := url.Values{"name": {name}, "config": {base64.StdEncoding.EncodeToString(text)}}
	return template.URL("cursor://anysphere.cursor-deeplink/mcp/install?" + query.Encode())
}

func vscode(name, at string) template.URL {
	text, err := json.Marshal(map[string]string{"name": name, "type": "http", "url": at})
	if err != nil {
		panic(err)
	}
	return template.URL("vscode:mcp/install?" + url.PathEscape(string(text)))
}

// Programs ask by POST /ask. DESK stands for the address.
var examples = []struct{ id, name, code string }{
	{"curl", "curl", `curl DESK/ask -H 'Content-Type: application/json' \
  -d '{"query": {"text": "what is new?", "limit": 3}}'`},
	{"typescript", "TypeScript", `const response = await fetch("DESK/ask", {
  method: "POST",
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify({ query: { text: "what is new?", limit: 3 } }),
});
const answer = await response.json();
for (const item of answer.results ?? []) console.log(item.name, item.url);`},
	{"python", "Python", `import json, urllib.request

question = json.dumps({"query": {"text": "what is new?", "limit": 3}}).encode()
request = urllib.request.Request("DESK/ask", question, {"Content-Type": "application/json"})
for item in json.load(urllib.request.urlopen(request)).get("results", []):
    print(item["name"], item.get("url"))`},
	{"go", "Go", `package main

import (
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"strings"
)

func main() {
	question := strings.NewReader(` + "`" + `{"query": {"text": "what is new?", "limit": 3}}` + "`" + `)
	response, err := http.Post("DESK/ask", "application/json", question)
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	var answer struct{ Results []struct{ Name, URL string } }
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		log.Fatal(err)
	}
	for _, item := range answer.Results {
		fmt.Println(item.Name, item.URL)
	}
}`},
}

func programs(address string) []Recipe {
	var all []Recipe
	for _, e := range examples {
		code := strings.ReplaceAll(e.code, "DESK", address)
		all = append(all, Recipe{ID: e.id, Name: e.name, Code: code, Program: true})
	}
	return all
}

// slug is a name that every client takes: letters and digits of ASCII, and dashes.
func slug(name string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(name) {
		switch {
		case r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r)):
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	if s := strings.Trim(b.String(), "-"); s != "" {
		return s[:min(len(s), 40)]
	}
	return "frontdesk"
}
