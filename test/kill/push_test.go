package kill

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"frontdesk/internal/testkit/process"
	"frontdesk/wire/ramp"
	rampv1 "frontdesk/wire/ramp/v1"
	"frontdesk/wire/ramp/v1/rampv1connect"
	"frontdesk/wire/sign"
)

// pushKills is how often servers are killed under those who push in the short form.
const pushKills = 15

// TestKilledServersKeepPushesWhole kills servers while a provider and a contributor push, push
// again and remove, by each protocol that there is, and while sites are read anew whose lists are
// poisoned now and then; on PostgreSQL two servers of one database. What was answered before the
// kill stands after it, to the attestation; a request without an answer is there whole or not at
// all, and comes to be when it is sent again; a site has the edition of before or the one that was
// being read, and never some of each. What is offered is what the database has, revisions and
// refusals are counted once for each request, and the ledger holds.
func TestKilledServersKeepPushesWhole(t *testing.T) {
	t.Parallel()
	killOnBoth(t, pushKills, func(t *testing.T, fresh func() string, servers, kills int) {
		seed := uint64(time.Now().UnixNano())
		t.Logf("seed %d", seed)
		x := &supplies{t: t, dsn: fresh(), dir: t.TempDir(), random: rand.New(rand.NewPCG(seed, 2))}
		x.open(servers, seed)
		for i := range kills {
			x.round(i)
			if t.Failed() {
				t.Fatalf("after %d kills", i+1)
			}
		}
		x.close()
		t.Logf("%d kills; %d requests were told of, %d were not, of which %d had been kept; "+
			"the sites were read anew %d times", kills, x.told.Load(), x.doubts, x.kept, x.turns())
		if x.told.Load() < int64(kills) {
			t.Error("too little was told: nothing was tested")
		}
	})
}

// supplies is a series of kills of the servers of one database, for which others push.
type supplies struct {
	t        *testing.T
	dsn, dir string
	configs  []string
	servers  []*process.Server
	random   *rand.Rand
	provider *httptest.Server // of the tenant acme, whose content it attests
	sites    []*shop
	pushers  []*pusher
	reader   *pusher // has sites read anew
	buyer    *buyer

	told atomic.Int64 // requests

	mu sync.Mutex
	// What the shelf of acme has counted: at the least, and at the most, where nobody knows whether
	// a request was kept.
	revisions, refusals [2]int
	doubts, kept        int // requests without an answer, and those of them that were there
}

const tenant = "acme"

// domain is that of the tenant.
func (x *supplies) domain() string { return strings.TrimPrefix(x.provider.URL, "http://") }

// open sets everything up, and starts the servers.
func (x *supplies) open(servers int, seed uint64) {
	t := x.t
	verifier := newBuyer(t, "v.example").key
	x.provider = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/.well-known/ramp.json":
			fmt.Fprintf(w, `{"ver":"1.0","provider":%q,"exchanges":[],"catalog_contributors":[{"domain":"third.example","relationship":"verifier"}]}`, r.Host)
		case "/.well-known/ramp-verifier.json":
			fmt.Fprintf(w, `{"verifier":%q,"name":"V","keys":[{"kid":"k1","algorithm":"ed25519","public_key":%q}]}`, r.Host, base64.StdEncoding.EncodeToString(verifier.Public().(ed25519.PublicKey)))
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(x.provider.Close)
	var sites, sources, licences strings.Builder
	for i := range 4 {
		s := newShop(t, fmt.Sprint("shop-", i))
		x.sites = append(x.sites, s)
		fmt.Fprintf(&sites, "  - {id: %s, name: Shop, url: %q}\n", s.id, s.at)
		fmt.Fprintf(&sources, "  - {site: %s, name: list, url: %q, kind: data}\n", s.id, s.server.URL+"/list.json")
		fmt.Fprintf(&licences, "    - {site: %s, url: %q}\n", s.id, s.server.URL+"/")
	}
	for i := range servers {
		config := filepath.Join(x.dir, fmt.Sprintf("node-%d.yaml", i))
		text := fmt.Sprintf(`
listen: 127.0.0.1:0
data: data-%d
keys: keys
store: %q
metrics: {listen: "off"}
url: %s
fetch: {allow: [127.0.0.0/8], interval: 0s}
limits: {rate: {address: "", failures: ""}}
sites:
%ssources:
%slicences:
  from:
%sterms: [{match: {}, access: licensed, functions: {permit: [ai-input]}, price: {model: per_access, rate: "0.02", currency: USD}}]
ramp: {enabled: true, signatures: required, requester_rate: "", measures: {enabled: false}}
`, i, x.dsn, exchangeURL, sites.String(), sources.String(), licences.String())
		if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		x.configs = append(x.configs, config)
	}
	run := func(args ...string) { process.MustRun(t, append(args, "--config", x.configs[0])...) }
	run("ingest")
	x.buyer = newBuyer(t, "buyer.example")
	run("ramp", "requester", "add", "--key", x.buyer.public(t), x.buyer.domain, "bot")
	run("ramp", "tenant", "add", tenant, "--domain", x.domain(), "--price", "0.02", "--currency", "USD", "--form",
		"ed25519", "--at", "https://cdn.acme.example")
	for i, form := range []string{"json", "proto", "grpc", "grpcweb"} {
		p := &pusher{x: x, id: "acme-" + form, form: form, key: newBuyer(t, "x").key, verifier: verifier,
			has: map[int]int{}, random: rand.New(rand.NewPCG(seed, uint64(10+i)))}
		args := []string{"ramp", "caller", "add", p.id, "--tenant", tenant, "--key",
			base64.StdEncoding.EncodeToString(p.key.Public().(ed25519.PublicKey))}
		if form == "grpc" {
			p.author = "third.example"
			args = append(args, "--domain", p.author)
		}
		run(args...)
		x.pushers = append(x.pushers, p)
	}
	x.reader = &pusher{x: x, id: "own-cms", form: "json", key: newBuyer(t, "x").key}
	args := []string{"ramp", "caller", "add", x.reader.id, "--key",
		base64.StdEncoding.EncodeToString(x.reader.key.Public().(ed25519.PublicKey))}
	for _, s := range x.sites {
		args = append(args, "--tenant", s.id)
	}
	run(args...)
	for _, config := range x.configs {
		x.servers = append(x.servers, process.Start(t, "serve", "--config", config))
	}
}

// round lets everybody work, kills a server in the middle of it, looks at what it left, starts it
// again, and has what was not answered sent again.
func (x *supplies) round(n int) {
	t := x.t
	at := x.told.Load()
	enough := at + 1 + x.random.Int64N(40)
	over, reached, idle := make(chan struct{}), make(chan struct{}), make(chan struct{})
	var wait sync.WaitGroup
	var once sync.Once
	for i, p := range x.pushers {
		server := x.servers[i%len(x.servers)]
		wait.Go(func() {
			for goesOn(over) && !t.Failed() {
				lost, err := p.step(server)
				if err != nil {
					t.Error(err)
				}
				if lost != nil || err != nil {
					return
				}
				if x.told.Add(1) >= enough {
					once.Do(func() { close(reached) })
				}
			}
		})
	}
	wait.Go(func() {
		for goesOn(over) && !t.Failed() {
			lost, err := x.reread(x.servers[n%len(x.servers)], x.sites[n%len(x.sites)])
			if err != nil {
				t.Error(err)
			}
			if lost != nil || err != nil {
				return
			}
		}
	})
	go func() { wait.Wait(); close(idle) }()
	select {
	case <-reached:
	case <-idle:
		t.Fatalf("the servers do not answer\n%s", x.servers[0].Log())
	}
	<-time.After(time.Duration(x.random.Int64N(int64(4 * time.Millisecond)))) // anywhere within the requests under way
	victim := x.random.IntN(len(x.servers))
	x.servers[victim].Kill()
	close(over)
	wait.Wait()
	if t.Failed() {
		return
	}
	x.look()
	x.servers[victim] = process.Start(t, "serve", "--config", x.configs[victim])
	for _, p := range x.pushers {
		if p.doubt != nil {
			x.doubts++
			if lost, err := p.send(x.any(), p.doubt); lost != nil || err != nil {
				t.Fatalf("%s, sent again after the kill: %v, %v", p.id, lost, err)
			}
		}
	}
	x.offered(x.servers[victim])
	x.offered(x.servers[(victim+1)%len(x.servers)])
}

// goesOn says whether a channel is open still.
func goesOn(over chan struct{}) bool {
	select {
	case <-over:
		return false
	default:
		return true
	}
}

func (x *supplies) any() *process.Server { return x.servers[x.random.IntN(len(x.servers))] }

// offered waits until a server offers exactly what was pushed: at once where it was told, elsewhere
// within seconds.
func (x *supplies) offered(server *process.Server) {
	var wrong error
	for began := time.Now(); time.Since(began) < time.Minute; <-time.After(20 * time.Millisecond) {
		wrong = nil
		for _, p := range x.pushers {
			var all []int
			for i := range places {
				all = append(all, i)
			}
			if lost, err := p.see(server, all); lost != nil || err != nil {
				wrong = errors.Join(wrong, lost, err)
			}
		}
		if wrong == nil {
			return
		}
	}
	x.t.Errorf("what is offered is not what was pushed: %v", wrong)
}

// close has the sites be read undisturbed, ends the servers, and looks at everything once more.
func (x *supplies) close() {
	t := x.t
	for _, s := range x.sites {
		want := s.turn()
		if poisoned(want) {
			want = s.turn()
		}
		for began := time.Now(); s.seen < want; <-time.After(20 * time.Millisecond) {
			if lost, err := x.reread(x.servers[0], s); lost != nil || err != nil || time.Since(began) > time.Minute {
				t.Fatalf("edition %d of %s is not there, but %d: %v, %v", want, s.id, s.seen, lost, err)
			}
		}
	}
	process.MustRun(t, "ledger", "audit", "--config", x.configs[0])
	for _, server := range x.servers {
		server.End(t)
	}
	x.look()
}

// turns is how many editions the sites had.
func (x *supplies) turns() (n int) {
	for _, s := range x.sites {
		n += s.current()
	}
	return n
}

// shop is a site that has one edition of its list after another, some of which break off.
type shop struct {
	id, at  string // at is the address under which it has its items
	server  *httptest.Server
	edition atomic.Int64
	seen    int  // the last edition that was seen to be there
	begun   bool // the last edition was asked for
}

func newShop(t *testing.T, id string) *shop {
	s := &shop{id: id, at: "https://" + id + ".example"}
	s.edition.Store(1)
	s.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := s.current()
		var text bytes.Buffer
		switch r.URL.Path {
		case "/list.json":
			w.Header().Set("Content-Type", "application/ld+json")
			for i := range itemsOf(n) {
				fmt.Fprintf(&text, `,{"@type":"Article","url":"%s/%d","name":"Item %d of edition %d","articleBody":"What there is to say of it."}`, s.at, i, i, n)
			}
			text.WriteString("]")
			text.Bytes()[0] = '['
		case "/sitemap.xml":
			w.Header().Set("Content-Type", "application/xml")
			text.WriteString(`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:r="https://ramp.dev/sitemap/1.0">`)
			for i := range itemsOf(n) {
				fmt.Fprintf(&text, `<url><loc>%s/%d</loc><r:content><r:tokens>%d</r:tokens></r:content></url>`, s.at, i, n)
			}
			text.WriteString(`</urlset>`)
		default:
			http.NotFound(w, r)
			return
		}
		if poisoned(n) { // it breaks off
			w.Header().Set("Content-Length", fmt.Sprint(text.Len()))
			text.Truncate(text.Len() * 2 / 3)
		}
		_, _ = w.Write(text.Bytes())
	}))
	t.Cleanup(s.server.Close)
	return s
}

func (s *shop) current() int { return int(s.edition.Load()) }

// turn brings out the next edition.
func (s *shop) turn() int { return int(s.edition.Add(1)) }

// itemsOf is how many items an edition has, and poisoned says whether its lists break off.
func itemsOf(edition int) int   { return 24 + edition%5*3 }
func poisoned(edition int) bool { return edition%4 == 3 }

// reread has a site be read anew, and looks whether it sells what it did, or something newer.
func (x *supplies) reread(server *process.Server, s *shop) (lost, err error) {
	if s.begun {
		s.turn()
	}
	answer, failed := x.reader.client(server).RefreshCatalog(context.Background(),
		connect.NewRequest(&rampv1.RefreshCatalogRequest{TenantId: s.id}))
	if lost, err = parted(failed); failed != nil {
		return lost, err
	}
	s.begun = answer.Msg.Started
	all, lost, err := x.buyer.wares(server, s.at+"/0")
	if lost != nil || err != nil {
		return lost, err
	}
	var n, edition int
	if _, err := fmt.Sscanf(all[s.at+"/0"].Package.Title, "Item %d of edition %d", &n, &edition); err != nil ||
		n != 0 || poisoned(edition) || edition > s.current() {
		return nil, fmt.Errorf("%s sells %+v when it has edition %d: %v", s.id, all, s.current(), err)
	}
	if len(x.servers) == 1 && edition < s.seen {
		return nil, fmt.Errorf("%s sells edition %d after %d", s.id, edition, s.seen)
	}
	s.seen = max(s.seen, edition)
	return nil, nil
}

// pusher is a program that pushes entries at addresses that are its own, one request at a time.
type pusher struct {
	x          *supplies
	id, author string
	form       string // in which protocol it speaks
	key        ed25519.PrivateKey
	verifier   ed25519.PrivateKey // of the provider
	random     *rand.Rand

	has     map[int]int // the version at each of its places, as was answered
	version int
	doubt   *pushing // the last request, while it has no answer
}

// places are how many a pusher has.
const places = 40

// pushing is a request: entries of one version, or removals.
type pushing struct {
	remove  bool
	at      []int
	version int
	strays  int // entries beside them that are refused
}

// on is what a request makes of what there was.
func (r *pushing) on(has map[int]int) map[int]int {
	after := maps.Clone(has)
	for _, i := range r.at {
		if delete(after, i); !r.remove {
			after[i] = r.version
		}
	}
	return after
}

// path is that of a place: an address, or one of the kinds of patterns; asked is an address that it
// stands for.
func (p *pusher) path(i int) (path, asked string) {
	switch i % 8 {
	case 5:
		path = fmt.Sprintf("/%s/c%d-*", p.form, i)
		return path, strings.Replace(path, "*", "x", 1)
	case 6:
		path = fmt.Sprintf("/%s/b%d/", p.form, i)
		return path, path + "x"
	case 7:
		path = fmt.Sprintf("/%s/*/p%d", p.form, i)
		return path, strings.Replace(path, "*", "x", 1)
	}
	path = fmt.Sprintf("/%s/%d", p.form, i)
	return path, path
}

// attests says whether what is at a place is attested.
func attests(i int) bool { return i%8 < 3 }

func (p *pusher) title(i, version int) string {
	return fmt.Sprintf("%s %d version %d", p.form, i, version)
}

func (p *pusher) entry(i, version int) (*rampv1.ResourceEntry, error) {
	path, _ := p.path(i)
	e := &rampv1.ResourceEntry{
		Domain: p.x.domain(), Path: path, Title: proto.String(p.title(i, version)),
		WordCount: proto.Int32(int32(version)), ContentHash: proto.String(fmt.Sprintf("%064x", version)),
		HashMethod: proto.String("sha256"),
	}
	if !attests(i) {
		return e, nil
	}
	a := &rampv1.ResourceAttestation{
		Verifier: p.x.domain(), Kid: "k1", AttestedAt: timestamppb.New(time.Now().Truncate(time.Second)),
		Uri: "https://" + p.x.domain() + path, Claims: &structpb.Struct{
			Fields: map[string]*structpb.Value{"word_count": structpb.NewNumberValue(float64(version))},
		},
	}
	e.Attestations = []*rampv1.ResourceAttestation{a}
	return e, ramp.SignAttestation(a, p.verifier)
}

// step makes a request, now and then twice, and looks whether what is offered is what it has made.
func (p *pusher) step(server *process.Server) (lost, err error) {
	r := &pushing{remove: p.random.IntN(4) == 0}
	if !r.remove {
		p.version++
		r.version, r.strays = p.version, p.random.IntN(2)
	}
	from := p.random.IntN(places)
	for i := range 1 + p.random.IntN(20) {
		r.at = append(r.at, (from+i)%places)
	}
	for range 1 + p.random.IntN(5)/4 {
		if lost, err = p.send(server, r); lost != nil || err != nil {
			return lost, err
		}
	}
	return p.see(server, []int{r.at[0], r.at[len(r.at)-1], p.random.IntN(places)})
}

// send sends a request, and holds its answer against what was there.
func (p *pusher) send(server *process.Server, r *pushing) (lost, err error) {
	again := p.doubt != nil // and may have been kept
	p.doubt = r
	client, ctx := p.client(server), context.Background()
	changed := !r.remove
	if r.remove {
		m := &rampv1.RemoveResourcesRequest{TenantId: tenant}
		there := 0
		for _, i := range r.at {
			path, _ := p.path(i)
			m.Paths = append(m.Paths, path)
			if p.has[i] > 0 {
				there++
			}
		}
		answer, failed := client.RemoveResources(ctx, connect.NewRequest(m))
		if failed != nil {
			return parted(failed)
		}
		if removed := int(answer.Msg.Removed); removed != there && !(again && removed == 0) {
			return nil, fmt.Errorf("%s removed %d of %d", p.id, removed, there)
		}
		changed = answer.Msg.Removed > 0
	} else {
		m := &rampv1.PushResourcesRequest{TenantId: tenant, CallerId: p.id}
		for _, i := range r.at {
			e, err := p.entry(i, r.version)
			if err != nil {
				return nil, err
			}
			m.Entries = append(m.Entries, e)
		}
		for range r.strays {
			m.Entries = append(m.Entries, &rampv1.ResourceEntry{Domain: "other.example", Path: "/stray"})
		}
		answer, failed := client.PushResources(ctx, connect.NewRequest(m))
		if failed != nil {
			return parted(failed)
		}
		if int(answer.Msg.Accepted) != len(r.at) || int(answer.Msg.Rejected) != r.strays {
			return nil, fmt.Errorf("%s pushed %d and %d strays, and is told %v", p.id, len(r.at), r.strays, answer.Msg)
		}
	}
	p.x.count(changed, r.strays)
	p.has, p.doubt = r.on(p.has), nil
	return nil, nil
}

// see asks what is offered for places, and holds that it is what was pushed there last.
func (p *pusher) see(server *process.Server, at []int) (lost, err error) {
	uris := map[string]int{}
	for _, i := range at {
		_, asked := p.path(i)
		uris["https://"+p.x.domain()+asked] = i
	}
	all, lost, err := p.x.buyer.wares(server, keys(uris)...)
	if lost != nil || err != nil {
		return lost, err
	}
	for uri, i := range uris {
		version, w := p.has[i], all[uri]
		title, attested := "", ""
		if version > 0 {
			title = p.title(i, version)
		}
		if version > 0 && attests(i) {
			attested = fmt.Sprint(version)
		}
		if w.Package.Title != title || w.attested() != attested {
			return nil, fmt.Errorf("%s is offered as %q, attested %q; it should be %q, attested %q", uri,
				w.Package.Title, w.attested(), title, attested)
		}
	}
	return nil, nil
}

func keys(m map[string]int) (all []string) {
	for key := range m {
		all = append(all, key)
	}
	return all
}

// client speaks to a server in the pusher's form.
func (p *pusher) client(server *process.Server) rampv1connect.CatalogServiceClient {
	options := map[string][]connect.ClientOption{"json": {connect.WithCodec(ramp.Codec{})},
		"grpc": {connect.WithGRPC()}, "grpcweb": {connect.WithGRPCWeb()}}[p.form]
	return rampv1connect.NewCatalogServiceClient(
		&http.Client{Transport: &signing{id: p.id, key: p.key, over: carriers[p.form == "grpc"]}, Timeout: time.Minute},
		server.URL, options...)
}

// carriers carry requests over HTTP/1.1, or over HTTP/2 where that is true.
var carriers = func() map[bool]*http.Transport {
	all := map[bool]*http.Transport{}
	for _, two := range []bool{false, true} {
		all[two] = &http.Transport{Protocols: new(http.Protocols), MaxIdleConnsPerHost: 8}
		all[two].Protocols.SetHTTP1(!two)
		all[two].Protocols.SetUnencryptedHTTP2(two)
	}
	return all
}()

// signing signs requests as RFC 9421 has it, under the address by which the Exchange is known.
type signing struct {
	id   string
	key  ed25519.PrivateKey
	over http.RoundTripper
}

// RoundTrip sends a request with its signature.
func (s *signing) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	r.Body.Close()
	signed := r.Clone(r.Context())
	signed.Body, signed.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	signed.Header.Set(sign.HeaderContentDigest, sign.ContentDigest(body))
	input, signature, err := sign.SignHTTP(sign.Request{Method: r.Method, Target: exchangeURL + r.URL.Path,
		Header: signed.Header}, sign.SigningParameters{KeyID: s.id, Created: time.Now()}, s.key)
	if err != nil {
		return nil, err
	}
	signed.Header.Set(sign.HeaderSignatureInput, input)
	signed.Header.Set(sign.HeaderSignatureOfHTTP, signature)
	return s.over.RoundTrip(signed)
}

// parted says whether a failure is one of the way there and back, or that the server has no time;
// or else what it says.
func parted(failed error) (lost, err error) {
	if failed == nil || connect.IsWireError(failed) && connect.CodeOf(failed) != connect.CodeUnavailable {
		return nil, failed
	}
	return failed, nil
}

// ware is what an offer says of what is offered.
type ware struct {
	Package      struct{ Title string }
	Attestations []struct {
		Claims struct {
			Words float64 `json:"word_count"`
		}
	}
}

func (w ware) attested() string {
	var all []string
	for _, a := range w.Attestations {
		all = append(all, fmt.Sprint(a.Claims.Words))
	}
	return strings.Join(all, " ")
}

// wares asks for offers of addresses, and gives what is offered of those that are in the catalog.
func (b *buyer) wares(server *process.Server, uris ...string) (all map[string]ware, lost, err error) {
	got, lost := b.call(server, "DiscoverResources",
		map[string]any{"ver": "1.0", "id": "q", "requester": b.requester(uris...), "deadline": "10s"})
	if lost != nil {
		return nil, lost, nil
	}
	var answer struct {
		Offers []ware
		Groups []struct {
			URI     string
			Offers  []ware
			Absence string `json:"absence_reason"`
		} `json:"offer_groups"`
	}
	switch err := json.Unmarshal(got.body, &answer); {
	case got.status == http.StatusServiceUnavailable:
		return nil, fmt.Errorf("%s", got.body), nil
	case err != nil || got.status != http.StatusOK:
		return nil, nil, fmt.Errorf("a query is answered with %d %s", got.status, got.body)
	}
	all = map[string]ware{}
	if len(answer.Offers) > 0 {
		all[uris[0]] = answer.Offers[0]
	}
	for _, group := range answer.Groups {
		switch {
		case len(group.Offers) == 1:
			all[group.URI] = group.Offers[0]
		case len(group.Offers) > 1:
			return nil, nil, fmt.Errorf("there are several offers of %s: %s", group.URI, got.body)
		case group.Absence == "OFFER_ABSENCE_REASON_TEMPORARILY_UNAVAILABLE": // the machine is busy
			return b.wares(server, uris...)
		case group.Absence != "OFFER_ABSENCE_REASON_NOT_IN_CATALOG":
			return nil, nil, fmt.Errorf("%s is not offered: %s", group.URI, got.body)
		}
	}
	return all, nil, nil
}
