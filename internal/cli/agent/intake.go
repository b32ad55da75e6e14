package agent

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"

	"frontdesk/client"
	"frontdesk/internal/cli/command"
	"frontdesk/wire/intake"
	"frontdesk/wire/strictjson"
)

// providerFlags say how to reach a business, and as whom.
type providerFlags struct {
	Token    string   `placeholder:"TOKEN" help:"The key of an intake that wants one; FRONTDESK_TOKEN in the environment is not seen by other users of the machine."`
	BindHost []string `placeholder:"HOST" help:"A host besides the business's own at which offers may be bound; may be repeated."`
}

// discover reads the manifest of a business.
func (f providerFlags) discover(env *command.Environment, address string,
	agent client.IntakeAgent) (*client.Provider, error) {
	transport := command.NewTransport()
	transport.DisableKeepAlives = true // a person thinks between two requests
	agent.BindHosts = f.BindHost
	p, err := client.DiscoverIntakes(env.Ctx, address, agent, client.Options{
		HTTP: &http.Client{Transport: transport}, UserAgent: command.UserAgent,
		Token: client.StaticToken(env.Token(f.Token)), Agent: command.ConfigFlags{}.SignsAs(env),
	})
	return p, explainedIntake(err)
}

// explainedIntake is an error of a business for a terminal, with every finding where there are
// several.
func explainedIntake(err error) error {
	var none *client.NotAnIntake
	switch {
	case err == nil:
		return nil
	case !errors.As(err, &none):
		return errors.New(command.Clean(err.Error()))
	}
	return explainedAnswer(&client.Invalid{URL: none.URL, Status: none.Status, Findings: none.Findings, Raw: none.Raw})
}

// IntakeDiscover shows what a business takes in.
type IntakeDiscover struct {
	Business string `arg:"" help:"The business's address, such as https://www.example.com, or its manifest's."`
	providerFlags
	JSON bool `name:"json" help:"Print the manifest."`
}

// Help is the command's example.
func (IntakeDiscover) Help() string {
	return "Example:\n\n\tfrontdesk intake discover https://www.example.com"
}

// Run shows what there is.
func (c IntakeDiscover) Run(env *command.Environment) error {
	p, err := c.discover(env, c.Business, client.IntakeAgent{})
	if err != nil {
		return err
	}
	for _, doubt := range p.Doubts() {
		fmt.Fprintf(env.Stderr, "%s\n", command.Clean(doubt.String()))
	}
	if c.JSON {
		return command.PrintJSON(env, p.Manifest())
	}
	m := p.Manifest()
	env.Print("%s, %s\n", command.Clean(m.Provider.Name), command.Clean(m.Provider.URL))
	if m.Provider.Description != "" {
		env.Print("%s\n", command.Wrap(command.Clean(m.Provider.Description), ""))
	}
	if m.Certification != nil {
		env.Print("It says that %s certified it (%s): nothing here proves that.\n",
			command.Clean(cmp.Or(m.Certification.Registry, "a registry")),
			command.Clean(cmp.Or(m.Certification.CertID, "without an id")))
	}
	for i := range m.Intakes {
		env.Print("\n%s", describedIntake(&m.Intakes[i]))
	}
	return nil
}

// describedIntake is an intake for a person.
func describedIntake(n *intake.Intake) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s  %s\n%s\n", command.Clean(n.ID), command.Clean(n.Name),
		command.Wrap(command.Clean(n.Description), "    "))
	for _, field := range fieldsOf(n.InputSchema) {
		fmt.Fprintf(&b, "%s\n", command.Wrap(field, "    - "))
	}
	facts := []string{"gives " + command.Clean(n.OfferType)}
	if n.BindingAvailable {
		facts = append(facts, "offers can be bound")
	}
	if n.RequiresAuth {
		facts = append(facts, "wants a key")
	}
	retention := intake.Retention("")
	if n.Privacy != nil {
		retention = n.Privacy.DataRetention
	}
	facts = append(facts, "data is kept: "+command.Clean(cmp.Or(string(retention), "not said")))
	if n.Privacy.NeedsPersonal() {
		facts = append(facts, "asks for personal data")
	}
	if limit := n.RateLimit; limit != nil && limit.RequestsPerMinute > 0 {
		facts = append(facts, fmt.Sprintf("%d requests a minute", limit.RequestsPerMinute))
	}
	fmt.Fprintf(&b, "%s\n", command.Wrap(strings.Join(facts, "; "), "    "))
	return b.String()
}

// shape is what a schema says of a field, as far as a terminal shows it.
type shape struct {
	Type        any              `json:"type"`
	Enum        []any            `json:"enum"`
	Description string           `json:"description"`
	Required    []string         `json:"required"`
	Properties  map[string]shape `json:"properties"`
}

// fieldsOf are the fields of an input_schema in a line each.
func fieldsOf(schema []byte) (lines []string) {
	var root shape
	if json.Unmarshal(schema, &root) != nil {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(root.Properties)) {
		field := root.Properties[name]
		line := command.Clean(name)
		if kind, ok := field.Type.(string); ok {
			line += ", " + command.Clean(kind)
		}
		if slices.Contains(root.Required, name) {
			line += ", required"
		}
		if len(field.Enum) > 0 {
			values := make([]string, len(field.Enum))
			for i, value := range field.Enum {
				values[i] = command.Clean(fmt.Sprint(value))
			}
			line += ": " + command.Shorten(strings.Join(values, ", "), 200)
		}
		if field.Description != "" {
			line += ": " + command.Shorten(command.Clean(field.Description), 200)
		}
		lines = append(lines, line)
	}
	return lines
}

// dataFlags say what is sent.
type dataFlags struct {
	Data string   `placeholder:"FILE" help:"The file that has it as a JSON object; - is standard input."`
	Set  []string `placeholder:"NAME=VALUE" sep:"none" help:"One member of it; may be repeated. A value is text, or JSON where text does not fit."`
	Yes  bool     `help:"The person authorized it: do not ask."`
}

// read gives the object. Text says of a member that was set whether it is meant as one.
func (f dataFlags) read(env *command.Environment, text func(name, value string) bool) (strictjson.Value, error) {
	members := map[string]strictjson.Value{}
	if f.Data != "" {
		file, err := ReadDocument(env, f.Data)
		if err != nil {
			return nil, err
		}
		if err := strictjson.Decode(file, &members); err != nil {
			return nil, fmt.Errorf("%s is no JSON object: %w", f.Data, err)
		}
		if len(f.Set) == 0 {
			return bytes.TrimSpace(file), nil
		}
	}
	for _, each := range f.Set {
		name, value, ok := strings.Cut(each, "=")
		if !ok || name == "" {
			return nil, command.Usage("--set is written NAME=VALUE, and %q is not", each)
		}
		members[name] = strictjson.Value(value)
		if text(name, value) || !json.Valid([]byte(value)) {
			quoted, err := json.Marshal(value)
			if err != nil {
				return nil, err
			}
			members[name] = quoted
		}
	}
	raw := map[string]json.RawMessage{}
	for name, value := range members {
		raw[name] = json.RawMessage(value)
	}
	return json.Marshal(raw)
}

// texts says which members a schema has as strings.
func texts(schema []byte) func(string, string) bool {
	var root shape
	_ = json.Unmarshal(schema, &root)
	return func(name, _ string) bool { return root.Properties[name].Type == "string" }
}

// plainText says whether a value is neither an object nor a list: what a bind needs is mostly text,
// and a postal code is no number.
func plainText(_, value string) bool {
	return !strings.HasPrefix(value, "{") && !strings.HasPrefix(value, "[")
}

// confirmed asks a person, unless that was answered before.
func (f dataFlags) confirmed(env *command.Environment, question string) error {
	if f.Yes {
		return nil
	}
	fmt.Fprintf(env.Stderr, "%s [y/N] ", question)
	line := ""
	if f.Data != "-" {
		line, _ = bufio.NewReader(io.LimitReader(env.Stdin, 1<<10)).ReadString('\n')
	}
	switch strings.ToLower(strings.TrimSpace(line)) {
	case "y", "yes":
		return nil
	case "":
		fmt.Fprintln(env.Stderr)
		return errors.New("nothing was sent: nobody said yes; say --yes where the person did")
	}
	return errors.New("nothing was sent")
}

// IntakeSubmit submits data to a business for an offer.
type IntakeSubmit struct {
	Business string `arg:"" help:"The business's address, such as https://www.example.com."`
	Intake   string `arg:"" help:"The id of the intake, as discover lists it."`
	providerFlags
	dataFlags
	Scope    []string `placeholder:"WORD" help:"What the person authorized: intake, offer, bind, account_creation, payment; without it, intake and offer."`
	Session  string   `placeholder:"UUID" help:"The session, to ask again for what is pending; without it, a new one."`
	Agent    string   `placeholder:"ID" help:"The agent's id; without it, one that is made up."`
	Locale   string   `placeholder:"TAG" help:"Such as en-US."`
	Timezone string   `placeholder:"NAME" help:"Such as Europe/Vienna."`
	Save     string   `placeholder:"FILE" help:"Write the offer to a file, for bind."`
	JSON     bool     `name:"json" help:"Print the answer as it is."`
}

// Help is the command's example.
func (IntakeSubmit) Help() string {
	return "What does not fit the intake is not sent. What looks personal is sent only when you say so.\n\n" +
		"Example:\n\n\tfrontdesk intake submit https://www.example.com find-a-tradesperson --set trade=plumber " +
		"--set city=Graz --save offer.json"
}

// Run submits.
func (c IntakeSubmit) Run(env *command.Environment) error {
	p, err := c.discover(env, c.Business, client.IntakeAgent{ID: c.Agent, Platform: "frontdesk"})
	if err != nil {
		return err
	}
	schema := []byte(nil)
	if to := p.Intake(c.Intake); to != nil {
		schema = to.InputSchema
	}
	data, err := c.read(env, texts(schema))
	if err != nil {
		return err
	}
	s := client.Submission{Data: data, Session: c.Session, Locale: c.Locale, Timezone: c.Timezone, Personal: c.Yes}
	for _, scope := range c.Scope {
		s.Scopes = append(s.Scopes, intake.Scope(scope))
	}
	got, err := p.SubmitIntake(env.Ctx, c.Intake, s)
	var personal *client.PersonalData
	if errors.As(err, &personal) {
		question := fmt.Sprintf("This looks personal: %s. Does the person want %s to have it?",
			command.Clean(strings.Join(personal.Members, ", ")), command.Clean(p.Manifest().Provider.Name))
		if err := c.confirmed(env, question); err != nil {
			return err
		}
		s.Personal = true
		got, err = p.SubmitIntake(env.Ctx, c.Intake, s)
	}
	if err != nil {
		return c.failed(env, p.Agent().ID, err)
	}
	if c.Save != "" {
		if err := saveOffer(c.Save, p, got, c.Business); err != nil {
			return err
		}
	}
	if c.JSON {
		env.Print("%s\n", bytes.TrimSpace(got.Raw))
		return nil
	}
	printOffer(env, p, got, c.Save)
	return nil
}

// failed tells what was answered instead of an offer.
func (c IntakeSubmit) failed(env *command.Environment, agent string, err error) error {
	var raw []byte
	var declined *client.Declined
	var pending *client.Pending
	var refused *client.Refused
	switch {
	case errors.As(err, &declined):
		raw = declined.Raw
	case errors.As(err, &pending):
		raw = pending.Raw
	case errors.As(err, &refused):
		raw = refused.Raw
	}
	if c.JSON && json.Valid(raw) {
		env.Print("%s\n", bytes.TrimSpace(raw))
		return command.ErrTold
	}
	if pending != nil {
		return fmt.Errorf("%s: say the same with --session %s --agent %s", command.Clean(err.Error()),
			pending.Again.Session, agent)
	}
	return explainedIntake(err)
}

// printOffer shows an offer. Its words are the business's, and are shown as such.
func printOffer(env *command.Environment, p *client.Provider, got *client.Offered, saved string) {
	offer := got.Response.Offer
	env.Print("%s says:\n%s\n", command.Clean(p.Manifest().Provider.Name),
		command.Wrap(command.Clean(offer.Summary), "    "))
	if len(offer.Details) > 0 {
		var indented bytes.Buffer
		if json.Indent(&indented, offer.Details, "", "  ") == nil {
			for line := range strings.Lines(indented.String()) {
				env.Print("    %s%s\n", line[:len(line)-len(strings.TrimLeft(line, " "))], command.Clean(line))
			}
		}
	}
	env.Print("\noffer %s, session %s\n", command.Clean(offer.ID), command.Clean(got.Session))
	if offer.Expires != "" {
		env.Print("holds until %s\n", command.Clean(offer.Expires))
	}
	if offer.TermsURL != "" {
		env.Print("terms: %s\n", command.Clean(offer.TermsURL))
	}
	for _, doubt := range got.Doubts {
		fmt.Fprintf(env.Stderr, "%s\n", command.Clean(doubt.String()))
	}
	if offer.BindEndpoint == "" {
		return
	}
	var needs, flags strings.Builder
	if offer.BindRequires != nil {
		for _, name := range *offer.BindRequires {
			fmt.Fprintf(&needs, " %s", command.Clean(name))
			fmt.Fprintf(&flags, " --set %s=…", shellWord(command.Clean(name)))
		}
	}
	env.Print("to bind it, the business wants:%s\n", cmp.Or(needs.String(), " nothing more"))
	if saved != "" {
		env.Print("\tfrontdesk intake bind %s%s\n", shellWord(saved), flags.String())
	}
}

// shellWord writes a text so that a shell takes it as one word and as nothing else: what a business
// calls its fields is shown in a line that a person may paste.
func shellWord(text string) string {
	if plainWord.MatchString(text) {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

var plainWord = regexp.MustCompile(`^[A-Za-z0-9_.,/:@%+=-]+$`)

// savedOffer is what bind needs of an offer.
type savedOffer struct {
	Business string          `json:"business"`
	Intake   string          `json:"intake"`
	Agent    string          `json:"agent"`
	Session  string          `json:"session"`
	Answer   json.RawMessage `json:"answer"`
}

func saveOffer(file string, p *client.Provider, got *client.Offered, business string) error {
	text, err := json.MarshalIndent(savedOffer{business, got.Intake.ID, p.Agent().ID, got.Session, got.Raw}, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(text, '\n'), 0o600)
}

// IntakeBind accepts an offer.
type IntakeBind struct {
	Offer string `arg:"" help:"The file that submit saved the offer to."`
	providerFlags
	dataFlags
	Scope []string `placeholder:"WORD" help:"What the person authorized besides binding: account_creation, payment."`
	JSON  bool     `name:"json" help:"Print the answer as it is."`
}

// Help is the command's example.
func (IntakeBind) Help() string {
	return "What the offer requires is sent to the business, and nothing else, once you say yes.\n\n" +
		"Example:\n\n\tfrontdesk intake bind offer.json --set email=jane@example.com --set full_name=\"Jane Doe\""
}

// Run binds.
func (c IntakeBind) Run(env *command.Environment) error {
	file, err := os.ReadFile(c.Offer)
	if err != nil {
		return err
	}
	var saved savedOffer
	if err := strictjson.Decode(file, &saved); err != nil {
		return fmt.Errorf("%s is no offer that submit saved: %w", c.Offer, err)
	}
	p, err := c.discover(env, saved.Business, client.IntakeAgent{ID: saved.Agent})
	if err != nil {
		return err
	}
	offered, err := p.Offered(saved.Intake, saved.Session, saved.Answer)
	if err != nil {
		return explainedIntake(err)
	}
	data, err := c.read(env, plainText)
	if err != nil {
		return err
	}
	scopes := make([]intake.Scope, len(c.Scope))
	for i, scope := range c.Scope {
		scopes[i] = intake.Scope(scope)
	}
	if _, err := offered.Confirm(data, scopes...); err != nil { // before anybody is asked
		return explainedIntake(err)
	}
	question := fmt.Sprintf("%s says: %s\nAccept it, and send %s to %s?", command.Clean(p.Manifest().Provider.Name),
		command.Clean(offered.Response.Offer.Summary),
		namesOf(data), command.Clean(offered.Response.Offer.BindEndpoint))
	if err := c.confirmed(env, question); err != nil {
		return err
	}
	confirmed, err := offered.Confirm(data, scopes...)
	if err != nil {
		return explainedIntake(err)
	}
	got, err := p.BindOffer(env.Ctx, confirmed)
	if err != nil {
		return explainedIntake(err)
	}
	switch {
	case c.JSON || got.Bound == nil:
		env.Print("%s\n", command.Clean(string(got.Raw)))
	default:
		env.Print("%s says:\n%s\nbound at %s\n", command.Clean(p.Manifest().Provider.Name),
			command.Wrap(command.Clean(cmp.Or(got.Bound.Message, "The offer is bound.")), "    "),
			command.Clean(got.Bound.BoundAt))
	}
	return nil
}

// namesOf are the members of an object, for a question.
func namesOf(data []byte) string {
	var members map[string]json.RawMessage
	_ = json.Unmarshal(data, &members)
	if len(members) == 0 {
		return "nothing personal"
	}
	return command.Clean(strings.Join(slices.Sorted(maps.Keys(members)), ", "))
}
