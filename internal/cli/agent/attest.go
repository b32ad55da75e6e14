package agent

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"frontdesk/internal/app"
	"frontdesk/internal/cli/command"
	"frontdesk/internal/policy"
	"frontdesk/wire/contenthash"
	"frontdesk/wire/ramp"
	rampv1 "frontdesk/wire/ramp/v1"
	"frontdesk/wire/strictjson"
)

// Attest has the commands for attestations of content (RAMP v1).
type Attest struct {
	Mint   attestMint   `cmd:"" help:"Attest something of what is at an address, under the key of frontdesk keys or another."`
	Verify attestVerify `cmd:"" help:"See what an attestation says, and whether it holds."`
	Import attestImport `cmd:"" help:"As an Exchange: take over what others attest of your own items, so that offers tell it."`
}

type attestMint struct {
	command.ConfigFlags
	URI      string   `arg:"" name:"uri" help:"The address of the content, as offers name it."`
	File     string   `placeholder:"FILE" help:"The content, whose hash is claimed; - for standard input."`
	Method   string   `default:"sha256" enum:"sha256,simhash-v1" help:"How it is hashed: sha256 or simhash-v1."`
	Claim    []string `sep:"none" placeholder:"NAME=VALUE" help:"A claim, such as word_count=800 or title=Lamp; values are JSON, or text where they are none. May be repeated."`
	Claims   string   `placeholder:"FILE" help:"Claims as a JSON object; - for standard input."`
	Verifier string   `placeholder:"DOMAIN" help:"Who attests. Without it, the host of the address."`
	KeyFile  string   `placeholder:"FILE" help:"An Ed25519 private key in PEM that signs, for a verifier that is no front desk. Without it, the key of frontdesk keys."`
	Kid      string   `placeholder:"NAME" help:"What the verifier's document calls the key of --key-file."`
}

// Help is the command's example.
func (attestMint) Help() string {
	return "The attestation goes to standard output, as JSON. Claims of RAMP are estimated_quantity, word_count, " +
		"language, iab_categories, content_hash, hash_method and title. Others have to stand " +
		"in claims_schema of the verifier's ramp-verifier.json, so only --key-file takes them.\n\n" +
		"Example:\n\n" +
		"\tfrontdesk ramp attest mint https://www.example.com/lamp --file lamp.txt --claim word_count=5 > lamp.json"
}

// Run mints an attestation.
func (c attestMint) Run(env *command.Environment) error {
	claims, err := c.claims(env)
	if err != nil {
		return err
	}
	host, ok := policy.Host(c.URI)
	if !ok || host == "" {
		return command.Usage("%s is no address of the web; write it like https://www.example.com/lamp", c.URI)
	}
	a := &rampv1.ResourceAttestation{Verifier: c.Verifier, Kid: c.Kid,
		AttestedAt: timestamppb.New(time.Now().UTC().Truncate(time.Second)), Uri: c.URI, Claims: claims}
	if a.Verifier == "" {
		a.Verifier = host
	}
	key, err := c.key(env, a)
	if err != nil {
		return err
	}
	if err := ramp.SignAttestation(a, key); err != nil {
		return err
	}
	text, err := ramp.Marshal(a)
	if err == nil {
		env.Print("%s\n", text)
	}
	return err
}

// claims are what is claimed.
func (c attestMint) claims(env *command.Environment) (*structpb.Struct, error) {
	members := map[string]any{}
	if c.Claims != "" {
		text, err := command.ReadKeyFile(env, c.Claims)
		if err == nil {
			err = strictjson.Decode(text, &members)
		}
		if err != nil {
			return nil, fmt.Errorf("--claims %s: %w", c.Claims, err)
		}
	}
	for _, claim := range c.Claim {
		name, value, ok := strings.Cut(claim, "=")
		if !ok || name == "" {
			return nil, command.Usage("--claim %s is no claim; write NAME=VALUE, like word_count=800", claim)
		}
		var any any
		if json.Unmarshal([]byte(value), &any) != nil {
			any = value
		}
		members[name] = any
	}
	if c.File != "" {
		body, err := command.ReadInput(env, c.File, maxEntriesFile)
		if err != nil {
			return nil, err
		}
		members["content_hash"], members["hash_method"] =
			contenthash.Of(contenthash.Method(c.Method), body).String(), c.Method
	}
	if len(members) == 0 {
		return nil, command.Usage("nothing is claimed; give --file, --claim or --claims")
	}
	claims, err := structpb.NewStruct(members)
	if err != nil {
		return nil, fmt.Errorf("the claims cannot be written: %w", err)
	}
	unknown, err := ramp.CheckClaims(claims)
	if err != nil {
		return nil, err
	}
	if len(unknown) > 0 && c.KeyFile == "" {
		return nil, command.Usage("%s is no claim of RAMP, and the document of this front desk does not describe it; "+
			"a verifier with a key of its own (--key-file) may claim it, where its claims_schema has it",
			strings.Join(unknown, ", "))
	}
	return claims, nil
}

// key is the key that signs, whose name it puts into the attestation.
func (c attestMint) key(env *command.Environment, a *rampv1.ResourceAttestation) (ed25519.PrivateKey, error) {
	if c.KeyFile != "" {
		if c.Kid == "" {
			return nil, command.Usage("--key-file needs --kid, the name by which the document of %s has the key",
				a.Verifier)
		}
		text, err := command.ReadKeyFile(env, c.KeyFile)
		if err != nil {
			return nil, err
		}
		key, err := readPrivateKey(text)
		if err != nil {
			return nil, command.Usage("--key-file: %v", err)
		}
		return key, nil
	}
	if c.Kid != "" {
		return nil, command.Usage("--kid goes with --key-file; the keys of this front desk have names already")
	}
	program, loaded, err := command.OpenKeys(env, c.ConfigFlags, false)
	if err != nil {
		return nil, err
	}
	if program == nil {
		return nil, errors.New("there is no database here; name the folder with --data or the file with " +
			"--config, or a key with --key-file")
	}
	defer program.Close()
	if host, ok := policy.Host("https://" + a.Verifier + "/"); ok {
		a.Verifier = host // as its document says
	}
	if !loaded.Config.Attests(a.Verifier) {
		return nil, command.Usage("%s is none of the hosts in whose name this front desk attests (site, "+
			"ramp.enabled and ramp.attest); another verifier needs --key-file", a.Verifier)
	}
	id, signer, ok := program.VerifierKeys.Current()
	key, isKey := signer.(ed25519.PrivateKey)
	if !ok || !isKey {
		return nil, errors.New(
			"there is no key that attests yet: run `frontdesk keys rotate verifier`, or start the front desk once")
	}
	a.Kid = id
	return key, nil
}

// readAttestations reads attestations: lines, or an array.
func readAttestations(env *command.Environment, name string) (all []*rampv1.ResourceAttestation, err error) {
	text, err := command.ReadInput(env, name, maxEntriesFile)
	if err != nil {
		return nil, err
	}
	text = bytes.TrimSpace(text)
	var parts []strictjson.Value
	if bytes.HasPrefix(text, []byte("[")) {
		if err = strictjson.Decode(text, &parts); err != nil {
			return nil, fmt.Errorf("%s: %w", command.Clean(name), err)
		}
	} else if one := (&rampv1.ResourceAttestation{}); ramp.Unmarshal(text, one) == nil {
		return []*rampv1.ResourceAttestation{one}, nil
	} else {
		for line := range bytes.Lines(text) {
			if line = bytes.TrimSpace(line); len(line) > 0 {
				parts = append(parts, line)
			}
		}
	}
	for i, part := range parts {
		one := &rampv1.ResourceAttestation{}
		if err = ramp.Unmarshal(part, one); err != nil {
			return nil, fmt.Errorf("%s: attestation %d: %w", command.Clean(name), i+1, err)
		}
		all = append(all, one)
	}
	if err == nil && len(all) == 0 {
		err = errors.New("there is nothing in it")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", command.Clean(name), err)
	}
	return all, nil
}

type attestVerify struct {
	command.ConfigFlags
	File     string `arg:"" help:"The attestation as JSON; - for standard input."`
	Keys     string `placeholder:"FILE" help:"The verifier's document or its keys, so that nothing is fetched. Without it, they are fetched from https://VERIFIER/.well-known/ramp-verifier.json."`
	URI      string `name:"uri" placeholder:"URL" help:"The address that it has to be about."`
	Provider string `placeholder:"DOMAIN" help:"Whose content that is. Without it, the host of the address."`
	Content  string `placeholder:"FILE" help:"What came from there, to be held against the hash that is claimed."`
	JSON     bool   `name:"json" help:"Print it as JSON."`
}

// Help is the command's example.
func (attestVerify) Help() string {
	return "Level 1 is a provider's word on its own content, level 2 that of somebody else, " +
		"whom you have to trust yourself; of what does not hold it is 0, and the command fails.\n\n" +
		"Example:\n\n\tfrontdesk ramp attest verify lamp.json --content lamp.txt"
}

// shownVerified is what came of looking at an attestation.
type shownVerified struct {
	Level    int            `json:"level"`
	Holds    bool           `json:"holds"`
	Problem  string         `json:"problem,omitempty"`
	Verifier string         `json:"verifier"`
	Kid      string         `json:"kid"`
	At       string         `json:"attested_at"`
	URI      string         `json:"uri"`
	Claims   map[string]any `json:"claims"`
	// Unknown are claims that are none of RAMP's. Undescribed are those of them that the verifier's
	// document does not describe.
	Unknown     []string `json:"vendor_claims,omitempty"`
	Undescribed []string `json:"undescribed_claims,omitempty"`
	Content     string   `json:"content,omitempty"` // what came of holding it against the claimed hash
}

// Run verifies an attestation.
func (c attestVerify) Run(env *command.Environment) error {
	all, err := readAttestations(env, c.File)
	if err != nil {
		return err
	}
	if len(all) != 1 {
		return command.Usage("%s holds %d attestations; give one", c.File, len(all))
	}
	a := all[0]
	out := shownVerified{Verifier: a.GetVerifier(), Kid: a.GetKid(), At: ramp.AttestedAt(a), URI: a.GetUri(),
		Claims: a.GetClaims().AsMap()}
	provider := c.Provider
	if u, err := url.Parse(a.GetUri()); err == nil && provider == "" {
		provider = u.Host
	}
	problem := c.verify(env, a, &out)
	if problem == nil && c.Content != "" {
		problem = c.hold(env, a, &out)
	}
	if out.Holds = problem == nil; out.Holds {
		out.Level = ramp.LevelOf(a, provider)
	} else {
		out.Problem = problem.Error()
	}
	if c.JSON {
		if err := command.PrintJSON(env, out); err != nil {
			return err
		}
	} else {
		out.print(env, a)
	}
	if !out.Holds {
		return errors.New("the attestation does not hold")
	}
	return nil
}

// verify says why an attestation does not hold.
func (c attestVerify) verify(env *command.Environment, a *rampv1.ResourceAttestation, out *shownVerified) error {
	if err := ramp.Validate(a); err != nil { // before its verifier's name becomes an address
		return err
	}
	var err error
	if out.Unknown, err = ramp.CheckClaims(a.Claims); err != nil {
		return err
	}
	uri := a.Uri
	if c.URI != "" {
		uri = c.URI
	}
	keys, described, err := c.keys(env, a)
	if err != nil {
		return err
	}
	for _, name := range out.Unknown {
		if _, ok := described[name]; !ok {
			out.Undescribed = append(out.Undescribed, name)
		}
	}
	return ramp.VerifyAttestation(a, uri, keys, time.Now())
}

// keys are those of the verifier, and what it says of its claims.
func (c attestVerify) keys(env *command.Environment,
	a *rampv1.ResourceAttestation) ([]ramp.Key, map[string]ramp.Claim, error) {
	if c.Keys == "" {
		loaded, err := c.Load(env, nil)
		if err != nil {
			return nil, nil, err
		}
		ctx, cancel := context.WithTimeout(env.Ctx, 30*time.Second)
		defer cancel()
		return loaded.Config.Verifiers(time.Now).Published(ctx, a.Verifier)
	}
	text, err := os.ReadFile(c.Keys)
	if err != nil {
		return nil, nil, err
	}
	name, keys, err := ramp.ReadKeys(text)
	if err == nil && name != "" && !strings.EqualFold(name, a.Verifier) {
		err = fmt.Errorf("its keys are of another verifier, %s", command.Clean(name))
	}
	described, wrong := ramp.ReadClaims(text)
	if err = errors.Join(err, wrong); err != nil {
		return nil, nil, fmt.Errorf("--keys %s: %w", c.Keys, err)
	}
	return keys, described, nil
}

// hold holds content against the hash that is claimed.
func (c attestVerify) hold(env *command.Environment, a *rampv1.ResourceAttestation, out *shownVerified) error {
	body, err := command.ReadInput(env, c.Content, maxEntriesFile)
	if err != nil {
		return err
	}
	claimed, ok := contenthash.Parse(a.GetClaims().GetFields()["content_hash"].GetStringValue(), "")
	if !ok {
		return errors.New("it claims no hash by which content could be held against it")
	}
	got := contenthash.Of(claimed.Method, body)
	switch {
	case claimed.Method == contenthash.SimHash:
		out.Content = fmt.Sprintf("%d of 64 bits differ (simhash-v1); up to %d are nearly the same words, "+
			"and tell nothing of what was changed in them", contenthash.Distance(claimed, got), contenthash.Near)
	case claimed.Holds(got):
		out.Content = "these are the bytes that were attested (sha256)"
	default:
		out.Content = "these are other bytes than were attested (sha256)"
	}
	if !claimed.Holds(got) {
		return fmt.Errorf("the content is not what was attested: its hash is %s", got)
	}
	return nil
}

// print shows for people what came of looking at an attestation.
func (s shownVerified) print(env *command.Environment, a *rampv1.ResourceAttestation) {
	w := tabwriter.NewWriter(env.Stdout, 0, 0, 2, ' ', 0)
	if s.Holds {
		fmt.Fprintf(w, "holds\tlevel %d\n", s.Level)
	} else {
		fmt.Fprintf(w, "NOT GOOD\t%s\n", command.Clean(s.Problem))
	}
	fmt.Fprintf(w, "verifier\t%s, key %s\n", command.Clean(s.Verifier), command.Clean(s.Kid))
	fmt.Fprintf(w, "attested\t%s\n", command.Clean(s.At))
	fmt.Fprintf(w, "of\t%s\n", command.Clean(s.URI))
	fmt.Fprintf(w, "claims\t%s\n", claimsOf(a))
	for _, name := range s.Undescribed {
		fmt.Fprintf(w, "unknown\tits verifier's document does not describe the claim %s\n", command.Clean(name))
	}
	if s.Content != "" {
		fmt.Fprintf(w, "content\t%s\n", s.Content)
	}
	w.Flush()
}

type attestImport struct {
	command.ConfigFlags
	File []string `arg:"" help:"Attestations as JSON: one, one a line, or an array; - for standard input."`
	JSON bool     `name:"json" help:"Print what came of each as JSON."`
}

// Help is the command's example.
func (attestImport) Help() string {
	return "Each is looked at as when it is pushed: its verifier has to be among ramp.verifiers, and its address " +
		"that of an item of yours. It takes the place of what its verifier attested of the item before. " +
		"A front desk that runs tells it within seconds, and looks again whether it holds before it does.\n\n" +
		"Example:\n\n\tfrontdesk ramp attest import vendor.jsonl"
}

// shownImport is what came of an attestation.
type shownImport struct {
	URI      string `json:"uri"`
	Verifier string `json:"verifier"`
	Reason   string `json:"reason,omitempty"`
	Detail   string `json:"detail,omitempty"`
}

// Run imports attestations.
func (c attestImport) Run(env *command.Environment) error {
	var all []*rampv1.ResourceAttestation
	for _, name := range c.File {
		some, err := readAttestations(env, name)
		if err != nil {
			return err
		}
		all = append(all, some...)
	}
	refused := 0
	err := command.WithSupply(env, c.ConfigFlags, false, func(program *app.App) error {
		done, err := program.Importer().Import(env.Ctx, all)
		for _, one := range done {
			shown := shownImport{one.Attestation.GetUri(), one.Attestation.GetVerifier(), one.Reason, one.Detail}
			if one.Reason != "" {
				refused++
			}
			switch {
			case c.JSON:
				if err := command.PrintJSON(env, shown); err != nil {
					return err
				}
			case one.Reason != "":
				fmt.Fprintf(env.Stderr, "%s by %s: %s: %s\n", command.Clean(shown.URI), command.Clean(shown.Verifier),
					shown.Reason, command.Clean(shown.Detail))
			}
		}
		return err
	})
	if err != nil {
		return err
	}
	if !c.JSON {
		env.Print("%d of %d attestations were taken, and %d refused.\n", len(all)-refused, len(all), refused)
	}
	if refused > 0 {
		return errors.New("some were refused")
	}
	return nil
}
