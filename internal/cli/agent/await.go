package agent

import (
	"bytes"
	"errors"
	"fmt"

	"frontdesk/client"
	"frontdesk/internal/cli/command"
)

// Await fetches an answer that was promised, or cancels it.
type Await struct {
	PromiseToken string `arg:"" name:"promise" help:"The token of the promise."`
	command.ConfigFlags
	URL    string `placeholder:"URL" help:"The front desk that promised, instead of the local database."`
	Cancel bool   `help:"End the work, and have no answer."`
	NoWait bool   `help:"Look once, and say how far it is."`
	JSON   bool   `name:"json" help:"Print the response as it is."`
	Token  string `placeholder:"TOKEN" help:"With --url: the API key or access token that asked; better in $$FRONTDESK_TOKEN, where other users do not see it."`
}

// Help is the command's example.
func (Await) Help() string {
	return "What takes long is promised: frontdesk ask waits for it, and with " +
		"--no-wait prints the token of the promise.\n\n" +
		"Examples:\n\n\tfrontdesk await --url http://127.0.0.1:8080 promise_...\n\tfrontdesk await --cancel promise_..."
}

// Run looks at a promise until it is kept.
func (c Await) Run(env *command.Environment) error {
	ask := Ask{ConfigFlags: c.ConfigFlags, URL: c.URL, Token: c.Token, JSON: c.JSON, NoWait: c.NoWait}
	desk, err := ask.desk(env)
	if err != nil {
		return err
	}
	defer desk.Close()
	answer, err := desk.Await(env.Ctx, c.PromiseToken)
	if c.Cancel {
		answer, err = desk.Cancel(env.Ctx, c.PromiseToken)
		if answer == nil && err == nil {
			env.Print("The work has ended; there will be no answer.\n")
			return nil
		}
	} else {
		answer, err = ask.awaited(env, desk, answer, err)
	}
	if err == nil {
		_, err = ask.show(env, desk, answer)
	}
	return ask.failed(env, err)
}

// awaited waits for an answer that is promised. Where nobody wants to wait it tells of the promise,
// and gives no answer.
func (c Ask) awaited(env *command.Environment, desk *command.Front, answer *client.Answer,
	err error) (*client.Answer, error) {
	var promise *client.Promise
	if !errors.As(err, &promise) {
		return answer, err
	}
	if c.NoWait {
		c.promised(env, promise)
		return nil, nil
	}
	shown := command.NewProgress(env)
	defer shown.End()
	shown.Promise(promise)
	answer, err = desk.Wait(env.Ctx, promise, shown.Promise)
	if env.Ctx.Err() != nil {
		shown.End()
		return nil, fmt.Errorf("the answer is still being worked on; have it with: frontdesk await %s%s", c.where(),
			command.Clean(promise.Token))
	}
	return answer, err
}

// promised prints a promise.
func (c Ask) promised(env *command.Environment, promise *client.Promise) {
	if c.JSON {
		env.Print("%s\n", bytes.TrimSpace(promise.Raw))
		return
	}
	env.Print("%s\nHave the answer with: frontdesk await %s%s\n", command.PromiseLine(promise), c.where(),
		command.Clean(promise.Token))
}

// where is the flag that names the desk, for a command to be typed.
func (c Ask) where() string {
	switch {
	case c.URL != "":
		return "--url " + command.Clean(c.URL) + " "
	case c.Config != "":
		return "--config " + command.Clean(c.Config) + " "
	}
	return ""
}
