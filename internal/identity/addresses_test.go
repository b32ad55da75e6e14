package identity

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"frontdesk/internal/testkit/clock"
	"frontdesk/wire/sign"
)

// opensAt says whether an address that some keys sign at a time opens at once with others.
func opensAt(t *testing.T, at time.Time, signing []sign.URLKey, verifying *AddressKeys) bool {
	t.Helper()
	const origin = "https://site.example/deliver"
	grant := sign.URLGrant{Expires: at.Add(sign.URLLife).Truncate(time.Second), Agent: "a", Transaction: "txn-1"}
	address, err := sign.URLKeys{Origin: origin, Keys: signing}.Sign(origin+"/txn-1", grant, at)
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = sign.URLKeys{Origin: origin, Keys: keysOf(t, verifying)}.Verify(address, at)
	return err == nil
}

func keysOf(t *testing.T, a *AddressKeys) []sign.URLKey {
	t.Helper()
	keys, err := a.Keys()
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

func TestAddressesOpenWhileTheirSecretIsFollowed(t *testing.T) {
	t.Parallel()
	folder, c := t.TempDir(), clock.At(time.Date(2027, 5, 4, 12, 0, 0, 0, time.UTC))
	here, there := NewAddressKeys(folder, c.Now), NewAddressKeys(folder, c.Now)
	before, err := OpenSecret(folder, "deliver") // as a version before had it
	if err != nil {
		t.Fatal(err)
	}
	old := keysOf(t, here)
	if len(old) != 1 || string(old[0].Secret) != string(before) || !old[0].Ends.IsZero() {
		t.Fatalf("%+v", old)
	}
	if !opensAt(t, c.Now(), keysOf(t, there), here) {
		t.Error("two nodes have other secrets")
	}
	if name, err := here.Rotate(time.Hour); err != nil || name != "deliver-2" {
		t.Fatal(name, err)
	}
	if !opensAt(t, c.Now(), keysOf(t, there), here) {
		t.Error("what a node signs that does not know yet opens nothing")
	}
	c.Advance(time.Second)
	followed := keysOf(t, there)
	if len(followed) != 2 || string(followed[0].Secret) == string(before) || !opensAt(t, c.Now(), followed, here) {
		t.Error("the other node has not followed")
	}
	c.Advance(time.Hour - 2*time.Second)
	if !opensAt(t, c.Now(), old, there) {
		t.Error("what the old one signed does not open to the end of its grace")
	}
	c.Advance(time.Second)
	if opensAt(t, c.Now(), old, there) {
		t.Error("what the old one signed opens after its grace")
	}
	if name, err := there.Rotate(0); err != nil || name != "deliver-3" {
		t.Fatal(name, err)
	}
	c.Advance(time.Second)
	plain := followed[:1]
	if opensAt(t, c.Now(), plain, here) || opensAt(t, c.Now(), old, here) ||
		!opensAt(t, c.Now(), keysOf(t, there), here) {
		t.Error("what was ended at once opens still, or the new one does not")
	}
	if _, err := here.Rotate(-1); err == nil {
		t.Error("a grace of less than nothing")
	}
}

func TestSecretsOfAddressesAreMadeOnce(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	var all sync.WaitGroup
	var mu sync.Mutex
	names := map[string]int{}
	for range 8 {
		all.Go(func() {
			keys := NewAddressKeys(folder, nil)
			name, err := keys.Rotate(time.Hour)
			mu.Lock()
			defer mu.Unlock()
			if names[name]++; err != nil && !strings.Contains(err.Error(), "somebody else") {
				t.Error(err)
			}
		})
	}
	all.Wait()
	for name, n := range names {
		if name != "" && n > 1 {
			t.Errorf("%s was made %d times", name, n)
		}
	}
	if info, err := os.Stat(filepath.Join(folder, "deliver-2")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
}

func TestABrokenSecretOfAddressesIsTold(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "made x\ngrace 1h\nsecret 00\n",
		"made 2027-01-01T00:00:00Z\ngrace 1h\nsecret 00\n", "made 2027-01-01T00:00:00Z\ngrace -1h\nsecret " +
			strings.Repeat("0", 64) + "\n"} {
		folder := t.TempDir()
		keys := NewAddressKeys(folder, nil)
		if _, err := keys.Keys(); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, "deliver-2"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := NewAddressKeys(folder, nil).Keys(); err == nil ||
			!strings.Contains(err.Error(), "deliver-2 is no secret") {
			t.Errorf("%q: %v", text, err)
		}
	}
}
