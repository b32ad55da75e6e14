package cli

import (
	"context"
	"fmt"

	"frontdesk/internal/app"
	"frontdesk/internal/cli/command"
)

// greetOwner prints the link by which the first owner comes in, while nobody ever came in.
func greetOwner(ctx context.Context, env *command.Environment, s *app.App, config app.Config, address string) {
	if !config.Console.Owner.Enabled {
		return
	}
	code, err := s.Logins().FirstLink(ctx)
	switch {
	case err != nil:
		fmt.Fprintf(env.Stderr,
			"The link to the console could not be made (%v); `frontdesk console link` makes one.\n", err)
	case code != "":
		env.Print("  Your console     %s   (open it within 30 minutes; it works once)\n",
			command.ConsoleLink(address, code))
	}
}
