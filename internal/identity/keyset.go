package identity

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"

	"frontdesk/internal/infra/fail"
)

// keySet is the authorization server's published keys, fetched when they are needed. They are
// fetched again when they are old, and when a token names a key that is not among them, since the
// server may have begun a new one; but never by two requests at a time, and never more often than
// every few seconds, however many tokens name made-up keys. While the server cannot be reached the
// old keys stay good for a day.
type keySet struct {
	address string
	fetch   func(ctx context.Context, address string) ([]byte, error)
	now     func() time.Time
	log     *slog.Logger

	mu      sync.Mutex
	keys    []jose.JSONWebKey
	fetched time.Time     // when keys were fetched; zero for never
	tried   time.Time     // when it was last tried
	failed  error         // of the last try
	flight  chan struct{} // closed when the fetch that is under way is done; nil for none
}

const (
	keysFresh  = 10 * time.Minute // before they are fetched again
	keysPause  = 10 * time.Second // between two tries
	keysStale  = 24 * time.Hour   // before keys that cannot be fetched again are no good
	keysTime   = 10 * time.Second // for a fetch
	maxKeys    = 64               // of a set that are looked at
	maxMatches = 4                // keys that a token without a key's name is tried with
)

func newKeySet(config OAuth, now func() time.Time, log *slog.Logger) *keySet {
	return &keySet{address: config.JWKS, fetch: config.Fetch, now: now, log: log}
}

// find gives the keys that may have signed a token: the one of its name, or, if it names none,
// those that fit. An error is fail.Unavailable.
func (s *keySet) find(ctx context.Context, id string, algorithm jose.SignatureAlgorithm) ([]jose.JSONWebKey, error) {
	found, old := s.look(id, algorithm)
	if len(found) > 0 {
		if old {
			s.refresh(ctx) // for those who come later
		}
		return found, nil
	}
	if flight := s.refresh(ctx); flight != nil {
		select {
		case <-flight:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	if err := s.without(); err != nil {
		return nil, err
	}
	found, _ = s.look(id, algorithm)
	return found, nil
}

// look finds keys among those that are there. old says that it is time to fetch them again.
func (s *keySet) look(id string, algorithm jose.SignatureAlgorithm) (found []jose.JSONWebKey, old bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	age := s.now().Sub(s.fetched)
	if s.fetched.IsZero() || age >= keysStale {
		return nil, true
	}
	for _, key := range s.keys {
		if (id == "" || key.KeyID == id) && fits(key, algorithm) && len(found) < maxMatches {
			found = append(found, key)
		}
	}
	return found, age >= keysFresh
}

// refresh begins to fetch the keys, unless somebody does or has just done so. It gives a channel
// that is closed when the fetch that is under way is done, nil when there is none.
func (s *keySet) refresh(ctx context.Context) (flight <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.flight == nil && (s.tried.IsZero() || s.now().Sub(s.tried) >= keysPause) {
		s.tried = s.now()
		s.flight = make(chan struct{})
		go s.get(context.WithoutCancel(ctx), s.flight) // others wait for it, too
	}
	return s.flight
}

// without is an error when there are no keys that can be used.
func (s *keySet) without() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.fetched.IsZero() && s.now().Sub(s.fetched) < keysStale {
		return nil
	}
	return fail.New(fail.Unavailable, "tokens cannot be verified, because the authorization server's keys "+
		"cannot be had at the moment; try again").After(keysPause).Wrap(s.failed)
}

func (s *keySet) get(ctx context.Context, flight chan struct{}) {
	ctx, cancel := context.WithTimeout(ctx, keysTime)
	defer cancel()
	body, err := s.fetch(ctx, s.address)
	var keys []jose.JSONWebKey
	if err == nil {
		keys, err = parseKeys(body)
	}
	if err != nil {
		s.log.Warn("the authorization server's keys cannot be fetched; those that are known stay good for a day",
			"address", s.address, "error", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failed = err; err == nil {
		s.keys, s.fetched = keys, s.now()
	}
	s.flight = nil
	close(flight)
}

// parseKeys reads a JWK set. Keys of kinds that are not known are left out (RFC 7517 §5), as are
// those that are no use here.
func parseKeys(body []byte) ([]jose.JSONWebKey, error) {
	var set struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if err := json.Unmarshal(body, &set); err != nil || set.Keys == nil {
		return nil, fmt.Errorf("the document is no JWK set: %v", err)
	}
	var keys []jose.JSONWebKey
	for _, raw := range set.Keys[:min(len(set.Keys), maxKeys)] {
		var key jose.JSONWebKey
		if json.Unmarshal(raw, &key) == nil && key.Valid() && key.IsPublic() {
			keys = append(keys, key)
		}
	}
	return keys, nil
}
