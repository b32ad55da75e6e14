package app

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"frontdesk/internal/testkit/storetest"
)

func TestSourcesAreReadAndOneThatFailsDoesNotStopTheNext(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for name, text := range map[string]string{
		"good/soup.json":  `[{"@type":"Recipe","url":"https://example.com/carrots","name":"Carrot soup"},{"@type":]`,
		"empty/none.json": `[]`,
	} {
		if err := os.MkdirAll(filepath.Join(folder, filepath.Dir(name)), 0o755); err != nil {
			t.Fatal(err)
		}
		write(t, folder, name, text)
	}
	s, log := open(t, "sources: [{path: "+folder+"/empty}, {path: "+folder+"/nowhere, name: gone}, {path: "+
		folder+"/good}]")
	s.Watch(t.Context(), s.config.AllSources(), Watching{Log: s.log, Done: s.ingested})
	for source, want := range map[string]string{"empty": runRefused, "gone": runRefused, "good": runPublished} {
		if got := testutil.ToFloat64(s.figures.runs.WithLabelValues(DefaultSite, source, want)); got != 1 {
			t.Errorf("%s: %v runs %s\n%s", source, got, want, log)
		}
	}
	if items := testutil.ToFloat64(s.figures.items.WithLabelValues(DefaultSite, "good")); items != 1 {
		t.Errorf("%v items", items)
	}
	if skipped := testutil.ToFloat64(s.figures.skipped.WithLabelValues(DefaultSite, "good")); skipped == 0 {
		t.Error("nothing is said to be skipped")
	}
	if err := s.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	if w := send(s, asking("carrot soup")); !strings.Contains(w.Body.String(), "https://example.com/carrots") {
		t.Errorf("%s", w.Body)
	}
}

func TestServerIsNotReadyBeforeItsFirstContentIsRead(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	write(t, folder, "soup.json", `{"@type":"Recipe","url":"https://example.com/carrots","name":"Carrot soup"}`)
	file := write(t, folder, "frontdesk.yaml", "sources: [{path: soup.json}]")
	loaded, err := Load(Layers{File: file, Flags: map[string]string{
		"listen": "127.0.0.1:0", "metrics.listen": "off", "keys": t.TempDir(),
		"store": storetest.NewSQLite(t, tables...),
	}})
	if err != nil {
		t.Fatal(err)
	}
	s, err := Build(t.Context(), Options{Loaded: loaded})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	run(t, s)
	for {
		w := send(s, asking("carrot soup"))
		if w.Code == 200 {
			if !strings.Contains(w.Body.String(), "https://example.com/carrots") {
				t.Errorf("an answer before there is content: %s", w.Body)
			}
			return
		}
		if w.Code != 503 || w.Header().Get("Retry-After") == "" {
			t.Fatalf("%d %v %s", w.Code, w.Header(), w.Body)
		}
		if ready := send(s, httptest.NewRequest("GET", "/readyz", nil)); ready.Code == 200 && s.Corpus.Items() == 0 {
			t.Fatal("ready without content")
		}
	}
}
