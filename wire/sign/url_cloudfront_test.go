package sign

import (
	"crypto"
	"crypto/rand"
	"errors"
	"strings"
	"testing"
	"time"
)

func TestECDSANeedsNoRandomness(t *testing.T) {
	t.Parallel()
	key := everyURLKey()["cloudfront, ECDSA"]
	if a, b := signedURL(t, key, workedBase), signedURL(t, key, workedBase); a != b {
		t.Errorf("%s\n%s", a, b)
	}
}

const passScope = workedOrigin + "/premium/"

// passGrant is a span of four minutes that has begun a minute before the worked grant's last three.
var passGrant = URLGrant{Agent: workedAgent, Begins: workedGrant.Expires.Add(-4 * time.Minute),
	Expires: workedGrant.Expires}

func TestAPassOpensWhatIsBelowItsPlace(t *testing.T) {
	t.Parallel()
	now := passGrant.Begins.Add(time.Minute)
	for _, name := range []string{"cloudfront, RSA", "cloudfront, RSA, SHA-256", "cloudfront, ECDSA",
		"cloudfront, ECDSA, SHA-256"} {
		keys := withKeys(everyURLKey()[name])
		pass, err := keys.Pass(passScope, passGrant, now)
		if err != nil {
			t.Fatal(name, err)
		}
		want := passGrant
		want.Transaction = workedTxn
		for _, content := range []string{workedBase, workedBase + "?a=b", passScope + "b/c.html", passScope} {
			address, err := pass.Sign(content, workedTxn)
			if err != nil {
				t.Fatal(name, err)
			}
			for at, wrong := range map[time.Time]error{
				now: nil, passGrant.Begins: nil, passGrant.Begins.Add(-1): ErrURLEarly, passGrant.Expires.Add(-1): nil,
				passGrant.Expires: ErrURLExpired,
			} {
				opened, grant, err := keys.Verify(address, at)
				if !errors.Is(err, wrong) || err == nil && (opened != content || grant != want) {
					t.Errorf("%s at %v: %s, %v, %v; want %v", name, at, opened, grant, err, wrong)
				}
			}
			for i := range address {
				if i >= len(content) && i < strings.Index(address, "&Policy=") &&
					!strings.HasPrefix(address[i:], "&") && i < strings.Index(address, workedTxn) ||
					i >= strings.Index(address, "&Policy=") {
					changed := []byte(address)
					changed[i] ^= 1
					if opened, _, err := keys.Verify(string(changed), now); err == nil {
						t.Errorf("%s: %s opens %s", name, changed, opened)
					}
				}
			}
		}
		for what, content := range map[string]string{
			"beside": workedOrigin + "/premiumx/a", "above": workedOrigin + "/a",
			"elsewhere": "https://other.example/premium/a", "up": passScope + "../a",
			"a name of ours": workedBase + "?Policy=x",
		} {
			if got, err := pass.Sign(content, workedTxn); err != ErrURLForm {
				t.Errorf("%s, %s: %s, %v", name, what, got, err)
			}
			address, _ := pass.Sign(workedBase, workedTxn)
			if opened, _, err := keys.Verify(strings.Replace(address, workedBase, content, 1), now); err == nil {
				t.Errorf("%s, %s: opens %s", name, what, opened)
			}
		}
		if got, err := pass.Sign(workedBase, "a&b"); err != ErrURLForm {
			t.Errorf("%s: %s, %v", name, got, err)
		}
	}
}

// TestForeignPoliciesOpenNothing has whoever holds the key sign policies that are wider than ours,
// or only written otherwise.
func TestForeignPoliciesOpenNothing(t *testing.T) {
	t.Parallel()
	now := passGrant.Begins.Add(time.Minute)
	key := everyURLKey()["cloudfront, RSA"]
	good := passPolicy(passScope, passGrant)
	wide, long := passGrant, passGrant
	wide.Agent = "*"
	long.Expires = now.Add(URLLife + time.Second)
	early := passGrant
	early.Begins = passGrant.Expires.Add(-URLLife - time.Second)
	for name, policy := range map[string]string{
		"as it is":             good,
		"everything":           passPolicy("*/", passGrant),
		"every host":           passPolicy("https://*/", passGrant),
		"a star in the place":  passPolicy(workedOrigin+"/*/", passGrant),
		"no slash at its end":  passPolicy(workedOrigin+"/prem", passGrant),
		"every agent":          passPolicy(passScope, wide),
		"too long":             passPolicy(passScope, long),
		"begun too early":      passPolicy(passScope, early),
		"for another agent":    strings.Replace(good, workedAgent, strings.Repeat("0", 64), 1),
		"a blank":              strings.Replace(good, ":", ": ", 1),
		"another member":       strings.Replace(good, `{"Statement"`, `{"A":1,"Statement"`, 1),
		"two statements":       strings.Replace(good, `]}`, `,{"Resource":"*","Condition":{}}]}`, 1),
		"no beginning":         strings.Replace(good, `"DateGreaterThan":{"AWS:EpochTime":`+seconds(passGrant.Begins)+`},`, "", 1),
		"a zero before a time": strings.Replace(good, seconds(passGrant.Begins), "0"+seconds(passGrant.Begins), 1),
		"nothing":              "",
	} {
		var f urlCloudFront
		signature, err := f.signature(key, policy)
		if err != nil {
			t.Fatal(err)
		}
		address := workedBase + "?" + workedIDs + "&Policy=" + toCloudFront([]byte(policy)) + "&Signature=" +
			signature + "&Key-Pair-Id=" + workedPair
		if _, _, err := withKeys(key).Verify(address, now); (err == nil) != (name == "as it is") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A star in the place of a pass is any text, also where the address has one.
func TestAPassHasNoStars(t *testing.T) {
	t.Parallel()
	key := everyURLKey()["cloudfront, RSA"]
	var f urlCloudFront
	policy := passPolicy(workedOrigin+"/*/", passGrant)
	signature := must(f.signature(key, policy))
	address := workedOrigin + "/*/a?" + workedIDs + "&Policy=" + toCloudFront([]byte(policy)) + "&Signature=" +
		signature + "&Key-Pair-Id=" + workedPair
	if opened, _, err := withKeys(key).Verify(address, passGrant.Begins.Add(time.Minute)); err == nil {
		t.Errorf("opens %s", opened)
	}
}

func TestWhatIsNoPass(t *testing.T) {
	t.Parallel()
	now := passGrant.Begins
	keys := withKeys(everyURLKey()["cloudfront, RSA"])
	for name, change := range map[string]func(scope *string, g *URLGrant){
		"no slash":       func(s *string, _ *URLGrant) { *s = strings.TrimSuffix(*s, "/") },
		"a star":         func(s *string, _ *URLGrant) { *s += "*/" },
		"a query":        func(s *string, _ *URLGrant) { *s += "?a=/" },
		"another origin": func(s *string, _ *URLGrant) { *s = "https://other.example/" },
		"a transaction":  func(_ *string, g *URLGrant) { g.Transaction = workedTxn },
		"no agent":       func(_ *string, g *URLGrant) { g.Agent = "" },
		"any agent":      func(_ *string, g *URLGrant) { g.Agent = "*" },
		"no beginning":   func(_ *string, g *URLGrant) { g.Begins = time.Time{} },
		"too long":       func(_ *string, g *URLGrant) { g.Expires = now.Add(URLLife + time.Second) },
		"begun long ago": func(_ *string, g *URLGrant) { g.Begins = g.Expires.Add(-URLLife - time.Second) },
		"over at once":   func(_ *string, g *URLGrant) { g.Expires = g.Begins },
	} {
		scope, grant := passScope, passGrant
		change(&scope, &grant)
		if _, err := keys.Pass(scope, grant, now); err == nil {
			t.Errorf("%s: there is a pass", name)
		}
	}
	if _, err := withKeys(everyURLKey()["hmac"]).Pass(passScope, passGrant, now); err != ErrURLNoKey {
		t.Errorf("with a key of another form: %v", err)
	}
}

func BenchmarkSignedURL(b *testing.B) {
	now := workedGrant.Expires.Add(-time.Minute)
	for name, key := range everyURLKey() {
		keys := withKeys(key)
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := keys.Sign(workedBase, workedGrant, now); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("RSA alone", func(b *testing.B) {
		digest := make([]byte, 20)
		for b.Loop() {
			if _, err := rsaKey().Sign(rand.Reader, digest, crypto.SHA1); err != nil {
				b.Fatal(err)
			}
		}
	})
}
