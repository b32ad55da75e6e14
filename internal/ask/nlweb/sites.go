package nlweb

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"net/http"
	"net/url"

	"frontdesk/internal/ask"
	"frontdesk/internal/ask/front"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/httpx"
	wire "frontdesk/wire/nlweb"
)

// maxWho is how many items are looked at to tell which sites have an answer.
const maxWho = 50

// Sites serves /sites of the flat dialect: the ids of the sites that can be asked.
func Sites(d *ask.Service, config Config) http.Handler {
	at := newDoor(d, config)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sites := wire.LegacySites{MessageType: wire.LegacyKindSites, Sites: []string{}}
		for _, site := range d.Sites().All() {
			sites.Sites = append(sites.Sites, site.ID)
		}
		if !wantsEvents(r) {
			send(w, http.StatusOK, marshal(sites), []byte("\n"))
			return
		}
		at.begin(w).event("", marshal(sites))
	})
}

// Who serves /who of the flat dialect: which sites have an answer to a question, the best first.
func Who(d *ask.Service, config Config) http.Handler {
	at := newDoor(d, config)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := at.who(w, r); err != nil {
			WriteError(w, r, err)
		}
	})
}

// wantsEvents says whether the parameters want a stream of events, which these two addresses give
// only when asked.
func wantsEvents(r *http.Request) bool {
	given := wire.LegacyRequest{Streaming: quote(nil, r.URL.Query().Get("streaming"))}
	stream, _ := given.WantsStream()
	return r.URL.Query().Get("streaming") != "" && stream
}

func (d *door) who(w http.ResponseWriter, r *http.Request) error {
	httpx.EventFrom(r.Context()).Set("dialect", "flat")
	asked, err := wire.ParseLegacy(url.Values{"query": r.URL.Query()["query"], "query_id": r.URL.Query()["query_id"]})
	if err != nil {
		return malformed(err)
	}
	x := &exchange{request: asked.Ask(), start: d.config.Now(), meta: wire.Meta{Version: wire.Version}}
	heedLanguage(x.request, languageOf(r))
	x.speak()
	question, err := d.question(r.Context(), x.request)
	if err != nil {
		return err
	}
	// the answer has sites, and no items
	question.AnswersOnly, question.Limit, question.Numbered, question.Most = true, maxWho, true, 0
	answer := wire.LegacyWho{MessageType: wire.LegacyKindWho, QueryID: firstRunes(asked.ID(), maxID),
		Query: asked.Query, Content: []wire.LegacySite{}}
	results, err := d.found(r.Context(), x, question)
	var coded *fail.Error
	switch {
	case err == nil:
		if answer.Content, err = d.owners(results, asked.Query); err != nil {
			return err
		}
	case errors.As(err, &coded) && coded.Code == fail.NoResults:
		answer.Message = x.word(coded)
	default:
		return err
	}
	x.meta.ResponseType = wire.TypeAnswer
	noteAnswer(httpx.EventFrom(r.Context()), x, len(answer.Content))
	if !wantsEvents(r) {
		x.measure(d.config.Now())
		answer.Meta = &x.meta
		send(w, http.StatusOK, marshal(answer), []byte("\n"))
		return nil
	}
	s := d.begin(w)
	s.event("", marshal(answer))
	s.event("", marshal(wire.LegacyMessage{MessageType: wire.LegacyComplete, QueryID: answer.QueryID}))
	return nil
}

// found are the results of a question, here or at the nodes.
func (d *door) found(ctx context.Context, x *exchange,
	question ask.Question) (iter.Seq2[wire.LegacyResult, error], error) {
	if d.config.Nodes != nil {
		x.request.Prefer.Elicitation = new(false)
		reply, err := d.askNodes(ctx, x, front.Question{Limit: question.Limit, Whole: true})
		x.meta.SessionContext = nil // which this dialect has none of
		return flatNodes(reply), err
	}
	reply, err := d.service.Ask(ctx, question)
	x.tell(reply)
	if err != nil {
		return nil, err
	}
	return flatResults(legacyResults(ctx, reply.Answer)), nil
}

// owners are the sites of results, each with the score and the description of its best.
func (d *door) owners(results iter.Seq2[wire.LegacyResult, error], question string) ([]wire.LegacySite, error) {
	names := map[string]string{}
	for _, site := range d.service.Sites().All() {
		names[site.ID] = cmp.Or(site.Name, site.ID)
	}
	all := []wire.LegacySite{}
	seen := map[string]bool{}
	for result, err := range results {
		if err != nil {
			return nil, err
		}
		if seen[result.Site] {
			continue
		}
		seen[result.Site] = true
		all = append(all, wire.LegacySite{
			Type: "WebSite", URL: pagesOf(result.URL), Name: names[result.Site], Site: result.Site, Score: result.Score,
			Description: result.Name, Query: question,
		})
	}
	return all, nil
}

// pagesOf is the address of the pages among which an item's is.
func pagesOf(item string) string {
	u, err := url.Parse(item)
	if err != nil || u.Host == "" {
		return item
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: "/"}).String()
}
