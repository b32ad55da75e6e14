package agent

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"frontdesk/biscuit"
	"frontdesk/internal/cli/command"
	"frontdesk/internal/identity/requesters"
	"frontdesk/wire/ramp"
	rampv1 "frontdesk/wire/ramp/v1"
)

// Delegate has the commands for delegation tokens.
type Delegate struct {
	Mint        delegateMint        `cmd:"" help:"Let somebody buy for you: make a token, signed with your agent's key."`
	Attenuate   delegateAttenuate   `cmd:"" help:"Narrow a token before you hand it on; nobody has to be asked."`
	Inspect     delegateInspect     `cmd:"" help:"See what a token says, and its ids, which revoke it."`
	Revoke      delegateRevoke      `cmd:"" help:"As an Exchange: take no more of a token, and of all that was narrowed from it."`
	Revocations delegateRevocations `cmd:"" help:"As an Exchange: list the revocations."`
}

type delegateMint struct {
	command.ConfigFlags
	As          string        `placeholder:"DOMAIN/ID" help:"The principal: the domain that publishes the key, and its id. Without it, the domain of url and ramp.agent.id."`
	Scope       []string      `placeholder:"SCOPE" help:"A scope to delegate, such as news.example:premium, news:* or subscription:ID; may be repeated. Without one, what is open to everybody can be bought."`
	For         time.Duration `default:"720h" placeholder:"SPAN" help:"For how long."`
	MaxSpend    string        `placeholder:"AMOUNT" help:"The most that may be spent, like 50.00USD."`
	MaxAccesses int           `placeholder:"NUMBER" help:"The most purchases."`
	Period      time.Duration `placeholder:"SPAN" help:"After how long spending and purchases are counted anew, in whole hours, such as 24h. Without it, never."`
	Holder      string        `placeholder:"KEY" help:"Bind the token to this Ed25519 public key of who is to use it: in base64, or @FILE with one or with a ramp-agent.json. Without it, whoever has the token can use it."`
	Revocation  string        `name:"revocation-uri" placeholder:"URL" help:"Where you publish what you have revoked, as {\"revoked\": [ids]}."`
	Datalog     []string      `sep:"none" placeholder:"TEXT" help:"More for the token, such as: check if operation(\"discover\"); may be repeated."`
}

// Help is the command's example.
func (delegateMint) Help() string {
	return "The delegation goes to standard output: keep it secret where it is not bound to a key. " +
		"The key is that of `frontdesk keys agent`, which your domain has to publish.\n\n" +
		"Example:\n\n\tfrontdesk ramp delegate mint --scope news.example:premium --max-spend 50.00USD --period 24h " +
		"--holder @bot.json > delegation.json"
}

// Run mints a token.
func (c delegateMint) Run(env *command.Environment) error {
	buyer, err := BuyerFlags{ConfigFlags: c.ConfigFlags, As: c.As}.AsBuyer(env)
	if err != nil {
		return err
	}
	until := time.Now().Add(c.For).UTC().Truncate(time.Second)
	switch {
	case c.For < time.Second:
		return command.Usage("--for %s is no time that a delegation could last", c.For)
	case c.Period%time.Hour != 0 || c.Period < 0:
		return command.Usage("--period %s is no number of whole hours", c.Period)
	case c.MaxAccesses < 0 || c.MaxAccesses > math.MaxInt32:
		return command.Usage("--max-accesses %d is no number of purchases", c.MaxAccesses)
	}
	d := &rampv1.Delegation{PrincipalDomain: buyer.Domain, PrincipalId: buyer.ID, Scopes: c.Scope,
		ExpiresAt: timestamppb.New(until), TokenFormat: "biscuit-v2"}
	source, err := c.source(env, d)
	if err != nil {
		return err
	}
	token, err := biscuit.Mint(buyer.Key, rand.Reader, source)
	if err != nil {
		return err
	}
	d.Token = token.Text()
	return printDelegation(env, d)
}

// source is the authority block, whose copies it writes beside it.
func (c delegateMint) source(env *command.Environment, d *rampv1.Delegation) (*biscuit.Source, error) {
	source, err := datalog(c.Datalog)
	if err != nil {
		return nil, err
	}
	facts := [][]any{{"user", d.PrincipalId}, {"expires", d.ExpiresAt.AsTime().Format(time.RFC3339)}}
	for _, scope := range c.Scope {
		facts = append(facts, []any{"scope", scope})
	}
	if c.MaxSpend != "" {
		cents, most, err := spending(c.MaxSpend)
		if err != nil {
			return nil, err
		}
		facts, d.MaxSpend = append(facts, []any{"max_spend_cents", cents}), most
	}
	if c.MaxAccesses > 0 {
		most := int32(c.MaxAccesses)
		facts, d.MaxAccesses = append(facts, []any{"max_accesses", c.MaxAccesses}), &most
	}
	if c.Period > 0 {
		facts, d.QuotaPeriod = append(facts, []any{"quota_period_hours", int64(c.Period / time.Hour)}),
			durationpb.New(c.Period)
	}
	if c.Holder != "" {
		key, err := holderKey(env, c.Holder)
		if err != nil {
			return nil, err
		}
		facts = append(facts, []any{"holder", []byte(key)})
	}
	if c.Revocation != "" {
		facts, d.RevocationUri = append(facts, []any{"revocation_uri", c.Revocation}), &c.Revocation
	}
	for _, fact := range facts {
		if err := source.Add(fact[0].(string), fact[1:]...); err != nil {
			return nil, err
		}
	}
	return source, nil
}

// datalog reads what a command was told to put into a block.
func datalog(texts []string) (*biscuit.Source, error) {
	var all strings.Builder
	for _, text := range texts {
		all.WriteString(strings.TrimRight(strings.TrimSpace(text), ";") + ";\n")
	}
	source, err := biscuit.ParseSource(all.String())
	if err != nil {
		return nil, command.Usage("%v", err)
	}
	return source, nil
}

// spending reads the most that may be spent, in minor units and as it is repeated beside the token.
func spending(text string) (int64, *rampv1.Cost, error) {
	parts := isPrice.FindStringSubmatch(text)
	if parts == nil {
		return 0, nil, command.Usage("--max-spend %s is no amount; write it with its currency, like 50.00USD", text)
	}
	amount, err := command.ParseMoney(parts[1])
	const cent = 1_000_000 // in units of 1e-8
	if err == nil && amount%cent != 0 {
		err = command.Usage("--max-spend %s is no whole number of cents", text)
	}
	return amount / cent, &rampv1.Cost{Amount: float64(amount/cent) / 100, Currency: strings.ToUpper(parts[2])}, err
}

func holderKey(env *command.Environment, text string) (ed25519.PublicKey, error) {
	keys, err := command.ReadPublicKeys(env, text)
	switch {
	case err != nil:
		return nil, command.Usage("--holder %v", err)
	case len(keys) == 0:
		return nil, command.Usage("--holder names a document without an Ed25519 key")
	}
	return keys[0].Public, nil // the newest
}

func printDelegation(env *command.Environment, d *rampv1.Delegation) error {
	text, err := ramp.Marshal(d)
	if err == nil {
		env.Print("%s\n", text)
	}
	return err
}

type delegateAttenuate struct {
	File      string    `arg:"" help:"The delegation, or - for standard input."`
	Scope     []string  `placeholder:"SCOPE" help:"Leave this scope alone; may be repeated, for one of them."`
	MaxSpend  string    `placeholder:"AMOUNT" help:"The most that may be spent under the new token, like 5.00USD."`
	Until     time.Time `placeholder:"TIME" help:"When it ends, such as 2027-01-01T00:00:00Z."`
	Resource  []string  `placeholder:"URL" help:"Good for items whose address begins so; may be repeated, for one of them."`
	Operation string    `enum:",discover,transact" default:"" placeholder:"WORD" help:"Good for discover or transact alone."`
	Holder    string    `placeholder:"KEY" help:"Bind it to this Ed25519 public key: in base64, or @FILE with one or with a ramp-agent.json."`
	Datalog   []string  `sep:"none" placeholder:"TEXT" help:"More checks, such as: check if spend_cents($n), $n <= 200; may be repeated."`
	Seal      bool      `help:"Let nobody narrow it further."`
}

// Help is the command's example.
func (delegateAttenuate) Help() string {
	return "What is spent under the new token counts under the old one, too.\n\n" +
		"Example:\n\n\tfrontdesk ramp delegate attenuate delegation.json --scope credit:read --max-spend 2.00USD " +
		"--resource https://www.example.com/reports/ > narrow.json"
}

// Run narrows a token.
func (c delegateAttenuate) Run(env *command.Environment) error {
	d, token, err := readDelegation(env, c.File)
	if err != nil {
		return err
	}
	source, narrows, err := c.source(env, d)
	if err != nil {
		return err
	}
	if narrows {
		if token, err = token.Attenuate(rand.Reader, source); err != nil {
			return err
		}
	}
	if c.Seal {
		if token, err = token.Seal(); err != nil {
			return err
		}
	}
	if !narrows && !c.Seal {
		return command.Usage("there is nothing to narrow; say what with --scope, --max-spend, --until, --resource, " +
			"--operation, --holder or --datalog")
	}
	d.Token = token.Text()
	if d.PrincipalDomain == "" { // it was a token alone
		env.Print("%s\n", d.Token)
		return nil
	}
	return printDelegation(env, d)
}

// source is the new block, and whether it has anything in it. The copies beside the token are
// narrowed with it.
func (c delegateAttenuate) source(env *command.Environment,
	d *rampv1.Delegation) (source *biscuit.Source, narrows bool, err error) {
	checks := c.Datalog
	if len(c.Scope) > 0 {
		checks = append(checks, "check if "+oneOf(`scope(%s)`, c.Scope))
		if len(d.Scopes) > 0 {
			d.Scopes = biscuit.NarrowScopes(d.Scopes, c.Scope)
		}
	}
	if c.MaxSpend != "" {
		cents, most, err := spending(c.MaxSpend)
		if err != nil {
			return nil, false, err
		}
		checks = append(checks, fmt.Sprintf("check if max_spend_cents($v), $v <= %d", cents))
		if d.MaxSpend == nil || most.Amount < d.MaxSpend.Amount {
			d.MaxSpend = most
		}
	}
	if !c.Until.IsZero() {
		checks = append(checks, "check if time($t), $t < "+c.Until.UTC().Format(time.RFC3339))
		if at := c.Until.Truncate(time.Second); d.ExpiresAt == nil || at.Before(d.ExpiresAt.AsTime()) {
			d.ExpiresAt = timestamppb.New(at)
		}
	}
	if len(c.Resource) > 0 {
		checks = append(checks, "check if "+oneOf(`resource($r), $r.starts_with(%s)`, c.Resource))
	}
	if c.Operation != "" {
		checks = append(checks, "check if operation("+biscuit.Quote(c.Operation)+")")
	}
	if source, err = datalog(checks); err != nil {
		return nil, false, err
	}
	if c.Holder != "" {
		key, err := holderKey(env, c.Holder)
		if err != nil {
			return nil, false, err
		}
		if err := source.Add("holder", []byte(key)); err != nil {
			return nil, false, err
		}
	}
	return source, len(checks) > 0 || c.Holder != "", nil
}

// oneOf writes queries of which one must hold.
func oneOf(query string, values []string) string {
	var all []string
	for _, value := range values {
		all = append(all, fmt.Sprintf(query, biscuit.Quote(value)))
	}
	return strings.Join(all, " or ")
}

// readDelegation reads a file with a delegation, or with a token alone, which makes one without
// anything else.
func readDelegation(env *command.Environment, name string) (*rampv1.Delegation, *biscuit.Token, error) {
	text, err := command.ReadInput(env, name, 1<<20)
	if err != nil {
		return nil, nil, err
	}
	d := &rampv1.Delegation{Token: strings.TrimSpace(string(text))}
	if strings.HasPrefix(d.Token, "{") {
		if err := ramp.Unmarshal(text, d); err != nil {
			return nil, nil, fmt.Errorf("%s holds no delegation: %w", name, err)
		}
	}
	token, err := biscuit.ParseText(d.Token)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", name, err)
	}
	return d, token, nil
}

type delegateInspect struct {
	File string `arg:"" help:"The delegation, or the token alone, or - for standard input."`
	Key  string `placeholder:"KEY" help:"Verify it with this Ed25519 public key of the principal: in base64, or @FILE with one or with a ramp-agent.json."`
	JSON bool   `name:"json" help:"Print it as JSON."`
}

// shownDelegation is a token as JSON.
type shownDelegation struct {
	Principal  string       `json:"principal,omitempty"`
	Verified   *bool        `json:"verified,omitempty"` // nil where no key was given
	Users      []string     `json:"users"`
	Scopes     []string     `json:"scopes"`
	Scoped     bool         `json:"scoped"` // whether it speaks of scopes at all
	SpendCents *int64       `json:"max_spend_cents,omitempty"`
	Accesses   *int64       `json:"max_accesses,omitempty"`
	Period     string       `json:"quota_period,omitempty"`
	Expires    *time.Time   `json:"expires,omitempty"`
	Holder     string       `json:"holder,omitempty"` // hexadecimal digits
	Revocation string       `json:"revocation_uri,omitempty"`
	Sealed     bool         `json:"sealed"`
	Blocks     []shownBlock `json:"blocks"`
}

type shownBlock struct {
	ID         string `json:"revocation_id"`
	Version    int    `json:"version"`
	ThirdParty string `json:"third_party,omitempty"`
	Code       string `json:"code"`
}

// Run shows a token.
func (c delegateInspect) Run(env *command.Environment) error {
	d, token, err := readDelegation(env, c.File)
	if err != nil {
		return err
	}
	says, err := token.Says()
	if err != nil {
		return err
	}
	shown := shownDelegation{
		Users: append([]string{}, says.Users...), Scopes: append([]string{}, says.Scopes...), Scoped: says.Scoped,
		SpendCents: says.MaxSpendCents, Accesses: says.MaxAccesses, Expires: command.Instant(says.Expires),
		Holder: hex.EncodeToString(says.Holder), Revocation: says.Revocation, Sealed: token.Sealed(),
	}
	if d.PrincipalDomain != "" {
		shown.Principal = d.PrincipalDomain + "/" + d.PrincipalId
	}
	if says.Period > 0 {
		shown.Period = says.Period.String()
	}
	for _, b := range token.Blocks() {
		one := shownBlock{ID: hex.EncodeToString(b.RevocationID), Version: b.Version, Code: strings.TrimSpace(b.Code)}
		if b.ThirdParty != nil {
			one.ThirdParty = b.ThirdParty.String()
		}
		shown.Blocks = append(shown.Blocks, one)
	}
	var wrong error
	if c.Key != "" {
		wrong = c.verify(env, token)
		good := wrong == nil
		shown.Verified = &good
	}
	if c.JSON {
		if err := command.PrintJSON(env, shown); err != nil {
			return err
		}
		return wrong
	}
	shown.print(env)
	return wrong
}

func (c delegateInspect) verify(env *command.Environment, token *biscuit.Token) error {
	keys, err := command.ReadPublicKeys(env, c.Key)
	if err != nil {
		return command.Usage("--key %v", err)
	}
	err = errors.New("there is no Ed25519 key to verify it with")
	for _, key := range keys {
		root, bad := biscuit.NewPublicKey(biscuit.Ed25519, key.Public)
		if err = bad; err == nil {
			_, err = token.Verify(root)
		}
		if err == nil {
			return nil
		}
	}
	return err
}

// print shows a token to people. What a stranger wrote is made harmless.
func (s shownDelegation) print(env *command.Environment) {
	line := func(name, text string) {
		if text != "" {
			env.Print("%-10s %s\n", name, command.Clean(text))
		}
	}
	switch {
	case s.Verified == nil:
		line("signature", "not verified; give the principal's key with --key")
	case *s.Verified:
		line("signature", "good")
	default:
		line("signature", "NOT GOOD: the key did not sign this")
	}
	line("principal", command.OrElse(s.Principal, strings.Join(s.Users, ", ")))
	scopes := strings.Join(s.Scopes, ", ")
	switch {
	case !s.Scoped:
		scopes = "none are named: what is open to everybody"
	case scopes == "":
		scopes = "none are left: it is good for nothing"
	}
	line("scopes", scopes)
	if s.SpendCents != nil {
		line("spend", fmt.Sprintf("at most %d.%02d", *s.SpendCents/100, *s.SpendCents%100))
	}
	if s.Accesses != nil {
		line("purchases", fmt.Sprintf("at most %d", *s.Accesses))
	}
	line("period", s.Period)
	if s.Expires != nil {
		line("expires", s.Expires.Format(time.RFC3339))
	}
	if s.Holder != "" {
		line("holder", "bound to the key "+s.Holder)
	}
	line("asked at", s.Revocation)
	if s.Sealed {
		line("sealed", "it cannot be narrowed any more")
	}
	for i, b := range s.Blocks {
		name := "authority block"
		if i > 0 {
			name = fmt.Sprintf("block %d", i)
		}
		env.Print("\n%s (version %d), revoked by %s\n", name, b.Version, b.ID)
		line("  signed by", b.ThirdParty)
		for code := range strings.Lines(b.Code) {
			env.Print("  %s\n", command.Clean(strings.TrimRight(code, "\n")))
		}
	}
}

type delegateRevoke struct {
	command.ConfigFlags
	ID    string `arg:"" name:"id" help:"A revocation id, as inspect and the ledger show it, or @FILE with a delegation, whose authority block is revoked: everything that was ever narrowed from it."`
	Block int    `placeholder:"NUMBER" help:"With @FILE: revoke this block of it, and what was narrowed from that; 0 is the authority block."`
	Note  string `placeholder:"TEXT" help:"Why, for yourself."`
}

// Help is the command's example.
func (delegateRevoke) Help() string {
	return "A server that runs knows it within a second. It cannot be taken back: have a new token made.\n\n" +
		"Example:\n\n\tfrontdesk ramp delegate revoke @delegation.json --note \"lost on a train\""
}

// Run revokes a block.
func (c delegateRevoke) Run(env *command.Environment) error {
	text := c.ID
	if name, ofFile := strings.CutPrefix(c.ID, "@"); ofFile {
		_, token, err := readDelegation(env, name)
		if err != nil {
			return err
		}
		ids := token.RevocationIDs()
		if c.Block < 0 || c.Block >= len(ids) {
			return command.Usage("--block %d: the token has blocks 0 to %d", c.Block, len(ids)-1)
		}
		text = hex.EncodeToString(ids[c.Block])
	}
	id, err := requesters.ParseRevocationID(text)
	if err != nil {
		return err
	}
	program, err := command.OpenRequesters(env, c.ConfigFlags, true)
	if err != nil {
		return err
	}
	defer program.Close()
	if _, err := program.Requesters.Revoke(env.Ctx, id, c.Note); err != nil {
		return err
	}
	env.Print("Nothing is sold any more under %s, and under what was narrowed from it; "+
		"servers that run know it within a second.\n", hex.EncodeToString(id))
	return nil
}

type delegateRevocations struct {
	command.ConfigFlags
	JSON bool `name:"json" help:"Print {\"revoked\": [ids]}, which a principal can publish as it is."`
}

// Run lists what was revoked.
func (c delegateRevocations) Run(env *command.Environment) error {
	program, err := command.OpenRequesters(env, c.ConfigFlags, false)
	if err != nil {
		return err
	}
	revoked := []string{}
	if program != nil {
		defer program.Close()
		all, err := program.Requesters.Revocations(env.Ctx, 100_000)
		if err != nil {
			return err
		}
		if !c.JSON && len(all) > 0 {
			table := env.Table("REVOKED", "ID", "NOTE")
			for _, r := range all {
				fmt.Fprintf(table, "%s\t%s\t%s\n", r.Revoked.Format(time.RFC3339), hex.EncodeToString(r.ID),
					command.OrElse(command.Clean(r.Note), "-"))
			}
			return table.Flush()
		}
		for _, r := range all {
			revoked = append(revoked, hex.EncodeToString(r.ID))
		}
	}
	if c.JSON {
		text, err := json.Marshal(map[string][]string{"revoked": revoked})
		env.Print("%s\n", text)
		return err
	}
	env.Print("No delegation is revoked.\n")
	return nil
}
