package home

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"frontdesk/internal/identity/keyring"
	"frontdesk/internal/identity/visitors"
	"frontdesk/internal/intake"
	"frontdesk/internal/operator/console/frame"
)

// TestTroublesAreToldWhereThereAreSome holds each trouble against what is none.
func TestTroublesAreToldWhereThereAreSome(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	wrong := "terms: no"
	key := func(kind string, left time.Duration) keyring.Key {
		ends := now.Add(left)
		return keyring.Key{Kind: kind, ID: "a/1", Name: "K", Ends: &ends}
	}
	day := 24 * time.Hour
	for name, c := range map[string]struct {
		config Config
		want   string
	}{
		"nothing": {Config{}, "[]"},
		"a file": {Config{Refused: func() *string { return &wrong }},
			"[{home.trouble_file[] <bdi lang=\"en\">terms: no</bdi> true }]"},
		"a good file": {Config{Refused: func() *string { return nil }}, "[]"},
		"a source":    {ofSource(Source{Name: "s"}), "[]"},
		"files":       {ofSource(Source{Name: "s", Unread: 3}), "[{home.trouble_files_other[3 s]  false }]"},
		"an old one": {ofSource(Source{Name: "s", Stale: true, Read: now}),
			"[{home.trouble_stale[s 2026-11-22]  false }]"},
		"a failed one": {ofSource(Source{Name: "s", Error: "x", Stale: true}),
			"[{home.trouble_source[s] <bdi lang=\"en\">x</bdi> true }]"},
		"TLS": {Config{Certificate: func() time.Time { return now.Add(13 * day) }},
			"[{home.trouble_tls[2026-12-05]  false }]"},
		"TLS later": {Config{Certificate: func() time.Time { return now.Add(15 * day) }}, "[]"},
		"no TLS":    {Config{Certificate: func() time.Time { return time.Time{} }}, "[]"},
		"keys": {Config{Keys: func(_ context.Context, f keyring.Filter) ([]keyring.Key, error) {
			if f.State != keyring.Current {
				t.Errorf("keys of the filter %+v are told of", f)
			}
			return []keyring.Key{
				key("api", 13*day), key("api", 15*day), key("api", -day), {Name: "for good"}, key("site", day),
				key("console", 2*day),
			}, nil
		}}, "[{home.trouble_key[K 2026-12-05]  false keys/api/a/1} " +
			"{home.trouble_key[K 2026-11-24]  false keys/people/a/1}]"},
		"deliveries": {Config{Tasks: func(context.Context) (intake.Tasks, error) {
			return intake.Tasks{Failed: make([]intake.FailedBind, 2)}, nil
		}}, "[{home.trouble_deliveries_other[2]  true inbox}]"},
	} {
		h := &home{&frame.Frame{Config: frame.Config{Now: func() time.Time { return now }}}, c.config}
		got, err := h.troubles(t.Context(), func(key string, args ...any) string { return key + fmt.Sprint(args) })
		if fmt.Sprint(got) != c.want || err != nil {
			t.Errorf("%s: %v, %v, want %s", name, got, err, c.want)
		}
	}
	broken := errors.New("broken")
	h := &home{&frame.Frame{Config: frame.Config{Now: time.Now}}, Config{
		Sources: func(context.Context) ([]Source, error) { return nil, broken },
	}}
	if _, err := h.troubles(t.Context(), nil); !errors.Is(err, broken) {
		t.Errorf("a source that cannot be looked at: %v", err)
	}
}

func ofSource(s Source) Config {
	return Config{Sources: func(context.Context) ([]Source, error) { return []Source{s}, nil }}
}

// TestAgentsAreToldApartFromPeople holds who is an agent.
func TestAgentsAreToldApartFromPeople(t *testing.T) {
	t.Parallel()
	var all []visitors.Visitor
	for _, kind := range []string{visitors.KindPeople, "training", visitors.KindOthers, visitors.KindBuyer} {
		all = append(all, visitors.Visitor{About: visitors.About{Kind: kind}})
	}
	if got := agents(all); len(got) != 2 || got[0].Kind != "training" || got[1].Kind != visitors.KindBuyer {
		t.Errorf("%+v", got)
	}
}
