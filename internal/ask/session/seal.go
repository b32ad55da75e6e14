package session

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"fmt"
)

// seal encrypts what is kept in the store, under a key that the front desk's secret makes for one
// purpose.
type seal struct{ aead cipher.AEAD }

func newSeal(secret []byte, purpose string) (seal, error) {
	block, err := aes.NewCipher(derive(secret, purpose))
	if err != nil {
		return seal{}, fmt.Errorf("encrypt what is kept: %w", err)
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		return seal{}, fmt.Errorf("encrypt what is kept: %w", err)
	}
	return seal{aead}, nil
}

// close encrypts a text that belongs to a place in the store, and opens there only.
func (s seal) close(plain, place []byte) []byte {
	nonce := make([]byte, s.aead.NonceSize(), s.aead.NonceSize()+len(plain)+s.aead.Overhead())
	rand.Read(nonce)
	return s.aead.Seal(nonce, nonce, plain, place)
}

// open decrypts a text of a place; false when it is not of this seal, or of another place.
func (s seal) open(closed, place []byte) (plain []byte, ok bool) {
	size := s.aead.NonceSize()
	if len(closed) < size {
		return nil, false
	}
	plain, err := s.aead.Open(nil, closed[:size], closed[size:], place)
	return plain, err == nil
}
