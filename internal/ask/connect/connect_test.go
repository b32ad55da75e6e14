package connect

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os/exec"
	"strings"
	"testing"

	"frontdesk/internal/ask/i18n"
)

var larkfield = Desk{Address: "https://desk.example.com", Name: "Larkfield  Café & Co", MCP: true}

func recipe(t *testing.T, id string) Recipe {
	t.Helper()
	for _, r := range Recipes(larkfield) {
		if r.ID == id {
			return r
		}
	}
	t.Fatalf("there is no recipe %s", id)
	return Recipe{}
}

func TestFilesOfClientsNameTheAddress(t *testing.T) {
	t.Parallel()
	for id, member := range map[string]string{
		"claude-desktop": "mcpServers", "cursor": "mcpServers", "vscode": "servers",
	} {
		var file map[string]map[string]json.RawMessage
		if err := json.Unmarshal([]byte(recipe(t, id).Code), &file); err != nil {
			t.Errorf("%s: %v", id, err)
		}
		if server := string(file[member]["larkfield-caf-co"]); !strings.Contains(server, larkfield.Address+"/mcp") {
			t.Errorf("%s has %s", id, server)
		}
	}
}

func TestButtonsCarryTheAddress(t *testing.T) {
	t.Parallel()
	link, err := url.Parse(string(recipe(t, "cursor").Button))
	if err != nil {
		t.Fatal(err)
	}
	config, err := base64.StdEncoding.DecodeString(link.Query().Get("config"))
	want := `{"url":"https://desk.example.com/mcp"}`
	if err != nil || string(config) != want || link.Query().Get("name") != "larkfield-caf-co" {
		t.Errorf("%s: %s, %v", link, config, err)
	}
	_, escaped, _ := strings.Cut(string(recipe(t, "vscode").Button), "?")
	text, err := url.PathUnescape(escaped)
	var of struct{ Name, Type, URL string }
	if err == nil {
		err = json.Unmarshal([]byte(text), &of)
	}
	if err != nil || of.URL != larkfield.Address+"/mcp" || of.Type != "http" || of.Name != "larkfield-caf-co" {
		t.Errorf("%s: %+v, %v", text, of, err)
	}
}

func TestNamesDoForEveryClient(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"": "frontdesk", "日本語": "frontdesk", "A -- b": "a-b", "$(rm) x": "rm-x",
		strings.Repeat("a", 99): strings.Repeat("a", 40),
	} {
		if got := slug(name); got != want {
			t.Errorf("slug(%q) is %q, want %q", name, got, want)
		}
	}
}

func TestExamplesOfProgramsRun(t *testing.T) {
	t.Parallel()
	desk := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		kind := r.Header.Get("Content-Type")
		if r.Method != "POST" || r.URL.Path != "/ask" || kind != "application/json" || !json.Valid(body) {
			http.Error(w, "no question", http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, `{"results": [{"name": "Tea", "url": "https://a.example/tea"}]}`)
	}))
	t.Cleanup(desk.Close)
	programs := map[string][]string{
		"curl": {"sh", "-c"}, "python": {"python3", "-c"}, "typescript": {"node", "--input-type=module", "-e"},
	}
	for _, r := range Recipes(Desk{Address: desk.URL}) {
		run := programs[r.ID]
		if run == nil {
			continue // Go, which takes long to compile
		}
		t.Run(r.ID, func(t *testing.T) {
			if _, err := exec.LookPath(run[0]); err != nil {
				t.Skip(err)
			}
			out, err := exec.Command(run[0], append(run[1:], r.Code)...).CombinedOutput()
			if err != nil || !strings.Contains(string(out), "Tea") {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

func TestPageSpeaksTheReadersLanguageAndLetsNothingIn(t *testing.T) {
	t.Parallel()
	for _, language := range i18n.Languages {
		r := httptest.NewRequest("GET", Path, nil)
		r.Header.Set("Accept-Language", language)
		w := httptest.NewRecorder()
		public := func(*http.Request) string { return "http://127.0.0.1:8080/desk" }
		config := Config{Title: `<script>alert(1)</script>`, MCP: true, PublicURL: public}
		Handler(config).ServeHTTP(w, r)
		body := w.Body.String()
		say := i18n.For(language).Connect()
		for _, want := range []string{
			`lang="` + language + `"`, say["connect"], say["careful"], "http://127.0.0.1:8080/desk/mcp",
			`href="/desk/llms.txt"`, `href="cursor://`, `href="vscode:`,
		} {
			if !strings.Contains(body, want) {
				t.Errorf("in %s the page lacks %s", language, want)
			}
		}
		if strings.Contains(body, "<script") || strings.Contains(body, "ZgotmplZ") || strings.Contains(body, "%!") {
			t.Errorf("in %s: %s", language, body)
		}
		_, style, _ := strings.Cut(body, "<style>")
		style, _, _ = strings.Cut(style, "</style>")
		sum := sha256.Sum256([]byte(style))
		own := "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
		if csp := w.Header().Get("Content-Security-Policy"); !strings.HasPrefix(csp, own) {
			t.Errorf("the policy %q does not let the page's style sheet in", csp)
		}
	}
}

func TestWithoutMCPThereAreProgramsAlone(t *testing.T) {
	t.Parallel()
	for _, r := range Recipes(Desk{Address: "https://desk.example.com"}) {
		if !r.Program {
			t.Errorf("%s needs MCP", r.ID)
		}
	}
	if len(Recipes(larkfield)) < 12 {
		t.Error("recipes are missing")
	}
}
