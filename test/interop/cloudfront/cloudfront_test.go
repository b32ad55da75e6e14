// Package cloudfront holds our signed addresses for CloudFront against the vendor's own signer.
package cloudfront

import (
	"crypto/ecdsa"
	ec "crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"strings"
	"sync"
	"testing"
	"time"

	cloudfront "github.com/aws/aws-sdk-go-v2/feature/cloudfront/sign"
	"pgregory.net/rapid"

	"frontdesk/wire/sign"
)

const (
	workedOrigin = "https://cdn.example.net"
	workedBase   = workedOrigin + "/premium/a.html"
	workedAgent  = "4905fbc220a2fbd769444e0bd4eef3f2afa9e290270b5c93bd4654a02491ab66"
	workedTxn    = "01HZZZZZZZZZZZZZZZZZZZZZZZ"
	workedIDs    = "agent_id=" + workedAgent + "&txn_id=" + workedTxn
	workedPair   = "K2JCJMDEHXQW5F"
	passScope    = workedOrigin + "/premium/"
)

var (
	workedGrant = sign.URLGrant{Expires: time.Unix(1773451434, 0).UTC(), Agent: workedAgent, Transaction: workedTxn}
	// passGrant is a span of four minutes that has begun a minute before the worked grant's last
	// three.
	passGrant = sign.URLGrant{
		Agent: workedAgent, Begins: workedGrant.Expires.Add(-4 * time.Minute), Expires: workedGrant.Expires,
	}

	rsaKey   = sync.OnceValue(func() *rsa.PrivateKey { return must(rsa.GenerateKey(rand.Reader, 2048)) })
	ecdsaKey = sync.OnceValue(func() *ecdsa.PrivateKey { return must(ecdsa.GenerateKey(ec.P256(), rand.Reader)) })
)

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// canned is an RSA key that signs with canned policies, custom one that signs with custom ones,
// elliptic one over P-256.
func canned() sign.URLKey {
	return sign.URLKey{Form: sign.URLCloudFront, ID: workedPair, Signer: rsaKey()}
}

func custom() sign.URLKey {
	return sign.URLKey{Form: sign.URLCloudFront, ID: workedPair, Signer: rsaKey(),
		Options: sign.URLOptions{Custom: true}}
}

func elliptic() sign.URLKey {
	return sign.URLKey{Form: sign.URLCloudFront, ID: workedPair, Signer: ecdsaKey()}
}

func withKeys(keys ...sign.URLKey) sign.URLKeys {
	return sign.URLKeys{Origin: workedOrigin, Keys: keys}
}

// withIDs is an address with the agent and the transaction at its end, which is what is signed.
func withIDs(address string) string {
	if strings.Contains(address, "?") {
		return address + "&" + workedIDs
	}
	return address + "?" + workedIDs
}

// TestCloudFrontsOwnSignerAgrees has the vendor's signer make the same address of what ours has
// bound.
func TestCloudFrontsOwnSignerAgrees(t *testing.T) {
	t.Parallel()
	now := workedGrant.Expires.Add(-time.Minute)
	pair := rapid.StringMatching(`[a-z]{1,3}x=([a-zA-Z0-9_.,:@$()'!*~/?+&=-]|%[0-9A-F]{2}){0,6}[a-z]`)
	rapid.Check(t, func(t *rapid.T) {
		content := workedBase
		if pairs := rapid.SliceOfN(pair, 0, 3).Draw(t, "query"); len(pairs) > 0 {
			content += "?" + strings.Join(pairs, "&")
		}
		bound := withIDs(content)
		theirs, err := cloudfront.NewURLSigner(workedPair, rsaKey()).Sign(bound, workedGrant.Expires)
		if err != nil {
			t.Fatal(err)
		}
		if ours, err := withKeys(canned()).Sign(content, workedGrant, now); err != nil || ours != theirs {
			t.Fatalf("%s, %v\nwant %s", ours, err, theirs)
		}
		if theirs, err = cloudfront.NewURLSigner(workedPair, ecdsaKey()).Sign(bound, workedGrant.Expires); err != nil {
			t.Fatal(err)
		}
		opened, grant, err := withKeys(elliptic()).Verify(theirs, now)
		if err != nil || opened != content || grant != workedGrant {
			t.Fatalf("%s: %s, %v, %v", theirs, opened, grant, err)
		}
	})
}

// TestACustomPolicyNamesOneAddress has the vendor's signer make the same address of the same
// policy, whose resource is that address and no pattern; and what has a star, which would be one,
// is not signed.
func TestACustomPolicyNamesOneAddress(t *testing.T) {
	t.Parallel()
	now := workedGrant.Expires.Add(-time.Minute)
	pair := rapid.StringMatching(`[a-z]{1,3}x=([a-zA-Z0-9_.,:@$()'!~/?+&=-]|%[0-9A-F]{2}){0,6}[a-z]`)
	rapid.Check(t, func(t *rapid.T) {
		content := workedBase
		if pairs := rapid.SliceOfN(pair, 0, 3).Draw(t, "query"); len(pairs) > 0 {
			content += "?" + strings.Join(pairs, "&")
		}
		bound := withIDs(content)
		policy := &cloudfront.Policy{
			Statements: []cloudfront.Statement{{Resource: bound, Condition: cloudfront.Condition{
				DateGreaterThan: cloudfront.NewAWSEpochTime(workedGrant.Expires.Add(-sign.URLLife)),
				DateLessThan:    cloudfront.NewAWSEpochTime(workedGrant.Expires),
			}}}}
		theirs, err := cloudfront.NewURLSigner(workedPair, rsaKey()).SignWithPolicy(bound, policy)
		if err != nil {
			t.Fatal(err)
		}
		custom, canned := custom(), canned()
		if ours, err := withKeys(custom).Sign(content, workedGrant, now); err != nil || ours != theirs {
			t.Fatalf("%s, %v\nwant %s", ours, err, theirs)
		}
		// One who changes from one to the other goes on opening both.
		for _, keys := range []sign.URLKeys{withKeys(custom), withKeys(canned)} {
			if opened, grant, err := keys.Verify(theirs, now); err != nil || opened != content || grant != workedGrant {
				t.Fatalf("%s: %s, %v, %v", theirs, opened, grant, err)
			}
		}
		ours := must(withKeys(canned).Sign(content, workedGrant, now))
		if opened, _, err := withKeys(custom).Verify(ours, now); err != nil || opened != content {
			t.Fatalf("a canned policy: %s, %v", opened, err)
		}
		wide := *policy
		wide.Statements = []cloudfront.Statement{policy.Statements[0]}
		for _, resource := range []string{
			workedBase + "*", strings.Replace(bound, workedTxn, "*", 1), workedOrigin + "/*",
			strings.Replace(bound, "?", "*", 1),
		} {
			wide.Statements[0].Resource = resource
			theirs, err := cloudfront.NewURLSigner(workedPair, rsaKey()).SignWithPolicy(bound, &wide)
			if err != nil {
				t.Fatal(err)
			}
			if opened, _, err := withKeys(custom).Verify(theirs, now); err == nil {
				t.Fatalf("a policy of %s opens %s", resource, opened)
			}
		}
	})
	if address, err := withKeys(custom()).Sign(workedOrigin+"/a*", workedGrant, now); err != sign.ErrURLForm {
		t.Errorf("%s, %v", address, err)
	}
}

// TestAPassIsACustomPolicyOfCloudFront has the vendor's signer make the same address of the same
// policy.
func TestAPassIsACustomPolicyOfCloudFront(t *testing.T) {
	t.Parallel()
	now := passGrant.Begins
	pass := must(withKeys(canned()).Pass(passScope, passGrant, now))
	ours, err := pass.Sign(workedBase, workedTxn)
	if err != nil {
		t.Fatal(err)
	}
	policy := &cloudfront.Policy{Statements: []cloudfront.Statement{{
		Resource: passScope + "*?agent_id=" + workedAgent + "&txn_id=*",
		Condition: cloudfront.Condition{
			DateGreaterThan: cloudfront.NewAWSEpochTime(passGrant.Begins),
			DateLessThan:    cloudfront.NewAWSEpochTime(passGrant.Expires),
		},
	}}}
	theirs, err := cloudfront.NewURLSigner(workedPair, rsaKey()).SignWithPolicy(workedBase+"?"+workedIDs, policy)
	if err != nil || ours != theirs {
		t.Errorf("%s\nwant %s, %v", ours, theirs, err)
	}
}
