package identity_test

import (
	"crypto/ed25519"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"frontdesk/internal/identity"
)

// TestAgentKeysAreApartFromTheSites holds that both kinds lie in one folder, and that neither signs
// as the other.
func TestAgentKeysAreApartFromTheSites(t *testing.T) {
	t.Parallel()
	folder, c := t.TempDir(), newClock()
	site, err := identity.OpenSiteKeys(folder, c.Now)
	if err != nil || site.EnsureKey() != nil {
		t.Fatal(err)
	}
	agent, err := identity.OpenAgentKeys(folder, c.Now)
	if err != nil || !agent.Empty() {
		t.Fatal(err)
	}
	if err := agent.EnsureKey(); err != nil {
		t.Fatal(err)
	}
	if _, err := agent.Rotate(0); err != nil {
		t.Fatal(err)
	}
	ofSite, ofAgent := site.Keys(), agent.Keys()
	if len(ofSite) != 1 || len(ofAgent) != 2 || ofSite[0].ID == ofAgent[0].ID || ofSite[0].ID == ofAgent[1].ID {
		t.Errorf("%+v and %+v", ofSite, ofAgent)
	}
	id, signer, ok := agent.Current()
	if !ok || id != ofAgent[0].ID || !ofAgent[0].Public.Equal(signer.Public().(ed25519.PublicKey)) {
		t.Error("the newest agent key is not the one that signs")
	}
	text, err := os.ReadFile(filepath.Join(folder, "agent-1.pem"))
	if err != nil || !strings.Contains(string(text), "agent key, retired") ||
		strings.Contains(string(text), "PRIVATE") {
		t.Errorf("%s, %v", text, err)
	}
	if err := os.Remove(filepath.Join(folder, "agent-1.pem")); err != nil {
		t.Fatal(err)
	}
	if err := agent.Reload(); err == nil || !strings.Contains(err.Error(), "agent key") {
		t.Errorf("a key that is missing: %v", err)
	}
}
