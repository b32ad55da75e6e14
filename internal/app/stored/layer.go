// Package stored puts what an owner set beside the configuration file onto the configuration, and
// says which of it does not fit. It stands between package config, which knows no key, and the
// settings that are kept, which do not know what a configuration is. Enter at [Open].
package stored

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"

	"frontdesk/internal/app/config"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/operator/settings"
)

// Read is a configuration that was read, and can be read again.
type Read[L any] interface {
	// Again reads it again with what was stored beside the file, which replaces what was.
	Again(stored []config.Stored) (L, error)
	// Told tells of it; ok is false where nothing is known of where its values are from.
	Told() (t Told, ok bool)
}

// Told is what there is to know of a configuration.
type Told struct {
	Config, Usual any // the latter with the defaults
	Origins       *config.Origins
	Sites         []string // the ids of those of a list; none where there is but one site
	Sources       []Source // in the order of the configuration
}

// Source is a source of content.
type Source struct{ Site, Name, Where string }

// Layer is what an owner set beside the file, as it was last read. Its methods may be called
// concurrently.
type Layer[L Read[L]] struct {
	store  *settings.Store
	log    *slog.Logger
	set    atomic.Pointer[settings.Set]
	unused atomic.Pointer[[]config.Unused]
	loaded atomic.Pointer[L] // with what is kept
}

// Open reads what is kept.
func Open[L Read[L]](ctx context.Context, store *settings.Store, log *slog.Logger) (*Layer[L], error) {
	k := &Layer[L]{store: store, log: log}
	set, err := store.Read(ctx)
	k.set.Store(&set)
	return k, err
}

// Onto puts what is kept onto a configuration that was read without it. What does not fit is left
// out, and told.
func (k *Layer[L]) Onto(l L) L {
	if k == nil {
		return l
	}
	with, unused := With(l, k.set.Load().Rows)
	for _, u := range unused {
		k.log.Error("a setting that was kept cannot be used, and is left out", "key", u.Key, "problem", u.Problem)
	}
	k.unused.Store(&unused)
	k.loaded.Store(&with)
	return with
}

// Unused are the settings that do not fit.
func (k *Layer[L]) Unused() []config.Unused { return *k.unused.Load() }

// With is a configuration with rows that are kept, as far as they fit. A configuration that does
// not tell where its values come from stays as it was.
func With[L Read[L]](l L, rows []settings.Row) (L, []config.Unused) {
	if _, ok := l.Told(); !ok {
		return l, nil
	}
	var all []config.Stored
	var strange []config.Unused
	for _, r := range rows {
		one := config.Stored{Key: r.Key, Values: r.Values}
		if problem := settings.Refusal(r.Key, r.Values); problem != "" {
			strange = append(strange, config.Unused{Stored: one, Problem: problem})
		} else {
			all = append(all, one)
		}
	}
	with, unused := config.Fit(l, all, l.Again)
	return with, append(strange, unused...)
}

// Reread reads what is kept where another process may have changed it, and says whether one did.
func (k *Layer[L]) Reread(ctx context.Context) (changed bool, err error) {
	if k == nil {
		return false, nil
	}
	version, err := k.store.Version(ctx)
	if err != nil || version == k.set.Load().Version {
		return false, err
	}
	set, err := k.store.Read(ctx)
	if err == nil {
		k.set.Store(&set)
	}
	return err == nil, err
}

// Force is how changed settings are put in force.
type Force[L any] struct {
	Loaded  func() L        // the configuration with them
	Pending func() []string // the keys whose change takes effect after a restart
	Apply   func(context.Context) error
}

// Command is how a command does, which serves nobody.
func (k *Layer[L]) Command() Force[L] {
	return Force[L]{
		Loaded:  func() L { return *k.loaded.Load() },
		Pending: func() []string { return nil },
		Apply: func(ctx context.Context) error {
			if changed, err := k.Reread(ctx); err != nil || !changed {
				return err
			}
			if l, err := (*k.loaded.Load()).Again(nil); err == nil {
				k.Onto(l)
			}
			return nil
		},
	}
}

// Book is the settings as operations read and change them.
func (k *Layer[L]) Book(f Force[L]) settings.Book {
	return settings.Book{
		Store: k.store, Apply: f.Apply,
		List:  func() []settings.Setting { return k.list(f.Loaded(), f.Pending()) },
		Check: func(rows []settings.Row, changed []string) error { return check(f.Loaded(), rows, changed) },
		Document: func(rows []settings.Row) string {
			l, err := f.Loaded().Again(nil)
			if err != nil {
				return ""
			}
			l, _ = With(l, rows)
			told, _ := l.Told()
			return told.Origins.OnlyStored(told.Config)
		},
	}
}

// check says which of some changed rows cannot be used. The others come first, so that they stay
// where one or the other can be used.
func check[L Read[L]](l L, rows []settings.Row, changed []string) error {
	l, err := l.Again(nil)
	if err != nil {
		return fail.New(fail.Invalid, "the configuration file has mistakes; mend them first:\n%v", err)
	}
	rows = slices.Clone(rows)
	rank := func(r settings.Row) int { return slices.Index(changed, r.Key) }
	slices.SortStableFunc(rows, func(a, b settings.Row) int { return cmp.Compare(rank(a), rank(b)) })
	_, unused := With(l, rows)
	problems := settings.Problems{}
	for _, u := range unused {
		if slices.Contains(changed, u.Key) {
			problems[u.Key] = u.Problem
		}
	}
	if len(problems) > 0 {
		return problems
	}
	return nil
}

// list tells of each key that may be set, and of what is kept and cannot be used.
func (k *Layer[L]) list(l L, pending []string) (all []settings.Setting) {
	told, ok := l.Told()
	if !ok {
		return nil
	}
	now, usual := told.Origins.Index(told.Config), told.Origins.Index(told.Usual)
	for _, key := range settings.Keys {
		for _, path := range told.pathsOf(key) {
			if one, ok := settingOf(now, usual, key, path); ok {
				one.Restart = slices.Contains(pending, path) ||
					strings.HasPrefix(path, "sites[") && slices.Contains(pending, "sites")
				all = append(all, one)
			}
		}
	}
	for i, source := range told.Sources {
		one := settings.Setting{
			Key: settings.SourceKey(source.Site, source.Name), Section: settings.Sources, Kind: settings.KindSource,
			Values: []string{source.Where},
		}
		one.Layer, one.Place = told.Origins.Where("sources", i)
		all = append(all, one)
	}
	problems := map[string]string{}
	for _, u := range k.Unused() {
		problems[u.Key] = u.Problem
	}
	return settings.Merge(all, k.set.Load().Rows, problems)
}

// settingOf is a key as it is in a configuration, with its default.
func settingOf(now, usual config.Index, key settings.Key, path string) (s settings.Setting, ok bool) {
	known, ok := now.Look(path)
	if !ok {
		return s, false
	}
	s = settings.Setting{
		Key: path, Section: key.Section, Values: known.Values, Layer: known.Layer, Place: known.Place,
	}
	s.Kind, s.Choices = settings.KindOf(known.Type, known.Rules)
	if usual, ok := usual.Look(key.Name); ok {
		s.Default = usual.Values
	}
	return s, true
}

// pathsOf are the paths of a key that may be set: of sites in a list, one for each.
func (t Told) pathsOf(key settings.Key) (all []string) {
	field, ofSites := strings.CutPrefix(key.Name, "sites[]")
	switch {
	case key.Entry || strings.HasPrefix(key.Name, "site.") && len(t.Sites) > 0:
	case ofSites:
		for _, id := range t.Sites {
			all = append(all, "sites["+id+"]"+field)
		}
	default:
		all = []string{key.Name}
	}
	return all
}
