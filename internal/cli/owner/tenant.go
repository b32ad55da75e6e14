package owner

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/app/server"
	"frontdesk/internal/cli/command"
	"frontdesk/internal/identity"
	"frontdesk/internal/identity/requesters"
	"frontdesk/internal/licensing/catalog/push"
	"frontdesk/internal/policy"
	"frontdesk/wire/sign"
)

// Tenants has the commands for the providers for whom this Exchange sells.
type Tenants struct {
	Add     tenantAdd     `cmd:"" help:"Put a provider in for whom this Exchange sells, or change it: its domains, price, delivery and caller, by one command."`
	List    tenantList    `cmd:"" help:"List the tenants."`
	Remove  tenantRemove  `cmd:"" help:"Remove a tenant: nothing of it is sold any more."`
	Refused tenantRefused `cmd:"" help:"List the entries that were refused last, and why."`
}

// Callers has the commands for those who push into the catalog.
type Callers struct {
	Add    callerAdd    `cmd:"" help:"Put a caller in, who may push into the catalog of tenants, or change it."`
	List   callerList   `cmd:"" help:"List the callers."`
	Revoke callerRevoke `cmd:"" help:"End the keys of a caller."`
}

type tenantAdd struct {
	command.ConfigFlags
	ID         string        `arg:"" name:"id" help:"What it is called, such as acme: small letters, digits and dashes."`
	Domain     []string      `required:"" placeholder:"HOST" help:"A domain of it, such as www.acme.example; may be repeated."`
	Resource   []string      `placeholder:"URI" help:"How the URIs begin of what it sells that is no web page, such as duns: or urn:acme:; may be repeated."`
	Name       string        `placeholder:"TEXT" help:"What people call it."`
	Price      string        `placeholder:"AMOUNT" help:"What its content costs, such as 0.02."`
	Model      string        `default:"per_access" placeholder:"MODEL" help:"For what that is: per_access, per_token, per_fetch, free and so on, as in the terms."`
	Currency   string        `placeholder:"CODE" help:"Such as USD."`
	Permit     []string      `placeholder:"FUNCTION" help:"The only uses that are allowed, such as ai-input; may be repeated."`
	Prohibit   []string      `placeholder:"FUNCTION" help:"A use that is not allowed, such as ai-train; may be repeated."`
	Report     time.Duration `placeholder:"SPAN" help:"Within which a use must be reported, such as 24h."`
	Mutability string        `placeholder:"WORD" help:"static, dynamic or live. Without it, static where an entry has a hash."`
	At         string        `placeholder:"URL" help:"Who delivers: scheme and host, such as https://cdn.acme.example."`
	Form       string        `placeholder:"FORM" help:"How addresses are signed there: hmac, cloudfront, akamai, fastly or ed25519."`
	Agent      string        `enum:",requester,license" default:"" help:"What addresses are bound to there: requester (without it, too), who bought; or license, the licence that the buyer names and whoever fetches shows."`
	KeyPairID  string        `name:"key-pair-id" placeholder:"ID" help:"For cloudfront: the id that CloudFront gave the public key."`
	SecretFile string        `placeholder:"FILE" help:"Take the secret that signs addresses from a file, or from standard input with -, instead of making one."`
	Encoding   string        `enum:",text,base64,hex" default:"" help:"How it is written in the file: text, base64 or hex."`
	Caller     string        `placeholder:"ID" help:"A caller who may push for it; its key is --key."`
	Key        []string      `placeholder:"KEY" help:"The caller's Ed25519 public key, as frontdesk ramp caller add takes it; may be repeated."`
}

// Help is the command's example.
func (tenantAdd) Help() string {
	return "What was said before and is not named now is no more; the keys that sign addresses stay. Servers that run take it within two seconds. Standard output has the secret that signs addresses, if one is made, for " +
		"whoever delivers.\n\n" +
		"Example:\n\n\tfrontdesk ramp tenant add acme --domain www.acme.example --price 0.02 --currency USD --form hmac --at https://cdn.acme.example --caller acme-cms --key @acme-pub.pem"
}

// Run puts a tenant in.
func (c tenantAdd) Run(env *command.Environment) error {
	if (c.Caller == "") != (len(c.Key) == 0) {
		return command.Usage("--caller and --key belong together")
	}
	if (c.At == "") != (c.Form == "") {
		return command.Usage("--at and --form belong together")
	}
	if c.Agent != "" && c.At == "" {
		return command.Usage("--agent says what addresses at --at are bound to; name that, too")
	}
	t := push.Tenant{ID: c.ID, Name: c.Name, Domains: c.Domain, Resources: c.Resource, Mutability: c.Mutability, Delivery: push.Delivery{At: c.At, Form: c.Form, Agent: c.Agent}}
	t.Rule = policy.Rule{Access: policy.Licensed, Functions: policy.Functions{Permit: c.Permit, Prohibit: c.Prohibit}, Reporting: policy.Reporting{Window: c.Report}}
	if c.Price != "" || c.Model == "free" {
		t.Rule.Price = policy.Price{Model: c.Model, Rate: c.Price, Currency: c.Currency}
	}
	var caller requesters.PushClient
	if c.Caller != "" {
		caller = requesters.PushClient{ID: c.Caller, Tenants: []string{c.ID}}
		if err := addKeys(env, &caller, c.Key); err != nil {
			return err
		}
	}
	return command.WithSupply(env, c.ConfigFlags, true, func(house *server.House) error {
		if before, err := house.Callers.Get(env.Ctx, caller.ID); caller.ID != "" && err == nil {
			if before.Domain != "" {
				return command.Usage("the caller %s is of %s and speaks for no tenant; choose another", command.Clean(caller.ID), command.Clean(before.Domain))
			}
			caller.Tenants = append(before.Tenants, c.ID)
		}
		put, fresh, err := house.Tenants.Put(env.Ctx, t)
		if err != nil {
			return err
		}
		word := "changed"
		if fresh {
			word = "in"
		}
		fmt.Fprintf(env.Stderr, "The tenant %s is %s, with %s.\n", put.ID, word, strings.Join(put.Domains, ", "))
		if caller.ID != "" {
			if _, err := house.Callers.Put(env.Ctx, caller); err != nil {
				return err
			}
			fmt.Fprintf(env.Stderr, "The caller %s may push for it.\n", command.Clean(caller.ID))
		}
		return c.signing(env, house, put)
	})
}

// signing gives a tenant a key that signs its addresses, if it has none.
func (c tenantAdd) signing(env *command.Environment, house *server.House, t *push.Tenant) error {
	form := sign.URLForm(t.Delivery.Form)
	if form == "" || form == sign.URLEd25519 {
		return nil
	}
	keys, err := house.Deliveries.Keys(env.Ctx, t.Place())
	if err != nil {
		return err
	}
	for _, key := range keys {
		if key.Form == form && c.SecretFile == "" {
			return nil
		}
	}
	var secret []byte
	if c.SecretFile != "" {
		text, err := command.ReadKeyFile(env, c.SecretFile)
		if err != nil {
			return err
		}
		if secret, err = identity.ParseDeliverySecret(form, text, c.Encoding); err != nil {
			return err
		}
	}
	made, shown, err := house.Deliveries.Issue(env.Ctx, t.Place(), form, c.KeyPairID, secret)
	if err != nil {
		return err
	}
	if form == sign.URLCloudFront && c.KeyPairID == "" {
		fmt.Fprintf(env.Stderr, "Give CloudFront this public key, and then run `frontdesk keys activate %s --key-pair-id ID`.\n", made.ID)
	} else {
		if _, err := house.Deliveries.Activate(env.Ctx, made.ID, "", identity.DeliveryKeyGrace); err != nil {
			return err
		}
		fmt.Fprintf(env.Stderr, "The key %s signs its addresses from now on.\n", made.ID)
		if shown != "" {
			fmt.Fprintln(env.Stderr, "Its secret is shown this once; whoever delivers needs it:")
		}
	}
	if shown != "" {
		env.Print("%s\n", shown)
	}
	return nil
}

type tenantList struct {
	command.ConfigFlags
}

// Run lists the tenants.
func (c tenantList) Run(env *command.Environment) error {
	return command.WithSupply(env, c.ConfigFlags, false, func(house *server.House) error {
		all := house.Tenants.List()
		if len(all) == 0 {
			env.Print("There are no tenants. Put one in with `frontdesk ramp tenant add`; the sites of the configuration need none.\n")
			return nil
		}
		table := env.Table("ID", "NAME", "DOMAINS", "PRICE", "DELIVERED AT", "FORM", "CREATED")
		for _, t := range all {
			price, _ := t.Rule.Price.Money()
			told := "-"
			if price != (policy.Money{}) {
				told = price.String()
			}
			fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", t.ID, command.OrElse(command.Clean(t.Name), "-"), command.Clean(strings.Join(slices.Concat(t.Domains, t.Resources), ",")), told, command.OrElse(command.Clean(t.Delivery.At), "-"), command.OrElse(t.Delivery.Form, "-"), command.Day(&t.Created))
		}
		return table.Flush()
	})
}

type tenantRemove struct {
	command.ConfigFlags
	ID string `arg:"" name:"id" help:"The tenant."`
}

// Run removes a tenant.
func (c tenantRemove) Run(env *command.Environment) error {
	return command.WithSupply(env, c.ConfigFlags, false, func(house *server.House) error {
		if err := house.Tenants.Remove(env.Ctx, c.ID); err != nil {
			return err
		}
		env.Print("The tenant %s is removed. What was pushed for it is deleted within hours, and its id is not used again.\n", command.Clean(c.ID))
		return nil
	})
}

type tenantRefused struct {
	command.ConfigFlags
	ID    string `arg:"" name:"id" help:"The tenant, or a site of the configuration."`
	Limit int    `default:"50" help:"How many at most, up to 1000."`
}

// Run lists what was refused.
func (c tenantRefused) Run(env *command.Environment) error {
	if c.Limit < 1 || c.Limit > push.Rejections {
		return command.Usage("--limit has to be from 1 to %d", push.Rejections)
	}
	return command.WithSupply(env, c.ConfigFlags, false, func(house *server.House) error {
		all, err := house.Shelves.Refused(env.Ctx, c.ID, c.Limit)
		if err != nil {
			return err
		}
		if len(all) == 0 {
			env.Print("Nothing was refused.\n")
			return nil
		}
		table := env.Table("TIME", "CALLER", "REASON", "ADDRESS", "DETAIL")
		for _, r := range all {
			fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", r.At.Format(time.RFC3339), command.Clean(r.Caller), command.Clean(r.Reason), command.Clean(r.Address), command.Clean(r.Detail))
		}
		return table.Flush()
	})
}

type callerAdd struct {
	command.ConfigFlags
	ID     string   `arg:"" name:"id" help:"What it is called, such as acme-cms: it is the keyid of its signatures."`
	Tenant []string `required:"" placeholder:"ID" help:"A tenant, or a site of the configuration, for which it may push; may be repeated."`
	Key    []string `required:"" placeholder:"KEY" help:"Its Ed25519 public key in base64, or @FILE with one, which may be PEM, or @- for standard input; may be repeated."`
	Domain string   `placeholder:"HOST" help:"Whose it is, where it is not the tenant's own: providers have to name it in the catalog_contributors of their ramp.json."`
}

// Help is the command's example.
func (callerAdd) Help() string {
	return "Servers that run take it within a second. What was said before and is not named now is no more.\n\n" +
		"Examples:\n\n\tfrontdesk ramp caller add acme-cms --tenant acme --key @acme-pub.pem\n\tfrontdesk ramp caller add verifier --tenant acme --domain verifier.example.com --key MCowBQYDK2VwAyEA..."
}

// Run puts a caller in.
func (c callerAdd) Run(env *command.Environment) error {
	one := requesters.PushClient{ID: c.ID, Domain: c.Domain, Tenants: c.Tenant}
	if err := addKeys(env, &one, c.Key); err != nil {
		return err
	}
	return command.WithSupply(env, c.ConfigFlags, true, func(house *server.House) error {
		for _, id := range c.Tenant {
			if _, site := house.Corpus.Sites().Find(id); !site && house.Tenants.Get(id) == nil {
				return command.Usage("there is no tenant %s; put it in with `frontdesk ramp tenant add`", command.Clean(id))
			}
		}
		if _, err := house.Callers.Put(env.Ctx, one); err != nil {
			return err
		}
		env.Print("The caller %s may push for %s.\n", command.Clean(one.ID), command.Clean(strings.Join(one.Tenants, ", ")))
		return nil
	})
}

// addKeys reads the keys of a caller.
func addKeys(env *command.Environment, one *requesters.PushClient, texts []string) error {
	for _, text := range texts {
		keys, err := command.ReadPublicKeys(env, text)
		if err != nil {
			return command.Usage("--key %v", err)
		}
		one.Keys = append(one.Keys, keys...)
	}
	return nil
}

type callerList struct{ command.ConfigFlags }

// Run lists the callers.
func (c callerList) Run(env *command.Environment) error {
	return command.WithSupply(env, c.ConfigFlags, false, func(house *server.House) error {
		all, err := house.Callers.List(env.Ctx)
		if err != nil {
			return err
		}
		if len(all) == 0 {
			env.Print("There are no callers. Put one in with `frontdesk ramp caller add`.\n")
			return nil
		}
		table := env.Table("ID", "STATE", "DOMAIN", "TENANTS", "KEYS", "CREATED")
		for _, one := range all {
			fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%d\t%s\n", command.Clean(one.ID), one.State(), command.OrElse(command.Clean(one.Domain), "-"), command.Clean(strings.Join(one.Tenants, ",")), len(one.Keys), command.Day(&one.Created))
		}
		return table.Flush()
	})
}

type callerRevoke struct {
	command.ConfigFlags
	ID string `arg:"" name:"id" help:"The caller."`
}

// Run revokes a caller.
func (c callerRevoke) Run(env *command.Environment) error {
	return command.WithSupply(env, c.ConfigFlags, false, func(house *server.House) error {
		if _, err := house.Callers.Revoke(env.Ctx, c.ID); err != nil {
			return err
		}
		env.Print("The caller %s is revoked; what it pushed stays.\n", command.Clean(c.ID))
		return nil
	})
}
