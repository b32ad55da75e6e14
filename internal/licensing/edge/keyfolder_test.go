package edge

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/testkit/clock"
	"frontdesk/wire/sign"
)

func TestKeysOfAFolderAreTakenUp(t *testing.T) {
	t.Parallel()
	now := clock.At(time.Date(2027, 5, 4, 12, 0, 0, 0, time.UTC))
	dir := filepath.Join(t.TempDir(), "keys")
	var log bytes.Buffer
	folder := NewKeyFolder(dir, now.Now, slog.New(slog.NewTextHandler(&log, nil)))
	if keys := folder.Keys(); len(keys) != 0 || log.Len() > 0 {
		t.Errorf("a folder that there is not has %v, %s", keys, &log)
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	put := func(name string, key any) {
		t.Helper()
		text, err := json.Marshal(key)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	secret := strings.Repeat("0a", 32)
	put("a.json", StoredKey{Form: "hmac", Secret: secret, Created: now.Now(), Until: now.Now().Add(time.Hour)})
	put("registering", StoredKey{Form: "hmac", Secret: secret})
	if keys := folder.Keys(); len(keys) != 0 {
		t.Errorf("it was looked at within a second: %v", keys)
	}
	now.Advance(time.Second)
	if keys := folder.Keys(); len(keys) != 1 || keys[0].Form != sign.URLHMAC ||
		!keys[0].Ends.Equal(now.Now().Add(time.Hour-time.Second)) {
		t.Fatalf("%v, %s", keys, &log)
	}
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	public, err := x509.MarshalPKIXPublicKey(private.Public())
	if err != nil {
		t.Fatal(err)
	}
	put("b.json", StoredKey{Form: "cloudfront", ID: "k-2027-05-04-cf",
		Public: string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: public})), Created: now.Now()})
	put("c.json", StoredKey{Form: "hmac", Secret: "no hex " + secret})
	put("d.json", "no key")
	now.Advance(time.Second)
	if keys := folder.Keys(); len(keys) != 2 || keys[0].Form != sign.URLCloudFront || keys[0].ID != "k-2027-05-04-cf" {
		t.Errorf("the last is not first: %v", keys)
	}
	if told := log.String(); strings.Count(told, "cannot be used") != 2 || strings.Contains(told, secret) {
		t.Error(told)
	}
	if err := os.Remove(filepath.Join(dir, "b.json")); err != nil {
		t.Fatal(err)
	}
	now.Advance(time.Second)
	if keys := folder.Keys(); len(keys) != 1 {
		t.Errorf("one that was taken away stays: %v", keys)
	}
}

func TestATokenInAFileEndsWhenItSays(t *testing.T) {
	t.Parallel()
	now := clock.At(time.Now().UTC().Truncate(time.Second))
	path := filepath.Join(t.TempDir(), "tokens.txt")
	text := "token-of-a-minute " + now.Now().Add(time.Minute).Format(time.RFC3339) +
		"\ntoken-without-end\ntoken-of-no-time soon\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	tokens := NewTokens(nil, path, now.Now, slog.New(slog.DiscardHandler))
	tokens.AddSource(func(token string) bool { return token == "token-of-another" })
	has := func(want ...bool) {
		t.Helper()
		for i, token := range []string{"token-of-a-minute", "token-without-end", "token-of-no-time",
			"token-of-another"} {
			if tokens.Has(token) != want[i] {
				t.Errorf("%s: %t", token, !want[i])
			}
		}
	}
	has(true, true, false, true)
	now.Advance(time.Minute)
	has(false, true, false, true)
	now.Advance(TokenLife)
	has(false, false, false, true)
}
