package owner

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"frontdesk/internal/cli/command"
	"frontdesk/internal/identity/requesters"
	"frontdesk/internal/infra/ratelimit"
	"frontdesk/wire/ramp"
)

// Requesters has the commands for requesters of RAMP.
type Requesters struct {
	Add     requesterAdd     `cmd:"" help:"Put a requester in, or take over one that signed up by itself."`
	Change  requesterChange  `cmd:"" help:"Change what holds for a requester."`
	List    requesterList    `cmd:"" help:"List the requesters."`
	Show    requesterShow    `cmd:"" help:"Show a requester with its keys."`
	Suspend requesterSuspend `cmd:"" help:"Let a requester in no longer, until it is resumed."`
	Resume  requesterResume  `cmd:"" help:"Let a requester in again that was suspended."`
	Remove  requesterRemove  `cmd:"" help:"Remove a requester; it may sign up again."`
}

// requesterName is how a requester is named on the command line.
type requesterName struct {
	command.ConfigFlags
	Domain string `arg:"" help:"The requester's domain, such as agents.example.com."`
	ID     string `arg:"" name:"id" help:"What the domain calls it, or * for all of the domain that are not put in themselves."`
}

// with opens the house and does something to the requester.
func (n requesterName) with(env *command.Environment, do func(*requesters.Registry) error) error {
	house, err := command.OpenRequesters(env, n.ConfigFlags, false)
	if err != nil {
		return err
	}
	if house == nil {
		return fmt.Errorf("there is no database here, and so no requester %s/%s; name the folder with --data or the file with --config", command.Clean(n.Domain), command.Clean(n.ID))
	}
	defer house.Close()
	return do(house.Requesters)
}

// requesterTerms are what an operator says of a requester. An empty text stands for what is there.
type requesterTerms struct {
	Key      []string `placeholder:"KEY" help:"An Ed25519 public key in base64 (32 bytes, or SubjectPublicKeyInfo), or @FILE with one or with a ramp-agent.json, or @- for standard input; may be repeated. Without one, the keys that the domain publishes count."`
	Scope    []string `placeholder:"SCOPE" help:"A scope that is granted, such as news:*; may be repeated."`
	Category string   `placeholder:"WORD" help:"What its users are: commercial, non-commercial, education, government or personal."`
	Country  string   `placeholder:"CC" help:"Where its users are, such as FR."`
	Rate     string   `placeholder:"RATE" help:"Its own limit, such as 20/1s, in place of ramp.requester_rate."`
}

// read reads what was said, files and standard input among it, and gives what takes it over. That may be called more than once.
func (c requesterTerms) read(env *command.Environment) (apply func(*requesters.Registration), err error) {
	if _, err := ratelimit.ParseRate(c.Rate); err != nil {
		return nil, command.Usage("--rate %v", err)
	}
	var keys []ramp.Key
	for _, text := range c.Key {
		some, err := command.ReadPublicKeys(env, text)
		if err != nil {
			return nil, command.Usage("--key %v", err)
		}
		keys = append(keys, some...)
	}
	if len(c.Key) > 0 && len(keys) == 0 {
		return nil, command.Usage("--key names a document without an Ed25519 key")
	}
	return func(g *requesters.Registration) {
		g.UserCategory, g.Country, g.Rate = cmp.Or(c.Category, g.UserCategory), cmp.Or(c.Country, g.Country), cmp.Or(c.Rate, g.Rate)
		if len(c.Scope) > 0 {
			g.Scopes = c.Scope
		}
		if len(keys) > 0 {
			g.Keys = keys
		}
	}, nil
}

type requesterAdd struct {
	requesterName
	requesterTerms
}

// Help is the command's example.
func (requesterAdd) Help() string {
	return "A server that runs takes it within a second. What changes is written in the ledger.\n\n" +
		"Example:\n\n\tfrontdesk ramp requester add agents.example.com research-bot --scope news:* --category education --country FR --rate 20/1s"
}

// Run puts a requester in.
func (c requesterAdd) Run(env *command.Environment) error {
	g := requesters.Registration{Domain: c.Domain, ID: c.ID}
	apply, err := c.read(env)
	if err != nil {
		return err
	}
	apply(&g)
	house, err := command.OpenRequesters(env, c.ConfigFlags, true)
	if err != nil {
		return err
	}
	defer house.Close()
	if g, err = house.Requesters.Add(env.Ctx, g); err != nil {
		return err
	}
	keys := "the keys that its domain publishes at " + requesters.AgentPath
	if len(g.Keys) > 0 {
		keys = "the keys that you gave"
	}
	env.Print("The requester %s is in; %s count for it.\n", command.Clean(g.Account()), keys)
	return nil
}

type requesterChange struct {
	requesterName
	requesterTerms
	Published bool     `help:"Let the keys count that the domain publishes, in place of those you gave."`
	No        []string `enum:"scope,category,country,rate" placeholder:"WHAT" help:"Take back scope, category, country or rate; may be repeated."`
}

// Help is the command's example.
func (requesterChange) Help() string {
	return "What is not named stays as it is; scopes and keys that are named stand in place of those before.\n\n" +
		"Example:\n\n\tfrontdesk ramp requester change agents.example.com research-bot --scope news:* --scope sport:read --no rate"
}

// Run changes a requester.
func (c requesterChange) Run(env *command.Environment) error {
	if c.Published && len(c.Key) > 0 {
		return command.Usage("--published and --key are each other's opposite")
	}
	apply, err := c.read(env)
	if err != nil {
		return err
	}
	return c.with(env, func(rs *requesters.Registry) error {
		_, err := rs.Change(env.Ctx, c.Domain, c.ID, func(g *requesters.Registration) error {
			if c.Published {
				g.Keys = nil
			}
			for _, what := range c.No {
				switch what {
				case "scope":
					g.Scopes = nil
				case "category":
					g.UserCategory = ""
				case "country":
					g.Country = ""
				case "rate":
					g.Rate = ""
				}
			}
			apply(g)
			return nil
		})
		if err == nil {
			env.Print("The requester %s/%s is changed; servers that run know it within a second.\n", command.Clean(c.Domain), command.Clean(c.ID))
		}
		return err
	})
}

type requesterList struct {
	command.ConfigFlags
	Domain string `placeholder:"DOMAIN" help:"Those of one domain alone."`
	JSON   bool   `name:"json" help:"Print a JSON array."`
}

// Run lists the requesters.
func (c requesterList) Run(env *command.Environment) error {
	house, err := command.OpenRequesters(env, c.ConfigFlags, false)
	if err != nil {
		return err
	}
	var all []requesters.Registration
	if house != nil {
		defer house.Close()
		if all, err = house.Requesters.List(env.Ctx, c.Domain); err != nil {
			return err
		}
	}
	if c.JSON {
		shown := []shownRequester{}
		for _, g := range all {
			shown = append(shown, showRequester(g))
		}
		return command.PrintJSON(env, shown)
	}
	if len(all) == 0 {
		env.Print("There are no requesters. Put one in with `frontdesk ramp requester add DOMAIN ID`, or let them sign up by themselves.\n")
		return nil
	}
	table := tabwriter.NewWriter(env.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "DOMAIN\tID\tSTATE\tSIGN-UP\tKEYS\tSCOPES\tUSERS\tCOUNTRY\tRATE\tCREATED")
	for _, g := range all {
		keys := "published"
		if len(g.Keys) > 0 {
			keys = fmt.Sprint(len(g.Keys))
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", command.Clean(g.Domain), command.Clean(g.ID), g.Status, g.SignUp, keys, command.OrElse(command.Clean(strings.Join(g.Scopes, ",")), "-"),
			command.OrElse(g.UserCategory, "-"), command.OrElse(g.Country, "-"), command.OrElse(g.Rate, "-"), command.Day(&g.Created))
	}
	return table.Flush()
}

// shownRequester is a requester as JSON.
type shownRequester struct {
	Domain   string     `json:"domain"`
	ID       string     `json:"id"`
	State    string     `json:"state"`
	SignUp   string     `json:"sign_up"`
	Keys     []shownKey `json:"keys"`
	Scopes   []string   `json:"granted_scopes"`
	Category string     `json:"user_category,omitempty"`
	Country  string     `json:"country,omitempty"`
	Rate     string     `json:"rate,omitempty"`
	Created  time.Time  `json:"created"`
	Changed  time.Time  `json:"changed"`
}

type shownKey struct {
	Name      string     `json:"name"` // its thumbprint (RFC 7638)
	PublicKey string     `json:"public_key"`
	From      *time.Time `json:"valid_from,omitempty"`
	Until     *time.Time `json:"valid_until,omitempty"`
}

func showRequester(g requesters.Registration) shownRequester {
	shown := shownRequester{
		Domain: g.Domain, ID: g.ID, State: g.Status, SignUp: g.SignUp, Keys: []shownKey{}, Scopes: append([]string{}, g.Scopes...),
		Category: g.UserCategory, Country: g.Country, Rate: g.Rate, Created: g.Created, Changed: g.Changed,
	}
	names := g.KeyNames()
	for i, k := range g.Keys {
		one := shownKey{Name: names[i], PublicKey: base64.StdEncoding.EncodeToString(k.Public)}
		if !k.From.IsZero() {
			one.From = &k.From
		}
		if !k.Until.IsZero() {
			one.Until = &k.Until
		}
		shown.Keys = append(shown.Keys, one)
	}
	return shown
}

type requesterShow struct{ requesterName }

// Run shows a requester.
func (c requesterShow) Run(env *command.Environment) error {
	return c.with(env, func(rs *requesters.Registry) error {
		g, err := rs.Get(env.Ctx, c.Domain, c.ID)
		if err != nil {
			return err
		}
		return command.PrintJSON(env, showRequester(g))
	})
}

// setState gives the requester a state.
func (n requesterName) setState(env *command.Environment, state, told string) error {
	return n.with(env, func(rs *requesters.Registry) error {
		if _, err := rs.SetStatus(env.Ctx, n.Domain, n.ID, state); err != nil {
			return err
		}
		env.Print(told, command.Clean(n.Domain+"/"+n.ID))
		return nil
	})
}

type requesterSuspend struct{ requesterName }

// Run suspends a requester.
func (c requesterSuspend) Run(env *command.Environment) error {
	return c.setState(env, requesters.Suspended, "The requester %s is let in no longer until it is resumed; servers that run know it within a second.\n")
}

type requesterResume struct{ requesterName }

// Run resumes a requester.
func (c requesterResume) Run(env *command.Environment) error {
	return c.setState(env, requesters.Active, "The requester %s is let in again; servers that run know it within a second.\n")
}

type requesterRemove struct{ requesterName }

// Run removes a requester.
func (c requesterRemove) Run(env *command.Environment) error {
	return c.setState(env, requesters.Removed, "The requester %s is removed; servers that run know it within a second.\n")
}
