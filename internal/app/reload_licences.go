package app

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"

	"frontdesk/internal/policy/imported"
)

// lookAtLicences puts in force what was read since that was last looked for, here or at another
// node.
func (r *reloader) lookAtLicences(ctx context.Context) error {
	r.bringing.Lock()
	defer r.bringing.Unlock()
	changed, err := r.takeLicences(ctx)
	if changed {
		err = errors.Join(err, r.bringAdded())
		r.log.Info("licences that sites state are in force as they were read", "version", r.Terms().Version())
	}
	return err
}

// licenceModule follows what sites state of their licences.
func (r *reloader) licenceModule() Module {
	return Module{Jobs: []Job{{"follow licences that sites state", r.followLicences}}}
}

// followLicences puts in force what is read of licences, and reads it where that is due, until ctx
// ends.
func (r *reloader) followLicences(ctx context.Context) {
	var reading sync.WaitGroup
	defer reading.Wait()
	busy := make(chan struct{}, 2)
	r.poll(ctx, func(ctx context.Context) error {
		if err := r.lookAtLicences(ctx); err != nil {
			return err
		}
		return r.dueLicences(ctx, func(site string) {
			select {
			case busy <- struct{}{}:
				reading.Go(func() {
					defer func() { <-busy }()
					r.readLicencesNow(ctx, site, true)
				})
			default: // at the next look
			}
		})
	}, "licences that sites state cannot be put in force; those that were stay")
}

// dueLicences calls fn with the sites that are to be read now.
func (r *reloader) dueLicences(ctx context.Context, fn func(site string)) error {
	places := r.licencePlaces()
	if len(places) == 0 {
		return nil
	}
	statuses, err := r.Stated.Statuses(ctx)
	if err != nil {
		return err
	}
	for _, site := range slices.Sorted(maps.Keys(places)) {
		at := slices.IndexFunc(statuses, func(st imported.Status) bool { return st.Site == site })
		if at < 0 || !r.now().Before(statuses[at].Next) {
			fn(site)
		}
	}
	return nil
}

// readLicencesNow reads what a site states, puts it in force, and says what went wrong.
func (r *reloader) readLicencesNow(ctx context.Context, site string, full bool) (begun bool) {
	begun, err := r.ReadLicences(ctx, site, full)
	if err != nil && ctx.Err() == nil {
		r.log.Warn("what a site states of its licences could not be read; what was read before stays", "site", site,
			"error", err)
	}
	if begun && err == nil {
		if err := r.lookAtLicences(ctx); err != nil {
			r.log.Error("licences that sites state cannot be put in force; those that were stay", "error", err)
		}
	}
	return begun
}
