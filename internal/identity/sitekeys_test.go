package identity_test

import (
	"bytes"
	"crypto"
	"crypto/ed25519"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"golang.org/x/mod/sumdb/note"

	"frontdesk/internal/identity"
	"frontdesk/internal/testkit/clock"
)

func siteKeys(t testing.TB, folder string, c *clock.Clock) *identity.SiteKeys {
	t.Helper()
	keys, err := identity.OpenSiteKeys(folder, c.Now)
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

// made is a ring with its first key.
func made(t testing.TB, folder string, c *clock.Clock) *identity.SiteKeys {
	t.Helper()
	keys := siteKeys(t, folder, c)
	if err := keys.EnsureKey(); err != nil {
		t.Fatal(err)
	}
	return keys
}

func TestTheFirstSiteKeyIsMadeOnce(t *testing.T) {
	t.Parallel()
	folder, c := filepath.Join(t.TempDir(), "data", "keys"), newClock()
	if keys := siteKeys(t, folder, c); !keys.Empty() || string(keys.JWKS()) != `{"keys":[]}` {
		t.Fatalf("an empty folder has keys: %s", keys.JWKS())
	}
	if _, err := os.Stat(folder); err == nil {
		t.Error("looking made the folder")
	}
	var all sync.WaitGroup
	ids := make([]string, 8)
	for i := range ids {
		keys := siteKeys(t, folder, c)
		all.Go(func() {
			if err := keys.EnsureKey(); err != nil {
				t.Error(err)
			}
			ids[i], _, _ = keys.Current()
		})
	}
	all.Wait()
	for _, id := range ids {
		if len(id) != 43 || id != ids[0] {
			t.Fatalf("processes that start together have different keys: %q", ids)
		}
	}
	again := made(t, folder, c)
	if id, _, _ := again.Current(); id != ids[0] || len(again.Keys()) != 1 {
		t.Errorf("another start made another key: %v", again.Keys())
	}
	for path, want := range map[string]os.FileMode{folder: 0o700, filepath.Join(folder, "site-1.pem"): 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s has mode %v, want %v (%v)", path, info.Mode(), want, err)
		}
	}
}

func TestARotatedSiteKeySignsBesideItsFollowerAndThenOnlyVerifies(t *testing.T) {
	t.Parallel()
	folder, c := t.TempDir(), newClock()
	one, two := made(t, folder, c), siteKeys(t, folder, c)
	const origin = "desk.example/ledger"
	sign := func(keys *identity.SiteKeys) []byte {
		t.Helper()
		text, err := note.Sign(&note.Note{Text: origin + "\n1\nAAAA\n"}, keys.Signers(origin)...)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	// signed says under how many of the keys that keys tells of the note verifies.
	signed := func(text []byte, keys *identity.SiteKeys) int {
		t.Helper()
		var known []note.Verifier
		for _, key := range keys.Verifiers(origin) {
			v, err := note.NewVerifier(key)
			if err != nil {
				t.Fatal(err)
			}
			known = append(known, v)
		}
		opened, err := note.Open(text, note.VerifierList(known...))
		if err != nil {
			t.Fatal(err)
		}
		if len(opened.UnverifiedSigs) > 0 {
			t.Errorf("signatures by keys that are not told: %v", opened.UnverifiedSigs)
		}
		return len(opened.Sigs)
	}
	before := sign(one)
	if n := signed(before, two); n != 1 {
		t.Errorf("%d signatures before the rotation", n)
	}
	c.Advance(time.Hour)
	made, err := one.Rotate(48 * time.Hour)
	if err != nil || made.Number != 2 || !made.Created.Equal(c.Now()) {
		t.Fatalf("%+v, %v", made, err)
	}
	c.Advance(time.Second)
	if id, _, _ := two.Current(); id != made.ID {
		t.Errorf("a second later another process signs with %s, not with %s", id, made.ID)
	}
	if n := signed(sign(two), one); n != 2 {
		t.Errorf("%d signatures during the overlap", n)
	}
	c.Advance(48*time.Hour - time.Second - 1)
	if n := signed(sign(two), one); n != 2 {
		t.Errorf("%d signatures at the end of the overlap", n)
	}
	c.Advance(1)
	if n := signed(sign(two), one); n != 1 {
		t.Errorf("%d signatures after the overlap", n)
	}
	if n := signed(before, two); n != 1 {
		t.Errorf("what the retired key signed verifies %d times", n)
	}
	states := func() (all string) {
		for _, k := range two.Keys() {
			all += k.State(c.Now()) + " "
		}
		return all
	}
	if got := states(); got != "signing retired " {
		t.Errorf("states: %s", got)
	}
	if _, err := two.Rotate(0); err != nil {
		t.Fatal(err)
	}
	if got := states(); got != "signing retired retired " {
		t.Errorf("states: %s", got)
	}
	for n, want := range map[string]bool{"site-1.pem": false, "site-2.pem": false, "site-3.pem": true} {
		text, err := os.ReadFile(filepath.Join(folder, n))
		if err != nil || bytes.Contains(text, []byte("PRIVATE KEY")) != want {
			t.Errorf("%s holds a private key: %t, %v", n, !want, err)
		}
	}
	c.Advance(time.Second)
	if n := signed(before, siteKeys(t, folder, c)); n != 1 || signed(before, one) != 1 {
		t.Errorf("without its private part the oldest key verifies %d times", n)
	}
}

// TestARotationWithoutOverlapEndsAllThatSign: nobody need know which of two keys has leaked.
func TestARotationWithoutOverlapEndsAllThatSign(t *testing.T) {
	t.Parallel()
	now := clock.At(time.Date(2027, 5, 4, 12, 0, 0, 0, time.UTC))
	keys := made(t, t.TempDir(), now)
	for _, c := range []struct {
		overlap time.Duration
		signing int
	}{{0, 1}, {48 * time.Hour, 2}, {7 * 24 * time.Hour, 3}, {0, 1}, {time.Hour, 2}} {
		if _, err := keys.Rotate(c.overlap); err != nil {
			t.Fatal(err)
		}
		now.Advance(time.Minute)
		if n := len(keys.Signers("example.com/ledger")); n != c.signing {
			t.Errorf("after a rotation with an overlap of %s %d keys sign, want %d", c.overlap, n, c.signing)
		}
	}
}

func TestSiteKeysArePublishedAsOthersReadThem(t *testing.T) {
	t.Parallel()
	folder, c := t.TempDir(), newClock()
	keys := made(t, folder, c)
	if _, err := keys.Rotate(time.Hour); err != nil {
		t.Fatal(err)
	}
	var set jose.JSONWebKeySet
	if err := json.Unmarshal(keys.JWKS(), &set); err != nil || len(set.Keys) != 2 {
		t.Fatalf("%s: %v", keys.JWKS(), err)
	}
	id, signer, _ := keys.Current()
	signature, err := signer.Sign(nil, []byte("word"), crypto.Hash(0))
	if err != nil {
		t.Fatal(err)
	}
	for i, key := range set.Keys {
		thumb, err := key.Thumbprint(crypto.SHA256)
		if err != nil || !key.Valid() || !key.IsPublic() || key.Algorithm != "EdDSA" || key.Use != "sig" {
			t.Errorf("%+v: %v", key, err)
		}
		if want := keys.Keys()[i].ID; key.KeyID != want || want != base64.RawURLEncoding.EncodeToString(thumb) {
			t.Errorf("key %d is called %s, not by its thumbprint", i, key.KeyID)
		}
		if good := ed25519.Verify(key.Key.(ed25519.PublicKey), []byte("word"), signature); good != (key.KeyID == id) {
			t.Errorf("key %d verifies what the current one signed: %t", i, good)
		}
	}
	var raw struct{ Keys []map[string]any }
	if err := json.Unmarshal(keys.JWKS(), &raw); err != nil {
		t.Fatal(err)
	}
	if _, ends := raw.Keys[0]["exp"]; ends || raw.Keys[1]["exp"] != float64(c.Now().Add(time.Hour).Unix()) {
		t.Errorf("ends: %v", raw.Keys)
	}
	if bytes.Contains(keys.JWKS(), []byte(`"d"`)) {
		t.Error("the private part is published")
	}
}

func TestASiteKeyFileIsReadByOtherPrograms(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	keys := made(t, folder, newClock())
	text, err := os.ReadFile(filepath.Join(folder, "site-1.pem"))
	if err != nil {
		t.Fatal(err)
	}
	block, rest := pem.Decode(text)
	if block == nil || len(bytes.TrimSpace(rest)) > 0 || len(block.Headers) > 0 {
		t.Fatalf("no plain PEM: %s", text)
	}
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	if !key.(ed25519.PrivateKey).Public().(ed25519.PublicKey).Equal(keys.Keys()[0].Public) {
		t.Error("it is another key")
	}
}

func TestSiteKeysThatAreNotWholeAreRefused(t *testing.T) {
	t.Parallel()
	whole := func(t *testing.T) string {
		folder, c := t.TempDir(), newClock()
		keys := made(t, folder, c)
		for range 2 {
			if _, err := keys.Rotate(time.Hour); err != nil {
				t.Fatal(err)
			}
		}
		return folder
	}
	write := func(name, text string, mode os.FileMode) func(folder string) error {
		return func(folder string) error {
			path := filepath.Join(folder, name)
			os.Remove(path)
			return os.WriteFile(path, []byte(text), mode)
		}
	}
	for name, one := range map[string]struct {
		change func(folder string) error
		says   string
	}{
		"one in the middle is missing": {func(f string) error { return os.Remove(filepath.Join(f, "site-2.pem")) },
			"site-2.pem is missing; put it back from a backup"},
		"the first is missing": {func(f string) error { return os.Remove(filepath.Join(f, "site-1.pem")) },
			"site-1.pem is missing"},
		"an empty one": {write("site-2.pem", "", 0o600), "there is no key in it"},
		"half of one": {write("site-2.pem",
			"created: 2026-11-21T12:00:00Z\noverlap: 1h\n-----BEGIN PRIVATE KEY-----\nMC4C", 0o600), "it is not whole"},
		"without when it was made": {write("site-2.pem", "-----BEGIN PUBLIC KEY-----\nMCow\n-----END PUBLIC KEY-----\n",
			0o600), "it is not whole"},
		"of another kind": {write("site-2.pem", "created: 2026-11-21T12:00:00Z\noverlap: 1h\n-----BEGIN "+
			"CERTIFICATE-----\nMCow\n-----END CERTIFICATE-----\n", 0o600), "no Ed25519 key"},
		"with an odd overlap": {write("site-2.pem", "created: 2026-11-21T12:00:00Z\noverlap: -1h\n-----BEGIN "+
			"PUBLIC KEY-----\nMCow\n-----END PUBLIC KEY-----\n", 0o600), "overlap"},
		"that everybody can read": {func(f string) error { return os.Chmod(filepath.Join(f, "site-3.pem"), 0o644) },
			"chmod 600"},
	} {
		folder := whole(t)
		running := siteKeys(t, folder, newClock())
		if err := one.change(folder); err != nil {
			t.Fatal(err)
		}
		_, err := identity.OpenSiteKeys(folder, newClock().Now)
		if err == nil || !strings.Contains(err.Error(), one.says) || !strings.Contains(err.Error(), folder) {
			t.Errorf("%s: %v", name, err)
		}
		if name != "that everybody can read" { // which changes neither name nor time
			if err := running.Reload(); err == nil {
				t.Errorf("%s: a running process does not notice", name)
			}
		}
		if len(running.Keys()) != 3 {
			t.Errorf("%s: a running process loses keys", name)
		}
	}
	folder := whole(t)
	running := siteKeys(t, folder, newClock())
	if err := os.Remove(filepath.Join(folder, "site-3.pem")); err != nil {
		t.Fatal(err)
	}
	if err := running.Reload(); err == nil || len(running.Signers("o")) != 3 {
		t.Errorf("the newest key went away, and the one before it signs again: %v", err)
	}
}

func FuzzSiteKeyFile(f *testing.F) {
	folder := f.TempDir()
	made(f, folder, newClock())
	path := filepath.Join(folder, "site-1.pem")
	text, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(text))
	f.Add(strings.Replace(string(text), "overlap: 0s", "overlap: 9999999h", 1))
	f.Add("created: x\n-----BEGIN ")
	f.Fuzz(func(t *testing.T, text string) {
		folder := t.TempDir()
		if err := os.WriteFile(filepath.Join(folder, "site-1.pem"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		keys, err := identity.OpenSiteKeys(folder, newClock().Now)
		if err != nil {
			return
		}
		if _, signer, ok := keys.Current(); ok {
			if signature, err := signer.Sign(nil, []byte("x"), crypto.Hash(0)); err != nil ||
				!ed25519.Verify(keys.Keys()[0].Public, []byte("x"), signature) {
				t.Fatalf("a key that does not fit: %v", err)
			}
		}
	})
}
