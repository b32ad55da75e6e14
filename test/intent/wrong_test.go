package intent

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strconv"
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
	asked   []byte
	status  int
	header  http.Header
	body    []byte
}

func (w wrong) proxy(base string) http.Handler {
	target, err := url.Parse(base)
	if err != nil {
		panic(err)
	}
	return http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		proxy := httputil.NewSingleHostReverseProxy(target)
		proxy.ModifyResponse = func(response *http.Response) error {
			raw, err := io.ReadAll(response.Body)
			if err != nil || w.reply == nil {
				response.Body = io.NopCloser(bytes.NewReader(raw))
				return err
			}
			x := &exchange{request: r, asked: body, status: response.StatusCode, header: response.Header, body: raw}
			w.reply(x)
			response.StatusCode = x.status
			response.Header.Del("Content-Length")
			if r.Method != http.MethodHead {
				response.Header.Set("Content-Length", strconv.Itoa(len(x.body)))
			}
			response.ContentLength = int64(len(x.body))
			response.Body = io.NopCloser(bytes.NewReader(x.body))
			return nil
		}
		proxy.ServeHTTP(out, r)
	})
}

// change changes a JSON answer.
func change(edit func(object)) func(*exchange) {
	return func(x *exchange) {
		var body object
		if json.Unmarshal(x.body, &body) == nil && body != nil {
			edit(body)
			x.body = text(body)
		}
	}
}

// only changes the answers of one status member alone.
func only(status string, edit func(object)) func(*exchange) {
	return change(func(body object) {
		if body["status"] == status {
			edit(body)
		}
	})
}

func header(name, value string) func(*exchange) {
	return func(x *exchange) {
		if x.header.Del(name); value != "" {
			x.header.Set(name, value)
		}
	}
}

func eachChunk(edit func(object)) func(*exchange) {
	return only("ok", func(body object) {
		for _, c := range objects(body["content"].(object)["chunks"]) {
			edit(c)
		}
	})
}

func eachCitation(edit func(object)) func(*exchange) {
	return only("ok", func(body object) {
		for _, c := range objects(body["citations"]) {
			edit(c)
		}
	})
}

// instead answers every retrieval and event with something else.
func instead(status int, body object) func(*exchange) {
	return func(x *exchange) {
		if x.request.Method == http.MethodPost {
			x.status, x.body = status, text(body)
		}
	}
}

var wrongServers = []wrong{
	{name: "takes every declaration for valid", rows: []int{2, 3, 4, 5, 6, 7, 8, 9}, world: func(at *servers) {
		at.check = func(string) (bool, string) { return true, "" }
	}},
	{name: "takes no declaration for valid", rows: []int{1, 2, 9}, world: func(at *servers) {
		at.check = func(string) (bool, string) { return false, "no" }
	}},
	{name: "no CORS", rows: []int{1}, reply: header("Access-Control-Allow-Origin", "")},
	{name: "no tag", rows: []int{10}, reply: header("ETag", "")},
	{name: "conditions not heeded", rows: []int{10}, reply: func(x *exchange) {
		if x.status == http.StatusNotModified {
			x.status, x.body = 200, []byte("{}")
		}
	}},
	{name: "200 whatever happens", rows: []int{11, 12, 13, 14, 15, 16, 17, 18, 20, 21, 23, 24, 25, 26, 27, 28, 39, 40,
		41, 42, 43, 45, 54, 56, 58, 60, 61, 62, 63, 64},
		reply: func(x *exchange) { x.status = 200 }},
	{name: "denies everything", rows: []int{19, 21, 22, 23, 33, 36, 46, 47, 48, 49, 50, 53, 56, 57, 58, 59, 60, 61, 62,
		63, 64}, reply: instead(200, object{
		"aip_version": "0.1", "request_id": "r", "timestamp": stamp(0), "status": "denied",
		"denial": object{"reason": "policy_violation"},
	})},
	{name: "gives everything", rows: []int{30, 31, 32, 34, 35, 37, 38, 44, 45, 53}, reply: instead(200, object{
		"aip_version": "0.1", "request_id": "r", "timestamp": stamp(0), "status": "ok",
		"content":        object{"chunks": []any{object{"id": "c", "text": "x", "token_count": 1}}},
		"limits_applied": object{"max_chunks": 3, "max_tokens": 300}, "citations": []any{},
	})},
	{name: "other reasons", rows: []int{31, 32, 34, 35, 37, 38, 44, 45},
		reply: only("denied", func(body object) { body["denial"] = object{"reason": "closed"} })},
	{name: "tells which check failed", rows: []int{28}, reply: func(x *exchange) {
		if x.status == 401 {
			change(func(body object) {
				body["error"].(object)["message"] = "key " + x.request.Header.Get("X-AIP-Key-Id") + " at " +
					x.request.Header.Get("X-AIP-Timestamp")
			})(x)
		}
	}},
	{name: "answers not signed", rows: []int{29}, reply: header("X-AIP-Signature", "")},
	{name: "a blank after the signed body", rows: []int{29}, reply: func(x *exchange) { x.body = append(x.body, ' ') }},
	{name: "failures signed", rows: []int{11, 13, 28}, reply: func(x *exchange) {
		if x.status == 401 {
			x.header.Set("X-AIP-Signature", "v1=AAAA")
		}
	}},
	{name: "no time to come again", rows: []int{45}, reply: header("Retry-After", "")},
	{name: "too many chunks", rows: []int{46}, reply: only("ok", func(body object) {
		chunks := body["content"].(object)["chunks"].([]any)
		body["content"].(object)["chunks"] = append(chunks, chunks[0], chunks[0], chunks[0])
	})},
	{name: "wrong limits", rows: []int{46, 47},
		reply: only("ok", func(body object) { body["limits_applied"] = object{"max_chunks": 10, "max_tokens": 4096} })},
	{name: "tokens counted too low", rows: []int{47}, reply: eachChunk(func(c object) { c["token_count"] = 1 })},
	{name: "more text than counted", rows: []int{47, 48}, reply: eachChunk(func(c object) {
		c["text"] = c["text"].(string) + string(bytes.Repeat([]byte(" more"), 400))
	})},
	{name: "citations of other chunks", rows: []int{49},
		reply: eachCitation(func(c object) { c["chunk_ids"] = []string{"other"} })},
	{name: "citations of another site", rows: []int{48, 49},
		reply: eachCitation(func(c object) { c["source_url"] = "https://elsewhere.example/" })},
	{name: "citations all the same", rows: []int{50},
		reply: only("ok", func(body object) { body["citations"] = []any{} })},
	{name: "content and denial", rows: []int{51, 54},
		reply: only("ok", func(body object) { body["denial"] = object{"reason": "unsupported"} })},
	{name: "another id", rows: []int{52}, reply: change(func(body object) { body["request_id"] = "other" })},
	{name: "no time", rows: []int{54}, reply: change(func(body object) { delete(body, "timestamp") })},
	{name: "a price", rows: []int{54},
		reply: change(func(body object) { body["extensions"] = object{"example.price": 2} })},
	{name: "a score on each chunk", rows: []int{54}, reply: eachChunk(func(c object) { c["score"] = 1 })},
	{name: "may be cached", rows: []int{54, 55, 58}, reply: header("Cache-Control", "max-age=60")},
	{name: "nothing found is ok", rows: []int{53, 56},
		reply: only("error", func(body object) { body["status"] = "ok" })},
	{name: "events without end", rows: []int{56, 57}, world: func(at *servers) {
		real := at.entries
		at.entries = func(site int, request string) []object {
			return append(real(site, request), real(site, request)...)
		}
	}},
	{name: "events that count otherwise", rows: []int{57}, world: func(at *servers) {
		real := at.entries
		at.entries = func(site int, request string) []object {
			all := real(site, request)
			for _, e := range all {
				e["body"].(object)["token_count"] = 1.0
			}
			return all
		}
	}},
	{name: "202 for every event", rows: []int{59, 60, 61, 62, 63, 64}, reply: func(x *exchange) {
		if x.request.URL.Path == eventsPath {
			x.status = 202
		}
	}},
	{name: "no events", rows: []int{58, 59, 60}, reply: func(x *exchange) {
		if x.request.URL.Path == eventsPath {
			x.status = 404
		}
	}},
	{name: "forgets when it is killed", rows: []int{65}, world: func(at *servers) {
		real := at.killed
		at.killed = func(first, second func(string), entries func(func(string) []object)) {
			real(first, second, func(func(string) []object) { entries(func(string) []object { return nil }) })
		}
	}},
	{name: "sees no tampering", rows: []int{66},
		world: func(at *servers) { at.tampered = func(bool) (bool, string) { return true, "" } }},
	{name: "sees tampering everywhere", rows: []int{66},
		world: func(at *servers) { at.tampered = func(bool) (bool, string) { return false, "changed" } }},
}
