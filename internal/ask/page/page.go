// Package page is the page on which a person asks: a box, the answers as cards while they arrive,
// the summary, and the request and response themselves for those who build on them. It is one page
// drawn here with a style sheet and a few script modules, all embedded; nothing comes from anywhere
// else and nothing is built.
//
// It is a client like any other: it posts to /ask and shows what comes back. It imports i18n alone,
// for its own words in the language of who looks at it.
package page

import (
	"bytes"
	"html/template"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"frontdesk/internal/ask/i18n"
)

// Config says what the page shows.
type Config struct {
	// Title is the page's heading; without it, the name of the site.
	Title string `yaml:"title"`
	// About is one line under the heading.
	About string `yaml:"about"`
	// Types are schema.org types that the page lets people choose from; with fewer than two there
	// is no choice.
	Types []string `yaml:"types"`
	// Examples are questions that the page offers to start with.
	Examples []string `yaml:"examples"`
	// Logo is the address of a picture that stands before the title, in place of the bell.
	Logo string `yaml:"logo" check:"url"`
	// Color is that of the page's head and its buttons, such as `#143b32`. Words on it are black or
	// white, whichever is easier to read.
	Color string `yaml:"color"`
	// Contact is where people turn who find nothing: an address of a page, or one that begins with
	// `mailto:` or `tel:`.
	Contact string `yaml:"contact"`

	Sites []Site // a picker is shown when there are several
	Home  string // the address of the site's own pages, which the page links back to; empty for none
	Ask   string // the path of the endpoint below the public address; "/ask" when empty
	// Suggest gives questions to start with, in a language, where there are no Examples; nil for
	// none.
	Suggest func(language string) []string
	// PublicURL gives the address of the front desk as the sender of a request knows it, without a
	// slash at its end; all links begin with its path. Nil is scheme and host as the request has
	// them.
	PublicURL func(*http.Request) string
}

// Site is a site that can be asked.
type Site struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// contentPolicy lets the page load its own files and pictures from anywhere, ask its own server,
// and nothing else.
const contentPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' https: http: data:; " +
	"connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// Handler serves the page at "/" and its files under "/assets/".
func Handler(config Config) http.Handler {
	if config.Title == "" {
		config.Title = "Frontdesk"
	}
	if config.Ask == "" {
		config.Ask = "/ask"
	}
	if config.PublicURL == nil {
		config.PublicURL = func(r *http.Request) string {
			if r.TLS != nil {
				return "https://" + r.Host
			}
			return "http://" + r.Host
		}
	}
	files := LoadFiles(embedded, "assets")
	files.add("theme.css", theme(config.Color))
	p := &page{config: config, files: files, template: template.Must(template.ParseFS(embedded, "page.html"))}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", p.show)
	mux.HandleFunc("GET /assets/", files.Serve)
	mux.HandleFunc("GET /", p.missing)
	return mux
}

type page struct {
	config   Config
	files    *Files
	template *template.Template
}

// view is what the template sees.
type view struct {
	Config
	Asked  asked
	Prefix string // before every path of ours
	Assets string // the path of the folder of assets
	Ask    string // the path of the endpoint
	Curl   string // the question as a command, for those without JavaScript
	Desk   data
	// Language is that of the page's own words, and Say these words by name.
	Language string
	Say      map[string]string
	Things   func(typ string) string // what is of a type: "recipes"
	Missing  bool                    // there is nothing at the address that was asked for
}

// asked is the question in the page's address, so that a link to a question works.
type asked struct {
	Text, Site, Type string
	Summary          bool
}

// data is what the script needs to know.
type data struct {
	Ask     string            `json:"ask"`
	Title   string            `json:"title"`
	Sites   []Site            `json:"sites"`
	Contact string            `json:"contact,omitempty"`
	Say     map[string]string `json:"say"`   // the page's own words, by name
	Types   map[string]string `json:"types"` // words for types, by their names
}

// missing is the page for addresses at which there is nothing.
func (p *page) missing(w http.ResponseWriter, r *http.Request) { p.draw(w, r, http.StatusNotFound) }

func (p *page) show(w http.ResponseWriter, r *http.Request) { p.draw(w, r, http.StatusOK) }

func (p *page) draw(w http.ResponseWriter, r *http.Request, status int) {
	query, base := r.URL.Query(), p.config.PublicURL(r)
	prefix := ""
	if u, err := url.Parse(base); err == nil {
		prefix = u.EscapedPath()
	}
	speaker := i18n.For(r.Header.Values("Accept-Language")...)
	say := speaker.Page()
	v := view{
		Config: p.config,
		Asked:  asked{clip(query.Get("q")), query.Get("site"), query.Get("type"), query.Get("summary") == "1"},
		Prefix: prefix,
		Assets: prefix + p.files.Root,
		Ask:    prefix + p.config.Ask,
		Desk:   data{prefix + p.config.Ask, p.config.Title, p.config.Sites, p.config.Contact, say, speaker.PageTypes()},

		Language: speaker.Language(), Say: say, Things: speaker.Things, Missing: status == http.StatusNotFound,
	}
	if v.Missing {
		v.Asked = asked{}
	}
	if len(v.Examples) == 0 && p.config.Suggest != nil {
		v.Examples = p.config.Suggest(v.Language)
	}
	v.Curl = curl(base+p.config.Ask, v.Asked, say["question"])
	var body bytes.Buffer
	if err := p.template.Execute(&body, v); err != nil {
		http.Error(w, "The page could not be drawn.", http.StatusInternalServerError)
		return
	}
	header := w.Header()
	header.Set("Content-Type", "text/html; charset=utf-8")
	header.Set("Content-Security-Policy", contentPolicy)
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("Cache-Control", "no-cache")
	header.Add("Vary", "Accept-Language")
	if status != http.StatusOK {
		w.WriteHeader(status)
		w.Write(body.Bytes())
		return
	}
	answer(w, r, body.Bytes())
}

// maxQuestion is how much of a question in the address is put into the page; the endpoint has its
// own bound.
const maxQuestion = 4000

func clip(text string) string {
	text = strings.ToValidUTF8(text, "")
	if runes := []rune(text); len(runes) > maxQuestion {
		return string(runes[:maxQuestion])
	}
	return text
}

// curl writes the question as a command for a POSIX shell.
func curl(address string, q asked, example string) string {
	text := q.Text
	if text == "" {
		text = example
	}
	body := `{"query": {"text": ` + quoteJSON(text)
	if q.Site != "" {
		body += `, "site": ` + quoteJSON(q.Site)
	}
	if q.Type != "" {
		body += `, "itemType": ` + quoteJSON(q.Type)
	}
	body += "}}"
	return "curl " + quoteShell(address) + " -H 'Content-Type: application/json' -d " + quoteShell(body)
}

func quoteShell(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// quoteJSON writes a string as JSON that can be read: encoding/json would escape "<" and "&".
func quoteJSON(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < ' ' || r == 0x7f:
			b.WriteString(`\u` + strconv.FormatInt(0x10000+int64(r), 16)[1:])
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
