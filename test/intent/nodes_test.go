package intent

import (
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"frontdesk/internal/testkit/process"
	"frontdesk/internal/testkit/storetest"
)

// TestNodesOfOneDatabaseAreOneFrontDesk has platforms ask and report at two servers of one
// PostgreSQL.
func TestNodesOfOneDatabaseAreOneFrontDesk(t *testing.T) {
	t.Parallel()
	storetest.NeedPostgres(t)
	dir := t.TempDir()
	stories, _ := written(t, dir)
	shared := harbourTerms + fmt.Sprintf("url: https://www.harbour.example\nstore: %q\nkeys: %s\n",
		storetest.NewPostgres(t), filepath.Join(dir, "keys"))
	a, b := configured(t, dir, "a", shared, `rate: ""`, `sessions: ""`), configured(t, dir, "b", shared, `rate: ""`, `sessions: ""`)
	a.furnish(t)
	a.start(t)
	b.start(t)
	at := theHarbour("", stories)

	t.Run("a nonce that was used at one is refused at the other", func(t *testing.T) {
		m := retrieval(a.URL, question(at))
		given(t, a.try(t, m))
		m.base = b.URL
		if r := b.try(t, m); r.status != http.StatusUnauthorized {
			t.Errorf("status %d: %s", r.status, clip(r.raw))
		}
		m.base, m.nonce = a.URL, random()
		m.key = second
		given(t, a.try(t, m))
	})

	t.Run("what one gave the other gives again", func(t *testing.T) {
		body := question(at)
		first := given(t, a.try(t, retrieval(a.URL, body)))
		again := given(t, b.try(t, retrieval(b.URL, body)))
		if string(text(first["content"])) != string(text(again["content"])) ||
			string(text(first["extensions"])) != string(text(again["extensions"])) {
			t.Errorf("%s\nand\n%s", text(first), text(again))
		}
		if n := len(b.entries(t, body["request_id"].(string))); n != 1 {
			t.Errorf("%d entries", n)
		}
		other := question(at, set("request_id", body["request_id"]))
		if r := b.try(t, retrieval(b.URL, other)); r.status != http.StatusConflict {
			t.Errorf("another body under its id: status %d: %s", r.status, clip(r.raw))
		}
	})

	t.Run("what one gave is reported at the other", func(t *testing.T) {
		body := question(at)
		answer := given(t, a.try(t, retrieval(a.URL, body)))
		citation := citing(body, answer)
		report := func(s served, event object) (int, object) {
			r := s.try(t, message{base: s.URL, method: "POST", path: eventsPath, body: text(event), key: mine,
				version: "0.1", stamp: stamp(0), nonce: random()})
			return r.status, r.body
		}
		status, taken := report(b, citation)
		if status != http.StatusAccepted || taken["verdict"] != "agrees" {
			t.Fatalf("status %d: %v", status, taken)
		}
		if status, again := report(a, citation); status != http.StatusOK || again["entry"] != taken["entry"] {
			t.Errorf("the same at the other: status %d: %v, and before %v", status, again, taken)
		}
		citation["citation"].(object)["display_surface"] = "hover"
		if status, _ := report(a, citation); status != http.StatusConflict {
			t.Errorf("another under its id: status %d", status)
		}
		content, _ := answer["content"].(object)
		tokens := 0.0
		for _, c := range objects(content["chunks"]) {
			tokens += c["token_count"].(float64)
		}
		counted := object{"chunks_returned": len(objects(content["chunks"])), "token_count": tokens,
			"retrieval_mode": "chunks"}
		status, taken = report(b, accessing(body, "count-"+random(), counted))
		if status != http.StatusAccepted || taken["verdict"] != "agrees" {
			t.Errorf("status %d: %v", status, taken)
		}
		counted["token_count"] = tokens + 1
		status, taken = report(a, accessing(body, "count-"+random(), counted))
		if status != http.StatusAccepted || taken["verdict"] != "differs" {
			t.Errorf("status %d: %v", status, taken)
		}
		var kinds []string
		for _, e := range a.entries(t, body["request_id"].(string)) {
			kinds = append(kinds, e["kind"].(string))
		}
		slices.Sort(kinds)
		if fmt.Sprint(kinds) != "[access citation counter-receipt counter-receipt]" {
			t.Errorf("the ledger has %v", kinds)
		}
		holdTrue(t, a.jwks(t, dir), b.receipt(t, dir))
	})

	t.Run("many at a time at both get one answer", func(t *testing.T) {
		body := question(at)
		answers := make([]string, 16)
		var all sync.WaitGroup
		for i := range answers {
			s := []served{a, b}[i%2]
			all.Go(func() {
				p := &probe{}
				defer func() { recover() }() // what is left empty then is found below
				r := p.send(retrieval(s.URL, body))
				answers[i] = fmt.Sprint(r.status, r.body["status"], string(text(r.body["content"])),
					string(text(r.body["extensions"])))
			})
		}
		all.Wait()
		for _, answer := range answers {
			if answer != answers[0] || answer == "" {
				t.Errorf("%.300s\nand\n%.300s", answers[0], answer)
			}
		}
		if n := len(a.entries(t, body["request_id"].(string))); n != 1 {
			t.Errorf("%d entries", n)
		}
	})

	t.Run("a key that is revoked is refused at both", func(t *testing.T) {
		ask := func(s served, k key) int {
			m := retrieval(s.URL, question(at))
			m.key = k
			return s.try(t, m).status
		}
		for _, s := range []served{a, b} { // so that both know it
			if status := ask(s, second); status != http.StatusOK {
				t.Fatalf("status %d", status)
			}
		}
		process.MustRun(t, "keys", "revoke", second.id, "--config", a.config)
		began := time.Now()
		for _, s := range []served{b, a} {
			for ask(s, second) != http.StatusUnauthorized {
				if time.Since(began) > time.Minute {
					t.Fatal("it is still let in")
				}
			}
		}
		t.Logf("refused at both %v after it was revoked", time.Since(began).Round(time.Millisecond))
		made := process.MustRun(t, "keys", "issue", "platform", "chat", "--json", "--config", b.config)
		var fresh struct{ ID, Secret string }
		if err := json.Unmarshal([]byte(made), &fresh); err != nil {
			t.Fatal(err)
		}
		for _, s := range []served{a, b} {
			if status := ask(s, key{"chat", fresh.ID, fresh.Secret}); status != http.StatusOK {
				t.Errorf("a key that was just made: status %d", status)
			}
		}
	})

	a.End(t)
	b.End(t)
	holdsAll(t, process.MustRun(t, "ledger", "audit", "--config", b.config), "is sound")
}

// given holds that passages were given, and returns the answer.
func given(t *testing.T, r reply) object {
	t.Helper()
	if r.status != http.StatusOK || r.body["status"] != "ok" {
		t.Fatalf("status %d: %s", r.status, clip(r.raw))
	}
	return r.body
}

func reporting(request object, id, kind string) object {
	return object{
		"aip_version": "0.1", "event_id": id, "event_type": kind, "timestamp": stamp(0),
		"request_id": request["request_id"], "publisher": object{"id": "house", "domain": harbour},
		"platform": object{"id": mine.platform},
	}
}

// citing is the event that the first source of an answer was shown.
func citing(request, answer object) object {
	source := objects(answer["citations"])[0]
	event := reporting(request, "cite-"+random(), "citation")
	event["citation"] = object{"source_url": source["source_url"], "chunk_ids": source["chunk_ids"],
		"display_surface": "footnote"}
	return event
}

// accessing is a platform's own count of an answer.
func accessing(request object, id string, counted object) object {
	event := reporting(request, id, "access")
	event["access"] = counted
	return event
}

// jwks writes the keys that a server publishes to a file.
func (s served) jwks(t *testing.T, dir string) (file string) {
	t.Helper()
	file = filepath.Join(dir, "jwks.json")
	s.save(t, "/.well-known/jwks.json", file)
	return file
}
