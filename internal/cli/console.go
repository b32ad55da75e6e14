package cli

import (
	"context"
	"fmt"

	"frontdesk/internal/app"
	"frontdesk/internal/cli/command"
)

// greetOwner makes the first token of the console and prints it, where there never was one.
func greetOwner(ctx context.Context, env *command.Environment, s *app.App, config app.Config, address string) {
	if !config.Console.Owner.Enabled {
		return
	}
	token, err := s.Logins().First(ctx)
	switch {
	case err != nil:
		fmt.Fprintf(env.Stderr, "The first token for the console could not be made (%v); `frontdesk console token` makes one.\n", err)
	case token != "":
		env.Print("The owner's console is at %s/console/ ; log in with this token, which is shown this once:\n%s\n", address, token)
	}
}
