package nlweb

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"frontdesk/wire/strictjson"
)

// LegacyRequest is a question in the flat dialect that clients spoke before NLWeb 0.55: `query` is
// a string, and what 0.55 puts into sections stands beside it. It comes as a JSON body or as the
// parameters of GET.
type LegacyRequest struct {
	Query        string `json:"query"`
	Site         List   `json:"site,omitzero"`
	Prev         Texts  `json:"prev,omitzero"` // earlier questions, oldest first
	GenerateMode string `json:"generate_mode,omitzero"`
	Mode         string `json:"mode,omitzero"` // another name of generate_mode
	// a stream unless it is false, 0 or a string of these
	Streaming strictjson.Value `json:"streaming,omitzero"`
	QueryID   strictjson.Value `json:"query_id,omitzero"` // a string or a number; comes back as a string
	ItemType  List             `json:"item_type,omitzero"`
	// results wanted at most; num_results is another name
	Limit *Count                      `json:"limit,omitzero"`
	Other map[string]strictjson.Value `json:",embed"`
}

// The modes of the flat dialect that 0.55 does not have.
const (
	legacyGenerate = "generate" // answered as summarize
	legacyNone     = "none"     // answered as list
)

// IsLegacy says whether a body is in the flat dialect, which the shape of its query decides: an
// object is 0.55, a string is the flat dialect.
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
	var err error
	if r.Limit == nil {
		r.Limit, err = older(r.Other, "/")
	}
	return &r, err
}

// DecodeArguments reads the arguments of the tool ask: the body of POST /ask, also with a query
// that is a string. What the flat dialect has beside it counts then, and so do the sections of
// 0.55.
func DecodeArguments(arguments []byte) (*AskRequest, error) {
	if !IsLegacy(arguments) {
		return DecodeAsk(arguments)
	}
	flat, err := DecodeLegacy(arguments)
	if err != nil {
		return nil, err
	}
	asked := flat.Ask()
	sections := map[string]any{"query": asked.Query}
	for _, name := range []string{"context", "prefer", "meta"} {
		if value, given := flat.Other[name]; given {
			sections[name] = value
		}
	}
	text, err := json.Marshal(sections)
	if err != nil {
		return nil, err
	}
	whole, err := DecodeAsk(text)
	if err != nil {
		return nil, err
	}
	whole.Context = append(asked.Context, whole.Context...)
	if len(asked.Prefer.Mode) > 0 {
		whole.Prefer.Mode = asked.Prefer.Mode
	}
	if itemType, given := flat.Other["itemType"]; given && len(flat.ItemType) == 0 {
		if err := json.Unmarshal(itemType, &whole.Query.ItemType); err != nil {
			return nil, &strictjson.Error{Pointer: "/itemType", Problem: "expected a string or an array of strings"}
		}
	}
	return whole, nil
}

// legacyNames are the parameters of GET that are read.
var legacyNames = []string{"query", "site", "prev", "generate_mode", "mode", "streaming", "query_id", "item_type",
	"limit", numResults}

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
	for _, name := range []string{"limit", numResults} {
		if written := strings.TrimSpace(parameters.Get(name)); written != "" && err == nil && r.Limit == nil {
			var n int
			if n, err = strconv.Atoi(written); err != nil {
				err = &strictjson.Error{Pointer: "/" + name, Problem: "expected a whole number"}
			}
			r.Limit = new(Count(n))
		}
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

// list takes earlier questions out of one text that is itself the JSON of a list, as these clients
// send it. Any other text is a question.
func list(prev []string) Texts {
	var questions []string
	if len(prev) == 1 && strings.HasPrefix(strings.TrimSpace(prev[0]), "[") &&
		strictjson.Decode([]byte(prev[0]), &questions) == nil {
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
	asked := &AskRequest{Query: &Query{Text: r.Query, Site: r.Site, ItemType: r.ItemType, Limit: r.Limit}}
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

// LegacyResponse is an answer in the flat dialect, whole. The _meta of 0.55 comes along, which
// these clients pass over.
type LegacyResponse struct {
	Meta    Meta           `json:"_meta"`
	QueryID string         `json:"query_id"`
	Site    string         `json:"site"` // as asked, with commas between; "all" when none was named
	Query   string         `json:"query"`
	Summary string         `json:"summary,omitzero"`
	Message string         `json:"message,omitzero"` // in words, that nothing was found
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
	LegacyNoResults   = "no_results"
	LegacyError       = "error"
	LegacyComplete    = "complete"
)

// LegacyMessage is one message of a stream in the flat dialect, the data of an event without a
// name.
type LegacyMessage struct {
	MessageType string         `json:"message_type"`
	QueryID     string         `json:"query_id"`
	Results     []LegacyResult `json:"results,omitempty"` // of a result_batch
	Message     string         `json:"message,omitzero"`  // the text of a summary, an error or no_results
	Content     string         `json:"content,omitzero"`  // the same: some clients read one, some the other
}

// LegacySites is the answer of /sites: the sites that can be asked, each by what `site` of a
// question takes.
type LegacySites struct {
	MessageType string   `json:"message-type"` // LegacyKindSites; with a dash, as the front ends read it
	Sites       []string `json:"sites"`
}

// The message types of /sites and /who.
const (
	LegacyKindSites = "sites"
	LegacyKindWho   = "result"
)

// LegacyWho is the answer of /who: the sites that have an answer to a question, the best first.
type LegacyWho struct {
	Meta        *Meta        `json:"_meta,omitzero"` // nil within a stream
	MessageType string       `json:"message_type"`   // LegacyKindWho
	QueryID     string       `json:"query_id,omitzero"`
	Query       string       `json:"query"`
	Message     string       `json:"message,omitzero"` // in words, that no site has an answer
	Content     []LegacySite `json:"content"`
}

// LegacySite is one site in the answer of /who.
type LegacySite struct {
	Type        string `json:"@type"` // WebSite
	URL         string `json:"url"`   // where its pages are
	Name        string `json:"name"`
	Site        string `json:"site"`        // what `site` of a question takes
	Score       int    `json:"score"`       // of its best item, 0 to 100
	Description string `json:"description"` // the name of its best item
	Query       string `json:"query"`       // what to ask it
}
