package cli

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"frontdesk/check"
	"frontdesk/client"
	"frontdesk/internal/cli/agent"
	"frontdesk/internal/cli/command"
	"frontdesk/wire/intake"
	"frontdesk/wire/intent"
	"frontdesk/wire/strictjson"
)

type checkCommand struct {
	Target string `arg:"" name:"url-or-file" help:"The address of a site, a business or an Exchange, a file, or - for standard input."`
	As     string `enum:",declaration,request,response,event,manifest,intake-request,intake-response,intake-bind,ramp-provider,ramp-exchange,ramp-agent,ramp-verifier,ramp-keys,rsl,ramp-sitemap" default:"" placeholder:"KIND" help:"What the file is: declaration (aip.json), request, response or event; manifest (agent-intake.json), intake-request, intake-response or intake-bind; ramp-provider (ramp.json), ramp-exchange, ramp-agent, ramp-verifier, ramp-keys, rsl or ramp-sitemap. Without it, what it looks like."`

	Agent bool `help:"Look at an agent's directory of keys (Web Bot Auth), at its origin or the address of the directory."`

	Sample string `placeholder:"FILE" help:"Data for the intakes of a business: INTAKE.json, or a folder of such files; see the documentation. It is really submitted."`
	Token  string `placeholder:"TOKEN" help:"The key of intakes that want one; FRONTDESK_TOKEN in the environment is not seen by other users of the machine."`

	command.ConfigFlags
	Buyer string   `placeholder:"DOMAIN/ID" help:"Ask an Exchange of RAMP as this agent, with the key of frontdesk keys agent."`
	URI   []string `name:"uri" sep:"none" placeholder:"URL" help:"The address of content to ask an Exchange for; may be repeated."`
	Use   []string `placeholder:"FUNCTION" help:"What the content is for: ai-input, search, ai-index, ai-train; may be repeated."`
	Spend string   `placeholder:"AMOUNT" help:"Buy the cheapest offer for the first address if it costs no more than this, like 0.05USD, and fetch and report it."`

	agent.PlatformFlags
	OtherPlatform   string `placeholder:"ID" help:"Another platform's id, for the probes that need two."`
	OtherKey        string `placeholder:"ID" help:"The other platform's key."`
	OtherSecretFile string `placeholder:"FILE" help:"The file that has the other key's secret."`
	Domain          string `placeholder:"LABEL" help:"What to ask about; without it, what the declaration has."`
	Query           string `placeholder:"TEXT" help:"What to ask, in words."`
	NoEvents        bool   `help:"Report no citations: a publisher keeps them."`
	Burst           int    `placeholder:"N" help:"Make N requests at a stroke, to see whether they are throttled."`
	Versions        string `default:"0.1" placeholder:"LIST" help:"The versions of the protocol that are right, with commas (${default})."`
	Private         bool   `help:"Let the declaration lead to this machine and to private networks."`
	All             bool   `help:"Show what passed, too."`
	JSON            bool   `name:"json" help:"Print the results as JSON."`
}

// Help is the command's example.
func (checkCommand) Help() string {
	return "Looks at anybody's servers from outside: publishers of the Agentic Intent Protocol, " +
		"businesses of the Agent Intake Protocol, providers and Exchanges of RAMP; with --agent, " +
		"at the keys of agents that sign their requests. " +
		"With a key, a publisher's endpoints are probed: that takes passages and reports two events, which it keeps. " +
		"With samples, a business's intakes are: they are submitted some dozens " +
		"of times, most of them wrong, and three offers are bound where INTAKE.bind.json says with what. With " +
		"--buyer and --uri, an Exchange is asked for offers some twenty times, most of " +
		"them wrong; with --spend, the cheapest offer is bought, fetched and reported.\n" +
		"The status is 1 where something is wrong; warnings do not count.\n\n" +
		"Examples:\n\n\tfrontdesk check aip.json\n\tfrontdesk check https://www.example.com\n" +
		"\tfrontdesk check --agent https://bots.example.com\n\tfrontdesk check https://www.example.com " +
		"--platform example_chat --key plat_live_92xk --secret-file secret.txt\n" +
		"\tfrontdesk check https://www.example.com --sample samples\n\tfrontdesk check https://exchange.example.com " +
		"--buyer buyer.example/bot --uri https://www.example.com/article --spend 0.05USD"
}

// Run checks.
func (c checkCommand) Run(env *command.Environment) error {
	report, err := c.report(env)
	if err != nil {
		return err
	}
	if c.JSON {
		encoder := json.NewEncoder(env.Stdout)
		encoder.SetIndent("", "  ")
		if err := encoder.Encode(report); err != nil {
			return err
		}
	} else {
		c.print(env, report)
	}
	if report.Count(check.Wrong) > 0 {
		return command.ErrTold
	}
	return nil
}

func (c checkCommand) report(env *command.Environment) (*check.Report, error) {
	options := check.Options{
		Domain: c.Domain, Query: c.Query, NoEvents: c.NoEvents, Burst: c.Burst, UserAgent: "frontdesk-check",
		Versions: strings.Split(c.Versions, ","), Private: c.Private,
	}
	web := strings.HasPrefix(c.Target, "https://") || strings.HasPrefix(c.Target, "http://")
	if web {
		options.Token = env.Token(c.Token)
	}
	var err error
	if options.Samples, err = samplesIn(c.Sample); err != nil {
		return nil, err
	}
	if options.Key, err = c.credentials(env, c.Platform, c.Key, c.SecretFile); err != nil {
		return nil, err
	}
	if options.Other, err = c.credentials(env, c.OtherPlatform, c.OtherKey, c.OtherSecretFile); err != nil {
		return nil, err
	}
	if err := c.buying(env, &options); err != nil {
		return nil, err
	}
	switch {
	case c.Agent && !web:
		return nil, command.Usage("--agent goes with an address; write it whole, like https://bots.example.com")
	case c.Agent:
		return check.Agent(env.Ctx, c.Target, options)
	case web:
		return check.Site(env.Ctx, c.Target, options)
	}
	if options.Key != nil || options.Samples != nil || options.Buyer != nil {
		return nil, command.Usage(
			"a key, a sample or a buyer goes with an address; write it whole, like https://www.example.com")
	}
	text, err := agent.ReadDocument(env, c.Target)
	if err != nil {
		return nil, fmt.Errorf("%w; an address begins with https://", err)
	}
	if kind := c.rampKind(text); kind != "" {
		return check.RAMPDocument(c.Target, kind, text, options), nil
	}
	if kind, ok := c.intakeKind(text); ok {
		return check.IntakeFile(c.Target, kind, bytes.NewReader(text), options)
	}
	return check.File(c.Target, intent.Kind(cmp.Or(c.As, string(intent.KindDeclaration))),
		bytes.NewReader(text), options)
}

// buying adds who asks an Exchange, for what, and what that may cost.
func (c checkCommand) buying(env *command.Environment, options *check.Options) error {
	if c.Buyer == "" {
		if len(c.URI) > 0 || len(c.Use) > 0 || c.Spend != "" {
			return command.Usage(
				"--uri, --use and --spend go with --buyer DOMAIN/ID: an Exchange wants to know who asks")
		}
		return nil
	}
	buyer, err := agent.BuyerFlags{ConfigFlags: c.ConfigFlags, As: c.Buyer}.AsBuyer(env)
	if err != nil {
		return err
	}
	options.Buyer, options.URIs =
		&check.Buyer{ID: buyer.ID, Domain: buyer.Domain, Key: buyer.Key, KeyID: buyer.KeyID}, c.URI
	for _, name := range c.Use {
		function, err := client.ParseFunction(name)
		if err != nil {
			return command.Usage("--use %s", err)
		}
		options.Uses = append(options.Uses, function.String())
	}
	if c.Spend != "" {
		most, err := agent.ParsePrice("--spend", c.Spend)
		if err != nil {
			return err
		}
		options.Spend = &check.Spend{Amount: most.Amount, Currency: most.Currency}
	}
	return nil
}

// rampKind is the kind of a document of RAMP, where the flag says or the text shows that it is one.
func (c checkCommand) rampKind(text []byte) check.Kind {
	if c.As == "" {
		return check.KindOf(text)
	}
	if c.As == string(check.KindLicence) || strings.HasPrefix(c.As, "ramp-") {
		return check.Kind(c.As)
	}
	return ""
}

// intakeKind is the kind of a message of the Agent Intake Protocol, where the flag says or the text
// shows that it is one.
func (c checkCommand) intakeKind(text []byte) (kind intake.Kind, ok bool) {
	switch c.As {
	case "":
		var manifest struct {
			Intakes json.RawMessage `json:"intakes"`
		}
		return intake.KindManifest, json.Unmarshal(bytes.TrimPrefix(text, []byte("\ufeff")), &manifest) == nil &&
			manifest.Intakes != nil
	case "manifest":
		return intake.KindManifest, true
	}
	name, ok := strings.CutPrefix(c.As, "intake-")
	return intake.Kind(name), ok
}

// samplesIn reads samples: INTAKE.json, and INTAKE.declined.json and INTAKE.bind.json beside it, of
// one intake or of all in a folder.
func samplesIn(path string) (map[string]check.Sample, error) {
	if path == "" {
		return nil, nil
	}
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is no %s; write what may be submitted to an intake into a file named after it, "+
			"like find-a-tradesperson.json, and name that or its folder", path)
	}
	if err != nil {
		return nil, err
	}
	files := []string{path}
	if info.IsDir() {
		if files, err = filepath.Glob(filepath.Join(path, "*.json")); err != nil {
			return nil, err
		}
	}
	samples := map[string]check.Sample{}
	for _, file := range files {
		id, isJSON := strings.CutSuffix(filepath.Base(file), ".json")
		if !isJSON || strings.Contains(id, ".") {
			continue
		}
		stem := strings.TrimSuffix(file, ".json")
		var sample check.Sample
		for suffix, into := range map[string]*strictjson.Value{
			"": &sample.Data, ".declined": &sample.Declined, ".bind": &sample.Bind,
		} {
			if *into, err = sampleFile(stem+suffix+".json", suffix == ""); err != nil {
				return nil, err
			}
		}
		samples[id] = sample
	}
	if len(samples) == 0 {
		return nil, fmt.Errorf(
			"there is no sample in %s; name the file after the intake, like find-a-tradesperson.json", path)
	}
	return samples, nil
}

func sampleFile(name string, needed bool) (strictjson.Value, error) {
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) && !needed {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var members map[string]strictjson.Value
	if err := strictjson.Decode(text, &members); err != nil {
		return nil, fmt.Errorf("%s is no JSON object: %w", name, err)
	}
	return bytes.TrimSpace(text), nil
}

// credentials are a key, nil where none of its flags is there.
func (c checkCommand) credentials(env *command.Environment, platform, key, file string) (*check.Credentials, error) {
	if platform == "" && key == "" && file == "" {
		return nil, nil
	}
	if platform == "" || key == "" {
		return nil, command.Usage("a key is a platform, a key and a secret; name all three")
	}
	secret, err := agent.SecretOf(env, file)
	if err != nil {
		return nil, err
	}
	return &check.Credentials{Platform: platform, KeyID: key, Secret: secret}, nil
}

// print shows what is not as it should be.
func (c checkCommand) print(env *command.Environment, report *check.Report) {
	env.Print("%s\n", command.Clean(report.Target))
	for _, r := range report.Results {
		if !c.All && (r.Outcome == check.Passed || r.Outcome == check.Skipped && !strings.HasPrefix(r.Probe, "site.")) {
			continue
		}
		head := r.About
		if r.Pointer != "" {
			head += " at " + r.Pointer
		}
		env.Print("\n%-8s %s: %s\n", r.Outcome, r.Probe, command.Clean(head))
		if r.Detail != "" {
			env.Print("%s\n", command.Wrap(command.Clean(r.Detail), "         "))
		}
		if r.Mend != "" {
			env.Print("%s\n", command.Wrap("To mend: "+command.Clean(r.Mend), "         "))
		}
	}
	env.Print("\nerrors: %d, warnings: %d, passed: %d, skipped: %d\n", report.Count(check.Wrong),
		report.Count(check.Doubtful), report.Count(check.Passed), report.Count(check.Skipped))
}
