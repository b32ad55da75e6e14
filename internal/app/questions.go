package app

import (
	"context"
	"net/http"
	"sync/atomic"

	"frontdesk/internal/app/asked"
	apphttp "frontdesk/internal/app/http"
	"frontdesk/internal/ask"
	connecting "frontdesk/internal/ask/connect"
	"frontdesk/internal/ask/front"
	"frontdesk/internal/ask/nearness"
	"frontdesk/internal/ask/nlweb"
	"frontdesk/internal/ask/page"
	askquestions "frontdesk/internal/ask/questions"
	"frontdesk/internal/ask/session"
	"frontdesk/internal/ask/tuning"
	"frontdesk/internal/ask/widget"
	"frontdesk/internal/content/search"
	"frontdesk/internal/content/vector"
	"frontdesk/internal/infra/httpx"
	"frontdesk/internal/infra/llm"
)

// questions are asked in NLWeb, over MCP and on a page.
type questions struct {
	*base
	*network    // nil where nobody comes
	Ask         *ask.Service
	AskPromises *ask.Promises            // nil where nothing is promised
	AskVectors  *nearness.Vectors        // nil where no model makes any
	Model       *llm.Client              // nil without one
	Tuning      *tuning.Store            // what the owner says to mend answers
	Questions   *askquestions.Keeper     // of what is asked; nil where nobody comes
	byOwner     func(*http.Request) bool // says whether who asks is logged in to the console; nil for nobody

	nodes  *front.Front    // that answer in place of this one; nil where it answers itself
	memory *session.Memory // nil when nothing is remembered
}

// openQuestions makes the service that answers questions of the content.
func openQuestions(ctx context.Context, b *base, n *network, content *sources,
	model *llm.Client) (_ *questions, err error) {
	q := &questions{base: b, network: n, Model: model, Tuning: tuning.New(b.db, b.now)}
	if err := q.Tuning.Refresh(ctx); err != nil {
		return nil, err
	}
	conversations, memory, err := b.config.conversations(b.db, b.log, b.secret)
	if err != nil {
		return nil, err
	}
	q.memory = memory
	if q.AskPromises, err = q.openPromises(content); err != nil {
		return nil, err
	}
	if q.AskVectors, err = q.openVectors(content); err != nil {
		return nil, err
	}
	c := b.config.Ask
	if n != nil { // also where nothing is kept, so that what was kept before goes
		q.Questions = askquestions.NewKeeper(askquestions.Options{
			DB: b.db, Secret: b.secret, Keep: b.config.Questions.Keep, Now: b.now, Log: b.log,
			Metrics: n.metrics.Registry,
		})
	}
	deps := ask.Deps{
		Corpus: content.Corpus, Tuning: q.Tuning.Rules,
		Reading: ask.Reading{
			MinScore: c.MinScore, AsSpelled: !c.Spelling, OwnWords: !c.Feedback, Place: c.Location(),
		},
		Elicitation: c.Asker(), Conversations: conversations, Memory: memory,
		Promises: q.AskPromises, LLM: model, Vectors: q.AskVectors,
		Admit: func(context.Context, []string) error { return nil },
		Now:   b.now, Timeout: c.Timeout, Log: b.log,
	}
	if n != nil && n.gate != nil {
		deps.Admit = n.gate.CountSites
	}
	deps.Questions = q.kept()
	if q.Ask, err = ask.New(deps); err != nil {
		return nil, err
	}
	return q, q.openFront()
}

// openPromises makes the promises of answers, as the configuration says, sealed with the front
// desk's secret; nil where nothing is promised.
func (q *questions) openPromises(content *sources) (*ask.Promises, error) {
	p := q.config.Ask.Promise
	if !p.Enabled {
		return nil, nil
	}
	promises, err := session.NewPromises(q.db,
		session.PromiseOptions{Secret: q.secret, Keep: p.Keep, Each: p.Each, Kept: p.Kept, All: p.All})
	if err != nil {
		return nil, err
	}
	if q.network != nil {
		promises.RegisterMetrics(q.metrics.Registry)
	}
	deps := ask.PromiseDeps{
		Store: promises, Corpus: content.Corpus,
		After: p.After, Time: p.Time, Workers: p.Workers, Client: apphttp.ClientOf, Log: q.log,
	}
	for _, slow := range p.Slow {
		deps.Slow = append(deps.Slow, ask.Slow{Words: slow.Match, For: slow.For})
	}
	if p.Fresh.Enabled {
		deps.Reread = func(ctx context.Context, sites []string, pages func(done, total int)) (string, error) {
			return content.reread(ctx, q.allSources(), sites, p.Fresh.Every, pages)
		}
	}
	return ask.NewPromises(deps)
}

// openVectors makes the vectors of the content, and holds questions against them; nil where no
// model makes any.
func (q *questions) openVectors(content *sources) (*nearness.Vectors, error) {
	v := q.config.Model.Vectors
	if !q.Model.Enabled(llm.Embed) {
		return nil, nil
	}
	vectors := vector.New(vector.Options{
		Catalog: q.Catalog, DB: q.db, Model: q.Model, Version: v.Version, TextPrefix: v.TextPrefix,
		QuestionPrefix: v.QuestionPrefix, Passages: v.Passages, Most: v.Most, Pace: v.Pace, Log: q.log,
	})
	if q.network != nil {
		vectors.RegisterMetrics(q.metrics.Registry)
	}
	deps := nearness.Deps{
		Keeper: vectors, Corpus: content.Corpus, Log: q.log,
		Fusion: search.Fusion{Ranks: v.Fusion == vector.ByRanks, Share: v.Share, Least: 1},
	}
	if v.Alone {
		deps.Apart = v.Apart
	}
	return nearness.New(deps)
}

// LoadVectors takes the vectors that are there already, for a process that asks at once and does
// not stay to make any.
func (q *questions) LoadVectors(ctx context.Context) error {
	if q.AskVectors == nil {
		return nil
	}
	return q.AskVectors.Load(ctx)
}

// keepVectors keeps the vectors of the content up with it until ctx ends, where a model makes any.
func (q *questions) keepVectors(ctx context.Context) {
	if q.AskVectors != nil {
		q.AskVectors.Keep(ctx)
	}
}

// The addresses of NLWeb; sites and who are of the flat dialect.
const (
	askPath   = "/ask"
	sitesPath = "/sites"
	whoPath   = "/who"
)

// module answers questions (NLWeb).
func (q *questions) module() Module {
	m := Module{Routes: []apphttp.Route{
		{
			Pattern: askPath, Name: askPath, Methods: []string{http.MethodGet, http.MethodHead, http.MethodPost},
			CORS: true, Door: doorAsk, Public: asksHow, Asks: askedOverHTTP,
			Handler: q.asked(asked.OverAsk, nlweb.Handler(q.Ask, q.nlwebConfig())),
		},
		{
			Pattern: sitesPath, Name: sitesPath, Methods: apphttp.ReadMethods, CORS: true, Door: doorAsk,
			Handler: nlweb.Sites(q.Ask, q.nlwebConfig()),
			Public:  func(*http.Request) bool { return true }, // GET /ask tells them everybody, too
		},
		{
			Pattern: whoPath, Name: whoPath, Methods: apphttp.ReadMethods, CORS: true, Door: doorAsk,
			Asks:    func(string, *httpx.Event) bool { return true },
			Handler: q.asked(asked.OverAsk, nlweb.Who(q.Ask, q.nlwebConfig())),
		},
	}}
	m.Jobs = []Job{
		{"keep vectors", q.keepVectors},
		{"follow tuning", func(ctx context.Context) { q.Tuning.Follow(ctx, q.log) }},
		{"greet the model", func(ctx context.Context) { greetModel(ctx, q.config.Model, q.Model, q.log) }},
	}
	if q.memory != nil {
		m.Jobs = append(m.Jobs, Job{"follow what was remembered", q.memory.Follow})
	}
	return m
}

// widgetPath is below which the element for other pages is.
const widgetPath = "/widget/"

// pages are the page on which people ask, and what else is given out as it is.
func (q *questions) pages() (m Module) {
	if q.config.Console.Enabled {
		var now atomic.Pointer[http.Handler]
		show := func(config Config) { now.Store(new(q.page(config))) }
		show(q.config)
		m.Reload = func(fresh Config) (commit func(), err error) { return func() { show(fresh) }, nil }
		page := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { (*now.Load()).ServeHTTP(w, r) })
		m.Routes = append(m.Routes,
			apphttp.Route{Pattern: apphttp.PagePattern, Name: "/", Methods: apphttp.ReadMethods, Handler: page},
			apphttp.Route{Pattern: "/assets/", Name: "/assets/", Methods: apphttp.ReadMethods, Handler: page},
			apphttp.Route{Pattern: connecting.Path, Name: connecting.Path, Methods: apphttp.ReadMethods,
				Handler: connecting.Handler(connecting.Config{
					Title: q.config.title(), PublicURL: q.outside.PublicURL, MCP: q.config.MCP.Enabled,
				})})
	}
	elements := widget.Handler(widget.Config{Examples: q.config.Console.Examples, Contact: q.config.Console.Contact})
	m.Routes = append(m.Routes, apphttp.Route{
		Pattern: widgetPath, Name: widgetPath, Methods: apphttp.ReadMethods, CORS: true, Same: true, Handler: elements,
	})
	for pattern, handler := range q.options.Pages {
		m.Routes = append(m.Routes,
			apphttp.Route{Pattern: pattern, Name: pattern, Methods: apphttp.ReadMethods, Handler: handler})
	}
	return m
}

// page is the page on which people ask, by a configuration.
func (q *questions) page(of Config) http.Handler {
	config := of.Console.Config
	config.Ask, config.PublicURL, config.Suggest = askPath, q.outside.PublicURL, q.Ask.Examples
	for _, site := range of.AllSites() {
		config.Sites = append(config.Sites, page.Site{ID: site.ID, Name: first(site.Name, site.ID)})
		if len(of.Sites) == 0 {
			config.Title, config.Home = first(config.Title, site.Name), site.URL
		}
	}
	return page.Handler(config)
}

// askedOverHTTP says whether a request to /ask was a question: a POST, or a GET in the flat
// dialect.
func askedOverHTTP(method string, happened *httpx.Event) bool {
	return method == http.MethodPost || happened.Text("dialect") != ""
}

// Work does what was promised, until ctx ends.
func (q *questions) Work(ctx context.Context) {
	if q.AskPromises != nil {
		q.AskPromises.Work(ctx, nlweb.Keeper(q.Ask, q.nlwebConfig()))
	}
}

// promiseModule keeps the promises of answers, if there are any, and gives what was promised to who
// awaits it.
func (q *questions) promiseModule() Module {
	switch {
	case q.nodes != nil:
		return Module{Routes: []apphttp.Route{q.awaitRoute()}}
	case q.AskPromises == nil:
		return Module{}
	}
	return Module{
		Routes: []apphttp.Route{q.awaitRoute()},
		Jobs:   []Job{{"keep promises", q.Work}},
	}
}

// awaitRoute gives what was promised to who awaits it.
func (q *questions) awaitRoute() apphttp.Route {
	return apphttp.Route{
		Pattern: awaitPath, Name: awaitPath, Methods: []string{http.MethodPost}, CORS: true, Door: doorAsk,
		Handler: nlweb.Await(q.Ask, q.nlwebConfig()),
	}
}

const (
	awaitPath    = "/await"
	sessionsPath = "/sessions/{id}"
)

// sessionRoutes are the routes that forget a conversation.
func (q *questions) sessionRoutes() []apphttp.Route {
	return []apphttp.Route{{
		Pattern: sessionsPath, Name: sessionsPath, Methods: []string{http.MethodDelete}, CORS: true, Door: doorAsk,
		Handler: nlweb.Sessions(q.Ask, q.nlwebConfig()),
	}}
}
