package main

import (
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestEveryEngineFindsWhatIsJudged is the short form of the comparison: a small collection, in
// which each question has one answer, through every engine.
func TestEveryEngineFindsWhatIsJudged(t *testing.T) {
	c, err := loadCollection(smallCollection(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, make := range engines("") {
		e, err := make()
		if err != nil {
			t.Fatal(err)
		}
		r, err := measure(e, c, settings{passes: 1, keep: 50})
		if err != nil {
			t.Fatalf("%s: %v", e.Name(), err)
		}
		if r.figures.NDCG10 < 0.99 || r.median <= 0 || r.p99 < r.median {
			t.Errorf("%s: nDCG@10 %.3f, median %s, p99 %s", r.engine, r.figures.NDCG10, r.median, r.p99)
		}
		if err := e.Close(); err != nil {
			t.Errorf("%s: %v", r.engine, err)
		}
	}
}

func smallCollection(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	names := strings.Fields("amber birch cedar dunes ember fjord grove heath islet jetty knoll ledge marsh nook oasis")
	var items, queries, qrels strings.Builder
	for i, name := range names {
		url := fmt.Sprintf("https://site.example/%s", name)
		fmt.Fprintf(&items, `{"@type":"Product","url":%q,"name":"Lamp %s","description":"A lamp for the evening, number %d."}`+"\n", url, name, i)
		fmt.Fprintf(&queries, "%d\tlamp %s\n", i, name)
		fmt.Fprintf(&qrels, "%d 0 %s 3\n", i, url)
	}
	file, err := os.Create(filepath.Join(dir, "items.jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	zipped := gzip.NewWriter(file)
	if _, err := zipped.Write([]byte(items.String())); err != nil {
		t.Fatal(err)
	}
	if err := zipped.Close(); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"queries.tsv": queries.String(), "qrels.txt": qrels.String()} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
