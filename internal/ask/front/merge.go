package front

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"frontdesk/client"
	"frontdesk/internal/infra/fail"
	wire "frontdesk/wire/nlweb"
	"frontdesk/wire/strictjson"
)

// Result is one item as a node sent it: well-formed JSON on one line.
type Result struct {
	JSON        strictjson.Value
	Type        string // the first of its types
	Name        string
	URL         string
	Description string
	Text        string // of a summary or a report
	Site        string
	Score       float64
}

// outcome is what became of asking one node: what it said, or why it said nothing.
type outcome struct {
	target
	meta        wire.Meta
	results     []Result
	summary     *Result
	elicitation *wire.Elicitation
	promise     *wire.Promise
	failed      *fail.Error // what the node said instead of an answer
	reason      string      // why it did not answer
}

// answered says whether a node gave something that can be answered with.
func (o outcome) answered() bool { return o.failed == nil && o.reason == "" }

// read makes an outcome of what the client gave. Nothing that the node did not say well is used.
func (t target) read(answer *client.Answer, err error) outcome {
	o := outcome{target: t}
	var failure *client.Failure
	var promise *client.Promise
	switch {
	case errors.As(err, &failure):
		o.refusedBy(failure)
	case errors.As(err, &promise):
		progress := promise.Progress
		o.promise = &wire.Promise{Token: promise.Token, Message: promise.Message, Progress: &progress,
			EstimatedTime: fail.Seconds(promise.Left)}
		o.meta, _ = metaOf(promise.Raw)
	case err != nil:
		o.reason = reasonOf(err)
	case answer != nil && !o.take(answer.Raw):
		o = outcome{target: t, reason: wire.ReasonUnfit}
	}
	return o
}

// reasonOf says why a node did not answer.
func reasonOf(err error) string {
	var unreachable *client.Unreachable
	switch {
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, client.ErrSilent):
		return wire.ReasonTimeout
	case errors.As(err, &unreachable):
		return wire.ReasonUnreachable
	}
	var strange *client.NotADesk
	if errors.As(err, &strange) {
		return reasonAt(strange.Status)
	}
	return wire.ReasonUnfit
}

// reasonAt says why there is no answer with a status of HTTP.
func reasonAt(status int) string {
	switch {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return wire.ReasonRefused
	case status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable:
		return wire.ReasonBusy
	case status >= http.StatusInternalServerError:
		return wire.ReasonFailed
	}
	return wire.ReasonUnfit
}

// codes are ours for the protocol's words of failures that are about the question. Every other one
// is about the node.
var codes = map[string]fail.Code{
	wire.CodeInvalidQuery: fail.Invalid, wire.CodeNoResults: fail.NoResults,
	wire.CodeUnsupportedFormat: fail.UnsupportedFormat,
	wire.CodeUnsupportedMode:   fail.UnsupportedMode, wire.CodeTokenLimit: fail.TooLong, wire.CodeTimeout: fail.Timeout,
	wire.CodeCancelled: fail.Cancelled, wire.CodePromiseNotFound: fail.UnknownPromise, wire.CodeTooLarge: fail.TooLarge,
}

// maxMessage is the longest message of a node that is passed on, in bytes.
const maxMessage = 4 << 10

func (o *outcome) refusedBy(f *client.Failure) {
	code, known := codes[f.Code]
	switch {
	case !known || f.Status >= http.StatusInternalServerError || f.Status == http.StatusTooManyRequests:
		if o.reason = reasonAt(f.Status); f.Status < http.StatusBadRequest {
			o.reason = wire.ReasonFailed
		}
		return
	case code == fail.Invalid && f.Status == http.StatusBadRequest:
		code = fail.Malformed
	}
	o.failed = fail.New(code, "%s", strings.ToValidUTF8(f.Message[:min(len(f.Message), maxMessage)], ""))
	o.meta, _ = metaOf(f.Raw)
}

// metaOf is the _meta of a response.
func metaOf(raw []byte) (wire.Meta, bool) {
	var whole struct {
		Meta wire.Meta `json:"_meta"`
	}
	err := json.Unmarshal(raw, &whole)
	return whole.Meta, err == nil
}

// take reads an answer, and says whether it is one: of the sites that were asked, with scores as
// the protocol has them.
func (o *outcome) take(raw []byte) bool {
	var whole wire.Response
	if json.Unmarshal(raw, &whole) != nil || whole.Meta.Version == "" {
		return false
	}
	o.meta = whole.Meta
	if o.elicitation = whole.Elicitation; o.elicitation != nil {
		return true
	}
	for _, item := range whole.Results {
		r, ok := readResult(item)
		switch {
		case !ok || r.Site != "" && !slices.Contains(o.asks(), r.Site):
			return false
		case r.Type == wire.TypeSummary:
			o.summary = &r
		default:
			o.results = append(o.results, r)
		}
	}
	return true
}

// readResult reads an item; ok is false for what is none.
func readResult(item strictjson.Value) (r Result, ok bool) {
	var m struct {
		Type        strictjson.Value `json:"@type"`
		Name        strictjson.Value `json:"name"`
		URL         strictjson.Value `json:"url"`
		Description strictjson.Value `json:"description"`
		Text        strictjson.Value `json:"text"`
		Site        string           `json:"site"`
		Score       float64          `json:"score"`
	}
	if item.Kind() != '{' || json.Unmarshal(item, &m) != nil || m.Score < 0 || m.Score > 100 || item.Compact() != nil {
		return r, false
	}
	return Result{
		JSON: item, Type: text(m.Type), Name: text(m.Name), URL: text(m.URL), Description: text(m.Description),
		Text: text(m.Text),
		Site: m.Site, Score: m.Score,
	}, true
}

// text is a text, or the first of several.
func text(v strictjson.Value) (one string) {
	switch v.Kind() {
	case '"':
		_ = json.Unmarshal(v, &one)
	case '[':
		var several []strictjson.Value
		if json.Unmarshal(v, &several) == nil && len(several) > 0 && several[0].Kind() == '"' {
			return text(several[0])
		}
	}
	return one
}

// merged takes outcomes together, in the order of the nodes. The reply is there with an error, too.
func merged(outcomes []outcome, limit int) (*Reply, error) {
	reply := &Reply{}
	best := -1
	for i, o := range outcomes {
		if o.answered() && (best < 0 || top(o) > top(outcomes[best])) {
			best = i
		}
	}
	missing := func() {
		for _, o := range outcomes {
			if best >= 0 && o.failed != nil && o.failed.Code != fail.NoResults {
				o.reason = wire.ReasonFailed // of this question alone
			}
			if o.reason != "" {
				reply.Meta.Unanswered = append(reply.Meta.Unanswered, wire.Unanswered{Node: o.name, Sites: o.asks(),
					Reason: o.reason})
			}
		}
	}
	if best < 0 {
		refused, err := refusal(outcomes)
		if refused >= 0 {
			reply.Meta = heard(outcomes[refused].meta)
		}
		missing()
		return reply, err
	}
	o := outcomes[best]
	reply.Meta = heard(o.meta)
	missing()
	reply.Summary, reply.Elicitation, reply.Promise = o.summary, o.elicitation, o.promise
	lists := make([][]Result, 0, len(outcomes))
	for _, o := range outcomes {
		if o.answered() {
			lists = append(lists, o.results)
			if o.meta.Partial != nil {
				reply.Meta.Partial = o.meta.Partial
			}
		}
	}
	reply.Results = interleave(lists, limit)
	return reply, nil
}

// heard is what of a node's _meta holds for the front's answer, too. The id of an answer is good at
// its node alone.
func heard(m wire.Meta) wire.Meta {
	return wire.Meta{
		Language: m.Language, Understood: m.Understood, Model: m.Model, Ignored: m.Ignored, Closest: m.Closest,
		Partial: m.Partial,
	}
}

// top is the score of a node's first result; below all scores where it has none.
func top(o outcome) float64 {
	if len(o.results) == 0 {
		return -1
	}
	return o.results[0].Score
}

// interleave makes one list of several: each keeps its order, and the next result is the one with
// the highest score, of equal ones that of the list that comes first.
func interleave(lists [][]Result, limit int) (all []Result) {
	for len(all) < limit {
		next := -1
		for i, list := range lists {
			if len(list) > 0 && (next < 0 || list[0].Score > lists[next][0].Score) {
				next = i
			}
		}
		if next < 0 {
			break
		}
		all, lists[next] = append(all, lists[next][0]), lists[next][1:]
	}
	return all
}

// refusal is what is said where no node has an answer: that nothing matches, if one looked and
// found nothing; else what the first says against the question.
func refusal(outcomes []outcome) (at int, err error) {
	at = slices.IndexFunc(outcomes, func(o outcome) bool { return o.failed != nil && o.failed.Code == fail.NoResults })
	if at < 0 {
		at = slices.IndexFunc(outcomes, func(o outcome) bool { return o.failed != nil })
	}
	if at < 0 {
		return at, unavailable(outcomes)
	}
	return at, outcomes[at].failed
}

// retryAfter is how long to wait for nodes that did not answer.
const retryAfter = 2 * time.Second

// unavailable says that no node answered.
func unavailable(outcomes []outcome) error {
	var names []string
	for _, o := range outcomes {
		names = append(names, fmt.Sprintf("%s (%s)", o.name, o.reason))
	}
	err := fail.New(fail.Unavailable, "nobody who holds these sites answers: %s; ask again in a moment",
		strings.Join(names, ", "))
	err.RetryAfter = retryAfter
	return err
}
