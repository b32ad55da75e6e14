package app

import (
	"encoding/hex"
	"encoding/json"
	"strings"
	"testing"

	"frontdesk/internal/identity"
	"frontdesk/internal/ledger"
)

// TestSigningKeysOfPrograms makes, takes, activates and ends keys over HTTP, as the commands do.
func TestSigningKeysOfPrograms(t *testing.T) {
	t.Parallel()
	m := openMarket(t, ruledConfig)
	operator, _ := makeKey(t, m.App, identity.Key{Name: "ops", Scopes: []string{"admin"}})
	const keys = "/admin/tenants/www.example.com/signing-keys"
	do := func(method, path, body string, status int, words string) (told struct {
		KeyID string `json:"key_id"`
		State string
		Shown struct {
			SigningKey string `json:"signing_key"`
			PublicKey  string `json:"public_key"`
		}
	}) {
		t.Helper()
		w := send(m, posted(method, path, body, identity.KeyHeader, operator))
		if w.Code != status || !strings.Contains(w.Body.String(), words) ||
			w.Header().Get("Cache-Control") != "no-store" {
			t.Errorf("%s %s %s: %d %s", method, path, body, w.Code, w.Body)
		}
		_ = json.Unmarshal(w.Body.Bytes(), &told)
		return told
	}
	do("GET", keys, "", 200, `{"keys":[]}`)
	made := do("POST", keys, `{"cdn_type":"hmac"}`, 201, `"place":"cdn"`)
	if secret, err := hex.DecodeString(made.Shown.SigningKey); err != nil || len(secret) < 16 ||
		made.State != "waiting" {
		t.Errorf("%+v, %v", made, err)
	}
	if on, err := m.Deliveries.Keys(t.Context(), "cdn"); err != nil || len(on) != 0 {
		t.Errorf("a key that waits signs: %v, %v", on, err)
	}
	do("POST", keys+"/"+made.KeyID+"/activate", "", 200, `"state":"signing"`)
	if on, err := m.Deliveries.Keys(t.Context(), "cdn"); err != nil || len(on) != 1 {
		t.Errorf("%v, %v", on, err)
	}
	taken := do("POST", keys, `{"place":"cdn","signing_key":"`+strings.Repeat("ab", 32)+`"}`, 201, `"imported":true`)
	if taken.Shown.SigningKey != "" {
		t.Error("a secret that came from there is told")
	}
	do("POST", keys+"/"+taken.KeyID+"/activate", `{"grace":"0s"}`, 200, `"state":"signing"`)
	front := do("POST", keys, `{"place":"front"}`, 201, `"cdn_type":"cloudfront"`)
	if !strings.HasPrefix(front.Shown.PublicKey, "-----BEGIN PUBLIC KEY-----") || front.Shown.SigningKey != "" {
		t.Errorf("%+v", front)
	}
	do("POST", keys+"/"+front.KeyID+"/activate", `{}`, 422, "")
	do("POST", keys+"/"+front.KeyID+"/activate", `{"key_pair_id":"K2JCJMDEHXQW5F","grace":"1h"}`, 200, `"key_pair_id":"K2JCJMDEHXQW5F"`)
	do("DELETE", keys+"/"+front.KeyID, "", 200, `"state":"revoked"`)
	do("DELETE", keys+"/url_none", "", 404, "")
	do("GET", keys, "", 200, `"state":"retired"`)
	do("POST", keys, `{}`, 422, "place")
	do("POST", keys, `{"place":"own"}`, 422, "rotate site")
	do("POST", keys, `{"cdn_type":"akamai"}`, 422, "ramp.delivery")
	do("POST", keys, `{"place":"cdn","signing_key":"no hex"}`, 422, "hex")
	do("POST", keys, `{"place":"cdn","secret":"00"}`, 400, "secret")
	do("POST", keys+"/"+made.KeyID+"/activate", `{"grace":"soon"}`, 422, "1h")
	do("POST", "/admin/tenants/other.example/signing-keys", `{"place":"cdn"}`, 404, "other.example")
	do("GET", keys+"/"+made.KeyID+"/activate", "", 405, "POST")
	if text := m.log.String(); strings.Contains(text, made.Shown.SigningKey) ||
		strings.Contains(text, strings.Repeat("ab", 32)) {
		t.Error("the log has a secret")
	}
	changes := 0
	for r, err := range m.Ledger.Read(t.Context(), ledger.Filter{Kind: "key"}) {
		if err != nil || strings.Contains(string(r.Entry.Body), made.Shown.SigningKey) {
			t.Fatalf("%s, %v", r.Entry.Body, err)
		}
		if strings.Contains(string(r.Entry.Body), `"key":"delivery"`) {
			changes++
			if !strings.Contains(string(r.Entry.Body), `"by":"key:`) {
				t.Errorf("%s", r.Entry.Body)
			}
		}
	}
	if changes < 7 {
		t.Errorf("the ledger tells of %d changes", changes)
	}
}
