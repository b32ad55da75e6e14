package cli

import (
	"encoding/json"
	"fmt"
	"time"

	"frontdesk/internal/app/server"
	"frontdesk/internal/licensing/catalog/push"
)

type domainCommands struct {
	List       domainList       `cmd:"" help:"List the domains of tenants, and how they are verified."`
	Challenges domainChallenges `cmd:"" help:"List the last challenges, and what came of them."`
	Forget     domainForget     `cmd:"" help:"Forget that a domain was verified: what a key that was registered for it signed is not sold there any more."`
}

type domainList struct {
	configFlags
	JSON bool `name:"json" help:"Print them as JSON, one a line."`
}

// shownDomain is a domain as commands print it as JSON.
type shownDomain struct {
	Domain     string     `json:"domain"`
	Tenant     string     `json:"tenant_id"`
	State      string     `json:"state"`
	Reason     string     `json:"reason,omitempty"`
	Caller     string     `json:"caller_id,omitempty"`
	CDNType    string     `json:"cdn_type,omitempty"`
	KeyID      string     `json:"key_id,omitempty"`
	Verified   *time.Time `json:"verified,omitempty"`
	ValidUntil *time.Time `json:"valid_until,omitempty"`
	Listed     *time.Time `json:"listed,omitempty"`
}

// Run lists the domains.
func (c domainList) Run(env *environment) error {
	return withSupply(env, c.configFlags, false, func(house *server.House) error {
		proven, err := house.Tenants.Domains(env.ctx)
		if err != nil {
			return err
		}
		var all []shownDomain
		told := map[string]bool{}
		for _, d := range proven {
			told[d.Domain] = true
			one := shownDomain{Domain: d.Domain, Tenant: d.Tenant, State: d.State(time.Now()), Reason: d.Reason, Caller: d.Caller, CDNType: d.Form, KeyID: d.Key, Verified: instant(d.Verified), ValidUntil: instant(d.Until), Listed: instant(d.Listed)}
			if one.State == push.DomainLapsed {
				one.Reason = orElse(one.Reason, push.LapsedOver)
			}
			all = append(all, one)
		}
		for _, t := range house.Tenants.List() {
			for _, domain := range t.Domains {
				if !told[domain] {
					all = append(all, shownDomain{Domain: domain, Tenant: t.ID, State: "unverified"})
				}
			}
		}
		return c.show(env, all)
	})
}

func (c domainList) show(env *environment, all []shownDomain) error {
	if c.JSON {
		for _, one := range all {
			line, err := json.Marshal(one)
			if err != nil {
				return err
			}
			env.print("%s\n", line)
		}
		return nil
	}
	if len(all) == 0 {
		env.print("There are no domains. Put a tenant in with `frontdesk ramp tenant add`; its caller verifies with `frontdesk ramp verify-domain`.\n")
		return nil
	}
	table := env.table("DOMAIN", "TENANT", "STATE", "REASON", "VALID UNTIL", "FORM", "KEY", "CALLER")
	for _, one := range all {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", clean(one.Domain), one.Tenant, one.State, orElse(one.Reason, "-"), day(one.ValidUntil), orElse(one.CDNType, "-"), orElse(one.KeyID, "-"), orElse(clean(one.Caller), "-"))
	}
	return table.Flush()
}

type domainChallenges struct {
	configFlags
	Domain string `arg:"" optional:"" help:"Of this domain alone."`
	Limit  int    `default:"50" help:"How many at most, up to 1000."`
}

// Run lists challenges.
func (c domainChallenges) Run(env *environment) error {
	if c.Limit < 1 || c.Limit > 1000 {
		return usage("--limit has to be from 1 to 1000")
	}
	return withSupply(env, c.configFlags, false, func(house *server.House) error {
		all, err := house.Tenants.Challenges.List(env.ctx, c.Domain, c.Limit)
		if err != nil {
			return err
		}
		if len(all) == 0 {
			env.print("There are no challenges.\n")
			return nil
		}
		table := env.table("CREATED", "DOMAIN", "TENANT", "CALLER", "STATE", "ENDS")
		for _, one := range all {
			fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\n", one.Created.Format(time.RFC3339), clean(one.Domain), one.Tenant, clean(one.Caller), one.State(time.Now()), one.Ends.Format(time.RFC3339))
		}
		return table.Flush()
	})
}

type domainForget struct {
	configFlags
	Domain string `arg:"" help:"The domain."`
}

// Run forgets a domain.
func (c domainForget) Run(env *environment) error {
	return withSupply(env, c.configFlags, false, func(house *server.House) error {
		if err := house.Tenants.Forget(env.ctx, c.Domain); err != nil {
			return err
		}
		env.print("The domain %s is not verified any more. What is at it is sold as the tenant's delivery says.\n", clean(c.Domain))
		return nil
	})
}
