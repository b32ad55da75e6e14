package app

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"frontdesk/internal/app/config"
	"frontdesk/internal/app/stored"
	"frontdesk/internal/content/released"
	"frontdesk/internal/infra/metrics"
	"frontdesk/internal/infra/periodic"
	"frontdesk/internal/infra/yamlconf"
	"frontdesk/internal/operator/settings"
	"frontdesk/internal/policy"
)

// reloader puts changed terms in force while the server runs, and what is declared to platforms and
// agents. What else has changed in the file needs a restart, and is said so. A file with any
// mistake in it changes nothing.
type reloader struct {
	*base
	*network
	*terms
	corpus  *released.Corpus
	modules func() modules
	count   func(result string)
	beside  *stored.Layer[*Loaded] // nil for none

	mu       sync.Mutex
	loaded   *Loaded    // as last read without mistakes; mu guards it
	bringing sync.Mutex // of who brings content rules and licences in force

	// wrong is why the file as it is now was refused; nil where it is in force.
	wrong atomic.Pointer[string]
	// pending are the keys whose change takes effect after a restart; nil for none.
	pending atomic.Pointer[[]string]
}

// newReloader counts what is read of terms.
func newReloader(loaded *Loaded, n *network, t *terms, corpus *released.Corpus, all func() modules) *reloader {
	reloads := metrics.Counter(n.metrics.Registry, "terms_reloads_total",
		"Readings of changed terms, by result: loaded or refused.", "result")
	return &reloader{
		base: n.base, network: n, terms: t, corpus: corpus, modules: all, loaded: loaded,
		count: func(result string) { reloads.WithLabelValues(result).Inc() },
	}
}

// stamp is what tells a file from its next version without reading it.
type stamp struct {
	modified time.Time
	size     int64
}

func stampOf(file string) (stamp, error) {
	info, err := os.Stat(file)
	if err != nil {
		return stamp{}, err
	}
	return stamp{info.ModTime(), info.Size()}, nil
}

// watchEvery is how often the file is looked at.
const watchEvery = time.Second

// watch reloads when the file changes, until ctx ends. A change is read once the file has been the
// same on two looks, so that one that is still being written is not taken for a whole one.
func (r *reloader) watch(ctx context.Context) {
	file := r.loaded.layers.File
	if file == "" {
		return
	}
	current, before := r.loaded.stamp, r.loaded.stamp
	periodic.After(ctx, watchEvery, func(ctx context.Context) {
		seen, err := stampOf(file)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			// Editors replace a file by moving it away first; should it stay away, the old terms
			// stay too.
		case err != nil:
			r.log.Error("the configuration cannot be looked at; the old terms stay in force", "file", file,
				"error", err)
		case seen != current && seen == before:
			current = seen
			r.reload()
		}
		before = seen
	})
}

// reload reads the file and puts its terms in force, if nothing in it is wrong.
func (r *reloader) reload() {
	r.mu.Lock()
	defer r.mu.Unlock()
	fresh, err := r.loaded.Again(nil)
	var compiled *policy.Terms
	if err == nil {
		fresh = r.beside.Onto(fresh)
		compiled, err = r.compile(fresh.Config)
	}
	if before := r.loaded.Config; err == nil && len(fresh.Config.Terms) == 0 &&
		(len(before.Terms) > 0 || len(before.RSL) > len(fresh.Config.RSL)) {
		err = errNoTerms
	}
	commit := func() {}
	if err == nil {
		commit, err = r.modules().reload(fresh.Config)
	}
	if err != nil {
		r.refused(err)
		return
	}
	for _, w := range fresh.Warnings {
		r.log.Warn(w.Error())
	}
	changed := changedKeys(r.config, fresh.Config)
	if len(changed) > 0 {
		r.log.Warn("these keys changed and take effect after a restart", "keys", changed)
	}
	r.pending.Store(&changed)
	sources := r.config.brought(fresh.Config)
	r.reading.Store(&sources)
	r.loaded = fresh
	r.rules.Store(compiled)
	commit()
	r.changed(fresh.Config)
	r.count("loaded")
	r.wrong.Store(nil)
	if r.tellPublished(fresh.Config) {
		return
	}
	r.log.Info("the terms are in force as the file has them now", "file", fresh.layers.File, "rules",
		len(fresh.Config.Terms), "version", compiled.Version())
}

// changed tells all that other rules are in force, by the configuration as the file has it.
func (r *reloader) changed(file Config) {
	now, _ := file.inForce(r.Added()) // it was compiled
	r.modules().termsChanged(now)
}

// file is the configuration as it was last read without mistakes.
func (r *reloader) file() *Loaded {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.loaded
}

// compile makes the rules of a configuration ready, with content rules and with what its sites
// state.
func (r *reloader) compile(config Config) (*policy.Terms, error) {
	return config.compileTerms(r.ownLicences(config), r.Added())
}

// bringAdded puts in force the content rules that there are now, with the terms as the file had
// them last.
func (r *reloader) bringAdded() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	compiled, err := r.compile(r.loaded.Config)
	if err != nil {
		return err
	}
	r.rules.Store(compiled)
	r.changed(r.loaded.Config)
	return nil
}

// errNoTerms is of a file that was emptied, cut short, or lost its rules. To read it as one that
// opens everything, as a start without terms does, would show what the owner closed.
var errNoTerms = errors.New("the file has no terms any more, while rules are in force; if everything is to be open, " +
	"write `terms: [{match: {}, access: open}]`, or restart the server")

func (r *reloader) refused(err error) {
	r.count("refused")
	why := err.Error()
	r.wrong.Store(&why)
	r.log.Error("the configuration is refused, so the old terms stay in force", "file", r.loaded.layers.File)
	var findings yamlconf.Findings
	if !errors.As(err, &findings) {
		r.log.Error(err.Error())
	}
	for _, finding := range findings {
		r.log.Error(finding.Error())
	}
}

// changedKeys names the keys in which two configurations differ, other than those that take effect
// while the server runs.
func changedKeys(a, b Config) []string {
	var changed []string
	live := func(path string) bool {
		key, intent := strings.CutPrefix(path, "intent.")
		return path == "terms" || path == "rsl" ||
			intent && a.Intent.Enabled && (key == "enabled" || slices.Contains(liveIntent, key))
	}
	if a.Intakes.On() {
		a = a.takingIn(b)
	}
	for _, c := range []*Config{&a, &b} {
		c.Sources = slices.DeleteFunc(slices.Clone(c.Sources), isStored)
	}
	for _, path := range config.Changed(a, b) {
		switch {
		case live(path) || settings.IsLive(path):
		case path == "intakes.list":
			changed = append(changed, changedIntakes(a.Intakes.List, b.Intakes.List)...)
		default:
			changed = append(changed, path)
		}
	}
	slices.Sort(changed)
	return changed
}
