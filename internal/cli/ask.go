package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"frontdesk/client"
	"frontdesk/wire/nlweb"
)

type askCommand struct {
	Question []string `arg:"" optional:"" help:"The question."`
	configFlags
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
func (askCommand) Help() string {
	return "Without --url the database is asked that serve would use.\n\n" +
		"Examples:\n\n\tfrontdesk ask \"a quick vegan dinner\" --type Recipe\n\tfrontdesk ask --url http://127.0.0.1:8080 --mode summarize \"how do I season a pan?\"\n\tfrontdesk ask --chat a quick dinner"
}

// Run asks.
func (c askCommand) Run(env *environment) error {
	for _, attribute := range c.With {
		if name, _, ok := strings.Cut(attribute, "="); !ok || name == "" {
			return usage("--with %s names no attribute; write NAME=VALUE, such as --with price='under 20'", attribute)
		}
	}
	switch {
	case len(c.Question) == 0 && !c.Chat:
		return usage("write the question behind the command, like: frontdesk ask a quick vegan dinner; or go on asking with --chat")
	case c.Chat && (c.JSON || c.Stream):
		return usage("--chat shows answers to people; leave out --json and --stream")
	}
	desk, err := c.desk(env)
	if err != nil {
		return err
	}
	defer desk.close()
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
func (c askCommand) failed(env *environment, err error) error {
	var failure *client.Failure
	if !errors.As(err, &failure) {
		return err
	}
	if c.JSON {
		env.print("%s\n", bytes.TrimSpace(failure.Raw))
		return errTold
	}
	if closest := failure.Closest(); len(closest) > 0 {
		p := printer{out: env.stdout}
		p.understood(failure.Meta.Understood)
		env.print("Closest:\n\n")
		for _, r := range closest {
			p.result(r)
		}
	}
	return told(failure)
}

// told is a failure in its desk's own words.
func told(failure *client.Failure) error {
	if failure.Message == "" {
		return errors.New(clean(failure.Error()))
	}
	return errors.New(clean(failure.Message))
}

func (c askCommand) desk(env *environment) (*front, error) {
	if c.URL != "" {
		return remote(c.URL, env.token(c.Token))
	}
	if c.Token != "" {
		return nil, usage("--token goes with --url; the local database asks for none")
	}
	loaded, err := c.load(env, nil)
	if err != nil {
		return nil, err
	}
	return local(env, loaded)
}

// tokenVariable is where a token can be without being seen in the list of processes.
const tokenVariable = "FRONTDESK_TOKEN="

// token is the one given by a flag, or that of the environment.
func (e *environment) token(flag string) string {
	if flag != "" {
		return flag
	}
	for _, variable := range e.env {
		if token, ok := strings.CutPrefix(variable, tokenVariable); ok {
			return token
		}
	}
	return ""
}

func (c askCommand) question() client.Question {
	q := client.Question{
		Text: strings.Join(c.Question, " "), Sites: listed(c.Site), Types: listed(c.Type), Modes: listed(c.Mode), Limit: c.Limit,
		NoQuestions: c.NoQuestions, Remember: c.Remember,
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

// listed splits what was written with commas.
func listed(text string) (tokens []string) {
	for token := range strings.SplitSeq(text, ",") {
		if token = strings.TrimSpace(token); token != "" {
			tokens = append(tokens, token)
		}
	}
	return tokens
}

// whole prints an answer when all of it is there.
func (c askCommand) whole(env *environment, desk *front) error {
	return c.rounds(env, func(q client.Question) (*client.Answer, error) {
		answer, err := desk.Ask(env.ctx, q)
		if answer, err = c.awaited(env, desk, answer, err); err != nil {
			return nil, err
		}
		return c.show(env, desk, answer)
	})
}

// show prints an answer, if there is one, and gives it back where it is a question that can be answered.
func (c askCommand) show(env *environment, desk *front, answer *client.Answer) (back *client.Answer, err error) {
	if answer == nil {
		return nil, nil
	}
	if c.JSON && answer.Raw == nil {
		return nil, fmt.Errorf("%s answers with a stream, though none was asked for; add --stream", desk.Address())
	}
	if c.JSON {
		env.print("%s\n", bytes.TrimSpace(answer.Raw))
		return nil, nil
	}
	if answer.Elicitation != nil {
		return answer, nil
	}
	p := printer{out: env.stdout}
	p.understood(answer.Meta.Understood)
	p.summary(answer.Summary, answer.Cited)
	for _, r := range answer.Results {
		p.result(r)
	}
	return nil, nil
}

// follow prints the events of a stream, or what they say, as they arrive.
func (c askCommand) follow(env *environment, desk *front) error {
	return c.rounds(env, func(q client.Question) (*client.Answer, error) { return c.streamed(env, desk, q) })
}

func (c askCommand) streamed(env *environment, desk *front, q client.Question) (back *client.Answer, err error) {
	stream, err := desk.Stream(env.ctx, q)
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
	p := printer{out: env.stdout}
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
func relay(env *environment, stream *client.Stream) error {
	for e, err := range stream.Events() {
		switch {
		case err != nil && stream.Failure() != nil: // which was among the events
			return errTold
		case err != nil:
			return err
		case e.Name == "": // the desk does not stream
			env.print("%s\n", bytes.TrimSpace(e.Data))
		default:
			env.print("event: %s\ndata: %s\n\n", clean(e.Name), e.Data)
		}
	}
	if stream.Failure() != nil {
		return errTold
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
		fmt.Fprintln(p.out, wrap(clean("Understood: "+u.Text), ""))
	}
	for _, c := range u.Corrected {
		fmt.Fprintln(p.out, wrap(clean(fmt.Sprintf("Read %q as %q.", c.From, c.To)), ""))
	}
	for _, r := range u.Relaxed {
		fmt.Fprintln(p.out, wrap(clean("Let go, since nothing meets it: "+r.Text), ""))
	}
	if u.Answer != "" {
		fmt.Fprintln(p.out, wrap(clean(u.Answer), ""))
	}
	fmt.Fprintln(p.out)
}

// summary prints the summary, once it is there, and what it cites.
func (p *printer) summary(text string, cited []client.Result) {
	if text == "" || p.summarized {
		return
	}
	p.summarized = true
	fmt.Fprintln(p.out, wrap(clean(text), ""))
	for i, r := range cited {
		fmt.Fprintf(p.out, "[%d] %s\n", i+1, clean(r.URL))
	}
	fmt.Fprintln(p.out)
}

// asked prints what the desk asks back.
func (p *printer) asked(elicitation *nlweb.Elicitation) {
	if elicitation == nil {
		return
	}
	if elicitation.Text != "" {
		fmt.Fprintln(p.out, wrap(clean(elicitation.Text), ""))
	}
	for _, q := range elicitation.Questions {
		fmt.Fprintln(p.out, wrap(clean(q.ID+": "+q.Text+" "+strings.Join(q.Options, " / ")), "  "))
	}
}

func (p *printer) result(r client.Result) {
	p.number++
	const indent = "    "
	name := clean(r.Name)
	if name == "" {
		name = clean(r.URL)
	}
	fmt.Fprintf(p.out, "%2d  %s  (%s, %.0f)\n%s%s\n", p.number, name, clean(r.Type()), r.Score, indent, clean(r.URL))
	if r.Description != "" {
		fmt.Fprintln(p.out, wrap(shorten(clean(r.Description), 240), indent))
	}
	fmt.Fprintln(p.out)
}

// clean takes what could command the terminal out of a text that somebody else wrote, and brings it to one line.
func clean(text string) string {
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool {
		return r <= ' ' || r >= 0x7f && r <= 0x9f || r == utf8.RuneError || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069
	}), " ")
}

// shorten cuts a text at a blank.
func shorten(text string, most int) string {
	runes := []rune(text)
	if len(runes) <= most {
		return text
	}
	cut := string(runes[:most])
	if blank := strings.LastIndexByte(cut, ' '); blank > 0 {
		cut = cut[:blank]
	}
	return strings.TrimRight(cut, " ,.;:") + " …"
}

// lineWidth is where wrap breaks lines.
const lineWidth = 96

// wrap breaks a text into lines that begin with an indent; a mark in it, such as "- ", stands before the first alone.
func wrap(text, indent string) string {
	var b strings.Builder
	column := 0
	for word := range strings.FieldsSeq(text) {
		width := utf8.RuneCountInString(word)
		switch {
		case column == 0:
			b.WriteString(indent)
			column = len(indent)
		case column+1+width > lineWidth:
			b.WriteString("\n" + strings.Repeat(" ", len(indent)))
			column = len(indent)
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += width
	}
	return b.String()
}
