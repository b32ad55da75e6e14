package intake

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
)

// wrong is the real server behind a proxy that breaks one promise. The rows that hold it have to
// find that.
type wrong struct {
	name  string
	rows  []int
	reply func(*exchange)
	world func(*servers) // what is wrong beside the answers
}

// exchange is one answer on its way through the proxy.
type exchange struct {
	request *http.Request
	status  int
	header  http.Header
	body    []byte
}

func (w wrong) proxy(base string) http.Handler {
	target, err := url.Parse(base)
	if err != nil {
		panic(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(target)
	proxy.ModifyResponse = func(response *http.Response) error {
		raw, err := io.ReadAll(response.Body)
		if err != nil || w.reply == nil {
			response.Body = io.NopCloser(bytes.NewReader(raw))
			return err
		}
		x := &exchange{request: response.Request, status: response.StatusCode, header: response.Header, body: raw}
		w.reply(x)
		response.StatusCode = x.status
		response.Header.Del("Content-Length")
		if response.Request.Method != http.MethodHead {
			response.Header.Set("Content-Length", strconv.Itoa(len(x.body)))
		}
		response.ContentLength = int64(len(x.body))
		response.Body = io.NopCloser(bytes.NewReader(x.body))
		return nil
	}
	return proxy
}

// edited changes a JSON answer.
func edited(edit func(object)) func(*exchange) {
	return func(x *exchange) {
		var body object
		if json.Unmarshal(x.body, &body) == nil && body != nil {
			edit(body)
			x.body = text(body)
		}
	}
}

// of changes the answers of one status member alone.
func of(status string, edit func(object)) func(*exchange) {
	return edited(func(body object) {
		if body["status"] == status {
			edit(body)
		}
	})
}

// offers changes every offer.
func offers(edit func(object)) func(*exchange) {
	return of("offer", func(body object) { edit(body["offer"].(object)) })
}

// published changes the manifest.
func published(edit func(object)) func(*exchange) {
	return func(x *exchange) {
		if x.request.URL.Path == wellKnown && x.request.Method == http.MethodGet {
			edited(edit)(x)
		}
	}
}

func without(name string) func(*exchange) { return func(x *exchange) { x.header.Del(name) } }

// instead answers every POST with something else.
func instead(status int, body object) func(*exchange) {
	return func(x *exchange) {
		if x.request.Method == http.MethodPost {
			x.status, x.body = status, text(body)
		}
	}
}

// turned gives answers of one status another.
func turned(from, to int) func(*exchange) {
	return func(x *exchange) {
		if x.status == from {
			x.status = to
		}
	}
}

// from lists the numbers from one to another.
func from(first, last int) (all []int) {
	for n := first; n <= last; n++ {
		all = append(all, n)
	}
	return all
}

var offerNumber atomic.Int64

var wrongServers = []wrong{
	{name: "takes every manifest for valid", rows: []int{5, 6, 7, 8, 9},
		world: func(at *servers) { at.check = func(string) (bool, string) { return true, "category" } }},
	{name: "takes no manifest for valid", rows: []int{1, 8},
		world: func(at *servers) { at.check = func(string) (bool, string) { return false, "no" } }},
	{name: "takes every configuration", rows: []int{5, 6, 7, 8},
		world: func(at *servers) { at.configured = func(func(string) string) (bool, string) { return true, "fine" } }},
	{name: "no tag", rows: []int{1, 3}, reply: func(x *exchange) {
		if x.header.Del("ETag"); x.request.Method == http.MethodHead {
			x.header.Set("ETag", "other")
		}
	}},
	{name: "another kind", rows: []int{1}, reply: func(x *exchange) { x.header.Set("Content-Type", "text/html") }},
	{name: "no provider", rows: []int{1}, reply: published(func(m object) { m["provider"] = object{"name": "x"} })},
	{name: "no CORS", rows: []int{2, 4}, reply: without("Access-Control-Allow-Origin")},
	{name: "no HEAD", rows: []int{3}, reply: func(x *exchange) {
		if x.request.Method == http.MethodHead {
			x.status = 405
		}
	}},
	{name: "no preflights", rows: []int{4}, reply: func(x *exchange) {
		if x.request.Method == http.MethodOptions {
			x.status = 405
		}
	}},
	{name: "preflights without POST", rows: []int{4}, reply: func(x *exchange) {
		if x.request.URL.Path == wellKnown {
			x.header.Set("Access-Control-Allow-Methods", "GET")
		}
	}},
	{name: "endpoints all the same", rows: []int{5}, reply: published(func(m object) {
		for _, one := range objects(m["intakes"]) {
			one["endpoint"] = "https://harbour.example/intake"
		}
	})},
	{name: "schemas of lists", rows: []int{6}, reply: published(func(m object) {
		for _, one := range objects(m["intakes"]) {
			one["input_schema"].(object)["type"] = "array"
		}
	})},
	{name: "another category", rows: []int{8},
		reply: published(func(m object) { objects(m["intakes"])[0]["category"] = "finance/quote" })},
	{name: "offers without keys", rows: []int{42}, reply: published(func(m object) {
		for _, one := range objects(m["intakes"]) {
			one["requires_auth"] = false
		}
	})},
	{name: "more declared than holds", rows: []int{46}, reply: published(func(m object) {
		for _, one := range objects(m["intakes"]) {
			one["rate_limit"] = object{"requests_per_minute": 5}
		}
	})},
	{name: "200 whatever happens", rows: slices.Concat([]int{10}, from(12, 23), from(25, 31),
		[]int{33, 34, 36, 37, 39, 40, 41, 42, 45, 47}, from(49, 56), []int{58, 59, 61, 63}),
		reply: func(x *exchange) { x.status = 200 }},
	{name: "offers whatever is asked", rows: slices.Concat([]int{10}, from(12, 23), from(25, 31),
		[]int{33, 34, 37, 38, 39, 40, 41, 42, 46, 47}, from(48, 63)), reply: instead(200, object{
		"aip_version": "0.1.0", "session_id": nilSession, "status": "offer",
		"offer": object{"id": "x", "summary": "x", "expires": "2099-01-01T00:00:00Z"},
	})},
	{name: "refuses everything", rows: slices.Concat([]int{11, 24}, from(31, 33), []int{35}, from(37, 44),
		from(46, 66)), reply: instead(400, object{
		"aip_version": "0.1.0", "session_id": nilSession, "status": "error",
		"error": object{"code": "INVALID_INPUT", "message": "no"},
	}), world: func(at *servers) {
		real := at.killed
		at.killed = func(first, second func(string)) {
			real(func(string) { first(at.base) }, func(string) { second(at.base) })
		}
	}},
	{name: "other codes", rows: slices.Concat(from(12, 23), from(25, 31), []int{33, 34, 36, 37, 39, 40, 41, 42, 45, 47},
		from(49, 56), []int{58, 59, 61, 63}),
		reply: of("error", func(body object) { body["error"].(object)["code"] = "ERROR" })},
	{name: "another session", rows: []int{11, 12, 45, 48},
		reply: edited(func(body object) { body["session_id"] = "9f0c54c2-5b0e-4d3a-9a55-0a1b2c3d4e5f" })},
	{name: "a member too many", rows: []int{11, 38, 45},
		reply: edited(func(body object) { body["extensions"] = object{} })},
	{name: "shows what was sent", rows: []int{31, 54}, reply: of("error", func(body object) {
		body["error"].(object)["message"] = "kim.marker31@example.com and kim.marker54@example.com and full_name"
	})},
	{name: "shows what went wrong within", rows: []int{39}, reply: of("error", func(body object) {
		body["error"].(object)["message"] = "CEL: division by zero in data.parts"
	})},
	{name: "no time to come again", rows: []int{40, 41, 47}, reply: without("Retry-After")},
	{name: "no challenge", rows: []int{42}, reply: without("WWW-Authenticate")},
	{name: "says nothing of versions", rows: []int{37},
		reply: of("error", func(body object) { body["error"].(object)["message"] = "no" })},
	{name: "declines without a reason", rows: []int{38},
		reply: of("declined", func(body object) { delete(body, "decline_reason") })},
	{name: "never expires", rows: []int{43}, reply: offers(func(o object) { o["expires"] = "2099-01-01T00:00:00Z" })},
	{name: "no word on binding", rows: []int{43}, reply: offers(func(o object) { delete(o, "bind_requires") })},
	{name: "always binding", rows: []int{43},
		reply: offers(func(o object) { o["bind_endpoint"], o["bind_requires"] = "https://x.example", []string{} })},
	{name: "another offer each time", rows: []int{44},
		reply: offers(func(o object) { o["id"] = strconv.FormatInt(offerNumber.Add(1), 10) })},
	{name: "always the same offer", rows: []int{44}, reply: offers(func(o object) { o["id"] = "1" })},
	{name: "other prices", rows: []int{11},
		reply: offers(func(o object) { o["details"] = object{"price": 1, "currency": "EUR"} })},
	{name: "expired is unknown", rows: []int{52}, reply: func(x *exchange) {
		if x.status == 410 {
			x.status = 404
			edited(func(body object) { body["error"].(object)["code"] = "OFFER_NOT_FOUND" })(x)
		}
	}},
	{name: "bound again is a conflict", rows: []int{60}, reply: func() func(*exchange) {
		var bound atomic.Int64
		return func(x *exchange) {
			if strings.HasSuffix(x.request.URL.Path, "/bind") && x.status == 200 && bound.Add(1) > 1 {
				x.status = 409
			}
		}
	}()},
	{name: "another answer each time", rows: []int{60, 62},
		reply: of("bound", func(body object) { body["message"] = strconv.FormatInt(offerNumber.Add(1), 10) })},
	{name: "a conflict is fine", rows: []int{61}, reply: turned(409, 200)},
	{name: "nobody is told", rows: []int{48, 60, 61, 62, 65},
		world: func(at *servers) { at.effects = func(string) []object { return nil } }},
	{name: "everybody is told twice", rows: []int{48, 60, 61, 62}, world: func(at *servers) {
		real := at.effects
		at.effects = func(offer string) []object { return append(real(offer), real(offer)...) }
	}},
	{name: "tells what nobody asked for", rows: []int{57}, world: func(at *servers) {
		real := at.effects
		at.effects = func(offer string) []object {
			all := real(offer)
			for _, one := range all {
				one["text"] = one["text"].(string) + "marker57"
			}
			return all
		}
	}},
	{name: "an empty ledger", rows: []int{11, 48, 60, 62},
		world: func(at *servers) { at.ledger = func(string, ...string) []object { return nil } }},
	{name: "a ledger with what was refused", rows: slices.Concat(from(15, 16), from(18, 23), from(25, 30),
		[]int{49, 50, 51, 53, 55, 56}), world: func(at *servers) {
		at.ledger = func(kind string, sessions ...string) []object {
			return []object{{"kind": kind, "sessions": sessions}}
		}
	}},
	{name: "a ledger with data", rows: []int{48}, world: func(at *servers) {
		real := at.ledger
		at.ledger = func(kind string, sessions ...string) []object {
			all := real(kind, sessions...)
			for _, one := range all {
				one["data"] = "kim@example.com"
			}
			return all
		}
	}},
	{name: "a log with data", rows: []int{64}, world: func(at *servers) {
		real := at.everything
		at.everything = func() string { return real() + "marker64b" }
	}},
	{name: "no log", rows: []int{64}, world: func(at *servers) { at.everything = func() string { return "" } }},
	{name: "stored in clear", rows: []int{64, 65},
		world: func(at *servers) { at.stored = func(string) []string { return []string{"frontdesk.db"} } }},
	{name: "kept for ever", rows: []int{57, 65},
		world: func(at *servers) { at.exported = func(string) string { return "forgetful marker65b marker57" } }},
	{name: "forgets when it is killed", rows: []int{66}, world: func(at *servers) {
		real := at.killed
		at.killed = func(first, second func(string)) {
			real(first, func(string) {})
			real(func(string) {}, second)
		}
	}},
}

// TestEveryRowCanFail shows for each row a server that it finds wrong.
func TestEveryRowCanFail(t *testing.T) {
	if testing.Short() {
		t.Skip("short: the rows themselves run in TestAgentIntake")
	}
	at := startServers(t)
	caught := map[int]bool{}
	for _, w := range wrongServers {
		t.Run(strings.ReplaceAll(w.name, " ", "_"), func(t *testing.T) {
			broken := at
			for _, base := range []*string{&broken.base, &broken.lenient} {
				proxy := httptest.NewServer(w.proxy(*base))
				defer proxy.Close()
				*base = proxy.URL
			}
			if w.world != nil {
				w.world(&broken)
			}
			for _, r := range allRows() {
				if !slices.Contains(w.rows, r.number) {
					continue
				}
				if faults := r.run(broken); len(faults) == 0 {
					t.Errorf("row %d (%s) finds nothing wrong", r.number, r.name)
				}
				caught[r.number] = true
			}
		})
	}
	for _, r := range allRows() {
		if !caught[r.number] {
			t.Errorf("no wrong server is shown to row %d (%s)", r.number, r.name)
		}
	}
}
