package cli

import (
	"context"
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"frontdesk/internal/app"
	"frontdesk/internal/app/demo"
	"frontdesk/internal/cli/command"
	"frontdesk/internal/identity"
)

// platformSecret is the file with the secret of the demo's platform, in the demo's folder.
const platformSecret = "platform-secret.txt"

// letRetrieve lets the demo's platform in, under a key whose secret lies in the demo's folder.
// Where both are there from an earlier start, they stay.
func (c demoCommand) letRetrieve(ctx context.Context, s *app.App, folder string) error {
	file := filepath.Join(folder, platformSecret)
	secret, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		secret = []byte(strings.ToLower(rand.Text() + rand.Text()))
		err = os.WriteFile(file, secret, 0o600)
	}
	if err != nil {
		return err
	}
	keys, err := s.Platforms.List(ctx)
	if err != nil || slices.ContainsFunc(keys, func(k identity.PlatformKey) bool { return k.ID == demo.PlatformKey }) {
		return err
	}
	_, _, err = s.Platforms.Issue(ctx, identity.PlatformKey{
		ID: demo.PlatformKey, Platform: demo.Platform, Roles: identity.Roles,
	}, secret)
	return err
}

// sayRetrieve says how the demo's platform gets passages, tells what it showed, and proves it.
func (c demoCommand) sayRetrieve(env *command.Environment, address, folder string) {
	as := "--platform " + demo.Platform + " --key " + demo.PlatformKey + " --secret-file " +
		inFolder(folder, platformSecret)
	env.Print("  A platform is given passages (Agentic Intent), reports what it showed, and verifies the receipt:\n\n")
	env.Print("    frontdesk intent retrieve %s --domain %s --query %q --json %s > answer.json\n",
		address, demo.PlatformDomain, demo.PlatformQuestion, as)
	env.Print("    frontdesk intent cite %s --answer answer.json --surface footnote %s\n", address, as)
	env.Print("    frontdesk intent receipt %s --answer answer.json %s > receipt.json\n", address, as)
	env.Print("    curl -s %s/.well-known/jwks.json > jwks.json\n", address)
	env.Print("    frontdesk verify receipt.json --key jwks.json\n\n")
}
