package edge

import (
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"frontdesk/wire/sign"
)

// StoredKey is a key that verifies signed addresses, as it lies in a folder of keys: a file of JSON
// for each, which only its owner may read. It was registered at an Exchange with the verification
// of a domain.
type StoredKey struct {
	Form     string    `json:"cdn_type"`
	ID       string    `json:"key_id,omitempty"` // as addresses name it, for cloudfront
	Secret   string    `json:"secret,omitempty"` // in hex
	Public   string    `json:"public,omitempty"` // in PEM, for cloudfront
	Exchange string    `json:"exchange,omitempty"`
	Created  time.Time `json:"created,omitzero"`
	Until    time.Time `json:"until,omitzero"` // from when it is not good any more; zero for never
}

// The bounds of a folder of keys.
const (
	maxStored    = 20
	maxStoredKey = 64 << 10 // bytes of one
)

// Key is the key as it verifies.
func (s StoredKey) Key() (key sign.URLKey, err error) {
	key = sign.URLKey{Form: sign.URLForm(s.Form), ID: s.ID, Ends: s.Until}
	if key.Form == sign.URLCloudFront {
		block, _ := pem.Decode([]byte(s.Public))
		if block == nil {
			return key, errors.New("it has no public key in PEM")
		}
		key.Public, err = x509.ParsePKIXPublicKey(block.Bytes)
	} else if key.Secret, err = hex.DecodeString(s.Secret); err != nil {
		err = errors.New("its secret is not in hex") // the cause would repeat it
	}
	if err == nil {
		err = key.Check()
	}
	return key, err
}

// KeyFolder are the keys in a folder, which is looked at again every second while they are asked
// for. It may be missing. What cannot be read of it is told to the log, and is none. Its methods
// may be called concurrently.
type KeyFolder struct {
	path string
	now  func() time.Time
	log  *slog.Logger

	mu     sync.Mutex
	looked time.Time
	stamps map[string]stamp
	keys   []sign.URLKey
}

// NewKeyFolder gives the keys of a folder.
func NewKeyFolder(path string, now func() time.Time, log *slog.Logger) *KeyFolder {
	return &KeyFolder{path: path, now: now, log: log}
}

// Keys are the keys that are in the folder, the last first.
func (f *KeyFolder) Keys() []sign.URLKey {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := f.now()
	if now.Sub(f.looked).Abs() < lookEvery {
		return f.keys
	}
	f.looked = now
	stamps := map[string]stamp{}
	entries, err := os.ReadDir(f.path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		f.log.Error("the folder of keys cannot be read; the keys stay as they were", "folder", f.path, "error", err)
		return f.keys
	}
	for _, entry := range entries {
		if strings.HasSuffix(entry.Name(), ".json") && len(stamps) < maxStored {
			stamps[entry.Name()] = stampOf(filepath.Join(f.path, entry.Name()))
		}
	}
	if maps.Equal(stamps, f.stamps) {
		return f.keys
	}
	f.stamps, f.keys = stamps, f.read(stamps)
	return f.keys
}

// read reads the keys of files.
func (f *KeyFolder) read(files map[string]stamp) (keys []sign.URLKey) {
	var all []StoredKey
	for name := range files {
		one, err := ReadStoredKey(filepath.Join(f.path, name))
		if err == nil {
			_, err = one.Key()
		}
		if err != nil {
			f.log.Error("a key that verifies addresses cannot be used", "file", filepath.Join(f.path, name),
				"error", err)
			continue
		}
		all = append(all, one)
	}
	slices.SortFunc(all, func(a, b StoredKey) int { return b.Created.Compare(a.Created) })
	for _, one := range all {
		key, _ := one.Key()
		keys = append(keys, key)
	}
	return keys
}

// ReadStoredKey reads a key of a folder. The error holds nothing of the key.
func ReadStoredKey(path string) (key StoredKey, err error) {
	text, err := os.ReadFile(path)
	switch {
	case err != nil:
		return key, err
	case len(text) > maxStoredKey:
		return key, fmt.Errorf("it has more than %d bytes", maxStoredKey)
	case json.Unmarshal(text, &key) != nil:
		return key, errors.New("it is no JSON of a key")
	}
	return key, nil
}
