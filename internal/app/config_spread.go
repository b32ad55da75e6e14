package app

import (
	"slices"

	"frontdesk/internal/ask/front"
	"frontdesk/internal/content/ingest"
	"frontdesk/internal/content/released"
	"frontdesk/internal/intake"
	"frontdesk/internal/policy/imported"

	apphttp "frontdesk/internal/app/http"
)

// serving is the configuration as this node serves with it, also once it was read again; commands
// work on whatever there is. sites are all that requests may name.
func (o Options) serving() (own *Loaded, sites *released.Sites) {
	own = new(*o.Loaded)
	if o.Records {
		own.Config.Spread = front.Settings{}
		return own, own.Config.named()
	}
	sites = own.Config.named()
	own.layers.serving, own.Config = true, own.Config.spread()
	return own, sites
}

// spread is the configuration of a node that holds some of the sites, or of a front, which holds
// none and has nothing that stands on content.
func (c Config) spread() Config {
	if len(c.Spread.Sites)+len(c.Spread.Nodes) == 0 {
		return c
	}
	c.Ledger.Origin = c.LedgerOrigin() // of a ledger that nodes share it is one
	if c.Spread.IsFront() {
		c.Roles, c.Sources, c.Licences.From, c.Edge.Sites = nil, nil, nil, nil
		c.RAMP.Enabled, c.Intent.Enabled, c.Intakes, c.Discovery.Feeds = false, false, intake.DefaultSettings(), false
		c.Ask.Promise.Enabled, c.Model.URL, c.Model.Words = false, "", ""
		return c
	}
	c.Sources = slices.DeleteFunc(slices.Clone(c.Sources), func(s ingest.SourceSettings) bool {
		return s.Site != "" && !c.Spread.Holds(s.Site)
	})
	c.Licences.From = slices.DeleteFunc(slices.Clone(c.Licences.From), func(p imported.PlaceSettings) bool {
		return !c.Spread.Holds(c.licenceSite(p))
	})
	c.Sites = slices.DeleteFunc(slices.Clone(c.Sites), func(s Site) bool { return !c.Spread.Holds(s.ID) })
	return c
}

// named are the sites as requests name them: also those that other nodes hold.
func (c Config) named() *released.Sites {
	var all []released.Site
	for _, site := range c.AllSites() {
		away := !c.Spread.IsFront() && !c.Spread.Holds(site.ID)
		all = append(all,
			released.Site{ID: site.ID, Name: site.Name, Hosts: site.Hosts, Away: away, Node: c.Spread.NodeOf(site.ID)})
	}
	if c.Spread.IsFront() {
		return released.Named(all...)
	}
	return released.NewSites(all...)
}

// openFront makes what asks the nodes; nil where this is no front.
func (q *questions) openFront() (err error) {
	if !q.config.Spread.IsFront() || q.network == nil {
		return nil
	}
	options := front.Options{
		Settings: q.config.Spread, Sites: q.Ask.Sites(), Asker: apphttp.CallerOf,
		Forwarded: q.config.ProxyHeaders != apphttp.HeadersX,
	}
	if q.gate != nil {
		options.Admit = q.gate.CountSites
	}
	q.nodes, err = front.New(options)
	return err
}
