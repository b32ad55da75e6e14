package terms

import (
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"frontdesk/internal/content/ownerterms"
)

const threeRules = `# what agents may use
terms:
  - match: {path: "/a/**"}   # drafts
    access: blocked

  - match: {type: Recipe}
    access: licensed
  - match: {}
    access: open
site: {id: a}
`

// TestRulesAreChangedOneByOne moves, removes and adds rules by the buttons of the page.
func TestRulesAreChangedOneByOne(t *testing.T) {
	t.Parallel()
	rules := []ownerterms.ListedRule{
		{Line: 3, From: ownerterms.RuleOfFile}, {Line: 6, From: ownerterms.RuleOfFile},
		{From: ownerterms.RuleOfContent}, {Line: 8, From: ownerterms.RuleOfFile},
	}
	const first = "  - match: {path: \"/a/**\"}   # drafts\n    access: blocked\n\n"
	const second = "  - match: {type: Recipe}\n    access: licensed\n"
	const last = "  - match: {}\n    access: open\n"
	const fresh = "  - match: {path: \"/b\\\"c\", type: \"Article\"}\n    access: licensed\n" +
		"    excerpt: {words: 40}\n" +
		"    price: {model: per_access, rate: \"0.05\", currency: \"EUR\"}\n    functions: {prohibit: [ai-train]}\n"
	form := url.Values{
		"path": {`/b"c`}, "type": {" Article "}, "access": {"licensed"}, "words": {"40"}, "rate": {"0.05"},
		"currency": {"eur"}, "no_training": {"yes"},
	}
	change := func(do string) (string, error) {
		d, err := readDocument(threeRules, rules)
		if err != nil {
			t.Fatal(err)
		}
		r := httptest.NewRequest("POST", "/", nil)
		r.PostForm = form
		return d.change(do, r)
	}
	for do, want := range map[string]string{
		"up:6": second + first + last, "down:3": second + first + last, "up:3": first + second + last,
		"down:8": first + second + last, "remove:6": first + last, "add": first + second + fresh + last,
	} {
		got, err := change(do)
		if want = "# what agents may use\nterms:\n" + want + "site: {id: a}\n"; got != want || err != nil {
			t.Errorf("%s, %v:\n%s\nwant\n%s", do, err, got, want)
		}
	}
	if got, err := change("up:4"); err == nil {
		t.Errorf("a line without a rule: %s", got)
	}
	for name, value := range map[string]string{"access": "all", "words": "forty\n  - match: {}"} {
		was := form.Get(name)
		form.Set(name, value)
		if got, err := change("add"); err == nil {
			t.Errorf("%s %q: %s", name, value, got)
		}
		form.Set(name, was)
	}
	form = url.Values{"access": {"blocked"}, "words": {"40"}, "rate": {"1"}, "no_training": {"yes"}}
	if got, _ := change("add"); !strings.Contains(got, second+"  - match: {}\n    access: blocked\n"+last) {
		t.Errorf("a rule that blocks:\n%s", got)
	}
	if _, err := readDocument("terms: [{match: {}, access: open}]\n", []ownerterms.ListedRule{{Line: 1}}); err == nil {
		t.Error("rules on one line are changed")
	}
}
