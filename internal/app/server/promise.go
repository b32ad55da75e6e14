package server

import (
	apphttp "frontdesk/internal/app/http"

	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/ask"
	"frontdesk/internal/ask/nlweb"
	"frontdesk/internal/ask/session"
	"frontdesk/internal/content"
	"frontdesk/internal/content/ingest"
)

const awaitPath = "/await"

// openPromises makes the promises of answers, as the configuration says, sealed with the front desk's secret; nil where
// nothing is promised.
func (h *House) openPromises(config Config, secret []byte) (*ask.Promises, error) {
	p := config.Ask.Promise
	if !p.Enabled {
		return nil, nil
	}
	var err error
	h.promises, err = session.NewPromises(h.db, session.PromiseOptions{Secret: secret, Keep: p.Keep, Each: p.Each, Kept: p.Kept, All: p.All})
	if err != nil {
		return nil, err
	}
	deps := ask.PromiseDeps{
		Store: h.promises, Corpus: h.Corpus,
		After: p.After, Time: p.Time, Workers: p.Workers, Client: apphttp.ClientOf, Log: h.log,
	}
	for _, slow := range p.Slow {
		deps.Slow = append(deps.Slow, ask.Slow{Words: slow.Match, For: slow.For})
	}
	if p.Fresh.Enabled {
		sources := config.AllSources()
		deps.Reread = func(ctx context.Context, sites []string, pages func(done, total int)) (string, error) {
			return h.reread(ctx, sources, sites, p.Fresh.Every, pages)
		}
	}
	return ask.NewPromises(deps)
}

// reread reads the sources of sites again, but for those that were read not long ago, and says which could not be.
func (h *House) reread(ctx context.Context, sources []ingest.SourceSettings, sites []string, every time.Duration, pages func(done, total int)) (unread string, err error) {
	known, err := h.Catalog.Sources(ctx)
	if err != nil {
		return "", err
	}
	began := map[content.SourceKey]time.Time{}
	for _, source := range known {
		began[source.SourceKey] = source.Attempt.StartedAt
	}
	var due []ingest.SourceSettings
	for _, source := range sources {
		wanted := sites == nil || slices.Contains(sites, source.Site)
		if wanted && time.Since(began[content.SourceKey{Site: source.Site, Source: source.Name}]) >= every {
			due = append(due, source)
		}
	}
	var failed []string
	read := 0
	for i, source := range due {
		last := 0
		_, err := h.Ingest(ctx, source, ingest.Options{Log: h.log.With("site", source.Site, "source", source.Name), Progress: func(p ingest.Progress) {
			last = p.FilesDone
			// Of the sources that are still to come nobody knows how large they are: each counts as much as this one.
			pages(read+p.FilesDone, read+max(p.Files, p.FilesDone+1)*(len(due)-i))
		}})
		if ctx.Err() != nil {
			return "", context.Cause(ctx)
		}
		read += last
		if err != nil && !isBusy(err) { // which somebody else reads just now
			failed = append(failed, source.Name)
		}
	}
	if len(failed) > 0 {
		return "could not be read again: " + strings.Join(failed, ", ") + "; what was read of it before is answered from", nil
	}
	return "", nil
}

// Work does what was promised, until ctx ends.
func (s *Server) Work(ctx context.Context) {
	if s.AskPromises != nil {
		s.AskPromises.Work(ctx, nlweb.Keeper(s.Ask, s.nlwebConfig()))
	}
}

// promiseModule keeps the promises of answers, if there are any, and gives what was promised to who awaits it.
func (s *Server) promiseModule() Module {
	if s.AskPromises == nil {
		return Module{}
	}
	return Module{
		Routes: []apphttp.Route{{
			Pattern: awaitPath, Name: awaitPath, Methods: []string{http.MethodPost}, CORS: true, Door: doorAsk,
			Handler: nlweb.Await(s.Ask, s.nlwebConfig()),
		}},
		Jobs: []Job{{"keep promises", s.Work}},
	}
}
