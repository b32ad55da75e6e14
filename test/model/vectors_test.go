package model_test

import (
	"strings"
	"testing"
	"time"

	scripted "frontdesk/internal/testkit/model"
	"frontdesk/internal/testkit/process"
)

// pointing is the part of the configuration that makes vectors and does nothing else with the
// model.
const pointing = `
  embedding: pointer
  uses: {rerank: false, summarize: false, rewrite: false}
`

// await waits until the metrics have a line.
func (d *desk) await(line string) {
	d.t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); <-tick.C {
		if strings.Contains(d.figures(), line) {
			return
		}
	}
	d.t.Fatalf("no %s in the metrics:\n%s", line, d.figures())
}

func TestItemsAreFoundByMeaningAndByWordsWhenTheEndpointIsDead(t *testing.T) {
	t.Parallel()
	endpoint := scripted.Start(t)
	d := serve(t, endpoint.URL, pointing)
	d.await("frontdesk_vector_texts_ready 7\n")
	d.expectMetrics("frontdesk_vector_texts 7\n", "frontdesk_vector_failing 0\n", `frontdesk_model_calls_total{result="used",use="embed"}`)
	requests, _ := endpoint.Requests()
	for _, r := range requests {
		if text := strings.Join(r.Body.Input, "|"); strings.Contains(text, "SECRETWORDS") ||
			strings.Contains(text, "Mute") {
			t.Errorf("the model was told what it may not read: %s", text)
		}
	}
	first := d.ask(lamps, nil)
	if m := first.Meta.Model; m == nil || m.Embed != "used" || m.Calls != 1 {
		t.Errorf("the answer says of the model: %+v", m)
	}
	if m := d.ask(lamps, nil).Meta.Model; m == nil || m.Embed != "used" || m.Calls != 0 { // which is remembered
		t.Errorf("the second answer says of the model: %+v", m)
	}
	told := process.MustRun(t, "sources", "--config", d.config)
	if !strings.Contains(told, "7 of 7 texts have vectors") {
		t.Errorf("the owner is told: %s", told)
	}
	// in a process of its own, on the same database
	here := process.MustRun(t, "ask", "--config", d.config, "--json", "lamp")
	if !strings.Contains(here, `"embed"`) || !strings.Contains(here, "used") {
		t.Errorf("asked without the server: %s", here)
	}
	endpoint.Kill()
	dark := d.ask(object{"text": "a lamp for the night", "limit": 5}, nil)
	if m := dark.Meta.Model; len(dark.Results) == 0 || m == nil || m.Embed != "fallback" ||
		m.Reason["embed"] != "unreachable" {
		t.Errorf("%d results, and the answer says of the model: %+v", len(dark.Results), m)
	}
}

// TestVectorsOutliveTheServer holds that one which is killed while it makes them goes on where it
// was, and that none is made twice.
func TestVectorsOutliveTheServer(t *testing.T) {
	t.Parallel()
	endpoint := scripted.Start(t)
	endpoint.Set(scripted.Behaviours{Embed: &scripted.Behaviour{Mode: "status", Status: 500}})
	d := serve(t, endpoint.URL, pointing)
	d.await("frontdesk_vector_failing 1\n")
	if told := process.MustRun(t, "sources", "--config", d.config); !strings.Contains(told,
		"0 of 7 texts have vectors") || !strings.Contains(told, "HTTP 500") {
		t.Errorf("the owner is told: %s", told)
	}
	d.Kill()

	endpoint.Set(scripted.Behaviours{})
	d = again(t, d)
	d.await("frontdesk_vector_texts_ready 7\n")
	d.End(t)

	endpoint.Set(scripted.Behaviours{})
	d = again(t, d)
	d.await("frontdesk_vector_texts_ready 7\n")
	requests, _ := endpoint.Requests()
	for _, r := range requests {
		if strings.Contains(strings.Join(r.Body.Input, "|"), "Lamp model A") {
			t.Errorf("a text was sent again: %q", r.Body.Input)
		}
	}
}

// again runs a front desk once more.
func again(t *testing.T, d *desk) *desk {
	t.Helper()
	return &desk{process.Start(t, "serve", "--config", d.config), t, d.metrics, d.config}
}
