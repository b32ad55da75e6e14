package app

import (
	"strings"
	"testing"
)

// TestSigningKeysAreTheirTenantsAlone names keys that sign one tenant's addresses at another's
// doors: they are neither listed nor touched there, and go on.
func TestSigningKeysAreTheirTenantsAlone(t *testing.T) {
	t.Parallel()
	s := openSupplied(t)
	one, other := s.settle("acme"), s.settle("globex")
	const keys = "/admin/tenants/acme/signing-keys"
	before := s.admin("GET", "/admin/tenants/globex/signing-keys", "", 200)
	if listed := s.admin("GET", keys, "", 200); strings.Contains(listed, other.signingKey) ||
		!strings.Contains(listed, one.signingKey) {
		t.Error(listed)
	}
	s.admin("POST", keys+"/"+other.signingKey+"/activate", "", 404)
	s.admin("DELETE", keys+"/"+other.signingKey, "", 404)
	if after := s.admin("GET", "/admin/tenants/globex/signing-keys", "", 200); after != before {
		t.Errorf("%s became %s", before, after)
	}
	s.admin("DELETE", keys+"/"+one.signingKey, "", 200)
}
