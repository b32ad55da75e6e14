package app

import (
	"context"
	"log/slog"
	"strconv"

	"frontdesk/internal/app/config"
	"frontdesk/internal/app/stored"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/operator"
	settingspages "frontdesk/internal/operator/console/settings"
	"frontdesk/internal/operator/settings"
)

// openSettings reads what the owner set beside the file, and puts it in force in the options of the
// program.
func (b *base) openSettings(ctx context.Context, options *Options) (*stored.Layer[*Loaded], error) {
	all := settings.New(b.db, b.now)
	all.OnChange(func(ctx context.Context, tx *store.Tx, key string, set bool) error {
		return b.recorder().Setting(ctx, tx, key, set)
	})
	beside, err := stored.Open[*Loaded](ctx, all, b.log)
	if err != nil {
		return nil, err
	}
	options.Loaded = beside.Onto(options.Loaded)
	if b.config = options.Loaded.Config; options.Broker {
		b.config = b.config.onlyBroker()
	}
	return beside, nil
}

// Again reads the configuration again, with what was stored beside the file.
func (l *Loaded) Again(beside []config.Stored) (*Loaded, error) {
	layers := l.layers
	layers.stored = beside
	return Load(layers)
}

// Told tells of the configuration, where it was read.
func (l *Loaded) Told() (t stored.Told, ok bool) {
	t = stored.Told{Config: l.Config, Usual: Default(), Origins: l.origins}
	for _, site := range l.Config.Sites {
		t.Sites = append(t.Sites, site.ID)
	}
	for _, source := range l.Config.AllSources() {
		t.Sources = append(t.Sources, stored.Source{Site: source.Site, Name: source.Name, Where: source.Where()})
	}
	return t, l.origins != nil
}

// WithKept is the configuration with what is kept in its database, which may not be there. What
// opens the database does so by itself.
func (l *Loaded) WithKept(ctx context.Context) (with *Loaded, unused []config.Unused, err error) {
	rows, err := settings.Peek(ctx, l.Config.Database(slog.New(slog.DiscardHandler)))
	with, unused = stored.With(l, rows)
	return with, unused, err
}

// fileOnly are keys that an owner looks for among the settings, and which the file alone sets.
func (a *App) fileOnly() []settingspages.FileOnly {
	c := a.reloader.file().Config
	on := func(is bool) string { return strconv.FormatBool(is) }
	return []settingspages.FileOnly{
		{Section: settings.Site, Key: "url", Value: c.URL},
		{Section: settings.Protocols, Key: "intent.enabled", Value: on(c.Intent.Enabled)},
		{Section: settings.Protocols, Key: "intakes", Value: on(c.Intakes.On())},
		{Section: settings.Protocols, Key: "ramp.enabled", Value: on(c.RAMP.Enabled)},
	}
}

// ownSettings are the settings as they are changed on a server, which puts them in force.
func (r *reloader) ownSettings() settings.Book {
	pending := func() []string {
		if p := r.pending.Load(); p != nil {
			return *p
		}
		return nil
	}
	return r.beside.Book(stored.Force[*Loaded]{Loaded: r.file, Pending: pending, Apply: r.lookAtSettings})
}

// lookAtSettings puts in force what was set beside the file since that was last looked for.
func (r *reloader) lookAtSettings(ctx context.Context) error {
	changed, err := r.beside.Reread(ctx)
	if changed {
		r.reload()
	}
	return err
}

// settingsModule lets the operator's programs set what may be set beside the file.
func (a *App) settingsModule() Module {
	m := Module{Jobs: []Job{{"follow settings", a.reloader.followSettings}, {"read added sources", a.followAdded}}}
	if a.gate != nil {
		m.Routes = operatorRoutes(a.gate, &operator.Operator{Settings: a.reloader.ownSettings(), Now: a.now},
			"/admin/settings")
	}
	return m
}
