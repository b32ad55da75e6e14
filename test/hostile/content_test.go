package hostile

import (
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"frontdesk/internal/testkit/process"
)

// The bounds of one run over hostile content: far above what the files below need, far below what
// they could make a careless reader take.
const (
	ingestMemory = 600 << 20
	ingestTime   = time.Minute
)

// hostileFiles are content that no well-meaning site has. Each lies beside one good file, whose
// item must be there after the run.
var hostileFiles = map[string]func(t *testing.T, dir string){
	"a bomb in gzip":             func(t *testing.T, dir string) { writeGzip(t, dir+"/bomb.jsonl.gz", 1<<10, "[") },
	"a bomb in gzip of one line": func(t *testing.T, dir string) { writeGzip(t, dir+"/bomb.jsonl.gz", 1<<10, " ") },
	"a bomb in gzip of blanks":   func(t *testing.T, dir string) { writeGzip(t, dir+"/bomb.jsonl.gz", 1<<10, "\n") },
	"gzip cut short": func(t *testing.T, dir string) {
		writeGzip(t, dir+"/cut.jsonl.gz", 1, "{}\n")
		if err := os.Truncate(dir+"/cut.jsonl.gz", 500); err != nil {
			t.Fatal(err)
		}
	},
	"gzip that is none":     writer("x.jsonl.gz", "this is no gzip"),
	"arrays 10,000 deep":    writer("x.json", strings.Repeat("[", 10_000)+strings.Repeat("]", 10_000)),
	"arrays a million deep": writer("x.json", strings.Repeat("[", 1_000_000)+strings.Repeat("]", 1_000_000)),
	"objects 100,000 deep":  writer("x.jsonl", strings.Repeat(`{"mainEntity":`, 100_000)+"{}"+strings.Repeat("}", 100_000)),
	"arrays never closed":   writer("x.json", strings.Repeat("[", 5_000_000)),
	"a string never closed": writer("x.json", `{"name": "`+strings.Repeat("a", 20_000_000)),
	"a line of 100 MB":      writer("x.jsonl", `{"@type":"Thing","url":"https://site.example/long","name":"`+strings.Repeat("long ", 20_000_000)+`"}`),
	"invalid UTF-8": writer("x.jsonl",
		"{\"@type\":\"Thing\",\"url\":\"https://site.example/\xff\",\"name\":\"\xc0\xaf\xff\"}\n"),
	"nul bytes":                writer("x.json", strings.Repeat("\x00", 1<<20)),
	"UTF-16":                   writer("x.json", "\xff\xfe{\x00}\x00"),
	"nothing":                  writer("x.json", ""),
	"numbers beyond floats":    writer("x.json", `{"@type":"Product","url":"https://site.example/n","name":"n","offers":{"price":1e999999999}}`),
	"a graph that is a circle": writer("x.json", `{"@graph":[{"@id":"#a","@type":"Thing","mainEntity":{"@id":"#b"}},{"@id":"#b","@type":"Thing","mainEntity":{"@id":"#a"},"isPartOf":{"@id":"#b"}}]}`),
	"a graph that grows": func(t *testing.T, dir string) {
		var graph strings.Builder
		for i := range 40 {
			fmt.Fprintf(&graph, `{"@id":"#%d","@type":"Article","url":"https://site.example/%d","name":"n%d","isPartOf":{"@id":"#%d"},"about":[{"@id":"#%d"},{"@id":"#%d"}]},`, i, i, i, i+1, i+1, i+1)
		}
		write(t, dir, "x.json", `{"@graph":[`+graph.String()+`{"@id":"#40","@type":"Thing","name":"end"}]}`)
	},
	"a million empty objects":   writer("x.json", "["+strings.Repeat("{},", 1_000_000)+"{}]"),
	"a million broken lines":    writer("x.jsonl", strings.Repeat("{\n", 1_000_000)),
	"HTML 100,000 deep":         writer("x.html", "<html><body>"+strings.Repeat("<div>", 100_000)+"text"),
	"HTML of attributes":        writer("x.html", "<html><body><p "+strings.Repeat("a=b ", 500_000)+">text"),
	"HTML of tables":            writer("x.html", "<html><body>"+strings.Repeat("<table><tr><td>", 3_000)+"text"),
	"HTML of broken formatting": writer("x.html", "<html><body>"+strings.Repeat("<b><i><a><p>", 5_000)+"text"),
	"HTML of JSON-LD blocks":    writer("x.html", "<html><body>"+strings.Repeat(`<script type="application/ld+json">{</script>`, 100_000)),
	"HTML of many main things": writer("x.html", "<html><body>"+strings.Repeat(`<script type="application/ld+json">{"@type":"Article","name":"a"}</script>`, 20_000)+
		"<main><p>"+strings.Repeat("A long text of many words. ", 50_000)+"</p></main>"),
	"HTML of microdata nesting": writer("x.html", "<html><body>"+strings.Repeat(`<div itemscope itemtype="https://schema.org/Thing" itemprop="about">`, 20_000)+"text"),
	"Markdown of brackets":      writer("x.md", strings.Repeat("[", 100_000)+strings.Repeat("](", 100_000)),
	"Markdown of quotes":        writer("x.md", strings.Repeat(">", 100_000)+" text"),
	"Markdown of emphasis":      writer("x.md", strings.Repeat("*a _b ", 100_000)),
	"Markdown of backticks":     writer("x.md", ticks(1_500)),
	"Markdown of list levels":   writer("x.md", strings.Repeat("- ", 5_000)+"text"),
	"front matter that laughs": writer("x.md",
		"---\na: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\n"+
			"d: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d]\n"+
			"f: &f [*e,*e,*e,*e,*e,*e,*e,*e,*e]\ng: &g [*f,*f,*f,*f,*f,*f,*f,*f,*f]\n"+
			"h: [*g,*g,*g,*g,*g,*g,*g,*g,*g]\ntitle: laugh\n---\ntext"),
	"front matter 10,000 deep": writer("x.md",
		"---\na: "+strings.Repeat("[", 10_000)+strings.Repeat("]", 10_000)+"\n---\ntext"),
	"front matter never closed": writer("x.md", "---\n"+strings.Repeat("a: b\n", 100_000)),
	"a named pipe":              func(t *testing.T, dir string) { must(t, syscall.Mkfifo(dir+"/x.json", 0o644)) },
	"a device":                  func(t *testing.T, dir string) { must(t, os.Symlink("/dev/zero", dir+"/x.json")) },
	"a link in a circle":        func(t *testing.T, dir string) { must(t, os.Symlink(dir, dir+"/again")) },
	"a link to nowhere": func(t *testing.T, dir string) {
		must(t, os.Symlink(dir+"/nowhere", dir+"/x.json"))
	},
	"a folder named like a file": func(t *testing.T, dir string) { must(t, os.Mkdir(dir+"/x.json", 0o755)) },
	"folders 200 deep": func(t *testing.T, dir string) {
		must(t, os.MkdirAll(dir+strings.Repeat("/d", 200), 0o755))
	},
	"a name that is no UTF-8":     writer("\xff\xfe.json", "{}"),
	"addresses of other schemes":  writer("x.json", `[{"@type":"Thing","url":"javascript:alert(1)","name":"a"},{"@type":"Thing","url":"file:///etc/passwd","name":"b"},{"@type":"Thing","url":"data:text/html,x","name":"c"}]`),
	"an address of a megabyte":    writer("x.json", `{"@type":"Thing","url":"https://site.example/`+strings.Repeat("a", 1<<20)+`","name":"a"}`),
	"a type list of 100,000":      writer("x.json", `{"@type":["Thing"`+strings.Repeat(`,"Recipe"`, 100_000)+`],"url":"https://site.example/t","name":"a"}`),
	"one word of 10 MB":           writer("x.md", "# Word\n\n"+strings.Repeat("a", 10_000_000)),
	"combining marks without end": writer("x.md", "# Marks\n\na"+strings.Repeat("\u0301", 1_000_000)),
}

// TestHostileContentNeverStopsARun ingests each hostile file beside a good one: the run ends in
// time, with bounded memory and the good item in the catalog, where it is found whatever else the
// file brought.
func TestHostileContentNeverStopsARun(t *testing.T) {
	t.Parallel()
	for name, lay := range hostileFiles {
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			dir, data := t.TempDir(), t.TempDir()
			write(t, dir, "good.json", `{"@type":"Recipe","url":"https://site.example/good","name":"Good soup","description":"A soup that is good."}`)
			lay(t, dir)
			usage := process.Measure(t, ingestTime, "ingest", "--data", data, dir)
			if usage.Err != nil {
				t.Fatalf("ingest: %v\n%s", usage.Err, usage.Output)
			}
			if usage.MaxRSS > ingestMemory {
				t.Errorf("the run took %d MiB of memory, want at most %d", usage.MaxRSS>>20, ingestMemory>>20)
			}
			list := process.MustRun(t, "content", "list", "--data", data)
			if !strings.Contains(list, "Good soup") {
				t.Errorf("the good item is not in the catalog; the run said:\n%s", usage.Output)
			}
			if strings.Count(list, "\n") == 2 && name != "nothing" {
				return // the good item alone: questions are asked of such a catalog once
			}
			if answer := process.MustRun(t, "ask", "--data", data, "good soup"); !strings.Contains(answer,
				"Good soup") {
				t.Errorf("the good item is not found beside these:\n%.2000s", list)
			}
		})
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
}

func writer(name, text string) func(*testing.T, string) {
	return func(t *testing.T, dir string) { write(t, dir, name, text) }
}

// writeGzip writes a file that unpacks to so many megabytes of a repeated text.
func writeGzip(t *testing.T, path string, megabytes int, text string) {
	t.Helper()
	file, err := os.Create(path)
	must(t, err)
	defer file.Close()
	z, err := gzip.NewWriterLevel(file, gzip.BestSpeed)
	must(t, err)
	block := strings.Repeat(text, 1<<20/len(text))
	for range megabytes {
		_, err := io.WriteString(z, block)
		must(t, err)
	}
	must(t, z.Close())
	must(t, file.Close())
}

// ticks is runs of backticks of every length, none of which closes another.
func ticks(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat("`", i) + " ")
	}
	return b.String()
}
