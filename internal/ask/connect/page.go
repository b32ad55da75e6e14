package connect

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"net/http"
	"net/url"

	"frontdesk/internal/ask/i18n"
)

//go:embed connect.css
var sheet string

//go:embed connect.html
var source string

// page draws the page; its style sheet stands in it, under a policy that lets in that sheet and
// nothing else.
var page = template.Must(template.New("connect").Parse(source))

var contentPolicy = func() string {
	sum := sha256.Sum256([]byte(sheet))
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
		"'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
}()

// Config is what the page shows.
type Config struct {
	Title     string // what people call what is asked here
	PublicURL func(*http.Request) string
	MCP       bool
}

// view is what the template sees.
type view struct {
	Desk
	Title, Language, Front string
	Say                    map[string]string
	Assistants, Programs   []Recipe
	Style                  template.CSS
}

// Sentence is what a recipe says to do.
func (v view) Sentence(r Recipe) string { return r.Sentence(v.Say) }

// Sentence is what to do, in the words of a language.
func (r Recipe) Sentence(say map[string]string) string {
	text := say[r.Word]
	if r.At != "" {
		return fmt.Sprintf(text, r.At)
	}
	return text
}

// Handler serves the page.
func Handler(config Config) http.Handler {
	if config.Title == "" {
		config.Title = "Frontdesk"
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		speaker := i18n.For(r.Header.Values("Accept-Language")...)
		v := view{
			Desk:  Desk{Address: config.PublicURL(r), Name: config.Title, MCP: config.MCP},
			Title: config.Title, Language: speaker.Language(), Front: "/",
			Say: speaker.Connect(), Style: template.CSS(sheet),
		}
		if u, err := url.Parse(v.Address); err == nil {
			v.Front = u.EscapedPath() + "/"
		}
		for _, one := range Recipes(v.Desk) {
			if one.Program {
				v.Programs = append(v.Programs, one)
			} else {
				v.Assistants = append(v.Assistants, one)
			}
		}
		var body bytes.Buffer
		if err := page.Execute(&body, v); err != nil {
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
		_, _ = w.Write(body.Bytes())
	})
}
