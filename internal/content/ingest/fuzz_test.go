package ingest

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/fstest"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"frontdesk/internal/content"
	"frontdesk/internal/content/ingest/jsonrepair"
	"frontdesk/internal/content/ingest/passage"
	"frontdesk/internal/infra/fetch"
)

// fuzzed is a worker, and a unit of the given form, to be worked on without the net that catches faults.
func fuzzed(name, text string) (worker, *unit) {
	base, _ := folder("https://www.example.com/")
	f, _ := formOf(name)
	u := &unit{file: file{name: name, form: f}, form: f, text: text, line: 1}
	if f == documentForm {
		u.text = decode([]byte(text))
	}
	return worker{source: &Source{Site: "www.example.com", Name: "fuzz"}, base: base, limits: Limits{}.withDefaults()}, u
}

// checkResult holds what every item and problem promises.
func checkResult(t *testing.T, r *result) {
	t.Helper()
	for _, p := range r.problems {
		if p.Origin == "" || p.Reason == "" || !utf8.ValidString(p.Reason) || strings.Contains(p.Reason, "\n") {
			t.Fatalf("problem %q", p)
		}
	}
	for i := range r.drafts {
		checkItem(t, r.drafts[i].Item)
	}
}

func checkItem(t *testing.T, i content.Item) {
	t.Helper()
	if u, err := url.Parse(i.URL); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		t.Fatalf("URL %q: %v", i.URL, err)
	}
	if again := absolute(i.URL, nil); again != i.URL {
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
		if p.ID == "" || ids[p.ID] || strings.TrimSpace(p.Text) == "" || !utf8.ValidString(p.Text) || passage.Words(p.Text) > passage.Most {
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
		w, u := fuzzed("a.jsonl", text)
		var r result
		w.lines(u, &r)
		checkResult(t, &r)
		w, u = fuzzed("a.json", text)
		r = result{}
		w.text(&r, &piece{file: u.file, text: u.text, line: 1, page: pageAddress(w.base, u.file.name), base: w.base})
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
		w, u := fuzzed("dir/page.html", text)
		var r result
		w.page(u, &r)
		checkResult(t, &r)
	})
}

func FuzzMarkdownBecomesAnItem(f *testing.F) {
	for _, s := range []string{
		"---\ntitle: T\ntags: [a, b]\ndate: 2020-01-01\nauthor: {name: x}\n---\n# T\n\ntext *em* [l](u) ![i](p)\n\n- a\n  - b\n\n| a | b |\n|---|---|\n| c | d |\n",
		"+++\nx = 1\n+++\ntext", "# only\n", "\x00", "```\ncode\n```\n<div>html</div>\n", "---\ntype: [Recipe, x]\nurl: /x\nslug: y\ndraft: no\n---\n", "term\n: definition\n\n> quote\n",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 4<<10 {
			t.Skip()
		}
		w, u := fuzzed("dir/page.md", text)
		var r result
		w.markdown(u, &r)
		checkResult(t, &r)
	})
}

func FuzzFrontMatterIsReadOrRefused(f *testing.F) {
	for _, s := range []string{"a: 1\nb: [x, {y: z}]\n", "a: &x 1\nb: *x", "<<: {a: 1}", "a: |\n  text\n  more\n", "- a\n- b", "? a\n: b", "a: !!str 1\nb: .inf\nc: 0x1f\nd: 1_000", "\"q\": 'r'", "%YAML 1.2\n---\na: b"} {
		f.Add("---", s)
	}
	for _, s := range []string{"a = 1\nb = [\"x\", {y = \"z\"}]\n", "a.b.c = true\n[a]\nd = 1979-05-27T07:32:00Z\n[[e]]\nf = 'g'\n[[e]]\n", "a = \"\"\"\ntext\n\"\"\"", "[a]\n[a.b]\n[[a]]\n", "a = 0x1f\nb = inf\nc = 1_000", "a = [\n# x\n1, ]", "a = {}\na.b = 1\n"} {
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
	whole := zip(f, books(3))
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

func FuzzPlainTextHoldsNoMarkup(f *testing.F) {
	for _, s := range []string{"<p>a</p>", "a &amp; b", "&lt;b&gt;x&lt;/b&gt;", "a < b > c", "<script>x</script>y<p>", "<pre>a\n b</pre>", "<p", "&#0;&#xd800;&nbsp;", "<b <i>x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		s = strings.ToValidUTF8(s, "?")
		for _, name := range []bool{false, true} {
			if got := plain(s, name); !utf8.ValidString(got) || len(got) > 8*len(s)+8 {
				t.Fatalf("%q became %q", s, got)
			}
		}
		if got := inline(s); strings.ContainsAny(got, "\n\t") || strings.TrimSpace(got) != got {
			t.Fatalf("%q became %q", s, got)
		}
	})
}

func FuzzAddressesHaveOneForm(f *testing.F) {
	for _, s := range []string{"HTTP://A.example:80/x/../y?utm_x=1&b=%20#f", "//b.example", "x y", "javascript:x", "http://[::1]/", "https://ü.example/ä", "?q", "#", "http://a:b@c.example/", "www.d.example", "http://e.example/%zz", "https://f.example/a|b?c|d", "//:", "//::", "//a:80:80/", "? #", strings.Repeat("ü", 4000)} {
		f.Add(s)
	}
	base, _ := url.Parse("https://www.example.com/dir/page")
	f.Fuzz(func(t *testing.T, raw string) {
		address := absolute(raw, base)
		if address == "" {
			return
		}
		u, err := url.Parse(address)
		if err != nil || u.Host == "" || u.User != nil {
			t.Fatalf("%q became %q: %v", raw, address, err)
		}
		if again := absolute(address, nil); again != address {
			t.Fatalf("%q became %q and then %q", raw, address, again)
		}
	})
}

// FuzzVisitedPage reads any answer of a web server as a page, a feed and a list.
func FuzzVisitedPage(f *testing.F) {
	f.Add(`<base href="x/"><a href="?PHPSESSID=1">a</a><meta http-equiv=refresh content="0;url=/b"><meta name=robots content=none>`, "text/html; charset=koi8-r", "noindex, frontdesk: none")
	f.Add(`<rss><channel><item><title>a</title><link>/b</link><description>&lt;p&gt;c</description></item></channel></rss>`, "application/rss+xml", "")
	f.Add(`<feed xmlns="http://www.w3.org/2005/Atom"><entry><title type="xhtml"><div>a</div></title><link href="b"/></entry></feed>`, "application/atom+xml", "all")
	f.Add(`{"version":"https://jsonfeed.org/version/1.1","items":[{"id":"1","title":"a"}]}`, "application/json", "")
	f.Add("\x1f\x8b", "application/gzip", "")
	at, _ := url.Parse("https://x.example/a/b?c=d")
	source := Source{Site: "x.example", Web: &Web{URL: "https://x.example/", Agent: "frontdesk"}}
	f.Fuzz(func(t *testing.T, body, media, robots string) {
		header := http.Header{"Content-Type": {media}, "X-Robots-Tag": {robots}}
		v := &visit{address: at, at: at, looks: true}
		v.response = &fetch.Response{URL: at.String(), Status: 200, Header: header, Body: []byte(body)}
		c := newCrawl(&source, "https://x.example/", Limits{}.withDefaults())
		c.sniff(v)
		w := worker{source: &source, base: at, limits: Limits{}.withDefaults()}
		for _, form := range []form{pageForm, feedForm} {
			r := w.work(&unit{visit: v, file: file{name: at.String()}, form: form, text: body, media: media})
			for _, p := range r.problems {
				if strings.Contains(p.Reason, "a fault of the program") && form == pageForm {
					t.Errorf("%+v", p)
				}
			}
			if r.sight == nil {
				continue
			}
			if len(r.sight.links) > mostLinks {
				t.Errorf("%d links", len(r.sight.links))
			}
			for _, link := range r.sight.links {
				if u, err := url.Parse(link); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Fragment != "" || u.User != nil {
					t.Errorf("a link to %q", link)
				}
			}
		}
	})
}

// FuzzRecollection reads what may stand in a damaged database.
func FuzzRecollection(f *testing.F) {
	whole, err := (&recollection{ETag: "e", Items: []string{"a", "b"}, Links: []string{"c"}}).encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, state []byte) {
		m := recalled(state)
		if m == nil {
			return
		}
		again, err := m.encode()
		if err != nil {
			t.Fatal(err)
		}
		if back := recalled(again); !cmp.Equal(m, back) {
			t.Errorf("%+v, then %+v", m, back)
		}
	})
}
