package server

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"frontdesk/internal/content"
	"frontdesk/internal/content/ingest"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/fetch"
)

// Ingest reads a source, and publishes what it holds when it was read to its end. What came of it is recorded, for
// Sources to tell.
func (h *House) Ingest(ctx context.Context, source ingest.SourceSettings, options ingest.Options) (ingest.Report, error) {
	options.AllowShrink = options.AllowShrink || source.AllowShrink
	began := time.Now()
	report, err := ingest.Run(ctx, h.Catalog, h.ingestSource(source), options)
	if isBusy(err) || err != nil && ctx.Err() != nil { // which is no fault of the source
		return report, err
	}
	ctx, done := context.WithTimeout(context.WithoutCancel(ctx), recordTime) // what came to its end counts
	defer done()
	return report, errors.Join(err, h.record(ctx, source, began, report, err), h.licencesFound(ctx, source, report, err))
}

// IngestPages reads those pages of a source that are said to have changed, where it has pages that are read one by one; other sources are read whole. What came of
// it is not recorded as a reading of the source. whole says that the source was read.
func (h *House) IngestPages(ctx context.Context, source ingest.SourceSettings, paths []string, options ingest.Options) (report ingest.Report, whole bool, err error) {
	s := h.ingestSource(source)
	if s.Web != nil {
		s.Web.Only = slices.DeleteFunc(slices.Clone(paths), func(path string) bool { return !s.Web.Covers(path) })
		if len(s.Web.Only) == 0 {
			return ingest.Report{Source: s, Web: &ingest.WebReport{}}, false, nil
		}
	}
	pages, err := h.hasPages(ctx, source)
	if err != nil {
		return ingest.Report{Source: s}, false, err
	}
	if !pages {
		report, err = h.Ingest(ctx, source, options)
		return report, true, err
	}
	report, err = ingest.Run(ctx, h.Catalog, s, options)
	return report, false, errors.Join(err, h.licencesFound(context.WithoutCancel(ctx), source, report, err))
}

// hasPages says whether a source was read page by page when it was last read.
func (h *House) hasPages(ctx context.Context, source ingest.SourceSettings) (bool, error) {
	all, err := h.Catalog.Sources(ctx)
	for _, s := range all {
		if s.Site != source.Site || s.Source != source.Name || s.LastRun.IsZero() {
			continue
		}
		if attempt := statusOf(s).Attempt; attempt != nil && attempt.Web != nil {
			return source.URL != "" && (attempt.Web.Kind == "crawl" || attempt.Web.Kind == "sitemap"), err
		}
	}
	return false, err
}

// licencesFound has the licences of a site read soon, where its pages name other ones than before.
func (h *House) licencesFound(ctx context.Context, source ingest.SourceSettings, report ingest.Report, err error) error {
	if err != nil || report.Web == nil || report.Web.Licences == 0 || h.Stated == nil {
		return nil
	}
	return h.Stated.MakeDue(ctx, source.Site)
}

// recordTime is how long it may take to write down how a run ended.
const recordTime = 5 * time.Second

// ingestSource is a source as ingest wants it.
func (h *House) ingestSource(source ingest.SourceSettings) ingest.Source {
	s := ingest.Source{
		Site: source.Site, Name: source.Name, Path: source.Path, Base: source.Base, Language: source.Language, Publisher: source.Publisher, Schemes: strings.Join(source.Schemes, " "),
	}
	if source.URL != "" {
		crawl := source.Crawl
		s.Web = &ingest.Web{
			URL: source.URL, Kind: source.Kind, Complete: source.Complete,
			Pages: crawl.Pages, Depth: crawl.Depth, Parallel: crawl.Parallel, Time: crawl.Time,
			Include: crawl.Include, Exclude: crawl.Exclude, Hosts: crawl.Hosts,
			MaxBytes: h.maxBytes, Crawler: h.visitor, Agent: fetch.Token(h.agent),
		}
	}
	return s
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

// sourceModule reads the sources of content. It is ready once the content is loaded.
func (s *Server) sourceModule() Module {
	m := Module{
		Jobs:  []Job{{"watch how old things are", s.watchAges}, {"read anew what is said to have changed", s.rereadSources}},
		Ready: func(context.Context) error { return s.Corpus.Ready() },
	}
	if !s.options.Ingested {
		m.Jobs = append(m.Jobs, Job{"read sources", s.followContent})
	}
	return m
}

// followContent reads the configured sources, again and again where they say so, and keeps the corpus at the catalog's
// state until ctx ends. The corpus starts at once from what was read before; where there is nothing yet it waits for
// the first content, and the server is not ready until then: "nothing matches" would be untrue.
func (s *Server) followContent(ctx context.Context) {
	var following sync.WaitGroup
	follow := sync.OnceFunc(func() { following.Go(func() { s.Follow(ctx) }) })
	following.Go(func() {
		if s.awaitContent(ctx) {
			follow()
		}
	})
	s.Watch(ctx, s.config.AllSources(), Watching{
		Log: s.log, Done: s.ingested, Tried: follow,
	})
	follow() // nothing more will come
	following.Wait()
}

// awaitContent waits until there is any content.
func (s *Server) awaitContent(ctx context.Context) bool {
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

// readSources reads each configured source once. A source that fails does not keep the next from being read.
func (s *Server) readSources(ctx context.Context) {
	for _, source := range s.config.AllSources() {
		if _, err := s.Ingest(ctx, source, ingest.Options{}); err != nil && ctx.Err() == nil {
			s.log.Error("a source cannot be read", "source", source.Name, "site", source.Site, "error", err)
		}
	}
}

func (s *Server) hasContent(ctx context.Context) bool {
	sources, err := s.Catalog.Sources(ctx)
	if err != nil && ctx.Err() == nil {
		s.log.Error("the sources' state cannot be read", "error", err)
	}
	return slices.ContainsFunc(sources, func(source content.Source) bool { return source.Items > 0 })
}

// ingested counts a run.
func (s *Server) ingested(source ingest.SourceSettings, report ingest.Report, err error) {
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
