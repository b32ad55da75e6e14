package frozen

import (
	"database/sql"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	_ "github.com/ncruces/go-sqlite3/driver" // SQLite for database/sql

	"frontdesk/internal/testkit/process"
)

// full starts a server of the full sample.
func full(t *testing.T, command, data string, more ...string) *process.Server {
	return process.Start(t, append([]string{command, "--config", "testdata/full.yaml", "--data", data,
		"--log-level", "info", "--set", "log.format=text"}, more...)...)
}

// TestServe holds what a server shows: openapi.json, MCP tools, routes, metrics and its new
// database.
func TestServe(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	s := full(t, "serve", data)

	_, description := ask(t, "GET", s.URL+"/openapi.json", "", nil)
	masked := regexp.MustCompile(`("version":\s*)"[^"]*"`).ReplaceAllString(description, `$1"VERSION"`)
	golden(t, "openapi.golden", indented(t, []byte(masked)))
	answer, tools := ask(t, "POST", s.URL+"/mcp", `{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}`, nil)
	if answer.StatusCode != http.StatusOK || !strings.Contains(tools, `"tools"`) {
		t.Fatalf("tools/list: %s\n%s", answer.Status, tools)
	}
	if _, after, streamed := strings.Cut(tools, "data: "); streamed {
		tools, _, _ = strings.Cut(after, "\n")
	}
	golden(t, "mcp-tools.golden", indented(t, []byte(tools)))
	key := strings.TrimSpace(process.MustRun(t, "keys", "issue", "api", "operator", "--door", "admin,reports",
		"--config", "testdata/full.yaml", "--data", data))
	operator := func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+key) }
	golden(t, "routes-serve.golden", routes(t, s.URL, description, "testdata/routes-serve.golden", operator))
	golden(t, "metrics.golden", metrics(t, s))
	edge := full(t, "edge", t.TempDir(), "--set", "edge.exchange="+s.URL,
		"--set", "edge.refusals=", "--set", "edge.manifests=")
	site := func(r *http.Request) { r.Host = "www.example.com" }
	golden(t, "routes-edge.golden", routes(t, edge.URL, description, "testdata/routes-edge.golden", nil))
	golden(t, "routes-edge-site.golden", routes(t, edge.URL, description, "testdata/routes-edge-site.golden", site))
	edge.End(t)
	s.End(t)
	golden(t, "schema.golden",
		schema(t, filepath.Join(data, "frontdesk.db"))+schema(t, filepath.Join(data, "vault.db")))
}

// TestBroker holds the routes of a Broker alone.
func TestBroker(t *testing.T) {
	t.Parallel()
	s := full(t, "broker", t.TempDir())
	golden(t, "routes-broker.golden", routes(t, s.URL, "", "testdata/routes-broker.golden", nil))
}

// client follows no redirect.
var client = &http.Client{
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// ask sends a request that a function may change before, and reads the answer.
func ask(t *testing.T, method, address, body string, set func(*http.Request)) (*http.Response, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json, text/event-stream")
	if set != nil {
		set(request)
	}
	answer, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer, string(text)
}

var (
	pathLiteral = regexp.MustCompile("[\"`](?:[A-Z]+ )?(/[A-Za-z0-9._/{}$~-]*)[\"`]")
	wildcard    = regexp.MustCompile(`\{[^}]*\}`)
)

// routes says at which addresses a server takes which methods. It tries each path that
// openapi.json, the source or the golden names, and the folders above it, with a method that no
// address has: the answer lists the methods of the address (Allow). Where it does not, the statuses
// of the usual methods tell, if they are others than those of an address with nothing.
func routes(t *testing.T, server, description, known string, set func(*http.Request)) string {
	paths := map[string]bool{}
	add := func(path string) {
		if strings.Contains(path, "//") || strings.Contains(path+"/", "/./") || strings.Contains(path, "/..") {
			return
		}
		path = wildcard.ReplaceAllString(strings.ReplaceAll(path, "{$}", ""), "frozen")
		paths[path] = true
		for at, r := range path {
			if r == '/' { // what holds the path, as a page and as a folder, and another page of that folder
				paths[path[:max(at, 1)]], paths[path[:at+1]], paths[path[:at+1]+"frozen"] = true, true, true
			}
		}
	}
	add("/.well-known/oauth-protected-resource/ask") // which is put together of parts
	sources(t, func(text string) {
		for _, found := range pathLiteral.FindAllStringSubmatch(text, -1) {
			add(found[1])
		}
	})
	for _, found := range pathLiteral.FindAllStringSubmatch(description, -1) {
		add(found[1])
	}
	if before, err := os.ReadFile(known); err == nil {
		for line := range strings.Lines(string(before)) {
			path, _, _ := strings.Cut(line, "  ")
			add(path)
		}
	}
	methods := func(path string) string {
		answer, _ := ask(t, "FROZEN", server+path, "", set)
		if allow := answer.Header.Get("Allow"); allow != "" {
			return allow
		}
		line := fmt.Sprintf("other %d", answer.StatusCode)
		for _, method := range []string{"GET", "POST", "PUT", "PATCH", "DELETE"} {
			answer, _ := ask(t, method, server+path, "", set)
			line += fmt.Sprintf(", %s %d", method, answer.StatusCode)
		}
		return line
	}
	shown, nothing := map[string]bool{}, methods("/there-is-nothing")
	for path := range paths {
		line := methods(path)
		if line != nothing { // once more: an edge answers otherwise once it has its policy
			nothing, line = methods("/there-is-nothing"), methods(path)
		}
		if line != nothing {
			shown[path+"  "+line] = true
		}
	}
	return sorted(shown)
}

// metricName is how the source names a metric: in a description of Prometheus, in a call of package
// metrics, or in the edge's table.
var metricName = regexp.MustCompile(`(?s)(?:metrics\.(?:Counter|Gauge|Histogram|Func)\([\w.]+,\s*|NewDesc\()` +
	`"(?:frontdesk_)?([a-z_]+)"|\{"(edge_[a-z_]+)", "[A-Z]`)

// metrics lists type and meaning of the metrics that a server shows, and then all names in the
// source: a metric without a value is not shown.
func metrics(t *testing.T, s *process.Server) string {
	found := regexp.MustCompile(`msg=metrics address=(\S+)`).FindStringSubmatch(s.Log())
	if found == nil {
		t.Fatalf("no address of metrics in the log:\n%s", s.Log())
	}
	var text string
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !strings.Contains(text, "frontdesk_ingest_items{") { // until the content is read
		select {
		case <-t.Context().Done():
			t.Fatal("the content of the sample was not read")
		case <-tick.C:
			_, text = ask(t, "GET", "http://"+found[1]+"/metrics", "", nil)
		}
	}
	var lines []string
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "# ") && strings.Contains(line, " frontdesk_") {
			lines = append(lines, line)
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "") + "\nNames in the source:\n" + named(t, metricName)
}

// schema lists what a database declares.
func schema(t *testing.T, file string) string {
	t.Helper()
	db, err := sql.Open("sqlite3", "file:"+file)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	rows, err := db.Query(`SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY type, name`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	out := "-- " + filepath.Base(file) + "\n"
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			t.Fatal(err)
		}
		out += text + ";\n"
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}
