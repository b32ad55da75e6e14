package app

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"sync"
	"time"

	"frontdesk/internal/content/ingest"
	"frontdesk/internal/infra/fail"
)

// rereading reads sources anew because somebody asks for it, one run for each site, or source of
// one, at a time.
type rereading struct {
	mu    sync.Mutex
	sites map[[2]string]*changes // of those that are being read, whole or one source: what was told meanwhile
	runs  sync.WaitGroup
}

// changes are what is to be read of a site: some pages, or everything.
type changes struct {
	paths []string
	all   bool
}

// mostWaiting is how many paths wait while a site is read; with more, everything is read.
const mostWaiting = 1000

func (c *changes) add(paths []string) {
	for _, path := range paths {
		if !slices.Contains(c.paths, path) {
			c.paths = append(c.paths, path)
		}
	}
	if len(c.paths) > mostWaiting {
		c.paths, c.all = nil, true
	}
}

// rereadSources lets sites be read anew until ctx ends, and then waits for what is under way. Paths
// that are named while their site is read are read after that.
func (s *sources) rereadSources(ctx context.Context) {
	runs := &rereading{sites: map[[2]string]*changes{}}
	begin := func(site, only string, paths []string) bool {
		sources := slices.DeleteFunc(s.allSources(), func(source ingest.SourceSettings) bool {
			return source.Site != site || only != "" && source.Name != only
		})
		_, licences := s.licencePlaces()[site]
		key := [2]string{site, only}
		runs.mu.Lock()
		defer runs.mu.Unlock()
		if len(sources) == 0 && (only != "" || !licences) || ctx.Err() != nil {
			return false
		}
		if waiting, busy := runs.sites[key]; busy {
			waiting.add(paths)
			return len(paths) > 0
		}
		runs.sites[key] = &changes{}
		next := changes{all: len(paths) == 0}
		next.add(paths)
		runs.runs.Go(func() {
			for more := true; more; {
				s.readAnew(ctx, site, sources, next)
				runs.mu.Lock()
				next = *runs.sites[key]
				if more = (next.all || len(next.paths) > 0) && ctx.Err() == nil; more {
					runs.sites[key] = &changes{}
				} else {
					delete(runs.sites, key)
				}
				runs.mu.Unlock()
			}
		})
		return true
	}
	s.rereads.Store(&begin)
	<-ctx.Done()
	runs.runs.Wait()
}

// readAnew reads a site's sources, or some pages of them, and the licences that may have changed
// with that.
func (s *sources) readAnew(ctx context.Context, site string, sources []ingest.SourceSettings, what changes) {
	for _, source := range sources {
		report, whole, err := s.ingestAnew(ctx, source, what)
		if whole {
			s.ingested(source, report, err)
		}
		if err != nil && ctx.Err() == nil {
			s.log.Warn("a source could not be read anew; what was published of it stays", "site", site, "source",
				source.Name, "error", err)
		}
	}
	if what.all || s.statesAt(ctx, site, what.paths) {
		s.readLicencesNow(ctx, site, false)
	}
}

// ingestAnew reads a source or some of its pages. For pages it waits while somebody else reads the
// source: that run may have passed them already.
func (s *sources) ingestAnew(ctx context.Context, source ingest.SourceSettings,
	what changes) (report ingest.Report, whole bool, err error) {
	options := ingest.Options{Log: s.log.With("site", source.Site, "source", source.Name)}
	if what.all {
		report, err = s.Ingest(ctx, source, options)
		return report, true, err
	}
	for range patience {
		report, whole, err = s.IngestPages(ctx, source, what.paths, options)
		var coded *fail.Error
		if !errors.As(err, &coded) || coded.Code != fail.Unavailable {
			return report, whole, err
		}
		select {
		case <-ctx.Done():
			return report, whole, ctx.Err()
		case <-time.After(max(coded.RetryAfter, breath)):
		}
	}
	return report, whole, err
}

// patience is how often a source is tried of which pages are to be read while somebody else reads
// it.
const patience = 100

// statesAt says whether any of some paths is one at which a site states its licences. A tenant says
// with its sitemaps and posts what there is: for every path.
func (s *sources) statesAt(ctx context.Context, site string, paths []string) bool {
	place, ok := s.licencePlaces()[site]
	if !ok {
		return false
	}
	if s.Tenants != nil && s.Tenants.Get(site) != nil {
		return true
	}
	stating := []string{"/", "/robots.txt", "/rsl.txt", "/sitemap.xml", "/sitemap_index.xml"}
	add := func(address string) {
		if u, err := url.Parse(address); err == nil {
			stating = append(stating, u.RequestURI())
		}
	}
	add(place.URL)
	if before, _, err := s.Stated.Load(ctx, site); err == nil && before != nil {
		for _, p := range before.Places {
			add(p.URL)
		}
		for _, d := range before.Documents {
			add(d.Place)
		}
	}
	return slices.ContainsFunc(paths, func(path string) bool { return slices.Contains(stating, path) })
}
