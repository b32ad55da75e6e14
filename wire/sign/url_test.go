package sign

import (
	"errors"
	"strings"
	"testing"
	"time"
)

// The worked value of the reading of RAMP v1.
const (
	workedBase  = "https://cdn.example.net/premium/a.html"
	workedAgent = "4905fbc220a2fbd769444e0bd4eef3f2afa9e290270b5c93bd4654a02491ab66"
	workedTxn   = "01HZZZZZZZZZZZZZZZZZZZZZZZ"
	workedQuery = "expires=1773451434&agent_id=" + workedAgent + "&txn_id=" + workedTxn + "&sig=2f242478627d4d8fbdd4ce3a9e85b249dcffd32a63216ee3ac1bd52627beeb76"
)

var (
	workedKey   = []byte("shared-secret")
	workedGrant = URLGrant{Expires: time.Unix(1773451434, 0).UTC(), Agent: workedAgent, Transaction: workedTxn}
)

func TestSignedURLIsTheWorkedOne(t *testing.T) {
	got, err := SignURL(workedBase, workedKey, workedGrant)
	if want := workedBase + "?" + workedQuery; err != nil || got != want {
		t.Errorf("%s, %v; want %s", got, err, want)
	}
}

func TestSignedURLOpensUntilItExpires(t *testing.T) {
	end := workedGrant.Expires
	for at, want := range map[time.Time]error{
		end.Add(-URLLife): nil, end.Add(-URLLife - 1): ErrURLTooFar, end.Add(-1): nil, end: ErrURLExpired, end.Add(time.Hour): ErrURLExpired,
	} {
		got, err := VerifyURL(workedBase, workedQuery, at, []byte("newer"), workedKey)
		if !errors.Is(err, want) || err == nil && got != workedGrant {
			t.Errorf("at %v: %v, %v; want %v", at.Sub(end), got, err, want)
		}
	}
}

// Whatever is changed in an address, it opens nothing: no bit of it is free.
func TestChangedURLOpensNothing(t *testing.T) {
	now := workedGrant.Expires.Add(-time.Minute)
	for i := range workedQuery {
		for _, flip := range []byte{1, 2, 4, 8, 16, 32, 64, 128} {
			changed := []byte(workedQuery)
			changed[i] ^= flip
			if got, err := VerifyURL(workedBase, string(changed), now, workedKey); err == nil {
				t.Fatalf("%s opens %v", changed, got)
			}
		}
	}
	part := strings.Split(workedQuery, "&")
	for name, query := range map[string]string{
		"in another order":        strings.Join([]string{part[1], part[0], part[2], part[3]}, "&"),
		"sig first":               strings.Join([]string{part[3], part[0], part[1], part[2]}, "&"),
		"something more":          workedQuery + "&utm=1",
		"something before":        "utm=1&" + workedQuery,
		"twice":                   workedQuery + "&" + workedQuery,
		"escaped":                 strings.Replace(workedQuery, "txn_id=0", "txn_id=%30", 1),
		"a sum in capitals":       part[0] + "&" + part[1] + "&" + part[2] + "&sig=" + strings.ToUpper(strings.TrimPrefix(part[3], "sig=")),
		"a sign before a number":  strings.Replace(workedQuery, "expires=", "expires=+", 1),
		"zeros before a number":   strings.Replace(workedQuery, "expires=", "expires=0", 1),
		"nothing":                 "",
		"no signature":            strings.Join(part[:3], "&"),
		"an empty signature":      strings.Join(part[:3], "&") + "&sig=",
		"half a signature":        workedQuery[:len(workedQuery)-32],
		"an agent with a newline": strings.Replace(workedQuery, "agent_id="+workedAgent, "agent_id="+workedAgent[:20]+"\n"+workedAgent[20:], 1),
	} {
		if got, err := VerifyURL(workedBase, query, now, workedKey); err == nil {
			t.Errorf("%s: opens %v", name, got)
		}
	}
	for name, base := range map[string]string{
		"another path": workedBase + "x", "another host": strings.Replace(workedBase, "net", "org", 1), "another scheme": strings.Replace(workedBase, "https", "http", 1),
		"a slash more": workedBase + "/", "no host": "/premium/a.html",
	} {
		if _, err := VerifyURL(base, workedQuery, now, workedKey); !errors.Is(err, ErrURLSignature) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := VerifyURL(workedBase, workedQuery, now); !errors.Is(err, ErrURLSignature) {
		t.Errorf("without a key: %v", err)
	}
}

func TestWhatWouldNotBeOneURLIsNotSigned(t *testing.T) {
	for name, change := range map[string]func(base *string, g *URLGrant){
		"a query":                   func(base *string, _ *URLGrant) { *base += "?a=b" },
		"a fragment":                func(base *string, _ *URLGrant) { *base += "#a" },
		"a transaction of two":      func(_ *string, g *URLGrant) { g.Transaction += "&sig=" },
		"an agent that is no word":  func(_ *string, g *URLGrant) { g.Agent = "a b" },
		"no agent":                  func(_ *string, g *URLGrant) { g.Agent = "" },
		"a base that is two lines":  func(base *string, _ *URLGrant) { *base += "\n" },
		"a transaction, two lines":  func(_ *string, g *URLGrant) { g.Transaction += "\n" },
		"an agent with a separator": func(_ *string, g *URLGrant) { g.Agent += "~" },
	} {
		base, grant := workedBase, workedGrant
		change(&base, &grant)
		if got, err := SignURL(base, workedKey, grant); err == nil {
			t.Errorf("%s: %s", name, got)
		}
	}
}

func FuzzSignedURL(f *testing.F) {
	f.Add(workedBase, workedQuery)
	f.Add("https://a.example/b", "expires=0&agent_id=a&txn_id=b&sig=")
	f.Fuzz(func(t *testing.T, base, query string) {
		now := workedGrant.Expires.Add(-time.Minute)
		got, err := VerifyURL(base, query, now, workedKey)
		if err != nil {
			return
		}
		if again, err := SignURL(base, workedKey, got); err != nil || again != base+"?"+query {
			t.Errorf("%s?%s opens, and is written %s (%v)", base, query, again, err)
		}
	})
}
