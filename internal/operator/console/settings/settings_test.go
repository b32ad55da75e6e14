package settings

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"frontdesk/internal/operator/console/frame"
	"frontdesk/internal/operator/settings"
)

// TestEachKeyHasItsWords holds the words against the keys that can be set: each has a name and a
// sentence.
func TestEachKeyHasItsWords(t *testing.T) {
	t.Parallel()
	f := frame.New(frame.Config{
		Now: time.Now, PublicURL: func(*http.Request) string { return "https://desk.example" },
	}, Pages(Config{}))
	for _, k := range settings.Keys {
		if k.Entry {
			continue
		}
		for _, key := range []string{"settings." + keyOf(k.Name), "settings." + keyOf(k.Name) + ".about"} {
			if !f.Says(key) {
				t.Errorf("%s has no words", key)
			}
		}
		if !slices.Contains(parts, k.Section) {
			t.Errorf("%s is on no page", k.Name)
		}
	}
	for _, part := range parts {
		if !f.Says("settings.part_" + string(part)) {
			t.Errorf("the part %s has no name", part)
		}
	}
}

func TestInputsSayValues(t *testing.T) {
	t.Parallel()
	for _, one := range []struct {
		kind, text string
		want       []string
	}{
		{settings.KindText, "", nil},
		{settings.KindText, "a, b", []string{"a, b"}},
		{settings.KindList, " a, b\n\n c \n", []string{"a, b", "c"}},
		{settings.KindList, "", nil},
	} {
		if got := valuesOf(settings.Setting{Kind: one.kind}, one.text); !slices.Equal(got, one.want) {
			t.Errorf("%s %q says %q", one.kind, one.text, got)
		}
	}
}

func TestPlacesOfLocksAreTold(t *testing.T) {
	t.Parallel()
	for _, one := range []struct{ layer, place, file, line string }{
		{"file", "/etc/frontdesk/site.yaml:12", "site.yaml", "12"},
		{"environment", "FRONTDESK_LISTEN", "FRONTDESK_LISTEN", ""},
		{"flag", "--listen", "--listen", ""},
		{"argument", "https://www.example.com:8080", "https://www.example.com:8080", ""},
	} {
		file, line := placeOf(settings.Setting{Layer: one.layer, Place: one.place})
		if file != one.file || line != one.line {
			t.Errorf("%s is told as %q, line %q", one.place, file, line)
		}
	}
}
