package app

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"frontdesk/internal/identity"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/testkit/clock"
	"frontdesk/internal/testkit/storetest"
	"frontdesk/wire/ramp"
	rampv1 "frontdesk/wire/ramp/v1"
	"frontdesk/wire/sign"
)

// supplied is an Exchange of a test for which others push.
type supplied struct {
	*market
	operator string
	host     *httptest.Server       // of a provider, which is a verifier, too
	lists    atomic.Pointer[string] // what its ramp.json lists as contributor
	asked    atomic.Int64           // how often its ramp.json was asked for
	retired  atomic.Bool            // the key k1 with which it attested goes by another name
	batches  int                    // of edges
}

// supplierKey is the key of a caller.
func supplierKey(id string) ed25519.PrivateKey {
	seed := make([]byte, ed25519.SeedSize)
	copy(seed, id)
	return ed25519.NewKeyFromSeed(seed)
}

func openSupplied(t *testing.T) *supplied {
	t.Helper()
	s := &supplied{market: &market{t: t, clock: clock.At(time.Date(2027, 5, 4, 12, 0, 0, 0, time.UTC))}}
	none := "nobody.example"
	s.lists.Store(&none)
	s.host = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/.well-known/ramp.json":
			s.asked.Add(1)
			fmt.Fprintf(w, `{"ver":"1.0","provider":%q,"exchanges":[],"catalog_contributors":[{"domain":%q,"relationship":"verifier"}]}`, s.provider(), *s.lists.Load())
		case "/.well-known/ramp-verifier.json":
			public := supplierKey("verifier").Public().(ed25519.PublicKey)
			kid := "k1"
			if s.retired.Load() {
				kid = "k9"
			}
			fmt.Fprintf(w, `{"verifier":%q,"name":"V","keys":[{"kid":%q,"algorithm":"ed25519","public_key":%q}]}`, s.provider(), kid, base64.StdEncoding.EncodeToString(public))
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(s.host.Close)
	loaded, err := Load(Layers{
		File: write(t, t.TempDir(), "frontdesk.yaml", "url: "+marketURL+
			"\nroles: [broker]\nfetch: {allow: [127.0.0.0/8]}\nramp: {enabled: true, signatures: none}\n"+
			"limits: {rate: {failures: 10000/1m}}\nsites: [{id: own, url: \"https://own.example\"}]\n"+
			"terms: [{match: {}, access: open}]\n"),
		Flags: map[string]string{
			"listen": "127.0.0.1:0", "metrics.listen": "127.0.0.1:0", "log.level": "debug", "keys": t.TempDir(),
			"data": t.TempDir(), "store": storetest.ChosenDSN(t, tables...),
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	s.log = &logbook{}
	if s.App, err = Build(t.Context(), Options{Loaded: loaded, Log: NewLog(Log{Level: "debug", Format: "json"}, s.log),
		Now: s.clock.Now}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.App.Close() })
	if err := s.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.operator, _ = makeKey(t, s.App, identity.Key{Name: "ops", Scopes: []string{"admin"}})
	return s
}

func (s *supplied) provider() string { return strings.TrimPrefix(s.host.URL, "http://") }

// admin has the operator's program do something.
func (s *supplied) admin(method, path, body string, status int) string {
	s.t.Helper()
	w := send(s, posted(method, path, body, identity.KeyHeader, s.operator))
	if w.Code != status {
		s.t.Errorf("%s %s %s: %d %s", method, path, body, w.Code, w.Body)
	}
	return w.Body.String()
}

// onboard puts a tenant in with a caller of its name, and a key at who delivers.
func (s *supplied) onboard(id, price string, domains ...string) {
	s.t.Helper()
	list, _ := json.Marshal(domains)
	s.admin("POST", "/admin/tenants", fmt.Sprintf(`{"tenant_id":%q,"domains":%s,"price":%s,"delivery":{"at":"https://cdn.%s.example","form":"ed25519"}}`, id, list, price, id), 201)
	s.caller(id, "", id)
}

// caller puts a caller in, whose key is that of its name.
func (s *supplied) caller(id, domain string, tenants ...string) {
	s.t.Helper()
	list, _ := json.Marshal(tenants)
	public := base64.StdEncoding.EncodeToString(supplierKey(id).Public().(ed25519.PublicKey))
	s.admin("POST", "/admin/callers", fmt.Sprintf(`{"caller_id":%q,"domain":%q,"tenants":%s,"keys":[{"public_key":%q}]}`, id, domain, list, public), 201)
}

// call calls a method of the CatalogService, signed by a key under a name; nil for not at all.
func (s *supplied) call(method, name string, key ed25519.PrivateKey, message proto.Message, binary bool) (int, string) {
	s.t.Helper()
	body, kind := []byte(nil), "application/json"
	var err error
	if binary {
		kind = "application/proto"
		body, err = proto.Marshal(message)
	} else {
		body, err = ramp.Marshal(message)
	}
	if err != nil {
		s.t.Fatal(err)
	}
	const path = "/ramp.v1.CatalogService/"
	r := posted("POST", path+method, string(body), "Content-Type", kind)
	if key != nil {
		r.Header.Set(sign.HeaderContentDigest, sign.ContentDigest(body))
		input, signature, err := sign.SignHTTP(sign.Request{Method: "POST", Target: marketURL + path + method,
			Header: r.Header}, sign.SigningParameters{KeyID: name, Created: s.clock.Now()}, key)
		if err != nil {
			s.t.Fatal(err)
		}
		r.Header.Set(sign.HeaderSignatureInput, input)
		r.Header.Set(sign.HeaderSignatureOfHTTP, signature)
	}
	w := send(s, r)
	if method == "PushResources" && w.Code == 200 { // zeros are left out
		answer := &rampv1.PushResourcesResponse{}
		if binary {
			err = proto.Unmarshal(w.Body.Bytes(), answer)
		} else {
			err = ramp.Unmarshal(w.Body.Bytes(), answer)
		}
		if err != nil {
			s.t.Fatal(err)
		}
		return w.Code, fmt.Sprintf(`{"accepted":%d,"rejected":%d}`, answer.Accepted, answer.Rejected)
	}
	return w.Code, strings.TrimSpace(w.Body.String())
}

// push pushes entries of a tenant by the caller of some name.
func (s *supplied) push(caller, tenant string, entries ...*rampv1.ResourceEntry) string {
	s.t.Helper()
	_, told := s.call("PushResources", caller, supplierKey(caller),
		&rampv1.PushResourcesRequest{TenantId: tenant, CallerId: caller, Entries: entries}, false)
	return told
}

// offered is the first offer for an address; nil for none.
func (s *supplied) offered(uri string) *rampv1.Offer {
	s.t.Helper()
	query, err := ramp.Marshal(&rampv1.ResourceQuery{Ver: "1.0", Id: "q",
		Requester: &rampv1.Requester{Id: "bot", Domain: "buyer.example", Uris: []string{uri}}})
	if err != nil {
		s.t.Fatal(err)
	}
	w := send(s,
		posted("POST", "/ramp.v1.ExchangeService/DiscoverResources", string(query), "Content-Type", "application/json"))
	answer := &rampv1.ResourceResponse{}
	if err := ramp.Unmarshal(w.Body.Bytes(), answer); err != nil {
		s.t.Fatal(w.Code, w.Body, err)
	}
	if len(answer.Offers) == 0 {
		return nil
	}
	return answer.Offers[0]
}

const free, cents = `{"model":"free"}`, `{"model":"per_access","rate":"0.02","currency":"USD"}`

func entryAt(domain, path string) *rampv1.ResourceEntry {
	return &rampv1.ResourceEntry{Domain: domain, Path: path, Title: proto.String("At " + path),
		WordCount: proto.Int32(500), EstimatedQuantity: proto.Int32(660)}
}

func TestWhatIsPushedIsOfferedSoldAndRemoved(t *testing.T) {
	t.Parallel()
	s := openSupplied(t)
	s.onboard("acme", cents, "www.acme.example", "news.acme.example")
	s.onboard("gratis", free, "gratis.example")
	hashed := entryAt("www.acme.example", "/a")
	hashed.ContentHash, hashed.HashMethod = proto.String(strings.Repeat("0a", 32)), proto.String("sha256")
	if got := s.push("acme", "acme", hashed, entryAt("news.acme.example", "/b/"),
		entryAt("www.acme.example", "/b/")); got != `{"accepted":3,"rejected":0}` {
		t.Fatal(got)
	}
	offer := s.offered("https://www.acme.example/a")
	if offer == nil || offer.Pricing.Rate != 0.02 ||
		offer.DeliveryMethod != rampv1.DeliveryMethod_DELIVERY_METHOD_INSTRUCTIONS ||
		offer.Pricing.GetEstimatedQuantity() != 660 ||
		offer.Package.GetTitle() != "At /a" || offer.Package.GetSeller() != "www.acme.example" ||
		!strings.HasPrefix(offer.Package.Id, "PKG-acme-") || offer.Package.Scope.Text[0].Wordcount[0] != 500 ||
		offer.Identity.GetCanonicalUrl() != "https://www.acme.example/a" ||
		offer.Identity.GetContentHash() != strings.Repeat("0a", 32) ||
		offer.Identity.ResourceMutability != rampv1.ResourceMutability_RESOURCE_MUTABILITY_STATIC {
		t.Fatalf("%+v", offer)
	}
	if offer := s.offered("https://news.acme.example/b/c?d=1"); offer == nil ||
		offer.Identity.GetCanonicalUrl() != "https://news.acme.example/b/c?d=1" || offer.Identity.ContentHash != nil {
		t.Errorf("%+v", offer)
	}
	for _, uri := range []string{"https://www.acme.example/ab", "https://www.acme.example/a/b",
		"https://gratis.example/a", "https://other.example/a"} {
		if offer := s.offered(uri); offer != nil {
			t.Errorf("%s is offered: %v", uri, offer)
		}
	}
	// A price that is set for the tenant counts where its own terms name none; a content rule that
	// names it counts before them.
	s.admin("POST", "/admin/content-rules", `{"id":"dear","match":{"site":["acme"],"path":["/b/**"]},"access":"licensed","price":{"model":"per_access","rate":"5","currency":"EUR"}}`, 201)
	if offer := s.offered("https://www.acme.example/b/x"); offer == nil || offer.Pricing.Rate != 5 ||
		offer.Pricing.Currency != "EUR" {
		t.Errorf("%+v", offer)
	}
	if offer := s.offered("https://www.acme.example/a"); offer.Pricing.Rate != 0.02 {
		t.Errorf("%+v", offer)
	}

	// What is free is bought at once, and delivered by the tenant's own outlet.
	if got := s.push("gratis", "gratis", entryAt("gratis.example", "/all/*")); got != `{"accepted":1,"rejected":0}` {
		t.Fatal(got)
	}
	offer = s.offered("https://gratis.example/all/x?y=z")
	if offer == nil {
		t.Fatal("nothing is offered")
	}
	buy, err := ramp.Marshal(&rampv1.TransactionRequest{
		Ver: "1.0", Id: "t1", OfferId: &offer.OfferId, OfferSignature: &offer.ExchangeSignature,
		Requester: &rampv1.Requester{Id: "bot", Domain: "buyer.example",
			Uris: []string{"https://gratis.example/all/x?y=z"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	w := send(s,
		posted("POST", "/ramp.v1.ExchangeService/ExecuteTransaction", string(buy), "Content-Type", "application/json"))
	if w.Code != 200 || !strings.Contains(w.Body.String(), "https://cdn.gratis.example/all/x?") ||
		!strings.Contains(w.Body.String(), "&y=z\"") || strings.Contains(w.Body.String(), "denial_reason") {
		t.Errorf("%d %s", w.Code, w.Body)
	}

	// Removed by path at all domains, or by its address.
	remove := func(paths ...string) string {
		_, told := s.call("RemoveResources", "acme", supplierKey("acme"),
			&rampv1.RemoveResourcesRequest{TenantId: "acme", Paths: paths}, false)
		return told
	}
	if got := remove("https://news.acme.example/b/", "https://gratis.example/all/*"); got != `{"removed":1}` ||
		s.offered("https://news.acme.example/b/c") != nil || s.offered("https://www.acme.example/b/c") == nil {
		t.Error(got)
	}
	if got := remove("/b/", "/a"); got != `{"removed":2}` || s.offered("https://www.acme.example/b/c") != nil ||
		s.offered("https://www.acme.example/a") != nil {
		t.Error(got)
	}
	if got := remove("a"); !strings.Contains(got, `"invalid_argument"`) {
		t.Error(got)
	}
	if s.offered("https://gratis.example/all/q") == nil {
		t.Error("one tenant removes what is another's")
	}
	// A tenant that is removed sells nothing any more.
	s.admin("DELETE", "/admin/tenants/gratis", "", 200)
	if s.offered("https://gratis.example/all/q") != nil {
		t.Error("a tenant that was removed sells on")
	}
	if got := s.push("gratis", "gratis", entryAt("gratis.example", "/new")); !strings.Contains(got, `"permission_denied"`) {
		t.Error(got)
	}
}

func TestOnlyACallerOfTheTenantMayPush(t *testing.T) {
	t.Parallel()
	s := openSupplied(t)
	s.onboard("acme", free, "www.acme.example")
	s.onboard("other", free, "www.other.example")
	s.caller("own", "", "own")
	request := func(caller, tenant string) *rampv1.PushResourcesRequest {
		return &rampv1.PushResourcesRequest{TenantId: tenant, CallerId: caller,
			Entries: []*rampv1.ResourceEntry{entryAt("www.acme.example", "/a")}}
	}
	for _, c := range []struct {
		name    string
		by      string
		key     ed25519.PrivateKey
		message *rampv1.PushResourcesRequest
		says    string
	}{
		{"nobody", "", nil, request("acme", "acme"), `401 {"code":"unauthenticated"`},
		{"another's key", "acme", supplierKey("other"), request("acme", "acme"), `401 {"code":"unauthenticated"`},
		{"another's name", "other", supplierKey("other"), request("acme", "acme"), `401 {"code":"unauthenticated"`},
		{"an unknown caller", "cats", supplierKey("cats"), request("cats", "acme"), `401 {"code":"unauthenticated"`},
		{"another tenant", "other", supplierKey("other"), request("other", "acme"), `403 {"code":"permission_denied"`},
		{"a tenant that there is not", "other", supplierKey("other"), request("other", "cats"), `403 {"code":"permission_denied"`},
		{"a site of the house", "other", supplierKey("other"), request("other", "own"), `403 {"code":"permission_denied"`},
		{"no caller", "acme", supplierKey("acme"), request("", "acme"), `400 {"code":"invalid_argument"`},
		{"no tenant", "acme", supplierKey("acme"), request("acme", ""), `400 {"code":"invalid_argument"`},
		{"the caller", "acme", supplierKey("acme"), request("acme", "acme"), `200 {"accepted":1,"rejected":0}`},
		{"the caller with the name of its key", "acme#", supplierKey("acme"), request("acme", "acme"), `401 `},
		{"another tenant's domain", "other", supplierKey("other"), request("other", "other"), `200 {"accepted":0,"rejected":1}`},
		{"a tenant's domain for a site", "own", supplierKey("own"), request("own", "own"), `200 {"accepted":0,"rejected":1}`},
	} {
		for _, binary := range []bool{false, true} {
			code, told := s.call("PushResources", c.by, c.key, c.message, binary)
			if got := fmt.Sprint(code, " ", told); !strings.HasPrefix(got, c.says) {
				t.Errorf("%s: %s, want %s", c.name, got, c.says)
			}
		}
	}
	// The same of the other methods, and of each tenant with each other's key.
	tenants := []string{"acme", "other", "own"}
	for _, by := range tenants {
		for _, of := range tenants {
			for method, message := range map[string]proto.Message{
				"PushResources": request(by, of), "RemoveResources": &rampv1.RemoveResourcesRequest{
					TenantId: of, Paths: []string{"/x"},
				}, "RefreshCatalog": &rampv1.RefreshCatalogRequest{TenantId: of},
			} {
				code, told := s.call(method, by, supplierKey(by), message, false)
				if want := map[bool]int{true: 200, false: 403}[by == of]; code != want {
					t.Errorf("%s by %s for %s: %d %s", method, by, of, code, told)
				}
				if code, _ := s.call(method, of, supplierKey(by), message, false); by != of && code != 401 {
					t.Errorf("%s with the key of %s in the name of %s: %d", method, by, of, code)
				}
			}
		}
	}
	if s.offered("https://www.acme.example/a") == nil {
		t.Error("what the tenant pushed is gone")
	}
	// What was refused is told to the operator, by tenant.
	told := s.admin("GET", "/admin/tenants/www.other.example/rejections?limit=5", "", 200)
	if !strings.Contains(told, `"address":"www.acme.example/a","reason":"DOMAIN_NOT_OF_TENANT"`) ||
		strings.Contains(s.admin("GET", "/admin/tenants/acme/rejections", "", 200), "DOMAIN") {
		t.Error(told)
	}
	// A key that is revoked opens nothing.
	s.admin("DELETE", "/admin/callers/acme", "", 200)
	if code, told := s.call("PushResources", "acme", supplierKey("acme"), request("acme", "acme"), false); code != 401 {
		t.Errorf("%d %s", code, told)
	}
	if facts := keyFacts(t, s.App, "caller:acme"); s.db.Engine() == store.SQLite &&
		(len(facts) != 2 || !strings.Contains(facts[1], "revoked")) {
		t.Errorf("%v", facts)
	}
}

func TestEntriesAreRefusedOneByOne(t *testing.T) {
	t.Parallel()
	s := openSupplied(t)
	s.onboard("acme", free, s.provider())
	bad := func(change func(*rampv1.ResourceEntry)) *rampv1.ResourceEntry {
		e := entryAt(s.provider(), "/bad")
		change(e)
		return e
	}
	attested := func(key string, change func(*rampv1.ResourceAttestation)) *rampv1.ResourceEntry {
		e := entryAt(s.provider(), "/attested")
		a := &rampv1.ResourceAttestation{
			Verifier: s.provider(), Kid: "k1", AttestedAt: timestamppb.New(s.clock.Now()),
			Uri:    "https://" + s.provider() + "/attested",
			Claims: &structpb.Struct{Fields: map[string]*structpb.Value{"word_count": structpb.NewNumberValue(500)}},
		}
		change(a)
		payload, err := ramp.AttestationPayload(a)
		if err != nil {
			t.Fatal(err)
		}
		a.Signature = sign.EncodeSignature(ed25519.Sign(supplierKey(key), payload))
		e.Attestations = []*rampv1.ResourceAttestation{a}
		return e
	}
	keep := func(*rampv1.ResourceAttestation) {}
	entries := map[string]*rampv1.ResourceEntry{
		"INVALID_ENTRY":  bad(func(e *rampv1.ResourceEntry) { e.WordCount = proto.Int32(-1) }),
		"INVALID_ENTRY ": bad(func(e *rampv1.ResourceEntry) { e.Path = "/" + strings.Repeat("x", 2048) }),
		"INVALID_ENTRY  ": bad(func(e *rampv1.ResourceEntry) {
			e.Attestations = make([]*rampv1.ResourceAttestation, 65)
		}),
		"INVALID_ENTRY   ": bad(func(e *rampv1.ResourceEntry) { e.Title = proto.String(strings.Repeat("x", 5000)) }),
		"INVALID_PATH":     bad(func(e *rampv1.ResourceEntry) { e.Path = "bad" }),
		"INVALID_PATH ":    bad(func(e *rampv1.ResourceEntry) { e.Path = "/a#b" }),
		// it is the address of all that there is, and does not look so
		"INVALID_PATH  ":       bad(func(e *rampv1.ResourceEntry) { e.Path = "/bad/.." }),
		"INVALID_PATH   ":      bad(func(e *rampv1.ResourceEntry) { e.Path = "/bad/." }),
		"INVALID_PATH    ":     bad(func(e *rampv1.ResourceEntry) { e.Path = `/bad\` }),
		"DOMAIN_NOT_OF_TENANT": bad(func(e *rampv1.ResourceEntry) { e.Domain = "own.example" }),
		"UNKNOWN_CRITICAL_EXTENSION": bad(func(e *rampv1.ResourceEntry) {
			e.Ext, e.ExtCritical = &structpb.Struct{
				Fields: map[string]*structpb.Value{"cat": structpb.NewBoolValue(true)},
			}, []string{"cat"}
		}),
		"UNKNOWN_VERIFIER":  attested("verifier", func(a *rampv1.ResourceAttestation) { a.Kid = "k2" }),
		"UNKNOWN_VERIFIER ": attested("verifier", func(a *rampv1.ResourceAttestation) { a.Verifier = "cats.example" }),
		"CLAIMS_TOO_LARGE": attested("verifier", func(a *rampv1.ResourceAttestation) {
			a.Claims.Fields["x"] = structpb.NewStringValue(strings.Repeat("x", 5000))
		}),
		"ATTESTATION_SIGNATURE_INVALID":  attested("cats", keep),
		"ATTESTATION_SIGNATURE_INVALID ": attested("verifier", func(a *rampv1.ResourceAttestation) { a.Uri += "x" }),
	}
	for i := range entries["INVALID_ENTRY  "].Attestations {
		entries["INVALID_ENTRY  "].Attestations[i] = &rampv1.ResourceAttestation{}
	}
	for reason, e := range entries {
		if got := s.push("acme", "acme", e, entryAt(s.provider(), "/good")); got != `{"accepted":1,"rejected":1}` {
			t.Errorf("%s: %s", reason, got)
		}
		if told := s.admin("GET", "/admin/tenants/acme/rejections?limit=1", "", 200); !strings.Contains(told,
			`"reason":"`+strings.TrimSpace(reason)+`"`) {
			t.Errorf("%s: %s", reason, told)
		}
	}
	for _, path := range []string{"/bad", "/bad/x", "/", "/x", "/attested", "/a", "/b"} {
		if s.offered("https://"+s.provider()+path) != nil {
			t.Errorf("%s was refused, and is offered", path)
		}
	}
	// A good attestation is told with the offer, as it was signed.
	if got := s.push("acme", "acme", attested("verifier", keep)); got != `{"accepted":1,"rejected":0}` {
		t.Fatal(got, s.admin("GET", "/admin/tenants/acme/rejections?limit=1", "", 200))
	}
	offer := s.offered("https://" + s.provider() + "/attested")
	if offer == nil || len(offer.Attestations) != 1 ||
		offer.Attestations[0].Claims.Fields["word_count"].GetNumberValue() != 500 {
		t.Fatalf("%+v", offer)
	}
	keys := []ramp.Key{{ID: "k1", Public: supplierKey("verifier").Public().(ed25519.PublicKey), Active: true}}
	if err := ramp.VerifyAttestation(offer.Attestations[0], "https://"+s.provider()+"/attested", keys,
		s.clock.Now()); err != nil {
		t.Error(err)
	}
	// What a provider attests of a hash is told as long as that is what is offered.
	for claimed, told := range map[string]int{"sha256:" + strings.Repeat("0a", 32): 1,
		"SHA-256:" + strings.Repeat("0A", 32): 1, "sha256:" + strings.Repeat("0b", 32): 0, "simhash-v1:00": 1} {
		e := attested("verifier", func(a *rampv1.ResourceAttestation) {
			a.Claims.Fields["content_hash"] = structpb.NewStringValue(claimed)
		})
		e.ContentHash, e.HashMethod = proto.String(strings.Repeat("0a", 32)), proto.String("sha256")
		if got := s.push("acme", "acme", e); got != `{"accepted":1,"rejected":0}` {
			t.Fatal(got)
		}
		if offer := s.offered("https://" + s.provider() + "/attested"); offer == nil ||
			len(offer.Attestations) != told {
			t.Errorf("%s: %+v", claimed, offer)
		}
	}
	// Too many at once are refused whole.
	many := make([]*rampv1.ResourceEntry, 1001)
	for i := range many {
		many[i] = entryAt(s.provider(), fmt.Sprintf("/many/%d", i))
	}
	if got := s.push("acme", "acme", many...); !strings.Contains(got, `"invalid_argument"`) ||
		s.offered("https://"+s.provider()+"/many/1") != nil {
		t.Error(got)
	}
	if got := s.push("acme", "acme", many[:1000]...); got != `{"accepted":1000,"rejected":0}` || s.offered("https://"+s.provider()+"/many/999") == nil {
		t.Error(got)
	}
}

func TestAThirdPartyPushesOnlyWhereTheProviderListsIt(t *testing.T) {
	t.Parallel()
	s := openSupplied(t)
	s.onboard("acme", free, s.provider())
	s.caller("third", "v.example", "acme")
	at := "https://" + s.provider()
	if got := s.push("third", "acme", entryAt(s.provider(), "/x")); got != `{"accepted":0,"rejected":1}` || s.offered(at+"/x") != nil {
		t.Error(got)
	}
	if told := s.admin("GET", "/admin/tenants/acme/rejections?limit=1", "", 200); !strings.Contains(told,
		"UNAUTHORIZED_CONTRIBUTOR") {
		t.Error(told)
	}
	listed := "v.example"
	s.lists.Store(&listed)
	s.clock.Advance(11 * time.Minute)
	if got := s.push("third", "acme", entryAt(s.provider(), "/x")); got != `{"accepted":1,"rejected":0}` || s.offered(at+"/x") == nil {
		t.Error(got)
	}
	if n := s.asked.Load(); n != 2 {
		t.Errorf("the provider was asked %d times", n)
	}
	// What it says does not stand in the place of what the provider says, and it takes out its own
	// alone.
	own := entryAt(s.provider(), "/x")
	own.Title = proto.String("The provider's own")
	s.push("acme", "acme", own, entryAt(s.provider(), "/y"))
	if got := s.push("third", "acme", entryAt(s.provider(), "/x")); got != `{"accepted":1,"rejected":0}` {
		t.Error(got)
	}
	if offer := s.offered(at + "/x"); offer.Package.GetTitle() != "The provider's own" {
		t.Errorf("%+v", offer.Package)
	}
	_, told := s.call("RemoveResources", "third", supplierKey("third"),
		&rampv1.RemoveResourcesRequest{TenantId: "acme", Paths: []string{"/x", "/y"}}, false)
	if told != `{"removed":1}` || s.offered(at+"/x") == nil || s.offered(at+"/y") == nil {
		t.Error(told)
	}
}

// TestAHostThatMovesIsSoldByWhoHasIt gives a host of one tenant's to another: what the first has
// pushed there is not sold, and does not stand in the way of what the second pushes.
func TestAHostThatMovesIsSoldByWhoHasIt(t *testing.T) {
	t.Parallel()
	s := openSupplied(t)
	s.onboard("old", free, "books.example", "old.example")
	s.push("old", "old", entryAt("books.example", "/one"), entryAt("books.example", "/shelf/*"),
		entryAt("books.example", "/*/x/*"))
	s.admin("POST", "/admin/tenants", `{"tenant_id":"old","domains":["old.example"],"price":`+free+`,"delivery":{"at":"https://cdn.old.example","form":"ed25519"}}`, 200)
	for _, path := range []string{"/one", "/shelf/1"} {
		if s.offered("https://books.example"+path) != nil {
			t.Errorf("%s is offered by who does not have it any more", path)
		}
	}
	s.onboard("new", free, "books.example")
	s.push("new", "new", entryAt("books.example", "/*"))
	for _, path := range []string{"/one", "/shelf/1", "/1/x/2", "/2"} {
		if offer := s.offered("https://books.example" + path); offer == nil ||
			!strings.HasPrefix(offer.Package.Id, "PKG-new-") {
			t.Errorf("%s is offered as %v", path, offer)
		}
	}
}

// TestAnOfferTellsWhatIsAttestedByNow has several attest the same content: what one of them pushes
// anew, takes back, or may no longer attest since its key is gone, shows in the next offer,
// although what was read and verified before is remembered.
func TestAnOfferTellsWhatIsAttestedByNow(t *testing.T) {
	t.Parallel()
	s := openSupplied(t)
	s.onboard("acme", free, s.provider())
	s.caller("third", "v.example", "acme")
	listed := "v.example"
	s.lists.Store(&listed)
	uri := "https://" + s.provider() + "/x"
	attesting := func(counts ...int) *rampv1.ResourceEntry {
		e := entryAt(s.provider(), "/x")
		for _, n := range counts {
			a := &rampv1.ResourceAttestation{
				Verifier: s.provider(), Kid: "k1", AttestedAt: timestamppb.New(s.clock.Now()), Uri: uri,
				Claims: &structpb.Struct{
					Fields: map[string]*structpb.Value{"word_count": structpb.NewNumberValue(float64(n))},
				},
			}
			if err := ramp.SignAttestation(a, supplierKey("verifier")); err != nil {
				t.Fatal(err)
			}
			e.Attestations = append(e.Attestations, a)
		}
		return e
	}
	told := func(want string) {
		t.Helper()
		for range 2 { // as it is read, and as it is remembered
			got := ""
			for _, a := range s.offered(uri).GetAttestations() {
				got += fmt.Sprint(" ", a.Claims.Fields["word_count"].GetNumberValue())
			}
			if strings.TrimSpace(got) != want {
				t.Errorf("the offer tells of %q, not %q", got, want)
			}
		}
	}
	s.push("acme", "acme", attesting(1))
	told("1")
	s.push("third", "acme", attesting(2, 3))
	told("1 2 3")
	s.push("third", "acme", attesting(4))
	told("1 4")
	s.push("acme", "acme", attesting(5))
	told("5 4")
	s.call("RemoveResources", "third", supplierKey("third"),
		&rampv1.RemoveResourcesRequest{TenantId: "acme", Paths: []string{"/x"}}, false)
	told("5")
	s.push("acme", "acme", attesting())
	told("")
	s.push("acme", "acme", attesting(6))
	told("6")
	s.retired.Store(true)
	s.clock.Advance(2 * time.Hour)
	told("")
	s.retired.Store(false)
	s.clock.Advance(2 * time.Hour)
	told("6")
}

func TestPushesRemovalsAndQueriesAtTheSameTime(t *testing.T) {
	t.Parallel()
	s := openSupplied(t)
	s.onboard("acme", free, "www.acme.example")
	var all sync.WaitGroup
	for n := range 4 {
		all.Go(func() {
			for i := range 10 {
				path := fmt.Sprintf("/%d/%d", n, i)
				if got := s.push("acme", "acme", entryAt("www.acme.example", path)); got != `{"accepted":1,"rejected":0}` {
					t.Error(got)
				}
				if s.offered("https://www.acme.example"+path) == nil {
					t.Errorf("%s was taken, and is not offered", path)
				}
				if i%2 == 0 {
					continue
				}
				if _, told := s.call("RemoveResources", "acme", supplierKey("acme"),
					&rampv1.RemoveResourcesRequest{TenantId: "acme", Paths: []string{path}}, false); told != `{"removed":1}` {
					t.Error(told)
				}
				if s.offered("https://www.acme.example"+path) != nil {
					t.Errorf("%s was removed, and is offered", path)
				}
			}
		})
	}
	all.Wait()
}
