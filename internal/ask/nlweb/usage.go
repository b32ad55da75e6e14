package nlweb

import (
	"net/http"

	"frontdesk/internal/ask"
	"frontdesk/internal/identity"
	"frontdesk/internal/infra/httpx"
	wire "frontdesk/wire/nlweb"
)

// What the server tells this door of who may ask, in the words of the wire.
type (
	Access = wire.Access
	Scheme = wire.Scheme
	Rate   = wire.Rate
)

func (d *door) usage(w http.ResponseWriter, r *http.Request) {
	httpx.EventFrom(r.Context()).Set("response", wire.TypeElicitation)
	all := d.service.Sites().All()
	sites := make([]string, 0, len(all))
	for _, site := range all {
		sites = append(sites, site.ID)
	}
	results := ask.MaxLimit
	if _, known := identity.From(r.Context()); !known && d.config.StrangerLimit > 0 {
		results = min(results, d.config.StrangerLimit)
	}
	body := wire.Usage{
		Meta: wire.Meta{ResponseType: wire.TypeElicitation, Version: wire.Version},
		Elicitation: wire.Elicitation{
			Text:      "This is an NLWeb endpoint. POST a question to this address as JSON.",
			Questions: []wire.Question{{ID: "text", Text: "What would you like to know?", Type: wire.QuestionText}},
		},
		Usage: wire.HowTo{
			Method: http.MethodPost, ContentType: "application/json",
			Example: wire.AskRequest{Query: &wire.Query{Text: "your question"}}, Sites: sites,
			Formats: []string{wire.FormatConversational, wire.FormatChatGPT},
			Modes:   []string{wire.ModeList, wire.ModeSummarize, wire.ModeReport},
			Limits:  wire.UsageLimits{Results: results, Text: ask.MaxText, Body: d.config.MaxBody},
		},
	}
	if d.config.Access != nil {
		access := d.config.Access(r)
		body.Usage.Access, body.Usage.Limits.Rates = &access, access.Rates
	}
	send(w, http.StatusOK, marshal(body), []byte("\n"))
}
