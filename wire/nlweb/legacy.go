package nlweb

import (
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"frontdesk/wire/strictjson"
)

// LegacyRequest is a question in the flat dialect that clients spoke before NLWeb 0.55: `query` is a string, and what
// 0.55 puts into sections stands beside it. It comes as a JSON body or as the parameters of GET.
type LegacyRequest struct {
	Query        string                      `json:"query"`
	Site         List                        `json:"site,omitzero"`
	Prev         Texts                       `json:"prev,omitzero"` // earlier questions, oldest first
	GenerateMode string                      `json:"generate_mode,omitzero"`
	Mode         string                      `json:"mode,omitzero"`      // another name of generate_mode
	Streaming    strictjson.Value            `json:"streaming,omitzero"` // a stream unless it is false, 0 or a string of these
	QueryID      strictjson.Value            `json:"query_id,omitzero"`  // a string or a number; comes back as a string
	ItemType     List                        `json:"item_type,omitzero"`
	Other        map[string]strictjson.Value `json:",embed"`
}

// The modes of the flat dialect that 0.55 does not have.
const (
	legacyGenerate = "generate" // answered as summarize
	legacyNone     = "none"     // answered as list
)

// IsLegacy says whether a body is in the flat dialect, which the shape of its query decides: an object is 0.55, a
// string is the flat dialect.
func IsLegacy(body []byte) bool {
	dec := jsontext.NewDecoder(strings.NewReader(string(body)), jsontext.AllowDuplicateNames(true))
	if token, err := dec.ReadToken(); err != nil || token.Kind() != '{' {
		return false
	}
	for dec.PeekKind() == '"' {
		name, err := dec.ReadToken()
		if err != nil {
			return false
		}
		if name.String() == "query" {
			return dec.PeekKind() == '"'
		}
		if dec.SkipValue() != nil {
			return false
		}
	}
	return false
}

// DecodeLegacy reads a body in the flat dialect, as strictly as DecodeAsk.
func DecodeLegacy(body []byte) (*LegacyRequest, error) {
	var r LegacyRequest
	if err := strictjson.DecodeTolerant(body, &r); err != nil {
		return nil, err
	}
	if strings.TrimSpace(r.Query) == "" {
		return nil, &strictjson.Error{Pointer: "/query", Problem: "empty; write the question here"}
	}
	if !holds(r.Streaming, 't', 'f', '"', '0') {
		return nil, &strictjson.Error{Pointer: "/streaming", Problem: "expected true or false"}
	}
	if !holds(r.QueryID, '"', '0') {
		return nil, &strictjson.Error{Pointer: "/query_id", Problem: "expected a string"}
	}
	r.Prev = list(r.Prev)
	return &r, nil
}

// legacyNames are the parameters of GET that are read.
var legacyNames = []string{"query", "site", "prev", "generate_mode", "mode", "streaming", "query_id", "item_type"}

// ParseLegacy reads a question in the flat dialect from the parameters of GET.
func ParseLegacy(parameters url.Values) (*LegacyRequest, error) {
	for _, name := range legacyNames {
		if slices.ContainsFunc(parameters[name], func(value string) bool { return !utf8.ValidString(value) }) {
			return nil, &strictjson.Error{Pointer: "/" + name, Problem: "not UTF-8"}
		}
	}
	r := &LegacyRequest{
		Query:        parameters.Get("query"),
		Prev:         list(parameters["prev"]),
		GenerateMode: parameters.Get("generate_mode"),
		Mode:         parameters.Get("mode"),
		Streaming:    text(parameters, "streaming"),
		QueryID:      text(parameters, "query_id"),
	}
	if strings.TrimSpace(r.Query) == "" {
		return nil, &strictjson.Error{Pointer: "/query", Problem: "empty; write the question here"}
	}
	var err error
	if r.Site, err = tokens("/site", parameters["site"]); err == nil {
		r.ItemType, err = tokens("/item_type", parameters["item_type"])
	}
	return r, err
}

// text returns a parameter as a JSON string, nothing when it is not there.
func text(parameters url.Values, name string) strictjson.Value {
	if !parameters.Has(name) {
		return nil
	}
	quoted, _ := jsontext.AppendQuote(nil, parameters.Get(name))
	return quoted
}

// list takes earlier questions out of one text that is itself the JSON of a list, as these clients send it. Any
// other text is a question.
func list(prev []string) Texts {
	var questions []string
	if len(prev) == 1 && strings.HasPrefix(strings.TrimSpace(prev[0]), "[") && strictjson.Decode([]byte(prev[0]), &questions) == nil {
		return questions
	}
	return slices.DeleteFunc(slices.Clone(prev), func(q string) bool { return q == "" })
}

// WantsStream says what the request says of streaming: nothing when given is false.
func (r *LegacyRequest) WantsStream() (stream, given bool) {
	var word string
	switch r.Streaming.Kind() {
	case 't', 'f', '0':
		word = string(r.Streaming)
	case '"':
		if json.Unmarshal(r.Streaming, &word) != nil {
			return true, false
		}
	default:
		return true, false
	}
	switch strings.ToLower(strings.TrimSpace(word)) {
	case "false", "0":
		return false, true
	}
	return true, true
}

// ID is the request's query_id as a string; empty when it has none.
func (r *LegacyRequest) ID() string {
	switch r.QueryID.Kind() {
	case '0':
		return string(r.QueryID)
	case '"':
		var id string
		_ = json.Unmarshal(r.QueryID, &id)
		return id
	}
	return ""
}

// Ask is the same question in the terms of 0.55.
func (r *LegacyRequest) Ask() *AskRequest {
	asked := &AskRequest{Query: &Query{Text: r.Query, Site: r.Site, ItemType: r.ItemType}}
	if len(r.Prev) > 0 {
		asked.Context = Contexts{{Prev: r.Prev}}
	}
	mode := r.GenerateMode
	if mode == "" {
		mode = r.Mode
	}
	for token := range strings.SplitSeq(mode, ",") {
		switch token = strings.ToLower(strings.TrimSpace(token)); token {
		case "":
		case legacyGenerate:
			asked.Prefer.Mode = append(asked.Prefer.Mode, ModeSummarize)
		case legacyNone:
			asked.Prefer.Mode = append(asked.Prefer.Mode, ModeList)
		default:
			asked.Prefer.Mode = append(asked.Prefer.Mode, token)
		}
	}
	return asked
}

// LegacyResponse is an answer in the flat dialect, whole. The _meta of 0.55 comes along, which these clients pass
// over.
type LegacyResponse struct {
	Meta    Meta           `json:"_meta"`
	QueryID string         `json:"query_id"`
	Site    string         `json:"site"` // as asked, with commas between; "all" when none was named
	Query   string         `json:"query"`
	Summary string         `json:"summary,omitzero"`
	Results []LegacyResult `json:"results"`
}

// LegacyResult is one item in the flat dialect.
type LegacyResult struct {
	URL          string           `json:"url"`
	Name         string           `json:"name"`
	Site         string           `json:"site"`
	Score        int              `json:"score"` // 0 to 100
	Description  string           `json:"description"`
	SchemaObject strictjson.Value `json:"schema_object"` // the item as it was released
}

// The kinds of message in a stream of the flat dialect.
const (
	LegacyResultBatch = "result_batch"
	LegacySummary     = "summary"
	LegacyError       = "error"
	LegacyComplete    = "complete"
)

// LegacyMessage is one message of a stream in the flat dialect, the data of an event without a name.
type LegacyMessage struct {
	MessageType string         `json:"message_type"`
	QueryID     string         `json:"query_id"`
	Results     []LegacyResult `json:"results,omitempty"` // of a result_batch
	Content     string         `json:"content,omitzero"`  // of a summary or an error
}
