package robots_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/infra/fetch/robots"
)

func TestTheLongestPatternThatMatchesDecides(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		rules   string
		allowed string // paths, divided by blanks
		barred  string
	}{
		{"", "/ /a", ""},
		{"Disallow:", "/ /a", ""},
		{"Disallow: /", "/robots.txt", "/ /a /robots.txt.html /robots.txt?x"},
		{"Disallow: /a", "/ /b /A /b/a", "/a /ab /a/b /a?b"},
		{"Disallow: /a/", "/a /ab", "/a/ /a/b"},
		{"Disallow: a", "/b", "/a"},
		{"Disallow: /a\nAllow: /a/b", "/a/b /a/bc", "/a /a/c"},
		{"Allow: /a/b\nDisallow: /a", "/a/b /a/bc", "/a /a/c"},
		{"Allow: /a\nDisallow: /a", "/a /ab", ""}, // of two equally long ones the kinder
		{"Disallow: /a\nAllow: /a", "/a /ab", ""},
		{"Disallow: /\nAllow: /$", "/", "/a /$"},
		{"Disallow: /*.gif$", "/a.gif? /a.gifs /gif /a.GIF", "/.gif /a.gif /a/b.gif /a.gif.gif /a?b=c.gif"},
		{"Disallow: /a*b*c", "/abab /cba", "/abc /axxbxxc /abcd /a/b/c?d"},
		{"Disallow: *a", "/ /b", "/a /ba"},
		{"Disallow: *", "", "/ /a"},
		{"Disallow: /a**b", "/a", "/ab /axb"},
		{"Disallow: /a*$", "/", "/a /ab"},
		{"Disallow: /a$b", "/a", "/a$b /a$bc"},
		{"Disallow: /a*b$", "/aab?", "/ab /abb /abab"},
		{"Disallow: /?q=", "/", "/?q= /?q=x"},
		{"Disallow: /*?", "/a", "/? /a?b"},
		// What is percent-encoded and need not be is the same as what is not (RFC 9309 §2.2.2).
		{"Disallow: /%61%7e", "/a", "/a~ /%61~ /a%7E"},
		{"Disallow: /a~", "/a", "/a~ /%61%7e"},
		{"Disallow: /a%2fb", "/a/b", "/a%2Fb /a%2fb"},
		{"Disallow: /a/b", "/a%2Fb", "/a/b"},
		{"Disallow: /ツ", "/", "/ツ /%E3%83%84 /%e3%83%84x"},
		{"Disallow: /%E3%83%84", "/", "/ツ"},
		{"Disallow: /%zz", "/zz", "/%zz"},
		{"Disallow: /a%2Ab", "/axb /a*b", "/a%2Ab /a%2ab"},
	} {
		rules := robots.Parse([]byte("User-agent: *\n" + row.rules + "\n"))
		for path := range strings.FieldsSeq(row.allowed) {
			if !rules.Allowed("Guest/1", path) {
				t.Errorf("%q bars %s", row.rules, path)
			}
		}
		for path := range strings.FieldsSeq(row.barred) {
			if rules.Allowed("Guest/1", path) {
				t.Errorf("%q allows %s", row.rules, path)
			}
		}
	}
}

func TestAVisitorHeedsTheGroupThatNamesIt(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		text   string
		barred string // of the paths /1 to /4
	}{
		"its own": {"User-agent: other\nDisallow: /1\nUser-agent: guest\nDisallow: " +
			"/2\nUser-agent: *\nDisallow: /3", "/2"},
		"everyone's when none names it": {"User-agent: other\nDisallow: /1\nUser-agent: *\nDisallow: /3", "/3"},
		"none when there is none":       {"User-agent: other\nDisallow: /1", ""},
		"in capitals":                   {"USER-AGENT: GUEST\nDISALLOW: /2", "/2"},
		"with a version": {"User-agent: Guest/9.9 (x)\nDisallow: /2\nUser-agent: *\nDisallow: /3",
			"/2"},
		"not one that begins alike": {"User-agent: gue\nDisallow: /1\nUser-agent: guests\nDisallow: /2", ""},
		"several names": {"User-agent: other\nUser-agent: guest\nDisallow: /1\nUser-agent: " +
			"*\nDisallow: /3", "/1"},
		"several groups": {"User-agent: guest\nDisallow: /1\nUser-agent: x\nDisallow: " +
			"/2\nUser-agent: guest\nDisallow: /3", "/1 /3"},
		"everyone's in several groups": {"User-agent: *\nDisallow: /1\nUser-agent: x\nDisallow: /2\nUser-agent: " +
			"*\nDisallow: /3", "/1 /3"},
		"its own without rules":          {"User-agent: *\nDisallow: /\nUser-agent: guest\nDisallow:", ""},
		"its own at the end of the file": {"User-agent: *\nDisallow: /1\nUser-agent: guest", ""},
		"rules before any group":         {"Disallow: /1\nUser-agent: guest\nDisallow: /2", "/2"},
		"blank lines within":             {"User-agent: guest\n\n\nDisallow: /1\n\nDisallow: /2", "/1 /2"},
		"other lines within": {"User-agent: guest\nSitemap: https://x.example/\nNoindex: " +
			"/3\nUser-agent: other\nDisallow: /1", "/1"},
		"a delay ends the names": {"User-agent: x\nCrawl-delay: 1\nUser-agent: guest\nDisallow: /1", "/1"},
		"blanks":                 {"  User-agent \t:\tguest  \n\tDisallow : /1 \t # why\n#Disallow: /2", "/1"},
		"no blanks":              {"User-agent:guest\nDisallow:/1", "/1"},
		"other line ends": {"User-agent: guest\rDisallow: /1\r\nDisallow: /2\n\rDisallow: /3",
			"/1 /2 /3"},
		"a byte order mark":        {"\xef\xbb\xbfUser-agent: guest\nDisallow: /1", "/1"},
		"a page instead of a file": {"<!DOCTYPE html>\n<p style='a:b'>User-agent: guest Disallow: /</p>", ""},
		"bytes":                    {"\x00\xff\nUser-agent: guest\n\xfe: \x00\nDisallow: /1", "/1"},
	} {
		rules := robots.Parse([]byte(row.text))
		for i := 1; i <= 4; i++ {
			path := fmt.Sprintf("/%d", i)
			if barred := slices.Contains(strings.Fields(row.barred),
				path); rules.Allowed("Guest/1.0 (+https://guest.example)", path) == barred {
				t.Errorf("%s: %s barred should be %t", name, path, barred)
			}
		}
	}
}

func TestMapsAndDelaysAreFound(t *testing.T) {
	t.Parallel()
	rules := robots.Parse([]byte("sitemap: https://x.example/1\nUser-agent: guest\nCrawl-delay: " +
		"2.5\nSITEMAP:https://x.example/2?a:b\n" +
		"Schemamap: https://x.example/map.xml\nUser-agent: slow\nCrawl-delay: -3\nUser-agent: *\nCrawl-delay: " +
		"soon\nsitemap:\n"))
	if want := []string{"https://x.example/1", "https://x.example/2?a:b"}; !slices.Equal(rules.Sitemaps, want) {
		t.Errorf("sitemaps %q", rules.Sitemaps)
	}
	if want := []string{"https://x.example/map.xml"}; !slices.Equal(rules.Schemamaps, want) {
		t.Errorf("schemamaps %q", rules.Schemamaps)
	}
	for agent, want := range map[string]time.Duration{"Guest/1": 2500 * time.Millisecond, "slow": 0, "other": 0} {
		if delay := rules.CrawlDelay(agent); delay != want {
			t.Errorf("%s: %v", agent, delay)
		}
	}
	var none *robots.Rules
	if !none.Allowed("guest", "/") || none.CrawlDelay("guest") != 0 {
		t.Error("no rules at all bar something")
	}
}

func TestWhatComesAfterHalfAMegabyteIsNotThere(t *testing.T) {
	t.Parallel()
	head := "User-agent: *\nDisallow: /first\n"
	padding := strings.Repeat("#\n", (robots.MaxBytes-len(head)-len("Disallow: /la"))/2)
	rules := robots.Parse([]byte(head + padding + "Disallow: /last/of/all\nDisallow: /\n"))
	if rules.Allowed("guest", "/first") {
		t.Error("what comes before is not there")
	}
	for _, path := range []string{"/last/of/all", "/la", "/"} {
		if !rules.Allowed("guest", path) {
			t.Errorf("%s is barred", path)
		}
	}
}

// FuzzParse reads whatever a site may send, and finds what holds of every file.
func FuzzParse(f *testing.F) {
	f.Add([]byte("User-agent: *\nDisallow: /a*b$\nAllow: /%41\nCrawl-delay: 1e300\nSitemap: x"), "/a?b")
	f.Add([]byte("User-agent: guest\nDisallow: "+strings.Repeat("*a", 50)+"$"), "/"+strings.Repeat("a", 99)+"b")
	f.Fuzz(func(t *testing.T, text []byte, path string) {
		rules := robots.Parse(text)
		if !rules.Allowed("guest", "/robots.txt") {
			t.Error("robots.txt itself is barred")
		}
		if rules.CrawlDelay("guest") < 0 {
			t.Error("a delay is negative")
		}
		before := rules.Allowed("guest", path)
		doubled := robots.Parse(append(append(slices.Clone(text), '\n'), text...))
		if len(text) < robots.MaxBytes/2 && !strings.Contains(string(text), "\xef\xbb\xbf") &&
			doubled.Allowed("guest", path) != before && startsWithGroup(text) {
			t.Error("saying it twice says something else")
		}
	})
}

// startsWithGroup says whether the first line that says something names a visitor: what comes
// before belongs to the group before when the text is repeated.
func startsWithGroup(text []byte) bool {
	for line := range strings.FieldsFuncSeq(string(text), func(r rune) bool { return r == '\n' || r == '\r' }) {
		line, _, _ = strings.Cut(line, "#")
		key, _, found := strings.Cut(line, ":")
		switch strings.ToLower(strings.Trim(key, " \t")) {
		case "user-agent":
			return found
		case "allow", "disallow", "crawl-delay":
			return false
		}
	}
	return true
}
