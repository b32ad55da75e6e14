package app

import (
	"sync/atomic"

	"frontdesk/internal/content/released"

	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"frontdesk/internal/content"
	"frontdesk/internal/content/ingest"
	"frontdesk/internal/content/ingest/document"
	"frontdesk/internal/content/overview"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/fetch"
	"frontdesk/internal/infra/metrics"
)

// sources are what content is read from, and the corpus of what was read.
type sources struct {
	*base
	*network // nil where nothing is read in the background, as is reloader
	*terms
	*reloader
	Corpus *released.Corpus // what the terms let out of the content

	overview  overview.Overview
	followers []released.Follower
	figures   *sourceFigures
	stale     freshness
	// begins to read a site's sources anew, or one; nil where nobody does
	rereads atomic.Pointer[func(site, source string, paths []string) bool]
}

// newSources follows the corpus.
func newSources(n *network, t *terms, corpus *released.Corpus, r *reloader, vectors bool) *sources {
	s := &sources{base: t.base, network: n, terms: t, reloader: r, Corpus: corpus}
	s.overview = overview.Overview{
		Catalog: s.Catalog, Corpus: corpus, Configured: s.allSources, Now: s.now,
		Warn: s.config.Licences.Warn, Critical: s.config.Licences.Critical,
	}
	if vectors { // which a model makes of the texts
		s.overview.Vectors = s.db
	}
	if n != nil {
		s.figures = newSourceFigures(n.metrics.Registry)
		metrics.Func(n.metrics.Registry, "index_items", "Items in the index, whatever the terms say of them.",
			func() float64 { return float64(corpus.Items()) })
	}
	return s
}

// follow has something follow each view of the corpus, after what did before. It is called before
// Refresh and Follow.
func (s *sources) follow(one released.Follower) { s.followers = append(s.followers, one) }

// Refresh brings the corpus, and what follows it, to the catalog's published state and the terms in
// force.
func (s *sources) Refresh(ctx context.Context) error { return s.Corpus.Load(ctx, s.followers...) }

// Follow refreshes again and again until ctx ends. What fails is logged and tried again.
func (s *sources) Follow(ctx context.Context) { s.Corpus.Follow(ctx, s.followers...) }

// Ingest reads a source, and publishes what it holds when it was read to its end. What came of it
// is recorded, for Sources to tell.
func (s *sources) Ingest(ctx context.Context, source ingest.SourceSettings,
	options ingest.Options) (ingest.Report, error) {
	options.AllowShrink = options.AllowShrink || source.AllowShrink
	began := time.Now()
	report, err := ingest.Run(ctx, s.Catalog, s.ingestSource(source), options)
	if isBusy(err) || err != nil && ctx.Err() != nil { // which is no fault of the source
		return report, err
	}
	ctx, done := context.WithTimeout(context.WithoutCancel(ctx), recordTime) // what came to its end counts
	defer done()
	return report, errors.Join(err, overview.Record(ctx, s.Catalog, began, nextAttempt(source, began, err), report),
		s.licencesFound(ctx, source, report, err))
}

// IngestPages reads those pages of a source that are said to have changed, where it has pages that
// are read one by one; other sources are read whole. What came of it is not recorded as a reading
// of the source. whole says that the source was read.
func (s *sources) IngestPages(ctx context.Context, source ingest.SourceSettings, paths []string,
	options ingest.Options) (report ingest.Report, whole bool, err error) {
	in := s.ingestSource(source)
	if in.Web != nil {
		in.Web.Only = slices.DeleteFunc(slices.Clone(paths), func(path string) bool { return !in.Web.Covers(path) })
		if len(in.Web.Only) == 0 {
			return ingest.Report{Source: in, Web: &ingest.WebReport{}}, false, nil
		}
	}
	pages, err := s.hasPages(ctx, source)
	if err != nil {
		return ingest.Report{Source: in}, false, err
	}
	if !pages {
		report, err = s.Ingest(ctx, source, options)
		return report, true, err
	}
	report, err = ingest.Run(ctx, s.Catalog, in, options)
	return report, false, errors.Join(err, s.licencesFound(context.WithoutCancel(ctx), source, report, err))
}

// hasPages says whether a source was read page by page when it was last read.
func (s *sources) hasPages(ctx context.Context, source ingest.SourceSettings) (bool, error) {
	all, err := s.Catalog.Sources(ctx)
	for _, s := range all {
		if s.Site != source.Site || s.Source != source.Name || s.LastRun.IsZero() {
			continue
		}
		if attempt := overview.StatusOf(s).Attempt; attempt != nil && attempt.Web != nil {
			return source.URL != "" && (attempt.Web.Kind == "crawl" || attempt.Web.Kind == "sitemap"), err
		}
	}
	return false, err
}

// licencesFound has the licences of a site read soon, where its pages name other ones than before.
func (s *sources) licencesFound(ctx context.Context, source ingest.SourceSettings, report ingest.Report,
	err error) error {
	if err != nil || report.Web == nil || report.Web.Licences == 0 || s.Stated == nil {
		return nil
	}
	return s.Stated.MakeDue(ctx, source.Site)
}

// Sources tells how the configured sources are, and those that are in the catalog and no longer
// configured.
func (s *sources) Sources(ctx context.Context) ([]overview.SourceStatus, error) {
	return s.overview.Sources(ctx)
}

// recordTime is how long it may take to write down how a run ended.
const recordTime = 5 * time.Second

// ingestSource is a source as ingest wants it.
func (s *sources) ingestSource(source ingest.SourceSettings) ingest.Source {
	in := ingest.Source{
		Site: source.Site, Name: source.Name, Path: source.Path, Base: source.Base, Language: source.Language,
		Publisher: source.Publisher, Schemes: strings.Join(source.Schemes, " "),
		Permalink: document.Permalink(source.Permalink),
	}
	if source.URL != "" {
		crawl := source.Crawl
		in.Web = &ingest.Web{
			URL: source.URL, Kind: source.Kind, Complete: source.Complete, Public: source.Stored,
			Pages: crawl.Pages, Depth: crawl.Depth, Parallel: crawl.Parallel, Time: crawl.Time,
			Include: crawl.Include, Exclude: crawl.Exclude, Hosts: crawl.Hosts,
			MaxBytes: int64(s.config.Fetch.MaxBytes), Crawler: s.visitor, Agent: fetch.Token(s.config.Fetch.UserAgent),
		}
	}
	return in
}

// isBusy says whether a source was not read because somebody else reads it.
func isBusy(err error) bool {
	var coded *fail.Error
	return errors.As(err, &coded) && coded.Code == fail.Unavailable
}

// isRefusal says whether the old content stays for a reason that the owner can act on.
func isRefusal(err error) bool {
	var coded *fail.Error
	return errors.As(err, &coded) && coded.Code == fail.Invalid
}

// module reads the sources of content. It is ready once the content is loaded.
func (s *sources) module() Module {
	m := Module{
		Jobs: []Job{{"watch how old things are", s.watchAges},
			{"read anew what is said to have changed", s.rereadSources}},
		Ready: func(context.Context) error { return s.Corpus.Ready() },
	}
	if !s.options.Ingested {
		m.Jobs = append(m.Jobs, Job{"read sources", s.followContent})
	}
	return m
}

// followContent reads the configured sources, again and again where they say so, and keeps the
// corpus at the catalog's state until ctx ends. The corpus starts at once from what was read
// before; where there is nothing yet it waits for the first content, and the server is not ready
// until then: "nothing matches" would be untrue.
func (s *sources) followContent(ctx context.Context) {
	var following sync.WaitGroup
	follow := sync.OnceFunc(func() { following.Go(func() { s.Follow(ctx) }) })
	following.Go(func() {
		if s.awaitContent(ctx) {
			follow()
		}
	})
	s.Watch(ctx, slices.DeleteFunc(s.config.AllSources(), isStored), Watching{
		Log: s.log, Done: s.ingested, Tried: follow,
	})
	follow() // nothing more will come
	following.Wait()
}

// awaitContent waits until there is any content.
func (s *sources) awaitContent(ctx context.Context) bool {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for !s.hasContent(ctx) {
		select {
		case <-ctx.Done():
			return false
		case <-tick.C:
		}
	}
	return true
}

// readSources reads each configured source once. A source that fails does not keep the next from
// being read.
func (s *sources) readSources(ctx context.Context) {
	for _, source := range s.allSources() {
		if _, err := s.Ingest(ctx, source, ingest.Options{}); err != nil && ctx.Err() == nil {
			s.log.Error("a source cannot be read", "source", source.Name, "site", source.Site, "error", err)
		}
	}
}

func (s *sources) hasContent(ctx context.Context) bool {
	sources, err := s.Catalog.Sources(ctx)
	if err != nil && ctx.Err() == nil {
		s.log.Error("the sources' state cannot be read", "error", err)
	}
	return slices.ContainsFunc(sources, func(source content.Source) bool { return source.Items > 0 })
}

// ingested counts a run.
func (s *sources) ingested(source ingest.SourceSettings, report ingest.Report, err error) {
	switch {
	case err == nil:
		s.figures.ingested(source, runPublished, report.Summary.Items, report.SkippedCount)
	case isBusy(err):
	case isRefusal(err):
		s.figures.ingested(source, runRefused, 0, 0)
	default:
		s.figures.ingested(source, runFailed, 0, 0)
	}
}

// reread reads the sources of sites again, but for those that were read not long ago, and says
// which could not be.
func (s *sources) reread(ctx context.Context, sources []ingest.SourceSettings, sites []string, every time.Duration,
	pages func(done, total int)) (unread string, err error) {
	known, err := s.Catalog.Sources(ctx)
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
		_, err := s.Ingest(ctx, source, ingest.Options{Log: s.log.With("site", source.Site, "source", source.Name),
			Progress: func(p ingest.Progress) {
				last = p.FilesDone
				// Of the sources that are still to come nobody knows how large they are: each
				// counts as much as this one.
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
		return "could not be read again: " + strings.Join(failed, ", ") +
			"; what was read of it before is answered from", nil
	}
	return "", nil
}
