package server

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil"
)

func TestSourcesAreReadAndOneThatFailsDoesNotStopTheNext(t *testing.T) {
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
	s, log := open(t, "sources: [{path: "+folder+"/empty}, {path: "+folder+"/nowhere, name: gone}, {path: "+folder+"/good}]")
	s.readSources(t.Context())
	for source, want := range map[string]string{"empty": runRefused, "gone": runRefused, "good": runPublished} {
		if got := testutil.ToFloat64(s.metrics.runs.WithLabelValues(DefaultSite, source, want)); got != 1 {
			t.Errorf("%s: %v runs %s\n%s", source, got, want, log)
		}
	}
	if items := testutil.ToFloat64(s.metrics.items.WithLabelValues(DefaultSite, "good")); items != 1 {
		t.Errorf("%v items", items)
	}
	if skipped := testutil.ToFloat64(s.metrics.skipped.WithLabelValues(DefaultSite, "good")); skipped == 0 {
		t.Error("nothing is said to be skipped")
	}
	if err := s.Desk.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	if w := send(s, ask("carrot soup")); !strings.Contains(w.Body.String(), "https://example.com/carrots") {
		t.Errorf("%s", w.Body)
	}
}
