package exchange_test

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"frontdesk/internal/identity/requesters"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/licensing/attestation"
	"frontdesk/internal/licensing/catalog/push"
	"frontdesk/internal/licensing/exchange"
	"frontdesk/internal/policy"
	"frontdesk/internal/testkit/contenttest"
	"frontdesk/internal/testkit/saletest"
	"frontdesk/internal/testkit/storetest"
	"frontdesk/wire/ramp"
	rampv1 "frontdesk/wire/ramp/v1"
	"frontdesk/wire/sign"
)

// supplier is a process of an Exchange that sells what is pushed for the tenant acme.
type supplier struct {
	*dealer
	// it may not know yet what was pushed last, and then offers what it knows without what was
	// attested of that
	behind bool
}

const acmeHost = "www.acme.example"

var (
	verifierKey = ed25519.NewKeyFromSeed([]byte(strings.Repeat("v", ed25519.SeedSize)))
	third       = &requesters.PushClient{ID: "third", Domain: "third.example", Tenants: []string{"acme"}}
)

// ownKeys is the provider that attests its own content.
type ownKeys struct{}

func (ownKeys) Keys(context.Context, string, bool) ([]ramp.Key, error) {
	return []ramp.Key{{ID: "k1", Public: verifierKey.Public().(ed25519.PublicKey), From: time.Unix(1, 0),
		Active: true}}, nil
}

// supplierOn is a process over a database that may hold something already.
func supplierOn(t testing.TB, db *store.DB) *supplier {
	t.Helper()
	s := &supplier{dealer: dealerOn(t, db, t.TempDir())}
	s.Selling = &exchange.OfferPolicy{Validity: 5 * time.Minute, ReportingWindow: 24 * time.Hour, Currency: "USD"}
	s.Attested = &attestation.Checker{Verifiers: ownKeys{}, Now: s.Clock.Now}
	s.TenantTerms = contenttest.Terms(t, "", policy.Rule{Access: policy.Licensed, Price: cent})
	s.TenantOutlet = &exchange.Outlet{Name: "cdn", At: "https://cdn.acme.example",
		Keys: func(context.Context) ([]sign.URLKey, error) {
			return []sign.URLKey{saletest.AddressKey("one")}, nil
		}}
	if s.Tenants.Get("acme") == nil {
		if _, _, err := s.Tenants.Put(t.Context(), push.Tenant{ID: "acme", Domains: []string{acmeHost}}); err != nil {
			t.Fatal(err)
		}
	}
	s.Reopen(t, "site")
	s.Update(t)
	return s
}

// pusher pushes entries at addresses that are its own, one request at a time, and writes down what
// it was told, with the moments at which that was.
type pusher struct {
	*supplier
	t    *testing.T
	by   *requesters.PushClient
	base string
	now  func() int

	requests []*pushRequest
	states   []map[int]int // versions by place, after so many requests
}

// pushRequest is a request: entries of one version, or removals.
type pushRequest struct {
	moments
	withdraws bool
	places    []int
	version   int
	strays    int // entries beside them that are refused
	failures  int // how often it was told that it failed
}

const pushPlaces = 16

// pushers are a provider's program and a contributor's, and another of the provider's.
func (s *supplier) pushers(t *testing.T, now func() int) (all []*pusher) {
	for i, by := range []*requesters.PushClient{acme, third, acme} {
		all = append(all, &pusher{supplier: s, t: t, by: by, base: fmt.Sprint("/", i), now: now,
			states: []map[int]int{{}}})
	}
	return all
}

// path is that of a place, and asked an address that it stands for.
func (p *pusher) path(place int) (path, asked string) {
	switch place % 4 {
	case 2:
		path = fmt.Sprintf("%s/%d/*", p.base, place)
	case 3:
		path = fmt.Sprintf("%s/*/of-%d", p.base, place)
	default:
		path = fmt.Sprintf("%s/%d", p.base, place)
	}
	return path, strings.Replace(path, "*", "x", 1)
}

// attests says whether what is at a place is attested.
func attests(place int) bool { return place%4 == 0 }

func (p *pusher) entry(place, version int) exchange.PushedEntry {
	path, _ := p.path(place)
	one := exchange.PushedEntry{Domain: acmeHost, Path: path,
		Entry: push.Entry{Title: fmt.Sprint("version ", version), Words: int64(version)}}
	if attests(place) {
		a := &rampv1.ResourceAttestation{
			Verifier: acmeHost, Kid: "k1", AttestedAt: timestamppb.New(p.Clock.Now()),
			Uri: "https://" + acmeHost + path,
			Claims: &structpb.Struct{Fields: map[string]*structpb.Value{"word_count": structpb.NewNumberValue(
				float64(version))}},
		}
		if err := ramp.SignAttestation(a, verifierKey); err != nil {
			p.t.Error(err)
		}
		one.Attestations = []*rampv1.ResourceAttestation{a}
	}
	return one
}

// on is what a request makes of what there was.
func (r *pushRequest) on(has map[int]int) map[int]int {
	after := maps.Clone(has)
	for _, place := range r.places {
		if delete(after, place); !r.withdraws {
			after[place] = r.version
		}
	}
	return after
}

// counts is by how much a request moves what the shelf counts, where it changes what there was.
func (r *pushRequest) counts(has map[int]int) (revisions, refused int) {
	if r.withdraws {
		for _, place := range r.places {
			if has[place] > 0 {
				return 1, 0
			}
		}
		return 0, 0
	}
	return 1, r.strays
}

// next makes the n-th request up.
func (p *pusher) next(n int) *pushRequest {
	r := &pushRequest{withdraws: n%4 == 3, version: n + 1, strays: n % 2}
	for i := range 3 + n%5 {
		r.places = append(r.places, (n*5+i)%pushPlaces)
	}
	return r
}

// send sends a request, and says what is wrong with its answer; there is what it may find.
func (p *pusher) send(r *pushRequest, there map[int]int) error {
	if r.withdraws {
		var paths []string
		has := 0
		for _, place := range r.places {
			path, _ := p.path(place)
			paths = append(paths, path)
			if there[place] > 0 {
				has++
			}
		}
		removed, err := p.Suppliers.Withdraw(p.t.Context(), p.by, "acme", paths)
		if err == nil && removed != has && !(r.failures > 0 && removed == 0) {
			p.t.Errorf("%d of %d were removed", removed, has)
		}
		return err
	}
	n := len(r.places)
	accepted, rejected, err := p.Suppliers.Push(p.t.Context(), p.by, "acme", n+r.strays,
		func(i int) exchange.PushedEntry {
			if i < n {
				return p.entry(r.places[i], r.version)
			}
			return exchange.PushedEntry{Domain: "other.example", Path: "/stray"}
		})
	if err == nil && (accepted != n || rejected != r.strays) {
		p.t.Errorf("of %d and %d strays %d were taken, and %d refused", n, r.strays, accepted, rejected)
	}
	return err
}

// does sends the n-th request until it is answered, and no more often than tries says.
func (p *pusher) does(n, tries int) {
	r := p.next(n)
	r.begun = p.now()
	p.requests = append(p.requests, r)
	there := p.states[len(p.states)-1]
	p.states = append(p.states, r.on(there))
	for range tries {
		err := p.send(r, there)
		if err == nil {
			r.told = p.now()
			return
		}
		if r.failures++; r.failures == tries && tries > 1 {
			p.t.Errorf("request %d of %s is never answered: %v", n, p.base, err)
		}
	}
}

func titled(title string) (version int) {
	fmt.Sscanf(title, "version %d", &version)
	return version
}

// offered is what a process offers of a pusher's places.
func (s *supplier) offered(t *testing.T, p *pusher) map[int]int {
	t.Helper()
	got := map[int]int{}
	for place := range pushPlaces {
		_, asked := p.path(place)
		groups, err := s.Discover(t.Context(), asking("https://"+acmeHost+asked),
			func(o *exchange.OfferDraft) (document, signature []byte, err error) {
				version := titled(o.Package.Title)
				var attested, want []int
				for _, a := range o.Attested {
					attested = append(attested, int(a.Claims.Fields["word_count"].GetNumberValue()))
				}
				if attests(place) {
					want = []int{version}
				}
				if !slices.Equal(attested, want) && (len(attested) > 0 || !s.behind) {
					t.Errorf("version %d of %s is attested as %v", version, asked, attested)
				}
				return plainly(o)
			})
		if err != nil {
			t.Fatal(err)
		}
		if len(groups[0].Offers) > 0 {
			got[place] = titled(groups[0].Offers[0].Package.Title)
		}
	}
	return got
}

// counted is what the shelf of the tenant has counted, and how many of its entries have stars:
// those that are there, and those that count.
func (s *supplier) counted(t *testing.T) (revision, refused, stars, counting int) {
	t.Helper()
	for tries := 0; ; tries++ {
		err := s.DB.View(t.Context(), func(tx *store.Tx) error {
			if err := tx.QueryRow(t.Context(), `SELECT COALESCE(MAX(revision), 0), COALESCE(MAX(refused), 0) FROM supply_shelf WHERE tenant = 'acme'`).Scan(&revision, &refused); err != nil {
				return err
			}
			if err := tx.QueryRow(t.Context(), `SELECT COUNT(*) FROM supply_entry WHERE tenant = 'acme' AND entry IS NOT NULL AND address LIKE '%*_%'`).Scan(&stars); err != nil {
				return err
			}
			return tx.QueryRow(t.Context(), `SELECT COUNT(*) FROM supply_pattern WHERE tenant = 'acme'`).Scan(&counting)
		})
		if err == nil {
			return revision, refused, stars, counting
		}
		if tries == 100 {
			t.Fatal(err)
		}
	}
}

// TestAPushThatBreaksOff has each step of a push and of a removal fail, and the process end there:
// all of it is kept, or nothing; what is offered meanwhile is what was there, or what is there; and
// the same request, sent again, makes it so.
func TestAPushThatBreaksOff(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, open func(*testing.T, ...store.Schema) *store.DB) {
		for _, c := range []struct {
			step      string
			crash     bool
			withdraws bool
			kept      bool
		}{
			{step: "push"}, {step: "push", crash: true}, {step: "pushed", kept: true},
			{step: "pushed", crash: true, kept: true},
			{step: "withdraw", withdraws: true}, {step: "withdraw", withdraws: true, crash: true},
			{step: "withdrawn", withdraws: true, kept: true},
			{step: "withdrawn", withdraws: true, crash: true, kept: true},
		} {
			t.Run(fmt.Sprintf("%s/crash=%t", c.step, c.crash), func(t *testing.T) {
				db := open(t, saletest.Schemas...)
				s := supplierOn(t, db)
				p := s.pushers(t, func() int { return 1 })[0]
				first := &pushRequest{places: []int{0, 1, 2, 3, 4}, version: 1, strays: 1}
				if err := p.send(first, nil); err != nil {
					t.Fatal(err)
				}
				before := first.on(map[int]int{})
				r := &pushRequest{withdraws: c.withdraws, places: []int{3, 4, 5, 7, 8}, version: 2, strays: 1,
					failures: 1}
				after := r.on(before)
				s.Fault = func(step string) error {
					switch {
					case step != c.step:
						return nil
					case c.crash:
						panic(errFault)
					}
					return errFault
				}
				err, crashed := error(nil), false
				func() {
					defer func() { crashed = recover() != nil }()
					err = p.send(r, before)
				}()
				if crashed != c.crash || !crashed && !errors.Is(err, errFault) {
					t.Fatal(crashed, err)
				}
				s.Fault = nil
				if s.behind = true; !crashed {
					if got := s.offered(t, p); !maps.Equal(got, before) && !(c.kept && maps.Equal(got, after)) {
						t.Errorf("%v is offered after a failure", got)
					}
				}
				stands := before
				if c.kept {
					stands = after
				}
				next := supplierOn(t, db)
				processes := []*supplier{next}
				if !crashed {
					processes = append(processes, s)
					if _, err := s.Goods.Refresh(t.Context()); err != nil {
						t.Fatal(err)
					}
				}
				s.behind = false
				for _, one := range processes {
					if got := one.offered(t, p); !maps.Equal(got, stands) {
						t.Errorf("%v is offered then, not %v", got, stands)
					}
				}
				revision, refused, stars, counting := next.counted(t)
				more, strays := r.counts(before)
				if !c.kept {
					more, strays = 0, 0
				}
				if revision != 1+more || refused != 1+strays || stars != counting {
					t.Errorf("revision %d, %d refused, %d stars of which %d count", revision, refused, stars, counting)
				}
				p.supplier = next
				if err := p.send(r, stands); err != nil {
					t.Fatal(err)
				}
				if got := next.offered(t, p); !maps.Equal(got, after) {
					t.Errorf("sent again, it makes %v of it, not %v", got, after)
				}
			})
		}
	})
}

// every is a source by which a disk that loses its power keeps all that was not synced, or nothing
// of it.
type every bool

// Uint64 says so to [storetest.Disk.Crash].
func (kept every) Uint64() uint64 {
	if kept {
		return 0
	}
	return math.MaxUint64
}

// TestALossOfPowerKeepsPushesAndOffersThem loses the power at moments all over a run of pushing and
// removing by several at once, with whatever a disk may then have of what was not synced: by
// chance, or all of it, or nothing. What was answered is offered by the next process, to the
// attestation; what was not is so whole or not at all, and a request that was on the disk before
// its answer is there. Sent again, everything comes to be, and is counted once.
func TestALossOfPowerKeepsPushesAndOffersThem(t *testing.T) {
	t.Parallel()
	disk := storetest.NewDisk(t)
	db, err := store.Open(t.Context(),
		store.Config{DSN: filepath.Join(t.TempDir(), "store.DB"), Schemas: saletest.Schemas, Files: disk.Name})
	if err != nil {
		t.Fatal(err)
	}
	s := supplierOn(t, db)
	begin := disk.Now()
	all := s.pushers(t, disk.Now)
	var wait sync.WaitGroup
	for _, p := range all {
		wait.Go(func() {
			for n := range 12 {
				p.does(n, 1)
			}
		})
	}
	wait.Wait()
	end := disk.Now()
	for _, p := range all {
		if got := s.offered(t, p); !maps.Equal(got, p.states[len(p.states)-1]) {
			t.Fatalf("%v is offered, not %v", got, p.states[len(p.states)-1])
		}
	}
	if err := db.Close(); err != nil || t.Failed() {
		t.Fatal(err)
	}
	source := rand.New(rand.NewPCG(7, 1))
	n := storetest.Crashes(t, 24)
	kept := 0
	for i := range n {
		survivesPushes(t, disk, all, begin+(end-begin)*i/n,
			[]*rand.Rand{source, rand.New(every(true)), rand.New(every(false))}[i%3], source)
		// And right before an answer, with everything on the disk that was given to it: that
		// answer's request is there.
		p := all[i%3]
		at := i / 3 % len(p.requests)
		if got := survivesPushes(t, disk, all, p.requests[at].told-1, rand.New(every(true)), source); got != nil &&
			maps.Equal(got[i%3], p.states[at+1]) {
			kept++
		} else {
			t.Errorf("request %d of %s was on the disk, and is lost: %v", at, p.base, got)
		}
		if t.Failed() {
			t.FailNow()
		}
	}
	t.Logf("the power was lost %d times at %d moments; %d requests had no answer, and were kept", 2*n, end-begin, kept)
}

// survivesPushes opens what a loss of power leaves as the next start would, holds it against what
// the pushers wrote down, and has what was not answered be sent again. It gives what was there of
// each pusher.
func survivesPushes(t *testing.T, disk *storetest.Disk, all []*pusher, at int, disks,
	source *rand.Rand) (found []map[int]int) {
	t.Helper()
	folder, err := os.MkdirTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(folder)
	if err := disk.Crash(at, disks, folder); err != nil {
		t.Fatal(err)
	}
	db, err := store.Open(t.Context(), store.Config{DSN: filepath.Join(folder, "store.DB"), Schemas: saletest.Schemas,
		Readers: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	after := supplierOn(t, db)
	revision, refused, stars, counting := after.counted(t)
	wanted, strays := 0, 0
	for _, p := range all {
		told := 0
		for told < len(p.requests) && p.requests[told].told <= at {
			more, refused := p.requests[told].counts(p.states[told])
			wanted, strays = wanted+more, strays+refused
			told++
		}
		got := after.offered(t, p)
		found = append(found, got)
		next := told
		if !maps.Equal(got, p.states[told]) {
			if next++; next == len(p.states) || p.requests[told].begun > at || !maps.Equal(got, p.states[next]) {
				t.Errorf("the power was lost at moment %d, when %d requests of %s were answered: %v is offered, not %v",
					at, told, p.base, got, p.states[told])
				return nil
			}
			more, refused := p.requests[told].counts(p.states[told])
			wanted, strays = wanted+more, strays+refused
		}
		if source.IntN(4) > 0 || told == len(p.requests) {
			continue
		}
		again := *p.requests[told]
		again.failures = 1
		to := *p
		to.supplier = after
		if err := to.send(&again, got); err != nil {
			t.Errorf("sent again after moment %d: %v", at, err)
		} else if then := after.offered(t, p); !maps.Equal(then, p.states[told+1]) {
			t.Errorf("sent again after moment %d, it makes %v of it, not %v", at, then, p.states[told+1])
		}
	}
	if revision != wanted || refused != strays || stars != counting {
		t.Errorf("the power was lost at moment %d: revision %d and %d refused, not %d and %d; %d have stars, and "+
			"%d count", at, revision, refused, wanted, strays, stars, counting)
	}
	return found
}

// TestABrokenConnectionKeepsPushesWhole is what a loss of power is on PostgreSQL: its connections
// are broken off at any step of pushing and removing and between them, also when nobody knows
// whether it was committed, and now and then what was done is not told. Who hears nothing sends it
// again. At any time what is there is what was answered, and a request without an answer whole or
// not at all; in the end all is there, offered, and counted no more often than it was sent.
func TestABrokenConnectionKeepsPushesWhole(t *testing.T) {
	t.Parallel()
	b := storetest.NewBreaker(t)
	db := storetest.Open(t, b.DSN(), saletest.Schemas...)
	s := supplierOn(t, db)
	var steps atomic.Int64
	var late sync.WaitGroup
	const enough = 200 // so that it ends
	s.Fault = func(step string) error {
		switch n := steps.Add(1); {
		case n%7 == 0 && b.Broken() < enough: // while it stands at this step
			b.BreakAll()
		case n%7 == 3 && b.Broken() < enough: // while it goes on
			late.Go(b.BreakAll)
		case n%5 == 0 && (step == "pushed" || step == "withdrawn"):
			return errors.New("the answer was lost")
		}
		return nil
	}
	all := s.pushers(t, func() int { return 0 })
	var wait sync.WaitGroup
	for _, p := range all {
		wait.Go(func() {
			for n := range 16 {
				p.does(n, 100)
			}
		})
	}
	wait.Wait()
	late.Wait()
	s.Fault = nil
	if t.Failed() {
		t.FailNow()
	}
	var err error
	for range 100 { // what was broken off before may show still
		if _, err = s.Goods.Refresh(t.Context()); err == nil {
			break
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	least, most, strays, failures := 0, 0, 0, 0
	for _, p := range all {
		last := p.states[len(p.states)-1]
		for process, of := range map[string]*supplier{"this": s, "another": supplierOn(t, db)} {
			if got := of.offered(t, p); !maps.Equal(got, last) {
				t.Errorf("%v is offered by %s process, not %v", got, process, last)
			}
		}
		for i, r := range p.requests {
			more, refused := r.counts(p.states[i])
			least, most, strays, failures = least+more, most+more*(1+r.failures), strays+refused, failures+r.failures
		}
	}
	revision, refused, stars, counting := s.counted(t)
	if revision < least || revision > most || refused < strays || refused > strays+failures || stars != counting {
		t.Errorf("the shelf is at revision %d, which should be from %d to %d, and has refused %d of %d strays, which "+
			"were sent again %d times; %d have stars, and %d count", revision, least, most, refused, strays, failures,
			stars, counting)
	}
	if b.Broken() < 5 || failures == 0 {
		t.Errorf("%d connections were broken off, and %d answers failed: the test tests nothing", b.Broken(), failures)
	}
	t.Logf("%d connections were broken off, %d answers failed", b.Broken(), failures)
}
