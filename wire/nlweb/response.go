package nlweb

import (
	"strings"

	"frontdesk/wire/strictjson"
)

// The values of _meta.response_type (NLWeb 0.55 §4).
const (
	TypeAnswer      = "answer"
	TypeElicitation = "elicitation"
	TypePromise     = "promise"
	TypeFailure     = "failure"
)

// The response formats of NLWeb 0.55 §3.3.1.
const (
	FormatConversational = "conversational_search"
	FormatChatGPT        = "chatgpt_app"
)

// The modes of NLWeb 0.55 §3.3.2.
const (
	ModeList      = "list"
	ModeSummarize = "summarize"
)

// ModeReport is a mode of ours, as §3.3.2 allows: a report on all items that match, as one item of
// the type TypeReport. Without ModeList beside it, it is the only one.
const ModeReport = "report"

// The failure codes of NLWeb 0.55 §4.1.4 and §4.2.
const (
	CodeNoResults         = "NO_RESULTS"
	CodeInvalidQuery      = "INVALID_QUERY"
	CodeUnsupportedFormat = "UNSUPPORTED_FORMAT"
	CodeUnsupportedMode   = "UNSUPPORTED_MODE"
	CodeRateLimited       = "RATE_LIMITED"
	CodeInternalError     = "INTERNAL_ERROR"
	CodeTimeout           = "TIMEOUT"
	CodeTokenLimit        = "TOKEN_LIMIT"
	CodeCancelled         = "CANCELLED"
)

// Failure codes of ours, as §4.1.4 allows, for what the protocol has no word for.
const (
	CodeNotFound         = "NOT_FOUND"
	CodeMethodNotAllowed = "METHOD_NOT_ALLOWED"
	CodeTooLarge         = "TOO_LARGE"
	CodeUnsupportedMedia = "UNSUPPORTED_MEDIA_TYPE"
	CodeUnavailable      = "UNAVAILABLE"
	CodeUnauthorized     = "UNAUTHORIZED"
	CodeForbidden        = "FORBIDDEN"
	CodePromiseNotFound  = "PROMISE_NOT_FOUND" // of a token that await does not know, or that is somebody else's
)

// The events of a stream (NLWeb 0.55 §6.1).
const (
	EventStart    = "start"
	EventResult   = "result"
	EventError    = "error"
	EventComplete = "complete"
	// EventDelta is an extension, sent to those who ask for it: a sentence of a summary that is
	// being written.
	EventDelta = "delta"
)

// Delta is the data of a delta event: a sentence of the summary which will be the result of that
// index. The result decides: it has the whole text, and it may be another one where what was
// written did not pass.
type Delta struct {
	Index int    `json:"index"`
	Text  string `json:"text"`
}

// TypeSummary is the @type of the summary among the results, and TypeReport that of a report.
const (
	TypeSummary = "SearchSummary"
	TypeReport  = "SearchReport"
)

// Response is any response (NLWeb 0.55 §4); which members are set follows from Meta.ResponseType.
type Response struct {
	Meta           Meta               `json:"_meta"`
	Results        []strictjson.Value `json:"results,omitempty"`        // answer, conversational_search
	Content        []Content          `json:"content,omitempty"`        // answer, chatgpt_app
	StructuredData []strictjson.Value `json:"structuredData,omitempty"` // answer, chatgpt_app
	Elicitation    *Elicitation       `json:"elicitation,omitzero"`
	Promise        *Promise           `json:"promise,omitzero"`
	Error          *Failure           `json:"error,omitzero"`
}

// Meta is the _meta of a response. Understood, Model, Ignored, Partial and ProcessingTime are
// extensions that the protocol permits.
type Meta struct {
	ResponseType   string           `json:"response_type"`
	ResponseFormat string           `json:"response_format,omitzero"`
	Version        string           `json:"version"`
	Streaming      bool             `json:"streaming,omitzero"`
	SessionContext strictjson.Value `json:"session_context,omitzero"`
	// Language is that of the answer's own words, when the request prefers one: the best that there
	// is of what it prefers, as a BCP 47 tag. Items stay in the languages of their owners.
	Language  string `json:"language,omitzero"`
	RequestID string `json:"request_id,omitzero"` // the request's own
	// AnswerID is for POST /ask/click, which counts that one of the results was followed. (An
	// extension of ours.)
	AnswerID string `json:"answer_id,omitzero"`
	// OutputTemplate is the URI of the widget that shows a chatgpt_app answer, and WidgetAccessible
	// whether it may call tools. Both are there or neither.
	OutputTemplate   string `json:"openai/outputTemplate,omitzero"`
	WidgetAccessible *bool  `json:"openai/widgetAccessible,omitzero"`
	// Understood is what the question was taken to want.
	Understood *Understood `json:"understood,omitzero"`
	// Model is what a language model did for the answer.
	Model *Model `json:"model,omitzero"`
	// Ignored names what the request asked for and the answer does not heed.
	Ignored []Ignored `json:"ignored,omitempty"`
	// Closest are the nearest items where nothing is an answer: each breaks what Understood says
	// was relaxed, or has little of the question's words. (An extension of ours.)
	Closest []strictjson.Value `json:"closest,omitempty"`
	// Partial is why the answer has fewer results than were found: what was not ready in time is
	// missing.
	Partial *Failure `json:"partial,omitzero"`
	// Unanswered are the nodes whose sites are missing from the answer of a front. (An extension of
	// ours.)
	Unanswered []Unanswered `json:"unanswered,omitempty"`
	// ProcessingTime is the time from the request's arrival to the first byte of the answer, in
	// milliseconds.
	ProcessingTime *float64 `json:"processing_time_ms,omitzero"`
}

// The reasons of Unanswered.
const (
	ReasonTimeout     = "timeout"     // it took too long
	ReasonUnreachable = "unreachable" // there was no connection, or it broke off
	ReasonBusy        = "busy"        // it had no time for the front (statuses 429 and 503)
	ReasonRefused     = "refused"     // it does not let the front ask (statuses 401 and 403)
	ReasonFailed      = "failed"      // it said that it could not
	ReasonUnfit       = "unfit"       // what came is no answer of these sites
)

// Unanswered is a node that gave a front no answer.
type Unanswered struct {
	Node   string   `json:"node"`   // as the front's owner calls it
	Sites  []string `json:"sites"`  // that it was asked for
	Reason string   `json:"reason"` // timeout, unreachable, busy, refused, failed or unfit
}

// The values of the members of Model.
const (
	ModelUsed     = "used"
	ModelFallback = "fallback" // what the front desk does without a model was done instead
)

// Model is what a language model did for an answer: each use is ModelUsed or ModelFallback, empty
// where it was not tried.
type Model struct {
	Rerank    string            `json:"rerank,omitzero"`
	Summarize string            `json:"summarize,omitzero"`
	Rewrite   string            `json:"rewrite,omitzero"`
	Embed     string            `json:"embed,omitzero"`
	Reason    map[string]string `json:"reason,omitempty"` // why each use fell back: "unreachable", "slow" and so on
	Calls     int               `json:"calls"`            // that were made of the endpoint
	Tokens    int               `json:"tokens"`           // that they took, as far as the endpoint says
	Cost      string            `json:"cost,omitzero"`    // of these, as a decimal number
	Currency  string            `json:"currency,omitzero"`
}

// Words tells what the model did in a line, for logs: "rerank used, summarize slow".
func (m *Model) Words() string {
	var words []string
	for _, use := range [][2]string{{"rerank", m.Rerank}, {"summarize", m.Summarize}, {"rewrite", m.Rewrite},
		{"embed", m.Embed}} {
		name, outcome := use[0], use[1]
		if reason := m.Reason[name]; reason != "" {
			outcome = reason
		}
		if outcome != "" {
			words = append(words, name+" "+outcome)
		}
	}
	return strings.Join(words, ", ")
}

// Ignored is one thing that the request asked for in vain.
type Ignored struct {
	Name   string `json:"name"` // JSON pointer into the request, such as /query/price
	Reason string `json:"reason"`
}

// Content is one element of a chatgpt_app answer's content.
type Content struct {
	Type string `json:"type"` // "text"
	Text string `json:"text"`
}

// Elicitation is a question back (NLWeb 0.55 §4.1.3).
type Elicitation struct {
	Text      string     `json:"text,omitzero"`
	Questions []Question `json:"questions,omitempty"`
}

// Question is one structured question of an elicitation.
type Question struct {
	ID      string           `json:"id"`
	Text    string           `json:"text"`
	Type    string           `json:"type"` // one of the kinds below; others may come
	Options []string         `json:"options,omitempty"`
	Default strictjson.Value `json:"default,omitzero"`
}

// The types of questions (NLWeb 0.55 §4.1.3).
const (
	QuestionSingle  = "single_select" // one of the options
	QuestionMulti   = "multi_select"  // one or more of the options
	QuestionText    = "free_text"
	QuestionNumber  = "number"
	QuestionBoolean = "boolean"
)

// Promise says that an answer is being worked on, and how to have it: by await (NLWeb 0.55 §4.1.2).
type Promise struct {
	Token string `json:"token"` // for await
	// whole seconds until the answer is expected; none when nobody knows
	EstimatedTime int      `json:"estimated_time,omitzero"`
	Message       string   `json:"message,omitzero"`  // for people
	Progress      *float64 `json:"progress,omitzero"` // 0 to 1; never less than before
}

// Failure is why there is no answer (NLWeb 0.55 §4.1.4).
type Failure struct {
	Code    string `json:"code"`
	Message string `json:"message,omitzero"`
}

// Usage is the answer to GET /ask without a question: what the address is for and how to use it. To
// the protocol it is an elicitation, since a question is what is missing.
type Usage struct {
	Meta        Meta        `json:"_meta"`
	Elicitation Elicitation `json:"elicitation"`
	Usage       HowTo       `json:"usage"`
}

// HowTo says how to ask.
type HowTo struct {
	Method      string      `json:"method"`       // of HTTP
	ContentType string      `json:"content_type"` // of the body
	Example     AskRequest  `json:"example"`      // a body
	Sites       []string    `json:"sites"`        // ids that query.site may name
	Formats     []string    `json:"response_formats"`
	Modes       []string    `json:"modes"`
	Access      *Access     `json:"authentication,omitempty"`
	Limits      UsageLimits `json:"limits"`
}

// Access is what GET /ask says of who may ask, and how often.
type Access struct {
	Required bool     `json:"required"`
	Schemes  []Scheme `json:"schemes,omitempty"`
	Rates    []Rate   `json:"-"` // which stand among the limits
}

// Scheme is one way to show who asks.
type Scheme struct {
	Type     string   `json:"type"`                            // "api_key" or "oauth2", as OpenAPI calls them
	Headers  []string `json:"headers"`                         // any one of them, with KEY or TOKEN to be replaced
	Servers  []string `json:"authorization_servers,omitempty"` // that give out tokens
	Scopes   []string `json:"scopes,omitempty"`                // that a token needs
	Metadata string   `json:"resource_metadata,omitempty"`     // RFC 9728
}

// Rate is how often something may be done.
type Rate struct {
	Per      string  `json:"per"` // "address" for who shows no credential, "key" for who does, "site" for all together
	Requests int     `json:"requests"`
	Seconds  float64 `json:"seconds"`
	Burst    int     `json:"burst"` // how many may come at once
}

// UsageLimits bound one question.
type UsageLimits struct {
	Results int    `json:"results"`    // the most that query.limit may ask for
	Text    int    `json:"text_chars"` // of query.text
	Body    int64  `json:"body_bytes"`
	Rates   []Rate `json:"rates,omitempty"`
}
