// Command frontdesk gives a site a front desk for AI agents. All it does is in internal/cli.
package main

import (
	"context"
	"os"

	// The roots that the web trusts, for machines and containers that have none of their own.
	_ "golang.org/x/crypto/x509roots/fallback"

	"frontdesk/internal/cli"
)

func main() { os.Exit(cli.Main(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }
