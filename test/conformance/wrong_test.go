package conformance

import (
	"bytes"
	"encoding/json"
	"html"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// A wrong server is the real one behind a proxy that breaks one promise. The rows that hold this
// promise have to find it.
type wrong struct {
	name  string
	rows  []int
	ask   func(*exchange) // changes what the server is asked
	reply func(*exchange) // changes what it answers
}

// exchange is one request and its answer on their way through the proxy.
type exchange struct {
	request *http.Request
	asked   []byte
	status  int
	header  http.Header
	body    []byte
	events  []string // the body of a stream, frame by frame
}

var wrongServers = []wrong{
	{name: "no response_type", rows: []int{1, 2, 4, 9, 10, 13, 14, 57, 120}, reply: setMeta("response_type", nil)},
	{name: "another version", rows: []int{3, 11, 12, 14, 63, 66, 120}, reply: setMeta("version", "0.54")},
	{name: "the version as a number", rows: []int{3, 11}, reply: setMeta("version", 0.55)},
	{name: "no response_format", rows: []int{5, 51, 56, 57, 63, 66, 78}, reply: setMeta("response_format", nil)},
	{name: "results under another name", rows: []int{1, 4, 6, 44, 45}, reply: rename("results", "items")},
	{name: "no results", rows: []int{4, 59, 60}, reply: set("results", []any{})},
	{name: "items without type", rows: []int{6, 31, 53, 64},
		reply: eachItem(func(item object) { delete(item, "@type") })},
	{name: "relative addresses", rows: []int{6, 53, 64, 110},
		reply: eachItem(func(item object) { item["url"] = "/here" })},
	{name: "both formats in one", rows: []int{7}, reply: set("structuredData", []any{})},
	{name: "metadata as meta too", rows: []int{8}, reply: set("meta", object{})},
	{name: "a stream where JSON was asked for", rows: []int{1, 9, 14},
		reply: setHeader("Content-Type", "text/event-stream")},
	{name: "unknown members refused", rows: []int{10}, reply: refuse(`"extra"`)},
	{name: "the API version refused", rows: []int{12}, reply: refuse("api_version")},
	{name: "text of another encoding", rows: []int{13},
		ask: func(x *exchange) { x.asked = bytes.ReplaceAll(x.asked, []byte("crème brûlée"), []byte("supper")) }},
	{name: "200 whatever happens", rows: []int{14, 15, 16, 17, 18, 19, 20, 23, 24, 25, 27},
		reply: func(x *exchange) { x.status = 200 }},
	{name: "400 for every failure", rows: []int{22, 26, 30, 48, 55, 74}, reply: func(x *exchange) {
		if bytes.Contains(x.body, []byte(`"failure"`)) {
			x.status = 400
		}
	}},
	{name: "failures without envelope", rows: []int{14, 16, 21, 22, 24, 25, 30, 48, 55}, reply: func(x *exchange) {
		if bytes.Contains(x.body, []byte(`"failure"`)) {
			x.body = []byte("an error occurred\n")
		}
	}},
	{name: "failures without message", rows: []int{21},
		reply: eachFailure(func(fault object) { delete(fault, "message") })},
	{name: "failures with another code", rows: []int{14, 15, 16, 17, 18, 19, 20, 22, 23, 24, 25, 26, 27},
		reply: eachFailure(func(fault object) { fault["code"] = "WRONG" })},
	{name: "an empty answer where nothing matches", rows: []int{22}, reply: func(x *exchange) {
		if bytes.Contains(x.body, []byte("NO_RESULTS")) {
			x.body = []byte(`{"_meta": {"response_type": "answer", "version": "0.55"}, "results": []}`)
		}
	}},
	{name: "405 without Allow", rows: []int{23}, reply: setHeader("Allow", "")},
	{name: "GET refused", rows: []int{120}, reply: func(x *exchange) {
		if x.request.Method == "GET" {
			x.status = 405
		}
	}},
	{name: "site not heeded", rows: []int{28, 29, 30}, ask: drop("query", "site")},
	{name: "itemType not heeded", rows: []int{31}, ask: drop("query", "itemType")},
	{name: "prices as attributes not heeded", rows: []int{32, 33}, ask: drop("query", "price")},
	{name: "structured values refused", rows: []int{33}, reply: refuse(`{"max":20}`)},
	{name: "prices in words not heeded", rows: []int{34},
		ask: func(x *exchange) { x.asked = bytes.ReplaceAll(x.asked, []byte(" under $20"), nil) }},
	{name: "times in words not heeded", rows: []int{35},
		ask: func(x *exchange) { x.asked = bytes.ReplaceAll(x.asked, []byte(" under 20 minutes"), nil) }},
	{name: "negations not heeded", rows: []int{36}, ask: func(x *exchange) {
		for _, not := range []string{"without ", ", no ", "-free"} {
			x.asked = bytes.ReplaceAll(x.asked, []byte(not), []byte(" "))
		}
	}},
	{name: "mode not heeded", rows: []int{45, 46, 47, 48, 49, 70}, ask: drop("prefer", "mode")},
	{name: "format not heeded", rows: []int{51, 52, 53, 54, 55, 56, 58, 78}, ask: drop("prefer", "response_format")},
	{name: "streaming not heeded", rows: []int{62, 63, 64, 65, 66, 67, 68, 69, 70, 71, 72, 76, 77, 78, 136},
		ask: drop("prefer", "streaming")},
	{name: "Accept not heeded", rows: []int{73}, ask: func(x *exchange) { x.request.Header.Del("Accept") }},
	{name: "always a stream", rows: []int{1, 9, 72, 73}, ask: put("prefer", "streaming", true)},
	{name: "always a summary", rows: []int{44, 49, 50}, ask: put("prefer", "mode", "summarize")},
	{name: "an ignored mode that is not named", rows: []int{49}, reply: setMeta("ignored", nil)},
	{name: "two summaries", rows: []int{45, 46, 70}, reply: doubleSummary},
	{name: "a summary of its own", rows: []int{47}, reply: eachItem(func(item object) {
		if item["@type"] == "SearchSummary" {
			item["text"] = "There is also beef noodles number 5."
		}
	})},
	{name: "an empty summary", rows: []int{45, 46, 70}, reply: eachItem(func(item object) {
		if item["@type"] == "SearchSummary" {
			item["text"] = ""
		}
	})},
	{name: "a summary that is content alone", rows: []int{52},
		reply: set("content", []any{object{"type": "html", "text": "x"}})},
	{name: "widget members of the wrong type", rows: []int{54}, reply: setMeta("openai/outputTemplate", 5)},
	{name: "a widget without word on its tools", rows: []int{54}, reply: setMeta("openai/widgetAccessible", nil)},
	{name: "no actions", rows: []int{105, 106, 107, 108, 109},
		reply: eachItem(func(item object) { delete(item, "actions") })},
	{name: "actions without protocol", rows: []int{105, 106, 107, 108},
		reply: eachAction(func(action object) { delete(action, "protocol") })},
	{name: "actions without description", rows: []int{105},
		reply: eachAction(func(action object) { delete(action, "description") })},
	{name: "actions without what their protocol needs", rows: []int{106, 107, 108},
		reply: eachAction(func(action object) {
			for _, name := range []string{"endpoint", "tool", "skill"} {
				delete(action, name)
			}
		})},
	{name: "actions with parameters as text", rows: []int{106, 107, 108}, reply: eachAction(func(action object) {
		for _, name := range []string{"params", "arguments", "message"} {
			action[name] = "a=b"
		}
	})},
	{name: "actions that lead elsewhere than to the web", rows: []int{109},
		reply: eachAction(func(action object) { action["endpoint"] = "file:///etc/passwd" })},
	{name: "actions with credentials", rows: []int{109},
		reply: eachAction(func(action object) { action["headers"] = object{"Authorization": "Bearer x"} })},
	{name: "order differs between formats", rows: []int{58, 78}, reply: func(x *exchange) {
		change(x, func(body object) {
			if items, ok := body["structuredData"].([]any); ok {
				slices.Reverse(items)
			}
		})
	}},
	{name: "order differs between asks", rows: []int{69, 111}, reply: alternate()},
	{name: "languages refused", rows: []int{59}, reply: refuse("accept-language")},
	{name: "unknown agents refused", rows: []int{60}, reply: refuse("user-agent")},
	{name: "no grounding", rows: []int{110}, reply: eachItem(func(item object) { delete(item, "grounding") })},
	{name: "grounding of another site", rows: []int{110}, reply: eachItem(func(item object) {
		item["grounding"] = object{"url": item["url"], "source": "https://elsewhere.example/"}
	})},
	{name: "markup escaped in the data", rows: []int{112},
		reply: eachItem(func(item object) { item["name"] = html.EscapeString(str(item["name"])) })},
	{name: "types may be sniffed", rows: []int{112}, reply: setHeader("X-Content-Type-Options", "")},
	{name: "no CORS", rows: []int{119}, reply: setHeader("Access-Control-Allow-Origin", "")},
	{name: "a stream that may be cached", rows: []int{61}, reply: setHeader("Cache-Control", "max-age=60")},
	{name: "no start", rows: []int{62, 63, 74}, reply: eachEvent("start", func(string) []string { return nil })},
	{name: "start twice", rows: []int{62},
		reply: eachEvent("start", func(e string) []string { return []string{e, e} })},
	{name: "no complete", rows: []int{66, 74}, reply: eachEvent("complete", func(string) []string { return nil })},
	{name: "complete twice", rows: []int{66},
		reply: eachEvent("complete", func(e string) []string { return []string{e, e} })},
	{name: "complete without metadata", rows: []int{66, 78},
		reply: eachEvent("complete", func(string) []string { return []string{"event: complete\ndata: {}"} })},
	{name: "every result with one index", rows: []int{64, 65, 69}, reply: eachEvent("result", func(string) []string {
		return []string{"event: result\ndata: {\"index\": 0, \"item\": {}}"}
	})},
	{name: "results in other frames", rows: []int{64, 65, 67, 68}, reply: eachEvent("result", func(e string) []string {
		return []string{strings.Replace(e, "event: result", "event: row", 1), "event: result\ndata: {\ndata: }"}
	})},
	{name: "the flat dialect refused", rows: []int{121}, reply: refuse(`"query":"supper"`)},
	{name: "the flat dialect answered in ours", rows: []int{121}, ask: func(x *exchange) {
		x.asked = bytes.Replace(x.asked, []byte(`"query":"supper"`), []byte(`"query":{"text":"supper"}`), 1)
	}},
	{name: "a question as a parameter not heeded", rows: []int{121},
		ask: func(x *exchange) { x.request.URL.RawQuery = "" }},
	{name: "event names in the flat dialect", rows: []int{121}, reply: func(x *exchange) {
		for i := range x.events {
			if strings.HasPrefix(x.events[i], "data: ") {
				x.events[i] = "event: result\n" + x.events[i]
			}
		}
	}},
	{name: "results without schema_object", rows: []int{121},
		reply: eachItem(func(item object) { delete(item, "schema_object") })},
	{name: "answers mixed up", rows: []int{136}, ask: func() func(*exchange) {
		var asks atomic.Int64
		return func(x *exchange) {
			if asks.Add(1)%50 == 0 {
				x.asked = []byte(`{"query": {"text": "pan"}}`)
			}
		}
	}()},
	{name: "a late start", rows: []int{77}, reply: func(*exchange) { <-time.After(1100 * time.Millisecond) }},
	{name: "down after clients left", rows: []int{76}, reply: func() func(*exchange) {
		var asks atomic.Int64
		return func(x *exchange) {
			if asks.Add(1) > 15 {
				x.status, x.body, x.events = 502, []byte("gone"), nil
			}
		}
	}()},
}

// TestEveryRowCanFail shows for each row a server that it finds wrong.
func TestEveryRowCanFail(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: the rows themselves run in TestNLWeb")
	}
	at := startServers(t)
	caught := map[int]bool{}
	for _, w := range slices.Concat(wrongServers, wrongSessions, wrongGuards, wrongFaults, wrongModels,
		wrongElicitations, wrongPromises, wrongMCP) {
		t.Run(strings.ReplaceAll(w.name, " ", "_"), func(t *testing.T) {
			broken := at
			for _, base := range []*string{
				&broken.open, &broken.closed, &broken.limited, &broken.faulty, &broken.helpless,
			} {
				proxy := httptest.NewServer(w.proxy(*base))
				defer proxy.Close()
				*base = proxy.URL
			}
			broken.restart = func(before, after func(string)) {
				wrongly := func(part func(string)) func(string) {
					return func(base string) {
						proxy := httptest.NewServer(w.proxy(base))
						defer proxy.Close()
						part(proxy.URL)
					}
				}
				at.restart(wrongly(before), wrongly(after))
			}
			for _, number := range w.rows {
				if len(rowOf(t, number).run(broken)) == 0 {
					t.Errorf("row %d finds nothing wrong", number)
				}
				caught[number] = true
			}
		})
	}
	for _, r := range allRows() {
		if !caught[r.number] {
			t.Errorf("no wrong server shows that row %d, %s, can fail", r.number, r.name)
		}
	}
}

func rowOf(t *testing.T, number int) row {
	rows := allRows()
	i := slices.IndexFunc(rows, func(r row) bool { return r.number == number })
	if i < 0 {
		t.Fatalf("there is no row %d", number)
	}
	return rows[i]
}

// proxy forwards to base and breaks the promise.
func (w wrong) proxy(base string) http.Handler {
	return http.HandlerFunc(func(out http.ResponseWriter, request *http.Request) {
		x := &exchange{request: request}
		x.asked, _ = io.ReadAll(request.Body)
		if w.ask != nil {
			w.ask(x)
		}
		if err := x.forward(base); err != nil {
			panic(http.ErrAbortHandler) // the real server ended the connection; so do we
		}
		if w.reply != nil {
			w.reply(x)
		}
		maps.Copy(out.Header(), x.header)
		out.Header().Del("Content-Length")
		out.WriteHeader(x.status)
		for _, e := range x.events {
			io.WriteString(out, e+"\n\n")
		}
		if x.events == nil && request.Method != "HEAD" {
			out.Write(x.body)
		}
	})
}

func (x *exchange) forward(base string) error {
	request, err := http.NewRequestWithContext(x.request.Context(), x.request.Method, base+x.request.URL.RequestURI(),
		bytes.NewReader(x.asked))
	if err != nil {
		return err
	}
	request.Header = x.request.Header.Clone()
	request.Header.Del("Accept-Encoding")
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	x.status, x.header = response.StatusCode, response.Header.Clone()
	x.body, err = io.ReadAll(response.Body)
	if err == nil && isType(x.header, "text/event-stream") {
		x.events = strings.Split(strings.TrimSuffix(string(x.body), "\n\n"), "\n\n")
	}
	return err
}

// The ways to break an exchange.

// change edits every JSON object of the answer: the body, or the data of each event.
func change(x *exchange, edit func(object)) {
	if body := oneObject(x.body); body != nil {
		edit(body)
		x.body = []byte(text(body))
	}
	for i, e := range x.events {
		head, data, ok := strings.Cut(e, "\ndata: ")
		if body := oneObject([]byte(data)); ok && body != nil {
			edit(body)
			x.events[i] = head + "\ndata: " + text(body)
		}
	}
}

func set(name string, value any) func(*exchange) {
	return func(x *exchange) { change(x, func(body object) { body[name] = value }) }
}

func rename(from, to string) func(*exchange) {
	return func(x *exchange) {
		change(x, func(body object) {
			if value, there := body[from]; there {
				body[to] = value
				delete(body, from)
			}
		})
	}
}

// setMeta sets a member of _meta, or removes it with nil.
func setMeta(name string, value any) func(*exchange) {
	return func(x *exchange) {
		change(x, func(body object) {
			if meta, ok := body["_meta"].(object); ok && value == nil {
				delete(meta, name)
			} else if ok {
				meta[name] = value
			}
		})
	}
}

func setHeader(name, value string) func(*exchange) {
	return func(x *exchange) {
		x.header.Del(name)
		if value != "" {
			x.header.Set(name, value)
		}
	}
}

// eachItem edits every item, whole or streamed.
func eachItem(edit func(object)) func(*exchange) {
	return func(x *exchange) {
		change(x, func(body object) {
			for _, name := range []string{"results", "structuredData"} {
				items, _ := objects(body[name])
				for _, item := range items {
					edit(item)
				}
			}
			if item, ok := body["item"].(object); ok {
				edit(item)
			}
		})
	}
}

// eachAction edits every action of every item.
func eachAction(edit func(object)) func(*exchange) {
	return eachItem(func(item object) {
		actions, _ := objects(item["actions"])
		for _, action := range actions {
			edit(action)
		}
	})
}

func eachFailure(edit func(object)) func(*exchange) {
	return func(x *exchange) {
		change(x, func(body object) {
			if fault, ok := body["error"].(object); ok {
				edit(fault)
			}
		})
	}
}

func eachEvent(name string, replace func(string) []string) func(*exchange) {
	return func(x *exchange) {
		var events []string
		for _, e := range x.events {
			if strings.HasPrefix(e, "event: "+name+"\n") {
				events = append(events, replace(e)...)
			} else {
				events = append(events, e)
			}
		}
		if x.events != nil {
			x.events = append([]string{}, events...)
		}
	}
}

// refuse answers 400 where the request contains a word.
func refuse(word string) func(*exchange) {
	return func(x *exchange) {
		if bytes.Contains(x.asked, []byte(word)) {
			x.status = 400
		}
	}
}

// drop takes an attribute out of a section of the request, and put puts one in.
func drop(section, name string) func(*exchange) {
	return func(x *exchange) { x.edit(section, func(s object) { delete(s, name) }) }
}

func put(section, name string, value any) func(*exchange) {
	return func(x *exchange) { x.edit(section, func(s object) { s[name] = value }) }
}

func (x *exchange) edit(section string, change func(object)) {
	var request object
	if json.Unmarshal(x.asked, &request) != nil {
		return
	}
	inner, ok := request[section].(object)
	if !ok {
		inner = object{}
		request[section] = inner
	}
	change(inner)
	x.asked = []byte(text(request))
}

// doubleSummary repeats the summary.
func doubleSummary(x *exchange) {
	change(x, func(body object) {
		items, _ := objects(body["results"])
		for _, summary := range summaries(items) {
			body["results"] = append(body["results"].([]any), summary)
		}
	})
	eachEvent("result", func(e string) []string {
		if strings.Contains(e, "SearchSummary") {
			return []string{e, strings.Replace(e, `"index":`, `"index":1000, "was":`, 1)}
		}
		return []string{e}
	})(x)
}

// alternate reverses the items of every second answer, streams among them never.
func alternate() func(*exchange) {
	var turn sync.Mutex
	odd := false
	return func(x *exchange) {
		turn.Lock()
		defer turn.Unlock()
		change(x, func(body object) {
			if items, ok := body["results"].([]any); ok {
				if odd = !odd; odd {
					slices.Reverse(items)
				}
			}
		})
	}
}
