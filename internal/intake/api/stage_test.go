package api

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/identity"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/outbox"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/intake"
	"frontdesk/internal/intake/offers"
	"frontdesk/internal/intake/vault"
	"frontdesk/internal/ledger"
	"frontdesk/internal/testkit/clock"
	"frontdesk/internal/testkit/storetest"
	"frontdesk/internal/testkit/transcript"
	wire "frontdesk/wire/intake"
	proof "frontdesk/wire/receipt"
	"frontdesk/wire/strictjson"
)

// stage is a front desk with two intakes, "quote" and "calculator", on which a transcript can
// change what befalls. It is 2027-05-04T12:00:00Z there.
type stage struct {
	t        testing.TB
	clock    *clock.Clock
	db       *store.DB
	handlers *Handlers
	say      func(offers.Request) (offers.Outcome, error)
	admit    error
	unsafe   bool
	closed   bool
	offers   []string // their ids, in the order in which they were first seen
	listed   map[string]bool
}

// never are words that must not occur in any answer or entry: what was sent, and what went wrong
// within.
var never = []string{"marker", "a cause of ours", "submission_", "SELECT", "sqlite", "panic", ".go:", "[redacted]@"}

const inputSchema = `{"type":"object","required":["length_m"],"properties":{"length_m":{"type":"number","minimum":1,"maximum":60},
	"hull":{"enum":["wood","steel"]},"note":{"type":"string","maxLength":40}}}`

func newStage(t testing.TB) *stage {
	t.Helper()
	s := &stage{t: t, clock: clock.At(time.Date(2027, 5, 4, 12, 0, 0, 0, time.UTC)), listed: map[string]bool{}}
	s.db = storetest.Chosen(t, identity.Schema, ledger.Schema, vault.Schema, outbox.Schema)
	keys, err := identity.OpenSiteKeys(t.TempDir(), s.clock.Now)
	s.must(err)
	s.must(keys.EnsureKey())
	vault, err := vault.Open(t.Context(),
		vault.Options{DSN: storetest.ChosenDSN(t), Secret: make([]byte, 32), Now: s.clock.Now})
	s.must(err)
	t.Cleanup(func() { vault.Close() })
	schema, err := wire.CompileSchema([]byte(inputSchema))
	s.must(err)
	quote := &intake.Definition{
		ID: "quote", Schema: schema, Retention: wire.Retain30Days, Engine: s, ValidFor: 7 * 24 * time.Hour,
		Binding: true, TermsURL: "https://house.example/terms",
		Bind: intake.BindRules{Requires: []string{"email"}, Message: "We will write."},
	}
	calculator := &intake.Definition{ID: "calculator", Schema: schema, Retention: wire.RetainNone, Engine: s,
		ValidFor: time.Hour}
	declared := map[string]*intake.Definition{"quote": quote, "calculator": calculator}
	service, err := intake.New(intake.Deps{
		Intakes: func() map[string]*intake.Definition { return declared }, DB: s.db, Vault: vault, Now: s.clock.Now,
		Ledger: ledger.New(s.db,
			ledger.Options{Origin: "house.example/ledger", Signers: keys.Signers, Now: s.clock.Now}),
	})
	s.must(err)
	s.handlers = New(service, Config{
		MaxBody: 64 << 10, SignalPending: true,
		Base: func(context.Context) (string, error) {
			if s.unsafe {
				return "", fail.New(fail.Unavailable, "Intakes are served by https alone.")
			}
			return "https://house.example", nil
		},
		Admit:     func(context.Context, string, bool) error { return s.admit },
		Challenge: func(*http.Request, error) string { return "Bearer" },
	})
	return s
}

func (s *stage) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// Offer is the engine of both intakes.
func (s *stage) Offer(_ context.Context, q offers.Request) (offers.Outcome, error) {
	if s.say != nil {
		return s.say(q)
	}
	return offers.Outcome{Status: offers.Offered, Summary: "We paint your boat for 1250 EUR.",
		Details: strictjson.Value(`{"price":1250.00}`)}, nil
}

// ServeHTTP routes as the server does.
func (s *stage) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	mux := http.NewServeMux()
	mux.Handle("/intake/{id}", s.handlers.Submit())
	mux.Handle("/intake/{id}/bind", s.handlers.Bind())
	mux.ServeHTTP(w, r)
}

// do does what a line of a file `do` can have happen.
func (s *stage) do(line string) error {
	outcome := func(o offers.Outcome, err error) {
		s.say = func(offers.Request) (offers.Outcome, error) { return o, err }
	}
	limited := fail.New(fail.Limited, "Too many requests came from you.")
	limited.RetryAfter = 1500 * time.Millisecond
	busy := fail.New(fail.Unavailable, "This cannot be answered at the moment; send the same again later.")
	busy.RetryAfter = 30 * time.Second
	switch what, rest, _ := strings.Cut(line, " "); what {
	case "decline":
		outcome(offers.Outcome{Status: offers.Declined, Reason: rest}, nil)
	case "wait":
		outcome(offers.Outcome{Status: offers.Waiting, RetryAfter: 90 * time.Second}, nil)
	case "untold":
		s.handlers.SignalPending = false
	case "busy":
		outcome(offers.Outcome{}, busy.Wrap(errors.New("a cause of ours with a marker")))
	case "break":
		outcome(offers.Outcome{}, errors.New("a cause of ours with a marker"))
	case "mend":
		s.say, s.admit, s.unsafe = nil, nil, false
	case "limit":
		s.admit = limited
	case "lock":
		s.admit = fail.New(fail.Unauthorized, "This intake needs a credential.")
	case "forbid":
		s.admit = fail.New(fail.Forbidden, "This API key opens ask, and not this door.")
	case "plain":
		s.unsafe = true
	case "pass":
		d, err := time.ParseDuration(rest)
		if err != nil {
			return err
		}
		s.clock.Advance(d)
	case "close":
		s.closed = true
		return s.db.Close()
	default:
		return errors.New("nobody knows how to do that")
	}
	return nil
}

var (
	offerID = regexp.MustCompile(`"(?:id|offer_id)":"([a-z2-7]{26})"`)
	entryID = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}`)
	hash    = regexp.MustCompile(`[0-9a-f]{64}`)
)

// send puts the offers' real ids into a request.
func (s *stage) send(request []byte) []byte {
	for n, id := range s.offers {
		request = bytes.ReplaceAll(request, fmt.Appendf(nil, "OFFER-%d", n+1), []byte(id))
	}
	return request
}

// seen writes an answer as the files have it.
func (s *stage) seen(_ []byte, _ int, _ http.Header, body []byte) []byte {
	for _, word := range never {
		if bytes.Contains(body, []byte(word)) {
			s.t.Errorf("an answer has %q: %s", word, body)
		}
	}
	for _, found := range offerID.FindAllSubmatch(body, -1) {
		s.number(string(found[1]))
	}
	return []byte(s.plain(string(body)))
}

func (s *stage) number(id string) {
	for _, known := range s.offers {
		if known == id {
			return
		}
	}
	s.offers = append(s.offers, id)
}

func (s *stage) plain(text string) string {
	for n, id := range s.offers {
		text = strings.ReplaceAll(text, id, fmt.Sprintf("OFFER-%d", n+1))
	}
	return hash.ReplaceAllString(entryID.ReplaceAllString(text, "ENTRY"), "HASH")
}

// appended are the entries that the ledger has since it was last asked.
func (s *stage) appended() string {
	var all []proof.Entry
	if s.closed {
		return ""
	}
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
	s.must(err)
	var b strings.Builder
	for _, e := range all {
		if s.listed[e.ID] {
			continue
		}
		s.listed[e.ID] = true
		leaf, err := e.Leaf()
		s.must(err)
		for _, word := range never {
			if bytes.Contains(leaf, []byte(word)) {
				s.t.Errorf("the ledger has %q: %s", word, leaf)
			}
		}
		fmt.Fprintln(&b, s.plain(string(leaf)))
	}
	return b.String()
}

// played is the stage of a transcript.
func played(t *testing.T) transcript.Stage {
	s := newStage(t)
	return transcript.Stage{Handler: s, Send: s.send, Seen: s.seen, Do: s.do,
		Beside: map[string]func() string{"ledger": s.appended}}
}
