package client_test

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"frontdesk/client"
	"frontdesk/wire/contenthash"
	"frontdesk/wire/ramp"
	rampv1 "frontdesk/wire/ramp/v1"
)

// attester is a verifier that publishes its keys at its own address.
type attester struct {
	*httptest.Server
	t *testing.T

	mu    sync.Mutex
	reads int
	serve func(w http.ResponseWriter)
}

func newAttester(t *testing.T, keys ...ramp.Key) *attester {
	t.Helper()
	a := &attester{t: t}
	a.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a.mu.Lock()
		defer a.mu.Unlock()
		if r.URL.Path != "/.well-known/ramp-verifier.json" {
			t.Errorf("asked for %s", r.URL)
		}
		a.reads++
		a.serve(w)
	}))
	t.Cleanup(a.Close)
	a.publish(a.domain(), keys...)
	return a
}

func (a *attester) domain() string { return strings.TrimPrefix(a.URL, "http://") }

func (a *attester) publish(verifier string, keys ...ramp.Key) {
	text, err := ramp.WriteVerifierKeys(verifier, "V", nil, keys)
	if err != nil {
		a.t.Fatal(err)
	}
	a.say(func(w http.ResponseWriter) { _, _ = w.Write(text) })
}

func (a *attester) say(serve func(http.ResponseWriter)) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.serve = serve
}

func (a *attester) count() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.reads
}

// signs attests claims of what is at an address, at a time that is written so.
func (a *attester) signs(kid string, key ed25519.PrivateKey, uri, at, claims string) *rampv1.ResourceAttestation {
	a.t.Helper()
	out := &rampv1.ResourceAttestation{}
	if err := ramp.Unmarshal(fmt.Appendf(nil, `{"verifier":%q,"kid":%q,"attested_at":%q,"uri":%q,"claims":%s}`, a.domain(), kid, at, uri, claims), out); err != nil {
		a.t.Fatal(err)
	}
	if err := ramp.SignAttestation(out, key); err != nil {
		a.t.Fatal(err)
	}
	return out
}

const attestedAt = "2026-03-18T09:00:00.10Z" // which another program would write in another form

// TestAttestationsOfOffersAreVerified holds each level and each reason why an attestation counts
// for nothing, over the wire.
func TestAttestationsOfOffersAreVerified(t *testing.T) {
	t.Parallel()
	provider, vendor, stranger := newAttester(t, published(oldKey)...), newAttester(t, published(newKey)...),
		newAttester(t, published(newKey)...)
	ended := newAttester(t, ramp.Key{ID: "a", Public: newKey.Public().(ed25519.PublicKey), From: time.Unix(1, 0),
		Until: time.Now().Add(-time.Second)})
	web := newAttester(t)
	web.say(func(w http.ResponseWriter) {
		_, _ = fmt.Fprintf(w, `{"keys":[{"kty":"OKP","crv":"Ed25519","kid":"a","x":%q}]}`, base64.RawURLEncoding.EncodeToString(newKey.Public().(ed25519.PublicKey)))
	})
	liar, silent, moved, broken := newAttester(t), newAttester(t), newAttester(t), newAttester(t)
	liar.publish(vendor.domain(), published(newKey)...)
	silent.say(func(w http.ResponseWriter) { w.WriteHeader(http.StatusNotFound) })
	moved.say(func(w http.ResponseWriter) {
		w.Header().Set("Location", vendor.URL+"/.well-known/ramp-verifier.json")
		w.WriteHeader(http.StatusFound)
	})
	broken.say(func(w http.ResponseWriter) { _, _ = w.Write([]byte(`{"keys":`)) })
	uri := provider.URL + "/a"
	own := func(change func(*rampv1.ResourceAttestation)) *rampv1.ResourceAttestation {
		a := provider.signs("a", oldKey, uri, attestedAt, `{"word_count":3}`)
		if change != nil {
			change(a)
		}
		return a
	}
	by := func(v *attester) *rampv1.ResourceAttestation {
		return v.signs("a", newKey, uri, attestedAt, `{"word_count":3}`)
	}
	for name, c := range map[string]struct {
		all     []*rampv1.ResourceAttestation
		level   int
		problem error
		says    string
	}{
		"none":                      {nil, 0, nil, ""},
		"the provider's own":        {[]*rampv1.ResourceAttestation{own(nil)}, 1, nil, ""},
		"one that the buyer trusts": {[]*rampv1.ResourceAttestation{by(vendor)}, 2, nil, ""},
		"keys as JSON Web Keys":     {[]*rampv1.ResourceAttestation{by(web)}, 2, nil, ""},
		"a stranger's": {
			[]*rampv1.ResourceAttestation{by(stranger)}, 0, client.ErrVerifierNotTrusted, "",
		},
		"both, and one that is not": {
			[]*rampv1.ResourceAttestation{own(nil), by(vendor), by(stranger)}, 2, client.ErrVerifierNotTrusted, "",
		},
		"the good one is the lower": {[]*rampv1.ResourceAttestation{own(nil), by(ended)}, 1, ramp.ErrKeyOver, ""},
		"another address": {
			[]*rampv1.ResourceAttestation{provider.signs("a", oldKey, uri+"b", attestedAt, "{}")}, 0,
			ramp.ErrOtherURI, "",
		},
		"another key": {
			[]*rampv1.ResourceAttestation{provider.signs("a", newKey, uri, attestedAt, "{}")}, 0,
			ramp.ErrWrongAttestation, "",
		},
		"a key that nobody knows": {
			[]*rampv1.ResourceAttestation{provider.signs("z", oldKey, uri, attestedAt, "{}")}, 0,
			ramp.ErrNoVerifierKey, "",
		},
		"the time in another form": {
			[]*rampv1.ResourceAttestation{
				own(func(a *rampv1.ResourceAttestation) { a.ProtoReflect().SetUnknown(nil) }),
			}, 0, ramp.ErrWrongAttestation, "",
		},
		"another claim": {
			[]*rampv1.ResourceAttestation{
				own(func(a *rampv1.ResourceAttestation) { a.Claims.Fields["word_count"] = structpb.NewNumberValue(4) }),
			}, 0, ramp.ErrWrongAttestation, "",
		},
		"from the future": {
			[]*rampv1.ResourceAttestation{
				provider.signs("a", oldKey, uri, time.Now().Add(time.Hour).UTC().Format(time.RFC3339), "{}"),
			}, 0, ramp.ErrAttestedLater, "",
		},
		"a document of another":      {[]*rampv1.ResourceAttestation{by(liar)}, 0, nil, "of another verifier"},
		"no document":                {[]*rampv1.ResourceAttestation{by(silent)}, 0, nil, "answers 404"},
		"a document that is moved":   {[]*rampv1.ResourceAttestation{by(moved)}, 0, nil, "another host"},
		"a document that is no JSON": {[]*rampv1.ResourceAttestation{by(broken)}, 0, nil, "cannot be read"},
		"claims that are too large": {[]*rampv1.ResourceAttestation{own(func(a *rampv1.ResourceAttestation) {
			a.Claims.Fields["t"] = structpb.NewStringValue(strings.Repeat("x", ramp.MaxClaims))
		})}, 0, ramp.ErrClaimsTooLarge, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := newCounter(t)
			s.offer = func(o *rampv1.Offer) { o.Attestations = c.all }
			var trusted []string
			for _, v := range []*attester{vendor, ended, web, liar, silent, moved, broken} {
				trusted = append(trusted, v.domain())
			}
			x, err := client.OpenExchange(t.Context(), s.URL, client.Buyer{ID: "bot", Domain: "buyer.example",
				Key: buyerKey, KeyID: "k1", Verifiers: trusted}, client.Options{})
			if err != nil {
				t.Fatal(err)
			}
			quotes, err := x.Discover(t.Context(), client.Wanted{URIs: []string{uri}})
			if err != nil || len(quotes.All[0].Offers) != 1 {
				t.Fatalf("%+v, %v", quotes, err)
			}
			level, all, err := x.Attestations(t.Context(), uri, quotes.All[0].Offers[0])
			if err != nil || level != c.level || len(all) != len(c.all) {
				t.Fatalf("level %d, %+v, %v", level, all, err)
			}
			if len(all) == 0 {
				return
			}
			last := all[len(all)-1]
			if c.problem != nil && !errors.Is(last.Problem, c.problem) ||
				c.says != "" && (last.Problem == nil || !strings.Contains(last.Problem.Error(), c.says)) ||
				c.problem == nil && c.says == "" && last.Problem != nil {
				t.Errorf("%v", last.Problem)
			}
			if (last.Level == 0) != (last.Problem != nil) {
				t.Errorf("level %d with %v", last.Level, last.Problem)
			}
		})
	}
	if stranger.count() != 0 {
		t.Error("a verifier that nobody trusts was asked")
	}
}

// TestVerifiersKeysAreRemembered holds that a verifier is asked once for many offers, and anew for
// a key that is not known yet.
func TestVerifiersKeysAreRemembered(t *testing.T) {
	t.Parallel()
	s, provider := newCounter(t), newAttester(t, published(oldKey)...)
	x, uri := s.open(), provider.URL+"/a"
	offer := &rampv1.Offer{Identity: &rampv1.ResourceIdentity{CanonicalUrl: &uri}}
	offer.Attestations = []*rampv1.ResourceAttestation{provider.signs("a", oldKey, uri, attestedAt, "{}")}
	level := func() int {
		t.Helper()
		level, _, err := x.Attestations(t.Context(), uri, offer)
		if err != nil {
			t.Fatal(err)
		}
		return level
	}
	for range 3 {
		if level() != 1 {
			t.Fatal("it does not hold")
		}
	}
	if provider.count() != 1 {
		t.Errorf("the keys were read %d times", provider.count())
	}
	if got, _, _ := x.Attestations(t.Context(), "https://other.example/a", offer); got != 0 {
		t.Error("a provider's word on what is at another's address counts")
	}
}

// TestWhatComesIsHeldAgainstWhatIsAttested checks what a buyer learns about the content that it
// fetched. The client compares it with the hashes of the offer and of the provider: SHA-256 for
// bytes, simhash-v1 for words that are nearly the same.
func TestWhatComesIsHeldAgainstWhatIsAttested(t *testing.T) {
	t.Parallel()
	words := strings.Fields(strings.Repeat("a b c d e f g h i j k l m n o p q r s t u v w x y z one two three four "+
		"five six seven eight nine ten eleven twelve ", 6))
	for i := range words {
		words[i] += fmt.Sprint(i)
	}
	text := strings.Join(words, " ")
	near := strings.Replace(text, "m12", "other", 1)
	const far = "Something else, of which nobody has said anything at all."
	sum := func(m contenthash.Method, text string) contenthash.Hash { return contenthash.Of(m, []byte(text)) }
	for name, c := range map[string]struct {
		offered, attested      contenthash.Hash // the zero Hash for none
		badKey                 bool             // of what is attested
		content                string
		err                    error
		whole, nearly, attests bool
	}{
		"the bytes": {
			sum(contenthash.SHA256, text), contenthash.Hash{}, false, text, nil, true, false, false,
		},
		"nearly the words, by bytes": {
			sum(contenthash.SHA256, text), contenthash.Hash{}, false, near, client.ErrOtherContent, false, false, false,
		},
		"the words": {
			sum(contenthash.SimHash, text), contenthash.Hash{}, false, text, nil, false, true, false,
		},
		"nearly the words": {
			sum(contenthash.SimHash, text), contenthash.Hash{}, false, near, nil, false, true, false,
		},
		"other words": {
			sum(contenthash.SimHash, text), contenthash.Hash{}, false, far, client.ErrOtherContent, false, false, false,
		},
		"attested alone": {
			contenthash.Hash{}, sum(contenthash.SHA256, text), false, text, nil, false, false, true,
		},
		"attested alone, and other": {
			contenthash.Hash{}, sum(contenthash.SHA256, text), false, near, client.ErrOtherContent, false, false, false,
		},
		"attested alone, nearly": {
			contenthash.Hash{}, sum(contenthash.SimHash, text), false, near, nil, false, false, true,
		},
		"attested as something else": {sum(contenthash.SHA256, text), sum(contenthash.SHA256, far), false,
			text, client.ErrOtherContent, true, false, false},
		"attested as something else, not well": {
			sum(contenthash.SHA256, text), sum(contenthash.SHA256, far), true, text, nil, true, false, false,
		},
		"attested nearly, offered by the bytes": {
			sum(contenthash.SHA256, text), sum(contenthash.SimHash, near), false, text, nil, true, false, true,
		},
		"nothing tells": {
			contenthash.Hash{}, contenthash.Hash{}, false, far, nil, false, false, false,
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, provider := newCounter(t), newAttester(t, published(oldKey)...)
			uri := provider.URL + "/a"
			s.content = c.content
			s.offer = func(o *rampv1.Offer) {
				o.Identity.ContentHash, o.Identity.HashMethod = nil, nil
				if c.offered.Method != "" {
					o.Identity.ContentHash, o.Identity.HashMethod = &c.offered.Digits,
						proto.String(string(c.offered.Method))
				}
				if key := oldKey; c.attested.Method != "" {
					if c.badKey {
						key = newKey
					}
					o.Attestations = append(o.Attestations,
						provider.signs("a", key, uri, attestedAt, fmt.Sprintf(`{"content_hash":%q}`, c.attested)))
				}
			}
			x := s.open()
			quotes, err := x.Discover(t.Context(), client.Wanted{URIs: []string{uri}})
			if err != nil || len(quotes.All[0].Offers) != 1 {
				t.Fatalf("%+v, %v", quotes, err)
			}
			all, err := x.Buy(t.Context(), client.NewPurchase(), quotes.All[0].Offers[0])
			if err != nil {
				t.Fatal(err)
			}
			got, err := x.Fetch(t.Context(), &all[0])
			if !errors.Is(err, c.err) || got == nil || got.Offered != c.whole || got.Near != c.nearly ||
				got.Attested != c.attests || !bytes.Equal(got.Body, []byte(c.content)) {
				t.Errorf("%+v, %v", got, err)
			}
			if (got.Distance >= 0) != (c.offered.Method == contenthash.SimHash ||
				c.attested.Method == contenthash.SimHash) {
				t.Errorf("the distance is %d", got.Distance)
			}
			if c.attested == (contenthash.Hash{}) && provider.count() != 0 {
				t.Error("a verifier was asked for nothing")
			}
		})
	}
}

// TestWhatIsAttestedAsItIsOfferedAsksNobody holds that a fetch asks no verifier for what the offer
// itself tells, and says that it is attested where the keys are known.
func TestWhatIsAttestedAsItIsOfferedAsksNobody(t *testing.T) {
	t.Parallel()
	s, provider := newCounter(t), newAttester(t, published(oldKey)...)
	uri := provider.URL + "/a"
	s.offer = func(o *rampv1.Offer) {
		o.Attestations = append(o.Attestations, provider.signs("a", oldKey, uri, attestedAt,
			fmt.Sprintf(`{"content_hash":"sha256:%s"}`, o.Identity.GetContentHash())))
	}
	x := s.open()
	quotes, err := x.Discover(t.Context(), client.Wanted{URIs: []string{uri}})
	if err != nil {
		t.Fatal(err)
	}
	all, err := x.Buy(t.Context(), client.NewPurchase(), quotes.All[0].Offers[0])
	if err != nil {
		t.Fatal(err)
	}
	if got, err := x.Fetch(t.Context(), &all[0]); err != nil || !got.Offered || got.Attested || provider.count() != 0 {
		t.Errorf("%+v, %v, asked %d times", got, err, provider.count())
	}
	if level, _, err := x.Attestations(t.Context(), uri, quotes.All[0].Offers[0]); level != 1 || err != nil {
		t.Fatal(level, err)
	}
	if got, err := x.Fetch(t.Context(), &all[0]); err != nil || !got.Offered || !got.Attested || provider.count() != 1 {
		t.Errorf("%+v, %v, asked %d times", got, err, provider.count())
	}
}

// TestAVerifierIsReadOnceForAllWhoWait has many want the keys of a verifier that is slow: they wait
// for one document, whoever gives up keeps the others from nothing, and what came is remembered.
func TestAVerifierIsReadOnceForAllWhoWait(t *testing.T) {
	t.Parallel()
	s, provider := newCounter(t), newAttester(t, published(oldKey)...)
	x, uri := s.open(), provider.URL+"/a"
	offer := &rampv1.Offer{Identity: &rampv1.ResourceIdentity{CanonicalUrl: &uri}}
	offer.Attestations = []*rampv1.ResourceAttestation{provider.signs("a", oldKey, uri, attestedAt, "{}")}
	asked, answer, serve := make(chan struct{}, 9), make(chan struct{}), provider.serve
	provider.say(func(w http.ResponseWriter) {
		asked <- struct{}{}
		<-answer
		serve(w)
	})
	hurried, hurry := context.WithCancel(t.Context())
	gaveUp := make(chan error)
	go func() { // the first, for whom it is read
		_, _, err := x.Attestations(hurried, uri, offer)
		gaveUp <- err
	}()
	<-asked
	var others sync.WaitGroup
	for range 5 {
		others.Go(func() {
			if level, _, err := x.Attestations(t.Context(), uri, offer); level != 1 || err != nil {
				t.Error(level, err)
			}
		})
	}
	hurry()
	if err := <-gaveUp; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	close(answer)
	others.Wait()
	if level, _, err := x.Attestations(t.Context(), uri, offer); level != 1 || err != nil || provider.count() != 1 {
		t.Errorf("level %d, %v, asked %d times", level, err, provider.count())
	}
}
