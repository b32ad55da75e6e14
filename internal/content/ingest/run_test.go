package ingest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"frontdesk/internal/content"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/testkit/contenttest"
	"frontdesk/internal/testkit/storetest"
)

// shop is a catalogue with one source, whose files a test changes between runs.
type shop struct {
	*testing.T
	catalog *content.Catalog
	files   fstest.MapFS
	options Options
}

func newShop(t *testing.T) *shop {
	db := storetest.Open(t, storetest.NewSQLite(t), content.Schema)
	return &shop{T: t, catalog: content.New(db, content.Options{}), files: fstest.MapFS{}}
}

func (s *shop) write(name, body string) { s.files[name] = &fstest.MapFile{Data: []byte(body)} }

func (s *shop) run() (Report, error) {
	s.Helper()
	return Run(s.Context(), s.catalog, Source{Site: "shop.example", Name: "books", FS: s.files}, s.options)
}

func (s *shop) mustRun() Report {
	s.Helper()
	report, err := s.run()
	if err != nil {
		s.Fatal(err)
	}
	return report
}

// urls lists what the catalogue holds.
func (s *shop) urls() []string {
	s.Helper()
	var all []string
	if err := s.catalog.EachItem(s.Context(), "shop.example", func(i content.Item) error {
		all = append(all, strings.TrimPrefix(i.URL, "https://shop.example"))
		return nil
	}); err != nil {
		s.Fatal(err)
	}
	return all
}

func TestSecondRunChangesWhatChanged(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.write("a.jsonl", books(100))
	first := s.mustRun()
	if got := first.Summary; got.Added != 100 || got.Items != 100 || first.Kept != 100 || first.Read != 100 ||
		first.Files != 1 {
		t.Fatalf("first run: %+v", first)
	}
	again := s.mustRun()
	if got := again.Summary; got.Unchanged != 100 || got.Added+got.Changed+got.Removed != 0 ||
		got.Revision != first.Summary.Revision {
		t.Fatalf("equal run: %+v", got)
	}
	s.write("a.jsonl", strings.Replace(books(99), "number 7.", "the number seven.", 1)+`{"@type":"Book","name":"new","url":"/new"}`)
	third := s.mustRun()
	if got := third.Summary; got.Unchanged != 98 || got.Changed != 1 || got.Added != 1 || got.Removed != 1 {
		t.Fatalf("third run: %+v", got)
	}
}

func TestGoodCatalogueIsNotReplacedByLittle(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.write("a.jsonl", books(10))
	s.mustRun()
	for name, body := range map[string]string{"nothing": "", "only problems": "oops\noops",
		"furniture": `{"@type":"WebSite","name":"x"}`, "little": books(4)} {
		s.write("a.jsonl", body)
		report, err := s.run()
		var coded *fail.Error
		if !errors.As(err, &coded) || coded.Code != fail.Invalid ||
			!strings.Contains(coded.Detail, "nothing was changed") {
			t.Errorf("%s: %v", name, err)
		}
		if len(s.urls()) != 10 {
			t.Errorf("%s: the catalogue has %d items", name, len(s.urls()))
		}
		if name == "only problems" && (report.SkippedCount != 2 || !strings.Contains(err.Error(), "a.jsonl:1")) {
			t.Errorf("%s: %+v, %v", name, report, err)
		}
	}
	sources, err := s.catalog.Sources(t.Context())
	if err != nil || len(sources) != 1 || sources[0].LastError == "" {
		t.Errorf("sources %+v, %v: the failure is not recorded", sources, err)
	}
	s.options.AllowShrink = true
	s.write("a.jsonl", books(4))
	if report := s.mustRun(); report.Summary.Removed != 6 {
		t.Errorf("allowed to shrink: %+v", report.Summary)
	}
	s.write("a.jsonl", "")
	if report := s.mustRun(); report.Summary.Removed != 4 || len(s.urls()) != 0 {
		t.Errorf("allowed to become empty: %+v", report.Summary)
	}
}

func TestNothingIsRemovedWhileAFileCannotBeRead(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.write("a.jsonl", books(4))
	s.write("b.jsonl.gz", contenttest.Gzip(t, `{"@type":"Book","name":"b1","url":"/b1"}`+"\n"+`{"@type":"Book","name":"b2","url":"/b2"}`))
	s.mustRun()
	whole := string(s.files["b.jsonl.gz"].Data)
	s.write("b.jsonl.gz", whole[:len(whole)-12])
	s.write("a.jsonl", books(3))
	report := s.mustRun()
	if !report.Partial || report.Summary.Removed != 0 || len(s.urls()) != 6 || report.SkippedCount == 0 {
		t.Errorf("%+v, %q", report, s.urls())
	}
	if len(report.Unread) != 1 || !strings.HasPrefix(report.Unread[0].Origin, "b.jsonl.gz") ||
		report.Unread[0].Reason == "" {
		t.Errorf("unread: %+v", report.Unread)
	}
	delete(s.files, "b.jsonl.gz")
	report = s.mustRun()
	if report.Partial || report.Summary.Removed != 3 || len(s.urls()) != 3 {
		t.Errorf("once the file is gone: %+v, %q", report, s.urls())
	}
}

// A file that was written half, or copied half, is told from one that has less in it.
func TestNothingIsRemovedWhenAFileEndsTooEarly(t *testing.T) {
	t.Parallel()
	object := func(i int) string {
		return fmt.Sprintf(`{"@type":"Book","name":"Book %d","url":"/book/%d"}`, i, i)
	}
	var all []string
	for i := range 8 {
		all = append(all, object(i))
	}
	for name, text := range map[string]string{"a.json": "[" + strings.Join(all, ",\n") + "]",
		"a.jsonl": strings.Join(all, "\n") + "\n"} {
		t.Run(name, func(t *testing.T) {
			s := newShop(t)
			s.write(name, text)
			s.write("b.jsonl", books(3))
			s.mustRun()
			before := s.urls()
			if len(before) < 8 {
				t.Fatalf("%q", before)
			}
			s.write(name, text[:len(text)*3/4-5])
			if report := s.mustRun(); !report.Partial || report.Summary.Removed != 0 || len(s.urls()) != len(before) ||
				len(report.Unread) != 1 || !strings.HasPrefix(report.Unread[0].Origin, name) {
				t.Errorf("%+v, %q", report, s.urls())
			}
			s.write(name, text)
			if report := s.mustRun(); report.Partial || len(s.urls()) != len(before) {
				t.Errorf("whole again: %+v, %q", report, s.urls())
			}
		})
	}
}

// A link that is refused will be refused in every run, and so must not keep what was removed alive
// for ever.
func TestRefusedLinkHoldsNoRemovalBack(t *testing.T) {
	t.Parallel()
	outside := plant(t, map[string]string{"secret.jsonl": `{"@type":"Book","name":"secret","url":"/secret"}`})
	root := plant(t,
		map[string]string{"a.jsonl": books(4), "out.jsonl": "-> " + outside + "/secret.jsonl",
			"gone.jsonl": "-> nothing.jsonl", "loop.jsonl": "-> loop.jsonl"})
	s := newShop(t)
	run := func() Report {
		report, err := Run(t.Context(), s.catalog, Source{Site: "shop.example", Name: "books", Path: root}, s.options)
		if err != nil {
			t.Fatal(err)
		}
		return report
	}
	run()
	if err := os.WriteFile(root+"/a.jsonl", []byte(books(3)), 0o644); err != nil {
		t.Fatal(err)
	}
	report := run()
	if report.Partial || report.Summary.Removed != 1 || len(s.urls()) != 3 || report.SkippedCount != 3 ||
		len(report.Unread) > 0 {
		t.Errorf("%+v, %q", report, s.urls())
	}
}

func TestFileThatIsNoTextIsNoPage(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.write("picture.html", "\xff\xd8\xff\xe0\x00\x10JFIF"+strings.Repeat("\x01\x02\x00\x8f\xe1\x07", 200))
	s.write("japanese.html", "<meta charset=iso-2022-jp><title>\x1b$B9A\x1b(B</title><p>\x1b$B9A$NOC\x1b(B</p>")
	s.write("wide.html", "\xff\xfe<\x00p\x00>\x00W\x00i\x00d\x00e\x00 \x00\x01\x02\x03\x04")
	report := s.mustRun()
	if report.SkippedCount != 1 || report.Skipped[0].Origin != "picture.html" || report.Summary.Items != 2 {
		t.Errorf("%+v, %q", report, s.urls())
	}
}

func TestRunThatIsEndedIsNoError(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.write("a.jsonl", books(3))
	var log bytes.Buffer
	s.options.Log = slog.New(slog.NewTextHandler(&log, nil))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := Run(ctx, s.catalog, Source{Site: "shop.example", Name: "books", FS: s.files}, s.options)
	if !errors.Is(err, context.Canceled) || strings.Contains(log.String(), "level=ERROR") {
		t.Errorf("%v\n%s", err, &log)
	}
}

func TestProgressGoesToTheEnd(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.write("a.jsonl", books(3000))
	s.write("b.jsonl", "bad\n"+books(1))
	var all []Progress
	s.options.Progress = func(p Progress) { all = append(all, p) }
	var log bytes.Buffer
	s.options.Log = slog.New(slog.NewTextHandler(&log, nil))
	report := s.mustRun()
	last := all[len(all)-1]
	if !last.Done || last.FilesDone != 2 || last.Files != 2 || last.Bytes == 0 || last.BytesDone != last.Bytes ||
		last.Kept != 3001 || last.Skipped != 1 {
		t.Errorf("last: %+v", last)
	}
	for i := range all[1:] {
		a, b := all[i], all[i+1]
		if b.Kept < a.Kept || b.BytesDone < a.BytesDone || b.Elapsed < a.Elapsed || a.Done {
			t.Errorf("progress went from %+v to %+v", a, b)
		}
	}
	if report.Summary.Duplicates != 1 || len(report.Skipped) != 1 || report.Skipped[0].Origin != "b.jsonl:1" {
		t.Errorf("%+v", report)
	}
	for _, want := range []string{"content skipped", "origin=b.jsonl:1", "content taken over", "items=3000"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log lacks %q:\n%s", want, log.String())
		}
	}
}

func TestReportHoldsTheFirstProblemsAndCountsAll(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.write("a.jsonl", strings.Repeat("bad\n", 500)+books(1))
	report := s.mustRun()
	if len(report.Skipped) != maxReported || report.SkippedCount != 500 || report.Skipped[99].Origin != "a.jsonl:100" {
		t.Errorf("%d of %d, the last %+v", len(report.Skipped), report.SkippedCount, report.Skipped[99])
	}
}

func TestRunOfAMissingPathKeepsWhatIsThere(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.write("a.jsonl", books(2))
	s.mustRun()
	delete(s.files, "a.jsonl")
	if _, err := s.run(); fail.From(err).Code != fail.Invalid || len(s.urls()) != 2 {
		t.Errorf("err %v, %d items", err, len(s.urls()))
	}
}

func TestPassagesKeepTheirIDsWhereTheTextStays(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	article := func(body string) string {
		return `{"@type":"Article","headline":"h","url":"/a","articleBody":"` + body + `"}`
	}
	paragraph := func(word string) string {
		return strings.Repeat("The "+word+" goes on and on for ten words in all. ", 10)
	}
	var parts []string
	for _, word := range strings.Fields("alder birch cedar doum elm fir gum holly ironwood jarrah kapok larch maple " +
		"nutmeg oak pine") {
		parts = append(parts, paragraph(word))
	}
	ids := func() (all []string) {
		s.write("a.jsonl", article(strings.Join(parts, `\n\n`)))
		s.mustRun()
		if err := s.catalog.EachItem(t.Context(), "shop.example", func(i content.Item) error {
			for _, p := range i.Passages {
				all = append(all, p.ID)
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		return all
	}
	before := ids()
	parts[7] = paragraph("hawthorn") + paragraph("hazel")
	after := ids()
	if len(before) < 8 || before[0] != after[0] || before[len(before)-1] != after[len(after)-1] ||
		cmp.Equal(before, after) {
		t.Errorf("before %q\nafter %q", before, after)
	}
}
