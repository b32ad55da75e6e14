package sdk

import (
	"bytes"
	"cmp"
	"context"
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"frontdesk/client"
	"frontdesk/wire/sign"
)

// address is that of every client which plays a transcript.
const address = "https://desk.example"

// transcript is a file of transcripts, whose README.md describes it.
type transcript struct {
	Rule, Protocol string
	Now            time.Time
	Options        options
	Who            who
	Steps          []step
}

type options struct {
	Token, UserAgent     string  `json:"-"`
	MaxAnswer            int64   `json:"max_answer"`
	MaxEvent             int     `json:"max_event"`
	Retries              *int    `json:"retries"`
	MaxWait, SilenceSecs float64 `json:"-"`
}

type who struct {
	Platform, Key, Secret string // of Agentic Intent
	RequireSigned         bool   `json:"require_signed"`
	Agent, Name           string // of Agent Intake
	ID, Domain, Seed      string // of RAMP
	KeyID                 string `json:"key_id"`
}

type step struct {
	Do        string
	With      json.RawMessage
	Exchanges []exchange
	Result    json.RawMessage
	Error     map[string]any
}

type exchange struct {
	After   []float64
	Request struct {
		Method, URL, Signed string
		Headers             map[string]*string
		JSON                json.RawMessage
	}
	Response struct {
		Status             int
		Headers            map[string]string
		JSON               json.RawMessage
		Text, Then, Signed string
	}
	Fails bool
}

// player stands in place of the transport, and answers as the step has it.
type player struct {
	t         *testing.T
	who       who
	now       func() time.Time
	exchanges []exchange
	places    map[string]string
	last      time.Time
}

// TestClientPlaysTheTranscripts holds the Go client to the files that the clients in other
// languages play, too.
func TestClientPlaysTheTranscripts(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("transcripts/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no transcripts: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".json"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			doc := transcript{Now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
			decoder := json.NewDecoder(bytes.NewReader(text))
			decoder.DisallowUnknownFields()
			if err := decoder.Decode(&doc); err != nil {
				t.Fatal(err)
			}
			synctest.Test(t, func(t *testing.T) { doc.play(t) })
		})
	}
}

// UnmarshalJSON reads seconds and names as the file has them.
func (o *options) UnmarshalJSON(text []byte) error {
	type plain options
	read := struct {
		*plain
		Token     string
		UserAgent string  `json:"user_agent"`
		MaxWait   float64 `json:"max_wait"`
		Silence   float64
	}{plain: (*plain)(o)}
	if err := json.Unmarshal(text, &read); err != nil {
		return err
	}
	o.Token, o.UserAgent, o.MaxWait, o.SilenceSecs = read.Token, read.UserAgent, read.MaxWait, read.Silence
	return nil
}

func (o options) client(p *player) client.Options {
	out := client.Options{HTTP: &http.Client{Transport: p}, UserAgent: o.UserAgent, MaxAnswer: o.MaxAnswer,
		MaxEvent: o.MaxEvent, Now: p.now,
		MaxWait: seconds(o.MaxWait), Silence: seconds(o.SilenceSecs)}
	if o.Token != "" {
		out.Token = client.StaticToken(o.Token)
	}
	if o.Retries != nil {
		out.Retries = cmp.Or(*o.Retries, -1)
	}
	return out
}

func seconds(n float64) time.Duration { return time.Duration(n * float64(time.Second)) }

func (doc *transcript) play(t *testing.T) {
	began := time.Now()
	p := &player{t: t, who: doc.Who, now: func() time.Time { return doc.Now.Add(time.Since(began)) },
		places: map[string]string{}}
	call := caller(t, doc, p)
	for i, s := range doc.Steps {
		p.exchanges, p.last = s.Exchanges, time.Now()
		// of the step before
		maps.DeleteFunc(p.places, func(name, _ string) bool { return strings.ToLower(name) == name })
		result, err := call(t.Context(), s)
		at := fmt.Sprintf("step %d (%s)", i+1, s.Do)
		if len(p.exchanges) > 0 {
			t.Fatalf("%s: %d requests were not made (%v)", at, len(p.exchanges), err)
		}
		if told := errorOf(err); s.Error == nil && err != nil || s.Error != nil && !within(s.Error, plain(told), nil) {
			t.Fatalf("%s: the error is %v (%v), want %v", at, told, err, s.Error)
		}
		var want any
		if s.Result == nil {
			continue
		}
		if err := json.Unmarshal(s.Result, &want); err != nil {
			t.Fatal(err)
		}
		if got := plain(result); !within(want, got, nil) {
			t.Errorf("%s: the result is %v, want %v", at, got, want)
		}
	}
}

// plain is a value as JSON has it.
func plain(v any) (out any) {
	text, err := json.Marshal(v)
	if err == nil {
		err = json.Unmarshal(text, &out)
	}
	if err != nil {
		panic(err)
	}
	return out
}

// within says whether a value has what is wanted. With places, it must have nothing else, and fills
// them.
func within(want, got any, places map[string]string) bool {
	switch want := want.(type) {
	case map[string]any:
		has, ok := got.(map[string]any)
		if !ok || places != nil && len(has) != len(want) {
			return false
		}
		for name, value := range want {
			if other, there := has[name]; !there || !within(value, other, places) {
				return false
			}
		}
		return true
	case []any:
		has, ok := got.([]any)
		return ok && len(has) == len(want) && !slices.ContainsFunc(want, func(v any) bool {
			each := has[0]
			has = has[1:]
			return !within(v, each, places)
		})
	case string:
		if text, ok := got.(string); ok && places != nil {
			return fits(want, text, places)
		}
	}
	return reflect.DeepEqual(want, got)
}

var place = regexp.MustCompile(`\$\{(\w+)\}`)

// fits says whether a text is one with places, and keeps what stands in them.
func fits(want, got string, places map[string]string) bool {
	names := []string{}
	pattern := "^"
	for rest := want; ; {
		at := place.FindStringSubmatchIndex(rest)
		if at == nil {
			pattern += regexp.QuoteMeta(rest) + "$"
			break
		}
		pattern += regexp.QuoteMeta(rest[:at[0]]) + "((?s).+?)"
		names = append(names, rest[at[2]:at[3]])
		rest = rest[at[1]:]
	}
	found := regexp.MustCompile(pattern).FindStringSubmatch(got)
	if found == nil {
		return false
	}
	for i, name := range names {
		if known, ok := places[name]; ok && known != found[i+1] {
			return false
		}
		places[name] = found[i+1]
	}
	return true
}

func (p *player) filled(text string) string {
	return place.ReplaceAllStringFunc(text, func(at string) string { return p.places[at[2:len(at)-1]] })
}

// RoundTrip holds a request against the next that is expected.
func (p *player) RoundTrip(r *http.Request) (*http.Response, error) {
	var body []byte
	if r.Body != nil {
		body, _ = io.ReadAll(r.Body)
	}
	if len(p.exchanges) == 0 {
		p.t.Errorf("%s %s %s is sent, and nothing more is expected", r.Method, r.URL, body)
		return nil, errors.New("not expected")
	}
	e := p.exchanges[0]
	p.exchanges = p.exchanges[1:]
	if passed := time.Since(p.last).Seconds(); e.After != nil && (passed < e.After[0] || passed > e.After[1]) {
		p.t.Errorf("%s %s comes after %.3f seconds, want %v", r.Method, r.URL, passed, e.After)
	}
	p.last = time.Now()
	p.expect(e, r, body)
	if e.Fails {
		return nil, errors.New("the connection cannot be made")
	}
	return p.answer(e, r), nil
}

func (p *player) expect(e exchange, r *http.Request, body []byte) {
	want := e.Request
	if r.Method != want.Method || !fits(want.URL, r.URL.String(), p.places) {
		p.t.Errorf("%s %s is sent, want %s %s", r.Method, r.URL, want.Method, want.URL)
	}
	for name, value := range want.Headers {
		got, there := r.Header[http.CanonicalHeaderKey(name)]
		if value == nil && there || value != nil && (len(got) != 1 || !fits(*value, got[0], p.places)) {
			p.t.Errorf("%s %s: the header %s is %q", r.Method, r.URL, name, got)
		}
	}
	var wanted, sent any
	if want.JSON != nil {
		if json.Unmarshal(want.JSON, &wanted) != nil || json.Unmarshal(body, &sent) != nil ||
			!within(wanted, sent, p.places) {
			p.t.Errorf("%s %s: the body is\n%s\nwant\n%s", r.Method, r.URL, body, want.JSON)
		}
	}
	if err := p.verify(want.Signed, r, body); err != nil {
		p.t.Errorf("%s %s: %v", r.Method, r.URL, err)
	}
}

func (p *player) verify(how string, r *http.Request, body []byte) error {
	switch how {
	case "aip":
		head, err := sign.Read(r.Header)
		if err != nil {
			return err
		}
		if head.KeyID != p.who.Key || !head.Fresh(p.now()) ||
			!head.Verify([]byte(p.who.Secret), r.Method, r.URL.RequestURI(), body) {
			return errors.New("the signature is not right")
		}
	case "ramp":
		all, err := sign.ReadHTTPSignatures(r.Header)
		if err != nil {
			return err
		}
		if err := sign.CheckContentDigest(r.Header["Content-Digest"], body); err != nil {
			return err
		}
		if err := all[0].Fresh(p.now()); err != nil || !all[0].Covers(sign.RequestComponents...) || all[0].Nonce == "" {
			return fmt.Errorf("the signature does not count: %v", err)
		}
		return all[0].Verify(p.who.private().Public(),
			sign.Request{Method: r.Method, Target: r.URL.String(), Header: r.Header})
	}
	return nil
}

func (w who) private() ed25519.PrivateKey {
	seed, err := hex.DecodeString(w.Seed)
	if err != nil || len(seed) != ed25519.SeedSize {
		return nil
	}
	return ed25519.NewKeyFromSeed(seed)
}

func (p *player) answer(e exchange, r *http.Request) *http.Response {
	told := e.Response
	body, kind := p.filled(told.Text), "text/event-stream"
	if told.JSON != nil {
		var compact bytes.Buffer
		_ = json.Compact(&compact, told.JSON)
		body, kind = p.filled(compact.String()), "application/json"
	}
	header := http.Header{"Content-Type": {kind}}
	for name, value := range told.Headers {
		header.Set(name, value)
	}
	status := cmp.Or(told.Status, http.StatusOK)
	if told.Signed == "aip" {
		head := sign.Headers{Version: "0.1", KeyID: p.who.Key, Timestamp: sign.FormatTime(p.now()), Nonce: "n1"}
		head.Signed([]byte(p.who.Secret), strconv.Itoa(status), r.URL.RequestURI(), []byte(body)).Write(header)
	}
	return &http.Response{StatusCode: status, Header: header, Request: r,
		Body: &rest{strings.NewReader(body), told.Then, r.Context()}}
}

// rest is a body that ends as the transcript has it.
type rest struct {
	*strings.Reader
	then string
	ctx  context.Context
}

func (b *rest) Read(to []byte) (int, error) {
	if n, err := b.Reader.Read(to); n > 0 || b.then == "" {
		return n, err
	}
	if b.then == "cut" {
		return 0, io.ErrUnexpectedEOF
	}
	<-b.ctx.Done()
	return 0, b.ctx.Err()
}

func (b *rest) Close() error { return nil }
