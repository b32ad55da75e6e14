package http

import (
	"crypto/tls"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"

	"frontdesk/internal/identity/agents"
	"frontdesk/internal/infra/httpx"
	"frontdesk/internal/policy"
)

// TestAWordThatIsNotProvenCountsAgainstAnAgent: a signature of anybody's takes no prohibition away.
func TestAWordThatIsNotProvenCountsAgainstAnAgent(t *testing.T) {
	t.Parallel()
	gpt := &agents.Known{Operator: "OpenAI", Origin: "https://openai.com", Kind: "training", UserAgent: "GPTBot"}
	signed := agents.Agent{ID: "https://a.example/keys", Operator: "https://a.example", Known: agents.BySignature}
	says := signed
	says.Said = gpt
	for _, word := range []string{"GPTBot", "training", "https://openai.com", "openai.com"} {
		terms, err := policy.Options{Agents: []string{"GPTBot"}}.New([]policy.Rule{
			{Access: policy.Open, Parties: policy.Restriction{Prohibit: []string{word}}}})
		if err != nil {
			t.Fatal(err)
		}
		for name, c := range map[string]struct {
			agent agents.Agent
			want  policy.Access
		}{"signed": {signed, policy.Open}, "signed, and says it": {says, policy.Blocked}} {
			said := terms.For(partyOf(c.agent)).Policy("main", "www.example.com")
			if got := said.At("/"); got != c.want {
				t.Errorf("prohibit %s, %s: %s", word, name, got)
			}
		}
	}
}

// TestARuleOnAnOriginMeansWhoeverHoldsItsKeys: that of its keys as well as that of the operator
// above it; and what a signature only claims is enough to be prohibited, and never to be permitted.
func TestARuleOnAnOriginMeansWhoeverHoldsItsKeys(t *testing.T) {
	t.Parallel()
	const wellKnown = "/.well-known/http-message-signatures-directory"
	team := agents.Agent{ID: "https://team.google.com" + wellKnown, Operator: "https://google.com",
		Known: agents.BySignature}
	elsewhere := agents.Agent{ID: "https://bad.example/k.json", Known: agents.BySignature,
		Claimed: "https://bad.example"}
	cold := agents.Agent{Signature: agents.Unverified, Claimed: "https://bad.example"}
	for _, row := range []struct {
		agent agents.Agent
		rule  policy.Restriction
		want  policy.Access
	}{
		{team, policy.Restriction{Prohibit: []string{"https://team.google.com"}}, policy.Blocked},
		{team, policy.Restriction{Prohibit: []string{"https://google.com"}}, policy.Blocked},
		{team, policy.Restriction{Prohibit: []string{"https://other.google.com"}}, policy.Open},
		{team, policy.Restriction{Permit: []string{"https://team.google.com"}}, policy.Open},
		{team, policy.Restriction{Permit: []string{"https://google.com"}}, policy.Open},
		{team, policy.Restriction{Permit: []string{"https://other.google.com"}}, policy.Blocked},
		{elsewhere, policy.Restriction{Prohibit: []string{"https://bad.example"}}, policy.Blocked},
		{elsewhere, policy.Restriction{Permit: []string{"https://bad.example"}}, policy.Blocked},
		{elsewhere, policy.Restriction{Permit: []string{policy.PartyVerified}}, policy.Open},
		{cold, policy.Restriction{Prohibit: []string{"https://bad.example"}}, policy.Blocked},
		{cold, policy.Restriction{Permit: []string{"https://bad.example"}}, policy.Blocked},
		{cold, policy.Restriction{Prohibit: []string{"https://good.example"}}, policy.Open},
	} {
		terms, err := policy.Options{}.New([]policy.Rule{{Access: policy.Open, Parties: row.rule}})
		if err != nil {
			t.Fatal(err)
		}
		decided := terms.For(partyOf(row.agent)).Policy("main", "www.example.com")
		if got := decided.At("/"); got != row.want {
			t.Errorf("%+v under %+v: %s", row.agent, row.rule, got)
		}
	}
}

// TestNoSharedCacheKeepsWhatIsForAParty, whatever the handler says of caches.
func TestNoSharedCacheKeepsWhatIsForAParty(t *testing.T) {
	t.Parallel()
	for kept, want := range map[string]string{
		"": "private, no-cache", "public, max-age=60": "private, no-cache", "no-cache": "private, no-cache",
		"no-cache, no-transform": "private, no-cache, no-transform", "max-age=3600": "private, max-age=3600",
		"private, no-store": "private, no-store", "no-store": "no-store", "max-age=9, s-maxage=9": "private, no-cache",
		`private="X-A, X-B", max-age=9`: "private, no-cache", "Private, max-age=9": "Private, max-age=9",
	} {
		header := http.Header{"Cache-Control": {kept}, "Surrogate-Control": {"max-age=9"},
			"X-Accel-Expires": {"9"}, "Edge-Control": {"cache-maxage=9s"}, "X-Litespeed-Cache-Control": {"public"},
			"Cdn-Cache-Control": {"max-age=9"}, "Acme-Cdn-Cache-Control": {"max-age=9"}}
		forPartyAlone(header)
		if len(header) != 2 {
			t.Errorf("%q: caches of one kind are told otherwise: %v", kept, header)
		}
		if got := header.Get("Cache-Control"); got != want {
			t.Errorf("%q becomes %q", kept, got)
		}
	}
}

// TestNoCacheTellsOthersWhatBecameOfASignature: where terms ask for nobody, an answer may be kept,
// but not for those who sign otherwise.
func TestNoCacheTellsOthersWhatBecameOfASignature(t *testing.T) {
	t.Parallel()
	for outcome, vary := range map[agents.Outcome]string{"": "", agents.Invalid: varyBySignature} {
		w := &Recorder{ResponseWriter: httptest.NewRecorder(), agent: agents.Agent{Signature: outcome}}
		w.Header().Set("Cache-Control", "public, max-age=60")
		w.WriteHeader(http.StatusOK)
		if h := w.Header(); h.Get("Vary") != vary || h.Get("Cache-Control") != "public, max-age=60" {
			t.Errorf("%s: %v", outcome, h)
		}
	}
}

// TestTargetIsWhatTheSenderWrote: a signature covers the address that its maker asked.
func TestTargetIsWhatTheSenderWrote(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		url, uri string
		secure   bool
		site     string // behind the gate
		want     string
	}{
		"plain":                {"", "/ask?q=a%20b", false, "", "http://desk.example/ask?q=a%20b"},
		"over TLS":             {"", "/ask", true, "", "https://desk.example/ask"},
		"escapes":              {"", "/items/a%2Fb", false, "", "http://desk.example/items/a%2Fb"},
		"a configured address": {"https://www.example.com", "/ask", false, "", "https://www.example.com/ask"},
		"with a path": {"https://www.example.com/desk", "/desk/ask", false, "",
			"https://www.example.com/desk/ask"},
		"whose path was taken": {"https://www.example.com/desk", "/ask", false, "",
			"https://www.example.com/desk/ask"},
		"a path like it": {"https://www.example.com/desk", "/desktop", false, "",
			"https://www.example.com/desk/desktop"},
		"the form for proxies": {"", "http://desk.example/ask?x=1", false, "", "http://desk.example/ask?x=1"},
		"a site behind a gate": {"https://www.example.com/desk", "/desk/page", true, "https://desk.example",
			"https://desk.example/desk/page"},
		"one behind a proxy that tells nothing": {"", "/page?x", false, "https://desk.example",
			"https://desk.example/page?x"},
		"a site without any TLS": {"", "/page?x", false, "http://desk.example", "http://desk.example/page?x"},
	} {
		o := NewClientAddress(AddressOptions{URL: row.url})
		r := httptest.NewRequest(http.MethodGet, row.uri, nil)
		r.Host, r.RequestURI = "desk.example", row.uri
		if r.TLS = nil; row.secure {
			r.TLS = &tls.ConnectionState{}
		}
		var got string
		if row.site != "" {
			got = o.atSite(r, row.site)
		} else {
			got = o.target(o.Strip(r))
		}
		if got != row.want {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// TestACredentialIsAWayToBeKnown: platforms, buyers and holders of keys are told in the event and
// in the figures as known by that, unless a signature proves more.
func TestACredentialIsAWayToBeKnown(t *testing.T) {
	t.Parallel()
	word := agents.Agent{Name: "GPTBot", Operator: "https://openai.com", Known: agents.ByWord}
	signed := agents.Agent{ID: "x", Operator: "https://openai.com", Known: agents.BySignature,
		Signature: agents.Verified}
	wrong := word
	wrong.Signature = agents.Invalid
	for name, c := range map[string]struct {
		agent         agents.Agent
		party         string
		known, figure string // in the event, and in the figures
	}{
		"a platform":          {agents.Agent{}, "platform:acme", "key", `known="key",operator="other",signature=""`},
		"a buyer":             {agents.Agent{}, "requester:buyer.example", "key", `known="key",operator="other",signature=""`},
		"a key, and a word":   {word, "key:k-7", "key", `known="key",operator="other",signature=""`},
		"a key, and a lie":    {wrong, "key:k-7", "key", `known="key",operator="other",signature="invalid"`},
		"a word":              {word, "", "word", `known="word",operator="https://openai.com",signature=""`},
		"a signature":         {signed, "", "signed", `known="signed",operator="https://openai.com",signature="verified"`},
		"a signature, a key":  {signed, "key:k-7", "signed", `known="signed",operator="https://openai.com",signature="verified"`},
		"nobody who is known": {agents.Agent{}, "", "", ""},
	} {
		f := &RequestHandler{Metrics: NewMetrics(),
			Agents: &Agents{Operators: map[string]bool{"https://openai.com": true}}}
		_, happened := httpx.BeginEvent(t.Context())
		for key, value := range map[string]string{eventKnown: c.agent.Known, "party": c.party} {
			if value != "" {
				happened.Set(key, value)
			}
		}
		f.known(c.agent, happened)
		if got := happened.Text(eventKnown); got != c.known {
			t.Errorf("%s: the event says %q", name, got)
		}
		page := httptest.NewRecorder()
		f.Metrics.Handler(http.NotFoundHandler()).ServeHTTP(page, httptest.NewRequest(http.MethodGet, "/metrics", nil))
		want := "frontdesk_agent_requests_total{" + c.figure + "} 1"
		if c.figure == "" {
			want = ""
		}
		if body := page.Body.String(); !strings.Contains(body, want) ||
			strings.Count(body, "frontdesk_agent_requests_total{") != strings.Count(want, "{") {
			t.Errorf("%s: the figures have not %s alone", name, want)
		}
	}
}

// TestABodyIsReadOnceMore: what was held against a digest is there for the handler, to its end or
// its fault.
func TestABodyIsReadOnceMore(t *testing.T) {
	t.Parallel()
	a := &Agents{MaxBody: 4}
	fault := errors.New("broken off")
	for name, c := range map[string]struct {
		body      io.Reader
		length    int64
		want      string
		err, rest error
	}{
		"none":             {nil, 0, "", nil, nil},
		"a short one":      {strings.NewReader("abcd"), -1, "abcd", nil, nil},
		"one that is long": {strings.NewReader("abcdefg"), -1, "abcdefg", agents.ErrLargeBody, nil},
		"one that says so": {strings.NewReader("abcdefg"), 7, "abcdefg", agents.ErrLargeBody, nil},
		"one that breaks off": {
			io.MultiReader(strings.NewReader("ab"), iotest.ErrReader(fault)), -1, "ab", fault, fault,
		},
	} {
		r := httptest.NewRequest(http.MethodPost, "/", c.body)
		r.ContentLength = c.length
		read, err := a.body(r)()
		if !errors.Is(err, c.err) || err == nil && string(read) != c.want {
			t.Errorf("%s: %q, %v", name, read, err)
		}
		again, err := io.ReadAll(r.Body)
		if string(again) != c.want || !errors.Is(err, c.rest) {
			t.Errorf("%s: the handler gets %q, %v", name, again, err)
		}
	}
}
