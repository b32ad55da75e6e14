package identity

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/testkit/clock"
)

// TestAKeyLosesItsPrivatePartWhenItsOverlapEnds has another process rotate, and time pass.
func TestAKeyLosesItsPrivatePartWhenItsOverlapEnds(t *testing.T) {
	t.Parallel()
	c, folder := clock.At(time.Date(2026, 11, 22, 7, 0, 0, 0, time.UTC)), t.TempDir()
	keys, err := OpenSiteKeys(folder, c.Now)
	if err == nil {
		err = keys.EnsureKey()
	}
	if err != nil {
		t.Fatal(err)
	}
	other, err := OpenSiteKeys(folder, c.Now)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.Rotate(time.Hour); err != nil {
		t.Fatal(err)
	}
	private := func(n string) bool {
		text, err := os.ReadFile(filepath.Join(folder, "site-"+n+".pem"))
		if err != nil {
			t.Fatal(err)
		}
		return strings.Contains(string(text), "PRIVATE KEY")
	}
	for _, step := range []struct {
		pass    time.Duration
		old     bool
		signers int
	}{{time.Second, true, 2}, {time.Hour - 2*time.Second, true, 2}, {time.Second, false, 1}, {time.Hour, false, 1}} {
		c.Advance(step.pass)
		if err := keys.Retire(); err != nil {
			t.Fatal(err)
		}
		if private("1") != step.old || !private("2") || len(keys.Signers("example.com/ledger")) != step.signers {
			t.Errorf("after %v: the old key has its private part: %v, the new one: %v, %d sign", step.pass,
				private("1"), private("2"), len(keys.Signers("example.com/ledger")))
		}
		for _, s := range []*SiteKeys{keys, other} {
			if len(s.Keys()) != 2 || len(s.Verifiers("example.com/ledger")) != 2 {
				t.Error("a key that has signed is not there any more")
			}
		}
	}
	info, err := os.Stat(filepath.Join(folder, "site-1.pem"))
	if err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}
