package intake

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"frontdesk/internal/testkit/process"
)

// secret signs what the business's server is told.
const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

// config is the configuration of a business with an intake for each way in which one can be
// answered. BUSINESS is the address of its server, which is told what was accepted; FURTHER is what
// a test adds to the section.
const config = `
listen: 127.0.0.1:0
metrics: {listen: "127.0.0.1:0"}
log: {level: debug}
limits: {rate: {failures: 100000/1m}}
site: {name: Harbour Works, url: "https://harbour.example"}
intakes:
  provider: {description: "We mend boats.", logo: "https://harbour.example/logo.png", contact_email: desk@harbour.example}
  certification: {registry: "https://registry.example", certified: true, cert_id: aip-cert-2026-00142, expires: "2099-02-27"}
FURTHER
  list:
    - id: quote
      name: Boat repair quote
      description: What a repair of your boat would cost.
      category: b2b/vendor
      offer_type: quote
      binding: true
      privacy: {data_retention: session}
      rate_limit: {requests_per_minute: 1000000}
      input_schema: SCHEMA
      rules:
        decline: [{when: "data.length_m > 40.0", reason: "Our dock takes boats of up to 40 metres."}]
        offers:
          - summary: "We paint your boat of {data.length_m} m for {data.length_m * 100.0} EUR."
            details: {price: "{data.length_m * 100.0}", currency: EUR}
            terms_url: https://harbour.example/terms
      bind:
        requires: [email, full_name]
        message: We will write to you.
        effect: webhook
        webhook: {url: "BUSINESS/bound", secret_env: INTAKE_TEST_SECRET}
    - id: calculator
      name: Mooring calculator
      description: What a mooring costs.
      category: tool/calculator
      offer_type: calculation
      input_schema: {type: object, required: [days], properties: {days: {type: integer, minimum: 1, maximum: 365}}}
      rules: {offers: [{summary: "{data.days} days cost {data.days * 12} EUR."}]}
    - id: forgetful
      name: Advice
      description: Advice, after which everything is forgotten.
      offer_type: advice
      binding: true
      privacy: {data_retention: none}
      input_schema: {type: object, properties: {note: {type: string}}}
      rules: {offers: [{summary: "Keep her dry."}]}
    - id: brief
      name: Offer of the moment
      description: An offer that stands for a few seconds.
      offer_type: quote
      binding: true
      input_schema: {type: object}
      webhook: {url: "BUSINESS/brief", secret_env: INTAKE_TEST_SECRET}
      bind: {requires: [email]}
    - id: failing
      name: Failing
      description: Its rules fail.
      offer_type: quote
      input_schema: {type: object, required: [parts], properties: {parts: {type: integer}}}
      rules: {offers: [{summary: "{100 / data.parts} each"}]}
    - id: busy
      name: Busy
      description: Its server is down.
      offer_type: quote
      input_schema: {type: object}
      webhook: {url: "http://127.0.0.1:9/offer", secret_env: INTAKE_TEST_SECRET}
    - id: slow
      name: Slow
      description: Its server does not answer in time.
      offer_type: quote
      input_schema: {type: object}
      webhook: {url: "BUSINESS/stall", secret_env: INTAKE_TEST_SECRET, timeout: 300ms}
    - id: limited
      name: Limited
      description: At most three requests in a minute.
      offer_type: quote
      rate_limit: {requests_per_minute: 3, requests_per_day: 100}
      input_schema: {type: object}
      rules: {offers: [{summary: "One of three."}]}
    - id: members
      name: Members
      description: For those with a key.
      offer_type: quote
      binding: true
      requires_auth: true
      input_schema: {type: object}
      rules: {offers: [{summary: "Welcome back."}]}
`

// quoteSchema is what the intake "quote" takes.
const quoteSchema = `{type: object, required: [hull, length_m], properties: {
        hull: {type: string, enum: [wood, steel, plastic]},
        length_m: {type: number, minimum: 1, maximum: 60},
        crew: {type: integer, minimum: 0, maximum: 20},
        insured: {type: boolean},
        since: {type: string, format: date},
        note: {type: string, maxLength: 40, pattern: "^[A-Za-z0-9 .,-]*$"},
        jobs: {type: array, maxItems: 3, items: {type: string, enum: [paint, engine, rigging]}}}}`

// written is a configuration file with further lines for the section intakes.
func written(business, lines string) string {
	return strings.NewReplacer("BUSINESS", business, "FURTHER", lines, "SCHEMA", quoteSchema).Replace(config)
}

// business is the server of the business, which is told what was accepted.
type business struct {
	*httptest.Server
	mu    sync.Mutex
	told  []object
	stall chan struct{}
}

func openBusiness(t *testing.T) *business {
	b := &business{stall: make(chan struct{})}
	b.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if r.URL.Path == "/stall" {
			select {
			case <-b.stall:
			case <-r.Context().Done():
			}
			return
		}
		if r.URL.Path == "/brief" {
			w.Header().Set("Content-Type", "application/json")
			w.Write(
				text(object{"status": "offer", "offer": object{"summary": "Now or never.",
					"expires": time.Now().Add(4 * time.Second).UTC().Format(time.RFC3339)}}))
			return
		}
		var what object
		json.Unmarshal(body, &what)
		b.mu.Lock()
		defer b.mu.Unlock()
		b.told = append(b.told, object{"id": r.Header.Get("Webhook-Id"), "text": string(body), "body": what})
	}))
	t.Cleanup(func() { close(b.stall); b.Close() })
	return b
}

// effects are what was told of an offer: at least one, as soon as there is one.
func (b *business) effects(offer string) []object {
	of := func() (all []object) {
		b.mu.Lock()
		defer b.mu.Unlock()
		for _, one := range b.told {
			if strings.Contains(one["text"].(string), offer) {
				all = append(all, one)
			}
		}
		return all
	}
	for deadline := time.Now().Add(30 * time.Second); len(of()) == 0 && time.Now().Before(deadline); {
		<-time.After(20 * time.Millisecond)
	}
	return of()
}

// served is a server that a test has started.
type served struct {
	*process.Server
	config, data string
}

// serve serves the business with further lines for the section intakes.
func serve(t *testing.T, dir, name, business, lines string) served {
	t.Helper()
	s := served{config: filepath.Join(dir, name+".yaml"), data: filepath.Join(dir, name)}
	text := strings.Replace(written(business, lines), "listen: 127.0.0.1:0\n",
		"listen: 127.0.0.1:0\ndata: "+name+"\n", 1)
	if err := os.WriteFile(s.config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s.Server = process.Start(t, "serve", "--config", s.config)
	return s
}

// metricsAddress is where the figures are, as the log tells it.
var metricsAddress = regexp.MustCompile(`msg=metrics address=(\S+)`)

// everything is what the server has told beside its answers.
func (s served) everything(t *testing.T) string {
	t.Helper()
	told := s.Log()
	at := metricsAddress.FindStringSubmatch(told)
	if at == nil {
		t.Fatal("the log tells no address of the figures")
	}
	response, err := http.Get("http://" + at[1] + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	figures, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return told + string(figures) + process.MustRun(t, "ledger", "show", "--limit", "0", "--json", "--config", s.config)
}

// ledger are the entries of a kind that name one of some sessions.
func (s served) ledger(t *testing.T, kind string, sessions ...string) (all []object) {
	t.Helper()
	lines := bufio.NewScanner(
		strings.NewReader(process.MustRun(t, "ledger", "show", "--limit", "0", "--json", "--config", s.config)))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var line struct{ Entry object }
		if json.Unmarshal(lines.Bytes(), &line) == nil && line.Entry["kind"] == kind &&
			slices.ContainsFunc(sessions,
				func(session string) bool { return bytes.Contains(lines.Bytes(), []byte(session)) }) {
			all = append(all, line.Entry)
		}
	}
	return all
}

// stored are the files below the server's data that hold a text.
func (s served) stored(t *testing.T, text string) (files []string) {
	t.Helper()
	err := filepath.WalkDir(s.data, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		if bytes.Contains(content, []byte(text)) {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// issued is an API key that opens the intakes of a server.
func issued(t *testing.T, s served, name string) string {
	return strings.TrimSpace(process.MustRun(t, "keys", "issue", "api", name, "--door", "intake", "--config", s.config))
}

func startServers(t *testing.T) servers {
	t.Helper()
	t.Setenv("INTAKE_TEST_SECRET", secret)
	dir, b := t.TempDir(), openBusiness(t)
	first, keys := serve(t, dir, "first", b.URL, ""), 0
	at := servers{
		base: first.URL, lenient: serve(t, dir, "lenient", b.URL, "  lenient: true").URL, effects: b.effects,
		everything: func() string { return first.everything(t) },
		ledger:     func(kind string, sessions ...string) []object { return first.ledger(t, kind, sessions...) },
		stored:     func(text string) []string { return first.stored(t, text) },
		exported: func(id string) string {
			stdout, _, _ := process.Run(t, "intake", "export", id, "--config", first.config)
			return stdout
		},
		another: func() string {
			keys++
			return issued(t, first, fmt.Sprintf("Agents %d", keys))
		},
		key: issued(t, first, "Agents"),
	}
	documents := 0
	at.check = func(document string) (bool, string) {
		documents++
		file := filepath.Join(dir, fmt.Sprintf("manifest-%d.json", documents))
		if err := os.WriteFile(file, []byte(document), 0o600); err != nil {
			t.Fatal(err)
		}
		stdout, stderr, err := process.Run(t, "check", file, "--as", "manifest")
		return err == nil, stdout + stderr
	}
	at.configured = func(change func(string) string) (bool, string) {
		file := filepath.Join(dir, "changed.yaml")
		if err := os.WriteFile(file, []byte(change(written(b.URL, ""))), 0o600); err != nil {
			t.Fatal(err)
		}
		stdout, stderr, err := process.Run(t, "config", "check", file)
		return err == nil, stdout + stderr
	}
	kills := 0
	at.killed = func(first, second func(base string)) {
		kills++
		s := serve(t, dir, fmt.Sprintf("killed-%d", kills), b.URL, "")
		first(s.URL)
		s.Kill()
		s.Server = process.Start(t, "serve", "--config", s.config)
		second(s.URL)
	}
	return at
}
