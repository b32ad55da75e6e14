package sign

import (
	"bytes"
	"crypto/sha256"
	"crypto/sha512"
	"errors"
	"fmt"
	"strings"
)

// HeaderContentDigest is the header of a body's digests (RFC 9530 §2).
const HeaderContentDigest = "Content-Digest"

// ContentDigest is the value of Content-Digest for a body as it goes over the wire.
func ContentDigest(body []byte) string {
	sum := sha256.Sum256(body)
	var b strings.Builder
	b.WriteString("sha-256=")
	writeValue(&b, sum[:])
	return b.String()
}

// CheckContentDigest says whether the lines of Content-Digest fit a body. Every digest by SHA-256 or SHA-512 must fit, and there
// must be one; those by other algorithms are passed over (RFC 9530 §2).
func CheckContentDigest(lines []string, body []byte) error {
	digests, err := parseDictionary(lines)
	if err != nil {
		return fmt.Errorf("Content-Digest cannot be read: %w", err)
	}
	known := false
	for _, d := range digests {
		var sum []byte
		switch d.key {
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
		if said, ok := d.value.([]byte); !ok || !bytes.Equal(said, sum) {
			return errors.New("Content-Digest is not that of the body")
		}
	}
	if !known {
		return errors.New("Content-Digest has no digest by sha-256")
	}
	return nil
}
