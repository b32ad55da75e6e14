package cli

import (
	"bytes"
	"errors"
	"fmt"
	"time"

	"frontdesk/client"
)

type awaitCommand struct {
	PromiseToken string `arg:"" name:"promise" help:"The token of the promise."`
	configFlags
	URL    string `placeholder:"URL" help:"The front desk that promised, instead of the local database."`
	Cancel bool   `help:"End the work, and have no answer."`
	NoWait bool   `help:"Look once, and say how far it is."`
	JSON   bool   `name:"json" help:"Print the response as it is."`
	Token  string `placeholder:"TOKEN" help:"With --url: the API key or access token that asked; better in $$FRONTDESK_TOKEN, where other users do not see it."`
}

// Help is the command's example.
func (awaitCommand) Help() string {
	return "What takes long is promised: frontdesk ask waits for it, and with --no-wait prints the token of the promise.\n\n" +
		"Examples:\n\n\tfrontdesk await --url http://127.0.0.1:8080 promise_...\n\tfrontdesk await --cancel promise_..."
}

// Run looks at a promise until it is kept.
func (c awaitCommand) Run(env *environment) error {
	ask := askCommand{configFlags: c.configFlags, URL: c.URL, Token: c.Token, JSON: c.JSON, NoWait: c.NoWait}
	desk, err := ask.desk(env)
	if err != nil {
		return err
	}
	defer desk.close()
	answer, err := desk.Await(env.ctx, c.PromiseToken)
	if c.Cancel {
		answer, err = desk.Cancel(env.ctx, c.PromiseToken)
		if answer == nil && err == nil {
			env.print("The work has ended; there will be no answer.\n")
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

// awaited waits for an answer that is promised. Where nobody wants to wait it tells of the promise, and gives no answer.
func (c askCommand) awaited(env *environment, desk *front, answer *client.Answer, err error) (*client.Answer, error) {
	var promise *client.Promise
	if !errors.As(err, &promise) {
		return answer, err
	}
	if c.NoWait {
		c.promised(env, promise)
		return nil, nil
	}
	shown := newProgress(env)
	defer shown.end()
	shown.promise(promise)
	answer, err = desk.Wait(env.ctx, promise, shown.promise)
	if env.ctx.Err() != nil {
		shown.end()
		return nil, fmt.Errorf("the answer is still being worked on; have it with: frontdesk await %s%s", c.where(), clean(promise.Token))
	}
	return answer, err
}

// promised prints a promise.
func (c askCommand) promised(env *environment, promise *client.Promise) {
	if c.JSON {
		env.print("%s\n", bytes.TrimSpace(promise.Raw))
		return
	}
	env.print("%s\nHave the answer with: frontdesk await %s%s\n", promiseLine(promise), c.where(), clean(promise.Token))
}

// where is the flag that names the desk, for a command to be typed.
func (c askCommand) where() string {
	switch {
	case c.URL != "":
		return "--url " + clean(c.URL) + " "
	case c.Config != "":
		return "--config " + clean(c.Config) + " "
	}
	return ""
}

// promise shows how far a promise is, as update does of a run.
func (p *progress) promise(at *client.Promise) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.out == nil {
		return
	}
	p.last, p.open = p.now(), true
	fmt.Fprintf(p.out, "\r\033[K%s", shorten(promiseLine(at), 100))
}

// promiseLine is a promise in words: "The answer is being worked on. 40 % done, 12s left".
func promiseLine(at *client.Promise) string {
	text := clean(at.Message)
	if text == "" {
		text = "The answer is being worked on."
	}
	text += fmt.Sprintf(" %.0f %% done", 100*at.Progress)
	if at.Left > 0 {
		text += fmt.Sprintf(", %s left", at.Left.Round(time.Second))
	}
	return text
}
