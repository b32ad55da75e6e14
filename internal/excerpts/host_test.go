package excerpts

import (
	"testing"

	"frontdesk/internal/policy"
	"frontdesk/internal/testkit/contenttest"
	"frontdesk/wire/intent"
)

// TestAPublisherWhoseHostIsNotASCII has its items under each spelling of its host; answers have the
// one that an address in JSON Schema's sense may have, and citations of it are taken.
func TestAPublisherWhoseHostIsNotASCII(t *testing.T) {
	t.Parallel()
	const ascii = "https://xn--bcher-kva.example"
	for _, address := range []string{"https://bücher.example/a", "https://www.bücher.example/a", ascii + "/a",
		"https://BÜCHER.example./a", "https://bücher.example:8443/a", "https://b%C3%BCcher.example/a"} {
		g := newGiver(t)
		g.owner.Publisher.Domain = "xn--bcher-kva.example"
		g.SetRules(t, policy.Rule{Access: policy.Open, Labels: []string{"news.a"}})
		one := contenttest.NewArticle("a", sentences("one", 4), sentences("two", 4))
		one.URL = address
		g.Fill(t, "site", "s", one)
		asked := g.request("session")
		source := g.given(t, asked).Sources[0]
		document := []byte(`{"aip_version":"0.1","request_id":"r","timestamp":"2027-05-04T12:00:00Z","status":"ok","content":{"chunks":[{"id":"c","text":"x"}]},` +
			`"citations":[{"source_url":"` + source.URL + `","chunk_ids":["c"]}]}`)
		if found := intent.Check(intent.KindResponse, document, intent.Options{}); !found.Valid() {
			t.Errorf("%s is cited as %s: %v", address, source.URL, found)
		}
		again := g.given(t, g.again(asked))
		if !again.Replay || again.Sources[0].URL != source.URL {
			t.Errorf("the repetition: %+v", again)
		}
		g.cited(t, Event{
			Signature: Signature{Key: asked.Key}, Kind: intent.EventCitation, Request: asked.ID, PublisherID: "house",
			Domain: g.owner.Publisher.Domain, StatedAt: g.clock.Now(), SourceURL: source.URL, Chunks: source.Chunks,
		})
	}
	g := newGiver(t)
	for address, want := range map[string]bool{
		"https://site.example/a": true, "https://WWW.Site.example/a": true, "https://site.example./a": true,
		"https://xsite.example/a":             false,
		"https://site.example.evil.example/a": false, "https://site.example@evil.example/a": false,
		"https://news.site.example/a": false, "ftp://site.example/a": false, "urn:x": false,
	} {
		if got := g.owner.Owns(address); got != want {
			t.Errorf("%s is the publisher's: %v, want %v", address, got, want)
		}
	}
}
