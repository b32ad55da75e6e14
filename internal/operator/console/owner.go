// Package console is the owner's pages under /console/: what agents received, what was refused, the
// keys of platforms, what agents submit, and what is sold, for those who are logged in. They work
// without any script. Package frame has what all pages share.
package console

import (
	"context"
	"embed"
	"html/template"
	"iter"
	"net/http"
	"time"

	"frontdesk/internal/excerpts/grants"
	"frontdesk/internal/identity"
	"frontdesk/internal/ledger"
	"frontdesk/internal/operator"
	"frontdesk/internal/operator/console/content"
	"frontdesk/internal/operator/console/embedding"
	"frontdesk/internal/operator/console/frame"
	"frontdesk/internal/operator/console/home"
	"frontdesk/internal/operator/console/keys"
	"frontdesk/internal/operator/console/questions"
	"frontdesk/internal/operator/console/settings"
	"frontdesk/internal/operator/console/terms"
	"frontdesk/internal/operator/console/tuning"
	"frontdesk/internal/operator/console/visitors"
	"frontdesk/wire/receipt"
)

//go:embed *.html
var embedded embed.FS

//go:embed words.txt
var words string

// OwnerConfig says what the owner's pages show, and to whom. Nothing of it may be nil but Inbox
// and Sales.
type OwnerConfig struct {
	frame.Config

	// What is shown. Entries gives the newest first where the filter says so.
	Head      func(context.Context) (ledger.Head, error)
	Entries   func(context.Context, ledger.Filter) iter.Seq2[ledger.Record, error]
	Receipt   func(context.Context, string) (receipt.Receipt, error)
	Keys      func() receipt.Keys
	Refused   func(context.Context, grants.RefusalFilter) ([]grants.Request, error)
	Tallies   func(context.Context, time.Time) ([]grants.DayCount, error)
	Platforms func(context.Context) ([]identity.PlatformKey, error)

	// Home is what the first page shows.
	Home home.Config
	// Questions is what people and agents ask; nil where nothing is kept.
	Questions *questions.Config
	// Content is what was read.
	Content content.Config
	// Visitors is which agents come, and how they are treated.
	Visitors visitors.Config
	// Embed is what puts the front desk on other pages, and into assistants.
	Embed embedding.Config
	// Tuning is what mends answers.
	Tuning tuning.Config
	// Access reads and changes keys of every kind, and people.
	Access *operator.Operator
	// Settings is what is set without the configuration file.
	Settings settings.Config
	// Terms reads and changes the owner's terms.
	Terms *operator.Operator
	// Manual serves the documentation of this version, by paths below its own.
	Manual http.Handler
	// Inbox is what agents submit; nil where nothing is taken in.
	Inbox *InboxConfig
	// Sales is what is sold; nil where nothing is.
	Sales *SalesConfig
}

// siteList is the sites of which something is sold.
func (c OwnerConfig) siteList() []Site {
	if c.Sales == nil {
		return nil
	}
	return c.Sales.Sites
}

// Owner serves the owner's pages under frame.Path, to those who are logged in. They are plain HTML;
// what changes something, or takes a token, is a POST with a token of the form's own.
func Owner(config OwnerConfig) *frame.Frame {
	sets := []func(*frame.Frame) frame.Pages{
		home.Pages(config.Home), tuning.Pages(config.Tuning), content.Pages(config.Content), terms.Pages(config.Terms),
		visitors.Pages(config.Visitors), embedding.Pages(config.Embed), keys.Pages(config.Access),
		settings.Pages(config.Settings),
	}
	if config.Questions != nil {
		sets = append(sets, questions.Pages(*config.Questions))
	}
	return frame.New(config.Config, append(sets, func(f *frame.Frame) frame.Pages {
		return (&owner{f, config}).pages()
	})...)
}

type owner struct {
	*frame.Frame
	config OwnerConfig
}

// pages are the pages of this package.
func (o *owner) pages() frame.Pages {
	all := frame.Pages{
		Templates: embedded, Words: words, UTC: true, Waiting: map[string]func(context.Context) (int, error){},
		Finders:   o.finders(),
		Functions: functions(func(until time.Time) leftTime { return leftOf(until, o.Now()) }),
		Rows: []frame.Page{
			{Pattern: "GET receipts/{id}", Right: identity.See, Serve: o.Draw("receipt", o.receipt)},
			{Pattern: "GET receipts/{id}/receipt.json", Right: identity.See, Serve: o.download},
			{Pattern: "POST receipts/verify", Right: identity.Operate, Serve: o.Act(o.verifyAll)},
			{Pattern: "POST verify", Right: identity.See, Serve: o.Draw("receipt", o.verify)},
			{Pattern: "GET docs/{file...}", Right: identity.See, Serve: o.manual},
		},
	}
	all.Rows = append(all.Rows, o.List("receipts", "receipts", o.receipts)...)
	all.Rows = append(all.Rows, o.List("denials", "denials", o.denials)...)
	if o.config.Inbox != nil {
		all.Rows = append(all.Rows, o.inboxPages()...)
		all.Waiting["inbox"] = o.config.Inbox.Open
	}
	if o.config.Sales != nil {
		all.Rows = append(all.Rows, o.salesPages()...)
	}
	return all
}

// manual serves the documentation.
func (o *owner) manual(w http.ResponseWriter, r *http.Request, _ *frame.Visit) error {
	http.StripPrefix(frame.Path+"docs", o.config.Manual).ServeHTTP(w, r)
	return nil
}

// functions are those of the templates of this package.
func functions(left func(time.Time) leftTime) template.FuncMap {
	return template.FuncMap{
		"add":          func(a, b int64) int64 { return a + b },
		"left":         left,
		"money":        money,
		"stated":       func(is *bool) bool { return *is },
		"whole":        func(n int64) int { return int(n) },
		"rowsOf":       func(s frame.Sheet, rows []deliveryRow) deliveryRows { return deliveryRows{s.Base, rows} },
		"amount":       frame.Amount,
		"grantsOf":     func(s frame.Sheet, rows []grantRow) rowsOf[grantRow] { return rowsOf[grantRow]{s, rows} },
		"requestersOf": requestersOf,
		"inputs":       inputs,
		"own":          own,
	}
}
