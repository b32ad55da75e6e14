package overview_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"frontdesk/internal/content"
	"frontdesk/internal/content/ingest"
	"frontdesk/internal/content/overview"
	"frontdesk/internal/content/released"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/policy"
	"frontdesk/internal/testkit/storetest"
)

var now = time.Date(2027, 5, 4, 12, 0, 0, 0, time.UTC)

// shop is an overview of a site whose files a test names.
type shop struct {
	*testing.T
	overview.Overview
	configured []ingest.SourceSettings
	ahead      time.Duration // of now
}

func open(t *testing.T, db *store.DB, rules ...policy.Rule) *shop {
	t.Helper()
	terms, err := policy.Options{IsA: content.IsA}.New(rules)
	if err != nil {
		t.Fatal(err)
	}
	s := &shop{T: t}
	s.Catalog = content.New(db, content.Options{Now: s.now})
	s.Corpus, err = released.New(released.Deps{
		Catalog: s.Catalog, Sites: released.NewSites(released.Site{ID: "shop"}),
		Terms: func() *policy.Terms { return terms },
	})
	if err != nil {
		t.Fatal(err)
	}
	s.Configured = func() []ingest.SourceSettings { return s.configured }
	s.Warn, s.Critical, s.Now = 48*time.Hour, 7*24*time.Hour, s.now
	return s
}

func (s *shop) now() time.Time { return now.Add(s.ahead) }

// read reads files as a source, and records that.
func (s *shop) read(name string, files map[string]string) {
	s.Helper()
	from := fstest.MapFS{}
	for name, text := range files {
		from[name] = &fstest.MapFile{Data: []byte(text)}
	}
	source := ingest.Source{Site: "shop", Name: name, FS: from, Base: "https://shop.example/"}
	report, _ := ingest.Run(s.Context(), s.Catalog, source, ingest.Options{Now: s.now})
	if err := overview.Record(s.Context(), s.Catalog, now, time.Time{}, report); err != nil {
		s.Fatal(err)
	}
	if err := s.Corpus.Load(s.Context()); err != nil {
		s.Fatal(err)
	}
}

func openSQLite(t *testing.T, rules ...policy.Rule) *shop {
	return open(t, storetest.OpenSQLite(t, content.Schema), rules...)
}

func product(name, more string) string {
	return fmt.Sprintf(`{"@type":"Product","name":%q,"url":"https://shop.example/%s"%s}`, name, strings.ToLower(name), more)
}

func TestProblemsSayWhereTheyAreAndHowToMendThem(t *testing.T) {
	t.Parallel()
	s := openSQLite(t)
	s.read("files", map[string]string{
		"a.html": `<title>A</title><script type="application/ld+json">{"@type":"Product","price": 1 "x": 2</script><main>Tea is here.</main>`,
		"b.html": "", "c.html": `<title></title><script>app()</script>`,
		"d.jsonl": product("Cup", "") + "\n{\"@type\": \"Prod\n" + `{"@type":"Product"}` + "\n",
		"e.md":    "---\ntitle: [a\n---\ntext", "f.html": "\x89PNG\x00\x01\x02\x00\x00", "g.json.gz": "no gzip",
		"h.json": `[1]`,
	})
	all, err := s.Sources(t.Context())
	if err != nil || len(all) != 1 {
		t.Fatal(all, err)
	}
	var got []string
	for _, p := range all[0].Problems() {
		got = append(got, fmt.Sprintf("%s %d %s: %s: %s", p.File, p.Line, p.Within, p.Kind, p.Excerpt))
		if p.Mend == "" || p.Site != "shop" || p.Source != "files" {
			t.Errorf("%+v", p)
		}
	}
	want := []string{
		`a.html 0 #1: json: {"@type":"Product","price": 1 "x": 2`, "b.html 0 : empty: ", "c.html 0 : empty: ",
		`d.jsonl 2 : json: {"@type": "Prod`, "d.jsonl 3 : no_name: ", "e.md 2 : front_matter: title: [a",
		"f.html 0 : encoding: ", "g.json.gz 0 : damaged: ", "h.json 1 /0: json: ",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if n := all[0].ProblemCount(); n != len(want) {
		t.Errorf("%d problems, want %d", n, len(want))
	}
}

func TestSourcesTellHowTheyAre(t *testing.T) {
	t.Parallel()
	s := openSQLite(t)
	files := map[string]string{"a.json": product("Cup", "")}
	s.read("well", files)
	s.read("part", map[string]string{"a.json": product("Mug", ""), "b.html": ""})
	s.read("left", files)
	s.read("broken", map[string]string{"a.html": ""})
	for _, name := range []string{"well", "part", "broken", "new"} {
		s.configured = append(s.configured, ingest.SourceSettings{Site: "shop", Name: name, Path: "/" + name})
	}
	states := func() string {
		all, err := s.Sources(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, one := range all {
			got = append(got, one.Name+" "+one.State)
		}
		return strings.Join(got, ", ")
	}
	want := "well well, part in_part, broken failing, new never_read, left not_configured"
	if got := states(); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	s.configured = s.configured[:1]
	s.configured[0].URL = "https://shop.example/"
	s.Now = func() time.Time { return now.Add(49 * time.Hour) }
	if got := states(); !strings.HasPrefix(got, "well stale, ") {
		t.Errorf("after two days: %s", got)
	}
}

func TestItemsAreListedAsFiltered(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, openDB func(*testing.T, ...store.Schema) *store.DB) {
		s := open(t, openDB(t, content.Schema),
			policy.Rule{Match: policy.Match{Path: []string{"/knife"}}, Access: policy.Blocked},
			policy.Rule{Match: policy.Match{Path: []string{"/**"}}, Access: policy.Open})
		s.read("files", map[string]string{
			"a.jsonl": product("Cup", `,"description":"A cup for tea.","inLanguage":"de"`) + "\n" + product("Knife", "") + "\n" +
				`{"@type":"Recipe","name":"Tea cake","url":"https://shop.example/cake","text":"Bake it slowly for an hour."}`,
		})
		s.read("more", map[string]string{"a.json": product("Ölkanne", "")})
		list := func(f overview.Filter) (got []string) {
			f.Limit = 2
			for range 9 {
				all, next, err := s.Items(t.Context(), f)
				if err != nil || len(all) > 2 {
					t.Fatal(all, err)
				}
				for _, i := range all {
					got = append(got, fmt.Sprintf("%s %d %s", i.Name, i.Words, i.Access))
				}
				if f.After = next; next == "" {
					return got
				}
			}
			t.Fatal("the list has no end")
			return nil
		}
		const cup, knife, cake, oil = "Cup 4 open", "Knife 0 blocked", "Tea cake 6 open", "Ölkanne 0 open"
		for _, one := range []struct {
			filter overview.Filter
			want   []string
		}{
			{overview.Filter{}, []string{cup, knife, cake, oil}},
			{overview.Filter{Search: "TEA"}, []string{cake}},
			{overview.Filter{Search: "shop.example/k"}, []string{knife}},
			{overview.Filter{Search: "öl kanne"}, []string{oil}},
			{overview.Filter{Type: "product", Language: "DE"}, []string{cup}},
			{overview.Filter{Type: "CreativeWork"}, []string{cake}},
			{overview.Filter{Site: "shop", Source: "more"}, []string{oil}},
			{overview.Filter{Site: "another"}, nil},
			{overview.Filter{Fault: overview.IsBlocked}, []string{knife}},
			{overview.Filter{Fault: overview.NoText}, []string{knife, oil}},
			{overview.Filter{Fault: overview.NoName}, nil},
		} {
			if got := list(one.filter); !slices.Equal(got, one.want) {
				t.Errorf("%+v: %q, want %q", one.filter, got, one.want)
			}
		}
		for _, wrong := range []overview.Filter{{Fault: "x"}, {After: "x"}, {After: "-1"}} {
			var coded *fail.Error
			if _, _, err := s.Items(t.Context(), wrong); !errors.As(err, &coded) || coded.Code != fail.Invalid {
				t.Errorf("%+v: %v", wrong, err)
			}
		}
	})
}

// TestItemsAreListedByWhenTheyCame holds the time of an item: when it came, or changed last.
func TestItemsAreListedByWhenTheyCame(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, openDB func(*testing.T, ...store.Schema) *store.DB) {
		s := open(t, openDB(t, content.Schema))
		s.read("files", map[string]string{"a.jsonl": product("Cup", "") + "\n" + product("Knife", "")})
		s.read("same", map[string]string{"a.json": product("Spoon", "")})
		s.ahead = 48 * time.Hour
		s.read("files", map[string]string{
			"a.jsonl": product("Cup", "") + "\n" + product("Knife", `,"color":"red"`) + "\n" + product("Plate", ""),
		})
		day := func(n time.Duration) time.Time { return now.Add(n * 24 * time.Hour) }
		for _, v := range []struct {
			since, until time.Time
			want         string
		}{
			{time.Time{}, time.Time{}, "[Cup Knife Plate Spoon]"}, {day(1), time.Time{}, "[Knife Plate]"},
			{day(0), day(1), "[Cup Spoon]"}, {time.Time{}, day(1), "[Cup Spoon]"},
			{day(0), day(3), "[Cup Knife Plate Spoon]"}, {day(0), day(0), "[]"}, {day(3), time.Time{}, "[]"},
		} {
			all, _, err := s.Items(t.Context(), overview.Filter{Since: v.since, Until: v.until, Limit: 9})
			names := []string{}
			for _, i := range all {
				names = append(names, i.Name)
			}
			slices.Sort(names)
			if err != nil || fmt.Sprint(names) != v.want {
				t.Errorf("from %s to %s: %v, %v; want %s", v.since, v.until, names, err, v.want)
			}
		}
	})
}

func TestItemIsShownAsEachPartySeesIt(t *testing.T) {
	t.Parallel()
	s := openSQLite(t,
		policy.Rule{Match: policy.Match{Path: []string{"/report"}}, Access: policy.Licensed,
			Excerpt: policy.Excerpt{Words: 2}, Price: policy.Price{Model: "per_access", Rate: "1", Currency: "EUR"}},
		policy.Rule{Match: policy.Match{Path: []string{"/inner"}}, Access: policy.Open,
			Parties: policy.Restriction{Permit: []string{policy.PartyVerified}}},
		policy.Rule{Match: policy.Match{Path: []string{"/**"}}, Access: policy.Open})
	text := `,"description":"Three plain words here.","text":"The secret number is forty two."`
	s.read("files", map[string]string{
		"a.jsonl": product("Report", text) + "\n" + product("Inner", text) + "\n" + product("Plain", text),
	})
	seen := func(address string) (all []string) {
		items, err := s.ItemAt(t.Context(), "", address)
		if err != nil || len(items) != 1 {
			t.Fatal(items, err)
		}
		if p := items[0].Passages; len(p) == 0 || !strings.Contains(p[0].Text, "forty two") {
			t.Errorf("%s was not read whole: %+v", address, p)
		}
		for _, v := range items[0].Views {
			whole := "notice"
			if strings.Contains(v.Text+string(v.Sent), "forty two") {
				whole = "whole"
			}
			if !v.Found {
				whole = "nothing"
			}
			all = append(all, fmt.Sprintf("%s %s %s %v", v.As, v.Access, whole, v.Sold))
		}
		return all
	}
	for address, want := range map[string][]string{
		"https://shop.example/report": {
			"stranger licensed notice true", "platform licensed notice true", "buyer licensed notice true",
		},
		"https://shop.example/inner": {
			"stranger blocked nothing false", "platform blocked nothing false", "buyer open whole false",
		},
		"HTTPS://SHOP.example/plain/ ": {
			"stranger open whole false", "platform open whole false", "buyer open whole false",
		},
	} {
		if got := seen(address); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", address, got, want)
		}
	}
	if items, err := s.ItemAt(context.Background(), "", "https://shop.example/none"); err != nil || len(items) > 0 {
		t.Errorf("%+v, %v", items, err)
	}
}
