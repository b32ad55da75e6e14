package agent

import (
	"bytes"
	"crypto/ed25519"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"

	"frontdesk/client"
	"frontdesk/internal/cli/command"
	"frontdesk/wire/ramp"
	rampv1 "frontdesk/wire/ramp/v1"
	"frontdesk/wire/strictjson"
)

// supplierFlags say who pushes for whom.
type supplierFlags struct {
	Exchange string `arg:"" help:"The Exchange's address, such as https://exchange.example.com."`
	Tenant   string `required:"" placeholder:"ID" help:"The tenant, as the Exchange calls it."`
	Caller   string `required:"" placeholder:"ID" help:"The caller's id, as the Exchange knows it."`
	KeyFile  string `required:"" placeholder:"FILE" help:"The caller's Ed25519 private key in PEM (openssl genpkey -algorithm ed25519), or - for standard input."`
}

func (f supplierFlags) open(env *command.Environment) (*client.Catalog, error) {
	text, err := command.ReadKeyFile(env, f.KeyFile)
	if err != nil {
		return nil, err
	}
	key, err := readPrivateKey(text)
	if err != nil {
		return nil, command.Usage("--key-file: %v", err)
	}
	c, err := client.OpenCatalog(env.Ctx, f.Exchange,
		client.Supplier{Caller: f.Caller, Key: key, Tenant: f.Tenant}, buying())
	return c, explainedExchange(err)
}

// readPrivateKey reads an Ed25519 private key in PEM.
func readPrivateKey(text []byte) (ed25519.PrivateKey, error) {
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, errors.New("this is no PEM; make a key with openssl genpkey -algorithm ed25519")
	}
	any, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	key, ok := any.(ed25519.PrivateKey)
	if err != nil || !ok {
		return nil, errors.New("this is no Ed25519 private key; make one with openssl genpkey -algorithm ed25519")
	}
	return key, nil
}

// Push pushes entries into an Exchange's catalog.
type Push struct {
	supplierFlags
	File string `arg:"" help:"The entries as JSON: one a line, or an array, or a PushResourcesRequest; - for standard input."`
}

// Help is the command's example.
func (Push) Help() string {
	return "An entry is like {\"domain\": \"www.example.com\", \"path\": \"/article\", \"title\": \"Lamp\", " +
		"\"word_count\": 800}. It takes the place of the one at its address. " +
		"What is no web page has its URI as the path and needs no domain: {\"path\": \"duns:804735132\", " +
		"\"estimated_quantity\": 12}. " +
		"Why entries were refused the Exchange's operator can tell.\n\n" +
		"Example:\n\n\tfrontdesk ramp push https://exchange.example.com entries.jsonl --tenant acme " +
		"--caller acme-cms --key-file acme.pem"
}

// Run pushes entries.
func (c Push) Run(env *command.Environment) error {
	text, err := command.ReadInput(env, c.File, maxEntriesFile)
	if err != nil {
		return err
	}
	entries, err := readEntries(text)
	if err != nil {
		return err
	}
	catalog, err := c.open(env)
	if err != nil {
		return err
	}
	accepted, rejected, err := catalog.Push(env.Ctx, entries)
	if err == nil || accepted+rejected > 0 {
		env.Print("%d of %d entries were taken, and %d refused.\n", accepted, len(entries), rejected)
	}
	return explainedExchange(err)
}

// maxEntriesFile bounds a file of entries, in bytes.
const maxEntriesFile = 1 << 30

// readEntries reads entries: lines, an array, or a request.
func readEntries(text []byte) (entries []*rampv1.ResourceEntry, err error) {
	text = bytes.TrimSpace(text)
	var parts []strictjson.Value
	switch {
	case bytes.HasPrefix(text, []byte("[")):
		err = strictjson.Decode(text, &parts)
	default:
		request := &rampv1.PushResourcesRequest{}
		if ramp.Unmarshal(text, request) == nil && len(request.Entries) > 0 {
			return request.Entries, nil
		}
		for line := range bytes.Lines(text) {
			if line = bytes.TrimSpace(line); len(line) > 0 {
				parts = append(parts, line)
			}
		}
	}
	for i, part := range parts {
		e := &rampv1.ResourceEntry{}
		if err = ramp.Unmarshal(part, e); err == nil {
			err = ramp.Validate(e)
		}
		if err != nil {
			return nil, fmt.Errorf("entry %d: %w", i+1, err)
		}
		entries = append(entries, e)
	}
	if err == nil && len(entries) == 0 {
		err = errors.New("there are no entries")
	}
	return entries, err
}

// Withdraw takes entries out of an Exchange's catalog.
type Withdraw struct {
	supplierFlags
	Path []string `arg:"" help:"Paths, which stand for all domains of the tenant, or addresses."`
}

// Help is the command's example.
func (Withdraw) Help() string {
	return "Example:\n\n\tfrontdesk ramp withdraw https://exchange.example.com /article " +
		"https://www.example.com/other --tenant acme --caller acme-cms --key-file acme.pem"
}

// Run takes entries out.
func (c Withdraw) Run(env *command.Environment) error {
	catalog, err := c.open(env)
	if err != nil {
		return err
	}
	removed, err := catalog.Remove(env.Ctx, c.Path)
	if err == nil {
		env.Print("%d entries were removed.\n", removed)
	}
	return explainedExchange(err)
}

// Refresh has an Exchange read a provider's content again.
type Refresh struct{ supplierFlags }

// Run has the Exchange read anew.
func (c Refresh) Run(env *command.Environment) error {
	catalog, err := c.open(env)
	if err != nil {
		return err
	}
	started, err := catalog.Refresh(env.Ctx)
	switch {
	case err != nil:
	case started:
		env.Print("The Exchange reads the content anew.\n")
	default:
		env.Print("Nothing was begun: that is going on already, or the Exchange reads nothing for this tenant.\n")
	}
	return explainedExchange(err)
}
