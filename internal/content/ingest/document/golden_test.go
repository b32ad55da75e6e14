package document

import (
	"bytes"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"frontdesk/internal/content"
)

var update = flag.Bool("update", false, "write what the tests find into their golden files")

// TestDocumentsGiveTheseItems reads the files of each archive in testdata/items and compares what
// comes of them with the file "want" in it. Its first lines may set their base, schemes and
// language.
func TestDocumentsGiveTheseItems(t *testing.T) {
	t.Parallel()
	archives, err := filepath.Glob("testdata/items/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatal("no archives", err)
	}
	for _, name := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			reader := readerAt("https://www.example.com/")
			files := fstest.MapFS{}
			var want *txtar.File
			for i := range archive.Files {
				f := &archive.Files[i]
				if f.Name == "want" {
					want = f
					continue
				}
				files[f.Name] = &fstest.MapFile{Data: f.Data}
			}
			for line := range strings.Lines(string(archive.Comment)) {
				if base, ok := strings.CutPrefix(line, "base: "); ok {
					reader.Base = readerAt(strings.TrimSpace(base)).Base
				}
				if schemes, ok := strings.CutPrefix(line, "schemes: "); ok {
					reader.Schemes = strings.TrimSpace(schemes)
				}
				if language, ok := strings.CutPrefix(line, "language: "); ok {
					reader.Language = strings.TrimSpace(language)
				}
			}
			got := render(t, reader, files)
			if *update {
				if want == nil {
					archive.Files = append(archive.Files, txtar.File{Name: "want"})
					want = &archive.Files[len(archive.Files)-1]
				}
				want.Data = []byte(got)
				if err := os.WriteFile(name, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if want == nil {
				t.Fatal("the archive has no file want; run with -update and read what it wrote")
			}
			if diff := cmp.Diff(string(want.Data), got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// render reads files and writes what came of them.
func render(t *testing.T, reader *Reader, files fs.FS) string {
	t.Helper()
	var out bytes.Buffer
	_, err := itemsOf(t.Context(), reader, files, func(i content.Item) {
		writeItem(&out, i)
	}, func(p Problem) {
		fmt.Fprintf(&out, "problem at %s\n  %s\n", p.Origin, p.Reason)
	})
	if err != nil {
		fmt.Fprintf(&out, "error: %v\n", err)
	}
	return out.String()
}

func writeItem(out *bytes.Buffer, i content.Item) {
	fmt.Fprintf(out, "%s at %s\n", i.URL, i.Origin)
	field := func(name, value string) {
		if value != "" {
			fmt.Fprintf(out, "  %s: %s\n", name, strings.ReplaceAll(value, "\n", " / "))
		}
	}
	day := func(t time.Time) string {
		if t.IsZero() {
			return ""
		}
		return t.Format(time.RFC3339)
	}
	field("types", strings.Join(i.Types, ", "))
	field("name", i.Name)
	field("description", i.Description)
	field("keys", i.Keys)
	field("language", i.Language)
	field("image", i.Image)
	field("publisher", i.Publisher)
	field("published", day(i.Published))
	field("modified", day(i.Modified))
	for _, p := range i.Passages {
		field("passage", p.Text)
	}
	field("object", string(i.Object))
}
