// Package docs holds the documentation against the program: links lead somewhere, commands and
// flags exist, samples of the configuration are right, the questions shown are answered.
package docs

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"frontdesk/internal/testkit/process"
)

func TestMain(m *testing.M) { process.Main(m) }

// page is one page of the documentation.
type page struct {
	path string // from the root of the tree
	text string
}

func pages(t *testing.T) []page {
	t.Helper()
	root, err := process.Root()
	if err != nil {
		t.Fatal(err)
	}
	var found []page
	for _, pattern := range []string{"*.md", "docs/*.md", "test/*/*.md", "bench/*.md"} {
		names, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			path, err := filepath.Rel(root, name)
			if err != nil {
				t.Fatal(err)
			}
			found = append(found, page{path, string(text)})
		}
	}
	if len(found) < 5 {
		t.Fatalf("only %d pages found", len(found))
	}
	return found
}

var link = regexp.MustCompile(`\]\(([^)\s]+)\)`)

// missing lists the links of a page that lead to no file of the tree.
func (p page) missing(exists func(path string) bool) []string {
	var missing []string
	for _, found := range link.FindAllStringSubmatch(p.text, -1) {
		target, _, _ := strings.Cut(found[1], "#")
		if target == "" || strings.Contains(target, "://") {
			continue
		}
		if target = filepath.Join(filepath.Dir(p.path), target); !exists(target) {
			missing = append(missing, fmt.Sprintf("%s links to %s, which is not there", p.path, target))
		}
	}
	return missing
}

func TestLinksLeadSomewhere(t *testing.T) {
	t.Parallel()
	root, err := process.Root()
	if err != nil {
		t.Fatal(err)
	}
	exists := func(path string) bool {
		_, err := os.Stat(filepath.Join(root, path))
		return err == nil
	}
	for _, p := range pages(t) {
		for _, fault := range p.missing(exists) {
			t.Error(fault)
		}
	}
	bad := page{"docs/a.md", "[there](b.md#part) [not there](c.md) [web](https://site.example/d.md)"}
	if got := bad.missing(func(path string) bool { return path == "docs/b.md" }); len(got) != 1 {
		t.Errorf("faults of a page with one dead link: %q", got)
	}
}

// TestSamplesOfTheConfigurationAreRight checks the samples that say by their first line that they
// are a whole file.
func TestSamplesOfTheConfigurationAreRight(t *testing.T) {
	t.Parallel()
	samples := 0
	for _, p := range pages(t) {
		for _, block := range fence.FindAllStringSubmatch(p.text, -1) {
			if !strings.HasPrefix(block[1], "# frontdesk.yaml\n") {
				continue
			}
			samples++
			file := filepath.Join(t.TempDir(), "frontdesk.yaml")
			if err := os.WriteFile(file, []byte(block[1]), 0o644); err != nil {
				t.Fatal(err)
			}
			if _, told, err := process.Run(t, "config", "check", file); err != nil {
				t.Errorf("%s shows a configuration that is refused: %v: %s\n%s", p.path, err, told, block[1])
			}
		}
	}
	if samples < 4 {
		t.Errorf("only %d samples", samples)
	}
}

var (
	fence   = regexp.MustCompile("(?ms)^```[a-z]*(?: tab)?\n(.*?)^```")
	command = regexp.MustCompile(`^(?:\./|go run \./cmd/)?frontdesk ([a-z]+(?: [a-z][a-z-]*){0,2})?(.*)`)
	flagged = regexp.MustCompile(`(?:^|\s)(--[a-z][a-z-]*)`)
)

// TestDocumentedCommandsExist asks the program for the help of every command that a page shows, and
// looks for the flags in it.
func TestDocumentedCommandsExist(t *testing.T) {
	t.Parallel()
	shown, known := 0, helps{}
	for _, p := range pages(t) {
		for _, block := range fence.FindAllStringSubmatch(p.text, -1) {
			for line := range strings.Lines(strings.ReplaceAll(block[1], "\\\n", " ")) {
				if found := command.FindStringSubmatch(strings.TrimSpace(line)); found != nil {
					shown++
					known.check(t, p.path, found[1], found[2])
				}
			}
		}
	}
	if shown < 10 {
		t.Errorf("only %d commands found in the pages", shown)
	}
}

// helps are the helps of commands, each of which many pages show; empty for what is no command.
type helps map[string]string

func (h helps) of(t *testing.T, words []string) string {
	t.Helper()
	name := strings.Join(words, " ")
	if _, known := h[name]; !known {
		help, _, err := process.Run(t, append(slices.Clone(words), "--help")...)
		if err != nil {
			help = ""
		}
		h[name] = help
	}
	return h[name]
}

func (h helps) check(t *testing.T, path, name, rest string) {
	t.Helper()
	rest, _, _ = strings.Cut(rest, "#")
	words := strings.Fields(name)
	help := h.of(t, words)
	for n := len(words) - 1; n > 0 && help == ""; n-- { // the last words may be arguments
		help = h.of(t, words[:n])
	}
	if help == "" {
		t.Errorf("%s shows `frontdesk %s`, which does not exist", path, name)
		return
	}
	for _, flag := range flagged.FindAllStringSubmatch(rest, -1) {
		if !strings.Contains(help, flag[1]) {
			t.Errorf("%s shows `frontdesk %s %s`, which has no such flag", path, name, flag[1])
		}
	}
}

var question = regexp.MustCompile(`(?s)curl [^\n]*?/ask[^']*'Content-Type: application/json'[^']*'(\{.*?\})'`)

// TestDocumentedQuestionsAreAnswered posts the questions of the pages to the demo. The page about
// questions back shows one that is answered by questions.
func TestDocumentedQuestionsAreAnswered(t *testing.T) {
	t.Parallel()
	server := process.Start(t, "demo", "--listen", "127.0.0.1:0", "--data", t.TempDir())
	asked := 0
	for _, p := range pages(t) {
		for _, found := range question.FindAllStringSubmatch(tab.ReplaceAllString(p.text, ""), -1) {
			asked++
			response, err := http.Post(server.URL+"/ask", "application/json", strings.NewReader(found[1]))
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(response.Body)
			response.Body.Close()
			want := `"results":[{`
			if strings.HasSuffix(p.path, "elicitation.md") && !strings.Contains(found[1], "session_context") {
				want = `"questions":[{`
			}
			if err != nil || !strings.Contains(string(body), want) {
				t.Errorf("%s asks %s, which is answered by status %d, %v: %.300s", p.path, found[1],
					response.StatusCode, err, body)
			}
		}
	}
	if asked == 0 {
		t.Error("no question found in the pages")
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
