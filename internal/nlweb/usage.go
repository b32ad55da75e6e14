package nlweb

import (
	"net/http"

	"frontdesk/internal/desk"
	"frontdesk/internal/event"
	wire "frontdesk/wire/nlweb"
)

// usage is the answer to GET /ask: what this address is for and how to use it. To the protocol it is an
// elicitation, since a question is what is missing.
type usage struct {
	Meta        wire.Meta        `json:"_meta"`
	Elicitation wire.Elicitation `json:"elicitation"`
	Usage       howTo            `json:"usage"`
}

type howTo struct {
	Method      string          `json:"method"`
	ContentType string          `json:"content_type"`
	Example     wire.AskRequest `json:"example"`
	Sites       []string        `json:"sites"`
	Formats     []string        `json:"response_formats"`
	Modes       []string        `json:"modes"`
	Limits      limits          `json:"limits"`
}

type limits struct {
	Results int   `json:"results"`    // the most that query.limit may ask for
	Text    int   `json:"text_chars"` // of query.text
	Body    int64 `json:"body_bytes"`
}

func (d *door) usage(w http.ResponseWriter, r *http.Request) {
	event.From(r.Context()).Set("response", wire.TypeElicitation)
	sites := make([]string, 0, len(d.desk.Sites()))
	for _, site := range d.desk.Sites() {
		sites = append(sites, site.ID)
	}
	body := usage{
		Meta: wire.Meta{ResponseType: wire.TypeElicitation, Version: wire.Version},
		Elicitation: wire.Elicitation{
			Text:      "This is an NLWeb endpoint. POST a question to this address as JSON.",
			Questions: []wire.Question{{ID: "text", Text: "What would you like to know?", Type: "free_text"}},
		},
		Usage: howTo{
			Method: http.MethodPost, ContentType: "application/json", Example: wire.AskRequest{Query: &wire.Query{Text: "your question"}}, Sites: sites,
			Formats: []string{wire.FormatConversational, wire.FormatChatGPT},
			Modes:   []string{wire.ModeList, wire.ModeSummarize},
			Limits:  limits{Results: desk.MaxLimit, Text: desk.MaxText, Body: d.config.MaxBody},
		},
	}
	send(w, http.StatusOK, marshal(body), []byte("\n"))
}
