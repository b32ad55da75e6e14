package app

import (
	"context"
	"fmt"
	"net/http"
	"time"

	apphttp "frontdesk/internal/app/http"
	"frontdesk/internal/ask/nlweb"
	"frontdesk/internal/infra/fail"
)

// probes are for whoever watches whether the server answers.
func (a *App) probes() Module {
	return Module{Routes: []apphttp.Route{
		{Pattern: "/healthz", Name: "/healthz", Methods: apphttp.ReadMethods, Quiet: true,
			Handler: http.HandlerFunc(health)},
		{Pattern: "/readyz", Name: "/readyz", Methods: apphttp.ReadMethods, Quiet: true,
			Handler: http.HandlerFunc(a.ready)},
	}}
}

// health says that the process answers, whatever the state of what it stands on.
func health(w http.ResponseWriter, _ *http.Request) {
	writeStatus(w, "ok")
}

// pingTimeout is how long the database may take to show that it is there.
const pingTimeout = 2 * time.Second

// ready says whether questions are answered: the database can be reached, the content is loaded,
// and the server is not about to stop.
func (a *App) ready(w http.ResponseWriter, r *http.Request) {
	if err := a.readiness(r.Context()); err != nil {
		nlweb.WriteError(w, r, err)
		return
	}
	writeStatus(w, "ready", a.Corpus.Items())
}

// readiness says why requests would be refused; nil when they are answered.
func (a *App) readiness(ctx context.Context) error {
	if a.stopping.Load() {
		return fail.New(fail.Unavailable, "the server is stopping")
	}
	return a.modules.ready(ctx)
}

// databaseReady says why the database cannot be used; nil where it can.
func (b *base) databaseReady(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, pingTimeout)
	defer cancel()
	if err := b.db.Ping(ctx); err != nil {
		b.log.Error("the database does not answer", "error", err)
		return unusable("the database does not answer")
	}
	if b.db.Failing() != nil { // the log has the cause
		return unusable("the database takes no writes")
	}
	return nil
}

// unusable is the answer of a probe to which another is worth sending as soon as the database was
// tried again.
func unusable(why string) error {
	return fail.New(fail.Unavailable, "%s", why).After(time.Second)
}

// writeStatus answers a probe. Like every answer it is an object with _meta. Of a server that is
// ready it tells how many items it answers from, if that is told.
func writeStatus(w http.ResponseWriter, status string, items ...int) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	fmt.Fprintf(w, `{"_meta":{"response_type":"status","version":"0.55"},"status":%q`, status)
	for _, n := range items {
		fmt.Fprintf(w, `,"items":%d`, n)
	}
	fmt.Fprintln(w, "}")
}
