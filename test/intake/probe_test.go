package intake

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// object is a JSON object.
type object = map[string]any

// servers are those under test.
type servers struct {
	base    string        // with all intakes
	lenient string        // the same, taking what the schema of binds has no place for
	key     string        // that opens the intake that needs one
	another func() string // makes another such key
	// check says whether the program finds a document to be a valid manifest, and what it says of
	// it.
	check func(document string) (valid bool, told string)
	// configured says whether the program takes a configuration with an intake, changed.
	configured func(change func(string) string) (good bool, told string)
	// effects are what the business was told of an offer that was accepted, by the webhook.
	effects func(offer string) []object
	// everything is all that the server has told beside its answers: its log, its figures and its
	// ledger.
	everything func() string
	// ledger are the entries of a kind that name one of some sessions.
	ledger func(kind string, sessions ...string) []object
	// stored are the files of the data folder that hold a text; exported is what is kept of a
	// session or an offer.
	stored   func(text string) []string
	exported func(id string) string
	// killed has a server of its own ended by a signal that nobody can catch after the first part,
	// and begun again for the second.
	killed func(first, second func(base string))
}

// probe is one row's view of the servers under test.
type probe struct {
	at     servers
	faults []string
}

var errStop = errors.New("the row cannot go on")

// row is one check. Its number is that of our list of checks.
type row struct {
	number int
	name   string
	check  func(*probe)
}

func (r row) run(at servers) (faults []string) {
	p := &probe{at: at}
	defer func() {
		if cause := recover(); cause != nil && cause != any(errStop) {
			p.expect(false, "panic: %v", cause)
		}
		faults = p.faults
	}()
	r.check(p)
	return p.faults
}

func (p *probe) expect(ok bool, format string, args ...any) {
	if !ok {
		p.faults = append(p.faults, fmt.Sprintf(format, args...))
	}
}

func (p *probe) must(ok bool, format string, args ...any) {
	if p.expect(ok, format, args...); !ok {
		panic(errStop)
	}
}

const wellKnown = "/.well-known/agent-intake.json"

// message is what is sent.
type message struct {
	method, url string
	body        []byte
	header      map[string]string // changes; "" leaves one out
}

// reply is an answer, whole.
type reply struct {
	status int
	header http.Header
	raw    []byte
	body   object
	took   time.Duration
}

var client = &http.Client{Timeout: 30 * time.Second}

func (p *probe) send(m message) reply {
	request, err := http.NewRequest(m.method, m.url, bytes.NewReader(m.body))
	p.must(err == nil, "request: %v", err)
	header := map[string]string{"Content-Type": "application/json"}
	maps.Copy(header, m.header)
	for name, value := range header {
		if value != "" {
			request.Header.Set(name, value)
		}
	}
	begin := time.Now()
	response, err := client.Do(request)
	p.must(err == nil, "%s %s: %v", m.method, m.url, err)
	defer response.Body.Close()
	raw, err := io.ReadAll(response.Body)
	p.must(err == nil, "reading the answer: %v", err)
	r := reply{status: response.StatusCode, header: response.Header, raw: raw, took: time.Since(begin)}
	json.Unmarshal(raw, &r.body)
	return r
}

// uuid makes up a session's id.
func uuid() string {
	var b [16]byte
	rand.Read(b[:])
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// submission is a good request to the intake "quote", changed.
func submission(changes ...func(object)) object {
	body := object{
		"aip_version": "0.1.0", "session_id": uuid(),
		"agent":       object{"id": "agent-1", "platform": "anthropic", "consent_scope": []any{"intake", "offer"}},
		"intake_data": object{"hull": "wood", "length_m": 12.5},
	}
	for _, change := range changes {
		change(body)
	}
	return body
}

// set changes a member, named by its path; nil removes it.
func set(path string, value any) func(object) {
	return func(o object) {
		parts := strings.Split(path, ".")
		for _, name := range parts[:len(parts)-1] {
			inner, ok := o[name].(object)
			if !ok {
				inner = object{}
				o[name] = inner
			}
			o = inner
		}
		if o[parts[len(parts)-1]] = value; value == nil {
			delete(o, parts[len(parts)-1])
		}
	}
}

func text(v any) []byte {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return raw
}

// post sends a body to an intake of the main server, and holds what holds of every answer.
func (p *probe) post(intake string, body any, header ...string) reply {
	raw, ok := body.([]byte)
	if !ok {
		raw = text(body)
	}
	m := message{method: "POST", url: p.at.base + "/intake/" + intake, body: raw, header: map[string]string{}}
	for i := 0; i+1 < len(header); i += 2 {
		m.header[header[i]] = header[i+1]
	}
	r := p.send(m)
	p.wellFormed(r, raw)
	return r
}

// submit submits to the intake "quote", changed.
func (p *probe) submit(changes ...func(object)) reply { return p.post("quote", submission(changes...)) }

// offered holds that an answer has an offer, and gives it.
func (p *probe) offered(r reply) object {
	offer, _ := r.body["offer"].(object)
	p.must(r.status == 200 && r.body["status"] == "offer" && offer != nil, "status %d, want an offer: %s", r.status,
		clip(r.raw))
	return offer
}

// refused holds that an answer is an error.
func (p *probe) refused(r reply, status int, code string) {
	fault, _ := r.body["error"].(object)
	p.expect(r.status == status && r.body["status"] == "error" && fault["code"] == code, "status %d %v, want %d %s: %s",
		r.status, fault["code"], status, code, clip(r.raw))
}

// offer gets an offer of an intake, with the request that got it.
func (p *probe) offer(intake string, changes ...func(object)) (request, offer object) {
	request = submission(changes...)
	return request, p.offered(p.post(intake, request))
}

// acceptance is a good bind of an offer, changed.
func acceptance(request, offer object, changes ...func(object)) object {
	body := object{
		"offer_id": offer["id"], "session_id": request["session_id"],
		"bind_data": object{"email": "kim@example.com", "full_name": "Kim Doe"},
		"agent":     object{"id": request["agent"].(object)["id"], "consent_scope": []any{"intake", "offer", "bind"}},
	}
	for _, change := range changes {
		change(body)
	}
	return body
}

// bind accepts an offer, changed.
func (p *probe) bind(intake string, request, offer object, changes ...func(object)) reply {
	return p.post(intake+"/bind", acceptance(request, offer, changes...))
}

// bound holds that an answer says that an offer is accepted.
func (p *probe) bound(r reply, request, offer object) {
	p.expect(r.status == 200 && r.body["status"] == "bound" && r.body["offer_id"] == offer["id"] &&
		r.body["session_id"] == request["session_id"],
		"status %d, want bound: %s", r.status, clip(r.raw))
}

// told is what the business was told of an offer. Where something is wrong already nobody waits for
// it.
func (p *probe) told(offer object) []object {
	if len(p.faults) > 0 {
		panic(errStop)
	}
	return p.at.effects(fmt.Sprint(offer["id"]))
}

func clip(raw []byte) string { return string(raw[:min(len(raw), 500)]) }

func objects(v any) (all []object) {
	list, _ := v.([]any)
	for _, one := range list {
		if o, ok := one.(object); ok {
			all = append(all, o)
		}
	}
	return all
}

const nilSession = "00000000-0000-0000-0000-000000000000"

var isUUID = regexp.MustCompile(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)

// codes are the protocol's codes with their statuses, and ours.
var codes = map[string][]int{
	"INVALID_INPUT": {400, 405, 413, 415}, "SCHEMA_MISMATCH": {400}, "BIND_INCOMPLETE": {400}, "OFFER_NOT_FOUND": {404},
	"OFFER_EXPIRED": {410}, "RATE_LIMITED": {429}, "INTERNAL_ERROR": {500}, "SERVICE_UNAVAILABLE": {503},
	"UNAUTHORIZED": {401}, "FORBIDDEN": {403}, "OFFER_ALREADY_BOUND": {409}, "ALREADY_SUBMITTED": {409},
	"INTAKE_NOT_FOUND": {404},
}

// wellFormed holds the rules for every answer to a POST: those of the schema of offer responses,
// written here once more, and those of the prose.
func (p *probe) wellFormed(r reply, sent []byte) {
	for _, fault := range faults(r, sent) {
		p.expect(false, "%s: %s", fault, clip(r.raw))
	}
}

// faults are what is wrong with an answer.
func faults(r reply, sent []byte) (found []string) {
	bad := func(format string, args ...any) { found = append(found, fmt.Sprintf(format, args...)) }
	if !strings.HasPrefix(r.header.Get("Content-Type"), "application/json") {
		bad("Content-Type is %q", r.header.Get("Content-Type"))
	}
	if r.header.Get("Access-Control-Allow-Origin") != "*" {
		bad("Access-Control-Allow-Origin is %q", r.header.Get("Access-Control-Allow-Origin"))
	}
	if r.body == nil {
		bad("the answer is no JSON object")
		return found
	}
	only := func(o object, where string, names ...string) {
		for name := range o {
			if !slices.Contains(names, name) {
				bad("%s has a member %s", where, name)
			}
		}
	}
	str := func(o object, name string, required bool) string {
		value, there := o[name]
		s, ok := value.(string)
		if there && !ok || required && (!there || s == "") {
			bad("%s is %v", name, value)
		}
		return s
	}
	status := str(r.body, "status", true)
	if status == "bound" {
		only(r.body, "the answer", "aip_version", "session_id", "offer_id", "status", "message", "bound_at", "details")
		if _, err := time.Parse(time.RFC3339, str(r.body, "bound_at", true)); err != nil {
			bad("bound_at is %v", r.body["bound_at"])
		}
	} else {
		only(r.body, "the answer", "aip_version", "session_id", "status", "offer", "decline_reason", "error",
			"metadata")
	}
	if r.body["aip_version"] != "0.1.0" {
		bad("aip_version is %v", r.body["aip_version"])
	}
	session := str(r.body, "session_id", true)
	var asked struct {
		Session any `json:"session_id"`
	}
	switch err := json.Unmarshal(sent, &asked); {
	case err == nil && plain(sent) && isUUID.MatchString(fmt.Sprint(asked.Session)) && len(sent) <= 64<<10:
		if session != asked.Session {
			bad("the session is %q, and was %q", session, asked.Session)
		}
	case session != nilSession && (err != nil || session != asked.Session):
		bad("the session is %q, where none was given", session)
	}
	if !isUUID.MatchString(session) { // whatever was sent, the answer is one by the protocol's schema
		bad("the session is %q, which is no UUID", session)
	}
	holds := map[string]string{"offer": "offer", "declined": "decline_reason", "error": "error"}
	for name, member := range holds {
		if _, there := r.body[member]; there != (name == status) {
			bad("status %s, and there is %s: %v", status, member, there)
		}
	}
	if !slices.Contains([]string{"offer", "declined", "error", "pending", "bound"}, status) {
		bad("status is %q", status)
	}
	if (status == "error") != (r.status >= 400) {
		bad("HTTP status %d with status %s", r.status, status)
	}
	if offer, ok := r.body["offer"].(object); ok {
		only(offer, "the offer", "id", "summary", "details", "expires", "bind_endpoint", "bind_requires", "terms_url")
		str(offer, "id", true)
		str(offer, "summary", true)
		if _, err := time.Parse(time.RFC3339, str(offer, "expires", true)); err != nil {
			bad("expires is %v", offer["expires"])
		}
	}
	if fault, ok := r.body["error"].(object); ok {
		only(fault, "the error", "code", "message")
		str(fault, "message", true)
		if !slices.Contains(codes[str(fault, "code", true)], r.status) {
			bad("code %v with HTTP status %d", fault["code"], r.status)
		}
	}
	if r.status == 429 || r.status == 503 || status == "pending" {
		metadata, _ := r.body["metadata"].(object)
		wait, _ := metadata["retry_after_seconds"].(float64)
		if wait < 1 || status != "pending" && r.header.Get("Retry-After") != strconv.Itoa(int(wait)) {
			bad("Retry-After is %q, and retry_after_seconds %v", r.header.Get("Retry-After"),
				metadata["retry_after_seconds"])
		}
	}
	return found
}

// plain says whether a text is JSON that everybody reads alike: in UTF-8, with no member twice.
func plain(raw []byte) bool {
	if !utf8.Valid(raw) {
		return false
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	var value func() bool
	value = func() bool {
		token, err := decoder.Token()
		if err != nil {
			return false
		}
		seen := map[any]bool{}
		switch token {
		case json.Delim('{'):
			for decoder.More() {
				name, err := decoder.Token()
				if err != nil || seen[name] || !value() {
					return false
				}
				seen[name] = true
			}
		case json.Delim('['):
			for decoder.More() {
				if !value() {
					return false
				}
			}
		default:
			return true
		}
		_, err = decoder.Token()
		return err == nil
	}
	return value()
}
