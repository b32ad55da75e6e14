package client

import (
	"bytes"
	"context"
	stdjson "encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"frontdesk/wire/nlweb"
)

// Answer is a whole answer, or the question that a desk asks back.
type Answer struct {
	Meta    nlweb.Meta
	Results []Result // best first, without the summary
	// Summary is the desk's text about the results, where one was asked for.
	Summary string
	// Cited are the items that a summary cites: the first as [1]. Only a text that a model wrote
	// cites any.
	Cited []Result
	// Content is the text of an answer in nlweb.FormatChatGPT.
	Content []nlweb.Content
	// Elicitation is set when the desk asks back (NLWeb 0.55 §4.1.3); there are no results then.
	Elicitation *nlweb.Elicitation
	// Raw is the response as it came; nil when it came as a stream.
	Raw stdjson.RawMessage
}

// Result is one item. The named members are those that most items have; each is empty where the
// item has none or has something of another kind there. Raw is the item itself.
type Result struct {
	Index       int      // its place in the answer, from 0; a summary takes a place, too
	Types       []string // schema.org types, at least one with a desk that keeps to the protocol
	Name        string
	URL         string
	Description string
	Site        string
	Score       float64 // 0 to 100
	Raw         stdjson.RawMessage
}

// Type is the first of the types.
func (r Result) Type() string {
	if len(r.Types) == 0 {
		return ""
	}
	return r.Types[0]
}

// ForSale says whether the item tells that, and where, a licence to it is had, which [Client.Fetch]
// takes: its text is then not whole.
func (r Result) ForSale() bool { return toldSeller(r.Raw) != "" }

// Decode reads the item into a value of one's own, by the rules of encoding/json.
func (r Result) Decode(v any) error { return stdjson.Unmarshal(r.Raw, v) }

// tolerant is how JSON of somebody else is read: what is odd and can be understood is.
var tolerant = json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

// members splits an object; ok is false for anything else.
func members(text []byte) (m map[string]jsontext.Value, ok bool) {
	return m, json.Unmarshal(text, &m, tolerant) == nil && m != nil
}

// kind says what a value begins with: '{', '[', '"', ..., or 0 when there is none.
func kind(v jsontext.Value) byte {
	if v = bytes.TrimLeft(v, " \t\r\n"); len(v) == 0 {
		return 0
	}
	return v[0]
}

// word is a string, or the first of several.
func word(v jsontext.Value) string {
	if all := words(v); len(all) > 0 {
		return all[0]
	}
	return ""
}

// words are the strings of a value that is one or an array of them.
func words(v jsontext.Value) (all []string) {
	switch kind(v) {
	case '"':
		var one string
		if json.Unmarshal(v, &one, tolerant) == nil {
			all = append(all, one)
		}
	case '[':
		var several []any
		if json.Unmarshal(v, &several, tolerant) == nil {
			for _, each := range several {
				if text, ok := each.(string); ok {
					all = append(all, text)
				}
			}
		}
	}
	return all
}

// result reads an item; ok is false for what is no object. A summary has its text in summary.
func result(index int, item jsontext.Value) (r Result, summary string, ok bool) {
	m, ok := members(item)
	if !ok {
		return r, "", false
	}
	r = Result{
		Index: index, Types: words(m["@type"]), Name: word(m["name"]), URL: word(m["url"]),
		Description: word(m["description"]), Site: word(m["site"]), Raw: stdjson.RawMessage(item),
	}
	_ = json.Unmarshal(m["score"], &r.Score) // an extension: none, or of another kind, is 0
	if r.Type() == nlweb.TypeSummary {
		return r, word(m["text"]), true
	}
	return r, "", true
}

// readMeta reads a _meta. What a desk adds of its own under a name that we use otherwise does not
// matter.
func readMeta(v jsontext.Value) (meta nlweb.Meta, ok bool) {
	m, ok := members(v)
	if !ok {
		return meta, false
	}
	meta.ResponseType = strings.ToLower(word(m["response_type"]))
	meta.ResponseFormat, meta.Version = word(m["response_format"]), word(m["version"])
	if session := m["session_context"]; kind(session) == '{' {
		meta.SessionContext = session
	}
	meta.OutputTemplate = word(m["openai/outputTemplate"])
	for name, into := range map[string]any{
		"streaming": &meta.Streaming, "ignored": &meta.Ignored, "processing_time_ms": &meta.ProcessingTime,
		"understood": &meta.Understood, "closest": &meta.Closest, "unanswered": &meta.Unanswered,
		"partial": &meta.Partial, "openai/widgetAccessible": &meta.WidgetAccessible,
	} {
		if value, there := m[name]; there {
			_ = json.Unmarshal(value, into, tolerant)
		}
	}
	return meta, true
}

// readAnswer reads a response that is one JSON object.
func (c *Client) readAnswer(response *reply) (*Answer, error) {
	body, err := io.ReadAll(response.body)
	if err != nil {
		return nil, c.broken(response, err)
	}
	m, ok := members(body)
	if !ok {
		return nil, c.notADesk(response, "the answer is no JSON object")
	}
	meta, ok := readMeta(m["_meta"])
	if failure := failureOf(m, meta, body); failure != nil {
		failure.Status, failure.RetryAfter = response.status, retryAfter(response.header)
		return nil, failure
	}
	switch {
	case !ok || meta.ResponseType == "":
		return nil, c.notADesk(response, "the answer has no _meta.response_type")
	case meta.ResponseType == nlweb.TypePromise:
		if promise := promiseOf(m, meta, body); promise != nil {
			return nil, promise
		}
		return nil, c.notADesk(response, "the promise has no token")
	case response.status >= http.StatusBadRequest:
		return nil, c.notADesk(response, "it is an answer and an error at once")
	}
	answer := &Answer{Meta: meta, Raw: body}
	if err := answer.fill(m); err != nil {
		return nil, c.notADesk(response, err.Error())
	}
	return answer, nil
}

// notADesk says that a response is none of NLWeb's.
func (c *Client) notADesk(response *reply, problem string) error {
	return &NotADesk{URL: c.ask, Status: response.status, Problem: problem}
}

// broken says that a response could not be read to its end. The context's own end stays what it is.
func (c *Client) broken(response *reply, err error) error {
	if response.body.outer.Err() != nil {
		return context.Cause(response.body.outer)
	}
	return &Broken{URL: c.ask, Err: err}
}

// failureOf reads a failure; nil when it is none.
func failureOf(m map[string]jsontext.Value, meta nlweb.Meta, raw []byte) *Failure {
	if _, failed := m["error"]; !failed && meta.ResponseType != nlweb.TypeFailure {
		return nil
	}
	failure := &Failure{Raw: raw, Status: http.StatusOK, Meta: meta}
	if told, ok := members(m["error"]); ok {
		failure.Code, failure.Message = word(told["code"]), word(told["message"])
	} else {
		failure.Message = word(m["error"])
	}
	if failure.Code == "" {
		failure.Code = "UNKNOWN"
	}
	return failure
}

// fill reads the members of an answer beside its _meta.
func (a *Answer) fill(m map[string]jsontext.Value) error {
	items := m["results"]
	if kind(items) != '[' {
		items = m["structuredData"]
	}
	var list []jsontext.Value
	if kind(items) == '[' {
		if err := json.Unmarshal(items, &list, tolerant); err != nil {
			return fmt.Errorf("the results cannot be read: %w", err)
		}
	}
	for i, item := range list {
		r, summary, ok := result(i, item)
		if !ok {
			return fmt.Errorf("result %d is no object", i)
		}
		a.take(r, summary)
	}
	a.fillRest(m)
	return nil
}

// take adds a result, or the summary.
func (a *Answer) take(r Result, summary string) {
	if r.Type() == nlweb.TypeSummary {
		a.Summary, a.Cited = summary, cited(r)
		return
	}
	a.Results = append(a.Results, r)
}

// cited are the items that a summary names.
func cited(summary Result) (items []Result) {
	m, _ := members(summary.Raw)
	var list []jsontext.Value
	if kind(m["citation"]) != '[' || json.Unmarshal(m["citation"], &list, tolerant) != nil {
		return nil
	}
	for i, item := range list {
		if r, _, ok := result(i, item); ok {
			items = append(items, r)
		}
	}
	return items
}

// fillRest reads what a complete event may carry as well.
func (a *Answer) fillRest(m map[string]jsontext.Value) {
	if v, there := m["content"]; there {
		_ = json.Unmarshal(v, &a.Content, tolerant)
	}
	if v := m["elicitation"]; kind(v) == '{' {
		var asked nlweb.Elicitation
		if json.Unmarshal(v, &asked, tolerant) == nil {
			for i := range asked.Questions {
				if asked.Questions[i].Type == "text" { // as NLWeb 0.54 called it
					asked.Questions[i].Type = nlweb.QuestionText
				}
			}
			a.Elicitation = &asked
		}
	}
}
