// Command frontdesk gives a site a front desk for AI agents. All it does is in internal/cli.
package main

import (
	"context"
	"os"

	"frontdesk/internal/cli"
)

func main() {
	os.Exit(cli.Main(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
