package requesters

import (
	"context"
	"errors"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"frontdesk/internal/identity"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/fetch"
	"frontdesk/wire/ramp"
	"frontdesk/wire/sign/botauth"
)

// AgentPath is where a domain publishes the keys of its agents (RAMP v1, ramp-agent.json), and
// VerifierPath those with which it attests things of content (RAMP v1, ramp-verifier.json).
const (
	AgentPath    = "/.well-known/ramp-agent.json"
	VerifierPath = "/.well-known/ramp-verifier.json"
)

// The bounds of what agents publish.
const (
	AgentBytes    = ramp.MaxDocument // of a document
	AgentTime     = 2 * time.Second  // to get it
	maxAgentKeys  = 16               // of a document that are looked at
	agentLeast    = 5 * time.Minute  // that a document holds, whatever its max-age
	agentMost     = time.Hour
	agentPause    = 30 * time.Second // between two tries, and how long a failure holds
	maxAgents     = 10_000           // documents that are remembered
	maxAgentTries = 64               // at a time
)

// agents are the keys that domains publish for their agents, or in another document of the same
// form. They are fetched when they are needed, once for all who need them at a time, and
// remembered; so are failures, for a shorter time.
type agents struct {
	path    string // of the document
	fetcher *fetch.Fetcher
	now     func() time.Time

	mu      sync.Mutex
	known   map[string]*agent        // by domain
	flights map[string]chan struct{} // by domain: closed when the try that is under way is done
}

// agent is what a domain publishes. It is not changed once it is known.
type agent struct {
	id   string // as the document calls the agent
	keys []ramp.Key
	// claims are what a verifier says of its claims; nil of others.
	claims map[string]ramp.Claim
	err    error     // why there are no keys: a *fail.Error
	got    time.Time // when it was had
	until  time.Time // until when it holds
	tried  time.Time // when it was last tried to have it, which failed if it is later than got
}

func newAgents(fetcher *fetch.Fetcher, now func() time.Time) *agents {
	return newPublished(AgentPath, fetcher, now)
}

func newPublished(path string, fetcher *fetch.Fetcher, now func() time.Time) *agents {
	return &agents{path: path, fetcher: fetcher, now: now, known: map[string]*agent{},
		flights: map[string]chan struct{}{}}
}

// find gives what a domain publishes. With again, what is known was not enough: it is fetched anew,
// unless it was tried a moment ago. may is asked before something is fetched that this caller waits
// for; nil lets it be. The error is its, fail.Unauthorized where there is nothing to be had,
// fail.Unavailable where too much is under way, or ctx's.
func (a *agents) find(ctx context.Context, domain string, again bool, may func() error) (*agent, error) {
	a.mu.Lock()
	now := a.now()
	known := a.known[domain]
	holds := known != nil && now.Before(known.until) && !now.Before(known.got)
	rested := known == nil || now.Sub(known.tried) >= agentPause || now.Before(known.tried)
	switch {
	case holds && again && rested: // somebody may have begun a new key
	case holds:
		if known.err == nil && rested && now.Sub(known.got) >= known.until.Sub(known.got)*3/4 {
			_, _ = a.begin(ctx, domain) // for those who come later
		}
		a.mu.Unlock()
		return known, known.err
	}
	var flight chan struct{}
	var err error
	if may != nil {
		err = may()
	}
	if err == nil {
		flight, err = a.begin(ctx, domain)
	}
	a.mu.Unlock()
	if err != nil {
		return nil, err
	}
	select {
	case <-flight:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	a.mu.Lock()
	known = a.known[domain]
	a.mu.Unlock()
	if known == nil { // it was forgotten at once, for too many others
		return nil, agentsBusy()
	}
	return known, known.err
}

func agentsBusy() error {
	return fail.New(fail.Unavailable, "the keys of too many others are being fetched; try again in a moment").
		After(time.Second)
}

// begin begins to fetch a domain's document, unless somebody does. The caller holds the lock.
func (a *agents) begin(ctx context.Context, domain string) (chan struct{}, error) {
	if flight := a.flights[domain]; flight != nil {
		return flight, nil
	}
	if len(a.flights) >= maxAgentTries {
		return nil, agentsBusy()
	}
	domain = strings.Clone(domain) // it may be a part of a header that is far longer, and is remembered
	flight := make(chan struct{})
	a.flights[domain] = flight
	go func() {
		got := a.get(context.WithoutCancel(ctx), domain) // others wait for it, too
		a.mu.Lock()
		defer a.mu.Unlock()
		a.keep(domain, got)
		delete(a.flights, domain)
		close(flight)
	}()
	return flight, nil
}

// keep remembers what was had. A failure does not replace keys that still hold: it says when it was
// tried.
func (a *agents) keep(domain string, got *agent) {
	if old := a.known[domain]; got.err != nil && old != nil && old.err == nil && a.now().Before(old.until) {
		kept := *old
		kept.tried = got.tried
		got = &kept
	}
	if _, there := a.known[domain]; !there && len(a.known) >= maxAgents {
		for other, known := range a.known {
			if len(a.known) > maxAgents*9/10 || !a.now().Before(known.until) {
				delete(a.known, other)
			}
		}
	}
	a.known[domain] = got
}

// get fetches a domain's document.
func (a *agents) get(ctx context.Context, domain string) *agent {
	got := &agent{got: a.now()}
	got.tried, got.until = got.got, got.got.Add(agentPause)
	address := identity.Origin(domain) + a.path
	response, err := a.fetcher.Get(ctx,
		fetch.Request{URL: address, MaxBytes: AgentBytes, Header: http.Header{"Accept": {"application/json"}}})
	switch {
	case err != nil:
		got.err = noKeys(domain, a.path, why(err)).Wrap(err)
	case response.Status != http.StatusOK:
		got.err = noKeys(domain, a.path, "it answered with status "+strconv.Itoa(response.Status))
	default:
		if got.id, got.keys, err = ramp.ReadKeys(response.Body); err != nil {
			got.err = noKeys(domain, a.path, "its document cannot be read: "+err.Error())
			break
		}
		if got.keys = got.keys[:min(len(got.keys), maxAgentKeys)]; len(got.keys) == 0 {
			got.err = noKeys(domain, a.path, "its document has no Ed25519 key")
			break
		}
		if a.path == VerifierPath {
			if got.claims, err = ramp.ReadClaims(response.Body); err != nil {
				got.claims = map[string]ramp.Claim{} // its keys are good all the same
			}
		}
		got.until = got.got.Add(min(max(maxAge(response.Header), agentLeast), agentMost))
	}
	return got
}

// noKeys is the failure of a requester whose keys cannot be had. It tells what the requester can
// mend, and nothing of where the name leads.
func noKeys(domain, path, why string) *fail.Error {
	return fail.New(fail.Unauthorized, "the keys of %s cannot be had from %s%s: %s", domain, identity.Origin(domain),
		path, why)
}

// why is what a stranger may know of a fetch that failed.
func why(err error) string {
	var failed *fetch.Error
	if !errors.As(err, &failed) {
		return "it did not answer"
	}
	switch failed.Reason {
	case fetch.Refused:
		return "it is at an address that is not fetched from here"
	case fetch.TimedOut:
		return "it did not answer in time"
	case fetch.TooLarge:
		return "its document is too large"
	case fetch.Redirects:
		return "it redirects, which is not followed"
	case fetch.Undecodable:
		return "its document is garbled"
	}
	return "it did not answer over https"
}

var maxAgePattern = regexp.MustCompile(`(?i)(?:^|[,\s])max-age\s*=\s*"?(\d{1,9})`)

// maxAge is how long a document says that it holds; 0 where it does not say.
func maxAge(header http.Header) time.Duration {
	control := strings.Join(header.Values("Cache-Control"), ",")
	if strings.Contains(strings.ToLower(control), "no-store") {
		return 0
	}
	if found := maxAgePattern.FindStringSubmatch(control); found != nil {
		seconds, _ := strconv.Atoi(found[1])
		return time.Duration(seconds) * time.Second
	}
	return 0
}

// candidates are the keys of a list that a key id names, by the rules for the domain's keys: the
// domain names all of them, and "domain#name" one by its name or thumbprint (RFC 7638), as do name
// and thumbprint alone. Keys that are not good at a time are left out.
func candidates(keys []ramp.Key, domain, keyID string, now time.Time) []ramp.Key {
	of, name, one := strings.Cut(keyID, "#")
	switch {
	case !strings.EqualFold(of, domain):
		name, one = keyID, true
	case one && name == "":
		return nil
	}
	return slices.DeleteFunc(slices.Clone(keys), func(k ramp.Key) bool {
		return one && !goesBy(k, name) || !k.Good(now)
	})
}

// goesBy says whether a key has a name or thumbprint.
func goesBy(k ramp.Key, name string) bool {
	return name != "" && (k.ID == name || botauth.Thumbprint(k.Public) == name)
}
