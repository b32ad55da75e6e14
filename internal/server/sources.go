package server

import (
	"context"
	"errors"
	"slices"
	"sync"

	"frontdesk/internal/content"
	"frontdesk/internal/fail"
	"frontdesk/internal/ingest"
)

// Ingest reads a source, and publishes what it holds when it was read to its end.
func (h *House) Ingest(ctx context.Context, source Source, options ingest.Options) (ingest.Report, error) {
	options.AllowShrink = options.AllowShrink || source.AllowShrink
	return ingest.Run(ctx, h.Catalog, ingest.Source{
		Site: source.Site, Name: source.Name, Path: source.Path, Base: source.Base, Language: source.Language, Publisher: source.Publisher,
	}, options)
}

// followContent reads the configured sources and keeps the desk at the catalog's state until ctx ends. The desk
// starts at once from what was read before; where there is nothing yet it waits for the sources, and the server is
// not ready until then: "nothing matches" would be untrue.
func (s *Server) followContent(ctx context.Context) {
	var following sync.WaitGroup
	follow := sync.OnceFunc(func() { following.Go(func() { s.Desk.Follow(ctx) }) })
	if s.hasContent(ctx) {
		follow()
	}
	s.readSources(ctx)
	follow()
	following.Wait()
}

func (s *Server) hasContent(ctx context.Context) bool {
	sources, err := s.Catalog.Sources(ctx)
	if err != nil {
		s.log.Error("the sources' state cannot be read", "error", err)
	}
	return slices.ContainsFunc(sources, func(source content.Source) bool { return source.Items > 0 })
}

// readSources reads the configured sources, one after the other. One that fails keeps its old content, and does
// not keep the next from being read.
func (s *Server) readSources(ctx context.Context) {
	for _, source := range s.config.AllSources() {
		log := s.log.With("site", source.Site, "source", source.Name)
		report, err := s.Ingest(ctx, source, ingest.Options{Log: log})
		switch {
		case ctx.Err() != nil:
			return
		case err == nil:
			s.metrics.ingested(source, runPublished, report.Summary.Items, report.SkippedCount)
		case isRefusal(err):
			s.metrics.ingested(source, runRefused, 0, 0)
		default:
			s.metrics.ingested(source, runFailed, 0, 0)
		}
	}
}

// isRefusal says whether the old content stays for a reason that the owner can act on.
func isRefusal(err error) bool {
	var coded *fail.Error
	return errors.As(err, &coded) && coded.Code == fail.Invalid
}
