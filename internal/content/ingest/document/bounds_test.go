package document

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"frontdesk/internal/content"
)

// allocated is how many bytes reading one page allocates, all in all, and what became of it.
func allocated(t *testing.T, page string) (bytes uint64, names, problems []string) {
	t.Helper()
	from := fstest.MapFS{"page.html": &fstest.MapFile{Data: []byte(page)}}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := itemsOf(t.Context(), readerAt("https://www.example.com/"), from, func(i content.Item) {
		names = append(names, i.Name)
	}, func(p Problem) { problems = append(problems, p.Origin+": "+p.Reason) })
	runtime.ReadMemStats(&after)
	if err != nil {
		t.Fatal(err)
	}
	return after.TotalAlloc - before.TotalAlloc, names, problems
}

// TestAHostilePageTakesBoundedMemory reads pages that ask for far more memory than they are long.
//
// Not parallel: what others allocate meanwhile would count.
func TestAHostilePageTakesBoundedMemory(t *testing.T) {
	numbered := func(n int) string {
		var out strings.Builder
		for i := range n {
			fmt.Fprintf(&out, " a%d", i)
		}
		return out.String()
	}
	fonts := func(n int, tag string) string {
		var out strings.Builder
		for i := range n {
			fmt.Fprintf(&out, "<%s a%d>", tag, i)
		}
		return out.String()
	}
	const head = `<!doctype html><html lang="en"><head><title>Leek soup</title></head><body><h1>Leek soup</h1><p>` +
		`Leek soup is warm, and it is for everybody who likes leeks, potatoes and cream, and has an hour to cook.</p>`
	for _, c := range []struct {
		name, page string
		most       uint64 // MiB
		over       string
	}{
		{"attributes in one tag", head + "<div" + numbered(1_500_000) + ">", 160, "200,000 attributes"},
		{"attributes in many tags", head + strings.Repeat("<p a b c d e f g h i j>x", 150_000), 160,
			"200,000 attributes"},
		{"tags", head + strings.Repeat("<i>x</i><p>", 1_000_000), 260, "400,000 tags"},
		{"tags that a tokenizer takes for a style", head + "<svg><style>" + strings.Repeat("<a b c d/>", 1_000_000),
			260, ""},
		{"tags in what is a comment by itself",
			head + "<svg><![CDATA[ > <!-- ]]>" + strings.Repeat("<a b c d/>", 1_000_000), 260, ""},
		{"formatting that is opened again", head + "<p>" + fonts(400, "font") + strings.Repeat("<p>x", 10_000), 24, ""},
		{"formatting with many attributes",
			head + "<p><b" + numbered(1000) + ">" + strings.Repeat("<div>", 100) + strings.Repeat("</b><p>y", 2_000),
			24, ""},
		{"a link with many attributes", head + "<p><a" + numbered(1000) + ">" + strings.Repeat("<p>x", 10_000), 24, ""},
		{"a link with a few attributes", head + "<p><a b c d e>" + strings.Repeat("<p>x", 399_000), 160,
			"400,000 tags"},
		{"a link that is left open",
			head + "<p><a b c d e>" + strings.Repeat("<div>", 200) + "</a>" + strings.Repeat("<p>x", 399_000), 160,
			"400,000 tags"},
		{"a link with odd quotes", head + `<p><a b=x" c=">" ` + numbered(1000) + ">" + strings.Repeat("<p>x", 10_000), 24, ""},
	} {
		bytes, names, problems := allocated(t, c.page)
		t.Logf("%s: %d KiB give %d MiB; %v", c.name, len(c.page)>>10, bytes>>20, problems)
		if bytes>>20 > c.most {
			t.Errorf("%s: %d KiB take %d MiB, more than %d", c.name, len(c.page)>>10, bytes>>20, c.most)
		}
		if len(names) != 1 || names[0] != "Leek soup" {
			t.Errorf("%s: it gave %q", c.name, names)
		}
		if told := strings.Join(problems, "; "); (c.over != "") != (told != "") || !strings.Contains(told, c.over) ||
			c.over != "" && !strings.Contains(told, "page.html") {
			t.Errorf("%s: told %q", c.name, told)
		}
	}
}
