package app

import (
	"encoding/json"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/identity"
	"frontdesk/internal/testkit/clock"
)

func TestSiteKeysArePublishedAndRotatedWithoutARestart(t *testing.T) {
	t.Parallel()
	c, keys := clock.At(time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)), filepath.Join(t.TempDir(), "keys")
	s, log := open(t, "", func(o *Options) { o.Now = c.Now; o.Loaded.Config.Keys = keys })
	published := func() (ids []string, tag string) {
		t.Helper()
		w := send(s, httptest.NewRequest("GET", "/.well-known/jwks.json", nil))
		var set struct {
			Keys []struct {
				ID string `json:"kid"`
				D  string `json:"d"`
			}
		}
		if err := json.Unmarshal(w.Body.Bytes(), &set); err != nil || w.Code != 200 ||
			w.Header().Get("Content-Type") != "application/jwk-set+json" ||
			w.Header().Get("Access-Control-Allow-Origin") != "*" {
			t.Fatalf("%d, %v, %v: %s", w.Code, w.Header(), err, w.Body)
		}
		for _, key := range set.Keys {
			if ids = append(ids, key.ID); key.D != "" {
				t.Errorf("the private part is published: %s", w.Body)
			}
		}
		return ids, w.Header().Get("ETag")
	}
	ids, tag := published()
	if len(ids) != 1 {
		t.Fatalf("at the first start there are the keys %v", ids)
	}
	again := httptest.NewRequest("GET", "/.well-known/jwks.json", nil)
	again.Header.Set("If-None-Match", tag)
	if w := send(s, again); w.Code != 304 {
		t.Errorf("%d for what did not change", w.Code)
	}
	if w := send(s, httptest.NewRequest("HEAD", "/.well-known/jwks.json", nil)); w.Code != 200 || w.Body.Len() > 0 {
		t.Errorf("%d to HEAD: %s", w.Code, w.Body)
	}
	if w := send(s, httptest.NewRequest("POST", "/.well-known/jwks.json", nil)); w.Code != 405 {
		t.Errorf("%d to POST", w.Code)
	}
	beside, err := identity.OpenSiteKeys(keys, c.Now)
	if err != nil {
		t.Fatal(err)
	}
	made, err := beside.Rotate(time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	c.Advance(time.Second)
	if after, changed := published(); len(after) != 2 || after[0] != made.ID || after[1] != ids[0] || changed == tag {
		t.Errorf("a second after the rotation: %v", after)
	}
	if err := os.WriteFile(filepath.Join(keys, "site-3.pem"), []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	c.Advance(time.Second)
	if after, _ := published(); len(after) != 2 {
		t.Errorf("with a broken file: %v", after)
	}
	if s.Reload(); !strings.Contains(log.String(), "site-3.pem") {
		t.Errorf("the log says nothing of a broken file: %s", log)
	}
}

func TestNoStartWithABrokenSiteKey(t *testing.T) {
	t.Parallel()
	keys := t.TempDir()
	if err := os.WriteFile(filepath.Join(keys, "site-1.pem"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	loaded, err := Load(Layers{
		File:  write(t, t.TempDir(), "frontdesk.yaml", ""),
		Flags: map[string]string{"listen": "127.0.0.1:0", "metrics.listen": "off", "keys": keys, "data": t.TempDir()},
	})
	if err != nil {
		t.Fatal(err)
	}
	s, err := Build(t.Context(), Options{Loaded: loaded})
	if err == nil || !strings.Contains(err.Error(), "put it back from a backup") {
		t.Errorf("%v, %v", s, err)
	}
	if text, _ := os.ReadFile(filepath.Join(keys, "site-1.pem")); len(text) > 0 {
		t.Error("a key was made over the broken one")
	}
}
