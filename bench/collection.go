package main

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"frontdesk/internal/cli/eval"
)

// item is one document as every engine gets it.
type item struct {
	URL, Title, Keys, Body string
}

// collection is a judged collection: items.jsonl.gz, queries.tsv and qrels.txt of one folder.
type collection struct {
	Name    string
	Items   []item
	Queries []eval.Query
	Qrels   eval.Qrels
}

func loadCollection(dir string) (*collection, error) {
	c := &collection{Name: filepath.Base(dir)}
	if err := c.loadItems(filepath.Join(dir, "items.jsonl.gz")); err != nil {
		return nil, err
	}
	err := withFile(filepath.Join(dir, "queries.tsv"), func(f *os.File) (err error) {
		c.Queries, err = eval.ReadQueries(f)
		return err
	})
	if err != nil {
		return nil, err
	}
	err = withFile(filepath.Join(dir, "qrels.txt"), func(f *os.File) (err error) {
		c.Qrels, err = eval.ReadQrels(f)
		return err
	})
	return c, err
}

func withFile(path string, fn func(*os.File) error) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return fn(f)
}

func (c *collection) loadItems(path string) error {
	return withFile(path, func(f *os.File) error {
		unzipped, err := gzip.NewReader(f)
		if err != nil {
			return err
		}
		lines := bufio.NewScanner(unzipped)
		lines.Buffer(nil, 16<<20)
		for lines.Scan() {
			var object map[string]any
			if err := json.Unmarshal(lines.Bytes(), &object); err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
			c.Items = append(c.Items, item{
				URL:   text(object["url"]),
				Title: text(object["name"], object["headline"]),
				Keys: text(object["brand"], object["color"], object["category"], object["author"], object["keywords"],
					object["sku"]),
				Body: text(object["description"], object["abstract"], object["articleBody"], object["text"]),
			})
		}
		return lines.Err()
	})
}

// text joins the words of property values: strings, names of objects, and lists of either.
func text(values ...any) string {
	var words []string
	for _, value := range values {
		switch v := value.(type) {
		case string:
			words = append(words, v)
		case map[string]any:
			words = append(words, text(v["name"]))
		case []any:
			words = append(words, text(v...))
		}
	}
	return strings.TrimSpace(strings.Join(words, "\n"))
}

// passages cuts a long body at line and sentence ends into pieces of about 80 to 200 words, as
// ingest does.
func passages(body string) []string {
	if len(strings.Fields(body)) <= 200 {
		if body == "" {
			return nil
		}
		return []string{body}
	}
	var out []string
	var current strings.Builder
	words := 0
	flush := func() {
		if words > 0 {
			out = append(out, current.String())
			current.Reset()
			words = 0
		}
	}
	for line := range strings.Lines(body) {
		for _, sentence := range strings.SplitAfter(line, ". ") {
			n := len(strings.Fields(sentence))
			if words > 0 && words+n > 200 {
				flush()
			}
			current.WriteString(sentence)
			words += n
			if words >= 140 {
				flush()
			}
		}
	}
	flush()
	return out
}
