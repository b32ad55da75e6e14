package identity_test

import (
	"strings"
	"testing"

	"frontdesk/internal/identity"
)

// FuzzParseDomain holds that what is read as a domain is in one form, and that nothing of an
// address can be smuggled in.
func FuzzParseDomain(f *testing.F) {
	for _, seed := range []string{"buyer.example.com", "LOCALHOST:80", "[::1]:8080", "127.0.0.1", "a@b", "a/b", "a#b",
		"a?b", "a b", "1.2.3.4", "::1"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		domain, err := identity.ParseDomain(text)
		if err != nil {
			return
		}
		if again, err := identity.ParseDomain(domain); err != nil || again != domain ||
			strings.ContainsAny(domain, "/@#?% \\\n\t") || domain != strings.ToLower(domain) {
			t.Fatalf("%q is read as %q, and that as %q, %v", text, domain, again, err)
		}
	})
}
