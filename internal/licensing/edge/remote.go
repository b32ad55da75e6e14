package edge

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"frontdesk/internal/infra/fetch"
	"frontdesk/internal/infra/periodic"
	"frontdesk/internal/licensing/edge/deliverylog"
	gate "frontdesk/wire/edge"
	wire "frontdesk/wire/ramp"
	rampv1 "frontdesk/wire/ramp/v1"
	"frontdesk/wire/sign"
)

// RemoteConfig says what a Remote asks. Fields without a default must be set.
type RemoteConfig struct {
	// Exchange is the address of the Exchange, without a slash at its end, and Domain by which it
	// knows the site.
	Exchange, Domain string
	// Folder keeps what the Exchange last said, so that it is known at the next start, too. It is
	// made if it is missing.
	Folder  string
	Fetcher *fetch.Fetcher
	// Unknown is how far all paths are open while no policy was ever known.
	Unknown Access
	// Others are further Exchanges through which the site sells; its ramp.json names them beside
	// those that the Exchange says.
	Others []*rampv1.AuthorizedExchange
	// Keys says whether the Exchange's own keys verify addresses (the form ed25519).
	Keys bool
	// Every is how often it is asked; what it says is older than Stale only where it could not be
	// asked, which the log then tells.
	Every, Stale time.Duration
	// AskPolicy asks for the policy as the Exchange makes it for gates, under an id of NewID's; nil
	// for what it publishes alone.
	AskPolicy func(ctx context.Context, id, host string) ([]byte, error)
	NewID     func() string
	Now       func() time.Time // nil is time.Now
	Log       *slog.Logger     // nil for nobody
}

// Remote keeps what an Exchange publishes for one site: its policy, its documents and the keys of
// signed addresses. It is saved to disk. Its methods may be called concurrently.
type Remote struct {
	config    RemoteConfig
	policy    atomic.Pointer[Policy]
	parties   atomic.Pointer[Policy] // what it made for gates, which goes before that; nil for none
	documents sync.Map               // by path, a *held
	keys      atomic.Pointer[[]sign.URLKey]
	failed    atomic.Bool
	mu        sync.Mutex           // of what follows
	held      map[string]*held     // by name
	active    map[string]time.Time // when keys were last named as signing, by id
	warned    bool
	partial   bool // it was told that paths are closed since not all is known of them
}

// held is a document as it was last had, here and on disk.
type held struct {
	ETag string    `json:"etag,omitempty"`
	At   time.Time `json:"at"` // when the Exchange last said that it is so
	Type string    `json:"type"`
	Body []byte    `json:"body"`
	// Partial says that an access policy does not say all (gate.PartialHeader).
	Partial bool `json:"partial,omitempty"`
	// Active is when keys were last named as signing, by id; of keys alone.
	Active map[string]time.Time `json:"active,omitempty"`
}

// The bounds of what an Exchange says.
const (
	maxPolicy   = 4 << 20
	maxDocument = 1 << 20
	keyGrace    = time.Hour // for which what a key signed that signs no more is good (RAMP v1, key rotation)
)

// thing is one of the things that a Remote asks for.
type thing struct {
	name, path string
	most       int64
	take       func(*Remote, *held) error // h is nil for what the Exchange has not
}

const keysThing = "keys"

// partiesThing is the policy for gates, which is asked for in another way than the others.
var partiesThing = thing{name: "parties", take: (*Remote).takeParties}

var things = []thing{
	{"policy", "/provider/{domain}/access-policy.json", maxPolicy, (*Remote).takePolicy},
	{"manifest", "/provider/{domain}/ramp.json", maxDocument,
		func(r *Remote, h *held) error { return r.takeDocument(ManifestPath, h) }},
	{"verifier", "/provider/{domain}/ramp-verifier.json", maxDocument,
		func(r *Remote, h *held) error { return r.takeDocument(VerifierPath, h) }},
	{"rsl", "/provider/{domain}/rsl.txt", maxDocument,
		func(r *Remote, h *held) error { return r.takeDocument(RSLPath, h) }},
	{keysThing, "/exchange/v1/keys", maxDocument, (*Remote).takeKeys},
}

// OpenRemote makes a Remote that knows what was last said.
func OpenRemote(config RemoteConfig) (*Remote, error) {
	if config.Now == nil {
		config.Now = time.Now
	}
	if config.Log == nil {
		config.Log = slog.New(slog.DiscardHandler)
	}
	if err := os.MkdirAll(config.Folder, 0o700); err != nil {
		return nil, fmt.Errorf("what the Exchange says cannot be kept: %w", err)
	}
	r := &Remote{config: config, held: map[string]*held{}, active: map[string]time.Time{}}
	r.policy.Store(NewPolicy(config.Unknown, nil))
	r.keys.Store(&[]sign.URLKey{})
	known := r.things()
	if config.AskPolicy != nil {
		known = append(known, partiesThing)
	}
	for _, t := range known {
		h, err := r.read(t.name)
		if err == nil && h != nil {
			err = t.take(r, h)
		}
		if err != nil {
			config.Log.Warn("what the Exchange said last cannot be read; it is asked anew", "site", config.Domain,
				"what", t.name, "error", err)
			continue
		}
		if h != nil {
			r.held[t.name] = h
		}
	}
	return r, nil
}

func (r *Remote) things() []thing {
	if r.config.Keys {
		return slices.Clip(things)
	}
	return slices.Clip(things[:len(things)-1])
}

// Policy is the policy as it was last said: to this edge, or else to everybody.
func (r *Remote) Policy() *Policy {
	if p := r.parties.Load(); p != nil {
		return p
	}
	return r.policy.Load()
}

// Keys are the keys of the Exchange that verify addresses at the time.
func (r *Remote) Keys() []sign.URLKey { return *r.keys.Load() }

// Document gives the handler of a document, by its path at the site; nil where the Exchange has
// none.
func (r *Remote) Document(path string) http.Handler {
	if h, ok := r.documents.Load(path); ok {
		return h.(*held)
	}
	return nil
}

// documentCache is for how long others may keep a document.
const documentCache = "public, max-age=300"

func (h *held) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	header := w.Header()
	header.Set("Content-Type", h.Type)
	header.Set("Cache-Control", documentCache)
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Content-Security-Policy", "default-src 'none'")
	if h.ETag != "" {
		header.Set("Etag", h.ETag)
	}
	http.ServeContent(w, request, "", time.Time{}, bytes.NewReader(h.Body))
}

// Run asks the Exchange again and again, until ctx ends.
func (r *Remote) Run(ctx context.Context) {
	periodic.After(ctx, r.config.Every, r.Poll)
}

// Poll is Refresh, and logs what could not be read, once for each outage.
func (r *Remote) Poll(ctx context.Context) {
	err := r.Refresh(ctx)
	if failed := err != nil; failed == r.failed.Swap(failed) {
		return
	}
	if err != nil {
		r.config.Log.Warn("the Exchange could not be asked for all; what it said last holds", "site", r.config.Domain,
			"error", err)
		return
	}
	r.config.Log.Info("the Exchange can be asked again", "site", r.config.Domain)
}

// Refresh asks the Exchange for everything once. The error says what could not be read.
func (r *Remote) Refresh(ctx context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	var failed []error
	for _, t := range r.things() {
		if err := r.ask(ctx, t); err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", t.name, err))
		}
	}
	if err := r.askParties(ctx); err != nil {
		failed = append(failed, fmt.Errorf("whom paths are for: %w", err))
	}
	r.tellAge()
	r.tellPartial()
	return errors.Join(failed...)
}

// askParties asks whom paths are for. Where the Exchange does not tell this edge, or not any more,
// what it publishes holds.
func (r *Remote) askParties(ctx context.Context) error {
	if r.config.AskPolicy == nil {
		return nil
	}
	text, err := r.config.AskPolicy(ctx, r.config.NewID(), r.config.Domain)
	if errors.Is(err, deliverylog.ErrNotTold) {
		r.parties.Store(nil)
		return r.drop(partiesThing)
	}
	h := &held{At: r.config.Now().UTC(), Body: text}
	if err == nil {
		err = r.takeParties(h)
	}
	if err != nil {
		return err
	}
	return r.keep(partiesThing, h)
}

func (r *Remote) takeParties(h *held) error {
	said, err := gate.ReadGatePolicy(h.Body)
	if err == nil {
		r.parties.Store(PolicyOf(said.Rules))
	}
	return err
}

// ask asks for one thing. What is not readable changes nothing.
func (r *Remote) ask(ctx context.Context, t thing) error {
	before := r.held[t.name]
	request := fetch.Request{URL: r.config.Exchange + strings.ReplaceAll(t.path, "{domain}", r.config.Domain),
		Own: true, MaxBytes: t.most}
	if before != nil {
		request.ETag = before.ETag
	}
	response, err := r.config.Fetcher.Get(ctx, request)
	switch {
	case err != nil:
		return err
	case response.NotModified && before != nil:
		fresh := *before
		fresh.At = r.config.Now().UTC()
		if t.name == keysThing { // which are still named as signing
			if err := t.take(r, &fresh); err != nil {
				return err
			}
		}
		return r.keep(t, &fresh)
	case response.Status == http.StatusNotFound || response.Status == http.StatusGone:
		if t.name == "rsl" || t.name == "manifest" || t.name == "verifier" { // it may have none
			return r.drop(t)
		}
		return fmt.Errorf("the Exchange knows nothing of it (status %d); look at edge.exchange and the domain of "+
			"the site", response.Status)
	case response.Status != http.StatusOK:
		return fmt.Errorf("the Exchange answered with status %d", response.Status)
	}
	h := &held{ETag: response.Header.Get("Etag"), At: r.config.Now().UTC(), Type: response.Header.Get("Content-Type"),
		Body: response.Body, Partial: response.Header.Get(gate.PartialHeader) == gate.Partial}
	if err := t.take(r, h); err != nil {
		return fmt.Errorf("what the Exchange says cannot be used: %w", err)
	}
	return r.keep(t, h)
}

func (r *Remote) takePolicy(h *held) error {
	policy, err := ReadPolicy(h.Body, r.config.Unknown)
	if err == nil {
		if h.Partial {
			policy = policy.closed()
		}
		r.policy.Store(policy)
	}
	return err
}

func (r *Remote) takeDocument(path string, h *held) error {
	h.Type = documentTypes[path] // whatever the Exchange calls it, it is of the site's own origin
	if path == ManifestPath {
		manifest, err := wire.ReadProviderManifest(h.Body)
		if err == nil && len(r.config.Others) > 0 {
			h, err = h.naming(manifest, r.config.Others)
		}
		if err != nil {
			return err
		}
	}
	if path == VerifierPath {
		name, _, err := wire.ReadKeys(h.Body)
		if err != nil {
			return err
		}
		if name != "" && !strings.EqualFold(name, r.config.Domain) {
			return fmt.Errorf("the keys that attest are of another verifier, %.80q", name)
		}
	}
	r.documents.Store(path, h)
	return nil
}

// naming is a ramp.json that names further Exchanges, too. What the Exchange said stays as it was.
func (h *held) naming(manifest *rampv1.ProviderManifest, others []*rampv1.AuthorizedExchange) (*held, error) {
	for _, one := range others {
		if !slices.ContainsFunc(manifest.Exchanges,
			func(x *rampv1.AuthorizedExchange) bool { return strings.EqualFold(x.GetDomain(), one.GetDomain()) }) {
			manifest.Exchanges = append(manifest.Exchanges, one)
		}
	}
	if err := wire.Validate(manifest); err != nil {
		return nil, err
	}
	text, err := wire.WriteProviderManifest(manifest)
	if err != nil {
		return nil, err
	}
	out := *h
	sum := sha256.Sum256(text)
	out.Body, out.ETag = text, `"`+hex.EncodeToString(sum[:16])+`"`
	return &out, nil
}

// documentTypes are the media types of documents.
var documentTypes = map[string]string{ManifestPath: "application/json", VerifierPath: "application/json",
	RSLPath: "application/rsl+xml"}

// takeKeys takes the keys that sign, and for a while those that did.
func (r *Remote) takeKeys(h *held) error {
	_, all, err := wire.ReadKeys(h.Body)
	if err != nil {
		return err
	}
	for id, at := range h.Active { // as it was kept
		if at.After(r.active[id]) {
			r.active[id] = at
		}
	}
	var keys []sign.URLKey
	h.Active = map[string]time.Time{}
	for _, key := range all {
		one := sign.URLKey{Form: sign.URLEd25519, ID: key.ID, Public: key.Public, Ends: key.Until}
		if key.Active {
			r.active[key.ID] = h.At
		} else if seen := r.active[key.ID]; seen.IsZero() {
			continue
		} else if ends := seen.Add(keyGrace); one.Ends.IsZero() || ends.Before(one.Ends) {
			one.Ends = ends
		}
		h.Active[key.ID] = r.active[key.ID]
		keys = append(keys, one)
	}
	r.keys.Store(&keys)
	return nil
}

// Since is when the Exchange last said what the policy is; zero before it ever did.
func (r *Remote) Since() time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	if h := r.held["policy"]; h != nil {
		return h.At
	}
	return time.Time{}
}

// tellAge warns once of a policy that is old, and says when that is over.
func (r *Remote) tellAge() {
	h := r.held["policy"]
	old := h == nil || r.config.Now().Sub(h.At) > r.config.Stale
	switch {
	case old && !r.warned && h == nil:
		r.config.Log.Error("the policy of the site was never known, so that all of its paths are as edge.sites says "+
			"of unknown ones", "site", r.config.Domain, "access", string(r.config.Unknown))
	case old && !r.warned:
		r.config.Log.Error("the policy of the site is old, since the Exchange cannot be asked; it holds on", "site",
			r.config.Domain, "since", h.At)
	case !old && r.warned:
		r.config.Log.Info("the policy of the site is fresh again", "site", r.config.Domain)
	}
	r.warned = old
}

// tellPartial warns once where this edge does not know what it would have to, and so closes what is
// open.
func (r *Remote) tellPartial() {
	h := r.held["policy"]
	partial := h != nil && h.Partial && r.parties.Load() == nil
	if partial && !r.partial {
		r.config.Log.Warn("some paths of the site are for certain agents, or for none, which the Exchange tells edges "+
			"with a key alone; until then agents get nothing that is open, either: set edge.key and its secret to "+
			"those that `frontdesk keys issue edge` gives there", "site", r.config.Domain)
	}
	r.partial = partial
}

func (r *Remote) file(name string) string { return filepath.Join(r.config.Folder, name+".json") }

// read reads what was kept; nil for nothing.
func (r *Remote) read(name string) (*held, error) {
	text, err := os.ReadFile(r.file(name))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	var h held
	if err == nil {
		err = json.Unmarshal(text, &h)
	}
	return &h, err
}

// keep keeps what was said. A file is there as a whole or not at all.
func (r *Remote) keep(t thing, h *held) error {
	r.held[t.name] = h
	text, err := json.Marshal(h)
	if err != nil {
		return err
	}
	fresh := r.file(t.name) + ".new"
	file, err := os.OpenFile(fresh, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return err
	}
	return os.Rename(fresh, r.file(t.name))
}

// drop forgets what the Exchange has no more.
func (r *Remote) drop(t thing) error {
	delete(r.held, t.name)
	r.documents.Delete(map[string]string{"manifest": ManifestPath, "verifier": VerifierPath, "rsl": RSLPath}[t.name])
	if err := os.Remove(r.file(t.name)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}
