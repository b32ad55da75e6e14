package edge

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/licensing/edge/deliverylog"
	wire "frontdesk/wire/edge"
	"frontdesk/wire/sign"
)

// before is a gate before an origin that answers with the address it was asked for, and what its
// spool tells.
func before(t *testing.T, keys []sign.URLKey) (gate *Gate, told func() []wire.Delivery) {
	t.Helper()
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, r.RequestURI)
	}))
	t.Cleanup(origin.Close)
	to, _ := url.Parse(origin.URL)
	var all []wire.Delivery
	records, err := deliverylog.Open(deliverylog.Config{Dir: t.TempDir(),
		Ship: func(_ context.Context, b wire.Batch) error {
			all = append(all, b.Deliveries...)
			return nil
		}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { records.Close() })
	policy := NewPolicy(Licensed, []Rule{{"/open/*", Open, nil}})
	gate = New(Config{
		Deliveries: records, Client: func(*http.Request) netip.Addr { return netip.Addr{} },
		Sites: []Site{{
			Domain: "www.example.com", Hosts: []string{"www.example.com"}, URL: "https://www.example.com",
			Policy: func() *Policy { return policy },
			Keys:   func(context.Context) ([]sign.URLKey, error) { return keys, nil },
			Origin: NewOrigin(OriginConfig{URL: to, Timeout: time.Minute, Stall: time.Minute, Client: time.Minute,
				MaxRequests: 9, Body: 1 << 20}),
		}},
	})
	return gate, func() []wire.Delivery {
		if err := records.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		return all
	}
}

func (g *Gate) at(target string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	r := httptest.NewRequest("GET", target, nil)
	r.Host = "www.example.com"
	g.ServeHTTP(w, r)
	return w
}

// TestEveryFormOpensAndIsTakenOff signs in each form, of keys that follow one another too, and
// changes what was signed.
func TestEveryFormOpensAndIsTakenOff(t *testing.T) {
	t.Parallel()
	secret := bytes.Repeat([]byte{1}, 32)
	curve, _ := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	_, private, _ := ed25519.GenerateKey(rand.Reader)
	now := time.Now()
	for name, c := range map[string]struct {
		key     sign.URLKey
		content string
	}{
		"hmac":       {sign.URLKey{Form: sign.URLHMAC, Secret: secret}, "/a"},
		"cloudfront": {sign.URLKey{Form: sign.URLCloudFront, ID: "K2JCJMDEHXQW5F", Signer: curve}, "/a?b=c&d"},
		"akamai":     {sign.URLKey{Form: sign.URLAkamai, Secret: secret}, "/a"},
		"akamai, url": {sign.URLKey{Form: sign.URLAkamai, Secret: secret,
			Options: sign.URLOptions{URL: true, Parameter: "tok"}}, "/a?b=c"},
		"fastly":  {sign.URLKey{Form: sign.URLFastly, Secret: secret}, "/a?b=c"},
		"ed25519": {sign.URLKey{Form: sign.URLEd25519, ID: "site-1", Signer: private}, "/a?b=c"},
	} {
		verifying := c.key
		if c.key.Signer != nil {
			verifying.Signer, verifying.Public = nil, c.key.Signer.Public()
		}
		other := sign.URLKey{Form: sign.URLHMAC, Secret: bytes.Repeat([]byte{2}, 32)}
		gate, told := before(t, []sign.URLKey{other, verifying})
		grant := sign.URLGrant{Expires: now.Add(time.Minute), Agent: strings.Repeat("a", 64), Transaction: "txn-1"}
		set := sign.URLKeys{Origin: "https://www.example.com", Keys: []sign.URLKey{c.key}}
		address, err := set.Sign("https://www.example.com"+c.content, grant, now)
		if err != nil {
			t.Fatal(name, err)
		}
		target := strings.TrimPrefix(address, "https://www.example.com")
		if w := gate.at(target); w.Code != 200 || w.Body.String() != c.content {
			t.Errorf("%s: %d, and the origin was asked for %s", name, w.Code, w.Body)
		}
		if all := told(); len(all) != 1 || all[0].URI != "https://www.example.com"+c.content ||
			all[0].Form != string(c.key.Form) || all[0].Transaction != "txn-1" || all[0].State != wire.Ended {
			t.Errorf("%s: told as %+v", name, all)
		}
		for _, wrong := range []string{
			strings.Replace(target, "/a", "/b", 1), strings.Replace(target, "txn-1", "txn-2", 1), target + "&x=1",
			strings.Replace(target, "?", "?x=1&", 1), strings.Replace(target, "/a", "/%61", 1), target[:len(target)-2],
		} {
			if w := gate.at(wrong); w.Code != 403 {
				t.Errorf("%s: %s is answered with %d", name, wrong, w.Code)
			}
		}
		if w := gate.at("/open" + target); w.Code != 200 {
			t.Errorf("%s: what is open needs no signature: %d", name, w.Code)
		}
		over, err := set.Sign("https://www.example.com"+c.content,
			sign.URLGrant{Expires: now.Add(-time.Second), Agent: grant.Agent, Transaction: "txn-1"}, now)
		if err != nil {
			t.Fatal(name, err)
		}
		if w := gate.at(strings.TrimPrefix(over, "https://www.example.com")); w.Code != 403 {
			t.Errorf("%s: what is over is answered with %d", name, w.Code)
		}
		ended := verifying
		ended.Ends = now.Add(-time.Second)
		gate, _ = before(t, []sign.URLKey{ended})
		if w := gate.at(target); w.Code != 403 {
			t.Errorf("%s: with a key that has ended: %d", name, w.Code)
		}
		if c.key.Form == sign.URLFastly {
			gate, _ = before(t, []sign.URLKey{verifying})
			if w := gate.at(strings.TrimPrefix(over, "https://www.example.com")); w.Code != 410 {
				t.Errorf("fastly alone tells what is over: %d", w.Code)
			}
		}
	}
}

// TestAddressesOfOtherExchangesAreDelivered has an Exchange sign a blank as it is, and no
// transaction: the client asks with the blank encoded.
func TestAddressesOfOtherExchangesAreDelivered(t *testing.T) {
	t.Parallel()
	public, private, _ := ed25519.GenerateKey(rand.Reader)
	gate, told := before(t, []sign.URLKey{{Form: sign.URLEd25519, ID: "x.v1", Public: public}})
	const host = "https://www.example.com"
	signed := func(ends time.Time) (before, sig string) {
		before = fmt.Sprintf("/a path?exp=%d&kid=x.v1", ends.Unix())
		return strings.Replace(before, " ", "%20", 1),
			"sig=" + base64.RawURLEncoding.EncodeToString(ed25519.Sign(private, []byte("GET\n"+host+before)))
	}
	address, sig := signed(time.Now().Add(time.Minute))
	if w := gate.at(address + "&" + sig); w.Code != 200 || w.Body.String() != "/a%20path" {
		t.Errorf("%d, and the origin was asked for %s", w.Code, w.Body)
	}
	if all := told(); len(all) != 1 || all[0].URI != host+"/a%20path" {
		t.Errorf("told as %+v", all)
	}
	if w := gate.at(strings.Replace(address, "path", "%20path", 1) + "&" + sig); w.Code != 403 {
		t.Errorf("another path: %d", w.Code)
	}
	over, sigOver := signed(time.Now().Add(-time.Minute))
	if w := gate.at(over + "&" + sigOver); w.Code != 403 || !strings.Contains(w.Body.String(), "expired") {
		t.Errorf("what is over: %d %s", w.Code, w.Body)
	}
	if w := gate.at(strings.Replace(address, "?", "?"+sig+"&", 1)); w.Code != 403 {
		t.Errorf("with the signature first, which would be another address for the bound of fetches: %d", w.Code)
	}
}

// TestWhatCannotBeRecordedIsNotDelivered has the disk of the spool go away.
func TestWhatCannotBeRecordedIsNotDelivered(t *testing.T) {
	t.Parallel()
	key := sign.URLKey{Form: sign.URLHMAC, Secret: bytes.Repeat([]byte{1}, 32)}
	gate, _ := before(t, []sign.URLKey{key})
	gate.config.Deliveries.Close()
	address, err := (sign.URLKeys{Origin: "https://www.example.com", Keys: []sign.URLKey{key}}).
		Sign("https://www.example.com/a",
			sign.URLGrant{Expires: time.Now().Add(time.Minute), Agent: "a", Transaction: "txn-1"}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	w := gate.at(strings.TrimPrefix(address, "https://www.example.com"))
	var document map[string]string
	if err := json.Unmarshal(w.Body.Bytes(), &document); w.Code != 503 || err != nil ||
		strings.Contains(w.Body.String(), "/a\n") || w.Header().Get("Retry-After") == "" {
		t.Errorf("%d %v %s", w.Code, w.Header(), w.Body)
	}
	if w := gate.at("/open/a"); w.Code != 200 {
		t.Errorf("what is open: %d", w.Code)
	}
}
