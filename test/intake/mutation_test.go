package intake

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"frontdesk/internal/infra/store"
	"frontdesk/internal/testkit/process"
)

// mutated is a valid request of which something was changed at random, and what must come of it.
type mutated struct {
	what    string
	method  string
	path    string
	kind    string // Content-Type
	body    []byte
	want    []string // "200", or "400 INVALID_INPUT"; one of them
	taken   func(reply)
	refused func()
}

// mutations are how many requests are sent: FRONTDESK_MUTATIONS, or a short form.
func mutations(t *testing.T) int {
	given := os.Getenv("FRONTDESK_MUTATIONS")
	if given == "" {
		return 2000
	}
	n, err := strconv.Atoi(given)
	if err != nil || n < 1 {
		t.Fatalf("FRONTDESK_MUTATIONS is %q, and should be a number", given)
	}
	return n
}

// TestMutationsOfValidRequests changes valid requests at random: whatever comes of it is answered
// by the schema, with the status and code of its class, and of what is refused nothing is stored.
func TestMutationsOfValidRequests(t *testing.T) {
	t.Setenv("INTAKE_TEST_SECRET", secret)
	dir, b := t.TempDir(), openBusiness(t)
	s := serve(t, dir, "mutated", b.URL, "")
	n := mutations(t)
	seed := rand.Uint64()
	t.Logf("%d requests, from seed %d", n, seed)
	m := &mutator{base: s.URL, stored: map[string]bool{}, bound: map[string]bool{}, refused: map[string]bool{},
		classes: map[string]int{}}
	var group sync.WaitGroup
	var left atomic.Int64
	left.Store(int64(n))
	for worker := range 8 {
		group.Go(func() {
			r := rand.New(rand.NewPCG(seed, uint64(worker)))
			for left.Add(-1) >= 0 && !t.Failed() {
				m.once(t, r)
			}
		})
	}
	group.Wait()
	s.End(t)
	m.holds(t, filepath.Join(s.data, "frontdesk.db"))
	for what, count := range m.classes {
		if count == 0 {
			t.Errorf("no request was of the class %s", what)
		}
	}
	t.Logf("%d classes; %d submissions and %d binds were taken", len(m.classes), len(m.stored), len(m.bound))
}

type mutator struct {
	base string

	mu      sync.Mutex
	stored  map[string]bool // sessions that were answered with an offer or a decline
	bound   map[string]bool // offers
	refused map[string]bool // sessions of which nothing was taken
	open    []accepted      // offers that nobody has taken
	classes map[string]int
}

type accepted struct{ request, offer object }

// once sends one request, and holds its answer.
func (m *mutator) once(t *testing.T, r *rand.Rand) {
	p := &probe{}
	defer func() {
		if cause := recover(); cause != nil {
			t.Errorf("%v %v", cause, p.faults)
		}
	}()
	asked := m.submission(r)
	if r.IntN(4) == 0 {
		if bind, ok := m.bind(r); ok {
			asked = bind
		}
	}
	got := p.send(message{method: asked.method, url: m.base + asked.path, body: asked.body,
		header: map[string]string{"Content-Type": asked.kind}})
	outcome := strconv.Itoa(got.status)
	if fault, ok := got.body["error"].(object); ok {
		outcome += " " + fmt.Sprint(fault["code"])
	}
	good := false
	for _, want := range asked.want {
		good = good || outcome == want
	}
	sent := asked.body
	if asked.method != "POST" || len(sent) > 64<<10 {
		sent = nil
	}
	if found := faults(got, sent); !good || len(found) > 0 {
		t.Errorf("%s: %s, want %v; %v\n%s\n%s", asked.what, outcome, asked.want, found, clip(asked.body), clip(got.raw))
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.classes[asked.what]++
	if asked.taken != nil && got.status == 200 {
		asked.taken(got)
	}
	if asked.refused != nil && got.status >= 400 {
		asked.refused()
	}
	var session struct {
		ID any `json:"session_id"`
	}
	if got.status >= 400 && json.Unmarshal(asked.body, &session) == nil && !strings.HasSuffix(asked.path, "/bind") {
		m.refused[strings.ToLower(fmt.Sprint(session.ID))] = true
	}
}

// change is one way to make a valid message another one.
type change struct {
	what string
	want string
	edit func(r *rand.Rand, o object)
}

func pick[T any](r *rand.Rand, all ...T) T { return all[r.IntN(len(all))] }

// to sets a member to one of some values.
func to(path string, values ...any) func(*rand.Rand, object) {
	return func(r *rand.Rand, o object) {
		if value := pick(r, values...); value == drop {
			set(path, nil)(o)
		} else if value == null {
			parts := strings.Split(path, ".")
			inner := o
			for _, name := range parts[:len(parts)-1] {
				inner = inner[name].(object)
			}
			inner[parts[len(parts)-1]] = nil
		} else {
			set(path, value)(o)
		}
	}
}

// drop removes a member, and null makes it null.
const (
	drop = "\x00drop"
	null = "\x00null"
)

var submissionChanges = []change{
	{"as it is", "200", func(*rand.Rand, object) {}},
	{"a further version", "200", to("aip_version", "0.1.1", "0.1.27")},
	{"further metadata", "200",
		to("metadata", object{"x": 1, "locale": "de"}, object{"timezone": "Europe/Berlin"}, object{})},
	{"an undeclared member", "200", to("intake_data.colour", "blue", 7, null, []any{1}, object{"a": 1})},
	{"a member missing", "400 INVALID_INPUT",
		func(r *rand.Rand, o object) { delete(o, pick(r, "aip_version", "agent", "intake_data", "session_id")) }},
	{"a member of another type", "400 INVALID_INPUT", func(r *rand.Rand, o object) {
		o[pick(r, "aip_version", "agent", "intake_data", "session_id")] = pick[any](r, nil, 1, true, []any{},
			[]any{object{}})
	}},
	{"a member too many", "400 INVALID_INPUT", func(r *rand.Rand, o object) {
		o[pick(r, "intake_id", "AIP_VERSION", "agent ", "", "bind_data", "x"+strconv.Itoa(r.IntN(1e6)))] = pick[any](r,
			1, "x", nil)
	}},
	{"another version", "400 INVALID_INPUT",
		to("aip_version", "0.2.0", "1.0.0", "0.1", "v0.1.0", "0.1.0 ", "", "00.1.0", "0.1.x")},
	{"no UUID of version 4", "400 INVALID_INPUT",
		to("session_id", "test-001", "", "2c5ea4c0-4067-11e9-8bad-9b1deb4d3b7d", nilSession,
			"{9f0c54c2-5b0e-4d3a-9a55-0a1b2c3d4e5f}", "9f0c54c25b0e4d3a9a550a1b2c3d4e5f")},
	{"no agent", "400 INVALID_INPUT", to("agent.id", "", drop, null, 1)},
	{"an agent with more", "400 INVALID_INPUT", to("agent.version", "1", 2, null)},
	{"an agent of another form", "400 INVALID_INPUT", func(r *rand.Rand, o object) {
		set("agent."+pick(r, "name", "platform"), pick[any](r, 1, true, []any{}))(o)
	}},
	{"no consent", "400 INVALID_INPUT",
		to("agent.consent_scope", drop, null, []any{}, []any{"offer"}, []any{"bind", "payment"}, "intake")},
	{"a consent that is none", "400 INVALID_INPUT", to("agent.consent_scope", []any{"intake", "intake"},
		[]any{"intake", "all"}, []any{"intake", 1}, []any{"INTAKE"}, object{"intake": true})},
	{"metadata of another form", "400 INVALID_INPUT", to("metadata", 1, "x", []any{}, object{"locale": "EN_us"},
		object{"locale": 1}, object{"timestamp": "yesterday"}, object{"timestamp": "2026-02-30T00:00:00Z"})},
	{"a field missing", "400 SCHEMA_MISMATCH",
		func(r *rand.Rand, o object) { delete(o["intake_data"].(object), pick(r, "hull", "length_m")) }},
	{"another value", "400 SCHEMA_MISMATCH",
		to("intake_data.hull", "Wood", "concrete", "", "wood ", 1, null, []any{"wood"})},
	{"another number", "400 SCHEMA_MISMATCH", to("intake_data.length_m", 0, -1, 60.0001, 1e9, "12", null, true)},
	{"another whole number", "400 SCHEMA_MISMATCH", to("intake_data.crew", -1, 21, 1.5, "2", null)},
	{"no truth value", "400 SCHEMA_MISMATCH", to("intake_data.insured", "yes", 0, null)},
	{"no day", "400 SCHEMA_MISMATCH", to("intake_data.since", "2026-02-30", "1.1.2026", "", 2026)},
	{"another text", "400 SCHEMA_MISMATCH", to("intake_data.note", strings.Repeat("x", 41), "a;b", "ü", "\u0000", 1)},
	{"another list", "400 SCHEMA_MISMATCH", to("intake_data.jobs", []any{"magic"}, []any{"paint", 1},
		[]any{"paint", "paint", "paint", "paint"}, "paint", object{})},
	{"personal data", "400 SCHEMA_MISMATCH", func(r *rand.Rand, o object) {
		set("intake_data."+pick(r, "email", "e-mail", "fullName", "phone_number", "iban"), "somebody")(o)
	}},
	{"a personal value", "400 SCHEMA_MISMATCH",
		to("intake_data.remark", "write to kim@example.com", "+49 30 123456789")},
}

// submission is a submission of which one thing is changed.
func (m *mutator) submission(r *rand.Rand) mutated {
	o := submission(func(o object) {
		set("intake_data.hull", pick(r, "wood", "steel", "plastic"))(o)
		set("intake_data.length_m", pick[any](r, 1, 60, 12.25, 39.9, 41, 1e1))(o)
		for name, value := range map[string]any{
			"crew": r.IntN(21), "insured": r.IntN(2) == 0, "since": "2020-02-29",
			"note": pick(r, "", "as new", strings.Repeat("x", 40)),
			"jobs": pick(r, []any{}, []any{"paint"}, []any{"rigging", "engine", "paint"}),
		} {
			if r.IntN(2) == 0 {
				set("intake_data."+name, value)(o)
			}
		}
	})
	out := mutated{method: "POST", path: "/intake/quote", kind: "application/json"}
	take := func(got reply) {
		var sent object // which is not what it was made of where a byte was changed
		if err := json.Unmarshal(out.body, &sent); err != nil {
			return
		}
		m.stored[strings.ToLower(fmt.Sprint(sent["session_id"]))] = true
		if offer, ok := got.body["offer"].(object); ok && len(m.open) < 200 {
			m.open = append(m.open, accepted{sent, offer})
		}
	}
	if m.raw(r, &out, o) {
		out.taken = take
		return out
	}
	c := pick(r, submissionChanges...)
	c.edit(r, o)
	out.what, out.want, out.body, out.taken = "submit: "+c.what, []string{c.want}, text(o), take
	return out
}

// raw changes how a message is sent, or its bytes; it says whether it did.
func (m *mutator) raw(r *rand.Rand, out *mutated, o object) bool {
	body := text(o)
	switch r.IntN(24) {
	case 0:
		out.what, out.body, out.want = "cut off", body[:r.IntN(len(body))], []string{"400 INVALID_INPUT"}
	case 1:
		out.what, out.body, out.want = "more behind it", append(body, pick(r, "{}", "x", "]", "null")...),
			[]string{"400 INVALID_INPUT"}
	case 2:
		out.what, out.body, out.want = "a member twice", append([]byte(`{"aip_version":"0.1.0",`), body[1:]...), []string{"400 INVALID_INPUT"}
		if _, there := o["aip_version"]; !there {
			out.body = append([]byte(`{"session_id":"x",`), body[1:]...)
		}
	case 3:
		out.what, out.body, out.want = "no UTF-8", bytes.Replace(body, []byte(`"agent-1"`), []byte("\"agent\xff\""), 1),
			[]string{"400 INVALID_INPUT"}
	case 4:
		out.what, out.body, out.want = "nested too deep",
			[]byte(`{"a":`+strings.Repeat("[", 200)+strings.Repeat("]", 200)+"}"), []string{"400 INVALID_INPUT"}
	case 5:
		out.what, out.body, out.want = "too large", padded(65_537+r.IntN(100_000)), []string{"413 INVALID_INPUT"}
	case 6:
		out.what, out.body, out.kind, out.want = "another type", body, pick(r, "text/plain", "application/xml",
			"multipart/form-data", "application/json; charset=utf-16", "json"), []string{"415 INVALID_INPUT"}
	case 7:
		out.what, out.body, out.method, out.want = "another method", nil, pick(r, "GET", "PUT", "DELETE", "PATCH"),
			[]string{"405 INVALID_INPUT"}
	case 8:
		out.what, out.body, out.want = "blanks around it", append([]byte(" \n\t"), append(body, " \r\n"...)...),
			[]string{"200"}
	case 9:
		at := r.IntN(len(body))
		changed := bytes.Clone(body)
		changed[at] = byte(r.IntN(256))
		out.what, out.body, out.want = "a byte changed", changed, []string{"400 INVALID_INPUT", "400 SCHEMA_MISMATCH",
			"400 BIND_INCOMPLETE", "404 OFFER_NOT_FOUND", "409 OFFER_ALREADY_BOUND", "200"}
		switch same := map[string]any{}; {
		case !json.Valid(changed):
			out.want = []string{"400 INVALID_INPUT"}
		case json.Unmarshal(changed, &same) == nil && bytes.Equal(text(same), body):
			out.want = []string{"200"}
		}
	default:
		return false
	}
	return true
}

var bindChanges = []change{
	{"no offer", "400 INVALID_INPUT", to("offer_id", drop, null, 1, []any{})},
	{"another offer", "404 OFFER_NOT_FOUND", to("offer_id", "x", nilSession, strings.Repeat("a", 26))},
	{"another session", "404 OFFER_NOT_FOUND", func(_ *rand.Rand, o object) { o["session_id"] = uuid() }},
	{"no session", "400 INVALID_INPUT", to("session_id", drop, null, "me", 1)},
	{"another agent", "404 OFFER_NOT_FOUND", to("agent.id", "agent-2", "Agent-1", "agent-1 ")},
	{"no agent", "400 INVALID_INPUT", to("agent", drop, null, object{}, object{"id": "agent-1"})},
	{"no consent to bind", "400 INVALID_INPUT",
		to("agent.consent_scope", drop, []any{}, []any{"intake"}, []any{"bind", "bind"}, []any{"bind", "all"})},
	{"a field missing", "400 BIND_INCOMPLETE",
		func(r *rand.Rand, o object) { delete(o["bind_data"].(object), pick(r, "email", "full_name")) }},
	{"a field empty", "400 BIND_INCOMPLETE", func(r *rand.Rand, o object) {
		o["bind_data"].(object)[pick(r, "email", "full_name")] = pick[any](r, "", nil, " ")
	}},
	{"no data", "400 BIND_INCOMPLETE", to("bind_data", drop, object{})},
	{"no address", "400 INVALID_INPUT",
		to("bind_data.email", "kim", "kim@", "@example.com", "kim at example.com", 7, true)},
	{"data of another form", "400 INVALID_INPUT", to("bind_data", "x", 1, []any{})},
	{"a version", "400 INVALID_INPUT", to("aip_version", "0.1.0")},
	{"a platform", "400 INVALID_INPUT",
		func(r *rand.Rand, o object) { set("agent."+pick(r, "platform", "name"), "anthropic")(o) }},
	{"a member too many", "400 INVALID_INPUT",
		func(r *rand.Rand, o object) { o[pick(r, "intake", "offer", "Offer_id")] = "x" }},
	{"metadata of another form", "400 INVALID_INPUT",
		to("metadata", 1, object{"user_confirmed_at": "now"}, object{"user_confirmed_at": 1})},
}

// bind is a bind of an offer that is there: mostly of one that is changed and refused, so that the
// offer stays.
func (m *mutator) bind(r *rand.Rand) (out mutated, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.open) == 0 {
		return out, false
	}
	at := r.IntN(len(m.open))
	of := m.open[at]
	o := acceptance(maps.Clone(of.request), of.offer)
	id := fmt.Sprint(of.offer["id"])
	out = mutated{method: "POST", path: "/intake/quote/bind", kind: "application/json"}
	m.open = append(m.open[:at], m.open[at+1:]...) // nobody else has it meanwhile
	if r.IntN(8) > 0 {
		c := pick(r, bindChanges...)
		c.edit(r, o)
		out.what, out.want, out.body = "bind: "+c.what, []string{c.want}, text(o)
		out.refused = func() { m.open = append(m.open, of) }
		return out, true
	}
	if r.IntN(2) == 0 {
		set("bind_data.shoe_size", 42)(o)
	}
	out.what, out.want, out.body, out.taken = "bind: as it is", []string{"200"}, text(o), func(reply) {
		m.bound[id] = true
	}
	return out, true
}

// holds looks into the database: what was taken is there once, and of what was refused there is
// nothing.
func (m *mutator) holds(t *testing.T, path string) {
	db, err := store.Open(t.Context(), store.Config{DSN: path})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	column := func(query string) map[string]int {
		found := map[string]int{}
		err := db.View(t.Context(), func(tx *store.Tx) error {
			clear(found)
			rows, err := tx.Query(t.Context(), query)
			if err != nil {
				return err
			}
			defer rows.Close()
			for rows.Next() {
				var value string
				if err := rows.Scan(&value); err != nil {
					return err
				}
				found[strings.ToLower(value)]++
			}
			return rows.Err()
		})
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	sessions, binds := column(`SELECT session FROM submission_record`), column(`SELECT offer FROM submission_bind`)
	for session, n := range sessions {
		if m.refused[session] && !m.stored[session] {
			t.Errorf("the refused session %s is stored", session)
		}
		if n != 1 {
			t.Errorf("session %s is stored %d times", session, n)
		}
	}
	if len(sessions) != len(m.stored) || len(binds) != len(m.bound) {
		t.Errorf("%d submissions and %d binds are stored, and %d and %d were taken", len(sessions), len(binds),
			len(m.stored), len(m.bound))
	}
	kinds := map[string]int{}
	for line := range strings.Lines(process.MustRun(t, "ledger", "show", "--limit", "0", "--json", "--config",
		filepath.Join(filepath.Dir(filepath.Dir(path)), "mutated.yaml"))) {
		var of struct{ Entry struct{ Kind string } }
		if json.Unmarshal([]byte(line), &of) == nil {
			kinds[of.Entry.Kind]++
		}
	}
	if kinds["bind"] != len(m.bound) || kinds["intake"] != len(m.stored) {
		t.Errorf("the ledger has %v", kinds)
	}
}
