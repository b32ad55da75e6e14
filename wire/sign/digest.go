package sign

import (
	"bytes"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"errors"
	"fmt"

	"github.com/dunglas/httpsfv"
)

// HeaderContentDigest is the header of a body's digests (RFC 9530 §2).
const HeaderContentDigest = "Content-Digest"

// ContentDigest is the value of Content-Digest for a body as it goes over the wire.
func ContentDigest(body []byte) string {
	sum := sha256.Sum256(body)
	return "sha-256=:" + base64.StdEncoding.EncodeToString(sum[:]) + ":"
}

// CheckContentDigest says whether the lines of Content-Digest fit a body. Every digest by SHA-256
// or SHA-512 must fit, and there must be one; those by other algorithms are passed over (RFC 9530
// §2).
func CheckContentDigest(lines []string, body []byte) error {
	known, fits, err := digestFits(lines, body)
	switch {
	case err != nil:
		return fmt.Errorf("Content-Digest cannot be read: %w", err)
	case !fits:
		return errors.New("Content-Digest is not that of the body")
	case !known:
		return errors.New("Content-Digest has no digest by sha-256")
	}
	return nil
}

// ReprDigest says whether the lines of Repr-Digest have a digest by SHA-256 or SHA-512, and whether
// all such fit a whole representation that came without a coding (RFC 9530 §3). Lines that cannot
// be read have one that does not fit.
func ReprDigest(lines []string, representation []byte) (known, fits bool) {
	if len(lines) == 0 {
		return false, false
	}
	known, fits, err := digestFits(lines, representation)
	if err != nil {
		return true, false
	}
	return known, known && fits
}

// digestFits says whether a field of digests has some by SHA-256 or SHA-512, and whether all of
// those are a body's.
func digestFits(lines []string, body []byte) (known, fits bool, err error) {
	digests, err := ReadDictionary(lines)
	if err != nil {
		return false, false, err
	}
	for _, algorithm := range digests.Names() {
		var sum []byte
		switch algorithm {
		case "sha-256":
			s := sha256.Sum256(body)
			sum = s[:]
		case "sha-512":
			s := sha512.Sum512(body)
			sum = s[:]
		default:
			continue
		}
		known = true
		member, _ := digests.Get(algorithm)
		item, _ := member.(httpsfv.Item)
		if said, ok := item.Value.([]byte); !ok || !bytes.Equal(said, sum) {
			return true, false, nil
		}
	}
	return known, true, nil
}
