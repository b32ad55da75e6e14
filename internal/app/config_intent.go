package app

import (
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/excerpts"
	door "frontdesk/internal/excerpts/aip"
	"frontdesk/internal/infra/yamlconf"
	"frontdesk/internal/policy"
	"frontdesk/wire/intent"
)

// onThisMachine says whether a host is this machine's, by its name or address.
func onThisMachine(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

// intent checks what is declared, and whether sinks can be reached.
func (c *checks) intent() {
	for n, sink := range c.Config.Intent.Sinks {
		u, err := url.Parse(sink.URL)
		if err == nil && u.User == nil && u.Scheme == "http" && !onThisMachine(u.Hostname()) &&
			len(c.Config.Fetch.Allow) == 0 {
			c.Warning(yamlconf.Index("intent.sinks", n)+".url",
				"it is not https, and is reached on this machine alone, or in networks of fetch.allow")
		}
	}
	if c.Config.Intent.Enabled {
		c.declaration()
	}
}

// declaration checks what a declaration cannot do without.
func (c *checks) declaration() {
	i := c.Config.Intent
	c.Config.publisher().CheckDeclared(c.Section("intent.publisher"))
	switch domains := c.Config.editorialDomains(); {
	case len(domains) == 0:
		c.Problem("intent.domains", "no editorial domain is declared; give rules `labels`, or name domains here")
	default:
		for n, rule := range c.Config.Terms {
			for m, label := range rule.Labels {
				if len(i.Domains) == 0 && rule.Access != policy.Blocked && !excerpts.IsEditorialDomain(label) {
					c.Problem(fmt.Sprintf("terms[%d].labels[%d]", n, m), "%q is no editorial domain, "+
						"and is declared to platforms as one; %s", label, excerpts.EditorialForm)
				} else if !slices.ContainsFunc(domains, func(d string) bool { return intent.Within(label, d) }) {
					c.Warning(fmt.Sprintf("terms[%d].labels[%d]", n, m),
						"%s lies in no domain of intent.domains, so no platform gets anything for it", label)
				}
			}
		}
	}
	c.givable()
	if len(i.Versions) == 0 {
		c.Problem("intent.versions", "the list is empty; write 0.1, or remove the key")
	}
	if i.Compliance.LastUpdated == "" {
		c.Problem("intent.compliance.last_updated",
			"the declaration must say when it was last changed; write a day like 2027-12-31")
	}
	if i.Events.Required && !i.Events.Enabled {
		c.Problem("intent.events.required",
			"reports are required, and there is no address for them; set intent.events.enabled")
	}
	if c.Failed() {
		return
	}
	declaration := c.Config.declarationAt("https://www.example.com")
	// what would be found only when it is served
	if _, err := door.NewDeclaration(declaration, c.Config.intentOptions()); err != nil {
		c.Problem("intent", "%v", err)
	}
}

// givable warns of sites whose items no platform is given, since their addresses are not the
// publisher's.
func (c *checks) givable() {
	declared := c.Config.excerptPolicy()
	if declared.Publisher.Domain == "" {
		return // a mistake of its own
	}
	for _, site := range c.Config.AllSites() {
		addresses := []string{site.URL}
		for _, source := range c.Config.AllSources() {
			if source.Site == "" || source.Site == site.ID {
				addresses = append(addresses, source.Base, source.URL)
			}
		}
		addresses = slices.DeleteFunc(addresses, func(a string) bool { return a == "" })
		switch {
		case slices.ContainsFunc(addresses, declared.Owns):
		case len(addresses) == 0:
			c.Warning("intent.hosts",
				"no address of the site %s is known, so platforms may get nothing of it; set its url", site.ID)
		default:
			host, _ := policy.Host(addresses[0])
			c.Warning("intent.hosts",
				"platforms get nothing of the site %s: its items are at %s, and the publisher's domain is %s; "+
					"add %s here", site.ID, host, declared.Publisher.Domain, host)
		}
	}
}

// publisher is who is declared, with the defaults filled in.
func (c Config) publisher() excerpts.PublisherSettings {
	p, site := c.Intent.Publisher, c.AllSites()[0]
	p.Name = first(p.Name, site.Name)
	if host, ok := policy.Host(site.URL); p.Domain == "" && ok {
		p.Domain = strings.TrimPrefix(host, "www.")
	}
	return p
}

// editorialDomains are those that are declared.
func (c Config) editorialDomains() []string {
	if len(c.Intent.Domains) > 0 {
		return c.Intent.Domains
	}
	var all []string
	for _, rule := range c.Terms {
		if rule.Access != policy.Blocked {
			all = append(all, rule.Labels...)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// excerptPolicy is what the configuration declares to platforms.
func (c Config) excerptPolicy() *excerpts.Policy {
	i, p := c.Intent, c.publisher()
	declared := &excerpts.Policy{
		Publisher: excerpts.Publisher{ID: p.ID, Name: p.Name, Domain: p.Domain, Hosts: i.Hosts},
		Domains:   c.editorialDomains(),
		Access:    excerpts.Access{Enabled: i.Enabled, State: i.State},
		Supports:  i.Supports,
		Limits: excerpts.Limits{
			Chunks: i.MaxChunks, Tokens: i.MaxTokens, Share: i.Share, SharePerDay: i.SharePerDay, Session: i.Session,
		},
		Refuse: excerpts.Refuse{
			Countries: i.Refuse.Countries, Languages: i.Refuse.Languages, Placements: i.Refuse.Placements,
			Confidence: i.Confidence,
		},
		Reports: excerpts.Reports{MaxUncited: i.Events.MaxUncited, Grace: i.Events.Grace},
	}
	declared.Access.Sunset, _ = time.Parse(time.DateOnly, i.Compliance.Sunset) // which is checked
	return declared
}

// liveIntent are the keys that take effect while the server runs: what says who may have what, and
// whether anybody may. In the rest (how the protocol is spoken, how often, who is told) a server
// stays as it began.
var liveIntent = []string{
	"state", "hosts", "domains", "supports.chunks", "supports.citations", "supports.full_article", "max_chunks",
	"max_tokens", "share", "share_per_day", "training", "compliance.revocable", "compliance.notice_required",
	"compliance.revocation_reason", "compliance.sunset", "compliance.last_updated", "refuse.countries",
	"refuse.languages", "refuse.placements", "confidence", "events.required", "events.owed", "events.grace",
}

// meanwhile is what is declared by a server that began with a configuration once the file has
// another. A file that ends the access may have nothing else to say of it; it is switched on again
// by a file that says so.
func (c Config) meanwhile(fresh Config) Config {
	if !fresh.Intent.Enabled {
		c.Intent.Enabled, c.Intent.State = false, intent.StateDisabled
		return c
	}
	i, now := &c.Intent, fresh.Intent
	c.Terms, c.RSL = fresh.Terms, fresh.RSL
	i.State, i.Hosts, i.Domains, i.Supports, i.MaxChunks, i.MaxTokens = now.State, now.Hosts, now.Domains, now.Supports,
		now.MaxChunks, now.MaxTokens
	i.Share, i.SharePerDay, i.Training = now.Share, now.SharePerDay, now.Training
	i.Compliance, i.Refuse, i.Confidence = now.Compliance, now.Refuse, now.Confidence
	i.Events.Required, i.Events.MaxUncited, i.Events.Grace = now.Events.Required, now.Events.MaxUncited,
		now.Events.Grace
	return c
}
