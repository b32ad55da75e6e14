package aip

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"frontdesk/internal/content"
	"frontdesk/internal/content/released"
	"frontdesk/internal/excerpts"
	"frontdesk/internal/excerpts/grants"
	"frontdesk/internal/identity"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/outbox"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/ledger"
	"frontdesk/internal/policy"
	"frontdesk/internal/testkit/clock"
	"frontdesk/internal/testkit/storetest"
	"frontdesk/internal/testkit/transcript"
	proof "frontdesk/wire/receipt"
	"frontdesk/wire/sign"
)

// stage is a front desk that platforms ask, on which a test can change everything. It is
// 2027-05-04T12:00:00Z there.
type stage struct {
	t       testing.TB
	db      *store.DB
	clock   *clock.Clock
	owner   *excerpts.Policy
	rules   []policy.Rule
	terms   *policy.Terms
	corpus  *released.Corpus
	service *excerpts.Service
	keys    *identity.Platforms
	ledger  *ledger.Ledger
	config  Config
	catalog *content.Catalog

	admit   func(ctx context.Context) error // what counts requests, and events
	flooded bool
	keyless bool // the ledger has no key to sign with, so that its entries wait
	nonces  int
	never   []string // the words that must not occur
	entries []string // ids in the ledger, which are told
}

// platformSecrets are the secrets of the keys that there are: of the platform "chat" one for
// everything, one for each role and one that is gone, and one of the platform "search".
var platformSecrets = map[string]string{
	"both": "the secret of the key of chat, 32 B", "asks": "the secret of a key that asks, 32 B",
	"events": "the secret of a key of events, 32",
	"gone":   "the secret of a revoked key, 32 byt", "held": "the secret of a suspended key, 32 by",
	"old":    "the secret of a key that is over, 32",
	"search": "the secret of somebody else's key, 32",
}

// never are words that must not occur in any answer or entry.
var never = append([]string{
	"zirconium", // of an item that is blocked
	"obsidian",  // the end of an article that is never given whole
	"session-",  // ids of sessions
	"excerpt_", "SELECT", "sqlite", "panic", "/var/", ".go:",
}, secretsOf()...)

func secretsOf() (all []string) {
	for _, secret := range platformSecrets {
		all = append(all, secret)
	}
	return all
}

func newStage(t testing.TB) *stage {
	t.Helper()
	ctx := context.Background()
	s := &stage{
		t: t, never: never, clock: clock.At(time.Date(2027, 5, 4, 11, 59, 0, 0, time.UTC)),
		db: storetest.Chosen(t, content.Schema, identity.Schema, identity.PlatformSchema, ledger.Schema, grants.Schema,
			outbox.Schema),
	}
	s.catalog = content.New(s.db, content.Options{})
	s.rules = []policy.Rule{
		{Match: policy.Match{Path: []string{"/drafts/**"}}, Access: policy.Blocked, Labels: []string{"food"}},
		{Match: policy.Match{Path: []string{"/food/**"}}, Access: policy.Licensed, Labels: []string{"food.soups"}},
		{Match: policy.Match{Path: []string{"/harbour/**"}}, Access: policy.Licensed, Labels: []string{"news.harbour"}},
		{Access: policy.Open},
	}
	s.obey()
	s.owner = &excerpts.Policy{
		Publisher: excerpts.Publisher{ID: "house", Name: "The House", Domain: "house.example"},
		Domains:   []string{"food", "news.harbour"},
		Access:    excerpts.Access{Enabled: true}, Supports: excerpts.Supports{Chunks: true, Citations: true},
		Limits: excerpts.Limits{Chunks: 3, Tokens: 200, Share: 0.5, Session: time.Hour},
		Refuse: excerpts.Refuse{Countries: []string{"KP"}, Languages: []string{"fr"}, Placements: []string{"banner"}},
	}
	s.serve()
	s.fill()
	if err := s.load(ctx); err != nil {
		t.Fatal(err)
	}
	s.issue()
	s.config = Config{
		Platforms: s.keys, Sign: true, SignedEvents: true, Now: s.clock.Now,
		Paths: func(r *http.Request) []string { return []string{r.RequestURI} },
		TooManyFailures: func(*http.Request) error {
			if s.flooded {
				return limited()
			}
			return nil
		},
		ReceiptsURL: func(*http.Request) string { return "https://house.example/intent/receipts/" },
		Receipt:     s.receipt,
	}
	return s
}

func limited() error {
	err := fail.New(fail.Limited, "Too many; come back later.")
	err.RetryAfter = 1500 * time.Millisecond
	return err
}

func (s *stage) obey() {
	compiled, err := policy.New(s.rules)
	if err != nil {
		s.t.Fatal(err)
	}
	s.terms = compiled
}

// serve begins anew, with a service whose content is not loaded yet.
func (s *stage) serve() {
	var err error
	s.corpus, err = released.New(released.Deps{
		Catalog: s.catalog, Terms: func() *policy.Terms { return s.terms }, Passages: true,
		Sites: released.NewSites(released.Site{ID: "house", Hosts: []string{"house.example"}}),
	})
	if err != nil {
		s.t.Fatal(err)
	}
	site, err := identity.OpenSiteKeys(s.t.TempDir(), s.clock.Now)
	if err == nil {
		err = site.EnsureKey()
	}
	if err != nil {
		s.t.Fatal(err)
	}
	s.ledger = ledger.New(s.db, ledger.Options{Origin: "house.example/ledger", Now: s.clock.Now, Signers: site.Signers})
	if s.keyless {
		s.ledger = ledger.New(s.db, ledger.Options{Now: s.clock.Now})
	}
	s.service, err = excerpts.New(excerpts.Deps{
		Corpus: s.corpus, Policy: func() *excerpts.Policy { return s.owner }, DB: s.db, Ledger: s.ledger,
		Nonces: identity.NewNonces(s.db, 0, s.clock.Now), MinScore: 1, Now: s.clock.Now,
		Admit:      func(ctx context.Context, _ identity.PlatformKey, _ string) error { return s.admitted(ctx) },
		AdmitEvent: func(ctx context.Context, _ identity.PlatformKey) error { return s.admitted(ctx) },
	})
	if err != nil {
		s.t.Fatal(err)
	}
}

// load brings the service to the present content and terms.
func (s *stage) load(ctx context.Context) error { return s.corpus.Load(ctx, s.service.Warm) }

func (s *stage) admitted(ctx context.Context) error {
	if s.admit == nil {
		return nil
	}
	return s.admit(ctx)
}

// fill fills the house: a soup, a story of the harbour, and a draft that is blocked.
func (s *stage) fill() {
	ctx := context.Background()
	article := func(path, name string, paragraphs ...string) content.Item {
		url := "https://house.example" + path
		one := content.Item{
			URL: url, Types: []string{"Article"}, Name: name, Language: "en",
			Object: []byte(fmt.Sprintf(`{"@type":"Article","url":%q,"name":%q,"publisher":{"@type":"Organization","name":"The House"}}`, url, name)),
		}
		for _, text := range paragraphs {
			one.Passages = append(one.Passages, content.Passage{ID: content.PassageID(text, 0), Text: text})
		}
		return one
	}
	run, err := s.catalog.Begin(ctx, "house", "files")
	if err == nil {
		err = run.Put(ctx,
			article("/food/soup", "Soup of lentils",
				"Lentils are washed twice. The soup of lentils is stirred while it simmers.",
				"Salt comes last. The rest of the soup is eaten on the next day, cold as obsidian."),
			article("/harbour/cranes", "The cranes of the harbour",
				"Four cranes lift what ships bring. The tide decides when.",
				"At night they stand still. Only the lamp of the pilot moves, black as obsidian."),
			article("/drafts/soup", "A soup of stones", "The soup of stones has zirconium in it, and lentils."),
			article("/open", "What we are", "We write about soup."))
	}
	if err == nil {
		_, err = run.Commit(ctx, content.CommitOptions{})
	}
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s *stage) issue() {
	ctx := context.Background()
	var err error
	if s.keys, err = identity.NewPlatforms(s.db, bytes.Repeat([]byte("k"), 32), s.clock.Now); err != nil {
		s.t.Fatal(err)
	}
	for id, secret := range platformSecrets {
		key := identity.PlatformKey{ID: id, Platform: "chat", Roles: identity.Roles}
		switch id {
		case "asks":
			key.Roles = []string{identity.RoleRetrieve}
		case "events":
			key.Roles = []string{identity.RoleEvent}
		case "search":
			key.Platform = "search"
		case "old":
			key.NotAfter = s.clock.Now().Add(time.Minute)
		}
		_, _, err := s.keys.Issue(ctx, key, []byte(secret))
		switch {
		case err == nil && id == "gone":
			_, err = s.keys.SetStatus(ctx, id, identity.PlatformRevoked)
		case err == nil && id == "held":
			_, err = s.keys.SetStatus(ctx, id, identity.PlatformSuspended)
		}
		if err != nil {
			s.t.Fatal(err)
		}
	}
	s.clock.Advance(time.Minute)
}

// receipt is what a server gives as Config.Receipt.
func (s *stage) receipt(ctx context.Context, id, party string) (any, error) {
	given, err := s.ledger.Receipt(ctx, id)
	if (err == nil || fail.From(err).Code == fail.Unavailable) && given.Entry.Party != party {
		err = fail.New(fail.NotFound, "there is no such entry")
	}
	return given, err
}

// ServeHTTP has the present handlers answer.
func (s *stage) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	retrieve, events, receipts := Handlers(s.service, s.config)
	mux := http.NewServeMux()
	mux.Handle("/intent/retrieve", retrieve)
	mux.Handle("/intent/events", events)
	mux.Handle("/intent/receipts/{id}", receipts)
	mux.ServeHTTP(w, r)
}

// do changes the stage, or what is around it.
func (s *stage) do(line string) error {
	ctx := context.Background()
	verb, rest, _ := strings.Cut(line, " ")
	name, value, _ := strings.Cut(rest, " ")
	switch verb {
	case "pass":
		d, err := time.ParseDuration(rest)
		s.clock.Advance(d)
		return err
	case "declare":
		return s.declare(name, value)
	case "block": // everything of a path
		s.rules = append([]policy.Rule{{Match: policy.Match{Path: []string{rest}}, Access: policy.Blocked}}, s.rules...)
		s.obey()
		return s.load(ctx)
	case "revoke":
		_, err := s.keys.SetStatus(ctx, rest, identity.PlatformRevoked)
		return err
	case "too-many":
		s.admit = func(context.Context) error { return limited() }
	case "slow": // until the time that a request has is over
		s.admit = func(ctx context.Context) error { <-ctx.Done(); return nil }
	case "usual":
		s.admit, s.flooded = nil, false
	case "flood":
		s.flooded = true
	case "keyless":
		s.keyless = true
		s.serve()
		return s.load(ctx)
	case "settle": // until entries have their places
		return s.settle()
	case "unsigned-events":
		s.config.SignedEvents = false
	case "versions":
		s.config.Options.Versions = strings.Fields(rest)
	case "unready": // as a server that starts
		s.serve()
	case "break": // what a room keeps
		return s.db.Update(ctx, func(tx *store.Tx) error {
			_, err := tx.Exec(ctx, `DROP TABLE `+rest)
			return err
		})
	default:
		return errors.New("there is nothing of this name to do")
	}
	return nil
}

func (s *stage) settle() error {
	ctx, stop := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { s.ledger.Run(ctx) })
	defer running.Wait()
	defer stop()
	for _, err := range s.ledger.Follow(ctx, 0) {
		return err
	}
	return nil
}

// declare changes what the owner declares.
func (s *stage) declare(name, value string) (err error) {
	owner := *s.owner
	switch name {
	case "state":
		owner.Access.State = value
	case "enabled":
		owner.Access.Enabled = value == "true"
	case "sunset":
		owner.Access.Sunset, err = time.Parse(time.DateOnly, value)
	case "chunks":
		owner.Supports.Chunks = value == "true"
	case "citations":
		owner.Supports.Citations = value == "true"
	case "owed":
		owner.Reports.MaxUncited, err = strconv.Atoi(value)
	case "confidence":
		owner.Refuse.Confidence, err = strconv.ParseFloat(value, 64)
	default:
		err = errors.New("there is nothing of this name to declare")
	}
	s.owner = &owner
	return err
}

// send signs a request that has a line "Sign: KEY ...", as the platform of that key does, but for
// what the words after it say: secret=, method=, path=, age=, nonce=, version= and body= are signed
// in place of the right ones, drop= and twice= leave a header out or send it twice, and plain=
// sends a header with another value. "Pad: N" makes the body as long, and ENTRY-1 in a path is the
// id that is told so.
func (s *stage) send(request []byte) []byte {
	for i, id := range s.entries {
		request = bytes.ReplaceAll(request, fmt.Appendf(nil, "/ENTRY-%d ", i+1), []byte("/"+id+" "))
	}
	head, body, _ := bytes.Cut(request, []byte("\n\n"))
	body = bytes.TrimSuffix(body, []byte("\n"))
	lines := strings.Split(strings.TrimRight(string(head), "\n"), "\n")
	method, rest, _ := strings.Cut(lines[0], " ")
	path, _, _ := strings.Cut(rest, " ")
	var out []string
	for _, line := range lines {
		if value, ok := strings.CutPrefix(line, "Pad: "); ok {
			n, err := strconv.Atoi(value)
			if err != nil {
				s.t.Fatal(err)
			}
			body = append(body, bytes.Repeat([]byte(" "), n-len(body))...)
		} else {
			out = append(out, line)
		}
	}
	lines, out = out, nil
	for _, line := range lines {
		if words, ok := strings.CutPrefix(line, "Sign: "); ok {
			out = append(out, s.signature(strings.Fields(words), method, path, body)...)
		} else {
			out = append(out, line)
		}
	}
	return append([]byte(strings.Join(out, "\n")+"\n\n"), body...)
}

func (s *stage) signature(words []string, method, path string, body []byte) (lines []string) {
	s.nonces++
	at, secret := s.clock.Now(), platformSecrets[words[0]]
	h := sign.Headers{Version: "0.1", KeyID: words[0], Nonce: fmt.Sprint("nonce-", s.nonces)}
	var drop, twice []string
	plain := map[string]string{}
	for _, word := range words[1:] {
		name, value, _ := strings.Cut(word, "=")
		switch name {
		case "secret":
			secret = value
		case "method":
			method = value
		case "path":
			path = value
		case "age":
			age, err := time.ParseDuration(value)
			if err != nil {
				s.t.Fatal(err)
			}
			at = at.Add(-age)
		case "nonce":
			h.Nonce = value
		case "version":
			h.Version = value
		case "body":
			body = []byte(value)
		case "drop":
			drop = append(drop, value)
		case "twice":
			twice = append(twice, value)
		case "plain":
			header, text, _ := strings.Cut(value, ":")
			plain[header] = text
		default:
			s.t.Fatalf("nothing can be signed with %q", word)
		}
	}
	h.Timestamp = sign.FormatTime(at)
	header := http.Header{}
	h.Signed([]byte(secret), method, path, body).Write(header)
	for _, name := range []string{"X-AIP-Version", "X-AIP-Key-Id", "X-AIP-Timestamp", "X-AIP-Nonce",
		"X-AIP-Signature"} {
		value := header.Get(name)
		if text, ok := plain[name]; ok {
			value = text
		}
		if slices.Contains(drop, name) {
			continue
		}
		lines = append(lines, name+": "+value)
		if slices.Contains(twice, name) {
			lines = append(lines, name+": "+value)
		}
	}
	return lines
}

var (
	entryID = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}`)
	hash    = regexp.MustCompile(`"proof":\[[^\]]*\],"checkpoint":"(?:[^"\\]|\\.)*"`)
)

// tell names the ids of entries by the order in which they are told.
func (s *stage) tell(text string) string {
	return entryID.ReplaceAllStringFunc(text, func(id string) string {
		at := slices.Index(s.entries, id)
		if at < 0 {
			s.entries, at = append(s.entries, id), len(s.entries)
		}
		return fmt.Sprint("ENTRY-", at+1)
	})
}

// seen makes of an answer what can be compared: a signature that holds is "holds", and one that is
// not there "none".
func (s *stage) seen(request []byte, status int, header http.Header, body []byte) []byte {
	for _, word := range s.never {
		if bytes.Contains(body, []byte(word)) {
			s.t.Errorf("an answer has %q: %s", word, body)
		}
	}
	signature := "none"
	if len(header.Values("X-Aip-Signature")) > 0 {
		signature = "is wrong"
		_, rest, _ := strings.Cut(string(request), " ")
		path, _, _ := strings.Cut(rest, " ")
		h, err := sign.Read(header)
		if err == nil && h.Verify([]byte(platformSecrets[h.KeyID]), strconv.Itoa(status), path, body) &&
			h.Fresh(s.clock.Now()) {
			signature = "holds, by " + h.KeyID + " in " + h.Version
		}
	}
	header.Set("X-Aip-Signature", signature)
	return hash.ReplaceAll([]byte(s.tell(string(body))), []byte(`"proof":[...],"checkpoint":"..."`))
}

// appended are the entries of the ledger that came since it was last called, each with its id
// named.
func (s *stage) appended() func() string {
	told := map[string]bool{}
	return func() string {
		var all []proof.Entry
		err := s.db.View(context.Background(), func(tx *store.Tx) error {
			all = nil
			rows, err := tx.Query(context.Background(), `SELECT leaf FROM ledger_entry UNION ALL SELECT leaf FROM ledger_pending`)
			if err != nil {
				return err
			}
			defer rows.Close()
			for rows.Next() {
				var leaf []byte
				if err := rows.Scan(&leaf); err != nil {
					return err
				}
				e, err := proof.ParseLeaf(leaf)
				if err != nil {
					return err
				}
				all = append(all, e)
			}
			return rows.Err()
		})
		if err != nil {
			s.t.Fatal(err)
		}
		var b strings.Builder
		for _, e := range all {
			if told[e.ID] {
				continue
			}
			told[e.ID] = true
			leaf, err := e.Leaf()
			if err != nil {
				s.t.Fatal(err)
			}
			for _, word := range never {
				if bytes.Contains(leaf, []byte(word)) {
					s.t.Errorf("the ledger has %q: %s", word, leaf)
				}
			}
			fmt.Fprintln(&b, s.tell(string(leaf)))
		}
		return b.String()
	}
}

// played is the stage of a transcript.
func played(t *testing.T) transcript.Stage {
	s := newStage(t)
	return transcript.Stage{
		Handler: s, Send: s.send, Seen: s.seen, Do: s.do, Shown: []string{"X-Aip-Signature"},
		Beside: map[string]func() string{"ledger": s.appended()},
	}
}
