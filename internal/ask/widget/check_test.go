package widget

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
)

func at(address string) *url.URL {
	u, err := url.Parse(address)
	if err != nil {
		panic(err)
	}
	return u
}

func TestPagesAreToldWhatTheyLack(t *testing.T) {
	t.Parallel()
	const (
		script  = `<script type="module" src="https://desk.example.com/widget/v1/frontdesk-ask.js"></script>`
		element = `<frontdesk-ask mode="launcher">Ask us</frontdesk-ask>`
		whole   = script + element
		meta    = `<meta http-equiv="content-security-policy" content="connect-src 'self'">`
		other   = `<script src="https://evil.example/widget/v1/frontdesk-ask.js"></script>`
		core    = `<script src="https://desk.example.com/widget/v1/core.js"></script>`
		pinned  = `<script src="//desk.example.com/widget/0123/frontdesk-ask.js"></script>`
	)
	for _, row := range []struct{ name, policy, body, want string }{
		{"all there", "", whole, "script element"},
		{"no snippet", "", "<p>Shop</p>", ""},
		{"another desk", "", other + element, "element"},
		{"another script", "", core, ""},
		{"as text", "", "<textarea>" + whole + "</textarea>", ""},
		{"held to a version", "", pinned + element, "script element"},
		{"strict", "default-src 'none'", whole, "script element policy, lacks script-src connect-src"},
		{"by name", "default-src 'self'; script-src https://desk.example.com; connect-src *.example.com", whole,
			"script element policy"},
		{"the finer directive", "script-src *; script-src-elem 'self'; connect-src https:", whole,
			"script element policy, lacks script-src"},
		{"a nonce for the loader", "script-src 'nonce-abc' 'strict-dynamic'", whole, "script element policy"},
		{"two policies", "connect-src *, connect-src 'self'", whole, "script element policy, lacks connect-src"},
		{"another port", "script-src https://desk.example.com:8443; connect-src https://desk.example.com:443", whole,
			"script element policy, lacks script-src"},
		{"a name alike", "default-src https://notdesk.example.com https://*.desk.example.com", whole,
			"script element policy, lacks script-src connect-src"},
		{"in the page", "", meta + whole, "script element policy, lacks connect-src"},
	} {
		header := http.Header{}
		if row.policy != "" {
			header.Set("Content-Security-Policy", row.policy)
		}
		got := Check(at("https://www.shop.example/a/b"), header, []byte(row.body), at("https://desk.example.com"))
		if told := tell(got); told != row.want {
			t.Errorf("%s: %q, want %q", row.name, told, row.want)
		}
	}
}

// tell puts what was found into words.
func tell(c Checked) string {
	var all []string
	for word, is := range map[string]bool{"1script": c.Script, "2element": c.Element, "3policy": c.Policy} {
		if is {
			all = append(all, word)
		}
	}
	slices.Sort(all)
	text := strings.NewReplacer("1", "", "2", "", "3", "").Replace(strings.Join(all, " "))
	if len(c.Missing) > 0 {
		text += ", lacks " + strings.ReplaceAll(strings.Join(c.Missing, " "), " https://desk.example.com", "")
	}
	return text
}

func TestOnePathBelowASharedHostIsTheDesks(t *testing.T) {
	t.Parallel()
	page, desk := at("https://www.shop.example/"), at("https://www.shop.example/desk")
	body := []byte(`<script src="/desk/widget/v1/frontdesk-ask.js"></script><frontdesk-ask></frontdesk-ask>`)
	if got := Check(page, http.Header{"Content-Security-Policy": {"default-src 'self'"}}, body, desk); !got.Fits() {
		t.Errorf("%+v", got)
	}
	if got := Check(page, nil, body, at("https://www.shop.example/other")); got.Script {
		t.Errorf("%+v", got)
	}
}
