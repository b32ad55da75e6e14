package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	wire "frontdesk/wire/intake"
)

// TestAnIntakeIsChangedWhileTheServerRuns writes another file, and holds the server to what the
// manifest says from then on.
func TestAnIntakeIsChangedWhileTheServerRuns(t *testing.T) {
	t.Parallel()
	const one = "id: one, name: One, description: Takes notes., offer_type: quote, input_schema: {type: object, " +
		"properties: {note: {type: string}}}, " +
		"rate_limit: {requests_per_day: 3}, rules: {offers: [{summary: An offer.}]}, binding: " +
		"true, bind: {requires: [email]}"
	c := newFixedClock()
	s, log := openIntakesAndLog(t, "", c, one)
	file := s.options.Loaded.layers.File
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	first, offered := submitting(), ""
	for _, step := range []struct {
		name, old, fresh string
		outcome          string // of a submission with a note
		summary          string
		day              int    // declared
		logged           string // what the log says
	}{
		{"as it began", "", "", "200 offer", "An offer.", 3, ""},
		{"another offer", "An offer.", "A better offer.", "200 offer", "A better offer.", 3, ""},
		{"a closer limit, of which two are used", "requests_per_day: 3", "requests_per_day: 2",
			"429 error RATE_LIMITED", "", 2, ""},
		{"a wider one", "requests_per_day: 3", "requests_per_day: 100", "200 offer", "An offer.", 100, ""},
		{"two days later", "", "", "200 offer", "An offer.", 3, ""},
		{"another schema", "note: {type: string}", "note: {type: integer}", "400 error SCHEMA_MISMATCH", "", 3, ""},
		{"a mistake", "requests_per_day: 3", "requests_per_day: -1", "400 error SCHEMA_MISMATCH", "", 3,
			"the configuration is refused"},
		{"auth", "requests_per_day: 3}", "requests_per_day: 100}, requires_auth: true", "401 error UNAUTHORIZED",
			"", 100, ""},
		{"a name and a limit", "name: One, description: Takes notes., offer_type: quote", "name: First, description: " +
			"Takes notes., offer_type: first", "429 error RATE_LIMITED", "", 3, "intakes.list[0].name"},
		{
			"one more", "- {id: one",
			"- {id: two, name: Two, description: D., offer_type: q, input_schema: {type: object}, rules: {offers: " +
				"[{summary: S.}]}}\n    - {id: one", "429 error RATE_LIMITED", "", 3, `intakes.list"`,
		},
		{"another effect", "bind: {requires: [email]}", "bind: {requires: [email, phone], effect: inbox}",
			"429 error RATE_LIMITED", "", 3, "intakes.list[0].bind.effect"},
		{"none", string(text[strings.Index(string(text), "intakes:"):]), "", "429 error RATE_LIMITED", "", 3,
			"intakes.list"},
		{"as it was", "", "", "429 error RATE_LIMITED", "", 3, ""},
	} {
		t.Run(step.name, func(t *testing.T) {
			if step.name == "two days later" {
				c.advance(48 * time.Hour)
			}
			write(t, filepath.Dir(file), filepath.Base(file), strings.Replace(string(text), step.old, step.fresh, 1))
			before := len(log.String())
			s.Reload()
			if said := log.String()[before:]; !strings.Contains(said, step.logged) ||
				step.logged == "" && strings.Contains(said, "intakes.") {
				t.Errorf("the log says %s", said)
			}
			m := manifestOf(t, s)
			if len(m.Intakes) != 1 || m.Intakes[0].Name != "One" || m.Intakes[0].RateLimit.RequestsPerDay != step.day {
				t.Errorf("declared is %+v", m.Intakes)
			}
			body := submitting()
			if offered == "" {
				body = first
			}
			outcome, response := heard(t, send(s, posting("/intake/one", "192.0.2.1:1", body)))
			if outcome != step.outcome || response.Offer != nil && response.Offer.Summary != step.summary {
				t.Errorf("%s: %+v", outcome, response.Offer)
			}
			if offered == "" && response.Offer != nil {
				offered = response.Offer.ID
			}
			if outcome, _ := heard(t,
				send(s, posting("/intake/two", "192.0.2.2:1", submitting()))); outcome != "404 error INTAKE_NOT_FOUND" {
				t.Errorf("an intake that the server did not begin with: %s", outcome)
			}
		})
	}
	// What was offered before is what is bound, and what was told is told again.
	c.advance(48 * time.Hour)
	if outcome, again := heard(t, send(s, posting("/intake/one", "192.0.2.1:1", first))); outcome != "200 offer" ||
		again.Offer.ID != offered {
		t.Errorf("%s: %+v", outcome, again.Offer)
	}
	bind := accepting(first, offered)
	bind["bind_data"] = map[string]any{"email": "kim@example.com"}
	w := send(s, posting("/intake/one/bind", "192.0.2.1:1", bind))
	if findings := wire.Check(wire.KindBound, w.Body.Bytes(), wire.Options{}); w.Code != 200 || !findings.Valid() {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}
