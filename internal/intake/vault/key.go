package vault

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
)

// ErrErased is the error of opening what was sealed under a destroyed key.
var ErrErased = errors.New("it was erased: its key is destroyed")

// keySize is how many bytes a key has.
const keySize = 32

// Key seals one datum, or the few that are erased together. It is a value, and safe for concurrent
// use.
type Key struct {
	ID     string
	secret [keySize]byte
}

// Seal encrypts a text for a purpose (AES-256-GCM), under which alone it opens.
func (k Key) Seal(purpose string, plain []byte) ([]byte, error) {
	aead, err := k.aead()
	if err != nil {
		return nil, err
	}
	nonce := make([]byte, aead.NonceSize(), aead.NonceSize()+len(plain)+aead.Overhead())
	rand.Read(nonce)
	return aead.Seal(nonce, nonce, plain, []byte(purpose)), nil
}

// Open decrypts what Seal made for a purpose.
func (k Key) Open(purpose string, sealed []byte) ([]byte, error) {
	aead, err := k.aead()
	if err != nil {
		return nil, err
	}
	if size := aead.NonceSize(); len(sealed) >= size {
		if plain, err := aead.Open(nil, sealed[:size], sealed[size:], []byte(purpose)); err == nil {
			return plain, nil
		}
	}
	return nil,
		fmt.Errorf("what is sealed for %q under key %s cannot be opened: it was changed, or belongs to another place",
			purpose, k.ID)
}

// Hash is a hash of data for a purpose (HMAC-SHA-256) that nobody can make, or guess the data of,
// without the key.
func (k Key) Hash(purpose string, data []byte) []byte {
	mac := hmac.New(sha256.New, k.HashKey(purpose))
	mac.Write(data)
	return mac.Sum(nil)
}

// HashKey is the key that Hash takes for a purpose. It opens nothing that is sealed.
func (k Key) HashKey(purpose string) []byte { return k.derive("hash " + purpose) }

func (k Key) aead() (cipher.AEAD, error) {
	block, err := aes.NewCipher(k.derive("seal"))
	if err != nil {
		return nil, fmt.Errorf("seal what was submitted: %w", err)
	}
	return cipher.NewGCM(block)
}

func (k Key) derive(purpose string) []byte {
	derived, err := hkdf.Expand(sha256.New, k.secret[:], "frontdesk submission "+purpose, keySize)
	if err != nil {
		panic(err) // the size is one that there is
	}
	return derived
}
