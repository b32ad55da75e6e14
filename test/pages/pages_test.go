// Package pages holds that a site's pages are found: a thousand made-up pages, as many programs and
// people write them, in many languages and encodings, many of them with faults, are read by the
// built frontdesk and asked for by name.
package pages

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"

	"frontdesk/internal/testkit/process"
)

func TestMain(m *testing.M) { process.Main(m) }

const (
	count     = 1000
	base      = "https://pages.example/"
	leastWell = 985 // pages that must be found, and those whose description must be their own words
)

func TestPagesAreFoundByNameAndDescribedInTheirOwnWords(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: reads a thousand pages with the real program")
	}
	source, data := t.TempDir(), t.TempDir()
	pages := makePages()
	for _, p := range pages {
		write(t, source, p)
	}
	usage := process.Measure(t, 5*time.Minute, "ingest", "--data", data, "--base", base, "--problems", "20", source)
	if usage.Err != nil {
		t.Fatalf("ingest: %v\n%s", usage.Err, usage.Output)
	}
	t.Logf("read in %s\n%s", usage.Time, usage.Output)
	server := process.Start(t, "serve", "--listen", "127.0.0.1:0", "--metrics-listen", "off", "--data", data)
	found, described := 0, 0
	missed := map[string]int{}
	for _, p := range pages {
		results := ask(t, server, p.name)
		rank := slices.IndexFunc(results, func(r result) bool { return r.URL == p.url })
		switch {
		case rank < 0 || rank > 2:
			missed[p.layout.name+", "+p.tag]++
			if len(missed) <= 40 {
				t.Logf("%s (%s, %s, declared %v): %q of %s is at place %d of %v", p.file, p.layout.name, p.charset,
					p.declared, p.name, p.url, rank+1, names(results[:min(4, len(results))]))
			}
			continue
		case !ownWords(p, results[rank].Description):
			t.Logf("%s (%s, %s): described as %q", p.file, p.layout.name, p.tag, results[rank].Description)
		default:
			described++
		}
		found++
	}
	t.Logf("%d of %d found, %d described in their own words; missed: %v", found, len(pages), described, missed)
	if found < leastWell || described < leastWell {
		t.Errorf("found %d and well described %d of %d pages, want %d", found, described, len(pages), leastWell)
	}
}

// A page that is not there is not found, so that finding one means something.
func TestPagesThatAreNotThereAreNotFound(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: runs the real program")
	}
	source, data := t.TempDir(), t.TempDir()
	pages := makePages()[:60]
	for _, p := range pages {
		if p.number%2 == 0 {
			write(t, source, p)
		}
	}
	process.MustRun(t, "ingest", "--data", data, "--base", base, source)
	server := process.Start(t, "serve", "--listen", "127.0.0.1:0", "--metrics-listen", "off", "--data", data)
	for _, p := range pages {
		there := slices.ContainsFunc(ask(t, server, p.name), func(r result) bool { return r.URL == p.url })
		if there != (p.number%2 == 0) {
			t.Errorf("%s: found %v", p.file, there)
		}
	}
}

// ownWords says whether a description begins with words that the page says itself, and holds
// nothing of what stands around its text.
func ownWords(p *page, description string) bool {
	opening := []rune(squeeze(strings.TrimSuffix(description, "…")))
	if len(opening) < 10 || strings.Contains(description, p.cookies[:20]) || strings.Contains(description, p.comment) {
		return false
	}
	return strings.Contains(squeeze(p.own()), string(opening[:min(len(opening), 40)]))
}

// squeeze drops what is no letter or digit.
func squeeze(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, s)
}

type result struct{ URL, Name, Description string }

func names(results []result) []string {
	var all []string
	for _, r := range results {
		all = append(all, r.Name+" <"+strings.TrimPrefix(r.URL, base)+">")
	}
	return all
}

func ask(t *testing.T, server *process.Server, question string) []result {
	t.Helper()
	body, err := json.Marshal(map[string]any{"query": map[string]any{"text": question}})
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.Post(server.URL+"/ask", "application/json", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	raw, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	var answer struct{ Results []result }
	if err := json.Unmarshal(raw, &answer); err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("status %d, %v: %.300s", response.StatusCode, err, raw)
	}
	return answer.Results
}

// makePages makes the pages, the same each time: all languages and all layouts, in all combinations
// that a thousand pages have room for. No two have one name.
func makePages() []*page {
	random := rand.New(rand.NewPCG(7, 9))
	taken := map[string]bool{}
	var pages []*page
	for i := range count {
		p := &page{tongue: &tongues[i%len(tongues)], number: i, layout: layouts[(i/3+i/len(tongues))%len(layouts)],
			random: random, declared: true}
		for p.name == "" || taken[p.name] {
			p.name = p.fill(pick(random, p.tongue.name))
		}
		taken[p.name] = true
		p.site = p.menu[2] + " " + p.p[(i/len(tongues))%2]
		p.description = p.fill(p.say[i%len(p.say)]) + " " + p.fill(p.say[(i+3)%len(p.say)])
		for len(p.text) < 5 {
			p.text = append(p.text,
				p.fill(pick(random, p.say))+" "+p.fill(pick(random, p.say))+" "+p.fill(pick(random, p.say)))
		}
		for len(p.steps) < 4 {
			p.steps = append(p.steps, p.fill(pick(random, p.say)))
		}
		p.file = fmt.Sprintf("%s/%03d.html", p.tag, i)
		p.url = base + p.file
		pages = append(pages, p)
	}
	for i, p := range pages {
		for j := range 6 {
			p.others = append(p.others, pages[(i+(j+1)*len(tongues))%count].name)
		}
		if kinds := p.charsets; len(kinds) > 0 && i%3 == 0 && p.layout.name != "AMP" {
			p.charset = kinds[(i/3)%len(kinds)]
			p.declared = i%4 != 0 || p.layout.name == "XHTML"
		}
	}
	return pages
}

func pick(random *rand.Rand, from []string) string { return from[random.IntN(len(from))] }

func (p *page) fill(pattern string) string {
	return strings.NewReplacer("{a}", pick(p.random, p.a), "{n}", pick(p.random, p.n), "{p}",
		pick(p.random, p.p)).Replace(pattern)
}

// write writes a page's file in its encoding. What the encoding lacks is written as references.
func write(t *testing.T, dir string, p *page) {
	t.Helper()
	text := []byte(p.layout.write(p))
	if p.charset != "" {
		encoding, _ := charset.Lookup(p.charset)
		if encoding == nil {
			t.Fatalf("no encoding %q", p.charset)
		}
		encoded, err := escaping(encoding).Bytes(text)
		if err != nil {
			t.Fatalf("%s in %s: %v", p.file, p.charset, err)
		}
		text = encoded
	}
	name := filepath.Join(dir, filepath.FromSlash(p.file))
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, text, 0o644); err != nil {
		t.Fatal(err)
	}
}

func escaping(e encoding.Encoding) *encoding.Encoder {
	return encoding.HTMLEscapeUnsupported(e.NewEncoder())
}
