package nlweb

import (
	"context"
	"time"

	"frontdesk/internal/ask"
	wire "frontdesk/wire/nlweb"
)

// summarize gives an answer's summary whole; nil when none was asked for, or there is nothing to
// make one of.
func (x *exchange) summarize(ctx context.Context, answer *ask.Answer) (*ask.Summary, error) {
	draft, err := x.draft(ctx, answer)
	if draft == nil || err != nil {
		return nil, err
	}
	summary := draft.Write(ctx, nil)
	return &summary, nil
}

func (x *exchange) draft(ctx context.Context, answer *ask.Answer) (*ask.Draft, error) {
	if !x.modes.summarize {
		return nil, nil
	}
	return answer.Draft(ctx)
}

// model says in _meta what a language model did for the answer so far.
func (x *exchange) model(use *ask.ModelUse) {
	if use == nil {
		return
	}
	m := &wire.Model{Calls: use.Calls, Tokens: use.Tokens, Cost: use.Cost, Currency: use.Currency}
	for name, into := range map[string]*string{
		"rerank": &m.Rerank, "summarize": &m.Summarize, "rewrite": &m.Rewrite, "embed": &m.Embed,
	} {
		reason, tried := use.Uses[name]
		switch {
		case !tried:
		case reason == "":
			*into = wire.ModelUsed
		default:
			*into = wire.ModelFallback
			if m.Reason == nil {
				m.Reason = map[string]string{}
			}
			m.Reason[name] = reason
		}
	}
	x.meta.Model = m
}

// maxWaiting is how many sentences of a summary may wait for a client that takes its time.
const maxWaiting = 256

// pen writes the summary of a stream. One that a model writes comes while the items go out: its
// place among the results is kept for it, and its sentences are told as they pass, to those who
// want them.
type pen struct {
	draft     *ask.Draft
	place     int // of the summary among the results; -1 when it is none of them
	deltas    bool
	sentences chan string
	written   chan ask.Summary
	stop      context.CancelFunc
	summary   *ask.Summary
}

// newPen begins to write. It returns nil when there is no summary.
func (x *exchange) newPen(ctx context.Context, answer *ask.Answer, index *int) (*pen, error) {
	draft, err := x.draft(ctx, answer)
	if draft == nil || err != nil {
		return nil, err
	}
	p := &pen{draft: draft, place: -1}
	if x.meta.ResponseFormat == wire.FormatConversational {
		p.place = *index
		*index++
		p.deltas = x.modes.deltas
	}
	if !draft.Waits() {
		built := draft.BuiltIn()
		p.summary = &built
		return p, nil
	}
	ctx, p.stop = context.WithCancel(ctx)
	p.sentences, p.written = make(chan string, maxWaiting), make(chan ask.Summary, 1)
	go func() {
		summary := draft.Write(ctx, func(sentence string) {
			select {
			case p.sentences <- sentence:
			case <-ctx.Done():
			}
		})
		close(p.sentences)
		p.written <- summary
	}()
	return p, nil
}

// told sends what has been written meanwhile, and does not wait for more.
func (p *pen) told(s *events) {
	if p == nil || p.summary != nil {
		return
	}
	for {
		select {
		case sentence, more := <-p.sentences:
			if !more {
				p.end(s, <-p.written)
				return
			}
			p.delta(s, sentence)
		default:
			return
		}
	}
}

// finish waits for the rest of the summary and sends it; nil when there is none.
func (p *pen) finish(s *events) *ask.Summary {
	if p == nil {
		return nil
	}
	if p.summary == nil {
		p.await(s)
		p.end(s, <-p.written)
	}
	return p.summary
}

// heartbeat is how often a client that waits for a summary hears of it: so that nobody between
// takes the connection for dead, and that it is noticed when the client has gone.
const heartbeat = time.Second

// await waits for the last sentence. When the client has gone, the rest is not written.
func (p *pen) await(s *events) {
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	for {
		select {
		case sentence, more := <-p.sentences:
			if !more {
				return
			}
			p.delta(s, sentence)
		case <-beat.C:
			s.comment("the summary is being written")
		}
		if s.err != nil {
			p.stop()
		}
	}
}

// leave ends the writing with what needs no model, for a stream that cannot go on.
func (p *pen) leave(s *events) {
	if p != nil && p.summary == nil {
		p.stop()
		p.end(s, p.draft.BuiltIn())
	}
}

// close ends what may still be written when nobody reads it any more.
func (p *pen) close() {
	if p != nil && p.stop != nil {
		p.stop()
	}
}

// end sends the summary in its place.
func (p *pen) end(s *events, summary ask.Summary) {
	p.summary = &summary
	p.send(s)
}

// send sends the summary in its place among the results, if it has one.
func (p *pen) send(s *events) {
	if p != nil && p.summary != nil && p.place >= 0 {
		s.result(p.place, func(dst []byte) []byte { return appendSummary(dst, p.summary) })
		s.flush()
	}
}

// delta sends one sentence that the summary will have, unless something fails.
func (p *pen) delta(s *events, sentence string) {
	if !p.deltas {
		return
	}
	s.event(wire.EventDelta, marshal(wire.Delta{Index: p.place, Text: valid(sentence)}))
}

// appendSummary appends the summary as an item (NLWeb 0.55 §4.1.1). It says whether it is taken
// from the items' own words, and which items it cites.
func appendSummary(dst []byte, summary *ask.Summary) []byte {
	dst = append(dst, `{"@type":"`+wire.TypeSummary+`","text":`...)
	dst = quote(dst, summary.Text)
	if summary.Extractive {
		return append(dst, `,"extractive":true}`...)
	}
	dst = append(dst, `,"extractive":false,"citation":[`...)
	for i, cited := range summary.Cited {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = quote(append(dst, `{"@type":"CreativeWork","name":`...), cited.Name)
		dst = append(quote(append(dst, `,"url":`...), cited.URL), '}')
	}
	return append(dst, "]}"...)
}
