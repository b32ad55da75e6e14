package markup

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// saying is a paragraph, each different.
func saying(i int) string {
	return fmt.Sprintf("Paragraph %d says what the page has to say, in words of its own, and comes to an end.", i)
}

func textOf(t *testing.T, page string) string {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, b := range mainText(root) {
		out = append(out, b.Text)
	}
	return strings.Join(out, "\n")
}

func TestMainTextLeavesOutWhatStandsAround(t *testing.T) {
	t.Parallel()
	text := "<p>" + saying(1) + "</p><p>" + saying(2) + "</p><p>" + saying(3) + "</p>"
	noise := "<p>We set cookies, dear reader, to know what you like, and we ask you kindly to accept them all.</p>"
	links := "<ul>" + strings.Repeat("<li><a href=/x>Another page of the same site with a long name</a></li>", 12) +
		"</ul>"
	for name, page := range map[string]string{
		"an element's kind": "<nav>" + noise + "</nav><div>" + text + "</div><aside>" + noise +
			"</aside><footer>" + noise + "</footer>",
		"a class": "<div class='cookie-banner'>" + noise + "</div><div class=post>" + text +
			"</div><div class='postComments'>" + noise + "</div>",
		"an id":                     "<div id=site_footer>" + noise + "</div><div>" + text + "</div>",
		"more comments than text":   "<div>" + text + "</div><div id=comments>" + strings.Repeat(noise, 20) + "</div>",
		"a role":                    "<div role=dialog>" + noise + "</div><div>" + text + "</div>",
		"a style":                   "<div style='display: none'>" + noise + "</div><div>" + text + "</div>",
		"links":                     "<div>" + links + text + links + "</div>",
		"a form in the text":        "<div>" + text + "<form>" + noise + "</form></div>",
		"a heading of nothing":      "<div>" + text + "<h3>You may also like</h3>" + links + "</div>",
		"the mark of the main part": "<div>" + noise + "</div><main>" + text + text + "</main>",
	} {
		got := textOf(t, "<html><body>"+page+"</body></html>")
		if !strings.HasPrefix(got, saying(1)+"\n"+saying(2)+"\n"+saying(3)) || strings.Contains(got, "cookies") ||
			strings.Contains(got, "Another") || strings.Contains(got, "also like") {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestMainTextKeepsWhatOnlyLooksLikeSurroundings(t *testing.T) {
	t.Parallel()
	text := "<p>" + saying(1) + "</p><p>" + saying(2) + "</p><p>" + saying(3) + "</p>"
	for name, page := range map[string]string{
		"a page in a form":               "<form id=aspnetForm>" + text + "</form>",
		"a body that a script will show": "<div style='visibility:hidden'></div>" + text,
		"a name of what is beside":       "<div class='content has-sidebar no-comments'>" + text + "</div>",
		"widgets that make up the page": "<div class=elementor-widget>" +
			strings.ReplaceAll(text, "</p><p>", "</p></div><div class=elementor-widget><p>") + "</div>",
		"a menu of a restaurant": "<div class=menu-section><p>" + saying(1) +
			"</p></div><div class=menu-section><p>" + saying(2) + "</p></div><div class=menu-section><p>" + saying(3) +
			"</p></div>",
		"a chapter named by a sentence": "<div>" + text + "</div><div id=sharing-with-a-single-developer></div>",
		"comments alone":                "<div class=comments>" + text + "</div>",
		"a page without elements":       strings.ReplaceAll(strings.ReplaceAll(text, "<p>", ""), "</p>", "<br><br>"),
		"a table for a layout":          "<table><tr><td><a href=/>Home</a><td>" + text + "</table>",
		"a script without blanks": "<p>" + strings.Repeat("最初に見たものは戸口の上に掛かっていて、誰が作ったのか誰も知らなかった。", 3) + "</p>" +
			text,
	} {
		got := textOf(t, "<html><body style='visibility:hidden'>"+page+"</body></html>")
		if !strings.Contains(got, saying(1)) || !strings.Contains(got, saying(2)) || !strings.Contains(got, saying(3)) {
			t.Errorf("%s: %q", name, got)
		}
	}
}
