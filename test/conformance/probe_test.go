package conformance

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"
)

// probe is one row's view of the server under test: it asks, and collects what is wrong.
type probe struct {
	base   string  // of the server that is asked, such as "http://127.0.0.1:8080"
	at     servers // that there are
	faults []string
}

// servers are the addresses of the servers under test. They have the same content.
type servers struct {
	open    string // for everybody
	closed  string // for who has the key
	limited string // for everybody, some hundred times an hour
	// helpless has a model that is down.
	helpless string
	faulty   string // which cannot read its content any more, except what it has read of "supper"
	key      string
	other    string // a key of somebody else
	// restart begins a server, ends it after the first part and begins it again for the second.
	restart func(before, after func(base string))
}

// on runs a part of a row against another of the servers.
func (p *probe) on(base string, part func()) {
	before := p.base
	defer func() { p.base = before }()
	p.base = base
	part()
}

// errStop ends a row early; see must.
var errStop = errors.New("the row cannot go on")

// row is one assertion. Its number is that of our list of assertions about NLWeb.
type row struct {
	number int
	name   string
	check  func(*probe)
}

// run returns what a row finds wrong with servers.
func (r row) run(at servers) (faults []string) {
	p := &probe{base: at.open, at: at}
	defer func() {
		if cause := recover(); cause != nil && cause != any(errStop) {
			p.faultf("panic: %v", cause)
		}
		faults = p.faults
	}()
	r.check(p)
	return p.faults
}

func (p *probe) faultf(format string, args ...any) {
	p.faults = append(p.faults, fmt.Sprintf(format, args...))
}

// expect notes a fault unless ok.
func (p *probe) expect(ok bool, format string, args ...any) {
	if !ok {
		p.faultf(format, args...)
	}
}

// must is expect for what the rest of the row stands on.
func (p *probe) must(ok bool, format string, args ...any) {
	if !ok {
		p.faultf(format, args...)
		panic(errStop)
	}
}

// object is a JSON object.
type object = map[string]any

// reply is an answer of the server, whole.
type reply struct {
	status int
	header http.Header
	raw    []byte
	body   object // nil unless the body is exactly one JSON object
}

var client = &http.Client{
	Timeout:   30 * time.Second,
	Transport: &http.Transport{MaxIdleConnsPerHost: 64},
}

// send makes any request. Headers are name and value in turn.
func (p *probe) send(method, path, body string, headers ...string) reply {
	request, err := http.NewRequest(method, p.base+path, strings.NewReader(body))
	p.must(err == nil, "request: %v", err)
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	response, err := client.Do(request)
	p.must(err == nil, "%s %s: %v", method, path, err)
	defer response.Body.Close()
	raw, err := io.ReadAll(response.Body)
	p.must(err == nil, "%s %s: reading the answer: %v", method, path, err)
	return reply{status: response.StatusCode, header: response.Header, raw: raw, body: oneObject(raw)}
}

// oneObject decodes a text that is exactly one JSON object, or returns nil.
func oneObject(raw []byte) object {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	var body object
	if decoder.Decode(&body) != nil || body == nil {
		return nil
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil
	}
	return body
}

// ask posts a request to /ask; body is JSON text or a value to be written as such.
func (p *probe) ask(body any, headers ...string) reply {
	return p.send("POST", "/ask", text(body), headers...)
}

func text(body any) string {
	if s, ok := body.(string); ok {
		return s
	}
	raw, err := json.Marshal(body)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

// query forms a request of a text and further sections or members of the query: "prefer" and "meta"
// and "context" are sections, every other name is an attribute of the query.
func query(question string, more ...any) object {
	q := object{"text": question}
	request := object{"query": q}
	for i := 0; i < len(more); i += 2 {
		switch name := more[i].(string); name {
		case "prefer", "meta", "context":
			request[name] = more[i+1]
		default:
			q[name] = more[i+1]
		}
	}
	return request
}

// answer holds that a reply is an answer in the default format, and returns its items.
func (p *probe) answer(r reply) []object {
	p.must(r.status == http.StatusOK, "status %d, want 200: %s", r.status, clip(r.raw))
	p.must(r.body != nil, "the body is not one JSON object: %s", clip(r.raw))
	p.must(r.meta("response_type") == "answer", "_meta.response_type is %v, want answer: %s", r.meta("response_type"),
		clip(r.raw))
	items, ok := objects(r.body["results"])
	p.must(ok && len(items) > 0, "results is not a non-empty array of objects: %s", clip(r.raw))
	return items
}

// failure holds that a reply is a failure envelope of a status and a code.
func (p *probe) failure(r reply, status int, code string) {
	p.expect(r.status == status, "status %d, want %d: %s", r.status, status, clip(r.raw))
	p.must(r.body != nil, "the body is not one JSON object: %s", clip(r.raw))
	p.expect(isType(r.header, "application/json"), "content type %q, want application/json",
		r.header.Get("Content-Type"))
	p.expect(r.meta("response_type") == "failure", "_meta.response_type is %v, want failure", r.meta("response_type"))
	p.expect(r.meta("version") == "0.55", "_meta.version is %v, want 0.55", r.meta("version"))
	fault, _ := r.body["error"].(object)
	p.expect(fault["code"] == code, "error.code is %v, want %s: %s", fault["code"], code, clip(r.raw))
	if message, there := fault["message"]; there {
		_, ok := message.(string)
		p.expect(ok, "error.message is no string: %v", message)
	}
	_, there := r.body["results"]
	p.expect(!there, "a failure carries results: %s", clip(r.raw))
}

// meta returns a member of _meta.
func (r reply) meta(name string) any {
	meta, _ := r.body["_meta"].(object)
	return meta[name]
}

// objects returns v as an array of objects, and whether it is one.
func objects(v any) ([]object, bool) {
	array, ok := v.([]any)
	list := make([]object, 0, len(array))
	for _, element := range array {
		o, isObject := element.(object)
		ok = ok && isObject
		list = append(list, o)
	}
	return list, ok
}

func isType(header http.Header, want string) bool {
	got, _, err := mime.ParseMediaType(header.Get("Content-Type"))
	return err == nil && got == want
}

func clip(raw []byte) string {
	if len(raw) > 400 {
		return string(raw[:400]) + "..."
	}
	return string(raw)
}

// event is one event of a stream.
type event struct {
	name    string
	data    object
	arrived time.Duration // since the request was sent
}

// stream is a streamed answer.
type stream struct {
	status int
	header http.Header
	events []event
}

// streamAsk posts a request and reads its answer as a stream of events, strictly: one event line,
// one data line that holds one JSON object, and a blank line.
func (p *probe) streamAsk(body any, headers ...string) stream {
	request, err := http.NewRequest("POST", p.base+"/ask", strings.NewReader(text(body)))
	p.must(err == nil, "request: %v", err)
	request.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	began := time.Now()
	response, err := client.Do(request)
	p.must(err == nil, "POST /ask: %v", err)
	defer response.Body.Close()
	s := stream{status: response.StatusCode, header: response.Header}
	p.must(isType(s.header, "text/event-stream"), "content type %q, want text/event-stream",
		s.header.Get("Content-Type"))
	s.events = p.readEvents(response.Body, began)
	return s
}

func (p *probe) readEvents(in io.Reader, began time.Time) []event {
	var events []event
	current := event{}
	lines := bufio.NewReaderSize(in, 1<<20)
	for {
		line, err := lines.ReadString('\n')
		if err == io.EOF {
			p.expect(line == "" && current.name == "" && current.data == nil, "the stream ends inside an event")
			return events
		}
		p.must(err == nil, "reading the stream: %v", err)
		field, value, _ := strings.Cut(strings.TrimRight(line, "\r\n"), ":")
		value = strings.TrimPrefix(value, " ")
		switch field {
		case "":
			if value == "" && current.name != "" {
				p.must(current.data != nil, "event %s has no data", current.name)
				events = append(events, current)
				current = event{}
			}
		case "event":
			current.name, current.arrived = value, time.Since(began)
		case "data":
			p.must(current.data == nil, "event %s has two data lines", current.name)
			current.data = oneObject([]byte(value))
			p.must(current.data != nil, "the data of event %q is not one JSON object: %s", current.name,
				clip([]byte(value)))
		default:
			p.faultf("unknown field %q in the stream", field)
		}
	}
}

// items returns the stream's items in the order of their indexes, and holds that these are 0 to
// n-1, each once.
func (p *probe) items(s stream) []object {
	var found []object
	byIndex := map[int]object{}
	for _, e := range s.events {
		if e.name != "result" {
			continue
		}
		index, ok := e.data["index"].(float64)
		p.must(ok && index == float64(int(index)), "index %v is no integer", e.data["index"])
		item, ok := e.data["item"].(object)
		p.must(ok, "item %v is no object", e.data["item"])
		p.must(byIndex[int(index)] == nil, "index %v stands twice", index)
		byIndex[int(index)] = item
	}
	for i := range len(byIndex) {
		p.must(byIndex[i] != nil, "of %d results none has index %d", len(byIndex), i)
		found = append(found, byIndex[i])
	}
	return found
}

// metaOf returns the _meta of an event.
func metaOf(e event) object {
	meta, _ := e.data["_meta"].(object)
	return meta
}

// leave asks for a stream and goes away after its first line.
func (p *probe) leave(body any) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, "POST", p.base+"/ask", strings.NewReader(text(body)))
	p.must(err == nil, "request: %v", err)
	request.Header.Set("Content-Type", "application/json")
	response, err := client.Do(request)
	p.must(err == nil, "POST /ask: %v", err)
	defer response.Body.Close()
	_, err = bufio.NewReader(response.Body).ReadString('\n')
	p.must(err == nil, "reading the first line: %v", err)
}
