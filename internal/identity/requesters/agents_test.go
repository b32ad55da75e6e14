package requesters_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"frontdesk/internal/identity/requesters"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/fetch"
	"frontdesk/internal/testkit/storetest"
	"frontdesk/wire/ramp"
	rampv1 "frontdesk/wire/ramp/v1"
)

// asker asks as one requester of a host.
type asker struct {
	*requesters.Registry
	host *agentHost
}

func (a asker) ask(t testing.TB, by byte) error {
	t.Helper()
	_, err := a.Identify(context.Background(), bodySigned(t, &rampv1.Requester{Id: "bot", Domain: a.host.domain()},
		key(by)), requesters.Call{})
	return err
}

// calls checks how often the host was asked.
func (a asker) calls(t testing.TB, what string, want int) {
	t.Helper()
	if got := a.host.called(); got != want {
		t.Errorf("%s: the domain was asked %d times, want %d", what, got, want)
	}
}

// TestDocumentsAreRemembered holds how long a document holds, by its max-age between five minutes
// and an hour.
func TestDocumentsAreRemembered(t *testing.T) {
	t.Parallel()
	for control, holds := range map[string]time.Duration{
		"": 5 * time.Minute, "max-age=1": 5 * time.Minute, "public, max-age=900": 15 * time.Minute,
		`Max-Age="900"`: 15 * time.Minute, "max-age=86400": time.Hour,
		"no-store, max-age=900": 5 * time.Minute, "s-max-age=900": 5 * time.Minute, "max-age=99999999999": time.Hour,
	} {
		c, host := newClock(), newAgentHost(t)
		a := asker{registry(t, storetest.Chosen(t, requesters.Schema), c, nil), host}
		document, err := ramp.WriteAgentKeys("bot", "", []ramp.Key{{Public: public(0), Active: true}})
		if err != nil {
			t.Fatal(err)
		}
		host.set(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Cache-Control", control)
			w.Write(document)
		})
		for range 2 {
			if err := a.ask(t, 0); err != nil {
				t.Fatal(err)
			}
		}
		c.Advance(holds/2 + time.Second)
		if err := a.ask(t, 0); err != nil {
			t.Fatal(err)
		}
		a.calls(t, control+": while it holds", 1)
		c.Advance(holds / 2)
		if err := a.ask(t, 0); err != nil {
			t.Fatal(err)
		}
		a.calls(t, control+": after that", 2)
	}
}

// TestDocumentsAreFetchedAheadOfTheirEnd holds that nobody waits for a requester that is known, and
// that a failure in that leaves its keys until their end.
func TestDocumentsAreFetchedAheadOfTheirEnd(t *testing.T) {
	t.Parallel()
	c, host := newClock(), newAgentHost(t)
	a := asker{registry(t, storetest.Chosen(t, requesters.Schema), c, nil), host}
	host.publishes(t, "bot", ramp.Key{Public: public(0)})
	if err := a.ask(t, 0); err != nil {
		t.Fatal(err)
	}
	asked := make(chan struct{})
	host.set(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "not now", http.StatusServiceUnavailable)
		asked <- struct{}{}
	})
	c.Advance(4 * time.Minute) // of five
	if err := a.ask(t, 0); err != nil {
		t.Fatal(err)
	}
	<-asked
	for range 2 { // the second within half a minute of the failure
		if err := a.ask(t, 0); err != nil {
			t.Errorf("keys that hold are gone for a failure: %v", err)
		}
	}
	host.set(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "not now", http.StatusServiceUnavailable) })
	c.Advance(time.Minute)
	said(t, "after their end", a.ask(t, 0), fail.Unauthorized, "status 503")
}

// TestAFailureHoldsForHalfAMinute holds that a domain without keys is not asked again and again.
func TestAFailureHoldsForHalfAMinute(t *testing.T) {
	t.Parallel()
	c, host := newClock(), newAgentHost(t)
	a := asker{registry(t, storetest.Chosen(t, requesters.Schema), c, nil), host}
	for range 3 {
		said(t, "no document", a.ask(t, 0), fail.Unauthorized, "status 404", requesters.AgentPath)
	}
	c.Advance(30*time.Second - 1)
	said(t, "no document", a.ask(t, 0), fail.Unauthorized)
	a.calls(t, "within half a minute", 1)
	host.publishes(t, "bot", ramp.Key{Public: public(0)})
	c.Advance(1)
	if err := a.ask(t, 0); err != nil {
		t.Error(err)
	}
	a.calls(t, "after it", 2)
}

// TestANewKeyIsLookedForOnce holds that a signature that does not verify has the keys fetched once,
// and not more often than twice a minute.
func TestANewKeyIsLookedForOnce(t *testing.T) {
	t.Parallel()
	c, host := newClock(), newAgentHost(t)
	a := asker{registry(t, storetest.Chosen(t, requesters.Schema), c, nil), host}
	host.publishes(t, "bot", ramp.Key{ID: "k0", Public: public(0)})
	if err := a.ask(t, 0); err != nil {
		t.Fatal(err)
	}
	host.publishes(t, "bot", ramp.Key{ID: "k1", Public: public(1)}, ramp.Key{ID: "k0", Public: public(0)})
	said(t, "a new key a moment after the document was had", a.ask(t, 1), fail.Unauthorized)
	a.calls(t, "a moment later", 1)
	c.Advance(30 * time.Second)
	for _, by := range []byte{1, 0, 1} {
		if err := a.ask(t, by); err != nil {
			t.Errorf("key %d: %v", by, err)
		}
	}
	a.calls(t, "half a minute later", 2)
	for range 3 {
		said(t, "a key of nobody", a.ask(t, 2), fail.Unauthorized, "requester.signature", "not that of a key")
	}
	a.calls(t, "for a key of nobody", 2)
	c.Advance(30 * time.Second)
	said(t, "a key of nobody", a.ask(t, 2), fail.Unauthorized)
	a.calls(t, "half a minute after that", 3)
}

func TestKeysCountWithinTheirTime(t *testing.T) {
	t.Parallel()
	c, host := newClock(), newAgentHost(t)
	a := asker{registry(t, storetest.Chosen(t, requesters.Schema), c, nil), host}
	host.publishes(t, "bot", ramp.Key{ID: "next", Public: public(1), From: c.Now().Add(time.Minute)},
		ramp.Key{ID: "now", Public: public(0), Until: c.Now().Add(2 * time.Minute)})
	for _, v := range []struct {
		pass         time.Duration
		first, later bool
	}{{0, true, false}, {time.Minute - 1, true, false}, {1, true, true}, {time.Minute - 1, true, true},
		{1, false, true}} {
		c.Advance(v.pass)
		if got := a.ask(t, 0) == nil; got != v.first {
			t.Errorf("the first key counts at %s: %v", c.Now(), got)
		}
		if got := a.ask(t, 1) == nil; got != v.later {
			t.Errorf("the later key counts at %s: %v", c.Now(), got)
		}
		for keyID, good := range map[string]bool{"now": v.first, "next": v.later} {
			by := map[string]byte{"now": 0, "next": 1}[keyID]
			_, err := a.Identify(t.Context(), &rampv1.Requester{Id: "bot", Domain: host.domain()},
				signedCall(t, c.Now(), signer{"agent", host.domain() + "#" + keyID, key(by)}))
			if (err == nil) != good {
				t.Errorf("the key %s counts over HTTP at %s: %v", keyID, c.Now(), err)
			}
		}
	}
}

// TestManyWhoWaitForOneDocument holds that it is fetched once for all of them, and that who gives
// up takes nobody along.
func TestManyWhoWaitForOneDocument(t *testing.T) {
	t.Parallel()
	c, host := newClock(), newAgentHost(t)
	a := asker{registry(t, storetest.Chosen(t, requesters.Schema), c, nil), host}
	document, err := ramp.WriteAgentKeys("bot", "", []ramp.Key{{Public: public(0), Active: true}})
	if err != nil {
		t.Fatal(err)
	}
	arrived, answer := make(chan struct{}, 64), make(chan struct{})
	host.set(func(w http.ResponseWriter, _ *http.Request) {
		arrived <- struct{}{}
		<-answer
		w.Write(document)
	})
	impatient, give := context.WithCancel(t.Context())
	message := bodySigned(t, &rampv1.Requester{Id: "bot", Domain: host.domain()}, key(0))
	gone := make(chan error)
	go func() {
		_, err := a.Identify(impatient, message, requesters.Call{})
		gone <- err
	}()
	<-arrived
	give()
	if err := <-gone; err != context.Canceled {
		t.Errorf("who gave up is told %v", err)
	}
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if err := a.ask(t, 0); err != nil {
				t.Error(err)
			}
		})
	}
	close(answer)
	all.Wait()
	a.calls(t, "all together", 1)
}

// TestAgentsThatLie holds what is told of documents that are none, of servers that stall, cut off
// and send elsewhere; and that what is told names no address but the agent's own.
func TestAgentsThatLie(t *testing.T) {
	t.Parallel()
	elsewhere := newAgentHost(t)
	elsewhere.publishes(t, "bot", ramp.Key{Public: public(0)})
	released := make(chan struct{})
	defer close(released)
	body := func(text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, text) }
	}
	for name, v := range map[string]struct {
		answer http.HandlerFunc
		words  string
	}{
		"no JSON":      {body("<html>"), "cannot be read"},
		"empty":        {body(""), "cannot be read"},
		"no key":       {body(`{"agent_id":"bot"}`), "no Ed25519 key"},
		"a broken key": {body(`{"agent_id":"bot","public_key":"AAAA"}`), "cannot be read"},
		"other kinds":  {body(`{"agent_id":"bot","keys":[{"kty":"RSA","n":"AQAB","e":"AQAB"}]}`), "no Ed25519 key"},
		"twice":        {body(`{"agent_id":"bot","agent_id":"bot"}`), "cannot be read"},
		"deep":         {body(strings.Repeat("[", 100)), "cannot be read"},
		"too large":    {body(`{"agent_id":"` + strings.Repeat("b", requesters.AgentBytes) + `"}`), "too large"},
		"redirect": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere.URL+requesters.AgentPath, http.StatusFound)
		}, "redirects"},
		"redirect inside": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://169.254.169.254/", http.StatusFound)
		}, "redirects"},
		"status": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) }, "status 418"},
		"cut off": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1000")
			fmt.Fprint(w, `{"agent_id":`)
			panic(http.ErrAbortHandler)
		}, "did not answer"},
		"garbled": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			fmt.Fprint(w, "this is not packed")
		}, "garbled"},
		"stalled": {func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusOK)
			w.(http.Flusher).Flush()
			select {
			case <-released:
			case <-r.Context().Done():
			}
		}, "in time"},
	} {
		t.Run(name, func(t *testing.T) {
			host, timeout := newAgentHost(t), time.Minute
			if name == "stalled" {
				timeout = 50 * time.Millisecond
			}
			a := asker{registry(t, storetest.Chosen(t, requesters.Schema), newClock(), func(c *requesters.Config) {
				c.Fetcher = onThisMachine(timeout)
			}), host}
			host.set(v.answer)
			err := a.ask(t, 0)
			said(t, name, err, fail.Unauthorized, v.words)
			detail := strings.ReplaceAll(fail.From(err).Detail, host.URL, "")
			if strings.Contains(detail, "169.254") || strings.Contains(detail, elsewhere.domain()) {
				t.Errorf("a stranger is told where it leads: %s", detail)
			}
		})
	}
	if elsewhere.called() != 0 {
		t.Error("a redirect was followed")
	}
}

// TestInnerAddressesAreNotAsked holds that the guarded fetcher stands before this machine where
// nobody allowed it.
func TestInnerAddressesAreNotAsked(t *testing.T) {
	t.Parallel()
	host := newAgentHost(t)
	host.publishes(t, "bot", ramp.Key{Public: public(0)})
	a := asker{registry(t, storetest.Chosen(t, requesters.Schema), newClock(), func(c *requesters.Config) {
		c.Fetcher = fetch.New(fetch.Options{})
	}), host}
	said(t, "this machine", a.ask(t, 0), fail.Unauthorized, "not fetched from here")
	a.calls(t, "this machine", 0)
}

// TestSelfSignUp holds that a requester signs up where its domain vouches for it, once, and within
// bounds.
func TestSelfSignUp(t *testing.T) {
	t.Parallel()
	c, host := newClock(), newAgentHost(t)
	rs := registry(t, storetest.Chosen(t, requesters.Schema), c, nil)
	_, _, err := rs.SignUp(t.Context(), host.domain(), "bot")
	said(t, "no document", err, fail.Unauthorized, "status 404")
	host.publishes(t, "bot", ramp.Key{Public: public(0)})
	c.Advance(30 * time.Second)
	for i, want := range []bool{true, false} {
		if g, made, err := rs.SignUp(t.Context(), strings.ToUpper(host.domain()), "bot"); err != nil || made != want ||
			g.SignUp != requesters.SignUpSelf || len(g.Keys) != 0 {
			t.Errorf("time %d: %+v, %v, %v", i+1, g, made, err)
		}
	}
	_, _, err = rs.SignUp(t.Context(), host.domain(), "other")
	said(t, "an id that the domain does not vouch for", err, fail.Unauthorized, `"other"`)
	for _, v := range [][2]string{{"x y", "bot"}, {host.domain(), "*"}, {host.domain(), ""}} {
		_, _, err = rs.SignUp(t.Context(), v[0], v[1])
		said(t, fmt.Sprintf("%q", v), err, fail.Invalid)
	}
	if _, err := rs.SetStatus(t.Context(), host.domain(), "bot", requesters.Suspended); err != nil {
		t.Fatal(err)
	}
	_, _, err = rs.SignUp(t.Context(), host.domain(), "bot")
	said(t, "suspended", err, fail.Forbidden)
	host.publishes(t, host.domain(), ramp.Key{Public: public(0)})
	c.Advance(30 * time.Second)
	for i := range 99 {
		if _, _, err := rs.SignUp(t.Context(), host.domain(), fmt.Sprint("bot", i)); err != nil {
			t.Fatal(i, err)
		}
	}
	_, _, err = rs.SignUp(t.Context(), host.domain(), "one more")
	said(t, "one more than a domain may have", err, fail.Limited)
	if g, err := rs.Add(t.Context(), requesters.Registration{Domain: host.domain(), ID: "bot7", Rate: "5/1s"}); err !=
		nil || g.SignUp != requesters.SignUpOperator {
		t.Errorf("the operator cannot take over who signed up: %+v, %v", g, err)
	}
	if _, made, err := rs.SignUp(t.Context(), host.domain(), "one more"); err != nil || !made {
		t.Errorf("there is room again: %v, %v", made, err)
	}
	if g, made, err := rs.SignUp(t.Context(), host.domain(), "bot7"); err != nil || made ||
		g.SignUp != requesters.SignUpOperator || g.Rate != "5/1s" {
		t.Errorf("who the operator put in signs up: %+v, %v, %v", g, made, err)
	}
}
