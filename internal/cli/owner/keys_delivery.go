package owner

import (
	"fmt"
	"slices"
	"time"

	"frontdesk/internal/cli/command"
	"frontdesk/internal/identity"
	"frontdesk/internal/licensing/delivery"
	"frontdesk/wire/sign"
)

type keysIssueDelivery struct {
	command.ConfigFlags
	Name       string `arg:"" help:"Who delivers, by its name in ramp.delivery of the configuration, which says the form of its addresses."`
	KeyPairID  string `name:"key-pair-id" placeholder:"ID" help:"For cloudfront: the id that CloudFront gave the public key; it can be given to frontdesk keys activate, too."`
	SecretFile string `placeholder:"FILE" help:"Take the secret, or for cloudfront the private key in PEM, from a file, or from standard input with -, instead of making one."`
	Encoding   string `enum:",text,base64,hex" default:"" help:"How the secret is written in the file: text (its bytes are the secret), base64 or hex. Without it, base64 for fastly and hex for others."`
}

// Help is the command's example.
func (keysIssueDelivery) Help() string {
	return "The key waits until frontdesk keys activate, so that the other side can be told before: " +
		"standard output has the secret (hex; for fastly base64), or for cloudfront the " +
		"public key, for a key group. It is kept sealed: the database alone signs nothing. " +
		"With the form ed25519 the site's key signs (frontdesk keys rotate site).\n\n" +
		"Examples:\n\n\tfrontdesk keys issue delivery premium-cdn\n" +
		"\tfrontdesk keys issue delivery premium-cdn --key-pair-id K2JCJMDEHXQW5F --secret-file private.pem"
}

// Run makes a key, or takes one.
func (c keysIssueDelivery) Run(env *command.Environment) error {
	program, loaded, err := command.OpenKeys(env, c.ConfigFlags, true)
	if err != nil {
		return err
	}
	defer program.Close()
	at := slices.IndexFunc(loaded.Config.RAMP.Delivery, func(d delivery.OutletSettings) bool {
		return d.Name == c.Name
	})
	if at < 0 {
		return command.Usage("there is no %q in ramp.delivery of the configuration; add it there first",
			command.Clean(c.Name))
	}
	form := sign.URLForm(loaded.Config.RAMP.Delivery[at].Form)
	if form == sign.URLEd25519 {
		return command.Usage(
			"addresses of %s are signed with the site's key; `frontdesk keys rotate site` makes another", c.Name)
	}
	secret, err := c.secret(env, form)
	if err != nil {
		return err
	}
	made, shown, err := program.Deliveries.Issue(env.Ctx, c.Name, form, c.KeyPairID, secret)
	if err != nil {
		return err
	}
	fmt.Fprintf(env.Stderr,
		"The key %s for %s waits. Tell the other side, and then run `frontdesk keys activate %s`.\n", made.ID,
		made.Place, made.ID)
	if shown == "" {
		return nil
	}
	if form != sign.URLCloudFront {
		fmt.Fprintln(env.Stderr, "Its secret is shown this once:")
	}
	env.Print("%s\n", shown)
	return nil
}

// secret is the secret part to take, nil to make one.
func (c keysIssueDelivery) secret(env *command.Environment, form sign.URLForm) ([]byte, error) {
	if c.SecretFile == "" {
		return nil, nil
	}
	text, err := command.ReadKeyFile(env, c.SecretFile)
	if err != nil {
		return nil, err
	}
	return identity.ParseDeliverySecret(form, text, c.Encoding)
}

type keysActivate struct {
	command.ConfigFlags
	ID        string        `arg:"" name:"id" help:"The id of a delivery key that waits, as frontdesk keys list shows it."`
	KeyPairID string        `name:"key-pair-id" placeholder:"ID" help:"For cloudfront: the id that CloudFront gave the public key."`
	Grace     time.Duration `default:"1h" placeholder:"SPAN" help:"How long the key before it is still kept as good, a day at the most; 0s ends it at once."`
}

// Help is the command's example.
func (keysActivate) Help() string {
	return "The key signs all addresses of its place from now on, for 90 days at the most; " +
		"servers that run take it within a second.\n\n" +
		"Example:\n\n\tfrontdesk keys activate url_cd6kcyi7ssil --key-pair-id K2JCJMDEHXQW5F"
}

// Run activates a key.
func (c keysActivate) Run(env *command.Environment) error {
	program, err := command.NeedKeys(env, c.ConfigFlags, c.ID)
	if err != nil {
		return err
	}
	defer program.Close()
	key, err := program.Deliveries.Activate(env.Ctx, c.ID, c.KeyPairID, c.Grace)
	if err != nil {
		return err
	}
	env.Print("The key %s signs the addresses of %s from now on, until %s at the latest.\n", key.ID, key.Place,
		command.Day(&key.Ends))
	return nil
}
