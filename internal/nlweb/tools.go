package nlweb

import (
	"context"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"

	"frontdesk/internal/desk"
	"frontdesk/internal/fail"
	"frontdesk/internal/phrase"
	"frontdesk/internal/tool"
	wire "frontdesk/wire/nlweb"
)

// ToolAsk is the name of the tool that asks (NLWeb 0.55 Appendix A.1).
const ToolAsk = "ask"

// Tools are the protocol's operations as tools for agents (NLWeb 0.55 Appendix A). Their descriptions tell what the
// desk has now: call it again when that may have changed.
func Tools(d *desk.Desk, config Config) []tool.Tool {
	at := newDoor(d, config)
	tools := []tool.Tool{{
		Name: ToolAsk, Title: at.toolTitle(), Description: at.toolDescription(), Input: at.askSchema(), Output: answerSchema,
		Reads: true, Call: at.call, Fill: fill,
	}}
	if d.Promises() {
		tools = append(tools, at.awaitTool())
	}
	return tools
}

func (d *door) toolTitle() string {
	if d.config.Title == "" {
		return "Ask this site"
	}
	return "Ask " + d.config.Title
}

func (d *door) toolDescription() string {
	what := d.config.Title
	if what == "" {
		what = "this site"
	}
	text := "Natural language interface to " + what + ". "
	if about := strings.TrimSpace(d.config.About); about != "" {
		text += strings.TrimRight(about, ".") + ". "
	}
	if kinds := d.kinds(maxKinds); kinds != "" {
		text += "It has " + kinds + ". "
	}
	return text + "Ask in plain words; the answer is a list of matching items as schema.org objects, the best first, each with url, " +
		"description, score (0 to 100) and grounding. With prefer.mode \"summarize\" a short summary of them comes first."
}

// maxKinds is how many types the descriptions name.
const maxKinds = 12

// kinds lists the most frequent types with their numbers: "Recipe (39), Product (24) and others".
func (d *door) kinds(most int) string {
	types := d.desk.Types()
	var words []string
	for _, t := range types[:min(len(types), most)] {
		words = append(words, fmt.Sprintf("%s (%d)", t.Name, t.Items))
	}
	text := strings.Join(words, ", ")
	if len(types) > most {
		text += " and others"
	}
	return text
}

type schema map[string]any

// bytes writes a schema in one order, so that equal schemas are equal bytes.
func (s schema) bytes() []byte {
	text, err := json.Marshal(s, json.Deterministic(true))
	if err != nil {
		panic(fmt.Sprintf("nlweb: encode a schema: %v", err))
	}
	return text
}

// askSchema is Appendix A.1's, with what this site's own filters are in words. It stays open: the protocol lets a
// question have any further attribute.
func (d *door) askSchema() []byte {
	text := func(description string) schema { return schema{"type": "string", "description": description} }
	var sites []string
	for _, site := range d.desk.Sites() {
		if site.Name != "" && site.Name != site.ID {
			sites = append(sites, fmt.Sprintf("%s (%s)", site.ID, site.Name))
		} else {
			sites = append(sites, site.ID)
		}
	}
	types := d.kinds(50)
	if types == "" {
		types = "none yet"
	}
	return schema{
		"type": "object",
		"properties": schema{
			"query": schema{
				"type": "object",
				"description": "The question and its filters. site, itemType, limit and min_score are heeded here; any further attribute " +
					"of schema.org, such as price, may be given, and one that does not filter is named in _meta.ignored of the answer.",
				"properties": schema{
					"text":      text(fmt.Sprintf("The question in plain words, at most %d characters.", desk.MaxText)),
					"site":      text("Ask one site, or several with commas, instead of all. Sites: " + strings.Join(sites, ", ") + "."),
					"itemType":  text("Want items of this schema.org type, or of several with commas; a type stands for its subtypes. Here are: " + types + "."),
					"limit":     schema{"type": "integer", "minimum": 1, "maximum": desk.MaxLimit, "description": fmt.Sprintf("How many items at most; %d when left out.", d.config.Limit)},
					"min_score": schema{"type": "number", "minimum": 0, "maximum": 100, "description": "Leave out items with a lower score."},
				},
				"required":             []string{"text"},
				"additionalProperties": true,
			},
			"context": schema{
				"type":        "object",
				"description": "Semantic context including conversation history: prev (earlier questions, oldest first), text, memory.",
			},
			"prefer": schema{
				"type":        "object",
				"description": "Response preferences. The result is always whole: streaming has no effect here.",
				"properties": schema{
					"mode":            text(`"list" for items, "summarize" for items and a summary, "report" for counts, values and ranges over everything that matches; "list" when left out.`),
					"response_format": text(`"conversational_search", or "chatgpt_app" for texts and structured data apart.`),
					"accept-language": text("Languages for the answer, the best first, such as \"de, en;q=0.5\"."),
					"elicitation":     schema{"type": "boolean", "description": "false when questions that are asked back cannot be answered: there is an answer at once."},
				},
			},
			"meta": schema{
				"type":        "object",
				"description": "Protocol metadata, version, and session context. Send session_context as _meta of the answer before had it, and the question goes on with those before.",
			},
		},
		"required": []string{"query"},
	}.bytes()
}

// answerSchema is what every response has (NLWeb 0.55 §4).
var answerSchema = schema{
	"type": "object",
	"properties": schema{
		"_meta": schema{
			"type": "object",
			"properties": schema{
				"response_type": schema{"type": "string", "enum": []string{wire.TypeAnswer, wire.TypeElicitation, wire.TypePromise, wire.TypeFailure}},
				"version":       schema{"type": "string"},
			},
			"required": []string{"response_type", "version"},
		},
		"results":        schema{"type": "array", "items": schema{"type": "object"}, "description": "The items, in the format conversational_search."},
		"content":        schema{"type": "array", "items": schema{"type": "object"}, "description": "Texts, in the format chatgpt_app."},
		"structuredData": schema{"type": "array", "items": schema{"type": "object"}, "description": "The items, in the format chatgpt_app."},
		"elicitation": schema{
			"type": "object",
			"properties": schema{
				"text": schema{"type": "string"},
				"questions": schema{"type": "array", "items": schema{
					"type": "object",
					"properties": schema{
						"id": schema{"type": "string"}, "text": schema{"type": "string"},
						"type":    schema{"type": "string", "description": "single_select, multi_select, free_text, number or boolean."},
						"options": schema{"type": "array", "items": schema{"type": "string"}},
						"default": schema{},
					},
					"required": []string{"id", "text", "type"},
				}},
			},
			"description": "What has to be known before there is an answer. Ask again with the same text, each answer as an attribute of query " +
				"named by the question's id, and _meta.session_context as meta.session_context. \"no preference\" is an answer.",
		},
		"promise": schema{
			"type": "object",
			"properties": schema{
				"token": schema{"type": "string"}, "estimated_time": schema{"type": "integer"}, "message": schema{"type": "string"}, "progress": schema{"type": "number"},
			},
			"required":    []string{"token"},
			"description": "The answer is being worked on: have it by the tool await, with the token.",
		},
		"error": schema{
			"type":        "object",
			"properties":  schema{"code": schema{"type": "string"}, "message": schema{"type": "string"}},
			"description": "Why there is no answer.",
		},
	},
	"required": []string{"_meta"},
}.bytes()

// call answers one use of the tool ask: the same object as POST /ask, always whole.
func (d *door) call(ctx context.Context, call tool.Call) tool.Result {
	x := &exchange{start: d.config.Now(), meta: wire.Meta{Version: wire.Version}, report: call.Progress}
	arguments, err := d.arguments(call)
	if err != nil {
		return x.failed(ctx, err).result()
	}
	if x.request, err = wire.DecodeArguments(arguments); err != nil {
		return x.failed(ctx, malformed(err)).result()
	}
	heedLanguage(x.request, bounded(call.Languages))
	reply, whole, err := d.inquire(ctx, x, false)
	if whole == nil {
		whole = d.compose(ctx, x, reply, err)
	}
	result := whole.result()
	if whole.Meta.ResponseType == wire.TypeElicitation {
		var asked wire.Response
		if json.Unmarshal(result.Object, &asked) == nil && asked.Elicitation != nil {
			result.Form = form(asked.Elicitation, whole.Meta.SessionContext)
		}
	}
	return result
}

// arguments are those of a call, within the bounds.
func (d *door) arguments(call tool.Call) ([]byte, error) {
	if len(call.Arguments) == 0 || string(call.Arguments) == "null" {
		return []byte("{}"), nil
	}
	if int64(len(call.Arguments)) > d.config.MaxBody {
		return nil, fail.New(fail.TooLarge, "the arguments are larger than %d bytes", d.config.MaxBody)
	}
	return call.Arguments, nil
}

// maxReports is how often one call tells of its progress, at most.
const maxReports = 20

// reporter tells of items as they are found: of each, or of every so many when there are many.
func reporter(speaker phrase.Speaker, progress func(done, total int, message string), total int) func(int, desk.Result) {
	step := max(1, (total+maxReports-1)/maxReports)
	return func(count int, result desk.Result) {
		if count%step == 0 || count == total {
			progress(count, total, speaker.Say(phrase.FoundSoFar, count, total, firstRunes(result.Name(), 80)))
		}
	}
}
