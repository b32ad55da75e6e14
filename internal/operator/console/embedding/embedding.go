// Package embedding is the page of the owner's console that puts the front desk elsewhere: the
// element for the owner's own pages, with a preview and a check of a page that has it, and recipes
// for assistants and programs.
package embedding

import (
	"context"
	"embed"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"rsc.io/qr"

	"frontdesk/internal/ask/connect"
	"frontdesk/internal/ask/i18n"
	"frontdesk/internal/ask/widget"
	"frontdesk/internal/identity"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/fetch"
	"frontdesk/internal/operator/console/frame"
)

//go:embed embed.html
var embedded embed.FS

//go:embed words.txt
var words string

// Config is what the page shows, and how it reads a page that is checked.
type Config struct {
	MCP     bool
	Origins []string // whose pages may ask, as cors.origins has them
	Fetch   func(context.Context, fetch.Request) (*fetch.Response, error)
}

// Pages are the pages of this package.
func Pages(config Config) func(*frame.Frame) frame.Pages {
	return func(f *frame.Frame) frame.Pages {
		p := &pages{f, config}
		return frame.Pages{
			Templates: embedded, Words: words,
			Rows: []frame.Page{
				{Pattern: "GET embed", Right: identity.See, Serve: p.show},
				{Pattern: "GET embed/colour.css", Right: identity.See, Serve: p.colour},
				{Pattern: "POST embed", Right: identity.Tune, Serve: p.check},
			},
		}
	}
}

type pages struct {
	*frame.Frame
	config Config
}

// Body is what the page shows.
type Body struct {
	Choice
	Modes, Positions []string
	Snippet, Style   string
	Pinned           string // the snippet that takes one version alone
	Address          string // of the page on which people ask
	QR               *Code  // of that address
	Public           bool
	Here             string // the path of the element's script
	Colour           string // the path of the style sheet of the preview
	Everybody        bool   // every page may ask
	Origins          []string
	Checked          *Checked
	Recipes          []Recipe
}

// Choice is how the element looks.
type Choice struct{ Mode, Position, Accent, Label string }

// Recipe is a recipe in the words of who looks.
type Recipe struct {
	connect.Recipe
	Sentence, Install string
}

// Checked is a page that was looked at.
type Checked struct {
	Page   string
	Cause  string // why it could not be read, as of [fail.Cause]
	Wrong  string // what was said of that; empty for nothing
	Fits   bool
	Origin string // of the page, where cors.origins has to have it; empty for nothing
	widget.Checked
}

var (
	modes     = []string{"launcher", "inline", "modal", "searchbox"}
	positions = []string{"bottom-right", "bottom-left"}
	hexColor  = regexp.MustCompile(`^#[0-9a-fA-F]{6}$`)
)

// maxLabel is the most characters of what the element is called.
const maxLabel = 60

// choiceOf is what a form says, as far as it can be.
func choiceOf(form url.Values, label string) Choice {
	c := Choice{Mode: modes[0], Position: positions[0], Label: label}
	if mode := form.Get("mode"); slices.Contains(modes, mode) {
		c.Mode = mode
	}
	if position := form.Get("position"); slices.Contains(positions, position) {
		c.Position = position
	}
	if accent := form.Get("accent"); hexColor.MatchString(accent) && accent != usualAccent {
		c.Accent = accent
	}
	if given := strings.TrimSpace(form.Get("label")); given != "" && len([]rune(given)) <= maxLabel {
		c.Label = given
	}
	return c
}

// usualAccent is the element's own colour, for which nothing need be said.
const usualAccent = "#143b32"

// element is the element as a page has it.
func (c Choice) element() string {
	attributes := ""
	if c.Mode != "inline" {
		attributes += ` mode="` + c.Mode + `"`
	}
	if c.Mode == "launcher" && c.Position != positions[0] {
		attributes += ` position="` + c.Position + `"`
	}
	if c.Mode == "modal" {
		attributes += ` for="#ask"`
	}
	return "<frontdesk-ask" + attributes + ">" + html.EscapeString(c.Label) + "</frontdesk-ask>"
}

func (c Choice) style() string {
	if c.Accent == "" {
		return ""
	}
	return "frontdesk-ask { --frontdesk-accent: " + c.Accent + "; }"
}

func (p *pages) body(r *http.Request, v *frame.Visit, c Choice) Body {
	address, front := p.PublicURL(r), strings.TrimSuffix(p.Base(r), frame.Path)
	b := Body{
		Choice: c, Modes: modes, Positions: positions, Style: c.style(), Address: address + "/",
		QR:        codeOf(address + "/"),
		Here:      front + widget.Current + widget.Loader,
		Everybody: slices.Contains(p.config.Origins, "*"), Origins: p.config.Origins,
		Colour: p.Base(r) + "embed/colour.css?accent=" + url.QueryEscape(c.Accent),
	}
	b.Snippet = fmt.Sprintf("<script type=\"module\" src=\"%s\"></script>\n%s",
		address+widget.Current+widget.Loader, c.element())
	const pinned = "<script type=\"module\" crossorigin\n  src=\"%s/widget/%s/%s\"\n  integrity=\"%s\"></script>\n%s"
	b.Pinned = fmt.Sprintf(pinned, address, widget.Version, widget.Loader, widget.Integrity(), c.element())
	desk := connect.Desk{Address: address, Name: p.Title, MCP: p.config.MCP}
	b.Public = desk.Public()
	say := i18n.For(r.Header.Values("Accept-Language")...).Connect()
	for _, one := range connect.Recipes(desk) {
		b.Recipes = append(b.Recipes, Recipe{one, one.Sentence(say), say["install"]})
	}
	return b
}

// Code is a QR code as a picture: Dots is the path of its black dots, in a square of Size.
type Code struct {
	Size int
	Dots string
}

// codeOf is nil for an address that is too long for a code.
func codeOf(address string) *Code {
	code, err := qr.Encode(address, qr.M)
	if err != nil {
		return nil
	}
	const margin = 4 // what readers want around it
	var dots strings.Builder
	for y := range code.Size {
		for x := range code.Size {
			if code.Black(x, y) {
				fmt.Fprintf(&dots, "M%d %dh1v1h-1z", x+margin, y+margin)
			}
		}
	}
	return &Code{code.Size + 2*margin, dots.String()}
}

func (p *pages) draw(w http.ResponseWriter, r *http.Request, v *frame.Visit, b Body) {
	s := v.Sheet(v.Say("embed.title"), "embed", b)
	s.Asks = true
	p.Show(w, r, http.StatusOK, s)
}

func (p *pages) show(w http.ResponseWriter, r *http.Request, v *frame.Visit) error {
	p.draw(w, r, v, p.body(r, v, choiceOf(r.URL.Query(), v.Say("embed.ask_us"))))
	return nil
}

// colour is the style sheet of the preview, which the console's policy does not let stand in the
// page.
func (p *pages) colour(w http.ResponseWriter, r *http.Request, _ *frame.Visit) error {
	w.Header().Set("Content-Type", "text/css; charset=utf-8")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", "no-store")
	_, err := w.Write([]byte(choiceOf(r.URL.Query(), "").style()))
	return err
}

// Bounds of a page that is checked.
const (
	maxPage     = 2 << 20
	patience    = 10 * time.Second
	maxAddress  = 2000
	mostOfFault = 300
)

// check reads a page of the owner's, and says what it lacks.
func (p *pages) check(w http.ResponseWriter, r *http.Request, v *frame.Visit) error {
	address := strings.TrimSpace(r.PostFormValue("page"))
	if address != "" && !strings.Contains(address, "://") {
		address = "https://" + address
	}
	u, err := url.Parse(address)
	web := err == nil && u.Host != "" && u.User == nil && (u.Scheme == "https" || u.Scheme == "http")
	if !web || len(address) > maxAddress {
		return frame.Fail(fail.Invalid, "embed.fault_address", fmt.Sprintf("%.100q", address))
	}
	ctx, cancel := context.WithTimeout(r.Context(), patience)
	defer cancel()
	b := p.body(r, v, choiceOf(nil, v.Say("embed.ask_us")))
	b.Checked = p.read(ctx, u, p.PublicURL(r))
	p.draw(w, r, v, b)
	return nil
}

func (p *pages) read(ctx context.Context, page *url.URL, desk string) *Checked {
	c := &Checked{Page: page.String()}
	answer, err := p.config.Fetch(ctx, fetch.Request{
		URL: page.String(), MaxBytes: maxPage, Truncate: true, Header: http.Header{"Accept": {"text/html"}},
	})
	if err == nil && answer.Status != http.StatusOK {
		err = fail.Caused("answered", fmt.Errorf("status %d", answer.Status))
	}
	if err != nil {
		c.Cause, c.Wrong = fail.Cause(err), fmt.Sprintf("%.*s", mostOfFault, err)
		return c
	}
	at, err := url.Parse(answer.URL)
	if err != nil {
		at = page
	}
	own, err := url.Parse(desk)
	if err != nil {
		c.Wrong = err.Error()
		return c
	}
	c.Checked = widget.Check(at, answer.Header, answer.Body, own)
	origin := at.Scheme + "://" + at.Host
	allowed := append([]string{own.Scheme + "://" + own.Host}, p.config.Origins...)
	if !slices.Contains(allowed, "*") && !slices.Contains(allowed, origin) {
		c.Origin = origin
	}
	c.Fits = c.Checked.Fits() && c.Origin == ""
	return c
}
