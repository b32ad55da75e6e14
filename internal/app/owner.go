package app

import (
	"net/http"

	"frontdesk/internal/app/asked"
	"frontdesk/internal/app/docsite"
	apphttp "frontdesk/internal/app/http"
	askquestions "frontdesk/internal/ask/questions"
	"frontdesk/internal/excerpts/grants"
	"frontdesk/internal/identity"
	"frontdesk/internal/infra/httpx"
	"frontdesk/internal/operator"
	"frontdesk/internal/operator/console"
	"frontdesk/internal/operator/console/embedding"
	"frontdesk/internal/operator/console/frame"
	pages "frontdesk/internal/operator/console/questions"
	settingspages "frontdesk/internal/operator/console/settings"
)

// ownerRoutes serve the owner's pages.
func (a *App) ownerRoutes() []apphttp.Route {
	if !a.config.Console.Owner.Enabled || a.gate == nil {
		return nil
	}
	refusals := grants.Reader{DB: a.db}
	config := console.OwnerConfig{Config: frame.Config{
		Title: a.config.title(), PublicURL: a.outside.PublicURL, Now: a.now, Session: a.config.Console.Owner.Session,
		Logins: a.Logins(), Client: a.outside.Client,
		Note: func(r *http.Request, in identity.Login, what string) {
			httpx.EventFrom(r.Context()).Set("console", what)
			a.log.InfoContext(r.Context(), "console", "token", in.Key, "role", in.Role, "did", what)
		},
		Warnings: a.stale.tell,
	},
		Head: a.Ledger.Head, Entries: a.Ledger.Search, Receipt: a.Ledger.Receipt, Keys: a.LedgerKeys,
		Refused: refusals.Refused, Tallies: refusals.Tallies, Platforms: a.Platforms.List,
	}
	config.Inbox, config.Sales, config.Home = a.inbox(), a.exchange.sales(), a.home()
	if kept := a.questions.store(); kept != nil {
		config.Home.Questions, config.Home.Visitors = kept, a.Visitors
		config.Questions = &pages.Config{Operator: &operator.Operator{Questions: kept}, Try: asked.Trials(a.Ask)}
	}
	config.Visitors = a.visitorPages()
	config.Embed = embedding.Config{
		MCP: a.config.MCP.Enabled, Origins: a.config.CORS.Origins, Fetch: a.config.Fetcher().Get,
	}
	config.Tuning.Question = askquestions.NewStore(a.db, a.now).Text
	config.Tuning.Operator = &operator.Operator{Tuning: a.tuning(), Now: a.now}
	own := a.reloader.ownSettings()
	config.Content.Operator = &operator.Operator{Content: a.content(), Settings: own}
	config.Settings = settingspages.Config{Operator: &operator.Operator{Settings: own}, FileOnly: a.fileOnly}
	config.Home.Operator = config.Settings.Operator
	config.Manual = docsite.OwnHandler()
	config.Access = &operator.Operator{Keys: a.keys(), Now: a.now,
		Books: operator.Books{Ledger: a.Ledger, Sharing: a.sharing()}}
	config.Terms = &operator.Operator{Terms: a.reloader.published(), Now: a.now}
	handler := console.Owner(config)
	a.byOwner = handler.Asks
	return []apphttp.Route{
		{Pattern: "/console", Name: frame.Path, Handler: handler},
		{Pattern: frame.Path, Name: frame.Path, Handler: handler},
	}
}
