package agent

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"frontdesk/client"
	"frontdesk/internal/cli/command"
	"frontdesk/wire/nlweb"
)

// maxRounds is how often a desk may ask back before its questions are printed and left.
const maxRounds = 5

// rounds asks until the desk asks back no more, or nobody is there to answer: ask puts one
// question, and gives what was asked back of it, nil when it was answered.
func (c Ask) rounds(env *command.Environment, ask func(client.Question) (back *client.Answer, err error)) error {
	q := c.question()
	in := bufio.NewReader(env.Stdin)
	for round := 0; ; round++ {
		back, err := ask(q)
		if err != nil || back == nil {
			return err
		}
		if !c.interactive(env) || round == maxRounds {
			p := printer{out: env.Stdout}
			p.asked(back.Elicitation)
			env.Print("\nAnswer with --with ID=ANSWER for each, or ask at once with --no-questions.\n")
			return nil
		}
		replies, err := interview(in, env.Stdout, back.Elicitation)
		if err != nil {
			return err
		}
		q = q.Answering(back, replies)
	}
}

// interactive says whether somebody sits there who can be asked.
func (c Ask) interactive(env *command.Environment) bool {
	return command.IsTerminal(env.Stdin) && command.IsTerminal(env.Stdout)
}

// interview puts the questions of an elicitation to a person, one by one. Empty lines take the
// default, or leave it to the desk; the end of the input leaves all that is still open to it.
func interview(in *bufio.Reader, out io.Writer, asked *nlweb.Elicitation) (map[string]any, error) {
	if asked.Text != "" {
		fmt.Fprintln(out, command.Wrap(command.Clean(asked.Text), ""))
	}
	replies := map[string]any{}
	for _, q := range asked.Questions {
		reply, err := putTo(in, out, q)
		if err != nil {
			return nil, err
		}
		replies[q.ID] = reply
	}
	fmt.Fprintln(out)
	return replies, nil
}

// putTo asks one question until the reply can be understood.
func putTo(in *bufio.Reader, out io.Writer, q nlweb.Question) (any, error) {
	fmt.Fprintf(out, "\n%s\n", command.Wrap(command.Clean(q.Text), ""))
	for i, option := range q.Options {
		fmt.Fprintf(out, "  %d  %s\n", i+1, command.Clean(option))
	}
	for {
		fmt.Fprintf(out, "%s> ", hints[q.Type])
		line, err := in.ReadString('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("read the answer: %w", err)
		}
		ended := err != nil
		reply, err := client.ReadReply(q, strings.ToValidUTF8(line, ""))
		switch {
		case err == nil:
			return reply, nil
		case ended:
			return client.NoPreference, nil
		}
		fmt.Fprintln(out, command.Wrap(command.Clean(err.Error()), "  "))
	}
}

// hints say how questions of each type are answered.
var hints = map[string]string{
	nlweb.QuestionSingle: "one of them ", nlweb.QuestionMulti: "any of them, with commas ",
	nlweb.QuestionNumber: "a number ", nlweb.QuestionBoolean: "yes or no ",
}
