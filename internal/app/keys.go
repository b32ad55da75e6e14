package app

import (
	"context"
	"net"
	"strings"

	apphttp "frontdesk/internal/app/http"
	"frontdesk/internal/identity"
	"frontdesk/internal/identity/keyring"
	"frontdesk/internal/operator"
)

// openUses notes when keys are used.
func (k *identities) openUses() {
	k.Uses = keyring.NewUses(keyring.UsesOptions{
		DB: k.db, Now: k.now, Log: k.log,
		Buyer: func(ctx context.Context, domain string) (bool, error) {
			all, err := k.Requesters.List(ctx, domain)
			return len(all) > 0, err
		},
	})
}

// keys are the keys of every kind, and the people at the console.
func (a *App) keys() *keyring.Ring {
	r := &keyring.Ring{
		API: a.Keys, Configured: a.config.Auth.Keys, Platforms: a.Platforms, Deliveries: a.Deliveries, Edges: a.Edges,
		Logins: a.Logins(), Uses: a.Uses, Doors: Doors(), Door: IsDoor, Now: a.now,
		Own: map[string]*identity.SiteKeys{
			keyring.Site: a.SiteKeys, keyring.Agent: a.AgentKeys, keyring.Verifier: a.VerifierKeys,
			keyring.Bot: a.BotKeys,
		},
		Address: func(ctx context.Context) string {
			if address, ok := apphttp.PublicURLOf(ctx); ok {
				return address
			}
			return a.config.PublicAddress()
		},
		Sites: func() []string {
			ids := a.config.siteIDs()
			if a.Tenants != nil {
				for _, tenant := range a.Tenants.List() {
					ids = append(ids, tenant.ID)
				}
			}
			return ids
		},
	}
	if a.config.RAMP.Enabled {
		r.Requesters, r.PushClients = a.Requesters, a.Callers
	}
	return r
}

// keysModule has the addresses of keys and people for the operator's programs, and notes when keys
// are used.
func (a *App) keysModule() Module {
	m := Module{Jobs: []Job{{"note uses of keys", a.Uses.Run}}}
	if a.gate != nil {
		o := &operator.Operator{Keys: a.keys(), Now: a.now}
		m.Routes = operatorRoutes(a.gate, o, "/admin/keys", "/admin/people", "/admin/invitations")
	}
	return m
}

// PublicAddress is where a server with this configuration is reached, without a slash at its end.
func (c Config) PublicAddress() string {
	if c.URL != "" {
		return strings.TrimSuffix(c.URL, "/")
	}
	host, port, err := net.SplitHostPort(c.Listen)
	if err == nil && (host == "" || net.ParseIP(host).IsUnspecified()) {
		host = "127.0.0.1"
	}
	return "http://" + net.JoinHostPort(host, port)
}
