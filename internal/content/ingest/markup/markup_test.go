package markup

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/net/html"
)

// TestAttributesAreCountedAsTheTokenizerReadsThem compares the count with the tokenizer's own.
func TestAttributesAreCountedAsTheTokenizerReadsThem(t *testing.T) {
	t.Parallel()
	for tag, want := range map[string]int{
		"<a>": 0, "<a b>": 1, "<a/b/c=d/e f>": 3, `<a b=">" c='"' d = e f>g`: 4, "<a =b c==d>": 2,
		`<a b=x" c="> d">e`: 2, "<br/>": 0, "</a b>": 0, "3 < 4": 0, "": 0, "<a b=": 1,
	} {
		if got := attributesIn(tag); got != want {
			t.Errorf("%q: %d, want %d", tag, got, want)
		}
		z := html.NewTokenizer(strings.NewReader(tag))
		if kind := z.Next(); kind != html.StartTagToken && kind != html.SelfClosingTagToken {
			continue
		}
		read := 0
		for _, more := z.TagName(); more; read++ {
			_, _, more = z.TagAttr()
		}
		if read != want {
			t.Errorf("%q: the tokenizer reads %d, want %d", tag, read, want)
		}
	}
}

// TestFormattingKeepsItsNames holds that the tree is that of a browser where formatting elements
// are closed.
func TestFormattingKeepsItsNames(t *testing.T) {
	t.Parallel()
	const page = `<html><head><title>a<b</title></head><body><p>1 <b CLASS="x">2 <code>3</code></b> <A b c d e href="/">4</a> <a href="/">5</a></p>` +
		`<pre><code>x &lt; y</code></pre><svg><title>a</title><a b c d e href="/">6</a></svg><script>if (a<b) {}</script><B-X>7</B-X></body></html>`
	want, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	p := Read(page, nil)
	var a, b strings.Builder
	if err := errors.Join(html.Render(&a, want), html.Render(&b, p.source.tree())); err != nil {
		t.Fatal(err)
	}
	if got := strings.ReplaceAll(b.String(), "(a b)", "(a<b)"); got != a.String() {
		t.Errorf("%s\nwant %s", got, a.String())
	}
}

func FuzzPlainTextHoldsNoMarkup(f *testing.F) {
	for _, s := range []string{"<p>a</p>", "a &amp; b", "&lt;b&gt;x&lt;/b&gt;", "a < b > c", "<script>x</script>y<p>",
		"<pre>a\n b</pre>", "<p", "&#0;&#xd800;&nbsp;", "<b <i>x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		s = strings.ToValidUTF8(s, "?")
		for _, name := range []bool{false, true} {
			if got := Plain(s, name); !utf8.ValidString(got) || len(got) > 8*len(s)+8 {
				t.Fatalf("%q became %q", s, got)
			}
		}
		if got := PlainLine(s); strings.ContainsAny(got, "\n\t") || strings.TrimSpace(got) != got {
			t.Fatalf("%q became %q", s, got)
		}
	})
}
