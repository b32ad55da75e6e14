package load

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"frontdesk/internal/infra/store"
	"frontdesk/internal/testkit/process"
	"frontdesk/internal/testkit/storetest"
	"frontdesk/wire/ramp"
	rampv1 "frontdesk/wire/ramp/v1"
	"frontdesk/wire/sign"
)

const (
	pushing   = "/ramp.v1.CatalogService/PushResources"
	pushers   = 4  // that push at the same time
	rehearsed = 50 // batches that are made before they are pushed, so that making them is not counted
)

// BenchmarkPush pushes entries into the catalog of the running program over sockets, in batches of
// a thousand from four connections, without attestations and with one each, as binary of Connect
// and as gRPC; meanwhile somebody asks for an offer every 20 ms. FRONTDESK_PUSH is how many entries
// (10,000 without), FRONTDESK_PUSH_STORE the store where that is not SQLite in a folder:
//
//	FRONTDESK_PUSH=1000000 go test ./test/load -run xxx -bench Push -benchtime 1x -timeout 1h
//
// The floor is what nobody can leave out, by as many hands in the process of the test: reading each
// message, Ed25519 over each attestation's size, and an insert of rows of the entries' size, one
// durable transaction a batch. "x-floor" says how many times the floor's time the whole took,
// "late" how many of the questions were answered as temporarily unavailable, since the deadline had
// come; any other answer without the offer fails. The client is on the same processors. Of all that
// was pushed, all must be there after a restart.
func BenchmarkPush(b *testing.B) {
	entries, _ := strconv.Atoi(os.Getenv("FRONTDESK_PUSH"))
	if entries == 0 {
		entries = 10_000
	}
	for _, attested := range []bool{false, true} {
		for _, grpc := range []bool{false, true} {
			name := map[bool]string{false: "plain", true: "attested"}[attested] + "/" +
				map[bool]string{false: "connect", true: "grpc"}[grpc]
			b.Run(name, func(b *testing.B) {
				for range b.N {
					newPushed(b, attested, grpc).run(b, entries)
				}
			})
		}
	}
}

// TestPushesOfManyAreTaken is the benchmark in short, without its figures: what was pushed is there
// after a restart.
//
// Not parallel: it measures what the process takes.
func TestPushesOfManyAreTaken(t *testing.T) {
	for _, grpc := range []bool{false, true} {
		newPushed(t, grpc, grpc).run(t, 2500)
	}
}

// pushed is a running program into which a provider pushes.
type pushed struct {
	server         *process.Server
	config, domain string
	attested, grpc bool
	http           *http.Client
	spent, floor   time.Duration
	db             *store.DB // of the floor
	asked          []time.Duration
	// questions that were answered, as the answer said, without what did not come within the
	// deadline
	late int
}

func pushKey(n byte) ed25519.PrivateKey {
	return ed25519.NewKeyFromSeed(bytes.Repeat([]byte{n}, ed25519.SeedSize))
}

func newPushed(b testing.TB, attested, grpc bool) *pushed {
	b.Helper()
	provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/.well-known/ramp-verifier.json" {
			http.NotFound(w, r)
			return
		}
		fmt.Fprintf(w, `{"verifier":%q,"name":"V","keys":[{"kid":"k1","algorithm":"ed25519","public_key":%q}]}`, r.Host, base64.StdEncoding.EncodeToString(pushKey(2).Public().(ed25519.PublicKey)))
	}))
	b.Cleanup(provider.Close)
	p := &pushed{attested: attested, grpc: grpc, domain: strings.TrimPrefix(provider.URL, "http://")}
	transport := &http.Transport{Protocols: new(http.Protocols), MaxIdleConnsPerHost: pushers + 1}
	transport.Protocols.SetHTTP1(!grpc)
	transport.Protocols.SetUnencryptedHTTP2(grpc)
	p.http = &http.Client{Transport: transport}
	b.Cleanup(transport.CloseIdleConnections)
	folder := b.TempDir()
	p.config = filepath.Join(folder, "frontdesk.yaml")
	text := fmt.Sprintf("listen: 127.0.0.1:0\ndata: %s\nmetrics: {listen: \"off\"}\nlog: {level: warn}\n"+
		"fetch: {allow: [127.0.0.0/8]}\nsite: {name: Own, url: \"https://own.example\"}\n"+
		"ramp: {enabled: true, domain: exchange.example.com, requester_rate: \"\", signatures: none}\n",
		filepath.Join(folder, "data"))
	if dsn := os.Getenv("FRONTDESK_PUSH_STORE"); dsn != "" {
		text += fmt.Sprintf("store: %q\n", dsn)
	}
	if err := os.WriteFile(p.config, []byte(text), 0o600); err != nil {
		b.Fatal(err)
	}
	process.MustRun(b, "ramp", "tenant", "add", "acme", "--config", p.config, "--domain", p.domain, "--price", "0.02",
		"--currency", "USD", "--form", "ed25519", "--at", "https://cdn.acme.example",
		"--caller", "acme-cms", "--key", base64.StdEncoding.EncodeToString(pushKey(1).Public().(ed25519.PublicKey)))
	process.MustRun(b, "ramp", "requester", "add", "--config", p.config, "--key",
		base64.StdEncoding.EncodeToString(buyerKey().Public().(ed25519.PublicKey)), buyerDomain, buyerName)
	p.server = process.Start(b, "serve", "--config", p.config)
	p.db = storetest.Open(b, filepath.Join(b.TempDir(), "floor.db"), store.Schema{ID: "floor", Steps: []string{`CREATE TABLE floor (address {{text}} NOT NULL PRIMARY KEY, entry {{bytes}}, attested {{bytes}})`}})
	return p
}

// batch is what one request pushes.
type batch struct {
	body    []byte
	entries []*rampv1.ResourceEntry
}

func (p *pushed) run(b testing.TB, entries int) {
	p.push(b, []batch{p.made(b, entries, 1)}) // connections, keys and the verifier's document are there
	first := fmt.Sprintf("https://%s/2026/07/story-%d", p.domain, entries)
	quiet := p.ask(b, first, 100)
	p.spent, p.floor, p.asked, p.late = 0, 0, nil, 0
	before := p.server.CPU(b)
	for from := 0; from < entries; from += rehearsed * ramp.MaxEntries {
		var all []batch
		for at := from; at < min(from+rehearsed*ramp.MaxEntries, entries); at += ramp.MaxEntries {
			all = append(all, p.made(b, at, min(ramp.MaxEntries, entries-at)))
		}
		stop := make(chan struct{})
		var asking sync.WaitGroup
		asking.Go(func() { p.asked = append(p.asked, p.askUntil(b, first, stop)...) })
		began := time.Now()
		p.push(b, all)
		p.spent += time.Since(began)
		close(stop)
		asking.Wait()
		began = time.Now()
		p.least(b, all)
		p.floor += time.Since(began)
	}
	used := p.server.CPU(b) - before
	late := p.late
	memory := float64(p.server.RSS(b))
	p.server.End(b)
	p.server = process.StartWithin(b, 5*time.Minute, "serve", "--config", p.config)
	for i := 0; i < entries; i += max(1, entries/100) {
		if n := p.offers(b, fmt.Sprintf("https://%s/2026/07/story-%d", p.domain, i)); n != 1 {
			b.Fatalf("there are %d offers of what was pushed as number %d", n, i)
		}
	}
	if p.late > late {
		b.Errorf("%d of the questions after the restart were answered too late", p.late-late)
	}
	bench, ok := b.(*testing.B)
	if !ok {
		return
	}
	bench.ReportMetric(float64(entries)/p.spent.Seconds(), "entries/s")
	bench.ReportMetric(float64(entries)/used.Seconds(), "entries/cpu-s")
	bench.ReportMetric(p.spent.Seconds()/p.floor.Seconds(), "x-floor")
	bench.ReportMetric(memory/(1<<20), "MiB")
	slices.Sort(quiet)
	slices.Sort(p.asked)
	bench.ReportMetric(quiet[len(quiet)/2].Seconds()*1e3, "ms/discover")
	if n := len(p.asked); n > 0 {
		bench.ReportMetric(p.asked[n/2].Seconds()*1e3, "ms/discover-meanwhile")
		bench.ReportMetric(p.asked[n*99/100].Seconds()*1e3, "ms/discover-meanwhile-p99")
		bench.ReportMetric(float64(late), "late")
	}
	bench.ReportMetric(0, "ns/op")
}

// made makes a batch of entries from a number on.
func (p *pushed) made(b testing.TB, from, n int) batch {
	b.Helper()
	m := &rampv1.PushResourcesRequest{TenantId: "acme", CallerId: "acme-cms", Entries: make([]*rampv1.ResourceEntry, n)}
	var making errgroup.Group
	for i := range m.Entries {
		making.Go(func() (err error) {
			m.Entries[i], err = p.entry(from + i)
			return err
		})
	}
	if err := making.Wait(); err != nil {
		b.Fatal(err)
	}
	body, err := proto.Marshal(m)
	if err != nil {
		b.Fatal(err)
	}
	if p.grpc {
		body = append(binary.BigEndian.AppendUint32([]byte{0}, uint32(len(body))), body...)
	}
	return batch{body, m.Entries}
}

func (p *pushed) entry(i int) (*rampv1.ResourceEntry, error) {
	path, title, hash := fmt.Sprintf("/2026/07/story-%d", i), fmt.Sprintf("A story about something, number %d", i),
		fmt.Sprintf("%064x", i)
	e := &rampv1.ResourceEntry{Domain: p.domain, Path: path, Title: &title, WordCount: proto.Int32(int32(500 + i%1000)),
		ContentHash: &hash, HashMethod: proto.String("sha256")}
	if !p.attested {
		return e, nil
	}
	claims, err := structpb.NewStruct(
		map[string]any{"content_hash": "sha256:" + hash, "word_count": 500 + i%1000, "language": "en"})
	if err != nil {
		return nil, err
	}
	a := &rampv1.ResourceAttestation{Verifier: p.domain, Kid: "k1",
		AttestedAt: timestamppb.New(time.Now().Truncate(time.Second)), Uri: "https://" + p.domain + path,
		Claims: claims}
	e.Attestations = []*rampv1.ResourceAttestation{a}
	return e, ramp.SignAttestation(a, pushKey(2))
}

// push pushes batches from several connections, and wants all entries to be taken.
func (p *pushed) push(b testing.TB, all []batch) {
	b.Helper()
	var group errgroup.Group
	group.SetLimit(pushers)
	for _, one := range all {
		group.Go(func() error { return p.send(one) })
	}
	if err := group.Wait(); err != nil {
		b.Fatal(err)
	}
}

func (p *pushed) send(one batch) error {
	r, err := http.NewRequest("POST", p.server.URL+pushing, bytes.NewReader(one.body))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/proto")
	if p.grpc {
		r.Header.Set("Content-Type", "application/grpc")
		r.Header.Set("Te", "trailers")
	}
	r.Header.Set(sign.HeaderContentDigest, sign.ContentDigest(one.body))
	input, signature, err := sign.SignHTTP(sign.Request{Method: "POST", Target: r.URL.String(), Header: r.Header},
		sign.SigningParameters{KeyID: "acme-cms", Created: time.Now()}, pushKey(1))
	if err != nil {
		return err
	}
	r.Header.Set(sign.HeaderSignatureInput, input)
	r.Header.Set(sign.HeaderSignatureOfHTTP, signature)
	answer, err := p.http.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s %v", answer.Status, text, err)
	}
	if p.grpc {
		if answer.Trailer.Get("Grpc-Status") != "0" || len(text) < 5 {
			return fmt.Errorf("%v %v", answer.Header, answer.Trailer)
		}
		text = text[5:]
	}
	var got rampv1.PushResourcesResponse
	if err := proto.Unmarshal(text, &got); err != nil || int(got.Accepted) != len(one.entries) {
		return fmt.Errorf("%d of %d entries were taken: %v", got.Accepted, len(one.entries), err)
	}
	return nil
}

// least does with batches what cannot be left out.
func (p *pushed) least(b testing.TB, all []batch) {
	b.Helper()
	message := bytes.Repeat([]byte{'m'}, 300)
	signature := ed25519.Sign(pushKey(1), message)
	public := pushKey(1).Public().(ed25519.PublicKey)
	var group errgroup.Group
	group.SetLimit(pushers)
	for _, one := range all {
		group.Go(func() error {
			body := one.body
			if p.grpc {
				body = body[5:]
			}
			m := &rampv1.PushResourcesRequest{}
			if err := proto.Unmarshal(body, m); err != nil {
				return err
			}
			var wrong atomic.Bool
			for _, e := range m.Entries {
				for range e.Attestations {
					if !ed25519.Verify(public, message, signature) {
						wrong.Store(true)
					}
				}
			}
			if wrong.Load() {
				return fmt.Errorf("a signature does not hold")
			}
			return p.db.Update(context.Background(), func(tx *store.Tx) error {
				for i, e := range m.Entries {
					var attested []byte
					if len(e.Attestations) > 0 {
						attested = one.body[:min(len(one.body), 350)]
					}
					err := tx.ExecOne(context.Background(),
						`INSERT INTO floor (address, entry, attested) VALUES ($1, $2, $3)`, e.Domain+e.Path, one.body[i:min(i+200, len(one.body))], attested)
					if err != nil {
						return err
					}
				}
				return nil
			})
		})
	}
	if err := group.Wait(); err != nil {
		b.Fatal(err)
	}
}

// offers says how many offers there are of what is at an address.
func (p *pushed) offers(b testing.TB, address string) int {
	body := fmt.Sprintf(`{"ver":"1.0","id":"q","requester":%s}`, buyer(`["`+address+`"]`))
	answer, err := http.Post(p.server.URL+discover, "application/json", strings.NewReader(body))
	if err != nil {
		b.Error(err)
		return 0
	}
	defer answer.Body.Close()
	text, _ := io.ReadAll(answer.Body)
	if answer.StatusCode != http.StatusOK {
		b.Errorf("%s: %s", answer.Status, text)
	}
	n := bytes.Count(text, []byte(`"offer_id"`))
	if n == 0 && bytes.Contains(text, []byte(`"OFFER_ABSENCE_REASON_TEMPORARILY_UNAVAILABLE"`)) {
		p.late++
		return 1
	}
	if n == 0 {
		b.Logf("%.500s", text)
	}
	return n
}

// ask asks for an offer so many times, and says how long each took.
func (p *pushed) ask(b testing.TB, address string, times int) (all []time.Duration) {
	for range times {
		began := time.Now()
		if n := p.offers(b, address); n != 1 {
			b.Errorf("there are %d offers of what was pushed first", n)
		}
		all = append(all, time.Since(began))
	}
	return all
}

// askUntil asks every 20 ms until it is told to stop.
func (p *pushed) askUntil(b testing.TB, address string, stop <-chan struct{}) (all []time.Duration) {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-stop:
			return all
		case <-tick.C:
			all = append(all, p.ask(b, address, 1)...)
		}
	}
}
