package client

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/go-json-experiment/json"

	"frontdesk/wire/intent"
	"frontdesk/wire/sign"
)

// Shown is a citation that a person was shown.
type Shown struct {
	RequestID string   // of the RetrieveRequest
	SourceURL string   // of a citation of its answer
	ChunkIDs  []string // of passages of its answer, at least one
	Surface   string   // where it was shown: answer, footnote, hover or another word
	At        time.Time
	EventID   string // "" is one of its own; the same one again is the same event
}

// Cite tells the publisher of a citation that a person was shown; its declaration may demand that.
// Errors are of the types Failed, Broken and Unreachable, ErrForged, or the context's. It is told
// again, under the same event id, until the publisher has it: the event is recorded once.
func (p *Publisher) Cite(ctx context.Context, s Shown) error {
	event := p.event(intent.EventCitation, s.EventID, s.RequestID, s.At)
	event.Citation = &intent.CitationShown{SourceURL: s.SourceURL, ChunkIDs: s.ChunkIDs, DisplaySurface: s.Surface}
	return p.Report(ctx, event)
}

// Shown gives what tells the publisher that a source of the passages was shown: all passages that
// its citation has.
func (s *Passages) Shown(sourceURL, surface string) (Shown, error) {
	for _, citation := range s.Answer.Citations {
		if citation.SourceURL == sourceURL {
			return Shown{RequestID: s.Request.RequestID, SourceURL: sourceURL,
				ChunkIDs: slices.Clone(citation.ChunkIDs), Surface: surface}, nil
		}
	}
	return Shown{}, fmt.Errorf("%s is none of the answer's sources", sourceURL)
}

// Confirm tells the publisher what the platform took: an access event of its own, for the publisher
// to hold against its record. Errors are those of Cite.
func (p *Publisher) Confirm(ctx context.Context, s *Passages) error {
	event := p.event(intent.EventAccess, "platform_"+intent.AccessEventID(p.declaration.Publisher.ID, p.platform.ID,
		s.Request.RequestID), s.Request.RequestID, time.Time{})
	tokens := 0
	for _, chunk := range s.Answer.Content.Chunks {
		if chunk.TokenCount != nil {
			tokens += *chunk.TokenCount
		} else {
			tokens += intent.Tokens(chunk.Text)
		}
	}
	event.Timestamp = s.Answer.Timestamp // so that telling it twice is telling the same
	event.Access = &intent.Access{ChunksReturned: len(s.Answer.Content.Chunks), TokenCount: tokens,
		RetrievalMode: intent.RetrievalChunks}
	return p.Report(ctx, event)
}

func (p *Publisher) event(kind, id, request string, at time.Time) intent.Event {
	if id == "" {
		id = "evt_" + random()
	}
	if at.IsZero() {
		at = p.client.options.Now()
	}
	of := p.declaration.Publisher
	return intent.Event{
		Version: p.declaration.Version, EventID: id, Type: kind, Timestamp: sign.FormatTime(at), RequestID: request,
		Publisher: intent.EventPublisher{ID: of.ID, Domain: of.Domain},
		Platform:  intent.EventPlatform{ID: p.platform.ID},
	}
}

// Report sends an event to the publisher. Errors are those of Cite.
func (p *Publisher) Report(ctx context.Context, event intent.Event) error {
	e := p.declaration.Endpoints
	if e == nil || e.Event == nil {
		return errors.New("the declaration names no address for events")
	}
	body, err := json.Marshal(event, json.Deterministic(true))
	if err != nil {
		return fmt.Errorf("the event cannot be written as JSON: %w", err)
	}
	if found := intent.Check(intent.KindEvent, body,
		intent.Options{Versions: []string{p.declaration.Version}}); !found.Valid() {
		return fmt.Errorf("the event is not valid: %s", found.First())
	}
	got, err := p.signed(ctx, http.MethodPost, e.Event.URL, body)
	if err != nil {
		return err
	}
	if got.status >= 200 && got.status < 300 {
		return nil
	}
	if failure := got.failure(); failure != nil {
		return failure
	}
	return &Invalid{got.address, got.status,
		oneFinding(fmt.Sprintf("events are answered %d %s", got.status, http.StatusText(got.status)),
			"answer 202, or 200 for one that is known"), got.body}
}
