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
	Access      *Access         `json:"authentication,omitempty"`
	Limits      limits          `json:"limits"`
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

type limits struct {
	Results int    `json:"results"`    // the most that query.limit may ask for
	Text    int    `json:"text_chars"` // of query.text
	Body    int64  `json:"body_bytes"`
	Rates   []Rate `json:"rates,omitempty"`
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
	if d.config.Access != nil {
		access := d.config.Access(r)
		body.Usage.Access, body.Usage.Limits.Rates = &access, access.Rates
	}
	send(w, http.StatusOK, marshal(body), []byte("\n"))
}
