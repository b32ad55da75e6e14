package command

import (
	"context"
	"net"
	"net/http"

	"frontdesk/client"
	"frontdesk/internal/app"
)

// Front is a front desk to ask over HTTP: one on the network, or one inside this process, which
// answers by the very same code.
type Front struct {
	*client.Client
	Close func()
}

// UserAgent names the commands to the front desks that they ask.
const UserAgent = "frontdesk-cli"

// MaxAnswer bounds what is read of an answer.
const MaxAnswer = 256 << 20

// Remote is a front desk on the network. Its address is that of the desk or of its endpoint; a
// token may be empty, and who signs nobody.
func Remote(address, token string, agent *client.Agent) (*Front, error) {
	transport := NewTransport()
	c, err := client.New(address, client.Options{
		HTTP: &http.Client{Transport: transport}, UserAgent: UserAgent, Token: client.StaticToken(token),
		MaxAnswer: MaxAnswer, Agent: agent,
	})
	if err != nil {
		return nil, Usage("--url: %s", err)
	}
	return &Front{c, transport.CloseIdleConnections}, nil
}

// Local is a front desk inside this process, on a configuration's database.
func Local(env *Environment, loaded *app.Loaded) (*Front, error) {
	if err := NeedContent(loaded.Config); err != nil {
		return nil, err
	}
	log := app.NewLog(app.Log{Level: "error"}, env.Stderr)
	s, err := app.Build(env.Ctx, app.Options{Loaded: loaded, Log: log, Inside: true})
	if err != nil {
		return nil, err
	}
	err = s.Refresh(env.Ctx)
	if err == nil {
		err = s.LoadVectors(env.Ctx)
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	return Within(s)
}

// Within lets a server inside this process be asked. Its close closes the server.
func Within(s *app.App) (*Front, error) {
	inside := &inside{dialled: make(chan net.Conn), closed: make(chan struct{})}
	web := &http.Server{Handler: s}
	go web.Serve(inside)
	work, stop := context.WithCancel(context.Background())
	worked := make(chan struct{})
	go func() {
		defer close(worked)
		s.Work(work)
	}()
	done := func() {
		web.Close()
		stop()
		<-worked
		s.Close()
	}
	c, err := client.New("http://localhost", client.Options{
		HTTP: &http.Client{Transport: &http.Transport{DialContext: inside.dial}}, UserAgent: UserAgent, Retries: -1,
		MaxAnswer: MaxAnswer,
	})
	if err != nil {
		done()
		return nil, err
	}
	return &Front{c, done}, nil
}

// inside is a listener that is reached by calling dial instead of by the network.
type inside struct {
	dialled chan net.Conn
	closed  chan struct{}
}

func (l *inside) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	select {
	case l.dialled <- theirs:
		return ours, nil
	case <-l.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Accept gives the next connection.
func (l *inside) Accept() (net.Conn, error) {
	select {
	case c := <-l.dialled:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

// Close ends Accept and dial. http.Server calls it once.
func (l *inside) Close() error {
	close(l.closed)
	return nil
}

// Addr is that of no network.
func (l *inside) Addr() net.Addr { return &net.UnixAddr{Name: "inside", Net: "inside"} }
