package proof

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/licensing/edge"
)

func TestAKeyIsKeptForTheGateAndTheOneBeforeForAnHour(t *testing.T) {
	t.Parallel()
	now := time.Date(2027, 5, 4, 12, 0, 0, 0, time.UTC)
	a := &Answering{Domain: "www.example.com", Keys: filepath.Join(t.TempDir(), "keys"),
		Now: func() time.Time { return now }}
	offer := func() OfferedKey {
		t.Helper()
		key, err := MakeKey("hmac", "", "")
		if err != nil {
			t.Fatal(err)
		}
		key.Stored.Exchange = "https://x.example"
		if err := a.Offer(key); err != nil {
			t.Fatal(err)
		}
		return key
	}
	first := offer()
	if key, ok := a.Pending("https://x.example", "hmac"); !ok || key.Text != first.Text {
		t.Errorf("%v, %t", key, ok)
	}
	if _, ok := a.Pending("https://y.example", "hmac"); ok {
		t.Error("another Exchange is given the key")
	}
	keep := func(key OfferedKey, id string) {
		t.Helper()
		if _, err := a.Keep(key, id, now.Add(90*24*time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	keep(first, "k-2027-05-04-hmac")
	if _, ok := a.Pending("https://x.example", "hmac"); ok {
		t.Error("a key that is registered still waits")
	}
	now = now.Add(24 * time.Hour)
	keep(offer(), "../k-2027-05-05-hmac")
	files, err := filepath.Glob(filepath.Join(a.Keys, "*.json"))
	if err != nil || len(files) != 2 || !strings.HasPrefix(filepath.Base(files[0]), "x.example____k-2027-05-05-hmac_") {
		t.Fatalf("%v, %v", files, err)
	}
	for _, file := range files {
		key, err := edge.ReadStoredKey(file)
		if err != nil {
			t.Fatal(err)
		}
		want := now.Add(90*24*time.Hour + 5*time.Minute)
		if key.Secret == first.Stored.Secret {
			want = now.Add(time.Hour + 5*time.Minute)
		}
		if !key.Until.Equal(want) {
			t.Errorf("%s is good until %s, not %s", file, key.Until, want)
		}
	}
}

// TestKeysOfSeveralExchangesStandSideBySide has Exchanges that give their keys the same id, as
// those of one software do that verify a domain on the same day.
func TestKeysOfSeveralExchangesStandSideBySide(t *testing.T) {
	t.Parallel()
	now := time.Date(2027, 5, 4, 12, 0, 0, 0, time.UTC)
	a := &Answering{Domain: "www.example.com", Keys: filepath.Join(t.TempDir(), "keys"),
		Now: func() time.Time { return now }}
	key := func(exchange string) OfferedKey {
		t.Helper()
		key, err := MakeKey("hmac", "", "")
		if err != nil {
			t.Fatal(err)
		}
		key.Stored.Exchange = exchange
		return key
	}
	// A version before this one kept the key of the first Exchange by its id alone.
	first := key("https://x.example")
	first.Stored.Created, first.Stored.Until = now, now.Add(90*24*time.Hour)
	if err := os.MkdirAll(a.Keys, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := writeStored(filepath.Join(a.Keys, "k1.json"), first.Stored); err != nil {
		t.Fatal(err)
	}
	exchanges := []string{"https://x.example", "https://y.example", "https://y.example:8443", "http://y.example",
		"https://y.example/k1", "https://y.example_k1"}
	secrets := map[string]string{"https://x.example": first.Stored.Secret}
	for _, exchange := range exchanges[1:] {
		one := key(exchange)
		if err := a.Offer(one); err != nil {
			t.Fatal(err)
		}
		secrets[exchange] = one.Text
	}
	for _, exchange := range exchanges[1:] { // whose runs broke off side by side
		one, ok := a.Pending(exchange, "hmac")
		if !ok || one.Text != secrets[exchange] {
			t.Fatalf("of %s %t waits, and not its own key", exchange, ok)
		}
		if _, err := a.Keep(one, "k1", now.Add(90*24*time.Hour)); err != nil {
			t.Fatal(err)
		}
		if _, ok := a.Pending(exchange, "hmac"); ok {
			t.Errorf("the registered key of %s still waits", exchange)
		}
	}
	// registered once more
	if path, err := a.Keep(first, "k1", now.Add(91*24*time.Hour)); err != nil || filepath.Base(path) == "k1.json" {
		t.Fatal(path, err)
	}
	files, err := filepath.Glob(filepath.Join(a.Keys, "*.json"))
	if err != nil || len(files) != len(exchanges) {
		t.Errorf("%d files for %d keys: %v, %v", len(files), len(exchanges), files, err)
	}
	for _, file := range files {
		one, err := edge.ReadStoredKey(file)
		if err != nil {
			t.Fatal(err)
		}
		if one.Secret != secrets[one.Exchange] || one.Until.Before(now.Add(90*24*time.Hour)) ||
			!one.Created.Equal(now) {
			t.Errorf("%s of %s: from %s until %s", file, one.Exchange, one.Created, one.Until)
		}
		delete(secrets, one.Exchange)
	}
	if len(secrets) > 0 {
		t.Errorf("lost keys: %v", len(secrets))
	}
}
