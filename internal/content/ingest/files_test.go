package ingest

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"frontdesk/internal/content/ingest/document"
	"frontdesk/internal/infra/fail"
)

// plant makes files below a new folder; a value that begins with "-> " is a link.
func plant(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, body := range files {
		name = filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		var err error
		if target, link := strings.CutPrefix(body, "-> "); link {
			err = os.Symlink(strings.ReplaceAll(target, "ROOT", root), name)
		} else {
			err = os.WriteFile(name, []byte(body), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// names lists what is found for a path, problems with an exclamation mark behind them.
func names(t *testing.T, source Source) []string {
	t.Helper()
	found, err := findFiles(&source)
	if err != nil {
		t.Fatal(err)
	}
	defer found.close()
	var all []string
	for _, f := range found.all {
		all = append(all, f.Name)
	}
	for _, p := range append(found.problems, found.refused...) {
		all = append(all, p.Origin+"!")
	}
	return all
}

func TestFolderIsWalkedInOrderWithoutWhatIsHidden(t *testing.T) {
	t.Parallel()
	root := plant(t, map[string]string{
		"b.json": "{}", "a/z.md": "x", "a/b/c.HTML": "x", "a.jsonl": "{}", "c.ndjson.gz": "x", "d.jsonld": "{}",
		"e.htm":            "x",
		".git/config.json": "{}", "a/.hidden.md": "x", "node_modules/x/readme.md": "x", "logo.png": "x",
		"package.json": "{}",
		"notes.txt":    "x", "archive.tar.gz": "x",
	})
	want := []string{"a/b/c.HTML", "a/z.md", "a.jsonl", "b.json", "c.ndjson.gz", "d.jsonld", "e.htm"}
	if diff := cmp.Diff(want, names(t, Source{Path: root})); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(want, names(t, Source{Path: root + "/a/.."})); diff != "" {
		t.Error(diff)
	}
}

func TestLinksLeadNowhereElse(t *testing.T) {
	t.Parallel()
	outside := plant(t, map[string]string{"secret.json": `{"name":"secret"}`})
	root := plant(t, map[string]string{
		"real.json": "{}", "deep/more.json": "{} ", "deep/loop": "-> ..", "self": "-> self",
		"out.json": "-> " + outside + "/secret.json", "up.json": "-> ../../../../etc/passwd.json",
		"outdir":     "-> " + outside,
		"again.json": "-> real.json", "gone.json": "-> nothing.json", "absolute.json": "-> ROOT/real.json",
		".data/kept.json": "{}  ", "config.json": "-> .data/kept.json",
	})
	// An absolute link is refused even where it leads back inside: what it means depends on where
	// the folder lies.
	want := []string{"config.json", "deep/more.json", "real.json", "absolute.json!", "gone.json!", "out.json!",
		"up.json!"}
	if diff := cmp.Diff(want, names(t, Source{Path: root})); diff != "" {
		t.Error(diff)
	}
}

func TestLinkSwappedInAfterTheWalkDoesNotEscape(t *testing.T) {
	t.Parallel()
	outside := plant(t, map[string]string{"secret.jsonl": `{"@type":"Book","name":"secret","url":"https://x.example/s"}`})
	root := plant(t, map[string]string{"a.jsonl": "{}"})
	source := Source{Site: "x.example", Path: root}
	s, err := newScan(source, document.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	if err := errors.Join(os.Remove(root+"/a.jsonl"), os.Symlink(outside+"/secret.jsonl", root+"/a.jsonl")); err !=
		nil {
		t.Fatal(err)
	}
	items := 0
	err = s.run(t.Context(),
		outlet{item: func(document.Draft) error { items++; return nil }, problem: func(document.Problem) {}})
	if err != nil || items != 0 || !s.broken {
		t.Errorf("read %d items, err %v, broken %v", items, err, s.broken)
	}
}

func TestPatternsMatchFolders(t *testing.T) {
	t.Parallel()
	root := plant(t, map[string]string{
		"a.json": "{}", "b.json": "{}", "x/c.json": "{}", "x/y/d.json": "{}", "x/y/e.md": "x", "[odd].json": "{}",
	})
	for pattern, want := range map[string][]string{
		"*.json":           {"[odd].json", "a.json", "b.json"},
		"?.json":           {"a.json", "b.json"},
		"**/*.json":        {"[odd].json", "a.json", "b.json", "x/c.json", "x/y/d.json"},
		"x/**":             {"c.json", "y/d.json", "y/e.md"},
		"x/*/*.md":         {"x/y/e.md"},
		"[odd].json":       {"[odd].json"},
		"[a-b].json":       {"a.json", "b.json"},
		"**/y/**/d.json":   {"x/y/d.json"},
		"x/y/../../a.json": {"a.json"},
	} {
		got := names(t, Source{Path: root + "/" + pattern})
		if pattern == "x/*/*.md" {
			want = []string{"y/e.md"} // named below the folder before the first wildcard
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", pattern, diff)
		}
	}
}

func TestFileIsReadWhereverItsLinkLeads(t *testing.T) {
	t.Parallel()
	outside := plant(t, map[string]string{"real.jsonl": "{}"})
	root := plant(t, map[string]string{"named.jsonl": "-> " + outside + "/real.jsonl"})
	if diff := cmp.Diff([]string{"named.jsonl"}, names(t, Source{Path: root + "/named.jsonl"})); diff != "" {
		t.Error(diff)
	}
}

func TestFileSystemIsASource(t *testing.T) {
	t.Parallel()
	fs := fstest.MapFS{"in/a.json": {Data: []byte("{}")}, "in/b/c.md": {Data: []byte("x")},
		"d.json": {Data: []byte("{}")}}
	for path, want := range map[string][]string{
		"": {"d.json", "in/a.json", "in/b/c.md"}, ".": {"d.json", "in/a.json", "in/b/c.md"},
		"in":        {"in/a.json", "in/b/c.md"},
		"in/a.json": {"in/a.json"}, "in/*.json": {"in/a.json"}, "/in/": {"in/a.json", "in/b/c.md"},
	} {
		if diff := cmp.Diff(want, names(t, Source{Path: path, FS: fs})); diff != "" {
			t.Errorf("%q: %s", path, diff)
		}
	}
}

func TestPathThatCannotBeReadSaysWhy(t *testing.T) {
	t.Parallel()
	root := plant(t, map[string]string{"empty/x.png": "x", "odd.xyz": "x"})
	for path, want := range map[string]string{
		root + "/none":        "there is no file or folder",
		root + "/*.json":      "found no content in",
		root + "/empty":       "found no content in",
		root + "/odd.xyz":     "no ending that tells its form",
		root + "/none/*.json": "there is no file or folder",
	} {
		_, err := newScan(Source{Site: "x.example", Path: path}, document.Limits{})
		var coded *fail.Error
		if !errors.As(err, &coded) || coded.Code != fail.Invalid || !strings.Contains(coded.Detail, want) {
			t.Errorf("%s: %v", path, err)
		}
	}
	for _, source := range []Source{{Path: root}, {Site: "x"}, {Site: "x.example", Path: root, Base: "ftp://x/"}} {
		if _, err := newScan(source, document.Limits{}); fail.From(err).Code != fail.Invalid {
			t.Errorf("%+v: %v", source, err)
		}
	}
}

func TestWhatIsNoFileIsPassedBy(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("named pipes are made by a call of Linux")
	}
	root := plant(t, map[string]string{"a.json": "{}"})
	if err := syscall.Mkfifo(root+"/pipe.json", 0o644); err != nil {
		t.Skip(err)
	}
	if diff := cmp.Diff([]string{"a.json"}, names(t, Source{Path: root})); diff != "" {
		t.Error(diff)
	}
	if _, err := findFiles(&Source{Path: root + "/pipe.json"}); err == nil {
		t.Error("a pipe was taken for a file")
	}
}
