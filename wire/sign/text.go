package sign

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"strings"
)

// errSignatureText is what all texts get that hold no signature.
var errSignatureText = errors.New("no Ed25519 signature: write its 64 bytes in base64, base64url or hex")

// DecodeSignature reads an Ed25519 signature as the protocols' texts and peers write it: 64 bytes
// in hex, base64 or base64url, with or without padding, with or without "ed25519:" before. No other
// byte may stand in it.
func DecodeSignature(text string) ([]byte, error) {
	text = strings.TrimPrefix(text, "ed25519:")
	if len(text) == hex.EncodedLen(ed25519.SignatureSize) {
		if signature, err := hex.DecodeString(text); err == nil {
			return signature, nil
		}
	}
	if strings.ContainsAny(text, "\r\n") { // the decoder would pass over them
		return nil, errSignatureText
	}
	encoding := base64.RawStdEncoding
	if strings.ContainsAny(text, "-_") {
		encoding = base64.RawURLEncoding
	}
	bare := text
	if len(text)%4 == 0 {
		bare = strings.TrimSuffix(strings.TrimSuffix(text, "="), "=")
	}
	signature, err := encoding.Strict().DecodeString(bare)
	if err != nil || len(signature) != ed25519.SignatureSize {
		return nil, errSignatureText
	}
	return signature, nil
}

// EncodeSignature writes a signature in standard base64.
func EncodeSignature(signature []byte) string { return base64.StdEncoding.EncodeToString(signature) }
