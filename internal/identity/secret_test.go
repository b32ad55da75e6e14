package identity_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"frontdesk/internal/identity"
)

func TestASecretIsMadeOnceAndStaysTheSame(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "data", "keys")
	var all sync.WaitGroup
	secrets := make([][]byte, 8)
	for i := range secrets {
		all.Go(func() {
			var err error
			if secrets[i], err = identity.OpenSecret(folder, "session"); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	for _, secret := range secrets {
		if len(secret) != 32 || !bytes.Equal(secret, secrets[0]) {
			t.Fatalf("processes that start together have different secrets: %x", secrets)
		}
	}
	if other, err := identity.OpenSecret(folder, "other"); err != nil || bytes.Equal(other, secrets[0]) {
		t.Errorf("another name has the same secret, %v", err)
	}
	for path, want := range map[string]os.FileMode{folder: 0o700, filepath.Join(folder, "session"): 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s has mode %v, want %v (%v)", path, info.Mode(), want, err)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(folder, ".new-*")); len(left) > 0 {
		t.Errorf("%v were left behind", left)
	}
}

func TestASecretThatIsNotWholeIsNotUsed(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "session"), []byte("short"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := identity.OpenSecret(folder, "session"); err == nil ||
		!strings.Contains(err.Error(), "put it back from a backup") {
		t.Errorf("a secret of 5 bytes: %v", err)
	}
}

func TestWhetherASecretCanBeMadeIsToldWithoutMakingIt(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := identity.CheckSecret(filepath.Join(dir, "data", "keys"), "session"); err != nil {
		t.Errorf("it can be made, and the answer is %v", err)
	}
	for _, folder := range []string{file, filepath.Join(file, "keys"), "/proc/none/keys"} {
		if err := identity.CheckSecret(folder, "session"); err == nil || !strings.Contains(err.Error(), folder) {
			t.Errorf("in %s: %v", folder, err)
		}
	}
	if left, err := os.ReadDir(dir); len(left) != 1 || err != nil {
		t.Errorf("left are %v, %v", left, err)
	}
	if err := os.WriteFile(filepath.Join(dir, "session"), []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := identity.CheckSecret(dir, "session"); err == nil || !strings.Contains(err.Error(), "4 bytes") {
		t.Errorf("of half a secret: %v", err)
	}
}
