package document

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"
	"testing/fstest"
	"unicode/utf8"

	"frontdesk/internal/content"
	"frontdesk/internal/content/ingest/charset"
	"frontdesk/internal/content/ingest/jsonrepair"
	"frontdesk/internal/content/ingest/pageurl"
	"frontdesk/internal/content/ingest/passage"
	"frontdesk/internal/testkit/contenttest"
)

// fuzzed is a reader, and a portion of the given form, to be read without the net that catches
// faults.
func fuzzed(name, text string) (Reader, *Portion) {
	base, _ := pageurl.AsFolder("https://www.example.com/")
	f, _ := FormatOf(name)
	p := &Portion{File: File{Name: name, Format: f}, Format: f, Text: text, Line: 1}
	if f == JSON {
		p.Text = charset.DecodeJSON([]byte(text))
	}
	return Reader{Base: base, Limits: Limits{}.WithDefaults()}, p
}

// checkResult holds what every item and problem promises.
func checkResult(t *testing.T, r *Result) {
	t.Helper()
	for _, p := range r.Problems {
		if p.Origin == "" || p.Reason == "" || !utf8.ValidString(p.Reason) || strings.Contains(p.Reason, "\n") {
			t.Fatalf("problem %q", p)
		}
	}
	for i := range r.Drafts {
		checkItem(t, r.Drafts[i].Item)
	}
}

func checkItem(t *testing.T, i content.Item) {
	t.Helper()
	if u, err := url.Parse(i.URL); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		t.Fatalf("URL %q: %v", i.URL, err)
	}
	if again := pageurl.Absolute(i.URL, nil); again != i.URL {
		t.Fatalf("URL %q is not in its normal form, %q", i.URL, again)
	}
	if len(i.Types) == 0 || i.Types[0] == "" || i.Origin == "" {
		t.Fatalf("types %q, origin %q", i.Types, i.Origin)
	}
	if strings.TrimSpace(i.Name) == "" && len(i.Passages) == 0 {
		t.Fatal("an item with neither name nor text")
	}
	for _, s := range []string{i.Name, i.Description, i.Keys, i.Language, i.Image, i.Publisher} {
		if !utf8.ValidString(s) || strings.TrimSpace(s) != s || strings.ContainsRune(s, 0) {
			t.Fatalf("text %q", s)
		}
	}
	if strings.ContainsAny(i.Name, "\n\t") {
		t.Fatalf("name %q", i.Name)
	}
	ids := map[string]bool{}
	for _, p := range i.Passages {
		if p.ID == "" || ids[p.ID] || strings.TrimSpace(p.Text) == "" || !utf8.ValidString(p.Text) ||
			passage.Words(p.Text) > passage.MaxWords {
			t.Fatalf("passage %q (%d words)", p, passage.Words(p.Text))
		}
		ids[p.ID] = true
	}
	var object map[string]any
	if err := json.Unmarshal(i.Object, &object); err != nil || !utf8.Valid(i.Object) {
		t.Fatalf("object %q: %v", i.Object, err)
	}
	if object["url"] != i.URL || object["@type"] == nil || object["@context"] != nil {
		t.Fatalf("object %s of %s", i.Object, i.URL)
	}
}

func FuzzLinesBecomeItems(f *testing.F) {
	for _, s := range []string{
		`{"@type":"Recipe","name":"x","url":"/x","recipeInstructions":[{"@type":"HowToStep","text":"<p>a</p>"}]}`,
		`{"@graph":[{"@id":"#a","@type":"Article","headline":"h","author":{"@id":"#b"}},{"@id":"#b","name":"B","knows":{"@id":"#a"}}]}`,
		`{"@type":"ItemList","itemListElement":[{"item":{"@id":"x","name":"y"}},{"url":"z","description":"d"}]}`,
		`{"@type":"FAQPage","mainEntity":[{"@type":"Question","name":"q","acceptedAnswer":{"text":"a"}}]}`,
		`{"@type":["a","b"],"name":[{"@value":"x","@language":"de"},{"@value":"y","@language":"en"}],"image":[{"url":["https://i.example/"]}]}`,
		`{"http://schema.org/name":[{"@value":"x"}],"@id":"urn:x","url":["",{"@id":"http://[::1]:80/?utm_a=b#"}],"datePublished":"2020"}`,
		`[1,[[{"name":"&lt;b&gt;x"}]]]`, "{\"name\":\"a\\u0000\\u2028\"}\n{'text':'b'}", `{"type":"Event","id":"#x","name":{"name":{"name":"deep"}}}`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		w, p := fuzzed("a.jsonl", text)
		var r Result
		w.lines(p, &r)
		checkResult(t, &r)
		w, p = fuzzed("a.json", text)
		r = Result{}
		w.text(&r,
			&piece{file: p.File, text: p.Text, line: 1, page: pageurl.FromFile(w.Base, p.File.Name), base: w.Base})
		checkResult(t, &r)
	})
}

func FuzzPageBecomesItems(f *testing.F) {
	for _, s := range []string{
		`<html lang=de><head><title>T</title><link rel=canonical href=/c><script type=application/ld+json>{"@type":"Article","headline":"x"}</script></head><p>Text`,
		`<div itemscope itemtype=http://schema.org/Product itemref=a><b itemprop="name url">x</b><div itemprop=offers itemscope><i itemprop=price content=1></i></div></div><p id=a itemprop=color>red`,
		`<meta property=og:title content=O><meta property=og:image content=//i.example/x><base href=/b/><main><h1>O</h1><ul><li>a<li>b</ul><table><tr><td>1<td>2</table></main>`,
		`<script type=application/ld+json><!-- {"@graph":[{"@type":"WebPage","mainEntity":{"@id":"#m"}},{"@id":"#m","@type":"Recipe","name":"r"}]} --></script>`,
		"\xff\xfe<\x00p\x00>\x00x\x00", `<p itemscope itemtype="http://schema.org/">x`, `<svg><title>x</title></svg><template><p>y</template><pre>a` + "\n\nb</pre>",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		w, p := fuzzed("dir/page.html", text)
		var r Result
		w.page(p, &r)
		checkResult(t, &r)
	})
}

func FuzzMarkdownBecomesAnItem(f *testing.F) {
	for _, s := range []string{
		"---\ntitle: T\ntags: [a, b]\ndate: 2020-01-01\nauthor: {name: x}\n---\n# T\n\ntext *em* [l](u) " +
			"![i](p)\n\n- a\n  - b\n\n| a | b |\n|---|---|\n| c | d |\n",
		"+++\nx = 1\n+++\ntext", "# only\n", "\x00", "```\ncode\n```\n<div>html</div>\n",
		"---\ntype: [Recipe, x]\nurl: /x\nslug: y\ndraft: no\n---\n", "term\n: definition\n\n> quote\n",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 4<<10 {
			t.Skip()
		}
		w, p := fuzzed("dir/page.md", text)
		var r Result
		w.markdown(p, &r)
		checkResult(t, &r)
	})
}

func FuzzFrontMatterIsReadOrRefused(f *testing.F) {
	for _, s := range []string{"a: 1\nb: [x, {y: z}]\n", "a: &x 1\nb: *x", "<<: {a: 1}", "a: |\n  text\n  more\n",
		"- a\n- b", "? a\n: b", "a: !!str 1\nb: .inf\nc: 0x1f\nd: 1_000", "\"q\": 'r'", "%YAML 1.2\n---\na: b"} {
		f.Add("---", s)
	}
	for _, s := range []string{"a = 1\nb = [\"x\", {y = \"z\"}]\n",
		"a.b.c = true\n[a]\nd = 1979-05-27T07:32:00Z\n[[e]]\nf = 'g'\n[[e]]\n", "a = \"\"\"\ntext\n\"\"\"",
		"[a]\n[a.b]\n[[a]]\n", "a = 0x1f\nb = inf\nc = 1_000", "a = [\n# x\n1, ]", "a = {}\na.b = 1\n"} {
		f.Add("+++", s)
	}
	f.Fuzz(func(t *testing.T, mark, matter string) {
		if len(matter) > 4<<10 {
			t.Skip()
		}
		n, err := readMatter(mark, strings.ToValidUTF8(matter, "?"))
		if err != nil {
			if err.Error() == "" || strings.Contains(err.Error(), "\n") {
				t.Fatalf("error %q", err)
			}
			return
		}
		if !n.IsObject() || !json.Valid(jsonrepair.Append(nil, n)) {
			t.Fatalf("%q gave %s", matter, jsonrepair.Append(nil, n))
		}
	})
}

func FuzzCompressedBytesDoNoHarm(f *testing.F) {
	whole := contenttest.Gzip(f, books(3))
	f.Add([]byte(whole))
	f.Add([]byte(whole[:len(whole)/2]))
	f.Add([]byte(whole + whole))
	f.Add([]byte("\x1f\x8b"))
	f.Fuzz(func(t *testing.T, data []byte) {
		from := fstest.MapFS{"a.jsonl.gz": {Data: data}, "b.json.gz": {Data: data}, "c.html.gz": {Data: data}}
		c := readFS(t, from, Limits{Unpacked: 1 << 20, Document: 1 << 20, Page: 1 << 20, Item: 1 << 16})
		for _, i := range c.items {
			checkItem(t, i)
		}
	})
}

// saying is a paragraph.
const saying = "The paragraph says what the page has to say, in words of its own, and comes to an end."

// What a page costs grows with its size alone, however it is built: a megabyte of each of these
// takes no time to speak of, and would take hours if each part of it had to do with each other.
func TestMainTextOfHostilePagesIsFound(t *testing.T) {
	t.Parallel()
	const size = 1 << 20
	fill := func(s string) string { return strings.Repeat(s, size/len(s)) }
	for name, page := range map[string]string{
		"names":    "<div class='" + fill("comment-a ") + "'>" + saying + "</div>",
		"suspects": fill("<div class=comment>" + saying + "</div>"),
		"nesting":  fill(strings.Repeat("<div class=related>", 60) + saying + strings.Repeat("</div>", 60)),
		"inline":   fill("<b><i><a href=x>"),
		"titles":   "<title>" + fill("a | ") + "</title><h1>" + fill("a - ") + "</h1><p>" + saying,
		"metas":    fill("<meta charset="),
	} {
		w, p := fuzzed("page.html", page)
		var r Result
		w.page(p, &r)
		checkResult(t, &r)
		if len(r.Drafts)+len(r.Problems) == 0 {
			t.Errorf("%s vanished without a word", name)
		}
	}
}
