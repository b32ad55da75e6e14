package sign_test

import (
	"crypto/ed25519"
	"crypto/x509"
	"encoding/base64"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"frontdesk/wire/sign"
)

// The key of RFC 9421, B.1.4.
const (
	rfcPublic  = "MCowBQYDK2VwAyEAJrQLj5P/89iXES9+vFgrIy29clF9CC/oPPsw3c5D0bs="
	rfcPrivate = "MC4CAQAwBQYDK2VwBCIEIJ+DYvh6SEqVTm50DFtMDoQikTmiCqirVv9mWG9qfSnF"
)

func rfcKeys(t testing.TB) (ed25519.PublicKey, ed25519.PrivateKey) {
	t.Helper()
	decode := func(text string) []byte {
		raw, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			t.Fatal(err)
		}
		return raw
	}
	public, err := x509.ParsePKIXPublicKey(decode(rfcPublic))
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.ParsePKCS8PrivateKey(decode(rfcPrivate))
	if err != nil {
		t.Fatal(err)
	}
	return public.(ed25519.PublicKey), private.(ed25519.PrivateKey)
}

// rfcRequest is test-request of RFC 9421, B.2.
func rfcRequest() sign.Request {
	return sign.Request{Method: "POST", Target: "https://example.com/foo?param=Value&Pet=dog", Header: http.Header{
		"Date": {"Tue, 20 Apr 2021 02:07:55 GMT"}, "Content-Type": {"application/json"}, "Content-Length": {"18"},
		"Content-Digest": {
			"sha-512=:WZDPaVn/7XgHaAy8pmojAkGWoRx2UFChF41A2svX+TaPm+AbwAgBWnrIiYllu7BNNyealdVLvRwEmTHWXvJwew==:"},
	}}
}

const (
	rfcInput = `("date" "@method" "@path" "@authority" "content-type" "content-length");created=1618884473;keyid="test-key-ed25519"`
	rfcSig   = `:wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WPpBKRCw==:`
)

func carrying(r sign.Request, input, signature string) sign.Request {
	r.Header = http.Header(r.Header).Clone()
	r.Header["Signature-Input"], r.Header["Signature"] = []string{input}, []string{signature}
	return r
}

func one(t *testing.T, r sign.Request) sign.HTTPSignature {
	t.Helper()
	all, err := sign.ReadHTTPSignatures(r.Header)
	if err != nil || len(all) != 1 {
		t.Fatalf("%d signatures, %v", len(all), err)
	}
	return all[0]
}

// TestSignatureOfRFC9421 is B.2.6: the very base and signature of the RFC, both ways.
func TestSignatureOfRFC9421(t *testing.T) {
	t.Parallel()
	public, private := rfcKeys(t)
	r := carrying(rfcRequest(), "sig-b26="+rfcInput, "sig-b26="+rfcSig)
	s := one(t, r)
	want := strings.Join([]string{
		`"date": Tue, 20 Apr 2021 02:07:55 GMT`, `"@method": POST`, `"@path": /foo`, `"@authority": example.com`, `"content-type": application/json`,
		`"content-length": 18`, `"@signature-params": ` + rfcInput,
	}, "\n")
	base, err := s.Base(r)
	if err != nil || string(base) != want {
		t.Fatalf("the base is\n%s\n%v", base, err)
	}
	if err := s.Verify(public, r); err != nil {
		t.Fatal(err)
	}
	if s.KeyID != "test-key-ed25519" || s.Created.Unix() != 1618884473 || !s.Expires.IsZero() || s.Label != "sig-b26" {
		t.Errorf("%+v", s)
	}
	if made := base64.StdEncoding.EncodeToString(ed25519.Sign(private, base)); ":"+made+":" != rfcSig {
		t.Errorf("signed anew it is %s", made)
	}
	if err := sign.CheckContentDigest(r.Header["Content-Digest"], []byte(`{"hello": "world"}`)); err != nil {
		t.Error(err)
	}
}

// TestTransformationsOfRFC9421 is B.4: what may become of a request on its way, and what not.
func TestTransformationsOfRFC9421(t *testing.T) {
	t.Parallel()
	public, _ := rfcKeys(t)
	const input = `transform=("@method" "@path" "@authority" "accept");created=1618884473;keyid="test-key-ed25519"`
	const signature = `transform=:ZT1kooQsEHpZ0I1IjCqtQppOmIqlJPeo7DHR3SoMn0s5JZ1eRGS0A+vyYP9t/LXlh5QMFFQ6cpLt2m0pmj3NDA==:`
	for name, v := range map[string]struct {
		method, target string
		header         http.Header
		good           bool
	}{
		"as it was": {"GET", "https://example.org/demo?name1=Value1&Name2=value2",
			http.Header{"Accept": {"application/json", "*/*"}}, true},
		"another query, a header": {"GET", "https://example.org/demo?name1=Value1&param=added",
			http.Header{"Accept": {"application/json", "*/*"}, "Accept-Language": {"en-US,en;q=0.5"}}, true},
		"one line": {"GET", "https://example.org/demo",
			http.Header{"Referer": {"https://developer.example.org/demo"}, "Accept": {"application/json, */*"}}, true},
		"another authority": {"POST", "https://example.com/demo?name1=Value1&Name2=value2",
			http.Header{"Accept": {"application/json", "*/*"}}, false},
		"another order": {"GET", "https://example.org/demo?name1=Value1&Name2=value2",
			http.Header{"Accept": {"*/*", "application/json"}}, false},
		"without accept": {"GET", "https://example.org/demo", http.Header{}, false},
	} {
		r := carrying(sign.Request{Method: v.method, Target: v.target, Header: v.header}, input, signature)
		s := one(t, r)
		if err := s.Verify(public, r); (err == nil) != v.good {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestComponentsOfTheTarget are the examples of RFC 9421 §2.2.
func TestComponentsOfTheTarget(t *testing.T) {
	t.Parallel()
	for target, want := range map[string][5]string{ // @authority, @scheme, @request-target, @path, @query
		"https://www.example.com/path?param=value": {"www.example.com", "https", "/path?param=value",
			"/path", "?param=value"},
		"HTTPS://WWW.Example.com:443/path?param=value&foo=bar&baz=ba": {"www.example.com", "https",
			"/path?param=value&foo=bar&baz=ba", "/path", "?param=value&foo=bar&baz=ba"},
		"http://localhost:8080": {"localhost:8080", "http", "/", "/", "?"},
		"https://www.example.com/a%2Fb?queryString": {"www.example.com", "https", "/a%2Fb?queryString", "/a%2Fb",
			"?queryString"},
	} {
		s := sign.HTTPSignature{Covered: []string{"@authority", "@scheme", "@request-target", "@path", "@query",
			"@target-uri"}}
		base, err := s.Base(sign.Request{Method: "GET", Target: target})
		lines := strings.Split(string(base), "\n")
		if err != nil {
			t.Fatal(target, err)
		}
		for i, value := range want {
			if _, got, _ := strings.Cut(lines[i], ": "); got != value {
				t.Errorf("%s: %s, want %s", target, lines[i], value)
			}
		}
		if lines[5] != `"@target-uri": `+target {
			t.Errorf("%s: %s", target, lines[5])
		}
	}
}

// rampRequest is a worked request of RAMP: the body's digest, and what the key of seed 00 01 .. 1f
// signs.
func rampRequest() (sign.Request, []byte, ed25519.PrivateKey) {
	seed := make([]byte, ed25519.SeedSize)
	for i := range seed {
		seed[i] = byte(i)
	}
	body := []byte(`{"ver":"1.0","id":"q-1"}`)
	return sign.Request{Method: "POST", Target: "https://ramp.example.com/ramp.v1.ExchangeService/DiscoverResources",
		Header: http.Header{
			"Content-Type": {"application/json"}, "Content-Digest": {sign.ContentDigest(body)},
		}}, body, ed25519.NewKeyFromSeed(seed)
}

func TestRequestOfRAMPSigned(t *testing.T) {
	t.Parallel()
	r, body, key := rampRequest()
	created := time.Unix(1773451434, 0)
	input, signature, err := sign.SignHTTP(r,
		sign.SigningParameters{KeyID: "buyer.example.com#k1", Created: created}, key)
	if err != nil {
		t.Fatal(err)
	}
	const wantInput = `agent=("@method" "@target-uri" "content-digest");keyid="buyer.example.com#k1";alg="ed25519";created=1773451434;expires=1773451734`
	const wantBase = `"@method": POST
"@target-uri": https://ramp.example.com/ramp.v1.ExchangeService/DiscoverResources
"content-digest": sha-256=:wW0PZXA5i4GDKigI5HrM1hJVXa7sycyesB5s9TKusbc=:
"@signature-params": ("@method" "@target-uri" "content-digest");keyid="buyer.example.com#k1";alg="ed25519";created=1773451434;expires=1773451734`
	// as openssl pkeyutl -sign -rawin makes it
	const wantSignature = `agent=:WYEPaoDl1h6GWtskUprExGYUO7pzb/YQUHafVQKkOiLqISjhqAXD6bpvO0pdqBHt3NHdS2wldIxmVjWfFHb/BQ==:`
	if input != wantInput || signature != wantSignature {
		t.Errorf("signed as\n%s\n%s", input, signature)
	}
	signed := carrying(r, input, signature)
	s := one(t, signed)
	if base, err := s.Base(signed); err != nil || string(base) != wantBase {
		t.Errorf("the base is\n%s\n%v", base, err)
	}
	if err := s.Verify(key.Public().(ed25519.PublicKey), signed); err != nil {
		t.Error(err)
	}
	if !s.Covers(sign.RequestComponents...) || s.Covers("content-type") {
		t.Error("Covers does not say what is covered")
	}
	if err := sign.CheckContentDigest(r.Header["Content-Digest"], body); err != nil {
		t.Error(err)
	}
	if err := sign.CheckContentDigest(r.Header["Content-Digest"], append(body, ' ')); err == nil {
		t.Error("another body fits the digest")
	}
}

// TestVerifyHTTPRefusesAnythingElse changes one thing of a signed request at a time.
func TestVerifyHTTPRefusesAnythingElse(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r, _, key := rampRequest()
		input, signature, err := sign.SignHTTP(r,
			sign.SigningParameters{KeyID: "buyer.example.com", Created: time.Unix(1773451434, 0)}, key)
		if err != nil {
			t.Fatal(err)
		}
		switch rapid.IntRange(0, 5).Draw(t, "changed") {
		case 0:
			r.Method = rapid.SampledFrom([]string{"GET", "post", ""}).Draw(t, "method")
		case 1:
			r.Target += rapid.StringMatching(`[a-z?/]{1,9}`).Draw(t, "target")
		case 2:
			r.Header["Content-Digest"] = []string{sign.ContentDigest([]byte(rapid.String().Draw(t, "body")))}
		case 3:
			input = strings.Replace(input, "1773451734", "1773451735", 1)
		case 4:
			input = strings.Replace(input, `"@method" "@target-uri"`, `"@target-uri" "@method"`, 1)
		case 5:
			input = strings.Replace(input, "buyer.example.com", "other.example.com", 1)
		}
		r = carrying(r, input, signature)
		all, err := sign.ReadHTTPSignatures(r.Header)
		if err == nil && all[0].Verify(key.Public().(ed25519.PublicKey), r) == nil {
			t.Fatalf("%v is accepted", r)
		}
	})
}

// TestANonceSetsSignaturesOfOneSecondApart holds that the same request, signed twice in one second,
// has two signatures, and that each verifies.
func TestANonceSetsSignaturesOfOneSecondApart(t *testing.T) {
	t.Parallel()
	key := ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))
	r := sign.Request{Method: "POST", Target: "https://x.example/a",
		Header: map[string][]string{sign.HeaderContentDigest: {sign.ContentDigest(nil)}}}
	made := map[string]bool{}
	for _, nonce := range []string{"", "n-1", "n-2"} {
		input, signature, err := sign.SignHTTP(r,
			sign.SigningParameters{KeyID: "x.example", Created: time.Unix(1_800_000_000, 0), Nonce: nonce}, key)
		if err != nil {
			t.Fatal(err)
		}
		all, err := sign.ReadHTTPSignatures(map[string][]string{sign.HeaderSignatureInput: {input},
			sign.HeaderSignatureOfHTTP: {signature}})
		if err != nil || all[0].Nonce != nonce || all[0].Verify(key.Public().(ed25519.PublicKey), r) != nil {
			t.Errorf("%q: %+v, %v", nonce, all, err)
		}
		made[signature] = true
	}
	if len(made) != 3 {
		t.Errorf("%d different signatures", len(made))
	}
}

func TestSeveralSignatures(t *testing.T) {
	t.Parallel()
	r, _, key := rampRequest()
	other := ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))
	created := time.Unix(1773451434, 0)
	agentIn, agentSig, err := sign.SignHTTP(r,
		sign.SigningParameters{KeyID: "buyer.example.com", Created: created}, key)
	if err != nil {
		t.Fatal(err)
	}
	brokerIn, brokerSig, err := sign.SignHTTP(r, sign.SigningParameters{Label: "broker", KeyID: "broker.example.com",
		Created: created}, other)
	if err != nil {
		t.Fatal(err)
	}
	for _, lines := range [][2][]string{
		{{agentIn, brokerIn}, {brokerSig, agentSig}},
		{{agentIn + ", " + brokerIn}, {brokerSig + "," + agentSig}},
	} {
		r.Header["Signature-Input"], r.Header["Signature"] = lines[0], lines[1]
		all, err := sign.ReadHTTPSignatures(r.Header)
		if err != nil || len(all) != 2 || all[0].Label != "agent" || all[1].Label != "broker" {
			t.Fatalf("%+v, %v", all, err)
		}
		if all[0].Verify(key.Public().(ed25519.PublicKey), r) != nil ||
			all[1].Verify(other.Public().(ed25519.PublicKey), r) != nil {
			t.Error("one of two signatures does not verify")
		}
		if all[0].Verify(other.Public().(ed25519.PublicKey), r) == nil {
			t.Error("a signature verifies under another's key")
		}
	}
}

func TestSignaturesThatCannotBeRead(t *testing.T) {
	t.Parallel()
	good, value := `a=("@method");created=1;keyid="k"`, "a="+rfcSig
	if _, err := sign.ReadHTTPSignatures(http.Header{"Signature-Input": {good}, "Signature": {value}}); err != nil {
		t.Fatal(err)
	}
	for _, bad := range [][2]string{
		{"", ""}, {good, ""}, {"", value}, {good, "b=" + rfcSig}, {good + ", " + good, value},
		{good, value + ", " + value}, {good, value + ", b=" + rfcSig},
		{good + ",", value}, {good, value + " ,"}, {strings.ToUpper(good), value}, {`a="@method"`, value}, {`a=("@method"`, value}, {`a=("@method""x")`, value},
		{`a=("@method");created=01`, value}, {`a=("@method");created=-1`, value}, {`a=("@method");created=1.5`, value}, {`a=("@method");created="1"`, value},
		{`a=("@method");created=1;created=2`, value}, {`a=("@method");created=9999999999999999`, value}, {`a=("@method");keyid=k`, value},
		{`a=("@method" "@method")`, value}, {`a=("content-digest";req "content-digest";req)`, value}, {`a=("a;b")`, value}, {`a=(@method)`, value}, {`a=("")`, value}, {`a=(1)`, value},
		{"a=(\"@meth\x01od\")", value}, {`a=("é")`, value}, {good, "a=" + rfcSig[:len(rfcSig)-2]}, {good, "a=:AAAA:"},
		{good, `a="x"`}, {good, "a"},
		{good, "a=" + strings.Replace(rfcSig, "==:", ":", 1)},
		{good, "a=" + strings.Replace(rfcSig, "w==:", "x==:", 1)}, {good, "a=" + rfcSig[:9] + "\n" + rfcSig[9:]},
		{strings.Repeat(" ", 9000) + good, value}, {`a=("@method");keyid="` + strings.Repeat("k", 9000) + `"`, value},
	} {
		if all, err := sign.ReadHTTPSignatures(http.Header{"Signature-Input": {bad[0]}, "Signature": {bad[1]}}); err ==
			nil {
			t.Errorf("%q with %q is read as %+v", bad[0], bad[1], all)
		}
	}
	var many, bytes []string
	for i := range sign.MaxHTTPSignatures + 1 {
		label := string(rune('a' + i))
		many, bytes = append(many, label+`=("@method")`), append(bytes, label+"="+rfcSig)
	}
	if _, err := sign.ReadHTTPSignatures(http.Header{"Signature-Input": many, "Signature": bytes}); err == nil {
		t.Error("any number of signatures is read")
	}
	if _, err := sign.ReadHTTPSignatures(http.Header{"Signature-Input": many[1:], "Signature": bytes[1:]}); err != nil {
		t.Error(err)
	}
	if !sign.HasHTTPSignature(http.Header{"Signature": {""}}) ||
		!sign.HasHTTPSignature(http.Header{"Signature-Input": {""}}) || sign.HasHTTPSignature(http.Header{}) {
		t.Error("HasHTTPSignature does not see whether a request claims to be signed")
	}
}

func TestComponentsThatCannotBeHad(t *testing.T) {
	t.Parallel()
	public, _ := rfcKeys(t)
	for _, name := range []string{"@status", "@query-param", "@signature-params", "@body", "x-absent", "Content-Type",
		"a b"} {
		r := carrying(rfcRequest(), `a=("`+name+`")`, "a="+rfcSig)
		s := one(t, r)
		if err := s.Verify(public, r); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	r := carrying(rfcRequest(), `a=("@method");alg="hmac-sha256"`, "a="+rfcSig)
	s := one(t, r)
	if err := s.Verify(public, r); err == nil || !strings.Contains(err.Error(), "hmac-sha256") {
		t.Errorf("another algorithm: %v", err)
	}
	if err := s.Verify(nil, r); err == nil {
		t.Error("without a key, a signature verifies")
	}
}

func TestHTTPSignatureIsFreshForMinutes(t *testing.T) {
	t.Parallel()
	at := time.Unix(1773451434, 0)
	for _, v := range []struct {
		created, expires, now time.Duration // from at; expires 0 is none
		fresh                 bool
	}{
		{0, 0, 0, true}, {0, 0, -time.Minute, true}, {0, 0, -time.Minute - 1, false},
		{0, 0, 6*time.Minute - 1, true}, {0, 0, 6 * time.Minute, false},
		{0, 10 * time.Minute, 11*time.Minute - 1, true}, {0, 10 * time.Minute, 11 * time.Minute, false},
		{0, time.Second, 62 * time.Second, false}, {0, -time.Second, 0, false}, {0, 16 * time.Minute, 0, false},
		{0, 15 * time.Minute, 0, true},
	} {
		s := sign.HTTPSignature{Created: at.Add(v.created)}
		if v.expires != 0 {
			s.Expires = at.Add(v.expires)
		}
		if err := s.Fresh(at.Add(v.now)); (err == nil) != v.fresh {
			t.Errorf("%+v: %v", v, err)
		}
	}
	if err := new(sign.HTTPSignature).Fresh(at); err == nil {
		t.Error("a signature of no time counts")
	}
}

func TestContentDigest(t *testing.T) {
	t.Parallel()
	body := []byte(`{"hello": "world"}`) // RFC 9530, appendix D
	const sha256 = "sha-256=:X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=:"
	if got := sign.ContentDigest(body); got != sha256 {
		t.Errorf("%s", got)
	}
	for value, good := range map[string]bool{
		sha256: true, "md5=:AAAA:, " + sha256: true, "md5=:AAAA:": false, "": false, "sha-256": false,
		"sha-256=X48E9":                          false,
		strings.Replace(sha256, "X48", "X49", 1): false, sha256 + ", sha-512=:AAAA:": false,
		sha256 + ", " + sha256: false, sha256 + "x": false,
	} {
		if err := sign.CheckContentDigest([]string{value}, body); (err == nil) != good {
			t.Errorf("%s: %v", value, err)
		}
	}
	if err := sign.CheckContentDigest(nil, body); err == nil {
		t.Error("no digest fits")
	}
}

func TestSigningParametersThatCannotStandInAHeader(t *testing.T) {
	t.Parallel()
	r, _, key := rampRequest()
	for _, p := range []sign.SigningParameters{{Label: "Agent"}, {Label: "a b"}, {KeyID: "é"}, {KeyID: "a\nb"},
		{Covered: []string{"x-absent"}}} {
		p.Created = time.Unix(1, 0)
		if input, _, err := sign.SignHTTP(r, p, key); err == nil {
			t.Errorf("%+v is signed as %s", p, input)
		}
	}
}

// TestKeyIDsWithQuotationMarksAreReadAsTheyWere holds that what is escaped in a text is read as it
// was before it was written.
func TestKeyIDsWithQuotationMarksAreReadAsTheyWere(t *testing.T) {
	t.Parallel()
	public, private := rfcKeys(t)
	rapid.Check(t, func(t *rapid.T) {
		id := rapid.StringOfN(rapid.RuneFrom([]rune(`\"a ;=()~`)), 0, 40, -1).Draw(t, "id")
		r := rfcRequest()
		input, signature, err := sign.SignHTTP(r,
			sign.SigningParameters{KeyID: id, Created: time.Unix(1773451434, 0), Covered: []string{"@method"}}, private)
		if err != nil {
			t.Fatal(err)
		}
		all, err := sign.ReadHTTPSignatures(http.Header{"Signature-Input": {input}, "Signature": {signature}})
		if err != nil || len(all) != 1 || all[0].KeyID != id || all[0].Verify(public, r) != nil {
			t.Fatalf("%q is read as %+v, %v", id, all, err)
		}
	})
}

// FuzzReadHTTPSignatures holds that nothing panics, and that what is read is written again as it
// came, blanks aside.
func FuzzReadHTTPSignatures(f *testing.F) {
	f.Add(`sig-b26=`+rfcInput, "sig-b26="+rfcSig)
	f.Add(`a=("x" "y";q=?0);created=1;keyid="a\"b";x=:AAAA:;*b=tok/en, b=()`, "a="+rfcSig+", b="+rfcSig)
	f.Add(`a=(`, "a=::")
	public, _ := rfcKeys(f)
	f.Fuzz(func(t *testing.T, input, signature string) {
		r := carrying(rfcRequest(), input, signature)
		all, err := sign.ReadHTTPSignatures(r.Header)
		if err != nil {
			return
		}
		for _, s := range all {
			s.Fresh(time.Unix(1618884473, 0))
			base, err := s.Base(r)
			if err != nil {
				continue
			}
			_, parameters, _ := strings.Cut(string(base), `"@signature-params": `)
			if squeezed := strings.NewReplacer(" ", "", "\t", ""); !strings.Contains(squeezed.Replace(input),
				squeezed.Replace(strings.ReplaceAll(parameters, "=?1", ""))) && !strings.Contains(input, "?1") {
				t.Fatalf("%q is written as %q", input, parameters)
			}
			if s.Verify(public, r) == nil &&
				!slices.Equal(s.Covered, []string{"date", "@method", "@path", "@authority", "content-type",
					"content-length"}) {
				t.Fatalf("%q verifies", input)
			}
		}
	})
}

// TestComponentsWithParameters: what RFC 9421's parameters of components name, and that nothing
// else is taken for it.
func TestComponentsWithParameters(t *testing.T) {
	t.Parallel()
	key := ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))
	r := sign.Request{Method: "GET", Target: "https://a.example/x?q=a%20b&twice=1&twice=2",
		Header: map[string][]string{"Agents": {`one="x", two="y";p`}, "Plain": {"1"}}}
	response := sign.Response{Header: map[string][]string{"Etag": {"e"}}, Request: r}
	for _, row := range []struct {
		m          sign.HTTPMessage
		identifier string
		value      string // empty where it cannot be signed
	}{
		{r, `agents;key="one"`, `"x"`}, {r, `agents;key="two"`, `"y";p`}, {r, `@query-param;name="q"`, "a%20b"},
		{response, `@authority;req`, "a.example"}, {response, `plain;req`, "1"}, {response, `etag`, "e"},
		{r, `agents;key="three"`, ""}, {r, `agents;key=one`, ""}, {r, `agents;sf`, ""}, {r, `plain;bs`, ""},
		{r, `agents;key="one";x`, ""}, {r, `@authority;req`, ""}, {r, `@query-param;name="twice"`, ""},
		{r, `@query-param;name="none"`, ""}, {response, `@authority`, ""}, {response, `etag;req`, ""}, {r, `a b`, ""},
	} {
		p := sign.SigningParameters{KeyID: "k", Created: time.Unix(1, 0), Covered: []string{row.identifier}}
		input, signature, err := sign.SignHTTP(row.m, p, key)
		if row.value == "" {
			if err == nil {
				t.Errorf("%s is signed", row.identifier)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", row.identifier, err)
			continue
		}
		all, err := sign.ReadHTTPSignatures(map[string][]string{"Signature-Input": {input}, "Signature": {signature}})
		if err != nil || len(all) != 1 || !all[0].Covers(row.identifier) || all[0].Verify(key.Public(), row.m) != nil {
			t.Errorf("%s: %+v, %v", row.identifier, all, err)
			continue
		}
		name, parameters, _ := strings.Cut(row.identifier, ";")
		want := fmt.Sprintf("%q;%s: %s\n", name, parameters, row.value)
		if base, err := all[0].Base(row.m); parameters != "" && (err != nil || !strings.HasPrefix(string(base), want)) {
			t.Errorf("%s is signed as %s, %v", row.identifier, base, err)
		}
	}
}
