package released

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"golang.org/x/net/html"

	"frontdesk/internal/content"
)

// prose is an article of some passages.
func prose(name string, passages ...string) *content.Item {
	item := &content.Item{URL: "https://site.example/a?b=1&c", Types: []string{"Article"}, Name: name, Language: "en",
		Object: []byte(`{"@type":"Article","name":"x"}`)}
	for _, text := range passages {
		item.Passages = append(item.Passages, content.Passage{Text: text})
	}
	return item
}

// seen are the tags of a page, but those around it all, each with its text.
func seen(t *testing.T, page []byte) (all []string) {
	t.Helper()
	root, err := html.Parse(bytes.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	for n := range root.Descendants() {
		if n.Type != html.ElementNode ||
			slices.Contains([]string{"html", "head", "body", "article", "meta", "link"}, n.Data) {
			continue
		}
		text := ""
		for inner := range n.Descendants() {
			if inner.Type == html.TextNode {
				text += inner.Data
			}
		}
		all = append(all, n.Data+": "+text)
	}
	return all
}

// odd are lines that Markdown or HTML would read as more than text.
var odd = []string{
	"# no heading", "#hashtag #", "####### seven", "#", "- no item", "-", "---", "- - -", "-- -", "-5 degrees",
	"+ no item", "+49 30", "* no item", "*** ***", "1. no item", "1) no", "1.5 litres", "2026", "12.",
	"> no quotation", "=====", "no *emphasis*, no **strong**, no _emphasis_, no __strong__, but snake_case and _x",
	"no `code`, ```no fence```", "```", "~~~", "~~kept~~",
	"[no link](https://x.example)", "![no picture](x.png)", "[no]: https://x.example",
	"<b>no tag</b> & <!-- no comment -->", "<script>alert(1)</script>", "&amp; &#65; &copy; & AT&T; a&b", `back\slash \* \`,
	"a | b", "https://x.example/a_b_c?d=1&e=2", "closing #", "closing ##", "tab\tbed", "# heading # and # more #",
	"\"quoted\" 'too'", "_", "*", "`", "\\", "é_ü_ _", "0123456789. x", "1234567890. x",
}

func TestMarkdownAndPagesSayTheTextAndNothingElse(t *testing.T) {
	t.Parallel()
	item := prose("Odd # *title* <b> #", odd...)
	item.Passages = append(item.Passages, content.Passage{Text: "two\nlines"})
	want := []string{"h1: " + item.Name}
	for _, line := range append(slices.Clone(odd), "two", "lines") {
		want = append(want, "p: "+line)
	}
	var rendered bytes.Buffer
	if err := goldmark.Convert(render(item, Markdown), &rendered); err != nil {
		t.Fatal(err)
	}
	if got := seen(t, rendered.Bytes()); !slices.Equal(got, want) {
		t.Errorf("Markdown:\n%s\n\n%s", strings.Join(got, "\n"), render(item, Markdown))
	}
	if got := seen(t, render(item, HTML)); !slices.Equal(got, append([]string{"title: " + item.Name}, want...)) {
		t.Errorf("HTML:\n%s\n\n%s", strings.Join(got, "\n"), render(item, HTML))
	}
}

func FuzzMarkdown(f *testing.F) {
	for _, line := range odd {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		line = strings.ToValidUTF8(strings.Join(strings.FieldsFunc(line, func(r rune) bool {
			return r <= ' ' || r == 0x7f || r == 0x85 || r == 0xa0 || r == 0xfffd
		}), " "), "")
		if strings.TrimSpace(line) != line || line == "" {
			return
		}
		var rendered bytes.Buffer
		if err := goldmark.Convert(render(prose("", line), Markdown), &rendered); err != nil {
			t.Fatal(err)
		}
		if got := seen(t, rendered.Bytes()); len(got) != 1 || got[0] != "p: "+line {
			t.Errorf("%q is read as %q", line, got)
		}
	})
}

func TestFormsOfAnItem(t *testing.T) {
	t.Parallel()
	article := prose("A title", "One.", "Two\nThree.")
	thing := prose("Soup", "Boil it.")
	thing.Types = []string{"Recipe"}
	bare := prose("Lamp")
	bare.Types = []string{"Product"}
	only := prose("Note", "Text.")
	only.Object = nil
	for name, c := range map[string]struct {
		item  *content.Item
		forms []string
	}{
		"a text":         {article, []string{PlainText, Markdown, HTML, LinkedObject}},
		"a thing":        {thing, []string{LinkedObject, PlainText, Markdown, HTML}},
		"a thing alone":  {bare, []string{LinkedObject}},
		"text and title": {only, []string{PlainText, Markdown, HTML}},
	} {
		if got := forms(c.item); !slices.Equal(got, c.forms) {
			t.Errorf("%s: %v", name, got)
		}
		media, body := RenderDefault(c.item)
		if media != c.forms[0] || !bytes.Equal(body, render(c.item, media)) {
			t.Errorf("%s: by itself it is %s", name, media)
		}
	}
	if got := string(render(article, PlainText)); got != "One.\n\nTwo\nThree." {
		t.Errorf("%q", got)
	}
	if got := string(render(article, Markdown)); got != "# A title\n\nOne.\n\nTwo\n\nThree.\n" {
		t.Errorf("%q", got)
	}
	if got := string(render(article, HTML)); got !=
		"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>A title</title>\n"+
			"<link rel=\"canonical\" href=\"https://site.example/a?b=1&amp;c\">\n</head>\n<body>\n<article>\n<h1>A "+
			"title</h1>\n<p>One.</p>\n<p>Two</p>\n<p>Three.</p>\n</article>\n</body>\n</html>\n" {
		t.Errorf("%q", got)
	}
	var object struct{ Name, Text string }
	if err := json.Unmarshal(render(article, LinkedObject), &object); err != nil || object.Name != "x" ||
		object.Text != "One.\n\nTwo\nThree." {
		t.Errorf("%s", render(article, LinkedObject))
	}
}
