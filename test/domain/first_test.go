package domain

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"frontdesk/internal/testkit/process"
)

func TestMain(m *testing.M) { process.Main(m) }

// lamp is what the provider's own program has at /lamp.
const lamp = "A lamp of paper, described at length.\n"

// market is an Exchange with a buyer who has paid in, and a provider's site, of which nothing is
// known there yet.
type market struct {
	dir      string
	exchange *process.Server
	config   string // of the Exchange
	port     string // of the provider's domain, localhost
	origin   *httptest.Server

	mu    sync.Mutex
	asked []string // of the origin
}

func open(t *testing.T) *market {
	t.Helper()
	m := &market{dir: t.TempDir(), port: process.FreePort(t)}
	m.origin = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		m.mu.Lock()
		m.asked = append(m.asked, r.URL.RequestURI())
		m.mu.Unlock()
		if r.URL.Path != "/lamp" {
			http.NotFound(w, r)
			return
		}
		io.WriteString(w, lamp)
	}))
	t.Cleanup(m.origin.Close)
	port := process.FreePort(t)
	m.config = m.write(t, "frontdesk.yaml", `
listen: 127.0.0.1:`+port+`
url: http://127.0.0.1:`+port+`
data: exchange-data
metrics: {listen: off}
site: {name: Exchange, url: "https://exchange.example.com"}
fetch: {allow: ["127.0.0.0/8", "::1"]}
terms: [{match: {}, access: open}]
ramp: {enabled: true, domain: exchange.example.com, signatures: none}
`)
	process.MustRun(t, "ramp", "requester", "add", "buyer.example.com", "research-bot", "--config", m.config)
	process.MustRun(t, "ramp", "account", "open", "buyer.example.com/research-bot", "USD", "--config", m.config)
	process.MustRun(t, "ramp", "account", "credit", "buyer.example.com/research-bot", "10", "USD", "--config", m.config)
	m.exchange = process.Start(t, "serve", "--config", m.config)
	return m
}

func (m *market) write(t testing.TB, name, text string) string {
	t.Helper()
	path := filepath.Join(m.dir, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// place writes the addresses of this machine in the place of those of the page.
func (m *market) place(text string) string {
	return strings.NewReplacer(
		"https://exchange.example.com", m.exchange.URL, "https://www.acme.example", "http://localhost:"+m.port,
		"www.acme.example", "localhost:"+m.port, "http://127.0.0.1:3000", m.origin.URL,
		"buyer.example.com/research-bot", "buyer.example.com/research-bot --unsigned",
	).Replace(text)
}

// fenced are the blocks of a page, by their languages, in order.
var fenced = regexp.MustCompile("(?ms)^```(\\w+)\n(.*?)^```$")

// TestThePageLeadsFromNothingToTheFirstSale runs the commands of docs/domains.md as they stand
// there.
func TestThePageLeadsFromNothingToTheFirstSale(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("openssl"); err != nil {
		t.Fatal("there is no openssl; install it")
	}
	root, err := process.Root()
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(root, "docs", "domains.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, steps, _ := strings.Cut(string(page), "## From nothing to the first sale\n")
	steps, _, _ = strings.Cut(steps, "\n## ")
	m := open(t)
	began := time.Now()
	var last string
	ran := 0
	for _, block := range fenced.FindAllStringSubmatch(steps, -1) {
		switch text := m.place(block[2]); block[1] {
		case "json":
			m.write(t, "entries.jsonl", text)
		case "yaml":
			text = strings.Replace(text, "listen: \":443\"\ntls: {cert: cert.pem, key: key.pem}\n",
				"listen: 127.0.0.1:"+m.port+"\nmetrics: {listen: off}\nfetch: {allow: [127.0.0.0/8, \"::1\"]}\n", 1)
			text = strings.Replace(text, "- domain: localhost:"+m.port+"\n",
				"- domain: localhost:"+m.port+"\n      url: http://localhost:"+m.port+"\n", 1)
			m.write(t, "edge.yaml", text)
		case "sh":
			for line := range strings.Lines(text) {
				last = m.run(t, strings.TrimSpace(line))
				ran++
			}
		default:
			t.Fatalf("a block of %s", block[1])
		}
	}
	if last != lamp || ran != 7 {
		t.Errorf("after %d commands the buyer has %q", ran, last)
	}
	t.Logf("from nothing to the first sale in %s", time.Since(began).Round(time.Millisecond))

	// Without what was bought an agent gets nothing there, and an address opens for what it is
	// signed for alone.
	if told := process.MustRun(t, "ramp", "domain", "list", "--config", m.config); !strings.Contains(told,
		"verified") || !strings.Contains(told, "hmac") || !strings.Contains(told, "acme-cms") {
		t.Error(told)
	}
	if told := process.MustRun(t, "ramp", "domain", "challenges", "--config", m.config); strings.Count(told,
		"verified") != 1 {
		t.Error(told)
	}
	if left, _ := os.ReadFile(filepath.Join(m.dir, "edge-data", "edge", "answers",
		"localhost:"+m.port+".txt")); len(left) != 0 {
		t.Errorf("the token is still answered: %s", left)
	}
	m.secret(t)
}

// run runs a line of the page, in the folder, and gives what it prints. One that ends in & stays
// until the test ends.
func (m *market) run(t *testing.T, line string) string {
	t.Helper()
	words := strings.Fields(line)
	if words[0] == "frontdesk" && words[len(words)-1] == "&" {
		process.Start(t, m.inside(words[1:len(words)-1])...)
		return ""
	}
	if words[0] == "frontdesk" {
		args := m.inside(words[1:])
		if words[2] == "tenant" || words[2] == "buy" {
			args = append(args, "--config", m.config)
		}
		return process.MustRun(t, args...)
	}
	command := exec.Command(words[0], words[1:]...)
	command.Dir = m.dir
	out, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", line, err, out)
	}
	return string(out)
}

// inside are arguments whose files are in the folder.
func (m *market) inside(args []string) []string {
	files := regexp.MustCompile(`^@?[a-z-]+\.(pem|yaml|jsonl)$`)
	for i, arg := range args {
		if at := strings.HasPrefix(arg, "@"); files.MatchString(arg) {
			args[i] = filepath.Join(m.dir, strings.TrimPrefix(arg, "@"))
			if at {
				args[i] = "@" + args[i]
			}
		}
	}
	return args
}

// secret holds that the key that was registered is in no log and no list, and in a file that its
// owner alone may read.
func (m *market) secret(t *testing.T) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(m.dir, "edge-data", "edge", "keys", "*", "*"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%v, %v", files, err)
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	var key struct{ Secret, Cdn_type string }
	if err := json.Unmarshal(text, &key); err != nil || len(key.Secret) != 64 {
		t.Fatalf("%s: %v", files[0], err)
	}
	if info, err := os.Stat(files[0]); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	for name, told := range map[string]string{
		"the log": m.exchange.Log(), "the list of keys": process.MustRun(t, "keys", "list", "--json", "--config",
			m.config), "the ledger": process.MustRun(t, "ledger", "show", "--json", "--config", m.config),
	} {
		if strings.Contains(told, key.Secret) {
			t.Errorf("%s tells the key", name)
		}
		if name == "the ledger" && (!strings.Contains(told, `"did":"verified"`) || strings.Contains(told, "ramp-verify")) {
			t.Errorf("%s: %s", name, told)
		}
	}
}
