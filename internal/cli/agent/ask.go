// Package agent has the commands of those who ask front desks and buy from them, and of providers
// who sell through an Exchange: clients of the four protocols.
package agent

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"frontdesk/client"
	"frontdesk/internal/cli/command"
	"frontdesk/wire/nlweb"
)

// Ask asks a question, of a front desk on the network or of the content here.
type Ask struct {
	Question []string `arg:"" optional:"" help:"The question."`
	command.ConfigFlags
	URL         string   `placeholder:"URL" help:"Ask the front desk at this address instead of the local database."`
	Site        string   `placeholder:"SITE" help:"Ask one site."`
	Type        string   `placeholder:"TYPE" help:"Want items of this schema.org type, such as Recipe."`
	Limit       int      `placeholder:"N" help:"Number of results (10)."`
	Mode        string   `placeholder:"MODE" help:"list, summarize, or both with a comma."`
	JSON        bool     `name:"json" help:"Print the response as it is."`
	Stream      bool     `help:"Print results while they arrive."`
	With        []string `sep:"none" placeholder:"NAME=VALUE" help:"Want items with this attribute, such as price='under 20'; or answer a question that was asked back. May be given several times."`
	NoQuestions bool     `help:"Ask for an answer at once, and for nothing to be asked back."`
	Chat        bool     `help:"Go on asking: each line that is typed is a question, which may go on with those before it (\"only vegan\", \"the second one\"). \"forget\" begins anew, \"exit\" ends."`
	Remember    bool     `help:"Have the desk remember the question for those to come."`
	NoWait      bool     `help:"Do not wait for an answer that is promised for later; print how to have it."`
	Token       string   `placeholder:"TOKEN" help:"With --url: the API key or access token to ask with; better in $$FRONTDESK_TOKEN, where other users do not see it."`
}

// Help is the command's example.
func (Ask) Help() string {
	return "Without --url the database is asked that serve would use.\n\n" +
		"Examples:\n\n\tfrontdesk ask \"a quick vegan dinner\" --type Recipe\n\tfrontdesk ask --url " +
		"http://127.0.0.1:8080 --mode summarize \"how do I season a pan?\"\n\tfrontdesk ask --chat a quick dinner"
}

// Run asks.
func (c Ask) Run(env *command.Environment) error {
	for _, attribute := range c.With {
		if name, _, ok := strings.Cut(attribute, "="); !ok || name == "" {
			return command.Usage("--with %s names no attribute; write NAME=VALUE, such as --with price='under 20'",
				attribute)
		}
	}
	switch {
	case len(c.Question) == 0 && !c.Chat:
		return command.Usage("write the question behind the command, like: frontdesk ask a quick vegan " +
			"dinner; or go on asking with --chat")
	case c.Chat && (c.JSON || c.Stream):
		return command.Usage("--chat shows answers to people; leave out --json and --stream")
	}
	desk, err := c.desk(env)
	if err != nil {
		return err
	}
	defer desk.Close()
	if c.Chat {
		return c.chat(env, desk)
	}
	if c.Stream {
		err = c.follow(env, desk)
	} else {
		err = c.whole(env, desk)
	}
	return c.failed(env, err)
}

// failed tells what a desk answered instead of an answer.
func (c Ask) failed(env *command.Environment, err error) error {
	var failure *client.Failure
	if !errors.As(err, &failure) {
		return err
	}
	if c.JSON {
		env.Print("%s\n", bytes.TrimSpace(failure.Raw))
		return command.ErrTold
	}
	if closest := failure.Closest(); len(closest) > 0 {
		p := printer{out: env.Stdout}
		p.understood(failure.Meta.Understood)
		env.Print("Closest:\n\n")
		for _, r := range closest {
			p.result(r)
		}
	}
	return told(failure)
}

// told is a failure in its desk's own words.
func told(failure *client.Failure) error {
	if failure.Message == "" {
		return errors.New(command.Clean(failure.Error()))
	}
	return errors.New(command.Clean(failure.Message))
}

func (c Ask) desk(env *command.Environment) (*command.Front, error) {
	if c.URL != "" {
		return command.Remote(c.URL, env.Token(c.Token), c.SignsAs(env))
	}
	if c.Token != "" {
		return nil, command.Usage("--token goes with --url; the local database asks for none")
	}
	loaded, err := c.Load(env, nil)
	if err != nil {
		return nil, err
	}
	return command.Local(env, loaded)
}

func (c Ask) question() client.Question {
	q := client.Question{
		Text: strings.Join(c.Question, " "), Sites: command.Listed(c.Site), Types: command.Listed(c.Type),
		Modes: command.Listed(c.Mode), Limit: c.Limit, NoQuestions: c.NoQuestions, Remember: c.Remember,
	}
	for _, attribute := range c.With {
		name, value, _ := strings.Cut(attribute, "=")
		if q.Filters == nil {
			q.Filters = map[string]any{}
		}
		q.Filters[name] = value
	}
	return q
}

// whole prints an answer when all of it is there.
func (c Ask) whole(env *command.Environment, desk *command.Front) error {
	return c.rounds(env, func(q client.Question) (*client.Answer, error) {
		answer, err := desk.Ask(env.Ctx, q)
		if answer, err = c.awaited(env, desk, answer, err); err != nil {
			return nil, err
		}
		return c.show(env, desk, answer)
	})
}

// show prints an answer, if there is one, and gives it back where it is a question that can be
// answered.
func (c Ask) show(env *command.Environment, desk *command.Front,
	answer *client.Answer) (back *client.Answer, err error) {
	if answer == nil {
		return nil, nil
	}
	if c.JSON && answer.Raw == nil {
		return nil, fmt.Errorf("%s answers with a stream, though none was asked for; add --stream", desk.Address())
	}
	if c.JSON {
		env.Print("%s\n", bytes.TrimSpace(answer.Raw))
		return nil, nil
	}
	if answer.Elicitation != nil {
		return answer, nil
	}
	p := printer{out: env.Stdout}
	p.understood(answer.Meta.Understood)
	p.summary(answer.Summary, answer.Cited)
	for _, r := range answer.Results {
		p.result(r)
	}
	return nil, nil
}

// follow prints the events of a stream, or what they say, as they arrive.
func (c Ask) follow(env *command.Environment, desk *command.Front) error {
	return c.rounds(env, func(q client.Question) (*client.Answer, error) { return c.streamed(env, desk, q) })
}

func (c Ask) streamed(env *command.Environment, desk *command.Front,
	q client.Question) (back *client.Answer, err error) {
	stream, err := desk.Stream(env.Ctx, q)
	if err != nil {
		answer, err := c.awaited(env, desk, nil, err)
		if err != nil {
			return nil, err
		}
		return c.show(env, desk, answer)
	}
	defer stream.Close()
	if c.JSON {
		return nil, relay(env, stream)
	}
	p := printer{out: env.Stdout}
	for r, err := range stream.Results() {
		p.understood(stream.Meta().Understood)
		p.summary(stream.Summary(), stream.Cited())
		if err != nil {
			return nil, err
		}
		p.result(r)
	}
	p.summary(stream.Summary(), stream.Cited())
	if stream.Elicitation() != nil {
		return &client.Answer{Meta: stream.Meta(), Elicitation: stream.Elicitation()}, nil
	}
	return nil, nil
}

// relay prints a stream as it is.
func relay(env *command.Environment, stream *client.Stream) error {
	for e, err := range stream.Events() {
		switch {
		case err != nil && stream.Failure() != nil: // which was among the events
			return command.ErrTold
		case err != nil:
			return err
		case e.Name == "": // the desk does not stream
			env.Print("%s\n", bytes.TrimSpace(e.Data))
		default:
			env.Print("event: %s\ndata: %s\n\n", command.Clean(e.Name), e.Data)
		}
	}
	if stream.Failure() != nil {
		return command.ErrTold
	}
	return nil
}

// printer writes results for people.
type printer struct {
	out        io.Writer
	number     int
	summarized bool
	explained  bool
}

// understood prints what the question was taken to want, once, and the sentence that answers it.
func (p *printer) understood(u *nlweb.Understood) {
	if u == nil || p.explained {
		return
	}
	p.explained = true
	if u.Text != "" {
		fmt.Fprintln(p.out, command.Wrap(command.Clean("Understood: "+u.Text), ""))
	}
	for _, c := range u.Corrected {
		fmt.Fprintln(p.out, command.Wrap(command.Clean(fmt.Sprintf("Read %q as %q.", c.From, c.To)), ""))
	}
	for _, r := range u.Relaxed {
		fmt.Fprintln(p.out, command.Wrap(command.Clean("Let go, since nothing meets it: "+r.Text), ""))
	}
	if u.Answer != "" {
		fmt.Fprintln(p.out, command.Wrap(command.Clean(u.Answer), ""))
	}
	fmt.Fprintln(p.out)
}

// summary prints the summary, once it is there, and what it cites.
func (p *printer) summary(text string, cited []client.Result) {
	if text == "" || p.summarized {
		return
	}
	p.summarized = true
	fmt.Fprintln(p.out, command.Wrap(command.Clean(text), ""))
	for i, r := range cited {
		fmt.Fprintf(p.out, "[%d] %s\n", i+1, command.Clean(r.URL))
	}
	fmt.Fprintln(p.out)
}

// asked prints what the desk asks back.
func (p *printer) asked(elicitation *nlweb.Elicitation) {
	if elicitation == nil {
		return
	}
	if elicitation.Text != "" {
		fmt.Fprintln(p.out, command.Wrap(command.Clean(elicitation.Text), ""))
	}
	for _, q := range elicitation.Questions {
		fmt.Fprintln(p.out, command.Wrap(command.Clean(q.ID+": "+q.Text+" "+strings.Join(q.Options, " / ")), "  "))
	}
}

func (p *printer) result(r client.Result) {
	p.number++
	const indent = "    "
	name := command.Clean(r.Name)
	if name == "" {
		name = command.Clean(r.URL)
	}
	fmt.Fprintf(p.out, "%2d  %s  (%s, %.0f)\n%s%s\n", p.number, name, command.Clean(r.Type()), r.Score, indent,
		command.Clean(r.URL))
	if r.Description != "" {
		fmt.Fprintln(p.out, command.Wrap(command.Shorten(command.Clean(r.Description), 240), indent))
	}
	fmt.Fprintln(p.out)
}
