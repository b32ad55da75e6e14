package agents

import (
	"crypto/ed25519"
	"crypto/rand"
	"net/http"
	"time"

	"frontdesk/internal/identity"
	"frontdesk/wire/sign"
	"frontdesk/wire/sign/botauth"
)

// Own is this front desk as an agent: it signs what it asks of others, and publishes its keys for
// them. A nil Own signs nothing. It may be used from many goroutines.
type Own struct {
	keys    *identity.SiteKeys
	address string // of the directory
	now     func() time.Time
}

// How long others may keep the directory, and how long its signatures hold: far longer than the
// lists are made anew that take it over (appendix C.8).
const (
	directoryAge   = time.Hour
	directoryHolds = 7 * 24 * time.Hour
)

// NewOwn is the agent whose keys are published below a public address: nil where that is no https
// address. A nil clock is time.Now.
func NewOwn(keys *identity.SiteKeys, public string, now func() time.Time) *Own {
	address := botauth.DirectoryAt(public)
	if address == "" {
		return nil
	}
	if now == nil {
		now = time.Now
	}
	return &Own{keys: keys, address: address, now: now}
}

// EnsureKey makes the first key, if there is none.
func (o *Own) EnsureKey() error {
	if o == nil {
		return nil
	}
	return o.keys.EnsureKey()
}

// Retire removes the private parts of keys whose time is over.
func (o *Own) Retire() error {
	if o == nil {
		return nil
	}
	return o.keys.Retire()
}

// Address is that of the directory, which identifies the agent.
func (o *Own) Address() string { return o.address }

// Key is the key that signs now. One that follows another signs from when on nobody has a directory
// without it (§5.5.2), while the one before it lasts; nil where there is no key.
func (o *Own) Key() ed25519.PrivateKey {
	keys := o.keys.Signing()
	for i, k := range keys {
		if i == len(keys)-1 || o.now().Sub(k.Created) >= directoryAge {
			return k.Private
		}
	}
	return nil
}

// SignsFrom is from when on a key signs that was made just now: when no key before it lasts, or
// after as long as others may keep the directory.
func (o *Own) SignsFrom(made identity.SiteKey) time.Time {
	from := made.Created
	for _, k := range o.keys.Signing() {
		if k.ID != made.ID && k.Retires.After(from) {
			from = k.Retires
		}
	}
	if published := made.Created.Add(directoryAge); published.Before(from) {
		return published
	}
	return from
}

// Sign signs a request. What cannot be signed is made unsigned.
func (o *Own) Sign(r *http.Request) {
	if o == nil {
		return
	}
	key := o.Key()
	if key == nil {
		return
	}
	_ = botauth.Own{Directory: o.address, Key: key}.Sign(
		sign.Request{Method: r.Method, Target: r.URL.String(), Header: r.Header}, rand.Text(), o.now())
}

// ServeHTTP serves the directory, signed by each of its keys for its own address, whatever the host
// it was asked at: so that nobody can serve it as that of another (appendix B.1).
func (o *Own) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var published []botauth.Key
	private := map[string]ed25519.PrivateKey{}
	for _, k := range o.keys.Signing() {
		published = append(published, botauth.Key{ID: k.ID, Public: k.Public, Until: k.Retires})
		private[k.ID] = k.Private
	}
	body, err := botauth.WriteDirectory(published)
	if err == nil {
		now := o.now()
		var header map[string][]string
		header, err = botauth.SignDirectory(body, sign.Request{Method: http.MethodGet, Target: o.address},
			sign.SigningParameters{Created: now, Expires: now.Add(directoryHolds)}, private)
		for name, lines := range header {
			w.Header()[name] = lines
		}
	}
	if err != nil {
		http.Error(w, "the directory of keys cannot be written", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", botauth.MediaType)
	w.Header().Set("Cache-Control", "public, max-age=3600")
	_, _ = w.Write(body)
}
