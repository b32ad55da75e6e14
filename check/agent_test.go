package check_test

import (
	"crypto/ed25519"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk/check"
	"frontdesk/wire/sign"
	"frontdesk/wire/sign/botauth"
)

// directory is an agent's directory of keys, as a test wants it.
type directory struct {
	keys   []botauth.Key
	edit   func(body string) string // of the document, before it is signed
	serve  func(w http.ResponseWriter, body []byte)
	host   string // that is signed; empty for the one that is asked
	signed bool
}

func (d directory) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := botauth.WriteDirectory(d.keys)
	if err != nil {
		panic(err)
	}
	if d.edit != nil {
		body = []byte(d.edit(string(body)))
	}
	if d.host == "" {
		d.host = r.Host
	}
	if d.signed {
		asked := sign.Request{Method: http.MethodGet, Target: "http://" + d.host + r.RequestURI}
		header, err := botauth.SignDirectory(body, asked, sign.SigningParameters{Created: time.Now()},
			map[string]ed25519.PrivateKey{idOf(1): seeded(1)})
		if err != nil {
			panic(err)
		}
		for name, lines := range header {
			w.Header()[name] = lines
		}
	}
	w.Header().Set("Content-Type", botauth.MediaType)
	w.Header().Set("Cache-Control", "max-age=3600")
	if d.serve != nil {
		d.serve(w, body)
	}
	w.Write(body)
}

func seeded(n byte) ed25519.PrivateKey {
	return ed25519.NewKeyFromSeed(slices.Repeat([]byte{n}, ed25519.SeedSize))
}

func idOf(n byte) string { return botauth.Thumbprint(seeded(n).Public().(ed25519.PublicKey)) }

func published(n byte, until time.Time) botauth.Key {
	return botauth.Key{ID: idOf(n), Public: seeded(n).Public(), Until: until}
}

// TestAnAgentsDirectoryIsLookedAt: each way in which a directory may be wrong is seen by its probe,
// and no other probe sees anything.
func TestAnAgentsDirectoryIsLookedAt(t *testing.T) {
	t.Parallel()
	good := []botauth.Key{published(1, time.Time{})}
	header := func(name, value string) func(http.ResponseWriter, []byte) {
		return func(w http.ResponseWriter, _ []byte) { w.Header().Set(name, value) }
	}
	replaced := func(old, with string) func(string) string {
		return func(body string) string { return strings.Replace(body, old, with, 1) }
	}
	second := []botauth.Key{good[0], published(2, time.Time{})}
	over := []botauth.Key{good[0], published(2, time.Now().Add(-time.Hour))}
	for name, c := range map[string]struct {
		directory
		path    string
		probe   string // that sees something; empty for none
		outcome check.Outcome
	}{
		"nothing": {directory: directory{keys: good, signed: true}},
		"elsewhere, plain": {
			directory: directory{keys: good, signed: true, serve: header("Content-Type", "application/json")},
			path:      "/keys",
		},
		"a redirect": {directory{keys: good, signed: true, serve: func(w http.ResponseWriter, _ []byte) {
			w.Header().Set("Location", "/other")
			w.WriteHeader(http.StatusFound)
		}}, "", "agent.served", check.Wrong},
		"not there": {directory{keys: good, signed: true, serve: func(w http.ResponseWriter, _ []byte) {
			w.WriteHeader(http.StatusNotFound)
		}}, "", "agent.served", check.Wrong},
		"type": {
			directory{keys: good, signed: true, serve: header("Content-Type", "application/json")},
			"", "agent.type", check.Wrong,
		},
		"no cache": {
			directory{keys: good, signed: true, serve: header("Cache-Control", "no-store")},
			"", "agent.max-age", check.Doubtful,
		},
		"cached long": {
			directory{keys: good, signed: true, serve: header("Cache-Control", "max-age=864000")},
			"", "agent.max-age", check.Doubtful,
		},
		"no JSON": {
			directory{keys: good, edit: func(string) string { return "<html>" }},
			"", "agent.document", check.Wrong,
		},
		"no keys": {directory{}, "", "agent.key", check.Wrong},
		"kid": {
			directory{keys: good, signed: true, edit: replaced(`"kid":"`+idOf(1), `"kid":"mine`)},
			"", "agent.key", check.Wrong,
		},
		"private key": {
			directory{keys: second, signed: true, edit: replaced(`{"kty"`, `{"d":"x","kty"`)},
			"", "agent.key", check.Wrong,
		},
		"an old key":  {directory{keys: over, signed: true}, "", "agent.key", check.Doubtful},
		"a key twice": {directory{keys: append(good, good...), signed: true}, "", "agent.key", check.Doubtful},
		"unsigned":    {directory{keys: good}, "", "agent.possession", check.Doubtful},
		"signed by 1": {directory{keys: second, signed: true}, "", "agent.possession", check.Doubtful},
		"another host": {
			directory{keys: good, signed: true, host: "other.example"},
			"", "agent.possession", check.Wrong,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(c.directory)
			defer server.Close()
			report, err := check.Agent(t.Context(), server.URL+c.path, check.Options{})
			if err != nil {
				t.Fatal(err)
			}
			seen := false
			for _, r := range report.Results {
				switch {
				case r.Outcome == check.Passed, r.Probe == "agent.https": // a test's server has no certificate
				case r.Probe == c.probe && r.Outcome == c.outcome && r.Mend != "":
					seen = true
				case c.probe != "agent.key" || r.Probe != "agent.possession": // a key that is no use signs nothing
					t.Errorf("%+v", r)
				}
			}
			if seen != (c.probe != "") {
				t.Errorf("seen: %v, of %+v", seen, report.Results)
			}
		})
	}
}
