package agents

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/sha512"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"frontdesk/internal/infra/fetch"
	"frontdesk/internal/infra/yamlconf"
	"frontdesk/wire/sign"
	"frontdesk/wire/sign/botauth"
)

// web is where directories are, as the verifier sees it.
type web struct {
	mu      sync.Mutex
	sites   map[string]func() (*fetch.Response, error) // by address
	fetched []string
	takes   time.Duration
}

func (w *web) get(ctx context.Context, request fetch.Request) (*fetch.Response, error) {
	w.mu.Lock()
	w.fetched = append(w.fetched, request.URL)
	site, takes := w.sites[request.URL], w.takes
	w.mu.Unlock()
	select {
	case <-time.After(takes):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if site == nil {
		return nil, errors.New("no such host")
	}
	return site()
}

func (w *web) count() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.fetched)
}

// serve has a directory of keys at an address, with a header.
func (w *web) serve(address string, header http.Header, keys ...ed25519.PrivateKey) {
	var entries []botauth.Key
	for _, key := range keys {
		public := key.Public().(ed25519.PublicKey)
		entries = append(entries, botauth.Key{ID: botauth.Thumbprint(public), Public: public})
	}
	body, err := botauth.WriteDirectory(entries)
	if err != nil {
		panic(err)
	}
	if header == nil {
		header = http.Header{}
	}
	if header.Get("Content-Type") == "" {
		header.Set("Content-Type", botauth.MediaType)
	}
	w.answer(address, &fetch.Response{Status: http.StatusOK, Header: header, Body: body})
}

func (w *web) answer(address string, response *fetch.Response) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.sites == nil {
		w.sites = map[string]func() (*fetch.Response, error){}
	}
	w.sites[address] = func() (*fetch.Response, error) { return response, nil }
}

func (w *web) fall(address string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.sites, address)
}

func wellKnown(host string) string { return "https://" + host + botauth.DirectoryPath }

func keyOf(n byte) ed25519.PrivateKey {
	return ed25519.NewKeyFromSeed(slices.Repeat([]byte{n}, ed25519.SeedSize))
}

// signed is a request that an agent of a host signs at this moment.
func signed(host string, key ed25519.PrivateKey, nonce string) Request {
	r := Request{Method: http.MethodGet, Target: "https://desk.example/ask?query=x", Header: http.Header{
		"Signature-Agent": {`sig1="https://` + host + `"`}, "User-Agent": {"Mozilla/5.0 (compatible; GPTBot/1.2)"}}}
	input, signature, err := sign.SignHTTP(sign.Request{Method: r.Method, Target: r.Target, Header: r.Header},
		sign.SigningParameters{Label: "sig1", KeyID: botauth.Thumbprint(key.Public().(ed25519.PublicKey)),
			Created: time.Now(),
			Tag:     botauth.Tag, Nonce: nonce, Covered: []string{"@authority", `signature-agent;key="sig1"`}}, key)
	if err != nil {
		panic(err)
	}
	r.Header["Signature-Input"], r.Header["Signature"] = []string{input}, []string{signature}
	return r
}

func TestWhoAsks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var w web
		w.serve(wellKnown("bots.openai.com"), nil, keyOf(1))
		w.serve(wellKnown("agent.example"), nil, keyOf(2))
		v := New(Config{Fetch: w.get, Known: []Known{{Operator: "Shop", Origin: "https://shop.example", Kind: "data",
			UserAgent: "ShopBot", Addresses: []netip.Prefix{netip.MustParsePrefix("203.0.113.0/24")}}}})
		plain := func(userAgent, from string) func() Request {
			return func() Request {
				return Request{Header: http.Header{"User-Agent": {userAgent}}, From: netip.MustParseAddr(from)}
			}
		}
		by := func(host string, n byte, change func(*Request)) func() Request {
			return func() Request {
				r := signed(host, keyOf(n), "")
				change(&r)
				return r
			}
		}
		as := func(*Request) {}
		gpt := Agent{Name: "GPTBot", Operator: "https://openai.com", Kind: "training", Known: ByWord}
		because := func(a Agent, outcome Outcome, why string) Agent {
			a.Signature, a.Why, a.Claimed = outcome, why, "https://agent.example"
			return a
		}
		unread := gpt
		unread.Signature, unread.Why = Invalid, `the signature "sig1": the header Signature cannot be read: sig1 is not there`
		shop := Agent{Name: "ShopBot", Operator: "https://shop.example", Kind: "data", Known: ByWord}
		near := shop
		near.Known = ByAddress
		for name, row := range map[string]struct {
			request func() Request
			want    Agent
		}{
			"nobody": {plain("Mozilla/5.0 Firefox/140", "192.0.2.1"), Agent{}},
			"by its word": {plain("Mozilla/5.0 (compatible; ClaudeBot/1.0; +claudebot@anthropic.com)", "192.0.2.1"),
				Agent{Name: "ClaudeBot", Operator: "https://anthropic.com", Kind: "training", Known: ByWord}},
			"a word within another": {plain("NotClaudeBotter/1.0", "192.0.2.1"), Agent{}},
			"the owner's":           {plain("shopbot/2", "192.0.2.1"), shop},
			"by its address":        {plain("shopbot/2", "203.0.113.9"), near},
			"signed, and in the list": {by("bots.openai.com", 1, as), Agent{ID: wellKnown("bots.openai.com"),
				Name: "GPTBot", Operator: "https://openai.com", Kind: "training", Known: BySignature,
				Signature: Verified}},
			"signed by somebody whom its user agent is not of": {by("agent.example", 2, as),
				Agent{ID: wellKnown("agent.example"), Operator: "https://agent.example", Known: BySignature,
					Signature: Verified, Said: v.list.byUserAgent("GPTBot")}},
			"signed for nobody knows whom": {by("agent.example", 2, func(r *Request) { r.Elsewhere = true }),
				because(gpt, Unverified, errElsewhere.Error())},
			"signed by the key of another": {by("agent.example", 1, as),
				because(gpt, Unverified, botauth.ErrNoKey.Error())},
			"signed for another place": {by("agent.example", 2, func(r *Request) { r.Target = "https://x.example/" }),
				because(gpt, Invalid, "it is not that of the key over this request")},
			"signed so that it cannot be read": {
				by("agent.example", 2, func(r *Request) { r.Header["Signature"] = []string{"x"} }),
				unread},
		} {
			time.Sleep(2 * time.Minute) // of the bubble's clock, so that none waits for another's limits
			if got := v.Identify(t.Context(), row.request()); got != row.want {
				t.Errorf("%s:\n got %+v\nwant %+v", name, got, row.want)
			}
		}
	})
}

// outcome is what becomes of a request of an agent.
func outcome(t *testing.T, v *Verifier, host string, key ed25519.PrivateKey) Outcome {
	t.Helper()
	return v.Identify(t.Context(), signed(host, key, "")).Signature
}

func TestDirectoriesAreKeptAsLongAsTheySay(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		header http.Header
		fresh  time.Duration
	}{
		"nothing said":  {http.Header{}, time.Hour},
		"a while":       {http.Header{"Cache-Control": {"public, max-age=600"}}, 10 * time.Minute},
		"a while less":  {http.Header{"Cache-Control": {"max-age=600"}, "Age": {"300"}}, 5 * time.Minute},
		"not at all":    {http.Header{"Cache-Control": {"no-store"}}, time.Minute},
		"for ever":      {http.Header{"Cache-Control": {"max-age=99999999"}}, 24 * time.Hour},
		"until a time":  {http.Header{"Expires": {"Sat, 01 Jan 2000 00:30:00 GMT"}}, 30 * time.Minute},
		"until nothing": {http.Header{"Expires": {"0"}}, time.Minute},
	} {
		synctest.Test(t, func(t *testing.T) {
			var w web
			w.serve(wellKnown("a.example"), row.header, keyOf(1))
			v := New(Config{Fetch: w.get})
			for i, at := range []time.Duration{0, row.fresh - time.Second, row.fresh, row.fresh + time.Second} {
				time.Sleep(at - time.Since(start(t)))
				if got := outcome(t, v, "a.example", keyOf(1)); got != Verified {
					t.Fatalf("%s: %s at %s", name, got, at)
				}
				synctest.Wait()
				if want := 1 + i/2; w.count() != want {
					t.Errorf("%s: fetched %d times at %s, want %d", name, w.count(), at, want)
				}
			}
		})
	}
}

// start is when a bubble begins: midnight UTC of 1 January 2000.
func start(t *testing.T) time.Time {
	t.Helper()
	return time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
}

func TestAnOutageRevokesNoKey(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var w web
		w.serve(wellKnown("a.example"), nil, keyOf(1))
		v := New(Config{Fetch: w.get})
		if got := outcome(t, v, "a.example", keyOf(1)); got != Verified {
			t.Fatal(got)
		}
		w.fall(wellKnown("a.example"))
		for range 24 {
			time.Sleep(time.Hour)
			if got := outcome(t, v, "a.example", keyOf(1)); got != Verified {
				t.Fatal(got)
			}
		}
		time.Sleep(2 * time.Hour)
		if got := outcome(t, v, "a.example", keyOf(1)); got != Unverified {
			t.Error("after a day without a directory:", got)
		}
	})
}

func TestAKeyThatWasRemovedVerifiesNothingAnyMore(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var w web
		w.serve(wellKnown("a.example"), http.Header{"Cache-Control": {"max-age=120"}}, keyOf(1))
		v := New(Config{Fetch: w.get})
		if got := outcome(t, v, "a.example", keyOf(1)); got != Verified {
			t.Fatal(got)
		}
		w.serve(wellKnown("a.example"), nil, keyOf(2))
		time.Sleep(2 * time.Minute)
		outcome(t, v, "a.example", keyOf(1)) // has it fetched again
		synctest.Wait()
		if got := outcome(t, v, "a.example", keyOf(1)); got != Unverified {
			t.Error("the old key:", got)
		}
		if got := outcome(t, v, "a.example", keyOf(2)); got != Verified {
			t.Error("the new key:", got)
		}
	})
}

func TestANewKeyIsFetchedOnceAMinuteAtTheMost(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var w web
		w.serve(wellKnown("a.example"), http.Header{"Cache-Control": {"max-age=86400"}}, keyOf(1))
		v := New(Config{Fetch: w.get})
		outcome(t, v, "a.example", keyOf(1))
		w.serve(wellKnown("a.example"), nil, keyOf(1), keyOf(2))
		for range 50 {
			outcome(t, v, "a.example", keyOf(2))
			time.Sleep(time.Second)
		}
		if w.count() != 1 {
			t.Error("fetched", w.count(), "times within a minute")
		}
		time.Sleep(10 * time.Second)
		if got := outcome(t, v, "a.example", keyOf(2)); got != Verified || w.count() != 2 {
			t.Error(got, w.count())
		}
	})
}

// TestMadeUpAgentsCostOneFetchASecond floods with agents of hosts that nobody has, from many
// networks, and holds that an agent that was known before is verified meanwhile.
func TestMadeUpAgentsCostOneFetchASecond(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var w web
		w.serve(wellKnown("good.example"), http.Header{"Cache-Control": {"max-age=60"}}, keyOf(1))
		v := New(Config{Fetch: w.get})
		outcome(t, v, "good.example", keyOf(1))
		const seconds, each = 60, 200
		for i := range seconds * each {
			r := signed(fmt.Sprintf("x%d.example", i), keyOf(3), "")
			r.From = netip.AddrFrom4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)})
			if got := v.Identify(t.Context(), r); got.Signature != Unverified {
				t.Fatal(got)
			}
			time.Sleep(time.Second / each)
		}
		if got := outcome(t, v, "good.example", keyOf(1)); got != Verified {
			t.Error("the known agent:", got)
		}
		synctest.Wait()
		if n := w.count(); n < seconds/2 || n > seconds+4 {
			t.Errorf("%d fetches in %d seconds", n, seconds)
		}
	})
}

// TestUnknownKeysCostOneFetchASecond: directories that were read are not fetched any faster for
// keys that they do not hold, whoever names those.
func TestUnknownKeysCostOneFetchASecond(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var w web
		v := New(Config{Fetch: w.get})
		for i := range 30 {
			host := fmt.Sprintf("a%d.example", i)
			w.serve(wellKnown(host), http.Header{"Cache-Control": {"max-age=86400"}}, keyOf(1))
			time.Sleep(2 * time.Second)
			if got := v.Identify(t.Context(), signed(host, keyOf(1), "")); got.Signature != Verified {
				t.Fatalf("%s: %+v", host, got)
			}
		}
		time.Sleep(2 * time.Minute)
		before := w.count()
		for range 20 {
			for i := range 30 {
				v.Identify(t.Context(), signed(fmt.Sprintf("a%d.example", i), keyOf(9), ""))
			}
			time.Sleep(time.Second)
		}
		if n := w.count() - before; n == 0 || n > 11 {
			t.Errorf("20 seconds of unknown keys cost %d fetches", n)
		}
	})
}

// TestAnAgentAtItsDomainIsNotKeptOut: addresses below a host that anybody names cost the agent of
// the host nothing.
func TestAnAgentAtItsDomainIsNotKeptOut(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var w web
		w.serve(wellKnown("agent.example"), nil, keyOf(1))
		v := New(Config{Fetch: w.get})
		v.Identify(t.Context(), signed("agent.example/bad", keyOf(9), ""))
		time.Sleep(2 * time.Second)
		if got := v.Identify(t.Context(), signed("agent.example", keyOf(1), "")); got.Signature != Verified {
			t.Errorf("%+v", got)
		}
	})
}

// TestAQueryKeepsNoDirectoryOut: what comes of an address with another query is no matter of an
// agent whose address has none.
func TestAQueryKeepsNoDirectoryOut(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var w web
		for _, host := range []string{"a.example", "b.example/keys"} {
			directory, _, err := botauth.Address("https://" + host)
			if err != nil {
				t.Fatal(err)
			}
			w.serve(directory, nil, keyOf(1))
			v := New(Config{Fetch: w.get})
			for range 8 {
				v.Identify(t.Context(), signed(strings.TrimPrefix(directory, "https://")+"?x=1", keyOf(9), ""))
				time.Sleep(20 * time.Second)
			}
			if got := v.Identify(t.Context(), signed(host, keyOf(1), "")); got.Signature != Verified {
				t.Errorf("%s: %+v", host, got)
			}
		}
	})
}

// TestAFloodKeepsNoKnownOperatorOut: neither hosts below it that are made up, nor many directories
// of somebody's that have to be read again and again.
func TestAFloodKeepsNoKnownOperatorOut(t *testing.T) {
	t.Parallel()
	for name, host := range map[string]string{"below it": "x%d.openai.com", "read before": "x%d.example"} {
		synctest.Test(t, func(t *testing.T) {
			var w web
			w.serve(wellKnown("openai.com"), nil, keyOf(1))
			v := New(Config{Fetch: w.get})
			asks := func(i int) {
				r := signed(fmt.Sprintf(host, i), keyOf(3), "")
				r.From = netip.AddrFrom4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)})
				v.Identify(t.Context(), r)
			}
			const many = 60
			for i := range many {
				w.serve(wellKnown(fmt.Sprintf(host, i)), http.Header{"Cache-Control": {"no-store"}}, keyOf(3))
				asks(i)
				time.Sleep(2 * time.Second)
			}
			for range 100 {
				for i := range many {
					asks(i)
				}
				time.Sleep(100 * time.Millisecond)
			}
			for i := range many {
				asks(i)
			}
			if got := v.Identify(t.Context(), signed("openai.com", keyOf(1), "")); got.Signature != Verified {
				t.Errorf("%s: %+v", name, got)
			}
		})
	}
}

func TestOneNetworkOrOneHostCannotTakeAllFetches(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for name, row := range map[string]func(i int, r *Request){
			"one network": func(_ int, r *Request) { r.From = netip.MustParseAddr("192.0.2.1") },
			"one host": func(i int, r *Request) {
				*r = signed(fmt.Sprintf("victim.example/keys/%d", i), keyOf(3), "")
				r.From = netip.AddrFrom4([4]byte{10, 0, byte(i >> 8), byte(i)})
			},
		} {
			var w web
			v := New(Config{Fetch: w.get})
			for i := range 1000 {
				r := signed(fmt.Sprintf("x%d.example", i), keyOf(3), "")
				row(i, &r)
				v.Identify(t.Context(), r)
				time.Sleep(100 * time.Millisecond)
			}
			if n := w.count(); n < 8 || n > 12 {
				t.Errorf("%s: %d fetches in 100 seconds", name, n)
			}
		}
	})
}

func TestARequestWaitsNoLongerThanItsPatience(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := web{takes: time.Second}
		w.serve(wellKnown("slow.example"), nil, keyOf(1))
		v := New(Config{Fetch: w.get})
		before := time.Now()
		if got := outcome(t, v, "slow.example", keyOf(1)); got != Unverified || time.Since(before) != patience {
			t.Error(got, time.Since(before))
		}
		time.Sleep(time.Second)
		if got := outcome(t, v, "slow.example", keyOf(1)); got != Verified || w.count() != 1 {
			t.Error("when it is there:", got, w.count())
		}
	})
}

// TestSeveralSignaturesWaitNoLongerThanOne, whichever directories they name.
func TestSeveralSignaturesWaitNoLongerThanOne(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := web{takes: time.Second}
		w.serve(wellKnown("slow.example"), nil, keyOf(1))
		w.serve(wellKnown("openai.com"), nil, keyOf(1))
		v := New(Config{Fetch: w.get})
		r := Request{Method: http.MethodGet, Target: "https://desk.example/ask", Header: http.Header{
			"Signature-Agent": {`a="https://slow.example", b="https://openai.com"`}}}
		for _, label := range []string{"a", "b"} {
			input, signature, err := sign.SignHTTP(sign.Request{Method: r.Method, Target: r.Target, Header: r.Header},
				sign.SigningParameters{Label: label, KeyID: botauth.Thumbprint(keyOf(1).Public().(ed25519.PublicKey)),
					Created: time.Now(), Tag: botauth.Tag,
					Covered: []string{"@authority", `signature-agent;key="` + label + `"`}}, keyOf(1))
			if err != nil {
				t.Fatal(err)
			}
			r.Header["Signature-Input"] = append(r.Header["Signature-Input"], input)
			r.Header["Signature"] = append(r.Header["Signature"], signature)
		}
		before := time.Now()
		if got := v.Identify(t.Context(), r); got.Signature != Unverified || time.Since(before) != patience {
			t.Error(got, time.Since(before))
		}
		time.Sleep(time.Second)
		if got := v.Identify(t.Context(), r); got.Signature != Verified || w.count() != 2 {
			t.Error("when they are there:", got, w.count())
		}
	})
}

func TestFailuresAreRemembered(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var w web
		v := New(Config{Fetch: w.get})
		for range 3600 {
			outcome(t, v, "down.example", keyOf(1))
			time.Sleep(time.Second)
		}
		if n := w.count(); n < 12 || n > 20 { // after 10, 20, 40 ... 300 seconds
			t.Errorf("fetched %d times in an hour", n)
		}
		w.serve(wellKnown("down.example"), nil, keyOf(1))
		time.Sleep(failedMost)
		if got := outcome(t, v, "down.example", keyOf(1)); got != Verified {
			t.Error("when it is there:", got)
		}
	})
}

func TestDirectoriesThatAreNone(t *testing.T) {
	t.Parallel()
	keys, err := botauth.WriteDirectory([]botauth.Key{{ID: "x", Public: keyOf(1).Public()}})
	if err != nil {
		t.Fatal(err)
	}
	for name, row := range map[string]struct {
		address  string
		response fetch.Response
		want     Outcome
	}{
		"another media type": {"a.example",
			fetch.Response{Status: 200, Header: http.Header{"Content-Type": {"application/json"}}, Body: keys},
			Unverified},
		"a set of keys": {"a.example/jwks",
			fetch.Response{Status: 200, Header: http.Header{"Content-Type": {"application/json; charset=utf-8"}},
				Body: keys}, Verified},
		"a page": {"a.example/jwks",
			fetch.Response{Status: 200, Header: http.Header{"Content-Type": {"text/html"}}, Body: keys}, Unverified},
		"not there": {"a.example",
			fetch.Response{Status: 404, Header: http.Header{"Content-Type": {botauth.MediaType}}, Body: keys},
			Unverified},
		"a redirect": {"a.example",
			fetch.Response{Status: 302, Header: http.Header{"Content-Type": {botauth.MediaType}}, Body: keys},
			Unverified},
		"no JSON": {"a.example",
			fetch.Response{Status: 200, Header: http.Header{"Content-Type": {botauth.MediaType}}, Body: []byte("x")},
			Unverified},
		"as it is to be": {"a.example",
			fetch.Response{Status: 200, Header: http.Header{"Content-Type": {botauth.MediaType}}, Body: keys},
			Verified},
		"a key that is bound": {"a.example",
			fetch.Response{Status: 200, Header: http.Header{"Content-Type": {botauth.MediaType}},
				Body: []byte(`{"keys":[{"kty":"oct"}]}`)}, Unverified},
	} {
		synctest.Test(t, func(t *testing.T) {
			var w web
			directory, _, err := botauth.Address("https://" + row.address)
			if err != nil {
				t.Fatal(err)
			}
			w.answer(directory, &row.response)
			v := New(Config{Fetch: w.get})
			if got := v.Identify(t.Context(), signed(row.address, keyOf(1), "")); got.Signature != row.want {
				t.Errorf("%s: %+v", name, got)
			}
		})
	}
}

func TestANonceCountsOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var w web
		w.serve(wellKnown("a.example"), nil, keyOf(1))
		v := New(Config{Fetch: w.get})
		first, second := signed("a.example", keyOf(1), "n-1"), signed("a.example", keyOf(1), "n-2")
		for i, row := range []struct {
			request Request
			want    Outcome
		}{{first, Verified}, {first, Invalid}, {second, Verified}, {second, Invalid}} {
			if got := v.Identify(t.Context(), row.request); got.Signature != row.want {
				t.Errorf("request %d: %+v", i, got)
			}
		}
	})
}

func TestTheListIsWhole(t *testing.T) {
	t.Parallel()
	if len(BuiltIn) < 40 {
		t.Fatal(len(BuiltIn))
	}
	seen := map[string]bool{}
	for _, k := range BuiltIn {
		_, _, err := botauth.Address(k.Origin)
		if k.UserAgent == "ramp-ai-buyer" { // of anybody's, for anything
			err, k.Kind = nil, "data"
		}
		if k.Operator == "" || err != nil || !slices.Contains(Kinds, k.Kind) || len(k.UserAgent) < 3 ||
			k.Source == "" ||
			seen[strings.ToLower(k.UserAgent)] {
			t.Errorf("%+v, %v", k, err)
		}
		seen[strings.ToLower(k.UserAgent)] = true
	}
	v := New(Config{})
	for userAgent, engine := range map[string]bool{"Mozilla/5.0 (compatible; Googlebot/2.1)": true, "bingbot/2.0": true,
		"Applebot-Extended/1": false, "Google-Extended": false, "GPTBot/1.2": false} {
		got := v.Identify(t.Context(), Request{Header: http.Header{"User-Agent": {userAgent}}})
		if got.Name == "" || got.Engine != engine {
			t.Errorf("%s: %+v", userAgent, got)
		}
	}
}

// BenchmarkIdentify verifies with the directory at hand, beside the bare verification of Ed25519
// that it cannot do without.
func BenchmarkIdentify(b *testing.B) {
	var w web
	w.serve(wellKnown("a.example"), nil, keyOf(1))
	v := New(Config{Fetch: w.get})
	r := signed("a.example", keyOf(1), "")
	if got := v.Identify(b.Context(), r); got.Signature != Verified {
		b.Fatal(got)
	}
	b.Run("whole", func(b *testing.B) {
		for b.Loop() {
			v.Identify(b.Context(), r)
		}
	})
	message, key := make([]byte, 250), keyOf(1)
	signature := ed25519.Sign(key, message)
	b.Run("ed25519", func(b *testing.B) {
		for b.Loop() {
			ed25519.Verify(key.Public().(ed25519.PublicKey), message, signature)
		}
	})
}

func TestVerifiedAgentsCountByTheirOperator(t *testing.T) {
	t.Parallel()
	for origin, want := range map[string]string{"https://openai.com": "openai.com",
		"https://a.bots.example.co.uk": "example.co.uk", "https://b.bots.example.co.uk:8443": "example.co.uk",
		"https://localhost": "localhost", "https://192.0.2.7:8443": "192.0.2.7",
		"https://[2001:db8:1:2::7]": "2001:db8:1:2::/64",
		"https://one.github.io":     "", "https://a.b.workers.dev": ""} { // anybody gets any number of these
		for agent, counts := range map[Agent]bool{
			{ID: origin + botauth.DirectoryPath, Known: BySignature}: true,
			{ID: origin + botauth.DirectoryPath, Known: ByWord}:      false,
			{ID: origin + "/of/somebody.json", Known: BySignature}:   false, // who need not be the operator
		} {
			if got := agent.Group(); got != map[bool]string{true: want}[counts] {
				t.Errorf("%+v: %s", agent, got)
			}
		}
	}
}

// TestNoDirectoryIsFetchedFromInside: whatever address a request names, nothing that is not public
// is reached by the guarded fetcher, and the agent is not verified.
func TestNoDirectoryIsFetchedFromInside(t *testing.T) {
	t.Parallel()
	var reached atomic.Int32
	inside := httptest.NewUnstartedServer(http.NotFoundHandler())
	inside.Config.ConnState = func(net.Conn, http.ConnState) { reached.Add(1) }
	inside.StartTLS()
	defer inside.Close()
	_, port, err := net.SplitHostPort(inside.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	guarded := fetch.New(fetch.Options{MaxRedirects: -1})
	defer guarded.Close()
	at := time.Now()
	fetched := 0
	get := func(ctx context.Context, r fetch.Request) (*fetch.Response, error) {
		fetched++
		return guarded.Get(ctx, r)
	}
	v := New(Config{Now: func() time.Time { return at }, Fetch: get})
	hosts := []string{"127.0.0.1", "localhost", "127.1", "2130706433", "0x7f.1", "0.0.0.0", "[::1]", "[::]",
		"[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[64:ff9b::7f00:1]", "10.0.0.1", "192.168.0.1", "100.64.0.1",
		"169.254.169.254", "[fd00:ec2::254]", "metadata.google.internal"}
	for _, host := range hosts {
		at = at.Add(2 * time.Second) // so that none is left out because there are too many
		r := signed(host+":"+port, keyOf(1), "")
		if got := v.Identify(t.Context(), r); got.Signature == Verified || got.Known == BySignature {
			t.Errorf("%s: %+v", host, got)
		}
	}
	if _, err := net.Dial("tcp", inside.Listener.Addr().String()); err != nil {
		t.Fatal(err)
	}
	for reached.Load() == 0 { // what counts does count: this one alone
		runtime.Gosched()
	}
	if reached.Load() != 1 || fetched != len(hosts) {
		t.Errorf("%d connections came in for %d directories", reached.Load()-1, fetched)
	}
}

// TestTheNearestOperatorIsMeant: an entry of the owner for a host below another's goes before that.
func TestTheNearestOperatorIsMeant(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var w web
		hosts := []string{"research.shop.example", "a.bots.openai.com", "bots.openai.com"}
		for i, host := range hosts {
			w.serve(wellKnown(host), nil, keyOf(byte(i)))
		}
		v := New(Config{Fetch: w.get, Known: []Known{
			{Operator: "Shop", Origin: "https://shop.example", Kind: "data", UserAgent: "ShopLongCrawlerBot"},
			{Operator: "Research", Origin: "https://research.shop.example", Kind: "data", UserAgent: "GPTBot"},
			{Operator: "Mine", Origin: "https://a.bots.openai.com", Kind: "data", UserAgent: "MyBot"},
		}})
		operators := []string{"https://research.shop.example", "https://a.bots.openai.com", "https://openai.com"}
		for i, want := range operators {
			time.Sleep(2 * time.Minute)
			got := v.Identify(t.Context(), signed(hosts[i], keyOf(byte(i)), ""))
			if got.Operator != want {
				t.Errorf("%s is of %s, want %s", hosts[i], got.Operator, want)
			}
			if named := got.Name == "GPTBot"; named != (i == 0) { // the owner's word means the owner's agent
				t.Errorf("%s is called %q", hosts[i], got.Name)
			}
		}
	})
}

// TestWhatIsToldOfASignatureIsShort, since a stranger's directory has a say in it.
func TestWhatIsToldOfASignatureIsShort(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var w web
		w.serve(wellKnown("agent.example"), http.Header{"Content-Type": {strings.Repeat("x", 60000)}}, keyOf(1))
		got := New(Config{Fetch: w.get}).Identify(t.Context(), signed("agent.example", keyOf(1), ""))
		if got.Signature != Unverified || len(got.Why) > mostTold+3 || got.Why == "" {
			t.Errorf("%s: %d bytes", got.Signature, len(got.Why))
		}
	})
}

// TestAKeyOfSomebodyElseProvesNoWord: who calls itself GPTBot and signs by a key of another's is
// not proven to be it.
func TestAKeyOfSomebodyElseProvesNoWord(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		agent Agent
		want  bool
	}{
		"its key":             {Agent{Known: BySignature, Name: "GPTBot"}, true},
		"a key, and no word":  {Agent{Known: BySignature}, true},
		"somebody else's key": {Agent{Known: BySignature, Said: &Known{UserAgent: "GPTBot"}}, false},
		"its address":         {Agent{Known: ByAddress, Name: "GPTBot"}, true},
		"its word":            {Agent{Known: ByWord, Name: "GPTBot"}, false},
		"nothing":             {Agent{}, false},
	} {
		if got := row.agent.Proves(); got != row.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestDirectoriesAreBoundInBytes: strangers' directories are kept as their keys, and none of their
// text is; and all of them together take so many bytes at the most.
func TestDirectoriesAreBoundInBytes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		junk := strings.Repeat("x", 60_000)
		body, err := botauth.WriteDirectory([]botauth.Key{{ID: junk, Public: keyOf(1).Public()}})
		if err != nil {
			t.Fatal(err)
		}
		bodies := []string{string(body), `{"keys":[{"kty":"` + junk + `"},` + string(body[len(`{"keys":[`):len(body)-2]) + `]}`,
			`{"keys":[{"kty":"OKP","use":"` + junk + `"}]}`, junk}
		bodies[1] = strings.Replace(bodies[1], junk+`","x"`, `","x"`, 1) // within the bound of a directory
		n := 0
		v := New(Config{Fetch: func(context.Context, fetch.Request) (*fetch.Response, error) {
			n++
			return &fetch.Response{Status: http.StatusOK, Header: http.Header{"Content-Type": {botauth.MediaType}},
				Body: []byte(bodies[n%len(bodies)])}, nil
		}})
		held := func() uint64 {
			runtime.GC()
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			return m.HeapAlloc
		}
		before := held()
		const many = 400
		for i := range many {
			outcome(t, v, fmt.Sprintf("x%d.example", i), keyOf(1))
			time.Sleep(2 * time.Second)
		}
		synctest.Wait()
		if grown := int64(held()) - int64(before); n != many || grown > 2<<20 {
			t.Errorf("%d directories take %d bytes", n, grown)
		}
		verified := outcome(t, v, "x3.example", keyOf(1)) // the keys are there
		if verified != Verified {
			t.Error(verified)
		}
		for range 20_000 {
			v.directories.known.Set(fmt.Sprint("https://", n, ".example"), &directory{keys: &botauth.Directory{}})
			n++
		}
		if weight := v.directories.known.WeightedSize(); weight > maxKept {
			t.Errorf("all directories weigh %d", weight)
		}
		many64 := &directory{keys: &botauth.Directory{Keys: make([]botauth.Key, 64)}}
		if weigh("", many64) < 64*aKey || weigh(junk, &directory{}) < uint32(len(junk)) {
			t.Error("keys and addresses weigh nothing")
		}
		runtime.KeepAlive(v)
	})
}

// TestDirectoriesTakeTurns: directories of somebody's that are soon old and are asked for all the
// time keep no other from being read again.
func TestDirectoriesTakeTurns(t *testing.T) {
	t.Parallel()
	for name, hosts := range map[string][2]string{"of strangers": {"x%d.example", "good.example"},
		"of the list": {"x%d.listed.example", "openai.com"}} {
		synctest.Test(t, func(t *testing.T) {
			const many = 16
			var w web
			var known []Known
			for i := range many {
				host := fmt.Sprintf(hosts[0], i)
				if name == "of the list" {
					known = append(known, Known{Operator: host, Origin: "https://" + host, UserAgent: host})
				}
				w.serve(wellKnown(host), http.Header{"Cache-Control": {"no-store"}}, keyOf(3))
			}
			v := New(Config{Fetch: w.get, Known: known})
			w.serve(wellKnown(hosts[1]), http.Header{"Cache-Control": {"max-age=60"}}, keyOf(1))
			ask := func(host string, key byte) Outcome {
				return v.Identify(t.Context(), signed(host, keyOf(key), "")).Signature
			}
			for i := range many {
				ask(fmt.Sprintf(hosts[0], i), 3)
				time.Sleep(4 * time.Second)
			}
			if got := ask(hosts[1], 1); got != Verified {
				t.Fatal(got)
			}
			w.serve(wellKnown(hosts[1]), nil, keyOf(2)) // the key of before is revoked
			var flood []Request
			for i := range many {
				flood = append(flood, signed(fmt.Sprintf(hosts[0], i), keyOf(3), ""))
				flood[i].Target = "https://other.example/" // which costs less than to verify
			}
			for second := range 120 {
				for range 5 {
					for _, r := range flood {
						v.Identify(t.Context(), r)
					}
					if second%10 == 9 {
						ask(hosts[1], 1)
					}
					time.Sleep(200 * time.Millisecond)
				}
			}
			synctest.Wait()
			if old, fresh := ask(hosts[1], 1), ask(hosts[1], 2); old != Unverified || fresh != Verified {
				t.Errorf("%s: after two minutes the old key is %s, the new one %s", name, old, fresh)
			}
		})
	}
}

// TestAColdStartReadsTheListSoon: where nobody floods, operators of the list have the fetches of
// strangers, too.
func TestAColdStartReadsTheListSoon(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const many = 40
		var w web
		var known []Known
		for i := range many {
			host := fmt.Sprintf("x%d.example", i)
			known = append(known, Known{Operator: host, Origin: "https://" + host, Kind: "data", UserAgent: host})
			w.serve(wellKnown(host), nil, keyOf(1))
		}
		v := New(Config{Fetch: w.get, Known: known})
		var all []Request
		for i := range many {
			all = append(all, signed(fmt.Sprintf("x%d.example", i), keyOf(2), "")) // by a key that is not there
		}
		for range many * 3 / 2 {
			for _, r := range all {
				v.Identify(t.Context(), r)
			}
			time.Sleep(time.Second)
		}
		synctest.Wait()
		for i := range many {
			if got := outcome(t, v, fmt.Sprintf("x%d.example", i), keyOf(1)); got != Verified {
				t.Fatalf("operator %d: %s", i, got)
			}
		}
	})
}

// TestAnOperatorHasSeveralOrigins: whoever holds keys at one of them is of the operator, and counts
// with it.
func TestAnOperatorHasSeveralOrigins(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var w web
		w.serve(wellKnown("chatgpt.com"), nil, keyOf(1))
		w.serve(wellKnown("bots.shop.test"), nil, keyOf(2))
		settings := Settings{Known: []KnownSettings{{Operator: "Shop", Origin: "https://shop.example/",
			Origins: []string{"https://Shop.test"}, Kind: "data", UserAgent: "ShopBot"}}}
		report := yamlconf.NewReport()
		if settings.Check(report); report.Failed() {
			t.Fatal(report.Notes())
		}
		v := New(Config{Fetch: w.get, Known: settings.List()})
		for host, want := range map[string]Agent{
			"chatgpt.com": {ID: wellKnown("chatgpt.com"), Name: "GPTBot", Operator: "https://openai.com",
				Kind: "training", Known: BySignature, Signature: Verified},
			"bots.shop.test": {ID: wellKnown("bots.shop.test"), Operator: "https://shop.example", Known: BySignature,
				Signature: Verified, Said: v.list.byUserAgent("GPTBot")},
		} {
			key := map[string]byte{"chatgpt.com": 1, "bots.shop.test": 2}[host]
			time.Sleep(2 * time.Minute)
			got := v.Identify(t.Context(), signed(host, keyOf(key), ""))
			if got != want {
				t.Errorf("%s:\n got %+v\nwant %+v", host, got, want)
			}
			origins := []string{want.Operator, "https://" + host}
			if group := strings.TrimPrefix(want.Operator, "https://"); !slices.Equal(got.Origins(), origins) ||
				got.Group() != group {
				t.Errorf("%s is of %v, and counts with %s", host, got.Origins(), got.Group())
			}
		}
	})
	bad := Settings{Known: []KnownSettings{{Operator: "Shop", Origin: "https://shop.example", UserAgent: "ShopBot",
		Origins: []string{"https://shop.test", "shop.test/keys"}}}}
	report := yamlconf.NewReport()
	if bad.Check(report); len(report.Notes()) != 1 || report.Notes()[0].Key != "known[0].origins[1]" {
		t.Error(report.Notes())
	}
}

// TestOneOfSeveralNamesIsMeant, and always the same one.
func TestOneOfSeveralNamesIsMeant(t *testing.T) {
	t.Parallel()
	l := newList([]Known{{UserAgent: "Shop"}, {UserAgent: "Shop News"}, {UserAgent: "ShopEngine", Engine: true}})
	for userAgent, want := range map[string]string{
		"GPTBot/1 ClaudeBot/2":                  "GPTBot",
		"ClaudeBot/2 GPTBot/1":                  "ClaudeBot",
		"Googlebot/2.1 (compatible; GPTBot/1)":  "GPTBot", // no engine lets another agent in
		"GPTBot/1 (like Googlebot/2.1)":         "GPTBot",
		"Googlebot/2.1 bingbot/2.0":             "Googlebot",
		"GPTBot/1 shop/2":                       "Shop", // the owner's list goes first
		"GPTBot/1 Shop News/2":                  "Shop News",
		"GPTBot ShopEngine":                     "ShopEngine",
		"ShopEngine Shop":                       "Shop",
		"Applebot-Extended/1":                   "Applebot-Extended",
		"XGPTBot/1 GPTBots GPTBot-2 ClaudeBot/": "ClaudeBot",
		"ClaudeBotX ClaudeBot GPTBot":           "ClaudeBot",
		"curl/8":                                "",
	} {
		for range 3 {
			got := ""
			if k := l.byUserAgent(userAgent); k != nil {
				got = k.UserAgent
			}
			if got != want {
				t.Errorf("%s: %q, want %q", userAgent, got, want)
			}
		}
	}
}

// TestASignedDigestIsHeldAgainstTheBody: a signature that covers content-digest says something of
// the body, so that it must be so.
func TestASignedDigestIsHeldAgainstTheBody(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var w web
		w.serve(wellKnown("a.example"), nil, keyOf(1))
		v := New(Config{Fetch: w.get})
		const body = `{"query":"lamp"}`
		sha512 := "sha-512=:" + base64.StdEncoding.EncodeToString(sum512(body)) + ":"
		gives := func(text string, err error) func() ([]byte, error) {
			return func() ([]byte, error) { return []byte(text), err }
		}
		own, all := sign.ContentDigest([]byte(body)), "content-digest"
		for name, row := range map[string]struct {
			method, digest, covers string
			body                   func() ([]byte, error)
			want                   Outcome
		}{
			"that of the body":         {"POST", own, all, gives(body, nil), Verified},
			"by sha-512":               {"POST", sha512, all, gives(body, nil), Verified},
			"by sha-512, that alone":   {"POST", sha512, all + `;key="sha-512"`, gives(body, nil), Verified},
			"that alone, another body": {"POST", sha512, all + `;key="sha-512"`, gives("x", nil), Invalid},
			"two, one of another body": {"POST", "sha-256=:YQ==:, " + sha512, all, gives(body, nil), Invalid},
			"another body":             {"POST", own, all, gives(body+" ", nil), Invalid},
			"no body":                  {"POST", own, all, gives("", nil), Invalid},
			"by nothing that is known": {"POST", "md5=:YQ==:", all, gives(body, nil), Invalid},
			"not covered":              {"POST", own, "@path", gives("x", nil), Verified},
			"a large body":             {"POST", own, all, gives(body, ErrLargeBody), Unverified},
			"one that breaks off":      {"POST", own, all, gives(body, io.ErrUnexpectedEOF), Unverified},
			"one that nobody sees":     {"POST", own, all, nil, Unverified},
			"of no body, for a page":   {"GET", sign.ContentDigest(nil), all, nil, Verified},
			"of a body, for a page":    {"GET", own, all, nil, Invalid},
		} {
			r := Request{Method: row.method, Target: "https://desk.example/ask", Body: row.body, Header: http.Header{
				"Signature-Agent": {`sig1="https://a.example"`}, "Content-Digest": {row.digest}}}
			input, signature, err := sign.SignHTTP(sign.Request{Method: r.Method, Target: r.Target, Header: r.Header},
				sign.SigningParameters{Label: "sig1", KeyID: botauth.Thumbprint(keyOf(1).Public().(ed25519.PublicKey)),
					Created: time.Now(), Tag: botauth.Tag,
					Covered: []string{"@authority", `signature-agent;key="sig1"`, row.covers}}, keyOf(1))
			if err != nil {
				t.Fatal(err)
			}
			r.Header["Signature-Input"], r.Header["Signature"] = []string{input}, []string{signature}
			got := v.Identify(t.Context(), r)
			if got.Signature != row.want {
				t.Errorf("%s: %s (%s), want %s", name, got.Signature, got.Why, row.want)
			}
			if told := got.Told(); strings.Contains(told, "; ") != (got.Why != "" && name != "one that breaks off") {
				t.Errorf("%s: its developer is told %q", name, told)
			}
		}
	})
}

func sum512(text string) []byte {
	sum := sha512.Sum512([]byte(text))
	return sum[:]
}

// TestAFetchIsBoundInSizeAndTime, and what is larger or later leaves a request unverified.
func TestAFetchIsBoundInSizeAndTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		body, err := botauth.WriteDirectory([]botauth.Key{{ID: "x", Public: keyOf(1).Public()}})
		if err != nil {
			t.Fatal(err)
		}
		for name, row := range map[string]struct {
			size  int
			takes time.Duration
			want  Outcome
		}{
			"as large as may be": {botauth.MaxDirectory, 0, Verified},
			"larger":             {botauth.MaxDirectory + 1, 0, Unverified},
			"in time":            {len(body), fetchTime - time.Millisecond, Verified},
			"late":               {len(body), fetchTime + time.Millisecond, Unverified},
		} {
			var most int64
			v := New(Config{Fetch: func(ctx context.Context, r fetch.Request) (*fetch.Response, error) {
				most = r.MaxBytes
				select {
				case <-time.After(row.takes):
				case <-ctx.Done():
					return nil, ctx.Err()
				}
				return &fetch.Response{Status: http.StatusOK, Header: http.Header{"Content-Type": {botauth.MediaType}},
					Body: append(slices.Clone(body), bytes.Repeat([]byte(" "), row.size-len(body))...)}, nil
			}})
			r := signed("a.example", keyOf(1), "")
			v.Identify(t.Context(), r)
			time.Sleep(fetchTime + time.Second)
			if got := v.Identify(t.Context(), r); got.Signature != row.want || most != 64<<10 {
				t.Errorf("%s: %s (%s), of %d bytes", name, got.Signature, got.Why, most)
			}
		}
	})
}
