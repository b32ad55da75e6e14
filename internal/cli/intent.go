package cli

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"frontdesk/client"
	"frontdesk/wire/intent"
)

type intentCommands struct {
	Retrieve intentRetrieve `cmd:"" help:"Ask a publisher for passages, as a platform."`
	Cite     intentCite     `cmd:"" help:"Tell a publisher that a passage was shown to somebody."`
	Receipt  intentReceipt  `cmd:"" help:"Get a publisher's receipt for passages that it gave, for frontdesk verify."`
}

// platformFlags say who asks.
type platformFlags struct {
	Platform   string `placeholder:"ID" help:"The platform's id, as its key was issued for."`
	Key        string `placeholder:"ID" help:"The id of the key to sign with."`
	SecretFile string `placeholder:"FILE" help:"The file that has the key's secret; - is standard input."`
}

// open reads a publisher's declaration.
func (f platformFlags) open(env *environment, address string) (*client.Publisher, error) {
	secret, err := secretOf(env, f.SecretFile)
	if err != nil {
		return nil, err
	}
	for flag, value := range map[string]string{"--platform": f.Platform, "--key": f.Key} {
		if value == "" {
			return nil, usage("say who asks: %s is missing", flag)
		}
	}
	transport := newTransport()
	transport.DisableKeepAlives = true // there are two requests at most
	return client.OpenPublisher(env.ctx, address, client.Platform{ID: f.Platform, Software: "frontdesk", Key: client.NewKey(f.Key, secret)},
		client.Options{HTTP: &http.Client{Transport: transport}, UserAgent: userAgent, MaxAnswer: maxAnswer})
}

// secretOf reads a secret: the bytes of a file, without the line break at its end.
func secretOf(env *environment, file string) ([]byte, error) {
	if file == "" {
		return nil, usage("name the file that has the secret with --secret-file; it is no argument, since arguments can be seen by other users of the machine")
	}
	text, err := readInput(env, file, maxSecretFile)
	if err != nil {
		return nil, fmt.Errorf("the secret cannot be read: %w", err)
	}
	if text = bytes.TrimRight(text, "\r\n"); len(text) == 0 {
		return nil, fmt.Errorf("there is no secret in %s", cmp.Or(map[string]string{"-": "standard input"}[file], file))
	}
	return text, nil
}

type intentRetrieve struct {
	Publisher string `arg:"" help:"The publisher's address, such as https://www.example.com."`
	platformFlags
	Domain    string `required:"" placeholder:"LABEL" help:"What is asked about, such as finance.markets."`
	Subdomain string `placeholder:"LABEL" help:"What of it."`
	Query     string `placeholder:"TEXT" help:"What is asked, in words."`
	Language  string `default:"en-US" placeholder:"TAG" help:"The language of the conversation (${default})."`
	Country   string `placeholder:"CC" help:"Where the person is who asks, such as US."`
	Session   string `placeholder:"ID" help:"The conversation; without it, one of its own."`
	Turn      int    `placeholder:"N" help:"The turn within the conversation, from 0."`
	Signed    bool   `help:"Take signed answers alone."`
	JSON      bool   `name:"json" help:"Print the answer as it is."`
}

// Help is the command's example.
func (intentRetrieve) Help() string {
	return "The answer is for one request that a person makes now: nothing of it may be kept.\n\n" +
		"Example:\n\n\tfrontdesk intent retrieve https://www.example.com --platform example_chat --key plat_live_92xk --secret-file secret.txt --domain food --query \"how do I season a pan?\""
}

// Run asks.
func (c intentRetrieve) Run(env *environment) error {
	publisher, err := c.open(env, c.Publisher)
	if err != nil {
		return c.failed(env, err)
	}
	got, err := publisher.Retrieve(env.ctx, client.Retrieval{
		Domain: c.Domain, Subdomain: c.Subdomain, Query: c.Query, Language: c.Language, Country: c.Country, Session: c.Session, Turn: c.Turn,
	})
	if err != nil {
		return c.failed(env, err)
	}
	if c.Signed && !got.Signed {
		return client.ErrUnsigned
	}
	if c.JSON {
		env.print("%s\n", bytes.TrimSpace(got.Raw))
		return nil
	}
	printPassages(env, got)
	return nil
}

// failed tells what was answered instead of passages.
func (c intentRetrieve) failed(env *environment, err error) error {
	raw := []byte(nil)
	var denied *client.Denied
	var failed *client.Failed
	switch {
	case errors.As(err, &denied):
		raw = denied.Raw
	case errors.As(err, &failed):
		raw = failed.Raw
	}
	if c.JSON && len(raw) > 0 && json.Valid(raw) {
		env.print("%s\n", bytes.TrimSpace(raw))
		return errTold
	}
	return explainedAnswer(err)
}

// explainedAnswer is an error of a publisher for a terminal, with every finding where there are several.
func explainedAnswer(err error) error {
	var invalid *client.Invalid
	if !errors.As(err, &invalid) {
		return errors.New(clean(err.Error()))
	}
	lines := []string{clean(fmt.Sprintf("what %s sent (status %d) is not valid", invalid.URL, invalid.Status))}
	for _, f := range invalid.Findings {
		lines = append(lines, "  "+clean(f.String()))
	}
	return errors.New(strings.Join(lines, "\n"))
}

func printPassages(env *environment, got *client.Passages) {
	tokens := 0
	for _, chunk := range got.Answer.Content.Chunks {
		env.print("%s\n%s\n\n", clean(chunk.ID), wrap(clean(chunk.Text), "    "))
		if chunk.TokenCount != nil {
			tokens += *chunk.TokenCount
		}
	}
	for _, source := range got.Answer.Citations {
		env.print("%s\n    %s (%s)\n", clean(source.SourceURL), clean(source.Title), clean(strings.Join(source.ChunkIDs, ", ")))
	}
	signed := "not signed"
	if got.Signed {
		signed = "signed by the publisher"
	}
	env.print("\n%d passages, %d tokens, %s; request %s\n", len(got.Answer.Content.Chunks), tokens, signed, clean(got.Request.RequestID))
	if receipt := got.ReceiptURL(); receipt != "" {
		env.print("receipt: %s\n", clean(receipt))
	}
	for _, doubt := range got.Doubts {
		fmt.Fprintf(env.stderr, "%s\n", clean(doubt.String()))
	}
}

type intentCite struct {
	Publisher string `arg:"" help:"The publisher's address, such as https://www.example.com."`
	platformFlags
	Answer  string   `placeholder:"FILE" help:"The answer that is cited, as retrieve --json printed it; - is standard input."`
	Request string   `placeholder:"ID" help:"Without --answer: the request_id of the request."`
	Source  string   `placeholder:"URL" help:"The source that was shown; without it, the first of the answer."`
	Chunk   []string `placeholder:"ID" help:"A passage that was shown; may be repeated. Without it, all that the answer has from the source."`
	Surface string   `default:"answer" placeholder:"WORD" help:"Where it was shown: answer, footnote, hover or another word (${default})."`
	Event   string   `placeholder:"ID" help:"The event's id; the same one again is the same event."`
}

// Help is the command's example.
func (intentCite) Help() string {
	return "A publisher may demand to be told of citations, and keeps what it is told.\n\n" +
		"Example:\n\n\tfrontdesk intent cite https://www.example.com --platform example_chat --key plat_live_92xk --secret-file secret.txt --answer answer.json --surface footnote"
}

// Run reports.
func (c intentCite) Run(env *environment) error {
	shown, err := c.shown(env)
	if err != nil {
		return err
	}
	publisher, err := c.open(env, c.Publisher)
	if err != nil {
		return explainedAnswer(err)
	}
	if err := publisher.Cite(env.ctx, shown); err != nil {
		return explainedAnswer(err)
	}
	env.print("The publisher has the citation of %s, as event %s.\n", clean(shown.SourceURL), shown.EventID)
	return nil
}

// shown is what was cited, by the flags and the answer.
func (c intentCite) shown(env *environment) (client.Shown, error) {
	shown := client.Shown{RequestID: c.Request, SourceURL: c.Source, ChunkIDs: c.Chunk, Surface: c.Surface, EventID: c.Event}
	if shown.EventID == "" {
		shown.EventID = "evt_" + strings.ToLower(rand.Text())
	}
	if c.Answer == "" {
		if c.Request == "" || c.Source == "" || len(c.Chunk) == 0 {
			return shown, usage("say what was shown: --answer FILE, or --request, --source and --chunk")
		}
		return shown, nil
	}
	if c.Answer == "-" && c.SecretFile == "-" {
		return shown, usage("standard input cannot be both answer and secret")
	}
	text, err := readDocument(env, c.Answer)
	if err != nil {
		return shown, err
	}
	answer, found := intent.ReadResponse(text, intent.Options{Versions: []string{intent.Version01, intent.Version10}})
	if answer == nil {
		return shown, fmt.Errorf("%s is no answer of the protocol: %s", c.Answer, clean(found.First().String()))
	}
	shown.RequestID = answer.RequestID
	for _, source := range answer.Citations {
		if c.Source != "" && source.SourceURL != c.Source {
			continue
		}
		shown.SourceURL = source.SourceURL
		if len(c.Chunk) == 0 {
			shown.ChunkIDs = source.ChunkIDs
		}
		return shown, nil
	}
	return shown, fmt.Errorf("the answer names no such source; it names %d", len(answer.Citations))
}

// readDocument reads a file, or standard input.
func readDocument(env *environment, name string) ([]byte, error) { return readInput(env, name, 64<<20) }

type intentReceipt struct {
	Publisher string `arg:"" help:"The publisher's address, such as https://www.example.com."`
	Address   string `arg:"" help:"The receipt's address, as the member frontdesk.receipt of an answer's extensions has it."`
	platformFlags
}

// Help is the command's example.
func (intentReceipt) Help() string {
	return "Anybody who has the publisher's public keys can verify the receipt later, without any connection.\n\n" +
		"Example:\n\n\tfrontdesk intent receipt https://www.example.com https://www.example.com/intent/receipts/01a2012e-ebd7-7f91-8c1e-9129ea733325 " +
		"--platform example_chat --key plat_live_92xk --secret-file secret.txt > receipt.json"
}

// Run gets the receipt.
func (c intentReceipt) Run(env *environment) error {
	publisher, err := c.open(env, c.Publisher)
	if err != nil {
		return explainedAnswer(err)
	}
	got, err := publisher.Receipt(env.ctx, c.Address)
	if err != nil {
		return explainedAnswer(err)
	}
	text, err := json.Marshal(got)
	if err != nil {
		return err
	}
	env.print("%s\n", text)
	return nil
}
