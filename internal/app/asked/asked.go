// Package asked says of a request who asks, for the questions that are kept (ask/questions).
package asked

import (
	"cmp"
	"context"
	"net/http"

	apphttp "frontdesk/internal/app/http"
	"frontdesk/internal/ask/questions"
	"frontdesk/internal/excerpts"
	"frontdesk/internal/identity/agents"
	"frontdesk/internal/identity/visitors"
)

// The protocols over which questions are asked, as they are kept.
const (
	OverAsk    = "ask"
	OverMCP    = "mcp"
	OverIntent = "intent"
)

// Handler has the questions of a handler be kept by a keeper; nil keeps none. Owner says whether
// who asks is logged in to the console.
func Handler(
	keeper *questions.Keeper, protocol string, owner func(*http.Request) bool, next http.Handler,
) http.Handler {
	if keeper == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		source := sourceOf(r.Context(), protocol)
		source.Beacon = protocol == OverAsk
		if source.Beacon && source.Agent == "" && visitors.FromBrowser(r.UserAgent()) {
			source.Kind = questions.Person
		}
		source.Owner = owner(r)
		next.ServeHTTP(w, r.WithContext(questions.With(r.Context(), source)))
	})
}

// sourceOf is who asks, as far as a context tells. A known agent asks for many people from the
// addresses of its operator, and counts as one address.
func sourceOf(ctx context.Context, protocol string) questions.Source {
	source := questions.Source{
		Protocol: protocol, Kind: questions.OtherAgent, Address: "address " + apphttp.ClientOf(ctx),
	}
	agent := agents.From(ctx)
	if agent.Known == "" {
		return source
	}
	source.Agent = cmp.Or(agent.Name, agent.Group(), agent.Operator)
	source.Kind = cmp.Or(agent.Kind, questions.OtherAgent)
	source.Address = "agent " + cmp.Or(agent.Operator, agent.Name)
	return source
}

// Intent is a request of a platform for passages as it is kept. Of several requests of one
// session each counts.
func Intent(
	ctx context.Context, request excerpts.RetrieveRequest, given *excerpts.RetrieveResult,
) questions.Asked {
	a := questions.Asked{
		Source: sourceOf(ctx, OverIntent), Text: request.Text, Language: request.Language,
		Outcome:  questions.Nothing,
		Narrowed: request.Domain != "",
	}
	if a.Agent == "" {
		a.Agent, a.Address = request.Key.Platform, "agent "+request.Key.Platform
	}
	if given != nil {
		a.Outcome = questions.Answered
		if len(given.Sources) > 0 {
			a.URL, a.Name = given.Sources[0].URL, given.Sources[0].Title
		}
		for _, source := range given.Sources {
			a.Given = append(a.Given, source.URL)
		}
	}
	return a
}
