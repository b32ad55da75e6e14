package owner

import (
	"encoding/json"
	"fmt"
	"time"

	"frontdesk/internal/app/server"
	"frontdesk/internal/cli/command"
	"frontdesk/internal/licensing/catalog/push"
)

// Domains has the commands for the domains of tenants, and their verification.
type Domains struct {
	List       domainList       `cmd:"" help:"List the domains of tenants, and how they are verified."`
	Challenges domainChallenges `cmd:"" help:"List the last challenges, and what came of them."`
	Forget     domainForget     `cmd:"" help:"Forget that a domain was verified: what a key that was registered for it signed is not sold there any more."`
}

type domainList struct {
	command.ConfigFlags
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
func (c domainList) Run(env *command.Environment) error {
	return command.WithSupply(env, c.ConfigFlags, false, func(house *server.House) error {
		proven, err := house.Tenants.Domains(env.Ctx)
		if err != nil {
			return err
		}
		var all []shownDomain
		told := map[string]bool{}
		for _, d := range proven {
			told[d.Domain] = true
			one := shownDomain{Domain: d.Domain, Tenant: d.Tenant, State: d.State(time.Now()), Reason: d.Reason, Caller: d.Caller, CDNType: d.Form, KeyID: d.Key, Verified: command.Instant(d.Verified), ValidUntil: command.Instant(d.Until), Listed: command.Instant(d.Listed)}
			if one.State == push.DomainLapsed {
				one.Reason = command.OrElse(one.Reason, push.LapsedOver)
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

func (c domainList) show(env *command.Environment, all []shownDomain) error {
	if c.JSON {
		for _, one := range all {
			line, err := json.Marshal(one)
			if err != nil {
				return err
			}
			env.Print("%s\n", line)
		}
		return nil
	}
	if len(all) == 0 {
		env.Print("There are no domains. Put a tenant in with `frontdesk ramp tenant add`; its caller verifies with `frontdesk ramp verify-domain`.\n")
		return nil
	}
	table := env.Table("DOMAIN", "TENANT", "STATE", "REASON", "VALID UNTIL", "FORM", "KEY", "CALLER")
	for _, one := range all {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", command.Clean(one.Domain), one.Tenant, one.State, command.OrElse(one.Reason, "-"), command.Day(one.ValidUntil), command.OrElse(one.CDNType, "-"), command.OrElse(one.KeyID, "-"), command.OrElse(command.Clean(one.Caller), "-"))
	}
	return table.Flush()
}

type domainChallenges struct {
	command.ConfigFlags
	Domain string `arg:"" optional:"" help:"Of this domain alone."`
	Limit  int    `default:"50" help:"How many at most, up to 1000."`
}

// Run lists challenges.
func (c domainChallenges) Run(env *command.Environment) error {
	if c.Limit < 1 || c.Limit > 1000 {
		return command.Usage("--limit has to be from 1 to 1000")
	}
	return command.WithSupply(env, c.ConfigFlags, false, func(house *server.House) error {
		all, err := house.Tenants.Challenges.List(env.Ctx, c.Domain, c.Limit)
		if err != nil {
			return err
		}
		if len(all) == 0 {
			env.Print("There are no challenges.\n")
			return nil
		}
		table := env.Table("CREATED", "DOMAIN", "TENANT", "CALLER", "STATE", "ENDS")
		for _, one := range all {
			fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\n", one.Created.Format(time.RFC3339), command.Clean(one.Domain), one.Tenant, command.Clean(one.Caller), one.State(time.Now()), one.Ends.Format(time.RFC3339))
		}
		return table.Flush()
	})
}

type domainForget struct {
	command.ConfigFlags
	Domain string `arg:"" help:"The domain."`
}

// Run forgets a domain.
func (c domainForget) Run(env *command.Environment) error {
	return command.WithSupply(env, c.ConfigFlags, false, func(house *server.House) error {
		if err := house.Tenants.Forget(env.Ctx, c.Domain); err != nil {
			return err
		}
		env.Print("The domain %s is not verified any more. What is at it is sold as the tenant's delivery says.\n", command.Clean(c.Domain))
		return nil
	})
}
