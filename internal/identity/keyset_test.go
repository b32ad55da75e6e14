package identity

import (
	"testing"

	"github.com/go-jose/go-jose/v4"
)

func FuzzKeySetHoldsOnlyPublicKeysOfKnownKinds(f *testing.F) {
	f.Add([]byte(`{"keys":[{"kty":"oct","k":"AAAA"},{"kty":"EC","crv":"P-256","x":"AA","y":"AA"},{"kty":"RSA","n":"AQAB","e":"AQAB"}]}`))
	f.Add([]byte(`{"keys":null}`))
	f.Add([]byte(`[]`))
	f.Fuzz(func(t *testing.T, body []byte) {
		keys, err := parseKeys(body)
		if err != nil && keys != nil || len(keys) > maxKeys {
			t.Fatalf("%d keys, %v", len(keys), err)
		}
		for _, key := range keys {
			for _, algorithm := range []jose.SignatureAlgorithm{jose.HS256, jose.HS512, "none", ""} {
				if fits(key, algorithm) || !key.IsPublic() {
					t.Fatalf("a key for %q: %T", algorithm, key.Key)
				}
			}
		}
	})
}
