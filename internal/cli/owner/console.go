package owner

import (
	"fmt"
	"strings"
	"time"

	"frontdesk/internal/cli/command"
	"frontdesk/internal/identity"
	"frontdesk/internal/operator/access"
)

// Console has the commands for access to the owner's console.
type Console struct {
	Token consoleToken `cmd:"" help:"Make a token with which somebody logs in to the owner's console."`
	Link  consoleLink  `cmd:"" help:"Make a link that lets somebody into the console for the first time."`

	People      of[access.ListPeople]         `cmd:"" help:"List who may come in to the owner's console, with roles and when they were last there."`
	Change      of[access.ChangePerson]       `cmd:"" help:"Give a person another role, or suspend or resume them."`
	SignOut     of[access.SignOutPerson]      `cmd:"" help:"End all sessions of a person, who may log in again."`
	Remove      of[access.RemovePerson]       `cmd:"" help:"Let a person in no more."`
	Invite      of[access.InvitePerson]       `cmd:"" help:"Make a link that lets a named person in, with a role."`
	Invitations of[access.ListInvitations]    `cmd:"" help:"List the links that nobody used yet."`
	Withdraw    of[access.WithdrawInvitation] `cmd:"" help:"Make a link worth nothing."`
}

type consoleToken struct {
	command.ConfigFlags
	Name    string        `arg:"" default:"operator" help:"What you call the token's holder."`
	Role    string        `enum:"owner,operator,editor,viewer" default:"operator" help:"${enum}: everything, the daily work, questions and content, nothing but looking."`
	Expires time.Duration `placeholder:"SPAN" help:"How long the token is good, such as 720h. Without it, until it is revoked."`
}

// Help is the command's example.
func (consoleToken) Help() string {
	return "The token goes to standard output and is kept nowhere: only its hash is. " +
		"A server that runs takes it at once. " +
		"`frontdesk keys list` shows it, `frontdesk keys revoke ID` ends it, " +
		"and with it the sessions that it began.\n\n" +
		"Examples:\n\n\tfrontdesk console token\n\tfrontdesk console token \"Ana\" --role owner\n" +
		"\tfrontdesk console token \"Bo\" --role viewer --expires 720h"
}

// Run makes a token.
func (c consoleToken) Run(env *command.Environment) error {
	if strings.TrimSpace(c.Name) == "" {
		return command.Usage("give the token's holder a name")
	}
	key := identity.Key{Name: command.Clean(c.Name), Scopes: identity.ConsoleScopes(c.Role)}
	var err error
	if key.Expires, err = ends(c.Expires); err != nil {
		return err
	}
	program, loaded, err := command.OpenKeys(env, c.ConfigFlags, true)
	if err != nil {
		return err
	}
	defer program.Close()
	text, made, err := program.Keys.Create(env.Ctx, key)
	if err != nil {
		return err
	}
	fmt.Fprintf(env.Stderr, "The token %s of the %s %q for the console (/console/) is shown this once:\n", made.ID,
		c.Role, made.Name)
	env.Print("%s\n", text)
	if !loaded.Config.Console.Owner.Enabled {
		fmt.Fprintln(env.Stderr, "The console is not served; set console.owner.enabled to true in the configuration.")
	}
	return nil
}

type consoleLink struct {
	command.ConfigFlags
	Role string `enum:"owner,operator,editor,viewer" default:"owner" help:"What whoever opens the link may do: ${enum}."`
}

// Help is the command's example.
func (consoleLink) Help() string {
	return "The link goes to standard output. It is good for 30 minutes, once, in the browser that opens it first. " +
		"Its code stands behind the #, which browsers send to nobody. A server that runs takes it at once.\n\n" +
		"Examples:\n\n\tfrontdesk console link\n\tfrontdesk console link --role editor"
}

// Run makes a link.
func (c consoleLink) Run(env *command.Environment) error {
	opened, loaded, err := command.OpenKeys(env, c.ConfigFlags, true)
	if err != nil {
		return err
	}
	defer opened.Close()
	if !loaded.Config.Console.Owner.Enabled {
		return command.Usage("the console is not served; set console.owner.enabled to true in the configuration")
	}
	code, err := opened.Logins().Link(env.Ctx, c.Role)
	if err != nil {
		return err
	}
	env.Print("%s\n", command.ConsoleLink(loaded.Config.PublicAddress(), code))
	return nil
}
