package client

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"frontdesk/wire/contenthash"
	"frontdesk/wire/ramp"
	rampv1 "frontdesk/wire/ramp/v1"
)

// Attestation is what somebody attests of an offer's content, as the program has looked at it.
type Attestation struct {
	*rampv1.ResourceAttestation
	// Level is 1 where the provider attests its own content, 2 where somebody else does whom the
	// buyer trusts, and 0 where it does not hold; Problem says then why.
	Level   int
	Problem error
}

// ErrVerifierNotTrusted is why an attestation counts for nothing that is by somebody else than the
// provider whom the buyer does not name in Buyer.Verifiers: everybody can attest everything.
var ErrVerifierNotTrusted = errors.New("its verifier is neither the provider nor one that you trust")

// Attestations looks whether what is attested of an offer holds: each attestation under the keys
// that its verifier publishes by now, at https://VERIFIER/.well-known/ramp-verifier.json. uri is
// the address for which the offer was made. The level is the highest of those that hold, 0 for none
// (RAMP v1, ResourceAttestation). Asked are only the provider, which is the host of uri, and
// Buyer.Verifiers; what they publish is remembered for some minutes, and read once for all who want
// it at the same time: to its end, 5 seconds at most, also when ctx ends before. The error is that
// of the context; all else is the problem of an attestation.
//
// How old an attestation may be is for the program to say: RAMP suggests 1 to 4 hours for breaking
// news, a day for daily news, 7 to 30 days for what stays.
func (x *Exchange) Attestations(ctx context.Context, uri string,
	offer *rampv1.Offer) (level int, all []Attestation, err error) {
	for i, a := range offer.GetAttestations() {
		one := Attestation{ResourceAttestation: a}
		if i >= ramp.MaxAttestations {
			one.Problem = fmt.Errorf("an offer has at most %d attestations", ramp.MaxAttestations)
		} else {
			one.Level, one.Problem = x.attested(ctx, uri, offer, a)
		}
		if err := ctx.Err(); err != nil {
			return 0, nil, err
		}
		level, all = max(level, one.Level), append(all, one)
	}
	return level, all, nil
}

// attested looks at one attestation.
func (x *Exchange) attested(ctx context.Context, uri string, offer *rampv1.Offer,
	a *rampv1.ResourceAttestation) (level int, err error) {
	if canonical := offer.GetIdentity().GetCanonicalUrl(); a.GetUri() != uri &&
		(canonical == "" || a.GetUri() != canonical) {
		return 0, fmt.Errorf("%w: %.200q", ramp.ErrOtherURI, a.GetUri())
	}
	level = ramp.LevelThirdParty
	if provides(a.GetVerifier(), uri) && provides(a.GetVerifier(), a.GetUri()) {
		level = ramp.LevelSelf
	} else if !slices.ContainsFunc(x.buyer.Verifiers,
		func(v string) bool { return strings.EqualFold(v, a.GetVerifier()) }) {
		return 0, ErrVerifierNotTrusted
	}
	if err := ramp.Validate(a); err != nil { // before its verifier's name becomes an address
		return 0, fmt.Errorf("%w: %w", ramp.ErrWrongAttestation, err)
	}
	for _, again := range []bool{false, true} {
		keys, fresh, failed := x.verifiers.keys(ctx, &x.client, a.Verifier, again)
		if failed != nil {
			return 0, failed
		}
		if err = ramp.VerifyAttestation(a, a.Uri, keys, x.client.options.Now()); err == nil {
			return level, nil
		}
		if fresh {
			break
		}
	}
	return 0, err
}

// provides says whether a domain is the host of an address.
func provides(domain, uri string) bool {
	u, err := url.Parse(uri)
	if err != nil || u.Host == "" {
		return false
	}
	return strings.EqualFold(domain, u.Host) ||
		strings.EqualFold(domain, u.Hostname()) && (u.Port() == "" || u.Port() == "443")
}

// attestedHash is what the provider itself attests as the hash of what was bought; ok is false
// where it attests none that holds. A verifier is asked only where the offer itself tells another
// hash, or none.
func (x *Exchange) attestedHash(ctx context.Context, offer *rampv1.Offer) (h contenthash.Hash, ok bool) {
	uri, told := offer.GetIdentity().GetCanonicalUrl(), offeredHash(offer)
	for _, a := range offer.GetAttestations() {
		claimed, known := contenthash.Parse(a.GetClaims().GetFields()["content_hash"].GetStringValue(), "")
		if !known || !provides(a.GetVerifier(), uri) || claimed == told && !x.verifiers.knows(a.GetVerifier()) {
			continue
		}
		if level, _ := x.attested(ctx, uri, offer, a); level == ramp.LevelSelf {
			return claimed, true
		}
	}
	return contenthash.Hash{}, false
}

// offeredHash is the hash that an offer tells; the zero Hash for none that is known here.
func offeredHash(offer *rampv1.Offer) contenthash.Hash {
	known := offer.GetIdentity()
	h, _ := contenthash.Parse(known.GetContentHash(), known.GetHashMethod())
	return h
}

// How long what a verifier publishes is remembered, how long that it publishes nothing, how long it
// has, and of how many it is.
const (
	verifierTTL    = 10 * time.Minute
	verifierFailed = 30 * time.Second
	verifierTime   = 5 * time.Second
	maxVerifiers   = 1000
)

// verifierPath is where verifiers publish their keys.
const verifierPath = "/.well-known/ramp-verifier.json"

// verifiers are the keys of those who attest things, by their domains.
type verifiers struct {
	mu      sync.Mutex
	known   map[string]verifier
	reading map[string]*reading // what is being read now
}

type verifier struct {
	keys []ramp.Key
	err  error
	got  time.Time
}

// reading is a document of a verifier that is being read; done is closed when it was.
type reading struct {
	verifier
	done chan struct{}
}

// knows says whether a verifier's keys are remembered.
func (v *verifiers) knows(domain string) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	one, ok := v.known[domain]
	return ok && one.err == nil
}

// keys gives a verifier's keys. With again, what is remembered was not enough; fresh says that they
// were read just now. All who want them at the same time wait for one document, each for as long as
// its context has; that it does not come is remembered though nobody waited for it to the end.
func (v *verifiers) keys(ctx context.Context, c *Client, domain string,
	again bool) (keys []ramp.Key, fresh bool, err error) {
	v.mu.Lock()
	one, ok := v.known[domain]
	if age := time.Since(one.got); ok && age >= 0 &&
		(one.err == nil && age < verifierTTL && !again || age < verifierFailed) {
		v.mu.Unlock()
		return one.keys, again, one.err
	}
	under := v.reading[domain]
	if under == nil {
		under = &reading{done: make(chan struct{})}
		if v.reading == nil {
			v.reading = map[string]*reading{}
		}
		v.reading[domain] = under
		go v.read(context.WithoutCancel(ctx), c, domain, under)
	}
	v.mu.Unlock()
	select {
	case <-under.done:
		return under.keys, true, under.err
	case <-ctx.Done():
		return nil, true, ctx.Err()
	}
}

// read reads a verifier's document.
func (v *verifiers) read(ctx context.Context, c *Client, domain string, into *reading) {
	into.got = time.Now()
	into.keys, into.err = published(ctx, c, domain)
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.known) >= maxVerifiers || v.known == nil {
		v.known = map[string]verifier{}
	}
	v.known[domain] = into.verifier
	delete(v.reading, domain)
	close(into.done)
}

// published reads what a verifier publishes. It has to be at its own host: what it redirects to
// elsewhere is another's word.
func published(ctx context.Context, c *Client, domain string) ([]ramp.Key, error) {
	ctx, cancel := context.WithTimeout(ctx, verifierTime)
	defer cancel()
	address := "https://" + domain + verifierPath
	host := domain
	if name, _, err := net.SplitHostPort(domain); err == nil {
		host = name
	}
	if at := "http://" + domain + verifierPath; host != domain && private(at) == nil {
		address = at // on this machine
	}
	web, more := *c.http, c.http.CheckRedirect
	web.CheckRedirect = func(next *http.Request, via []*http.Request) error {
		if next.URL.Host != via[0].URL.Host {
			return fmt.Errorf("it moved to another host, %s", next.URL.Host)
		}
		return more(next, via)
	}
	once := c.options
	once.Retries = -1
	text, status, err := (&Client{http: &web, options: once}).document(ctx, address)
	switch {
	case err != nil:
		return nil, fmt.Errorf("its verifier's keys cannot be had: %w", err)
	case status != http.StatusOK:
		return nil, fmt.Errorf("its verifier publishes no keys: %s answers %d", address, status)
	}
	name, keys, err := ramp.ReadKeys(text)
	switch {
	case err != nil:
		return nil, fmt.Errorf("its verifier's keys at %s cannot be read: %w", address, err)
	case name != "" && !strings.EqualFold(name, domain):
		return nil, fmt.Errorf("the keys at %s are of another verifier, %.80q", address, name)
	}
	return keys, nil
}
