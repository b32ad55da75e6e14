package sign_test

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/hex"
	"strings"
	"testing"

	"frontdesk/wire/sign"
)

func TestSignatureIsReadInEverySpelling(t *testing.T) {
	t.Parallel()
	signature := bytes.Repeat([]byte{0xfb, 0xef, 0xff, 0x01}, 16)
	for _, text := range []string{
		hex.EncodeToString(signature), strings.ToUpper(hex.EncodeToString(signature)),
		base64.StdEncoding.EncodeToString(signature), base64.RawStdEncoding.EncodeToString(signature),
		base64.URLEncoding.EncodeToString(signature), base64.RawURLEncoding.EncodeToString(signature),
		sign.EncodeSignature(signature),
	} {
		for _, prefix := range []string{"", "ed25519:"} {
			if got, err := sign.DecodeSignature(prefix + text); err != nil || !bytes.Equal(got, signature) {
				t.Errorf("%s%s: %x, %v", prefix, text, got, err)
			}
		}
	}
}

func TestTextThatIsNoSignatureIsRefused(t *testing.T) {
	t.Parallel()
	good := base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{0xfb, 0xef, 0xff, 0x01}, 16))
	for _, text := range []string{
		"", "ed25519:", good[:84], good + "=", good[:86] + "=", "\n" + good, good[:10] + "\n" + good[10:], " " + good,
		"ed25519:ed25519:" + good, "ED25519:" + good,
		strings.Repeat("0", 127), strings.Repeat("0", 129), strings.Repeat("g", 128), strings.Repeat("Z", 128),
		"-" + good[1:],    // two alphabets in one text
		good[:85] + "R==", // the last digit says more than the bytes hold
		base64.StdEncoding.EncodeToString(make([]byte, 63)), base64.StdEncoding.EncodeToString(make([]byte, 65)),
	} {
		if got, err := sign.DecodeSignature(text); err == nil {
			t.Errorf("%q was read as %x", text, got)
		}
	}
}

// FuzzSignatureText holds that what is read has the length of a signature and is written so that it
// is read again.
func FuzzSignatureText(f *testing.F) {
	f.Add("ed25519:" + strings.Repeat("0f", 64))
	f.Add(sign.EncodeSignature(make([]byte, 64)))
	f.Add(strings.Repeat("-_", 43))
	f.Fuzz(func(t *testing.T, text string) {
		signature, err := sign.DecodeSignature(text)
		if err != nil {
			return
		}
		again, err := sign.DecodeSignature(sign.EncodeSignature(signature))
		if len(signature) != ed25519.SignatureSize || err != nil || !bytes.Equal(again, signature) {
			t.Fatalf("%q was read as %x, and that as %x, %v", text, signature, again, err)
		}
	})
}
