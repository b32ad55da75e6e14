package agents

import (
	"context"
	"crypto"
	"crypto/rsa"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"frontdesk/internal/infra/cache"
	"frontdesk/internal/infra/fetch"
	"frontdesk/internal/infra/ratelimit"
	"frontdesk/wire/sign/botauth"
)

// directories are the directories of keys that were fetched (§5.5), by their addresses: a key holds
// for the address that published it, and for no other (§5.4).
//
// The sender of a request names the address that is fetched for it, so that what it costs is
// bounded: all fetches together are one a second at most. Half of them are for addresses that were
// never read and for keys that a directory does not hold, which anybody can make up: of these a
// network has one in ten seconds, and each host is asked once in ten seconds, for its well-known
// path apart. A quarter is for directories that are old, and a quarter for operators of the list,
// at their own origins alone: anybody can make up hosts below, and have many directories read that
// are soon old. These two quarters go by turns. An operator of the list whose directory was never
// read may have it out of the half, too. A failure is remembered for up to five minutes.
//
// What is kept is bounded in bytes: of a directory its keys that can be used, and no word of it.
type directories struct {
	config Config
	list   list
	known  cache.Cache[string, *directory]
	flying chan struct{} // one for each fetch that may be under way

	limiter     *ratelimit.Limiter
	meters      struct{ strange, old, listed, asker, host ratelimit.Meter }
	old, listed turns
}

const (
	maxKept      = 16 << 20 // bytes of all directories
	aDirectory   = 1 << 10  // bytes of one without keys
	aKey         = 256      // bytes of a key without its numbers
	maxMeters    = 10_000
	maxFlying    = 8
	fetchTime    = 2 * time.Second
	patience     = 200 * time.Millisecond // of a request for a directory
	freshDefault = time.Hour              // where the response says nothing
	freshLeast   = time.Minute
	freshMost    = 24 * time.Hour
	staleMost    = 24 * time.Hour // for keys that cannot be fetched again
	missingPause = time.Minute    // between two fetches for a key that is not there
	failedLeast  = 10 * time.Second
	failedMost   = 5 * time.Minute
)

// directory is one of them.
type directory struct {
	mu      sync.Mutex
	keys    *botauth.Directory // nil when it was never read
	fetched time.Time          // when keys were
	fresh   time.Time          // until when they need not be fetched again
	retry   time.Time          // before it nothing is fetched
	fails   int                // one after another
	why     error              // of the last failure
	flight  chan struct{}      // closed when the fetch that is under way is done; nil for none
}

func newDirectories(config Config, known list) *directories {
	kept, err := cache.NewWeighted(maxKept, weigh)
	if err != nil {
		panic(err) // which a constant size cannot cause
	}
	d := &directories{config: config, list: known, known: kept, flying: make(chan struct{}, maxFlying),
		limiter: ratelimit.New(ratelimit.Options{Keys: maxMeters, Now: config.Now})}
	quarter := ratelimit.Rate{Requests: 1, Per: 4 * time.Second, Burst: 1}
	d.meters.strange = d.limiter.Meter("directories", ratelimit.Rate{Requests: 1, Per: 2 * time.Second, Burst: 1})
	d.meters.old = d.limiter.Meter("directories old", quarter)
	d.meters.listed = d.limiter.Meter("directories listed", quarter)
	d.meters.asker = d.limiter.Meter("directories asker", ratelimit.Rate{Requests: 1, Per: 10 * time.Second, Burst: 1})
	d.meters.host = d.limiter.Meter("directories host", ratelimit.Rate{Requests: 1, Per: 10 * time.Second, Burst: 1})
	return d
}

var (
	errNonceUsed = errors.New("its nonce was used before; sign each request with a new one")
	errElsewhere = errors.New("this front desk has not been told its address, so the signature may be for another; " +
		"its operator has to set url")
	errBusy = errors.New("its directory of keys was not fetched, because too many unknown ones are named at the " +
		"moment; send the request again later")
	errWaiting = errors.New("its directory of keys is being fetched; send the request again in a few seconds")
)

// key gives the key of a claim. It waits until a time for a directory that is not at hand.
func (d *directories) key(ctx context.Context, c *botauth.Claim, from netip.Addr, until time.Time) (crypto.PublicKey,
	error) {
	now := d.config.Now()
	dir, there := d.known.GetIfPresent(c.Directory)
	if !there {
		dir = &directory{}
	}
	if dir.due(c.Signature.KeyID, now) {
		next := turn{c.Directory, c.Signature.KeyID}
		switch wellKnown := botauth.OfDomain(c.Agent); {
		case wellKnown && d.list.hasOrigin(botauth.Origin(c.Agent)):
			d.known.Set(c.Directory, dir)
			d.listed.join(next)
			d.fetchInTurn(ctx, &d.listed, d.meters.listed)
		case dir.isOld(now):
			d.old.join(next)
			d.fetchInTurn(ctx, &d.old, d.meters.old)
		case d.mayFetch(ctx, c, wellKnown, from):
			d.known.Set(c.Directory, dir)
			d.start(ctx, dir, c.Directory)
		case !there:
			return nil, errBusy
		}
	}
	flight, key, err := dir.look(c.Signature.KeyID, now)
	if err == nil || flight == nil {
		return key, err
	}
	timer := time.NewTimer(time.Until(until))
	defer timer.Stop()
	select {
	case <-flight:
		_, key, err = dir.look(c.Signature.KeyID, d.config.Now())
		return key, err
	case <-timer.C:
	case <-ctx.Done():
	}
	return nil, errWaiting
}

// fetchInTurn has those fetched whose turn it is, as far as a meter lets them be.
func (d *directories) fetchInTurn(ctx context.Context, q *turns, meter ratelimit.Meter) {
	now := d.config.Now()
	q.take(func(t turn) *directory {
		if dir, there := d.known.GetIfPresent(t.address); there && dir.due(t.key, now) {
			return dir
		}
		return nil
	}, func(dir *directory) bool {
		return meter.Allow(ctx, "", 1).OK || !dir.wasRead() && d.meters.strange.Allow(ctx, "", 1).OK
	}, func(t turn, dir *directory) { d.start(ctx, dir, t.address) })
}

// mayFetch says whether a directory may be fetched now that somebody may have made up, or for a key
// that somebody may have.
func (d *directories) mayFetch(ctx context.Context, c *botauth.Claim, wellKnown bool, from netip.Addr) bool {
	u, err := url.Parse(c.Agent)
	if err != nil {
		return false
	}
	host := u.Hostname()
	if !wellKnown {
		host += "/"
	}
	limits := []limit{{d.meters.host, host}, {d.meters.strange, ""}}
	if from.IsValid() {
		limits = append(limits, limit{d.meters.asker, ratelimit.Network(from)})
	}
	for _, cost := range []int{0, 1} { // none of them is used up where another is
		for _, l := range limits {
			if status := l.meter.Allow(ctx, l.key, cost); !status.OK || cost == 0 && status.Remaining < 1 {
				return false
			}
		}
	}
	return true
}

// limit is what one of several meters says of a fetch.
type limit struct {
	meter ratelimit.Meter
	key   string
}

// wasRead says whether the directory was ever read.
func (dir *directory) wasRead() bool {
	dir.mu.Lock()
	defer dir.mu.Unlock()
	return dir.keys != nil
}

// isOld says whether the directory was read, and is to be read again.
func (dir *directory) isOld(now time.Time) bool {
	dir.mu.Lock()
	defer dir.mu.Unlock()
	return dir.keys != nil && !now.Before(dir.fresh)
}

// look finds a key among those that are there, and the fetch that is under way.
func (dir *directory) look(id string, now time.Time) (flight <-chan struct{}, key crypto.PublicKey, err error) {
	dir.mu.Lock()
	defer dir.mu.Unlock()
	switch {
	case dir.keys != nil && now.Before(dir.fresh.Add(staleMost)):
		key, err = dir.keys.Key(id, now)
	case dir.why != nil:
		err = dir.why
	default:
		err = errWaiting
	}
	return dir.flight, key, err
}

// due says whether the directory is to be fetched: it was never read, is old, or lacks a key.
func (dir *directory) due(id string, now time.Time) bool {
	dir.mu.Lock()
	defer dir.mu.Unlock()
	if dir.flight != nil || now.Before(dir.retry) {
		return false
	}
	if dir.keys == nil || !now.Before(dir.fresh) {
		return true
	}
	_, err := dir.keys.Key(id, now)
	return errors.Is(err, botauth.ErrNoKey) && now.Sub(dir.fetched) >= missingPause
}

// start begins a fetch, unless one is under way, or too many of others.
func (d *directories) start(ctx context.Context, dir *directory, address string) {
	dir.mu.Lock()
	defer dir.mu.Unlock()
	if dir.flight != nil {
		return
	}
	select {
	case d.flying <- struct{}{}:
	default:
		return
	}
	flight := make(chan struct{})
	dir.flight = flight
	go func() {
		defer func() { <-d.flying }()
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), fetchTime) // others wait for it, too
		defer cancel()
		keys, header, err := d.get(ctx, address)
		if err != nil {
			d.config.Log.Debug("a directory of agents' keys cannot be read", "address", address, "error", err)
		}
		dir.learn(keys, header, err, d.config.Now())
		if _, there := d.known.GetIfPresent(address); there {
			d.known.Set(address, dir) // which weighs it
		}
		close(flight)
	}()
}

// learn keeps what a fetch came to. A failure says nothing of keys that were read before (§6.10).
func (dir *directory) learn(keys *botauth.Directory, header http.Header, err error, now time.Time) {
	dir.mu.Lock()
	defer dir.mu.Unlock()
	dir.flight = nil
	if err != nil {
		dir.why = errors.New(clipped(err)) // it may have words of a stranger's
		pause := min(failedLeast<<min(dir.fails, 10), failedMost)
		if after, err := strconv.Atoi(header.Get("Retry-After")); err == nil && after > 0 {
			pause = max(pause, min(time.Duration(min(after, 3600))*time.Second, failedMost))
		}
		dir.fails++
		dir.retry = now.Add(pause)
		return
	}
	dir.keys, dir.why, dir.fails, dir.retry = usable(keys), nil, 0, time.Time{}
	dir.fetched, dir.fresh = now, now.Add(freshFor(header, now))
}

// usable is what is needed of a directory: its keys, and not what it calls them.
func usable(whole *botauth.Directory) *botauth.Directory {
	keys := slices.Clone(whole.Keys)
	for i := range keys {
		keys[i].Named = ""
	}
	return &botauth.Directory{Keys: keys}
}

// weigh is how many bytes a directory takes, at the most.
func weigh(address string, dir *directory) uint32 {
	dir.mu.Lock()
	defer dir.mu.Unlock()
	weight := aDirectory + len(address)
	if dir.keys != nil {
		for _, k := range dir.keys.Keys {
			weight += aKey
			if n, ok := k.Public.(*rsa.PublicKey); ok {
				weight += n.Size()
			}
		}
	}
	return uint32(weight)
}

// get fetches a directory and reads it.
func (d *directories) get(ctx context.Context, address string) (*botauth.Directory, http.Header, error) {
	response, err := d.config.Fetch(ctx, fetch.Request{URL: address, MaxBytes: botauth.MaxDirectory,
		Header: http.Header{"Accept": {botauth.MediaType +
			", application/jwk-set+json;q=0.9, application/json;q=0.8"}}})
	switch {
	case err != nil:
		return nil, nil, fmt.Errorf("its directory of keys cannot be fetched: %w", err)
	case response.Status != http.StatusOK:
		return nil, response.Header, fmt.Errorf("its directory of keys answers with status %d", response.Status)
	case !directoryType(address, response.Header.Get("Content-Type")):
		return nil, response.Header, fmt.Errorf("its directory of keys has the media type %q; serve it as %s",
			response.Header.Get("Content-Type"), botauth.MediaType)
	}
	keys, err := botauth.ReadDirectory(response.Body, true)
	if err == nil && len(keys.Keys) == 0 && len(keys.Passed) > 0 {
		err = errors.New("the directory holds no key that can be used: " + strings.Join(keys.Passed, "; "))
	}
	return keys, response.Header, err
}

// directoryType says whether a media type is that of a directory (§5.5.1): at the well-known path
// its own, elsewhere that of any JSON Web Key Set.
func directoryType(address, contentType string) bool {
	media, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		return false
	}
	if media == botauth.MediaType {
		return true
	}
	u, err := url.Parse(address)
	return err == nil && u.Path != botauth.DirectoryPath &&
		(media == "application/json" || media == "application/jwk-set+json")
}

// freshFor is how long a response may be used (RFC 9111 §4.2), within bounds.
func freshFor(header http.Header, now time.Time) time.Duration {
	life := freshDefault
	directives := map[string]string{}
	for part := range strings.SplitSeq(strings.Join(header.Values("Cache-Control"), ","), ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		directives[strings.ToLower(name)] = strings.Trim(value, `"`)
	}
	_, noStore := directives["no-store"]
	_, noCache := directives["no-cache"]
	age, ok := directives["max-age"]
	switch {
	case noStore || noCache:
		life = 0
	case ok:
		seconds, err := strconv.ParseInt(age, 10, 32)
		if err != nil {
			seconds = 0
		}
		since, _ := strconv.ParseInt(header.Get("Age"), 10, 32)
		life = time.Duration(seconds-since) * time.Second
	case header.Get("Expires") != "":
		at, err := http.ParseTime(header.Get("Expires"))
		if err != nil {
			at = now
		}
		life = at.Sub(now)
	}
	return min(max(life, freshLeast), freshMost)
}
