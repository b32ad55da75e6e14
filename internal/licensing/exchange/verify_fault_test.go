package exchange_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"frontdesk/internal/content"
	"frontdesk/internal/content/released"
	"frontdesk/internal/identity"
	"frontdesk/internal/identity/requesters"
	"frontdesk/internal/infra/fetch"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/licensing/attestation"
	"frontdesk/internal/licensing/catalog"
	"frontdesk/internal/licensing/catalog/push"
	"frontdesk/internal/licensing/exchange"
	"frontdesk/internal/policy"
	"frontdesk/internal/testkit/contenttest"
	"frontdesk/internal/testkit/storetest"
)

// provider is a domain of the tenant acme's, which a test scripts.
type provider struct {
	domain           string
	answers, listing atomic.Pointer[http.HandlerFunc] // at a challenge, and at ramp.json; nil for what is right
}

func openProvider(t *testing.T) *provider {
	t.Helper()
	p := &provider{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		token, asked := strings.CutPrefix(r.URL.Path, "/.well-known/ramp-verify/")
		does := p.listing.Load()
		if asked {
			does = p.answers.Load()
		}
		switch {
		case does != nil:
			(*does)(w, r)
		case asked:
			io.WriteString(w, token)
		default:
			p.list(w, "exchange.example.com")
		}
	}))
	t.Cleanup(server.Close)
	p.domain = strings.TrimPrefix(server.URL, "http://")
	return p
}

func (p *provider) list(w io.Writer, exchange string) {
	fmt.Fprintf(w, `{"ver":"1.0","provider":%q,"exchanges":[{"domain":%q,"relationship":"DIRECT"}]}`, p.domain, exchange)
}

// prover is a process of an Exchange that verifies domains.
type prover struct {
	*exchange.Domains
	db      *store.DB
	folder  string
	fault   func(step string) error
	domain  string
	keys    *identity.DeliveryKeys
	tenants *push.Tenants

	mu     sync.Mutex
	told   []string // of which the ledger is told
	refuse bool     // the next of that
}

// openProver opens a process over a database, in which the tenant acme has a domain.
func openProver(t *testing.T, db *store.DB, folder, domain string) *prover {
	t.Helper()
	p := &prover{db: db, folder: folder, domain: domain, keys: identity.NewDeliveryKeys(db, folder, nil)}
	var err error
	if p.tenants, err = push.OpenTenants(t.Context(), push.TenantsConfig{
		DB: db, Now: time.Now, Sites: map[string]bool{}, Host: func(domain string) (string, bool) {
			return domain, true
		},
	}); err != nil {
		t.Fatal(err)
	}
	p.tenants.OnProof(func(_ context.Context, _ *store.Tx, _ push.Domain, did string) error {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.told = append(p.told, did)
		if p.refuse {
			p.refuse = false
			return errFault
		}
		return nil
	})
	p.own(t, "acme", domain)
	proofs := identity.NewDomainVerifier(fetch.New(fetch.Options{
		Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, MaxBytes: requesters.AgentBytes,
		Timeout: identity.ChallengeTimeout, MaxRedirects: -1,
	}), "exchange.example.com")
	corpus := contenttest.New(t, db, released.Deps{Sites: contenttest.Sites()})
	goods, err := catalog.New(catalog.Config{Content: corpus.Catalog})
	if err != nil {
		t.Fatal(err)
	}
	assortment, err := exchange.NewAssortment(exchange.AssortmentDeps{
		Corpus: corpus.Corpus, Catalog: goods, OfferPolicy: func() *exchange.OfferPolicy {
			return &exchange.OfferPolicy{}
		},
		Push: exchange.PushDeps{
			Store: push.NewStore(db, time.Now), Tenants: p.tenants,
			Terms: func(*push.Tenant) *policy.Terms { return corpus.Terms() },
			Site:  func(string) (string, bool) { return "", false }, Attested: &attestation.Checker{},
		},
	})
	if err == nil {
		p.Domains, err = exchange.NewDomains(exchange.DomainDeps{
			Assortment: assortment, Verifier: proofs, Keys: p.keys, Fault: func(step string) error {
				if p.fault == nil {
					return nil
				}
				return p.fault(step)
			},
		})
	}
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// own has a tenant have domains, and no others.
func (p *prover) own(t *testing.T, id string, domains ...string) {
	t.Helper()
	if _, _, err := p.tenants.Put(t.Context(), push.Tenant{ID: id, Domains: domains}); err != nil {
		t.Error(err)
	}
}

// again is another process, as after the first has ended.
func (p *prover) again(t *testing.T) *prover {
	t.Helper()
	return openProver(t, p.db, p.folder, p.domain)
}

var (
	errFault = errors.New("the fault")
	acme     = &requesters.PushClient{ID: "acme-cms", Tenants: []string{"acme"}}
)

func (p *prover) token(t *testing.T) string {
	t.Helper()
	given, err := p.Challenge(t.Context(), acme, p.domain)
	if err != nil {
		t.Fatal(err)
	}
	return given.Token
}

// confirm has a challenge be looked at with a key; crashed says that the process ended amid it.
func (p *prover) confirm(ctx context.Context, token, key string) (proven *exchange.Verification, crashed bool,
	err error) {
	defer func() {
		if recover() != nil {
			crashed = true
		}
	}()
	proven, err = p.Prove(ctx, acme, p.domain, token, key, "hmac")
	return proven, false, err
}

// standing says how many domains are verified, and which keys sign there.
func (p *prover) standing(t *testing.T) (verified int, signing []string) {
	t.Helper()
	domains, err := p.tenants.Domains(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range domains {
		if d.Valid(time.Now()) {
			verified++
		}
	}
	keys, err := p.keys.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range keys {
		if k.State(time.Now()) == "signing" {
			signing = append(signing, k.ID)
		}
	}
	return verified, signing
}

var keyOne, keyTwo = strings.Repeat("0a", 32), strings.Repeat("0b", 32)

// eachProver runs a test on both engines, with a domain of its own.
func eachProver(t *testing.T, test func(t *testing.T, p *prover, at *provider)) {
	t.Helper()
	storetest.Each(t, func(t *testing.T, open func(*testing.T, ...store.Schema) *store.DB) {
		at := openProvider(t)
		test(t, openProver(t, open(t, content.Schema, push.Schema, identity.DeliverySchema), t.TempDir(), at.domain),
			at)
	})
}

// TestAVerificationThatBreaksOff has each step fail, and the process end there: all is kept or
// nothing, the token is spent, and with another one the same key is registered once.
func TestAVerificationThatBreaksOff(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		step    string
		crash   bool
		kept    bool   // that the domain is verified, and the key
		outcome string // of the challenge, as it is listed
	}{
		{step: "challenge used", outcome: "used"}, {step: "challenge used", crash: true, outcome: "used"},
		{step: "challenge met", outcome: identity.VerificationStopped},
		{step: "challenge met", crash: true, outcome: "used"},
		{step: "told", outcome: identity.VerificationStopped},
		{step: "domain verified", kept: true, outcome: push.DomainVerified},
		{step: "domain verified", crash: true, kept: true, outcome: push.DomainVerified},
	} {
		t.Run(fmt.Sprintf("%s/crash=%t", c.step, c.crash), func(t *testing.T) {
			eachProver(t, func(t *testing.T, p *prover, _ *provider) {
				token := p.token(t)
				p.refuse = c.step == "told"
				p.fault = func(step string) error {
					switch {
					case step != c.step:
						return nil
					case c.crash:
						panic(errFault)
					}
					return errFault
				}
				if proven, crashed, err := p.confirm(t.Context(), token, keyOne); crashed != c.crash || !c.crash &&
					!errors.Is(err, errFault) {
					t.Fatal(proven, crashed, err)
				}
				if slices.Contains(p.told, "refused") && c.kept {
					t.Errorf("the ledger is told %q of a domain that is verified", p.told)
				}
				p = p.again(t)
				verified, signing := p.standing(t)
				if (verified == 1) != c.kept || (len(signing) == 1) != c.kept {
					t.Errorf("%d domains are verified, and %q sign", verified, signing)
				}
				all, err := p.tenants.Challenges.List(t.Context(), p.domain, 10)
				if err != nil || len(all) != 1 || all[0].State(time.Now()) != c.outcome {
					t.Errorf("%+v, %v, want %s", all, err, c.outcome)
				}
				if proven, _, err := p.confirm(t.Context(), token, keyOne); err != nil || proven.Verified ||
					!strings.HasPrefix(proven.Reason, identity.TokenUsed+": ") {
					t.Errorf("the same token again: %+v, %v", proven, err)
				}
				proven, _, err := p.confirm(t.Context(), p.token(t), keyOne)
				if err != nil || !proven.Verified || c.kept && proven.KeyID != signing[0] {
					t.Fatalf("another token: %+v, %v", proven, err)
				}
				if verified, signing := p.standing(t); verified != 1 || len(signing) != 1 ||
					signing[0] != proven.KeyID {
					t.Errorf("%d domains are verified, and %q sign, which should be %s", verified, signing,
						proven.KeyID)
				}
			})
		})
	}
}

// TestWhatHappensWhileADomainIsLookedAt does things between the question to the domain and what is
// kept of it.
func TestWhatHappensWhileADomainIsLookedAt(t *testing.T) {
	t.Parallel()
	eachProver(t, func(t *testing.T, p *prover, at *provider) {
		meanwhile := func(do func()) {
			var done atomic.Bool
			lists := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				if !done.Swap(true) { // what is done may ask for it itself
					do()
				}
				at.list(w, "exchange.example.com")
			})
			at.listing.Store(&lists)
		}
		// Whoever asked goes away: it is looked at to the end.
		ctx, gone := context.WithCancel(t.Context())
		meanwhile(gone)
		if proven, _, err := p.confirm(ctx, p.token(t), keyOne); err != nil || !proven.Verified {
			t.Errorf("without who asked: %+v, %v", proven, err)
		}
		// Another challenge is met in between: one key signs.
		meanwhile(func() {
			if proven, _, err := p.confirm(t.Context(), p.token(t), keyTwo); err != nil || !proven.Verified {
				t.Errorf("in between: %+v, %v", proven, err)
			}
		})
		proven, _, err := p.confirm(t.Context(), p.token(t), strings.Repeat("0c", 32))
		if err != nil || !proven.Verified {
			t.Errorf("around another: %+v, %v", proven, err)
		}
		if verified, signing := p.standing(t); verified != 1 || !slices.Equal(signing, []string{proven.KeyID}) {
			t.Errorf("%d domains are verified, and %q sign, which should be %s", verified, signing, proven.KeyID)
		}
		// The domain is given to another: neither it nor the key is kept for whoever had it.
		before, _ := p.keys.List(t.Context())
		meanwhile(func() {
			p.own(t, "acme", "elsewhere.example")
			p.own(t, "other", p.domain)
		})
		proven, _, err = p.confirm(t.Context(), p.token(t), strings.Repeat("0d", 32))
		if err != nil || proven.Verified || !strings.HasPrefix(proven.Reason, identity.DomainMoved+": ") {
			t.Errorf("of a domain that is another's: %+v, %v", proven, err)
		}
		if verified, _ := p.standing(t); verified != 0 {
			t.Error("the domain is verified for another")
		}
		if after, _ := p.keys.List(t.Context()); len(after) != len(before) {
			t.Errorf("%d keys became %d", len(before), len(after))
		}
	})
}

// TestTheSecondLookHasItsOwnTricks answers the token as it should, and ramp.json as it should not:
// the domain is not verified by half.
func TestTheSecondLookHasItsOwnTricks(t *testing.T) {
	t.Parallel()
	at := openProvider(t)
	p := openProver(t, storetest.OpenSQLite(t, content.Schema, push.Schema, identity.DeliverySchema), t.TempDir(),
		at.domain)
	elsewhere := openProvider(t)
	for _, trick := range []struct {
		name, reason string
		does         http.HandlerFunc
	}{
		{"names another Exchange", identity.ManifestNotListing, func(w http.ResponseWriter, _ *http.Request) {
			at.list(w, "other.example")
		}},
		{"names one that ends so", identity.ManifestNotListing, func(w http.ResponseWriter, _ *http.Request) {
			at.list(w, "not-exchange.example.com")
		}},
		{"has none", identity.ManifestNotListing, http.NotFound},
		{"fails", identity.ManifestSilent, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) }},
		{"has no JSON", identity.ManifestSilent, func(w http.ResponseWriter, _ *http.Request) {
			io.WriteString(w, "exchange.example.com")
		}},
		{"leads elsewhere", identity.ManifestSilent, func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://"+elsewhere.domain+r.URL.Path, http.StatusFound)
		}},
		{"has too much", identity.ManifestSilent, func(w http.ResponseWriter, _ *http.Request) {
			w.Write([]byte(strings.Repeat(" ", requesters.AgentBytes)))
			at.list(w, "exchange.example.com")
		}},
		{"breaks off", identity.ManifestSilent, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "10000")
			at.list(w, "exchange.example.com")
			panic(http.ErrAbortHandler)
		}},
		{"never ends", identity.ManifestSilent, func(w http.ResponseWriter, r *http.Request) {
			at.list(w, "exchange.example.com")
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}},
	} {
		at.listing.Store(&trick.does)
		proven, _, err := p.confirm(t.Context(), p.token(t), keyOne)
		if err != nil || proven.Verified || !strings.HasPrefix(proven.Reason, trick.reason+": ") ||
			strings.Contains(proven.Reason, "other.example") {
			t.Errorf("a domain whose ramp.json %s: %+v, %v, want %s", trick.name, proven, err, trick.reason)
		}
	}
	if verified, signing := p.standing(t); verified != 0 || len(signing) != 0 {
		t.Errorf("%d domains are verified, and %q sign", verified, signing)
	}
}
