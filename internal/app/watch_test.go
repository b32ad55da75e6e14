package app

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"frontdesk/internal/content"
	"frontdesk/internal/content/ingest"
)

// newsSite serves a feed and counts who asks for it.
func newsSite(t *testing.T) (address string, asked *atomic.Int64) {
	asked = &atomic.Int64{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/feed.xml" {
			http.NotFound(w, r)
			return
		}
		asked.Add(1)
		w.Header().Set("Content-Type", "application/rss+xml")
		fmt.Fprint(w, `<rss version="2.0"><channel><title>News</title><item><title>Potatoes are in</title><link>https://news.example/1</link><description>From the field.</description></item></channel></rss>`)
	}))
	t.Cleanup(server.Close)
	return server.URL + "/feed.xml", asked
}

// watchOnce watches until all sources were tried.
func watchOnce(t *testing.T, s *App) (runs int) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var done atomic.Int64
	s.Watch(ctx, s.config.AllSources(), Watching{
		Log: s.log, Tried: cancel,
		Done: func(source ingest.SourceSettings, report ingest.Report, err error) {
			done.Add(1)
			s.ingested(source, report, err)
		},
	})
	return int(done.Load())
}

func TestSourceOfTheWebIsReadWhenItIsDueAndNotBefore(t *testing.T) {
	t.Parallel()
	address, asked := newsSite(t)
	s, log := open(t, "fetch: {interval: 0s}\nsources: [{name: news, url: '"+address+"', every: 1h}]")
	if runs := watchOnce(t, s); runs != 1 || asked.Load() != 1 {
		t.Fatalf("%d runs, asked %d times\n%s", runs, asked.Load(), log)
	}
	if runs := watchOnce(t, s); runs != 0 || asked.Load() != 1 {
		t.Errorf("a restart soon after: %d runs, asked %d times", runs, asked.Load())
	}
	long := content.Attempt{StartedAt: time.Now().Add(-61 * time.Minute)}
	if err := s.Catalog.RecordAttempt(t.Context(), content.SourceKey{Site: DefaultSite, Source: "news"},
		long); err != nil {
		t.Fatal(err)
	}
	if runs := watchOnce(t, s); runs != 1 || asked.Load() != 2 {
		t.Errorf("an hour later: %d runs, asked %d times", runs, asked.Load())
	}
}

// What came to its end is told and recorded, though the server was told to end in that moment.
func TestARunThatEndsWithTheServerCounts(t *testing.T) {
	t.Parallel()
	address, asked := newsSite(t)
	s, log := open(t, "fetch: {interval: 0s}\nsources: [{name: news, url: '"+address+"', every: 1h}]")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	told := 0
	s.Watch(ctx, s.config.AllSources(), Watching{
		Log: s.log,
		Options: ingest.Options{Progress: func(p ingest.Progress) {
			if p.Done {
				cancel()
			}
		}},
		Done: func(_ ingest.SourceSettings, report ingest.Report, err error) {
			told++
			if err != nil || report.Summary.Items != 1 {
				t.Errorf("told of %+v, %v", report.Summary, err)
			}
		},
	})
	if told != 1 {
		t.Errorf("the run was told of %d times\n%s", told, log)
	}
	if runs := watchOnce(t, s); runs != 0 || asked.Load() != 1 {
		t.Errorf("the next server reads it at once again: %d runs, asked %d times", runs, asked.Load())
	}
}

func TestSourceThatFailedIsTriedAgainSooner(t *testing.T) {
	t.Parallel()
	began := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	day := ingest.SourceSettings{URL: "https://x.example/", Every: 24 * time.Hour}
	minute := ingest.SourceSettings{URL: "https://x.example/", Every: time.Minute}
	for _, test := range []struct {
		source ingest.SourceSettings
		stands content.Source
		want   time.Time
	}{
		{day, content.Source{}, time.Time{}},
		{day, content.Source{Attempt: content.Attempt{StartedAt: began}}, began.Add(24 * time.Hour)},
		{day, content.Source{Attempt: content.Attempt{StartedAt: began}, LastError: "down"}, began.Add(tryAgain)},
		{minute, content.Source{Attempt: content.Attempt{StartedAt: began}, LastError: "down"}, began.Add(time.Minute)},
	} {
		if got := nextRun(test.source, test.stands); !got.Equal(test.want) {
			t.Errorf("%v after %+v: %v, want %v", test.source.Every, test.stands, got, test.want)
		}
	}
}

func TestSourcesTellHowTheyStand(t *testing.T) {
	t.Parallel()
	address, _ := newsSite(t)
	folder := t.TempDir()
	write(t, folder, "a.json", `[{"@type":"Recipe","url":"https://example.com/a","name":"Soup"},{"@type":"Recipe"},`)
	s, _ := open(t, "fetch: {interval: 0s}\nsources: [{name: files, path: "+folder+"}, {name: news, url: '"+address+
		"', every: 1h}, {name: gone, path: "+filepath.Join(folder, "nowhere")+"}]")
	if err := s.Catalog.RecordAttempt(t.Context(), content.SourceKey{Site: DefaultSite, Source: "old"},
		content.Attempt{StartedAt: time.Now(), Next: time.Now()}); err != nil {
		t.Fatal(err)
	}
	watchOnce(t, s)
	all, err := s.Sources(t.Context())
	if err != nil || len(all) != 5 {
		t.Fatalf("%+v, %v", all, err)
	}
	files, news, gone, old := all[0], all[1], all[2], all[3]
	if files.Items != 1 || files.Where != folder || files.Attempt == nil || files.Attempt.Skipped == 0 ||
		len(files.Attempt.Problems) == 0 || !files.NextRun.IsZero() || files.Error != "" {
		t.Errorf("files: %+v, %+v", files, files.Attempt)
	}
	if news.Items != 1 || news.Where != address || news.Attempt.Web == nil || news.Attempt.Web.Asked != 1 ||
		news.Attempt.Web.Kind != "feed" ||
		news.NextRun.Sub(news.Tried) != time.Hour || news.Summary.Added != 1 {
		t.Errorf("news: %+v, %+v", news, news.Attempt)
	}
	if gone.Error == "" || gone.Items != 0 || gone.Tried.IsZero() || !gone.Configured {
		t.Errorf("gone: %+v", gone)
	}
	if old.Name != "old" || old.Configured || !old.NextRun.IsZero() {
		t.Errorf("old: %+v", old)
	}
}

func TestAddressesMakeNames(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"https://www.example.com/": "example-com", "https://example.com/blog/feed.xml": "example-com-blog-feed",
		"https://example.com:8443/a?b=c": "example-com-a", "https://bücher.example/": "bücher-example",
	} {
		if got := (ingest.SourceSettings{URL: address}).MadeName(); got != want {
			t.Errorf("%s: %s, want %s", address, got, want)
		}
	}
	config := Config{Site: Site{URL: "https://www.example.com"},
		Sources: []ingest.SourceSettings{{URL: "https://a.example/"}, {Path: "x"}}}
	all := config.AllSources()
	if all[0].Every != ingest.OnceADay || all[0].Base != "" || all[1].Every != 0 ||
		all[1].Base != "https://www.example.com" {
		t.Errorf("%+v", all)
	}
}

func TestSourcesThatMissAPrivateNetworkSayWhatToDo(t *testing.T) {
	t.Parallel()
	s, _ := open(t, "fetch: {interval: 0s}\nsources: [{name: inner, url: 'https://10.1.2.3/'}]")
	watchOnce(t, s)
	all, err := s.Sources(t.Context())
	if err != nil || len(all) != 2 || !strings.Contains(all[0].Error, "fetch.allow") {
		t.Errorf("%+v, %v", all, err)
	}
}
