package agent

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"frontdesk/client"
	"frontdesk/internal/cli/command"
)

// chat asks one question after the other, as somebody types them; each may go on with those before
// it.
func (c Ask) chat(env *command.Environment, desk *command.Front) error {
	in := bufio.NewReader(env.Stdin)
	talk := desk.Converse(c.question())
	text := strings.TrimSpace(strings.Join(c.Question, " "))
	for {
		switch strings.ToLower(text) {
		case "":
		case "exit", "quit":
			return nil
		case "forget":
			if err := c.forget(env, talk); err != nil {
				return err
			}
		default:
			if err := c.say(env, desk, talk, in, text); err != nil {
				return err
			}
		}
		if command.IsTerminal(env.Stdout) {
			fmt.Fprint(env.Stdout, "> ")
		}
		line, err := in.ReadString('\n')
		text = strings.TrimSpace(strings.ToValidUTF8(line, ""))
		switch {
		case errors.Is(err, io.EOF) && text == "":
			return nil
		case err != nil && !errors.Is(err, io.EOF):
			return fmt.Errorf("read the next question: %w", err)
		}
	}
}

// forget begins anew, and has the desk forget what it remembers of the conversation.
func (c Ask) forget(env *command.Environment, talk *client.Conversation) error {
	err := talk.Forget(env.Ctx)
	var failure *client.Failure
	switch {
	case errors.As(err, &failure):
		env.Print("%s\n\n", told(failure))
		return nil
	case err != nil:
		return err
	}
	env.Print("The conversation is forgotten.\n\n")
	return nil
}

// say asks one question of a conversation, and what the desk asks back of it.
func (c Ask) say(env *command.Environment, desk *command.Front, talk *client.Conversation, in *bufio.Reader,
	text string) error {
	q := talk.Next(text)
	for round := 0; ; round++ {
		answer, err := desk.Ask(env.Ctx, q)
		var promise *client.Promise
		if errors.As(err, &promise) {
			talk.Took(q, nil, err)
			answer, err = c.awaited(env, desk, answer, err)
		}
		talk.Took(q, answer, err)
		var failure *client.Failure
		if errors.As(err, &failure) { // the conversation goes on
			env.Print("%s\n\n", told(failure))
			return nil
		}
		if err != nil {
			return err
		}
		back, err := c.show(env, desk, answer)
		if err != nil || back == nil {
			return err
		}
		if round == maxRounds {
			p := printer{out: env.Stdout}
			p.asked(back.Elicitation)
			return nil
		}
		replies, err := interview(in, env.Stdout, back.Elicitation)
		if err != nil {
			return err
		}
		q = q.Answering(back, replies)
	}
}
