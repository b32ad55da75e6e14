// Package owner has the commands by which the owner of a front desk runs it: keys, terms, the
// ledger, and who may buy and sell. They open the database themselves, beside a server that may
// run.
package owner

import (
	"bufio"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"frontdesk/internal/app"
	"frontdesk/internal/cli/command"
	"frontdesk/internal/identity"
	"frontdesk/internal/identity/keyring"
	"frontdesk/internal/infra/ratelimit"
	"frontdesk/internal/operator/access"
)

// Keys has the commands for keys of every kind.
type Keys struct {
	Issue    keysIssue    `cmd:"" help:"Make a key, or take one that was made elsewhere."`
	Rotate   keysRotate   `cmd:"" help:"Make a key that follows another: the site's, a platform's, an edge's or an API key."`
	Activate keysActivate `cmd:"" help:"Have a delivery key sign addresses from now on."`
	Revoke   keysRevoke   `cmd:"" help:"End a key for good."`
	Suspend  keysSuspend  `cmd:"" help:"Let a key in no longer, until it is resumed: an API key, a platform's, a person's or a buyer's."`
	Resume   keysResume   `cmd:"" help:"Let a key in again that was suspended."`
	List     keysList     `cmd:"" help:"List all keys, without their secrets."`
	Agent    keysAgent    `cmd:"" help:"Make and rotate the keys of an agent of yours, and print the document that publishes them (RAMP v1)."`
	Hash     keysHash     `cmd:"" help:"Print the hash of a key on standard input, for auth.keys of the configuration."`
}

type keysIssue struct {
	API      keysIssueAPI      `cmd:"" name:"api" help:"An API key, which opens doors such as ask and mcp."`
	Delivery keysIssueDelivery `cmd:"" help:"A key that signs the addresses at which somebody else, such as a CDN, delivers what was bought (RAMP v1)."`
	Edge     keysIssueEdge     `cmd:"" help:"A key with which an edge signs what it tells of its deliveries (RAMP v1)."`
	Platform keysIssuePlatform `cmd:"" help:"A key with which a platform signs its requests (Agentic Intent Protocol)."`
}

// ends is when a key ends that is good for a span; zero for no span.
func ends(span time.Duration) (time.Time, error) {
	switch {
	case span < 0:
		return time.Time{}, command.Usage("--expires %s is over already", span)
	case span == 0:
		return time.Time{}, nil
	}
	return time.Now().UTC().Add(span).Truncate(time.Second), nil
}

type keysIssueAPI struct {
	command.ConfigFlags
	Name    string        `arg:"" help:"What you call the key's holder."`
	Door    []string      `placeholder:"NAME" help:"A door that the key opens: ask, mcp or intake; or one of the operator's own, admin and reports; or provider:HOST, what was sold of a host; may be repeated. Without it, all but the operator's."`
	Rate    string        `placeholder:"RATE" help:"The key's own limit, such as 600/1m, in place of limits.rate.key."`
	Expires time.Duration `placeholder:"SPAN" help:"How long the key is good, such as 720h. Without it, until it is revoked."`
	JSON    bool          `name:"json" help:"Print the key with its secret as a JSON object."`
}

// Help is the command's example.
func (keysIssueAPI) Help() string {
	return "The key goes to standard output and is kept nowhere: only its hash is. " +
		"A server that runs takes it at once.\n\n" +
		"Example:\n\n\tfrontdesk keys issue api \"Example Agents Inc.\" --door ask --rate 600/1m --expires 2160h"
}

// Run makes a key.
func (c keysIssueAPI) Run(env *command.Environment) error {
	for _, door := range c.Door {
		if !app.IsDoor(door) {
			return command.Usage("--door %s: there is no such door; there are %s", door,
				strings.Join(app.Doors(), ", "))
		}
	}
	if _, err := ratelimit.ParseRate(c.Rate); err != nil {
		return command.Usage("--rate %v", err)
	}
	key := identity.Key{Name: command.Clean(c.Name), Scopes: c.Door, Rate: c.Rate}
	if key.Name == "" {
		return command.Usage("give the key's holder a name")
	}
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
	if c.JSON {
		return printKey(env, program, keyring.API, made.ID, text)
	}
	showAPIKey(env, made, text)
	if len(loaded.Config.Auth.Required) == 0 {
		fmt.Fprintln(env.Stderr,
			"No door needs a key yet; set auth.required in the configuration to close those that should.")
	}
	return nil
}

func showAPIKey(env *command.Environment, key identity.Key, text string) {
	fmt.Fprintf(env.Stderr, "The key %s for %q is shown this once:\n", key.ID, key.Name)
	env.Print("%s\n", text)
}

type keysIssuePlatform struct {
	command.ConfigFlags
	Platform  string        `arg:"" help:"The platform's id, as platform.id of its requests has it."`
	Role      []string      `placeholder:"ROLE" help:"What the key is for, retrieve or event; may be repeated. Without it, both."`
	MaxChunks int           `placeholder:"N" help:"The most passages of an answer under this key, where that is less than what holds for everybody."`
	MaxTokens int           `placeholder:"N" help:"The most tokens of an answer under this key, where that is less than what holds for everybody."`
	Rate      string        `placeholder:"RATE" help:"The key's own limit, such as 20/1s, where that is less than what holds for everybody."`
	NotBefore time.Time     `placeholder:"TIME" help:"When the key begins to be good, such as 2027-01-01T00:00:00Z. Without it, now."`
	Expires   time.Duration `placeholder:"SPAN" help:"How long the key is good from now, such as 2160h. Without it, until it is revoked."`

	ID         string `name:"id" placeholder:"ID" help:"The key's id, where a registry gave it one."`
	SecretFile string `placeholder:"FILE" help:"Take the secret from a file, or from standard input with -, instead of making one."`
	Encoding   string `enum:"text,base64,hex" default:"text" help:"How the secret is written in the file: text (its bytes are the secret), base64 or hex."`
	JSON       bool   `name:"json" help:"Print the key with its secret as a JSON object."`
}

// Help is the command's example.
func (keysIssuePlatform) Help() string {
	return "The secret goes to standard output, once; the bytes of that text are the key of HMAC-SHA256. " +
		"It is kept sealed: the database alone gives no secret. " +
		"A server that runs takes the key at once.\n\n" +
		"Examples:\n\n\tfrontdesk keys issue platform example-search --role retrieve --role event " +
		"--max-chunks 3 --rate 20/1s\n" +
		"\tfrontdesk keys issue platform example-search --id plat_live_92xk --secret-file registry.txt"
}

// Run makes a key, or takes one.
func (c keysIssuePlatform) Run(env *command.Environment) error {
	if _, err := ratelimit.ParseRate(c.Rate); err != nil {
		return command.Usage("--rate %v", err)
	}
	if c.ID == siteKey {
		return command.Usage("--id %s: that is what the site's own key is called here; choose another", c.ID)
	}
	key := identity.PlatformKey{
		ID: c.ID, Platform: c.Platform, Roles: c.Role, NotBefore: c.NotBefore.UTC(), MaxChunks: c.MaxChunks,
		MaxTokens: c.MaxTokens, Rate: c.Rate,
	}
	if len(key.Roles) == 0 {
		key.Roles = identity.Roles
	}
	if c.NotBefore.IsZero() {
		key.NotBefore = time.Time{}
	}
	var err error
	if key.NotAfter, err = ends(c.Expires); err != nil {
		return err
	}
	secret, err := c.secret(env)
	if err != nil {
		return err
	}
	program, _, err := command.OpenKeys(env, c.ConfigFlags, true)
	if err != nil {
		return err
	}
	defer program.Close()
	made, text, err := program.Platforms.Issue(env.Ctx, key, secret)
	if err != nil {
		return err
	}
	if c.JSON {
		if made.Imported {
			text = nil // it is known already
		}
		return printKey(env, program, keyring.Platform, made.ID, string(text))
	}
	showPlatformKey(env, made, text)
	return nil
}

// printKey prints a key that was made as JSON, with its secret.
func printKey(env *command.Environment, program *app.App, kind, id, secret string) error {
	key, err := access.ShowKey{KeyName: access.KeyName{ID: id, Kind: kind}}.Do(env.Ctx, program.Operator())
	key.Secret = secret
	if err != nil {
		return err
	}
	return command.PrintJSON(env, key)
}

// secret is the secret to take, nil to make one.
func (c keysIssuePlatform) secret(env *command.Environment) ([]byte, error) {
	if c.SecretFile == "" {
		return nil, nil
	}
	text, err := command.ReadKeyFile(env, c.SecretFile)
	if err != nil {
		return nil, err
	}
	line := strings.TrimRight(string(text), "\r\n")
	secret := []byte(line)
	switch c.Encoding {
	case "base64":
		secret, err = base64.RawStdEncoding.DecodeString(
			strings.TrimRight(strings.NewReplacer("-", "+", "_", "/").Replace(line), "="))
	case "hex":
		secret, err = hex.DecodeString(line)
	}
	if err != nil {
		return nil, command.Usage("the secret in %s is no %s; see --encoding", c.SecretFile, c.Encoding)
	}
	return secret, nil
}

// showPlatformKey prints a key that was made, with its secret; that of one that was taken is known
// already.
func showPlatformKey(env *command.Environment, key identity.PlatformKey, secret []byte) {
	if key.Imported {
		env.Print("The key %s for the platform %q is taken over.\n", key.ID, key.Platform)
		return
	}
	fmt.Fprintf(env.Stderr, "The key %s for the platform %q; its secret is shown this once:\n", key.ID, key.Platform)
	env.Print("%s\n", secret)
}

// siteKey is what the site's own key is called on the command line.
const siteKey = "site"

// addressKey is what the secret of the addresses is called on the command line at which this front
// desk itself delivers.
const addressKey = "deliver"

// verifierKey is what the keys are called on the command line with which the sites attest things of
// their content.
const verifierKey = "verifier"

// botKey is what the keys are called on the command line with which what is asked of others is
// signed.
const botKey = "bot"

// DefaultOverlap is how long a key that is followed by another stays good.
const DefaultOverlap = "168h"

type keysRotate struct {
	command.ConfigFlags
	ID      string        `arg:"" name:"id" help:"site for the key that this front desk signs with; verifier for that with which it attests its content; bot for that with which it signs what it asks of others; deliver for the secret of its addresses at /deliver/; or a key's id, as frontdesk keys list shows it."`
	Overlap time.Duration `default:"${overlap}" placeholder:"SPAN" help:"How long the old key stays good (of the site's: signs beside the new one); 0s ends it at once."`
}

// Help is the command's example.
func (keysRotate) Help() string {
	return "Servers that run take the new key within a second. A new key of a platform, or API key, " +
		"has all that the old one has but its secret, " +
		"which goes to standard output, once.\n\n" +
		"Examples:\n\n\tfrontdesk keys rotate site\n\tfrontdesk keys rotate deliver\n" +
		"\tfrontdesk keys rotate plat_cd6kcyi7ssil --overlap 24h"
}

// Run makes a key that follows another.
func (c keysRotate) Run(env *command.Environment) error {
	if c.Overlap < 0 {
		return command.Usage("--overlap %s is less than nothing", c.Overlap)
	}
	switch c.ID {
	case siteKey:
		return c.rotateSite(env)
	case verifierKey:
		return c.rotateVerifier(env)
	case addressKey:
		return c.rotateAddresses(env)
	case botKey:
		return c.rotateBot(env)
	}
	program, err := command.NeedKeys(env, c.ConfigFlags, c.ID)
	if err != nil {
		return err
	}
	defer program.Close()
	made, secret, err := program.Platforms.Rotate(env.Ctx, c.ID, c.Overlap)
	if err == nil {
		c.tell(env, c.ID)
		showPlatformKey(env, madeHere(made), secret)
		return nil
	}
	if !command.IsNotFound(err) {
		return err
	}
	edge, signs, err := program.Edges.Rotate(env.Ctx, c.ID, c.Overlap)
	if err == nil {
		c.tell(env, c.ID)
		showEdgeKey(env, edge, signs)
		return nil
	}
	if !command.IsNotFound(err) {
		return err
	}
	text, key, err := program.Keys.Rotate(env.Ctx, c.ID, c.Overlap)
	if err != nil {
		return err
	}
	c.tell(env, c.ID)
	showAPIKey(env, key, text)
	return nil
}

// madeHere is a key whose secret was made here, whoever made that of the key before it.
func madeHere(key identity.PlatformKey) identity.PlatformKey {
	key.Imported = false
	return key
}

// tell says what becomes of the old key.
func (c keysRotate) tell(env *command.Environment, old string) {
	if c.Overlap == 0 {
		fmt.Fprintf(env.Stderr, "The key %s opens nothing any more.\n", old)
		return
	}
	fmt.Fprintf(env.Stderr, "The key %s stays good for %s at the most.\n", old, c.Overlap)
}

func (c keysRotate) rotateSite(env *command.Environment) error {
	program, loaded, err := command.OpenKeys(env, c.ConfigFlags, true)
	if err != nil {
		return err
	}
	defer program.Close()
	made, err := program.SiteKeys.Rotate(c.Overlap)
	if err != nil {
		return err
	}
	env.Print("The site signs with the key %s from now on (%s).\n", made.ID, loaded.Config.KeyFolder())
	if made.Number > 1 && c.Overlap > 0 {
		env.Print("The one before it signs beside it for %s.\n", c.Overlap)
	}
	fmt.Fprintln(env.Stderr,
		"Nodes that have a copy of the folder of secrets, instead of sharing it, need the new file, too.")
	return nil
}

// rotateVerifier makes another key with which the sites attest things of their content.
func (c keysRotate) rotateVerifier(env *command.Environment) error {
	program, loaded, err := command.OpenKeys(env, c.ConfigFlags, true)
	if err != nil {
		return err
	}
	defer program.Close()
	made, err := program.VerifierKeys.Rotate(c.Overlap)
	if err != nil {
		return err
	}
	env.Print("What is attested from now on is signed with the key %s (%s).\n", made.ID, loaded.Config.KeyFolder())
	if made.Number > 1 && c.Overlap > 0 {
		env.Print("What the one before it signed holds for %s.\n", c.Overlap)
	}
	return nil
}

// rotateBot makes another key with which what is asked of others is signed.
func (c keysRotate) rotateBot(env *command.Environment) error {
	loaded, err := c.Load(env, nil)
	if err != nil {
		return err
	}
	keys, err := identity.OpenBotKeys(loaded.Config.KeyFolder(), nil)
	if err != nil {
		return err
	}
	made, err := keys.Rotate(c.Overlap)
	if err != nil {
		return err
	}
	own, err := loaded.Config.OwnAgent(nil)
	switch {
	case err != nil:
		return err
	case own == nil:
		env.Print("The key %s is made (%s).\n", made.ID, loaded.Config.KeyFolder())
		fmt.Fprintln(env.Stderr, "Nothing is signed with it: that needs agents.sign, and an https address in url.")
		return nil
	}
	env.Print("The key %s is published at %s.\n", made.ID, own.Address())
	if signs := own.SignsFrom(made); signs.After(made.Created) {
		env.Print("It signs from %s on; until then the key before it does.\n", signs.Local().Format(time.TimeOnly))
	}
	fmt.Fprintln(env.Stderr,
		"Nodes that have a copy of the folder of secrets, instead of sharing it, need the new file, too.")
	return nil
}

// rotateAddresses makes another secret for the addresses at which this front desk itself delivers.
func (c keysRotate) rotateAddresses(env *command.Environment) error {
	program, loaded, err := command.OpenKeys(env, c.ConfigFlags, true)
	if err != nil {
		return err
	}
	defer program.Close()
	grace := min(c.Overlap, identity.DeliveryKeyGrace) // no address opens for longer
	name, err := program.RotateAddresses(env.Ctx, grace)
	if err != nil {
		return err
	}
	env.Print("The secret %s signs the addresses at /deliver/ from now on (%s).\n", name, loaded.Config.KeyFolder())
	if grace > 0 {
		env.Print("Addresses that the one before it signed open as long as they would have.\n")
	} else {
		env.Print("Addresses that others signed open nothing any more; who has bought something asks for it " +
			"once more, under the same id.\n")
	}
	fmt.Fprintln(env.Stderr,
		"Nodes that have a copy of the folder of secrets, instead of sharing it, need the new file, too.")
	return nil
}

// ofSite says whether an id is that of a key of the site.
func ofSite(program *app.App, id string) bool {
	return slices.ContainsFunc(program.SiteKeys.Keys(), func(k identity.SiteKey) bool { return k.ID == id })
}

type keysRevoke struct {
	command.ConfigFlags
	keyName
}

// Run ends a key.
func (c keysRevoke) Run(env *command.Environment) error {
	if c.ID == siteKey {
		return command.Usage(
			"the site's key cannot be without a follower; `frontdesk keys rotate site --overlap 0s` ends it at once")
	}
	program, err := command.NeedKeys(env, c.ConfigFlags, c.ID)
	if err != nil {
		return err
	}
	defer program.Close()
	if ofSite(program, c.ID) {
		return command.Usage("%s is a key of the site; `frontdesk keys rotate site --overlap 0s` makes "+
			"another, and ends all that sign", c.ID)
	}
	in := access.RevokeKey{KeyName: access.KeyName{ID: c.ID, Kind: c.Kind}}
	key, err := in.Do(env.Ctx, program.Operator())
	if err == nil {
		env.Print("%s\n", command.Clean(in.Say(key)))
	}
	return err
}

type keysSuspend struct {
	command.ConfigFlags
	keyName
}

// Run suspends a key.
func (c keysSuspend) Run(env *command.Environment) error {
	return c.set(env, c.ConfigFlags, "suspended",
		"The key %s opens nothing until it is resumed; servers that run know it within a second.\n")
}

type keysResume struct {
	command.ConfigFlags
	keyName
}

// Run resumes a key.
func (c keysResume) Run(env *command.Environment) error {
	return c.set(env, c.ConfigFlags, "active",
		"The key %s is let in again; servers that run know it within a second.\n")
}

// keyName names a key.
type keyName struct {
	ID   string `arg:"" name:"id" help:"The key's id, as frontdesk keys list shows it."`
	Kind string `placeholder:"KIND" help:"The key's kind, where keys of several kinds have the id."`
}

func (c keyName) set(env *command.Environment, flags command.ConfigFlags, state, told string) error {
	program, err := command.NeedKeys(env, flags, c.ID)
	if err != nil {
		return err
	}
	defer program.Close()
	in := access.ChangeKey{KeyName: access.KeyName{ID: c.ID, Kind: c.Kind}, State: state}
	if _, err := in.Do(env.Ctx, program.Operator()); err != nil {
		return err
	}
	env.Print(told, command.Clean(c.ID))
	return nil
}

type keysList struct {
	command.ConfigFlags
	JSON bool `help:"Print a JSON array."`
}

// Run lists the keys.
func (c keysList) Run(env *command.Environment) error {
	keys, err := c.keys(env)
	if err != nil {
		return err
	}
	if c.JSON {
		return command.PrintJSON(env, keys)
	}
	if len(keys) == 0 {
		env.Print(
			"There are no keys. Make one with `frontdesk keys issue api NAME` or `frontdesk keys issue platform ID`.\n")
		return nil
	}
	table := tabwriter.NewWriter(env.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "KIND\tID\tHOLDER\tSTATE\tFOR\tRATE\tCHUNKS\tTOKENS\tCREATED\tENDS\tUSED")
	for _, key := range keys {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", key.Kind, command.Clean(key.ID),
			command.OrElse(command.Clean(key.Holder()), "-"), key.State, opens(key),
			command.OrElse(key.Rate, "-"), command.Figure(key.MaxChunks), command.Figure(key.MaxTokens),
			command.Day(command.Instant(key.Created)), command.Day(key.Ends), command.OrElse(key.LastUsed, "-"))
	}
	return table.Flush()
}

// opens is what a key is for.
func opens(key keyring.Key) string {
	switch key.Kind {
	case keyring.Site, keyring.Agent, keyring.Verifier, keyring.Bot:
		return "-"
	case keyring.Delivery:
		return key.Form
	}
	return command.OrElse(command.Clean(strings.Join(slices.Concat(key.Doors, key.Roles, key.Sites), ",")), "all")
}

// keys are all keys.
func (c keysList) keys(env *command.Environment) ([]keyring.Key, error) {
	program, loaded, err := command.OpenKeys(env, c.ConfigFlags, false)
	if err != nil {
		return nil, err
	}
	if program != nil {
		defer program.Close()
		list, err := access.ListKeys{}.Do(env.Ctx, program.Operator())
		return list.Keys, err
	}
	// There is no database, and so no key of others.
	ring := keyring.Ring{Own: map[string]*identity.SiteKeys{}, Now: time.Now}
	for kind, open := range map[string]func(string, func() time.Time) (*identity.SiteKeys, error){
		keyring.Site: identity.OpenSiteKeys, keyring.Agent: identity.OpenAgentKeys,
		keyring.Verifier: identity.OpenVerifierKeys, keyring.Bot: identity.OpenBotKeys,
	} {
		if ring.Own[kind], err = open(loaded.Config.KeyFolder(), nil); err != nil {
			return nil, err
		}
	}
	return ring.List(env.Ctx, keyring.Filter{})
}

type keysHash struct{}

// leastKey is how long a key that somebody thought of must be.
const leastKey = 20

// Run prints a hash. The key comes by standard input, since arguments can be seen by other users of
// the machine.
func (keysHash) Run(env *command.Environment) error {
	line, _ := bufio.NewReader(env.Stdin).ReadString('\n')
	key := strings.TrimSpace(line)
	if len(key) < leastKey {
		return command.Usage(
			"write the key to standard input, at least %d characters; for a new one: openssl rand -hex 20", leastKey)
	}
	env.Print("%s\n", identity.Hash(key))
	return nil
}
