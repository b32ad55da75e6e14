package app

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"frontdesk/internal/infra/store"
	"frontdesk/internal/ledger"
	"frontdesk/internal/licensing/catalog/push"
	"frontdesk/wire/ramp"
	rampv1 "frontdesk/wire/ramp/v1"
	"frontdesk/wire/sign"
)

// proving is an Exchange of a test whose tenant acme has the domain of a provider that the test
// scripts.
type proving struct {
	*supplied
	domain string
	lists  atomic.Bool // ramp.json names the Exchange
	// at the challenge; nil for the token that was asked for
	answer  atomic.Pointer[func(http.ResponseWriter, *http.Request)]
	visits  atomic.Int64           // at the challenge
	visited atomic.Pointer[string] // by which path last
}

func openProving(t *testing.T) *proving {
	t.Helper()
	p := &proving{}
	p.lists.Store(true)
	provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch token, ok := strings.CutPrefix(r.URL.Path, "/.well-known/ramp-verify/"); {
		case ok:
			p.visits.Add(1)
			path := r.RequestURI
			p.visited.Store(&path)
			if answer := p.answer.Load(); answer != nil {
				(*answer)(w, r)
				return
			}
			fmt.Fprintf(w, "\n %s \r\n", token)
		case r.URL.Path == "/.well-known/ramp.json":
			exchanges := `{"domain":"other.example","relationship":"DIRECT"}`
			if p.lists.Load() {
				exchanges += `,{"domain":"exchange.example.com","relationship":"DIRECT"}`
			}
			fmt.Fprintf(w, `{"ver":"1.0","provider":%q,"exchanges":[%s]}`, p.domain, exchanges)
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(provider.Close)
	p.domain = strings.TrimPrefix(provider.URL, "http://")
	p.supplied = openSupplied(t)
	p.onboard("acme", free, p.domain, "www.acme.example")
	p.onboard("other", free, "www.other.example")
	return p
}

// does scripts what the provider answers with at a challenge; nil for the token.
func (p *proving) does(answer func(http.ResponseWriter, *http.Request)) {
	p.answer.Store(&answer)
	if answer == nil {
		p.answer.Store(nil)
	}
}

// says answers with a status and a text.
func says(status int, text string) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		fmt.Fprint(w, text)
	}
}

// exchange calls an RPC of the ExchangeService as a caller.
func (p *proving) exchange(method, caller string, key ed25519.PrivateKey, message, answer proto.Message) string {
	p.t.Helper()
	body, err := ramp.Marshal(message)
	if err != nil {
		p.t.Fatal(err)
	}
	path := "/ramp.v1.ExchangeService/" + method
	r := posted("POST", path, string(body), "Content-Type", "application/json")
	if key != nil {
		r.Header.Set(sign.HeaderContentDigest, sign.ContentDigest(body))
		input, signature, err := sign.SignHTTP(sign.Request{Method: "POST", Target: marketURL + path, Header: r.Header},
			sign.SigningParameters{KeyID: caller, Created: p.clock.Now()}, key)
		if err != nil {
			p.t.Fatal(err)
		}
		r.Header.Set(sign.HeaderSignatureInput, input)
		r.Header.Set(sign.HeaderSignatureOfHTTP, signature)
	}
	w := send(p, r)
	if w.Code == 200 && answer != nil {
		if err := ramp.Unmarshal(w.Body.Bytes(), answer); err != nil {
			p.t.Fatal(err)
		}
	}
	return fmt.Sprint(w.Code, " ", strings.TrimSpace(w.Body.String()))
}

// ask asks for a challenge of a domain.
func (p *proving) ask(caller, domain string) (*rampv1.DomainVerificationChallenge, string) {
	p.t.Helper()
	given := &rampv1.DomainVerificationChallenge{}
	return given, p.exchange("RequestDomainVerification", caller, supplierKey(caller),
		&rampv1.DomainVerificationRequest{Ver: "1.0", Domain: domain, CallerId: &caller}, given)
}

// confirm has a challenge be looked at, with a key and its cdn_type where they are given.
func (p *proving) confirm(caller, domain, token string, key ...string) (*rampv1.DomainVerificationResult, string) {
	p.t.Helper()
	m := &rampv1.DomainVerificationConfirmation{Ver: "1.0", Domain: domain, Token: token}
	if len(key) == 2 {
		m.SigningKey, m.CdnType = &key[0], &key[1]
	}
	result := &rampv1.DomainVerificationResult{}
	return result, p.exchange("ConfirmDomainVerification", caller, supplierKey(caller), m, result)
}

// token is that of a fresh challenge.
func (p *proving) token() string {
	p.t.Helper()
	given, told := p.ask("acme", p.domain)
	if given.Token == "" {
		p.t.Fatal(told)
	}
	return given.Token
}

// verify verifies the provider's domain, and gives the result.
func (p *proving) verify(key ...string) *rampv1.DomainVerificationResult {
	p.t.Helper()
	result, told := p.confirm("acme", p.domain, p.token(), key...)
	if !result.Verified {
		p.t.Fatal(told)
	}
	return result
}

const hexKey = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"

func TestADomainIsVerifiedByTokenAndManifest(t *testing.T) {
	t.Parallel()
	p := openProving(t)
	given, told := p.ask("acme", p.domain)
	if given.VerificationUrl != "http://"+p.domain+"/.well-known/ramp-verify/"+given.Token || len(given.Token) != 43 ||
		!given.ExpiresAt.AsTime().Equal(p.clock.Now().Add(10*time.Minute)) {
		t.Fatal(told)
	}
	result, told := p.confirm("acme", p.domain, given.Token)
	if !result.Verified || result.KeyId != nil || result.FailureReason != nil ||
		!result.ValidUntil.AsTime().Equal(p.clock.Now().Add(90*24*time.Hour)) {
		t.Fatal(told)
	}
	if at := *p.visited.Load(); at != "/.well-known/ramp-verify/"+given.Token || p.visits.Load() != 1 {
		t.Errorf("the provider was asked %d times, last at %s", p.visits.Load(), at)
	}
	// A token is good once.
	if result, told := p.confirm("acme", p.domain, given.Token); result.Verified ||
		!strings.HasPrefix(result.GetFailureReason(), "TOKEN_USED: ") || p.visits.Load() != 1 {
		t.Error(told)
	}
	// JSON will do, too.
	p.does(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, `{"token": %q, "more": 1}`, strings.TrimPrefix(r.URL.Path, "/.well-known/ramp-verify/"))
	})
	p.verify()
	// One of the two is not enough, and what was not verified before stays as it was.
	p.admin("DELETE", "/admin/domains/"+p.domain, "", 200)
	p.lists.Store(false)
	if result, told := p.confirm("acme", p.domain, p.token()); result.Verified ||
		!strings.HasPrefix(result.GetFailureReason(), "EXCHANGE_NOT_LISTED: ") || !strings.Contains(told, "exchange") {
		t.Error(told)
	}
	p.lists.Store(true)
	for reason, answer := range map[string]func(http.ResponseWriter, *http.Request){
		"CHALLENGE_STATUS":    says(404, "no"),
		"CHALLENGE_DIFFERS":   says(200, "another token"),
		"CHALLENGE_TOO_LARGE": func(w http.ResponseWriter, _ *http.Request) { w.Write(make([]byte, 10<<20)) },
		"CHALLENGE_REDIRECTS": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://"+p.provider()+"/x", http.StatusFound)
		},
		"CHALLENGE_UNREACHABLE": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", "43")
			fmt.Fprint(w, "cut")
			panic(http.ErrAbortHandler)
		},
	} {
		p.does(answer)
		if result, told := p.confirm("acme", p.domain, p.token()); result.Verified ||
			!strings.HasPrefix(result.GetFailureReason(), reason+": ") || strings.Contains(told, "127.0.0.1:0") {
			t.Errorf("%s: %s", reason, told)
		}
	}
	// A status beside 200 is none, although the token is there.
	p.does(func(w http.ResponseWriter, r *http.Request) {
		says(201, strings.TrimPrefix(r.URL.Path, "/.well-known/ramp-verify/"))(w, r)
	})
	if result, told := p.confirm("acme", p.domain, p.token()); result.Verified {
		t.Error(told)
	}
	if told := p.admin("GET", "/admin/domains/"+p.domain, "", 200); !strings.Contains(told, `"state":"unverified"`) {
		t.Error(told)
	}
	if told := p.admin("GET", "/admin/domains/"+p.domain+"/challenges", "", 200); strings.Count(told,
		`"state":"verified"`) != 2 || !strings.Contains(told, `"state":"CHALLENGE_TOO_LARGE"`) || strings.Contains(told, given.Token) {
		t.Error(told)
	}
}

func TestOnlyTheCallerOfATenantMayVerifyItsDomains(t *testing.T) {
	t.Parallel()
	p := openProving(t)
	p.caller("helper", "helper.example", "acme")
	p.caller("own", "", "own")
	acme := "acme"
	for name, c := range map[string]struct {
		caller string
		key    ed25519.PrivateKey
		domain string
		says   string
	}{
		"nobody":                    {"acme", nil, p.domain, `401 {"code":"unauthenticated"`},
		"another's key":             {"acme", supplierKey("other"), p.domain, `401 {"code":"unauthenticated"`},
		"another tenant":            {"other", supplierKey("other"), p.domain, `403 {"code":"permission_denied"`},
		"a contributor":             {"helper", supplierKey("helper"), p.domain, `403 {"code":"permission_denied"`},
		"a domain that is nobody's": {"acme", supplierKey("acme"), "www.cats.example", `403 {"code":"permission_denied"`},
		"a site's domain":           {"acme", supplierKey("acme"), "own.example", `403 {"code":"permission_denied"`},
		"capitals":                  {"acme", supplierKey("acme"), "WWW.acme.example", `400 {"code":"invalid_argument"`},
		"another script":            {"acme", supplierKey("acme"), "www.ácme.example", `400 {"code":"invalid_argument"`},
		"a port":                    {"acme", supplierKey("acme"), "www.acme.example:443", `400 {"code":"invalid_argument"`},
		"a dot at the end":          {"acme", supplierKey("acme"), "www.acme.example.", `400 {"code":"invalid_argument"`},
		"a path":                    {"acme", supplierKey("acme"), "www.acme.example/x", `400 {"code":"invalid_argument"`},
		"a user":                    {"acme", supplierKey("acme"), "x@www.acme.example", `400 {"code":"invalid_argument"`},
		"nothing":                   {"acme", supplierKey("acme"), "", `400 {"code":"invalid_argument"`},
		"the caller":                {"acme", supplierKey("acme"), "www.acme.example", `200 {`},
		"a site's caller":           {"own", supplierKey("own"), "own.example", `200 {`},
	} {
		got := p.exchange("RequestDomainVerification", c.caller, c.key,
			&rampv1.DomainVerificationRequest{Ver: "1.0", Domain: c.domain}, nil)
		if !strings.HasPrefix(got, c.says) {
			t.Errorf("%s: %s, want %s", name, got, c.says)
		}
	}
	if got := p.exchange("RequestDomainVerification", "other", supplierKey("other"),
		&rampv1.DomainVerificationRequest{Ver: "1.0", Domain: "www.other.example", CallerId: &acme},
		nil); !strings.HasPrefix(got, "401") {
		t.Errorf("in another's name: %s", got)
	}
	// Another's token, and one for another domain, prove nothing, are told alike, and are not used
	// up by that.
	token := p.token()
	unknown, _ := p.confirm("acme", p.domain, strings.Repeat("A", 43))
	if !strings.HasPrefix(unknown.GetFailureReason(), "TOKEN_UNKNOWN: ") {
		t.Error(unknown)
	}
	// what is told alone is not taken
	p.admin("POST", "/admin/callers", strings.Replace(p.admin("GET", "/admin/callers/other", "", 200), `["other"]`, `["other","acme"]`, 1), 422)
	p.admin("DELETE", "/admin/callers/other", "", 200)
	p.caller("second", "", "acme")
	for name, got := range map[string]func() (*rampv1.DomainVerificationResult, string){
		"another caller's": func() (*rampv1.DomainVerificationResult, string) {
			return p.confirm("second", p.domain, token)
		},
		"another domain's": func() (*rampv1.DomainVerificationResult, string) {
			return p.confirm("acme", "www.acme.example", token)
		},
	} {
		if result, told := got(); result.GetFailureReason() != unknown.GetFailureReason() {
			t.Errorf("%s: %s", name, told)
		}
	}
	if result, told := p.confirm("acme", p.domain, token); !result.Verified {
		t.Error(told)
	}
	// A token ends after ten minutes, to the moment.
	p.clock.Advance(time.Hour)
	early, late := p.token(), p.token()
	p.clock.Advance(10*time.Minute - time.Microsecond)
	if result, told := p.confirm("acme", p.domain, early); !result.Verified {
		t.Error(told)
	}
	p.clock.Advance(time.Microsecond)
	if result, told := p.confirm("acme", p.domain, late); !strings.HasPrefix(result.GetFailureReason(),
		"TOKEN_EXPIRED: ") {
		t.Error(told)
	}
}

func TestChallengesAreLimited(t *testing.T) {
	t.Parallel()
	p := openProving(t)
	for range push.MaxChallengesPerDomain {
		p.token()
	}
	if _, told := p.ask("acme", p.domain); !strings.HasPrefix(told, `429 {"code":"resource_exhausted"`) {
		t.Error(told)
	}
	if given, told := p.ask("acme", "www.acme.example"); given.Token == "" {
		t.Error(told)
	}
	p.clock.Advance(push.ChallengeLife)
	p.token()
}

func TestOfManyConfirmationsOneWins(t *testing.T) {
	t.Parallel()
	p := openProving(t)
	token := p.token()
	var won, used atomic.Int64
	var all sync.WaitGroup
	for range 64 {
		all.Go(func() {
			switch result, told := p.confirm("acme", p.domain, token, hexKey, "hmac"); {
			case result.Verified:
				won.Add(1)
			case strings.HasPrefix(result.GetFailureReason(), "TOKEN_USED"):
				used.Add(1)
			default:
				t.Error(told)
			}
		})
	}
	all.Wait()
	if won.Load() != 1 || used.Load() != 63 || p.visits.Load() != 1 {
		t.Errorf("%d were verified, %d were told that it is used, and the provider was asked %d times", won.Load(),
			used.Load(), p.visits.Load())
	}
	if keys, err := p.Deliveries.List(t.Context()); err != nil || len(keys) != 1 {
		t.Errorf("%v, %v", keys, err)
	}
}

func TestARegisteredKeySignsWhatIsSoldAtItsDomain(t *testing.T) {
	t.Parallel()
	p := openProving(t)
	uri := "https://www.acme.example/a"
	local := "http://" + p.domain + "/a"
	if got := p.push("acme", "acme", entryAt("www.acme.example", "/a"), entryAt(p.domain, "/a")); got != `{"accepted":2,"rejected":0}` {
		t.Fatal(got)
	}
	for name, key := range map[string][]string{
		"no cdn_type": {hexKey, ""}, "another cdn_type": {hexKey, "cdn77"}, "no hex": {"not hex at all", "hmac"},
		"half a byte": {hexKey + "0", "akamai"}, "too short": {"0001", "fastly"},
		"hex for cloudfront": {hexKey, "cloudfront"}, "ed25519": {hexKey, "ed25519"},
	} {
		token := p.token()
		if _, told := p.confirm("acme", p.domain, token, key...); !strings.HasPrefix(told,
			`400 {"code":"invalid_argument"`) || strings.Contains(told, hexKey) {
			t.Errorf("%s: %s", name, told)
		}
		p.clock.Advance(push.ChallengeLife)
	}
	first := p.verify(hexKey, "hmac")
	if first.GetKeyId() != "k-"+p.clock.Now().Format(time.DateOnly)+"-hmac" ||
		!first.ValidUntil.AsTime().Equal(p.clock.Now().Add(90*24*time.Hour)) {
		t.Fatal(first)
	}
	// What is at the domain is signed with it there, and what is at another domain of the tenant's
	// as before.
	if at := p.bought(local, "t1"); !strings.HasPrefix(at, local+"?") || !p.opens(hexKey, at) {
		t.Error(at)
	}
	if at := p.bought(uri, "t2"); !strings.HasPrefix(at, "https://cdn.acme.example/a?") ||
		!strings.Contains(at, "kid=") {
		t.Error(at)
	}
	// Registered again, it is the one that there is, and its end the deadline.
	p.clock.Advance(24 * time.Hour)
	if again := p.verify(hexKey, "hmac"); again.GetKeyId() != first.GetKeyId() ||
		!again.ValidUntil.AsTime().Equal(first.ValidUntil.AsTime()) {
		t.Error(again)
	}
	if without := p.verify(); without.GetKeyId() != first.GetKeyId() ||
		!without.ValidUntil.AsTime().Equal(first.ValidUntil.AsTime()) {
		t.Error(without)
	}
	// Another follows it; the old one is not taken again.
	other := strings.ToUpper(strings.Repeat("ab", 32))
	second := p.verify(other, "hmac")
	if at := p.bought(local, "t3"); p.opens(hexKey, at) || !p.opens(other, at) {
		t.Error(at)
	}
	if result, told := p.confirm("acme", p.domain, p.token(), hexKey, "hmac"); result.Verified ||
		!strings.HasPrefix(result.GetFailureReason(), "KEY_REFUSED: ") {
		t.Error(told)
	}
	if told := p.admin("GET", "/admin/domains?state=verified", "", 200); !strings.Contains(told,
		`"key_id":"`+second.GetKeyId()+`"`) || !strings.Contains(told, `"cdn_type":"hmac"`) {
		t.Error(told)
	}
	// Nothing of a key is in the log or the ledger.
	for _, secret := range []string{hexKey, strings.ToLower(other)} {
		if strings.Contains(strings.ToLower(p.log.String()), secret) {
			t.Error("the log tells a key")
		}
	}
}

// bought buys what is free at an address, and gives where it is fetched.
func (p *proving) bought(uri, id string) string {
	p.t.Helper()
	offer := p.offered(uri)
	if offer == nil {
		p.t.Fatalf("%s is not offered", uri)
	}
	answer := &rampv1.TransactionResponse{}
	told := p.exchange("ExecuteTransaction", "", nil, &rampv1.TransactionRequest{
		Ver: "1.0", Id: id, OfferId: &offer.OfferId, OfferSignature: &offer.ExchangeSignature,
		Requester: &rampv1.Requester{Id: "bot", Domain: "buyer.example", Uris: []string{uri}},
	}, answer)
	at := answer.GetPackage().GetRetrieval().GetEndpoint()
	if at == "" {
		p.t.Fatal(told)
	}
	return at
}

// opens says whether an address is signed by hmac with a key.
func (p *proving) opens(key, address string) bool {
	p.t.Helper()
	secret, err := hex.DecodeString(key)
	if err != nil {
		p.t.Fatal(err)
	}
	_, _, _, err = sign.URLKeys{Origin: "http://" + p.domain,
		Keys: []sign.URLKey{{Form: sign.URLHMAC, Secret: secret}}}.Open(address, p.clock.Now())
	return err == nil
}

func TestAKeyOfCloudFrontGoesByItsName(t *testing.T) {
	t.Parallel()
	p := openProving(t)
	if got := p.push("acme", "acme", entryAt(p.domain, "/a")); got != `{"accepted":1,"rejected":0}` {
		t.Fatal(got)
	}
	key := func(headers map[string]string) string {
		private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		text, err := x509.MarshalPKCS8PrivateKey(private)
		if err != nil {
			t.Fatal(err)
		}
		return string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Headers: headers, Bytes: text}))
	}
	result := p.verify(key(nil), "cloudfront")
	if id := result.GetKeyId(); id != "k-"+p.clock.Now().Format(time.DateOnly)+"-cf" ||
		!strings.Contains(p.bought("http://"+p.domain+"/a", "t1"), "Key-Pair-Id="+id) {
		t.Error(result)
	}
	result = p.verify(key(map[string]string{"Key-Pair-Id": "K2JCJMDEHXQW5F"}), "cloudfront")
	if id := result.GetKeyId(); id != "k-"+p.clock.Now().Format(time.DateOnly)+"-cf-2" ||
		!strings.Contains(p.bought("http://"+p.domain+"/a", "t2"), "Key-Pair-Id=K2JCJMDEHXQW5F") {
		t.Error(result)
	}
	if _, told := p.confirm("acme", p.domain, p.token(), key(map[string]string{"Key-Pair-Id": "a b"}),
		"cloudfront"); !strings.HasPrefix(told, "400 ") {
		t.Error(told)
	}
}

func TestADomainLapsesAndComesBack(t *testing.T) {
	t.Parallel()
	p := openProving(t)
	local := "http://" + p.domain + "/a"
	if got := p.push("acme", "acme", entryAt(p.domain, "/a"), entryAt("www.acme.example", "/a")); got != `{"accepted":2,"rejected":0}` {
		t.Fatal(got)
	}
	p.verify(hexKey, "hmac")
	state := func(want string) {
		t.Helper()
		if err := p.App.exchange.lookDomains(t.Context()); err != nil {
			t.Fatal(err)
		}
		told := p.admin("GET", "/admin/domains/"+p.domain, "", 200)
		if !strings.Contains(told, want) || (p.offered(local) != nil) != strings.Contains(want, `"verified"`) {
			t.Errorf("%s, want %s", told, want)
		}
		if p.offered("https://www.acme.example/a") == nil {
			t.Error("what is at another domain is not offered any more")
		}
	}
	p.lists.Store(false)
	state(`"state":"verified"`) // it was looked at just before
	p.clock.Advance(time.Hour)
	state(`"state":"lapsed","reason":"NOT_LISTED"`)
	p.lists.Store(true)
	p.clock.Advance(time.Hour)
	state(`"state":"verified"`)
	p.clock.Advance(87 * 24 * time.Hour)
	state(`"state":"verified"`)
	if !strings.Contains(p.log.String(), "the verification of the domain ends soon") {
		t.Error("nobody is told that the verification ends soon")
	}
	p.clock.Advance(4 * 24 * time.Hour)
	state(`"state":"lapsed","reason":"OVER"`)
	if !strings.Contains(p.log.String(), "the verification of the domain has lapsed, so that nothing at it is sold") {
		t.Error("nobody is told that the verification has lapsed")
	}
	p.verify(strings.Repeat("cd", 32), "hmac")
	state(`"state":"verified"`)
}

func TestASilentDomainLapsesAfterADay(t *testing.T) {
	t.Parallel()
	p := openProving(t)
	p.verify()
	due, err := p.Tenants.Due(t.Context(), 0, 10)
	if err != nil || len(due) != 1 {
		t.Fatal(due, err)
	}
	look := func() string {
		t.Helper()
		d, _, err := p.Tenants.RecordCheck(t.Context(), due[0], push.ManifestUnreachable, domainSilent)
		if err != nil {
			t.Fatal(err)
		}
		return d.Status + d.Reason
	}
	p.clock.Advance(domainSilent - time.Second)
	if got := look(); got != push.DomainVerified {
		t.Error(got)
	}
	p.clock.Advance(time.Second)
	if got := look(); got != push.DomainLapsed+push.LapsedSilent {
		t.Error(got)
	}
}

func TestOnlyVerifiedDomainsSellWhereThatIsAsked(t *testing.T) {
	t.Parallel()
	p := openProving(t)
	p.config.RAMP.VerifiedOnly = true
	local := "http://" + p.domain + "/a"
	if got := p.push("acme", "acme", entryAt(p.domain, "/a")); got != `{"accepted":1,"rejected":0}` {
		t.Fatal(got)
	}
	if p.offered(local) != nil {
		t.Error("what is at a domain that is not verified is offered")
	}
	p.verify()
	if p.offered(local) == nil {
		t.Error("what is at a domain that is verified is not offered")
	}
}

func TestTheLedgerTellsOfDomains(t *testing.T) {
	t.Parallel()
	p := openProving(t)
	p.verify(hexKey, "hmac")
	p.does(says(404, ""))
	p.confirm("acme", p.domain, p.token())
	p.admin("DELETE", "/admin/domains/"+p.domain, "", 200)
	var told strings.Builder
	for _, kind := range []string{"domain", "key"} {
		for r, err := range p.Ledger.Read(t.Context(), ledger.Filter{Kind: kind}) {
			if err != nil {
				t.Fatal(err)
			}
			text, err := json.Marshal(r.Entry)
			if err != nil {
				t.Fatal(err)
			}
			told.Write(text)
		}
	}
	if told.Len() == 0 && p.db.Engine() != store.SQLite {
		return // it is read once it has its place, by a server that runs
	}
	for _, want := range []string{`"did":"verified"`, `"did":"refused"`, `"reason":"CHALLENGE_STATUS"`, `"did":"forgotten"`, `"kind":"domain"`, `"party":"caller:acme"`, `"key":"k-`, `"kind":"key"`} {
		if !strings.Contains(told.String(), want) {
			t.Errorf("the ledger has no %s", want)
		}
	}
	if strings.Contains(told.String(), "ramp-verify") || strings.Contains(told.String(), hexKey) ||
		strings.Contains(told.String(), "://") {
		t.Error("the ledger has an address, or a key")
	}
}
