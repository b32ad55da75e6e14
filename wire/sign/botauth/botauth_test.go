package botauth_test

import (
	"crypto/ed25519"
	"encoding/base64"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"frontdesk/wire/sign"
	"frontdesk/wire/sign/botauth"
)

// The keys of RFC 9421, appendix B.1.2 and B.1.4, as the draft's vectors have them.
const vectorKeys = `{"keys":[{"kty":"OKP","crv":"Ed25519","kid":"poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U",` +
	`"x":"JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs","use":"sig"},{"kty":"RSA","e":"AQAB","n":"r4tmm3r20Wd_PbqvP1s2` +
	`-QEtvpuRaV8Yq40gjUR8y2Rjxa6dpG2GXHbPfvMs8ct-Lh1GH45x28Rw3Ry53mm-oAXjyQ86OnDkZ5N8lYbggD4O3w6M6pAvLkhk95AndTrifbIF` +
	`PNU8PPMO7OyrFAHqgDsznjPFmTOtCEcN2Z1FpWgchwuYLPL-Wokqltd11nqqzi-bJ9cvSKADYdUAAN5WUtzdpiy6LbTgSxP7ociU4Tn0g5I6aDZJ` +
	`7A8Lzo0KSyZYoA485mqcO0GVAdVw9lq4aOT9v6d-nb4bnNkQVklLQ3fVAvJm-xdDOp9LCNCN48V2pnDOkFV6-U9nV5oyc6XI2w"}]}`

const (
	idEd25519 = "poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U"
	idRSA     = "oD0HwocPBSfpNy5W3bpJeyFGY_IQ_YpqxSjQ3Yd-CLA"
)

// vector is one of the draft's appendix E.1 and E.2.
type vector struct{ name, agent, input, signature string }

var vectors = []vector{
	{"RSA, dictionary (E.1.1)", `agent2="https://signature-agent.test"`,
		`sig2=("@authority" "signature-agent";key="agent2");created=1735689600;keyid="` + idRSA + `";alg="rsa-pss-sha512"` +
			`;expires=4889289600;nonce="wcfPQPh7SzkvrIVvhD00vNk9PkxJNY2NVbYl2PVBB4zmUoluSwE7W6bPtF60QA3k8g06FU7PPCD+J58YofY1zg=="` +
			`;tag="web-bot-auth"`,
		`sig2=:gHzpLNeHaHIO19NaJH9YMW5dcVSi2s0wOMBr6p18vcofS106sfC4KBIS0/szPlBBd1vIcyQ88B6CTEWIhRAiVrb9zfX0mx1aG12CSGWc` +
			`YkSirHeyTxhbuJvXd27ed6skWoy4PjXItq38936ivUQjfdIwXh1aX6HxkAC3vRnEdSNfntkLWeEuIQ5BLIOBGE39fSwg27Qjq6OVWYas/9/a` +
			`FUr3HA34MXWYdp+//cvlEKDp3kRoLOw9ro0AOr6srHrTeEtxon2afcws1aZVSlPdd2fZSEIGmw9HAHLDCEkFTERu1gH2k/zIEqgy7CAYXI9E` +
			`5slog0cLg/Vc6+f8gih33g==:`},
	{"RSA, bare string (E.1.2)", `"https://signature-agent.test"`,
		`sig2=("@authority" "signature-agent");created=1735689600;keyid="` + idRSA + `";alg="rsa-pss-sha512"` +
			`;expires=1735693200;nonce="XSHtZVCThSIAksXsH9WBs6AtxtXC0eQGiIcUGSoJstFs8lAWakjhrfwzLhyjtme5iXMZvmFWqDEs6cT3Jf+BbQ=="` +
			`;tag="web-bot-auth"`,
		`sig2=:I1QWNzGXdP1a4dSvOHLCVOOanEYHDk+ZsVxM9MLX/p4ko69ghKwR5EOtAD96g7g4GWP7lmpM/jFAf9q8EFRDTPLjUXySwMv4YPgabv2L` +
			`QihTJG2y8a2m6IGltyruwQNiqSJVUuRaG9+b17CGmAMFZh30X6GXLdQJrCARpeTqPwp2DC+a8haDE/VE5EruqzjA5/2mKwvrkzkSqeW5tOVt` +
			`FwWRRHIOidquf/8Je6kM9mhgkg4arudLA5SL4wyyYE1jURIgcOl8agrfdJ5Def23DIRtiOLRa8jT9cpTLFAuFHN+mrZA/LH9h0gSIg1cPb+0` +
			`cMASee5uku1KjWcFer7jWA==:`},
	{"Ed25519, dictionary (E.2.1)", `agent2="https://signature-agent.test"`,
		`sig2=("@authority" "signature-agent";key="agent2");created=1735689600;keyid="` + idEd25519 + `";alg="ed25519"` +
			`;expires=4889289600;nonce="n9p433xm+NJ3ph3upfBIGmsuwHw387YV7Q/F+6BSpGCVjYCqQw6rznNA8PVVLySrAWsv0hQtFioQb6E1YsauiA=="` +
			`;tag="web-bot-auth"`,
		`sig2=:RdNFx5Bj6au3YgAMQL/RzmUlZE8QZLIaXGRpw985hWnwPfMxT228NMk6ehRS1PSl4e8PhbNZACSanGdhEwYCCg==:`},
	{"Ed25519, bare string (E.2.2)", `"https://signature-agent.test"`,
		`sig2=("@authority" "signature-agent");created=1735689600;keyid="` + idEd25519 + `";alg="ed25519"` +
			`;expires=1735693200;nonce="e8N7S2MFd/qrd6T2R3tdfAuuANngKI7LFtKYI/vowzk4lAZYadIX6wW25MwG7DCT9RUKAJ0qVkU0mEeLElW1qg=="` +
			`;tag="web-bot-auth"`,
		`sig2=:jdq0SqOwHdyHr9+r5jw3iYZH6aNGKijYp/EstF4RQTQdi5N5YYKrD+mCT1HA1nZDsi6nJKuHxUi/5Syp3rLWBA==:`},
}

// vectorTime is a minute after the vectors were made.
var vectorTime = time.Unix(1735689660, 0)

func (v vector) request() sign.Request {
	return sign.Request{Method: http.MethodGet, Target: "https://example.com/path/to/resource", Header: http.Header{
		"Signature-Agent": {v.agent}, "Signature-Input": {v.input}, "Signature": {v.signature}}}
}

// verify is what becomes of a request: nil where one claim of it is proven.
func verify(r sign.Request, d *botauth.Directory, now time.Time) (agent string, ok bool) {
	claims, _ := botauth.Read(r.Header)
	if len(claims) != 1 {
		return "", false
	}
	c := claims[0]
	key, err := d.Key(c.Signature.KeyID, now)
	return c.Agent, err == nil && c.Check(now) == nil && c.Verify(key, r) == nil
}

func directory(t *testing.T, text string) *botauth.Directory {
	t.Helper()
	d, err := botauth.ReadDirectory([]byte(text), false)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestVectorsOfTheDraftVerify(t *testing.T) {
	t.Parallel()
	keys := directory(t, vectorKeys)
	for _, v := range vectors {
		agent, ok := verify(v.request(), keys, vectorTime)
		if want := "https://signature-agent.test/.well-known/http-message-signatures-directory"; !ok || agent != want {
			t.Errorf("%s: agent %q, verified: %v", v.name, agent, ok)
		}
		if _, ok := verify(v.request(), keys, vectorTime.Add(25*time.Hour)); ok {
			t.Errorf("%s verifies a day later", v.name)
		}
		if _, ok := verify(v.request(), keys, vectorTime.Add(-3*time.Minute)); ok {
			t.Errorf("%s verifies before it was made", v.name)
		}
	}
}

// TestNoBitOfAVectorMayChange changes each bit of what is signed and of the signature.
func TestNoBitOfAVectorMayChange(t *testing.T) {
	t.Parallel()
	keys := directory(t, vectorKeys)
	for _, v := range vectors {
		whole := v.request()
		for _, name := range []string{"Signature-Agent", "Signature-Input", "Signature"} {
			text := whole.Header[name][0]
			for i := range 8 * len(text) {
				b := []byte(text)
				b[i/8] ^= 1 << (i % 8)
				r := v.request()
				r.Header[name] = []string{string(b)}
				agent, ok := verify(r, keys, vectorTime)

				// changed in one it is not.
				if ok {
					t.Errorf("%s: %s verifies as %s with bit %d changed: %s", v.name, name, agent, i, b)
				}
			}
		}
		r := v.request()
		r.Target = "https://example.org/path/to/resource"
		if _, ok := verify(r, keys, vectorTime); ok {
			t.Errorf("%s verifies at another authority", v.name)
		}
	}
}

// proven says whether a response proves possession of each key of a directory.
func proven(d *botauth.Directory, body []byte, response sign.Response, now time.Time) bool {
	ids, err := botauth.Proven(d, body, response, now)
	return err == nil && len(ids) == len(d.Keys)
}

// TestAnAgentHasOneName: other spellings of an address are the same identifier, or none.
func TestAnAgentHasOneName(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"https://a.example":                 "https://a.example" + botauth.DirectoryPath,
		"HTTPS://A.Example:443/":            "https://a.example" + botauth.DirectoryPath,
		"https://a.example/.well%2Dknown/x": "https://a.example/.well-known/x",
		"https://a.example/a/../b%2fc?d=e":  "https://a.example/b%2Fc",
		"https://a.example:8443/keys":       "https://a.example:8443/keys",
		"https://[::1]:8443/keys":           "https://[::1]:8443/keys",
		"https://a.example./keys":           "",
		"https://a.example.:8443/keys":      "",
		"https://ａ.example/keys":            "",
		"https://%61.example/keys":          "",
		"https://a.example:08443/keys":      "",
		"https://a_b.example/keys":          "",
		"https://user@a.example/keys":       "",
		"http://a.example/keys":             "",
	} {
		_, agent, err := botauth.Address(text)
		if agent != want || (err == nil) != (want != "") {
			t.Errorf("%s: %q, %v", text, agent, err)
		}
	}
	for agent, want := range map[string]bool{
		"https://a.example" + botauth.DirectoryPath:      true,
		"https://a.example:8443" + botauth.DirectoryPath: true,
		"https://a.example/u" + botauth.DirectoryPath:    false,
		"https://a.example/keys":                         false,
	} {
		if got := botauth.OfDomain(agent); got != want {
			t.Errorf("%s is of a domain: %v", agent, got)
		}
	}
}

func TestDirectoryVectorVerifies(t *testing.T) {
	t.Parallel()
	body := `{"keys":[{"kty":"OKP","crv":"Ed25519","kid":"` + idEd25519 +
		`","x":"JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs","use":"sig"}]}`
	response := sign.Response{Header: http.Header{
		"Content-Digest": {"sha-256=:CADMT2aBdV/rqQr/NIru64ERQkCobVvllA4V0fLFDu0=:"},
		"Signature-Input": {`binding=("@authority";req "content-digest");created=1735689600;expires=4889289600;keyid="` +
			idEd25519 + `";tag="http-message-signatures-directory"`},
		"Signature": {
			"binding=:l6P8R67tm3kujAxbHWio7ll01qrEZ0dKD/WWlGhNYEmTnFZM8Wt0VQ9zqGfvo7T/UMkBxsigzChM1Gpz7gOVBg==:"},
	}, Request: sign.Request{Method: http.MethodGet, Target: "https://signature-agent.test" + botauth.DirectoryPath}}
	d := directory(t, body)
	if !proven(d, []byte(body), response, vectorTime) {
		t.Error("it does not verify")
	}
	if proven(d, []byte(body+" "), response, vectorTime) {
		t.Error("another body verifies")
	}
	if proven(d, []byte(body), response, vectorTime.Add(-time.Hour)) {
		t.Error("it verifies before it was made")
	}
	response.Request.Target = "https://other.test" + botauth.DirectoryPath
	if proven(d, []byte(body), response, vectorTime) {
		t.Error("it verifies under another authority")
	}
}

func TestPublishedTestKeysVerifyNobody(t *testing.T) {
	t.Parallel()
	d, err := botauth.ReadDirectory([]byte(vectorKeys), true)
	if err != nil || len(d.Keys) != 0 || len(d.Passed) != 2 {
		t.Errorf("%+v, %v", d, err)
	}
}

func TestAddressesOfAgents(t *testing.T) {
	t.Parallel()
	const wellKnown = "/.well-known/http-message-signatures-directory"
	for _, row := range []struct{ text, directory, agent string }{
		{"https://a.example", "https://a.example" + wellKnown, "https://a.example" + wellKnown},
		{"https://A.example:443/", "https://a.example" + wellKnown, "https://a.example" + wellKnown},
		{"https://a.example/?x=1", "https://a.example" + wellKnown, "https://a.example" + wellKnown},
		{"https://a.example:8443/jwks.json?v=2", "https://a.example:8443/jwks.json?v=2",
			"https://a.example:8443/jwks.json"},
		{"https://a.example/x/../keys", "https://a.example/keys", "https://a.example/keys"},
		{"https://a.example//keys%2D1?v=2", "https://a.example/keys-1?v=2", "https://a.example/keys-1"},
		{"https://a.example" + wellKnown + "?x=1", "https://a.example" + wellKnown, "https://a.example" + wellKnown},
		{"https://a.example/u/.." + wellKnown, "https://a.example" + wellKnown, "https://a.example" + wellKnown},
		{"http://a.example", "", ""}, {"a.example", "", ""}, {"https://user@a.example", "", ""}, {"https://", "", ""},
		{"https://a.example/#x", "", ""}, {"data:application/json,{}", "", ""}, {"https:a.example", "", ""},
		{"https://a.example/" + strings.Repeat("x", 2048), "", ""},
	} {
		directory, agent, err := botauth.Address(row.text)
		if directory != row.directory || agent != row.agent || (err == nil) != (row.agent != "") {
			t.Errorf("%s: %s, %s, %v", row.text, directory, agent, err)
		}
	}
}

// made signs a request as our own agents do.
func made(t *testing.T, agent string, p sign.SigningParameters) (sign.Request, *botauth.Directory) {
	t.Helper()
	key := ed25519.NewKeyFromSeed(slices.Repeat([]byte{7}, ed25519.SeedSize))
	x := base64.RawURLEncoding.EncodeToString(key.Public().(ed25519.PublicKey))
	d := directory(t, `{"keys":[{"kty":"OKP","crv":"Ed25519","x":"`+x+`"}]}`)
	r := sign.Request{Method: http.MethodPost, Target: "https://desk.example/ask?q=a+b",
		Header: http.Header{"Signature-Agent": {agent}}}
	p.KeyID = d.Keys[0].ID
	input, signature, err := sign.SignHTTP(r, p, key)
	if err != nil {
		t.Fatal(err)
	}
	r.Header["Signature-Input"], r.Header["Signature"] = []string{input}, []string{signature}
	return r, d
}

func TestWhatAClaimMustHave(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_800_000_000, 0)
	good := sign.SigningParameters{Label: "sig1", Created: now, Tag: botauth.Tag,
		Covered: []string{"@authority", `signature-agent;key="sig1"`, `@query-param;name="q"`, "@method"}}
	for name, row := range map[string]struct {
		agent  string
		change func(*sign.SigningParameters)
		ok     bool
	}{
		"all it needs":              {`sig1="https://a.example"`, func(*sign.SigningParameters) {}, true},
		"the target alone":          {`sig1="https://a.example"`, func(p *sign.SigningParameters) { p.Covered[0] = "@target-uri" }, true},
		"another agent beside it":   {`x="https://b.example", sig1="https://a.example"`, func(*sign.SigningParameters) {}, true},
		"the member of another":     {`sig1="https://a.example", x="https://b.example"`, func(p *sign.SigningParameters) { p.Label = "x" }, true},
		"another tag":               {`sig1="https://a.example"`, func(p *sign.SigningParameters) { p.Tag = "other" }, false},
		"an agent with a parameter": {`sig1="https://a.example";x=1`, func(*sign.SigningParameters) {}, false},
		"an agent that is a token":  {`sig1=a`, func(*sign.SigningParameters) {}, false},
		"no authority":              {`sig1="https://a.example"`, func(p *sign.SigningParameters) { p.Covered[0] = "@path" }, false},
		"no agent":                  {`sig1="https://a.example"`, func(p *sign.SigningParameters) { p.Covered[1] = "@path" }, false},
		"plain http":                {`sig1="http://a.example"`, func(*sign.SigningParameters) {}, false},
		"from the future": {`sig1="https://a.example"`, func(p *sign.SigningParameters) {
			p.Created = now.Add(2 * time.Minute)
		}, false},
		"expired": {`sig1="https://a.example"`, func(p *sign.SigningParameters) {
			p.Created = now.Add(-10 * time.Minute)
		}, false},
	} {
		p := good
		p.Covered = slices.Clone(good.Covered)
		row.change(&p)
		r, d := made(t, row.agent, p)
		if _, ok := verify(r, d, now); ok != row.ok {
			t.Errorf("%s: verified: %v", name, ok)
		}
	}
}

// TestSignaturesOfOthersTakeNothingAway: a request may have any number of signatures (RFC 9421
// §3.2), and one that is not understood here, or cannot be read at all, is no matter of the agent's
// own.
func TestSignaturesOfOthersTakeNothingAway(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_800_000_000, 0)
	own, keys := made(t, `sig1="https://a.example"`, sign.SigningParameters{Label: "sig1", Created: now, Tag: botauth.Tag,
		Covered: []string{"@authority", `signature-agent;key="sig1"`}})
	many := strings.Repeat("x", 60)
	for name, other := range map[string]struct{ input, signature, agent string }{
		"by a shared secret":           {`p=("@method");created=1;alg="hmac-sha256"`, "p=:" + many[:44] + ":", ""},
		"by a key that is longer":      {`p=("@method");alg="ml-dsa-65"`, "p=:" + strings.Repeat(many, 20) + ":", ""},
		"without its bytes":            {`p=("@method");created=1`, "", ""},
		"without its input":            {"", "p=:" + many + ":", ""},
		"that is no list":              {"p=1", "p=?1", ""},
		"of a field that no field has": {`p=("@no such thing" "a,b");x="a\", b"`, "p=:" + many + ":", ""},
		"that is not even a member":    {`P@=(("`, "=,;;=", ""},
		"written in another way":       {`p=("@method");created=0001`, "p=:" + many + ":", `x="https://b.example";y=01`},
		"twice":                        {`p=("@method"), p=("@path")`, "p=:YQ==:, p=:Yg==:", "x=a, x=b"},
		"in crowds":                    {strings.Repeat(`p=("@method"), `, 40), "", ""},
		"of an agent that is none":     {"", "", "x=((, y=?2"},
	} {
		for _, first := range []bool{true, false} {
			beside := func(lines []string, line string) []string {
				switch {
				case line == "":
					return lines
				case first:
					return []string{line, lines[0]}
				}
				return []string{lines[0], line}
			}
			r := own
			r.Header = http.Header{"Signature-Input": beside(own.Header["Signature-Input"], other.input),
				"Signature":       beside(own.Header["Signature"], other.signature),
				"Signature-Agent": beside(own.Header["Signature-Agent"], other.agent)}
			if agent, ok := verify(r, keys, now); !ok || !strings.HasPrefix(agent, "https://a.example/") {
				_, bad := botauth.Read(r.Header)
				t.Errorf("beside one %s (before it: %v): %v %v", name, first, ok, bad)
			}
		}
	}
	for name, spoil := range map[string]func(http.Header){ // what is the agent's own has one reading
		"its input twice": func(h http.Header) { h["Signature-Input"] = append(h["Signature-Input"], `sig1=("@method")`) },
		"its bytes twice": func(h http.Header) { h["Signature"] = append(h["Signature"], "sig1=:YQ==:") },
		"its agent twice": func(h http.Header) { h["Signature-Agent"] = append(h["Signature-Agent"], `sig1="https://b.example"`) },
	} {
		r := own
		r.Header = http.Header(own.Header).Clone()
		spoil(r.Header)
		claims, bad := botauth.Read(r.Header)
		if len(claims) != 0 || len(bad) != 1 {
			t.Errorf("%s: %+v, %v", name, claims, bad)
		}
	}
}

func TestKeysHoldInTheirTime(t *testing.T) {
	t.Parallel()
	d := directory(t, `{"keys":[{"kty":"OKP","crv":"Ed25519","x":"JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs",
		"nbf":1000,"exp":2000}]}`)
	for at, ok := range map[int64]bool{900: false, 1000: true, 1999: true, 2000: false} {
		if _, err := d.Key(idEd25519, time.Unix(at, 0)); (err == nil) != ok {
			t.Errorf("at %d: %v", at, err)
		}
	}
}

func TestDirectoriesThatCannotBeRead(t *testing.T) {
	t.Parallel()
	_, rsaKey, _ := strings.Cut(strings.TrimSuffix(vectorKeys, "]}"), `},`)
	if d := directory(t, `{"keys":[`+rsaKey+`]}`); len(d.Keys) != 1 {
		t.Fatal(rsaKey)
	}
	for _, text := range []string{``, `[]`, `{}`, `{"keys":{}}`, `{"keys":[` + strings.Repeat(`{},`, 64) + `{}]}`,
		`{"keys":[],"x":"` + strings.Repeat("x", botauth.MaxDirectory) + `"}`} {
		if d, err := botauth.ReadDirectory([]byte(text), true); err == nil {
			t.Errorf("%.40s is read as %+v", text, d)
		}
	}
	for _, key := range []string{`{}`, `"x"`, `{"kty":"oct","k":"AA"}`, `{"kty":"OKP","crv":"X25519","x":"AA"}`,
		`{"kty":"OKP","crv":"Ed25519","x":"JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bt"}`,
		`{"kty":"OKP","crv":"Ed25519","x":"JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs\n"}`,
		`{"kty":"OKP","crv":"Ed25519","x":"JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs","d":"x"}`,
		`{"kty":"OKP","crv":"Ed25519","x":"JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs","use":"enc"}`,
		strings.Replace(rsaKey, `"e":"AQAB"`, `"e":"AQAC"`, 1), strings.Replace(rsaKey, `"e":"AQAB"`, `"e":""`, 1),
		`{"kty":"RSA","n":"AQAB","e":"AQAB"}`, `{"kty":"EC","crv":"P-256","x":"AA","y":"AA"}`,
		`{"kty":"EC","crv":"P-256","x":"qIVYZVLCrPZHGHjP17CTW0_-D9Lfw0EkjqF7xB4FivA",` +
			`"y":"qIVYZVLCrPZHGHjP17CTW0_-D9Lfw0EkjqF7xB4FivA"}`} {
		if d := directory(t, `{"keys":[`+key+`]}`); len(d.Keys) != 0 || len(d.Passed) != 1 {
			t.Errorf("%s is read as %+v", key, d)
		}
	}
}

func TestSignedDirectoriesProvePossession(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		now := time.Unix(rapid.Int64Range(1e9, 4e9).Draw(t, "now"), 0)
		keys := map[string]ed25519.PrivateKey{}
		var entries []botauth.Key
		for i := range rapid.IntRange(1, 3).Draw(t, "keys") {
			key := ed25519.NewKeyFromSeed(slices.Repeat([]byte{byte(i + 1)}, ed25519.SeedSize))
			id := botauth.Thumbprint(key.Public().(ed25519.PublicKey))
			keys[id], entries = key, append(entries, botauth.Key{ID: id, Public: key.Public()})
		}
		body, err := botauth.WriteDirectory(entries)
		if err != nil {
			t.Fatal(err)
		}
		d, err := botauth.ReadDirectory(body, true)
		if err != nil || len(d.Keys) != len(entries) || d.Keys[0].ID != entries[0].ID {
			t.Fatalf("%+v, %v", d, err)
		}
		r := sign.Request{Method: http.MethodGet, Target: "https://desk.example" + botauth.DirectoryPath}
		header, err := botauth.SignDirectory(body, r, sign.SigningParameters{Created: now}, keys)
		if err != nil {
			t.Fatal(err)
		}
		if !proven(d, body, sign.Response{Header: header, Request: r}, now) {
			t.Error("it does not verify")
		}
		r.Target = "https://elsewhere.example" + botauth.DirectoryPath
		if proven(d, body, sign.Response{Header: header, Request: r}, now) {
			t.Error("it verifies elsewhere")
		}
	})
}

func FuzzRead(f *testing.F) {
	for _, v := range vectors {
		f.Add(v.agent, v.input, v.signature)
	}
	f.Fuzz(func(t *testing.T, agent, input, signature string) {
		claims, _ := botauth.Read(http.Header{"Signature-Agent": {agent}, "Signature-Input": {input},
			"Signature": {signature}})
		for _, c := range claims {
			if !strings.HasPrefix(c.Directory, "https://") ||
				!strings.HasPrefix(c.Agent, botauth.Origin(c.Agent)) {
				t.Errorf("%+v", c)
			}
		}
	})
}

func FuzzReadDirectory(f *testing.F) {
	f.Add(vectorKeys)
	f.Fuzz(func(t *testing.T, text string) {
		d, err := botauth.ReadDirectory([]byte(text), false)
		if err != nil {
			return
		}
		for _, k := range d.Keys {
			if len(k.ID) != 43 || k.Public == nil {
				t.Errorf("%+v", k)
			}
		}
	})
}

// TestAnAgentSigns: what is signed here verifies, for its own request alone.
func TestAnAgentSigns(t *testing.T) {
	t.Parallel()
	own := botauth.Own{
		Directory: botauth.DirectoryAt("https://desk.example/"), Key: ed25519.NewKeyFromSeed(make([]byte, 32)),
	}
	public := own.Key.Public().(ed25519.PublicKey)
	keys := &botauth.Directory{Keys: []botauth.Key{{ID: botauth.Thumbprint(public), Public: public}}}
	made := func(target string, header http.Header) sign.Request {
		r := sign.Request{Method: http.MethodGet, Target: target, Header: header}
		if err := own.Sign(r, "n", vectorTime); err != nil {
			t.Fatal(err)
		}
		return r
	}
	buyer := func() http.Header { // signed by a party to RAMP already
		r := sign.Request{Method: http.MethodGet, Target: "https://shop.example/a", Header: http.Header{}}
		input, signature, err := sign.SignHTTP(r, sign.SigningParameters{KeyID: "buyer.example", Created: vectorTime,
			Covered: []string{"@method"}}, own.Key)
		if err != nil {
			t.Fatal(err)
		}
		return http.Header{"Signature-Input": {input}, "Signature": {signature}}
	}
	for name, c := range map[string]struct {
		change func(*sign.Request)
		want   bool
	}{
		"as it was":      {func(*sign.Request) {}, true},
		"another query":  {func(r *sign.Request) { r.Target = "https://shop.example/a?x=1" }, true},
		"another path":   {func(r *sign.Request) { r.Target = "https://shop.example/b" }, false},
		"another host":   {func(r *sign.Request) { r.Target = "https://other.example/a" }, false},
		"another method": {func(r *sign.Request) { r.Method = http.MethodPost }, false},
		"another agent": {func(r *sign.Request) {
			r.Header["Signature-Agent"] = []string{`bot="https://other.example/keys"`}
		}, false},
	} {
		for _, header := range []http.Header{{}, buyer()} {
			r := made("https://shop.example/a", header)
			c.change(&r)
			agent, ok := verify(r, keys, vectorTime)
			if ok != c.want || ok && agent != "https://desk.example/.well-known/http-message-signatures-directory" {
				t.Errorf("%s, %d signatures: agent %q, verified: %v", name, len(r.Header["Signature"]), agent, ok)
			}
		}
	}
	for name, r := range map[string]sign.Request{
		"over http":       made("http://shop.example/a", http.Header{}),
		"signed already":  made("https://shop.example/a", vectors[0].request().Header),
		"by another name": made("HTTP://shop.example/a", http.Header{}),
	} {
		if len(r.Header["Signature"]) > 1 || name != "signed already" && botauth.Signed(r.Header) {
			t.Errorf("%s: it was signed: %v", name, r.Header)
		}
	}
	for address, want := range map[string]string{
		"https://desk.example":             "https://desk.example" + botauth.DirectoryPath,
		"https://www.example.com/desk/":    "https://www.example.com/desk" + botauth.DirectoryPath,
		"http://desk.example":              "",
		"":                                 "",
		"https://user:secret@desk.example": "",
	} {
		if got := botauth.DirectoryAt(address); got != want {
			t.Errorf("the directory of %q is %q", address, got)
		}
	}
}
