package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"frontdesk/internal/check"
	"frontdesk/wire/intent"
)

type checkCommand struct {
	Target string `arg:"" name:"url-or-file" help:"A publisher's address, a file, or - for standard input."`
	As     string `default:"declaration" enum:"declaration,request,response,event" placeholder:"KIND" help:"What the file is: declaration (aip.json), request, response or event."`

	platformFlags
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
	return "Looks at anybody's publisher of the Agentic Intent Protocol. With a key, its endpoints are probed: that takes passages and reports two events, which the publisher keeps.\n" +
		"The status is 1 where something is wrong; warnings do not count.\n\n" +
		"Examples:\n\n\tfrontdesk check aip.json\n\tfrontdesk check https://www.example.com\n\tfrontdesk check https://www.example.com --platform example_chat --key plat_live_92xk --secret-file secret.txt"
}

// Run checks.
func (c checkCommand) Run(env *environment) error {
	report, err := c.report(env)
	if err != nil {
		return err
	}
	if c.JSON {
		encoder := json.NewEncoder(env.stdout)
		encoder.SetIndent("", "  ")
		if err := encoder.Encode(report); err != nil {
			return err
		}
	} else {
		c.print(env, report)
	}
	if report.Count(check.Wrong) > 0 {
		return errTold
	}
	return nil
}

func (c checkCommand) report(env *environment) (*check.Report, error) {
	options := check.Options{
		Domain: c.Domain, Query: c.Query, NoEvents: c.NoEvents, Burst: c.Burst, UserAgent: "frontdesk-check", Versions: strings.Split(c.Versions, ","), Private: c.Private,
	}
	var err error
	if options.Key, err = c.credentials(env, c.Platform, c.Key, c.SecretFile); err != nil {
		return nil, err
	}
	if options.Other, err = c.credentials(env, c.OtherPlatform, c.OtherKey, c.OtherSecretFile); err != nil {
		return nil, err
	}
	if strings.HasPrefix(c.Target, "https://") || strings.HasPrefix(c.Target, "http://") {
		return check.Publisher(env.ctx, c.Target, options)
	}
	if options.Key != nil {
		return nil, usage("a key goes with an address; write it whole, like https://www.example.com")
	}
	text, err := readDocument(env, c.Target)
	if err != nil {
		return nil, fmt.Errorf("%w; an address begins with https://", err)
	}
	return check.File(c.Target, intent.Kind(c.As), bytes.NewReader(text), options)
}

// credentials are a key, nil where none of its flags is there.
func (c checkCommand) credentials(env *environment, platform, key, file string) (*check.Credentials, error) {
	if platform == "" && key == "" && file == "" {
		return nil, nil
	}
	if platform == "" || key == "" {
		return nil, usage("a key is a platform, a key and a secret; name all three")
	}
	secret, err := secretOf(env, file)
	if err != nil {
		return nil, err
	}
	return &check.Credentials{Platform: platform, KeyID: key, Secret: secret}, nil
}

// print shows what is not as it should be.
func (c checkCommand) print(env *environment, report *check.Report) {
	env.print("%s\n", clean(report.Target))
	for _, r := range report.Results {
		if !c.All && (r.Outcome == check.Passed || r.Outcome == check.Skipped) {
			continue
		}
		head := r.About
		if r.Pointer != "" {
			head += " at " + r.Pointer
		}
		env.print("\n%-8s %s: %s\n", r.Outcome, r.Probe, clean(head))
		if r.Detail != "" {
			env.print("%s\n", wrap(clean(r.Detail), "         "))
		}
		if r.Mend != "" {
			env.print("%s\n", wrap("To mend: "+clean(r.Mend), "         "))
		}
	}
	env.print("\nerrors: %d, warnings: %d, passed: %d, skipped: %d\n", report.Count(check.Wrong), report.Count(check.Doubtful), report.Count(check.Passed), report.Count(check.Skipped))
}
