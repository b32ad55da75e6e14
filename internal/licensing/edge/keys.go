package edge

import (
	"crypto"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	"frontdesk/wire/sign"
)

// KeyFile is a key that verifies signed addresses, in a file.
type KeyFile struct {
	// Key is all of the key but what is in the file.
	Key sign.URLKey
	// Path is the file: the secret as Encoding says, or for cloudfront and ed25519 the public key
	// in PEM.
	Path string
	// Encoding is "hex", "base64" or "text", for secrets.
	Encoding string
}

// Read reads the key.
func (f KeyFile) Read() (sign.URLKey, error) {
	text, err := os.ReadFile(f.Path)
	if err != nil {
		return sign.URLKey{}, err
	}
	key := f.Key
	switch key.Form {
	case sign.URLCloudFront, sign.URLEd25519:
		key.Public, err = publicPEM(text)
	default:
		key.Secret, err = secret(string(text), f.Encoding)
	}
	if err == nil {
		err = key.Check()
	}
	if err != nil {
		return sign.URLKey{}, fmt.Errorf("%s: %w", f.Path, err)
	}
	return key, nil
}

func publicPEM(text []byte) (crypto.PublicKey, error) {
	block, _ := pem.Decode(text)
	if block == nil || block.Type != "PUBLIC KEY" {
		return nil, errors.New("it holds no public key in PEM (-----BEGIN PUBLIC KEY-----)")
	}
	return x509.ParsePKIXPublicKey(block.Bytes)
}

func secret(text, encoding string) ([]byte, error) {
	for len(text) > 0 && (text[len(text)-1] == '\n' || text[len(text)-1] == '\r') {
		text = text[:len(text)-1]
	}
	var b []byte
	err := error(nil)
	switch encoding {
	case "hex":
		b, err = hex.DecodeString(text)
	case "base64":
		b, err = base64.StdEncoding.DecodeString(text)
	default:
		return []byte(text), nil
	}
	if err != nil {
		return nil, fmt.Errorf("it is not in %s", encoding) // the cause would repeat the secret
	}
	return b, nil
}

// KeyFiles are keys in files that may change while they are used. A file that cannot be read leaves
// the key as it was. Its methods may be called concurrently.
type KeyFiles struct {
	files []KeyFile
	log   *slog.Logger
	now   func() time.Time

	mu     sync.Mutex
	keys   []sign.URLKey
	stamps []stamp
	looked time.Time
}

// stamp tells a file from its next version.
type stamp struct {
	at   time.Time
	size int64
}

// lookEvery is how often files are looked at, while they are asked for.
const lookEvery = time.Second

// OpenKeyFiles reads the keys, all of which have to be there.
func OpenKeyFiles(files []KeyFile, now func() time.Time, log *slog.Logger) (*KeyFiles, error) {
	k := &KeyFiles{files: files, log: log, now: now, keys: make([]sign.URLKey, len(files)),
		stamps: make([]stamp, len(files)), looked: now()}
	var errs []error
	for i, f := range files {
		k.stamps[i] = stampOf(f.Path)
		var err error
		k.keys[i], err = f.Read()
		errs = append(errs, err)
	}
	return k, errors.Join(errs...)
}

func stampOf(path string) stamp {
	info, err := os.Stat(path)
	if err != nil {
		return stamp{}
	}
	return stamp{info.ModTime(), info.Size()}
}

// Keys are the keys as the files have them.
func (k *KeyFiles) Keys() []sign.URLKey {
	k.mu.Lock()
	defer k.mu.Unlock()
	now := k.now()
	if now.Sub(k.looked).Abs() < lookEvery {
		return k.keys
	}
	k.looked = now
	fresh := append([]sign.URLKey(nil), k.keys...)
	for i, f := range k.files {
		seen := stampOf(f.Path)
		if seen == k.stamps[i] || seen == (stamp{}) {
			continue
		}
		k.stamps[i] = seen
		key, err := f.Read()
		if err != nil {
			k.log.Error("the file of a key changed and cannot be used; the key stays as it was", "file", f.Path,
				"error", err)
			continue
		}
		fresh[i] = key
		k.log.Info("a key that verifies addresses was read anew", "file", f.Path, "form", string(key.Form))
	}
	k.keys = fresh
	return k.keys
}
