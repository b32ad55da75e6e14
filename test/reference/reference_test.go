// Package reference makes the pages of docs/reference and docs/configuration.md of what the program
// itself knows: the comments on its configuration, its commands, openapi.json, its errors and its
// metrics. `go generate ./docs` writes them; the test holds them to the program.
package reference

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "write the pages anew")

// docs is the documentation; names of pages are paths below it.
const docs = "../../docs"

// maxCell is how many words a cell of a page of reference may have.
const maxCell = 40

// TestPagesAreCurrent holds the pages at what the program says, and writes them with -update.
func TestPagesAreCurrent(t *testing.T) {
	t.Parallel()
	want := map[string]string{}
	for _, pages := range []map[string]string{configuration(t), commands(t), addresses(t), failures(t), figures(t)} {
		maps.Copy(want, pages)
	}
	there, err := filepath.Glob(filepath.Join(docs, "reference", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range there {
		if name := "reference/" + filepath.Base(file); want[name] == "" {
			if *update {
				err = os.Remove(file)
			}
			if err != nil || !*update {
				t.Errorf("docs/%s is no page of the reference: %v", name, err)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		file := filepath.Join(docs, filepath.FromSlash(name))
		if *update {
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(want[name]), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		have, err := os.ReadFile(file)
		if diff := cmp.Diff(want[name], string(have)); err != nil || diff != "" {
			t.Errorf("docs/%s is not current; run `go generate ./docs`: %v\n%s", name, err, diff)
		}
	}
}

// page is a text of testdata/texts.txtar with what is put in the place of its words: "title" is
// followed by what stands for {title}.
func page(t *testing.T, name string, words ...string) string {
	t.Helper()
	text, found := parts(t, "texts.txtar")[name]
	if !found {
		t.Fatalf("testdata/texts.txtar has no %s", name)
	}
	pairs := []string{"{made}", "<!-- Made by `go generate ./docs`. -->"}
	for i := 0; i+1 < len(words); i += 2 {
		if !strings.Contains(text, "{"+words[i]+"}") {
			t.Errorf("%s has no place for %s", name, words[i])
		}
		pairs = append(pairs, "{"+words[i]+"}", strings.TrimSpace(words[i+1]))
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// parts are the files in a file of testdata.
func parts(t *testing.T, name string) map[string]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, file := range txtar.Parse(text).Files {
		found[file.Name] = string(file.Data)
	}
	return found
}

// table writes a table. A cell of the last column that is too long ends after a sentence: the rest
// stands below the table, after the row's first cell.
func table(columns []string, rows [][]string) string {
	var b, below strings.Builder
	line := func(cells []string) { fmt.Fprintf(&b, "| %s |\n", strings.Join(cells, " | ")) }
	line(columns)
	line(slices.Repeat([]string{"---"}, len(columns)))
	for _, row := range rows {
		row = slices.Clone(row)
		last := len(row) - 1
		cell, rest := cut(row[last])
		row[last] = cell
		for i := range row {
			row[i] = strings.ReplaceAll(row[i], "|", `\|`)
		}
		line(row)
		if rest != "" {
			fmt.Fprintf(&below, "\n%s: %s\n", row[0], rest)
		}
	}
	return b.String() + below.String()
}

// cut divides a text after the last sentence that ends within maxCell words.
func cut(text string) (cell, rest string) {
	words := strings.Fields(text)
	if len(words) <= maxCell {
		return text, ""
	}
	for n := maxCell; n > 0; n-- {
		if strings.HasSuffix(words[n-1], ".") && !strings.HasSuffix(words[n-1], "..") {
			return strings.Join(words[:n], " "), strings.Join(words[n:], " ")
		}
	}
	return text, ""
}

func TestALongCellGoesOnBelow(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("word ", 30) + "end. " + strings.Repeat("more ", 20) + "rest."
	got := table([]string{"key", "meaning"}, [][]string{{"`a`", "Short."}, {"`b`", long}})
	if !strings.Contains(got, "end. |\n\n`b`: more ") || !strings.Contains(got, "| `a` | Short. |\n") {
		t.Errorf("the table:\n%s", got)
	}
}
