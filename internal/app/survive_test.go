package app

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"frontdesk/internal/infra/store/backup"
	"frontdesk/internal/ledger"
	"frontdesk/internal/operator"
	"frontdesk/internal/testkit/storetest"
)

// TestWhatTheOwnerSaysSurvives has tuning and the treatment of an agent hold on another node, after
// a restart, and in a database of either engine into which a backup was put.
func TestWhatTheOwnerSaysSurvives(t *testing.T) {
	t.Parallel()
	storetest.EachDSN(t, func(t *testing.T, fresh storetest.Fresh) {
		data, file := t.TempDir(), filepath.Join(t.TempDir(), "site.backup")
		dsn := fresh(t)
		first := node(t, dsn, data)
		o := first.Operator()
		for _, entry := range []operator.TuningEntry{
			{Kind: "answer", Question: "do you ship", Text: "Yes, by mail.", Link: "https://www.example.com/mail"},
			{Kind: "synonym", Words: []string{"kanapee"}, Means: "sofa"},
			{Kind: "ignore", Question: "bicycle tyres", Off: true},
		} {
			if _, err := (operator.AddTuning{TuningEntry: entry}).Do(t.Context(), o); err != nil {
				t.Fatal(err)
			}
		}
		treat := operator.TreatVisitor{VisitorName: operator.VisitorName{Agent: "GPTBot"}, Treatment: "block"}
		if _, err := treat.Do(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		want := exported(t, first)
		for name, s := range map[string]*App{"the node itself": first, "another node": node(t, dsn, data)} {
			holds(t, name, s, want)
		}
		other := node(t, dsn, data)
		treat.Treatment = "allow"
		if _, err := treat.Do(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		if got := blocked(t, other); !got { // it has not looked again
			t.Error("the other node knows before it looked")
		}
		if err := other.Treatments.Refresh(t.Context()); err != nil || blocked(t, other) {
			t.Errorf("the other node still blocks, %v", err)
		}
		treat.Treatment = "block"
		if _, err := treat.Do(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		source := backup.Source{Store: first.config.Database(first.log), Data: data}
		if _, err := backup.Create(t.Context(), file, source, backup.Options{}); err != nil {
			t.Fatal(err)
		}
		for _, s := range []*App{first, other} {
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
		}
		holds(t, "after a restart", node(t, dsn, data), want)
		storetest.EachDSN(t, func(t *testing.T, fresh storetest.Fresh) {
			source.Store.DSN, source.Data = fresh(t), t.TempDir()
			if _, err := backup.Restore(t.Context(), file, source, false); err != nil {
				t.Fatal(err)
			}
			records := node(t, source.Store.DSN, source.Data, func(o *Options) { o.Records, o.Secrets = true, true })
			if _, err := records.Ledger.Resume(t.Context(), ledger.Resumption{Complete: true}); err != nil {
				t.Fatal(err)
			}
			if err := records.Close(); err != nil {
				t.Fatal(err)
			}
			holds(t, "after a restore", node(t, source.Store.DSN, source.Data), want)
		})
	})
}

// node is a server on a database, with keys in a folder.
func node(t *testing.T, dsn, data string, change ...func(*Options)) *App {
	t.Helper()
	loaded, err := Load(Layers{
		File: write(t, t.TempDir(), "frontdesk.yaml", ""),
		Flags: map[string]string{
			"listen": "127.0.0.1:0", "metrics.listen": "off", "data": data, "keys": filepath.Join(data, "keys"),
			"store": dsn,
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	options := Options{Loaded: loaded}
	for _, c := range change {
		c(&options)
	}
	s, err := Build(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	if !options.Records {
		fill(t, s) // which has the server look at what there is
	}
	return s
}

// exported is the tuning of a server as a file.
func exported(t *testing.T, s *App) string {
	t.Helper()
	all, err := operator.ExportTuning{}.Do(t.Context(), s.Operator())
	if err != nil {
		t.Fatal(err)
	}
	return all.YAML
}

// blocked says whether a server blocks GPTBot, and nobody else.
func blocked(t *testing.T, s *App) bool {
	t.Helper()
	asks := func(agent string) int {
		return send(s, posted("POST", "/ask", `{"query":{"text":"Do you ship?"}}`, "User-Agent", agent)).Code
	}
	if got := asks("SomeBot/1.0"); got != http.StatusOK {
		t.Errorf("another agent gets status %d", got)
	}
	return asks("GPTBot/1.1") == http.StatusForbidden
}

// holds says what of tuning and treatments does not hold on a server.
func holds(t *testing.T, name string, s *App, want string) {
	t.Helper()
	if got := exported(t, s); got != want {
		t.Errorf("%s: the tuning is\n%s\nwant\n%s", name, got, want)
	}
	answer := send(s, posted("POST", "/ask", `{"query":{"text":"Do you ship?"},"prefer":{"elicitation":false}}`)).Body.String()
	if !strings.Contains(answer, "Yes, by mail.") {
		t.Errorf("%s: the question is answered %s", name, answer)
	}
	if !blocked(t, s) {
		t.Errorf("%s: the agent is not blocked", name)
	}
}
