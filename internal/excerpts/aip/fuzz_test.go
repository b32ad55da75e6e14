package aip

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	wire "frontdesk/wire/intent"
)

// sent posts a body that a platform has signed, by the key of a name, or that nobody has.
func (s *stage) sent(path, key, body string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
	r.RequestURI = path
	r.Header.Set("Content-Type", "application/json")
	if key != "" {
		for _, line := range s.signature([]string{key}, http.MethodPost, path, []byte(body)) {
			name, value, _ := strings.Cut(line, ": ")
			r.Header.Set(name, value)
		}
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	// which is told back
	s.never = slices.DeleteFunc(slices.Clone(never), func(word string) bool { return strings.Contains(body, word) })
	s.seen([]byte(http.MethodPost+" "+path+" "), w.Code, w.Header(), w.Body.Bytes())
	return w
}

// size is how many entries the ledger has, with those that wait.
func (s *stage) size() int64 {
	head, err := s.ledger.Head(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	return head.Size + head.Waiting
}

const (
	someRequest = `{"aip_version":"0.1","request_id":"r1","timestamp":"2027-05-04T12:00:00Z","platform":{"id":"chat"},"intent":{"domain":"food"},` +
		`"context":{"language":"en-US"},"runtime":{"session_id":"session-1","turn_index":0,"query_text":"lentils"}}`
	someCitation = `{"aip_version":"0.1","event_id":"e1","event_type":"citation","timestamp":"2027-05-04T12:00:00Z","request_id":"r1",` +
		`"publisher":{"id":"house","domain":"house.example"},"platform":{"id":"chat"},"citation":{"source_url":"https://house.example/food/soup","chunk_ids":["CHUNK"]}}`
	someAccess = `{"aip_version":"0.1","event_id":"e2","event_type":"access","timestamp":"2027-05-04T12:00:00Z","request_id":"r1",` +
		`"publisher":{"id":"house","domain":"house.example"},"platform":{"id":"chat"},"access":{"chunks_returned":1,"token_count":19,"retrieval_mode":"chunks"}}`
)

// FuzzRetrieveBodies has a platform sign anything as a request: every answer is valid and signed,
// an answer with passages has its entry in the ledger, unless it was given before, and any other
// has none. Unsigned, nothing of it is even read.
func FuzzRetrieveBodies(f *testing.F) {
	for _, body := range []string{
		someRequest, strings.Replace(someRequest, `"food"`, `"news.harbour","confidence":1e0`, 1), strings.Replace(someRequest, `"turn_index":0`, `"turn_index":2.0`, 1),
		strings.Replace(someRequest, `}}`, `},"extensions":{"a.b":[1,{"price":2}]}}`, 1), strings.Replace(someRequest, "lentils", `\ud83c\udf72 "\u0000`, 1), "{", "[]", "",
	} {
		f.Add(body)
	}
	s := newStage(f)
	f.Fuzz(func(t *testing.T, body string) {
		s.t = t
		before := s.size()
		w := s.sent("/intent/retrieve", "both", body)
		added := s.size() - before
		findings := wire.Check(wire.KindResponse, w.Body.Bytes(), wire.Options{})
		if !findings.Valid() ||
			!strings.HasPrefix(w.Header().Get("X-Aip-Signature"), "holds") &&
				w.Code != http.StatusRequestEntityTooLarge {
			t.Fatalf("status %d, signature %s, %v: %s", w.Code, w.Header().Get("X-Aip-Signature"), findings, w.Body)
		}
		var said wire.RetrieveResponse
		if err := json.Unmarshal(w.Body.Bytes(), &said); err != nil {
			t.Fatal(err)
		}
		switch {
		case said.Status != wire.StatusOK && added != 0, said.Status == wire.StatusOK && added > 1:
			t.Fatalf("%d entries for %s", added, w.Body)
		case !slices.Contains([]int{200, 400, 403, 409, 413, 429}, w.Code):
			t.Fatalf("status %d for %q: %s", w.Code, body, w.Body)
		}
		if w := s.sent("/intent/retrieve", "", body); w.Code != http.StatusUnauthorized &&
			w.Code != http.StatusRequestEntityTooLarge {
			t.Fatalf("unsigned: status %d for %q: %s", w.Code, body, w.Body)
		}
	})
}

// FuzzEventBodies has a platform sign anything as an event about an answer that it got: what is
// accepted has one entry in the ledger, anything else none; and the same again changes nothing.
func FuzzEventBodies(f *testing.F) {
	s := newStage(f)
	var given wire.RetrieveResponse
	if err := json.Unmarshal(s.sent("/intent/retrieve", "both", someRequest).Body.Bytes(), &given); err != nil ||
		given.Content == nil {
		f.Fatalf("nothing was given: %v", err)
	}
	citation := strings.Replace(someCitation, "CHUNK", given.Content.Chunks[0].ID, 1)
	for _, body := range []string{
		citation, someAccess, strings.Replace(citation, `"chunk_ids"`, `"display_surface":"Jane Doe","chunk_ids"`, 1), strings.Replace(someAccess, "19", "19.0", 1),
		strings.Replace(citation, `}}`, `},"extensions":{"a.user_id":1}}`, 1), "{", "[]", "",
	} {
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body string) {
		s.t = t
		before := s.size()
		w := s.sent("/intent/events", "events", body)
		added := s.size() - before
		if added != 0 && added != 1 || (w.Code == http.StatusAccepted) != (added == 1) {
			t.Fatalf("status %d, and %d entries for %q: %s", w.Code, added, body, w.Body)
		}
		if !json.Valid(w.Body.Bytes()) || !slices.Contains([]int{200, 202, 400, 403, 409, 413, 422}, w.Code) {
			t.Fatalf("status %d for %q: %s", w.Code, body, w.Body)
		}
		if again := s.sent("/intent/events", "events", body); s.size() != before+added ||
			w.Code < 300 && again.Code != http.StatusOK {
			t.Fatalf("the same again: status %d after %d, %s", again.Code, w.Code, again.Body)
		}
		if w := s.sent("/intent/events", "", body); w.Code != http.StatusUnauthorized &&
			w.Code != http.StatusRequestEntityTooLarge {
			t.Fatalf("unsigned: status %d for %q: %s", w.Code, body, w.Body)
		}
	})
}
