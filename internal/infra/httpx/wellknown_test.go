package httpx

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
)

func TestADocumentIsServedAsCachesWantIt(t *testing.T) {
	t.Parallel()
	d, err := NewDocument(map[string]int{"b": 2, "a": 1})
	if err != nil {
		t.Fatal(err)
	}
	get := func(method, tag string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(method, "/", nil)
		r.Header.Set("If-None-Match", tag)
		w := httptest.NewRecorder()
		d.ServeHTTP(w, r)
		return w
	}
	whole := get("GET", "")
	tag := whole.Header().Get("Etag")
	if whole.Body.String() != "{\n  \"a\": 1,\n  \"b\": 2\n}\n" ||
		whole.Header().Get("Content-Type") != "application/json" ||
		whole.Header().Get("Cache-Control") != "public, max-age=300" || tag == "" {
		t.Errorf("%v %q", whole.Header(), whole.Body)
	}
	if w := get("GET", tag); w.Code != http.StatusNotModified || w.Body.Len() > 0 {
		t.Errorf("with its tag: %d", w.Code)
	}
	if w := get("HEAD", `"another"`); w.Code != http.StatusOK || w.Body.Len() > 0 {
		t.Errorf("HEAD: %d", w.Code)
	}
}

func TestADocumentIsMadeOnceForAnAddress(t *testing.T) {
	t.Parallel()
	var c DocumentCache
	made := 0
	make := func() (*Document, error) {
		made++
		return NewDocument(made)
	}
	for n, address := range []string{"a", "a", "b", "b", "a"} {
		if _, err := c.Get("x.json", address, make); err != nil || made != []int{1, 1, 2, 2, 3}[n] {
			t.Errorf("at %s: made %d times, %v", address, made, err)
		}
	}
	if _, err := c.Get("y.json", "a", func() (*Document, error) { return nil, errors.New("not valid") }); err == nil {
		t.Error("what cannot be made is there")
	}
	if _, err := c.Get("y.json", "a", make); err != nil || made != 4 {
		t.Errorf("what could not be made is not made afterwards: %v", err)
	}
}
