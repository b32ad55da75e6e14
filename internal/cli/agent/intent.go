package agent

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
	"frontdesk/internal/cli/command"
	"frontdesk/wire/intent"
)

// PlatformFlags say who asks.
type PlatformFlags struct {
	Platform   string `placeholder:"ID" help:"The platform's id, as its key was issued for."`
	Key        string `placeholder:"ID" help:"The id of the key to sign with."`
	SecretFile string `placeholder:"FILE" help:"The file that has the key's secret; - is standard input."`
}

// open reads a publisher's declaration.
func (f PlatformFlags) open(env *command.Environment, address string) (*client.Publisher, error) {
	secret, err := SecretOf(env, f.SecretFile)
	if err != nil {
		return nil, err
	}
	for flag, value := range map[string]string{"--platform": f.Platform, "--key": f.Key} {
		if value == "" {
			return nil, command.Usage("say who asks: %s is missing", flag)
		}
	}
	transport := command.NewTransport()
	transport.DisableKeepAlives = true // there are two requests at most
	return client.OpenPublisher(env.Ctx, address,
		client.Platform{ID: f.Platform, Software: "frontdesk", Key: client.NewKey(f.Key, secret)},
		client.Options{HTTP: &http.Client{Transport: transport}, UserAgent: command.UserAgent,
			MaxAnswer: command.MaxAnswer, Agent: command.ConfigFlags{}.SignsAs(env)})
}

// SecretOf reads a secret: the bytes of a file, without the line break at its end.
func SecretOf(env *command.Environment, file string) ([]byte, error) {
	if file == "" {
		return nil, command.Usage("name the file that has the secret with --secret-file; it is no argument, " +
			"since arguments can be seen by other users of the machine")
	}
	text, err := command.ReadInput(env, file, command.MaxSecretFile)
	if err != nil {
		return nil, fmt.Errorf("the secret cannot be read: %w", err)
	}
	if text = bytes.TrimRight(text, "\r\n"); len(text) == 0 {
		return nil, fmt.Errorf("there is no secret in %s", cmp.Or(map[string]string{"-": "standard input"}[file], file))
	}
	return text, nil
}

// IntentRetrieve asks a publisher for passages.
type IntentRetrieve struct {
	Publisher string `arg:"" help:"The publisher's address, such as https://www.example.com."`
	PlatformFlags
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
func (IntentRetrieve) Help() string {
	return "The answer is for one request that a person makes now: nothing of it may be kept.\n\n" +
		"Example:\n\n\tfrontdesk intent retrieve https://www.example.com --platform example_chat " +
		"--key plat_live_92xk --secret-file secret.txt --domain food --query \"how do I season a pan?\""
}

// Run asks.
func (c IntentRetrieve) Run(env *command.Environment) error {
	publisher, err := c.open(env, c.Publisher)
	if err != nil {
		return c.failed(env, err)
	}
	got, err := publisher.Retrieve(env.Ctx, client.Retrieval{
		Domain: c.Domain, Subdomain: c.Subdomain, Query: c.Query, Language: c.Language, Country: c.Country,
		Session: c.Session, Turn: c.Turn,
	})
	if err != nil {
		return c.failed(env, err)
	}
	if c.Signed && !got.Signed {
		return client.ErrUnsigned
	}
	if c.JSON {
		env.Print("%s\n", bytes.TrimSpace(got.Raw))
		return nil
	}
	printPassages(env, got)
	return nil
}

// failed tells what was answered instead of passages.
func (c IntentRetrieve) failed(env *command.Environment, err error) error {
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
		env.Print("%s\n", bytes.TrimSpace(raw))
		return command.ErrTold
	}
	return explainedAnswer(err)
}

// explainedAnswer is an error of a publisher for a terminal, with every finding where there are
// several.
func explainedAnswer(err error) error {
	var invalid *client.Invalid
	if !errors.As(err, &invalid) {
		return errors.New(command.Clean(err.Error()))
	}
	lines := []string{command.Clean(fmt.Sprintf("what %s sent (status %d) is not valid", invalid.URL, invalid.Status))}
	for _, f := range invalid.Findings {
		lines = append(lines, "  "+command.Clean(f.String()))
	}
	return errors.New(strings.Join(lines, "\n"))
}

func printPassages(env *command.Environment, got *client.Passages) {
	tokens := 0
	for _, chunk := range got.Answer.Content.Chunks {
		env.Print("%s\n%s\n\n", command.Clean(chunk.ID), command.Wrap(command.Clean(chunk.Text), "    "))
		if chunk.TokenCount != nil {
			tokens += *chunk.TokenCount
		}
	}
	for _, source := range got.Answer.Citations {
		env.Print("%s\n    %s (%s)\n", command.Clean(source.SourceURL), command.Clean(source.Title),
			command.Clean(strings.Join(source.ChunkIDs, ", ")))
	}
	signed := "not signed"
	if got.Signed {
		signed = "signed by the publisher"
	}
	env.Print("\n%s, %s, %s; request %s\n", command.Plural(len(got.Answer.Content.Chunks), "passage"),
		command.Plural(tokens, "token"), signed, command.Clean(got.Request.RequestID))
	if receipt := got.ReceiptURL(); receipt != "" {
		env.Print("receipt: %s\n", command.Clean(receipt))
	}
	for _, doubt := range got.Doubts {
		fmt.Fprintf(env.Stderr, "%s\n", command.Clean(doubt.String()))
	}
}

// IntentCite tells a publisher what was cited.
type IntentCite struct {
	Publisher string `arg:"" help:"The publisher's address, such as https://www.example.com."`
	PlatformFlags
	Answer  string   `placeholder:"FILE" help:"The answer that is cited, as retrieve --json printed it; - is standard input."`
	Request string   `placeholder:"ID" help:"Without --answer: the request_id of the request."`
	Source  string   `placeholder:"URL" help:"The source that was shown; without it, the first of the answer."`
	Chunk   []string `placeholder:"ID" help:"A passage that was shown; may be repeated. Without it, all that the answer has from the source."`
	Surface string   `default:"answer" placeholder:"WORD" help:"Where it was shown: answer, footnote, hover or another word (${default})."`
	Event   string   `placeholder:"ID" help:"The event's id; the same one again is the same event."`
}

// Help is the command's example.
func (IntentCite) Help() string {
	return "A publisher may demand to be told of citations, and keeps what it is told.\n\n" +
		"Example:\n\n\tfrontdesk intent cite https://www.example.com --platform example_chat --key plat_live_92xk " +
		"--secret-file secret.txt --answer answer.json --surface footnote"
}

// Run reports.
func (c IntentCite) Run(env *command.Environment) error {
	shown, err := c.shown(env)
	if err != nil {
		return err
	}
	publisher, err := c.open(env, c.Publisher)
	if err != nil {
		return explainedAnswer(err)
	}
	if err := publisher.Cite(env.Ctx, shown); err != nil {
		return explainedAnswer(err)
	}
	env.Print("The publisher has the citation of %s, as event %s.\n", command.Clean(shown.SourceURL), shown.EventID)
	return nil
}

// shown is what was cited, by the flags and the answer.
func (c IntentCite) shown(env *command.Environment) (client.Shown, error) {
	shown := client.Shown{RequestID: c.Request, SourceURL: c.Source, ChunkIDs: c.Chunk, Surface: c.Surface,
		EventID: c.Event}
	if shown.EventID == "" {
		shown.EventID = "evt_" + strings.ToLower(rand.Text())
	}
	if c.Answer == "" {
		if c.Request == "" || c.Source == "" || len(c.Chunk) == 0 {
			return shown, command.Usage("say what was shown: --answer FILE, or --request, --source and --chunk")
		}
		return shown, nil
	}
	if err := c.apart(c.Answer); err != nil {
		return shown, err
	}
	answer, err := readAnswer(env, c.Answer)
	if err != nil {
		return shown, err
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

// apart refuses standard input as both the secret and an answer.
func (f PlatformFlags) apart(answer string) error {
	if answer == "-" && f.SecretFile == "-" {
		return command.Usage("standard input cannot be both answer and secret")
	}
	return nil
}

// readAnswer reads an answer that retrieve --json printed.
func readAnswer(env *command.Environment, file string) (*intent.RetrieveResponse, error) {
	text, err := ReadDocument(env, file)
	if err != nil {
		return nil, err
	}
	answer, found := intent.ReadResponse(text, intent.Options{Versions: []string{intent.Version01, intent.Version10}})
	if answer == nil {
		return nil, fmt.Errorf("%s is no answer of the protocol: %s", file, command.Clean(found.First().String()))
	}
	return answer, nil
}

// ReadDocument reads a file, or standard input.
func ReadDocument(env *command.Environment, name string) ([]byte, error) {
	return command.ReadInput(env, name, 64<<20)
}

// IntentReceipt fetches the receipt of an entry of the publisher's ledger.
type IntentReceipt struct {
	Publisher string `arg:"" help:"The publisher's address, such as https://www.example.com."`
	Address   string `arg:"" optional:"" help:"The receipt's address, as the member frontdesk.receipt of an answer's extensions has it."`
	Answer    string `placeholder:"FILE" help:"In place of the address: the answer, as retrieve --json printed it; - is standard input."`
	PlatformFlags
}

// Help is the command's example.
func (IntentReceipt) Help() string {
	return "Anybody who has the publisher's public keys can verify the receipt later, without any connection.\n\n" +
		"Example:\n\n\tfrontdesk intent receipt https://www.example.com --answer answer.json " +
		"--platform example_chat --key plat_live_92xk --secret-file secret.txt > receipt.json"
}

// Run gets the receipt.
func (c IntentReceipt) Run(env *command.Environment) error {
	address, err := c.address(env)
	if err != nil {
		return err
	}
	publisher, err := c.open(env, c.Publisher)
	if err != nil {
		return explainedAnswer(err)
	}
	got, err := publisher.Receipt(env.Ctx, address)
	if err != nil {
		return explainedAnswer(err)
	}
	text, err := json.Marshal(got)
	if err != nil {
		return err
	}
	env.Print("%s\n", text)
	return nil
}

// address is where the receipt is.
func (c IntentReceipt) address(env *command.Environment) (string, error) {
	switch {
	case (c.Address == "") == (c.Answer == ""):
		return "", command.Usage("say which receipt: its address, or --answer FILE")
	case c.Answer == "":
		return c.Address, nil
	}
	if err := c.apart(c.Answer); err != nil {
		return "", err
	}
	answer, err := readAnswer(env, c.Answer)
	if err != nil {
		return "", err
	}
	address := (&client.Passages{Answer: *answer}).ReceiptURL()
	if address == "" {
		return "", fmt.Errorf("%s names no receipt: the publisher gives none for it", c.Answer)
	}
	return address, nil
}
