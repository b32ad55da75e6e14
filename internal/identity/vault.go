package identity

import (
	"crypto/cipher"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// vault seals keys that lie in the database with a secret of the folder of secrets, which the first
// key makes.
type vault struct {
	folder string
	name   string // of the secret
	opens  string // what it opens, as an error names it

	mu   sync.Mutex
	seal cipher.AEAD // nil before it was needed
}

// sealer is what seals keys; the secret is made where it is missing, if that is asked for.
func (v *vault) sealer(making bool) (cipher.AEAD, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.seal != nil {
		return v.seal, nil
	}
	path := filepath.Join(v.folder, v.name)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) && !making {
		return nil,
			fmt.Errorf("the secret %s is missing, which opens %s; put it back from a backup, or revoke the keys and "+
				"issue others", path, v.opens)
	}
	secret, err := OpenSecret(v.folder, v.name)
	if err != nil {
		return nil, err
	}
	v.seal, err = sealing(secret)
	return v.seal, err
}
