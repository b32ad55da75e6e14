package load

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk/client"
	"frontdesk/internal/testkit/process"
)

// manner is one way of asking whose time is measured, from the request's first byte to the answer's
// last, or to the first item of a stream.
type manner struct {
	name string
	ask  func(t *testing.T, desk *client.Client, c *corpus, i int) error
}

var manners = []manner{
	{"list", func(t *testing.T, desk *client.Client, c *corpus, i int) error {
		_, err := desk.Ask(t.Context(), client.Question{Text: c.question(i)})
		return err
	}},
	{"list, constrained", func(t *testing.T, desk *client.Client, c *corpus, i int) error {
		_, err := desk.Ask(t.Context(),
			client.Question{Text: fmt.Sprintf("%s articles since %d", c.question(i), 2011+i%8)})
		return err
	}},
	{"follow-up", func(t *testing.T, desk *client.Client, c *corpus, i int) error {
		_, err := desk.Ask(t.Context(),
			client.Question{Text: fmt.Sprintf("only since %d", 2011+i%8), Previous: []string{c.question(i)}})
		return err
	}},
	{"summarize", func(t *testing.T, desk *client.Client, c *corpus, i int) error {
		_, err := desk.Ask(t.Context(), client.Question{Text: c.question(i), Modes: []string{"list", "summarize"}})
		return err
	}},
	{"stream, first item", func(t *testing.T, desk *client.Client, c *corpus, i int) error {
		stream, err := desk.Stream(t.Context(), client.Question{Text: c.question(i)})
		if err != nil {
			return err
		}
		defer stream.Close()
		for _, err := range stream.Results() {
			return err
		}
		return nil
	}},
}

// latency is how long the questions of one manner took.
type latency struct{ p50, p95, p99 time.Duration }

// measure times questions one after the other.
func (m manner) measure(t *testing.T, server *process.Server, c *corpus) latency {
	t.Helper()
	desk, err := client.New(server.URL, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	times := make([]time.Duration, questions)
	answered := 0
	for i := range times {
		began := time.Now()
		err := m.ask(t, desk, c, i)
		times[i] = time.Since(began)
		if err != nil && !client.IsNoResults(err) {
			t.Fatalf("%s: %v", m.name, err)
		}
		if err == nil {
			answered++
		}
	}
	if answered < questions*8/10 {
		t.Errorf("%s: of %d questions only %d were answered", m.name, questions, answered)
	}
	slices.Sort(times)
	return latency{times[questions/2], times[questions*95/100], times[questions*99/100]}
}

// row is the latencies of a size as a line of a table.
func (f figures) row() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d passages:", f.passages)
	for i, m := range manners {
		l := f.latency[i]
		fmt.Fprintf(&b, " | %s %.2f / %.2f / %.2f", m.name, milliseconds(l.p50), milliseconds(l.p95),
			milliseconds(l.p99))
	}
	return b.String()
}
