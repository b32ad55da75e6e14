package kill

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
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

	"frontdesk/internal/infra/outbox"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/testkit/process"
	"frontdesk/wire/receipt"
)

// refused is a country that platforms are refused.
const refused = "FR"

// intentKills is how often servers are killed under requests and citations in the short form.
const intentKills = 6

// wrongCount is what a platform adds to the tokens of an answer that it counts wrongly. No answer
// has as many.
const wrongCount = 1_000_000

// TestKilledServersKeepWhatPlatformsWereTold kills servers while several platforms' requests and
// citations are under way, on PostgreSQL two servers of one database. What a platform was told it
// had before the kill is there after it, once, the same and provable with the public key alone;
// what it was not told is there once or not at all, and comes to be when it tries again; and nobody
// can use again what was signed before.
func TestKilledServersKeepWhatPlatformsWereTold(t *testing.T) {
	t.Parallel()
	killOnBoth(t, intentKills, func(t *testing.T, fresh func() string, servers, kills int) {
		killPublisher(t, fresh(), servers, kills)
	})
}

// publisher is a series of kills of the servers of one database.
type publisher struct {
	t        *testing.T
	dsn, dir string
	configs  []string
	servers  []*process.Server
	platform *platform
	sink     *sink
	journal  *journal
	random   *rand.Rand
	last     receipt.Checkpoint // that somebody saw

	answers, citations, counts, denied int // that were acknowledged
	unsure, taken                      int // messages without an answer, and those of them that had been taken
}

func killPublisher(t *testing.T, dsn string, servers, n int) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	p := &publisher{t: t, dsn: dsn, dir: t.TempDir(), random: rand.New(rand.NewPCG(seed, 0)), sink: newSink(t)}
	p.journal = newJournal(t, filepath.Join(p.dir, "journal"))
	p.open(servers)
	for i := range n {
		p.round(i)
		if i%10 == 9 || i == n-1 {
			p.audit()
		}
		if t.Failed() {
			t.Fatalf("after %d kills", i+1)
		}
	}
	p.close()
	t.Logf("%d kills; %d answers, %d citations and %d counts of the platform's own acknowledged; %d requests denied; "+
		"of %d messages that no answer came to, %d had been taken; %d entries in the ledger",
		n, p.answers, p.citations, p.counts, p.denied, p.unsure, p.taken, p.last.Size)
	if p.answers < n || p.citations == 0 || p.counts == 0 || p.denied == 0 {
		t.Error("too little was acknowledged: nothing was tested")
	}
}

// open sets everything up, and starts the servers.
func (p *publisher) open(servers int) {
	t := p.t
	content := filepath.Join(p.dir, "content")
	edition{"amber", 60, 3}.write(t, content)
	rare := edition{"amber", 1, 1}.item(0)
	rare["url"] = "https://kill.example/rare"
	text, err := json.Marshal(rare)
	if err == nil {
		err = os.WriteFile(filepath.Join(content, "rare.json"), text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	for i := range servers {
		config := filepath.Join(p.dir, fmt.Sprintf("node-%d.yaml", i))
		text := fmt.Sprintf(`
listen: 127.0.0.1:0
data: data-%d
keys: keys
store: %q
metrics: {listen: "off"}
log: {level: warn}
site: {id: kill, name: Kill, url: "https://kill.example"}
sources: [{path: content}]
terms:
  - {match: {path: /rare}, access: open, labels: [rare], functions: {permit: [ai-input, search]}}
  - {match: {}, access: open, labels: [items], functions: {permit: [ai-input, search]}}
intent:
  enabled: true
  publisher: {id: kill}
  compliance: {last_updated: "2026-11-22"}
  refuse: {countries: [%s]}
  rate: ""
  sessions: ""
  sinks: [{name: auditor, url: %q}]
`, i, p.dsn, refused, p.sink.URL)
		if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		p.configs = append(p.configs, config)
	}
	process.MustRun(t, "ingest", "--config", p.configs[0])
	var key struct{ ID, Secret string }
	if err := json.Unmarshal(
		[]byte(process.MustRun(t, "keys", "issue", "platform", "chat", "--json", "--config", p.configs[0])), &key,
	); err != nil {
		t.Fatal(err)
	}
	p.platform = &platform{
		id: "chat", key: key.ID, secret: []byte(key.Secret),
		http: &http.Client{Timeout: time.Minute, Transport: &http.Transport{MaxIdleConnsPerHost: 16}},
	}
	for _, config := range p.configs {
		p.servers = append(p.servers, process.Start(t, "serve", "--config", config))
	}
	jwks, err := p.platform.get(p.servers[0], "/.well-known/jwks.json")
	if err != nil {
		t.Fatal(err)
	}
	if p.platform.keys, err = receipt.ParseKeys(jwks.body); err != nil {
		t.Fatalf("%v: %s", err, jwks.body)
	}
	if err := os.WriteFile(p.keyFile(), jwks.body, 0o600); err != nil {
		t.Fatal(err)
	}
}

// keyFile has the public keys, as they were published at the beginning.
func (p *publisher) keyFile() string { return filepath.Join(p.dir, "jwks.json") }

// round lets platforms work, kills servers in the middle of it, starts them again and looks at what
// is left.
func (p *publisher) round(n int) {
	t := p.t
	from := p.journal.length()
	l := &load{platform: p.platform, servers: p.servers, journal: p.journal,
		name: fmt.Sprintf("%d-%d", n, time.Now().UnixNano()), enough: 1 + p.random.Int64N(80)}
	victims := p.victims()
	reached := l.begin(8)
	idle := make(chan struct{})
	go func() { l.wait.Wait(); close(idle) }()
	select {
	case <-reached: // so many answers are acknowledged
	case <-idle:
		t.Fatalf("the servers do not answer: %v, %v\n%s", l.faults, l.lost, p.servers[0].Log())
	}
	<-time.After(time.Duration(p.random.Int64N(int64(4 * time.Millisecond)))) // anywhere within the requests under way
	var wait sync.WaitGroup
	for _, i := range victims {
		wait.Go(p.servers[i].Kill)
	}
	wait.Wait()
	ended := time.Now()
	l.end()
	for _, fault := range l.faults {
		t.Error(fault)
	}
	if l.seen.Size > p.last.Size {
		p.last = l.seen
	}
	for _, i := range victims {
		p.servers[i] = process.Start(t, "serve", "--config", p.configs[i])
	}
	p.check(p.journal.read(t, from), ended)
}

// victims are the servers that are killed: mostly one.
func (p *publisher) victims() []int {
	if len(p.servers) == 1 || p.random.IntN(5) == 0 {
		all := make([]int, len(p.servers))
		for i := range all {
			all[i] = i
		}
		return all
	}
	return []int{p.random.IntN(len(p.servers))}
}

// any is one of the servers: each must know what the others took.
func (p *publisher) any() *process.Server { return p.servers[p.random.IntN(len(p.servers))] }

// check holds that what was acknowledged in a round is there, once, and settles what was not
// acknowledged.
func (p *publisher) check(round []fact, ended time.Time) {
	t := p.t
	if p.last.Size > 0 {
		p.platform.grew(t, p.any(), p.last)
	}
	for _, f := range round {
		if f.Known {
			p.count(f)
			p.refusesAgain(f)
		}
		if f.Denied {
			continue
		}
		if again := p.again(f, ended); !again.Denied {
			p.provable(again)
		}
	}
	after, err := p.platform.checkpoint(p.any())
	if err != nil {
		t.Fatal(err)
	}
	p.last = after
}

func (p *publisher) count(f fact) {
	switch {
	case f.Denied:
		p.denied++
	case f.Count > 0:
		p.counts++
	case f.event():
		p.citations++
	default:
		p.answers++
	}
}

// refusesAgain holds that the nonce of what was answered stays used.
func (p *publisher) refusesAgain(f fact) {
	got, err := p.platform.send(p.any(), f.Message)
	if err != nil {
		p.t.Fatal(err)
	}
	if got.status != http.StatusUnauthorized || !bytes.Contains(got.body, []byte(`"auth_failed"`)) {
		p.t.Errorf("the signed message %s, repeated after the kill, is answered with %d %s", f.ID, got.status, got.body)
	}
}

// again sends a message under a new signature, and holds the answer against what was said before
// the kill.
func (p *publisher) again(before fact, ended time.Time) fact {
	t := p.t
	message := before.Message.sign()
	got, err := p.platform.send(p.any(), message)
	if err != nil {
		t.Fatal(err)
	}
	after, status, at := outcome(before, message, got)
	if !after.Known {
		t.Fatalf("%s, sent again after the kill, is answered with %d %s", before.ID, got.status, got.body)
	}
	if err := p.journal.write(after); err != nil {
		t.Fatal(err)
	}
	if !before.Known {
		p.unsure++
		if status == http.StatusOK && (before.event() || !after.Denied && at.Before(ended)) {
			p.taken++
		}
		return after
	}
	if after.Denied || after.Given != before.Given || after.Entry != before.Entry || after.Event != before.Event ||
		after.Verdict != before.Verdict || status != http.StatusOK {
		t.Errorf("%s was answered with %+v before the kill, and after it with %d %+v", before.ID, before, status, after)
	}
	return after
}

// outcome is what an answer says of a message, whose Known stays false where it is none, and when
// it was first given.
func outcome(f fact, sent message, got *reply) (after fact, status int, at time.Time) {
	after = fact{ID: f.ID, About: f.About, Count: f.Count, Message: sent}
	if f.event() {
		var noted struct{ Status, Entry, Verdict string }
		if json.Unmarshal(got.body, &noted) == nil &&
			(got.status == http.StatusAccepted || got.status == http.StatusOK) {
			want := "agrees"
			if f.Count >= wrongCount {
				want = "differs"
			}
			after.Known, after.Entry, after.Verdict = noted.Entry != "" && noted.Verdict == want, noted.Entry,
				noted.Verdict
		}
		return after, got.status, at
	}
	var a answered
	if got.status != http.StatusOK || json.Unmarshal(got.body, &a) != nil {
		return after, got.status, at
	}
	switch {
	case a.Status == "denied" && a.Denial.Reason == "policy_violation":
		after.Known, after.Denied = true, true
	case a.Status == "ok" && len(a.Citations) > 0:
		citations, _ := json.Marshal(a.Citations)
		sum := sha256.Sum256(append(a.Content, citations...))
		after.Known, after.Given, after.Entry, after.Event = true, hex.EncodeToString(sum[:]), a.entry(),
			a.Extensions.Event
	}
	return after, got.status, a.Timestamp
}

// provable holds that what was acknowledged stands in the ledger, by its receipt and the public key
// alone.
func (p *publisher) provable(f fact) {
	r, _ := p.platform.proven(p.t, p.any(), f.Entry)
	var body struct {
		Event   string `json:"event_id"`
		Tokens  int    `json:"token_count"`
		Verdict string
	}
	if err := json.Unmarshal(r.Entry.Body, &body); err != nil {
		p.t.Fatal(err)
	}
	request, event := f.ID, f.Event
	if f.event() {
		request, event = f.About, f.ID
	}
	if body.Verdict != f.Verdict || f.Count > 0 && body.Tokens != f.Count {
		p.t.Errorf("the receipt of %s says %+v, and the front desk said %s of %d tokens", f.ID, body,
			f.Verdict, f.Count)
	}
	if e := r.Entry; e.ID != f.Entry || e.Kind != f.kind() || e.Request != request || e.Party != "platform:chat" ||
		body.Event != event {
		p.t.Errorf("the receipt of %s, entry %s, is of %+v", f.ID, f.Entry, e)
	}
}

// audit has the ledger derived anew, exported and verified without the database, and counts: what
// was acknowledged is there once, and nothing is there that nobody asked for.
func (p *publisher) audit() {
	t := p.t
	if stdout, stderr, err := process.Run(t, "ledger", "audit", "--config", p.configs[0]); err != nil ||
		!strings.Contains(stdout, "is sound") {
		t.Fatalf("frontdesk ledger audit: %v\n%s%s", err, stdout, stderr)
	}
	export := filepath.Join(p.dir, "export.jsonl")
	os.Remove(export)
	process.MustRun(t, "ledger", "export", "--config", p.configs[0], "--output", export)
	process.MustRun(t, "verify", export, "--key", p.keyFile())
	p.verifiesOffline()

	there := p.counted(export)
	for _, f := range p.journal.read(t, 0) {
		key := f.kind() + " " + f.ID
		ids := there[key]
		delete(there, key)
		switch {
		case !f.Known:
			t.Errorf("%s was never settled", f.ID)
		case f.Denied && len(ids) > 0:
			t.Errorf("%s was denied, and has the entries %v", f.ID, ids)
		case !f.Denied && (len(ids) != 1 || ids[0] != f.Entry):
			t.Errorf("%s was acknowledged with entry %s, and has the entries %v", f.ID, f.Entry, ids)
		}
	}
	for what, ids := range there {
		t.Errorf("the ledger has %s, which nobody sent: %v", what, ids)
	}
}

// counted gives the ids of the entries of an export, by kind and the other side's id.
func (p *publisher) counted(export string) map[string][]string {
	file, err := os.Open(export)
	if err != nil {
		p.t.Fatal(err)
	}
	defer file.Close()
	there := map[string][]string{}
	in := bufio.NewScanner(file)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		var line struct {
			Entry struct {
				ID, Kind, Request string
				Body              struct {
					Event string `json:"event_id"`
				}
			}
		}
		if err := json.Unmarshal(in.Bytes(), &line); err != nil {
			p.t.Fatal(err)
		}
		switch e := line.Entry; e.Kind {
		case "access":
			there["access "+e.Request] = append(there["access "+e.Request], e.ID)
		case "citation", "counter-receipt":
			there[e.Kind+" "+e.Body.Event] = append(there[e.Kind+" "+e.Body.Event], e.ID)
		}
	}
	if err := in.Err(); err != nil {
		p.t.Fatal(err)
	}
	return there
}

// verifiesOffline has the program verify a receipt with the public key, and refuse it with one
// letter changed.
func (p *publisher) verifiesOffline() {
	t := p.t
	all := p.journal.read(t, 0)
	var f fact
	for f = all[p.random.IntN(len(all))]; f.Entry == ""; {
		f = all[p.random.IntN(len(all))]
	}
	_, text := p.platform.proven(t, p.any(), f.Entry)
	file := filepath.Join(p.dir, "receipt.json")
	verify := func(text []byte) (string, error) {
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}
		stdout, stderr, err := process.Run(t, "verify", file, "--key", p.keyFile())
		return stdout + stderr, err
	}
	if said, err := verify(text); err != nil || !strings.HasPrefix(said, "True") {
		t.Errorf("frontdesk verify: %v\n%s\n%s", err, said, text)
	}
	if said, err := verify(bytes.Replace(text, []byte("platform:chat"), []byte("platform:chap"), 1)); err == nil {
		t.Errorf("frontdesk verify takes a changed receipt: %s", said)
	}
}

// close ends the servers, and holds that every access event reached the one who gets them, or is
// still to be sent.
func (p *publisher) close() {
	t := p.t
	for _, server := range p.servers {
		server.End(t)
	}
	waiting := map[string]bool{}
	db, err := store.Open(context.Background(), store.Config{DSN: p.dsn, Schemas: []store.Schema{outbox.Schema}})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if db.Engine() == store.SQLite {
		checkIntegrity(t, db)
	}
	err = db.View(context.Background(), func(tx *store.Tx) error {
		rows, err := tx.Query(context.Background(), `SELECT id FROM outbox_effect`)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var id string
			if err := rows.Scan(&id); err != nil {
				return err
			}
			waiting[id] = true
		}
		return rows.Err()
	})
	if err != nil {
		t.Fatal(err)
	}
	got, twice := p.sink.got()
	told := 0
	for _, f := range p.journal.read(t, 0) {
		switch {
		case f.Event == "":
		case got[f.Event] > 0:
			told++
		case !waiting["auditor/"+f.Event]:
			t.Errorf("the access event %s of %s was neither sent nor is it still to be", f.Event, f.ID)
		}
	}
	t.Logf("%d access events were sent to the one who gets them, %d of them more than once; %d are still to be sent",
		told, twice, len(waiting))
	if told == 0 {
		t.Error("no access event was sent")
	}
}

// sink gets access events.
type sink struct {
	*httptest.Server
	lock   sync.Mutex
	events map[string]int
}

func newSink(t *testing.T) *sink {
	s := &sink{events: map[string]int{}}
	s.Server = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var event struct {
			ID string `json:"event_id"`
		}
		if json.NewDecoder(r.Body).Decode(&event) == nil {
			s.lock.Lock()
			defer s.lock.Unlock()
			s.events[event.ID]++
		}
	}))
	t.Cleanup(s.Close)
	return s
}

// got gives how often each event came, and how many came more than once.
func (s *sink) got() (events map[string]int, twice int) {
	s.lock.Lock()
	defer s.lock.Unlock()
	for _, n := range s.events {
		if n > 1 {
			twice++
		}
	}
	return maps.Clone(s.events), twice
}

// load is what platforms do at a time: they ask, cite what they got, and try again.
type load struct {
	*platform
	servers []*process.Server
	journal *journal
	name    string
	enough  int64 // answers that are acknowledged until reached is closed

	acknowledged atomic.Int64
	reached      chan struct{}
	over         chan struct{}
	wait         sync.WaitGroup
	lock         sync.Mutex
	lost         error // the first connection that broke
	faults       []string
	seen         receipt.Checkpoint // the largest
}

// begin lets some workers work, each with a server of its own.
func (l *load) begin(workers int) <-chan struct{} {
	l.reached, l.over = make(chan struct{}), make(chan struct{})
	for w := range workers {
		l.wait.Go(func() { l.work(l.servers[w%len(l.servers)], w) })
	}
	return l.reached
}

// end waits until nobody works any more.
func (l *load) end() {
	close(l.over)
	l.wait.Wait()
}

func (l *load) fault(format string, args ...any) {
	l.lock.Lock()
	defer l.lock.Unlock()
	if len(l.faults) < 5 {
		l.faults = append(l.faults, fmt.Sprintf(format, args...))
	}
}

// work asks until the server is gone or the load is over.
func (l *load) work(server *process.Server, worker int) {
	for i := 0; ; i++ {
		select {
		case <-l.over:
			return
		default:
		}
		id := fmt.Sprintf("%s-%d-%d", l.name, worker, i)
		session, domain, item := id, "items", rand.IntN(60)
		if (worker+i)%3 == 1 { // a session of all workers, which soon has seen all that it may of the one item there
			session, domain, item = l.name, "rare", 0
		}
		country := "US"
		if (worker+i)%6 == 5 {
			country = refused
		}
		asked := fact{ID: "req-" + id, Message: l.asking("req-"+id, session, country, domain, item)}
		given, got, ok := l.send(server, asked, http.StatusOK)
		if !ok {
			return
		}
		if !given.Known || given.Denied {
			continue
		}
		if (worker+i)%5 == 4 {
			again, _, ok := l.send(server, fact{ID: asked.ID, Message: asked.Message.sign()}, http.StatusOK)
			if !ok {
				return
			}
			if again.Known && (again.Given != given.Given || again.Entry != given.Entry) {
				l.fault("%s was answered with %+v, and then with %+v", asked.ID, given, again)
			}
		}
		var a answered
		if err := json.Unmarshal(got.body, &a); err != nil {
			l.fault("%v", err)
			return
		}
		if _, _, ok := l.send(server, fact{ID: "evt-" + id, About: asked.ID, Message: l.citing("evt-"+id, asked.ID, a)},
			http.StatusAccepted); !ok {
			return
		}
		if (worker+i)%2 == 0 { // and how it counts the answer itself, now and then wrongly
			chunks, tokens := a.counted()
			if (worker+i)%4 == 0 {
				tokens += wrongCount
			}
			count := fact{ID: "cnt-" + id, About: asked.ID, Count: tokens,
				Message: l.counting("cnt-"+id, asked.ID, chunks, tokens)}
			if _, _, ok := l.send(server, count, http.StatusAccepted); !ok {
				return
			}
		}
		if (worker+i)%3 == 2 {
			l.look(server)
		}
	}
}

// send writes a message down, sends it, and writes down what came of it. It is not ok when the way
// to the server broke.
func (l *load) send(server *process.Server, f fact, want int) (after fact, got *reply, ok bool) {
	if err := l.journal.write(f); err != nil {
		l.fault("%v", err)
		return f, nil, false
	}
	got, err := l.platform.send(server, f.Message)
	switch {
	case errors.Is(err, errUnsigned):
		l.fault("%v", err)
		return f, nil, false
	case err != nil:
		l.lock.Lock()
		l.lost = errors.Join(l.lost, err)
		l.lock.Unlock()
		return f, nil, false
	case got.status == http.StatusServiceUnavailable:
		return f, got, true
	}
	after, status, _ := outcome(f, f.Message, got)
	if !after.Known || status != want {
		l.fault("%s is answered with %d %s", f.ID, got.status, got.body)
		return f, got, false
	}
	if err := l.journal.write(after); err != nil {
		l.fault("%v", err)
		return f, got, false
	}
	if l.acknowledged.Add(1) == l.enough {
		close(l.reached)
	}
	return after, got, true
}

// look takes note of the ledger's checkpoint.
func (l *load) look(server *process.Server) {
	c, err := l.checkpoint(server)
	if err != nil {
		return // the server may be gone
	}
	l.lock.Lock()
	defer l.lock.Unlock()
	if c.Size > l.seen.Size {
		l.seen = c
	}
}
