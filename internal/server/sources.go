package server

import (
	"context"
	"errors"

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
