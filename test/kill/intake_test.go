package kill

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
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

	"frontdesk/internal/testkit/process"
)

// intakeKills is how often servers are killed under submissions and binds in the short form.
const intakeKills = 6

// TestKilledServersBindOnceOrNotAtAll kills servers while agents submit and bind, on PostgreSQL two
// servers of one database and one vault. An offer that was told before the kill is the one that the
// agent is told after it, and what was bound is bound, in the same words; what was not told comes
// to be when the agent asks again. In the end each session has one offer and one bind in the
// ledger, and the business was told of each under one id, once or again.
func TestKilledServersBindOnceOrNotAtAll(t *testing.T) {
	t.Parallel()
	killOnBoth(t, intakeKills, func(t *testing.T, fresh func() string, servers, kills int) {
		killBusiness(t, fresh(), fresh(), servers, kills)
	})
}

// business is a series of kills of the servers of one database.
type business struct {
	t       *testing.T
	configs []string
	servers []*process.Server
	told    *told
	random  *rand.Rand
	client  *http.Client
}

// told counts what the business was told, by the id under which it was.
type told struct {
	*httptest.Server
	mu     sync.Mutex
	offers map[string]map[string]int // by offer, and the id that it was told under
}

func newTold(t *testing.T) *told {
	s := &told{offers: map[string]map[string]int{}}
	s.Server = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		var body struct {
			Data struct {
				Offer string `json:"offer_id"`
			}
		}
		if json.Unmarshal(text, &body) != nil {
			return
		}
		offer := body.Data.Offer
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.offers[offer] == nil {
			s.offers[offer] = map[string]int{}
		}
		s.offers[offer][r.Header.Get("webhook-id")]++
	}))
	t.Cleanup(s.Close)
	return s
}

// conversation is an agent's with the business: what it was told so far.
type conversation struct {
	session, email string
	offer, bound   string // empty for not known
}

func killBusiness(t *testing.T, dsn, vault string, servers, n int) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	b := &business{t: t, told: newTold(t), random: rand.New(rand.NewPCG(seed, 1)),
		client: &http.Client{Timeout: time.Minute}}
	dir := t.TempDir()
	secret := filepath.Join(dir, "hook.secret")
	if err := os.WriteFile(secret, []byte("whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE="), 0o600); err != nil {
		t.Fatal(err)
	}
	for i := range servers {
		config := filepath.Join(dir, fmt.Sprintf("node-%d.yaml", i))
		text := fmt.Sprintf(`
listen: 127.0.0.1:0
data: data-%d
keys: keys
store: %q
metrics: {listen: "off"}
log: {level: warn}
limits: {rate: {address: ""}}
site: {id: kill, name: Kill, url: "https://kill.example"}
intakes:
  vault: %q
  list:
    - id: trial
      name: Trial
      description: A trial of what there is.
      offer_type: trial
      input_schema: {type: object, required: [seats], properties: {seats: {type: integer, minimum: 1}}}
      privacy: {data_retention: session}
      binding: true
      rules: {offers: [{summary: "{data.seats} seats for a month.", bind_requires: [email]}]}
      bind: {effect: webhook, webhook: {url: %q, secret_file: %q}}
`, i, dsn, vault, b.told.URL, secret)
		if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		b.configs = append(b.configs, config)
		b.servers = append(b.servers, process.Start(t, "serve", "--config", config))
	}
	var all []*conversation
	for i := range n {
		all = append(all, b.round(i)...)
		if t.Failed() {
			t.Fatalf("after %d kills", i+1)
		}
	}
	b.audit(dir, all)
}

// round lets agents work, kills servers in the middle of it, starts them again, and has the agents
// ask again.
func (b *business) round(n int) []*conversation {
	t := b.t
	const agents = 8
	enough := 2 + b.random.Int64N(40)
	var mu sync.Mutex
	var all []*conversation
	var done atomic.Int64
	reached, over := make(chan struct{}), make(chan struct{})
	var wait sync.WaitGroup
	for agent := range agents {
		wait.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-over:
					return
				default:
				}
				c := &conversation{
					session: fmt.Sprintf("%08x-%04x-4000-8000-%012x", n, agent, time.Now().UnixNano()&0xffffffffffff),
					email:   fmt.Sprintf("agent%d.%d.%d@example.com", n, agent, i),
				}
				mu.Lock()
				all = append(all, c)
				mu.Unlock()
				server := b.servers[(agent+i)%len(b.servers)]
				if b.submit(server, c) != nil || b.bind(server, c) != nil {
					continue // the server was killed; after the round the agent asks again
				}
				if done.Add(1) == enough {
					close(reached)
				}
			}
		})
	}
	<-reached
	<-time.After(time.Duration(b.random.Int64N(int64(4 * time.Millisecond)))) // anywhere within the requests under way
	var killed sync.WaitGroup
	for i := range b.servers {
		if len(b.servers) == 1 || n%3 == 0 || i == n%len(b.servers) {
			killed.Go(func() { b.servers[i].Kill() })
		}
	}
	killed.Wait()
	close(over)
	wait.Wait()
	for i := range b.servers {
		if len(b.servers) == 1 || n%3 == 0 || i == n%len(b.servers) {
			b.servers[i] = process.Start(t, "serve", "--config", b.configs[i])
		}
	}
	for i, c := range all {
		offer, bound := c.offer, c.bound
		server := b.servers[i%len(b.servers)]
		if err := b.submit(server, c); err != nil {
			t.Error(err)
			continue
		}
		if offer != "" && c.offer != offer {
			t.Errorf("the agent was told of offer %s, and of %s after the kill", offer, c.offer)
		}
		if err := b.bind(server, c); err != nil {
			t.Error(err)
		}
		if bound != "" && c.bound != bound {
			t.Errorf("the bind was answered with %s, and after the kill with %s", bound, c.bound)
		}
	}
	return all
}

// send posts a message, and gives what is answered with status 200.
func (b *business) send(server *process.Server, path, body string) ([]byte, error) {
	response, err := b.client.Post(server.URL+path, "application/json", strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s is answered with %d %s", path, response.StatusCode, text)
	}
	return text, err
}

func (b *business) submit(server *process.Server, c *conversation) error {
	text, err := b.send(server, "/intake/trial", fmt.Sprintf(`{"aip_version":"0.1.0","agent":{"id":"agent","consent_scope":["intake","offer"]},"session_id":%q,"intake_data":{"seats":3}}`, c.session))
	if err != nil {
		return err
	}
	var answer struct {
		Offer struct{ ID string }
	}
	if err := json.Unmarshal(text, &answer); err != nil || answer.Offer.ID == "" {
		return fmt.Errorf("%w: %s", err, text)
	}
	c.offer = answer.Offer.ID
	return nil
}

func (b *business) bind(server *process.Server, c *conversation) error {
	text, err := b.send(server, "/intake/trial/bind", fmt.Sprintf(`{"offer_id":%q,"session_id":%q,"bind_data":{"email":%q},"agent":{"id":"agent","consent_scope":["intake","bind"]}}`, c.offer, c.session, c.email))
	if err == nil {
		c.bound = string(text)
	}
	return err
}

// audit holds that each conversation left one offer, one bind, and the business told of it under
// one id.
func (b *business) audit(dir string, all []*conversation) {
	t := b.t
	for began := time.Now(); ; <-time.After(50 * time.Millisecond) { // until all is delivered
		b.told.mu.Lock()
		n := len(b.told.offers)
		b.told.mu.Unlock()
		if n >= len(all) || time.Since(began) > 4*time.Minute {
			break
		}
	}
	for _, server := range b.servers {
		server.End(t)
	}
	if stdout, stderr, err := process.Run(t, "ledger", "audit", "--config", b.configs[0]); err != nil ||
		!strings.Contains(stdout, "is sound") {
		t.Fatalf("frontdesk ledger audit: %v\n%s%s", err, stdout, stderr)
	}
	export := filepath.Join(dir, "export.jsonl")
	process.MustRun(t, "ledger", "export", "--config", b.configs[0], "--output", export)
	text, err := os.ReadFile(export)
	if err != nil {
		t.Fatal(err)
	}
	there := map[string]int{}
	for line := range bytes.Lines(text) {
		var entry struct {
			Entry struct{ Kind, Request, Subject string }
		}
		if err := json.Unmarshal(line, &entry); err != nil {
			continue // the head
		}
		there[entry.Entry.Kind+" "+entry.Entry.Request+" "+entry.Entry.Subject]++
	}
	again := 0
	for _, c := range all {
		for _, kind := range []string{"intake", "bind"} {
			if n := there[kind+" "+c.session+" "+c.offer]; n != 1 {
				t.Errorf("the ledger has %d entries %q of session %s", n, kind, c.session)
			}
			delete(there, kind+" "+c.session+" "+c.offer)
		}
		b.told.mu.Lock()
		ids := b.told.offers[c.offer]
		b.told.mu.Unlock()
		if len(ids) != 1 || ids[""] > 0 {
			t.Errorf("the business was told of offer %s under %v", c.offer, ids)
		}
		for _, n := range ids {
			if n > 1 {
				again++
			}
		}
		if bytes.Contains(text, []byte(c.email)) {
			t.Errorf("the ledger holds %s", c.email)
		}
	}
	for what, n := range there {
		if strings.HasPrefix(what, "intake ") || strings.HasPrefix(what, "bind ") {
			t.Errorf("the ledger has %d entries of %s, which nobody was told of", n, what)
		}
	}
	t.Logf("%d conversations; of %d the business was told more than once, under the same id", len(all), again)
}
