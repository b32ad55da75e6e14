package app

import (
	apphttp "frontdesk/internal/app/http"

	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"frontdesk/internal/content"
	"frontdesk/internal/identity"
	"frontdesk/internal/testkit/storetest"
)

// with sets headers of a request: name, value, name, value.
func with(r *http.Request, headers ...string) *http.Request {
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	return r
}

// calling makes a request come from an address.
func calling(address string, r *http.Request) *http.Request {
	r.RemoteAddr = address
	return r
}

func makeKey(t *testing.T, s *App, key identity.Key) (text, id string) {
	t.Helper()
	text, made, err := s.Keys.Create(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	return text, made.ID
}

func TestClosedDoorOpensToAKeyAlone(t *testing.T) {
	t.Parallel()
	hash := identity.Hash("a key of the configuration")
	s, log := open(t, "auth: {required: [ask, mcp], keys: [{name: fixed, hash: '"+hash+"'}, {name: elsewhere, hash: '"+
		identity.Hash("elsewhere")+"', scopes: [mcp]}]}")
	key, id := makeKey(t, s, identity.Key{Name: "Partner", Scopes: []string{"ask"}})
	legacy := httptest.NewRequest("GET", "/ask?query=soup", nil)
	for name, c := range map[string]struct {
		request   *http.Request
		status    int
		code      string
		challenge string
	}{
		"no credential":               {asking("soup"), 401, "UNAUTHORIZED", `Bearer realm="frontdesk"`},
		"no credential, flat dialect": {legacy, 401, "UNAUTHORIZED", `Bearer realm="frontdesk"`},
		"another scheme":              {with(asking("soup"), "Authorization", "Basic eDp5"), 401, "UNAUTHORIZED", `Bearer realm="frontdesk"`},
		"wrong bearer":                {with(asking("soup"), "Authorization", "Bearer wrong"), 401, "UNAUTHORIZED", `Bearer realm="frontdesk", error="invalid_token"`},
		"wrong key": {with(asking("soup"), "X-API-Key", key[:len(key)-1]+"_"), 401, "UNAUTHORIZED",
			`Bearer realm="frontdesk", error="invalid_token"`},
		"key for another door": {with(asking("soup"), "X-API-Key", "elsewhere"), 403, "FORBIDDEN", `Bearer realm="frontdesk", error="insufficient_scope"`},
		"the key":              {with(asking("soup"), "X-API-Key", key), 200, "", ""},
		"the key as bearer":    {with(asking("soup"), "Authorization", "Bearer "+key), 200, "", ""},
		"the configuration's": {
			with(asking("soup"), "Authorization", "bearer a key of the configuration"), 200, "", "",
		},
		"how to ask": {httptest.NewRequest("GET", "/ask", nil), 200, "", ""},
		"how to ask, with a wrong key": {with(httptest.NewRequest("GET", "/ask", nil), "X-API-Key", "fd_wrong"), 401,
			"UNAUTHORIZED", `Bearer realm="frontdesk", error="invalid_token"`},
		"a preflight": {httptest.NewRequest("OPTIONS", "/ask", nil), 204, "", ""},
		"a probe":     {httptest.NewRequest("GET", "/healthz", nil), 200, "", ""},
	} {
		w := send(s, c.request)
		if w.Code != c.status || w.Header().Get("WWW-Authenticate") != c.challenge {
			t.Errorf("%s: %d %q %s", name, w.Code, w.Header().Get("WWW-Authenticate"), w.Body)
		}
		if c.status == 204 {
			continue
		}
		e := read(t, w)
		if e.Error.Code != c.code || (c.code != "") != (e.Meta.ResponseType == "failure") ||
			c.code != "" && strings.Contains(w.Body.String(), "example.com/soup") {
			t.Errorf("%s: %s", name, w.Body)
		}
		if w.Header().Get("Access-Control-Allow-Origin") == "" && strings.HasPrefix(c.request.URL.Path, "/ask") {
			t.Errorf("%s: a page cannot read why", name)
		}
	}
	if !strings.Contains(log.String(), `"party":"key:`+id+`"`) || strings.Contains(log.String(), key) ||
		strings.Contains(log.String(), "a key of the configuration") {
		t.Errorf("the log names the wrong things: %s", log)
	}
}

func TestOpenDoorDoesNotMindForeignCredentials(t *testing.T) {
	t.Parallel()
	s, _ := open(t, "")
	if w := send(s, with(asking("soup"), "Authorization", "Bearer of-somebody-else")); w.Code != 200 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	key, id := makeKey(t, s, identity.Key{Name: "Partner"})
	if w := send(s, with(asking("soup"), "X-API-Key", key)); w.Code != 200 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	s, _ = open(t, "")
	if w := send(s, with(asking("soup"), "X-API-Key", key)); w.Code != 401 {
		t.Errorf("a key that another front desk gave out (%s): %d %s", id, w.Code, w.Body)
	}
	s, _ = open(t, "auth: {required: [ask, mcp]}", func(o *Options) { o.Inside = true })
	if w := send(s, asking("soup")); w.Code != 200 {
		t.Errorf("the owner's own question: %d %s", w.Code, w.Body)
	}
}

// authority is an authorization server: its keys at a real address, and tokens that they sign.
func authority(t *testing.T) (address string, token func(audience, scope string) string, fetches *atomic.Int32) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	fetches = new(atomic.Int32)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fetches.Add(1)
		json.NewEncoder(w).Encode(
			jose.JSONWebKeySet{
				Keys: []jose.JSONWebKey{{Key: &key.PublicKey, KeyID: "1", Use: "sig", Algorithm: "ES256"}},
			})
	}))
	t.Cleanup(server.Close)
	return server.URL, func(audience, scope string) string {
		signer, err := jose.NewSigner(
			jose.SigningKey{Algorithm: jose.ES256, Key: jose.JSONWebKey{Key: key, KeyID: "1"}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		text, err := jwt.Signed(signer).Claims(map[string]any{
			"iss": server.URL, "aud": audience, "sub": "somebody@example.com", "exp": time.Now().Add(time.Hour).Unix(),
			"scope": scope,
		}).Serialize()
		if err != nil {
			t.Fatal(err)
		}
		return text
	}, fetches
}

// TestTokenIsFoundByFollowingTheChallenge goes the way of a client that knows nothing but the
// address: refused, it follows the challenge to the metadata, finds the authorization server there,
// and comes back with a token of it.
func TestTokenIsFoundByFollowingTheChallenge(t *testing.T) {
	t.Parallel()
	issuer, token, fetches := authority(t)
	s, log := open(t, `{url: "https://www.example.com/desk", auth: {required: [ask, mcp], oauth: {issuer: "`+issuer+`", jwks: "`+issuer+`/keys", scopes: [frontdesk.ask]}}}`)
	w := send(s, asking("soup"))
	challenge := w.Header().Get("WWW-Authenticate")
	const metadata = "https://www.example.com/desk/.well-known/oauth-protected-resource/ask"
	if w.Code != 401 || challenge != `Bearer realm="frontdesk", scope="frontdesk.ask", resource_metadata="`+metadata+`"` {
		t.Fatalf("%d %s", w.Code, challenge)
	}
	for path, resource := range map[string]string{
		metadata: "https://www.example.com/desk/ask",
		"https://www.example.com/desk/.well-known/oauth-protected-resource/mcp": "https://www.example.com/desk/mcp",
		"https://www.example.com/.well-known/oauth-protected-resource/desk/mcp": "https://www.example.com/desk/mcp",
		"https://www.example.com/desk/.well-known/oauth-protected-resource":     "https://www.example.com/desk",
	} {
		w = send(s, httptest.NewRequest("GET", path, nil))
		var found struct {
			Resource string
			Servers  []string `json:"authorization_servers"`
			Scopes   []string `json:"scopes_supported"`
			Methods  []string `json:"bearer_methods_supported"`
		}
		if err := json.Unmarshal(w.Body.Bytes(), &found); err != nil || w.Code != 200 ||
			w.Header().Get("Content-Type") != "application/json" {
			t.Fatalf("%s: %d %v %s", path, w.Code, err, w.Body)
		}
		if found.Resource != resource || fmt.Sprint(found.Servers, found.Scopes,
			found.Methods) != fmt.Sprintf("[%s] [frontdesk.ask] [header]", issuer) {
			t.Errorf("%s: %s", path, w.Body)
		}
	}
	for name, c := range map[string]struct {
		audience, scope string
		status          int
		says            string
	}{
		"for the door":       {"https://www.example.com/desk/ask", "frontdesk.ask other", 200, ""},
		"for the front desk": {"https://www.example.com/desk", "frontdesk.ask", 200, ""},
		"for somebody else":  {"https://other.example", "frontdesk.ask", 401, `error="invalid_token"`},
		"without the scope":  {"https://www.example.com/desk", "other", 403, `error="insufficient_scope", scope="frontdesk.ask"`},
	} {
		w := send(s, with(asking("soup"), "Authorization", "Bearer "+token(c.audience, c.scope)))
		if w.Code != c.status || !strings.Contains(w.Header().Get("WWW-Authenticate"), c.says) {
			t.Errorf("%s: %d %s %s", name, w.Code, w.Header().Get("WWW-Authenticate"), w.Body)
		}
	}
	if fetches.Load() != 1 {
		t.Errorf("the keys were fetched %d times", fetches.Load())
	}
	if strings.Contains(log.String(), "somebody@") || !strings.Contains(log.String(), `"party":"token"`) {
		t.Errorf("the log names a person, or no party: %s", log)
	}
}

func TestWithoutOAuthThereIsNoMetadata(t *testing.T) {
	t.Parallel()
	s, _ := open(t, "auth: {required: [ask, mcp]}")
	if w := send(s, httptest.NewRequest("GET", apphttp.ResourcePath, nil)); w.Code != 404 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// limitsOf are the fields that tell a client what is left.
func limitsOf(w *httptest.ResponseRecorder) string {
	h := w.Header()
	return fmt.Sprintf("%s/%s reset %s; %s; %s", h.Get("RateLimit-Remaining"), h.Get("RateLimit-Limit"),
		h.Get("RateLimit-Reset"), h.Get("RateLimit-Policy"), h.Get("RateLimit"))
}

// fixedClock is a clock that a test sets.
type fixedClock struct{ nanos atomic.Int64 }

func newFixedClock() *fixedClock {
	c := &fixedClock{}
	c.nanos.Store(time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC).UnixNano())
	return c
}

func (c *fixedClock) set(o *Options) {
	o.Now = func() time.Time { return time.Unix(0, c.nanos.Load()) }
}
func (c *fixedClock) advance(d time.Duration) { c.nanos.Add(int64(d)) }

func TestAddressIsToldItsLimitAndThenRefused(t *testing.T) {
	t.Parallel()
	c := newFixedClock()
	s, _ := open(t, "limits: {rate: {address: 2/1m}}", c.set)
	const one = "192.0.2.1:1234"
	if got := limitsOf(send(s, calling(one, asking("soup")))); got != `1/2 reset 30; "address";q=2;w=60; "address";r=1;t=30` {
		t.Error(got)
	}
	if got := limitsOf(send(s, calling(one, asking("nothing of the kind")))); got != `0/2 reset 60; "address";q=2;w=60; "address";r=0;t=60` {
		t.Error(got)
	}
	c.advance(10 * time.Second)
	w := send(s, with(calling(one, asking("soup")), "Origin", "https://page.example", "Accept", "text/event-stream"))
	e := read(t, w)
	if w.Code != 429 || e.Error.Code != "RATE_LIMITED" || w.Header().Get("Retry-After") != "20" ||
		!strings.Contains(e.Error.Message, "2 requests in 1m") || !strings.Contains(e.Error.Message, "20 seconds") {
		t.Errorf("%d %v %s", w.Code, w.Header(), w.Body)
	}
	if got := limitsOf(w); got != `0/2 reset 50; "address";q=2;w=60; "address";r=0;t=50` {
		t.Error(got)
	}
	if exposed := w.Header().Get("Access-Control-Expose-Headers"); w.Header().Get("Access-Control-Allow-Origin") !=
		"*" || !strings.Contains(exposed, "RateLimit-Remaining") || !strings.Contains(exposed, "Retry-After") {
		t.Errorf("a page cannot read it: %v", w.Header())
	}
	for name, other := range map[string]*http.Request{
		"another address": calling("192.0.2.2:1", asking("soup")),
		"a probe":         calling(one, httptest.NewRequest("GET", "/healthz", nil)),
		"a preflight":     calling(one, httptest.NewRequest("OPTIONS", "/ask", nil)),
		"a page":          calling(one, httptest.NewRequest("GET", "/", nil)),
	} {
		if w := send(s, other); w.Code >= 400 {
			t.Errorf("%s: %d %s", name, w.Code, w.Body)
		}
	}
	c.advance(20 * time.Second)
	if w := send(s, calling(one, asking("soup"))); w.Code != 200 {
		t.Errorf("after Retry-After: %d %s", w.Code, w.Body)
	}
}

func TestWithoutALimitNothingIsTold(t *testing.T) {
	t.Parallel()
	s, _ := open(t, "")
	for range 200 {
		w := send(s, asking("soup"))
		if h := w.Header(); w.Code != 200 || h.Get("RateLimit-Limit")+h.Get("RateLimit") != "" {
			t.Fatalf("%d %v", w.Code, h)
		}
	}
}

func TestAddressesThatOneClientCanChooseCountAsOne(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		config, one, two string
		headers          [2]string
		same             bool
	}{
		"other ports":            {"", "192.0.2.1:1", "192.0.2.1:2", [2]string{}, true},
		"a network of IPv6":      {"", "[2001:db8:0:1::1]:1", "[2001:db8:0:1:ffff::2]:1", [2]string{}, true},
		"other networks of IPv6": {"", "[2001:db8:0:1::1]:1", "[2001:db8:0:2::1]:1", [2]string{}, false},
		"IPv4 within IPv6":       {"", "192.0.2.1:1", "[::ffff:192.0.2.1]:1", [2]string{}, true},
		"neighbours of IPv4":     {"", "[::ffff:192.0.2.1]:1", "[::ffff:192.0.2.2]:1", [2]string{}, false},
		"claims without a proxy": {
			"", "192.0.2.1:1", "192.0.2.1:1", [2]string{"198.51.100.1", "198.51.100.2"}, true,
		},
		"clients behind a proxy": {
			"proxies: [192.0.2.1]\n", "192.0.2.1:1", "192.0.2.1:1", [2]string{"198.51.100.1", "198.51.100.2"}, false,
		},
		"a client that claims to be two": {"proxies: [192.0.2.1]\n", "192.0.2.1:1", "192.0.2.1:1",
			[2]string{"1.1.1.1, 198.51.100.1", "2.2.2.2, 198.51.100.1"}, true},
	} {
		s, _ := open(t, c.config+"limits: {rate: {address: 1/1h}}")
		var codes [2]int
		for i, address := range []string{c.one, c.two} {
			r := calling(address, asking("soup"))
			if c.headers[i] != "" {
				r.Header.Set("X-Forwarded-For", c.headers[i])
			}
			codes[i] = send(s, r).Code
		}
		if want := map[bool]int{true: 429, false: 200}[c.same]; codes != [2]int{200, want} {
			t.Errorf("%s: %v", name, codes)
		}
	}
}

func TestKeyHasALimitOfItsOwn(t *testing.T) {
	t.Parallel()
	s, _ := open(t, "limits: {rate: {address: 1/1h, key: 2/1h, failures: ''}}")
	plain, _ := makeKey(t, s, identity.Key{Name: "Plain"})
	large, _ := makeKey(t, s, identity.Key{Name: "Large", Rate: "3/1h burst 3"})
	for name, c := range map[string]struct {
		headers []string
		allowed int
	}{
		"a stranger": {nil, 1}, "a key": {[]string{"X-API-Key", plain}, 2},
		"a key with its own rate": {[]string{"Authorization", "Bearer " + large}, 3},
	} {
		for i := range 5 {
			w := send(s, with(calling("192.0.2.1:1", asking("soup")), c.headers...))
			if want := map[bool]int{true: 200, false: 429}[i < c.allowed]; w.Code != want ||
				w.Header().Get("RateLimit-Limit") != fmt.Sprint(c.allowed) {
				t.Errorf("%s, request %d: %d %s", name, i, w.Code, limitsOf(w))
			}
		}
	}
}

func TestWrongCredentialsAreNotTriedWithoutEnd(t *testing.T) {
	t.Parallel()
	c := newFixedClock()
	s, _ := open(t, "{auth: {required: [ask, mcp]}, limits: {rate: {failures: 3/1m}}}", c.set)
	key, _ := makeKey(t, s, identity.Key{Name: "Partner"})
	for i := range 5 {
		w := send(s, with(calling("192.0.2.1:1", asking("soup")), "X-API-Key", fmt.Sprint("guess", i)))
		if want := map[bool]int{true: 401, false: 429}[i < 3]; w.Code != want {
			t.Errorf("guess %d: %d %s", i, w.Code, w.Body)
		}
	}
	if w := send(s, with(calling("192.0.2.1:1", asking("soup")), "X-API-Key", key)); w.Code != 429 ||
		w.Header().Get("Retry-After") != "20" {
		t.Errorf("the right one, after too many guesses: %d %v", w.Code, w.Header())
	}
	if w := send(s, with(calling("192.0.2.2:1", asking("soup")), "X-API-Key", key)); w.Code != 200 {
		t.Errorf("the right one from elsewhere: %d %s", w.Code, w.Body)
	}
	if w := send(s, calling("192.0.2.1:1", asking("soup"))); w.Code != 401 {
		t.Errorf("without a credential: %d", w.Code)
	}
	c.advance(20 * time.Second)
	if w := send(s, with(calling("192.0.2.1:1", asking("soup")), "X-API-Key", key)); w.Code != 200 {
		t.Errorf("the right one, later: %d %s", w.Code, w.Body)
	}
}

func TestSiteHasALimitForAllTogether(t *testing.T) {
	t.Parallel()
	s, _ := open(t, "{sites: [{id: local}, {id: other}], limits: {rate: {site: 3/1h, address: 100/1h}}}")
	to := func(site string) *http.Request {
		r := httptest.NewRequest("POST", "/ask", strings.NewReader(`{"query":{"text":"soup","site":"`+site+`"}}`))
		return with(r, "Content-Type", "application/json")
	}
	for i, c := range []struct {
		from, site string
		status     int
	}{
		{"192.0.2.1:1", "local", 200}, {"192.0.2.2:1", "all", 200}, {"192.0.2.3:1", "local", 200},
		{"192.0.2.4:1", "local", 429}, {"192.0.2.5:1", "all", 429}, {"192.0.2.6:1", "other", 200},
	} {
		w := send(s, calling(c.from, to(c.site)))
		if w.Code != c.status {
			t.Errorf("question %d: %d %s", i, w.Code, w.Body)
		}
		if c.status == 429 &&
			(read(t, w).Error.Code != "RATE_LIMITED" || w.Header().Get("Retry-After") == "" ||
				w.Header().Get("RateLimit-Remaining") != "0" || !strings.Contains(w.Header().Get("RateLimit"), `"site";r=0`)) {
			t.Errorf("question %d: %v %s", i, w.Header(), w.Body)
		}
	}
}

func TestUsageSaysHowToEnterAndWhichLimitsHold(t *testing.T) {
	t.Parallel()
	issuer, _, _ := authority(t)
	usage := func(config string) string {
		s, _ := open(t, config)
		var found struct {
			Usage struct {
				Authentication json.RawMessage
				Limits         struct{ Rates json.RawMessage }
			}
		}
		w := send(s, httptest.NewRequest("GET", "/ask", nil))
		if err := json.Unmarshal(w.Body.Bytes(), &found); err != nil || w.Code != 200 {
			t.Fatalf("%d %v", w.Code, err)
		}
		return string(found.Usage.Authentication) + " " + string(found.Usage.Limits.Rates)
	}
	if got := usage(""); got != `{"required":false} ` {
		t.Errorf("nothing set: %s", got)
	}
	got := usage(`{url: "https://desk.example", auth: {required: [ask, mcp], oauth: {issuer: "` + issuer + `", jwks: "` + issuer + `/k", scopes: [a]}}, limits: {rate: {address: 60/1m, site: 5/1s burst 20}}}`)
	want := `{"required":true,"schemes":[{"type":"api_key","headers":["X-API-Key: KEY","Authorization: Bearer KEY"]},` +
		`{"type":"oauth2","headers":["Authorization: Bearer TOKEN"],"authorization_servers":["` + issuer + `"],"scopes":["a"],"resource_metadata":"https://desk.example/.well-known/oauth-protected-resource/ask"}]} ` +
		`[{"per":"address","requests":60,"seconds":60,"burst":60},{"per":"site","requests":5,"seconds":1,"burst":20}]`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestNodesOnOneDatabaseCountTogether runs two servers on one PostgreSQL, and asks both over the
// network.
func TestNodesOnOneDatabaseCountTogether(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rate    string
		allowed int
	}{{"{address: 20/1h}", 20}, {"{address: 20/1h, shared: false}", 40}, {"{site: 15/1h}", 15}} {
		dsn, keys := storetest.NewPostgres(t), t.TempDir()
		var nodes []string
		for i := range 2 {
			loaded, err := Load(Layers{
				File:  write(t, t.TempDir(), "frontdesk.yaml", "limits: {rate: "+c.rate+"}"),
				Flags: map[string]string{"listen": "127.0.0.1:0", "metrics.listen": "off", "keys": keys, "store": dsn},
			})
			if err != nil {
				t.Fatal(err)
			}
			s, err := Build(t.Context(), Options{Loaded: loaded, Ingested: true})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { s.Close() })
			if i == 0 {
				fill(t, s, content.Item{URL: "https://example.com/soup", Types: []string{"Recipe"}, Name: "Lentil soup",
					Object: []byte(`{"@type":"Recipe","name":"Lentil soup"}`)})
			} else if err := s.Refresh(t.Context()); err != nil {
				t.Fatal(err)
			}
			address, _ := run(t, s)
			nodes = append(nodes, address)
		}
		var answered, refused atomic.Int32
		var group sync.WaitGroup
		for worker := range 6 {
			group.Go(func() {
				for range 10 {
					response, err := http.Post(nodes[worker%2]+"/ask", "application/json", strings.NewReader(`{"query":{"text":"soup"}}`))
					if err != nil {
						t.Error(err)
						return
					}
					response.Body.Close()
					switch response.StatusCode {
					case 200:
						answered.Add(1)
					case 429:
						refused.Add(1)
					}
				}
			})
		}
		group.Wait()
		if int(answered.Load()) != c.allowed || int(answered.Load()+refused.Load()) != 60 {
			t.Errorf("%s on two nodes: %d answered, %d refused", c.rate, answered.Load(), refused.Load())
		}
	}
}

func TestCredentialsOfABrowserNeedOriginsByName(t *testing.T) {
	t.Parallel()
	s, _ := open(t, "cors: {origins: [https://a.example], credentials: true, headers: [X-Trace-Id], "+
		"expose: [X-Served-By], max_age: 10m}")
	preflight := with(httptest.NewRequest("OPTIONS", "/ask", nil), "Origin", "https://a.example",
		"Access-Control-Request-Method", "POST")
	h := send(s, preflight).Header()
	if h.Get("Access-Control-Allow-Credentials") != "true" ||
		h.Get("Access-Control-Allow-Origin") != "https://a.example" || h.Get("Access-Control-Max-Age") != "600" ||
		!strings.Contains(h.Get("Access-Control-Allow-Headers"), "X-Trace-Id") ||
		!strings.Contains(h.Get("Access-Control-Allow-Headers"), "X-API-Key") {
		t.Errorf("%v", h)
	}
	h = send(s, with(asking("soup"), "Origin", "https://a.example")).Header()
	if h.Get("Access-Control-Allow-Credentials") != "true" ||
		!strings.Contains(h.Get("Access-Control-Expose-Headers"), "X-Served-By") {
		t.Errorf("%v", h)
	}
	h = send(s, with(asking("soup"), "Origin", "https://b.example")).Header()
	if h.Get("Access-Control-Allow-Credentials")+h.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("another origin: %v", h)
	}
	s, _ = open(t, "")
	if h := send(s, with(asking("soup"), "Origin", "https://a.example")).
		Header(); h.Get("Access-Control-Allow-Credentials") != "" || h.Get("Access-Control-Allow-Origin") != "*" {
		t.Errorf("every origin: %v", h)
	}
}

func TestGateConfigurationIsChecked(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"cors: {credentials: true}":                                                  "cors.credentials",
		"cors: {origins: ['https://A.example']}":                                     "cors.origins",
		"cors: {origins: ['https://a.example:443']}":                                 "cors.origins",
		"cors: {origins: ['https://a.example/']}":                                    "cors.origins",
		"cors: {headers: ['*']}":                                                     "cors.headers",
		"cors: {expose: ['a b']}":                                                    "cors.expose",
		"cors: {max_age: 400h}":                                                      "cors.max_age",
		"auth: {required: [aks]}":                                                    "auth.required",
		"auth: {keys: [{name: a, hash: secret}]}":                                    "auth.keys[0].hash",
		"auth: {keys: [{name: a, hash: '" + identity.Hash("x") + "', rate: often}]}": "auth.keys[0].rate",
		"auth: {keys: [{name: a, hash: '" + identity.Hash("x") + "', scopes: [x]}]}": "auth.keys[0].scopes",
		"auth: {keys: [{name: a, hash: '" + identity.Hash("x") + "'}, {name: a, hash: '" + identity.Hash("y") +
			"'}]}": "auth.keys[1].name",
		"auth: {oauth: {jwks: https://login.example/keys}}":                             "auth.oauth.issuer",
		"{url: https://d.example, auth: {oauth: {issuer: https://login.example}}}":      "auth.oauth.jwks",
		"auth: {oauth: {issuer: https://login.example, jwks: https://login.example/k}}": "auth.oauth.audience",
		"auth: {oauth: {issuer: https://l.example, jwks: https://l.example/k, " +
			"audience: a, algorithms: HS256}}": "auth.oauth.algorithms",
		"auth: {oauth: {issuer: https://l.example, jwks: https://l.example/k, audience: a, skew: " +
			"1h}}": "auth.oauth.skew",
		"limits: {rate: {address: 60 a minute}}":       "limits.rate.address",
		"limits: {rate: {failures: 1/24h burst 9999}}": "limits.rate.failures",
	} {
		_, err := Load(Layers{File: write(t, t.TempDir(), "frontdesk.yaml", text)})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\n%v", text, err)
		}
	}
	loaded, err := Load(Layers{File: write(t, t.TempDir(), "frontdesk.yaml", "auth: {required: [ask]}")})
	if err != nil || len(loaded.Warnings) != 1 || !strings.Contains(loaded.Warnings[0].Error(), "mcp") {
		t.Errorf("one door of two: %v, %v", err, loaded.Warnings)
	}
	for text, warned := range map[string]bool{
		"{url: https://d.example, limits: {rate: {address: 60/1m}}}":                      true,
		"{url: https://d.example, limits: {rate: {address: 60/1m}}, proxies: [10.0.0.1]}": false,
		"{url: http://d.example, limits: {rate: {address: 60/1m}}}":                       false,
		"{url: https://d.example}": false,
	} {
		loaded, err := Load(Layers{File: write(t, t.TempDir(), "frontdesk.yaml", text)})
		if said := fmt.Sprint(loaded.Warnings); err != nil || strings.Contains(said, "share one limit") != warned {
			t.Errorf("%s: %v, %s", text, err, said)
		}
	}
}

// BenchmarkGuard is what the guard of a door costs each request.
func BenchmarkGuard(b *testing.B) {
	for _, c := range []struct{ name, config, key string }{
		{"nothing set", "", ""},
		{"limits", "limits: {rate: {address: 1000000000/1s, site: 1000000000/1s}}", ""},
		{"a key and limits", "{limits: {rate: {key: 1000000000/1s}}, auth: {required: [ask, " +
			"mcp], keys: [{name: a, hash: '" + identity.Hash("secret") + "'}]}}", "secret"},
	} {
		b.Run(c.name, func(b *testing.B) {
			loaded, err := Load(Layers{File: write(b, b.TempDir(), "frontdesk.yaml", c.config),
				Flags: map[string]string{"keys": b.TempDir(), "store": storetest.NewSQLite(b, tables...)}})
			if err != nil {
				b.Fatal(err)
			}
			s, err := Build(b.Context(), Options{Loaded: loaded})
			if err != nil {
				b.Fatal(err)
			}
			defer s.Close()
			door := s.gate.Guard(&apphttp.Route{Pattern: askPath, Door: doorAsk},
				http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
			r := with(calling("192.0.2.1:1", asking("soup")), "X-API-Key", c.key)
			w := &apphttp.Recorder{ResponseWriter: httptest.NewRecorder()}
			b.ReportAllocs()
			for b.Loop() {
				door.ServeHTTP(w, r)
			}
		})
	}
}

func TestStreamsTellTheLimitToo(t *testing.T) {
	t.Parallel()
	s, _ := open(t, "limits: {rate: {address: 2/1h, site: 9/1h}}")
	address, _ := run(t, s)
	for i, want := range []string{"1", "0"} {
		request, err := http.NewRequestWithContext(t.Context(), "POST", address+"/ask", strings.NewReader(`{"query":{"text":"soup"},"prefer":{"streaming":true}}`))
		if err != nil {
			t.Fatal(err)
		}
		response, err := http.DefaultClient.Do(with(request, "Content-Type", "application/json"))
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		response.Body.Close()
		h := response.Header
		if err != nil || h.Get("Content-Type") != "text/event-stream" ||
			!strings.Contains(string(body), "event: complete") {
			t.Fatalf("no stream: %v %v %s", err, h, body)
		}
		if h.Get("RateLimit-Remaining") != want || !strings.Contains(h.Get("RateLimit"), `"site";r=`+fmt.Sprint(8-i)) {
			t.Errorf("stream %d: %v", i, h)
		}
	}
}

func TestFeedOfAClosedDoorIsForWhoAskedForIt(t *testing.T) {
	t.Parallel()
	feed := func() *http.Request { return httptest.NewRequest("GET", "/feeds/local/1-of-1.jsonl", nil) }
	s, _ := open(t, "auth: {required: [ask, mcp], keys: [{name: a, hash: '"+identity.Hash("secret")+"'}]}")
	if w := send(s, feed()); w.Code != 401 || strings.Contains(w.Body.String(), "soup") {
		t.Errorf("a stranger: %d %s", w.Code, w.Body)
	}
	if w := send(s, with(feed(), "X-API-Key", "secret")); w.Code != 200 || !strings.Contains(w.Body.String(), "soup") ||
		w.Header().Get("Cache-Control") != "private, no-cache" {
		t.Errorf("with a key: %d %v %s", w.Code, w.Header(), w.Body)
	}
	s, _ = open(t, "")
	if w := send(s, feed()); w.Code != 200 || w.Header().Get("Cache-Control") != "public, no-cache" {
		t.Errorf("an open door: %d %v", w.Code, w.Header())
	}
}
