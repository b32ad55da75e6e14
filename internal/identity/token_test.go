package identity_test

import (
	"bytes"
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"frontdesk/internal/identity"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/testkit/clock"
)

// authority is an authorization server, as far as it publishes keys and signs.
type authority struct {
	mu      sync.Mutex
	keys    []jose.JSONWebKey // with their private halves
	fetches atomic.Int32
	down    atomic.Bool
	hold    chan struct{} // when not nil, a fetch waits for it
	heard   bytes.Buffer  // what the verifier logged
}

func (a *authority) add(key any, id, use, algorithm string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.keys = append(a.keys, jose.JSONWebKey{Key: key, KeyID: id, Use: use, Algorithm: algorithm})
}

func (a *authority) fetch(_ context.Context, address string) ([]byte, error) {
	a.fetches.Add(1)
	if a.hold != nil {
		<-a.hold
	}
	if address != "https://login.example/keys" || a.down.Load() {
		return nil, errors.New("the server is down")
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	var set struct {
		Keys []any `json:"keys"`
	}
	for _, key := range a.keys {
		if public := key.Public(); public.Valid() {
			set.Keys = append(set.Keys, public)
		} else {
			set.Keys = append(set.Keys, key) // a secret, published by mistake
		}
	}
	set.Keys = append(set.Keys, map[string]string{"kty": "unheard of"}, "no key at all")
	return json.Marshal(set)
}

var (
	rsaKey, _   = rsa.GenerateKey(rand.Reader, 2048)
	p256, _     = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	p384, _     = ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	_, edKey, _ = ed25519.GenerateKey(rand.Reader)
)

func newAuthority() *authority {
	a := &authority{}
	a.add(rsaKey, "rsa", "sig", "")
	a.add(p256, "p256", "", "ES256")
	a.add(p384, "p384", "", "")
	a.add(edKey, "ed", "sig", "EdDSA")
	return a
}

// oauth is a verifier of an authority's tokens.
func oauth(t testing.TB, a *authority, c *clock.Clock, change ...func(*identity.OAuth)) *identity.Verifier {
	t.Helper()
	config := identity.OAuth{
		Issuer: "https://login.example", Audience: []string{"https://desk.example/mcp", "desk"},
		JWKS:       "https://login.example/keys",
		Algorithms: identity.Algorithms(), Skew: time.Minute, Fetch: a.fetch,
	}
	for _, f := range change {
		f(&config)
	}
	return verifier(t,
		identity.Config{OAuth: &config, Now: c.Now, Strict: true, Log: slog.New(slog.NewTextHandler(&a.heard, nil))})
}

// token is a token that is to be signed.
type token struct {
	key       any
	algorithm jose.SignatureAlgorithm
	id, typ   string
	claims    map[string]any
	header    map[string]any
}

func good(c *clock.Clock) token {
	return token{key: p256, algorithm: jose.ES256, id: "p256", typ: "at+jwt", claims: map[string]any{
		"iss": "https://login.example", "aud": "desk", "sub": "agent-7", "iat": c.Now().Unix(),
		"exp": c.Now().Add(time.Hour).Unix(), "scope": "read ask",
	}}
}

func (k token) sign(t testing.TB) string {
	t.Helper()
	options := &jose.SignerOptions{}
	if k.typ != "" {
		options.WithType(jose.ContentType(k.typ))
	}
	for name, value := range k.header {
		options.WithHeader(jose.HeaderKey(name), value)
	}
	key := k.key
	if k.id != "" {
		key = jose.JSONWebKey{Key: k.key, KeyID: k.id}
	}
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: k.algorithm, Key: key}, options)
	if err != nil {
		t.Fatal(err)
	}
	text, err := jwt.Signed(signer).Claims(k.claims).Serialize()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestTokensOfTheAuthorityNameTheParty(t *testing.T) {
	t.Parallel()
	c := newClock()
	for name, change := range map[string]func(*token){
		"as it should be":      func(*token) {},
		"RS256":                func(k *token) { k.key, k.algorithm, k.id = rsaKey, jose.RS256, "rsa" },
		"PS512":                func(k *token) { k.key, k.algorithm, k.id = rsaKey, jose.PS512, "rsa" },
		"ES384":                func(k *token) { k.key, k.algorithm, k.id = p384, jose.ES384, "p384" },
		"EdDSA":                func(k *token) { k.key, k.algorithm, k.id = edKey, jose.EdDSA, "ed" },
		"without a key's id":   func(k *token) { k.id = "" },
		"without a type":       func(k *token) { k.typ = "" },
		"of type JWT":          func(k *token) { k.typ = "JWT" },
		"of the long type":     func(k *token) { k.typ = "application/at+JWT" },
		"several audiences":    func(k *token) { k.claims["aud"] = []string{"other", "https://desk.example/mcp"} },
		"of a client":          func(k *token) { delete(k.claims, "sub"); k.claims["client_id"] = "agent-7" },
		"expired a moment ago": func(k *token) { k.claims["exp"] = c.Now().Add(-59 * time.Second).Unix() },
		"valid in a moment":    func(k *token) { k.claims["nbf"] = c.Now().Add(59 * time.Second).Unix() },
		"scopes as a list":     func(k *token) { delete(k.claims, "scope"); k.claims["scp"] = []string{"ask", "read"} },
		"with unknown claims":  func(k *token) { k.claims["groups"] = []any{map[string]any{"a": 1}} },
	} {
		k := good(c)
		change(&k)
		v := oauth(t, newAuthority(), c, func(o *identity.OAuth) { o.Scopes = []string{"ask"} })
		party, ok, err := v.Verify(t.Context(), bearer(k.sign(t)))
		if !ok || err != nil || party.ID != "token:https://login.example agent-7" || party.Kind != identity.KindToken ||
			len(party.Scopes) != 2 {
			t.Errorf("%s: %+v, %t, %v", name, party, ok, err)
		}
	}
}

func TestOtherTokensAreRefused(t *testing.T) {
	c := newClock()
	stranger, _ := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	weak := weakRSA(t)
	for name, change := range map[string]func(*token){
		"expired":                  func(k *token) { k.claims["exp"] = c.Now().Add(-61 * time.Second).Unix() },
		"never expires":            func(k *token) { delete(k.claims, "exp") },
		"not valid yet":            func(k *token) { k.claims["nbf"] = c.Now().Add(61 * time.Second).Unix() },
		"issued in the future":     func(k *token) { k.claims["iat"] = c.Now().Add(61 * time.Second).Unix() },
		"of another issuer":        func(k *token) { k.claims["iss"] = "https://login.example/" },
		"of no issuer":             func(k *token) { delete(k.claims, "iss") },
		"for another audience":     func(k *token) { k.claims["aud"] = "desk.example" },
		"for no audience":          func(k *token) { delete(k.claims, "aud") },
		"of nobody":                func(k *token) { delete(k.claims, "sub") },
		"signed by a stranger":     func(k *token) { k.key = stranger },
		"under another key's name": func(k *token) { k.id = "p384" },
		"under an unknown name":    func(k *token) { k.id = "unknown" },
		"a stranger's, unnamed":    func(k *token) { k.key, k.id = stranger, "" },
		"by a secret":              func(k *token) { k.key, k.algorithm = []byte(strings.Repeat("s", 32)), jose.HS256 },
		"by the public key as a secret": func(k *token) {
			k.key, k.algorithm, k.id = publicPEM(t, &rsaKey.PublicKey), jose.HS256, "rsa"
		},
		"by a published secret": func(k *token) {
			k.key, k.algorithm, k.id = []byte(strings.Repeat("p", 32)),
				jose.HS256, "oct"
		},
		"by a weak key":            func(k *token) { k.key, k.algorithm, k.id = weak, jose.RS256, "weak" },
		"by a key for encryption":  func(k *token) { k.id = "enc" },
		"of another type":          func(k *token) { k.typ = "dpop+jwt" },
		"of a logout":              func(k *token) { k.typ = "logout+jwt" },
		"an unknown critical part": func(k *token) { k.header = map[string]any{"crit": []string{"exp2"}, "exp2": 1} },
		"claims of wrong kinds":    func(k *token) { k.claims["exp"] = "tomorrow" },
	} {
		a := newAuthority()
		a.add([]byte(strings.Repeat("p", 32)), "oct", "", "")
		a.add(weak, "weak", "", "")
		a.add(p256, "enc", "enc", "")
		k := good(c)
		change(&k)
		party, ok, err := oauth(t, a, c).Verify(t.Context(), bearer(k.sign(t)))
		if ok || codeOf(err) != fail.Unauthorized || party.ID != "" {
			t.Errorf("%s: %+v, %t, %v", name, party, ok, err)
		}
		if err != nil && strings.Contains(err.Error(), "agent-7") {
			t.Errorf("%s: the error names the person: %v", name, err)
		}
	}
}

func TestTokensThatWereTamperedWithAreRefused(t *testing.T) {
	t.Parallel()
	c := newClock()
	text := good(c).sign(t)
	parts := strings.Split(text, ".")
	encode := func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }
	admin := encode(fmt.Sprintf(`{"iss":"https://login.example","aud":"desk","sub":"admin","exp":%d}`, c.Now().Add(time.Hour).Unix()))
	v := oauth(t, newAuthority(), c)
	for name, forged := range map[string]string{
		"other claims":       parts[0] + "." + admin + "." + parts[2],
		"no signature":       parts[0] + "." + parts[1] + ".",
		"algorithm none":     encode(`{"alg":"none"}`) + "." + admin + ".",
		"algorithm None":     encode(`{"alg":"None"}`) + "." + admin + "." + parts[2],
		"its own key inside": encode(`{"alg":"ES256","jwk":{"kty":"EC","crv":"P-256","x":"AA","y":"AA"}}`) + "." + admin + "." + parts[2],
		"cut":                text[:len(text)-4],
		"doubled":            text + "." + text,
		"as JSON":            fmt.Sprintf(`{"payload":%q,"signatures":[{"protected":%q,"signature":%q}]}`, parts[1], parts[0], parts[2]),
		"far too long":       text + strings.Repeat("A", 1<<20),
		"nothing":            "..",
	} {
		if party, ok, err := v.Verify(t.Context(), bearer(forged)); ok || codeOf(err) != fail.Unauthorized {
			t.Errorf("%s: %+v, %v", name, party, err)
		}
	}
	if _, ok, err := v.Verify(t.Context(), bearer(text)); !ok {
		t.Errorf("the real one: %v", err)
	}
	if _, ok, err := v.Verify(t.Context(), inKeyHeader(text)); ok || codeOf(err) != fail.Unauthorized {
		t.Errorf("a token is taken for a key: %v", err)
	}
}

func TestAlgorithmsAreThoseOfTheConfiguration(t *testing.T) {
	t.Parallel()
	c := newClock()
	v := oauth(t, newAuthority(), c, func(o *identity.OAuth) { o.Algorithms = []string{"RS256"} })
	if _, ok, err := v.Verify(t.Context(), bearer(good(c).sign(t))); ok || codeOf(err) != fail.Unauthorized {
		t.Errorf("ES256 where RS256 is wanted: %v", err)
	}
	for _, algorithm := range []string{"HS256", "none", ""} {
		config := identity.OAuth{Issuer: "i", Audience: []string{"a"}, Algorithms: []string{algorithm}}
		if _, err := identity.New(identity.Config{OAuth: &config}); err == nil {
			t.Errorf("%q may be configured", algorithm)
		}
	}
}

func TestTokenWithoutANeededScopeIsForbidden(t *testing.T) {
	t.Parallel()
	c := newClock()
	v := oauth(t, newAuthority(), c, func(o *identity.OAuth) { o.Scopes = []string{"ask", "more"} })
	if _, ok, err := v.Verify(t.Context(), bearer(good(c).sign(t))); ok || codeOf(err) != fail.Forbidden ||
		!strings.Contains(err.Error(), "more") {
		t.Errorf("%t, %v", ok, err)
	}
}

func TestNewKeysAreFetchedOnceWhenATokenNamesOne(t *testing.T) {
	t.Parallel()
	c, a := newClock(), newAuthority()
	v := oauth(t, a, c)
	verify := func(k token) (bool, error) {
		_, ok, err := v.Verify(t.Context(), bearer(k.sign(t)))
		return ok, err
	}
	if ok, err := verify(good(c)); !ok || a.fetches.Load() != 1 {
		t.Fatalf("%v after %d fetches", err, a.fetches.Load())
	}
	next, _ := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	rotated := good(c)
	rotated.key, rotated.id = next, "next"
	a.add(next, "next", "", "")
	c.Advance(11 * time.Second)
	if ok, err := verify(rotated); !ok || a.fetches.Load() != 2 {
		t.Errorf("the new key: %v after %d fetches", err, a.fetches.Load())
	}
	for i := range 50 { // within the pause a made-up key costs the authority nothing
		made := good(c)
		made.id = fmt.Sprint("made-up-", i)
		if ok, err := verify(made); ok || codeOf(err) != fail.Unauthorized {
			t.Fatal(err)
		}
	}
	if n := a.fetches.Load(); n != 2 {
		t.Errorf("%d fetches for made-up keys", n-2)
	}
}

func TestManyTokensWaitForOneFetch(t *testing.T) {
	t.Parallel()
	c, a := newClock(), newAuthority()
	a.hold = make(chan struct{})
	v, text := oauth(t, a, c), good(c).sign(t)
	var group sync.WaitGroup
	for range 50 {
		group.Go(func() {
			if _, ok, err := v.Verify(t.Context(), bearer(text)); !ok {
				t.Error(err)
			}
		})
	}
	gone, leave := context.WithCancel(t.Context())
	leave()
	if _, ok, err := v.Verify(gone, bearer(text)); ok || !errors.Is(err, context.Canceled) {
		t.Errorf("a client that has left: %t, %v", ok, err)
	}
	close(a.hold)
	group.Wait()
	if n := a.fetches.Load(); n != 1 {
		t.Errorf("%d fetches", n)
	}
}

func TestKeysStayGoodWhileTheAuthorityIsDown(t *testing.T) {
	t.Parallel()
	c, a := newClock(), newAuthority()
	v := oauth(t, a, c)
	verify := func() error {
		_, _, err := v.Verify(t.Context(), bearer(good(c).sign(t)))
		return err
	}
	a.down.Store(true)
	if err := verify(); codeOf(err) != fail.Unavailable || fail.From(err).RetryAfter == 0 {
		t.Errorf("with no keys at all: %v", err)
	}
	a.down.Store(false)
	c.Advance(10 * time.Second)
	if err := verify(); err != nil {
		t.Fatal(err)
	}
	a.down.Store(true)
	c.Advance(23 * time.Hour)
	if err := verify(); err != nil {
		t.Errorf("after 23 hours: %v", err)
	}
	c.Advance(2 * time.Hour)
	if err := verify(); codeOf(err) != fail.Unavailable {
		t.Errorf("after 25 hours: %v", err)
	}
	if heard := a.heard.String(); !strings.Contains(heard, "https://login.example/keys") ||
		!strings.Contains(heard, "the server is down") {
		t.Errorf("the log says: %s", heard)
	}
}

func weakRSA(t *testing.T) *rsa.PrivateKey {
	t.Helper()
	t.Setenv("GODEBUG", "rsa1024min=0")
	key, err := rsa.GenerateKey(rand.Reader, 1024)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func publicPEM(t *testing.T, key crypto.PublicKey) []byte {
	t.Helper()
	der, err := x509.MarshalPKIXPublicKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})
}

func FuzzVerify(f *testing.F) {
	c, a := newClock(), newAuthority()
	text := good(c).sign(f)
	v := oauth(f, a, c)
	f.Add("Bearer "+text, "")
	f.Add("bearer fd_aaaaaaaaaaaa_b", "fd_aaaaaaaaaaaa_b")
	f.Add("Bearer eyJhbGciOiJFUzI1NiJ9.e30.AA", "x")
	f.Fuzz(func(t *testing.T, authorization, key string) {
		header := inKeyHeader(key)
		header.Set("Authorization", authorization)
		party, ok, err := v.Verify(t.Context(), header)
		if ok && party.ID != "token:https://login.example agent-7" {
			t.Fatalf("%q, %q open: %+v", authorization, key, party)
		}
		if !ok && err != nil && codeOf(err) != fail.Unauthorized {
			t.Fatalf("%q, %q: %v", authorization, key, err)
		}
	})
}
