package check

import (
	"context"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json"

	"frontdesk/wire/intent"
)

const eventful = signedOpen | passages | events

// eventProbes report citations of what was given, right ones and wrong ones.
var eventProbes = []probe{
	{"event.citation", "a citation of what was given is accepted", eventful,
		func(ctx context.Context, p *prober) verdict {
			event := p.citation()
			if event == nil {
				return verdict{outcome: Skipped, detail: "the answer names no source to cite"}
			}
			body := written(event)
			v := p.taken(ctx, body, http.StatusAccepted)
			if v.outcome != Wrong {
				p.cited = body
			}
			return v
		}},
	{"event.duplicate", "the same event again is accepted as known", eventful,
		func(ctx context.Context, p *prober) verdict {
			if p.cited == nil {
				return verdict{outcome: Skipped, detail: "no citation was accepted"}
			}
			return p.taken(ctx, p.cited, http.StatusOK)
		}},
	{"event.conflict", "the same event_id with another content is refused", eventful,
		func(ctx context.Context, p *prober) verdict {
			if p.cited == nil {
				return verdict{outcome: Skipped, detail: "no citation was accepted"}
			}
			return orDoubt(p.failingEvent(ctx, []byte(strings.Replace(string(p.cited), `"display_surface":"answer"`, `"display_surface":"hover"`, 1)), http.StatusConflict))
		}},
	refusedEvent("event.unknown-request", "an event of a request that never was is refused",
		http.StatusUnprocessableEntity, func(e *intent.Event) { e.RequestID = "check_" + random() }),
	refusedEvent("event.foreign-passage", "a citation of a passage that was not given is refused",
		http.StatusUnprocessableEntity, func(e *intent.Event) { e.Citation.ChunkIDs = []string{"check_" + random()} }),
	refusedEvent("event.foreign-source", "a citation of a source that was not named is refused",
		http.StatusUnprocessableEntity, func(e *intent.Event) {
			e.Citation.SourceURL = strings.TrimSuffix(e.Citation.SourceURL, "/") + "/check-" + random()
		}),
	refusedEvent("event.other-publisher", "an event of another publisher is refused", http.StatusUnprocessableEntity,
		func(e *intent.Event) { e.Publisher.ID = "check_" + random()[:8] }),
	refusedEvent("event.other-platform", "an event in another platform's name is refused", http.StatusForbidden,
		func(e *intent.Event) { e.Platform.ID = "check_" + random() }),
	{"event.user", "an event that names a person is refused", eventful, func(ctx context.Context, p *prober) verdict {
		return p.changedEvent(ctx, `"citation":{`, `"user_id":"u-1","citation":{`, http.StatusBadRequest)
	}},
	{"event.accounting", "an event of a type that is not known is refused", eventful,
		func(ctx context.Context, p *prober) verdict {
			return p.changedEvent(ctx, `"event_type":"citation"`, `"event_type":"accounting"`, http.StatusBadRequest)
		}},
	{"event.unsigned", "an event without a signature is refused", eventful,
		func(ctx context.Context, p *prober) verdict {
			event := p.citation()
			if event == nil {
				return verdict{outcome: Skipped, detail: "the answer names no source to cite"}
			}
			m := p.good(p.declaration.Endpoints.Event.URL, written(event))
			m.unsigned = true
			v := orDoubt(p.refusal(ctx, m))
			if v.outcome == Doubtful {
				v.mend = "answer 401: the protocol lets events be unsigned, and then anybody can report citations"
			}
			return v
		}},
	{"event.access", "a platform's own record of what it took is accepted", eventful,
		func(ctx context.Context, p *prober) verdict {
			document, _ := p.content.answer.document(p.options.reading())
			event := p.event(intent.EventAccess)
			tokens := 0
			for _, chunk := range document.Content.Chunks {
				if chunk.TokenCount != nil {
					tokens += *chunk.TokenCount
				}
			}
			event.Access = &intent.Access{ChunksReturned: len(document.Content.Chunks), TokenCount: tokens,
				RetrievalMode: intent.RetrievalChunks}
			return orDoubt(p.taken(ctx, written(event), http.StatusAccepted))
		}},
}

// event is the envelope of an event about what was given.
func (p *prober) event(kind string) *intent.Event {
	of := p.declaration.Publisher
	return &intent.Event{
		Version: p.version(), EventID: "check_" + random(), Type: kind, Timestamp: p.at(0),
		RequestID: p.content.request.RequestID,
		Publisher: intent.EventPublisher{ID: of.ID, Domain: of.Domain},
		Platform:  intent.EventPlatform{ID: p.options.Key.Platform},
	}
}

// citation is an event about the first source of what was given, nil where none was named.
func (p *prober) citation() *intent.Event {
	document, _ := p.content.answer.document(p.options.reading())
	for _, source := range document.Citations {
		if len(source.ChunkIDs) > 0 {
			event := p.event(intent.EventCitation)
			event.Citation = &intent.CitationShown{SourceURL: source.SourceURL, ChunkIDs: source.ChunkIDs,
				DisplaySurface: intent.SurfaceAnswer}
			return event
		}
	}
	return nil
}

func written(event *intent.Event) []byte {
	body, err := json.Marshal(event, json.Deterministic(true))
	if err != nil {
		panic(err) // the types are of our making
	}
	return body
}

// taken reports what must be accepted.
func (p *prober) taken(ctx context.Context, body []byte, status int) verdict {
	got, err := p.send(ctx, p.good(p.declaration.Endpoints.Event.URL, body))
	switch {
	case err != nil:
		return noAnswer(err)
	case got.status < 200 || got.status > 299:
		return wrong("it answers "+got.said(), "accept it")
	case got.status != status:
		return doubt("it answers "+got.said(), "answer 202 to what is new, and 200 to what is known")
	}
	return passed()
}

// failingEvent reports what must be refused.
func (p *prober) failingEvent(ctx context.Context, body []byte, status int) verdict {
	return p.failing(ctx, p.good(p.declaration.Endpoints.Event.URL, body), status, "")
}

// refusedEvent is a probe with a citation that is not true. The protocol leaves open what a
// publisher does with it.
func refusedEvent(id, about string, status int, change func(*intent.Event)) probe {
	return probe{id, about, eventful, func(ctx context.Context, p *prober) verdict {
		event := p.citation()
		if event == nil {
			return verdict{outcome: Skipped, detail: "the answer names no source to cite"}
		}
		change(event)
		return orDoubt(p.failingEvent(ctx, written(event), status))
	}}
}

// changedEvent reports a citation that is not valid.
func (p *prober) changedEvent(ctx context.Context, old, put string, status int) verdict {
	event := p.citation()
	if event == nil {
		return verdict{outcome: Skipped, detail: "the answer names no source to cite"}
	}
	return p.failingEvent(ctx, []byte(strings.Replace(string(written(event)), old, put, 1)), status)
}
