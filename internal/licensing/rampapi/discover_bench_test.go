package rampapi

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/binary"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"frontdesk/internal/identity/requesters"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/licensing/attestation"
	"frontdesk/internal/licensing/exchange"
	"frontdesk/internal/licensing/transactions"
	wire "frontdesk/wire/ramp"
	rampv1 "frontdesk/wire/ramp/v1"
	"frontdesk/wire/sign"
)

// answered is what is left of an answer for a benchmark.
type answered struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (a *answered) Header() http.Header         { return a.header }
func (a *answered) WriteHeader(status int)      { a.status = status }
func (a *answered) Write(b []byte) (int, error) { return a.body.Write(b) }

// BenchmarkDiscover says what a query for one address costs, beside its floor: the verification of
// the requester's signature, the signature of the offer, and one durable commit, through the same
// store, of a row of the size of the offer's. The door is asked in JSON, without a network; the
// keys of the requester are at hand. At 64 clients both share commits.
func BenchmarkDiscover(b *testing.B) { benchmarkDiscover(b, func(*selling) {}) }

// BenchmarkDiscoverAttested is BenchmarkDiscover of what somebody attests, which the offer tells;
// the floor is the same.
func BenchmarkDiscoverAttested(b *testing.B) {
	benchmarkDiscover(b, func(s *selling) { s.attest("a") })
}

// verifiers are verifiers' keys by domain.
type verifiers map[string][]wire.Key

func (v verifiers) Keys(_ context.Context, domain string, _ bool) ([]wire.Key, error) {
	return v[domain], nil
}

// attest has a verifier attest what is at a path, by a push.
func (s *selling) attest(path string) {
	s.t.Helper()
	ctx, key := s.t.Context(), ed25519.NewKeyFromSeed(bytes.Repeat([]byte{8}, ed25519.SeedSize))
	s.Attested = &attestation.Checker{
		Verifiers: verifiers{"verifier.example": {{ID: "k1", Public: key.Public().(ed25519.PublicKey), Active: true}}},
		Accepted:  func(string) bool { return true },
		Now:       s.time,
	}
	s.Reopen(s.t, "site")
	claims, wrong := structpb.NewStruct(map[string]any{"content_hash": "sha256:" + strings.Repeat("0a", 32),
		"word_count": 600, "language": "en"})
	a := &rampv1.ResourceAttestation{Verifier: "verifier.example", Kid: "k1", AttestedAt: timestamppb.New(s.now),
		Uri: "https://site.example/" + path, Claims: claims}
	if err := errors.Join(wrong, wire.SignAttestation(a, key)); err != nil {
		s.t.Fatal(err)
	}
	n, _, err := s.Suppliers.Push(ctx, &requesters.PushClient{ID: "verifier", Tenants: []string{"site"}}, "site", 1,
		func(int) exchange.PushedEntry {
			return exchange.PushedEntry{Domain: "site.example", Path: "/" + path,
				Attestations: []*rampv1.ResourceAttestation{a}}
		})
	if err != nil || n != 1 {
		s.t.Fatal(n, err)
	}
	if got := s.got(queryFor(path)).Offers[0].Attestations; len(got) != 1 {
		s.t.Fatalf("the offer tells of %d attestations", len(got))
	}
}

func benchmarkDiscover(b *testing.B, prepare func(*selling)) {
	s := newSelling(b)
	private := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{7}, ed25519.SeedSize))
	public := private.Public().(ed25519.PublicKey)
	s.stock(nil, article("a", strings.Repeat("word ", 600)))
	prepare(s)
	s.config.Identify = func(_ context.Context, m *rampv1.Requester, _ requesters.Call) (requesters.Requester, error) {
		payload, err := wire.RequesterPayload(m)
		if err != nil {
			return requesters.Requester{}, err
		}
		signature, err := sign.DecodeSignature(m.GetSignature())
		if err != nil || !ed25519.Verify(public, payload, signature) {
			return requesters.Requester{}, fail.New(fail.Unauthorized, "the signature is wrong")
		}
		return requesters.Requester{Domain: m.GetDomain(), ID: m.GetId(), Signed: requesters.SignedBody}, nil
	}
	q := queryFor("a")
	payload, err := wire.RequesterPayload(q.Requester)
	if err != nil {
		b.Fatal(err)
	}
	signature := ed25519.Sign(private, payload)
	q.Requester.Signature = sign.EncodeSignature(signature)
	body, err := wire.Marshal(q)
	if err != nil {
		b.Fatal(err)
	}
	handler := Handler(s.services(), s.config)
	pool := sync.Pool{New: func() any { return &answered{header: http.Header{}} }}
	discover := func(int64) error {
		a := pool.Get().(*answered)
		defer pool.Put(a)
		clear(a.header)
		a.status = 0
		a.body.Reset()
		r, err := http.NewRequest(http.MethodPost, "http://x.example"+discoverPath, bytes.NewReader(body))
		if err != nil {
			return err
		}
		r.Header.Set("Content-Type", "application/json")
		handler.ServeHTTP(a, r)
		if !bytes.Contains(a.body.Bytes(), []byte(`"exchange_signature"`)) {
			return fmt.Errorf("status %d: %s", a.status, a.body.Bytes())
		}
		return nil
	}
	offer := s.got(q).Offers[0]
	document, err := wire.OfferPayload(offer)
	if err != nil {
		b.Fatal(err)
	}
	var facts int
	if err := s.DB.Update(b.Context(), func(tx *store.Tx) error {
		if err := tx.QueryRow(b.Context(), `SELECT MAX(LENGTH(facts)) FROM deal_offer`).Scan(&facts); err != nil {
			return err
		}
		_, err := tx.Exec(b.Context(), strings.ReplaceAll(`CREATE TABLE floor (id B NOT NULL PRIMARY KEY, facts B NOT NULL, document B NOT NULL, signature B NOT NULL)`, " B ",
			map[string]string{store.SQLite: " BLOB ", store.PostgreSQL: " BYTEA "}[s.DB.Engine()]))
		return err
	}); err != nil {
		b.Fatal(err)
	}
	row := make([]byte, facts)
	ctx := context.Background()
	floor := func(n int64) error {
		if !ed25519.Verify(public, payload, signature) {
			return errors.New("the signature is wrong")
		}
		signed := ed25519.Sign(s.key, document)
		id := make([]byte, 24)
		binary.BigEndian.PutUint64(id, uint64(n))
		return s.DB.Update(ctx, func(tx *store.Tx) error {
			_, err := tx.Exec(ctx, `INSERT INTO floor (id, facts, document, signature) VALUES ($1, $2, $3, $4)`, id, row, document, signed)
			return err
		})
	}
	s.passing.Store(true)
	inTurns(b, s.DB, floor, discover)
	var kept int64
	if err := s.DB.Update(ctx, func(tx *store.Tx) (err error) {
		kept, err = transactions.ForgetOffers(ctx, tx, s.now.Add(time.Hour), 1)
		return err
	}); err != nil || kept == 0 {
		b.Errorf("%d offers were kept, %v", kept, err)
	}
}

// inTurns measures something beside its floor: alone and with 64 clients, in turns, so that what
// else the machine does slows both.
func inTurns(b *testing.B, db *store.DB, floor, do func(int64) error) {
	var n atomic.Int64
	report := func(b *testing.B, spent [2]time.Duration, times int) {
		b.ReportMetric(float64(spent[0].Nanoseconds())/float64(times), "floor-ns/op")
		b.ReportMetric(float64(spent[1].Nanoseconds())/float64(times), "door-ns/op")
		b.ReportMetric(spent[1].Seconds()/spent[0].Seconds(), "times-floor")
	}
	b.Run("alone", func(b *testing.B) {
		var spent [2]time.Duration
		for b.Loop() {
			for i, one := range []func(int64) error{floor, do} {
				began := time.Now()
				if err := one(n.Add(1)); err != nil {
					b.Fatal(err)
				}
				spent[i] += time.Since(began)
			}
		}
		report(b, spent, b.N)
	})
	const clients, each = 64, 8
	b.Run("clients=64", func(b *testing.B) {
		var spent [2]time.Duration
		before := db.Commits()
		for b.Loop() {
			for i, one := range []func(int64) error{floor, do} {
				var all sync.WaitGroup
				began := time.Now()
				for range clients {
					all.Go(func() {
						for range each {
							if err := one(n.Add(1)); err != nil {
								b.Error(err)
								return
							}
						}
					})
				}
				all.Wait()
				spent[i] += time.Since(began)
			}
		}
		report(b, spent, b.N*clients*each)
		b.ReportMetric(float64(db.Commits()-before)/float64(2*b.N*clients*each), "commits/op")
	})
}
