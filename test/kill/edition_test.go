package kill

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// edition is one state of a generated content set. Every item of it carries the edition's name in
// its name, its description and every sentence of its body, so that a catalog that mixes two
// editions shows.
type edition struct {
	name  string
	items int // how many items, numbered from 0: a smaller edition lacks the last ones
	files int // over how many files they are spread
}

// sentences is how many sentences an item's body has: enough for several passages.
const sentences = 24

// write lays the edition out in dir as files of JSON lines, in place of what was there.
func (e edition) write(t *testing.T, dir string) {
	t.Helper()
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for n := range e.files {
		if err := e.writeFile(filepath.Join(dir, fmt.Sprintf("part-%02d.jsonl", n)), n); err != nil {
			t.Fatal(err)
		}
	}
}

// writeFile writes the items whose number leaves n when divided by the number of files.
func (e edition) writeFile(path string, n int) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer file.Close()
	lines := bufio.NewWriter(file)
	encoder := json.NewEncoder(lines)
	for i := n; i < e.items; i += e.files {
		if err := encoder.Encode(e.item(i)); err != nil {
			return err
		}
	}
	if err := lines.Flush(); err != nil {
		return err
	}
	return file.Close()
}

func (e edition) item(i int) map[string]any {
	var body strings.Builder
	for s := range sentences {
		fmt.Fprintf(&body, "Sentence %d of item %d tells of edition %s and of nothing else that matters here. ",
			s, i, e.name)
	}
	return map[string]any{
		"@context":    "https://schema.org",
		"@type":       "Article",
		"url":         itemURL(i),
		"name":        fmt.Sprintf("Item %d in edition %s", i, e.name),
		"description": fmt.Sprintf("What edition %s says about item %d.", e.name, i),
		"articleBody": body.String(),
	}
}

func itemURL(i int) string { return fmt.Sprintf("https://kill.example/items/%d", i) }
