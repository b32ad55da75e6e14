package server

import (
	"context"
	"log/slog"
	"sync/atomic"

	"frontdesk/internal/content"
	"frontdesk/internal/desk"
	"frontdesk/internal/store"
	"frontdesk/internal/terms"
)

// House is the rooms below the doors, put together as a configuration says: for a server, and for commands that
// work on the same content without one.
type House struct {
	Catalog *content.Catalog
	Desk    *desk.Desk

	db    *store.DB
	rules atomic.Pointer[terms.Terms]
}

// OpenHouse opens the database, making it when it is missing, and puts the rooms on top of it. The desk knows
// nothing yet: Refresh or Follow loads the catalog.
func OpenHouse(ctx context.Context, config Config, log *slog.Logger) (*House, error) {
	rules, err := config.CompileTerms()
	if err != nil {
		return nil, err
	}
	db, err := store.Open(ctx, store.Config{DSN: config.DSN(), Schemas: []store.Schema{content.Schema}, Log: log})
	if err != nil {
		return nil, err
	}
	h := &House{Catalog: content.New(db, content.Options{}), db: db}
	h.rules.Store(rules)
	var sites []desk.Site
	for _, site := range config.AllSites() {
		sites = append(sites, desk.Site{ID: site.ID, Name: site.Name, Hosts: site.Hosts})
	}
	h.Desk, err = desk.New(desk.Config{
		Catalog:    h.Catalog,
		Sites:      sites,
		Terms:      h.Terms,
		MinScore:   config.Ask.MinScore,
		CacheBytes: uint64(config.Ask.Cache),
		Timeout:    config.Ask.Timeout,
		Log:        log,
	})
	if err != nil {
		db.Close()
		return nil, err
	}
	return h, nil
}

// Terms are the rules in force.
func (h *House) Terms() *terms.Terms { return h.rules.Load() }

// Close closes the database.
func (h *House) Close() error { return h.db.Close() }
