package sign

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// The keys that tests make, once.
var (
	rsaKey   = sync.OnceValue(func() *rsa.PrivateKey { return must(rsa.GenerateKey(rand.Reader, 2048)) })
	ecdsaKey = sync.OnceValue(func() *ecdsa.PrivateKey { return must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader)) })
)

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// everyURLKey is a key of every form in each of its ways.
func everyURLKey() map[string]URLKey {
	return map[string]URLKey{
		"hmac":           {Form: URLHMAC, Secret: workedLong},
		"akamai":         {Form: URLAkamai, Secret: workedLong},
		"akamai, salted": {Form: URLAkamai, Secret: workedLong, Options: URLOptions{Salt: "pepper"}},
		"akamai, url": {Form: URLAkamai, Secret: workedLong,
			Options: URLOptions{URL: true, Parameter: "t"}},
		"akamai, url, escaped": {Form: URLAkamai, Secret: workedLong,
			Options: URLOptions{URL: true, Parameter: "t", Escape: true}},
		"fastly":          {Form: URLFastly, Secret: workedLong},
		"fastly, SHA-1":   {Form: URLFastly, Secret: workedLong, Options: URLOptions{Hash: URLSHA1}},
		"ed25519":         {Form: URLEd25519, ID: "k1", Signer: seedKey()},
		"cloudfront, RSA": {Form: URLCloudFront, ID: workedPair, Signer: rsaKey()},
		"cloudfront, RSA, SHA-256": {Form: URLCloudFront, ID: workedPair, Signer: rsaKey(),
			Options: URLOptions{Hash: URLSHA256}},
		"cloudfront, RSA, custom": {Form: URLCloudFront, ID: workedPair, Signer: rsaKey(),
			Options: URLOptions{Custom: true}},
		"cloudfront, ECDSA, custom": {Form: URLCloudFront, ID: workedPair, Signer: ecdsaKey(),
			Options: URLOptions{Custom: true, Hash: URLSHA256}},
		"cloudfront, ECDSA": {Form: URLCloudFront, ID: workedPair, Signer: ecdsaKey()},
		"cloudfront, ECDSA, SHA-256": {Form: URLCloudFront, ID: workedPair, Signer: ecdsaKey(),
			Options: URLOptions{Hash: URLSHA256}},
	}
}

// asks says whether content of a key's form may have a query.
func asks(k URLKey) bool { return k.Form != URLHMAC && (k.Form != URLAkamai || k.Options.URL) }

// withKeys are keys at the worked origin.
func withKeys(keys ...URLKey) URLKeys { return URLKeys{Origin: workedOrigin, Keys: keys} }

func signedURL(t testing.TB, k URLKey, content string) string {
	t.Helper()
	address, err := withKeys(k).Sign(content, workedGrant, workedGrant.Expires.Add(-URLLife))
	if err != nil {
		t.Fatal(err)
	}
	return address
}

func TestSignedURLOpensUntilItExpires(t *testing.T) {
	t.Parallel()
	end := workedGrant.Expires
	for name, key := range everyURLKey() {
		address := signedURL(t, key, workedBase)
		for at, want := range map[time.Time]error{
			end.Add(-URLLife): nil, end.Add(-URLLife - 1): ErrURLTooFar, end.Add(-1): nil, end: ErrURLExpired,
			end.Add(time.Hour): ErrURLExpired,
		} {
			content, grant, err := withKeys(key).Verify(address, at)
			if !errors.Is(err, want) || err == nil && (grant != workedGrant || content != workedBase) {
				t.Errorf("%s at %v: %s, %v, %v; want %v", name, at.Sub(end), content, grant, err, want)
			}
		}
		if _, err := withKeys(key).Sign(workedBase, workedGrant, end.Add(-URLLife-1)); err != ErrURLTooFar {
			t.Errorf("%s: an address of more than its life is made: %v", name, err)
		}
	}
}

// Whatever is changed in an address, it opens nothing: no bit of it is free.
func TestChangedURLOpensNothing(t *testing.T) {
	t.Parallel()
	now := workedGrant.Expires.Add(-time.Minute)
	for name, key := range everyURLKey() {
		address := signedURL(t, key, workedBase)
		for i := range address {
			for _, flip := range []byte{1, 2, 4, 8, 16, 32, 64, 128} {
				changed := []byte(address)
				changed[i] ^= flip
				if content, grant, err := withKeys(key).Verify(string(changed), now); err == nil {
					t.Fatalf("%s: %s opens %s for %v", name, changed, content, grant)
				}
			}
			for _, changed := range []string{address[:i], address[i:], address[:i] + address[i+1:],
				address[:i] + address[i:i+1] + address[i:],
				fmt.Sprintf("%s%%%02X%s", address[:i], address[i], address[i+1:])} {
				if content, _, err := withKeys(key).Verify(changed, now); err == nil && changed != address {
					t.Fatalf("%s: %s opens %s", name, changed, content)
				}
			}
		}
	}
}

// urlTraps are what somebody might do to the pairs of an address's query.
var urlTraps = []struct {
	name   string
	change func(pairs []string) []string
}{
	{"in the other order", func(p []string) []string { slices.Reverse(p); return p }},
	{"the last first", func(p []string) []string { return append(p[len(p)-1:], p[:len(p)-1]...) }},
	{"something more", func(p []string) []string { return append(p, "utm=1") }},
	{"something before", func(p []string) []string { return append([]string{"utm=1"}, p...) }},
	{"something within", func(p []string) []string { return slices.Insert(p, 1, "utm=1") }},
	{"nothing more", func(p []string) []string { return append(p, "") }},
	{"nothing before", func(p []string) []string { return append([]string{""}, p...) }},
	{"all twice", func(p []string) []string { return append(p, p...) }},
	{"another agent first", func(p []string) []string { return append([]string{"agent_id=other"}, p...) }},
	{"another agent last", func(p []string) []string { return append(p, "agent_id=other") }},
	{"another agent, escaped", func(p []string) []string { return append([]string{"agent%5Fid=other"}, p...) }},
	{"another transaction", func(p []string) []string { return append([]string{"txn_id=other"}, p...) }},
	{"a fragment", func(p []string) []string { return append(p, "#a") }},
	{"a semicolon", func(p []string) []string { return append(p, ";a=b") }},
	{"a blank", func(p []string) []string { return append(p, " ") }},
	{"a line feed", func(p []string) []string { return append(p, "\n") }},
	{"none", func([]string) []string { return nil }},
}

func TestTrapsOfSignedURLs(t *testing.T) {
	t.Parallel()
	now := workedGrant.Expires.Add(-time.Minute)
	for name, key := range everyURLKey() {
		address := signedURL(t, key, workedBase)
		base, query, _ := strings.Cut(address, "?")
		refused := func(what, changed string, want error) {
			t.Helper()
			if content, grant, err := withKeys(key).Verify(changed, now); err == nil && changed != address ||
				want != nil && err != want {
				t.Errorf("%s, %s: %s opens %s for %v: %v", name, what, changed, content, grant, err)
			}
		}
		for _, trap := range urlTraps {
			if changed := base + "?" + strings.Join(trap.change(strings.Split(query, "&")), "&"); changed != address {
				refused(trap.name, changed, nil)
			}
		}
		for i := range strings.Split(query, "&") {
			pairs := strings.Split(query, "&")
			refused("one twice", base+"?"+strings.Join(slices.Insert(pairs, i, pairs[i]), "&"), nil)
			pairs = strings.Split(query, "&")
			if rest := strings.Join(slices.Delete(pairs, i, i+1), "&"); rest != "" {
				refused("one less", base+"?"+rest, nil)
			}
		}
		seconds := "1773451434"
		for what, changed := range map[string]string{
			"extended":                    strings.Replace(address, seconds, "1773451435", 1),
			"shortened":                   strings.Replace(address, seconds, "1773451433", 1),
			"a sign before the time":      strings.Replace(address, seconds, "+1773451434", 1),
			"a zero before the time":      strings.Replace(address, seconds, "01773451434", 1),
			"a fraction of the time":      strings.Replace(address, seconds, "1773451434.0", 1),
			"another path":                strings.Replace(address, "a.html", "b.html", 1),
			"a longer path":               strings.Replace(address, "a.html", "a.html/x", 1),
			"a prefix of the path":        strings.Replace(address, "/premium/a.html", "/premium/a.htm", 1),
			"a slash more":                strings.Replace(address, "a.html", "a.html/", 1),
			"two slashes":                 strings.Replace(address, "/premium/", "//premium/", 1),
			"the path escaped":            strings.Replace(address, "a.html", "%61.html", 1),
			"the path in capitals":        strings.Replace(address, "a.html", "A.html", 1),
			"a step up":                   strings.Replace(address, "/premium/", "/x/../premium/", 1),
			"a step up, escaped":          strings.Replace(address, "/premium/", "/x/%2e%2e/premium/", 1),
			"a step up, slash escaped":    strings.Replace(address, "/premium/", "/x/..%2fpremium/", 1),
			"a step nowhere":              strings.Replace(address, "/premium/", "/./premium/", 1),
			"a backslash":                 strings.Replace(address, "/premium/", "/x\\..\\premium/", 1),
			"another agent":               strings.Replace(address, workedAgent, strings.Repeat("0", 64), 1),
			"another transaction":         strings.Replace(address, workedTxn, "01HZZZZZZZZZZZZZZZZZZZZZZY", 1),
			"agent and transaction moved": strings.Replace(address, workedTxn, workedTxn+"0", 1),
		} {
			refused(what, changed, nil)
		}
		for what, changed := range map[string]string{
			"another host": strings.Replace(address, "cdn.example.net", "cdn.example.org", 1),
			"a longer host": strings.Replace(address, "cdn.example.net",
				"cdn.example.net.evil.example", 1),
			"another host with a user": strings.Replace(address, "cdn.example.net",
				"cdn.example.net@evil.example", 1),
			"a port":                     strings.Replace(address, "cdn.example.net", "cdn.example.net:443", 1),
			"a host in capitals":         strings.Replace(address, "cdn.example.net", "CDN.example.net", 1),
			"another scheme":             strings.Replace(address, "https", "http", 1),
			"no host":                    strings.TrimPrefix(address, workedOrigin),
			"nothing":                    "",
			"the content alone":          workedBase,
			"the content, asked nothing": workedBase + "?",
		} {
			refused(what, changed, ErrURLForm)
		}
		for other, foreign := range everyURLKey() {
			foreign.Secret = []byte("another secret, 32 bytes long...")
			switch foreign.Signer.(type) {
			case ed25519.PrivateKey:
				_, foreign.Signer, _ = ed25519.GenerateKey(rand.Reader)
			case *rsa.PrivateKey:
				foreign.Signer = must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
			case *ecdsa.PrivateKey:
				foreign.Signer = must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
			}
			if content, _, err := withKeys(foreign).Verify(address, now); err == nil {
				t.Errorf("%s opens %s with a foreign key of %s", name, content, other)
			}
		}
		if _, _, err := withKeys().Verify(address, now); err == nil {
			t.Errorf("%s opens without a key", name)
		}
		if _, _, err := (URLKeys{Keys: []URLKey{key}}).Verify(address, now); err != ErrURLForm {
			t.Errorf("%s opens without an origin: %v", name, err)
		}
	}
}

// A key under another name, or set up otherwise, is another key. Which policy CloudFront's
// addresses carry is no such thing: both open.
func TestURLKeysAreHeldToTheirSettings(t *testing.T) {
	t.Parallel()
	now := workedGrant.Expires.Add(-time.Minute)
	all := everyURLKey()
	for name, key := range all {
		address := signedURL(t, key, workedBase)
		for other, set := range all {
			same := key
			same.Options.Custom = set.Options.Custom
			if _, _, err := withKeys(set).Verify(address, now); (err == nil) != (name == other ||
				key.Form == URLCloudFront && reflect.DeepEqual(same, set)) {
				t.Errorf("an address of %s for a key of %s: %v", name, other, err)
			}
		}
		if key.ID != "" {
			key.ID = "other"
			if _, _, err := withKeys(key).Verify(address, now); err == nil {
				t.Errorf("%s: a key of another id opens it", name)
			}
		}
	}
}

// An address of CloudFront whose hash is not told any more, or told though it is another, opens
// nothing.
func TestAHashCannotBeTalkedDown(t *testing.T) {
	t.Parallel()
	now := workedGrant.Expires.Add(-time.Minute)
	strong, weak := everyURLKey()["cloudfront, RSA, SHA-256"], everyURLKey()["cloudfront, RSA"]
	for _, key := range []URLKey{strong, weak} {
		for what, address := range map[string]string{
			"taken off": strings.TrimSuffix(signedURL(t, strong, workedBase), "&Hash-Algorithm=SHA256"),
			"put on":    signedURL(t, weak, workedBase) + "&Hash-Algorithm=SHA256",
		} {
			if _, _, err := withKeys(key).Verify(address, now); err == nil {
				t.Errorf("%s: opens", what)
			}
		}
	}
}

func TestWhatWouldNotBeOneURLIsNotSigned(t *testing.T) {
	t.Parallel()
	now := workedGrant.Expires.Add(-time.Minute)
	for name, key := range everyURLKey() {
		for what, change := range map[string]func(content *string, g *URLGrant){
			"a fragment":                func(c *string, _ *URLGrant) { *c += "#a" },
			"a query of nothing":        func(c *string, _ *URLGrant) { *c += "?" },
			"a blank":                   func(c *string, _ *URLGrant) { *c += " " },
			"a quotation mark":          func(c *string, _ *URLGrant) { *c += `"` },
			"a backslash":               func(c *string, _ *URLGrant) { *c += `\` },
			"a letter beyond ASCII":     func(c *string, _ *URLGrant) { *c += "é" },
			"two lines":                 func(c *string, _ *URLGrant) { *c += "\n" },
			"a step up":                 func(c *string, _ *URLGrant) { *c += "/../b" },
			"a step up, escaped":        func(c *string, _ *URLGrant) { *c += "/%2E./b" },
			"half an escape":            func(c *string, _ *URLGrant) { *c += "%2" },
			"another origin":            func(c *string, _ *URLGrant) { *c = "https://other.example/a" },
			"the origin alone":          func(c *string, _ *URLGrant) { *c = workedOrigin },
			"an origin that goes on":    func(c *string, _ *URLGrant) { *c = workedOrigin + ".evil.example/a" },
			"a transaction of two":      func(_ *string, g *URLGrant) { g.Transaction += "&sig=" },
			"an agent that is no word":  func(_ *string, g *URLGrant) { g.Agent = "a b" },
			"no agent":                  func(_ *string, g *URLGrant) { g.Agent = "" },
			"no transaction":            func(_ *string, g *URLGrant) { g.Transaction = "" },
			"a transaction, two lines":  func(_ *string, g *URLGrant) { g.Transaction += "\n" },
			"an agent with a separator": func(_ *string, g *URLGrant) { g.Agent += "~" },
			"an agent with a point":     func(_ *string, g *URLGrant) { g.Agent += "." },
			"no time":                   func(_ *string, g *URLGrant) { g.Expires = time.Time{} },
			"a beginning":               func(_ *string, g *URLGrant) { g.Begins = now },
		} {
			content, grant := workedBase, workedGrant
			change(&content, &grant)
			if got, err := withKeys(key).Sign(content, grant, now); err != ErrURLForm {
				t.Errorf("%s, %s: %s, %v", name, what, got, err)
			}
		}
		own := map[URLForm][]string{
			URLHMAC: {"a=b"}, URLAkamai: {"hdnts=x", "t=x", "%74=x", "T=x"},
			URLFastly:  {"token=1", "agent_id=x", "agent%5fid=x", "a=b&TXN_ID=x", "a=b;token=1"},
			URLEd25519: {"sig=x", "exp=1", "kid=x", "agent_id=x", "txn%5Fid=x", "a=b&%73ig=x"},
			URLCloudFront: {"Expires=1", "Policy=x", "policy=x", "Signature=x", "Key-Pair-Id=x", "Key%2DPair-Id=x",
				"Hash-Algorithm=SHA256", "agent_id=x", "a=%&txn_id=x", "%zz=1"},
		}[key.Form]
		for _, query := range own {
			if key.Form == URLAkamai && key.Options.URL == strings.HasPrefix(query, "hdnts") {
				continue // which is no name of this one's
			}
			if got, err := withKeys(key).Sign(workedBase+"?"+query, workedGrant, now); err != ErrURLForm {
				t.Errorf("%s, content with %s: %s, %v", name, query, got, err)
			}
		}
	}
	// which an access list reads as more
	for _, path := range []string{"/a*", "/*", "/a!/b", "/a~b", "/a&b", "/a?b=c"} {
		if got, err := withKeys(everyURLKey()["akamai"]).Sign(workedOrigin+path, workedGrant, now); err != ErrURLForm {
			t.Errorf("akamai, %s: %s, %v", path, got, err)
		}
	}
}

// TestAddressesThatAKeyShouldNotHaveSignedOpenNothing has whoever holds the key sign what ours
// would not have.
func TestAddressesThatAKeyShouldNotHaveSignedOpenNothing(t *testing.T) {
	t.Parallel()
	now := workedGrant.Expires.Add(-time.Minute)
	own := map[URLForm]string{URLHMAC: "a=b", URLAkamai: "T=1", URLFastly: "Token=1", URLEd25519: "%65xp=1",
		URLCloudFront: "agent%5Fid=other"}
	for name, key := range everyURLKey() {
		for _, content := range []string{workedBase + "?" + own[key.Form], workedOrigin + "/a/../b",
			workedOrigin + "/a/%2e%2E/b", workedBase + "?"} {
			if key.Form == URLAkamai && !key.Options.URL && strings.HasSuffix(content, "T=1") {
				content += "&hdnts=1"
			}
			address, err := urlForms[key.Form].sign(key, content, workedGrant)
			if err != nil {
				t.Fatal(err)
			}
			if opened, _, err := withKeys(key).Verify(address, now); err == nil {
				t.Errorf("%s: %s opens %s", name, address, opened)
			}
		}
	}
	key := everyURLKey()["akamai"]
	// access lists that open more than they say
	for _, path := range []string{"/*", "/premium/*", "/a!/*", "/premium/~a"} {
		address, _ := urlAkamai{}.sign(key, workedOrigin+path, workedGrant)
		if opened, _, err := withKeys(key).Verify(address, now); err == nil {
			t.Errorf("%s opens %s", address, opened)
		}
	}
}

// The characters that CloudFront writes in place of others have one spelling.
func TestCloudFrontsBase64HasOneSpelling(t *testing.T) {
	t.Parallel()
	now := workedGrant.Expires.Add(-time.Minute)
	for _, w := range workedURLs() {
		front, rest, ok := strings.Cut(w.want, "&Signature=")
		if !ok {
			continue
		}
		signature, end, _ := strings.Cut(rest, "&")
		for from, to := range map[string]string{"-": "+", "_": "=", "~": "/"} {
			changed := front + "&Signature=" + strings.Replace(signature, from, to, 1) + "&" + end
			if _, _, err := withKeys(w.key).Verify(changed, now); err == nil && changed != w.want {
				t.Errorf("%s, %s for %s: opens", w.name, to, from)
			}
		}
	}
}

func TestURLKeysThatAreNone(t *testing.T) {
	t.Parallel()
	small := must(rsa.GenerateKey(rand.Reader, 1024))
	curve := must(ecdsa.GenerateKey(elliptic.P384(), rand.Reader))
	for name, key := range map[string]URLKey{
		"no form": {Secret: workedLong}, "another form": {Form: "md5", Secret: workedLong},
		"no secret": {Form: URLHMAC}, "a short secret": {Form: URLFastly, Secret: []byte("secret")},
		"a parameter that is none": {Form: URLAkamai, Secret: workedLong, Options: URLOptions{Parameter: "a&b"}},
		"a salt of two lines":      {Form: URLAkamai, Secret: workedLong, Options: URLOptions{Salt: "a\nb"}},
		"an access list, escaped":  {Form: URLAkamai, Secret: workedLong, Options: URLOptions{Escape: true}},
		"another hash":             {Form: URLFastly, Secret: workedLong, Options: URLOptions{Hash: "md5"}},
		"no id":                    {Form: URLCloudFront, Signer: rsaKey()},
		"an id of two":             {Form: URLEd25519, Signer: seedKey(), ID: "a&b"},
		"a small key":              {Form: URLCloudFront, ID: "k", Signer: small},
		"another curve":            {Form: URLCloudFront, ID: "k", Signer: curve},
		"ed25519 for CloudFront":   {Form: URLCloudFront, ID: "k", Signer: seedKey()},
		"RSA for ed25519":          {Form: URLEd25519, ID: "k", Signer: rsaKey()},
		"no key":                   {Form: URLEd25519, ID: "k"},
	} {
		if key.Check() == nil {
			t.Errorf("%s: taken for a key", name)
		}
		if _, err := withKeys(key).Sign(workedBase, workedGrant, workedGrant.Expires); err == nil {
			t.Errorf("%s: signs", name)
		}
	}
}

// TestURLKeysFollowOneAnother has a key that is followed open what it signed, until it ends.
func TestURLKeysFollowOneAnother(t *testing.T) {
	t.Parallel()
	now := workedGrant.Expires.Add(-time.Minute)
	for name, old := range everyURLKey() {
		address := signedURL(t, old, workedBase)
		next := URLKey{Form: URLHMAC, Secret: []byte("the secret that follows it")}
		old.Ends = now.Add(30 * time.Second)
		both := withKeys(next, old)
		if _, _, err := both.Verify(address, now); err != nil {
			t.Errorf("%s, within the grace: %v", name, err)
		}
		if _, _, err := both.Verify(address, old.Ends); err == nil {
			t.Errorf("%s: opens with a key that has ended", name)
		}
		if got, err := both.Sign(workedBase, workedGrant, now); err != nil || got != signedURL(t, next, workedBase) {
			t.Errorf("%s: the key that follows does not sign: %s, %v", name, got, err)
		}
		if _, err := withKeys(old).Sign(workedBase, workedGrant, old.Ends); err != ErrURLNoKey {
			t.Errorf("%s: signs though it has ended: %v", name, err)
		}
	}
}

func TestURLsOfEveryContentOpenIt(t *testing.T) {
	t.Parallel()
	all := everyURLKey()
	names := []string{}
	for name := range all {
		names = append(names, name)
	}
	slices.Sort(names)
	step := rapid.StringMatching(`[a-zA-Z0-9_.,;:@$()'=+-]{0,8}[a-z0-9]|%[2-7][0-9A-D]x`)
	pair := rapid.StringMatching(`[a-z]{1,3}x=([a-zA-Z0-9_.,:@$()'!*~/?+-]|%[0-9A-F]{2}){0,6}`)
	id := rapid.StringMatching(`[A-Za-z0-9_-]{1,70}`)
	rapid.Check(t, func(t *rapid.T) {
		key := all[rapid.SampledFrom(names).Draw(t, "key")]
		content := workedOrigin + "/" + strings.Join(rapid.SliceOfN(step, 0, 4).Draw(t, "path"), "/")
		if asks(key) {
			if pairs := rapid.SliceOfN(pair, 0, 3).Draw(t, "query"); len(pairs) > 0 {
				content += "?" + strings.Join(pairs, "&")
			}
		}
		now := time.Unix(rapid.Int64Range(1e9, 9e9).Draw(t, "now"), 0).UTC()
		grant := URLGrant{Expires: now.Add(time.Duration(rapid.IntRange(1, 300).Draw(t, "life")) * time.Second),
			Agent: id.Draw(t, "agent"), Transaction: id.Draw(t, "transaction")}
		if !withKeys(key).holds(content) || !urlForms[key.Form].binds(key, content) {
			t.Skip("an address that is refused")
		}
		address, err := withKeys(key).Sign(content, grant, now)
		if err != nil {
			t.Fatal(err)
		}
		opened, got, err := withKeys(key).Verify(address, now)
		if key.Form == URLEd25519 {
			content = byName(content)
		}
		if err != nil || opened != content || got != grant {
			t.Fatalf("%s: %s, %v, %v", address, opened, got, err)
		}
		at := rapid.IntRange(0, len(address)-1).Draw(t, "at")
		changed := []byte(address)
		changed[at] ^= rapid.ByteRange(1, 255).Draw(t, "flip")
		if opened, _, err := withKeys(key).Verify(string(changed), now); err == nil {
			t.Fatalf("%s: opens %s", changed, opened)
		}
	})
}

func FuzzSignedURL(f *testing.F) {
	for _, w := range workedURLs() {
		f.Add(w.want)
	}
	f.Add("https://cdn.example.net/b?expires=0&agent_id=a&txn_id=b&sig=")
	f.Add("https://cdn.example.net/?agent_id=a&txn_id=b&Policy=e30_&Signature=&Key-Pair-Id=K")
	now := workedGrant.Expires.Add(-time.Minute)
	var keys []URLKey
	for _, w := range workedURLs() {
		keys = append(keys, w.key)
	}
	for _, name := range []string{"cloudfront, RSA", "ed25519"} {
		keys = append(keys, everyURLKey()[name])
	}
	f.Fuzz(func(t *testing.T, address string) {
		content, grant, err := withKeys(keys...).Verify(address, now)
		if err != nil {
			return
		}
		for _, k := range keys {
			if _, _, err := withKeys(k).Verify(address, now); err != nil || k.Public != nil { // which signs nothing
				continue
			}
			if again, err := withKeys(k).Sign(content, grant, now); err != nil || again != address {
				t.Errorf("%s opens %s, which is written %s (%v)", address, content, again, err)
			}
		}
	})
}

func TestUnsignedAddressesOpenNothing(t *testing.T) {
	t.Parallel()
	for name, key := range everyURLKey() {
		address := signedURL(t, key, workedBase)
		if got := Unsigned(address); got != workedBase {
			t.Errorf("%s: %s is told of %s", name, got, address)
		}
		if asks(key) {
			if got := Unsigned(signedURL(t, key, workedBase+"?id=5")); got != workedBase {
				t.Errorf("%s: %s is told", name, got)
			}
		}
	}
	for _, plain := range []string{workedBase, workedBase + "?id=5&page=2", workedBase + "?", "", "no address",
		"https://example.com/signature?q=a"} {
		if got := Unsigned(plain); got != plain {
			t.Errorf("%s became %s", plain, got)
		}
	}
	for _, signed := range []string{"?x=1&SIGNATURE=a", "?%73ig=a", "?a=b;token=c", "?%zz",
		"?edge=st%3D1~exp%3D2~hmac%3D0"} {
		if got := Unsigned(workedBase + signed); got != workedBase {
			t.Errorf("%s is told of %s", got, signed)
		}
	}
}
