package intent

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"
)

// object is a JSON object.
type object = map[string]any

// key is a platform's.
type key struct{ platform, id, secret string }

// The keys that every server has, imported as a registry would give them out.
var (
	mine    = key{"chat", "plat_chat_1", "the secret of the first key, 32 bytes"}
	second  = key{"chat", "plat_chat_2", "the secret of the second key, as long"}
	theirs  = key{"search", "plat_search", "the secret of somebody else's key, ok"}
	revoked = key{"chat", "plat_revoked", "the secret of a key that was revoked."}
)

// site is a site under test: where it is served, and how to ask it.
type site struct {
	base             string
	domain, language string
	questions        []string
	bodies           map[string]string // the text of each article, by its address
	// a domain that is declared and has a word that only it has; a question that nothing fits
	elsewhere, words, nobody string
}

// servers are those under test. All have the first site, but for the second of sites.
type servers struct {
	sites                                                            []site
	disabled, paused, ended, chunkless, citeless, limited, stateless string
	// check says whether the program finds a document to be a valid declaration, and why not.
	check func(document string) (valid bool, told string)
	// entries are those of a site's ledger that name a request.
	entries func(site int, request string) []object
	// killed has a server of its own ended by a signal that nobody can catch after the first part,
	// and begun again for the second.
	killed func(first, second func(base string), entries func(find func(request string) []object))
	// tampered audits a ledger before and after something in a stored event was changed; the change
	// is made when changed.
	tampered func(changed bool) (sound bool, told string)
}

// bases are the addresses of the servers beside those of the sites.
func (at *servers) bases() []*string {
	return []*string{&at.disabled, &at.paused, &at.ended, &at.chunkless, &at.citeless, &at.limited, &at.stateless}
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

const (
	retrievePath = "/intent/retrieve"
	eventsPath   = "/intent/events"
)

// message is what is sent, with everything that a row may want to be wrong.
type message struct {
	base, method, path      string
	body                    []byte
	key                     key
	version, stamp, nonce   string
	signedPath, signedFirst string            // where they are others than those that are sent
	header                  map[string]string // changes to what is sent; "" leaves one out
	sent                    []byte            // where it is another body than the one that is signed
}

// reply is an answer, whole.
type reply struct {
	status int
	header http.Header
	raw    []byte
	body   object
	to     message
}

func random() string {
	raw := make([]byte, 16)
	rand.Read(raw)
	return hex.EncodeToString(raw)
}

func stamp(ago time.Duration) string { return time.Now().Add(-ago).UTC().Format(time.RFC3339) }

// signature is the value of X-AIP-Signature, made out of the protocol's text.
func signature(secret, first, path string, body []byte, stamp, nonce string) string {
	sum := sha256.Sum256(body)
	mac := hmac.New(sha256.New, []byte(secret))
	io.WriteString(mac, first+"\n"+path+"\n"+hex.EncodeToString(sum[:])+"\n"+stamp+"\n"+nonce)
	return "v1=" + base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

var client = &http.Client{Timeout: 30 * time.Second}

// send sends a message, signed.
func (p *probe) send(m message) reply {
	first, path, sent := m.method, m.path, m.body
	if m.signedFirst != "" {
		first = m.signedFirst
	}
	if m.signedPath != "" {
		path = m.signedPath
	}
	if m.sent != nil {
		sent = m.sent
	}
	request, err := http.NewRequest(m.method, m.base+m.path, bytes.NewReader(sent))
	p.must(err == nil, "request: %v", err)
	header := map[string]string{
		"Content-Type": "application/json", "X-AIP-Version": m.version, "X-AIP-Key-Id": m.key.id,
		"X-AIP-Timestamp": m.stamp, "X-AIP-Nonce": m.nonce,
		"X-AIP-Signature": signature(m.key.secret, first, path, m.body, m.stamp, m.nonce),
	}
	maps.Copy(header, m.header)
	for name, value := range header {
		if value != "" {
			request.Header.Set(name, value)
		}
	}
	response, err := client.Do(request)
	p.must(err == nil, "%s %s: %v", m.method, m.path, err)
	defer response.Body.Close()
	raw, err := io.ReadAll(response.Body)
	p.must(err == nil, "reading the answer: %v", err)
	r := reply{status: response.StatusCode, header: response.Header, raw: raw, to: m}
	json.Unmarshal(raw, &r.body)
	return r
}

// question is a good request to a site, changed.
func question(s site, changes ...func(object)) object {
	body := object{
		"aip_version": "0.1", "request_id": "req_" + random(), "timestamp": stamp(0),
		"platform": object{"id": mine.platform, "software": "test"},
		"intent":   object{"domain": s.domain, "confidence": 0.9}, "context": object{"language": s.language},
		"runtime": object{"session_id": "session_" + random(), "turn_index": 0, "query_text": s.questions[0]},
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

// retrieval is a good message with a request.
func retrieval(base string, body object) message {
	return message{base: base, method: "POST", path: retrievePath, body: text(body), key: mine, version: "0.1",
		stamp: stamp(0), nonce: random()}
}

// ask sends a message to the retrieve address, and holds what holds of every answer from there.
func (p *probe) ask(m message) reply {
	r := p.send(m)
	p.wellFormed(r)
	return r
}

// first is the first site.
func (p *probe) first() site { return p.at.sites[0] }

// given holds that an answer gives something, and returns its chunks.
func (p *probe) given(r reply) []object {
	p.must(r.status == 200 && r.body["status"] == "ok", "status %d, want something: %s", r.status, clip(r.raw))
	content, _ := r.body["content"].(object)
	return objects(content["chunks"])
}

// failed holds that an answer is an error.
func (p *probe) failed(r reply, status int, code string) {
	fault, _ := r.body["error"].(object)
	p.expect(r.status == status && r.body["status"] == "error" && fault["code"] == code,
		"status %d %v, want %d error %s: %s", r.status, fault["code"], status, code, clip(r.raw))
}

// denied holds that an answer is a denial, of a good identity.
func (p *probe) denied(r reply, status int, reason string) {
	denial, _ := r.body["denial"].(object)
	p.expect(r.status == status && r.body["status"] == "denied" && denial["reason"] == reason,
		"status %d %v, want %d denied %s: %s",
		r.status, denial["reason"], status, reason, clip(r.raw))
}

// unauthenticated holds that an answer is that to somebody unknown.
func (p *probe) unauthenticated(r reply) {
	p.failed(r, http.StatusUnauthorized, "auth_failed")
	p.expect(r.header.Get("X-AIP-Signature") == "", "an answer to somebody unknown is signed")
}

func objects(v any) (all []object) {
	list, _ := v.([]any)
	for _, one := range list {
		if o, ok := one.(object); ok {
			all = append(all, o)
		}
	}
	return all
}

func clip(raw []byte) string { return string(raw[:min(len(raw), 400)]) }

// wellFormed holds the rules for every RetrieveResponse: those of the tables, written here once
// more, and those of the prose.
func (p *probe) wellFormed(r reply) {
	bad := func(format string, args ...any) {
		p.expect(false, format+": %s", append(args, clip(r.raw))...)
	}
	if r.body == nil {
		bad("the answer is no JSON object")
		return
	}
	str := func(o object, name string, required bool) {
		value, there := o[name]
		if _, ok := value.(string); there && !ok || required && !there {
			bad("%s is %v", name, value)
		}
	}
	count := func(o object, name string, least float64) {
		if value, there := o[name]; there {
			if n, ok := value.(float64); !ok || n != float64(int(n)) || n < least {
				bad("%s is %v", name, value)
			}
		}
	}
	only := func(o object, where string, names ...string) {
		for name := range o {
			if !slices.Contains(names, name) {
				bad("%s has a member %s", where, name)
			}
		}
	}
	only(r.body, "the answer", "aip_version", "request_id", "timestamp", "status", "content", "citations",
		"limits_applied", "denial", "error", "extensions")
	for _, name := range []string{"aip_version", "request_id", "timestamp", "status"} {
		str(r.body, name, true)
	}
	if version := r.body["aip_version"]; version != "0.1" {
		bad("aip_version is %v", version)
	}
	if at, _ := r.body["timestamp"].(string); !isTime(at) {
		bad("timestamp is %v", at)
	}
	holds := map[string]string{"ok": "content", "denied": "denial", "error": "error"}
	status, _ := r.body["status"].(string)
	if holds[status] == "" {
		bad("status is %q", status)
	}
	for name, member := range holds {
		if _, there := r.body[member]; there != (name == status) {
			bad("status %s, and there is %s: %v", status, member, there)
		}
	}
	if status != "ok" {
		for _, name := range []string{"citations", "limits_applied"} {
			if _, there := r.body[name]; there {
				bad("%s has %s", status, name)
			}
		}
	}
	if content, ok := r.body["content"].(object); ok {
		only(content, "content", "chunks")
		chunks := objects(content["chunks"])
		if len(chunks) == 0 {
			bad("there are no chunks")
		}
		for _, c := range chunks {
			only(c, "a chunk", "id", "text", "token_count")
			str(c, "id", true)
			str(c, "text", true)
			count(c, "token_count", 0)
		}
	}
	for _, c := range objects(r.body["citations"]) {
		only(c, "a citation", "source_url", "title", "publisher", "chunk_ids")
		str(c, "source_url", true)
		str(c, "title", false)
		str(c, "publisher", false)
	}
	if limits, ok := r.body["limits_applied"].(object); ok {
		only(limits, "limits_applied", "max_chunks", "max_tokens")
		count(limits, "max_chunks", 1)
		count(limits, "max_tokens", 1)
	}
	if denial, ok := r.body["denial"].(object); ok {
		only(denial, "denial", "reason", "message")
		str(denial, "message", false)
		if !slices.Contains([]any{"out_of_scope", "access_disabled", "policy_violation", "rate_limited", "unsupported"},
			denial["reason"]) {
			bad("the reason is %v", denial["reason"])
		}
	}
	if fault, ok := r.body["error"].(object); ok {
		only(fault, "error", "code", "message")
		str(fault, "code", true)
		str(fault, "message", false)
	}
	extensions, _ := r.body["extensions"].(object)
	for name := range extensions {
		for _, word := range []string{"price", "offer", "licen", "action", "ad", "bid", "sponsor", "cost"} {
			if slices.Contains(strings.FieldsFunc(strings.ToLower(name),
				func(r rune) bool { return r == '.' || r == '_' || r == '-' }), word) {
				bad("the extension %s has no place in an answer", name)
			}
		}
		if !strings.Contains(name, ".") {
			bad("the extension %s has no dot", name)
		}
	}
	p.expect(r.header.Get("Cache-Control") == "no-store", "Cache-Control is %q", r.header.Get("Cache-Control"))
	p.expect(strings.HasPrefix(r.header.Get("Content-Type"), "application/json"), "Content-Type is %q",
		r.header.Get("Content-Type"))
}

func isTime(text string) bool {
	_, err := time.Parse(time.RFC3339Nano, text)
	return err == nil
}
