package cli

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"frontdesk/internal/cli/command"
	"frontdesk/wire/receipt"
)

type verifyCommand struct {
	File string   `arg:"" help:"A receipt or an export; - for standard input."`
	Key  []string `required:"" placeholder:"FILE" help:"The public key: a file with a JWKS, a key in PEM or ORIGIN+HASH+KEY; or the last of these itself. May be repeated."`
}

// Help is the command's example.
func (verifyCommand) Help() string {
	return "The command needs no configuration, no database and no connection. " +
		"A site's keys, former ones included, are at its /.well-known/jwks.json. " +
		"The exit code is 1 if the file is not true.\n\n" +
		"Examples:\n\n\tfrontdesk verify receipt.json --key jwks.json\n" +
		"\tfrontdesk verify ledger.jsonl --key example.com/ledger+1a2b3c4d+AT..."
}

// maxReceipt bounds a receipt: its entry, 64 hashes and the checkpoint.
const maxReceipt = 4 * receipt.MaxLeaf

// Run verifies a receipt or an export.
func (c verifyCommand) Run(env *command.Environment) error {
	var keys receipt.Keys
	for _, name := range c.Key {
		text, err := keyText(name)
		if err != nil {
			return err
		}
		more, err := receipt.ParseKeys(text)
		if err != nil {
			return fmt.Errorf("--key %s: %w", name, err)
		}
		keys = append(keys, more...)
	}
	in, err := command.OpenInput(env, c.File)
	if err != nil {
		return err
	}
	defer in.Close()
	reader := bufio.NewReaderSize(in, 64<<10)
	if begin, _ := reader.Peek(len(exportBegins)); string(begin) == exportBegins {
		return verifyExport(env, reader, keys)
	}
	return verifyReceipt(env, reader, keys)
}

// exportBegins is how an export begins, and no receipt.
const exportBegins = `{"export":`

// keyText reads a file of keys, or takes what is given for a key.
func keyText(name string) ([]byte, error) {
	text, err := os.ReadFile(name)
	if err == nil {
		return text, nil
	}
	if _, is := receipt.ParseKeys([]byte(name)); is == nil {
		return []byte(name), nil
	}
	return nil, fmt.Errorf("--key: %w", err)
}

func verifyExport(env *command.Environment, in io.Reader, keys receipt.Keys) error {
	c, err := receipt.VerifyExport(in, keys)
	if err != nil {
		return err
	}
	env.Print("True: these are the %d entries of %s, all of them, unchanged and in their order.\nroot %s\n", c.Size,
		c.Origin, c.Root)
	return nil
}

func verifyReceipt(env *command.Environment, in io.Reader, keys receipt.Keys) error {
	text, err := io.ReadAll(io.LimitReader(in, maxReceipt+1))
	if err != nil {
		return err
	}
	if len(text) > maxReceipt {
		return errors.New("this is no receipt: it is too long for one")
	}
	if text = bytes.TrimSpace(text); !bytes.HasPrefix(text, []byte("{")) {
		return errors.New("this is neither a receipt nor an export in lines of JSON, " +
			"such as `frontdesk ledger export` writes without --format")
	}
	r, err := receipt.Parse(text)
	if err != nil {
		return err
	}
	c, err := receipt.Verify(r, keys)
	if err != nil {
		return err
	}
	e := r.Entry
	env.Print("True: this is entry %d of the %d that %s had when it was signed, unchanged.\n%s %s", r.Index, c.Size,
		c.Origin, e.Time.Format(time.RFC3339Nano), e.Kind)
	for _, member := range [][2]string{
		{"site", e.Site}, {"party", e.Party}, {"subject", e.Subject}, {"request", e.Request}, {"body", string(e.Body)},
	} {
		if member[1] != "" {
			env.Print("\n  %-8s %s", member[0], command.Clean(member[1]))
		}
	}
	env.Print("\n")
	return nil
}
