package http

import (
	"crypto/tls"
	"net/http"
	"net/http/httptest"
	"testing"

	"frontdesk/internal/identity/agents"
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

// TestARuleOnAnOriginMeansWhoeverHoldsItsKeys: that of its keys as well as that of the operator above it; and what a
// signature only claims is enough to be prohibited, and never to be permitted.
func TestARuleOnAnOriginMeansWhoeverHoldsItsKeys(t *testing.T) {
	t.Parallel()
	const wellKnown = "/.well-known/http-message-signatures-directory"
	team := agents.Agent{ID: "https://team.google.com" + wellKnown, Operator: "https://google.com", Known: agents.BySignature}
	elsewhere := agents.Agent{ID: "https://bad.example/k.json", Known: agents.BySignature, Claimed: "https://bad.example"}
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

// TestTargetIsWhatTheSenderWrote: a signature covers the address that its maker asked.
func TestTargetIsWhatTheSenderWrote(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		url, uri string
		secure   bool
		atGate   bool
		want     string
	}{
		"plain":                {"", "/ask?q=a%20b", false, false, "http://desk.example/ask?q=a%20b"},
		"over TLS":             {"", "/ask", true, false, "https://desk.example/ask"},
		"escapes":              {"", "/items/a%2Fb", false, false, "http://desk.example/items/a%2Fb"},
		"a configured address": {"https://www.example.com", "/ask", false, false, "https://www.example.com/ask"},
		"with a path": {"https://www.example.com/desk", "/desk/ask", false, false,
			"https://www.example.com/desk/ask"},
		"whose path was taken": {"https://www.example.com/desk", "/ask", false, false,
			"https://www.example.com/desk/ask"},
		"a path like it": {"https://www.example.com/desk", "/desktop", false, false,
			"https://www.example.com/desk/desktop"},
		"the form for proxies": {"", "http://desk.example/ask?x=1", false, false, "http://desk.example/ask?x=1"},
		"a site behind a gate": {"https://www.example.com/desk", "/desk/page", true, true,
			"https://desk.example/desk/page"},
		"a site without any TLS": {"", "/page?x", false, true, "http://desk.example/page?x"},
	} {
		o := NewClientAddress(AddressOptions{URL: row.url})
		r := httptest.NewRequest(http.MethodGet, row.uri, nil)
		r.Host, r.RequestURI = "desk.example", row.uri
		if r.TLS = nil; row.secure {
			r.TLS = &tls.ConnectionState{}
		}
		if !row.atGate {
			r = o.Strip(r)
		}
		if got := o.target(r, row.atGate); got != row.want {
			t.Errorf("%s: %s", name, got)
		}
	}
}
