package app

import (
	apphttp "frontdesk/internal/app/http"
	"frontdesk/internal/infra/metrics"

	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"frontdesk/internal/content/overview"
	"frontdesk/internal/infra/periodic"
	"frontdesk/internal/policy/imported"
)

// LicenceStatus is how a site or a tenant stands whose licences are read.
type LicenceStatus struct {
	imported.Status
	Where      string       `json:"where,omitempty"`
	Configured bool         `json:"configured"`
	Age        overview.Age `json:"age,omitempty"`
}

// LicenceStatuses tell how all stand whose licences are read, or were.
func (t *terms) LicenceStatuses(ctx context.Context) (all []LicenceStatus, err error) {
	statuses, err := t.Stated.Statuses(ctx)
	places := t.licencePlaces()
	known := map[string]bool{}
	for _, s := range statuses {
		place, configured := places[s.Site]
		one := LicenceStatus{Status: s, Where: place.URL, Configured: configured}
		if configured {
			one.Age = overview.AgeOf(s.Read, t.now(), t.config.Licences.Warn, t.config.Licences.Critical)
		}
		known[s.Site], all = true, append(all, one)
	}
	for site, place := range places {
		if !known[site] {
			all = append(all, LicenceStatus{Status: imported.Status{Site: site}, Where: place.URL, Configured: true})
		}
	}
	return all, err
}

// freshness is what is old, as the console tells it.
type freshness struct{ warnings atomic.Pointer[[]string] }

// tell gives the warnings of now.
func (s *freshness) tell() []string {
	if now := s.warnings.Load(); now != nil {
		return *now
	}
	return nil
}

// ages are the figures of how old what was read is, and what was said of it.
type ages struct {
	seconds, stale *prometheus.GaugeVec
	said           map[[2]string]overview.Age // by site and source
}

func newAges(m *apphttp.Metrics) ages {
	a := ages{
		seconds: metrics.Gauge(m.Registry, "read_age_seconds", "How long ago what a source of the web holds, "+
			"or what a site states of its licences (licences), was last read.", "site", "source"),
		stale: metrics.Gauge(m.Registry, "read_stale", "Whether that is too long ago: 0 no, 1 yes (licences.warn), "+
			"2 critical (licences.critical).", "site", "source"),
		said: map[[2]string]overview.Age{},
	}
	return a
}

// forget takes out what is not read any more.
func (a ages) forget(read map[[2]string]bool) {
	for key := range a.said {
		if !read[key] {
			delete(a.said, key)
			a.seconds.DeleteLabelValues(key[0], key[1])
			a.stale.DeleteLabelValues(key[0], key[1])
		}
	}
}

// watchAges looks every minute how old is what was read of the web: it says so once in the log when
// that is too old, and always in the figures and the console.
func (s *sources) watchAges(ctx context.Context) {
	told := newAges(s.metrics)
	periodic.Run(ctx, time.Minute, func(ctx context.Context) {
		if err := s.lookAtAges(ctx, told); err != nil && ctx.Err() == nil {
			s.log.Warn("how old what was read is cannot be told", "error", err)
		}
	})
}

func (s *sources) lookAtAges(ctx context.Context, told ages) error {
	now := s.now()
	warnings, seen := []string{}, map[[2]string]bool{}
	one := func(site, source, where string, read time.Time, problem string) {
		if read.IsZero() {
			return
		}
		is := overview.AgeOf(read, now, s.config.Licences.Warn, s.config.Licences.Critical)
		told.seconds.WithLabelValues(site, source).Set(now.Sub(read).Seconds())
		told.stale.WithLabelValues(site,
			source).Set(map[overview.Age]float64{overview.Stale: 1, overview.Critical: 2}[is])
		if is != overview.Recent {
			text := fmt.Sprintf("%s of %s was last read at %s (%s). ", source, site,
				read.UTC().Format("2006-01-02 15:04 UTC"), where)
			if problem != "" {
				text += problem
			}
			warnings = append(warnings, text)
		}
		key := [2]string{site, source}
		before := told.said[key]
		if told.said[key], seen[key] = is, true; is == before {
			return
		}
		switch about := []any{"site", site, "source", source, "read", read, "where", where, "problem", problem}; is {
		case overview.Stale:
			s.log.Warn("what was read of the web is old", about...)
		case overview.Critical:
			s.log.Error("what was read of the web is very old", about...)
		default:
			s.log.Info("what was read of the web is fresh again", about...)
		}
	}
	sources, err := s.Sources(ctx)
	if err != nil {
		return err
	}
	urls := map[string]bool{}
	for _, source := range s.allSources() {
		urls[source.Site+"/"+source.Name] = source.URL != ""
	}
	for _, source := range sources {
		if source.Configured && urls[source.Site+"/"+source.Name] {
			one(source.Site, source.Name, source.Where, source.LastRun, source.Error)
		}
	}
	licences, err := s.LicenceStatuses(ctx)
	if err != nil {
		return err
	}
	for _, l := range licences {
		if l.Configured {
			one(l.Site, "licences", l.Where, l.Read, l.Problem)
		}
	}
	told.forget(seen)
	s.stale.warnings.Store(&warnings)
	return nil
}
