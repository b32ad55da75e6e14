package owner

import (
	"fmt"
	"strings"
	"time"

	"frontdesk/internal/cli/command"
	"frontdesk/internal/identity"
)

// Console has the commands for access to the owner's console.
type Console struct {
	Token consoleToken `cmd:"" help:"Make a token with which somebody logs in to the owner's console."`
}

type consoleToken struct {
	command.ConfigFlags
	Name    string        `arg:"" default:"operator" help:"What you call the token's holder."`
	Role    string        `enum:"operator,viewer" default:"operator" help:"operator, who may suspend and resume keys, or viewer, who changes nothing."`
	Expires time.Duration `placeholder:"SPAN" help:"How long the token is good, such as 720h. Without it, until it is revoked."`
}

// Help is the command's example.
func (consoleToken) Help() string {
	return "The token goes to standard output and is kept nowhere: only its hash is. A server that runs takes it at once. " +
		"`frontdesk keys list` shows it, `frontdesk keys revoke ID` ends it, and with it the sessions that it began.\n\n" +
		"Examples:\n\n\tfrontdesk console token\n\tfrontdesk console token \"Ana\" --role viewer --expires 720h"
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
	fmt.Fprintf(env.Stderr, "The token %s of the %s %q for the console (/console/) is shown this once:\n", made.ID, c.Role, made.Name)
	env.Print("%s\n", text)
	if !loaded.Config.Console.Owner.Enabled {
		fmt.Fprintln(env.Stderr, "The console is not served; set console.owner.enabled to true in the configuration.")
	}
	return nil
}
