package nlweb

import (
	"net/http/httptest"
	"strings"
	"testing"

	wire "frontdesk/wire/nlweb"
)

func TestTheLanguageOfTheHeaderCountsWhereNoneIsPreferred(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ prefer, header, want string }{
		{"", "", ""},
		{"", "de-AT,de;q=0.9", "de-AT,de;q=0.9"},
		{"fr", "de", "fr"},
		{"", strings.Repeat("de,", 200), ""},
	} {
		request := &wire.AskRequest{Prefer: wire.Prefer{AcceptLanguage: c.prefer}}
		r := httptest.NewRequest("POST", "/ask", nil)
		if c.header != "" {
			r.Header.Set("Accept-Language", c.header)
		}
		heedLanguage(request, languageOf(r))
		if got := request.Prefer.AcceptLanguage; got != c.want {
			t.Errorf("prefer %q, header %q: %q, want %q", c.prefer, c.header, got, c.want)
		}
	}
}
