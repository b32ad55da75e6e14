// Package home is the first page of the owner's console: whether all is well, and what to do next.
package home

import (
	"context"
	"embed"
	"net/http"

	"frontdesk/internal/identity"
	"frontdesk/internal/operator/console/frame"
)

//go:embed home.html
var embedded embed.FS

//go:embed words.txt
var words string

// Config is where the page learns what it shows.
type Config struct{}

// Pages are the pages of this package.
func Pages(config Config) func(*frame.Frame) frame.Pages {
	return func(f *frame.Frame) frame.Pages {
		h := &home{f, config}
		return frame.Pages{
			Templates: embedded, Words: words,
			Rows: []frame.Page{{Pattern: "GET {$}", Right: identity.See, Serve: h.show}},
		}
	}
}

type home struct {
	*frame.Frame
	config Config
}

// show draws the page. Receipts were the first page before, and links to them stay.
func (h *home) show(w http.ResponseWriter, r *http.Request, v *frame.Visit) error {
	for _, old := range []string{"kind", "platform", "day", "before"} {
		if r.URL.Query().Has(old) {
			return frame.Moved("receipts")(w, r, v)
		}
	}
	return h.Draw("home", h.read)(w, r, v)
}

// Body is what the page shows.
type Body struct{}

func (h *home) read(_ context.Context, _ *http.Request, v *frame.Visit) (string, any, error) {
	return v.Say("home.title"), Body{}, nil
}
