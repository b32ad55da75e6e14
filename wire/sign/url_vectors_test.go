package sign

import (
	"crypto/ed25519"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"testing"
	"time"
)

// The worked value of the reading of RAMP v1, which the others are about, too.
const (
	workedBase  = "https://cdn.example.net/premium/a.html"
	workedAgent = "4905fbc220a2fbd769444e0bd4eef3f2afa9e290270b5c93bd4654a02491ab66"
	workedTxn   = "01HZZZZZZZZZZZZZZZZZZZZZZZ"
	workedIDs   = "agent_id=" + workedAgent + "&txn_id=" + workedTxn
	workedQuery = "expires=1773451434&" + workedIDs +
		"&sig=2f242478627d4d8fbdd4ce3a9e85b249dcffd32a63216ee3ac1bd52627beeb76"
	workedOrigin = "https://cdn.example.net"
	workedPair   = "K2JCJMDEHXQW5F"
)

var (
	workedKey   = URLKey{Form: URLHMAC, Secret: []byte("shared-secret")}
	workedGrant = URLGrant{Expires: time.Unix(1773451434, 0).UTC(), Agent: workedAgent, Transaction: workedTxn}
	workedLong  = []byte("shared secret, 32 bytes long....")
)

// The public parts of two keys that openssl made, and with which it signed the vectors.
const (
	workedRSA = `-----BEGIN PUBLIC KEY-----
MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAuFfHzSYttpcQs7YtrUkm
jceKpXodlFHklBp6BHVx9gnU3icEKMD6zD+5KK8h2DatiytAM+pFYnCMnw7fWSmh
2Xklf3x6IG6Rw9/F0knR3I2fSbk/mX5hdW8HzmQtM5mTJC9/MilSe1/L7zRafFO4
4Nx76tGk6pBtnoQr+gA6NDHkbc0S0Uz0n0sZAr12MRwtcSPEknSMfhjc05yGBbqI
kpYwHng3oYUDXS8Z0iTBr9dTZxp5a25RfeTx9lHl8PkKBEBKJGv+4kGah0/uePS0
X51ivFYwEje6TfFsdvGGwYn2+z8WLDbnjgqv9N0NT4uLhwBmfs7s3WhG1LDsuhNt
awIDAQAB
-----END PUBLIC KEY-----`
	workedECDSA = `-----BEGIN PUBLIC KEY-----
MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAELSUoxFv5uKCvEDfMhm6O4UHK2mp3
SM8I34JZxrexagjxUenlX3YxBlHib2uSW+xwCOi7Fu2wJs6+rbs06txiRQ==
-----END PUBLIC KEY-----`
)

func publicKey(text string) any {
	block, _ := pem.Decode([]byte(text))
	public, err := x509.ParsePKIXPublicKey(block.Bytes)
	if err != nil {
		panic(err)
	}
	return public
}

// seedKey is the key whose seed is the bytes from 0 to 31.
func seedKey() ed25519.PrivateKey {
	var seed [ed25519.SeedSize]byte
	for i := range seed {
		seed[i] = byte(i)
	}
	return ed25519.NewKeyFromSeed(seed[:])
}

// worked is an address that a program made which is not ours.
type worked struct {
	name    string
	key     URLKey
	content string
	want    string
}

// The addresses were made with openssl: of A=AGENT T=TRANSACTION E=1773451434, the HMACs by
//
//	printf %s TEXT | openssl dgst -sha256 -mac HMAC -macopt hexkey:KEY
//
// over the texts that stand beside them, CloudFront's by
//
//	uri='https://cdn.example.net/premium/a.html?agent_id=A&txn_id=T'
//	when='{"DateLessThan":{"AWS:EpochTime":E}}'
//	printf '{"Statement":[{"Resource":"%s","Condition":%s}]}' "$uri" "$when" |
//		openssl dgst -sha1 -sign KEY.pem | openssl base64 -A | tr '+=/' '-_~'
//
// and that of ed25519 by
//
//	printf 'GET\nhttps://cdn.example.net/premium/a.html?agent_id=A&exp=E&kid=k1&txn_id=T' > m
//	openssl pkeyutl -sign -rawin -inkey SEED.pem -in m |
//		openssl base64 -A | tr '+/' '-_' | tr -d =
func workedURLs() []worked {
	// of the examples of the vendor's tutorial
	fastly, _ := base64.StdEncoding.DecodeString("iqFPeN2u+Z0Lm5IrsKaOFKRqEU5Gw8ePtaEkHZWuD24=")
	rsa := URLKey{Form: URLCloudFront, ID: workedPair, Public: publicKey(workedRSA)}
	ec := URLKey{Form: URLCloudFront, ID: workedPair, Public: publicKey(workedECDSA)}
	with := func(k URLKey, o URLOptions) URLKey { k.Options = o; return k }
	sha1, sha256 := URLOptions{Hash: URLSHA1}, URLOptions{Hash: URLSHA256}
	front := func(signature, end string) string {
		return workedBase + "?" + workedIDs + "&Expires=1773451434&Signature=" + signature + "&Key-Pair-Id=" +
			workedPair + end
	}
	akamai := URLKey{Form: URLAkamai, Secret: workedLong}
	return []worked{
		{"hmac", workedKey, workedBase, workedBase + "?" + workedQuery},
		// exp=E~acl=/premium/a.html~data=A.T
		{"akamai", akamai, workedBase, workedBase + "?hdnts=exp=1773451434~acl=/premium/a.html~data=" + workedAgent +
			"." + workedTxn +
			"~hmac=6669317b03dccf42c4a2f25956156d57f33b9878ef8c34f4056ca4339844b531"},
		// exp=E~data=A.T~url=/premium/a.html?p=1~salt=pepper
		{"akamai, url and salt", with(akamai, URLOptions{URL: true, Salt: "pepper", Parameter: "__token__"}),
			workedBase + "?p=1",
			workedBase + "?p=1&__token__=exp=1773451434~data=" + workedAgent + "." + workedTxn +
				"~hmac=0ad2eef51ad6ad7fef6ce6a023cda440fa67bb65e79b6da22e9cd3593f512996"},
		// exp=E~data=A.T~url=%2fpremium%2fa.html%3fQ%3dA%252Fb%26x%3d1~salt=pepper
		{"akamai, url escaped", with(akamai, URLOptions{URL: true, Escape: true, Salt: "pepper"}),
			workedBase + "?Q=A%2Fb&x=1",
			workedBase + "?Q=A%2Fb&x=1&hdnts=exp=1773451434~data=" + workedAgent + "." + workedTxn +
				"~hmac=ca38d8cf094a9854835c651e8ac856b8da3616da51f2e0dc85573fde1b595848"},
		// /premium/a.html?agent_id=A&txn_id=TE
		{"fastly", URLKey{Form: URLFastly, Secret: fastly}, workedBase,
			workedBase + "?" + workedIDs +
				"&token=1773451434_631e0159043c732c4fe2c4c57f1949e1a322a17f6d521c266080c402877970de"},
		{"fastly, SHA-1", URLKey{Form: URLFastly, Secret: fastly, Options: sha1}, workedBase,
			workedBase + "?" + workedIDs + "&token=1773451434_65ca68dfcbdcff5a41027dcf76889b7dd35a72a0"},
		{"ed25519", URLKey{Form: URLEd25519, ID: "k1", Signer: seedKey()}, workedBase,
			workedBase + "?agent_id=" + workedAgent + "&exp=1773451434&kid=k1" +
				"&sig=P8eDCiwXuH0rmH_Eb-sOM5YMBU-YeZ8vqi6ZONVjHxRYebWGJEIc3Wc5bu2UQdCju0gNA1OMax_VJGz-6aPkCA&txn_id=" +
				workedTxn},
		{"cloudfront, RSA", rsa, workedBase,
			front(
				`N6hyxA4CPzwtmMG6e-sMUyE-MWObn84xOc9j8rKvPOtfQjRlT~AWpNainUpPNM9QUsO3uBi47xzAIspp5NEmX1ByNoen4N8IpW5DjJdO1iIEyI2iPJ12jOGe-F12jvVZiZc~plaFN2ongYLvzmpV0wE8Y7N~T-CJe0Hwtm5hK3zAL1-JYA2gAaH3a3WU743EXmsEAK3DU0fLNZH9vEhxGWiZ6OpFW2-oN5bwQ4hvYhntYt0S5PcJ0lvt4u5s1d52Lgp6lquo18vpSWMZtABjPejXTen6O5MUGvUyuPUIeL6jKLX3O0JW3MctRmqnzHX0-I92uixkjymfBYCPsAozDw__`,
				"")},
		{"cloudfront, RSA, SHA-256", with(rsa, sha256), workedBase,
			front(
				`e5hPpeqqXCBTKn~68qXnhXOjz8UEEFXAZSPZ~8ALzxwGKthbjj2IOrMI0a~nc3yH7RY7T5veNxxStvK0EnHRO64kg9BkcVJ7cGeNoEHcqqmd-ILEijCy73Oa8UNELwmOirpQW09VpWj~-zb5~XYhugM5qEu4pWZILtveUfBh7Jde7ZcK8MPo~dBNIRMJwcpjdWWR~D648dzQcEnZdBDJHMzHQPt~Cybgt3qs43SUr2~NkiD9ja8bza1QxipSjiyLlscrSdlsih83YTdw-RnUw2dJ6bWCo7DUWZBEHDmo9HEovxLDVQH6gqhSa75HDjCqtLQRWH5ud0djCjMijFvd~w__`,
				"&Hash-Algorithm=SHA256")},
		{"cloudfront, ECDSA", ec, workedBase,
			front("MEYCIQC9mP76sCdwDlzrJkPDixa7pUAP-yW6Yh1N4gAZi7ORjwIhAMVaSdlCy2gmZujbiAXmT73ub8dbIGXY78Hh8oXZPMJn",
				"")},
		{"cloudfront, ECDSA, SHA-256", with(ec, sha256), workedBase,
			front("MEQCIAeUo5FtzQHj55oS-nu0Tpdbx3NhROvAMRMBSx~cooT1AiAbmLstU5E-Q61IS4fzjtxQW63T6AhTC8rLlYuX-du7fg__",
				"&Hash-Algorithm=SHA256")},
	}
}

func TestSignedURLsAreTheWorkedOnes(t *testing.T) {
	t.Parallel()
	now := workedGrant.Expires.Add(-URLLife)
	for _, w := range workedURLs() {
		keys := URLKeys{Origin: workedOrigin, Keys: []URLKey{w.key}}
		if err := w.key.Check(); err != nil {
			t.Errorf("%s: %v", w.name, err)
		}
		if w.key.Public == nil {
			if got, err := keys.Sign(w.content, workedGrant, now); err != nil || got != w.want {
				t.Errorf("%s: %s, %v\nwant %s", w.name, got, err, w.want)
			}
		} else if _, err := keys.Sign(w.content, workedGrant, now); err != ErrURLNoKey {
			t.Errorf("%s: a public key signs: %v", w.name, err)
		}
		if content, grant, err := keys.Verify(w.want, now); err != nil || content != w.content || grant != workedGrant {
			t.Errorf("%s: %s, %v, %v", w.name, content, grant, err)
		}
	}
}

// TestAddressesOfOtherExchangesOpen has what other Exchanges sign with ed25519 (RAMP v1, signed
// URLs) and ours do not: key ids with a point, blanks in the path, and addresses that name no agent
// or no transaction.
func TestAddressesOfOtherExchangesOpen(t *testing.T) {
	t.Parallel()
	private := seedKey()
	keys := URLKeys{Origin: workedOrigin, Keys: []URLKey{{Form: URLEd25519, ID: "x.v1", Public: private.Public()}}}
	now := workedGrant.Expires.Add(-time.Minute)
	signed := func(before, after string) string { // what stands before sig in the order of names, and behind it
		sig := base64.RawURLEncoding.EncodeToString(ed25519.Sign(private, []byte("GET\n"+workedOrigin+before+after)))
		return workedOrigin + before + "&sig=" + sig + after
	}
	const agent = "agent_id=" + workedAgent + "&"
	const end = "exp=1773451434&kid=x.v1"
	for name, one := range map[string]struct {
		address, content string
		grant            URLGrant
	}{
		"all named": {signed("/a?"+agent+end, "&txn_id=t1"), "/a",
			URLGrant{Agent: workedAgent, Transaction: "t1"}},
		"no transaction": {signed("/a?"+agent+"doc=7&"+end, ""), "/a?doc=7", URLGrant{Agent: workedAgent}},
		"no agent":       {signed("/a?"+end, "&txn_id=t1"), "/a", URLGrant{Transaction: "t1"}},
		"neither":        {signed("/a?a=2&"+end, "&z=9"), "/a?a=2&z=9", URLGrant{}},
		"a blank":        {signed("/a path/doc?"+end, "&x=1"), "/a path/doc?x=1", URLGrant{}},
	} {
		one.grant.Expires = workedGrant.Expires
		content, grant, err := keys.Verify(one.address, now)
		if err != nil || content != workedOrigin+one.content || grant != one.grant {
			t.Errorf("%s: %s, %+v, %v", name, content, grant, err)
		}
		other := keys
		other.Keys = []URLKey{{Form: URLEd25519, ID: "x_v1", Public: private.Public()}}
		if _, _, err := other.Verify(one.address, now); err == nil {
			t.Errorf("%s: a key of another id opens it", name)
		}
	}
	for name, address := range map[string]string{
		"no time":              signed("/a?kid=x.v1", ""),
		"no key":               signed("/a?exp=1773451434", ""),
		"an empty agent":       signed("/a?agent_id=&"+end, ""),
		"an agent of blanks":   signed("/a?agent_id=a b&"+end, ""),
		"a blank in the query": signed("/a?doc=a b&"+end, ""),
		"a blank at an end":    signed("/a /doc?"+end, ""),
		"no signature":         workedOrigin + "/a?" + end,
	} {
		if content, _, err := keys.Verify(address, now); err == nil {
			t.Errorf("%s opens %s", name, content)
		}
	}
	if _, _, err := keys.Verify(signed("/a?"+end, "&txn_id=t1")[:len(workedOrigin)+2]+"%20path?"+end, now); err == nil {
		t.Error("a changed path opens")
	}
	hmac := URLKeys{Origin: workedOrigin, Keys: []URLKey{workedKey}}
	if address, err := hmac.Sign(workedOrigin+"/a b", workedGrant, now); err != ErrURLForm {
		t.Errorf("%s, %v", address, err)
	}
}
