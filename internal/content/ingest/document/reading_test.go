package document

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/encoding/unicode"

	"frontdesk/internal/content"
	"frontdesk/internal/content/ingest/pageurl"
	"frontdesk/internal/testkit/contenttest"
)

// itemsOf reads the documents of a file system in the order of their paths, and hands on what came
// of them: for each portion its problems, and then its items. broken says that a file could not be
// read whole.
func itemsOf(
	ctx context.Context, r *Reader, from fs.FS, item func(content.Item), problem func(Problem),
) (broken bool, err error) {
	r.Limits = r.Limits.WithDefaults()
	names := NewURLSet()
	s := Splitter{From: from, Limits: r.Limits, Count: &atomic.Int64{},
		Emit: func(_ context.Context, p *Portion) error {
			out := r.Read(p)
			broken = broken || out.Cut != nil
			for _, p := range out.Problems {
				problem(p)
			}
			for i := range out.Drafts {
				if names.Admit(&out.Drafts[i], false) {
					item(out.Drafts[i].Item)
				}
			}
			return nil
		}}
	err = fs.WalkDir(from, ".", func(name string, entry fs.DirEntry, err error) error {
		f := File{Name: name}
		f.Format, f.Zipped = FormatOf(name)
		if err != nil || entry.IsDir() || f.Format == Unknown {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		f.Size = info.Size()
		return s.File(ctx, f)
	})
	return broken, err
}

// readerAt makes items below a base.
func readerAt(base string) *Reader {
	u, _ := pageurl.AsFolder(base)
	return &Reader{Base: u}
}

// catch is what came of documents.
type catch struct {
	urls     []string
	items    []content.Item
	problems []string
	broken   bool
}

// read reads files given by name and body.
func read(t testing.TB, files map[string]string, limits Limits) catch {
	t.Helper()
	from := fstest.MapFS{}
	for name, body := range files {
		from[name] = &fstest.MapFile{Data: []byte(body)}
	}
	return readFS(t, from, limits)
}

func readFS(t testing.TB, from fs.FS, limits Limits) (c catch) {
	t.Helper()
	r := readerAt("https://www.example.com/")
	r.Limits = limits
	var err error
	c.broken, err = itemsOf(t.Context(), r, from, func(i content.Item) {
		c.urls = append(c.urls, strings.TrimPrefix(i.URL, "https://www.example.com"))
		c.items = append(c.items, i)
	}, func(p Problem) { c.problems = append(c.problems, p.Origin+": "+p.Reason) })
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// books makes lines of items.
func books(n int) string {
	var out strings.Builder
	for i := range n {
		fmt.Fprintf(&out, `{"@type":"Book","name":"Book %d","url":"/%d","description":"The story of number %d."}`+"\n", i, i, i)
	}
	return out.String()
}

func TestCompressedFilesAreRead(t *testing.T) {
	t.Parallel()
	c := read(t, map[string]string{
		"a.jsonl.gz":  contenttest.Gzip(t, books(2)) + contenttest.Gzip(t, `{"@type":"Book","name":"in a second part","url":"/second"}`),
		"b.json.gz":   contenttest.Gzip(t, `[{"@type":"Book","name":"b","url":"/b"}]`),
		"c.ndjson.GZ": contenttest.Gzip(t, `{"@type":"Book","name":"c","url":"/c"}`),
		"d.md.gz":     contenttest.Gzip(t, "# D\n\nText."),
		"e.html.gz":   contenttest.Gzip(t, "<title>E</title><p>Text.</p>"),
	}, Limits{})
	if diff := cmp.Diff([]string{"/0", "/1", "/second", "/b", "/c", "/d", "/e.html"}, c.urls); diff != "" ||
		len(c.problems) > 0 {
		t.Error(diff, c.problems)
	}
}

func TestDamagedFileKeepsWhatCameBefore(t *testing.T) {
	t.Parallel()
	whole := contenttest.Gzip(t, books(20_000))
	c := read(t, map[string]string{
		"a-cut.jsonl.gz":   whole[:len(whole)/2],
		"b-wrong.jsonl.gz": whole[:len(whole)-8] + "\x00\x00\x00\x00\x00\x00\x00\x00",
		"c-plain.jsonl.gz": books(1),
		"d-cut.json.gz":    contenttest.Gzip(t, "[]")[:20],
		"e.jsonl":          `{"@type":"Book","name":"after","url":"/after"}`,
	}, Limits{})
	if !c.broken {
		t.Error("the reader must say that files could not be read whole")
	}
	if n := len(c.items); n < 25_000 || n > 40_001 || c.urls[n-1] != "/after" {
		t.Errorf("%d items, the last %s", n, c.urls[n-1])
	}
	want := []string{"ends too early", "is damaged", "is not compressed with gzip", "ends too early"}
	if len(c.problems) != len(want) {
		t.Fatalf("problems: %q", c.problems)
	}
	for i := range want {
		if !strings.Contains(c.problems[i], want[i]) {
			t.Errorf("problem %q, want %q", c.problems[i], want[i])
		}
	}
	if !strings.HasPrefix(c.problems[0], "a-cut.jsonl.gz:") {
		t.Errorf("the problem does not name a line: %q", c.problems[0])
	}
}

func TestBombsAreRefused(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it is a matter of quantity, which takes ten times as long under the race detector")
	}
	var bomb bytes.Buffer
	z := gzip.NewWriter(&bomb)
	blank := bytes.Repeat([]byte(" "), 1<<20)
	for range 80 {
		z.Write(blank)
	}
	z.Close()
	c := read(t, map[string]string{
		"a.jsonl.gz": bomb.String(), "b.json.gz": bomb.String(), "c.html.gz": bomb.String(), "d.md.gz": bomb.String(),
		"e.jsonl": `{"@type":"Book","name":"after","url":"/after"}`,
	}, Limits{})
	want := []string{
		"a.jsonl.gz:1: the item is longer than 4 MiB, the most that one may have",
		"a.jsonl.gz:1: the file unpacks to more than 250 times its size, which no honest content does",
		"b.json.gz: the file unpacks to more than 250 times its size, which no honest content does",
		"c.html.gz: the page has more than 16 MiB",
		"d.md.gz: the page has more than 16 MiB",
	}
	if diff := cmp.Diff(want, c.problems); diff != "" || len(c.urls) != 1 {
		t.Error(diff, c.urls)
	}
}

func TestLimitsAreToldAndPassed(t *testing.T) {
	t.Parallel()
	long := `{"@type":"Book","name":"long","url":"/long","description":"` + strings.Repeat("long ", 2000) + `"}`
	deep := `{"@type":"Book","name":"deep","url":"/deep","x":` + strings.Repeat(`{"a":[`, 5000) + strings.Repeat(`]}`, 5000) + `}`
	short := `{"@type":"Book","name":"short","url":"/short"}`
	c := read(t, map[string]string{
		"a.jsonl":    long + "\n" + short + "\n" + strings.Repeat("x", 600<<10) + "\n" + deep + "\n" + short,
		"b.json":     "[" + short + "," + deep + "," + short + "]",
		"c-big.json": short + strings.Repeat(" ", 100<<10),
		"d.jsonl":    strings.Repeat(short+"\n", 30_000),
	}, Limits{Item: 8 << 10, Document: 64 << 10, File: 1 << 20})
	want := []string{
		"a.jsonl:1: the item is longer than 8 KiB, the most that one may have",
		"a.jsonl:3: the item is longer than 8 KiB, the most that one may have",
		"a.jsonl:4: the item is longer than 8 KiB, the most that one may have",
		"b.json:1 /1: the item is nested deeper than 64 levels",
		"c-big.json: the JSON document has more than 64 KiB; write one item a line into a .jsonl file, which may be " +
			"as long as you like",
		"d.jsonl: the file is 1.3 MiB, and at most 1 MiB of one is read; divide it, or compress it with gzip",
	}
	if diff := cmp.Diff(want, c.problems); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"/short", "/short", "/short", "/short"}, c.urls); diff != "" {
		t.Error(diff)
	}
}

func TestDeepNestingIsAProblemInEveryForm(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"a.jsonl": strings.Repeat("[", 10_000), "b.json": strings.Repeat(`{"@graph":`, 10_000),
		"c.json": strings.Repeat(`{"a":`, 10_000) + "1" + strings.Repeat("}", 10_000),
		"d.html": strings.Repeat("<div>", 10_000),
		"e.html": "<script type=application/ld+json>" + strings.Repeat("[", 10_000) + "</script>",
		"f.html": strings.Repeat("<div itemscope itemprop=a itemtype=https://schema.org/Thing>", 10_000),
		"g.md":   "---\na: " + strings.Repeat("[", 10_000) + "\n---\n",
		"h.md":   strings.Repeat("> ", 10_000) + "x", "i.md": "---\n" + strings.Repeat("- ", 10_000) + "x\n---\n",
		"j.md": strings.Repeat("[a](", 50_000), "k.md": strings.Repeat("*a_ ", 50_000),
	} {
		begin := time.Now()
		c := read(t, map[string]string{name: body}, Limits{})
		if took := time.Since(begin); took > 5*time.Second {
			t.Errorf("%s took %s", name, took)
		}
		if len(c.items) == 0 && len(c.problems) == 0 {
			t.Errorf("%s vanished without a word", name)
		}
		for _, p := range c.problems {
			if strings.Contains(p, "fault of the program") {
				t.Error(p)
			}
		}
	}
}

func TestEncodingsAreRead(t *testing.T) {
	t.Parallel()
	line := `{"@type":"Book","name":"Café 東京","url":"/u"}`
	utf16 := func(e unicode.Endianness, b unicode.BOMPolicy) string {
		s, err := unicode.UTF16(e, b).NewEncoder().String(line + "\n" + line)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	for name, body := range map[string]string{
		"bom.jsonl": "\ufeff" + line, "le.jsonl": utf16(unicode.LittleEndian, unicode.UseBOM),
		"be.jsonl":   utf16(unicode.BigEndian, unicode.UseBOM),
		"bare.jsonl": utf16(unicode.LittleEndian, unicode.IgnoreBOM),
		"le.json":    utf16(unicode.LittleEndian, unicode.UseBOM),
		"be.json":    utf16(unicode.BigEndian, unicode.IgnoreBOM),
		"crlf.jsonl": line + "\r\n" + line + "\r\n",
	} {
		c := read(t, map[string]string{name: body}, Limits{})
		if len(c.items) == 0 || c.items[0].Name != "Café 東京" || len(c.problems) > 0 {
			t.Errorf("%s: %v %v", name, c.items, c.problems)
		}
	}
	for body, want := range map[string]string{
		"{\"@type\":\"Book\",\"name\":\"Caf\xe9 \x80\",\"url\":\"/u\"}":          "Café €",
		"{\"@type\":\"Book\",\"name\":\"Caf\xe9 東\xff京\",\"url\":\"/u\"}":        "Caf\ufffd 東\ufffd京",
		"{\"@type\":\"Book\",\"name\":\"nul\x00\\u0000\\u0007\",\"url\":\"/u\"}": "nul",
	} {
		for _, name := range []string{"a.jsonl", "a.json"} {
			c := read(t, map[string]string{name: body}, Limits{})
			if len(c.items) != 1 || c.items[0].Name != want {
				t.Errorf("%q: %v %v", body, c.items, c.problems)
			}
		}
	}
	for charset, body := range map[string]string{
		"shift_jis": "<meta charset=shift_jis><title>\x93\x8c\x8b\x9e</title><p>\x90\x85</p>",
		"windows-1251": "<meta http-equiv=content-type content='text/html; " +
			"charset=windows-1251'><title>\xce\xea</title><p>\xce\xea</p>",
	} {
		c := read(t, map[string]string{"a.html": body}, Limits{})
		if want := map[string]string{"shift_jis": "東京", "windows-1251": "Ок"}[charset]; len(c.items) != 1 ||
			c.items[0].Name != want {
			t.Errorf("%s: %v %v", charset, c.items, c.problems)
		}
	}
}

// TestLongArrayIsReadInPortions compares an array that is long enough to be divided with the same
// items as lines.
func TestLongArrayIsReadInPortions(t *testing.T) {
	t.Parallel()
	lines := strings.Split(strings.TrimSpace(strings.ReplaceAll(books(9000), "story", `st[o]r}y \" "`)), "\n")
	for i := range lines {
		lines[i] = strings.ReplaceAll(lines[i], ` "`, ` \"`)
	}
	array := "\n [" + strings.Join(lines, ",\n") + "\n]\n"
	if elements(array) == nil {
		t.Fatal("the array is not divided")
	}
	c := read(t, map[string]string{"a.json": array}, Limits{})
	want := read(t, map[string]string{"a.jsonl": strings.Join(lines, "\n")}, Limits{})
	if diff := cmp.Diff(want.urls, c.urls); diff != "" || len(c.problems) > 0 {
		t.Error(diff, c.problems)
	}
	if c.items[8999].Origin != "a.json:9001 /8999" || c.items[0].Origin != "a.json:2 /0" {
		t.Errorf("origins %s and %s", c.items[0].Origin, c.items[8999].Origin)
	}
	for name, odd := range map[string]string{
		"references": strings.Replace(array, `"name"`, `"@id"`, 1), "not closed": strings.TrimRight(array, "]\n"),
		"more behind": array + "x", "an object": "{" + array, "closed early": strings.Replace(array, "},", "}],", 1),
	} {
		if elements(odd) != nil {
			t.Errorf("%s: an array that must be read whole was divided", name)
		}
	}
}

func TestMadeUpAddressesStayApart(t *testing.T) {
	t.Parallel()
	c := read(t, map[string]string{"a.jsonl": strings.Repeat(`{"@type":"Event","name":"Yoga"}`+"\n", 2) +
		`{"@type":"Event","name":"Yoga","startDate":"2026-01-01"}` + "\n" + `{"@type":"Event","name":"Yoga","startDate":"2026-01-02"}`}, Limits{})
	want := []string{"/a.jsonl#yoga", "/a.jsonl#yoga", "/a.jsonl#yoga-2", "/a.jsonl#yoga-3"}
	if diff := cmp.Diff(want, c.urls); diff != "" {
		t.Error(diff)
	}
	for i, item := range c.items {
		if !strings.Contains(string(item.Object), `"url":"`+item.URL+`"`) {
			t.Errorf("item %d: %s in %s", i, item.URL, item.Object)
		}
	}
}

func TestMereMentionDoesNotReplaceTheItem(t *testing.T) {
	t.Parallel()
	list := `{"@type":"ItemList","itemListElement":[{"@type":"ListItem","item":{"@type":"Movie","name":"M","url":"/m"}},{"@type":"Movie","name":"N","url":"/n"}]}`
	c := read(t, map[string]string{"a.json": `{"@type":"Movie","name":"M","url":"/m","description":"All about it."}`, "b.json": list}, Limits{})
	if !slices.Equal(c.urls, []string{"/m", "/n"}) || c.items[0].Description == "" {
		t.Errorf("%v", c.urls)
	}
}

// An address that was given and cannot be read must not become one that this program made up: rules
// on paths are written for the addresses that were given.
func TestItemWithAnUnreadableAddressIsLeftOut(t *testing.T) {
	t.Parallel()
	for _, address := range []string{
		"https://x .example/secret/1", "https://[::1/secret/3", "https:///x.example/secret/6",
		"https:/x.example/secret/7",
		"https:x.example/secret/8", "HTTPS:/x.example/secret/9", "https://x.example:port/secret", `https:\\\\x.example\\secret`,
		"https//x.example/secret", "///x.example/secret", "//x .example/secret", "www.x .example/secret",
		"htps://x.example/secret",
		"x.example:8080/secret", "https://x%zz.example/secret",
	} {
		for name, member := range map[string]string{"url": `"url":"` + address + `"`, "list": `"url":["` + address + `"],"@id":"https://x.example/shown"`, "@id": `"@id":"` + address + `"`} {
			if name == "@id" && !strings.HasPrefix(strings.ToLower(address), "https:") {
				continue // names of any other kind are no addresses
			}
			c := read(t, map[string]string{"a.jsonl": `{"@type":"Book","name":"n",` + member + `}`}, Limits{})
			if len(c.urls) > 0 || len(c.problems) != 1 || !strings.HasPrefix(c.problems[0], "a.jsonl:1: ") ||
				!strings.Contains(c.problems[0], "cannot be read") {
				t.Errorf("%s %s: %q, %q", name, address, c.urls, c.problems)
			}
		}
	}
}

func TestAddressIsMadeUpWhereNoneWasGiven(t *testing.T) {
	t.Parallel()
	for member, want := range map[string]string{
		`"url":""`: "/a.jsonl#n", `"url":null`: "/a.jsonl#n", `"url":"mailto:a@b.example"`: "/a.jsonl#n", `"mainEntityOfPage":{"@id":"ex:page"}`: "/a.jsonl#n", `"@id":"_:b0"`: "/a.jsonl#n",
		`"@id":"urn:isbn:9780000000002"`: "/a.jsonl#urn-isbn-9780000000002", `"@id":"book-7"`: "/a.jsonl#book-7",
		`"url":"x/y"`: "/x/y", `"url":"/x y"`: "/x%20y", `"url":"./x"`: "/x", `"url":"#x"`: "/a.jsonl#x", `"url":"?id=7"`: "/?id=7",
		`"url":"//www.example.com/z"`: "/z", `"url":["https://x .example/","/z"]`: "/z", `"url":"httpd/manual"`: "/httpd/manual",
	} {
		c := read(t, map[string]string{"a.jsonl": `{"@type":"Book","name":"n",` + member + `}`}, Limits{})
		if !slices.Equal(c.urls, []string{want}) || len(c.problems) > 0 {
			t.Errorf("%s: %q, %q; want %s", member, c.urls, c.problems, want)
		}
	}
}

func TestPartsOfAListWithAnUnreadableAddressAreLeftOut(t *testing.T) {
	t.Parallel()
	c := read(t, map[string]string{"a.json": `{"@type":"ItemList","url":"https:/x.example/secret","itemListElement":[` +
		`{"@type":"Book","name":"n","text":"t"},{"@type":"Book","name":"m","url":"/m","text":"t"}]}`}, Limits{})
	if !slices.Equal(c.urls, []string{"/m"}) || len(c.problems) != 1 {
		t.Errorf("%q, %q", c.urls, c.problems)
	}
}

func TestAdditionalTypesOfSchemaOrgAreTypes(t *testing.T) {
	t.Parallel()
	for members, want := range map[string][]string{
		`"@type":"Product","additionalType":"Book"`:                                                          {"Product", "Book"},
		`"@type":"Product","additionalType":"https://schema.org/Book"`:                                       {"Product", "Book"},
		`"@type":"CreativeWork","additionalType":["http://schema.org/Recipe","schema:NewsArticle","Recipe"]`: {"CreativeWork", "Recipe", "NewsArticle"},
		`"@type":"Product","additionalType":{"@id":"https://schema.org/Vehicle"}`:                            {"Product", "Vehicle"},
		`"@type":"Product","additionalType":"Product"`:                                                       {"Product"},
		`"@type":"Product","additionalType":"https://www.productontology.org/id/Book"`:                       {"Product"},
		`"@type":"Product","additionalType":"Thingamajig"`:                                                   {"Product"},
		`"additionalType":"Book"`:                                                                            {"Thing", "Book"},
	} {
		c := read(t, map[string]string{"a.jsonl": `{"name":"n","url":"/n",` + members + `}`}, Limits{})
		if len(c.items) != 1 || !slices.Equal(c.items[0].Types, want) {
			t.Errorf("%s: %v, %v", members, c.items, c.problems)
		}
	}
}

func TestWhatNestsTooDeepIsSaidToDoSo(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000),
		strings.Repeat(`{"@graph":[`, 5_000) + strings.Repeat("]}", 5_000),
		strings.Repeat(`{"@graph":`, 10_000) + "1" + strings.Repeat("}", 10_000),
	} {
		c := read(t, map[string]string{"deep.json": body}, Limits{})
		if len(c.items) > 0 || len(c.problems) != 1 ||
			!strings.Contains(c.problems[0], "nested deeper than 64 levels") || len(c.problems[0]) > 200 {
			t.Errorf("%.30s: %v, %q", body, c.items, c.problems)
		}
	}
}

// TestBlankLinesTakeNothing: a small compressed file may have a thousand million of them.
//
// Not parallel: it counts what is allocated.
func TestBlankLinesTakeNothing(t *testing.T) {
	r := readerAt("https://site.example/")
	r.Limits.Item = 1 << 20
	p := &Portion{Format: Lines, File: File{Name: "x.jsonl", Format: Lines}, Line: 1}
	p.Text = strings.Repeat("\n \r\n", 10_000)
	if n := testing.AllocsPerRun(1, func() { r.Read(p) }); n > 100 {
		t.Errorf("20,000 blank lines take %.0f allocations", n)
	}
	p.Text += "{"
	if out := r.Read(p); len(out.Problems) != 1 || !strings.Contains(out.Problems[0].Origin, ":20001") {
		t.Errorf("the line behind 20,000 blank ones makes %d problems", len(out.Problems))
	}
}
