package nlweb

import (
	"context"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"

	"frontdesk/internal/ask"
	"frontdesk/internal/ask/i18n"
	"frontdesk/internal/content/released"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/httpx"
	wire "frontdesk/wire/nlweb"
)

// ToolAsk is the name of the tool that asks (NLWeb 0.55 Appendix A.1).
const ToolAsk = "ask"

// Tools are the protocol's operations as tools for agents (NLWeb 0.55 Appendix A). Their
// descriptions tell what the service has now: call it again when that may have changed.
func Tools(d *ask.Service, config Config) []httpx.Tool {
	at := newDoor(d, config)
	tools := []httpx.Tool{{
		Name: ToolAsk, Title: at.toolTitle(), Description: at.toolDescription(), Input: at.askSchema(),
		ReadOnly: true, Call: at.call, FillArguments: fill, Meta: config.Widget.meta(),
	}}
	if config.Nodes != nil { // items can be asked for, and are not here to be fetched
		return append(tools, at.awaitTool())
	}
	if d.Promises() {
		tools = append(tools, at.awaitTool())
	}
	return append(tools, at.researchTools()...)
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
	return text + "Ask in plain words; the answer is a list of schema.org objects, the best first, " +
		"each with url and score. Where _meta.response_type is elicitation, ask again with the same text and each " +
		"answer as an attribute of query named by the question's id; where it is promise, call " + ToolAwait +
		". " + IsData
}

// maxKinds is how many types the descriptions name.
const maxKinds = 12

// kinds lists the most frequent types with their numbers: "Recipe (39), Product (24) and others".
func (d *door) kinds(most int) string {
	types := d.service.Types()
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

// askSchema is Appendix A.1's, with what this site's own filters are in words. It stays open: the
// protocol lets a question have any further attribute.
func (d *door) askSchema() []byte {
	text := func(description string) schema { return schema{"type": "string", "description": description} }
	var sites []string
	for _, site := range d.service.Sites().All() {
		if site.Name != "" && site.Name != site.ID {
			sites = append(sites, fmt.Sprintf("%s (%s)", site.ID, site.Name))
		} else {
			sites = append(sites, site.ID)
		}
	}
	types := d.kinds(maxKinds)
	switch {
	case d.config.Nodes != nil:
		types = ""
	case types == "":
		types = " Here are: none yet."
	default:
		types = " Here are: " + types + "."
	}
	return schema{
		"type": "object",
		"properties": schema{
			"query": schema{
				"type":        "object",
				"description": "The question and its filters; any attribute of schema.org, such as price, may be one.",
				"properties": schema{
					"text": text(fmt.Sprintf("The question in plain words, at most %d characters.", ask.MaxText)),
					"site": text("One site or several with commas; all when left out. Sites: " +
						strings.Join(sites, ", ") + "."),
					"itemType": text("schema.org types, with commas." + types),
					"limit": schema{"type": "integer", "minimum": 1, "maximum": ask.MaxLimit,
						"description": d.howMany()},
					"min_score": schema{"type": "number", "minimum": 0, "maximum": 100,
						"description": "Leave out items with a lower score."},
				},
				"required":             []string{"text"},
				"additionalProperties": true,
			},
			"context": schema{
				"type":        "object",
				"description": "prev (earlier questions, oldest first), text, memory.",
			},
			"prefer": schema{
				"type":        "object",
				"description": "How the answer is to be.",
				"properties": schema{
					"mode":            text(`"list" (without it), "summarize" for a summary first, "report" for counts and ranges over everything that matches.`),
					"response_format": text(`"conversational_search" or "chatgpt_app".`),
					"accept-language": text("Such as \"de, en;q=0.5\"."),
					"elicitation":     schema{"type": "boolean", "description": "false: ask nothing back."},
				},
			},
			"meta": schema{
				"type": "object",
				"description": "session_context, as _meta of the answer before had it: " +
					"the question goes on with those before.",
			},
		},
		"required": []string{"query"},
	}.bytes()
}

// howMany says how many items there are in an answer.
func (d *door) howMany() string {
	text := fmt.Sprintf("How many items at most; %d when left out.", d.config.Limit)
	if d.config.StrangerLimit > 0 {
		text += fmt.Sprintf(" Who is not known here gets at most %d.", d.config.StrangerLimit)
	}
	return text
}

// call answers one use of the tool ask: the same object as POST /ask, always whole.
func (d *door) call(ctx context.Context, call httpx.Call) httpx.Result {
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
func (d *door) arguments(call httpx.Call) ([]byte, error) {
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
func reporter(speaker i18n.Speaker, progress func(done, total int, message string), total int) func(int,
	released.Result) {
	step := max(1, (total+maxReports-1)/maxReports)
	return func(count int, result released.Result) {
		if count%step == 0 || count == total {
			progress(count, total, speaker.Say(i18n.FoundSoFar, count, total, firstRunes(result.Name(), 80)))
		}
	}
}
