package client

import (
	"cmp"
	"context"
	stdjson "encoding/json"
	"errors"
	"io"
	"iter"
	"slices"

	"github.com/go-json-experiment/json"

	"frontdesk/wire/nlweb"
)

// Stream is an answer on its way (NLWeb 0.55 §6). It is for one goroutine. Whoever got one reads it
// to its end, by Results, Events or Collect, or closes it.
type Stream struct {
	client   *Client
	response *reply
	events   *events
	whole    *Answer // when the desk answered with one object instead
	answer   Answer  // what has come, the results aside
	failure  *Failure
	done     bool // nothing more is to come
	complete bool
	written  func(string)
}

// Stream asks a question and gives its results as they come. A desk may answer with one object all
// the same, since a stream cannot say that there is none: a failure is then Stream's error, and
// anything else is given as if it had come in parts.
func (c *Client) Stream(ctx context.Context, q Question) (*Stream, error) {
	response, err := c.send(ctx, q, true)
	if err != nil {
		return nil, err
	}
	s := c.stream(response)
	s.written = q.Written
	if response.streams() {
		return s, nil
	}
	defer response.body.Close()
	if s.whole, err = c.readAnswer(response); err != nil {
		return nil, err
	}
	s.answer = *s.whole
	s.answer.Results = nil
	return s, nil
}

func (c *Client) stream(response *reply) *Stream {
	return &Stream{client: c, response: response, events: newEvents(response.body, c.options.MaxEvent)}
}

// Event is one event of a stream as it came.
type Event struct {
	Name string             // nlweb.EventStart and others; empty for an answer that came as one object
	Data stdjson.RawMessage // a JSON object
}

// Events gives the events as they come, for those who want to see what Results makes of them. An
// error event is no error here. The sequence ends after the complete event, or with an error.
func (s *Stream) Events() iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		defer s.Close()
		if s.whole != nil && !s.done {
			s.done = true
			yield(Event{Data: s.whole.Raw}, nil)
			return
		}
		for !s.done {
			e, err := s.next()
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}

// Results gives the results as they come; Index says the place of each. Where the desk failed after
// it had begun, the Failure is the last error, after the results that came. The summary is no
// result: see Summary.
func (s *Stream) Results() iter.Seq2[Result, error] {
	return func(yield func(Result, error) bool) {
		if s.whole != nil && !s.done {
			s.done = true
			for _, r := range s.whole.Results {
				if !yield(r, nil) {
					return
				}
			}
			return
		}
		for e, err := range s.Events() {
			if err != nil {
				yield(Result{}, err)
				return
			}
			if e.Name != nlweb.EventResult {
				continue
			}
			r, ok, err := s.result(e.Data)
			if (ok || err != nil) && !yield(r, err) || err != nil {
				return
			}
		}
		if s.failure != nil {
			yield(Result{}, s.failure)
		}
	}
}

// Collect reads the stream to its end, and gives the results in the order of their places. When an
// error ends the stream, the answer holds what came before it.
func (s *Stream) Collect() (*Answer, error) {
	var results []Result
	for r, err := range s.Results() {
		if err != nil {
			return s.collected(results), err
		}
		results = append(results, r)
	}
	return s.collected(results), nil
}

func (s *Stream) collected(results []Result) *Answer {
	slices.SortStableFunc(results, func(a, b Result) int { return cmp.Compare(a.Index, b.Index) })
	answer := s.answer
	answer.Results = results
	return &answer
}

// Meta is the _meta of the answer: at first that of the start event, in the end that of the
// complete event.
func (s *Stream) Meta() nlweb.Meta { return s.answer.Meta }

// Cited are the items that the summary cites: the first as [1].
func (s *Stream) Cited() []Result { return s.answer.Cited }

// Summary is the desk's text about the results, as soon as it has come; empty before, and where
// none was asked for.
func (s *Stream) Summary() string { return s.answer.Summary }

// Elicitation is what the desk asks back, nil when it answers.
func (s *Stream) Elicitation() *nlweb.Elicitation { return s.answer.Elicitation }

// Failure is why the desk could not go on, as soon as it has told; nil when it could.
func (s *Stream) Failure() *Failure { return s.failure }

// Close lets the stream go; the desk stops its work. After the end of the stream it does nothing.
func (s *Stream) Close() error {
	s.done = true
	if s.complete {
		return nil
	}
	return s.response.body.Close()
}

// next reads one event and takes note of what it says. After an error nothing more is to come.
func (s *Stream) next() (Event, error) {
	e, err := s.events.next()
	switch {
	case errors.Is(err, io.EOF) && s.failure != nil:
		return s.end(s.failure) // it was told why there is no more
	case errors.Is(err, io.EOF):
		return s.end(s.client.broken(s.response, ErrIncomplete))
	case err != nil:
		return s.end(s.client.broken(s.response, err))
	}
	m, ok := members(e.data)
	if !ok {
		return s.end(s.client.notADesk(s.response, "the data of an event is no JSON object"))
	}
	meta, hasMeta := readMeta(m["_meta"])
	switch e.name {
	case nlweb.EventStart:
		s.answer.Meta = meta
	case nlweb.EventDelta:
		if s.written != nil {
			s.written(word(m["text"]))
		}
	case nlweb.EventError:
		s.failure = failureOf(m, nlweb.Meta{ResponseType: nlweb.TypeFailure}, e.data)
	case nlweb.EventComplete:
		if hasMeta {
			s.answer.Meta = meta
		}
		if s.failure == nil {
			s.failure = failureOf(m, meta, e.data)
		}
		s.answer.fillRest(m)
		s.done, s.complete = true, true
		s.response.body.finish()
		if promise := promiseOf(m, meta, e.data); promise != nil && meta.ResponseType == nlweb.TypePromise {
			return s.end(promise)
		}
	}
	return Event{e.name, e.data}, nil
}

func (s *Stream) end(err error) (Event, error) {
	s.done = true
	return Event{}, err
}

// result reads the data of a result event; ok is false for the summary, which it keeps.
func (s *Stream) result(data []byte) (r Result, ok bool, err error) {
	m, _ := members(data)
	index := -1
	if json.Unmarshal(m["index"], &index) != nil || index < 0 {
		return r, false, s.client.notADesk(s.response, "a result has no index")
	}
	r, summary, ok := result(index, m["item"])
	if !ok {
		return r, false, s.client.notADesk(s.response, "a result is no object")
	}
	if r.Type() == nlweb.TypeSummary {
		s.answer.Summary, s.answer.Cited = summary, cited(r)
		return r, false, nil
	}
	return r, true, nil
}
