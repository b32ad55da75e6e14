package edge

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	wire "frontdesk/wire/edge"
)

func TestPeoplePassAndAgentsNeedALicence(t *testing.T) {
	t.Parallel()
	w := start(t, "", "")
	for _, c := range []struct {
		target, userAgent string
		status            int
		outcome           string
	}{
		{"/news/a", person, 200, ""},
		{"/news/a?x=1&y", robot, 200, ""},
		{"/premium/a", person, 200, ""},
		{"/premium/a?x=1", robot, 403, "licence"},
		{"/premium", robot, 403, "licence"},
		{"/premiums", robot, 200, ""},
		{"/premium/teaser", robot, 200, ""},
		{"/secret/a", robot, 403, "not for AI agents"},
		{"/secret/a", person, 200, ""},
		{"/premium/a", "gptbot/1.2", 403, "licence"}, // in capitals or not
		{"/premium/a", "ramp-ai-buyer", 403, "licence"},
		{"/premium/a", "x anthropic-ai y", 403, "licence"},
	} {
		r := w.get(t, c.target, c.userAgent)
		if r.status != c.status {
			t.Errorf("%s as %s: %d, want %d: %s", c.target, c.userAgent, r.status, c.status, r.body)
			continue
		}
		got := w.origin.got()
		if c.status == 200 {
			if r.body != text(c.target) || len(got) != 1 || got[0].target != c.target || got[0].host != domain {
				t.Errorf("%s as %s: %q; the origin got %+v", c.target, c.userAgent, r.body, got)
			}
			continue
		}
		var document map[string]string
		if err := json.Unmarshal([]byte(r.body), &document); err != nil || len(got) != 0 {
			t.Errorf("%s: %v: %s; the origin got %+v", c.target, err, r.body, got)
			continue
		}
		info := w.exchange.URL + "/.well-known/ramp-exchange.json"
		if !strings.Contains(document["error"], c.outcome) || document["protocol"] != "RAMP" ||
			document["version"] != "1.0" ||
			document["info_url"] != info || document["ramp_json_url"] != site+"/.well-known/ramp.json" ||
			len(document) != 5 {
			t.Errorf("%s: %v", c.target, document)
		}
		if r.header.Get("X-Content-Rules") != info || r.header.Get("Cache-Control") != "no-store" ||
			r.header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: %v", c.target, r.header)
		}
	}
}

func TestASignedAddressOpensAndIsRecorded(t *testing.T) {
	t.Parallel()
	w := start(t, "", "")
	r := w.get(t, signed(t, "/premium/a", "txn-1"), robot, "X-Agent-License-Id: x")
	if r.status != 200 || r.body != text("/premium/a") || r.header.Get("Cache-Control") != "private, no-store" {
		t.Fatalf("%d %v %s", r.status, r.header, r.body)
	}
	got := w.origin.got()
	if len(got) != 1 || got[0].target != "/premium/a" || got[0].header.Get("X-Agent-License-Id") != "" ||
		got[0].header.Get("X-Forwarded-Host") != domain {
		t.Errorf("the origin got %+v", got)
	}
	if r := w.get(t, signedWith(t, before, "/premium/b", "txn-2", 60e9), robot); r.status != 200 {
		t.Errorf("with the key of before: %d %s", r.status, r.body)
	}
	told := w.exchange.told(t, 2)
	sum := sha256.Sum256([]byte(text("/premium/a")))
	d := told["txn-1"]
	if d.State != wire.Ended || d.Status != 200 || d.Bytes != int64(len(text("/premium/a"))) ||
		d.SHA256 != hex.EncodeToString(sum[:]) || d.Agent != agent ||
		d.URI != site+"/premium/a" || d.Form != "hmac" {
		t.Errorf("it was told of as %+v", d)
	}
}

func TestAnAddressThatIsNotAsItWasSignedOpensNothing(t *testing.T) {
	t.Parallel()
	w := start(t, "", "")
	good := signed(t, "/premium/a", "txn-1")
	_, query, _ := strings.Cut(good, "?")
	pairs := strings.Split(query, "&") // expires, agent_id, txn_id, sig
	for name, target := range map[string]string{
		"expired":             signedWith(t, secret, "/premium/a", "txn-1", -1e9),
		"another's key":       signedWith(t, []byte("another secret of 32 bytes......"), "/premium/a", "txn-1", 60e9),
		"another path":        "/premium/b?" + query,
		"a path below":        "/premium/a/b?" + query,
		"another spelling":    "/premium/%61?" + query,
		"a slash more":        "/premium/a/?" + query,
		"another order":       "/premium/a?" + strings.Join([]string{pairs[1], pairs[0], pairs[2], pairs[3]}, "&"),
		"a pair more":         good + "&x=1",
		"a pair before":       "/premium/a?x=1&" + query,
		"twice":               good + "&" + pairs[3],
		"no agent":            "/premium/a?" + strings.Join([]string{pairs[0], pairs[2], pairs[3]}, "&"),
		"another transaction": strings.Replace(good, "txn-1", "txn-2", 1),
		"another agent":       strings.Replace(good, "agent_id=4", "agent_id=5", 1),
		"extended":            strings.Replace(good, "expires=1", "expires=2", 1),
		"capitals": strings.Replace(good, "sig="+strings.TrimPrefix(pairs[3], "sig="),
			"sig="+strings.ToUpper(strings.TrimPrefix(pairs[3], "sig=")), 1),
		"an escaped digit":    strings.Replace(good, "sig=", "sig=%30", 1),
		"an escaped name":     strings.Replace(good, "sig=", "%73ig=", 1),
		"a name in capitals":  strings.Replace(good, "sig=", "SIG=", 1),
		"semicolons":          "/premium/a?" + strings.Join(pairs, ";"),
		"a signature alone":   "/premium/a?sig=" + strings.Repeat("0", 64),
		"half a signature":    good[:len(good)-10],
		"an empty signature":  "/premium/a?" + strings.Join(pairs[:3], "&") + "&sig=",
		"blocked in any case": signed(t, "/secret/a", "txn-1"),
	} {
		for _, who := range []string{robot, person} {
			if r := w.get(t, target, who); r.status != http.StatusForbidden {
				t.Errorf("%s as %s: %d %s", name, who, r.status, r.body)
			}
			if got := w.origin.got(); len(got) != 0 {
				t.Errorf("%s: the origin got %+v", name, got)
			}
		}
	}
	if r := w.get(t, good, robot); r.status != 200 {
		t.Errorf("as it was signed: %d %s", r.status, r.body)
	}
	if r := w.say(t, "POST", "POST "+good+" HTTP/1.1\r\nHost: "+domain+
		"\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"); r.status != http.StatusMethodNotAllowed {
		t.Errorf("POST to a signed address: %d", r.status)
	}
	w.origin.got()
	if r := w.say(t, "HEAD",
		"HEAD "+good+" HTTP/1.1\r\nHost: "+domain+"\r\nConnection: close\r\n\r\n"); r.status != 200 || r.body != "" {
		t.Errorf("HEAD of a signed address: %d", r.status)
	}
}

// TestAgentsAreCounted by their names and by what became of them; people are not.
func TestAgentsAreCounted(t *testing.T) {
	t.Parallel()
	w := start(t, "", "")
	for range 3 {
		w.get(t, "/premium/a", robot)
	}
	w.get(t, "/news/a", robot)
	w.get(t, "/secret/a", "ClaudeBot")
	w.get(t, signed(t, "/premium/a", "txn-1"), "unheard-of")
	w.get(t, "/premium/a?sig=0", "unheard-of")
	w.get(t, signedWith(t, secret, "/premium/a", "txn-2", -time.Minute), robot)
	w.get(t, signedWith(t, secret, "/premium/a", "txn-2", -time.Minute), "unheard-of")
	w.get(t, "/premium/a", person)
	w.End(t) // which tells what it has not told yet
	w.exchange.mu.Lock()
	defer w.exchange.mu.Unlock()
	want := map[string]int64{"GPTBot refused": 3, "GPTBot open": 1, "ClaudeBot blocked": 1, "other delivered": 1,
		"other invalid": 1, "GPTBot expired": 1, "other expired": 1}
	if !maps.Equal(w.exchange.sightings, want) {
		t.Errorf("told of %v, want %v", w.exchange.sightings, want)
	}
}
